"""A grid of scores: cells by a second route, fit sets, differences, undefined scores."""

import json

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from geometry import Pairs, evaluate_encoder, load_encoder, mean_cosine
from geometry.evaluate import (
    PairBootstrap,
    choose_on_dev,
    evaluate_grid,
    grid_csv,
    grid_json,
    grid_rows,
)
from geometry.evaluate.from_encoder import fit_moments
from geometry.evaluate.grid import THESE
from geometry.linalg.moments import Moments
from geometry.transform.treatments import LADDER
from tests.encode.tiny_encoder import save_tiny_bert
from tests.for_each import for_each

RNG = np.random.default_rng(0)
N, D = 120, 6
GOLD = np.round(RNG.uniform(0, 5, N), 1)
VECTORS = {
    pooling: (RNG.standard_normal((3, 2 * N, D)) * np.geomspace(3, 0.3, D) + 2).astype(np.float32)
    for pooling in ("mean", "cls")
}
OTHERS = {
    pooling: hidden[:, ::-1] * 1.5 + RNG.normal(0, 1, (3, 2 * N, D))
    for pooling, hidden in VECTORS.items()
}


def score(Z):
    left, right = np.asarray(Z, dtype=np.float64).reshape(2, N, -1)
    dots = (left * right).sum(1)
    return spearmanr(
        dots / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1), GOLD
    ).statistic


def second_route(treatment, X, fit):
    X, fit = (np.asarray(each, dtype=np.float64) for each in (X, fit))
    pca = PCA(whiten=True).fit(fit)
    top = PCA(3).fit(fit).components_
    return {
        "none": X,
        "centred": X - fit.mean(axis=0),
        "standardised": StandardScaler().fit(fit).transform(X),
        "abtt:3": (X - fit.mean(axis=0)) @ (np.eye(D) - top.T @ top),
        "pca:4": pca.transform(X)[:, :4],
        "pca": pca.transform(X),
    }[treatment]


SMALL = ("none", "centred", "standardised", "abtt:3", "pca:4", "pca")


@for_each("where", ["these", "others", "moments"])
def test_every_cell_by_a_second_route(where):
    def moments(layers, pooling):
        (layer,) = layers
        return Moments.of(OTHERS[pooling][layer])

    fit = {"these": None, "others": OTHERS, "moments": moments}[where]
    name = None if fit is None else "others"
    grid = evaluate_grid(VECTORS, GOLD, treatments=SMALL, fit_vectors=fit, fit_on=name, draws=50)
    assert (grid.layers, grid.poolings, grid.treatments) == ((0, 1, 2), ("mean", "cls"), SMALL)
    assert len(grid.cells) == 36
    for cell in grid.cells:
        X = VECTORS[cell.pooling][cell.layer]
        fitted = X if where == "these" else OTHERS[cell.pooling][cell.layer]
        Z = second_route(cell.treatment, X, fitted)
        assert cell.score.spearman == pytest.approx(score(Z), abs=1e-6)
        assert cell.mean_cosine == pytest.approx(mean_cosine(Z), abs=1e-6)
        if cell.treatment == "none":
            assert (cell.fit_on, cell.n_fit, cell.difference) == (None, None, None)
        else:
            assert (cell.fit_on, cell.n_fit) == (name or THESE, 2 * N)
            raw = grid.cell(cell.layer, cell.pooling)
            assert cell.difference.value == cell.score.spearman - raw.score.spearman
            apart = cell.score.replicates - raw.score.replicates
            assert cell.difference.low == pytest.approx(np.percentile(apart, 2.5))


def test_layers_by_name_and_from_the_end():
    grid = evaluate_grid(
        VECTORS, GOLD, layers=[-1, "first-last", (0, 2)], treatments=["none"], draws=5
    )
    assert grid.layers == (2, "first-last", (0, 2))
    averaged = VECTORS["mean"][[1, 2]].mean(axis=0)
    assert grid.cell("first-last", "mean").score.spearman == pytest.approx(
        score(averaged), abs=1e-6
    )
    with pytest.raises(ValueError, match="layer 3 does not exist"):
        evaluate_grid(VECTORS, GOLD, layers=[3], draws=5)
    with pytest.raises(KeyError, match="no cell for layer 7"):
        grid.cell(7, "mean")


