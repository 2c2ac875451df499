"""Correlations × 100 in words, as tables of this field print them, and published ones."""

import math

from geometry.data.number_text import signed
from geometry.evaluate.bootstrap import Aggregate, Difference, PairScore
from geometry.evaluate.published import PublishedScore
from geometry.measure.intervals import Estimate

from .words import _, names

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
    return with_interval(score.spearman, score.low, score.high)


def moved_words(moved: Difference | Estimate | None) -> str:
    if moved is None:
        return hundred(None)
    return with_interval(moved.value, moved.low, moved.high, sign=True)


def clear_sign(moved: Difference | None) -> int | None:
    """1 for a clear gain, -1 for a clear loss, 0 for neither; None without an interval."""
    if moved is None or moved.value is None or moved.low is None:
        return None
    if not moved.is_clear:
        return 0
    return 1 if moved.value > 0 else -1


def row_name(table: str, name: str) -> str:
    return names("scores").get(f"{table}/{name}", name)


def source_words(score: PublishedScore) -> str:
    return names("papers")[score.table]


def similarity_names() -> dict[str, str]:
    return {
        "cosine": _("cosine"),
        "dot": _("dot product"),
        "euclidean": _("Euclidean distance"),
        "mahalanobis": _("Mahalanobis distance"),
        "rank": _("rank correlation of coordinates"),
    }
