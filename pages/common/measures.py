"""Numbers on a page: tables of measures, large numbers, glosses, the card of a claim."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import streamlit as st

from geometry import Corpus, UndefinedMeasure
from geometry.data import VectorSet
from geometry.data.number_text import estimate, signed, with_sign
from geometry.errors import REASONS
from geometry.measure import Measured
from geometry.measure.annotated import ANNOTATED
from geometry.measure.cone import NARROW, cone_state
from geometry.measure.cosines import mean_cosine_spread
from geometry.measure.intervals import MIN_ROWS, Estimate, State
from geometry.measure.neighbours import AgreementDraws, agreement_draws
from geometry.measure.table_measures import TABLE_MEASURES, TOP_SHARES

from .seed import SEED
from .words import _, labelled, language, markdown, paragraph, table_of


def _found(text: str) -> dict[str, str]:
    """The terms that the text contains as whole words."""
    known = table_of("glossary", "gloss", language())
    return {
        term: known[term] for term in known if re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text)
    }


def with_gloss(label: str) -> str:
    """A label as HTML; a known term at its start has its explanation on hover and by keyboard."""
    for term, gloss in _found(label).items():
        if label.startswith(term):  # in "length against rank" a rank is another thing
            said = escape(gloss)
            tag = f'<dfn tabindex="0" aria-description="{said}" data-gloss="{said}">'
            return f"{tag}{escape(term)}</dfn>{escape(label.removeprefix(term))}"
    return escape(label)


def explained_caption(line: str) -> None:
    """A caption of plain text; its known terms are explained on hover and by keyboard."""
    st.caption(markdown(line), help=explained(line))


def explained(text: str) -> str | None:
    """The explanations of all known terms in a caption, as Markdown for ``help``."""
    lines = [labelled(f"**{term}**", gloss) for term, gloss in _found(text).items()]
    return "\n\n".join(lines) or None


HEADLINES = ("mean_cosine", "isoscore")  # measures in large numbers below a cloud
DIMENSION_SHARES = tuple(TOP_SHARES)  # of the mean cosine
COSINE_DECIMALS = 3  # of a mean cosine or an IsoScore in a large number
LABELS = {name: listed.label for name, listed in TABLE_MEASURES.items()} | ANNOTATED


def measure_label(name: str, *, with_unit: bool = False) -> str:
    label = _(LABELS[name])
    unit = unit_of(name) if with_unit else ""
    return _("{measure} ({unit})").format(measure=label, unit=unit) if unit else label


def agreement_label(corpus: Corpus) -> str:
    """The label of the neighbours' agreement, named after the column of the labels."""
    if corpus.label_column is None:
        return measure_label("label_agreement")
    if corpus.label_column == "topic":
        return _("topic agreement of 5 neighbours")
    named = _("agreement of 5 neighbours in “{column}”")
    return named.format(column=markdown(corpus.label_column))


def same_label(corpus: Corpus) -> str:
    label = {
        None: _("same label (5 nearest)"),
        "topic": _("same topic (5 nearest)"),
    }.get(corpus.label_column, _("same {column} (5 nearest)"))
    return label.format(column=corpus.label_column)


def label_name(corpus: Corpus | VectorSet) -> str:
    if corpus.label_column == "topic":
        return _("topic")
    return corpus.label_column or _("label")


def unit_of(name: str) -> str:
    return TABLE_MEASURES[name].unit if name in TABLE_MEASURES else ""


def decimals_of(name: str) -> int:
    return TABLE_MEASURES[name].decimals if name in TABLE_MEASURES else 3


def print_value(name: str, value: float | None, decimals: int | None = None) -> str:
    if value is None:
        return ""
    if name == "label_agreement":
        return f"{value:.1%}"
    return signed(value, decimals_of(name) if decimals is None else decimals)


def no_value(undefined: str | None) -> str:
    code = undefined or "all_zero"
    return _("— ({reason})").format(reason=_(REASONS[code]))


def measured_cell(row: Measured, decimals: int | None = None) -> str:
    if row.value is None:
        return no_value(row.undefined)
    ends = (row.value, row.low, row.high)
    text, low, high = (print_value(row.name, each, decimals) for each in ends)
    # a no-break space: intervals stay whole
    return f"{text} [{low},\u00a0{high}]" if low and high else text


def measured_words(row: Measured) -> str:
    return estimate(row.value or 0.0, row.low, row.high)


@dataclass(frozen=True)
class BigNumber:
    label: str
    value: str
    note: str = ""  # a reference, such as the value for isotropic data
    change: str = ""  # the difference to another cloud; empty without one


def show_big_numbers(title: str, numbers: Sequence[BigNumber], *, key: str) -> None:
    items = [
        f"<div><dt>{with_gloss(each.label)}</dt><dd><b>{escape(each.value)}</b></dd>"
        f"<dd><small>{escape(each.note)}</small></dd>"
        f"<dd><small>{escape(each.change)}</small></dd></div>"
        for each in numbers
    ]
    with st.container(key=key):
        st.html(f'<dl class="big-numbers" aria-label="{escape(title)}">{"".join(items)}</dl>')


def change_of(value: float | None, former: float | None, decimals: int) -> str:
    return "" if value is None or former is None else with_sign(value - former, decimals)


