"""An exported transform gives the fitted one's vectors in each library that loads it."""

import json
import re
import runpy
import sys
import warnings

import numpy as np
import onnxruntime
import pytest
import torch
from safetensors.numpy import save_file
from safetensors.torch import save as torch_bytes
from sentence_transformers import SentenceTransformer

from geometry import (
    ClusterwiseRemoval,
    CommonComponentRemoval,
    Whitening,
    fit_treatment,
    load_encoder,
    load_transform,
    read_bundled,
)
from geometry.data.errors import OutputError
from geometry.data.limits import Limits
from geometry.export import (
    AffineMap,
    ExportError,
    OtherCloudWarning,
    affine_map,
    numpy_files,
    onnx_bytes,
    save_transform,
    write_sentence_model,
)
from geometry.export.affine import DATABASES, SCRIPT, arrays
from geometry.transform import Knobs

X = np.random.default_rng(0).standard_normal((200, 6)) * [5, 3, 1, 1, 0.5, 0.1] + 4


def fitted_ones():
    """(a transform, its result) for each affine kind."""
    yield (w := Whitening(method="pca", n_components=3)).fit(X), w.transform(X)
    yield (r := CommonComponentRemoval(n_components=2)).fit(X), r.transform(X)
    for name, knobs in {
        "centred": Knobs(centring=0.5),
        "standardised": Knobs(),
        "cholesky": Knobs(strength=0.5, shrinkage=0.1),
        "zca-cor": Knobs(n_components=4),
        "removed": Knobs(n_removed=1),
    }.items():
        treatment = fit_treatment(name, X).turn(knobs)
        yield treatment, treatment.apply(X).vectors


@pytest.mark.parametrize(("fitted", "wanted"), list(fitted_ones()))
def test_a_file_gives_the_transform_back_with_how_it_was_fitted(tmp_path, fitted, wanted):
    save_transform(tmp_path / "t.safetensors", fitted, model="m", layer=4)
    loaded = load_transform(tmp_path / "t.safetensors")
    np.testing.assert_allclose(loaded.apply(X), wanted, atol=1e-9)
    assert loaded.about["model"] == "m"
    assert loaded.about["rows of the fit"] == "200"
    assert dict(affine_map(loaded).about) == loaded.about
    fit = loaded.fingerprint
    np.testing.assert_allclose(fit.mean, X.mean(axis=0))
    np.testing.assert_allclose(fit.deviations, X.std(axis=0))
    assert fit.n_rows == affine_map(loaded).fingerprint.n_rows == 200


@pytest.mark.parametrize("text", ["centred", "removed"])
def test_a_centring_is_named_so_and_has_no_matrix(tmp_path, text):
    centring = fit_treatment(text, X).turn(Knobs(centring=1.0, n_removed=0))
    affine = affine_map(centring)
    assert affine.about["method"] == "centring"
    assert affine.matrix is None
    assert affine.width == 6
    np.testing.assert_allclose(affine.apply(X), X - X.mean(axis=0))
    save_transform(tmp_path / "c.safetensors", centring)
    assert load_transform(tmp_path / "c.safetensors").matrix is None
    assert (tmp_path / "c.safetensors").stat().st_size < 1000
    session = onnxruntime.InferenceSession(onnx_bytes(affine))
    [found] = session.run(None, {"embeddings": X.astype(np.float32)})
    np.testing.assert_allclose(found, X - X.mean(axis=0), atol=1e-5)
    with pytest.raises(ValueError, match="row 1 has NaN"):
        affine.apply(np.full((1, 6), np.nan))


def test_a_file_of_the_first_format_is_read(tmp_path):
    parts = {"offset": X.mean(axis=0), "matrix": np.eye(6)}
    metadata = {"format": "narrow-cone affine map 1", "about": json.dumps({"model": "m"})}
    save_file(parts, tmp_path / "old.safetensors", metadata=metadata)
    loaded = load_transform(tmp_path / "old.safetensors")
    np.testing.assert_allclose(loaded.apply(X + 100), X - X.mean(axis=0) + 100)
    assert (dict(loaded.about), loaded.fingerprint) == ({"model": "m"}, None)


def test_rows_far_from_the_fit_give_a_warning():
    """tests/linalg/test_fingerprint.py measures which vectors of models are far."""
    affine = affine_map(fit_treatment("centred", X))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        affine.apply(X[::2])
    with pytest.warns(OtherCloudWarning):
        affine.apply(X / np.linalg.norm(X, axis=1, keepdims=True))