def test_a_cell_without_a_score_has_a_reason():
    flat = np.repeat(RNG.standard_normal((1, 1, D)), 2 * N, axis=1)
    with np.errstate(all="raise"):
        grid = evaluate_grid({"cls": flat}, GOLD, treatments=(*LADDER, "abtt:5"), draws=20)
    reasons = {cell.treatment: cell.score.undefined for cell in grid.cells}
    assert reasons["none"] == "constant_scores"
    assert reasons["centred"] == reasons["pca"] == "zero_row"
    assert reasons["abtt:5"] == "nothing_left"
    assert all(cell.score.spearman is None for cell in grid.cells)
    assert np.isnan(grid.matrix("pca")).all()
    assert "undefined: zero_row" in grid.cell(0, "cls", "pca").note
    with pytest.raises(ValueError, match="no cell of the grid has a score"):
        grid.best()


def test_directions_beyond_the_rank_and_a_simplex_are_reported():
    narrow = {"mean": VECTORS["mean"][:1] @ np.diag([1, 1, 1, 0, 0, 0]).astype(np.float32)}
    cell = evaluate_grid(narrow, GOLD, treatments=["pca:5"], draws=5).cells[0]
    assert (cell.n_requested, cell.n_directions, cell.rank, cell.is_clamped) == (5, 3, 3, True)
    assert cell.note == "3 directions, not 5: all there are (rank 3)"
    wide = {"mean": RNG.standard_normal((1, 2 * N, 400))}
    grid = evaluate_grid(wide, GOLD, treatments=["pca", "pca:lw", "pca:10"], draws=5)
    assert [cell.is_simplex for cell in grid.cells] == [True, False, False]
    assert grid.cells[0].mean_cosine == pytest.approx(-1 / (2 * N - 1))


def test_matrices_of_values():
    grid = evaluate_grid(VECTORS, GOLD, treatments=SMALL, draws=20)
    for value in ("spearman", "pearson", "low", "high", "mean_cosine", "difference"):
        assert grid.matrix("pca", value).shape == (3, 2)
    assert grid.matrix("pca")[1, 0] == grid.cell(1, "mean", "pca").score.spearman
    assert np.isnan(grid.matrix("none", "difference")).all()
    with pytest.raises(ValueError, match="value must be one of spearman"):
        grid.matrix("pca", "kendall")


@for_each("similarity", ["dot", "euclidean", "mahalanobis", "rank"])
def test_other_similarities(similarity):
    grid = evaluate_grid(VECTORS, GOLD, treatments=SMALL, similarity=similarity, draws=5)
    assert {cell.score.similarity for cell in grid.cells} == {similarity}
    if similarity == "mahalanobis":  # unchanged by every invertible linear map
        whole = [grid.matrix(name) for name in ("none", "centred", "standardised", "pca")]
        for scores in whole[1:]:
            assert scores == pytest.approx(whole[0], abs=1e-9)
        euclidean = evaluate_grid(VECTORS, GOLD, treatments=SMALL, similarity="euclidean", draws=5)
        for name in ("pca", "pca:4"):
            assert grid.matrix(name) == pytest.approx(euclidean.matrix(name), abs=1e-9)
        with pytest.raises(ValueError, match="after clusterwise is not offered"):
            evaluate_grid(VECTORS, GOLD, treatments=["clusterwise"], similarity=similarity, draws=5)


def test_bad_input():
    for bad in ({}, {"mean": VECTORS["mean"][:, 1:]}, {"mean": VECTORS["mean"][0]}):
        with pytest.raises(ValueError, match=r"vectors.*2n, d|must be \(layers, 240, d\)"):
            evaluate_grid(bad, GOLD, draws=5)
    narrow = {pooling: hidden[..., :4] for pooling, hidden in OTHERS.items()}
    one = {"mean": OTHERS["mean"]}
    for settings, message in (
        ({"fit_vectors": OTHERS}, "fit_on, the name of that set"),
        ({"fit_on": "train"}, "fit_on, the name of that set"),
        ({"fit_vectors": one, "fit_on": "x"}, "fit_vectors lack the pooling cls"),
        ({"fit_vectors": narrow, "fit_on": "x"}, "fit_vectors have 4 columns and vectors 6"),
        ({"bootstrap": PairBootstrap(GOLD[::-1], 5)}, "other gold scores"),
    ):
        with pytest.raises(ValueError, match=message):
            evaluate_grid(VECTORS, GOLD, **settings)


