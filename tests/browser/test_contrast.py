"""The contrast page in a browser: the recorded run at once, then a short training of one's own."""

import re

from playwright.sync_api import expect

from tests.browser.accessibility import grave_findings
from tests.browser.screen import open_app

STEPS = 50
LONGEST = 180_000  # ms: a process imports torch, perhaps beside other tests


def test_a_recorded_run_then_a_training_that_pauses_and_ends(server, new_page):
    page = new_page(viewport={"width": 1400, "height": 900})
    open_app(page, server.page_url("contrast", query=f"contrast-steps={STEPS}"))
    charts = page.locator(".chart.js-plotly-plot[data-drawn]")
    expect(charts).to_have_count(6, timeout=LONGEST)
    plane = page.locator(".st-key-contrast-plane .chart").bounding_box()
    assert plane["y"] + plane["height"] < 900  # wholly on the first screen
    expect(page.get_by_text("Recorded run").first).to_be_visible()
    numbers = page.locator(".st-key-contrast-numbers b")
    expect(numbers.first).to_have_text("86.3")
    assert grave_findings(page, ".stMain") == []

    page.locator(".st-key-contrast-train button").click()
    pause = page.locator(".st-key-training-contrast-pause button")
    expect(pause).to_be_visible(timeout=LONGEST)
    expect(page.get_by_text(re.compile("Your training")).first).to_be_visible(timeout=LONGEST)
    expect(pause).to_have_count(0, timeout=LONGEST)  # it has ended
    verdict = page.locator(".st-key-verdict-contrast")
    expect(verdict).to_contain_text("Over the raw layer")
    expect(page.locator("g.annotation").filter(has_text="trained head")).to_be_visible()

    page.get_by_role("button", name="Reset", exact=True).click()
    expect(page.get_by_text("Recorded run").first).to_be_visible()
    page.set_viewport_size({"width": 420, "height": 900})
    page.wait_for_function(
        """() => {
          const main = document.querySelector('[data-testid="stMain"]');
          const plane = document.querySelector('.st-key-contrast-plane');
          return main.scrollWidth <= main.clientWidth && plane.getBoundingClientRect().top < 500;
        }"""
    )
