"""A table of static word vectors as an encoder of no layers."""

import hashlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from ..data.embeddings import VectorTable, known_parts
from ..data.words import words_in
from .encoder import Encoder
from .pool import POOLINGS
from .word_table import WordReader, WordStates

MOST_WORDS = 1_000_000  # of a text


class WordEncoder(Encoder):
    """Static word vectors as an encoder of layer 0; words are found as for averages."""

    def __init__(self, table: VectorTable) -> None:
        self._table = table
        self._is_bundled = self._needs_trial = False
        self.name, self.revision, self.dtype = table.name, None, "float32"
        self.n_layers, self.dimension = 0, table.vectors.shape[1]
        self.max_tokens = MOST_WORDS
        self.device, self.prefix = "cpu", ""
        self.memory_bytes = table.vectors.nbytes

    @cached_property
    def fingerprint(self) -> str:
        digest = hashlib.sha256(self._table.vectors.tobytes())
        digest.update("\n".join(self._table.words).encode())
        return digest.hexdigest()

    @property
    def poolings(self) -> tuple[str, ...]:
        return tuple(POOLINGS)

    def type_embeddings(self) -> VectorTable:
        return self._table

    @cached_property
    def _reader(self) -> WordReader:
        return _TableReader(self._table)

    @cached_property
    def _model(self) -> WordStates:
        import torch

        return WordStates(torch.tensor(self._table.vectors))


class _TableReader(WordReader):
    """The words of a text as word averages take them."""

    def __init__(self, table: VectorTable) -> None:
        super().__init__(Path(), max_tokens=MOST_WORDS)
        self._table = table
        self._ids = {word: row for row, word in enumerate(table.words)}

    def _lookup(self, text: str) -> Iterator[str | None]:
        for word in words_in(text):
            for part in known_parts(word, self._table):
                row = self._table.row_of(part)
                yield None if row is None else self._table.words[row]
