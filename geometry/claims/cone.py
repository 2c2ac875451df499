"""Claims on the cone, and on how much tokens depend on their context.

The control of a mean cosine has the same vectors with random signs: their lengths, axes and
spectrum stay, and a common direction does not.
"""

from __future__ import annotations

import numpy as np

from ..measure.cone import NARROW, mean_norm_share
from ..measure.context import Contextual, Tokens, intra_sentence_baseline
from ..measure.cosines import mean_cosine, positive_cosine_share
from ..measure.frequency import by_rank
from ..measure.intervals import MIN_ROWS, Estimate, jackknife_interval
from ..measure.partition import partition_isotropy
from ..measure.spectrum import isoscore, isoscore_baseline
from ..measure.table import measure_table
from .claim import MissingEvidence, Number, State, Tested, clear
from .subject import ClaimSubject

SMALL = 0.05
MOST_IN_PAIRS = 2000  # rows: products of all pairs and clusters of more take a minute
MOST_PIECES = 1000  # of which the partition function is computed 40 times
CLUSTERS, PARTITIONS = 10, 20
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
    if cosine.low is None:
        return "unknown"
    return "holds" if cosine.low >= NARROW else "partly" if cosine.low > 0 else "fails"


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
    low, value = found.low, found.value or 0.0
    state: State = "unknown"
    if low is not None:
        state = "holds" if low > 0.9 else "partly" if low > 0.5 else "fails"
    values = {"share": Number(value, low, found.high), "cosine": Number(mean_cosine(X))}
    return Tested(state, len(X), values, {"signs": Number(control)})


def ethayarajh2019_layers(subject: ClaimSubject) -> Tested:
    """Every layer above the input."""
    layers = range(1, subject.last + 1)
    units, seed = subject.sentences, subject.seed
    found = {layer: cosine_of(subject.tokens(layer), seed, units) for layer in layers}
    lowest = min(layers, key=lambda layer: found[layer].value)
    control = cosine_of(flipped(subject.tokens(lowest), seed), seed, units)
    rises = [cosine.low is not None and cosine.low > 0 for cosine in found.values()]
    state: State = "holds" if all(rises) else "partly" if any(rises) else "fails"
    if found[lowest].low is None:
        state = "unknown"
    return Tested(
        state,
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
    found = subject.in_context(subject.last).intra_sentence(subject.sentences)
    alike = Estimate(found.difference, *found.interval(subject.sentences))
    by_weight = intra_sentence_baseline(subject.sentences)
    state: State = "unknown"
    if alike.low is not None:
        state = "holds" if alike.low > by_weight else "partly" if alike.low > 0 else "fails"
    return Tested(
        state,
        len(subject.sentences),
        {"alike": Number.of(alike)},
        {"weight": Number(by_weight)},
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
    (cosine_low, score_low), (cosine_high, score_high) = np.percentile(random, [2.5, 97.5], axis=0)
    control = {
        "cosine": Number(float(random[:, 0].mean()), float(cosine_low), float(cosine_high)),
        "isoscore": Number(float(random[:, 1].mean()), float(score_low), float(score_high)),
    }
    is_even = abs(cosine) < SMALL
    state: State = "holds" if is_even and score > score_high else "partly" if is_even else "fails"
    values = {
        "cosine": Number(cosine),
        "isoscore": Number(score),
        "before": Number(mean_cosine(X)),
    }
    settings = {"layer": str(subject.last), "k": str(CLUSTERS)}
    return Tested(state, len(X), values, control, settings)


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
    last, middle = (
        cosine_of(subject.pooled(layer), subject.seed) for layer in (subject.last, subject.middle)
    )
    state: State = "unknown"
    if last.high is not None and last.low is not None and middle.low is not None:
        state = "partly" if last.high < middle.low else "fails"
        state = "holds" if last.high < NARROW and state == "partly" else state
    settings = {"layer": str(subject.last), "middle": str(subject.middle)}
    n = len(np.unique(subject.sentences))
    return Tested(state, n, {"last": last}, {"middle": middle}, settings)


def rudman2022_isoscore(subject: ClaimSubject) -> Tested:
    """Mean cosine and IsoScore before and after the mean is subtracted."""
    X = subject.pooled(subject.last)
    _need(len(X))
    centred = X - X.mean(axis=0)
    low, high = jackknife_interval(isoscore, X, seed=subject.seed)
    values = {
        "cosine": Number(mean_cosine(X)),
        "centred_cosine": Number(mean_cosine(centred)),
        "isoscore": Number(isoscore(X), low, high),
        "centred_isoscore": Number(isoscore(centred)),
    }
    isotropic = isoscore_baseline(*X.shape)
    is_round = abs(mean_cosine(centred)) < SMALL
    state: State = "holds" if is_round and high < isotropic else "fails"
    control = {"isotropic": Number(isotropic)}
    return Tested(state, len(X), values, control, {"layer": str(subject.last)})


def mu2018_mean(subject: ClaimSubject) -> Tested:
    """The common vector of static word vectors."""
    X = _static(subject)
    share = mean_norm_share(X)
    low, high = jackknife_interval(mean_norm_share, X, seed=subject.seed)
    control = mean_norm_share(flipped(X, subject.seed))
    state: State = "holds" if low > SMALL and low > control else "fails"
    return Tested(state, len(X), {"share": Number(share, low, high)}, {"signs": Number(control)})


def mu2018_isotropy(subject: ClaimSubject) -> Tested:
    """Partition isotropy of static word vectors, and without the mean and top 3 directions."""
    X = _static(subject)
    raw = partition_isotropy(X, scale="rms")
    centred = X - X.mean(axis=0)
    basis = np.linalg.svd(centred, full_matrices=False)[2][:3].T
    random = np.linalg.qr(np.random.default_rng(subject.seed).standard_normal(basis.shape))[0]
    after, control = (
        partition_isotropy(centred - centred @ B @ B.T, scale="rms") for B in (basis, random)
    )
    state: State = "fails" if after <= raw else "holds" if after > control else "partly"
    values = {"raw": Number(raw), "after": Number(after)}
    return Tested(state, len(X), values, {"random": Number(control)})


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
    state = clear(Estimate(centred - raw, low, high))
    if state == "holds" and centred < 0.5:
        state = "partly"
    values = {
        "raw": Number(raw),
        "centred": Number(centred),
        "gain": Number(centred - raw, low, high, is_change=True),
    }
    return Tested(state, len(X), values, {"random": Number(moved - raw, is_change=True)})


def _centred_gain(X: np.ndarray) -> float:
    raw, centred = (partition_isotropy(Z, scale="rms") for Z in (X, X - X.mean(axis=0)))
    return centred - raw


def ethayarajh2019_upper(subject: ClaimSubject) -> Tested:
    """Tokens of the last layer beside those of the input layer and of the first above it."""
    units, seed = subject.sentences, subject.seed
    given, first, last = (
        cosine_of(subject.tokens(layer), seed, units) for layer in (0, 1, subject.last)
    )
    state: State = "unknown"
    if last.low is not None and given.high is not None and first.high is not None:
        state = "holds" if last.low > max(given.high, first.high) else "fails"
        state = "partly" if state == "fails" and last.low > given.high else state
    settings = {"layer": str(subject.last)}
    values = {"last": last, "first": first}
    return Tested(state, len(units), values, {"input": given}, settings)
