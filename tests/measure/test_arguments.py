"""The arguments that every measure refuses, by name, and those that it accepts."""

import re

import numpy as np
import pytest

from geometry import (
    UndefinedMeasure,
    cosine_contributions,
    hubness,
    intrinsic_dimension,
    label_agreement,
    measure,
    partition_isotropy,
    uniformity,
)
from geometry.linalg.rows import unit_rows
from geometry.measure import (
    Annotations,
    angles_to_mean,
    annotated_table,
    effective_rank,
    intra_sentence_baseline,
    intra_sentence_similarity,
    isoscore,
    isoscore_baseline,
    isotropic_baselines,
    jackknife_interval,
    max_explainable_variance,
    mean_cosine,
    mean_norm_share,
    opening_angle,
    pairwise_cosines,
    participation_baseline,
    participation_ratio,
    positive_cosine_share,
    self_similarity,
    top_contribution,
    uniformity_baseline,
)
from geometry.measure.neighbours import nearest, nearest_of_all

X = np.random.default_rng(0).standard_normal((60, 5))


IDS = np.arange(60.0) // 3


# argument: (its least value, the functions that take it)
WHOLE = {
    "hubness k": (1, lambda k: hubness(X, k=k)),
    "nearest k": (1, lambda k: nearest(X, 0, k=k)),
    "nearest_of_all k": (1, lambda k: nearest_of_all(X, k=k)),
    "nearest_of_all block_rows": (1, lambda rows: nearest_of_all(X, block_rows=rows)),
    "label_agreement k": (1, lambda k: label_agreement(X, IDS, k=k)),
    "pairwise_cosines max_rows": (2, lambda rows: pairwise_cosines(X, max_rows=rows)),
    "positive_cosine_share block_rows": (1, lambda rows: positive_cosine_share(X, block_rows=rows)),
    "uniformity_baseline d": (1, uniformity_baseline),
    "participation_baseline n": (2, lambda n: participation_baseline(n, 5)),
    "participation_baseline d": (1, lambda d: participation_baseline(5, d)),
    "isoscore_baseline n": (2, lambda n: isoscore_baseline(n, 5)),
    "isoscore_baseline d": (2, lambda d: isoscore_baseline(5, d)),
    "isotropic_baselines n": (1, lambda n: isotropic_baselines(["mean_norm_share"], n, 5)),
    "isotropic_baselines d": (1, lambda d: isotropic_baselines(["uniformity"], 5, d)),
}


@pytest.mark.parametrize("argument", WHOLE)
def test_a_number_that_is_not_whole_is_refused_by_name(argument):
    least, of = WHOLE[argument]
    name = argument.split()[1]
    for given in (least - 1, -1, 2.5, float("nan"), True):
        said = f"{name} must be an integer of at least {least}; got {given!r}"
        with pytest.raises(ValueError, match=re.escape(said)):
            of(given)
    of(least)
    of(np.int64(least))


@pytest.mark.parametrize(
    ("given", "offender"), [([[0, -1]], -1), ([[0, 60]], 60), ([[3, 1], [-7, 99]], -7)]
)
def test_the_row_number_that_is_none_is_named(given, offender):
    said = f"pairs must be numbers of the 60 rows, 0 to 59; got {offender}$"
    with pytest.raises(ValueError, match=said):
        annotated_table(X, Annotations(pairs=given))


@pytest.mark.parametrize(
    "missing", [np.where(IDS == 2, np.nan, IDS), np.where(IDS == 2, None, IDS.astype(object))]
)
def test_rows_without_an_id_are_not_one_type(missing):
    takers = {
        "type": [
            lambda: self_similarity(X, missing),
            lambda: max_explainable_variance(X, missing),
            lambda: annotated_table(X, Annotations(types=missing, sentences=IDS)),
        ],
        "sentence": [
            lambda: intra_sentence_similarity(X, missing),
            lambda: intra_sentence_baseline(missing),
            lambda: annotated_table(X, Annotations(types=IDS, sentences=missing)),
        ],
        "unit": [lambda: jackknife_interval(lambda Z: float(Z.mean()), X, units=missing)],
    }
    for what, several in takers.items():
        said = rf"the {what} of row 7 is (nan|None) \(3 of 60 rows have none\); drop these rows"
        for of in several:
            with pytest.raises(ValueError, match=said):
                of()


