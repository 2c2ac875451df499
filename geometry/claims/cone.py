"""Claims on the cone, and on how much tokens depend on their context.

The control of a mean cosine has the same vectors with random signs: their lengths, axes and
spectrum stay, and a common direction does not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..measure.cone import NARROW, mean_norm_share
from ..measure.context import Contextual, Tokens
from ..measure.cosines import mean_cosine, positive_cosine_share
from ..measure.frequency import by_rank
from ..measure.intervals import MIN_ROWS, Estimate, jackknife_interval
from ..measure.partition import partition_isotropy
from ..measure.spectrum import isoscore, isoscore_baseline
from ..measure.table import measure_table
from .claim import MissingEvidence, Number, State, Tested, beside, clear
from .subject import ClaimSubject

SMALL, HALF, NEARLY_ALL = 0.05, 0.5, 0.9
MOST_IN_PAIRS = 2000  # rows: products of all pairs and clusters of more take a minute
MOST_PIECES = 1000  # of which the partition function is computed 40 times
CLUSTERS, PARTITIONS, SHUFFLES = 10, 20, 20
MOST_STATIC = 5000  # words, the most frequent ones


def cosine_of(X: np.ndarray, seed: int, units: np.ndarray | None = None) -> Number:
    """The mean cosine with its interval."""
    [row] = measure_table(X, names=("mean_cosine",), seed=seed, units=units)
    return Number(mean_cosine(X), row.low, row.high)


def flipped(X: np.ndarray, seed: int) -> np.ndarray:
    """The rows with random signs."""
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), len(X))
    return X * signs[:, None]


def _cone_state(cosine: Number) -> State:
    """A narrow cone, a part of one, none, or not clear which."""
    narrow = clear(cosine, NARROW)
    if narrow != "fails":
        return narrow
    return "partly" if clear(cosine) == "holds" else "fails"


def draws(
    of: Callable[[np.random.Generator], float], n: int, seed: int, decimals: int = 3
) -> Number:
    """The mean over random draws of a control, with the range of 95% of them."""
    rng = np.random.default_rng(seed)
    values = np.array([of(rng) for _draw in range(n)])
    low, high = np.percentile(values, [2.5, 97.5])
    return Number(float(values.mean()), float(low), float(high))


def _need(n: int, least: int = MIN_ROWS) -> None:
    if n < least:
        raise MissingEvidence("rows")


def gao2019_cone(subject: ClaimSubject) -> Tested:
    """Input embeddings of word pieces."""
    X = subject.pieces.vectors
    _need(len(X))
    cosine = cosine_of(X, subject.seed)
    control = cosine_of(flipped(X, subject.seed), subject.seed)
    return Tested(_cone_state(cosine), len(X), {"cosine": cosine}, {"signs": control})


def gao2019_cone_tokens(subject: ClaimSubject) -> Tested:
    """Contextual tokens of the last layer."""
    X, units = subject.tokens(subject.last), subject.sentences
    cosine = cosine_of(X, subject.seed, units)
    control = cosine_of(flipped(X, subject.seed), subject.seed, units)
    settings = {"layer": str(subject.last)}
    return Tested(_cone_state(cosine), len(X), {"cosine": cosine}, {"signs": control}, settings)


def liang2021_random_words(subject: ClaimSubject) -> Tested:
    """The share of pairs of word pieces whose cosine is above 0."""
    X = subject.pieces.vectors
    X = X[np.sort(np.random.default_rng(subject.seed).permutation(len(X))[:MOST_IN_PAIRS])]
    _need(len(X))
    [found] = measure_table(X, names=("positive_cosine_share",), seed=subject.seed)
    control = positive_cosine_share(flipped(X, subject.seed))
    share = Number(found.value or 0.0, found.low, found.high)
    state = clear(share, NEARLY_ALL)
    if state == "fails" and clear(share, 0.5) == "holds":
        state = "partly"
    values = {"share": share, "cosine": Number(mean_cosine(X))}
    return Tested(state, len(X), values, {"signs": Number(control)})


def ethayarajh2019_layers(subject: ClaimSubject) -> Tested:
    """Every layer above the input."""
    layers = range(1, subject.last + 1)
    units, seed = subject.sentences, subject.seed
    found = {layer: cosine_of(subject.tokens(layer), seed, units) for layer in layers}
    lowest = min(layers, key=lambda layer: found[layer].value)
    control = cosine_of(flipped(subject.tokens(lowest), seed), seed, units)
    states = {clear(cosine) for cosine in found.values()}
    state: State = "fails" if "fails" in states else "unknown"
    return Tested(
        "holds" if states == {"holds"} else state,
        len(units),
        {"lowest": found[lowest], "last": found[subject.last]},
        {"signs": control},
        {"lowest": str(lowest), "layer": str(subject.last)},
    )


def ethayarajh2019_specific(subject: ClaimSubject) -> Tested:
    """Self-similarity less its baseline at the first layer, minus that at the last."""
    types, sentences = subject.types, subject.sentences
    if subject.last < 2:
        raise MissingEvidence("layers")
    fall, control = (
        _fall(subject, types if not shuffled else _shuffled(types, subject.seed))
        for shuffled in (False, True)
    )
    found = Estimate(fall.difference, *fall.interval(sentences, types))
    return Tested(
        clear(found),
        len(types),
        {"fall": Number.of(found, is_change=True)},
        {"shuffled": Number(control.difference, is_change=True)},
        {"layer": str(subject.last)},
    )


def _fall(subject: ClaimSubject, types: np.ndarray) -> Contextual:
    first, last = (
        Tokens(subject.tokens(layer)).self_similarity(types) for layer in (1, subject.last)
    )
    influence = first.influence - last.influence
    return Contextual(first.difference, last.difference, first.n_terms, influence)


def _shuffled(ids: np.ndarray, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(ids)


def ethayarajh2019_static(subject: ClaimSubject) -> Tested:
    """The share of a word's variance that one static vector explains, beside shuffled types."""
    tokens = subject.in_context(subject.last)
    found = tokens.max_explainable(subject.types, subject.seed)
    explained = Estimate(found.difference, *found.interval(subject.sentences, subject.types))
    state: State = "unknown"
    if explained.low is not None and explained.high is not None:
        state = (
            "holds" if explained.high < SMALL else "fails" if explained.low > SMALL else "partly"
        )
    return Tested(
        state,
        len(subject.types),
        {"explained": Number.of(explained)},
        {"shuffled": Number(found.baseline)},
        {"layer": str(subject.last)},
    )


