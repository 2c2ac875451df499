"""A model's input embeddings, averaged over the word pieces of a text: its own static vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.corpus import Corpus
from ..hub.download import Progress
from .disk_cache import key_of
from .encoder import Encoder
from .tokenizer import TextError


def type_averages_key(encoder: Encoder, corpus: Corpus) -> str:
    """The key of a corpus' averages in an ``ArrayStore``."""
    return key_of(encoder, corpus, "sentences", 0, "type averages")


def type_averages(
    encoder: Encoder, texts: Sequence[str], *, progress: Progress | None = None
) -> np.ndarray:
    """(n, d) float32: the mean of the input embeddings of each text's word pieces.

    The counterpart of averaged GloVe vectors: one *static* vector a type, without special tokens
    and positions. Layer 0 differs: it adds positions and special tokens, and normalises.

    Parameters
    ----------
    encoder : Encoder
    texts : sequence of n str
    progress : callable, optional
        As in ``Encoder.tokenize``.

    Raises
    ------
    TextError
        If a text has no word piece; the message names the first.
    """
    table = encoder.type_embeddings()
    row_of = {word: row for row, word in enumerate(table.words)}
    out = np.empty((len(texts), table.vectors.shape[1]), dtype=np.float32)
    for place, pieces in enumerate(encoder.tokenize(texts, progress=progress)):
        rows = [row_of[piece] for piece in pieces if piece in row_of]
        if not rows:
            raise TextError("no_word_piece", row=place + 1)
        out[place] = table.vectors[rows].mean(axis=0, dtype=np.float64)
    return out
