"""Claims on the cone, and on how much tokens depend on their context.

The control of a mean cosine has the same vectors with random signs: their lengths, axes and
spectrum stay, and a common direction does not.
"""

from collections.abc import Mapping

import numpy as np

from ..measure.cone import NARROW, cone_state, mean_norm_share
from ..measure.context import Contextual, Tokens
from ..measure.cosines import mean_cosine, positive_cosine_share
from ..measure.frequency import by_rank
from ..measure.intervals import jackknife_interval
from ..measure.spectrum import isoscore, isoscore_baseline, partition_isotropy
from ..measure.table import measure_table
from . import claim
from .claim import Number, State, Tested, beside, clear, draws, need, or_partly
from .subject import ClaimSubject

SMALL, HALF, NEARLY_ALL = 0.05, 0.5, 0.9
MOST_IN_PAIRS = 2000  # rows: products of all pairs and clusters of more take a minute
MOST_PIECES = 1000  # of which the partition function is computed 40 times
CLUSTERS, PARTITIONS, SHUFFLES = 10, 20, 20
MOST_STATIC = 5000  # words, the most frequent ones


def _cosine(subject: ClaimSubject, X: np.ndarray, units: np.ndarray | None = None) -> Number:
    [row] = measure_table(X, names=("mean_cosine",), seed=subject.seed, units=units)
    return Number(mean_cosine(X), row.low, row.high)


def _flipped(subject: ClaimSubject, X: np.ndarray) -> np.ndarray:
    return X * np.random.default_rng(subject.seed).choice((-1.0, 1.0), len(X))[:, None]


def _some(subject: ClaimSubject, X: np.ndarray) -> np.ndarray:
    """The rows, a random sample of more than MOST_IN_PAIRS."""
    return X[np.sort(np.random.default_rng(subject.seed).permutation(len(X))[:MOST_IN_PAIRS])]


def gao2019_cone(subject: ClaimSubject) -> Tested:
    """Input embeddings of word pieces."""
    need(len(subject.pieces))
    return _cone(subject, subject.pieces.vectors)


def _cone(
    subject: ClaimSubject,
    X: np.ndarray,
    units: np.ndarray | None = None,
    settings: Mapping[str, str] = {},
) -> Tested:
    """A narrow cone, a part of one, none, or not clear which."""
    cosine = _cosine(subject, X, units)
    control = _cosine(subject, _flipped(subject, X), units)
    state = cone_state(cosine.low, cosine.high)
    return Tested(state, len(X), {"cosine": cosine}, {"signs": control}, settings)


def gao2019_cone_tokens(subject: ClaimSubject) -> Tested:
    """Contextual tokens of the last layer."""
    return _cone(subject, subject.tokens(subject.last), subject.sentences, subject.at_last)


def liang2021_random_words(subject: ClaimSubject) -> Tested:
    """The share of pairs of word pieces whose cosine is above 0."""
    X = _some(subject, subject.pieces.vectors)
    need(len(X))
    [found] = measure_table(X, names=("positive_cosine_share",), seed=subject.seed)
    control = positive_cosine_share(_flipped(subject, X))
    share = Number(found.value or 0.0, found.low, found.high)
    state = clear(share, NEARLY_ALL)
    if state == "fails" and clear(share, HALF) == "holds":
        state = "partly"
    values = {"share": share, "cosine": Number(mean_cosine(X))}
    return Tested(state, len(X), values, {"signs": Number(control)})


def ethayarajh2019_layers(subject: ClaimSubject) -> Tested:
    """Every layer above the input."""
    layers = range(1, subject.last + 1)
    units = subject.sentences
    found = {layer: _cosine(subject, subject.tokens(layer), units) for layer in layers}
    lowest = min(layers, key=lambda layer: found[layer].value)
    control = {"signs": _cosine(subject, _flipped(subject, subject.tokens(lowest)), units)}
    states = {clear(cosine) for cosine in found.values()}
    state: State = "fails" if "fails" in states else "unknown"
    state = "holds" if states == {"holds"} else state
    values = {"lowest": found[lowest], "last": found[subject.last]}
    return Tested(state, len(units), values, control, {"lowest": str(lowest), **subject.at_last})


