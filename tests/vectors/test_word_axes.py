"""Words on independent, principal and random axes: planted subjects, and GloVe's figures."""

from dataclasses import replace

import numpy as np
import pytest

from geometry.vectors import read_bundled_vectors
from geometry.vectors.word_axes import word_axes

SUBJECTS = 6


@pytest.fixture(scope="module")
def planted():
    """Each word has one of six subjects, and every subject a direction; some noise."""
    rng = np.random.default_rng(0)
    subject = np.arange(3000) % (4 * SUBJECTS)  # most words have none of the six
    X = 5.0 * (subject[:, None] == np.arange(SUBJECTS)) + 0.5 * rng.standard_normal(
        (3000, SUBJECTS)
    )
    words = tuple(f"{s}-{i}" for i, s in enumerate(subject.tolist()))
    table = read_bundled_vectors()
    mixed = (X @ rng.standard_normal((SUBJECTS, SUBJECTS))).astype(np.float32)
    return word_axes(replace(table, vectors=mixed, words=words))


def subjects(found, name: str) -> list[set[str]]:
    axes = found.bases[name]
    return [{found.words[i].split("-")[0] for i in axes.top(j, 4)} for j in range(SUBJECTS)]


def test_each_independent_axis_has_the_words_of_one_subject(planted):
    assert sorted(map(sorted, subjects(planted, "independent"))) == [
        [str(s)] for s in range(SUBJECTS)
    ]
    assert any(len(each) > 1 for each in subjects(planted, "principal"))


def test_three_bases_of_one_cloud_and_top_words_by_hand(planted):
    assert planted.n_fitted == len(planted.words) == 1500
    first, *others = (axes.unit @ axes.unit.T for axes in planted.bases.values())
    for other in others:
        np.testing.assert_allclose(first, other, atol=1e-5)
    axes = planted.bases["random"]
    tops = [axes.top(j, 3) for j in range(SUBJECTS)]
    own = [axes.unit[top, j] for j, top in enumerate(tops)]
    assert axes.mean_top(3) == pytest.approx(np.mean(own))
    assert (np.diff(own, axis=1) <= 0).all()
    assert axes.unit[:, 0].max() == axes.unit[tops[0][0], 0]


@pytest.mark.slow
def test_glove_s_independent_axes_are_not_normal_and_its_principal_axes_nearly_are():
    """The figures that the page describes in words."""
    bases = word_axes(read_bundled_vectors()).bases
    assert bases["independent"].kurtosis > 8 * bases["principal"].kurtosis
    assert bases["independent"].skewness > 8 * bases["principal"].skewness
    assert bases["independent"].mean_top(4) > 0.55
    assert abs(bases["principal"].mean_top(4) - bases["random"].mean_top(4)) < 0.05
