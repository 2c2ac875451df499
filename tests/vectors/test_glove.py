"""The bundled GloVe table: its file, averages without stop words, its figures."""

import hashlib

import numpy as np
import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from geometry import Pairs, VectorTable, evaluate_words, mean_cosine, read_bundled, read_pairs
from geometry.data.words import words_in
from geometry.measure import frequency_direction
from geometry.shipped import shipped_file
from geometry.vectors import (
    VectorFileError,
    rank_counts,
    read_bundled_vectors,
    sentence_vectors,
    word_files,
)


@pytest.fixture(scope="module")
def glove() -> VectorTable:
    return read_bundled_vectors("glove")


def test_the_table(glove):
    assert glove.vectors.shape == (40_000, 100)
    assert glove.vectors.dtype == np.float32
    assert not glove.vectors.flags.writeable
    assert glove.words[:4] == ("the", ",", ".", "of")
    np.testing.assert_allclose(
        glove.vectors[0, :4], [-0.038194, -0.24487, 0.72812, -0.39961], rtol=5e-4
    )
    left_out = {"a", "i", "2000", "'s", "n't", "café"}
    assert not left_out & set(glove.words)
    with pytest.raises(VectorFileError, match="no bundled table `word2vec`"):
        read_bundled_vectors("word2vec")


def test_its_readme_has_the_hashes():
    text = shipped_file("vectors/glove/README.md").read_text(encoding="utf-8")
    file = hashlib.sha256(shipped_file(word_files.GLOVE_FILE).read_bytes()).hexdigest()
    for sha256 in (word_files.VECTORS_SHA256, word_files.WORDS_SHA256, file):
        assert f"`{sha256}`" in text


@pytest.mark.parametrize("change", ["a number", "a word", "cut", "absent"])
def test_a_changed_file_is_refused(change, tmp_path, monkeypatch):
    with np.load(shipped_file(word_files.GLOVE_FILE)) as arrays:
        words, vectors = arrays["words"], arrays["vectors"]
    file = tmp_path / "glove.npz"
    if change == "a number":
        vectors[7, 7] += 1
    if change == "a word":
        words[7] = "seven"
    if change != "absent":
        np.savez(file, words=words, vectors=vectors)
    if change == "cut":
        file.write_bytes(file.read_bytes()[:1000])
    monkeypatch.setattr(word_files, "shipped_file", lambda name: file)
    with pytest.raises(VectorFileError) as caught:
        read_bundled_vectors("glove")
    assert (caught.value.code, caught.value.details) == ("changed_bundled", {"file": "glove.npz"})


# Stop words


TABLE = VectorTable(
    np.array([[1.0, 0], [0, 1], [2, 2], [0, 4]], dtype=np.float32), ("the", "cat", "dog", "is")
)


def test_averages_without_stop_words():
    texts = ["The cat is a dog", "the dog", "It is", "Yonder", "THE yonder"]
    found = sentence_vectors(texts, TABLE, stop_words="sklearn", empty="zero")
    np.testing.assert_allclose(found.vectors[:2], [[1, 1.5], [2, 2]])
    assert found.stop_words == ("sklearn", len(ENGLISH_STOP_WORDS)) == ("sklearn", 318)
    assert found.n_known.tolist() == [2, 1, 0, 0, 0]
    assert found.n_stopped is not None
    assert found.n_stopped.tolist() == [2, 1, 1, 0, 1]  # "a" and "it" are not in the table
    assert found.has_stop_words_only.tolist() == [False, False, True, False, True]
    assert found.unknown == (("yonder", 2),)
    with pytest.raises(VectorFileError, match=r"3 of 5 sentences .* beside the 318 stop words"):
        sentence_vectors(texts, TABLE, stop_words="sklearn")
    whole = sentence_vectors(texts, TABLE, empty="zero")
    assert (whole.stop_words, whole.missing.tolist()) == (None, [3])
    assert not whole.has_stop_words_only.any()
    with pytest.raises(ValueError, match="stop_words must be one of none, sklearn"):
        sentence_vectors(texts, TABLE, stop_words="nltk")


