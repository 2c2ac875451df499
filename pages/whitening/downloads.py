"""The downloads: the points as CSV, and the fitted treatments."""

from __future__ import annotations

import numpy as np
import streamlit as st

from geometry import read_bundled
from geometry.export import AffineMap, affine_map
from geometry.transform.treatments import PAIRS
from pages.common.downloads import offer_csv, points_csv
from pages.common.fit_set import weight_column
from pages.common.transform_downloads import offer_transform
from pages.common.treatment_names import treatment_names
from pages.common.words import _, prose

from . import PAGE
from .provenance import provenance
from .scene import Scene, TreatedCloud


def offer_downloads(scene: Scene) -> None:
    """The points as CSV, and a fitted treatment; the pictures have a camera button."""
    measured_on = provenance(scene)
    offer_csv(
        _("Download points (CSV)"),
        "whitening-points",
        lambda: pictures_csv(scene, measured_on),
    )
    offered = {each.name: each for each in scene.pictures if each.kind.is_exported}
    if not offered:
        return
    names = treatment_names()
    st.markdown(prose(PAGE, "take-home"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            _("Fitted treatment"),
            list(offered),
            format_func=names.__getitem__,
            key="take-home",
            persist_state="session",
        )
        picture = offered.get(chosen, next(iter(offered.values())))
        offer_transform(lambda: exported_map(picture, scene), picture.name)


def exported_map(picture: TreatedCloud, scene: Scene) -> AffineMap:
    """The picture's treatment at its settings, with what it was fitted on."""
    sets = scene.sets
    spec = sets.points.spec
    fit, is_of_pairs = sets.fit_points, picture.kind.needs == PAIRS
    corpus = read_bundled("pairs") if is_of_pairs else fit.corpus
    return affine_map(
        picture.treatment,
        model="" if sets.points.model is None else sets.points.model.name,
        unit=spec.unit,
        layer=spec.layer,
        pooling=spec.pooling if spec.unit == "sentences" else "none",
        corpus=corpus.name,
        **({"weights": weight_column(fit)} if fit.weights is not None and not is_of_pairs else {}),
    )


def pictures_csv(scene: Scene, measured_on: str) -> bytes:
    """The coordinates of every picture, as drawn."""
    view = _("view {name}").format(name=scene.pictures[0].projection.method)
    axes = "xyz"[: scene.pictures[0].projection.n_components]
    columns = [f"{picture.name}_{axis}" for picture in scene.pictures for axis in axes]
    places = np.hstack(
        [picture.projection.around_origin * picture.factor for picture in scene.pictures]
    )
    factors = [f"{picture.name} × {picture.factor:.4g}" for picture in scene.pictures]
    return points_csv(scene.sets.cloud, columns, places, " · ".join([measured_on, view, *factors]))
