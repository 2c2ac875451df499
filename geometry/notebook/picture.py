"""A view as a PNG, for where no script runs: its points only, because there is no font."""

import struct
import zlib

import numpy as np

from ..palette import LIGHT, Theme, rgb
from ..projection.point_colours import look_of
from ..projection.twin_message import GREY
from .view import CloudView

SIDE, GAP, MARGIN = 400, 12, 14  # pixels of a picture, between pictures, inside
ALPHA = 0.7  # of one point; points that lie on each other are less transparent
LARGE_UNTIL = 5_000  # points; more are drawn as single pixels
DISC = [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)]


def view_png(view: CloudView, theme: Theme = LIGHT) -> bytes:
    """The first state of the pictures beside each other, each in a frame."""
    colours = _colours(view, theme)
    paper = np.array(rgb(theme.paper), dtype=float)
    between = np.broadcast_to(paper, (SIDE, GAP, 3))
    parts: list[np.ndarray] = []
    for picture in view.cloud.pictures:
        parts += [between, _panel(view.places[picture.path[-1]], colours, theme)]
    return _png(np.hstack(parts[1:]).round().astype(np.uint8))


def _colours(view: CloudView, theme: Theme) -> np.ndarray:
    """(n, 3) of the points; grey for those that a filter leaves out."""
    codes, names = view.cloud.colours.codes, view.cloud.colours.names
    if names is not None:
        found = np.array([rgb(look_of(code, theme)[0]) for code in range(len(names))])[codes]
    else:
        scale = np.array([rgb(colour) for colour in theme.scale], dtype=float)
        at = (codes - codes.min()) / (float(np.ptp(codes)) or 1.0) * (len(scale) - 1)
        found = np.stack([np.interp(at, np.arange(len(scale)), part) for part in scale.T], axis=1)
    dots = view.cloud.dots
    return found if dots is None else np.where((dots >= GREY)[:, None], rgb(theme.grid), found)


def _panel(places: np.ndarray, colours: np.ndarray, theme: Theme) -> np.ndarray:
    """(SIDE, SIDE, 3). In three dimensions the first axis is up, as the camera begins."""
    flat = places[:, [1, 0]] if places.shape[1] == 3 else places
    low = np.minimum(np.quantile(flat, 0.005, axis=0), 0.0)
    high = np.maximum(np.quantile(flat, 0.995, axis=0), 0.0)
    scale = (SIDE - 2 * MARGIN) / (float((high - low).max()) or 1.0)
    middle = (low + high) / 2

    def pixels(points: np.ndarray) -> np.ndarray:
        x, y = ((points - middle) * scale).round().astype(int).T + SIDE // 2
        return np.stack([SIDE - 1 - y, x], axis=1)

    at = pixels(flat)
    sums = np.zeros((SIDE * SIDE, 4))  # red, green, blue, points
    for step in DISC if len(at) <= LARGE_UNTIL else DISC[:1]:
        there = at + step
        inside = ((there >= 0) & (there < SIDE)).all(axis=1)
        index = there[inside] @ (SIDE, 1)
        for channel in range(3):
            sums[:, channel] += np.bincount(index, colours[inside, channel], SIDE * SIDE)
        sums[:, 3] += np.bincount(index, minlength=SIDE * SIDE)
    counts = sums[:, 3:]
    paper = np.array(rgb(theme.paper), dtype=float)
    mean = sums[:, :3] / np.maximum(counts, 1)
    cover = 1 - (1 - ALPHA) ** counts
    image = (paper + cover * (mean - paper)).reshape(SIDE, SIDE, 3)
    y, x = pixels(np.zeros((1, 2)))[0]
    ink = rgb(theme.ink)
    image[max(y - 5, 0) : y + 6, x] = image[y, max(x - 5, 0) : x + 6] = ink
    image[[0, -1]] = image[:, [0, -1]] = rgb(theme.grid)
    return image


def _png(image: np.ndarray) -> bytes:
    """The file of an image (height, width, 3) of bytes."""
    height, width, _channels = image.shape
    rows = np.hstack([np.zeros((height, 1), np.uint8), image.reshape(height, -1)])

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))]
    return b"\x89PNG\r\n\x1a\n" + b"".join([*parts, chunk(b"IEND", b"")])
