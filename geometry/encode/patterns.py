"""Texts split by a tokenizer's own regular expressions, in a process of its own.

A pattern such as ``z*z*y`` tries every pair of places in a run of z, and nothing can interrupt it.
No set of trial texts reaches the slow places of every pattern. So a tokenizer with other patterns
than the fast ones reads its texts in another process, which ends at a limit of time.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .limited import limit_this_process, output_of, started

SECONDS = 30.0  # time limit of a batch, which usually takes half a second
PROCESS_BYTES = 2_000_000_000
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+|"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|"
# Patterns of T5 and XLNet, CLIP, Llama 3 and Qwen 2. Each reads any text in one pass.
FAST = frozenset(
    (
        " {2,}",
        r"\s+",
        r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
        _ENDINGS + _WORDS + r"\p{N}{1,3}" + _REST,
        _ENDINGS + _WORDS + r"\p{N}" + _REST,
    )
)


class Split(NamedTuple):
    """One text's tokens, with the attributes of an Encoding."""

    ids: list[int]
    tokens: list[str]
    special_tokens_mask: list[int]


def may_be_slow(rules: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a rule of the tokenizer has a pattern that is not known to be fast."""
    return any(
        rule["pattern"].get("Regex", " {2,}") not in FAST for rule in rules if "pattern" in rule
    )


def split_apart(
    tokenizer: str, texts: Sequence[str], *, special: bool, watch: Callable[[], object] | None
) -> list[Split] | None:
    """The tokens of the texts; None at a limit of time or memory, and where the library fails.

    Parameters
    ----------
    tokenizer : str
        Its JSON.
    texts : sequence of str
    special : bool
        Whether special tokens are added.
    watch : callable or None
        Called several times a second; an exception raised in it ends the process.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as content:
        request = {"tokenizer": tokenizer, "texts": list(texts), "special": special}
        json.dump(request | {"seconds": SECONDS}, content)
        content.seek(0)
        with started(__name__, content=content, env={}) as process:
            output = output_of(process, SECONDS, watch)
    return [Split(*each) for each in json.loads(output)] if output else None


def _answer(request: dict[str, Any]) -> list[Split]:
    from tokenizers import Tokenizer

    limit_this_process(PROCESS_BYTES, request["seconds"])
    encodings = Tokenizer.from_str(request["tokenizer"]).encode_batch(
        request["texts"], add_special_tokens=request["special"]
    )
    return [Split(each.ids, each.tokens, each.special_tokens_mask) for each in encodings]


if __name__ == "__main__":
    json.dump(_answer(json.load(sys.stdin)), sys.stdout)
