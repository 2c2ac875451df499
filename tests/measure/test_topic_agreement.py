"""Neighbours after whitening on the shipped topics, as README and the page quote them."""

import numpy as np
import pytest

from geometry import label_agreement, load_encoder, read_bundled
from geometry.projection import whiten_beside
from geometry.projection.twin import fit_whitening

pytestmark = [pytest.mark.model, pytest.mark.long]


def test_on_all_of_them_whitening_is_a_clear_loss():
    topics = read_bundled("topics")
    X, labels = load_encoder().encode(topics.texts, layer=4), np.array(topics.labels)
    white = whiten_beside(X, fit_whitening(X, "recommended")).vectors
    assert len(labels) == 1224
    assert label_agreement(X, labels, k=5) == pytest.approx(0.55, abs=0.01)
    assert label_agreement(white, labels, k=5) == pytest.approx(0.40, abs=0.01)
