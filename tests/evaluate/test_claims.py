"""A narrower cone against its score, and the share of pooling, by hand and by scipy."""

import pytest
from scipy.stats import spearmanr

from geometry.evaluate.claims import PoolingShare, narrower_against_score


def test_cells_that_contradict_by_hand():
    # cells 0 and 1 agree with the claim; 2 is the narrowest and scores best
    found = narrower_against_score([0.1, 0.5, 0.9], [60.0, 50.0, 70.0])
    assert (found.n, found.pairs, found.against) == (3, 3, 2)
    assert found.correlation == pytest.approx(spearmanr([0.1, 0.5, 0.9], [60, 50, 70])[0])
    [example] = found.examples  # (2, 0) or (2, 1), not both: they share cell 2
    assert (example.narrow, example.wide) == (2, 1) if 0.4 * 20 > 0.8 * 10 else (2, 0)
    assert example.cosine_gap > 0
    assert example.score_gap > 0


def test_a_rule_without_exception_has_no_examples():
    found = narrower_against_score([0.1, 0.5, 0.9], [70.0, 60.0, 50.0])
    assert (found.correlation, found.against, found.examples) == (-1.0, 0, ())


def test_equal_cells_are_no_pair_and_too_few_have_no_correlation():
    found = narrower_against_score([0.5, 0.5], [60.0, 50.0])
    assert (found.pairs, found.against, found.correlation) == (0, 0, None)
    assert narrower_against_score([0.5] * 3, [1.0, 2.0, 3.0]).correlation is None
    with pytest.raises(ValueError, match="2 mean cosines for 1 scores"):
        narrower_against_score([0.1, 0.2], [1.0])


def test_the_published_share_of_pooling():
    # Reimers, Gurevych 2019, Table 1, STS-B: (46.35 - 16.50) / (58.02 - 16.50)
    assert PoolingShare(16.50, 46.35, 58.02).share == pytest.approx(29.85 / 41.52)
    assert PoolingShare(60.0, 65.0, 50.0).share is None
