"""bfloat16: close to float32, and refused if it can't resolve the vectors."""

import numpy as np
import pytest
import torch

from geometry import Pairs, evaluate_encoder, load_encoder
from geometry.encode.errors import PrecisionError
from geometry.encode.precision import (
    NARROWEST,
    processor_has_bfloat16,
    refuse_too_narrow,
)
from tests.encode.tiny_models import BUILDERS, save_tiny
from tests.for_each import for_each

TEXTS = ["the old cat sat under a red tree .", "rain", "dog ran", "a bird sang", "the mat .", "cat"]
needs_bfloat16 = pytest.mark.skipif(
    not processor_has_bfloat16(), reason="this processor has no bfloat16"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny(tmp_path_factory.mktemp("tiny"), "bert")


@needs_bfloat16
@pytest.mark.parametrize("kind", BUILDERS)
def test_every_architecture_is_near_its_float32(tmp_path, kind):
    exact, short = (
        load_encoder(str(save_tiny(tmp_path, kind)), dtype=dtype).encode_layers(TEXTS)["mean"]
        for dtype in ("float32", "bfloat16")
    )
    assert short.dtype == np.float32
    cosines = (exact * short).sum(-1) / np.linalg.norm(exact, axis=-1)
    assert (cosines / np.linalg.norm(short, axis=-1)).min() > 0.99
    assert np.abs(exact - short).max() > 0


@pytest.fixture
def narrow_folder(tmp_path):
    """A model whose last layer adds the same long vector to every token."""
    from safetensors.torch import load_file, save_file

    folder = save_tiny(tmp_path, "bert")
    weights = load_file(folder / "model.safetensors")
    weights["encoder.layer.1.output.LayerNorm.bias"] += 100
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@needs_bfloat16
def test_a_cell_too_narrow_for_it_has_no_score_but_a_reason(narrow_folder):
    pairs = Pairs("own", TEXTS[:4], TEXTS[2:], [1, 2, 3, 4])
    how = {"poolings": ("mean",), "treatments": ("none", "centred"), "draws": 5}
    exact = evaluate_encoder(load_encoder(narrow_folder), pairs, **how)
    assert {cell.score.undefined for cell in exact.cells} == {None}
    assert exact.cell(2, "mean").mean_cosine > NARROWEST
    grid = evaluate_encoder(load_encoder(narrow_folder, dtype="bfloat16"), pairs, **how)
    for treatment in how["treatments"]:
        cell = grid.cell(2, "mean", treatment)
        assert (cell.score.undefined, cell.score.spearman) == ("too_narrow", None)
        assert cell.mean_cosine is None
        assert cell.note.endswith("undefined: too_narrow")
        assert grid.cell(1, "mean", treatment).score.spearman is not None
    assert grid.cell(2, "mean", "centred").difference.value is None
    assert grid.best().layer != 2


@needs_bfloat16
def test_sums_are_taken_in_full(folder):
    """In bfloat16, 256 + 1 is 256, so a sum over many tokens would stop growing."""
    tokens = load_encoder(str(folder), dtype="bfloat16")
    text = " ".join(["cat"] * 20)
    states = tokens.encode_tokens([text], include_special=True).vectors
    np.testing.assert_allclose(tokens.encode([text])[0], states.mean(axis=0), rtol=1e-5, atol=1e-6)


def test_a_processor_without_it_is_reported(folder, monkeypatch):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": False, "avx2": True})
    with pytest.raises(ValueError, match=r"has no bfloat16\. Choose float32"):
        load_encoder(str(folder), dtype="bfloat16", device="cpu")
    load_encoder(str(folder), device="cpu")


@for_each("dtype", ["float16", "int8", ""])
def test_an_unknown_dtype_lists_those_that_exist(folder, dtype):
    with pytest.raises(ValueError, match="float32, bfloat16; got"):
        load_encoder(str(folder), dtype=dtype)


def cone(spread: float, n: int = 700, d: int = 20) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)) * spread
    X[:, 0] += 1
    return X.astype(np.float32)


def test_a_cone_too_narrow_for_it_is_refused():
    assert NARROWEST == 0.999
    with pytest.raises(ValueError, match=r"cosines of this cloud exceed 0\.999"):
        refuse_too_narrow(cone(0.001))
    refuse_too_narrow(cone(0.1))
    refuse_too_narrow(cone(0.001)[:1])
    refuse_too_narrow(np.empty((0, 3), dtype=np.float32))


@for_each("spread", [0.003, 0.0045, 0.006])
def test_the_rule_is_every_pair(spread):
    X = cone(spread)
    U = X.astype(float) / np.linalg.norm(X.astype(float), axis=1, keepdims=True)
    if (U @ U.T).min() > NARROWEST:
        with pytest.raises(ValueError, match="exceed"):
            refuse_too_narrow(X)
    else:
        refuse_too_narrow(X)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_encode_refuses_vectors_that_are_equal_in_bfloat16(folder, monkeypatch, pooling):
    """The encoder only declares bfloat16, so the rule is tested on every processor."""
    encoder = load_encoder(str(folder))
    texts = ["the cat sat", "a dog ran", "rain"]
    wide = np.random.default_rng(0).standard_normal((1, 3, encoder.dimension))
    for spread, is_refused in ((1e-4, True), (1.0, False)):
        hidden = {pooling: (np.ones_like(wide) + spread * wide).astype(np.float32)}
        monkeypatch.setattr(encoder, "_pooled", lambda *_, hidden=hidden: hidden)
        encoder.dtype = "float32"
        assert encoder.encode(texts, pooling=pooling).shape == (3, encoder.dimension)
        encoder.dtype = "bfloat16"
        if is_refused:
            with pytest.raises(PrecisionError, match=r"exceed 0\.999, .*Choose float32"):
                encoder.encode(texts, pooling=pooling)
        else:
            encoder.encode(texts, pooling=pooling)


def test_equal_texts_and_zero_rows_are_no_sign_of_a_narrow_cone():
    X = cone(0.001)
    texts = [f"text {row}" for row in range(len(X))]
    with pytest.raises(PrecisionError):
        refuse_too_narrow(X, texts)
    refuse_too_narrow(X, ["one text"] * len(X))
    refuse_too_narrow(np.vstack([X[:1], np.zeros_like(X[:5])]))
    with pytest.raises(PrecisionError):
        refuse_too_narrow(np.vstack([X, np.zeros_like(X[:5])]))
