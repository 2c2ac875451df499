"""Exploring an upload in a browser without a graphics card: colours, filters, search, memory."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import psutil
import pyarrow as pa
from playwright.sync_api import Page, sync_playwright
from pyarrow import parquet

from bench.landing import CLOUDS, SHOWN, SHOWN_AFTER
from bench.table import Row
from bench.twin import FRAMES, TURN
from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.screen import AT_REST, choose
from tests.browser.server import AppServer

MANY, MOST = 100_000, 1_000_000
REPEATS = 9
SUBJECTS = ("delivery", "screen", "refund", "battery", "colour", "invoice", "cable", "manual")
NOTE_ACTS = f"""() => {{
  for (const kind of window.actedAt ? [] : ["pointerdown", "keydown"]) {{
    addEventListener(kind, (event) => (window.actedAt = event.timeStamp), {{ capture: true }});
  }}
  return ({SHOWN})();
}}"""
ANSWERED = f"""async before => {{
  await ({SHOWN_AFTER})(before);
  return (performance.now() - window.actedAt) / 1000;
}}"""
# the job of the clusters has ended, and the pictures show another thing than before
DRAWN_AGAIN = """before => {
  const twin = document.querySelector(".twin")?.twin;
  return twin?.stage?.boxes?.length && twin.shownText !== before && !twin.drawing
    && !document.querySelector('[data-testid="stProgress"]');
}"""
PICTURE = "#twin-own-cloud, .st-key-own_cloud .twin[data-drawn]"


def main() -> list[Row]:
    """The peer, Embedding Atlas, draws only with WebGPU, which this browser does not have."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=list(CHROMIUM_FLAGS)
        )
        rows = []
        for n, d, most in ((MANY, 384, 0.2), (MOST, 8, 1.0)):
            path = written(Path(folder) / f"{n}.parquet", n, d)
            # torch, imported 10 s after the start, is no part of the session with vectors
            environment = {"NARROW_CONE_ENCODER_WARM_UP": "0"}
            with AppServer(cache_dir=Path(folder) / "cache", environment=environment) as server:
                page = browser.new_page(viewport={"width": 1400, "height": 900})
                rows += explored(page, server, path, n, d, most)
                page.close()
        browser.close()
    return rows


