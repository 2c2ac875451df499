"""The page Word frequency in a browser: its picture, the cloud, a list of words."""

import pytest
from playwright.sync_api import expect

from tests.browser.clouds import is_drawn, wait_for_clouds
from tests.browser.screen import open_app, rerun

PAGE = "word_frequency"


@pytest.mark.slow
def test_the_picture_is_on_the_first_screen_and_a_list_changes_the_ranks(
    server, new_page, tmp_path
):
    page = new_page(viewport={"width": 1400, "height": 900})
    open_app(page, server.page_url(PAGE))
    chart = page.locator(".chart.js-plotly-plot[data-drawn]")
    expect(chart).to_have_count(2, timeout=120_000)  # lengths, and cosines below
    box = chart.first.bounding_box()
    assert box["y"] + box["height"] < 900
    wait_for_clouds(page, 2)
    assert is_drawn(page, 0)
    expect(page.get_by_text("The mean lengths of the bins go neither up nor down")).to_be_visible()
    table = tmp_path / "counts.txt"
    words = ("the", "of", "house", "river", "music", "king", "water", "stone", "law", "win")
    table.write_text("".join(f"{word} {100 - i}\n" for i, word in enumerate(words)))
    open_app(page, server.page_url(PAGE, query="counts=list"))
    with rerun(page):
        page.locator(".st-key-frequency_counts_file input[type=file]").set_input_files(table)
    expect(page.get_by_text("n = 10 words").first).to_be_visible()
