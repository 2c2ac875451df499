"""Where labels go in a square frame so that they cover no line and no other label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

PIXELS = 290.0  # side of the drawn square on a narrow screen; a wider one leaves more room
LETTER, WIDE_LETTER, LINE = 8.0, 14.0, 16.0  # px: a Latin letter, a CJK letter, a line's height
GAP = 5.0  # px between a label's box and what it names
DIRECTIONS, RINGS = 16, (0.0, 9.0, 20.0)  # candidates around the point, nearest ring first
COST_INK, COST_LABEL, COST_OUTSIDE = 1.0, 40.0, 80.0  # a pixel of a line; an overlap; the edge
COST_SPOT, COST_TURN, COST_RING = 0.5, 1.0, 0.1  # a later spot; facing inward; a pixel away


def place_labels(
    anchors: Sequence[np.ndarray],
    texts: Sequence[str],
    lines: Sequence[np.ndarray],
    half_range: float,
) -> np.ndarray:
    """Centres (n, 2) of the labels, chosen one after the other, in the data's units.

    anchors : n arrays (k, 2), the places a label may stand at, the best first.   lines : arrays
    (m, 2), each drawn through its points.   Each label stands where it covers least of the lines
    and of the labels already placed, then near its first anchor and away from the origin.
    """
    scale = PIXELS / (2 * half_range)  # px per unit
    ink = np.concatenate([_samples(line * scale) for line in lines])
    boxes: list[np.ndarray] = []  # placed so far: (centre, half size) in px
    for spots, text in zip(anchors, texts, strict=True):
        half = half_size(text)
        candidates = [
            (COST_SPOT * late + _cost(centre, half, ink, boxes) + preference, centre)
            for late, spot in enumerate(np.atleast_2d(spots) * scale)
            for preference, centre in _candidates(spot, half)
        ]
        boxes.append(np.array([min(candidates, key=lambda pair: pair[0])[1], half]))
    return np.array([box[0] for box in boxes]) / scale


def _samples(line: np.ndarray) -> np.ndarray:
    """Points of the line, about a pixel and a half apart."""
    pieces = []
    for start, end in pairwise(line):
        count = max(2, int(np.linalg.norm(end - start) / 1.5))
        pieces.append(start + (end - start) * np.linspace(0, 1, count)[:, None])
    return np.concatenate(pieces)


def half_size(text: str) -> np.ndarray:
    """Half the width and half the height (2,) of a label's box, in px."""
    width = sum(WIDE_LETTER if ord(letter) > 0x2E80 else LETTER for letter in text)
    return np.array([width, LINE]) / 2


def _candidates(anchor: np.ndarray, half: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """(cost, centre) around the anchor: cheapest outward, and close to it."""
    outward = np.arctan2(anchor[1], anchor[0])
    for ring in RINGS:
        for turn in np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS:
            direction = np.array([np.cos(outward + turn), np.sin(outward + turn)])
            centre = anchor + direction * (_reach(direction, half) + GAP + ring)
            yield COST_TURN * (1 - np.cos(turn)) + COST_RING * ring, centre


def _reach(direction: np.ndarray, half: np.ndarray) -> float:
    """From a box's centre to its edge along the direction."""
    return float(np.min(half / np.maximum(np.abs(direction), 1e-9)))


def _cost(
    centre: np.ndarray, half: np.ndarray, ink: np.ndarray, boxes: Sequence[np.ndarray]
) -> float:
    covered = np.all(np.abs(ink - centre) < half + 2, axis=1).sum()
    crowded = sum(bool(np.all(np.abs(box[0] - centre) < half + box[1])) for box in boxes)
    outside = bool(np.any(np.abs(centre) + half > PIXELS / 2))
    return COST_INK * covered + COST_LABEL * crowded + COST_OUTSIDE * outside
