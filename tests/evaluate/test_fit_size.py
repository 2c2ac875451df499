"""Fits by their number of rows: sizes, halves, isotropy of held-out rows, scores of pairs."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from geometry import Whitening, isoscore, isoscore_baseline
from geometry.evaluate import PairBootstrap
from geometry.evaluate.fit_size import (
    ESTIMATES,
    FEWEST,
    LEAST_ROWS,
    SIZES,
    WHITENINGS,
    fit_sizes,
    scores_by_fit_size,
    split_halves,
    whitening_by_size,
)
from geometry.evaluate.fitting import treated_similarities
from geometry.linalg.moments import Moments
from tests.for_each import for_each

D = 20


def cloud(n: int, *, narrow: float = 30.0, seed: int = 0) -> np.ndarray:
    """Rows of low effective rank: the largest deviation is ``narrow`` times the smallest."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, D)) * np.geomspace(1, 1 / narrow, D) + 5 * rng.standard_normal(D)


@for_each(
    ("available", "d", "expected"),
    [
        (7, 384, (7,)),
        (FEWEST, 3, (FEWEST,)),
        (12, 5, (5, 10, 11, 12)),
        (40, 100, (10, 11, 13, 15, 17, 19, 21, 24, 27, 31, 35, 40)),
    ],
)
def test_sizes_by_hand(available, d, expected):
    assert fit_sizes(available, d) == expected


def test_fewer_sizes_and_none_past_d_by_hand():
    assert fit_sizes(40, 20, count=3, past_d=False) == (10, 20, 40)
    assert fit_sizes(40, 16, count=3, past_d=False) == (10, 16, 20, 40)
    assert fit_sizes(40, 16, count=3) == (10, 16, 18, 20, 40)


@for_each("available", [2, 9, 11, 383, 384, 385, 432, 433, 5000])
@for_each("d", [1, 2, 9, 384])
def test_sizes_can_be_fitted(available, d):
    sizes = fit_sizes(available, d)
    assert list(sizes) == sorted(set(sizes))
    assert sizes[0] >= 2
    assert sizes[-1] == available
    assert len(sizes) <= 14
    if available > FEWEST and 2 <= d <= available:
        assert d in sizes


def test_it_is_the_estimator_fitted_on_one_half_and_shown_on_the_other():
    X = cloud(240)
    order = np.random.default_rng(3).permutation(240)
    fitted, held_out = X[order[:120]], X[order[120:]]
    for found in whitening_by_size(X, sizes=(5, 50, 120), random_state=3):
        assert found.held_out == 120
        assert tuple(found.isoscore) == ESTIMATES
        for way, shrinkage in (("full", None), ("ledoit-wolf", "ledoit-wolf")):
            whitening = Whitening("zca", shrinkage=shrinkage).fit(fitted[: found.n])
            expected = isoscore(whitening.transform(held_out))
            assert found.isoscore[way] == pytest.approx(expected, abs=1e-9)
        assert found.raw == pytest.approx(isoscore(held_out))
        assert found.baseline == isoscore_baseline(120, D)


@for_each("seed", range(5))
def test_halves_keep_groups_whole(seed):
    sizes = np.random.default_rng(seed).integers(1, 20, 40)
    groups = np.repeat(np.arange(40), sizes)
    fitted, held_out = split_halves(len(groups), groups, random_state=seed)
    assert sorted([*fitted, *held_out]) == list(range(len(groups)))
    assert not set(groups[fitted]) & set(groups[held_out])
    assert abs(len(fitted) - len(held_out)) <= 20  # the size of one group
    again = split_halves(len(groups), groups, random_state=seed)
    assert [list(half) for half in again] == [list(fitted), list(held_out)]


def test_halves_without_groups_are_one_permutation_cut_in_the_middle():
    fitted, held_out = split_halves(7, random_state=3)
    order = np.random.default_rng(3).permutation(7)
    assert [list(fitted), list(held_out)] == [list(order[:4]), list(order[4:])]


def test_a_single_group_leaves_one_half_empty():
    assert min(len(half) for half in split_halves(9, np.zeros(9))) == 0
    with pytest.raises(ValueError, match="one for each row"):
        split_halves(9, np.zeros(8))


def test_whitening_by_size_holds_out_whole_groups():
    groups = np.repeat(np.arange(30), 8)
    X = np.repeat(cloud(30), 8, axis=0)  # rows of a group are equal
    fitted, held_out = split_halves(240, groups, random_state=1)
    (found,) = whitening_by_size(X, groups=groups, sizes=(50,), random_state=1)
    whitening = Whitening("zca").fit(X[fitted[:50]])
    assert found.held_out == 120
    assert found.isoscore["full"] == pytest.approx(isoscore(whitening.transform(X[held_out])))


def test_groups_that_make_no_two_halves():
    groups = np.array([0] * 50 + [1])
    with pytest.raises(ValueError, match="at least 4 rows in each half"):
        whitening_by_size(cloud(51), groups=groups)


def test_a_larger_fit_contains_the_rows_of_smaller_ones(monkeypatch):
    X = cloud(50)
    fits: list[set[float]] = []
    of = Moments.of

    def spy(rows, *more, **named):
        fits.append(set(rows[:, 0]))
        return of(rows, *more, **named)

    monkeypatch.setattr(Moments, "of", spy)
    whitening_by_size(X, sizes=(5, 25))
    smaller, larger = fits  # one fit for each size; both estimates use it
    assert smaller < larger
    assert (len(smaller), len(larger)) == (5, 25)


