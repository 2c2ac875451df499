"""The twin cloud in a browser without a graphics card: frames a second, memory, bytes, a lasso."""

import tempfile
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from playwright.sync_api import Browser, Page, WebSocket, sync_playwright

from bench.table import Row
from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.screen import AT_REST
from tests.browser.server import ROOT, AppServer

MANY = 100_000
MOST = 1_000_000
FRAMES = 30
PEER_FRAMES = 4
OPENINGS = 50
MEGA = 1e6

# a page of ours with `n` points in two pictures, or in `k`
TWIN_PAGE = """
import numpy as np
import streamlit as st
from geometry.projection.point_colours import PointColours
from geometry.palette import LIGHT
from geometry.projection.packing import pack_cloud
from pages.common.draw.twin_cloud import show_twin_cloud
from geometry.projection.twin_message import Picture, Points, TwinCloud

n, k = int(st.query_params.get("n", 0)), int(st.query_params.get("k", 2))

class Texts:
    def __len__(self): return n
    def __getitem__(self, row):
        if row >= n: raise IndexError(row)  # ends a loop
        return f"text {row}"

@st.cache_resource
def made(n, k):
    rng = np.random.default_rng(0)
    raw = rng.normal(size=(n, 3)).astype(np.float32)
    frames = [raw + [2, 0, 0], raw * [1, 2, 0.5], raw * 1.5][:k]
    names = [f"category {i}" for i in range(12)]
    codes = PointColours(rng.integers(0, 12, n), tuple(names), "category")
    return Points.of(pack_cloud(frames, 5.0)), codes

if st.checkbox("show", value=True) and n:
    points, colours = made(n, k)
    white = Picture(list(range(k)) if k > 2 else [1], [str(i) for i in range(k if k > 2 else 1)])
    cloud = TwinCloud(points, "rows", [Picture([0], ["raw"]), white], colours, 5.0,
                      ["x", "y", "z"], "origin", "bench", "two clouds", knobs=[(0.0,)] * max(k, 2))
    def chosen(rows): st.session_state["chosen"] = len(rows)
    show_twin_cloud(cloud, LIGHT, key="bench", texts=Texts(), on_selection=chosen)
st.markdown(f"chosen {st.session_state.get('chosen', 0)}")
"""
PEER_PAGE = """
import numpy as np
import plotly.graph_objects as go
import streamlit as st

n = int(st.query_params.get("n", 0))
if n:
    x, y, z = np.random.default_rng(0).normal(size=(3, n)).astype(np.float32)
    codes = np.random.default_rng(1).integers(0, 12, n)
    marker = {"size": 2, "color": codes, "colorscale": "Viridis"}
    st.plotly_chart(go.Figure(go.Scatter3d(x=x, y=y, z=z, mode="markers", marker=marker)))
st.markdown("chosen 0")
"""
DRAWN = ".twin[data-drawn]"
PEER_DRAWN = ".js-plotly-plot .gl-container canvas"
# Each frame turns the camera, draws, and waits until it is drawn and shown.
TURN = """async frames => {
  const { twin } = document.querySelector(".twin");
  const { gl } = twin.stage;
  const shown = () => new Promise(requestAnimationFrame);
  const pixel = new Uint8Array(4);
  await shown();
  const start = performance.now();
  for (let i = 0; i < frames; i++) {
    twin.gestures.orbit(5, 1);
    twin.drawNow();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    await shown();
  }
  return 1000 * frames / (performance.now() - start);
}"""
PEER_TURN = """async frames => {
  const scene = document.querySelector(".js-plotly-plot")._fullLayout.scene._scene;
  const { gl } = scene.glplot;
  const shown = () => new Promise(requestAnimationFrame);
  const pixel = new Uint8Array(4);
  await shown();
  const start = performance.now();
  for (let i = 0; i < frames; i++) {
    const camera = scene.getCamera();
    const turn = 0.05 * (i + 1);
    scene.glplot.camera.lookAt(
      [2 * Math.cos(turn), 2 * Math.sin(turn), 0.8], [0, 0, 0], [0, 0, 1]);
    scene.glplot.redraw();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    await shown();
  }
  return 1000 * frames / (performance.now() - start);
}"""
# three tenths of the points, by a line of four corners in the first picture
LASSO = """() => {
  const { twin } = document.querySelector(".twin");
  const { xy } = twin.stage.screenOf(0);
  const xs = Float32Array.from({ length: xy.length / 2 }, (_, i) => xy[2 * i]).sort();
  const right = xs[Math.floor(0.3 * xs.length)];
  const { height } = twin.stage.boxes[0];
  twin.stage.version++; // the places on screen are to be found again: that is part of the lasso
  twin.gestures.lassoed([[1, 1], [right, 1], [right, height - 1], [1, height - 1]], false);
  return twin.stage.rows.length;
}"""


