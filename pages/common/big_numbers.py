"""A few numbers in large print below a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from .words import with_sign


@dataclass(frozen=True)
class BigNumber:
    """A number that can be read from the last row of a lecture hall.

    Attributes
    ----------
    label : str
        The name of the number.
    value : str
    note : str
        A reference, such as the value for isotropic data.
    change : str
        The difference to another cloud; empty without one.
    """

    label: str
    value: str
    note: str = ""
    change: str = ""


def show_big_numbers(title: str, numbers: Sequence[BigNumber], *, key: str) -> None:
    """The numbers side by side under a title, as a list that screen readers can read.

    Parameters
    ----------
    title : str
        The title of the picture.
    numbers : sequence of BigNumber
    key : str
        The key of the list on the page.
    """
    items = "".join(_item(number) for number in numbers)
    with st.container(key=key):
        st.html(f'<dl class="big-numbers" aria-label="{escape(title)}">{items}</dl>')


def _item(number: BigNumber) -> str:
    below = [f"<dd><small>{escape(text)}</small></dd>" for text in (number.note, number.change)]
    dt, dd = escape(number.label), escape(number.value)
    return f"<div><dt>{dt}</dt><dd><b>{dd}</b></dd>{''.join(below)}</div>"


def change_of(value: float | None, former: float | None, decimals: int) -> str:
    """The signed difference; "" if one of the values is missing.

    Parameters
    ----------
    value : float or None
    former : float or None
        The value before the change.
    decimals : int
        Decimals of the printed difference.
    """
    if value is None or former is None:
        return ""
    return with_sign(value - former, decimals)