def test_a_pair_of_stop_words_is_left_out_and_counted():
    left = ("cat", "the dog", "the cat", "it is", "yonder")
    right = ("dog", "dog", "dog cat", "cat", "cat")
    pairs = Pairs("p", left, right, np.array([1.0, 5, 4, 0, 2]))
    found = evaluate_words(TABLE, pairs, treatments=("none",), draws=5, stop_words="sklearn")
    assert (found.n_left_out, found.n_stopped, found.stop_words) == (2, 1, ("sklearn", 318))
    assert found.grid.cells[0].score.n == 3
    whole = evaluate_words(TABLE, pairs, treatments=("none",), draws=5)
    assert (whole.n_left_out, whole.n_stopped, whole.stop_words) == (1, 0, None)
    few = Pairs("p", left[1:4], right[1:4], np.array([1.0, 5, 4]))
    with pytest.raises(ValueError, match=r"`unicode, without stop words \(sklearn, 318\)`"):
        evaluate_words(TABLE, few, treatments=("none",), draws=5, stop_words="sklearn")


# Figures


TREATMENTS = ("none", "centred", "abtt:1", "abtt:3", "svd:1", "zca")


@pytest.fixture(scope="module")
def stsb(shared_data):
    return read_pairs(shared_data("stsb/sts-test.csv"))


def scores(table, pairs, **how):
    """{(weighting, treatment): Spearman × 100 with two digits}, and the whole result."""
    how = {"tokenizer": "ascii", "draws": 1, "treatments": TREATMENTS, **how}
    found = evaluate_words(table, pairs, **how)
    cells = {(c.pooling, c.treatment): 100 * c.score.spearman for c in found.grid.cells}
    return cells, found


def test_plain_averages_on_stsb(glove, stsb):
    found, result = scores(glove, stsb)
    expected = {"none": 44.04, "centred": 52.3, "abtt:1": 59.2, "abtt:3": 60.8, "zca": 65.0}
    for treatment, score in expected.items():
        assert found["mean", treatment] == pytest.approx(score, abs=0.06)
    assert (result.n_left_out, result.stop_words) == (0, None)


def test_averages_without_stop_words_on_stsb(glove, stsb):
    found, result = scores(glove, stsb, treatments=("none",), stop_words="sklearn")
    assert found["mean", "none"] == pytest.approx(59.53, abs=0.01)
    assert (result.n_left_out, result.n_stopped) == (17, 17)
    assert result.stop_words == ("sklearn", 318)
    assert result.grid.cells[0].score.n == 1362


def test_its_geometry(glove):
    """The more words, the less of a cone."""
    X = glove.vectors
    for n, cosine in ((500, 0.51), (2000, 0.37), (10_000, 0.17)):
        assert mean_cosine(X[:n]) == pytest.approx(cosine, abs=0.005)
    assert mean_cosine(X) == pytest.approx(0.037, abs=5e-4)


def test_lengths_fall_with_rank(glove):
    norms = np.linalg.norm(glove.vectors.astype(float), axis=1)
    bins = [norms[:100].mean(), norms[2000:5000].mean(), norms[20_000:].mean()]
    np.testing.assert_allclose(bins, [6.14, 5.52, 5.14], atol=0.005)
    counts = np.array(list(rank_counts(glove).values()))
    found = frequency_direction(glove.vectors, counts)
    assert found.order == "falling"
    assert found.spearman.value == pytest.approx(-0.22, abs=0.005)


def test_running_words_and_averages_are_a_narrower_cone(glove):
    """Mean cosine of types .04, of running words .42, of sentence means .84."""
    texts = read_bundled("topics").texts
    found = sentence_vectors(texts, glove)
    assert found.coverage == pytest.approx(0.931, abs=5e-4)
    assert mean_cosine(found.vectors) == pytest.approx(0.842, abs=0.001)
    rows = [glove.row_of(word) for text in texts for word in words_in(text)]
    running = glove.vectors[[row for row in rows if row is not None]]
    assert mean_cosine(running) == pytest.approx(0.420, abs=0.001)
