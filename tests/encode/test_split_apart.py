"""Tokenizers that may be slow or make texts longer read them in a limited process."""

import base64
import json
import unicodedata

import numpy as np
import pytest
from tokenizers import Tokenizer, models

from geometry import ModelFilesError, load_encoder
from geometry.encode import split_apart, tokenizer
from geometry.encode.split_apart import FAST, LONGEST_ENTRY, LONGEST_WORD, _longest_entry, is_plain
from geometry.encode.tokenizer import PieceReader
from geometry.hub import bundled
from tests.encode.tiny_encoder import save_tiny_bert
from tests.for_each import for_each

SLOW = "z*z*y"  # cubic in the length of a run of z; no trial text has one
RUN = "z" * 2_000 + " y"  # takes 20 s


def charsmap(*texts):
    """sentencepiece's table: an empty trie, then texts that end in a zero byte."""
    trie = bytes(4)
    table = len(trie).to_bytes(4, "little") + trie + b"".join(each + b"\0" for each in texts)
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode()}


def replace(pattern, content, kind="String"):
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def split(pattern):
    state = {"type": "Split", "behavior": "Isolated", "invert": False}
    return state | {"pattern": {"Regex": pattern}}


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
NFKD = {"type": "NFKD"}
DOUBLING = [replace(".", "..")] * 30
HOSTILE = [
    DOUBLING,
    [replace("a", "b" * 17)],
    [replace(".", "xy", "Regex")] * 3,
    [replace("", "x")],
    [replace("z*z*y", "", "Regex")],
    [{"type": "Prepend", "prepend": "x" * 20}],
    [replace("a", "\ufdfa"), NFKD, replace("a", "\ufdfa"), NFKD],
    [charsmap(b"x" * 65)],
    [charsmap("\ufdfa".encode() * 21), NFKD],
    [charsmap(b"xx"), charsmap(b"xx")],
    [{"type": "ByteLevel"}] * 5,
    [{"type": "Lowercase"}] * 51,
    [{"type": "Sequence", "normalizers": [replace(".", "..")] * 3}] * 2,  # nested
]
HONEST = [  # BERT, XLNet, T5, Llama, CLIP
    [{"type": "BertNormalizer", **dict.fromkeys(("clean_text", "lowercase"), True)}],
    [replace("``", '"'), NFKD, {"type": "StripAccents"}, replace(" {2,}", " ", "Regex")],
    [{"type": "NFKC"}, replace(" {2,}", "\u2581", "Regex")],
    [{"type": "Prepend", "prepend": "\u2581"}, replace(" ", "\u2581")],
    [{"type": "NFC"}, replace(r"\s+", " ", "Regex"), {"type": "Lowercase"}],
]
HONEST[0][0] |= {"handle_chinese_chars": True, "strip_accents": None}


def made(rules, **parts):
    plain = Tokenizer(models.WordLevel({"a": 0, "[S]": 1}, unk_token="a"))
    state = json.loads(plain.to_str())
    state["normalizer"] = {"type": "Sequence", "normalizers": rules}
    return Tokenizer.from_str(json.dumps(state | parts))


def file_with(folder, **parts):
    """A tiny BERT's folder with other parts in its tokenizer.json."""
    path = save_tiny_bert(folder) / "tokenizer.json"
    state = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(state | parts), encoding="utf-8")
    return path


def reader(folder, **parts):
    return PieceReader(file_with(folder, **parts), name="mine", max_tokens=6)


# ---- which tokenizers read texts in this process ----


@for_each("rules", HOSTILE)
def test_rules_that_may_be_slow_or_lengthen_a_text_are_not_plain(rules):
    assert not is_plain(made(rules))


@for_each("rules", HONEST)
def test_rules_of_common_tokenizers_are_plain(rules):
    assert is_plain(made(rules))
    assert is_plain(made(rules, pre_tokenizer=BYTES))


def test_fast_patterns_and_the_bundled_tokenizer_are_plain():
    for pattern in FAST:
        assert is_plain(made([], pre_tokenizer=split(pattern)))
    assert not is_plain(made([], pre_tokenizer=split(SLOW)))
    folder = bundled.bundled_folder()
    assert folder is not None
    assert is_plain(Tokenizer.from_file(str(folder / "tokenizer.json")))


