"""A sentence's static vector is the mean of its pieces' rows of the input matrix."""

import numpy as np
import pytest

from geometry import load_encoder
from geometry.evaluate import type_averages

pytestmark = pytest.mark.model


def test_the_mean_of_the_pieces_rows_by_another_way():
    encoder = load_encoder()
    texts = ["The kettle is on.", "Unquestionably so."]
    found = type_averages(encoder, texts)
    matrix = encoder.type_embeddings()
    words = list(matrix.words)
    for row, pieces in zip(found, encoder.tokenize(texts), strict=True):
        rows = [words.index(piece) for piece in pieces]
        assert row == pytest.approx(matrix.vectors[rows].astype(float).mean(axis=0), abs=1e-6)
    assert found.dtype == np.float32


def test_a_text_without_a_piece_is_named():
    with pytest.raises(ValueError, match="Text 2 has no word piece"):
        type_averages(load_encoder(), ["Here.", ""])