def ethayarajh2019_sentence(subject: ClaimSubject) -> Tested:
    """Tokens' cosine to the mean of their sentence less the baseline, at the last layer."""
    tokens, ids = subject.in_context(subject.last), subject.sentences
    found = tokens.intra_sentence(ids)
    alike = Number.of(Estimate(found.difference, *found.interval(ids)))
    # a token has a weight in the mean of its sentence, and more so in a cone
    control = draws(
        lambda rng: tokens.intra_sentence(rng.permutation(ids)).difference, SHUFFLES, subject.seed
    )
    return Tested(
        clear(alike, control.value),
        len(ids),
        {"alike": alike},
        {"shuffled": control},
        {"layer": str(subject.last)},
    )


def cai2021_clusters(subject: ClaimSubject) -> Tested:
    """Mean cosine and IsoScore within clusters, beside random groups of equal sizes."""
    from sklearn.cluster import KMeans

    X = subject.tokens(subject.last)[subject.some(MOST_IN_PAIRS)].astype(np.float64)
    _need(len(X), 20 * CLUSTERS)
    ids = KMeans(CLUSTERS, n_init=1, random_state=subject.seed).fit_predict(X)
    rng = np.random.default_rng(subject.seed)
    cosine, score = _within(X, ids)
    random = np.array([_within(X, rng.permutation(ids)) for _ in range(PARTITIONS)])
    (_low, low), (_high, high) = np.percentile(random, [2.5, 97.5], axis=0)
    of_cosine, of_score = random.mean(axis=0)
    control = {
        "isoscore": Number(float(of_score), float(low), float(high)),
        "cosine": Number(float(of_cosine)),
    }
    values = {
        "isoscore": Number(score),
        "cosine": Number(cosine),
        "before": Number(mean_cosine(X)),
    }
    settings = {"layer": str(subject.last), "k": str(CLUSTERS)}
    return Tested(beside(score, control["isoscore"]), len(X), values, control, settings)


def _within(X: np.ndarray, ids: np.ndarray) -> tuple[float, float]:
    """Mean cosine and IsoScore of the centred rows of each group, weighted by its rows."""
    found, sizes = [], []
    for group in np.unique(ids):
        rows = X[ids == group] - X[ids == group].mean(axis=0)
        rows = rows[rows.any(axis=1)]
        if len(rows) > 2:
            found.append((mean_cosine(rows), isoscore(rows) / isoscore_baseline(*rows.shape)))
            sizes.append(len(rows))
    cosine, score = np.average(found, axis=0, weights=sizes)
    return float(cosine), float(score)


def wang2020_uniform(subject: ClaimSubject) -> Tested:
    """Sentence vectors of the last layer, beside those of a middle one."""
    X, M = subject.pooled(subject.last), subject.pooled(subject.middle)
    _need(len(X))
    last, middle = (cosine_of(each, subject.seed) for each in (X, M))
    fall = _difference(M, X, subject.seed)
    narrow = clear(last, NARROW)
    state: State = "unknown"
    if clear(fall) == "fails" or narrow == "holds":
        state = "fails"
    elif clear(fall) == "holds" and narrow == "fails":
        state = "holds"
    settings = {"layer": str(subject.last), "middle": str(subject.middle)}
    values = {"last": last, "fall": fall}
    return Tested(state, len(X), values, {"middle": middle}, settings)


def _difference(X: np.ndarray, Z: np.ndarray, seed: int, units: np.ndarray | None = None) -> Number:
    """The mean cosine of X less that of Z, of the same rows."""
    ends = jackknife_interval(_cosine_gap, X, Z, units=units, seed=seed)
    return Number(_cosine_gap(X, Z), *ends, is_change=True)


