"""A view as one file of HTML that needs no network, and as a PNG for where no script runs.

Scripts, styles and data are inside the file. Its policy allows the one script and the one style by
their digests, and no address at all. The PNG has the points only, because there is no font.
"""

import base64
import gzip
import json
import struct
import zlib
from hashlib import sha256
from html import escape

import numpy as np

from ..data.translations import catalogue
from ..palette import DARK, LIGHT, Theme, rgb
from ..projection.point_colours import look_of
from ..projection.twin_message import GREY
from ..shipped import shipped_file
from .view import VIEW_TEXT, CloudView

SIDE, GAP, MARGIN = 400, 12, 14  # pixels of a picture, between pictures, inside
ALPHA = 0.7  # of one point; points that lie on each other are less transparent
LARGE_UNTIL = 5_000  # points; more are drawn as single pixels
DISC = [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)]
_FRAME = """
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1rem; max-width: 80rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.4 system-ui, "Noto Sans TC", sans-serif; }
h1 { margin: 0 0 0.6rem; font-size: 1.2rem; overflow-wrap: anywhere; }
h2 { margin: 0.8rem 0 0; font-size: 1rem; }
ol { padding-left: 1.5rem; overflow-wrap: anywhere; }
input { font: inherit; padding: 0.3rem 0.5rem; width: min(20rem, 95%); }
noscript img { max-width: 100%; }
"""


def component_text(name: str) -> str:
    return shipped_file(f"components/{name}").read_text(encoding="utf-8")


def view_styles() -> str:
    return component_text("twin_cloud/twin_cloud.css") + component_text("twin_view.css")


def view_html(view: CloudView, title: str = "") -> str:
    """The file's text. Each text of the reader is escaped.

    title : the heading; by default the names of the pictures
    """
    title = title or view.cloud.name
    picture = base64.b64encode(view_png(view)).decode()
    described = json.dumps({**view.description(None), "picture": picture}, ensure_ascii=False)
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}"
    style = f":root {{ {_variables(LIGHT)} }}\n{dark}{_FRAME}{view_styles()}"
    script = component_text("built/saved.js")
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    find = escape(catalogue(view.language).gettext(VIEW_TEXT["find"]))
    arrays = [_data(f"array-{each.name}", each.body) for each in view.cloud.arrays.values()]
    data = "\n".join([_data("cloud-description", described.encode()), *arrays])
    alt = escape(view.cloud.alt)
    return f"""<!doctype html>
<html lang="{escape(view.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p><input id="search" type="search" placeholder="{find}" aria-label="{find}"></p>
<div id="cloud"></div>
<noscript><img src="data:image/png;base64,{picture}" alt="{alt}">
<p>{alt}</p><p>{escape(view.cloud.provenance)}</p></noscript>
<h2></h2><ol id="selected"></ol>
{data}
<script type="module">{script}</script>
</body>
</html>
"""


def _variables(theme: Theme) -> str:
    return f"--paper: {theme.paper}; --ink: {theme.ink};"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _data(name: str, body: bytes) -> str:
    """Compressed, and in letters that no tag can end."""
    text = base64.b64encode(gzip.compress(body, 6, mtime=0)).decode()
    return f'<script type="text/plain" id="{name}">{text}</script>'


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
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))]
    return b"\x89PNG\r\n\x1a\n" + b"".join([*parts, chunk(b"IEND", b"")])