def test_what_is_no_affine_map_is_refused():
    with pytest.raises(ExportError, check=lambda error: error.code == "not_affine"):
        affine_map(ClusterwiseRemoval(n_clusters=2).fit(X))
    with pytest.raises(ExportError, match="no affine map"):
        affine_map(fit_treatment("raw", X))


def test_onnxruntime_and_plain_numpy_apply_it(tmp_path):
    whitening = Whitening().fit(X)
    wanted = whitening.transform(X)
    affine = affine_map(whitening, corpus='a "quoted" name\nand \\ more')
    session = onnxruntime.InferenceSession(onnx_bytes(affine))
    [found] = session.run(None, {"embeddings": X.astype(np.float32)})
    assert np.abs(found - wanted).max() < 1e-4
    metadata = session.get_modelmeta().custom_metadata_map
    assert metadata["rows of the fit"] == "200"
    np.testing.assert_allclose(json.loads(metadata["fit_mean"]), X.mean(axis=0))
    assert json.loads(metadata["fit_rows"]) == 200
    for name, content in numpy_files(affine).items():
        (tmp_path / name).write_bytes(content)
    names = runpy.run_path(str(tmp_path / SCRIPT))  # the working directory is another one
    np.testing.assert_allclose(names["transform"](X), wanted, atol=1e-9)
    assert set(names["fitted"]) == set(arrays(affine))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pca", "centred", "standardised"])
def test_the_lines_for_databases_search_by_the_cosine_of_transformed_vectors(
    tmp_path, monkeypatch, name
):
    affine = affine_map(fit_treatment(name, X))
    for file, content in numpy_files(affine).items():
        (tmp_path / file).write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "apply_transform", raising=False)
    queries = X[:7] + 0.1
    documents, asked = (
        Z / np.linalg.norm(Z, axis=1, keepdims=True) for Z in map(affine.apply, (X, queries))
    )
    cosines = asked @ documents.T
    blocks = re.findall(r"```python\n(.*?)```", (tmp_path / DATABASES).read_text("utf-8"), re.S)
    in_faiss, in_postgres, in_qdrant = blocks
    names: dict = {"documents": X, "queries": queries}
    exec(in_faiss, names)
    np.testing.assert_allclose(names["cosines"], -np.sort(-cosines)[:, :10], atol=1e-5)
    assert (names["rows"][:, 0] == cosines.argmax(axis=1)).all()
    unit = runpy.run_path(str(tmp_path / SCRIPT))["unit"](X)
    np.testing.assert_allclose(unit, documents, atol=1e-6)
    assert unit.dtype == np.float32
    exec(in_qdrant, names)
    scores = [[point.score for point in points] for points in names["found"]]
    np.testing.assert_allclose(scores, names["cosines"], atol=1e-5)
    assert [points[0].id for points in names["found"]] == cosines.argmax(axis=1).tolist()
    compile(in_postgres, "block", "exec")  # its database is a server
    assert "unit(documents)" in in_postgres
    assert "unit(queries)" in in_postgres


def test_a_damaged_or_foreign_file_is_refused(tmp_path):
    path = tmp_path / "t.safetensors"
    save_transform(path, Whitening().fit(X))
    good = path.read_bytes()

    def refused(content: bytes) -> str:
        path.write_bytes(content)
        with pytest.raises(ExportError) as caught:
            load_transform(path)
        return caught.value.code

    assert {refused(good[:n]) for n in (0, 7, 40, len(good) - 1)} == {"damaged_transform"}
    assert refused(b"\x80\x04pickle") == "damaged_transform"
    save_file({"words": np.ones(3)}, path)
    assert refused(path.read_bytes()) == "other_file"
    metadata = {"format": "narrow-cone affine map 2", "about": json.dumps({})}
    for offset, matrix in (
        (np.ones(3), np.ones((4, 2))),
        (np.full(4, np.nan), np.ones((4, 2))),
        (np.ones(4, dtype=np.int64), np.ones((4, 2))),
        (np.ones(0), np.ones((0, 2))),
    ):
        save_file({"offset": offset, "matrix": matrix}, path, metadata=metadata)
        assert refused(path.read_bytes()) == "damaged_transform"
    sound = {"offset": np.ones(3), "fit_mean": np.ones(3), "fit_deviations": np.ones(3)}
    for bad in (
        {},
        {"fit_rows": np.array(0.0)},
        {"fit_rows": np.array(9.0), "fit_mean": np.ones(2)},
        {"fit_rows": np.array(9.0), "fit_deviations": np.zeros(3)},
        {"fit_rows": np.ones(1)},
    ):
        save_file(sound | bad, path, metadata=metadata)
        assert refused(path.read_bytes()) == "damaged_transform"
    save_file(sound | {"fit_rows": np.array(9.0)}, path, metadata=metadata)
    assert load_transform(path).fingerprint.n_rows == 9
    save_file(sound | {"more": np.ones(1)}, path, metadata=metadata)
    assert refused(path.read_bytes()) == "other_file"
    halves = {name: torch.ones(2, 2, dtype=torch.bfloat16) for name in ("offset", "matrix")}
    assert refused(torch_bytes(halves, metadata)) == "damaged_transform"
    path.write_bytes(good)
    for limits, code in (
        (Limits(table_bytes=100), "large_file"),
        (Limits(dimensions=5), "wide_transform"),
    ):
        with pytest.raises(ExportError) as caught:
            load_transform(path, limits=limits)
        assert caught.value.code == code


