"""A text as token numbers: counted by hand, cut to a vocabulary, refused."""

import numpy as np
import pytest

from geometry.training import TrainingError, training_text
from geometry.training.text import OTHER
from tests.for_each import for_each

WORDS = [f"w{i:02}" for i in range(30)]
# w00 occurs 130 times, w01 129 times, … w29 101 times
TEXT = " ".join(word for i, word in enumerate(WORDS) for _ in range(130 - i))


def test_words_come_by_frequency_and_then_the_tokens_that_never_occur():
    text = training_text([TEXT, "W00 w01."], n_unseen=3)
    assert text.words[:3] == ("w00", "w01", "w02")
    assert text.words[30:] == (".", "[unseen 1]", "[unseen 2]", "[unseen 3]")
    assert text.counts.tolist() == [131, 130, *range(128, 100, -1), 1, 0, 0, 0]
    assert [text.words[token] for token in text.tokens[-3:]] == ["w00", "w01", "."]
    assert text.sections[-4:].tolist() == [0, 1, 1, 1]
    assert text.section_names == ("1", "2")
    np.testing.assert_array_equal(np.bincount(text.tokens, minlength=len(text.words)), text.counts)
    assert (text.n_words, text.unseen().tolist()) == (31, [31, 32, 33])
    assert text.frequent(5).tolist() == [0, 1, 2, 3, 4]
    assert text.rare(2).tolist() == [29, 30]
    assert len(text.rare()) == len(text.frequent()) == 15  # half of the words


def test_words_beyond_the_vocabulary_are_one_token():
    text = training_text([TEXT], vocabulary=20, n_unseen=2)
    rest = sum(130 - i for i in range(20, 30))
    assert text.words[0] == OTHER
    assert text.counts[0] == rest
    assert text.words[1:21] == tuple(WORDS[:20])
    assert (text.tokens == 0).sum() == rest


def test_texts_of_one_label_are_one_section_and_the_manual_of_python_is_the_default():
    text = training_text([TEXT, "w00", "w01 w02"], ["b", "a", "b"])
    assert text.section_names == ("a", "b")
    assert text.sections[-3:].tolist() == [0, 1, 1]
    text = training_text()
    assert len(text.tokens) > 100_000
    assert len(text.section_names) > 50
    assert text.words[text.tokens[0]] in text.words[: text.n_words]


@for_each(
    ("call", "code"),
    [
        (lambda: training_text(["a b c"]), "too_short"),
        (lambda: training_text(["a " * 5000]), "too_short"),
        (lambda: training_text([TEXT], vocabulary=31), "too_few_words"),
        (lambda: training_text([TEXT], vocabulary=5), "small_vocabulary"),
        (lambda: training_text([TEXT], n_unseen=1), "few_unseen"),
    ],
)
def test_what_no_model_can_be_trained_with_is_refused(call, code):
    with pytest.raises(TrainingError, check=lambda error: error.code == code):
        call()
