"""A few numbers in large print below a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from geometry.data.number_text import with_sign
from geometry.measure import Measured

from .glosses import with_gloss
from .measures import COSINE_DECIMALS, HEADLINES, print_value
from .words import _


@dataclass(frozen=True)
class BigNumber:
    """A number that can be read from the last row of a lecture hall."""

    label: str
    value: str
    note: str = ""  # a reference, such as the value for isotropic data
    change: str = ""  # the difference to another cloud; empty without one


def show_big_numbers(title: str, numbers: Sequence[BigNumber], *, key: str) -> None:
    """The numbers side by side under a title, as a list that screen readers can read."""
    items = "".join(_item(number) for number in numbers)
    with st.container(key=key):
        st.html(f'<dl class="big-numbers" aria-label="{escape(title)}">{items}</dl>')


def _item(number: BigNumber) -> str:
    below = [f"<dd><small>{escape(text)}</small></dd>" for text in (number.note, number.change)]
    dt, dd = with_gloss(number.label), escape(number.value)
    return f"<div><dt>{dt}</dt><dd><b>{dd}</b></dd>{''.join(below)}</div>"


def change_of(value: float | None, former: float | None, decimals: int) -> str:
    """The signed difference; "" if one of the values is missing."""
    if value is None or former is None:
        return ""
    return with_sign(value - former, decimals)


def measure_numbers(
    rows: Mapping[str, Measured],
    raw: Mapping[str, Measured] | None,  # None for the raw cloud itself
    *,
    names: Sequence[str] = HEADLINES,
) -> list[BigNumber]:
    """Measures of a cloud in large numbers: mean cosine and IsoScore, or those named."""
    labels = {
        "mean_cosine": _("mean cosine"),
        "positive_cosine_share": _("positive cosines"),
        "isoscore": _("IsoScore"),
    }
    numbers = []
    for name in names:
        label, row = labels[name], rows[name]
        isotropic = print_value(name, row.baseline, COSINE_DECIMALS) or "—"
        change = "" if raw is None else change_of(row.value, raw[name].value, COSINE_DECIMALS)
        numbers.append(
            BigNumber(
                label,
                print_value(name, row.value, COSINE_DECIMALS) or "—",
                _("isotropic: {value}").format(value=isotropic),
                _change_words(change),
            )
        )
    return numbers


def agreement_number(
    label: str, share: float | None, raw: float | None, chance: float
) -> BigNumber:
    """The share of neighbours with the same label; ``raw`` is None for the raw cloud itself."""
    change = ""
    if share is not None and raw is not None:
        change = _("{k} points").format(k=with_sign(100 * (share - raw), 1))
    return BigNumber(
        label,
        "—" if share is None else f"{share:.1%}",
        _("by chance: {value}").format(value=f"{chance:.1%}"),
        _change_words(change),
    )


def _change_words(change: str) -> str:
    return _("change: {change}").format(change=change) if change else ""
