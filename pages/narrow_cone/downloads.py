"""The data of the pictures and of the histogram as CSV."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from geometry.measure.cosines import isotropic_cosine_shares
from pages.common.cosine_histogram import EDGES
from pages.common.downloads import csv_bytes, offer_csv, points_csv, short_number
from pages.common.words import _

from .provenance import provenance
from .scene import Scene, histogram


def offer_downloads(scene: Scene) -> None:
    """The pictures' data as CSV; the pictures themselves have a camera button."""
    view = _("view {name}").format(name=scene.raw.projection.method)
    factor = _("whitened cloud drawn × {factor}").format(factor=f"{scene.factor:.4g}")
    measured_on = " · ".join([provenance(scene), view, factor])
    with st.container(horizontal=True):
        offer_csv(
            _("Download points (CSV)"),
            "narrow-cone-points",
            partial(panels_csv, scene, measured_on),
        )
        offer_csv(
            _("Download histogram (CSV)"),
            "narrow-cone-cosines",
            partial(histogram_csv, scene, measured_on),
        )


def panels_csv(scene: Scene, measured_on: str) -> bytes:
    """The coordinates of the raw and the whitened cloud, as drawn."""
    axes = "xyz"[: scene.raw.projection.n_components]
    columns = [f"{side}_{axis}" for side in ("raw", "white") for axis in axes]
    white = scene.white.projection.around_origin * scene.factor
    places = np.hstack([scene.raw.projection.around_origin, white])
    return points_csv(scene.points.cloud, columns, places, measured_on)


def histogram_csv(scene: Scene, measured_on: str) -> bytes:
    """A row for each bin: its edges and its share of pairs, of both clouds and if isotropic."""
    d = scene.white.d
    reference = isotropic_cosine_shares(EDGES, d)
    columns = (
        EDGES[:-1],
        EDGES[1:],
        histogram(scene.raw)[0],
        histogram(scene.white)[0],
        reference,
    )
    return csv_bytes(
        ["cosine_from", "cosine_to", "raw", "white", "isotropic"],
        [[short_number(value) for value in row] for row in zip(*columns, strict=True)],
        measured_on,
    )
