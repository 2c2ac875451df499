"""Slow patterns of a tokenizer run in a separate process, with a time limit."""

import json

import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers

from geometry import ModelFilesError
from geometry.encode import patterns, tokenizer
from geometry.encode.patterns import FAST, may_be_slow
from geometry.encode.text_growth import rules_of
from geometry.encode.tokenizer import PieceReader
from tests.encode.tiny_encoder import save_tiny_bert

SLOW = "z*z*y"  # cubic in the length of a run of z; no trial text has one
RUN = "z" * 2_000 + " y"  # takes 20 s


def reader(folder, pattern, **parts):
    path = save_tiny_bert(folder) / "tokenizer.json"
    state = json.loads(path.read_text())
    split = {"type": "Split", "behavior": "Isolated", "invert": False}
    state["pre_tokenizer"] = split | {"pattern": {"Regex": pattern}}
    path.write_text(json.dumps(state | parts))
    return PieceReader(path, name="mine", max_tokens=6)


@pytest.mark.parametrize("use", ["coverage", "encodings", "pieces"])
def test_a_pattern_that_backtracks_ends_at_the_limit(tmp_path, monkeypatch, use):
    monkeypatch.setattr(patterns, "SECONDS", 0.5)
    with pytest.raises(ModelFilesError, match="`mine` has patterns that take more") as caught:
        getattr(reader(tmp_path, SLOW), use)([RUN])
    assert caught.value.because == "slow_patterns"


def test_a_cancel_ends_it_at_the_first_call(tmp_path, monkeypatch):
    monkeypatch.setattr(patterns, "SECONDS", 3600.0)  # longer than a test may take
    calls = []

    def cancel(done):
        calls.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reader(tmp_path, SLOW).encodings([RUN], cancel)
    assert len(calls) == 1


def test_the_tokens_are_the_same_as_in_this_process(tmp_path, monkeypatch):
    texts = ["the cat sat", "a dog ran on the old mat", "", "Rain? 🙂"] * 3
    mine = reader(tmp_path, "[a-z]+|[?]")
    apart = mine.encodings(texts)
    coverage = mine.coverage(texts)
    monkeypatch.setattr(tokenizer, "may_be_slow", lambda _: False)
    here = reader(tmp_path, "[a-z]+|[?]")
    for ours, other in zip(apart, here.encodings(texts), strict=True):
        assert np.array_equal(ours.ids, other.ids)
        assert np.array_equal(ours.special_tokens_mask, other.special_tokens_mask)
        assert ours.tokens == other.tokens
    assert coverage == here.coverage(texts)
    assert coverage.truncated


@pytest.mark.parametrize("growth", [1, 8])
@pytest.mark.parametrize(
    "model",
    [
        models.WordPiece({"z": 0, "##z": 1}, unk_token="z", max_input_chars_per_word=200),
        models.Unigram([("z", 0.0), ("z" * 200, 0.0)], unk_id=0),
        models.BPE({"z": 0, "zz": 1}, [("z", "z")]),
    ],
)
def test_long_words_are_split_apart(tmp_path, model, growth):
    """200 characters are fast, if no rule makes a text longer."""
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Replace("y", "z" * growth)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    mine = PieceReader(tmp_path / "tokenizer.json", max_tokens=6)
    assert mine._is_apart == (growth > 1 and not isinstance(model, models.BPE))


def test_a_pattern_that_gives_up_is_an_error_of_the_library(tmp_path):
    """The tokenizers library panics after ten million steps from one position."""
    with pytest.raises(ModelFilesError, match="end in an error"):
        reader(tmp_path, "(z*)*y").coverage(["z" * 30 + " y"])


def test_only_patterns_that_are_not_known_are_used_apart(tmp_path):
    replace = {"type": "Replace", "pattern": {"Regex": "z*z*y"}, "content": ""}
    for pattern in FAST:
        mine = reader(tmp_path, pattern)._tokenizer
        assert not may_be_slow(rules_of(mine))
        state = json.loads(mine.to_str()) | {"normalizer": replace}
        assert may_be_slow(rules_of(Tokenizer.from_str(json.dumps(state))))
    literal = {"pattern": {"String": "z*z*y"}}
    assert not may_be_slow([literal, {"type": "NFC"}])
