"""The points of the pictures as CSV."""

from __future__ import annotations

import numpy as np

from pages.common.downloads import offer_csv, points_csv
from pages.common.words import Translate

from .provenance import provenance
from .scene import Scene


def take_away(scene: Scene, _: Translate) -> None:
    """The points as CSV; the pictures themselves have a camera button."""
    measured_on = provenance(scene, _)
    offer_csv(
        _("Download points (CSV)"),
        "whitening-points",
        lambda: pictures_csv(scene, measured_on, _),
    )


def pictures_csv(scene: Scene, measured_on: str, _: Translate) -> bytes:
    """The coordinates of every picture, as drawn."""
    view = _("view {name}").format(name=scene.pictures[0].projection.method)
    axes = "xyz"[: scene.pictures[0].projection.n_components]
    columns = [f"{picture.name}_{axis}" for picture in scene.pictures for axis in axes]
    places = np.hstack(
        [picture.projection.around_origin * picture.factor for picture in scene.pictures]
    )
    factors = [f"{picture.name} × {picture.factor:.4g}" for picture in scene.pictures]
    return points_csv(
        scene.material.cloud, columns, places, " · ".join([measured_on, view, *factors])
    )
