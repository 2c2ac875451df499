"""Every public measure and transform on invalid and on barely valid input.

Each gives a clear error or the right answer: no NaN, no warning.
"""

import numpy as np
import pytest

from geometry import (
    ClusterwiseRemoval,
    CommonComponentRemoval,
    NormalizingFlow,
    UndefinedMeasure,
    WeightedRemoval,
    Whitening,
    measure,
)
from geometry.linalg.moments import Moments
from geometry.measure import Annotations
from geometry.transform import RemovalMap, StandardMap, WhiteningMap
from geometry.transform.whitening_map import METHODS
from tests.for_each import for_each

pytestmark = pytest.mark.filterwarnings("error")

N, D = 84, 6
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, D)) * np.geomspace(2, 0.5, D) + np.linspace(-1, 2, D)


def with_row(value: float) -> np.ndarray:
    return np.where(np.arange(N)[:, None] == 7, value, X)


# Each measure as a function of rows. If it needs more arguments, they are simple ones.


def thirds(rows: object) -> np.ndarray:
    """An id for each row; every id occurs three times."""
    return np.arange(np.shape(rows)[0] if np.ndim(rows) else 1) // 3


def counts(rows: object) -> np.ndarray:
    return 1.0 + thirds(rows) % 5


def neighbours(rows: object) -> np.ndarray:
    """Row numbers (m, 2): rows 0 and 1, rows 2 and 3, and so on."""
    n = np.shape(rows)[0] if np.ndim(rows) else 1
    return np.arange(n - n % 2).reshape(-1, 2)


def annotated(rows: object) -> list[float | None]:
    about = Annotations(neighbours(rows), thirds(rows), thirds(rows), counts(rows))
    return numbers_of(measure.annotated_table(rows, about))


def numbers_of(table: tuple) -> list[float | None]:
    return [number for row in table for number in (row.value, row.low, row.high, row.baseline)]


def first_column(rows: np.ndarray) -> float:
    return float(np.asarray(rows)[:, 0].mean())


MEASURES = {
    "alignment": lambda rows: measure.alignment(rows, rows),
    "angles_to_mean": measure.angles_to_mean,
    "annotated_table": annotated,
    "cosine_contributions": measure.cosine_contributions,
    "cosine_parts": measure.cosine_parts,
    "effective_rank": measure.effective_rank,
    "hubness": measure.hubness,
    "intra_sentence_similarity": lambda rows: measure.intra_sentence_similarity(rows, thirds(rows)),
    "intrinsic_dimension": measure.intrinsic_dimension,
    "isoscore": measure.isoscore,
    "max_explainable_variance": lambda rows: measure.max_explainable_variance(rows, thirds(rows)),
    "mean_cosine": measure.mean_cosine,
    "mean_norm_share": measure.mean_norm_share,
    "measure_table": lambda rows: numbers_of(measure.measure_table(rows)),
    "opening_angle": measure.opening_angle,
    "pairwise_cosines": measure.pairwise_cosines,
    "participation_ratio": measure.participation_ratio,
    "partition_isotropy": lambda rows: measure.partition_isotropy(rows, scale="rms"),
    "positive_cosine_share": measure.positive_cosine_share,
    "self_similarity": lambda rows: measure.self_similarity(rows, thirds(rows)),
    "top_contribution": measure.top_contribution,
    "uniformity": measure.uniformity,
    "zipfian_mean_symmetry": lambda rows: measure.zipfian_mean_symmetry(rows, counts(rows)),
    "zipfian_spectral_entropy": lambda rows: measure.zipfian_spectral_entropy(rows, counts(rows)),
    "zipfian_table": lambda rows: numbers_of(measure.zipfian_table(rows, counts(rows))),
}
TABLES = ("annotated_table", "measure_table", "zipfian_table")
every_measure = for_each("name", MEASURES)

