"""Static word vectors in a sentence-transformers folder (WordEmbeddings): an encoder of no layers.

The text is split at white space. Each word is looked up unchanged, then without punctuation around
it, then in lower case. Stop words are left out.
sentence-transformers' own module is not used, as in own_output.py: it would be built at the sizes
of the settings before any check, and its import takes 1.2 s beyond transformers.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.embeddings import VectorTable, known_parts
from ..data.limits import MOST_CHARACTERS
from ..data.words import words_in
from ..hub.errors import ModelFilesError
from ..hub.model_files import module_folder, read_json, read_modules
from ..process import Progress, no_report
from .architecture import Architecture
from .errors import TextError
from .split_apart import TextTokens
from .tokenizer import Coverage, in_batches

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
    """An Architecture of no layers, with the longest text in words."""
    from safetensors import safe_open

    for needed in (TOKENIZER_FILE, "model.safetensors"):
        if not (place / needed).is_file():
            raise ModelFilesError("no_word_file", name=name, file=needed)
    with safe_open(place / "model.safetensors", "numpy") as file:
        if WEIGHT not in file.keys():  # noqa: SIM118 (it is no mapping)
            raise ModelFilesError("no_word_weights", name=name, weight=WEIGHT)
        dimension = file.get_slice(WEIGHT).get_shape()[1]
    limit = read_json(place / SETTINGS_FILE, {}).get("max_seq_length") or 1_000_000
    return Architecture(0, dimension, int(limit), lowercase=False)


class WordReader:
    """The whitespace tokenizer of a folder, with the methods of ``PieceReader``."""

    special_tokens = ()  # none are added to a text

    def __init__(self, settings: Mapping[str, Any], *, max_tokens: int, prefix: str = "") -> None:
        self._ids = {word: i for i, word in enumerate(settings["vocab"])}
        self._stop_words = frozenset(settings.get("stop_words", ()))
        self._lowercase = bool(settings.get("do_lower_case"))
        self._prefix_words = [word for word in self._lookup(prefix) if word is not None]
        self._limit = max(0, max_tokens - len(self._prefix_words))
        self.max_tokens = max_tokens

    @classmethod
    def read(cls, place: Path, **how: Any) -> WordReader:
        return cls(read_json(place / TOKENIZER_FILE), **how)

    def encodings(self, texts: Sequence[str], report: Progress = no_report) -> list[TextTokens]:
        """The known words of each text; TextError for a text without any."""
        found = self.pieces(texts, report)
        if empty := [i for i, words in enumerate(found) if not words]:
            raise TextError("no_known_words", row=empty[0] + 1, n_empty=len(empty), n=len(found))
        prefix = self._prefix_words
        return [
            TextTokens(
                [self._ids[word] for word in (*prefix, *words)],
                [*prefix, *words],
                [1] * len(prefix) + [0] * len(words),
            )
            for words in found
        ]

    def pieces(self, texts: Sequence[str], report: Progress = no_report) -> list[list[str]]:
        looked_up = self._looked_up(texts, report)
        return [[word for word in each if word is not None][: self._limit] for each in looked_up]

    def coverage(self, texts: Sequence[str], report: Progress = no_report) -> Coverage:
        """Count cut texts and unknown words. Stop words are not counted."""
        looked_up = self._looked_up(texts, report)
        known = [sum(word is not None for word in each) for each in looked_up]
        total = sum(map(len, looked_up))
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

    def words(self) -> dict[int, str]:
        return {i: word for word, i in self._ids.items()}

    def _looked_up(self, texts: Sequence[str], report: Progress) -> list[list[str | None]]:
        return in_batches(texts, lambda batch, _: [[*self._lookup(t)] for t in batch], report)

    def _lookup(self, text: str) -> Iterator[str | None]:
        """Each word in the vocabulary's form; None for an unknown word."""
        if self._lowercase:
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


class TableReader(WordReader):
    """The words of a text as word averages take them."""

    def __init__(self, table: VectorTable, *, max_tokens: int) -> None:
        self._table = table
        super().__init__({"vocab": table.words}, max_tokens=max_tokens)

    def _lookup(self, text: str) -> Iterator[str | None]:
        for word in words_in(text):
            for part in known_parts(word, self._table):
                row = self._table.row_of(part)
                yield None if row is None else self._table.words[row]


class WordStates:
    """The table as a model: its one hidden state is the rows of the ids (b, L)."""

    pad_id = 0

    def __init__(self, table: Tensor) -> None:
        self._table = table

    @classmethod
    def read(cls, place: Path, *, dtype: str, device: str) -> WordStates:
        import torch
        from safetensors.torch import load_file

        table = load_file(place / "model.safetensors", device)[WEIGHT]
        return cls(table.to(getattr(torch, dtype)))

    def __call__(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        return (self._table[ids],)

    def input_embeddings(self) -> Tensor:
        return self._table
