"""The page ``sentence_similarity`` in a browser: sliders, clicks, an upload, narrow screens."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.screen import open_app, rerun

PAGE = "sentence_similarity"


def charts(page: Page):
    return page.locator(".chart.js-plotly-plot[data-drawn]")


@pytest.mark.slow
def test_the_ladder_is_on_the_first_screen_then_a_curve_and_a_clicked_dot(server, page):
    page.set_viewport_size({"width": 1400, "height": 900})
    open_app(page, server.page_url(PAGE, query="pairs=hard-pairs&curve=2&pair=3"))
    expect(charts(page).first).to_be_visible(timeout=60_000)
    box = charts(page).first.bounding_box()
    assert box["y"] < 500
    assert box["y"] + box["height"] < 900
    controls = page.locator(".st-key-pair-controls").bounding_box()
    assert controls["y"] > 0
    assert controls["y"] + controls["height"] <= box["y"]

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
def test_an_uploaded_table_is_scored(server, page, tmp_path):
    rows = [f"{'A cat ' * (i % 3 + 1)}sat.,The cat sat {i} times.,{i % 6}" for i in range(12)]
    table = tmp_path / "mine.csv"
    table.write_text("\n".join(["one,two,points", *rows]), encoding="utf-8")
    open_app(page, server.page_url(PAGE, query="pairs=hard-pairs"))
    with rerun(page):
        page.get_by_role("radio", name="Yours").click()
    with rerun(page):
        page.locator(".st-key-pairs_file input[type=file]").set_input_files(table)
    expect(page.get_by_text("12 pairs ready; scores from 0 to 5.")).to_be_visible()
    with rerun(page):
        page.get_by_role("button", name="Use these pairs").click()
    expect(page.get_by_text("Your 12 pairs “mine” are scored below.")).to_be_in_viewport()
    expect(charts(page).first).to_be_in_viewport(timeout=60_000)
