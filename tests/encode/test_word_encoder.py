"""A table of static word vectors as an encoder of no layers."""

import pickle

import numpy as np
import pytest

from geometry import VectorTable, read_bundled
from geometry.encode.encoder import WordEncoder
from geometry.encode.errors import TextError
from geometry.vectors import read_bundled_vectors, sentence_vectors, words_of

TEXTS = ["The cat's 2 toys, naïve!", "THE state-of-the-art toys", "a the"]


@pytest.fixture(scope="module")
def glove() -> WordEncoder:
    return WordEncoder(read_bundled_vectors("glove"))


def small(words: str = "The toys cat 2", seed: int = 0) -> WordEncoder:
    names = tuple(words.split())
    vectors = np.random.default_rng(seed).standard_normal((len(names), 5), dtype=np.float32)
    return WordEncoder(VectorTable(vectors, names, name="small"))


def test_it_averages_as_sentence_vectors_and_counts_what_it_knows(glove):
    texts = read_bundled("topics").texts
    expected = sentence_vectors(texts, glove.type_embeddings())
    np.testing.assert_allclose(glove.encode(texts), expected.vectors, atol=1e-5)
    coverage = glove.coverage(texts)
    assert coverage.tokens == expected.n_words.sum()
    assert coverage.unknown == (expected.n_words - expected.n_known).sum()


def test_its_tokens_are_the_words_that_the_table_has(glove):
    for encoder in (glove, small()):
        table = encoder.type_embeddings()
        rows = [[table.row_of(word) for word in words_of(text)] for text in TEXTS]
        expected = [[table.words[row] for row in each if row is not None] for each in rows]
        assert encoder.tokenize(TEXTS) == expected
        tokens = encoder.encode_tokens(TEXTS, layer=0)
        assert tokens.tokens == tuple(word for each in expected for word in each)
        for word, vector in zip(tokens.tokens, tokens.vectors, strict=True):
            np.testing.assert_array_equal(vector, table.vectors[table.row_of(word)])
    assert small().tokenize(["The cat's toys"]) == [["The", "toys"]]
    assert small("cat 's").tokenize(["The cat's toys"]) == [["cat", "'s"]]


def test_it_has_one_layer_of_no_special_tokens(glove):
    assert (glove.n_layers, glove.dimension, glove.special_tokens) == (0, 100, ())
    with_them, without = (glove.encode(TEXTS, special_tokens=special) for special in (True, False))
    np.testing.assert_array_equal(with_them, without)
    with pytest.raises(ValueError, match="layer 1 does not exist"):
        glove.encode(TEXTS, layer=1)
    coverage = small().coverage(TEXTS)
    assert (coverage.tokens, coverage.unknown, coverage.truncated) == (13, 6, 0)


def test_it_goes_to_another_process_with_a_fingerprint_of_words_and_vectors():
    encoder = small()
    expected = encoder.encode(TEXTS)
    again = pickle.loads(pickle.dumps(encoder))
    np.testing.assert_array_equal(again.encode(TEXTS), expected)
    assert again.fingerprint == encoder.fingerprint
    prints = {each.fingerprint for each in (small(), small(seed=1), small("The toys cat 3"))}
    assert len(prints) == 3
    assert small().fingerprint == small().content_key


def test_a_text_without_known_words_is_reported(glove):
    with pytest.raises(TextError) as caught:
        glove.encode(["the cat", "一二三", "…"])
    assert (caught.value.code, caught.value.details["row"]) == ("no_known_words", 2)
