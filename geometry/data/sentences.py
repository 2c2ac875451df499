"""Texts to sentences, by the marks at their ends, in English and Chinese."""

from __future__ import annotations

import re

# Letters before a full stop that usually ends no sentence.
_SHORT = (
    "mr", "mrs", "ms", "dr", "prof", "st", "no", "vs", "etc", "e.g", "i.e", "fig", "eq", "al",
    "jr", "sr", "inc", "ltd", "co", "u.s", "u.k", "p", "pp", "cf", "approx",
)  # fmt: skip
_CLOSING = r"[\"'”’)\]」』）》]*"
_END = re.compile(
    rf"[。！？]+{_CLOSING}\s*"  # Chinese: no space is needed
    rf"|(?:[.!?…]+){_CLOSING}\s+(?=[\"'“‘(\[「『（]*[^\W_a-z])"  # else a capital or a digit follows
    r"|\n\s*\n"
)
_LAST_WORD = re.compile(r"([^\s(\[“‘\"']+)\.$")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, stripped; a text without an end of a sentence is one.

    Full stops after usual abbreviations and single letters end no sentence.
    """
    sentences, start = [], 0
    for found in _END.finditer(text):
        piece = text[start : found.end()].strip()
        last = _LAST_WORD.search(piece)
        if last and (last[1].casefold() in _SHORT or re.fullmatch(r"[A-Z]", last[1])):
            continue
        if piece:
            sentences.append(piece)
        start = found.end()
    if rest := text[start:].strip():
        sentences.append(rest)
    return sentences