def measure_numbers(
    rows: Mapping[str, Measured],
    raw: Mapping[str, Measured] | None,  # None for the raw cloud itself
    *,
    names: Sequence[str] = HEADLINES,
) -> list[BigNumber]:
    labels = {
        "mean_cosine": _("mean cosine"),
        "positive_cosine_share": _("positive cosines"),
        "isoscore": _("IsoScore"),
    }
    numbers = []
    for name in names:
        row = rows[name]
        value = print_value(name, row.value, COSINE_DECIMALS) or "—"
        isotropic = print_value(name, row.baseline, COSINE_DECIMALS) or "—"
        note = _("isotropic: {value}").format(value=isotropic)
        change = "" if raw is None else change_of(row.value, raw[name].value, COSINE_DECIMALS)
        numbers.append(BigNumber(labels[name], value, note, change_words(change)))
    return numbers


def agreement_number(
    label: str, share: float | None, raw: float | None, chance: float
) -> BigNumber:
    """The share of neighbours with the same label; ``raw`` is None for the raw cloud itself."""
    change = ""
    if share is not None and raw is not None:
        change = _("{k} points").format(k=with_sign(100 * (share - raw), 1))
    note = _("by chance: {value}").format(value=f"{chance:.1%}")
    return BigNumber(label, "—" if share is None else f"{share:.1%}", note, change_words(change))


def change_words(change: str) -> str:
    return _("change: {change}").format(change=change) if change else ""


ICONS = {
    "holds": ":material/check_circle:",
    "partly": ":material/contrast:",
    "fails": ":material/cancel:",
    "unknown": ":material/help:",
}


def agreement_of(
    X: np.ndarray, labels: Sequence[object], units: np.ndarray | None
) -> AgreementDraws | None:
    if len({*labels} - {""}) < 2:
        return None
    try:
        return agreement_draws(X, labels, units=units, seed=SEED)
    except UndefinedMeasure:
        return None


def since(former: AgreementDraws, then: AgreementDraws) -> Estimate:
    """The change from one cloud to another of the same rows, over the same subsamples."""
    value = then.share - former.share
    reach = then.reach(then.shares - former.shares)
    return Estimate(value, value - reach, value + reach)


def by_direction(moved: Estimate, rises: str, falls: str, neither: str) -> str:
    if moved.rises:
        return rises
    return falls if moved.falls else neither


class Control(str):
    """What a verdict's number is compared with, and its value on the same data, as Markdown."""


class NoControl(str):
    """Why a verdict needs no control, as Markdown."""


def isotropic_control(n: int, d: int) -> Control | NoControl:
    """The mean cosine of as many isotropic directions; it is 0, so a value is its difference."""
    if n < 2:
        return nothing_measured()
    spread = np.format_float_positional(mean_cosine_spread(n, d), precision=1, fractional=False)
    said = _(
        "as many isotropic directions have a mean cosine of **0**, with a standard deviation of "
        "{spread} (n = {n}, d = {d})."
    )
    return Control(said.format(spread=spread, n=f"{n:,}", d=d))


def nothing_measured() -> NoControl:
    return NoControl(_("nothing was measured."))


@dataclass(frozen=True)
class Verdict:
    claim: str  # in one sentence, as Markdown
    source: str  # authors and year
    state: State  # "holds", "partly", "fails" or "unknown" (not enough data)
    measured: str  # the measured values with their intervals, as Markdown
    control: Control | NoControl
    basis: str  # n, the fit set and the kind of interval, as plain text
    heading: str = ""  # in place of that of the state


def overall_state(states: set[State]) -> State:
    if states & {"holds", "partly"}:
        return "holds" if states == {"holds"} else "partly"
    return "fails" if "fails" in states else "unknown"


def cone_sentence(
    units: str, value: float | None, low: float | None, high: float | None
) -> tuple[State, str, str]:
    """What the mean cosine and its interval say about the cone: state, heading, sentence."""
    words = {
        "holds": _(
            "A narrow cone: the mean cosine of two different {units} is {cosine}. The limit is "
            "{limit}."
        ),
        "partly": _(
            "Hardly a cone: the mean cosine of two different {units} is {cosine}. A narrow cone "
            "has {limit} or more."
        ),
        "fails": _("No cone: the mean cosine of two different {units} is {cosine}."),
        "unknown": _(
            "The mean cosine of two different {units} is {cosine}. A narrow cone has {limit} or "
            "more, and the interval contains this limit."
        ),
    }
    state = cone_state(low, high)
    heading = _("Not clear.") if state == "unknown" else ""
    said = words[state]
    if low is None:
        heading = ""
        said = _(
            "The mean cosine of two different {units} is {cosine}. Its interval needs {least} or "
            "more that are not all alike."
        )
    cosine = "—" if value is None else estimate(value, low, high)
    return (
        state,
        heading,
        said.format(units=units, cosine=f"**{cosine}**", limit=NARROW, least=MIN_ROWS),
    )


def cone_words() -> str:
    """What this project calls anisotropic and narrow, for the basis of a verdict."""
    return _(
        "anisotropic: a mean cosine above 0, with its whole interval, after Ethayarajh (2019); "
        "narrow cone: {limit} or more, a limit of this project"
    ).format(limit=NARROW)


def show_verdict(verdict: Verdict, *, key: str) -> None:
    states = {
        "holds": _("Holds here."),
        "partly": _("Holds in part."),
        "fails": _("Does not hold here."),
        "unknown": _("Not enough data."),
    }
    with st.container(border=True, key=f"verdict-{key}", gap="xsmall"):
        claim = _("Claim: {claim} – {source}")
        st.markdown(claim.format(claim=verdict.claim, source=verdict.source))
        mark = f"{ICONS[verdict.state]} **{verdict.heading or states[verdict.state]}**"
        st.markdown(paragraph([mark, verdict.measured]))
        if isinstance(control := verdict.control, NoControl):
            st.markdown(_("**No control is needed**: {reason}").format(reason=control))
        else:
            st.markdown(_("**Control**: {measured}").format(measured=control))
        st.caption(markdown(verdict.basis))