def test_the_table_of_sentencepiece_is_read():
    assert _longest_entry(charsmap(b"ab", b"\xc2\xb5x", b"c", "ﷺ".encode())) == 18
    longest = max(len(unicodedata.normalize("NFKD", chr(i))) for i in range(0x11_0000))
    assert longest == LONGEST_ENTRY


def test_a_template_counts_too():
    special = {"SpecialToken": {"id": "[S]", "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    for piece in (special, text):
        template = {
            "type": "TemplateProcessing",
            "single": [text, *[piece] * 200],
            "pair": [text],
            "special_tokens": {"[S]": {"id": "[S]", "ids": [1], "tokens": ["[S]"]}},
        }
        assert not is_plain(made([], post_processor=template))


@for_each("longer", [0, 1])
@for_each("kind", ["WordPiece", "Unigram", "BPE"])
def test_long_words_are_split_apart(kind, longer):
    """The time for a word is quadratic in its length or in the longest token's length."""
    n = LONGEST_WORD + longer
    model = {
        "WordPiece": models.WordPiece({"z": 0}, unk_token="z", max_input_chars_per_word=n),
        "Unigram": models.Unigram([("z", 0.0), ("z" * n, 0.0)], unk_id=0),
        "BPE": models.BPE({"z": 0, "z" * n: 1}, []),
    }[kind]
    assert is_plain(Tokenizer(model)) == (not longer or kind == "BPE")


# ---- the limited process ----


@pytest.mark.parametrize("use", ["coverage", "encodings", "pieces"])
def test_a_pattern_that_backtracks_ends_at_the_limit(tmp_path, monkeypatch, use):
    limits = split_apart.LIMITS._replace(cpu_seconds=0.5)
    monkeypatch.setattr(split_apart, "LIMITS", limits)
    with pytest.raises(ModelFilesError, match="`mine` takes more than 0 s") as caught:
        getattr(reader(tmp_path, pre_tokenizer=split(SLOW)), use)([RUN])
    assert caught.value.because == "slow_patterns"


def test_a_cancel_ends_it_at_the_first_call(tmp_path):
    calls = []

    def cancel(*done):
        calls.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reader(tmp_path, pre_tokenizer=split(SLOW)).encodings([RUN], cancel)
    assert len(calls) == 1


def test_the_tokens_are_the_same_as_in_this_process(tmp_path, monkeypatch):
    texts = ["the cat sat", "a dog ran on the old mat", "", "Rain? 🙂"] * 3
    pattern = split("[a-z]+|[?]")
    mine = reader(tmp_path, pre_tokenizer=pattern)
    assert mine._is_apart
    apart, coverage, special = mine.encodings(texts), mine.coverage(texts), mine.special_tokens
    monkeypatch.setattr(tokenizer, "is_plain", lambda _: True)
    here = reader(tmp_path, pre_tokenizer=pattern)
    for ours, other in zip(apart, here.encodings(texts), strict=True):
        assert np.array_equal(ours.ids, other.ids)
        assert np.array_equal(ours.special_tokens_mask, other.special_tokens_mask)
        assert ours.tokens == other.tokens
    assert (coverage, special) == (here.coverage(texts), here.special_tokens)
    assert coverage.truncated


@pytest.mark.parametrize(
    "n", [5, pytest.param(30, marks=pytest.mark.long)]
)  # refused by the count of tokens, and at the memory's limit
def test_a_tokenizer_that_lengthens_a_text_is_refused(tmp_path, n):
    rules = {"type": "Sequence", "normalizers": DOUBLING[:n]}
    mine = load_encoder(file_with(tmp_path, normalizer=rules).parent)
    with pytest.raises(ModelFilesError, match="16 times as long") as caught:
        mine.coverage(["the cat", "." * 100])
    assert caught.value.because == "growing_text"


def test_a_pattern_that_gives_up_is_an_error_of_the_library(tmp_path):
    """The tokenizers library panics after ten million steps from one position."""
    mine = reader(tmp_path, pre_tokenizer=split("(z*)*y"))
    with pytest.raises(ModelFilesError, match="PanicException") as caught:
        mine.coverage(["z" * 30 + " y"])
    assert (caught.value.because, caught.value.details["name"]) == ("broken", "mine")
