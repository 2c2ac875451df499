"""Times of the pages in Chromium: first visit with warm and empty cache, a moved control."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from bench.table import Row
from geometry import load_encoder, read_bundled, read_cloud
from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.screen import AT_REST
from tests.browser.server import AppServer

REPEATS = 5
# Milliseconds from the request until the frame that brings an element on screen. The browser reads
# its own clock: its answer may come 0.3 s later, and a locator looks only twice a second.
ON_SCREEN = """selector => new Promise(done => {
  const look = () => document.querySelector(selector)
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now())))
    : requestAnimationFrame(look);
  look();
})"""
CLOUDS = ".twin[data-drawn]"  # once both clouds are drawn and react to the pointer
# Sliders of the whitening page, each with the key that moves it away from the end of its range.
SLIDERS = {
    "strength": "ArrowLeft",
    "centring": "ArrowLeft",
    "kept": "ArrowLeft",
    "shrinkage": "ArrowRight",
}
N_VECTORS = 5000  # promised for 5,000 x 384
WHITE_NUMBERS = ".st-key-headline-white"
PROGRESS = '[data-testid="stProgress"]'
FRAME = ".picture-frame"
BARE_PAGE = "import streamlit as st\nst.progress(0.5)\n"
# The clouds show the server's new message and no animation runs. The next frame brings them on
# screen.
SHOWN = "() => document.querySelector('.twin').twin.shownText"
SHOWN_AFTER = """before => new Promise((done, failed) => {
  const { twin } = document.querySelector('.twin');
  const look = () => twin.shownText !== before && !twin.player.isPlaying && !twin.drawing
    ? requestAnimationFrame(() => done(true)) : requestAnimationFrame(look);
  look();
  setTimeout(() => failed(new Error('the clouds were not drawn again')), 30000);
})"""


def main() -> list[Row]:
    """Rows of times from the request to the picture on screen.

    The peer is a Streamlit page with one progress bar: the time that the framework itself takes.
    """
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=list(CHROMIUM_FLAGS)
        )
        places = [Path(folder) / str(place) for place in range(3)]
        bare = median(bare_page(browser, Path(folder)) for _ in range(REPEATS))
        empty = [first_visit(browser, place) for place in places]
        framed = [first_frame(browser, place) for place in places]
        warm = [first_visit(browser, places[0]) for _ in range(REPEATS)]
        moved = moved_animation(browser, places[0])
        vectors = moved_sliders(browser, places[0], write_vectors(Path(folder)))
        tokens = moved_sliders(browser, places[0])
        browser.close()
    return [
        row(
            "server healthy to first cone on screen, warm cache",
            median(visit.drawn for visit in warm),
            3.0,
            peer=bare,
        ),
        row(
            "the same, to the end of the page's run",
            median(visit.ready for visit in warm),
            peer=bare,
        ),
        row(
            "animation's slider moved to the new numbers below the picture (1,224 points, SVD)",
            median(moved),
            0.4,
            note=f"slowest of {len(moved)}: {max(moved):.2f} s",
        ),
        slowest_slider(f"{N_VECTORS:,} uploaded vectors × 384", vectors, 0.3),
        slowest_slider("10,010 tokens × 384", tokens),
        row("first visit, empty cache: picture", median(visit.drawn for visit in empty), 3.0),
        row(
            "first visit, empty cache, a layer that is not shipped: the frame of the picture",
            median(framed),
            1.0,
            peer=bare,
        ),
    ]


def row(
    name: str,
    seconds: float,
    limit: float | None = None,
    note: str = "",
    peer: float | None = None,
) -> Row:
    """A figure, with its upper limit and a bare page beside it where there is one.

    Parameters
    ----------
    name : str
    seconds : float
    limit : float, optional
        Most seconds.
    note : str
    peer : float, optional
        Seconds of the bare page; the row then has a note about it in place of ``note``.
    """
    if peer is not None:
        note = "peer: a Streamlit page with nothing but a progress bar"
    return Row(
        name,
        seconds,
        peer=peer,
        ratio=None if peer is None else peer / seconds,
        target="" if limit is None else f"{limit:g} s or less",
        met=None if limit is None else seconds <= limit,
        note=note,
    )


def bare_page(browser: Browser, folder: Path) -> float:
    """Seconds from the request to the progress bar of a page with nothing else, on a new server."""
    script = folder / "bare.py"
    script.write_text(BARE_PAGE, encoding="utf-8")
    with AppServer(cache_dir=folder, script=script) as server:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(server.url, wait_until="commit")
        seconds = seconds_until(PROGRESS, page)
        page.close()
    return seconds


def seconds_until(selector: str, page: Page) -> float:
    """From the request of the page until an element is on screen."""
    found = page.wait_for_function(ON_SCREEN, arg=selector, timeout=120_000)
    return float(found.json_value()) / 1000


@dataclass(frozen=True)
class Visit:
    """Seconds from the request to both clouds on screen, and to the end of the page's run."""

    drawn: float
    ready: float


