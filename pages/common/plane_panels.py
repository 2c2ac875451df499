"""The two pictures of the page ``cosine_basis`` and the cosines that belong to them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.figures.plane import (
    PlaneLabels,
    PlaneScene,
    draw_plane,
    shared_half_range,
)
from geometry.figures.theme import theme_named
from geometry.toy import (
    PAIRS,
    POINTS,
    Plane,
    background_cloud,
    pair_cosines,
    whitening_of,
)

from .charts import chart_of, show_chart
from .plane_controls import Settings
from .words import Translate, signed

CLOUD_N, CLOUD_SEED = 80, 9  # a seed whose cloud stays near the three points


@dataclass(frozen=True, eq=False)
class Cosines:
    """Three pairs' cosines: of the coordinates, as placed, and after whitening if there is one."""

    coordinates: np.ndarray
    true: np.ndarray
    whitened: np.ndarray | None


@st.cache_resource(max_entries=1, show_spinner=False)
def cloud() -> np.ndarray:
    """The background's coordinates (n, 2)."""
    return background_cloud(CLOUD_N, seed=CLOUD_SEED)


def number(value: float, _: Translate) -> str:
    """Three decimals with a real minus sign; no negative zero, and no nan."""
    if np.isnan(value):
        return _("undefined")
    return signed(float(value), 3)


def fit_set(whiten: str) -> np.ndarray | None:
    """Coordinates that the whitening learns from; None without one."""
    return {"no": None, "cloud": cloud(), "points": POINTS}[whiten]


def cosines(settings: Settings) -> Cosines:
    """The numbers of the page."""
    fit_on = fit_set(settings.whiten)
    return Cosines(
        coordinates=pair_cosines(POINTS),
        true=pair_cosines(settings.plane.place(POINTS)),
        whitened=None if fit_on is None else pair_cosines(reader_scene(settings).points),
    )


def standard_scene() -> PlaneScene:
    """The left panel."""
    return _scene(Plane(), None)


def reader_scene(settings: Settings) -> PlaneScene:
    """The right panel: the reader's basis, whitened where asked."""
    return _scene(settings.plane, fit_set(settings.whiten))


def _scene(plane: Plane, fit_on: np.ndarray | None) -> PlaneScene:
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])  # the basis' origin, e1, e2
    parts = [plane.place(part) for part in (POINTS, corners, cloud())]
    if fit_on is not None:
        whitening = whitening_of(plane.place(fit_on))
        parts = [whitening.apply(part) for part in parts]
    points, (origin, first, second), behind = parts
    return PlaneScene(points, np.column_stack([first - origin, second - origin]), origin, behind)


def show_pictures(
    left: DeltaGenerator, right: DeltaGenerator, settings: Settings, _: Translate
) -> None:
    """Both panels, at one scale."""
    scenes = standard_scene(), reader_scene(settings)
    half_range = shared_half_range(scenes)
    theme = theme_named(st.context.theme.type)
    whitened = settings.whiten != "no"
    seen = POINTS if settings.reading == "coordinates" and not whitened else scenes[1].points
    standard = PlaneLabels(
        points=_point_texts(POINTS),
        basis=("e₁", "e₂"),
        x="x",
        y="y",
        cloud=_("background cloud"),
        unit_circle=_("unit circle"),
        origin=_("origin"),
        lattice=_("lattice"),
    )
    yours = replace(
        standard,
        points=_point_texts(seen),
        x=_("x after whitening") if whitened else "x",
        y=_("y after whitening") if whitened else "y",
    )
    shown = cosines(settings)
    with left:
        st.markdown("##### " + _("Standard basis: what the coordinates say"))
        show_chart(
            chart_of(draw_plane(
                scenes[0], half_range=half_range, labels=standard, theme=theme,
                cloud_colour=theme.ink, unit_circle=settings.unit_circle,
            )),
            key="plane-standard", file_name="standard-basis", zoom=False,
            alt=_alt(_("Standard basis"), scenes[0].points, shown.coordinates, _),
        )  # fmt: skip
    with right:
        title = _("Your basis, whitened") if whitened else _("Your basis: where the points are")
        st.markdown(f"##### {title}")
        show_chart(
            chart_of(draw_plane(
                scenes[1], half_range=half_range, labels=yours, theme=theme,
                cloud_colour=theme.white if whitened else theme.raw,
                unit_circle=settings.unit_circle,
            )),
            key="plane-yours", file_name="your-basis", zoom=False,
            alt=_alt(title, scenes[1].points,
                     shown.true if shown.whitened is None else shown.whitened, _),
        )  # fmt: skip
        st.button(
            _("Undo whitening") if whitened else _("Whiten"),
            key="whiten-button",
            icon=":material/blur_on:",
            on_click=st.session_state.update,
            args=({"whiten": "no" if whitened else "cloud"},),
        )


def _point_texts(points: np.ndarray) -> tuple[str, str, str]:
    a, b, c = (
        f"{name} ({_short(x)}, {_short(y)})" for name, (x, y) in zip("abc", points, strict=True)
    )
    return a, b, c


def _short(value: float) -> str:
    return f"{round(value, 1) + 0.0:g}".replace("-", "−")


def _alt(title: str, points: np.ndarray, values: np.ndarray, _: Translate) -> str:
    where = ", ".join(_point_texts(points))
    said = ", ".join(
        f"cos({first}, {second}) = {number(value, _)}"
        for (first, second), value in zip(PAIRS, values, strict=True)
    )
    return _("{title}: arrows from the origin to {where}; {cosines}.").format(
        title=title, where=where, cosines=said
    )