@for_each("seed", range(3))
def test_whitening_generalises_worse_as_n_nears_d(seed):
    found = whitening_by_size(cloud(800, seed=seed), sizes=(D, D + 2, 5 * D, 20 * D))
    full = [fit.isoscore["full"] for fit in found]
    assert max(full[:2]) < found[0].raw < full[2] < full[3] < found[3].baseline
    shrunk = [fit.isoscore["ledoit-wolf"] for fit in found]
    assert min(shrunk) > found[0].raw - 0.05  # Ledoit-Wolf is never worse than no whitening
    assert shrunk[1] > full[1] + 0.1


def test_one_seed_gives_one_answer():
    X = cloud(100)
    assert whitening_by_size(X, random_state=1) == whitening_by_size(X, random_state=1)
    assert whitening_by_size(X, random_state=1) != whitening_by_size(X, random_state=2)


def test_progress_is_reported_and_can_stop_it():
    calls: list[tuple[int, int]] = []
    whitening_by_size(cloud(60), sizes=(5, 10, 30), progress=lambda *now: calls.append(now))
    assert calls == [(0, 3), (1, 3), (2, 3), (3, 3)]

    def stop(done: int, _total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        whitening_by_size(cloud(60), sizes=(5, 10), progress=stop)


@for_each("sizes", [(1,), (0,), (5, 31), (-3,)])
def test_sizes_out_of_range(sizes):
    with pytest.raises(ValueError, match=rf"sizes must lie in \[2, 30\], .*got {sizes[-1]}"):
        whitening_by_size(cloud(60), sizes=sizes)


@pytest.mark.filterwarnings("error")
@for_each(
    ("rows", "message"),
    [
        (cloud(LEAST_ROWS - 1), r"at least 8 rows of 2 dimensions.*got shape \(7, 20\)"),
        (cloud(20)[:, :1], r"at least 8 rows of 2 dimensions.*got shape \(20, 1\)"),
        (cloud(20)[0], r"got shape \(20,\)"),
        (np.where(np.arange(20)[:, None] == 6, np.nan, cloud(20)), "row 7 has NaN or infinity"),
        (np.full((20, 3), 0.1), "all rows are equal"),
    ],
)
def test_rows_that_cannot_be_whitened(rows, message):
    with pytest.raises(ValueError, match=message):
        whitening_by_size(rows)


@pytest.mark.filterwarnings("error")
@for_each("kind", [np.int64, np.float16, np.float32, list])
def test_other_numbers(kind):
    rows = (10 * cloud(LEAST_ROWS)).tolist() if kind is list else (10 * cloud(80)).astype(kind)
    as_float = np.asarray(rows, dtype=float)
    for found, expected in zip(whitening_by_size(rows), whitening_by_size(as_float), strict=True):
        assert found.isoscore == pytest.approx(expected.isoscore, abs=1e-3)


@pytest.mark.filterwarnings("error")
def test_a_constant_column():
    X = np.hstack([cloud(100), np.full((100, 1), 0.1)])
    for found in whitening_by_size(X):
        assert np.isfinite(list(found.isoscore.values())).all()


# Scores of pairs

N = 40
RNG = np.random.default_rng(3)
WIDTHS = [5, 3, 2, 1, 1, 0.5]
PAIRS = (RNG.normal(size=(2 * N, len(WIDTHS))) * WIDTHS + 2).astype(np.float32)
FIT = (RNG.normal(size=(300, len(WIDTHS))) * WIDTHS + 2).astype(np.float32)
GOLD = RNG.permutation(N).astype(float)


def test_a_smaller_k_is_reported():
    narrow = (RNG.normal(size=(300, 3)) @ RNG.normal(size=(3, len(WIDTHS)))).astype(np.float32)
    found = scores_by_fit_size(
        PAIRS, narrow, PairBootstrap(GOLD, 5, 0), treatments=("pca", "pca:5")
    )
    assert {fit.n_directions["pca:5"] for fit in found} == {3}
    assert "pca" not in found[0].n_directions
    by_dot = scores_by_fit_size(
        PAIRS, FIT, PairBootstrap(GOLD, 5, 0), similarity="dot", treatments=("pca",)
    )
    wanted = spearmanr(GOLD, np.sum(PAIRS[:N].astype(float) * PAIRS[N:], axis=1))[0]
    assert by_dot[0].scores["none"].spearman == pytest.approx(wanted)


def test_scores_by_size_are_those_of_a_fit_on_so_many_rows():
    calls = []
    bootstrap = PairBootstrap(GOLD, 50, 0)
    found = scores_by_fit_size(PAIRS, FIT, bootstrap, progress=lambda *at: calls.append(at))
    assert [fit.n for fit in found] == list(fit_sizes(300, len(WIDTHS), count=SIZES, past_d=False))
    assert calls[0] == (0, len(found))
    whole = spearmanr(GOLD, treated_similarities(PAIRS, FIT, "pca"))[0]
    assert found[-1].scores["pca"].spearman == pytest.approx(whole)
    raw = spearmanr(GOLD, treated_similarities(PAIRS, FIT, "none"))[0]
    assert all(fit.scores["none"].spearman == pytest.approx(raw) for fit in found)
    assert set(found[0].scores) == {"none", *WHITENINGS}
    again = scores_by_fit_size(PAIRS, FIT, bootstrap)
    assert [fit.scores["pca"].spearman for fit in again] == [
        fit.scores["pca"].spearman for fit in found
    ]
