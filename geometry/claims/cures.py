"""Claims on scores: of poolings and layers, of the cone, and of what cures add to them."""

from __future__ import annotations

import numpy as np

from ..data.embeddings import VectorTable
from ..diagnosis.evidence import RANDOM, RANDOM_KEPT, ROTATED, evidence
from ..evaluate.bootstrap import PairScore
from ..evaluate.similarities import pair_similarities
from ..linalg.rows import UndefinedMeasure
from ..measure.cosines import mean_cosine
from ..measure.intervals import Estimate
from ..vectors.word_averages import sentence_vectors
from .claim import MissingEvidence, Number, State, Tested, clear
from .dimensions import _rotation
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
        raise MissingEvidence("words")
    glove = _averaged(subject, subject.words)
    random = VectorTable(
        np.random.default_rng(subject.seed).standard_normal(subject.words.vectors.shape),
        subject.words.words,
    )
    scores = {
        "glove": _score(subject, glove),
        "cls": _score(subject, subject.paired(subject.last, "cls")),
        "mean": _score(subject, subject.paired(subject.last)),
    }
    changes = {name: _change(subject, scores["glove"], scores[name]) for name in ("cls", "mean")}
    below = [change.falls for change in changes.values()]
    state: State = "holds" if all(below) else "partly" if any(below) else "fails"
    return Tested(
        state,
        len(subject.pairs),
        {name: _printed(score) for name, score in scores.items()}
        | {f"{name}_change": _points(change) for name, change in changes.items()},
        {"random": _printed(_score(subject, _averaged(subject, random)))},
        {"layer": str(subject.last)},
    )


def _averaged(subject: ClaimSubject, table: VectorTable) -> np.ndarray:
    found = sentence_vectors(subject.pairs.sentences, table, empty="zero").vectors
    if not found.any(axis=1).all():
        raise MissingEvidence("words")
    return found


def huang2021_mean(subject: ClaimSubject) -> Tested:
    """Means over tokens beside [CLS], at the last layer."""
    cls, mean = (_score(subject, subject.paired(subject.last, each)) for each in POOLINGS)
    gain = _change(subject, cls, mean)
    values = {"cls": _printed(cls), "mean": _printed(mean), "gain": _points(gain)}
    return Tested(clear(gain), len(subject.pairs), values, {}, {"layer": str(subject.last)})


def huang2021_layers(subject: ClaimSubject) -> Tested:
    """The mean of the first and the last layer beside the last."""
    first, last = (subject.paired(layer) for layer in (1, subject.last))
    alone, both = _score(subject, last), _score(subject, (first + last) / 2)
    gain = _change(subject, alone, both)
    values = {"last": _printed(alone), "both": _printed(both), "gain": _points(gain)}
    return Tested(clear(gain), len(subject.pairs), values, {}, {"layer": str(subject.last)})


def gao2019_narrow(subject: ClaimSubject) -> Tested:
    """Pairs of layers and poolings: does the narrower one score lower?"""
    cosines, scores = [], []
    for pooling in POOLINGS:
        for layer in range(1, subject.last + 1):
            X = subject.paired(layer, pooling)
            cosines.append(mean_cosine(X))
            scores.append(_score(subject, X).spearman or 0.0)
    found = narrower_against_score(cosines, scores)
    if not found.pairs:
        raise MissingEvidence("layers")
    share = found.against / found.pairs
    low, high = shuffled_against(cosines, scores, seed=subject.seed)
    state: State = "fails" if share >= 0.5 else "unknown"
    if share < low:
        state = "partly" if found.against else "holds"
    values = {
        "against": Number(100 * share, decimals=0),
        "places": Number(found.n, decimals=0),
    }
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
    return {
        "layer": str(subject.last),
        "middle": str(subject.middle),
        "folds": str(subject.gains.n_folds),
        "together": str(subject.gains.n_together),
    }


def _both(subject: ClaimSubject, cure: str) -> dict[str, Number]:
    return {
        name: _points(_gain(subject, layer, cure))
        for name, layer in (("middle", subject.middle), ("last", subject.last))
    }


def _gain_state(subject: ClaimSubject, cure: str) -> State:
    gains = [_gain(subject, layer, cure) for layer in (subject.middle, subject.last)]
    if all(gain.rises for gain in gains):
        return "holds"
    if any(gain.rises for gain in gains):
        return "partly"
    return "fails" if any(gain.falls for gain in gains) else "unknown"


