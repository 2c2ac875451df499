"""A twin cloud and the message that describes it to the browser, without its arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np

from geometry.figures.panel import Band, Wedge
from geometry.figures.point_colours import PointColours
from geometry.palette import Theme
from geometry.projection.twin import Frame
from pages.common.words import _, labelled

SIDE = 440  # pixels of a picture's height at most
UNIT_REACH = 1.05  # half-width of a picture of unit vectors
MOST_NAMES = 4  # named stops of a film at most


@dataclass(frozen=True)
class Points:
    """Packed coordinates (``geometry.projection.packing.pack_cloud``) and a name for them."""

    name: str
    body: bytes

    @classmethod
    def of(cls, body: bytes) -> Points:
        """Named by a hash of their content."""
        return cls(sha256(body).hexdigest()[:24], body)


@dataclass(frozen=True)
class Aside:
    """A picture for slider positions that are not on the film's path.

    It has one picture's points, a title, its cones, the factor by which it is drawn larger, and its
    frame.
    """

    points: Points
    name: str
    cones: Sequence[Wedge] = ()
    factor: float | None = 1.0
    frame: Frame | None = None


@dataclass(frozen=True)
class Picture:
    """One picture: the frames that its film passes through, and a title for each stop."""

    path: Sequence[int]  # frames, in the film's order
    names: Sequence[str]  # the title at each stop
    between: str = ""  # the title between two stops; {0}, {1}, … are the slider positions there
    aside: Aside | None = None  # shown instead where the sliders are not on the film's path
    origin: str | None = None  # the name of the origin where it is another than in the others


@dataclass(frozen=True)
class Marks:
    """Points to ring: rows, a shape ("circle", "square" or "diamond") and a legend entry."""

    rows: Sequence[int]
    shape: str
    caption: str


@dataclass(frozen=True)
class TwinCloud:
    """A twin cloud to draw.

    Attributes
    ----------
    points : Points
        The frames, n rows each.
    rows_key : str
        Names the rows; a selection ends when it changes.
    reach : float
        Half-width of the home view.
    at : float or None
        The film's position, in stops. None if the sliders are not on the path; ``nearest`` then
        gives the closest stop.
    knobs : sequence of tuple
        Slider positions of each stop of the longest path.
    values : sequence of float
        The knobs' settings on the page; empty where the page has none.
    knob_names : sequence of str
        Labels of the knobs, where the reader can turn each alone.
    knob_steps : int
        Steps of the knobs from 0 to 1; 0 where the page has none.
    landmarks : sequence of (int, str)
        The stops that the film's slider names, from the first stop to the last.
    cones : sequence
        For each frame.
    frames : sequence of Frame
        What each frame of points shows; empty for the square or cube of the reach.
    factors : sequence of float
        By which each frame is drawn larger; empty where lengths mean nothing, as in UMAP.
    below, provenance : str
        Captions of the pictures, and what the points were measured on: both are printed on the
        PNG ``file_name``.
    is_large : bool
        For an audience: larger words and points, pictures as high as the window allows.
    turns : bool
        True turns a picture in 3D once around when it first appears.
    has_lead : bool
        True draws the first picture large, and the others small beside it.
    side : int
        Pixels of a picture's height at most.
    film_name : str
        What the film's slider is called; by default the way from raw to whitened.
    """

    points: Points
    rows_key: str
    pictures: Sequence[Picture]
    colours: PointColours
    reach: float
    axis_titles: Sequence[str]
    origin_label: str | None
    name: str
    alt: str
    at: float | None = 0.0
    nearest: float = 0.0
    values: Sequence[float] = ()
    knob_names: Sequence[str] = ()
    knob_steps: int = 0
    landmarks: Sequence[tuple[int, str]] = ()
    knobs: Sequence[tuple[float, ...]] = ((),)
    cones: Sequence[Sequence[Wedge]] = ()
    bands: Sequence[Band] = ()
    frames: Sequence[Frame] = ()
    factors: Sequence[float] = ()
    marks: Sequence[Marks] = field(default_factory=tuple)
    below: Sequence[str] = ()
    provenance: str = ""
    file_name: str = "twin-cloud"
    is_large: bool = False
    turns: bool = False
    has_lead: bool = False
    film_name: str = ""
    side: int = SIDE

    @property
    def n(self) -> int:
        """Number of points in each picture."""
        return len(self.colours.codes)


def message_of(cloud: TwinCloud, codes: Points, theme: Theme, texts: str) -> dict[str, Any]:
    """The description without the arrays. It is small and sent again at every change."""
    return {
        "rows": cloud.rows_key,
        "codes": codes.name,
        "texts": texts,
        "views": [_picture(picture, cloud) for picture in cloud.pictures],
        "knobs": [list(knobs) for knobs in cloud.knobs],
        "at": cloud.at,
        "nearest": cloud.nearest,
        "values": list(cloud.values),
        "knobNames": list(cloud.knob_names),
        "steps": cloud.knob_steps,
        "landmarks": [stop for stop, _name in cloud.landmarks],
        "landmarkNames": [name for _stop, name in cloud.landmarks],
        "cones": [_cones(wedges) for wedges in cloud.cones],
        "bands": [sector for band in cloud.bands for sector in _sectors(band)],
        "factors": list(cloud.factors),
        "frames": [_frame(frame) for frame in cloud.frames],
        "reach": cloud.reach,
        "axes": list(cloud.axis_titles),
        "origin": cloud.origin_label or "",
        "theme": _theme(theme),
        "legend": {
            "title": cloud.colours.title,
            "head": labelled(cloud.colours.title, ""),
            "names": cloud.colours.names,
        },
        "marks": [
            {"rows": [int(row) for row in mark.rows], "shape": mark.shape, "caption": mark.caption}
            for mark in cloud.marks
        ],
        "name": cloud.name,
        "alt": cloud.alt,
        "below": list(cloud.below),
        "provenance": cloud.provenance,
        "file": cloud.file_name,
        "side": cloud.side,
        "isLarge": cloud.is_large,
        "turns": cloud.turns,
        "hasLead": cloud.has_lead,
        "words": {**_words(), "film": cloud.film_name or _("From raw to whitened")},
    }


def _picture(picture: Picture, cloud: TwinCloud) -> dict[str, Any]:
    message: dict[str, Any] = {
        "points": cloud.points.name,
        "path": list(picture.path),
        "names": list(picture.names),
        "between": picture.between,
        "origin": picture.origin or cloud.origin_label or "",
    }
    if picture.aside is not None:
        message["aside"] = {
            "points": picture.aside.points.name,
            "name": picture.aside.name,
            "cones": _cones(picture.aside.cones),
            "factor": picture.aside.factor,
            "frame": picture.aside.frame and _frame(picture.aside.frame),
        }
    return message


def _cones(wedges: Sequence[Wedge]) -> list[dict[str, Any]]:
    return [
        {
            "axis": wedge.axis.tolist(),
            "degrees": wedge.degrees,
            "label": wedge.caption,
            "isDrawn": wedge.is_drawn,
        }
        for wedge in wedges
    ]


def _frame(frame: Frame) -> dict[str, Any]:
    return {"low": frame.low.tolist(), "high": frame.high.tolist(), "length": frame.length}


def _sectors(band: Band) -> list[dict[str, Any]]:
    """The band on both sides of the first axis, each as a cone in the plane."""
    middle, half = np.radians((band.low + band.high) / 2), (band.high - band.low) / 2
    return [
        {
            "axis": [float(np.cos(middle)), float(sign * np.sin(middle))],
            "degrees": half,
            "isDrawn": True,
        }
        for sign in (1, -1)
    ]


def _theme(theme: Theme) -> dict[str, Any]:
    return {
        "ink": theme.ink,
        "grid": theme.grid,
        "paper": theme.paper,
        "accent": theme.accent,
        "cone": theme.raw,
        "band": theme.white,
        "categories": list(theme.categories),
        "other": theme.other,
        "scale": list(theme.scale),
    }


def _words() -> Mapping[str, str]:
    """Labels of the buttons, and messages."""
    return {
        "play": _("Play"),
        "stop": _("Stop"),
        "more": _("More"),
        "other": _("other"),
        "lasso": _("Lasso"),
        "nearer": _("Zoom in"),
        "farther": _("Zoom out"),
        "reset": _("Reset view"),
        "perspective": _("Perspective"),
        "density": _("Density"),
        "ways": _("Connect matching points"),
        "waysHint": _("For selected, circled or hovered points"),
        "size": _("Size"),
        "opacity": _("Opacity"),
        "save": _("Download picture (PNG)"),
        "saveVectors": _("Download picture (SVG)"),
        "selected": _("Points selected: {n}"),
        "shown": _("{k} of {n} points shown"),
        "elsewhere": _(
            "The animation is at other settings than the page's numbers. The numbers are left "
            "out; the last line gives the page's settings."
        ),
        "empty": _("There is no point to draw."),
        "lost": _("The graphics card is busy. The picture returns as soon as it is free."),
        "missing": _("This browser has no WebGL2; the picture is drawn in another way."),
        "notFinite": _("A point's place is NaN or infinite; clean the vectors first."),
        "hint": _("Drag: turn · Ctrl or ⌘ + wheel: zoom · click: a point"),
        "hintFlat": _("Drag: move · Ctrl or ⌘ + wheel: zoom · click: a point"),
        "keys": _(
            "Arrow keys turn the picture, and move it with Shift. + and − zoom, and so does the "
            "wheel with Ctrl or ⌘. 0 resets. N and P go from point to point, Tab through the "
            "selected ones. Enter chooses, Escape ends the selection."
        ),
        "keysFlat": _(
            "Arrow keys move the picture. + and − zoom, and so does the wheel with Ctrl or ⌘. 0 "
            "resets. N and P go from point to point, Tab through the selected ones. Enter "
            "chooses, Escape ends the selection."
        ),
    }


def spread_stops(n: int) -> list[int]:
    """The stops of a film of n that are named below its slider: the first, the last, and others."""
    return np.unique(np.linspace(0, n - 1, MOST_NAMES).round().astype(int)).tolist()
