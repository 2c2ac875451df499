"""A sentence as the plain average of its pieces' input embeddings: no context, no layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..encode.encoder import Encoder


def type_averages(encoder: Encoder, texts: Sequence[str]) -> np.ndarray:
    """(n, d) float32: the mean over each text's word pieces of their rows of the input matrix.

    What GloVe averages are to words: a *static* vector a type, special tokens left out, no
    position. It is not layer 0, which adds positions and special tokens and normalises.
    Raises ValueError naming the first text without a piece.
    """
    table = encoder.type_embeddings()
    row_of = {word: row for row, word in enumerate(table.words)}
    out = np.empty((len(texts), table.vectors.shape[1]), dtype=np.float32)
    for place, pieces in enumerate(encoder.tokenize(texts)):
        rows = [row_of[piece] for piece in pieces if piece in row_of]
        if not rows:
            raise ValueError(f"text {place} has no word piece to average; leave it out")
        out[place] = table.vectors[rows].mean(axis=0, dtype=np.float64)
    return out
