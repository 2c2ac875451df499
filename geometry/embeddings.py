"""Vectors with what they belong to: tokens in their sentences, words of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TokenEmbeddings:
    """Contextual tokens, one row each, in the order of the texts.

    vectors (N, d) float32; tokens: N word pieces; sentence (N,) index of the text;
    position (N,) place in its text, counted with special tokens from 0.
    """

    vectors: np.ndarray
    tokens: tuple[str, ...]
    sentence: np.ndarray
    position: np.ndarray


@dataclass(frozen=True)
class VectorTable:
    """Static vectors (n, d) float32 and the n words they belong to."""

    vectors: np.ndarray
    words: tuple[str, ...]