def first_visit(browser: Browser, cache: Path) -> Visit:
    """The landing page of a new server."""
    with AppServer(cache_dir=cache) as server:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        start = perf_counter()
        page.goto(server.page_url("narrow_cone"), wait_until="commit")
        drawn = seconds_until(CLOUDS, page)
        page.wait_for_function(AT_REST, timeout=120_000)
        ready = perf_counter() - start
        page.close()
    return Visit(drawn, ready)


def first_frame(browser: Browser, cache: Path) -> float:
    """Seconds from the request to the frame in the picture's place, on a new server."""
    with AppServer(cache_dir=cache) as server:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(server.page_url("narrow_cone", query="layer=3&pooling=max"), wait_until="commit")
        seconds = seconds_until(FRAME, page)
        page.close()
    return seconds


def moved_animation(browser: Browser, cache: Path) -> list[float]:
    """Seconds from a key on the animation's slider to the new numbers below the picture.

    The browser moves the points by itself, before the server answers.
    """
    with AppServer(cache_dir=cache) as server:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(server.page_url("narrow_cone", query="view=svd"))
        page.wait_for_selector(".twin[data-drawn]", timeout=120_000)
        page.wait_for_function(AT_REST, timeout=120_000)
        page.locator('.twin [data-set="at"]').focus()
        times = []
        for _ in range(9):  # the stops of the animation
            before = page.locator(WHITE_NUMBERS).inner_text()
            start = perf_counter()
            page.keyboard.press("ArrowLeft")  # the page opens at the right end
            page.wait_for_function(
                "([selector, before]) => document.querySelector(selector).innerText !== before",
                arg=[WHITE_NUMBERS, before],
            )
            times.append(perf_counter() - start)
            page.wait_for_function(AT_REST, timeout=120_000)
        page.close()
    return times[2:]  # the first two fill caches


def write_vectors(folder: Path) -> Path:
    """A file of N_VECTORS token vectors of the bundled corpus."""
    cloud = read_cloud(
        load_encoder(), read_bundled("topics"), unit="tokens", layer=4, max_points=N_VECTORS
    )
    path = folder / "tokens.npy"
    np.save(path, cloud.vectors)
    return path


def moved_sliders(
    browser: Browser, cache: Path, vectors: Path | None = None
) -> dict[str, list[float]]:
    """Seconds from a key on each slider of the whitening page to the clouds drawn again.

    Parameters
    ----------
    browser : Browser
    cache : Path
        Folder of the server's stored vectors.
    vectors : Path, optional
        A file of vectors for the page; without it, the tokens of the page's own corpus.
    """
    with AppServer(cache_dir=cache) as server:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        if vectors is None:
            page.goto(server.page_url("whitening", query="unit=tokens"))
        else:
            page.goto(server.page_url("your_corpus", query="source=upload"))
            page.locator(".st-key-corpus_file input[type=file]").set_input_files(vectors)
            page.locator(".st-key-use_vectors button").click()
            page.get_by_text("is chosen in the sidebar. Narrow cone").first.wait_for()
            page.get_by_role("link", name="Whitening").first.click()
            page.wait_for_url("**/whitening*")
        page.wait_for_selector(CLOUDS, timeout=120_000)
        page.wait_for_function(AT_REST, timeout=120_000)
        page.locator(".st-key-more-controls summary").click()
        page.locator(".st-key-shrink").get_by_role("radio", name="by hand").click()
        times = {}
        for key, arrow in SLIDERS.items():
            page.locator(f".st-key-{key}").get_by_role("slider").focus()
            page.wait_for_function(AT_REST, timeout=120_000)
            times[key] = [press(page, arrow) for _ in range(12)][2:]  # the first two fill caches
        page.close()
    return times


def slowest_slider(
    points: str, of_sliders: Mapping[str, list[float]], limit: float | None = None
) -> Row:
    """The row of the slowest slider, with the medians of all.

    Parameters
    ----------
    points : str
        What the page shows, in words.
    of_sliders : mapping
        Seconds of each step, by slider.
    limit : float, optional
        Most seconds.
    """
    medians = {key: median(times) for key, times in of_sliders.items()}
    slowest = max(medians, key=lambda key: medians[key])
    return row(
        f"whitening page: slider moved to new picture ({points}, four pictures)",
        medians[slowest],
        limit,
        note=f"{slowest}, the slowest of "
        + ", ".join(f"{key} {seconds:.2f} s" for key, seconds in medians.items())
        + f"; its slowest step {max(of_sliders[slowest]):.2f} s",
    )


def press(page: Page, key: str) -> float:
    """One step of the focused slider."""
    before = page.evaluate(SHOWN)
    start = perf_counter()
    page.keyboard.press(key)
    page.evaluate(SHOWN_AFTER, before)
    seconds = perf_counter() - start
    page.wait_for_function(AT_REST, timeout=120_000)
    return seconds
