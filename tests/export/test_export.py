"""An exported transform gives the fitted one's vectors in each library that loads it."""

import json

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
from geometry.data.limits import Limits
from geometry.data.write import OutputError
from geometry.export import (
    AffineMap,
    ExportError,
    affine_map,
    numpy_files,
    onnx_bytes,
    save_transform,
    write_sentence_model,
)
from geometry.export.numpy_files import ARRAYS, SCRIPT
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


def test_a_map_by_hand():
    affine = AffineMap(np.array([1.0, 2.0]), np.array([[2.0], [3.0]]))
    assert affine.apply(np.array([[2.0, 4.0]])).tolist() == [[8.0]]  # 1 * 2 + 2 * 3


def test_what_is_no_affine_map_is_refused():
    with pytest.raises(ExportError, match="no affine map") as caught:
        affine_map(ClusterwiseRemoval(n_clusters=2).fit(X))
    assert caught.value.code == "not_affine"
    with pytest.raises(ExportError, match="no affine map"):
        affine_map(fit_treatment("raw", X))


def test_onnxruntime_and_plain_numpy_apply_it(tmp_path, monkeypatch):
    whitening = Whitening().fit(X)
    wanted = whitening.transform(X)
    affine = affine_map(whitening, corpus='a "quoted" name\nand \\ more')
    session = onnxruntime.InferenceSession(onnx_bytes(affine))
    [found] = session.run(None, {"embeddings": X.astype(np.float32)})
    assert np.abs(found - wanted).max() < 1e-4
    assert session.get_modelmeta().custom_metadata_map["rows of the fit"] == "200"
    for name, content in numpy_files(affine).items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec((tmp_path / SCRIPT).read_text(encoding="utf-8"), names)
    np.testing.assert_allclose(names["transform"](X), wanted, atol=1e-9)
    assert (tmp_path / ARRAYS).is_file()


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
    metadata = {"format": "narrow-cone affine map 1", "about": json.dumps({})}
    for offset, matrix in (
        (np.ones(3), np.ones((4, 2))),
        (np.full(4, np.nan), np.ones((4, 2))),
        (np.ones(4, dtype=np.int64), np.ones((4, 2))),
        (np.ones(0), np.ones((0, 2))),
    ):
        save_file({"offset": offset, "matrix": matrix}, path, metadata=metadata)
        assert refused(path.read_bytes()) == "damaged_transform"
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
    right = AffineMap.apply
    for share in (2e-5, 1.0):  # of a vector's length; the limit is 1e-5
        monkeypatch.setattr(AffineMap, "apply", lambda self, X, s=share: right(self, X) * (1 + s))
        assert refused() == "other_vectors"
    assert not (tmp_path / "new").exists()
