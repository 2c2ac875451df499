"""The table against each single measure: values, intervals, baselines, undefined values."""

import tracemalloc

import numpy as np
import pytest

from geometry import (
    Whitening,
    effective_rank,
    hubness,
    intrinsic_dimension,
    isoscore,
    isoscore_baseline,
    mean_cosine,
    mean_norm_share,
    measure_table,
    opening_angle,
    participation_ratio,
    partition_isotropy,
    uniformity,
)
from geometry.measure import (
    Measured,
    disagreements,
    isotropic_baselines,
    jackknife_interval,
    measure_names,
    positive_cosine_share,
    subsampling_interval,
    top_contribution,
)
from geometry.measure.sums import Shared, View
from geometry.measure.table import baselines_with_errors
from geometry.measure.table_measures import TABLE_MEASURES
from tests.for_each import for_each

pytestmark = pytest.mark.filterwarnings("error")

ONE_BY_ONE = {
    "mean_cosine": mean_cosine,
    "positive_cosine_share": positive_cosine_share,
    "opening_angle": opening_angle,
    "opening_angle_90": lambda X: opening_angle(X, quantile=0.9),
    "mean_norm_share": mean_norm_share,
    "isoscore": isoscore,
    "participation_ratio": participation_ratio,
    "effective_rank": effective_rank,
    "effective_rank_uncentred": lambda X: effective_rank(X, centred=False),
    "partition_isotropy_rms": lambda X: partition_isotropy(X, scale="rms"),
    "uniformity": uniformity,
    "top_contribution": top_contribution,
    "top_5_contributions": lambda X: top_contribution(X, k=5),
    "hubness": hubness,
    "intrinsic_dimension": intrinsic_dimension,
}


def cloud(n: int = 300, d: int = 12, *, seed: int = 0, shift: float = 0.7) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * np.geomspace(2, 0.2, d) + shift


def by_name(table):
    return {row.name: row for row in table}


@for_each("dtype", [np.float32, np.float64])
@for_each(("n", "d"), [(300, 12), (700, 40), (60, 100)])
def test_a_table_is_its_measures(n, d, dtype):
    X = cloud(n, d).astype(dtype)
    for name, row in by_name(measure_table(X, intervals=False)).items():
        assert row.value == pytest.approx(ONE_BY_ONE[name](X), rel=1e-5, abs=1e-7), name
        assert (row.n, row.d, row.undefined, row.low) == (n, d, None, None)


@for_each("left_out", [0, 4, 9])
def test_a_view_is_the_cloud_without_a_group(left_out):
    shared = Shared(cloud(203, 7), seed=3)
    view = View(shared, left_out)
    rest = View(Shared(np.delete(shared.X, shared.groups[left_out], axis=0), seed=1))
    assert view.n == rest.n
    np.testing.assert_allclose(view.mean, rest.mean)
    assert view.second == pytest.approx(rest.second)
    np.testing.assert_allclose(view.covariance, rest.covariance, atol=1e-12)
    rank = TABLE_MEASURES["effective_rank"].of
    assert rank(view) == pytest.approx(rank(rest))
    assert view.partition_at_rms == pytest.approx(rest.partition_at_rms, rel=1e-5)
    assert len(view.two_distances) == rest.n


SENTENCES = np.random.default_rng(8).integers(42, size=160)  # of tokens: 1 to 9 in each


def test_the_interval_of_a_mean_cosine_takes_no_memory_in_the_square_of_a_unit():
    X, units = np.random.default_rng(0).standard_normal((6_000, 8)), np.r_[[0] * 5_900, 1:101]
    tracemalloc.start()
    measure_table(X, names=["mean_cosine"], units=units)
    assert tracemalloc.get_traced_memory()[1] < 20e6  # the pairs of that unit take 278 MB
    tracemalloc.stop()


@for_each("name", [name for name in TABLE_MEASURES if TABLE_MEASURES[name].without_each])
@for_each(
    ("X", "units"),
    [(cloud(60, 5), None), (30 + cloud(45, 70), None), (cloud(160, 5) - 0.3, SENTENCES)],
)
def test_what_a_table_leaves_out_in_closed_form_is_the_measure_without_that_unit(name, X, units):
    shared = Shared(X, units=units)
    slices = zip(shared.cluster_starts, shared.cluster_sizes, strict=True)
    cut = [np.s_[start : start + size] for start, size in slices]
    expected = [ONE_BY_ONE[name](np.delete(shared.X, rows, axis=0)) for rows in cut]
    found = TABLE_MEASURES[name].without_each(shared)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-9)


