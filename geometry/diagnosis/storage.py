"""What stored vectors cost: fewer dimensions and fewer bits, and what they lose.

Rows are treated, cut to k dimensions along the axes of the largest second moment of the fit
(Eckart, Young 1936), scaled to length 1, and stored as float32, float16, int8 (256 levels of each
dimension, evenly from its least to its greatest value in the fit) or binary: the signs, whose
cosine is 1 - 2 h / k with their Hamming distance h (Charikar 2002). Signs of fewer dimensions are
taken after a random rotation of these: along PCA's axes most bits would be of small directions
(Gong, Lazebnik 2011). Losses are differences to raw float32 vectors.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from ..evaluate.fitting import FitSet
from ..evaluate.specs import parse_treatment
from ..linalg.rows import directions
from ..measure.intervals import Estimate
from ..process import Progress, no_report
from .diagnosis import Diagnosis
from .trial import Cure, TrialSplit
from .yardsticks import Score, TrialRows, change, mean_score, score_of

FORMS = {"float32": 32, "float16": 16, "int8": 8, "binary": 1}  # bits of a number
CUTS = (256, 128, 64)
LEVELS = 255  # steps of int8
# Items x rows x dimensions that each row of the table may compare; there are up to 48
COMPARED = 5e9
LEAST_ITEMS = 1000  # judged in any case


@dataclass(frozen=True)
class Stored:
    """One way to store the vectors."""

    kind: str  #: kind, treatment: as in ``Cure``
    treatment: str
    k: int  #: dimensions
    form: str  #: A key of FORMS
    n_bytes: int  #: of a vector
    smaller: float  #: bytes of a raw float32 vector over these
    score: float | None  #: by the yardstick; None where the stored rows have none
    #: score less that of raw float32 vectors, at 95% by itself. None for these.
    change: Estimate | None


@dataclass(frozen=True)
class Storage:
    """The ways to store the vectors, raw float32 first."""

    rows: tuple[Stored, ...]
    cures: tuple[Cure, ...]  #: raw vectors, centred ones, and the recommendation
    yardstick: str  #: as in ``Diagnosis``
    n_items: int  #: items that are judged
    n_folds: int
    seed: int


def storage_table(
    diagnosis: Diagnosis,
    vectors: np.ndarray,
    *,
    cures: Sequence[Cure] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **given: Any,
) -> Storage | None:
    """What each way to store vectors loses; None where nothing could judge a cure.

    Parameters
    ----------
    diagnosis : Diagnosis, of these vectors
    vectors : (n, d) array
    cures : sequence of Cure, optional
        Raw vectors first. By default raw, centred, and what is recommended at this layer.
    seed : int
    progress : callable, optional, called with (steps done, steps)
    **given
        texts, labels, pairs, queries and units, as ``diagnose`` takes them.
    """
    if diagnosis.trial.cures[0].score is None:
        return None
    if cures is None:
        kinds = ("leave", "centre", diagnosis.trial.here.kind)
        cures = [cure for cure in diagnosis.trial.cures if cure.kind in kinds]
    rows = TrialRows.given(vectors, seed=seed, **given)
    d = rows.X.shape[1]
    yardstick = rows.yardstick
    split = TrialSplit.of(rows, seed)
    if yardstick is None or split is None:
        return None
    most = max(LEAST_ITEMS, int(COMPARED / (yardstick.cost * d)))
    rng = np.random.default_rng((seed, 1))  # another seed than that of the folds
    drawn = np.sort(rng.permutation(len(yardstick.groups))[:most])
    specs = [parse_treatment(cure.treatment) for cure in cures]
    cuts = [widths(min(d, spec.knobs.n_components or d)) for spec in specs]
    parts: dict[tuple[int, int, str], list[Score | None]] = defaultdict(list)
    judging = [each for each in split.judged(drawn) if len(each[1])]
    total, done = len(judging) * len(FORMS) * sum(map(len, cuts)), 0
    for fitted, items in judging:
        fit_set = FitSet(rows.X[fitted])
        for cure, (spec, of_cure) in enumerate(zip(specs, cuts, strict=True)):
            Z = fit_set.fit(spec).reduced(rows.X)
            along = axes(Z[fitted])
            for k in of_cure:
                U = unit(Z @ along[:, :k] if k < Z.shape[1] else Z)
                for form in FORMS:
                    is_turned = form == "binary" and k < d
                    V = U @ rotation(k, seed) if is_turned else U
                    score = score_of(yardstick, restored(V, V[fitted], form), items)
                    parts[cure, k, form].append(score)
                    done += 1
                    (progress or no_report)(done, total)
    found = {way: mean_score(each) for way, each in parts.items()}
    raw = next(iter(found.values()))
    stored = []
    for (cure, k, form), score in found.items():
        n_bytes = ceil(k * FORMS[form] / 8)
        smaller = d * FORMS["float32"] / 8 / n_bytes
        value = None if score is None else float(score.values[0])
        loss = None
        if score is not None and raw is not None and score is not raw:
            loss = change(raw, score)
        how = cures[cure].kind, cures[cure].treatment, k, form
        stored.append(Stored(*how, n_bytes, smaller, value, loss))
    return Storage(
        rows=tuple(stored),
        cures=tuple(cures),
        yardstick=diagnosis.yardstick,
        n_items=len(drawn),
        n_folds=split.n_folds,
        seed=seed,
    )


def widths(d: int) -> list[int]:
    return [d, *(k for k in CUTS if k < d)]


def unit(Z: np.ndarray) -> np.ndarray:
    """Rows at length 1; zeros stay zeros."""
    U = np.zeros(Z.shape, dtype=np.float32)
    sound = Z.any(axis=1)
    U[sound] = directions(Z[sound].astype(np.float64))
    return U


def rotation(k: int, seed: int) -> np.ndarray:
    """A random rotation or reflection (k, k), uniform (Stewart 1980), as float32."""
    Q, R = np.linalg.qr(np.random.default_rng(seed).standard_normal((k, k)))
    return np.asarray(Q * np.sign(np.diag(R)), dtype=np.float32)


def axes(F: np.ndarray) -> np.ndarray:
    """(m, m) columns: axes of the second moment of rows F (n, m), the largest first."""
    moment = F.T.astype(np.float64) @ F.astype(np.float64)  # (m, m)
    size = np.sqrt(np.outer(moment.diagonal(), moment.diagonal())).clip(1e-300)
    off = np.abs(moment / size - np.eye(len(moment)))
    if off.max() < 1e-3:  # uncorrelated, as after PCA
        return np.eye(len(moment), dtype=F.dtype)
    return np.linalg.eigh(moment)[1][:, ::-1].astype(F.dtype)


def restored(U: np.ndarray, of_fit: np.ndarray, form: str) -> np.ndarray:
    """Rows U (n, k) as they are read back from a form whose levels are of the rows ``of_fit``."""
    if form == "float16":
        return U.astype(np.float16).astype(np.float32)
    if form == "int8":
        low, high = of_fit.min(axis=0), of_fit.max(axis=0)
        step = np.where(high > low, (high - low) / LEVELS, 1.0)
        codes = np.rint((U - low) / step).clip(0, LEVELS).astype(np.uint8)
        return (low + codes * step).astype(np.float32)
    if form == "binary":
        return np.where(U >= 0, 1.0, -1.0).astype(np.float32)
    return U.astype(np.float32)
