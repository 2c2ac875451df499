"""What only a browser shows of pages without a file of their own here."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.accessibility import grave_findings
from tests.browser.clouds import is_drawn, of_stage, pixels, wait_for_clouds, wait_for_stage
from tests.browser.screen import LONG, NEXT_FRAMES, open_app, rerun
from tests.browser.server import AppServer
from tests.deploy.proxy import Proxy
from tests.encode.tiny_encoder import save_tiny_bert
from tests.hub.hub_server import HubServer
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
def test_word_frequency_a_list_of_one_s_own_changes_the_ranks(server, page, tmp_path):
    open_app(page, server.page_url("word_frequency"))
    expect(page.locator(CHARTS)).to_have_count(2, timeout=120_000)  # lengths, and cosines below
    wait_for_clouds(page, 2)
    assert is_drawn(page, 0)
    expect(page.get_by_text("The mean lengths of the bins go neither up nor down")).to_be_visible()
    table = tmp_path / "counts.txt"
    words = ("the", "of", "house", "river", "music", "king", "water", "stone", "law", "win")
    table.write_text("".join(f"{word} {100 - i}\n" for i, word in enumerate(words)))
    open_app(page, server.page_url("word_frequency", query="counts=list"))
    with rerun(page):
        page.locator(".st-key-frequency_counts_file input[type=file]").set_input_files(table)
    expect(page.get_by_text("n = 10 words").first).to_be_visible()


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


@pytest.mark.slow
def test_sentence_similarity_a_curve_and_a_clicked_dot(server, page):
    open_app(page, server.page_url("sentence_similarity", query="pairs=hard-pairs&curve=2&pair=3"))
    ladder = page.locator(CHARTS).first
    expect(ladder).to_be_visible(timeout=60_000)
    controls = page.locator(".st-key-pair-controls").bounding_box()
    assert 0 < controls["y"] <= ladder.bounding_box()["y"] - controls["height"]

    # the curve lowers Pearson and leaves Spearman unchanged
    line = page.get_by_text(re.compile(r"Spearman ρ = .* Pearson r")).nth(1)
    before = re.findall(r"-?\d\.\d+", line.inner_text())
    slider = page.get_by_role("slider", name="Monotone curve")
    slider.focus()
    with rerun(page):
        slider.press("End")
    after = re.findall(r"-?\d\.\d+", line.inner_text())
    assert after[0] == before[0]
    assert float(after[1]) < float(before[1])
    assert "curve=10" in page.url

    # a click on a dot shows its pair
    expect(page.get_by_text("The goat chased the postman down the lane.").first).to_be_visible()
    chart = page.locator('[class*="st-key-sts-pairs-before"] .chart.js-plotly-plot')
    chart.scroll_into_view_if_needed()
    with rerun(page):
        chart.locator(".scatterlayer .trace").first.locator("path.point").nth(10).click(force=True)
    expect(page).not_to_have_url(re.compile(r"pair=3(&|$)"))


@pytest.mark.long
def test_contrast_a_recorded_run_then_a_training_that_is_stopped(server, page):
    open_app(page, server.page_url("contrast", query="contrast-steps=800"))  # not at its end
    expect(page.locator(CHARTS)).to_have_count(6)
    recorded = page.get_by_text(re.compile("Recorded run")).first
    trained = page.get_by_text(re.compile("Your training")).first
    expect(recorded).to_be_visible()
    page.locator(".st-key-contrast-train button").click()
    expect(trained).to_be_visible(timeout=180_000)  # a process imports torch
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator(".st-key-training-contrast-pause")).to_have_count(0)
    expect(trained).to_be_visible()
    expect(page.locator(CHARTS)).to_have_count(6)
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(recorded).to_be_visible()


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


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as running:
        yield running


@pytest.fixture
def hub_app(hub: HubServer, cache_dir: Path, tmp_path: Path) -> Iterator[AppServer]:
    """An app whose models come from ``hub``."""
    environment = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home")}
    with AppServer(cache_dir=cache_dir, environment=environment) as running:
        yield running


@pytest.mark.long  # tests/pages/common/test_models.py downloads one without a browser
def test_a_hub_model_is_offered_downloaded_and_drawn(hub, hub_app, page, tmp_path):
    """The download shows progress, is cancelled, fails, and begins again after each."""
    name = "owner/tiny"
    commit = hub.publish(name, save_tiny_bert(tmp_path / "tiny"))
    weights = "model.safetensors"
    hub.faults.stalls[weights] = 4096
    open_app(page, hub_app.page_url("narrow_cone", query=f"model={name}&layer=1"))
    expect(page.get_by_text("has to be downloaded once")).to_be_visible()
    assert not hub.fetched()
    page.get_by_role("button", name="Download model").click()
    expect(page.get_by_text(f"Downloading {name}")).to_be_visible(timeout=LONG * 1000)
    expect(page.get_by_text(re.compile(r"\d (kB|bytes) / \d+ kB"))).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled. Files that had")).to_be_visible(timeout=LONG * 1000)
    hub.faults.breaks[weights] = [10] * 40
    hub.released.set()
    page.get_by_role("button", name="Start again").click()
    expect(page.get_by_text("is incomplete")).to_be_visible(timeout=LONG * 1000)
    hub.faults.breaks.clear()
    page.get_by_role("button", name="Try again").click()
    numbers = page.locator(".st-key-headlines .big-numbers")
    expect(numbers).to_have_count(2, timeout=LONG * 1000)
    for each in numbers.all():
        cosine = each.locator("div", has_text="mean cosine")
        expect(cosine).to_contain_text(re.compile(r"[+−-]?\d\.\d{3}"))
    expect(page.locator('[data-testid="stAlertContentError"]')).to_have_count(0)
    line = f"· {name}, commit {commit[:7]} · layer 1 of 2 ·"
    expect(page.get_by_text(line).first).to_be_visible()
    # a layer belongs to its model
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name="all-MiniLM-L6-v2 (bundled)").click()
    expect(page.get_by_text("· layer 4 of 6 ·").first).to_be_visible(timeout=LONG * 1000)
    assert "layer=" not in page.url


@pytest.fixture
def proxy(server: AppServer, tmp_path: Path) -> Iterator[Proxy]:
    """nginx of deploy/ with one server as both replicas."""
    with Proxy(tmp_path, [server.port] * 2) as running:
        yield running


@pytest.mark.long  # test_replicas.py asks the same proxy; every page is visited under its policy
def test_a_page_is_drawn_behind_nginx(proxy, page):
    with page.expect_response(f"{proxy.url}/narrow_cone") as first:
        open_app(page, f"{proxy.url}/narrow_cone")
    assert "content-security-policy" in first.value.headers
    wait_for_clouds(page)