def main() -> list[Row]:
    """Ours and Plotly's scatter3d in one browser, the peer with one picture where ours has two."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=list(CHROMIUM_FLAGS)
        )
        # Streamlit serves the folder static beside the script
        (Path(folder) / "static").symlink_to(ROOT / "static")
        scripts = [Path(folder) / name for name in ("twin.py", "peer.py")]
        for script, text in zip(scripts, (TWIN_PAGE, PEER_PAGE), strict=True):
            script.write_text(text, encoding="utf-8")
        with (
            AppServer(cache_dir=Path(folder), script=scripts[0]) as ours,
            AppServer(cache_dir=Path(folder), script=scripts[1]) as peers,
        ):
            rows = measured(browser, ours, peers)
        browser.close()
    return rows


def measured(browser: Browser, ours: AppServer, peers: AppServer) -> list[Row]:
    """All rows: frames a second, memory, bytes and times.

    Parameters
    ----------
    browser : Browser
    ours : AppServer
        It serves ``TWIN_PAGE``.
    peers : AppServer
        It serves ``PEER_PAGE``.
    """
    frames, heap = picture(browser, ours, f"n={MANY}", DRAWN, TURN, FRAMES)
    peer_frames, peer_heap = picture(
        browser, peers, f"n={MANY}", PEER_DRAWN, PEER_TURN, PEER_FRAMES
    )
    two, three = (wire(browser, ours, f"n={MANY}&k={k}") for k in (2, 3))
    opened, most_frames, lassoed, chosen = large(browser, ours)
    first, last = openings(browser, ours)
    return [
        Row(
            f"2 × {MANY:,} points, linked 3D rotation",
            frames,
            peer=peer_frames,
            ratio=frames / peer_frames,
            unit="frames/s",
            target="12 frames/s, 15 ×",
            met=frames >= 12 and frames >= 15 * peer_frames,
            note="peer: Plotly scatter3d, one picture of as many",
        ),
        Row(
            f"2 × {MOST:,} points, linked 3D rotation",
            most_frames,
            unit="frames/s",
            target="2 frames/s",
            met=most_frames >= 2,
            note=f"on screen after {opened:.1f} s",
        ),
        Row(
            f"memory that {MANY:,} points add to the page",
            heap,
            peer=peer_heap,
            ratio=peer_heap / heap,
            unit="MB",
            target="60 MB or less",
            met=heap <= 60,
            note="JavaScript's heap with its arrays, after collection",
        ),
        Row(
            f"bytes on the wire, {MANY:,} points in two pictures",
            two,
            unit="MB",
            target="2 MB or less",
            met=two <= 2,
        ),
        Row(
            "the same for one more stop of the animation",
            three - two,
            unit="MB",
            target="0.7 MB or less",
            met=three - two <= 0.7,
        ),
        Row(
            f"lasso of {chosen:,} of {MOST:,} points, to the server's answer",
            lassoed,
            target="2 s or less",
            met=lassoed <= 2,
        ),
        Row(
            f"memory after {OPENINGS} openings, beyond that after 5",
            last - first,
            unit="MB",
            target="flat (2 MB or less)",
            met=last - first <= 2,
        ),
    ]


def opened_page(browser: Browser, server: AppServer, query: str) -> Page:
    """A new page of the browser, which has loaded the server's page.

    Parameters
    ----------
    browser : Browser
    server : AppServer
    query : str
        Of the address, without "?".
    """
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(server.page_url(query=query))
    return page


def picture(
    browser: Browser, server: AppServer, query: str, drawn: str, turn: str, frames: int
) -> tuple[float, float]:
    """Frames a second while it turns (median of three), and the MB that it adds to the page.

    Parameters
    ----------
    browser : Browser
    server : AppServer
    query : str
        Of the address, without "?".
    drawn : str
        Selector of an element that is there once the picture is drawn.
    turn : str
        Script that draws a number of frames and returns frames a second.
    frames : int
        Frames of one measurement.
    """
    page = opened_page(browser, server, "n=0")
    page.get_by_text("chosen 0").wait_for()
    page.wait_for_function(AT_REST)
    empty = megabytes(page)
    page.close()
    page = opened_page(browser, server, query)
    page.wait_for_selector(drawn, state="attached", timeout=120_000)
    page.wait_for_function(AT_REST, timeout=120_000)
    page.evaluate(turn, 2)
    rate = median(float(page.evaluate(turn, frames)) for _ in range(3))
    added = megabytes(page) - empty
    page.close()
    return rate, added


def megabytes(page: Page) -> float:
    """JavaScript's heap and the arrays beside it, after a collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    usage: dict[str, Any] = session.send("Runtime.getHeapUsage")
    session.detach()
    return float(usage["usedSize"] + usage.get("backingStorageSize", 0)) / MEGA


