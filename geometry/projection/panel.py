"""A cloud as a picture: its points, cones, marks, axes and frame."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .twin import Frame

FRAME_MARGIN = 0.04  # of the longest side


@dataclass(frozen=True)
class Wedge:
    """A cone: unit ``axis`` (k,), half-angle in the picture in degrees, and a caption."""

    axis: np.ndarray
    degrees: float
    caption: str = ""
    is_drawn: bool = True


@dataclass(frozen=True)
class Band:
    """Directions to shade in 2D on both sides of the first axis: degrees from it, a caption."""

    low: float
    high: float
    caption: str


@dataclass(frozen=True)
class Marks:
    """Points to mark: rows, a shape ("dot", "circle", "square", "diamond"), a legend entry."""

    rows: Sequence[int]
    shape: str
    caption: str


@dataclass(frozen=True)
class Panel:
    coordinates: np.ndarray  # (n, 2 or 3), the origin of the space at 0
    texts: Sequence[str]
    reach: float  # half-width of all axes; the same for compared panels
    axis_titles: Sequence[str]
    origin_label: str | None  # None for a picture without an origin
    wedges: Sequence[Wedge] = ()
    bands: Sequence[Band] = ()
    marks: Sequence[Marks] = ()
    lines: np.ndarray | None = None  # (m, 2) of a flat picture; a row of NaN ends a line
    frame: Frame | None = None  # None for the square or cube of the reach

    @property
    def ends(self) -> list[list[float]]:
        if self.frame is None:
            return [[-self.reach, self.reach]] * self.coordinates.shape[1]
        margin = FRAME_MARGIN * (self.frame.high - self.frame.low).max()
        return np.stack([self.frame.low - margin, self.frame.high + margin], axis=1).tolist()

    @cached_property
    def n_outside(self) -> int:
        """Points that the frame, or the reach, leaves out."""
        frame = self.frame
        low, high = (-self.reach, self.reach) if frame is None else (frame.low, frame.high)
        return int(((low > self.coordinates) | (high < self.coordinates)).any(axis=1).sum())

    @property
    def cone_length(self) -> float:
        return self.reach if self.frame is None else self.frame.length

    @property
    def captions(self) -> list[str]:
        return [wedge.caption for wedge in self.wedges] + [band.caption for band in self.bands]