def test_tokens_of_a_sentence_are_left_out_together():
    """Twenty copies of each row count as one row for every kind of interval."""
    sentences = np.repeat(np.arange(80), 20)
    of_sentence = cloud(80, 6)
    X = of_sentence[sentences] + 1e-3 * cloud(1600, 6, seed=1)
    names = ["mean_cosine", "isoscore", "opening_angle", "effective_rank", "partition_isotropy_rms"]
    alone, together, as_rows = (
        by_name(measure_table(rows, names=names, units=units))
        for rows, units in ((of_sentence, None), (X, sentences), (X, None))
    )
    for name in names:
        widths = [table[name].high - table[name].low for table in (alone, together, as_rows)]
        assert widths[1] == pytest.approx(widths[0], rel=0.35), name
        assert widths[1] > 1.7 * widths[2], name
    few = by_name(measure_table(X[:780], names=names, units=sentences[:780]))  # 39 sentences
    assert few["mean_cosine"].low is None
    with pytest.raises(ValueError, match="one unit for each of the 1600 rows"):
        measure_table(X, units=sentences[:-1])


@for_each(("n", "d"), [(200, 5), (50, 60)])
def test_an_interval_ends_at_the_largest_value_there_is(n, d):
    """Of n rows in d dimensions at most min(n - 1, d) are independent; uncentred min(n, d)."""
    Z = np.random.default_rng(0).standard_t(3, (n, d))
    left, sizes, right = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
    axes = np.where(sizes > 1e-9, np.linspace(1, 0.9, len(sizes)), 0)
    table = by_name(measure_table(left * axes @ right))  # axes nearly equal, on n - 1 or d of them
    most = min(n - 1, d)
    limits = {"participation_ratio": most, "isoscore": (most - 1) / (d - 1)}
    limits |= {"effective_rank": most, "effective_rank_uncentred": min(n, d)}
    for name, limit in limits.items():
        assert table[name].low < table[name].value < table[name].high <= limit * (1 + 1e-12), name
    reach = table["participation_ratio"].value - table["participation_ratio"].low
    assert n < d or table["participation_ratio"].value + reach > most  # and it was cut


def test_the_jackknife_of_a_mean_is_its_standard_error():
    x = np.random.default_rng(0).standard_normal(4000)
    reach = [jackknife_interval(np.mean, x, seed=seed)[1] - x.mean() for seed in range(40)]
    assert np.sqrt(np.mean(np.square(reach))) == pytest.approx(
        2.093 * x.std() / np.sqrt(4000), rel=0.1
    )
    low, high = subsampling_interval(np.mean, x)
    assert (high - low) / 2 == pytest.approx(1.96 * x.std() / np.sqrt(4000), rel=0.25)


def test_units_stay_together():
    """Rows that repeat their unit's value count as one row for each unit."""
    rng = np.random.default_rng(0)
    units = np.repeat(np.arange(100), 20)
    x = rng.standard_normal(100)[units]
    low, high = jackknife_interval(np.mean, x, units=units)
    naive = jackknife_interval(np.mean, x)
    assert high - low > 2.5 * (naive[1] - naive[0])
    with pytest.raises(ValueError, match="at least 40 units"):
        jackknife_interval(np.mean, x[:100], units=units[:100])
    with pytest.raises(ValueError, match="at least 40 rows; got 39"):
        subsampling_interval(np.mean, x[:39])


def test_some_measures():
    table = measure_table(cloud(), names=["isoscore", "mean_cosine"])
    assert [row.name for row in table] == ["mean_cosine", "isoscore"]
    assert table == tuple(row for row in measure_table(cloud()) if row in table)
    with pytest.raises(ValueError, match="no measure isoscroe; there are: mean_cosine, "):
        measure_table(cloud(), names=["isoscroe"])
    with pytest.raises(ValueError, match="no measure isoscroe; there are: mean_cosine, "):
        isotropic_baselines(["isoscroe"], 10, 3)


# Baselines


@for_each(("n", "d"), [(200, 5), (150, 60), (1000, 30)])
def test_isotropic_data_lie_at_their_baselines(n, d):
    rng = np.random.default_rng(7)
    tables = [
        by_name(measure_table(rng.standard_normal((n, d)), intervals=False)) for _ in range(12)
    ]
    for name in measure_names():
        if "contribution" in name:
            continue  # undefined for most of these clouds
        values = np.array([table[name].value for table in tables])
        error = values.std() / np.sqrt(12) * 4.5 + 0.008 * abs(values.mean())
        assert tables[0][name].baseline == pytest.approx(values.mean(), abs=error), name


