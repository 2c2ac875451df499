"""The page's claim beside what the current basis shows."""

from __future__ import annotations

import numpy as np

from geometry.data.number_text import signed
from geometry.projection.plane import Plane
from pages.common.verdict import State, Verdict
from pages.common.words import _

from .numbers import provenance
from .scene import Scene

EQUAL = 5e-4  # largest difference of cosines that are printed alike


def is_standard(plane: Plane) -> bool:
    """True if the axes are perpendicular and equally long, and start at the origin."""
    equal = abs(plane.length_1 - plane.length_2) < EQUAL
    return equal and abs(plane.angle - 90) < EQUAL and not any(plane.shift)


def basis_verdict(scene: Scene) -> Verdict:
    """Whether the cosine of the coordinates is the cosine of the angle, for the three points."""
    gaps = np.abs(scene.cosines.true - scene.cosines.coordinates)
    largest = float(gaps.max())
    standard = is_standard(scene.plane)
    state: State = "holds"
    if np.isnan(gaps).any():
        state = "unknown"
        measured = _("A point on the origin has no direction and no cosine.")
    elif standard:
        measured = _(
            "Your axes are perpendicular and equally long. The two cosines of each pair are equal."
        )
    elif largest > EQUAL:
        measured = _(
            "Your axes are not perpendicular, not equally long or shifted. The two cosines of a "
            "pair differ by up to **{gap}**."
        ).format(gap=signed(largest, 3))
    else:
        state = "partly"
        measured = _(
            "Your axes are not perpendicular or shifted, but the two cosines of these three points "
            "are equal all the same. Move a point to see a difference."
        )
    return Verdict(
        claim=_(
            "The cosine of coordinates is the cosine of the angle only if the axes are "
            "perpendicular and equally long."
        ),
        source="Su et al. (2021)",
        state=state,
        measured=measured,
        basis=" ".join(
            [_("Three points, worked out exactly: there is no interval."), provenance(scene)]
        ),
    )
