"""The twin cloud in a browser: turn, play, hover, lasso, keyboard, hidden tab."""

import io
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from geometry import Cloud, load_encoder, project, read_cloud
from geometry.data.corpus import read_bundled
from geometry.encode import ArrayStore
from geometry.projection.projection import match_radius
from geometry.projection.twin import fit_whitening, whiten_beside
from tests.browser.accessibility import grave_findings
from tests.browser.screen import (
    LONG,
    NEXT_FRAMES,
    ONLY_CANVAS,
    assert_no_exception,
    open_app,
    rerun,
    wait_for_app,
)

PAGE = "narrow_cone"
PAPER = 255
# The places of every `step`th point of the second picture, three numbers each.
PLACES = """step => {
  const { stage } = document.querySelector(".twin").twin;
  const { cloud, stretch } = stage.shown(stage.message.views[1]);
  const of = ({ values, low, step }, row) =>
    [0, 1, 2].map(j => low[j] + step[j] * values[3 * row + j]);
  const found = [];
  for (let row = 0; row < cloud.n; row += step) {
    const [a, b] = [stretch.a, stretch.b].map(place => of(cloud.frames[place], row));
    found.push(a.map((value, j) => value + stretch.share * (b[j] - value)));
  }
  return found;
}"""
# Red, green, blue at points of the second picture.
COLOURS = """rows => {
  const { stage } = document.querySelector(".twin").twin;
  stage.draw();
  const { gl, ratio } = stage;
  return rows.map(row => {
    const [x, y] = stage.pixelsOf(row, 1);
    const pixel = new Uint8Array(4);
    const bottom = gl.drawingBufferHeight - Math.floor(y * ratio) - 1;
    gl.readPixels(Math.floor(x * ratio), bottom, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return [...pixel.slice(0, 3)];
  });
}"""
PIXELS = "() => [...document.querySelector('.twin').twin.stage.screenOf(1).xy]"
AT = "() => document.querySelector('.twin').twin.at"
CAMERA = "() => JSON.stringify(document.querySelector('.twin').twin.stage.camera)"
# Headless Chromium can't hide a page. Instead the test delays the frames and releases them.
HIDE = """isHidden => {
  window.real ??= window.requestAnimationFrame;
  window.requestAnimationFrame = isHidden ? ask => window.held.push(ask) : window.real;
  for (const ask of window.held ?? []) window.real(ask);
  window.held = [];
  const values = { hidden: isHidden, visibilityState: isHidden ? "hidden" : "visible" };
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(document, name, { configurable: true, value });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
# The position of the film after one frame, this many seconds from now.
FRAME_AFTER = """seconds => {
  for (const ask of window.held.splice(0)) ask(performance.now() + 1000 * seconds);
  return document.querySelector(".twin").twin.at;
}"""
# Record the positions to which the film is set.
PASSED = """() => {
  const { twin } = document.querySelector(".twin");
  const { goTo } = twin;
  window.passed = [];
  twin.goTo = at => { window.passed.push(at); return goTo.call(twin, at); };
}"""


def open_twin(page: Page, server: Any, query: str = "") -> Locator:
    open_app(page, server.page_url(PAGE, query=f"dims=3D&strength=1&{query}"))
    page.wait_for_selector(".twin[data-drawn]", timeout=1000 * LONG)
    stage = page.locator(".twin-stage")
    stage.scroll_into_view_if_needed()
    page.evaluate(NEXT_FRAMES)
    return stage


def halves(page: Page, stage: Locator) -> list[np.ndarray]:
    """The pixels of both pictures."""
    page.evaluate(NEXT_FRAMES)
    png = stage.locator(".twin-points").screenshot(style=ONLY_CANVAS)
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
    middle = pixels.shape[1] // 2
    return [pixels[:, : middle - 8], pixels[:, middle + 8 :]]


def changed(before: list[np.ndarray], after: list[np.ndarray]) -> list[float]:
    """The share of each picture's pixels that have changed."""
    return [float((old != new).any(axis=2).mean()) for old, new in zip(before, after, strict=True)]


