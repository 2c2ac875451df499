"""Texts to words: letters of any script, text that is segmented already, Chinese without spaces."""

# ruff: noqa: RUF001 (letters of other scripts)

import sys
import types
import unicodedata

import numpy as np
import pytest

from geometry import VectorTable
from geometry.data.errors import CorpusError
from geometry.data.words import folded, tokenizer_for, words_in
from geometry.vectors import sentence_vectors, words_of
from tests.for_each import for_each

SPLIT = {  # text: words
    "Größe, Maß & Übel!": ["Größe", "Maß", "Übel"],
    "Où est l’hôtel ?": ["Où", "est", "l’hôtel"],
    "Nguyễn Văn học tiếng Việt.": ["Nguyễn", "Văn", "học", "tiếng", "Việt"],
    "हिन्दी में क्ष": ["हिन्दी", "में", "क्ष"],
    "كِتَابٌ جميل": ["كِتَابٌ", "جميل"],
    "می\u200cخواهم بروم": ["می\u200cخواهم", "بروم"],
    "об'єкт, п’ять": ["об'єкт", "п’ять"],
    "Ελλάδα ΟΔΟΣ": ["Ελλάδα", "ΟΔΟΣ"],
    "한국어 문장 입니다": ["한국어", "문장", "입니다"],
    "กิน ข้าว แล้ว": ["กิน", "ข้าว", "แล้ว"],
    "3,5 km in 2.0 h, 1.": ["3,5", "km", "in", "2.0", "h", "1"],
    "col·lecció học_sinh _here_": ["col·lecció", "học_sinh", "here"],
    "'It's', dog 's 'tail'": ["It's", "dog", "'s", "tail"],
    "Donau\u00addampf ❤️ 👨‍👩‍👧 …": ["Donaudampf"],
}


@for_each("text", SPLIT)
def test_words_of_any_script(text):
    assert words_in(text) == SPLIT[text]
    assert words_of(text) == [word.lower() for word in SPLIT[text]]
    assert tokenizer_for([text]) == "unicode"
    decomposed = words_in(unicodedata.normalize("NFD", text))
    assert [unicodedata.normalize("NFC", word) for word in decomposed] == [
        unicodedata.normalize("NFC", word) for word in SPLIT[text]
    ]


CHINESE = "今天天氣不錯，我用Python寫code。"


def test_chinese_and_japanese():
    assert tokenizer_for([CHINESE, "no spaces"]) == "characters"
    expected = [*"今天天氣不錯我用", "Python", "寫", "code"]
    assert words_in(CHINESE, "characters") == expected
    assert words_in("コンピュータ を", "characters") == [*"コンピュータを"]
    for text in ("私は学生です。", "昨天我去了 台北車站 然後回家"):
        assert tokenizer_for([text]) == "characters"
    for text in (
        "今天 天氣 不錯",
        "私 は コンピュータ を 使う",
        "我 喜歡 牛肉\u3000麵",
        "山",
        "山 雨",
    ):
        assert tokenizer_for([text]) == "unicode"
        assert words_in(text) == text.split()


def test_ascii_is_the_recipe_of_sts_figures():
    assert words_in("Don't STOP—at 7pm ’s naïve", "ascii") == [
        *("don't", "stop", "at", "7pm", "s", "na", "ve")
    ]
    with pytest.raises(ValueError, match="one of unicode, characters, jieba, ascii"):
        words_in("a", "spaces")


def test_a_segmenter_that_is_chosen(monkeypatch):
    fake = types.ModuleType("jieba")
    fake.setLogLevel = lambda level: None
    fake.lcut = lambda text: ["今天", "天氣", " ", "，", "ok"] if text else []
    monkeypatch.setitem(sys.modules, "jieba", fake)
    assert words_in(CHINESE, "jieba") == ["今天", "天氣", "ok"]
    assert words_in(CHINESE, "jieba", signs=True) == ["今天", "天氣", "，", "ok"]
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(CorpusError, match=r"pip install 'narrow-cone\[chinese\]'"):
        sentence_vectors([CHINESE], VectorTable(np.eye(1), ("今",)), tokenizer="jieba")


def test_words_are_looked_up_as_written_then_in_any_form():
    table = VectorTable(
        np.arange(8.0)[:, None],
        ("Weg", "weg", "straße", "l'", "caf\u00e9", "o'clock", "'s", "m\u1ec7t"),
    )
    rows = {"Weg": 0, "weg": 1, "WEG": 0, "STRASSE": 2, "cafe\u0301": 4, "O’CLOCK": 5, "ＷＥＧ": 0}
    for word, row in rows.items():
        assert table.row_of(word) == row, word
    assert table.row_of(unicodedata.normalize("NFD", "mệt")) == 7
    found = sentence_vectors(["l’café", "weg's", "l'eau"], table)
    np.testing.assert_allclose(found.vectors[:, 0], [(3 + 4) / 2, (1 + 6) / 2, 3])
    assert found.unknown == (("eau", 1),)
    assert found.tokenizer == "unicode"
    assert folded("ﬁ") == "fi"
