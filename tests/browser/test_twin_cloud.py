"""The twin cloud in a browser: one visit turns, plays, hovers, lassoes and uses the keyboard."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from geometry import ArrayStore, Cloud, load_encoder, project, read_cloud
from geometry.corpus import read_bundled
from geometry.project import match_radius
from geometry.twin import fit_whitening, whiten_beside
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
# where the browser has every `step`th point of the second picture, as three numbers
PLACES = """step => {
  const { stage } = document.querySelector(".twin").twin;
  const { cloud, stretch } = stage.shown(stage.told.views[1]);
  const of = ({ values, low, step }, row) =>
    [0, 1, 2].map(j => low[j] + step[j] * values[3 * row + j]);
  const found = [];
  for (let row = 0; row < cloud.n; row += step) {
    const [a, b] = [stretch.a, stretch.b].map(place => of(cloud.frames[place], row));
    found.push(a.map((value, j) => value + stretch.share * (b[j] - value)));
  }
  return found;
}"""
# of the points that lie alone in the second picture: are their pixels other than the paper?
LIT = """rows => {
  const { stage } = document.querySelector(".twin").twin;
  stage.draw();
  const { gl, ratio } = stage;
  return rows.map(row => {
    const [x, y] = stage.pixelsOf(row, 1);
    const pixel = new Uint8Array(4);
    const bottom = gl.drawingBufferHeight - Math.floor(y * ratio) - 1;
    gl.readPixels(Math.floor(x * ratio), bottom, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return Math.min(...pixel.slice(0, 3));
  });
}"""
PIXELS = "() => [...document.querySelector('.twin').twin.stage.screenOf(1).xy]"
AT = "() => document.querySelector('.twin').twin.at"
CAMERA = "() => JSON.stringify(document.querySelector('.twin').twin.stage.camera)"


def open_twin(page: Page, server: Any, query: str = "") -> Locator:
    open_app(page, server.page_url(PAGE, query=f"dims=3D&{query}"))
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
    """The share of each picture's pixels that are other than before."""
    return [
        float((one != other).any(axis=2).mean()) for one, other in zip(before, after, strict=True)
    ]


def drag(page: Page, points: list[tuple[float, float]]) -> None:
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in points[1:]:
        page.mouse.move(*point, steps=3)
    page.mouse.up()


def shown_cloud() -> Cloud:
    """The cloud of the page, by the library alone; out of the session's disk cache."""
    plain = {"unit": "sentences", "layer": 4, "pooling": "mean"}
    return read_cloud(load_encoder(), read_bundled("topics"), **plain, store=ArrayStore())


def loneliest(pixels: np.ndarray, box: Any) -> tuple[int, np.ndarray]:
    """The row farthest from all others in the second picture, and where it is in the stage."""
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


def test_one_visit_turns_plays_hovers_lassoes_and_uses_the_keyboard(server, page):
    stage = open_twin(page, server)
    cloud = shown_cloud()
    box = stage.bounding_box()
    middle = (box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)  # of raw's picture
    home = halves(page, stage)

    # turned in one picture, turned in both
    drag(page, [middle, (middle[0] + 120, middle[1] + 30)])
    turned = halves(page, stage)
    assert all(0.002 < share < 0.9 for share in changed(home, turned))
    stage.focus()  # what is hidden for a picture of the canvas alone loses the focus
    for key, times in (("ArrowLeft", 2), ("+", 1), ("Shift+ArrowUp", 1)):
        before = page.evaluate(CAMERA)
        for _time in range(times):
            page.keyboard.press(key)
        assert page.evaluate(CAMERA) != before
    page.mouse.dblclick(box["x"] + 12, box["y"] + box["height"] - 60)
    assert max(changed(home, halves(page, stage))) < 0.001  # where it was, but for rings

    # the film begins raw, and its end is the server's white
    page.locator(".twin input[type=range]").first.focus()
    with rerun(page):
        page.keyboard.press("Home")
    assert page.evaluate(AT) == 0
    raw, white = server_places(cloud.vectors)
    assert np.array(page.evaluate(PLACES, 7)) == pytest.approx(raw[::7], abs=np.ptp(raw) / 65535)
    expect(page.locator(".st-key-strength [data-testid=stSliderThumbValue]")).to_have_text("0.00")
    with rerun(page):
        page.get_by_role("button", name="Play", exact=True).click()
        page.wait_for_function("() => document.querySelector('.twin').twin.at === 9", timeout=30000)
    assert np.array(page.evaluate(PLACES, 7)) == pytest.approx(
        white[::7], abs=np.ptp(white) / 65535
    )
    lit = page.evaluate(LIT, list(range(0, len(white), 7)))
    assert np.mean(np.array(lit) < PAPER - 40) > 0.95  # a few lie outside the frame

    # a text under the hand, at a point that lies alone
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    row, (x, y) = loneliest(np.array(page.evaluate(PIXELS)).reshape(-1, 2), box)
    page.mouse.move(box["x"] + x, box["y"] + y)
    expect(page.locator(".twin-tip")).to_contain_text(cloud.texts[row])

    # a lasso in one picture lights the same points in both, and the server has their rows
    page.get_by_role("button", name="Lasso").click()
    left, top = box["x"] + 0.62 * box["width"], box["y"] + 0.25 * box["height"]
    right, bottom = left + 0.2 * box["width"], top + 0.4 * box["height"]
    before = halves(page, stage)
    with rerun(page):
        drag(page, [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)])
    chosen = page.evaluate("() => [...document.querySelector('.twin').twin.stage.rows]")
    assert 10 < len(chosen) < 1200
    expect(page.locator(".st-key-selected-points summary")).to_contain_text(
        f"{len(chosen)} points selected"
    )
    assert all(share > 0.002 for share in changed(before, halves(page, stage)))

    # Tab walks through them and reads, Escape ends the selection
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

    # a category taken out of the legend is in neither picture; sliders of the page move the film
    before = halves(page, stage)
    page.locator(".twin-legend button").first.click()
    assert all(share > 0.0005 for share in changed(before, halves(page, stage)))
    camera = page.evaluate(CAMERA)
    page.locator(".st-key-strength").get_by_role("slider").focus()
    with rerun(page):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => document.querySelector('.twin').twin.at === 8.5")
    assert page.evaluate(CAMERA) == camera

    # the picture to take away is twice the size, and more than the pictures
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PNG").click()
    saved = Image.open(download.value.path())
    assert saved.width == 2 * round(box["width"])
    assert saved.height > 2 * box["height"] + 100

    # the graphics card is lost and given back
    page.evaluate("""() => {
      const { stage } = document.querySelector(".twin").twin;
      window.lost = stage.gl.getExtension("WEBGL_lose_context");
      window.lost.loseContext();
    }""")
    expect(page.locator(".twin-notice")).to_be_visible()
    page.evaluate("() => window.lost.restoreContext()")
    expect(page.locator(".twin-notice")).to_be_hidden()
    lit = page.evaluate(LIT, list(range(0, len(white), 7)))
    assert np.mean(np.array(lit) < PAPER - 40) > 0.7

    # on a narrow screen the pictures stand one under the other; no one is kept out
    page.set_viewport_size({"width": 420, "height": 900})
    page.wait_for_function(
        "() => document.querySelector('.twin').twin.stage.boxes[1].left === 0", timeout=30000
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert stage.bounding_box()["height"] > 600
    assert grave_findings(page, ".twin") == []
    page.set_viewport_size({"width": 1440, "height": 1000})

    # what was open is given back on another page
    page.locator('[data-testid="stSidebar"] a[href*="cosine_basis"]').click()
    page.wait_for_url("**/cosine_basis*")
    wait_for_app(page)
    assert page.evaluate("() => [window.narrowConeArrays.size, window.narrowConeTexts.size]") == [
        0,
        0,
    ]
    assert_no_exception(page)
