"""python -m geometry export, from texts to a file and to a model."""

import json

import numpy as np
import onnxruntime
import pytest
from sentence_transformers import SentenceTransformer

from geometry import fit_treatment, load_encoder, load_transform, read_bundled
from geometry.commands import run_shell
from geometry.linalg.rows import unit_rows
from geometry.transform import Knobs
from tests.sentences import sentence

TEXTS = read_bundled("pairs").texts[:60]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("texts") / "mine.txt"
    path.write_text("\n".join(TEXTS), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def wanted():
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
    for more, expected in (((), Z), (("--normalize",), unit_rows(Z))):
        out = tmp_path / f"model{len(more)}"
        assert run(corpus, "--out", out, "--quiet", *more) == 0
        theirs = SentenceTransformer(str(out), device="cpu").encode(list(TEXTS))
        assert np.abs(theirs - expected).max() < 1e-4
        assert "| treatment | pca:16:lw |" in (out / "README.md").read_text("utf-8")


def test_a_prefix_is_named_and_is_the_prompt_of_the_written_model(corpus, tmp_path, capsys):
    assert run(corpus, "--out", tmp_path / "model", "--quiet", "--prefix", "query: ") == 0
    assert "prefix query: " in capsys.readouterr().out
    assert run(corpus, "--out", tmp_path / "w.npz", "--quiet", "--prefix", "query: ") == 0
    X = load_encoder(prefix="query: ").encode(TEXTS, layer=4)
    with np.load(tmp_path / "w.npz") as made:
        Z = (X - made["offset"]) @ made["matrix"]
    theirs = SentenceTransformer(str(tmp_path / "model"), device="cpu").encode(list(TEXTS))
    assert np.abs(theirs - Z).max() < 1e-4


@pytest.fixture
def vectors(tmp_path):
    X = (np.random.default_rng(0).standard_normal((50, 5)) + 3).astype(np.float32)
    np.savez(tmp_path / "v.npz", mine=np.vstack([X, np.zeros((1, 5), np.float32)]), other=X[:2])
    return tmp_path / "v.npz", X


def test_vectors_are_fitted_on_and_applied_to(vectors, tmp_path, capsys):
    file, X = vectors
    args = ["export", str(file), "--vector-column", "mine", "--transform", "centred", "--quiet"]
    for ending in ("safetensors", "npz", "onnx"):
        assert run_shell([*args, "--out", str(tmp_path / f"w.{ending}")]) == 0
        assert "treatment centred, corpus v" in capsys.readouterr().out
    wanted = X - X.mean(axis=0)
    loaded = load_transform(tmp_path / "w.safetensors")
    np.testing.assert_allclose(loaded.apply(X), wanted, atol=1e-6)
    assert (loaded.fingerprint.n_rows, loaded.matrix) == (50, None)
    with np.load(tmp_path / "w.npz") as made:
        np.testing.assert_allclose(made["fit_mean"], X.mean(axis=0), atol=1e-6)
        assert set(made) == {"offset", "fit_mean", "fit_deviations", "fit_rows"}
    for use in ("whiten z.npy npz", "neighbours z.csv safetensors"):
        command, out, ending = use.split()
        given = [command, *args[1:4], "--out", str(tmp_path / out), "--quiet", "--fit"]
        assert run_shell([*given, str(tmp_path / f"w.{ending}")]) == 2
        assert "it is a transform that `export` wrote" in capsys.readouterr().err
    [found] = onnxruntime.InferenceSession(tmp_path / "w.onnx").run(None, {"embeddings": X})
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert run_shell([*args, "--out", str(tmp_path / "j.npz"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["about"]["rows of the fit"] == "50"
    assert run_shell([*args, "--out", str(tmp_path / "folder")]) == 2
    assert "FILE has vectors" in capsys.readouterr().err
    assert run_shell([*args, "--out", str(tmp_path / "n.npz"), "--normalize"]) == 2
    assert "--normalize is for a folder" in capsys.readouterr().err


def test_whiten_applies_the_file_and_warns_of_other_vectors(vectors, tmp_path, capsys):
    file, X = vectors
    fitted = str(tmp_path / "w.safetensors")
    args = ["export", str(file), "--vector-column", "mine", "--transform", "pca", "--quiet"]
    assert run_shell([*args, "--out", fitted]) == 0
    np.save(tmp_path / "same.npy", X[:20])
    np.save(tmp_path / "far.npy", X + 9)
    np.save(tmp_path / "wide.npy", np.hstack([X, X]))
    capsys.readouterr()

    def whitened(name: str) -> tuple[int, str]:
        given = ["whiten", str(tmp_path / name), "--fit", fitted, "--quiet", "--force"]
        code = run_shell([*given, "--out", str(tmp_path / "z.npy")])
        return code, capsys.readouterr().err

    assert whitened("same.npy") == (0, "")
    code, said = whitened("far.npy")
    assert code == 0
    assert said.startswith("Warning: These vectors are far from those of the transform's fit.")
    assert said.count("\n") == 1
    assert whitened("wide.npy")[0] == 2


def test_both_sentences_of_pairs_are_fitted_on(tmp_path, capsys):
    pairs, out = tmp_path / "pairs.csv", tmp_path / "w.npz"
    rows = "".join(f'"{TEXTS[i]}","{TEXTS[i + 1]}",{i % 5}\n' for i in range(0, 40, 2))
    pairs.write_text(f"left,right,score\n{rows}", encoding="utf-8")
    assert run(pairs, "--out", out, "--quiet") == 0
    assert "rows of the fit 40" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--transform", "clusterwise"], sentence("export", "not_affine")),
        (["--transform", "none"], sentence("export", "not_affine")),
        (["--model", "/no/such/folder"], sentence("model", "missing_folder")),
    ],
)
def test_what_can_not_be_exported_is_an_error_of_one_line(corpus, tmp_path, capsys, args, message):
    out = tmp_path / "w.onnx"
    assert run_shell(["export", str(corpus), "--out", str(out), "--quiet", *args]) == 2
    error = capsys.readouterr().err
    assert message.search(error)
    assert error.count("\n") == 1
    assert not out.exists()
    out.touch()
    assert run_shell(["export", str(corpus), "--out", str(out), "--quiet"]) == 2
    assert "exists already" in capsys.readouterr().err
