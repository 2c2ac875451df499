"""Claims on scores: of poolings and layers, of the cone, and of what cures add to them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..data.embeddings import VectorTable
from ..diagnosis.evidence import RANDOM, RANDOM_KEPT, ROTATED
from ..evaluate.bootstrap import PairScore
from ..evaluate.similarities import pair_similarities
from ..hub.catalogue import is_contrastive
from ..linalg.rows import UndefinedMeasure, directions, need_rows
from ..measure.cosines import mean_cosine
from ..measure.intervals import MIN_ROWS, Estimate, subsampling_interval
from ..vectors.word_averages import sentence_vectors
from . import claim
from .claim import Number, State, Tested, clear, or_partly
from .dimensions import rotation
from .scores import narrower_against_score, shuffled_against
from .subject import POOLINGS, ClaimSubject

RESCALINGS = 20
LITTLE = 0.01  # one point of Spearman × 100


def _score(subject: ClaimSubject, X: np.ndarray) -> PairScore:
    left, right = subject.pairs.rows
    return subject.bootstrap.score(pair_similarities(X[left], X[right]))


def _printed(score: PairScore) -> Number:
    if score.spearman is None:
        raise UndefinedMeasure("no_spread")
    return Number(score.spearman, score.low, score.high).times(100, 1)


def _change(subject: ClaimSubject, before: PairScore, after: PairScore) -> Estimate:
    found = subject.bootstrap.difference(before, after)
    if found.value is None:
        raise UndefinedMeasure("no_spread")
    return Estimate(found.value, found.low, found.high)


def _points(found: Estimate) -> Number:
    return Number.of(found, is_change=True).times(100, 1)


def reimers2019_glove(subject: ClaimSubject) -> Tested:
    """[CLS] and mean of the last layer below averaged static vectors."""
    if subject.words is None:
        raise claim.MissingEvidence("words")
    glove = _averaged(subject, subject.words)
    noise = np.random.default_rng(subject.seed).standard_normal(subject.words.vectors.shape)
    random = VectorTable(noise, subject.words.words)
    scores = {"glove": _score(subject, glove)}
    scores |= {each: _score(subject, subject.paired(subject.last, each)) for each in POOLINGS}
    changes = {name: _change(subject, scores["glove"], scores[name]) for name in POOLINGS}
    states = [claim.OPPOSITE[clear(change)] for change in changes.values()]
    state: State = "partly" if "holds" in states else "unknown"
    state = states[0] if states[0] == states[1] else state
    values = {name: _printed(score) for name, score in scores.items()}
    values |= {f"{name}_change": _points(change) for name, change in changes.items()}
    control = {"random": _printed(_score(subject, _averaged(subject, random)))}
    return _of_untrained(subject, state, values, control)


def _averaged(subject: ClaimSubject, table: VectorTable) -> np.ndarray:
    found = sentence_vectors(subject.pairs.sentences, table, empty="zero").vectors
    if not found.any(axis=1).all():
        raise claim.MissingEvidence("words")
    return found


def _of_untrained(
    subject: ClaimSubject, state: State, values: Mapping[str, Number], control: Mapping[str, Number]
) -> Tested:
    """The result of a claim on models that were not trained to compare sentences."""
    found = Tested(state, len(subject.pairs), values, control, subject.at_last)
    if is_contrastive(subject.encoder.name):
        return replace(found, state="unknown", missing=claim.CONTRASTIVE)
    return found


def huang2021_mean(subject: ClaimSubject) -> Tested:
    """Means over tokens beside [CLS], at the last layer."""
    cls, mean = (subject.paired(subject.last, each) for each in POOLINGS)
    return _second_over_first(subject, cls=cls, mean=mean)


def _second_over_first(subject: ClaimSubject, **vectors: np.ndarray) -> Tested:
    scores = {name: _score(subject, X) for name, X in vectors.items()}
    gain = _change(subject, *scores.values())
    values = {name: _printed(score) for name, score in scores.items()} | {"gain": _points(gain)}
    return _of_untrained(subject, clear(gain), values, {})


def huang2021_layers(subject: ClaimSubject) -> Tested:
    """The mean of the first and the last layer beside the last."""
    first, last = (subject.paired(layer) for layer in (1, subject.last))
    return _second_over_first(subject, last=last, both=(first + last) / 2)


def gao2019_narrow(subject: ClaimSubject) -> Tested:
    """Pairs of layers and poolings: does the narrower one score lower?"""
    cosines, scores = [], []
    for pooling in POOLINGS:
        for layer in range(1, subject.last + 1):
            X = subject.paired(layer, pooling)
            score = _score(subject, X).spearman
            if score is not None:
                cosines.append(mean_cosine(X))
                scores.append(score)
    found = narrower_against_score(cosines, scores)
    if not found.pairs:
        raise claim.MissingEvidence("layers")
    share = found.against / found.pairs
    low, high = shuffled_against(cosines, scores, seed=subject.seed)
    state: State = "fails" if share >= 0.5 else "unknown"
    if share < low:
        state = "partly" if found.against else "holds"
    values = {"against": Number(100 * share, decimals=0), "places": Number(found.n, decimals=0)}
    if found.correlation is not None:
        values["correlation"] = Number(found.correlation, decimals=2, is_change=True)
    control = {"shuffled": Number(50.0, 100 * low, 100 * high, decimals=0)}
    return Tested(state, len(subject.pairs), values, control)


# ---- cures ----


def _gain(subject: ClaimSubject, layer: int, cure: str) -> Estimate:
    found = subject.gains.of(layer, "mean", cure, "cosine").gain
    if found is None:
        raise UndefinedMeasure("no_spread")
    return found


def _where(subject: ClaimSubject) -> dict[str, str]:
    gains = subject.gains
    more = {"middle": subject.middle, "folds": gains.n_folds, "together": gains.n_together}
    return subject.at_last | {name: str(value) for name, value in more.items()}


def _both(subject: ClaimSubject, cure: str) -> dict[str, Number]:
    return {
        name: _points(_gain(subject, layer, cure))
        for name, layer in (("middle", subject.middle), ("last", subject.last))
    }


def _gain_state(subject: ClaimSubject, cure: str) -> State:
    """Both layers gain; one gains; one loses and none gains; or nothing is clear."""
    states = [clear(_gain(subject, layer, cure)) for layer in (subject.middle, subject.last)]
    return _together(states)


def _together(states: Sequence[State]) -> State:
    """The state of a claim from those at each layer."""
    if "holds" in states:
        return "holds" if set(states) == {"holds"} else "partly"
    return "fails" if "fails" in states else "unknown"


def su2021_whitening(subject: ClaimSubject) -> Tested:
    """Whitening beside a random rotation."""
    state = _gain_state(subject, "pca:lw")
    values = _both(subject, "pca:lw")
    control = _both(subject, ROTATED)
    return Tested(state, len(subject.pairs), values, control, _where(subject))


def su2021_dimensions(subject: ClaimSubject) -> Tested:
    """Whitening to 64 dimensions beside all, and beside 64 random directions."""
    few, full = (_both(subject, cure) for cure in ("pca:64:lw", "pca:lw"))
    lost = [full[name].value - few[name].value for name in few]
    little = [each <= 100 * LITTLE for each in lost]
    state = or_partly("holds" if any(little) else "fails", whole=all(little))
    if not any(clear(each) == "holds" for each in full.values()):
        state = "unknown"  # whitening gains nothing that could be lost
    values = few | {f"full_{name}": each for name, each in full.items()}
    control = _both(subject, f"{RANDOM_KEPT}:64")
    return Tested(state, len(subject.pairs), values, control, _where(subject))


def liang2021_removal(subject: ClaimSubject) -> Tested:
    """Three directions removed beside three random ones."""
    over = [
        subject.gains.of(layer, "mean", "abtt:3", "cosine").over_control
        for layer in (subject.middle, subject.last)
    ]
    is_over = all(each is not None and each.rises for each in over)
    state = or_partly(_gain_state(subject, "abtt:3"), whole=is_over)
    values, control = _both(subject, "abtt:3"), _both(subject, f"{RANDOM}:3")
    return Tested(state, len(subject.pairs), values, control, _where(subject))


def fuster2022_cause(subject: ClaimSubject) -> Tested:
    """What the mean cosine is after centring, and what centring and whitening gain."""
    X = subject.paired(subject.middle)
    values = _both(subject, "centred") | {
        "before": Number(mean_cosine(X)),
        "after": Number(mean_cosine(X - X.mean(axis=0))),
    }
    # at a layer where no cure gains there is no low score to explain
    states: list[State] = []
    for layer in (subject.middle, subject.last):
        centred = _gain(subject, layer, "centred")
        is_cured = any(_gain(subject, layer, cure).rises for cure in ("pca:lw", "abtt:3"))
        is_small = centred.high is not None and centred.high < LITTLE
        state: State = "holds" if is_small and is_cured else "unknown"
        states.append("fails" if centred.rises else state)
    removed = {f"removed_{name}": each for name, each in _both(subject, "abtt:3").items()}
    control = _both(subject, "pca:lw") | removed
    return Tested(_together(states), len(subject.pairs), values, control, _where(subject))


def ding2022_calibration(subject: ClaimSubject) -> Tested:
    """How many of the cures at two layers clearly help, and how many clearly hurt."""
    gains = [each.gain for each in subject.gains.gains if not each.is_control and each.gain]
    up, down = sum(gain.rises for gain in gains), sum(gain.falls for gain in gains)
    state: State = "partly" if up else "unknown"
    state = "holds" if down else state
    state = "fails" if up == len(gains) else state
    counts = {"up": up, "down": down, "all": len(gains)}
    values = {name: Number(count, decimals=0) for name, count in counts.items()}
    return Tested(state, len(subject.pairs), values, _both(subject, ROTATED), _where(subject))


def aitsaada2023_clusters(subject: ClaimSubject) -> Tested:
    """How well clusters agree with labels, without the mean and top directions beside with them."""
    X = subject.pooled(subject.last)
    labels = np.array(subject.labels)
    need_rows(len(X), MIN_ROWS)
    centred = X - X.mean(axis=0)
    top = np.linalg.svd(centred, full_matrices=False)[2][:3].T

    def gap(Z: np.ndarray) -> Number:
        ends = subsampling_interval(_cluster_gap, X, Z, labels, seed=subject.seed)
        return Number(_cluster_gap(X, Z, labels), *ends, is_change=True).times(100, 1)

    gain = gap(centred - centred @ top @ top.T)
    is_little = gain.high is not None and gain.high < 100 * LITTLE
    state: State = "holds" if is_little else "unknown"
    state = "fails" if clear(gain) == "holds" else state
    values = {"score": Number(100 * _agreement(X, labels), decimals=1), "gain": gain}
    control = {"rotated": gap(X @ rotation(X.shape[1], subject.seed))}
    return Tested(state, len(X), values, control, subject.at_last)


def _cluster_gap(X: np.ndarray, Z: np.ndarray, labels: np.ndarray) -> float:
    return _agreement(Z, labels) - _agreement(X, labels)


def _agreement(X: np.ndarray, labels: np.ndarray) -> float:
    """Normalised mutual information of labels and as many clusters by k-means of directions."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import normalized_mutual_info_score

    k = len(np.unique(labels))
    found = KMeans(k, n_init=1, random_state=0).fit_predict(directions(X))
    return float(normalized_mutual_info_score(labels, found))


def steck2024_scale(subject: ClaimSubject) -> Tested:
    """Scores after random rescalings of the dimensions, beside a random rotation."""
    X = subject.paired(subject.last).astype(np.float64)
    raw = _score(subject, X).spearman
    rng = np.random.default_rng(subject.seed)
    scores = [
        _score(subject, X * np.exp(rng.standard_normal(X.shape[1]))).spearman
        for _draw in range(RESCALINGS)
    ]
    if raw is None or None in scores:
        raise UndefinedMeasure("no_spread")
    rotated = _score(subject, X @ rotation(X.shape[1], subject.seed)).spearman
    changes = 100 * (np.array(scores, dtype=float) - raw)
    control = {"rotated": Number(100 * ((rotated or 0.0) - raw), decimals=1, is_change=True)}
    ends = {"least": float(changes.min()), "most": float(changes.max())}
    values = {name: Number(end, decimals=1, is_change=True) for name, end in ends.items()}
    # the training did fix the scale here, so the claim's condition is not met
    state: State = "partly" if np.abs(changes).max() > 100 * LITTLE else "fails"
    settings = {**subject.at_last, "k": str(RESCALINGS)}
    return Tested(state, len(subject.pairs), values, control, settings)
