"""Vectors of the reader's own on the pages that draw a cloud."""

from dataclasses import replace

import numpy as np
import pytest

from geometry import mean_cosine
from geometry.data import VectorSet
from pages.common.corpus_cloud import _cloud_of_vectors
from tests.pages.visits import brought, everything, healthy, new_visit


def a_set(n: int = 200, d: int = 8) -> VectorSet:
    """A cone, in two groups."""
    X = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    X[:, 0] += 3
    labels = tuple("ab"[row % 2] for row in range(n))
    return VectorSet("mine", X, labels=labels, label_column="side")


def visit(page: str, vectors: VectorSet) -> tuple[str, list[str]]:
    """All text on the page, and the labels of its lists."""
    app = new_visit(page, brought("vector-uploads", "corpus", vectors), **{"fit-on": "same"})
    healthy(app.run())
    numbers = [
        *(f"{metric.value}" for metric in app.metric),
        *(h.proto.body for h in app.get("html")),
    ]
    return "\n".join([everything(app), *numbers]), [box.label for box in app.selectbox]


@pytest.mark.parametrize("page", ["narrow_cone", "whitening", "your_corpus"])
def test_a_page_measures_uploaded_vectors_without_a_model(page: str) -> None:
    vectors = a_set()
    said, lists = visit(page, vectors)
    assert f"{mean_cosine(vectors.vectors):.3f}" in said
    assert "200 vectors" in said
    assert "vectors of a file" in said
    assert not {"Unit", "Layer", "Pooling"} & set(lists)


def test_rows_of_zeros_are_left_out() -> None:
    vectors = a_set()
    vectors.vectors[[3, 50]] = 0
    said, _lists = visit("narrow_cone", vectors)
    assert "n = 198 vectors" in said
    assert "rows of zeros, left out: 2" in said


def test_points_have_the_numbers_of_their_rows_in_the_file() -> None:
    numbers = np.delete(np.arange(1, 203), [0, 9])  # of a file of 202 rows, two of them left out
    vectors = replace(a_set(), numbers=numbers)
    vectors.vectors[0] = 0
    cloud = _cloud_of_vectors.__wrapped__("", 0, vectors).cloud
    assert cloud.texts[:2] == ("#3", "#4")
    assert cloud.sources.tolist() == (numbers[1:] - 1).tolist()


def test_a_page_that_needs_texts_shows_a_bundled_corpus() -> None:
    said, _lists = visit("word_frequency", a_set())
    assert "your file has vectors. It uses “Topics, English”" in said
