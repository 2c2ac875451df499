"""Static word vectors in a sentence-transformers folder (WordEmbeddings): an encoder of no layers.

The text is split at white space. Each word is looked up unchanged, then without punctuation around
it, then in lower case. Stop words are left out.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.limits import MOST_CHARACTERS
from ..hub.model_errors import ModelFilesError
from ..hub.model_files import module_folder, read_json, read_modules
from .architecture import Architecture
from .tokenizer import After, Coverage, TextError, batches_by_characters, checked_texts

if TYPE_CHECKING:
    from torch import Tensor

TOKENIZER_FILE = "whitespacetokenizer_config.json"
SETTINGS_FILE = "wordembedding_config.json"
WEIGHT = "emb_layer.weight"


def word_folder(folder: Path) -> Path | None:
    """The folder of the word vectors in a model's folder; None if the model is a transformer."""
    modules = read_modules(folder)
    if not modules or modules[0]["type"].rpartition(".")[2] != "WordEmbeddings":
        return None
    return module_folder(folder, modules[0]["path"], name=str(folder))


def read_word_architecture(place: Path, *, name: str) -> Architecture:
    """An Architecture of no layers, with the longest text in words. Raises ModelFilesError."""
    for needed in (TOKENIZER_FILE, "model.safetensors"):
        if not (place / needed).is_file():
            raise ModelFilesError("unreadable", because="no_word_file", name=name, file=needed)
    with (place / "model.safetensors").open("rb") as file:  # 8 bytes of length, then JSON
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    if WEIGHT not in header:
        raise ModelFilesError("unreadable", because="no_word_weights", name=name, weight=WEIGHT)
    limit = read_json(place / SETTINGS_FILE, {}).get("max_seq_length") or 1_000_000
    return Architecture(0, header[WEIGHT]["shape"][1], int(limit), lowercase=False)


@dataclass(frozen=True)
class Words:
    """One text's known words, in the form of a tokenizer's Encoding."""

    ids: list[int]
    tokens: list[str]
    of_prefix: int = 0  # the first ones are the prefix's

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for words of the prefix; there are no special tokens."""
        return [1] * self.of_prefix + [0] * (len(self.ids) - self.of_prefix)


class WordReader:
    """The whitespace tokenizer of a folder, with the methods of ``PieceReader``."""

    def __init__(self, place: Path, *, max_tokens: int, prefix: str = "") -> None:
        self._place, self._prefix = place, prefix
        self.max_tokens = max_tokens

    @cached_property
    def _settings(self) -> dict[str, Any]:
        return read_json(self._place / TOKENIZER_FILE)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self._settings["vocab"])}

    @cached_property
    def _stop_words(self) -> frozenset[str]:
        return frozenset(self._settings.get("stop_words", ()))

    @cached_property
    def _prefix_words(self) -> list[str]:
        return [word for word in self._lookup(self._prefix) if word is not None]

    @property
    def _limit(self) -> int:
        """The most words of a text."""
        return max(0, self.max_tokens - len(self._prefix_words))

    def encodings(self, texts: Sequence[str], after: After | None = None) -> list[Words]:
        """The known words of each text; TextError for a text without any.

        after : called with the number of texts read, after some of them.
        """
        found = self.pieces(texts, after)
        if empty := [i for i, words in enumerate(found) if not words]:
            n_empty, n = len(empty), len(found)
            raise TextError("no_known_words", row=empty[0] + 1, n_empty=n_empty, n=n)
        of_prefix = self._prefix_words
        return [
            Words([self._ids[word] for word in words], words, len(of_prefix))
            for words in ([*of_prefix, *each] for each in found)
        ]

    def pieces(self, texts: Sequence[str], after: After | None = None) -> list[list[str]]:
        """The known words of each text; an empty list for a text without any."""
        found: list[list[str]] = []
        for batch in batches_by_characters(checked_texts(texts)):
            found += [
                [word for word in self._lookup(text) if word is not None][: self._limit]
                for text in batch
            ]
            if after is not None and len(found) < len(texts):
                after(len(found))
        return found

    def coverage(self, texts: Sequence[str], after: After | None = None) -> Coverage:
        """Count cut texts and unknown words. Stop words are not counted."""
        known: list[int] = []
        total = 0
        for batch in batches_by_characters(checked_texts(texts)):
            for text in batch:
                looked_up = list(self._lookup(text))
                known.append(sum(word is not None for word in looked_up))
                total += len(looked_up)
            if after is not None and len(known) < len(texts):
                after(len(known))
        return Coverage(
            n_texts=len(known),
            truncated=sum(
                n > self._limit or len(text) > MOST_CHARACTERS
                for n, text in zip(known, texts, strict=True)
            ),
            max_tokens=self.max_tokens,
            tokens=total,
            unknown=total - sum(known),
        )

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """Always (): no tokens are added to a text."""
        return ()

    def words(self) -> dict[int, str]:
        """The vocabulary: from id to word."""
        return {i: word for word, i in self._ids.items()}

    def _lookup(self, text: str) -> Iterator[str | None]:
        """Each word in the vocabulary's form; None for an unknown word."""
        text = text[:MOST_CHARACTERS]
        if self._settings.get("do_lower_case"):
            text = text.lower()
        for word in text.split():
            bare = word.strip(string.punctuation)
            for form in (word, bare, bare.lower()):
                if form in self._stop_words or not form:
                    break  # left out: a stop word, or nothing but punctuation
                if form in self._ids:
                    yield form
                    break
            else:
                yield None


class WordStates:
    """The table as a model: its one hidden state is the rows of the ids (b, L)."""

    pad_id = 0

    def __init__(self, table: Tensor) -> None:
        self._table = table

    @classmethod
    def read(cls, place: Path, *, dtype: str, device: str) -> WordStates:
        """From the folder of the word vectors."""
        import torch
        from safetensors.torch import load_file

        table = load_file(place / "model.safetensors", device)[WEIGHT]
        return cls(table.to(getattr(torch, dtype)))

    def __call__(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        return (self._table[ids],)

    def input_embeddings(self) -> Tensor:
        """The matrix of types (vocabulary, d)."""
        return self._table