def ethayarajh2019_specific(subject: ClaimSubject) -> Tested:
    """Self-similarity less its baseline at the first layer, minus that at the last."""
    types = subject.types
    if subject.last < 2:
        raise claim.MissingEvidence("layers")
    shuffled = np.random.default_rng(subject.seed).permutation(types)
    fall, control = (_fall(subject, each) for each in (types, shuffled))
    low, high = fall.interval(subject.sentences, types)
    found = Number(fall.difference, low, high, is_change=True)
    by_chance = {"shuffled": Number(control.difference, is_change=True)}
    return Tested(clear(found), len(types), {"fall": found}, by_chance, subject.at_last)


def _fall(subject: ClaimSubject, types: np.ndarray) -> Contextual:
    first, last = (
        Tokens(subject.tokens(layer)).self_similarity(types) for layer in (1, subject.last)
    )
    influence = first.influence - last.influence
    return Contextual(first.difference, last.difference, first.n_terms, influence)


def ethayarajh2019_static(subject: ClaimSubject) -> Tested:
    """The share of a word's variance that one static vector explains, beside shuffled types."""
    found = Tokens(subject.tokens(subject.last)).max_explainable(subject.types, subject.seed)
    explained = Number(found.difference, *found.interval(subject.sentences, subject.types))
    state = claim.OPPOSITE[clear(explained, SMALL)]
    if state == "unknown" and explained.low is not None:
        state = "partly"
    control = {"shuffled": Number(found.baseline)}
    return Tested(state, len(subject.types), {"explained": explained}, control, subject.at_last)


def ethayarajh2019_sentence(subject: ClaimSubject) -> Tested:
    """Tokens' cosine to the mean of their sentence less the baseline, at the last layer."""
    tokens = Tokens(subject.tokens(subject.last))
    ids = subject.sentences
    found = tokens.intra_sentence(ids)
    alike = Number(found.difference, *found.interval(ids))
    # a token has a weight in the mean of its sentence, and more so in a cone
    control = draws(
        lambda rng: tokens.intra_sentence(rng.permutation(ids)).difference, SHUFFLES, subject.seed
    )
    state = clear(alike, control.value)
    return Tested(state, len(ids), {"alike": alike}, {"shuffled": control}, subject.at_last)


def cai2021_clusters(subject: ClaimSubject) -> Tested:
    """Mean cosine and IsoScore within clusters, beside random groups of equal sizes."""
    from sklearn.cluster import KMeans

    X = _some(subject, subject.tokens(subject.last)).astype(np.float64)
    need(len(X), 20 * CLUSTERS)
    ids = KMeans(CLUSTERS, n_init=1, random_state=subject.seed).fit_predict(X)
    rng = np.random.default_rng(subject.seed)
    cosine, score = _within(X, ids)
    cosines, scores = np.array([_within(X, rng.permutation(ids)) for _ in range(PARTITIONS)]).T
    control = {"isoscore": Number.drawn(scores), "cosine": Number(float(cosines.mean()))}
    numbers = {"isoscore": score, "cosine": cosine, "before": mean_cosine(X)}
    values = {name: Number(value) for name, value in numbers.items()}
    settings = {**subject.at_last, "k": str(CLUSTERS)}
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
    X = subject.pooled(subject.last)
    need(len(X))
    M = subject.pooled(subject.middle)
    values = {"last": _cosine(subject, X), "fall": _difference(subject, M, X)}
    states = {clear(values["fall"]), claim.OPPOSITE[clear(values["last"], NARROW)]}
    state: State = "fails" if "fails" in states else "unknown"
    state = "holds" if states == {"holds"} else state
    settings = {**subject.at_last, "middle": str(subject.middle)}
    return Tested(state, len(X), values, {"middle": _cosine(subject, M)}, settings)


def _difference(
    subject: ClaimSubject, X: np.ndarray, Z: np.ndarray, units: np.ndarray | None = None
) -> Number:
    """The mean cosine of X less that of Z, of the same rows."""
    ends = jackknife_interval(_gap, X, Z, units=units, seed=subject.seed)
    return Number(_gap(X, Z), *ends, is_change=True)


def _gap(X: np.ndarray, Z: np.ndarray) -> float:
    return mean_cosine(X) - mean_cosine(Z)


