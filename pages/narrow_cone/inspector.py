"""The inspector: the chosen point with its neighbours in both spaces, the selected points."""

from __future__ import annotations

from html import escape

import streamlit as st

from geometry import Cloud
from pages.common.draw.find_point import short
from pages.common.draw.selected import show_selection
from pages.common.words import _

from .scene import Scene


def show_inspector(scene: Scene) -> None:
    """The chosen text, both lists of neighbours, and the selected points.

    Neighbours in both lists are bold.
    """
    cloud, near = scene.points.cloud, scene.near
    show_selection(cloud, scene.points.key)
    if near is None:
        return
    label = f" · {short(cloud.labels[near.row])}" if cloud.labels else ""
    both = set(near.raw.rows) & set(near.white.rows)
    kept = _("bold: in both lists ({n} of {k})").format(n=len(both), k=len(near.raw.rows))
    nearest = _("Nearest to **{text}**").format(text=short(cloud.texts[near.row]))
    st.markdown(f"{nearest}{label} · {kept}")
    titles = (_("in the raw space"), _("in the whitened space"))
    sides = zip(st.columns(2), titles, (near.raw, near.white), strict=True)
    for box, title, found in sides:
        rows = [
            _row(cloud, other, cosine, both)
            for other, cosine in zip(found.rows, found.cosines, strict=True)
        ]
        box.html(f'<table class="near"><tr><th>{title}<th>cos</tr>{"".join(rows)}</table>')


def _row(cloud: Cloud, row: int, cosine: float, both: set[int]) -> str:
    """A neighbour on one line; the whole text is shown under the pointer and by keyboard."""
    text = escape(cloud.texts[row])
    shown = f"<b>{text}</b>" if row in both else text
    topic = f" <small>{escape(cloud.labels[row])}</small>" if cloud.labels else ""
    return f'<tr><td tabindex="0">{topic} {shown}<td>{cosine:.3f}</tr>'
