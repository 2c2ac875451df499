"""All treatments of anisotropy by name, fitted once on the same rows and then adjusted by knobs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from ..linalg.moments import Moments
from ..linalg.rows import float_rows, need_rows
from .removal_map import RemovalMap, default_components
from .whitening_map import (
    IndependentMap,
    StandardMap,
    WhiteningMap,
    checked_weights,
    recommended_whitening,
)

ROWS, COUNTS, PAIRS, TRAINING = "rows", "word counts", "scored pairs", "training"
REMOVED = (1, 2, 3, 5, 10)  # directions that the diagnosis removes, besides d/100
RETAINED = (16, 32, 64, 128, 256)  # directions that its projections and whitenings retain


@dataclass(frozen=True)
class TreatmentKind:
    """A treatment before its fit. All lists of treatments, and their labels, come from these."""

    name: str  # its key in ``TREATMENTS``
    label: str  # in English; pages translate it
    # from ``Moments`` and ``eps`` to a map, for ROWS from rows and ``random_state``; None for
    # "raw", and where the caller makes the map (PAIRS, TRAINING)
    fit: Callable[..., Any] | None = None
    # fields of ``Knobs`` that the map's ``adjust`` takes; they give the options of its text
    knobs: tuple[str, ...] = ()
    needs: str = ""  # beside the moments of its rows: "", ROWS, COUNTS, PAIRS or TRAINING
    is_affine: bool = True  # whether the map has ``affine``
    is_pictured: bool = True  # whether the page *Whitening* offers it
    text: str = ""  # its name in texts such as "abtt:3", if that is not ``name``
    also: tuple[str, ...] = ()  # other spellings
    phrase: str = ""  # the label with settings, which may contain {k}; "" if that is ``label``
    rungs: tuple[str, ...] = ()  # its texts in the short list, ``ladder``
    cure: str = ""  # its code in the diagnosis; "" if the diagnosis does not try it
    # from n and d of the fit to its usual text; None if the text has no settings
    usual: Callable[[int, int], str] | None = None
    # from n and d to the texts among which the diagnosis chooses
    tried: Callable[[int, int], Sequence[str]] | None = None

    @property
    def short(self) -> str:
        return self.text or self.name

    @property
    def is_whitening(self) -> bool:
        return "shrinkage" in self.knobs

    @property
    def is_alone(self) -> bool:
        return self.needs in ("", ROWS)

    @property
    def takes_moments(self) -> bool:
        """True if it is fitted on moments, and so on weighted rows and on rows of any number."""
        return self.needs in ("", COUNTS)

    @property
    def is_exported(self) -> bool:
        """True if a file of offset and matrix can be made of it."""
        return self.is_affine and self.name != "raw"


@dataclass(frozen=True)
class Knobs:
    """Settings that need no second fit, as in ``Whitening``."""

    centring: float = 1.0
    strength: float = 1.0
    n_components: int | None = None  #: directions that a whitening retains; None for all
    shrinkage: float | str | None = None
    n_removed: int | None = None  #: directions that all-but-the-top removes; None for d/100

    def of(self, name: str) -> Self:
        """The knobs of the treatment of that name; the others at their defaults."""
        knobs = _one_of(name, TREATMENTS.values()).knobs
        return type(self)(**{knob: getattr(self, knob) for knob in knobs})


@dataclass(frozen=True)
class Treated:
    """Rows after a treatment.

    A whitening at strength 1 fills the directions that it scales: the first k, above the rank
    floor. So all whitenings are measured in the same directions, although PCA drops the null ones
    and ZCA does not. Below strength 1, all but PCA fill every direction.
    """

    vectors: np.ndarray  #: (n, d) along the axes of the raw cloud, for drawing
    #: (k, d) the directions that the treatment fills, as orthonormal rows; None for all
    filled: np.ndarray | None = None

    @cached_property
    def retained(self) -> np.ndarray:
        """(n, k) the vectors in those directions only, for measuring."""
        if self.filled is None:
            return self.vectors
        return self.vectors @ self.filled.T.astype(self.vectors.dtype)


@dataclass(frozen=True)
class Treatment:
    """A fitted treatment, one of ``TREATMENTS`` by ``name``."""

    name: str
    n_rows: int  #: rows of the fit; for "zipf" those with a weight above 0
    rank: int | None  #: of their covariance; None if there is none
    fitted: Any  #: the map; None for "raw"

    def turn(self, knobs: Knobs) -> Self:
        """The same fit at these knobs; no row is read again.

        An eigenproblem is solved only for another shrinkage on correlations
        (``WhiteningMap.adjust``). Raises ValueError for a knob outside its range.
        """
        turned = {knob: getattr(knobs, knob) for knob in TREATMENTS[self.name].knobs}
        return replace(self, fitted=self.fitted.adjust(**turned)) if turned else self

    def reduced(self, X: np.ndarray) -> np.ndarray:
        """Rows with the lengths and cosines of ``apply(X).retained``, by one product."""
        if getattr(self.fitted, "narrows", False) or self.name == "removed":
            return np.asarray(self.fitted.apply(float_rows(X, at_least=1)))
        return self.apply(X).retained

    def apply(self, X: np.ndarray) -> Treated:
        """Rows X (n, d) treated, n >= 1; float32 stays float32.

        The coordinates of PCA are rotated back to the raw axes for drawing. The null directions
        that it drops stay 0. So with centring 0 and strength 0 it is the projection on the fitted
        span, and the identity only if the fit has full rank.
        """
        X = float_rows(X, at_least=1)
        if self.fitted is None:
            return Treated(X)
        Z = np.asarray(self.fitted.apply(X))
        filled = getattr(self.fitted, "filled", None)
        if filled is not None and getattr(self.fitted, "narrows", False):
            return Treated(Z @ filled.astype(Z.dtype), filled)
        return Treated(Z, None if filled is None or len(filled) == Z.shape[1] else filled)


def _one_of(name: str, kinds: Iterable[TreatmentKind]) -> TreatmentKind:
    found = {kind.name: kind for kind in kinds}
    if name not in found:
        raise ValueError(f"name must be one of {', '.join(found)}; got {name!r}")
    return found[name]


def simple_first() -> list[TreatmentKind]:
    """All treatments, the whitenings last."""
    return sorted(TREATMENTS.values(), key=lambda kind: kind.is_whitening)


def ladder() -> tuple[str, ...]:
    """The short list of texts, from simple to complex."""
    return tuple(text for kind in simple_first() for text in kind.rungs)


def fit_treatment(
    name: str, X: np.ndarray, *, sample_weight: np.ndarray | None = None, random_state: int = 0
) -> Treatment:
    """Fit the treatment of that name, with its knobs at their defaults.

    "learned" and "flow" are fitted by ``WeightedRemoval`` and ``NormalizingFlow``; the caller wraps
    their ``map_`` in ``Treatment``.

    Parameters
    ----------
    name : str
        One of ``TREATMENTS``, except those that need scored pairs or training.
    X : (n, d) array of float, n >= 2
    sample_weight : (n,) array, optional
        Occurrences of each row. Only "zipf" reads it, and needs it.
    random_state : int, for "clusterwise" and "ica"
    """
    kind = _one_of(name, [each for each in TREATMENTS.values() if each.needs in ("", ROWS, COUNTS)])
    is_weighed = kind.needs == COUNTS
    if is_weighed and sample_weight is None:
        raise ValueError(f"{name} needs sample_weight, how often each row occurs")
    X = float_rows(X, at_least=2)
    if kind.fit is None or not kind.takes_moments:
        fitted = None if kind.fit is None else kind.fit(X, random_state=random_state)
        return Treatment(name, len(X), getattr(fitted, "rank", None), fitted)
    weights = checked_weights(sample_weight, len(X)) if is_weighed else None
    return treatment_of_moments(name, Moments.of(X, weights), eps=float(np.finfo(X.dtype).eps))


def treatment_of_moments(name: str, moments: Moments, *, eps: float) -> Treatment:
    """``fit_treatment`` from the moments of the rows, for a treatment that ``takes_moments``."""
    kind = _one_of(name, [each for each in TREATMENTS.values() if each.takes_moments])
    need_rows(moments.n_rows, 2)
    if kind.fit is None:
        return Treatment(name, moments.n_rows, None, None)
    fitted = kind.fit(moments, eps=eps)
    return Treatment(name, fitted.n_rows, getattr(fitted, "rank", None), fitted)


# ---- texts of n rows of the fit in d dimensions ----


def usual_whitening(n: int, d: int) -> str:
    """The recommended whitening."""
    settings = recommended_whitening(n, d)
    k = f":{settings['n_components']}" if "n_components" in settings else ""
    return f"pca{k}{':lw' if 'shrinkage' in settings else ''}"


def _retained(n: int, d: int) -> list[int]:
    return [k for k in RETAINED if k < min(n, d)]


def _projections(n: int, d: int) -> list[str]:
    return [f"projected:{k}" for k in _retained(n, d)]


def _removals(n: int, d: int) -> list[str]:
    return [f"abtt:{count}" for count in sorted({*REMOVED, default_components(d)}) if count < d]


def _levellings(n: int, d: int) -> list[str]:
    # unshrunk, n <= d rows become the corners of a simplex
    texts = ["pca", "pca:lw"] if n > d + 1 else ["pca:lw"]
    return texts if d > 1 else []


def _whitenings(n: int, d: int) -> list[str]:
    # shrinkage hardly matters from n/d = 3; each setting of many rows takes seconds
    ends = ("", ":lw") if n < 30 * d else ("",)
    return [f"pca:{k}{end}" for k in _retained(n, d) for end in ends]


def _clusterwise(X: np.ndarray, *, random_state: int) -> Any:
    from .remove import ClusterwiseRemoval  # scikit-learn takes seconds to import

    return ClusterwiseRemoval(random_state=random_state).fit(X).map_


def _whitening(name: str, label: str, method: str = "", **more: Any) -> TreatmentKind:
    fit = partial(WhiteningMap.solve, method=method or name)
    knobs = ("centring", "strength", "n_components", "shrinkage")
    return TreatmentKind(name, label, fit, knobs, **more)


# In the order in which the page *Whitening* offers them.
_KINDS = (
    TreatmentKind("raw", "Raw", is_pictured=False, text="none", rungs=("none",), cure="leave"),
    TreatmentKind(
        "centred",
        "Centred",
        partial(WhiteningMap.solve, strength=0.0),
        ("centring",),
        also=("centered",),
        rungs=("centred",),
        cure="centre",
    ),
    TreatmentKind(
        "standardised",
        "Standardised",
        StandardMap.solve,
        also=("standardized",),
        rungs=("standardised",),
    ),
    _whitening(
        "zca", "ZCA whitening", cure="level", usual=lambda n, d: "pca:lw", tried=_levellings
    ),
    _whitening(
        "pca",
        "PCA whitening",
        rungs=("pca:128", "pca"),
        cure="whiten",
        usual=usual_whitening,
        tried=_whitenings,
    ),
    _whitening("zca-cor", "ZCA-cor whitening"),
    _whitening("pca-cor", "PCA-cor whitening"),
    _whitening("zipf", "Zipfian whitening", "zca", needs=COUNTS),
    _whitening("cholesky", "Cholesky whitening"),
    TreatmentKind(
        "removed",
        "Top directions removed",
        RemovalMap.solve,
        ("n_removed",),
        text="abtt",
        phrase="top directions removed: {k}",
        rungs=("abtt:3",),
        cure="remove",
        usual=lambda n, d: f"abtt:{default_components(d)}",
        tried=_removals,
    ),
    TreatmentKind(
        "projected",
        "PCA without whitening",
        partial(WhiteningMap.solve, strength=0.0, method="pca"),
        ("n_components",),
        is_pictured=False,
        phrase="projected on {k} directions of largest variance",
        cure="project",
        usual=lambda n, d: f"projected:{min(128, max(1, min(n - 1, d) // 2))}",
        tried=_projections,
    ),
    TreatmentKind(
        "svd",
        "Singular directions removed",
        partial(RemovalMap.solve, centred=False),
        ("n_removed",),
        is_pictured=False,
        phrase="singular directions removed: {k}, nothing centred",
    ),
    TreatmentKind(
        "clusterwise",
        "Removed in clusters",
        _clusterwise,
        needs=ROWS,
        is_affine=False,
        phrase="top directions removed in each cluster",
    ),
    TreatmentKind(
        "ica",  # no cure and no picture: cosines and picture are those of PCA whitening
        "Independent components after whitening",
        IndependentMap.of,
        needs=ROWS,
        is_pictured=False,
    ),
    TreatmentKind("learned", "Learned removal", needs=PAIRS),
    TreatmentKind("flow", "Normalizing flow", needs=TRAINING, is_affine=False),
)
TREATMENTS = {kind.name: kind for kind in _KINDS}
LADDER = ladder()
