"""A twin cloud and the message that describes it to the browser, without its arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from ..data.translations import Translate, text_tables
from ..palette import Theme
from .packing import pack_codes
from .panel import Band, Marks, Wedge
from .point_colours import PointColours
from .twin import Frame

SIDE = 440  # pixels of a picture's height at most
UNIT_REACH = 1.05  # half-width of a picture of unit vectors
MOST_NAMES = 4  # named stops of a film at most
SIZE_STEPS = 15  # sizes of points that a column gives; step 0 is that without a column
GREY = 128  # the bit of a point that a filter leaves out, beside its step of size
OPTIONAL = ("dots", "selected")  # arrays that a cloud may lack
AS_THEY_ARE = ("at", "nearest", "reach", "name", "alt", "provenance", "side", "turns")
MOST_TEXTS = 5000  # texts that are sent at once at most: half a megabyte
LONGEST_SHOWN = 2_000  # characters of a text in a tooltip at most; a corpus may have 50 MB
# Labels of the buttons, and messages; pages translate them.
TWIN_WORDS = text_tables("axis_labels")["twin"]


@dataclass(frozen=True)
class Points:
    """Packed coordinates (``packing.pack_cloud``) and a name for them."""

    name: str
    body: bytes

    @classmethod
    def of(cls, body: bytes) -> Points:
        return cls(sha256(body).hexdigest()[:24], body)


@dataclass(frozen=True)
class Aside:
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
class TwinCloud:
    """A twin cloud to draw; by stop, frame and knob as of the film."""

    points: Points  # the frames, n rows each
    rows_key: str  # names the rows; a selection ends when it changes
    pictures: Sequence[Picture]
    colours: PointColours
    reach: float  # half-width of the home view
    axis_titles: Sequence[str]
    origin_label: str | None
    name: str
    alt: str
    at: float | None = 0.0  # the film's position in stops; None if the sliders are off the path
    nearest: float = 0.0  # the closest stop then
    values: Sequence[float] = ()  # the knobs' settings on the page; empty where it has none
    knob_names: Sequence[str] = ()  # where the reader can turn each knob alone
    knob_steps: int = 0  # from 0 to 1; 0 where the page has none
    landmarks: Sequence[tuple[int, str]] = ()  # the stops that the film's slider names, in order
    knobs: Sequence[tuple[float, ...]] = ((),)  # slider positions of each stop of the longest path
    cones: Sequence[Sequence[Wedge]] = ()  # for each frame
    bands: Sequence[Band] = ()
    frames: Sequence[Frame] = ()  # what each frame shows; empty for the square or cube of the reach
    factors: Sequence[float] = ()  # by which each is drawn larger; empty where lengths mean nothing
    marks: Sequence[Marks] = ()
    below: Sequence[str] = ()  # captions of the pictures, printed on the PNG ``file_name``
    provenance: str = ""  # what the points were measured on; printed as well
    file_name: str = "twin-cloud"
    is_large: bool = False  # for an audience: larger words and points, pictures as high as possible
    turns: bool = False  # turns a picture in 3D once around when it first appears
    has_lead: bool = False  # draws the first picture large, and the others small beside it
    film_name: str = ""  # of the film's slider; by default the way from raw to whitened
    side: int = SIDE
    dots: np.ndarray | None = None  # (n,) uint8 of ``dots_of``
    selected: np.ndarray | None = None  # rows to select; None leaves that to the reader

    @property
    def n(self) -> int:
        return len(self.colours.codes)

    @cached_property
    def arrays(self) -> dict[str, Points]:
        """What the browser needs besides the message, by slot: points, colours and others."""
        codes = pack_codes(self.colours.codes, self.colours.missing)
        found = {"points": self.points, "codes": Points.of(codes)}
        if self.dots is not None:
            found["dots"] = Points.of(pack_codes(self.dots))
        if self.selected is not None:
            rows = np.zeros(self.n, dtype=np.uint8)
            rows[self.selected] = 1
            found["selected"] = Points.of(pack_codes(rows))
        asides = [each.aside.points for each in self.pictures if each.aside is not None]
        return found | {f"aside-{place}": points for place, points in enumerate(asides)}


def dots_of(
    n: int, *, sizes: np.ndarray | None = None, shown: np.ndarray | None = None
) -> np.ndarray | None:
    """A byte for each of n points: a step of size, and GREY where not shown; None if alike."""
    if sizes is None and (shown is None or shown.all()):
        return None
    dots = np.zeros(n, dtype=np.uint8)
    if sizes is not None:
        dots += (1 + np.round(np.asarray(sizes) * (SIZE_STEPS - 1))).astype(np.uint8)
    if shown is not None:
        dots[~shown] |= GREY
    return dots


def message_of(
    cloud: TwinCloud, theme: Theme, texts: str, translate: Translate = str
) -> dict[str, Any]:
    """The description without the arrays, sent again at every change; ``texts`` names the texts."""
    words = {name: translate(text) for name, text in TWIN_WORDS.items()}
    return {
        "rows": cloud.rows_key,
        "codes": cloud.arrays["codes"].name,
        **{slot: cloud.arrays[slot].name if slot in cloud.arrays else "" for slot in OPTIONAL},
        "texts": texts,
        "views": [_picture(picture, cloud) for picture in cloud.pictures],
        "knobs": [list(knobs) for knobs in cloud.knobs],
        **{name: getattr(cloud, name) for name in AS_THEY_ARE},
        **{name: list(getattr(cloud, name)) for name in ("values", "factors", "below")},
        "knobNames": list(cloud.knob_names),
        "steps": cloud.knob_steps,
        "landmarks": [stop for stop, _name in cloud.landmarks],
        "landmarkNames": [name for _stop, name in cloud.landmarks],
        "cones": [_cones(wedges) for wedges in cloud.cones],
        "bands": [sector for band in cloud.bands for sector in _sectors(band)],
        "frames": [_frame(frame) for frame in cloud.frames],
        "axes": list(cloud.axis_titles),
        "origin": cloud.origin_label or "",
        "theme": theme_colours(theme),
        "legend": {
            "title": cloud.colours.title,
            "head": translate("{name}: {value}").format(name=cloud.colours.title, value=""),
            "names": cloud.colours.names,
            "named": cloud.colours.n_named,
            "ends": cloud.colours.ends,
        },
        "marks": [
            {"rows": [int(row) for row in mark.rows], "shape": mark.shape, "caption": mark.caption}
            for mark in cloud.marks
        ],
        "file": cloud.file_name,
        "isLarge": cloud.is_large,
        "hasLead": cloud.has_lead,
        "words": {**words, "film": cloud.film_name or words["film"]},
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
        {"axis": each.axis.tolist(), "degrees": each.degrees, "label": each.caption}
        | {"isDrawn": each.is_drawn}
        for each in wedges
    ]


def _frame(frame: Frame) -> dict[str, Any]:
    return {"low": frame.low.tolist(), "high": frame.high.tolist(), "length": frame.length}


def _sectors(band: Band) -> list[dict[str, Any]]:
    """The band on both sides of the first axis, each as a cone in the plane."""
    middle = np.radians((band.low + band.high) / 2)
    half = (band.high - band.low) / 2
    axes = ([float(np.cos(middle)), float(sign * np.sin(middle))] for sign in (1, -1))
    return [{"axis": axis, "degrees": half, "isDrawn": True} for axis in axes]


def theme_colours(theme: Theme) -> dict[str, Any]:
    return {
        **{name: getattr(theme, name) for name in ("ink", "grid", "paper", "accent", "other")},
        "cone": theme.raw,
        "band": theme.white,
        "categories": list(theme.categories),
        "scale": list(theme.scale),
    }


def spread_stops(n: int) -> list[int]:
    """The stops of a film of n that are named below its slider: the first, the last, and others."""
    return np.unique(np.linspace(0, n - 1, MOST_NAMES).round().astype(int)).tolist()


def short_text(text: str) -> str:
    """As much of the text as a tooltip shows."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