def colours_at(page: Page, rows: np.ndarray) -> np.ndarray:
    """(n, 3): red, green, blue where points of the second picture lie."""
    return np.array(page.evaluate(COLOURS, rows.tolist()))


def lit_share(page: Page, rows: np.ndarray) -> float:
    """The share of points whose pixels differ from the background."""
    return float((colours_at(page, rows).min(axis=1) < PAPER - 40).mean())


def drag(page: Page, points: list[tuple[float, float]]) -> None:
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*point, steps=3)
    page.mouse.up()


def press_more(page: Page, action: str) -> None:
    """Press a button under More."""
    more = page.locator(".twin-more")
    if more.get_attribute("open") is None:
        more.locator("summary").click()
    more.locator(f'[data-do="{action}"]').click()


def shown_cloud() -> Cloud:
    """The cloud of the page, from the library and the session's disk cache."""
    plain = {"unit": "sentences", "layer": 4, "pooling": "mean"}
    return read_cloud(load_encoder(), read_bundled("topics"), **plain, store=ArrayStore())


def loneliest(pixels: np.ndarray, box: Any) -> tuple[int, np.ndarray]:
    """The row farthest from all others in the second picture, and its place in the stage."""
    width, height = box["width"] / 2, box["height"]
    distances = np.linalg.norm(pixels[:, None] - pixels, axis=2)
    np.fill_diagonal(distances, np.inf)
    inside = (np.abs(pixels - [width / 2, height / 2]) < [width / 2 - 60, height / 2 - 60]).all(1)
    row = int(np.argmax(distances.min(axis=1) * inside))
    return row, pixels[row] + [box["width"] - width + 4, 0]