def wire(browser: Browser, server: AppServer, query: str) -> float:
    """MB that came through the page's connection, beyond those of the page without points.

    Parameters
    ----------
    browser : Browser
    server : AppServer
    query : str
        Of the address, without "?".
    """
    counts = []
    for shown in ("n=0", query):
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        received: list[int] = []
        page.on("websocket", partial(_count_frames, received))
        page.goto(server.page_url(query=shown))
        page.get_by_text("chosen 0").wait_for(timeout=120_000)
        if shown == query:
            page.wait_for_selector(DRAWN, state="attached", timeout=120_000)
        page.wait_for_function(AT_REST, timeout=120_000)
        counts.append(sum(received))
        page.close()
    return (counts[1] - counts[0]) / MEGA


def _count_frames(received: list[int], socket: WebSocket) -> None:
    socket.on("framereceived", lambda frame: received.append(len(frame)))


def large(browser: Browser, server: AppServer) -> tuple[float, float, float, int]:
    """A million points: seconds to the screen, frames a second, seconds of a lasso, its points."""
    start = perf_counter()
    page = opened_page(browser, server, f"n={MOST}")
    page.wait_for_selector(DRAWN, state="attached", timeout=240_000)
    opened = perf_counter() - start
    page.wait_for_function(AT_REST, timeout=120_000)
    page.evaluate(TURN, 2)
    rate = float(page.evaluate(TURN, 6))
    start = perf_counter()
    chosen = int(page.evaluate(LASSO))
    page.get_by_text(f"chosen {chosen}").wait_for(timeout=120_000)
    lassoed = perf_counter() - start
    page.close()
    return opened, rate, lassoed, chosen


def openings(browser: Browser, server: AppServer) -> tuple[float, float]:
    """The page's memory after 5 openings of a cloud, and after OPENINGS."""
    page = opened_page(browser, server, "n=20000")
    # locators, because a handle would keep its element in memory
    shown, hidden = page.locator(DRAWN), page.locator(".twin")
    shown.wait_for(state="attached", timeout=120_000)
    found = []
    for time in range(1, OPENINGS + 1):
        page.get_by_text("show").click()
        hidden.wait_for(state="detached")
        if time in (5, OPENINGS):
            page.wait_for_function(AT_REST)
            found.append(megabytes(page))
        page.get_by_text("show").click()
        shown.wait_for(state="attached")
    page.close()
    return found[0], found[1]
