"""A bound on how much a tokenizer may lengthen a text before it is cut into tokens.

Thirty rules in a row that replace each character by two make one letter a thousand million. The
rules are judged when the tokenizer is read, because nothing can interrupt it at work.
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


def refuse_growth(tokenizer: Tokenizer, *, name: str) -> None:
    """Raise ModelFilesError "growing_text" if the rules may lengthen a text beyond the limits."""
    rules = [
        rule
        for part in (tokenizer.normalizer, tokenizer.pre_tokenizer)
        if part is not None
        for rule in _flat(json.loads(part.__getstate__()))
    ]
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