def server_places(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The server's raw and white coordinates."""
    raw = project(X, "mean", 3)
    white = raw.apply(whiten_beside(X, fit_whitening(X)).vectors).around_origin
    return raw.around_origin, white * match_radius(raw.around_origin, white)


@pytest.mark.slow
def test_one_visit_turns_plays_hovers_lassoes_and_uses_the_keyboard(server, page):
    stage = open_twin(page, server)
    cloud = shown_cloud()
    box = stage.bounding_box()
    middle = (box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)  # of the raw picture
    home = halves(page, stage)

    # Turning one picture turns both.
    drag(page, [middle, (middle[0] + 120, middle[1] + 30)])
    page.wait_for_url(re.compile("camera=-?[0-9]+"))
    turned = halves(page, stage)
    assert all(0.002 < share < 0.9 for share in changed(home, turned))
    stage.focus()  # elements hidden for a screenshot of the canvas lose the focus
    for key, times in (("ArrowLeft", 2), ("+", 1), ("Shift+ArrowUp", 1)):
        before = page.evaluate(CAMERA)
        for _time in range(times):
            page.keyboard.press(key)
        assert page.evaluate(CAMERA) != before
    page.mouse.dblclick(box["x"] + 12, box["y"] + box["height"] - 60)
    assert max(changed(home, halves(page, stage))) < 0.001  # as before, except for rings
    expect(page).not_to_have_url(re.compile("camera="))

    # The film begins at the raw cloud and ends at the server's whitened cloud.
    page.locator(".twin input[type=range]").first.focus()
    with rerun(page):
        page.keyboard.press("Home")
    assert page.evaluate(AT) == 0
    raw, white = server_places(cloud.vectors)
    assert np.array(page.evaluate(PLACES, 7)) == pytest.approx(raw[::7], abs=np.ptp(raw) / 65535)
    expect(page.locator(".twin-knobs output").nth(1)).to_have_text("0.00")
    with rerun(page):
        page.get_by_role("button", name="Play", exact=True).click()
        page.wait_for_function("() => document.querySelector('.twin').twin.at === 9", timeout=30000)
    assert np.array(page.evaluate(PLACES, 7)) == pytest.approx(
        white[::7], abs=np.ptp(white) / 65535
    )
    assert lit_share(page, np.arange(0, len(white), 7)) > 0.95  # a few lie outside the frame

    # The tooltip of a point that lies alone.
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    row, (x, y) = loneliest(np.array(page.evaluate(PIXELS)).reshape(-1, 2), box)
    page.mouse.move(box["x"] + x, box["y"] + y)
    expect(page.locator(".twin-tip")).to_contain_text(cloud.texts[row])

    # A lasso in one picture selects the same points in both; the server receives their rows.
    press_more(page, "lasso")
    left, top = box["x"] + 0.62 * box["width"], box["y"] + 0.25 * box["height"]
    right, bottom = left + 0.2 * box["width"], top + 0.4 * box["height"]
    before = halves(page, stage)
    with rerun(page):
        drag(page, [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])
    chosen = page.evaluate("() => [...document.querySelector('.twin').twin.stage.rows]")
    assert 10 < len(chosen) < 1200
    expect(page.locator(".st-key-inspector .st-key-selected-points summary")).to_contain_text(
        f"Points selected: {len(chosen)}"
    )
    assert all(share > 0.002 for share in changed(before, halves(page, stage)))

    # Tab moves through the selected points and reads them out; Escape ends the selection.
    stage.focus()
    page.keyboard.press("Tab")
    live = page.locator(".twin-live")
    expect(live).to_contain_text(cloud.texts[chosen[0]])
    page.keyboard.press("Tab")
    expect(live).to_contain_text(f"2 / {len(chosen)}")
    with rerun(page):
        page.keyboard.press("Enter")
    assert page.evaluate("new URLSearchParams(location.search).get('point')") == str(chosen[1])
    with rerun(page):
        page.keyboard.press("Escape")
    expect(page.locator(".st-key-selected-points")).to_have_count(0)

    # A category turned off in the legend is in neither picture. A slider moves the film.
    before = halves(page, stage)
    page.locator(".twin-legend button").first.click()
    assert all(share > 0.0005 for share in changed(before, halves(page, stage)))
    camera = page.evaluate(CAMERA)
    page.locator(".twin-more summary").click()
    page.locator(".twin-knobs input").nth(1).focus()
    with rerun(page):
        page.keyboard.press("ArrowLeft")
    assert page.evaluate(AT) == 8.5
    assert page.evaluate(CAMERA) == camera

    # The downloaded picture is twice the size and contains more than the clouds.
    with page.expect_download() as download:
        press_more(page, "save")
    saved = Image.open(download.value.path())
    assert saved.width == 2 * round(box["width"])
    assert saved.height > 2 * box["height"] + 100
    # In the SVG the points are an image, and every label is text.
    with page.expect_download() as download:
        press_more(page, "saveVectors")
    drawn = ElementTree.parse(download.value.path()).getroot()
    assert drawn.get("width") == f"{round(box['width'])}"
    (points,) = drawn.iter("{http://www.w3.org/2000/svg}image")
    assert points.get("href").startswith("data:image/png;base64,")
    words = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert set(cloud.labels) & set(words)

    # The graphics context is lost and restored.
    page.evaluate("""() => {
      const { stage } = document.querySelector(".twin").twin;
      window.lost = stage.gl.getExtension("WEBGL_lose_context");
      window.lost.loseContext();
    }""")
    expect(page.locator(".twin-notice")).to_be_visible()
    page.evaluate("() => window.lost.restoreContext()")
    expect(page.locator(".twin-notice")).to_be_hidden()
    assert lit_share(page, np.arange(0, len(white), 7)) > 0.7

    # On a narrow screen one picture is below the other. axe finds no fault.
    page.set_viewport_size({"width": 420, "height": 900})
    page.wait_for_function(
        "() => document.querySelector('.twin').twin.stage.boxes[1].left === 0", timeout=30000
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert stage.bounding_box()["height"] > 500
    page.locator(".twin-more summary").click()
    assert grave_findings(page, ".twin") == []
    page.set_viewport_size({"width": 1440, "height": 1000})

    # Another page frees the memory.
    page.locator('[data-testid="stSidebar"] a[href*="cosine_basis"]').click()
    page.wait_for_url("**/cosine_basis*")
    wait_for_app(page)
    assert page.evaluate("() => [window.narrowConeArrays.size, window.narrowConeTexts.size]") == [
        0,
        0,
    ]
    assert_no_exception(page)


def to_the_start(page: Page) -> None:
    """Set the film's slider to the raw cloud and wait for the server's numbers."""
    page.get_by_label("From raw to whitened").focus()
    with rerun(page):
        page.keyboard.press("Home")
    assert page.evaluate(AT) == 0


def assert_a_hidden_tab_pauses_the_film_and_reduced_motion_shows_only_its_stops(page: Page) -> None:
    to_the_start(page)
    play = page.locator('.twin [data-do="play"]')

    # A hidden tab gets no frame; afterwards the film continues from its last position.
    page.evaluate(HIDE, True)
    play.click()
    page.wait_for_timeout(300)
    assert page.evaluate(AT) == 0
    held = page.evaluate(FRAME_AFTER, 3600)
    assert 0 < held < 0.5
    page.wait_for_timeout(300)
    assert page.evaluate(AT) == held
    # A frame's timestamp can be earlier than the request for it.
    assert page.evaluate(FRAME_AFTER, 0) == held
    page.evaluate(HIDE, False)
    page.wait_for_function("() => document.querySelector('.twin').twin.at > 0.5")
    with rerun(page):
        play.click()

    # With reduced motion the film jumps from stop to stop.
    page.emulate_media(reduced_motion="reduce")
    to_the_start(page)
    page.evaluate(PASSED)
    with rerun(page):
        play.click()
        page.wait_for_function("() => document.querySelector('.twin').twin.at === 9", timeout=30000)
    assert page.evaluate("() => passed.splice(0)") == list(range(1, 10))


@pytest.mark.long
def test_density_the_pixel_ratio_and_a_hidden_tab(server, page):
    stage = open_twin(page, server)
    flat = halves(page, stage)
    # Density: a place with many points has more colour than a single point.
    press_more(page, "density")
    dense = halves(page, stage)
    assert all(0.002 < share < 0.9 for share in changed(flat, dense))
    pixels = np.array(page.evaluate(PIXELS)).reshape(-1, 2)
    around = (np.linalg.norm(pixels[:, None] - pixels, axis=2) < 3).sum(axis=1)
    order = np.argsort(around)
    alone, crowded = (colours_at(page, rows).sum(axis=1) for rows in (order[:40], order[-40:]))
    assert np.median(alone) < 3 * PAPER - 100
    assert np.median(crowded) < np.median(alone) - 30
    press_more(page, "density")
    assert max(changed(flat, halves(page, stage))) < 0.001

    # Move the window to a screen with a finer pixel ratio and back: all points stay in place.
    # (Chromium reports only the width of an emulated screen.)
    screen = page.context.new_cdp_session(page)
    for ratio, drawn in ((3, 3), (4, 3), (1, 1)):
        size = {"width": 1440 + ratio, "height": 1000, "deviceScaleFactor": ratio, "mobile": False}
        screen.send("Emulation.setDeviceMetricsOverride", size)
        page.wait_for_function(
            "ratio => document.querySelector('.twin').twin.stage.ratio === ratio", arg=drawn
        )
        sizes = page.evaluate("""() => [...document.querySelectorAll(".twin-stage canvas")].map(
          one => [one.width / one.clientWidth, one.height / one.clientHeight])""")
        assert np.array(sizes) == pytest.approx(np.full((2, 2), drawn), abs=0.01)
        assert lit_share(page, np.arange(0, len(pixels), 7)) > 0.9
    screen.detach()
    assert_a_hidden_tab_pauses_the_film_and_reduced_motion_shows_only_its_stops(page)
    assert_no_exception(page)
