"""Fits by their number of rows: sizes, halves, isotropy of held-out rows, scores of pairs."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from geometry import UndefinedMeasure, Whitening, isoscore, isoscore_baseline
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
from tests.for_each import for_each

D = 20


def cloud(n: int, *, narrow: float = 30.0, seed: int = 0) -> np.ndarray:
    """Rows of low effective rank: the largest deviation is ``narrow`` times the smallest."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, D)) * np.geomspace(1, 1 / narrow, D) + 5 * rng.standard_normal(D)


@for_each(
    ("available", "d", "more", "expected"),
    [
        (7, 384, {}, (7,)),
        (FEWEST, 3, {}, (FEWEST,)),
        (12, 5, {}, (5, 10, 11, 12)),
        (40, 100, {}, (10, 11, 13, 15, 17, 19, 21, 24, 27, 31, 35, 40)),
        (40, 20, {"count": 3, "past_d": False}, (10, 20, 40)),
        (40, 16, {"count": 3, "past_d": False}, (10, 16, 20, 40)),
        (40, 16, {"count": 3}, (10, 16, 18, 20, 40)),
    ],
)
def test_sizes_by_hand(available, d, more, expected):
    assert fit_sizes(available, d, **more) == expected


@for_each("groups", [None, np.repeat(np.arange(60), 4)])
def test_it_is_the_estimator_fitted_on_one_half_and_shown_on_the_other(groups):
    X = cloud(240)
    if groups is None:
        order = np.random.default_rng(3).permutation(240)
        halves = order[:120], order[120:]
    else:
        halves = split_halves(240, groups, random_state=3)
    fitted, held_out = (X[half] for half in halves)
    for found in whitening_by_size(X, groups=groups, sizes=(5, 50, 120), random_state=3):
        assert found.held_out == 120
        assert tuple(found.isoscore) == ESTIMATES
        for way, shrinkage in (("full", None), ("ledoit-wolf", "ledoit-wolf")):
            whitening = Whitening("zca", shrinkage=shrinkage).fit(fitted[: found.n])
            expected = isoscore(whitening.transform(held_out))
            assert found.isoscore[way] == pytest.approx(expected, abs=1e-9)
        assert found.raw == pytest.approx(isoscore(held_out))
        assert found.baseline == isoscore_baseline(120, D)


@for_each("seed", range(3))
def test_whitening_generalises_worse_as_n_nears_d(seed):
    found = whitening_by_size(cloud(800, seed=seed), sizes=(D, D + 2, 5 * D, 20 * D))
    full = [fit.isoscore["full"] for fit in found]
    assert max(full[:2]) < found[0].raw < full[2] < full[3] < found[3].baseline
    shrunk = [fit.isoscore["ledoit-wolf"] for fit in found]
    assert min(shrunk) > found[0].raw - 0.05  # Ledoit-Wolf is never worse than no whitening
    assert shrunk[1] > full[1] + 0.1


@pytest.mark.filterwarnings("error")
@for_each(
    ("rows", "more", "message"),
    [
        (cloud(LEAST_ROWS - 1), {}, "at least 8 rows"),
        (cloud(20)[:, :1], {}, r"\(\d+, 1\)"),
        (np.where(np.arange(20)[:, None] == 6, np.nan, cloud(20)), {}, "row 7 has NaN or infinity"),
        (np.full((20, 3), 0.1), {}, str(UndefinedMeasure("no_spread"))),
        (cloud(51), {"groups": np.eye(1, 51)[0]}, "at least 4 rows in each half"),
        (cloud(60), {"groups": np.zeros(8)}, "one for each row"),
    ],
)
def test_rows_that_cannot_be_whitened(rows, more, message):
    with pytest.raises(ValueError, match=message):
        whitening_by_size(rows, **more)


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
