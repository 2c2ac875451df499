"""What only a browser shows of pages without a file of their own here."""

import re
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.clouds import of_stage, wait_for_clouds, wait_for_stage
from tests.browser.screen import NEXT_FRAMES, open_app, rerun
from tests.waiting import until

NEIGHBOURS = ".st-key-neighbour-lists .js-plotly-plot"
BEYOND = """selector => {
  const { left, right } = document.querySelector(selector).getBoundingClientRect();
  return [...document.querySelectorAll(`${selector} .annotation-text`)].filter((each) => {
    const box = each.getBoundingClientRect();
    return box.left < left - 1 || box.right > right + 1;
  }).map((each) => each.textContent);
}"""


@pytest.mark.slow
def test_neighbours_a_click_makes_one_the_query(server, page):
    open_app(page, server.page_url("neighbours", query="nearest=5"))
    page.wait_for_selector(f"{NEIGHBOURS}[data-drawn]")
    assert page.evaluate(BEYOND, NEIGHBOURS) == []
    title = page.get_by_text("Nearest to")
    before = title.inner_text()
    point = page.locator(f"{NEIGHBOURS} .scatterlayer .points path").first.bounding_box()
    with rerun(page):
        page.mouse.click(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    expect(title).not_to_have_text(before)
    assert re.search(r"[?&]point=\d+", page.url)

    files = []
    page.locator(NEIGHBOURS).hover()
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            name = f"Download picture ({kind})"
            page.locator(f"{NEIGHBOURS} .modebar-btn[data-title='{name}']").click()
        files.append(download.value)
    assert files[0].suggested_filename == "neighbours.svg"
    drawn = "".join(ElementTree.parse(files[0].path()).getroot().itertext())
    assert "not among the 5 nearest" in drawn
    assert Image.open(files[1].path()).width > 500
    # one of Plotly's default buttons uploads the chart and the texts in it
    titles = page.locator(f"{NEIGHBOURS} .modebar-btn").evaluate_all(
        "all => all.map(one => one.dataset.title)"
    )
    assert not [title for title in titles if re.search("share|cloud|edit", title, re.I)]

    page.set_viewport_size({"width": 420, "height": 900})
    page.wait_for_function(
        "selector => document.querySelector(selector).clientWidth < 420", arg=NEIGHBOURS
    )
    page.evaluate(NEXT_FRAMES)
    assert page.evaluate(BEYOND, NEIGHBOURS) == []


@pytest.mark.long
def test_degeneration_shows_the_recorded_run_trains_and_drags(fresh_server, page):
    server = fresh_server()  # its trainings are counted
    query = "train=two&steps=1000&width=16&vocabulary=300"
    open_app(page, server.page_url("degeneration", query=query))
    wait_for_clouds(page, 4)
    assert of_stage(page, "stage.at") == 0
    page.get_by_role("button", name="Play").click()
    wait_for_stage(page, "stage.at === 40")
    expect(page.locator(".st-key-headline-0 b").first).to_have_text("0.59")

    # a point of the hull is carried to the other side of the origin
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

    page.locator(".st-key-train-button button").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    wait_for_stage(page, "stage.boxes.length === 2")
    # the picture follows the training, and the numbers are of that step
    wait_for_stage(page, "stage.at > 0 && stage.at === twin.wanted.at")
    expect(page.locator(".twin")).not_to_have_class(re.compile("is-elsewhere"))
    assert len(server.workers()) == 1
    page.get_by_role("link", name="Cosine and basis").click()  # the training continues
    expect(page.locator(".plane")).to_be_visible()
    page.get_by_role("link", name="Degeneration").click()
    wait_for_stage(page, "stage.boxes.length === 2")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert len(server.workers()) == 1
    open_app(page, server.page_url("cosine_basis"))  # a reload ends the session
    until(lambda: not server.workers())
