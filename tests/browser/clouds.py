"""The twin cloud on screen: the places of its points, its pixels, a lasso in it."""

import io
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Page

from tests.browser.screen import LONG, NEXT_FRAMES, ONLY_CANVAS, drag_around

MS = 1000 * LONG
STILL = """count => {
  const twin = document.querySelector('.twin[data-drawn]')?.twin;
  return Boolean(twin) && twin.stage.message.views.length === count
    && !twin.player.isPlaying && !twin.drawing;
}"""
EDGE = 20  # pixels; points nearer to the frame are not hovered or clicked


def wait_for_clouds(page: Page, count: int = 2) -> None:
    """Wait until ``count`` pictures are drawn and no animation runs."""
    page.wait_for_function(STILL, arg=count, timeout=MS)
    page.evaluate(NEXT_FRAMES)


def of_stage(page: Page, expression: str) -> Any:
    """The value of a JavaScript expression of ``stage`` (the drawing) and ``twin``."""
    return page.evaluate(
        f"() => {{ const {{ twin }} = document.querySelector('.twin');"
        f" const {{ stage }} = twin; return {expression}; }}"
    )


def wait_for_stage(page: Page, condition: str) -> None:
    """Wait until a JavaScript condition on ``stage`` and ``twin`` holds."""
    page.wait_for_function(
        f"""() => {{
          const twin = document.querySelector('.twin[data-drawn]')?.twin;
          const stage = twin?.stage;
          return Boolean(stage?.message) && ({condition});
        }}""",
        timeout=MS,
    )


def pixels(page: Page, place: int) -> np.ndarray:
    """One picture as (height, width, 3), its labels included."""
    page.locator(".twin-stage").scroll_into_view_if_needed()
    page.evaluate(NEXT_FRAMES)
    png = page.locator(".twin-points").screenshot(style=ONLY_CANVAS)
    whole = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))
    box = of_stage(page, f"stage.boxes[{place}]")
    left, top = round(box["left"]), round(box["top"])
    return whole[top : top + round(box["height"]), left : left + round(box["width"])]


def is_drawn(page: Page, place: int) -> bool:
    """Whether the picture has points: pixels in their colours, not only labels."""
    theme = of_stage(page, "stage.message.theme")
    paper = _rgb(theme["paper"])
    colours = pixels(page, place).reshape(-1, 3).astype(int)
    # a point in a crowd is mixed with the paper
    looks = [
        paper + share * (_rgb(hue) - paper)
        for hue in [*theme["categories"], *theme["scale"]]
        for share in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    ]
    return any((np.abs(colours - look).max(axis=1) < 4).sum() > 20 for look in looks)


def _rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)])


def loneliest(page: Page, place: int) -> tuple[int, float, float]:
    """The row farthest from all others in a picture, and its place (x, y) on screen."""
    page.locator(".twin-stage").scroll_into_view_if_needed()
    page.evaluate(NEXT_FRAMES)
    at = np.array(of_stage(page, f"[...stage.screenOf({place}).xy]")).reshape(-1, 2)
    box = of_stage(page, f"stage.boxes[{place}]")
    size = np.array([box["width"], box["height"]])
    distances = np.linalg.norm(at[:, None] - at, axis=2)
    np.fill_diagonal(distances, np.inf)
    inside = ((at > EDGE) & (at < size - EDGE)).all(axis=1)
    row = int(np.argmax(distances.min(axis=1) * inside))
    stage = page.locator(".twin-stage").bounding_box()
    x, y = at[row] + [stage["x"] + box["left"], stage["y"] + box["top"]]
    return row, float(x), float(y)


def lasso(
    page: Page, place: int, left: float, top: float, right: float, bottom: float
) -> list[int]:
    """Draw a lasso by mouse, its sides as shares of the picture; return the selected rows."""
    page.locator(".twin-stage").scroll_into_view_if_needed()
    button = page.locator('.twin [data-do="lasso"]')
    if button.get_attribute("aria-pressed") == "false":
        page.locator(".twin-more summary").click()
        button.click()
    page.evaluate(NEXT_FRAMES)
    stage = page.locator(".twin-stage").bounding_box()
    box = of_stage(page, f"stage.boxes[{place}]")
    frame = {"x": stage["x"] + box["left"], "y": stage["y"] + box["top"]}
    drag_around(page, box | frame, left, top, right, bottom)
    return list(of_stage(page, "[...stage.rows]"))
