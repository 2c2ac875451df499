"""Bounds on how much a tokenizer may lengthen a text, and on the words that it splits.

Thirty rules in a row that replace each character by two make one letter a thousand million. The
time to split a word is quadratic in its length. The rules are judged when the tokenizer is read,
because nothing can interrupt it at work.
"""

from __future__ import annotations

import base64
import json
import unicodedata
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..hub.model_errors import ModelFilesError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MOST_GROWTH = 16  # times; XLNet and T5 may double a text, byte-level BPE too
MOST_RULES = 50
LONGEST_ENTRY = 64  # bytes by which a table of characters may replace one; NFKC's longest has 33
MOST_ADDED = 64  # tokens beside those of the text
LONGEST_WORD = 1_000  # characters of a token, and of a word that is split; BERT's limit is 100


def rules_of(tokenizer: Tokenizer) -> list[Mapping[str, Any]]:
    """What the tokenizer does with a text before its model splits the words, in order."""
    return [
        rule
        for part in (tokenizer.normalizer, tokenizer.pre_tokenizer)
        if part is not None
        for rule in _flat(json.loads(part.__getstate__()))
    ]


def refuse_growth(tokenizer: Tokenizer, *, name: str) -> None:
    """Raise ModelFilesError if the tokenizer may take far more than a text's length.

    "growing_text" if the rules may lengthen a text beyond the limits; "long_words" if words or
    tokens may have more than LONGEST_WORD characters.
    """
    rules = rules_of(tokenizer)
    tables = [rule for rule in rules if rule["type"] == "Precompiled"]
    growth = 1.0
    for rule in rules:
        growth *= _growth(rule)
    if (
        growth > MOST_GROWTH
        or len(rules) > MOST_RULES
        or len(tables) > 1
        or any(_longest_entry(table) > LONGEST_ENTRY for table in tables)
        or tokenizer.num_special_tokens_to_add(False) > MOST_ADDED
        or len(tokenizer.encode("a").ids) > 2 * MOST_ADDED  # a template may repeat the text
    ):
        raise ModelFilesError("unreadable", because="growing_text", name=name, limit=MOST_GROWTH)
    longest = max(map(len, tokenizer.get_vocab()), default=0)
    split = getattr(tokenizer.model, "max_input_chars_per_word", 0)  # of word pieces
    if max(longest, split) > LONGEST_WORD:
        raise ModelFilesError("unreadable", because="long_words", name=name, limit=LONGEST_WORD)


def _flat(rule: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    parts = rule.get("normalizers") or rule.get("pretokenizers")
    if parts is None:
        yield rule
    else:
        for part in parts:
            yield from _flat(part)


def _growth(rule: Mapping[str, Any]) -> float:
    """How many times longer the rule may make a text."""
    if rule["type"] == "Replace":
        put = _length(rule["content"])
        replaced = rule["pattern"].get("String")
        # a regular expression may match between any two characters
        return 1 + put if replaced is None else put / max(1, len(replaced)) if put else 1
    if rule["type"] == "Prepend":
        return 1 + _length(rule["prepend"])
    return 2 if rule["type"] in ("ByteLevel", "Metaspace") else 1


def _length(text: str) -> int:
    """Characters, after a later rule may have taken each apart."""
    return len(unicodedata.normalize("NFKD", text))


def _longest_entry(rule: Mapping[str, Any]) -> int:
    """Bytes of the longest text in sentencepiece's table: the length of a trie, it, the texts."""
    table = base64.b64decode(rule["precompiled_charsmap"])
    texts = table[4 + int.from_bytes(table[:4], "little") :]
    return max(map(len, texts.split(b"\0")))
