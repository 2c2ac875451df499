"""The contrast page in a browser: first the recorded run, then the reader's own training.

tests/pages/contrast/test_contrast.py tests what a finished training shows.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.screen import open_app

STEPS = 800  # enough steps that the test stops it before its end
LONGEST = 180_000  # ms; a process imports torch while other tests may be running


@pytest.mark.long
def test_a_recorded_run_then_a_training_that_is_stopped(server, new_page):
    page = new_page(viewport={"width": 1400, "height": 900})
    open_app(page, server.page_url("contrast", query=f"contrast-steps={STEPS}"))
    charts = page.locator(".chart.js-plotly-plot[data-drawn]")
    expect(charts).to_have_count(6, timeout=LONGEST)
    plane = page.locator(".st-key-contrast-plane .chart").bounding_box()
    assert plane["y"] + plane["height"] < 900  # wholly on the first screen
    expect(page.get_by_text(re.compile("Recorded run")).first).to_be_visible()

    page.locator(".st-key-contrast-train button").click()
    expect(page.get_by_text(re.compile("Your training")).first).to_be_visible(timeout=LONGEST)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator(".st-key-training-contrast-pause")).to_have_count(0)
    expect(page.get_by_text(re.compile("Your training")).first).to_be_visible()
    expect(charts).to_have_count(6)

    page.get_by_role("button", name="Reset", exact=True).click()
    expect(page.get_by_text(re.compile("Recorded run")).first).to_be_visible()