def test_choosing_on_dev_needs_two_grids_of_the_same_cells():
    dev = evaluate_grid(VECTORS, GOLD[::-1], treatments=SMALL, evaluated_on="dev", draws=5)
    with pytest.raises(ValueError, match="both grids are of dev"):
        choose_on_dev(dev, dev)
    other = evaluate_grid(VECTORS, GOLD, similarity="dot", evaluated_on="test", draws=5)
    with pytest.raises(ValueError, match="measured by cosine and test by dot"):
        choose_on_dev(dev, other)
    with pytest.raises(ValueError, match=r"no cell for layer .* on test"):
        choose_on_dev(dev, evaluate_grid({"max": VECTORS["cls"]}, GOLD, draws=5))


def test_rows_to_take_away():
    grid = evaluate_grid(VECTORS, GOLD, layers=[0, (1, 2)], treatments=["none", "pca"], draws=5)
    rows = grid_rows(grid)
    assert len(rows) == len(grid.cells) == len(grid_csv(grid).splitlines()) - 1
    assert rows[-1]["layer"] == "1+2"
    assert rows[1]["spearman"] == grid.cell(0, "mean", "pca").score.spearman
    document = json.loads(grid_json(grid, model="tiny"))
    assert document["model"] == "tiny"
    assert document["cells"] == rows


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return load_encoder(save_tiny_bert(tmp_path_factory.mktemp("model")))


@pytest.fixture(scope="module")
def pairs():
    words = ("cat", "dog", "bird", "rain", "tree", "mat")
    sentences = [f"the {a} sat on the {b}" for a in words for b in words]
    rng = np.random.default_rng(0)
    right = [sentences[i] for i in rng.permutation(36)]
    return Pairs("tiny", tuple(sentences), tuple(right), rng.uniform(0, 5, 36))


def test_an_encoder_reads_every_text_once(encoder, pairs, monkeypatch):
    read = []
    encode_layers = type(encoder).encode_layers

    def counted(self, texts, **rest):
        read.extend(texts)
        return encode_layers(self, texts, **rest)

    monkeypatch.setattr(type(encoder), "encode_layers", counted)
    calls = []
    train = ["a red bird sang", "the old dog ran", "rain on the tree", "a red bird sang"] * 3
    grid = evaluate_encoder(
        encoder,
        pairs,
        poolings=("mean", "cls"),
        treatments=("none", "centred", "pca:2"),
        fit_texts=train,
        fit_on="train",
        draws=20,
        progress=lambda *at: calls.append(at),
    )
    assert sorted(read) == sorted({*pairs.left, *pairs.right, *train})
    assert {cell.n_fit for cell in grid.cells} == {None, 3}
    assert calls[-1][0] == calls[-1][1]
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    X = encode_layers(encoder, [*pairs.left, *pairs.right], poolings=("mean",))["mean"][1]
    fit = encode_layers(encoder, train[:3], poolings=("mean",))["mean"][1]
    left, right = (X - fit.mean(axis=0)).astype(np.float64).reshape(2, 36, -1)
    cosines = (left * right).sum(1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)
    expected = spearmanr(cosines, pairs.gold_scores).statistic
    assert grid.cell(1, "mean", "centred").score.spearman == pytest.approx(expected, abs=1e-3)


def test_rows_where_sums_do_not_suffice(encoder, pairs):
    texts = [*pairs.left]
    how = {"layers": [-1], "poolings": ["mean"], "treatments": ["clusterwise"], "fit_on": "left"}
    grid = evaluate_encoder(encoder, pairs, fit_texts=texts, draws=5, **how)
    assert grid.cells[0].n_fit == 36
    sums = fit_moments(encoder, texts, [-1], ["mean"])
    with pytest.raises(ValueError, match="only their sums were given"):
        evaluate_encoder(encoder, pairs, fit_vectors=sums, draws=5, **how)


def test_what_an_encoder_refuses(encoder, pairs):
    with pytest.raises(ValueError, match="comes with fit_on"):
        evaluate_encoder(encoder, pairs, fit_texts=["a cat"])
    with pytest.raises(ValueError, match="layer 9 does not exist"):
        evaluate_encoder(encoder, pairs, layers=[9])
