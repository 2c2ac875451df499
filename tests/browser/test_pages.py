"""What only a browser shows of pages without a file of their own here."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.accessibility import grave_findings
from tests.browser.clouds import is_drawn, of_stage, pixels, wait_for_clouds, wait_for_stage
from tests.browser.screen import NEXT_FRAMES, open_app, rerun
from tests.waiting import until

LAST = 6  # layer of the bundled model
CHARTS = ".chart.js-plotly-plot[data-drawn]"
NEIGHBOURS = ".st-key-neighbour-lists .js-plotly-plot"
BEYOND = """selector => {
  const { left, right } = document.querySelector(selector).getBoundingClientRect();
  return [...document.querySelectorAll(`${selector} .annotation-text`)].filter((each) => {
    const box = each.getBoundingClientRect();
    return box.left < left - 1 || box.right > right + 1;
  }).map((each) => each.textContent);
}"""
IS_HIGH = """() => {
  const main = document.querySelector('[data-testid="stMain"]');
  const stage = document.querySelector('.twin-stage');
  return main.scrollWidth <= main.clientWidth && stage.getBoundingClientRect().top < 500;
}"""


@pytest.mark.long
def test_layers_its_animation_has_every_layer_and_the_numbers_follow(server, page):
    open_app(page, server.page_url("layers", query="corpus=topics-zh&layer=5"))
    n_pictures = 1 + LAST + 1
    wait_for_clouds(page, n_pictures)
    assert is_drawn(page, 0)
    # The few small points have colours mixed with the paper's, but stronger than the cone's.
    assert (np.ptp(pixels(page, n_pictures - 1), axis=2) > 110).sum() > 10
    lead, *small = of_stage(page, "stage.boxes")
    assert all(box["width"] < lead["width"] and box["left"] >= lead["width"] for box in small)
    mean_cosine = page.locator(".st-key-headline-layer b").first
    before = mean_cosine.inner_text()
    assert float(before) > 0.8
    expect(page.locator(CHARTS)).to_have_count(2, timeout=120_000)
    places = "[...stage.shown(stage.message.views[0]).cloud.frames.keys()].length"
    assert of_stage(page, places) == LAST + 1
    with rerun(page):
        page.locator('.twin [data-set="at"]').focus()
        page.keyboard.press("ArrowRight")
        page.locator('.twin [data-do="play"]').focus()
    wait_for_stage(page, f"stage.at === {LAST}")
    assert of_stage(page, "stage.shown(stage.message.views[0]).title") == f"Layer {LAST} of {LAST}"
    expect(page).to_have_url(re.compile(rf"layer={LAST}"))
    expect(mean_cosine).not_to_have_text(before)
    assert float(mean_cosine.inner_text()) < 0.7  # trained to spread its last layer
    # The model has no pieces for most Chinese characters; a message above the picture states it.
    page.add_style_tag(content='[data-testid="stAlert"] { display: none }')
    page.set_viewport_size({"width": 420, "height": 900})
    wait_for_stage(page, "stage.width < 420 && stage.boxes[1].top > stage.boxes[0].height")
    page.wait_for_function(IS_HIGH)  # the charts are resized a little after the window
    assert grave_findings(page, ".twin") == []


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


GREY = """selector => getComputedStyle(document.querySelector(selector)).color
  !== getComputedStyle(document.querySelector('[data-testid="stMain"]')).color"""


@pytest.mark.slow
def test_neighbours_numbers_of_a_text_that_the_model_does_not_know_are_grey(server, page):
    query = "model={model}&corpus=topics-zh&lang=zh-CN&find=明天会下雨吗"
    for model, is_grey in (("bundled", True), ("bundled-e5", False)):
        open_app(page, server.page_url("neighbours", query=query.format(model=model)))
        assert page.evaluate(GREY, ".big-numbers b") is is_grey
        opacity = page.locator(".st-key-neighbour-pictures").evaluate(
            "part => Number(getComputedStyle(part).opacity)"
        )
        assert (opacity < 1) is is_grey


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
