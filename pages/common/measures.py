"""The labels of measures, their printed values, and the reasons for no value."""

from __future__ import annotations

from geometry import Corpus
from geometry.data import VectorSet
from geometry.data.number_text import estimate, signed
from geometry.error_sentences import REASONS
from geometry.measure import Measured
from geometry.measure.annotated import ANNOTATED
from geometry.measure.table_measures import LISTED

from .escape import markdown
from .words import _

HEADLINES = ("mean_cosine", "isoscore")  # measures in large numbers below a cloud
COSINE_DECIMALS = 3  # of a mean cosine or an IsoScore in a large number
DIMENSION_SHARES = ("top_contribution", "top_5_contributions")  # of the mean cosine
LABELS = {name: listed.label for name, listed in LISTED.items()} | ANNOTATED


def measure_label(name: str, *, with_unit: bool = False) -> str:
    """The label in the reader's language."""
    label = _(LABELS[name])
    if not (with_unit and unit_of(name)):
        return label
    return _("{measure} ({unit})").format(measure=label, unit=unit_of(name))


def agreement_label(corpus: Corpus) -> str:
    """The label of the neighbours' agreement, named after the column of the labels."""
    if corpus.label_column is None:
        return measure_label("label_agreement")
    if corpus.label_column == "topic":
        return _("topic agreement of 5 neighbours")
    return _("agreement of 5 neighbours in “{column}”").format(column=markdown(corpus.label_column))


def same_label(corpus: Corpus) -> str:
    """A short label of the same share, for a large number."""
    if corpus.label_column == "topic":
        return _("same topic (5 nearest)")
    if corpus.label_column is None:
        return _("same label (5 nearest)")
    return _("same {column} (5 nearest)").format(column=corpus.label_column)


def label_name(corpus: Corpus | VectorSet) -> str:
    """The name of the labels: that of their column."""
    if corpus.label_column == "topic":
        return _("topic")
    return corpus.label_column or _("label")


def unit_of(name: str) -> str:
    """ "°" for an angle, "" for a pure number."""
    return LISTED[name].unit if name in LISTED else ""


def decimals_of(name: str) -> int:
    """The number of decimals of a measure."""
    return LISTED[name].decimals if name in LISTED else 3


def print_value(name: str, value: float | None, decimals: int | None = None) -> str:
    """The number without its unit, "" for None."""
    if value is None:
        return ""
    if name == "label_agreement":
        return f"{value:.1%}"
    return signed(value, decimals_of(name) if decimals is None else decimals)


def no_value(undefined: str | None) -> str:
    """The text of a cell without a value; ``undefined`` is the code of the reason."""
    code = undefined or "all_zero"
    return _("— ({reason})").format(reason=_(REASONS[code]))


def measured_words(row: Measured) -> str:
    """The value with its interval, if it has one; 0 for no value."""
    return estimate(row.value or 0.0, row.low, row.high)