REFUSED = {
    "NaN": (with_row(np.nan), "row 8 has NaN or infinity"),
    "infinity": (with_row(np.inf), "row 8 has NaN or infinity"),
    "minus infinity": (with_row(-np.inf), "row 8 has NaN or infinity"),
    "NaN in float16": (with_row(np.nan).astype(np.float16), "row 8 has NaN or infinity"),
    "0-d": (np.array(1.0), "shape"),
    "a number": (3.5, "shape"),
    "1-d": (X[0], "shape"),
    "3-d": (X[None], "shape"),
    "no column": (X[:, :0], "shape|dimensions"),
    "no row": (X[:0], "at least|rows"),
    "complex": (X + 1j, "real numbers"),
}
ODD = {
    "a zero row": with_row(0.0),
    "all zero": np.zeros((N, D)),
    "all equal": np.full((N, D), 0.1),
    "one row": X[:1],
    "two rows": X[:2],
    "a constant column": np.hstack([X, np.full((N, 1), 0.1)]),
    "constant columns, one of them zero": X * [1, 0, 1, 0, 1, 1] + [0, 3, 0, 0, 0, 0],
    "one column": X[:, :1],
    "n = d": np.hstack([X, X**2, X**3, X**4])[:24],
    "n < d": np.hstack([X, X**2, X**3, X**4])[:14],
    "every row twice": np.repeat(X[: N // 2], 2, axis=0),
    "a line": np.arange(1.0, N + 1)[:, None] * np.ones(D),
}
SAME = {
    "integers": np.round(100 * X).astype(np.int32),
    "unsigned bytes": np.round(20 * np.abs(X) + 1).astype(np.uint8),
    "float16": X.astype(np.float16),
    "float32": X.astype(np.float32),
    "Fortran order": np.asfortranarray(X),
    "strided": X[::-1, ::2],
    "read-only": np.frombuffer(X.tobytes()).reshape(X.shape),
    "a list": X.tolist(),
}
PAIRS = {  # these need two rows
    "cosine_contributions",
    "cosine_parts",
    "effective_rank",
    "intra_sentence_similarity",
    "isoscore",
    "max_explainable_variance",
    "mean_cosine",
    "pairwise_cosines",
    "participation_ratio",
    "positive_cosine_share",
    "self_similarity",
    "top_contribution",
    "uniformity",
}
SPREAD = {"effective_rank", "isoscore", "participation_ratio", "zipfian_spectral_entropy"}
DIRECTIONS = PAIRS - SPREAD | {"alignment", "angles_to_mean", "hubness", "opening_angle"}
UNDEFINED = {  # all other measures have a value
    "a zero row": dict.fromkeys(DIRECTIONS, "zero_row"),
    "all zero": dict.fromkeys(DIRECTIONS, "zero_row")
    | dict.fromkeys(SPREAD, "no_spread")
    | dict.fromkeys(("mean_norm_share", "partition_isotropy", "zipfian_mean_symmetry"), "all_zero")
    | {"intrinsic_dimension": "too_few_distinct"},
    "all equal": dict.fromkeys(SPREAD, "no_spread")
    | {"intrinsic_dimension": "too_few_distinct", "hubness": "equal_distances"},
    "one row": dict.fromkeys((*PAIRS, "hubness", "intrinsic_dimension"), "too_few_rows")
    | {"zipfian_spectral_entropy": "no_spread"},
    "two rows": dict.fromkeys(("hubness", "intrinsic_dimension"), "too_few_rows"),
    "one column": dict.fromkeys(("isoscore", "zipfian_spectral_entropy"), "one_dimension")
    | {"hubness": "equal_distances"},
    # one direction, evenly spaced
    "a line": dict.fromkeys(("intrinsic_dimension", "hubness"), "equal_distances"),
}


@every_measure
def test_a_measure_refuses_what_is_no_cloud(name):
    for rows, message in REFUSED.values():
        with pytest.raises(ValueError, match=message):
            MEASURES[name](rows)


@every_measure
def test_a_measure_of_an_odd_cloud_is_a_number_or_has_a_reason(name):
    for kind, rows in ODD.items():
        code = UNDEFINED.get(kind, {}).get(name)
        if name in TABLES:
            assert all(x is None or np.isfinite(x) for x in MEASURES[name](rows))
        elif code is None:
            assert np.isfinite(MEASURES[name](rows)).all()
        else:
            with pytest.raises(UndefinedMeasure) as caught:
                MEASURES[name](rows)
            assert caught.value.code == code


@every_measure
def test_a_measure_takes_any_real_numbers(name):
    for rows in SAME.values():
        plain = np.array(rows, dtype=np.float64, order="C")
        found, expected = (np.array(MEASURES[name](Z), dtype=float) for Z in (rows, plain))
        assert np.isfinite(expected).all() or name in TABLES
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@every_measure
def test_a_measure_takes_any_size_of_numbers(name):
    expected = np.array(MEASURES[name](X), dtype=float)
    for scale in (1e-200, 1e-50, 1e-30, 1e30, 1e59, 2e307):
        found = np.array(MEASURES[name](X * scale), dtype=float)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)
    sizes = np.where(np.arange(N) % 2, 1e-200, 1e100)[:, None]
    assert all(x is None or np.isfinite(x) for x in np.ravel(MEASURES[name](X * sizes)))


@for_each("of", [measure.jackknife_interval, measure.subsampling_interval])
def test_an_interval_takes_any_real_numbers_and_refuses_what_it_cannot_use(of):
    for rows in (X.astype(np.float16), np.asfortranarray(X), X.tolist()):
        low, high = of(first_column, rows)
        assert low < first_column(np.asarray(rows)) < high
    for given in ((np.array(1.0),), (), (X, X[1:])):
        with pytest.raises(ValueError, match="of one n, cut by rows"):
            of(lambda *each: first_column(each[0]), *given)


BAD_ANNOTATIONS = {
    "pairs (m, 3)": (Annotations(pairs=np.zeros((4, 3), int)), r"row numbers \(m, 2\)"),
    "pairs of floats": (Annotations(pairs=np.zeros((4, 2))), r"row numbers \(m, 2\), integers"),
    "a row there is not": (
        Annotations(pairs=np.array([[0, N]])),
        rf"pair 0 is \(0, {N}\); the rows are 0 to {N - 1}",
    ),
    "too few types": (Annotations(types=thirds(X)[1:], sentences=thirds(X)), "one type for each"),
    "too few counts": (Annotations(frequencies=np.ones(3)), "one frequency for each"),
    "a negative count": (Annotations(frequencies=-counts(X)), "negative or not finite"),
    "no count": (Annotations(frequencies=0 * counts(X)), "all frequencies are 0"),
    "complex counts": (Annotations(frequencies=1j * counts(X)), "real numbers"),
}


def test_what_is_known_of_rows_must_fit_them():
    for about, message in BAD_ANNOTATIONS.values():
        with pytest.raises(ValueError, match=message):
            measure.annotated_table(X, about)
    with pytest.raises(ValueError, match="give both or neither"):
        Annotations(types=thirds(X))
    assert measure.annotated_table(X, Annotations()) == ()


# Transforms


def learned(rows: object) -> WeightedRemoval:
    return WeightedRemoval(n_components=1).fit(rows)


def flow(rows: object) -> NormalizingFlow:
    return NormalizingFlow(max_epochs=2, random_state=0).fit(rows)


FITS = {
    **{
        f"Whitening {method}": lambda rows, method=method: Whitening(method).fit(rows).transform
        for method in METHODS
    },
    "Whitening ledoit-wolf": lambda rows: Whitening(shrinkage="ledoit-wolf").fit(rows).transform,
    "CommonComponentRemoval": lambda rows: CommonComponentRemoval(1).fit(rows).transform,
    "ClusterwiseRemoval": lambda rows: (
        ClusterwiseRemoval(n_clusters=3, n_components=1, random_state=0).fit(rows).transform
    ),
    "WeightedRemoval": lambda rows: learned(rows).transform,
    "NormalizingFlow": lambda rows: flow(rows).transform,
    "WhiteningMap": lambda rows: WhiteningMap.of(rows).apply,
}
MAPS = {  # each is only applied here; its fit is on checked sums of rows
    "StandardMap": StandardMap.solve(Moments.of(X), eps=1e-16).apply,
    "RemovalMap": RemovalMap.solve(Moments.of(X), eps=1e-16).apply,
    "WhiteningMap.undo": WhiteningMap.of(X).undo,
    "ClusterwiseMap": ClusterwiseRemoval(n_clusters=2, random_state=0).fit(X).map_.apply,
    "learned map": learned(X).map_.apply,
    "Whitening.inverse_transform": Whitening().fit(X).inverse_transform,
}
every_fit = for_each("name", FITS)
# the wording that scikit-learn's estimator checks demand
MESSAGES = {
    "NaN": r"row 8 has NaN or infinity|contains (NaN|infinity)",
    "0-d": "rows are needed|shape|[Ee]xpected 2D|array",
    "1-d": "rows are needed|shape|[Ee]xpected 2D",
    "3-d": "rows are needed|shape|dim",
    "no column": "column|feature|shape|rows",
    "no row": "rows|sample",
    "complex": "real numbers|[Cc]omplex",
}


OTHER_WIDTH = "expect(ed|ing) 6 (columns|features)|must have 6 columns|shape .*, 0|0 feature"


def message_of(kind: str) -> str:
    return MESSAGES.get(kind, MESSAGES["NaN" if "N" in kind or "inf" in kind else "0-d"])


@pytest.fixture(scope="module")
def fitted() -> dict:
    return {name: of(X) for name, of in FITS.items()} | MAPS


@for_each("name", [*FITS, *MAPS])
def test_what_cannot_be_transformed_has_a_reason(fitted, name):
    for kind in REFUSED.keys() - {"no row", "no column"}:
        with pytest.raises(ValueError, match=message_of(kind)):
            fitted[name](REFUSED[kind][0])
    for rows in (X[:, :-1], X[:, :0], np.hstack([X, X])):
        with pytest.raises(ValueError, match=OTHER_WIDTH):
            fitted[name](rows)


# Powers of two cause no rounding, so a fit of scaled rows is the same fit.
SIZES = {"float32": (-100, 67, 110), "float64": (-198, -80, 195)}
TOO_SMALL_OR_LARGE = {"float32": (-140, -107, 120), "float64": (-1000, -300, 205, 1020)}


def from_pairs(rows: np.ndarray) -> WeightedRemoval:
    gold = np.arange(N // 2) % 5
    return WeightedRemoval(2).fit(rows, pairs=neighbours(rows), gold_scores=gold)


@for_each("name", [*FITS, "WeightedRemoval from pairs"])
def test_a_fit_takes_numbers_of_any_usual_size(name):
    of = FITS.get(name, lambda rows: from_pairs(rows).transform)
    for dtype, exponents in SIZES.items():
        rows = X.astype(dtype)
        expected = of(rows)(rows)
        for exponent in exponents:
            sized = np.ldexp(rows, exponent)
            found = np.ldexp(of(sized)(sized), -exponent if "Removal" in name else 0)
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@every_fit
def test_a_refusal_states_the_sizes_of_numbers_that_fit(name):
    limits = {"float32": r"1e-31 to 1e\+36", "float64": r"1e-60 to 1e\+60"}
    for dtype, exponents in TOO_SMALL_OR_LARGE.items():
        message = f"largest magnitude .* {limits[dtype]}. Multiply all rows"
        for exponent in exponents:
            with pytest.raises(ValueError, match=message):
                FITS[name](np.ldexp(X.astype(dtype), exponent))
