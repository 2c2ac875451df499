"""python -m geometry export, from texts to a file and to a model."""

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer

from geometry import fit_treatment, load_encoder, load_transform, read_bundled
from geometry.commands import run_shell
from geometry.transform import Knobs

TEXTS = read_bundled("pairs").texts[:60]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("texts") / "mine.txt"
    path.write_text("\n".join(TEXTS), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def wanted():
    """The rows as the library whitens them."""
    X = load_encoder().encode(TEXTS, layer=4)
    whitening = fit_treatment("pca", X).turn(Knobs(n_components=16, shrinkage="ledoit-wolf"))
    return X, whitening.fitted.apply(X)


def run(*args: object) -> int:
    return run_shell(["export", *map(str, args), "--layer", "4", "--transform", "pca:16:lw"])


def test_a_file_and_a_model_give_the_library_s_vectors(corpus, wanted, tmp_path, capsys):
    X, Z = wanted
    assert run(corpus, "--out", tmp_path / "w.safetensors", "--quiet") == 0
    assert "method pca, directions 16" in capsys.readouterr().out
    np.testing.assert_allclose(load_transform(tmp_path / "w.safetensors").apply(X), Z, atol=1e-4)
    assert run(corpus, "--out", tmp_path / "model", "--quiet") == 0
    theirs = SentenceTransformer(str(tmp_path / "model"), device="cpu").encode(list(TEXTS))
    assert np.abs(theirs - Z).max() < 1e-4


def test_a_prefix_is_named_and_is_the_prompt_of_the_written_model(corpus, tmp_path, capsys):
    assert run(corpus, "--out", tmp_path / "model", "--quiet", "--prefix", "query: ") == 0
    assert "prefix query: " in capsys.readouterr().out
    assert run(corpus, "--out", tmp_path / "w.npz", "--quiet", "--prefix", "query: ") == 0
    X = load_encoder(prefix="query: ").encode(TEXTS, layer=4)
    with np.load(tmp_path / "w.npz") as made:
        Z = (X - made["offset"]) @ made["matrix"]
    theirs = SentenceTransformer(str(tmp_path / "model"), device="cpu").encode(list(TEXTS))
    assert np.abs(theirs - Z).max() < 1e-4


def test_an_exported_svd_is_the_svd_that_evaluate_scores(corpus, tmp_path):
    """Numpy's decomposition removes the leading direction of the uncentred rows."""
    out = tmp_path / "w.safetensors"
    args = ("export", str(corpus), "--out", str(out), "--quiet", "--transform", "svd:1")
    assert run_shell(args) == 0
    X = load_encoder().encode(TEXTS).astype(np.float64)
    v = np.linalg.svd(X, full_matrices=False)[2][0]
    np.testing.assert_allclose(load_transform(out).apply(X), X - np.outer(X @ v, v), atol=1e-5)


def test_texts_beside_topics_and_weights_are_texts_alone(tmp_path, capsys):
    table, out = tmp_path / "mine.csv", tmp_path / "w.safetensors"
    rows = "".join(f'"{text}",{"ab"[i % 2]},{i + 1}\n' for i, text in enumerate(TEXTS))
    table.write_text(f"text,topic,weight\n{rows}", encoding="utf-8")
    args = ("export", str(table), "--out", str(out), "--quiet", "--transform", "centred")
    assert run_shell(args) == 0
    assert f"rows of the fit {len(TEXTS)}" in capsys.readouterr().out
    X = load_encoder().encode(TEXTS)
    np.testing.assert_allclose(load_transform(out).apply(X), X - X.mean(axis=0), atol=1e-5)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--transform", "clusterwise"], "no affine map"),
        (["--transform", "none"], "no affine map"),
        (["--pooling", "mode"], "pooling must be one of"),
        (["--model", "/no/such/folder"], "No model can be read"),
    ],
)
def test_what_can_not_be_exported_is_an_error_of_one_line(corpus, tmp_path, capsys, args, message):
    out = tmp_path / "w.onnx"
    assert run_shell(["export", str(corpus), "--out", str(out), "--quiet", *args]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not out.exists()
    out.touch()
    assert run_shell(["export", str(corpus), "--out", str(out), "--quiet"]) == 2
    assert "exists already" in capsys.readouterr().err
