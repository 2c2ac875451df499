"""Bounds on how much a tokenizer may lengthen a text, and on the words that it splits.

Thirty rules in a row that replace each character by two make one letter a thousand million. The
time to split a word is quadratic in its length. The rules are judged when the tokenizer is read,
because nothing can interrupt it at work.
"""

from __future__ import annotations

import base64
import json
import math
import unicodedata
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..hub.model_errors import ModelFilesError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MOST_GROWTH = 16  # times that a text may grow; XLNet, T5 and byte-level BPE may double it
MOST_RULES = 50
LONGEST_ENTRY = 64  # most bytes that may replace one character; NFKC needs 33
MOST_ADDED = 64  # tokens that may be added to those of the text
LONGEST_PIECE = 1_000  # characters of a token, and of a word that is split; BERT's limit is 100
LONGEST_FAST_WORD = 200  # characters of a word; with longer ones 100,000 characters take over 1.5 s


def rules_of(tokenizer: Tokenizer) -> list[Mapping[str, Any]]:
    """What the tokenizer does with a text before its model splits the words, in order."""
    return [
        rule
        for part in (tokenizer.normalizer, tokenizer.pre_tokenizer)
        if part is not None
        for rule in _flat(json.loads(part.__getstate__()))
    ]


def refuse_growth(tokenizer: Tokenizer, *, name: str) -> None:
    """Raise ModelFilesError if the tokenizer may make a text far longer.

    "growing_text" if the rules may lengthen a text beyond the limits; "long_words" if words or
    tokens may have more than LONGEST_PIECE characters.
    """
    rules = rules_of(tokenizer)
    tables = [rule for rule in rules if rule["type"] == "Precompiled"]
    if (
        math.prod(map(_growth, rules)) > MOST_GROWTH
        or len(rules) > MOST_RULES
        or len(tables) > 1
        or any(_longest_entry(table) > LONGEST_ENTRY for table in tables)
        or tokenizer.num_special_tokens_to_add(False) > MOST_ADDED
        or len(tokenizer.encode("a").ids) > 2 * MOST_ADDED  # a template may repeat the text
    ):
        raise ModelFilesError("unreadable", because="growing_text", name=name, limit=MOST_GROWTH)
    if max(_longest_token(tokenizer), _longest_split(tokenizer)) > LONGEST_PIECE:
        raise ModelFilesError("unreadable", because="long_words", name=name, limit=LONGEST_PIECE)


def may_split_slowly(tokenizer: Tokenizer) -> bool:
    """Whether long words make the tokenizer too slow for the process of the server.

    100,000 characters in words of a thousand take 10 s, and in pieces of a thousand 20 s. Byte
    pairs take no longer for long tokens.
    """
    is_unigram = type(tokenizer.model).__name__ == "Unigram"
    longest = _longest_token(tokenizer) if is_unigram else _longest_split(tokenizer)
    return longest * math.prod(map(_growth, rules_of(tokenizer))) > LONGEST_FAST_WORD


def _longest_token(tokenizer: Tokenizer) -> int:
    return max(map(len, tokenizer.get_vocab()), default=0)


def _longest_split(tokenizer: Tokenizer) -> int:
    """Characters of the longest word that is split into word pieces."""
    longest: int = getattr(tokenizer.model, "max_input_chars_per_word", 0)
    return longest


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
    """The number of characters once NFKD has decomposed each."""
    return len(unicodedata.normalize("NFKD", text))


def _longest_entry(rule: Mapping[str, Any]) -> int:
    """Bytes of the longest text in sentencepiece's table."""
    table = base64.b64decode(rule["precompiled_charsmap"])
    texts = table[4 + int.from_bytes(table[:4], "little") :]
    return max(map(len, texts.split(b"\0")))