def test_ids_may_be_numbers_words_or_dates():
    expected = self_similarity(X, IDS)
    for ids in (IDS.astype(int), IDS.astype(str), IDS.astype(object), IDS.astype("M8[s]")):
        assert self_similarity(X, ids) == pytest.approx(expected)


OF_DIRECTIONS = (
    unit_rows,
    mean_cosine,
    pairwise_cosines,
    positive_cosine_share,
    angles_to_mean,
    opening_angle,
)


OF_SPREAD = (participation_ratio, isoscore, effective_rank)


ALL = (*OF_DIRECTIONS, *OF_SPREAD, mean_norm_share)


def cloud(n: int = 70, d: int = 9, *, seed: int = 0, shift: float = 0.5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * np.geomspace(2, 0.2, d) + shift


@pytest.mark.parametrize("of", ALL)
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array(1.0), r"shape \(\)"),
        (np.array([1.0, 2.0]), r"shape \(2,\)"),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)"),
        (np.zeros((3, 0)), r"shape \(3, 0\)"),
    ],
)
def test_shapes_that_are_refused(of, X, message):
    with pytest.raises(ValueError, match=message):
        of(X)


@pytest.mark.parametrize("of", ALL)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_named(of, bad):
    X = cloud(6, 3)
    X[[2, 4], 1] = bad
    with pytest.raises(ValueError, match=r"row 3 .*\(2 of 6 rows do\)"):
        of(X)


@pytest.mark.parametrize("of", OF_DIRECTIONS)
def test_a_zero_row_is_named(of):
    X = cloud(6, 3)
    X[[1, 5]] = 0
    with pytest.raises(ValueError, match=r"row 2 is zero.*\(zero rows: 2 of 6\)"):
        of(X)


@pytest.mark.parametrize(
    "of",
    [mean_cosine, pairwise_cosines, positive_cosine_share, *OF_SPREAD],
    ids=lambda f: f.__name__,
)
def test_one_row_is_not_enough(of):
    with pytest.raises(ValueError, match="at least 2 rows; got 1"):
        of(np.ones((1, 3)))


@pytest.mark.parametrize("of", [*OF_DIRECTIONS, *OF_SPREAD, mean_norm_share])
def test_no_row_is_not_enough(of):
    with pytest.raises(ValueError, match="got 0"):
        of(np.empty((0, 3)))


@pytest.mark.parametrize("of", [f for f in ALL if f is not unit_rows])
@pytest.mark.parametrize(
    "odd",
    [
        lambda X: np.round(X * 100).astype(np.int32),
        lambda X: X.astype(np.float16),
        lambda X: X.astype(np.float32),
        lambda X: np.asfortranarray(X),
        lambda X: X[::2, ::-1],
        lambda X: X.tolist(),
    ],
    ids=["int", "float16", "float32", "fortran", "strided", "list"],
)
def test_any_numbers_are_taken(of, odd):
    X = odd(cloud())
    plain = np.ascontiguousarray(np.asarray(X), dtype=np.float64)
    np.testing.assert_allclose(of(X), of(plain), rtol=1e-9)


def test_results_are_plain_floats():
    X = cloud()
    for name in ("mean_cosine", "positive_cosine_share", "mean_norm_share", "opening_angle"):
        assert type(getattr(measure, name)(X)) is float
    assert all(type(of(X)) is float for of in OF_SPREAD)


pytestmark = pytest.mark.filterwarnings("error")


OF_ROWS = (
    partition_isotropy,
    cosine_contributions,
    top_contribution,
    uniformity,
    hubness,
    intrinsic_dimension,
)


OF_FURTHER_DIRECTIONS = (cosine_contributions, top_contribution, uniformity, hubness)


@pytest.mark.parametrize("of", OF_FURTHER_DIRECTIONS)
def test_a_zero_row_is_named_by_further_measures(of):
    X = cloud(20, 3)
    X[[1, 5]] = 0
    with pytest.raises(UndefinedMeasure, match=r"row 2 is zero.*\(zero rows: 2 of 20\)"):
        of(X)


def test_results_of_further_measures_are_plain_floats():
    X = cloud()
    for of in OF_ROWS:
        assert of is cosine_contributions or type(of(X)) is float
