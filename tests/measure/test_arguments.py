"""The arguments that every measure refuses, by name, and those that it accepts."""

import re

import numpy as np
import pytest

from geometry import hubness, label_agreement
from geometry.measure import (
    Annotations,
    annotated_table,
    intra_sentence_baseline,
    intra_sentence_similarity,
    isoscore_baseline,
    isotropic_baselines,
    jackknife_interval,
    max_explainable_variance,
    pairwise_cosines,
    participation_baseline,
    self_similarity,
    uniformity_baseline,
)
from geometry.measure.neighbours import nearest, nearest_of_all
from tests.for_each import for_each

pytestmark = pytest.mark.filterwarnings("error")

X = np.random.default_rng(0).standard_normal((60, 5))
IDS = np.arange(60.0) // 3


# argument: (its least value, the functions that take it)
WHOLE = {
    "hubness k": (1, lambda k: hubness(X, k=k)),
    "nearest k": (1, lambda k: nearest(X, 0, k=k)),
    "nearest_of_all k": (1, lambda k: nearest_of_all(X, k=k)),
    "label_agreement k": (1, lambda k: label_agreement(X, IDS, k=k)),
    "pairwise_cosines max_rows": (2, lambda rows: pairwise_cosines(X, max_rows=rows)),
    "uniformity_baseline d": (1, uniformity_baseline),
    "participation_baseline n": (2, lambda n: participation_baseline(n, 5)),
    "participation_baseline d": (1, lambda d: participation_baseline(5, d)),
    "isoscore_baseline n": (2, lambda n: isoscore_baseline(n, 5)),
    "isoscore_baseline d": (2, lambda d: isoscore_baseline(5, d)),
    "isotropic_baselines n": (1, lambda n: isotropic_baselines(["mean_norm_share"], n, 5)),
    "isotropic_baselines d": (1, lambda d: isotropic_baselines(["uniformity"], 5, d)),
}


@for_each("argument", WHOLE)
def test_a_number_that_is_not_whole_is_refused_by_name(argument):
    least, of = WHOLE[argument]
    name = argument.split()[1]
    for given in (least - 1, -1, 2.5, float("nan"), True):
        said = f"{name} must be an integer of at least {least}; got {given!r}"
        with pytest.raises(ValueError, match=re.escape(said)):
            of(given)
    of(least)
    of(np.int64(least))


@for_each(
    "missing", [np.where(IDS == 2, np.nan, IDS), np.where(IDS == 2, None, IDS.astype(object))]
)
def test_rows_without_an_id_are_not_one_type(missing):
    takers = {
        "type": [
            lambda: self_similarity(X, missing),
            lambda: max_explainable_variance(X, missing),
            lambda: annotated_table(X, Annotations(types=missing, sentences=IDS)),
        ],
        "sentence": [
            lambda: intra_sentence_similarity(X, missing),
            lambda: intra_sentence_baseline(missing),
            lambda: annotated_table(X, Annotations(types=IDS, sentences=missing)),
        ],
        "unit": [lambda: jackknife_interval(lambda Z: float(Z.mean()), X, units=missing)],
    }
    for what, several in takers.items():
        said = rf"the {what} of row 7 is (nan|None) \(3 of 60 rows have none\); drop these rows"
        for of in several:
            with pytest.raises(ValueError, match=said):
                of()


def test_ids_may_be_numbers_words_or_dates():
    expected = self_similarity(X, IDS)
    for ids in (IDS.astype(int), IDS.astype(str), IDS.astype(object), IDS.astype("M8[s]")):
        assert self_similarity(X, ids) == pytest.approx(expected)
