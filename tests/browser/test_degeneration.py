"""The page ``degeneration`` in a browser: recorded run, live training, a dragged point."""

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.clouds import of_stage, wait_for_clouds, wait_for_stage
from tests.browser.screen import open_app

PAGE = "degeneration"
SHORT = "train=two&steps=1000&width=16&vocabulary=300"


def trainings_of(process: int) -> list[str]:
    """Ids of the server's processes that train."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            parent = (path.parent / "stat").read_text().rpartition(")")[2].split()[1]
            if parent == str(process) and b"geometry.process" in path.read_bytes():
                found.append(path.parent.name)
        except OSError:  # it has ended
            continue
    return found


def until_none_trains(process: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while trainings_of(process):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def drag_a_point(page: Page) -> None:
    """Carry the first point of the hull to the other side of the origin."""
    hull = page.locator(".hull")
    expect(hull).to_have_attribute("data-outside", "true")
    hull.scroll_into_view_if_needed()
    handle = page.locator('.hull [data-point="0"]').bounding_box()
    picture = page.locator(".hull svg").bounding_box()
    page.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    page.mouse.down()
    page.mouse.move(picture["x"] + 0.15 * picture["width"], picture["y"] + 0.9 * picture["height"])
    page.mouse.up()
    expect(page).to_have_url(re.compile("hull="))


@pytest.mark.long
def test_a_visit_shows_the_recorded_run_trains_and_drags(server, new_page):
    page = new_page(viewport={"width": 1400, "height": 900})
    open_app(page, server.page_url(PAGE, query=SHORT))
    wait_for_clouds(page, 4)
    stage = page.locator(".twin-stage").bounding_box()
    assert stage["y"] + stage["height"] < 900  # wholly on the first screen
    assert of_stage(page, "stage.at") == 0
    page.get_by_role("button", name="Play").click()
    wait_for_stage(page, "stage.at === 40")
    expect(page.locator(".st-key-headline-0 b").first).to_have_text("0.59")
    page.set_viewport_size({"width": 420, "height": 900})
    wait_for_stage(page, "stage.width < 420")
    assert page.locator(".twin-stage").bounding_box()["y"] < 500
    page.set_viewport_size({"width": 1400, "height": 900})
    drag_a_point(page)
    page.locator(".st-key-train-button button").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    wait_for_stage(page, "stage.boxes.length === 2")
    # the picture follows the training, and the numbers are of that step
    wait_for_stage(page, "stage.at > 0 && stage.at === twin.wanted.at")
    expect(page.locator(".twin")).not_to_have_class(re.compile("is-elsewhere"))
    assert len(trainings_of(server.process_id)) == 1
    page.get_by_role("link", name="Cosine and basis").click()  # the training continues
    expect(page.locator(".plane")).to_be_visible()
    page.get_by_role("link", name="Degeneration").click()
    wait_for_stage(page, "stage.boxes.length === 2")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert len(trainings_of(server.process_id)) == 1
    open_app(page, server.page_url("cosine_basis"))  # a reload ends the session
    until_none_trains(server.process_id, 60.0)