def rudman2022_isoscore(subject: ClaimSubject) -> Tested:
    """Mean cosine and IsoScore before and after the mean is subtracted."""
    X = subject.pooled(subject.last)
    need(len(X))
    centred = X - X.mean(axis=0)
    [row] = measure_table(X, names=["isoscore"], seed=subject.seed)
    values = {
        "cosine": Number(mean_cosine(X)),
        "centred_cosine": Number(mean_cosine(centred)),
        "isoscore": Number(row.value or 0.0, row.low, row.high),
        "centred_isoscore": Number(isoscore(centred)),
    }
    isotropic = isoscore_baseline(*X.shape)
    below = claim.OPPOSITE[clear(values["isoscore"], isotropic)]
    state = below if abs(values["centred_cosine"].value) < SMALL else "fails"
    return Tested(state, len(X), values, {"isotropic": Number(isotropic)}, subject.at_last)


def mu2018_mean(subject: ClaimSubject) -> Tested:
    """The common vector of static word vectors."""
    X = _static(subject)
    share = Number(mean_norm_share(X), *jackknife_interval(mean_norm_share, X, seed=subject.seed))
    control = mean_norm_share(_flipped(subject, X))
    return Tested(clear(share, SMALL), len(X), {"share": share}, {"signs": Number(control)})


def mu2018_isotropy(subject: ClaimSubject) -> Tested:
    """Partition isotropy of static word vectors, and without the mean and top 3 directions."""
    X = _static(subject)
    raw = partition_isotropy(X, scale="rms")
    centred = X - X.mean(axis=0)
    basis = np.linalg.svd(centred, full_matrices=False)[2][:3].T

    def without(B: np.ndarray) -> float:
        return partition_isotropy(centred - centred @ B @ B.T, scale="rms")

    def without_random(rng: np.random.Generator) -> float:
        return without(np.linalg.qr(rng.standard_normal(basis.shape))[0])

    after = without(basis)
    control = draws(without_random, PARTITIONS, subject.seed)
    state: State = "fails" if after <= raw else "partly"
    if after > raw and after - control.value > SMALL and beside(after, control) == "holds":
        state = "holds"
    values = {"raw": Number(raw), "after": Number(after)}
    return Tested(state, len(X), values, {"random": control})


def _static(subject: ClaimSubject) -> np.ndarray:
    if subject.words is None:
        raise claim.MissingEvidence("words")
    return subject.words.vectors[:MOST_STATIC].astype(np.float64)


def bis2021_drift(subject: ClaimSubject) -> Tested:
    """Partition isotropy of the input embeddings before and after the mean is subtracted."""
    X = subject.pieces.vectors[by_rank(subject.pieces.counts)[:MOST_PIECES]].astype(np.float64)
    need(len(X))
    mean = X.mean(axis=0)
    away = np.random.default_rng(subject.seed).standard_normal(len(mean))
    away *= np.linalg.norm(mean) / np.linalg.norm(away)
    raw, centred, moved = (partition_isotropy(Z, scale="rms") for Z in (X, X - mean, X - away))
    ends = jackknife_interval(_centred_gain, X, seed=subject.seed)
    gain = Number(centred - raw, *ends, is_change=True)
    # partition isotropy hardly sees unequal axes; IsoScore sees nothing else
    axes = isoscore(X) / isoscore_baseline(*X.shape)
    state = or_partly(clear(gain), whole=axes >= HALF)
    values = {"raw": Number(raw), "centred": Number(centred), "gain": gain, "axes": Number(axes)}
    return Tested(state, len(X), values, {"random": Number(moved - raw, is_change=True)})


def _centred_gain(X: np.ndarray) -> float:
    raw, centred = (partition_isotropy(Z, scale="rms") for Z in (X, X - X.mean(axis=0)))
    return centred - raw


def ethayarajh2019_upper(subject: ClaimSubject) -> Tested:
    """Tokens of the last layer beside those of the input layer and of the first above it."""
    units = subject.sentences
    if subject.last < 2:
        raise claim.MissingEvidence("layers")
    need(len(np.unique(units)))
    given, first, last = (subject.tokens(layer) for layer in (0, 1, subject.last))
    over_first, over_input = (_difference(subject, last, each, units) for each in (first, given))
    state: State = "partly" if clear(over_input) == "holds" else "unknown"
    if clear(over_first) == clear(over_input):
        state = clear(over_first)
    values = {"last": _cosine(subject, last, units)}
    values |= {"over_first": over_first, "over_input": over_input}
    control = {"input": _cosine(subject, given, units), "first": _cosine(subject, first, units)}
    return Tested(state, len(units), values, control, subject.at_last)
