"""The layers page in a browser: the animation shows each layer with its numbers."""

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accessibility import grave_findings
from tests.browser.clouds import is_drawn, of_stage, pixels, wait_for_clouds, wait_for_stage
from tests.browser.screen import open_app, rerun

PAGE = "layers"
LAST = 6  # of the bundled model
PICTURES = 1 + LAST + 1
CORPUS = "topics-zh"  # the smaller corpus: measuring every layer takes a tenth of the time


def mean_cosine(page: Page) -> Locator:
    return page.locator(".st-key-headline-layer b").first


@pytest.mark.long
def test_the_animation_goes_through_the_layers_and_the_numbers_follow(server, new_page):
    page = new_page(viewport={"width": 1400, "height": 900})
    open_app(page, server.page_url(PAGE, query=f"corpus={CORPUS}&layer=5"))
    wait_for_clouds(page, PICTURES)
    assert is_drawn(page, 0)
    # The few small points have colours mixed with the paper's, but stronger than the cone's.
    assert (np.ptp(pixels(page, PICTURES - 1), axis=2) > 110).sum() > 10
    lead, *small = of_stage(page, "stage.boxes")
    stage = page.locator(".twin-stage").bounding_box()
    assert stage["y"] + stage["height"] < 900  # wholly on the first screen
    assert all(box["width"] < lead["width"] and box["left"] >= lead["width"] for box in small)
    before = mean_cosine(page).inner_text()
    assert float(before) > 0.8
    expect(page.locator(".chart.js-plotly-plot[data-drawn]")).to_have_count(2, timeout=120_000)
    places = "[...stage.shown(stage.message.views[0]).cloud.frames.keys()].length"
    assert of_stage(page, places) == LAST + 1
    with rerun(page):
        page.locator('.twin [data-set="at"]').focus()
        page.keyboard.press("ArrowRight")
        page.locator('.twin [data-do="play"]').focus()
    wait_for_stage(page, f"stage.at === {LAST}")
    assert of_stage(page, "stage.shown(stage.message.views[0]).title") == f"Layer {LAST} of {LAST}"
    expect(page).to_have_url(re.compile(rf"layer={LAST}"))
    expect(mean_cosine(page)).not_to_have_text(before)
    assert float(mean_cosine(page).inner_text()) < 0.7  # trained to spread its last layer
    # The model has no pieces for most Chinese characters; a message above the picture states it.
    page.add_style_tag(content='[data-testid="stAlert"] { display: none }')
    page.set_viewport_size({"width": 420, "height": 900})
    wait_for_stage(page, "stage.width < 420 && stage.boxes[1].top > stage.boxes[0].height")
    # The charts are resized a little after the window.
    page.wait_for_function(
        """() => {
          const main = document.querySelector('[data-testid="stMain"]');
          const stage = document.querySelector('.twin-stage');
          return main.scrollWidth <= main.clientWidth && stage.getBoundingClientRect().top < 500;
        }"""
    )
    assert grave_findings(page, ".twin") == []