def written(path: Path, n: int, d: int) -> Path:
    """A file of n vectors (d) in eight groups, with a text, three categories and two numbers."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, len(SUBJECTS), n)
    X = rng.standard_normal((n, d), dtype=np.float32) + 1
    X[:, :3] += 6 * rng.standard_normal((len(SUBJECTS), 3), dtype=np.float32)[group]
    table = {
        "text": [f"the {SUBJECTS[g]} of order {row}" for row, g in enumerate(group)],
        "subject": [SUBJECTS[g] for g in group],
        "country": [f"country {c}" for c in rng.integers(0, 300, n)],
        "channel": [("mail", "phone", "shop")[c] for c in rng.integers(0, 3, n)],
        "price": rng.gamma(2, 20, n).round(2),
        "stars": rng.integers(1, 6, n),
        "embedding": pa.FixedSizeListArray.from_arrays(X.ravel(), d),
    }
    parquet.write_table(pa.table(table), path, compression="none")
    return path


def explored(page: Page, server: AppServer, path: Path, n: int, d: int, most: float) -> list[Row]:
    """The rows of one file: until its picture, then each way to explore it.

    Parameters
    ----------
    page : Page
    server : AppServer
    path : Path
        The file, of n vectors (d).
    n : int
    d : int
    most : float
        Seconds promised for a new picture.
    """
    points = f"{n:,} × {d} with 5 columns"
    # an earlier reader, for whom the server imported what the pages need
    for name in ("whitening", "narrow_cone"):
        page.goto(server.page_url(name))
        page.wait_for_selector(CLOUDS, timeout=120_000)
        page.wait_for_function(AT_REST, timeout=120_000)
    page.goto(server.page_url("your_corpus", query="source=upload"))
    page.locator(".st-key-corpus_file input[type=file]").wait_for(state="attached")
    page.wait_for_function(AT_REST, timeout=120_000)
    before = psutil.Process(server.process_id).memory_info().rss
    start = perf_counter()
    page.locator(".st-key-corpus_file input[type=file]").set_input_files(path)
    page.locator(".st-key-use_vectors button").click(timeout=120_000)
    page.wait_for_selector(PICTURE, timeout=300_000)
    first = perf_counter() - start
    page.get_by_role("link", name="Narrow cone").first.click()
    page.wait_for_url("**/narrow_cone*")
    page.wait_for_selector(CLOUDS, timeout=300_000)
    page.wait_for_function(AT_REST, timeout=300_000)
    memory = psutil.Process(server.process_id).memory_info().rss - before - 4 * n * d

    colours = [recoloured(page, ("price", "stars")[i % 2]) for i in range(REPEATS)]
    page.locator(".st-key-filters summary").click()
    choose(page, key_of(page, "filter-by-"), "price")
    page.wait_for_function(AT_REST, timeout=120_000)
    page.keyboard.press("Escape")  # the list
    page.locator(".st-key-others button, .st-key-others [role=radio]").last.click()
    page.wait_for_function(AT_REST, timeout=120_000)
    page.locator(".st-key-filters").get_by_role("slider").first.focus()
    filters = [timed(page, lambda: page.keyboard.press("ArrowRight")) for _ in range(REPEATS)]
    found = page.locator(".st-key-find input")
    searches = []
    for i in range(REPEATS):
        found.fill(f"order {i + 1}7")
        searches.append(timed(page, lambda: found.press("Enter")))
    found.fill("order 107")  # few hits, each with a ring
    timed(page, lambda: found.press("Enter"))
    shown = page.evaluate(SHOWN)
    choose(page, "colour", "clusters")  # with their names, by a job
    page.wait_for_function(DRAWN_AGAIN, arg=shown, timeout=300_000)
    page.wait_for_function(AT_REST, timeout=300_000)
    page.evaluate(TURN, 2)  # compiled
    rate = median(float(page.evaluate(TURN, FRAMES)) for _ in range(3))
    size = given_away(page) if n == MANY else 0
    limit = f"{most:g} s or less"
    rows = [
        Row(f"{points}: from the file's choice to the picture", first,
            target="10 s or less" if n == MANY else "",
            met=first <= 10 if n == MANY else None),
        *(
            Row(f"the same: {name}, to the new frame", median(times), target=limit,
                met=median(times) <= most, note=f"slowest of {len(times)}: {max(times):.2f} s")
            for name, times in (
                ("another colour", colours),
                ("a filter by a slider, grey", filters),
                ("the hits of a search", searches),
            )
        ),
        Row(f"the same: turned with a filter and names, 2 × {n:,} points", rate, unit="frames/s",
            target="30 frames/s" if n == MANY else "", met=rate >= 30 if n == MANY else None),
    ]  # fmt: skip
    if n == MANY:
        megabytes = memory / 1e6
        rows += [
            Row("the same: memory that it adds, without the vectors", megabytes, unit="MB",
                target="250 MB or less", met=megabytes <= 250),
            Row("the same: this view as one file of HTML", size / 1e6, unit="MB",
                target="12 MB or less", met=size <= 12e6),
        ]  # fmt: skip
    print(points, *(f"{row.name}: {row.ours:.3f}" for row in rows), sep="\n", file=sys.stderr)
    return rows


def given_away(page: Page) -> int:
    """Bytes of the file that has the present view."""
    with page.expect_download(timeout=120_000) as waiting:
        page.locator(".st-key-take-view button").click()
    return waiting.value.path().stat().st_size


def recoloured(page: Page, column: str) -> float:
    return timed(page, lambda: choose(page, "colour", column))


def key_of(page: Page, start: str) -> str:
    """The key of a control, whose end is a digest of the file."""
    classes = page.locator(f'[class*="st-key-{start}"]').evaluate_all(
        "(all) => all.flatMap((each) => [...each.classList])"
    )
    return next(name[7:] for name in classes if name.startswith(f"st-key-{start}"))


def timed(page: Page, act: Callable[[], None]) -> float:
    """Seconds from the reader's last click or key until the pictures show the server's answer.

    The browser tells when the key was pressed: the driver looks for what it clicks for .05 s.
    """
    before = page.evaluate(NOTE_ACTS)
    act()
    seconds = float(page.evaluate(ANSWERED, before))
    page.wait_for_function(AT_REST, timeout=120_000)
    return seconds
