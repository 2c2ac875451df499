"""Correlations × 100 in words, as tables of this field print them, and published ones."""

from __future__ import annotations

import math

from geometry.data.number_text import signed
from geometry.evaluate.bootstrap import Difference, PairScore
from geometry.evaluate.published import PublishedScore
from geometry.evaluate.subsets import Aggregate
from geometry.measure.intervals import Estimate

from .words import _

SBERT = "sbert_table_1"
PUBLISHED_ON = "STS-B"  # the data set whose published scores are compared with the page's


def hundred(value: float | None) -> str:
    """A correlation × 100 with one decimal. None is "undefined"; "—" is for a missing one, NaN."""
    if value is None:
        return _("undefined")
    return "—" if math.isnan(value) else signed(100 * value, 1)


def with_interval(
    value: float | None, low: float | None, high: float | None, *, sign: bool = False
) -> str:
    """A correlation × 100 and its interval, if any: 56.7 [51.2, 61.3], without a line break."""
    number = hundred(value)
    if value is None:
        return number
    plus = "+" if sign and value > 0 and number.strip("0.") else ""
    if low is None or high is None or math.isnan(low):
        return plus + number
    return f"{plus}{number} [{hundred(low)},\u00a0{hundred(high)}]"


def score_words(score: PairScore | Aggregate) -> str:
    """A score × 100 with its interval."""
    return with_interval(score.spearman, score.low, score.high)


def moved_words(moved: Difference | Estimate | None) -> str:
    """A difference × 100 with its sign and interval."""
    if moved is None:
        return hundred(None)
    return with_interval(moved.value, moved.low, moved.high, sign=True)


def row_name(table: str, name: str) -> str:
    """What a row of a published table scores, in the reader's language."""
    first_last = _("BERT-base, mean of the first and the last layer")
    names = {
        (SBERT, "avg GloVe"): _("average of GloVe"),
        ("zipfian_2024_sts", "GloVe-840B"): _("average of GloVe 840B"),
        (SBERT, "BERT CLS"): _("BERT, [CLS]"),
        (SBERT, "avg BERT"): _("BERT, mean of the tokens"),
        ("bert_flow_table_2", "BERTbase first-last"): first_last,
        ("simcse_table_5", "BERT first-last"): first_last,
        ("bert_flow_table_2", "flow target"): _("BERT-base, flow fitted on this data set"),
        ("simcse_table_b2", "whiten target all"): _("BERT-base, whitened, fitted on this data set"),
        ("simcse_table_5", "unsup SimCSE"): _("SimCSE, unsupervised"),
        ("simcse_table_5", "sup SimCSE"): _("SimCSE, supervised"),
        ("simcse_table_5", "SBERT-whitening"): _("SBERT, whitened"),
    }
    return names.get((table, name), name)  # others are names of models


def source_words(score: PublishedScore) -> str:
    """Paper and table."""
    return {
        SBERT: _("Reimers & Gurevych (2019), Table 1"),
        "zipfian_2024_sts": _("Yokoi et al. (2024), released result tables"),
        "bert_flow_table_2": _("Li et al. (2020), Table 2"),
        "simcse_table_5": _("Gao et al. (2021), Table 5"),
        "simcse_table_b2": _("Gao et al. (2021), Table B.2"),
        "all_minilm_l6_v2": _("MTEB leaderboard"),
    }[score.table]
