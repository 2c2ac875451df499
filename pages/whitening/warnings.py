"""Warnings of treatments after which the points mean nothing: a simplex, or all at zero."""

from __future__ import annotations

import streamlit as st

from pages.common.words import prose

from . import PAGE
from .scene import Scene


def warn_of_emptied(scene: Scene) -> None:
    """A warning if every direction of the fit is removed."""
    for picture in scene.pictures:
        fitted = picture.treatment.fitted
        if "n_removed" in picture.kind.knobs and fitted.leaves_nothing:
            values = {
                "fitted": f"{fitted.n_rows:,}",
                "rank": f"{fitted.rank}",
                "removed": f"{len(fitted.weights)}",
            }
            st.warning(prose(PAGE, "emptied", values))


def warn_of_simplex(scene: Scene) -> None:
    """A warning if a full whitening was fitted on no more points than directions."""
    maps = [picture.treatment.fitted for picture in scene.pictures]
    simplices = {
        picture.is_regular: picture for picture in maps if getattr(picture, "makes_simplex", False)
    }
    for is_regular, fitted in simplices.items():
        n = {"n": f"{fitted.n_rows:,}", "distinct": f"{fitted.n_distinct:,}"}
        kind = "" if is_regular else "-uneven"
        if scene.sets.is_all_fitted:
            st.error(prose(PAGE, f"simplex{kind}", n))
        else:  # only the points of the fit are a simplex, and the pictures show others too
            st.warning(prose(PAGE, f"simplex-fit{kind}", n))