@pytest.fixture(scope="module")
def encoder():
    return load_encoder()


@pytest.mark.slow
@pytest.mark.parametrize(("layer", "pooling"), [(4, "mean"), (-1, "cls")])
def test_sentence_transformers_gives_the_whitened_vectors(tmp_path, encoder, layer, pooling):
    texts = list(read_bundled("pairs").texts[:120])
    vectors = encoder.encode(texts, layer=layer, pooling=pooling)
    whitening = Whitening(shrinkage="ledoit-wolf", n_components=64).fit(vectors)
    folder = write_sentence_model(
        tmp_path / "model", encoder, whitening, layer=layer, pooling=pooling
    )
    theirs = SentenceTransformer(str(folder), device="cpu").encode(texts)
    ours = whitening.transform(vectors)
    assert theirs.shape == (120, 64)
    lengths = np.linalg.norm(ours, axis=1)
    assert (np.linalg.norm(theirs - ours, axis=1) / lengths).max() < 1e-5
    n_layers = json.loads((folder / "config.json").read_text("utf-8"))["num_hidden_layers"]
    assert n_layers == (4 if layer == 4 else 6)


@pytest.mark.slow
@pytest.mark.parametrize("normalize", [False, True])
def test_the_folder_says_how_it_was_made_and_of_what_length_its_vectors_are(
    tmp_path, encoder, normalize
):
    texts = list(read_bundled("pairs").texts[:40])
    centring = affine_map(
        fit_treatment("centred", encoder.encode(texts, layer=3)), treatment="centred", corpus="mine"
    )
    folder = write_sentence_model(
        tmp_path / "model", encoder, centring, layer=3, normalize=normalize
    )
    theirs = SentenceTransformer(str(folder), device="cpu").encode(texts)
    ours = centring.apply(encoder.encode(texts, layer=3))
    lengths = np.linalg.norm(ours, axis=1, keepdims=True)
    np.testing.assert_allclose(theirs, ours / lengths if normalize else ours, atol=1e-5)
    readme = (folder / "README.md").read_text(encoding="utf-8")
    for row in ("treatment | centred", "corpus | mine", "rows of the fit | 40", "layer | 3"):
        assert f"| {row} |" in readme
    assert f"| model | {encoder.name} |" in readme
    assert "| pooling | mean |" in readme
    assert "identity" in readme
    assert ("are of unit length" in readme) == normalize
    assert ("are not of unit length" in readme) != normalize


def test_what_sentence_transformers_can_not_express_is_refused(tmp_path, encoder, monkeypatch):
    vectors = encoder.encode(list(read_bundled("pairs").texts[:40]))
    whitening = Whitening(shrinkage=0.5).fit(vectors)

    def refused(fitted=whitening, folder="new", **options) -> str:
        with pytest.raises((ExportError, OutputError)) as caught:
            write_sentence_model(tmp_path / folder, encoder, fitted, **options)
        return caught.value.code

    assert refused(pooling="min") == "other_pooling"
    assert refused(layer=0) == refused(layer=7) == refused(layer=-8) == "other_layer"
    assert refused(Whitening().fit(X)) == "other_width"
    (tmp_path / "used").mkdir()
    (tmp_path / "used/file").touch()
    assert refused(folder="used") == "folder_in_use"
    assert not (tmp_path / "new").exists()
    right = AffineMap.apply_to_part
    for share in (2e-5, 1.0):  # of a vector's length; the limit is 1e-5
        monkeypatch.setattr(
            AffineMap, "apply_to_part", lambda self, X, s=share: right(self, X) * (1 + s)
        )
        assert refused() == "other_vectors"
    assert not (tmp_path / "new").exists()