def _cosine_gap(X: np.ndarray, Z: np.ndarray) -> float:
    return mean_cosine(X) - mean_cosine(Z)


def rudman2022_isoscore(subject: ClaimSubject) -> Tested:
    """Mean cosine and IsoScore before and after the mean is subtracted."""
    X = subject.pooled(subject.last)
    _need(len(X))
    centred = X - X.mean(axis=0)
    [row] = measure_table(X, names=["isoscore"], seed=subject.seed)
    score = Number(row.value or 0.0, row.low, row.high)
    values = {
        "cosine": Number(mean_cosine(X)),
        "centred_cosine": Number(mean_cosine(centred)),
        "isoscore": score,
        "centred_isoscore": Number(isoscore(centred)),
    }
    isotropic = isoscore_baseline(*X.shape)
    below: State = {"fails": "holds", "holds": "fails"}.get(clear(score, isotropic), "unknown")  # type: ignore[assignment]
    state = below if abs(mean_cosine(centred)) < SMALL else "fails"
    control = {"isotropic": Number(isotropic)}
    return Tested(state, len(X), values, control, {"layer": str(subject.last)})


def mu2018_mean(subject: ClaimSubject) -> Tested:
    """The common vector of static word vectors."""
    X = _static(subject)
    share = Number(mean_norm_share(X), *jackknife_interval(mean_norm_share, X, seed=subject.seed))
    control = mean_norm_share(flipped(X, subject.seed))
    return Tested(clear(share, SMALL), len(X), {"share": share}, {"signs": Number(control)})


def mu2018_isotropy(subject: ClaimSubject) -> Tested:
    """Partition isotropy of static word vectors, and without the mean and top 3 directions."""
    X = _static(subject)
    raw = partition_isotropy(X, scale="rms")
    centred = X - X.mean(axis=0)
    basis = np.linalg.svd(centred, full_matrices=False)[2][:3].T

    def without(B: np.ndarray) -> float:
        return partition_isotropy(centred - centred @ B @ B.T, scale="rms")

    after = without(basis)
    control = draws(
        lambda rng: without(np.linalg.qr(rng.standard_normal(basis.shape))[0]),
        PARTITIONS,
        subject.seed,
    )
    state: State = "fails" if after <= raw else "partly"
    if after > raw and after - control.value > SMALL and beside(after, control) == "holds":
        state = "holds"
    values = {"raw": Number(raw), "after": Number(after)}
    return Tested(state, len(X), values, {"random": control})


def _static(subject: ClaimSubject) -> np.ndarray:
    if subject.words is None:
        raise MissingEvidence("words")
    return subject.words.vectors[:MOST_STATIC].astype(np.float64)


def bis2021_drift(subject: ClaimSubject) -> Tested:
    """Partition isotropy of the input embeddings before and after the mean is subtracted."""
    X = subject.pieces.vectors[by_rank(subject.pieces.counts)[:MOST_PIECES]].astype(np.float64)
    _need(len(X))
    mean = X.mean(axis=0)
    away = np.random.default_rng(subject.seed).standard_normal(len(mean))
    away *= np.linalg.norm(mean) / np.linalg.norm(away)
    raw, centred, moved = (partition_isotropy(Z, scale="rms") for Z in (X, X - mean, X - away))
    low, high = jackknife_interval(_centred_gain, X, seed=subject.seed)
    gain = Number(centred - raw, low, high, is_change=True)
    # partition isotropy hardly sees unequal axes; IsoScore sees nothing else
    axes = isoscore(X) / isoscore_baseline(*X.shape)
    state = clear(gain)
    if state == "holds" and axes < HALF:
        state = "partly"
    values = {"raw": Number(raw), "centred": Number(centred), "gain": gain, "axes": Number(axes)}
    return Tested(state, len(X), values, {"random": Number(moved - raw, is_change=True)})


def _centred_gain(X: np.ndarray) -> float:
    raw, centred = (partition_isotropy(Z, scale="rms") for Z in (X, X - X.mean(axis=0)))
    return centred - raw


def ethayarajh2019_upper(subject: ClaimSubject) -> Tested:
    """Tokens of the last layer beside those of the input layer and of the first above it."""
    units, seed = subject.sentences, subject.seed
    if subject.last < 2:
        raise MissingEvidence("layers")
    _need(len(np.unique(units)))
    given, first, last = (subject.tokens(layer) for layer in (0, 1, subject.last))
    over = {"first": _difference(last, first, seed, units)}
    over["input"] = _difference(last, given, seed, units)
    states = [clear(each) for each in over.values()]
    state: State = "unknown"
    if states[0] == states[1]:
        state = states[0]
    elif states[1] == "holds":
        state = "partly"
    values = {"last": cosine_of(last, seed, units), "over_first": over["first"]}
    values["over_input"] = over["input"]
    control = {"input": cosine_of(given, seed, units), "first": cosine_of(first, seed, units)}
    return Tested(state, len(units), values, control, {"layer": str(subject.last)})