def test_baselines_are_repeatable_and_use_closed_forms():
    first = isotropic_baselines(measure_names(), 80, 6)
    assert first == isotropic_baselines(measure_names(), 80, 6)
    assert first["isoscore"] == isoscore_baseline(80, 6)
    assert first["mean_norm_share"] == 1 / 80
    assert first["mean_cosine"] == 0
    assert isotropic_baselines(["hubness"], 80, 6, seed=1) != {"hubness": first["hubness"]}
    assert isotropic_baselines(["hubness"], 5, 6) == {"hubness": None}
    assert isotropic_baselines(["isoscore", "mean_cosine"], 1, 6) == {
        "isoscore": None,
        "mean_cosine": 0,
    }


@pytest.mark.long
@pytest.mark.parametrize(("n", "d"), [(300, 50), (40, 6), (700, 200)])
def test_the_error_of_a_simulated_baseline_is_the_spread_over_seeds(n, d):
    names = ("hubness", "intrinsic_dimension")
    found = [baselines_with_errors(names, n, d, seed=seed) for seed in range(16)]
    for name in names:
        spread = np.std([baselines[name].value for baselines in found], ddof=1)
        error = np.sqrt(np.mean([baselines[name].error ** 2 for baselines in found]))
        assert 0.5 < spread / error < 1.6, name
    row = by_name(measure_table(cloud(n, d), intervals=False))["hubness"]
    assert (row.baseline, row.baseline_error) == (
        found[0]["hubness"].value,
        found[0]["hubness"].error,
    )
    assert by_name(measure_table(cloud(), intervals=False))["isoscore"].baseline_error is None


# Undefined values


def test_a_centred_cloud_has_no_cone():
    X = cloud()
    table = by_name(measure_table(X - X.mean(axis=0)))
    assert table["opening_angle"] == Measured(
        "opening_angle", None, None, None, None, 300, 12, "centred"
    )
    assert table["opening_angle_90"].undefined == "centred"
    assert table["isoscore"].value == pytest.approx(isoscore(X))


def test_a_zero_row_has_no_direction():
    X = cloud()
    X[17] = 0
    table = by_name(measure_table(X))
    without = {name for name, row in table.items() if row.undefined == "zero_row"}
    assert without == {
        "mean_cosine",
        "positive_cosine_share",
        "opening_angle",
        "opening_angle_90",
        "uniformity",
        "top_contribution",
        "top_5_contributions",
        "hubness",
    }
    assert all(row.value is not None for name, row in table.items() if name not in without)


# Where measures disagree


def test_centring_is_invisible_to_isoscore():
    X = cloud(shift=2.0)
    raw, centred = measure_table(X), measure_table(X - X.mean(axis=0))
    assert disagreements(raw, centred) == (
        "isoscore_is_participation_ratio",
        "mean_shift_invisible_to_isoscore",
    )
    assert disagreements(raw, raw) == ("isoscore_is_participation_ratio",)
    assert disagreements([], []) == ()


def test_an_isoscore_beyond_both_intervals_has_changed():
    def table(mean_cosine, isoscore):
        return [
            Measured("mean_cosine", mean_cosine, None, None, 0.0, 9, 9),
            Measured("isoscore", isoscore, isoscore - 0.002, isoscore + 0.002, 0.9, 9, 9),
        ]

    expected = ("mean_shift_invisible_to_isoscore",)
    assert disagreements(table(0.9, 0.02), table(0.1, 0.023)) == expected
    for moved in (0.08, 0.01):  # a tenth of the mean cosine's fall is a large change for IsoScore
        assert disagreements(table(0.9, 0.02), table(0.1, moved)) == ()


def test_equal_axes_leave_a_cone():
    X = cloud(shift=2.0)
    white = Whitening("zca", centring=0.0).fit(X).transform(X)
    codes = disagreements(measure_table(X), measure_table(white))
    assert "axes_equal_cone_remains" in codes
    assert "more_even_than_chance" in codes  # fitted on the rows that are measured
    held_out = cloud(seed=1, shift=2.0)
    elsewhere = Whitening("zca").fit(X).transform(held_out)
    codes = disagreements(measure_table(held_out), measure_table(elsewhere))
    assert "more_even_than_chance" not in codes
    assert "axes_equal_cone_remains" not in codes


def test_hubs_that_grew():
    def table(isoscore, hubs):
        return [
            Measured("isoscore", isoscore, None, None, 0.9, 9, 9),
            Measured("hubness", hubs, None, None, 0.2, 9, 9),
        ]

    assert disagreements(table(0.2, 1), table(0.8, 3)) == ("hubs_grew",)
    assert disagreements(table(0.2, 1), table(0.8, 1.5)) == ()
    assert disagreements(table(0.2, 1), table(0.21, 3)) == ()
    assert disagreements(table(0.92, 1), table(0.92, 1)) == ()  # nearer to the baseline than to 1
