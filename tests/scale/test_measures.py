"""Fits, measures, projections, samples and neighbours equal those of rows in memory."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from geometry import CommonComponentRemoval, Whitening, measure_table, project
from geometry.export.affine import affine_map
from geometry.scale import (
    Engine,
    ScaleError,
    VectorData,
    draw,
    find_neighbours,
    fit_data,
    measure_data,
    open_run,
    project_data,
    stored_measures,
    transform_data,
)
from geometry.scale.measure import ALL
from geometry.scale.vectors import hash_of
from tests import machine
from tests.for_each import for_each
from tests.scale.shards import D, cloud, split, write_files, write_run

X = cloud(900)
SIZES = (400, 1, 250)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> VectorData:
    return VectorData(str(write_run(tmp_path_factory.mktemp("data") / "run", split(X, *SIZES))))


@for_each("method", ["pca", "zca", "cholesky", "pca-cor", "zca-cor"])
@for_each("how", [{}, {"n_components": 5}, {"shrinkage": "ledoit-wolf"}])
def test_a_whitening_is_that_of_the_rows_in_memory(data, method, how):
    ours = fit_data(Engine(), data, method=method, centring=0.5, **how)
    theirs = Whitening(method, centring=0.5, **how).fit(X).map_
    np.testing.assert_allclose(ours.matrix, theirs.matrix, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.mean, X.astype(np.float64).mean(axis=0), rtol=1e-12)
    assert ours.n_rows == len(X)


@for_each("centred", [True, False])
def test_a_removal_is_that_of_the_rows_in_memory(data, centred):
    method = "removal" if centred else "removal-uncentred"
    ours = fit_data(Engine(), data, method=method, n_components=2)
    theirs = CommonComponentRemoval(2, centred=centred).fit(X).map_
    np.testing.assert_allclose(ours.components, theirs.components, atol=1e-9)


def test_weights_are_those_of_a_column(tmp_path):
    w = np.random.default_rng(1).random(len(X))
    folder = write_files(tmp_path / "files", split(X, *SIZES), w=list(w))
    ours = fit_data(Engine(), VectorData(str(folder)), weights="w")
    np.testing.assert_allclose(
        ours.matrix, Whitening("zca").fit(X, sample_weight=w).map_.matrix, rtol=1e-9
    )
    with pytest.raises(ValueError, match="shrinkage, centring and strength are of whitenings"):
        fit_data(Engine(), VectorData(str(folder)), method="removal", shrinkage=0.5)
    with pytest.raises(ScaleError, match="no column `count`"):
        fit_data(Engine(), VectorData(str(folder)), weights="count")


def test_a_transform_moves_every_row_and_leaves_ids_and_texts(tmp_path):
    texts = [f"text {i}" for i in range(len(X))]
    folder = write_files(tmp_path / "files", split(X, *SIZES), text=texts)
    source = VectorData(str(folder))
    fitted = affine_map(fit_data(Engine(), source, method="pca", n_components=4))
    transform_data(Engine(), source, fitted, str(tmp_path / "out"))
    out = VectorData(str(tmp_path / "out"))
    assert [shard.rows for shard in out.shards] == [*SIZES, len(X) - sum(SIZES)]
    opened = open_run(str(tmp_path / "out"))
    assert opened.texts == tuple(texts)
    assert opened.numbers is None
    some = open_run(str(tmp_path / "out"), sample=20)  # of all three shards
    assert some.texts == tuple(texts[number - 1] for number in some.numbers.tolist())
    assert some.numbers[0] <= SIZES[0] < some.numbers[-1]
    np.testing.assert_allclose(opened.vectors, fitted.apply(X), rtol=1e-4, atol=1e-5)
    # The files are plain Parquet: a reader without this library gets the same numbers.
    table = pq.read_table(out.shards[0].address)
    np.testing.assert_array_equal(np.stack(table["v"].to_numpy()), opened.vectors[: SIZES[0]])
    assert table["id"].to_pylist() == list(range(SIZES[0]))


def test_exact_measures_are_those_of_all_rows(data):
    fitted = affine_map(fit_data(Engine(), data, shrinkage=0.1, centring=0.5))
    tables = measure_data(Engine(), data, fitted=fitted, sample=200)
    for rows, ours in ((X, tables["before"]), (fitted.apply(X), tables["after"])):
        theirs = {row.name: row for row in measure_table(rows, intervals=False, simulate=False)}
        exact = [row for row in ours if row.of == ALL]
        assert len(exact) == 8
        for row in exact:
            assert row.n == len(X)
            assert row.value == pytest.approx(theirs[row.name].value, rel=1e-5), row.name
        sampled = [row for row in ours if row.of != ALL]
        assert {row.n for row in sampled} == {200}
        assert all(row.low <= row.value <= row.high for row in sampled if row.name != "hubness")
    stored = {row.name: row.value for row in stored_measures(data)}
    assert stored == {row.name: row.value for row in tables["before"] if row.of == ALL}


def test_sums_are_read_once_and_never_of_other_shards(tmp_path, monkeypatch):
    folder = write_run(tmp_path / "run", split(X, *SIZES))
    first = fit_data(Engine(), VectorData(str(folder)))
    monkeypatch.setattr("geometry.scale.fit.Moments.of", None)
    second = fit_data(Engine(), VectorData(str(folder)))
    np.testing.assert_array_equal(first.matrix, second.matrix)
    monkeypatch.undo()
    other = write_run(tmp_path / "other", split(X[::-1].copy() * 2, *SIZES))
    for path in (folder / "sums").iterdir():
        (other / "sums").mkdir(exist_ok=True)
        (other / "sums" / path.name).write_bytes(path.read_bytes())
    third = fit_data(Engine(), VectorData(str(other)))
    np.testing.assert_allclose(third.mean, 2 * first.mean, rtol=1e-9)


@pytest.mark.parametrize("method", ["pca", "svd", "mean"])
@pytest.mark.parametrize("k", [2, 3])
def test_linear_projections_are_those_of_all_rows(data, method, k, tmp_path):
    project_data(Engine(), data, str(tmp_path / "p"), method=method, n_components=k)
    found = open_run(str(tmp_path / "p"))
    np.testing.assert_allclose(
        found.vectors, project(X, method, k).coordinates, rtol=1e-4, atol=1e-4
    )
    table = pq.read_table(tmp_path / "p" / "shards" / "part-00000.parquet")
    np.testing.assert_array_equal(table["y"].to_numpy(), found.vectors[: SIZES[0], 1])


@pytest.mark.long
@pytest.mark.parametrize("method", ["umap", "tsne"])
def test_a_map_is_fitted_on_a_sample_and_places_every_row(tmp_path, monkeypatch, method):
    """Two groups far apart stay apart; a row of zeros has no place; no file names the machine."""
    machine.rename(monkeypatch)
    groups = np.concatenate([cloud(150) + 9, cloud(150, seed=1) - 14]).astype(np.float32)
    groups[120] = 0
    data = VectorData(str(write_files(tmp_path / "files", split(groups, 100, 100))))
    out = str(tmp_path / "map")
    with pytest.raises(ScaleError, match=r"001\.parquet`") as caught:
        project_data(Engine(), data, out, method=method, sample=100)
    assert (caught.value.because, caught.value.details["row"]) == ("zeros", 21)
    manifest = project_data(Engine(skip=True), data, out, method=method, sample=100)
    assert manifest["counts"]["left_out"] == 1
    P = open_run(out).vectors
    assert P.shape == (299, 2)
    centres = [P[:149].mean(axis=0), P[149:].mean(axis=0)]
    nearest = np.argmin([np.linalg.norm(P - centre, axis=1) for centre in centres], axis=0)
    np.testing.assert_array_equal(nearest, np.repeat([0, 1], [149, 150]))
    files = [path for path in Path(out).rglob("*") if path.is_file()]
    assert not any(machine.names_in(machine.content_of(path), tmp_path) for path in files)


def test_the_sample_depends_on_the_ids_alone(tmp_path, data):
    other = VectorData(str(write_files(tmp_path / "files", split(X, 10, 500))))
    a, b = (draw(Engine(), each, each.columns[0], 100) for each in (data, other))
    np.testing.assert_array_equal(a.ids, b.ids)
    np.testing.assert_array_equal(a.X, b.X)
    assert len(a.ids) == 100
    assert np.all(np.diff(a.ids) > 0)
    np.testing.assert_array_equal(a.X, X[a.ids])
    seeded = draw(Engine(), data, data.columns[0], 100, seed=1)
    assert not np.array_equal(a.ids, seeded.ids)
    # The hashes are uniform: about half are in the lower half.
    share = np.mean(hash_of(np.arange(100_000)) < np.uint64(2**63))
    assert abs(share - 0.5) < 4 * 0.5 / np.sqrt(100_000)


def brute_force(rows: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    U, V = (Z / np.linalg.norm(Z, axis=1, keepdims=True) for Z in (queries, rows))
    return np.argsort(-(U.astype(np.float64) @ V.T.astype(np.float64)), axis=1)[:, :k]


def test_neighbours_are_those_of_brute_force(data, tmp_path):
    queries = VectorData(str(write_files(tmp_path / "queries", [cloud(30, seed=5)])))
    summary = find_neighbours(Engine(), data, queries, str(tmp_path / "near.parquet"), k=7)
    assert summary == {"queries": 30, "rows": len(X), "k": 7}
    assert {path.name for path in tmp_path.iterdir()} == {"queries", "near.parquet"}
    table = pq.read_table(tmp_path / "near.parquet")
    np.testing.assert_array_equal(
        np.stack(table["ids"].to_numpy()), brute_force(X, cloud(30, seed=5), 7)
    )


def test_the_recall_of_the_index_is_measured(data, tmp_path):
    out = str(tmp_path / "near.parquet")
    found = find_neighbours(Engine(), data, data, out, k=5, approximate=True)
    ids = np.stack(pq.read_table(out)["ids"].to_numpy())
    exact = brute_force(X, X, 6)[:, 1:]
    drawn = np.argsort(hash_of(np.arange(len(X))))[:200]
    recall = np.mean([len(set(ids[i]) & set(exact[i])) / 5 for i in drawn])
    assert found["recall"] == pytest.approx(recall)
    assert found["recall"] > 0.95
    assert found["recall_low"] <= found["recall"] <= found["recall_high"]
    # An index of other shards is not used but built again.
    index = Path(data.address) / "index" / "v-part-00001.parquet.safetensors"
    index.write_bytes(index.read_bytes()[:100])
    again = find_neighbours(Engine(), data, data, out, k=5, approximate=True)
    assert again["recall"] == found["recall"]


def test_a_data_set_of_several_columns_needs_one_named(tmp_path):
    v = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), D)
    (tmp_path / "two").mkdir()
    pq.write_table(pa.table({"a": v, "b": v}), tmp_path / "two" / "one.parquet")
    data = VectorData(str(tmp_path / "two"))
    with pytest.raises(ScaleError, match="`a`, `b`"):
        fit_data(Engine(), data)
    assert fit_data(Engine(), data, column="b").n_rows == len(X)
    # rows without an id are numbered by shard and place
    assert draw(Engine(), data, data.column("a"), 5000).ids.tolist() == list(range(len(X)))
