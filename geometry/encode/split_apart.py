"""Texts split into tokens in a process of its own, for tokenizers that may take long or much.

Settings can make one letter a thousand million, a pattern such as ``z*z*y`` tries every pair of
places, and nothing can interrupt a tokenizer at work. So only tokenizers whose rules are known to
be harmless read texts in the process of the server. That is also faster: a short text takes 60 ms
in the other process and less than 1 ms here.
"""

from __future__ import annotations

import base64
import json
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..hub.errors import ModelFilesError, converting_faults
from ..process import ProcessEnded, ProcessLimits, Progress, no_report, run

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LIMITS = ProcessLimits(2_000_000_000, 30.0, is_quiet=True)  # of a batch
MOST_GROWTH = 16  # tokens for each character of a text
MOST_ADDED = 64  # tokens that may be added to those of a text
MOST_RULES = 50
LONGEST_ENTRY = 18  # most characters that may replace one, as in NFKD
LONGEST_WORD = 200  # characters of a word; with longer ones 100,000 characters take over 1.5 s
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+|"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|"
# Patterns of T5 and XLNet, CLIP, Llama 3 and Qwen 2. Each reads any text in one pass.
FAST = {
    " {2,}",
    r"\s+",
    r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    _ENDINGS + _WORDS + r"\p{N}{1,3}" + _REST,
    _ENDINGS + _WORDS + r"\p{N}" + _REST,
}
# Types of rules that leave a text about as long
_STEADY = {
    *("BertPreTokenizer", "Lowercase", "Nmt", "Replace", "Strip", "StripAccents", "Digits"),
    *("CharDelimiterSplit", "FixedLength", "Punctuation", "Split", "UnicodeScripts"),
    *("Whitespace", "WhitespaceSplit"),
}
# Types that may lengthen each character once
_LENGTHENING = {
    *("BertNormalizer", "ByteLevel", "Metaspace", "NFC", "NFD", "NFKC", "NFKD", "Precompiled"),
    "Prepend",
}


class TextTokens(NamedTuple):
    """One text's tokens, with the attributes of an Encoding."""

    ids: Sequence[int] | np.ndarray
    tokens: Sequence[str]
    special_tokens_mask: Sequence[int] | np.ndarray  # 1 for special tokens and those of a prefix


def split_apart(
    tokenizer: str, texts: Sequence[str], *, special: bool, name: str, report: Progress = no_report
) -> list[TextTokens]:
    """The tokens of the texts, by another process; ModelFilesError beyond its limits."""
    try:
        return run(LIMITS, partial(_split, tokenizer, list(texts), special, name), report)
    except (MemoryError, ProcessEnded) as error:
        if isinstance(error, ProcessEnded) and error.too_slow:
            seconds = round(LIMITS.cpu_seconds)
            raise ModelFilesError("slow_patterns", name=name, seconds=seconds) from error
        raise ModelFilesError("growing_text", name=name, limit=MOST_GROWTH) from error


def _split(tokenizer: str, texts: list[str], special: bool, name: str) -> list[TextTokens]:
    """The tokens, in the process. MemoryError for far more tokens than characters."""
    from tokenizers import Tokenizer

    with converting_faults(name):
        encodings = Tokenizer.from_str(tokenizer).encode_batch(texts, add_special_tokens=special)
    if sum(map(len, encodings)) > MOST_GROWTH * sum(map(len, texts)) + MOST_ADDED * len(texts):
        raise MemoryError
    return [TextTokens(each.ids, each.tokens, each.special_tokens_mask) for each in encodings]


def is_plain(tokenizer: Tokenizer) -> bool:
    rules = [
        rule
        for part in (tokenizer.normalizer, tokenizer.pre_tokenizer)
        if part is not None
        for rule in _flat(json.loads(part.__getstate__()))
    ]
    kinds = Counter(rule["type"] for rule in rules)
    return (
        len(rules) <= MOST_RULES
        and all(kind in _STEADY or (kind in _LENGTHENING and kinds[kind] == 1) for kind in kinds)
        and all(map(_is_harmless, rules))
        and _longest_word(tokenizer) <= LONGEST_WORD
        and tokenizer.num_special_tokens_to_add(False) <= MOST_ADDED
        and len(tokenizer.encode("a").ids) <= 2 * MOST_ADDED  # a template may repeat the text
    )


def _flat(rule: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    parts = rule.get("normalizers", rule.get("pretokenizers"))
    if parts is None:
        yield rule
    for part in parts or ():
        yield from _flat(part)


def _is_harmless(rule: Mapping[str, Any]) -> bool:
    """Whether the rule's settings let it work fast and put in at most one character for each."""
    pattern = rule.get("pattern", {"String": " "})
    is_fast = pattern["Regex"] in FAST if "Regex" in pattern else bool(pattern.get("String"))
    put = rule.get("content", rule.get("prepend", ""))
    if rule["type"] == "Precompiled":
        return _longest_entry(rule) <= LONGEST_ENTRY
    return is_fast and len(unicodedata.normalize("NFKD", put)) <= 1


def _longest_entry(rule: Mapping[str, Any]) -> int:
    """Characters of the longest text in sentencepiece's table, once NFKD has decomposed them."""
    table = base64.b64decode(rule["precompiled_charsmap"])
    texts = table[4 + int.from_bytes(table[:4], "little") :].decode(errors="replace")
    return max(map(len, unicodedata.normalize("NFKD", texts).split("\0")))


def _longest_word(tokenizer: Tokenizer) -> int:
    """Characters of the longest piece that is tried at each place; byte pairs try none."""
    if type(tokenizer.model).__name__ == "Unigram":
        return max(map(len, tokenizer.get_vocab()), default=0)
    return getattr(tokenizer.model, "max_input_chars_per_word", 0)
