"""Long texts: split into tokens by batches, cut at a limit of characters, counted like cut ones."""

import numpy as np
import pytest

from geometry import load_encoder
from geometry.encode import tokenizer
from geometry.encode.tokenizer import PieceReader
from tests.bounded import Attempt, outcomes
from tests.encode.tiny_encoder import save_tiny_bert

TEXTS = ["the cat sat", "a dog", "the", "cat " * 30, "dog"]


@pytest.fixture
def reader(tmp_path):
    save_tiny_bert(tmp_path)
    return PieceReader(tmp_path / "tokenizer.json", name="x", max_tokens=8)


def test_batches_change_no_token(reader, monkeypatch):
    whole, coverage = reader.encodings(TEXTS), reader.coverage(TEXTS)
    monkeypatch.setattr(tokenizer, "BATCH_CHARACTERS", 12)
    for ours, other in zip(whole, reader.encodings(TEXTS), strict=True):
        assert ours.tokens == other.tokens
        np.testing.assert_array_equal(ours.ids, other.ids)
        np.testing.assert_array_equal(ours.special_tokens_mask, other.special_tokens_mask)
    assert reader.coverage(TEXTS) == coverage


def test_the_splitting_of_long_texts_can_be_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(tokenizer, "BATCH_CHARACTERS", 12)
    encoder = load_encoder(save_tiny_bert(tmp_path), trial=False)
    encoder.read_files()
    monkeypatch.setattr(encoder, "_forward", lambda *_: pytest.fail("all texts were split"))
    calls = []

    def stop(done, total):
        calls.append((done, total))
        raise InterruptedError

    for use in (encoder.encode, encoder.encode_tokens, encoder.coverage):
        with pytest.raises(InterruptedError):
            use(TEXTS, progress=stop)
    assert calls == [(0, 5), (0, 5), (1, 5)]


def test_a_text_beyond_the_limit_counts_as_cut(reader, monkeypatch):
    assert reader.coverage(["cat"]).truncated == 0
    monkeypatch.setattr(tokenizer, "MOST_CHARACTERS", 2)
    assert reader.coverage(["cat", "a"]).truncated == 1


@pytest.mark.model
@pytest.mark.long
def test_a_corpus_of_signs_takes_little_memory():
    """Splitting it in one call would take 0.3 GB or more for each megabyte."""
    (found,) = outcomes([Attempt("coverage", b"!" * 4_000_000)], megabytes=800, seconds=30)
    assert found.is_fine, found
