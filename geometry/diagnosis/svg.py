"""Figures of HTML with inline SVG: a histogram, bars, points, intervals. No script."""

from collections.abc import Sequence
from html import escape

import numpy as np

from ..data.number_text import signed

WIDTH, HEIGHT = 460, 260
LEFT, RIGHT, TOP, BOTTOM = 50, 14, 12, 42  # margins
NAMES, ROW = 170, 20  # of intervals: the width of their names, and the height of each


def histogram(
    edges: np.ndarray,
    shares: np.ndarray,
    reference: np.ndarray,
    *,
    title: str,
    x_label: str,
    names: tuple[str, str],
    mark: float | None = None,
) -> str:
    """Bars of shares between edges; a reference, which may be empty, as a line; an upright mark."""
    # the line of many dimensions is far higher than the bars; it is cut there
    highest = float(max(shares.max(), min(reference.max(initial=0.0), 2 * shares.max())))
    base = HEIGHT - BOTTOM
    x = np.interp(edges, (edges[0], edges[-1]), (LEFT, WIDTH - RIGHT))
    y = np.interp(shares, (0.0, highest), (base, TOP))
    parts = [
        f'<rect class="bar" x="{x[i]:.1f}" y="{y[i]:.1f}" width="{x[i + 1] - x[i]:.1f}" '
        f'height="{base - y[i]:.1f}"/>'
        for i in range(len(shares))
        if shares[i] > 0
    ]
    if len(reference):
        line = np.interp(reference, (0.0, highest), (base, TOP))
        middle = (x[1:] + x[:-1]) / 2
        places = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(middle, line, strict=True))
        parts.append(f'<polyline class="line" points="{places}"/>')
    if mark is not None:
        place = float(np.interp(mark, edges, x))
        parts.append(f'<path class="axis" d="M{place:.1f} {TOP}V{base}"/>')
        # beside the mark, on the side with more room
        is_right = place < (LEFT + WIDTH - RIGHT) / 2
        beside = place + (4 if is_right else -4)
        parts.append(_text(beside, TOP + 9, signed(mark, 2), "start" if is_right else "end"))
    for value in (-1, -0.5, 0, 0.5, 1):
        place = float(np.interp(value, edges, x))
        parts.append(_text(place, base + 16, f"{value:g}".replace("-", "−"), "middle"))
    keys = zip(("bar", "line"), names if len(reference) else names[:1], strict=False)
    for row, (kind, name) in enumerate(keys):
        y_row = TOP + 18 * row
        parts += [
            f'<rect class="{kind}-key" x="{LEFT + 6}" y="{y_row}" width="12" height="10"/>',
            _text(LEFT + 24, y_row + 9, name, "start"),
        ]
    return _picture(title, x_label, [*parts, _axis(base)])


def bars(
    values: np.ndarray, labels: Sequence[str], *, title: str, x_label: str, y_label: str
) -> str:
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max())) or 1.0
    base, *ends = np.interp([0.0, *values], (low, high), (HEIGHT - BOTTOM, TOP))
    step = (WIDTH - LEFT - RIGHT) / len(values)
    parts = []
    for place, (end, label) in enumerate(zip(ends, labels, strict=True)):
        x = LEFT + step * place
        parts.append(
            f'<rect class="bar" x="{x + 0.15 * step:.1f}" y="{min(end, base):.1f}" '
            f'width="{0.7 * step:.1f}" height="{abs(base - end):.1f}"/>'
        )
        parts.append(_text(x + step / 2, HEIGHT - BOTTOM + 16, label, "middle"))
    parts += [
        _text(LEFT - 6, HEIGHT - BOTTOM + 4, signed(low, 2), "end"),
        _text(LEFT - 6, TOP + 4, signed(high, 2), "end"),
        _text(WIDTH - RIGHT, TOP + 8, y_label, "end"),
        _axis(base),
    ]
    return _picture(title, x_label, parts)


def points(places: np.ndarray, *, title: str, x_label: str, y_label: str, origin: str) -> str:
    """Points (m, 2), the first axis upwards, at one scale on both, with the origin marked."""
    along, across = places.T
    low, high = min(0.0, float(along.min())), max(0.0, float(along.max()))
    half = max(float(np.abs(across).max()), (high - low) / 2, 1e-12)
    size = HEIGHT - TOP - BOTTOM
    scale = size / max(high - low, 2 * half)
    middle = (LEFT + WIDTH - RIGHT) / 2
    x = middle + across * scale
    y = HEIGHT - BOTTOM - (along - low) * scale
    zero = HEIGHT - BOTTOM + low * scale
    dots = [
        f'<circle class="dot" cx="{a:.1f}" cy="{b:.1f}" r="1.8"/>'
        for a, b in zip(x, y, strict=True)
    ]
    cross = f"M{middle - 6:.1f} {zero:.1f}h12M{middle:.1f} {zero - 6:.1f}v12"
    labels = [
        _text(middle + 10, zero + 4, origin, "start"),
        _text(LEFT, TOP + 8, y_label, "start"),
    ]
    return _picture(title, x_label, [*dots, f'<path class="axis" d="{cross}"/>', *labels])


def intervals(
    values: Sequence[tuple[float | None, float | None, float | None]],
    beside: Sequence[float | None],
    labels: Sequence[str],
    *,
    title: str,
    x_label: str,
    reach: float,
) -> str:
    """A row for each (value, low, high), from -reach to reach; a ring at the value beside it."""
    base = TOP + ROW * len(values)
    parts = []

    def x(value: float) -> float:
        return float(np.interp(value, (-reach, reach), (NAMES, WIDTH - RIGHT)))

    for number, ((value, low, high), other) in enumerate(zip(values, beside, strict=True)):
        y = TOP + ROW * (number + 0.5)
        parts.append(_text(NAMES - 8, y + 5, labels[number], "end"))
        if other is not None:
            parts.append(f'<circle class="axis" cx="{x(other):.1f}" cy="{y:.1f}" r="4"/>')
        if value is None:
            continue
        if low is not None and high is not None:
            parts.append(f'<path class="line" d="M{x(low):.1f} {y:.1f}H{x(high):.1f}"/>')
        parts.append(f'<circle class="bar" cx="{x(value):.1f}" cy="{y:.1f}" r="3.5"/>')
    parts.append(f'<path class="axis" d="M{x(0):.1f} {TOP}V{base}"/>')
    for end, anchor in ((-reach, "start"), (0.0, "middle"), (reach, "end")):
        parts.append(_text(x(end), base + 16, f"{end:.3g}".replace("-", "−"), anchor))
    return _picture(title, x_label, parts, left=NAMES, height=base + BOTTOM)


def _picture(
    title: str, x_label: str, parts: Sequence[str], *, left: int = LEFT, height: float = HEIGHT
) -> str:
    words = escape(title)
    label = _text((left + WIDTH - RIGHT) / 2, height - 6, x_label, "middle")
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{words}">'
        f"<title>{words}</title>{''.join(parts)}{label}</svg>"
        f"<figcaption>{words}</figcaption></figure>"
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _axis(y: float) -> str:
    return f'<path class="axis" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
