"""The inspector: the chosen point with its neighbours in both spaces, the selected points."""

from __future__ import annotations

import streamlit as st

from pages.common.draw.find_point import short
from pages.common.draw.selected import show_selection
from pages.common.words import Translate

from .scene import Scene


def show_inspector(scene: Scene, _: Translate) -> None:
    """The chosen text, both lists of neighbours, and the selected points.

    Neighbours in both lists are bold.
    """
    cloud, near = scene.points.cloud, scene.near
    show_selection(cloud, scene.points.key, _)
    if near is None:
        st.caption(_("Click a point to see its text and its nearest neighbours."))
        return
    label = f" · {short(cloud.labels[near.row])}" if cloud.labels else ""
    st.markdown(_("Nearest to **{text}**").format(text=short(cloud.texts[near.row])) + label)
    both = set(near.raw.rows) & set(near.white.rows)
    titles = (_("in the raw space"), _("in the whitened space"))
    for title, found in zip(titles, (near.raw, near.white), strict=True):
        lines = [f"| {title} | cos |", "| --- | ---: |"]
        for other, cosine in zip(found.rows, found.cosines, strict=True):
            text = short(cloud.texts[other])
            text = f"**{text}**" if other in both else text
            topic = f" · {short(cloud.labels[other])}" if cloud.labels else ""
            lines.append(f"| {text}{topic} | {cosine:.3f} |")
        st.markdown("\n".join(lines))
    st.caption(_("Bold: in both lists ({n} of {k}).").format(n=len(both), k=len(near.raw.rows)))