def su2021_whitening(subject: ClaimSubject) -> Tested:
    """Whitening beside a random rotation."""
    n, values = len(subject.pairs), _both(subject, "pca:lw")
    control = _both(subject, ROTATED)
    return Tested(_gain_state(subject, "pca:lw"), n, values, control, _where(subject))


def su2021_dimensions(subject: ClaimSubject) -> Tested:
    """Whitening to 64 dimensions beside all, and beside 64 random directions."""
    few, full = (_both(subject, cure) for cure in ("pca:64:lw", "pca:lw"))
    lost = [full[name].value - few[name].value for name in few]
    little = [each <= 100 * LITTLE for each in lost]
    state: State = "holds" if all(little) else "partly" if any(little) else "fails"
    values = few | {f"full_{name}": each for name, each in full.items()}
    control = _both(subject, f"{RANDOM_KEPT}:64")
    return Tested(state, len(subject.pairs), values, control, _where(subject))


def liang2021_removal(subject: ClaimSubject) -> Tested:
    """Three directions removed beside three random ones."""
    state = _gain_state(subject, "abtt:3")
    over = [
        subject.gains.of(layer, "mean", "abtt:3", "cosine").over_control
        for layer in (subject.middle, subject.last)
    ]
    if state == "holds" and not all(each is not None and each.rises for each in over):
        state = "partly"
    values, control = _both(subject, "abtt:3"), _both(subject, f"{RANDOM}:3")
    return Tested(state, len(subject.pairs), values, control, _where(subject))


def fuster2022_cause(subject: ClaimSubject) -> Tested:
    """What the mean cosine is after centring, and what centring and whitening gain."""
    X = subject.paired(subject.middle)
    values = _both(subject, "centred") | {
        "before": Number(mean_cosine(X)),
        "after": Number(mean_cosine(X - X.mean(axis=0))),
    }
    small = [
        _gain(subject, layer, "centred").value < LITTLE for layer in (subject.middle, subject.last)
    ]
    state: State = "holds" if all(small) else "partly" if any(small) else "fails"
    return Tested(state, len(subject.pairs), values, _both(subject, "pca:lw"), _where(subject))


def ding2022_calibration(subject: ClaimSubject) -> Tested:
    """How many of the cures at two layers clearly help, and how many clearly hurt."""
    gains = [
        each.gain for each in subject.gains.gains if not each.is_control and each.gain is not None
    ]
    up, down = sum(gain.rises for gain in gains), sum(gain.falls for gain in gains)
    state: State = "fails" if up == len(gains) else "partly" if up and not down else "holds"
    values = {
        "up": Number(up, decimals=0),
        "down": Number(down, decimals=0),
        "all": Number(len(gains), decimals=0),
    }
    return Tested(state, len(subject.pairs), values, _both(subject, ROTATED), _where(subject))


def aitsaada2023_clusters(subject: ClaimSubject) -> Tested:
    """Agreement of the nearest neighbours' labels after whitening."""
    X = subject.pooled(subject.last)
    found = evidence(
        {(subject.last, "mean"): X},
        task="labels",
        labels=subject.labels,
        cures=("pca:lw",),
        seed=subject.seed,
    )
    whitened, rotated = (
        found.of(subject.last, "mean", cure, "cosine").gain for cure in ("pca:lw", ROTATED)
    )
    if whitened is None or rotated is None:
        raise MissingEvidence("rows")
    state: State = "fails" if whitened.rises else "holds"
    settings = {"layer": str(subject.last), "folds": str(found.n_folds)}
    return Tested(
        state, found.n_items, {"gain": _points(whitened)}, {"rotated": _points(rotated)}, settings
    )


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
    rotated = _score(subject, X @ _rotation(X.shape[1], subject.seed)).spearman
    changes = 100 * (np.array(scores, dtype=float) - raw)
    control = {"rotated": Number(100 * ((rotated or 0.0) - raw), decimals=1, is_change=True)}
    values = {
        "least": Number(float(changes.min()), decimals=1, is_change=True),
        "most": Number(float(changes.max()), decimals=1, is_change=True),
    }
    state: State = "holds" if np.abs(changes).max() > 100 * LITTLE / 10 else "fails"
    settings = {"layer": str(subject.last), "k": str(RESCALINGS)}
    return Tested(state, len(subject.pairs), values, control, settings)
