"""Tokenizers that lengthen a text without bound are refused when they are read."""

import base64
import json
import unicodedata

import pytest
from tokenizers import Tokenizer, models

from geometry import ModelFilesError, load_encoder
from geometry.encode.text_growth import LONGEST_ENTRY, LONGEST_PIECE, _longest_entry, refuse_growth
from geometry.encode.tokenizer import PieceReader
from geometry.hub import bundled
from tests.encode.tiny_encoder import save_tiny_bert


def charsmap(*texts):
    """sentencepiece's table: an empty trie, then texts that end in a zero byte."""
    trie = bytes(4)
    table = len(trie).to_bytes(4, "little") + trie + b"".join(each + b"\0" for each in texts)
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode()}


def replace(pattern, content, kind="String"):
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
NFKD = {"type": "NFKD"}
HOSTILE = [
    [replace(".", "..")] * 5,
    [replace("a", "b" * 17)],
    [replace(".", "xy", "Regex")] * 3,
    [replace("", "xx", "Regex")] * 3,
    [{"type": "Prepend", "prepend": "x" * 20}],
    [replace("a", "\ufdfa"), NFKD, replace("a", "\ufdfa"), NFKD],
    [charsmap(b"x" * 65)],
    [charsmap(b"xx"), charsmap(b"xx")],
    [{"type": "ByteLevel"}] * 5,
    [{"type": "NFC"}] * 51,
    [{"type": "Sequence", "normalizers": [replace(".", "..")] * 3}] * 2,  # nested
]
HONEST = [  # XLNet, T5, Llama, CLIP
    [replace("``", '"'), NFKD, {"type": "StripAccents"}, replace(" {2,}", " ", "Regex")],
    [{"type": "NFKC"}, replace(" {2,}", "\u2581", "Regex")],
    [{"type": "Prepend", "prepend": "\u2581"}, replace(" ", "\u2581")],
    [{"type": "NFC"}, replace(r"\s+", " ", "Regex"), {"type": "Lowercase"}],
]


def tokenizer(rules, **parts):
    plain = Tokenizer(models.WordLevel({"a": 0, "[S]": 1}, unk_token="a"))
    state = json.loads(plain.to_str())
    state["normalizer"] = {"type": "Sequence", "normalizers": rules}
    return Tokenizer.from_str(json.dumps(state | parts))


@pytest.mark.parametrize("rules", HOSTILE)
def test_rules_that_lengthen_a_text_without_end_are_refused(rules):
    with pytest.raises(ModelFilesError, match="times as long") as caught:
        refuse_growth(tokenizer(rules), name="x")
    assert caught.value.because == "growing_text"


@pytest.mark.parametrize("rules", HONEST)
def test_rules_of_honest_tokenizers_pass(rules):
    refuse_growth(tokenizer(rules), name="x")
    refuse_growth(tokenizer(rules, pre_tokenizer=BYTES), name="x")


def test_the_table_of_sentencepiece_is_read():
    assert _longest_entry(charsmap(b"ab", b"\xc2\xb5x", b"c")) == 3
    longest = max(len(unicodedata.normalize("NFKC", chr(i)).encode()) for i in range(0xD800))
    longest = max(longest, len(unicodedata.normalize("NFKC", "\ufdfa").encode()))
    assert longest < LONGEST_ENTRY


def test_steps_before_the_tokens_and_a_template_count_too():
    many = {"type": "Sequence", "pretokenizers": [BYTES] * 5}
    with pytest.raises(ModelFilesError):
        refuse_growth(tokenizer([], pre_tokenizer=many), name="x")
    special = {"SpecialToken": {"id": "[S]", "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    for piece in (special, text):
        template = {
            "type": "TemplateProcessing",
            "single": [text, *[piece] * 200],
            "pair": [text],
            "special_tokens": {"[S]": {"id": "[S]", "ids": [1], "tokens": ["[S]"]}},
        }
        with pytest.raises(ModelFilesError):
            refuse_growth(tokenizer([], post_processor=template), name="x")


@pytest.mark.parametrize(
    "model",
    [
        models.WordPiece({"a": 0, "##a": 1}, unk_token="a", max_input_chars_per_word=LONGEST_PIECE),
        models.Unigram([("a", 0.0), ("z" * LONGEST_PIECE, 0.0)], unk_id=0),
    ],
)
def test_words_that_take_hours_to_split_are_refused(model):
    """The time for a word is quadratic in its length or in the longest token's length."""
    refuse_growth(Tokenizer(model), name="x")
    state = Tokenizer(model).to_str().replace("z" * LONGEST_PIECE, "z" * (LONGEST_PIECE + 1))
    state = state.replace(f'word":{LONGEST_PIECE}', f'word":{LONGEST_PIECE + 1}')
    with pytest.raises(ModelFilesError, match="more than 1,000 characters") as caught:
        refuse_growth(Tokenizer.from_str(state), name="x")
    assert caught.value.because == "long_words"


def test_the_bundled_tokenizer_passes():
    folder = bundled.bundled_folder()
    assert folder is not None
    refuse_growth(Tokenizer.from_file(str(folder / "tokenizer.json")), name="x")


def test_a_model_with_such_a_tokenizer_is_refused_when_it_is_read(tmp_path):
    folder = save_tiny_bert(tmp_path)
    path = folder / "tokenizer.json"
    state = json.loads(path.read_text(encoding="utf-8"))
    state["normalizer"] = {"type": "Sequence", "normalizers": [replace(".", "..")] * 30}
    path.write_text(json.dumps(state), encoding="utf-8")
    with pytest.raises(ModelFilesError, match="times as long"):
        load_encoder(folder).read_files()


def test_a_table_that_makes_the_tokenizer_panic_is_an_error_of_the_library(tmp_path):
    folder = save_tiny_bert(tmp_path)
    path = folder / "tokenizer.json"
    state = json.loads(path.read_text(encoding="utf-8"))
    state["normalizer"] = charsmap(b"a")
    path.write_text(json.dumps(state), encoding="utf-8")
    with pytest.raises(ModelFilesError, match=r"can't be used.*PanicException"):
        load_encoder(folder).read_files()


def test_a_panic_of_the_tokenizer_is_an_error_of_the_library(tmp_path, monkeypatch):
    class PanicException(BaseException):
        """An error with pyo3's name."""

    class Panics:
        normalizer = pre_tokenizer = model = None

        def encode_batch(self, *_, **__):
            raise PanicException("index out of bounds")

        def num_special_tokens_to_add(self, _is_pair):
            return 2

    reader = PieceReader(tmp_path / "tokenizer.json", name="mine", max_tokens=4)
    monkeypatch.setitem(reader.__dict__, "_tokenizer", Panics())
    with pytest.raises(ModelFilesError, match=r"`mine` can't be used.*PanicException: index"):
        reader.encodings(["a"])
