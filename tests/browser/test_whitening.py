"""The whitening page in a browser: linked pictures, a lasso, downloads, a narrow screen."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.clouds import (
    is_drawn,
    lasso,
    of_stage,
    wait_for_clouds,
    wait_for_stage,
)
from tests.browser.screen import (
    LONG,
    assert_no_exception,
    choose,
    open_app,
    rerun,
    state,
)

PAGE = "whitening"
ZCA, REMOVED = 1, 2  # their positions on the page
CODES = ("raw", "zca", "removed", "standardised")
OWN = ("second", "third", "fourth", "strength", "removed", "layer")
MS = 1000 * LONG
# The place of the first point in the last frame of the picture of the removal.
PLACE = f"""(() => {{
  const {{ cloud, stretch }} = stage.shown(stage.message.views[{REMOVED}]);
  return cloud.frames[stretch.b].values[0];
}})()"""


def unfold(page: Page, key: str) -> None:
    """Open a folded part; it is computed only then."""
    with rerun(page):
        page.locator(f".st-key-{key} summary").click()


def open_whitening(page: Page, server: Any, query: str = "") -> None:
    open_app(page, server.page_url(PAGE, query=query))
    wait_for_clouds(page, len(CODES))


@pytest.mark.slow
def test_one_visit_draws_four_pictures_keeps_a_selection_and_takes_all_away(server, new_page):
    """The pictures' places and numbers: tests/pages/whitening."""
    page = new_page(viewport={"width": 1400, "height": 900})
    open_whitening(page, server)
    assert state(page) == {}

    # on the first screen: the controls, the pictures, and each number below its picture
    stage = page.locator(".twin-stage").bounding_box()
    for key in OWN:
        control = page.locator(f".st-key-{key}").bounding_box()
        assert 0 <= control["y"] <= stage["y"] - control["height"], key
    numbers = page.locator(".st-key-whitening-numbers").bounding_box()
    assert numbers["y"] + numbers["height"] <= 900
    for box, name in zip(of_stage(page, "stage.boxes"), CODES, strict=True):
        below = page.locator(f".st-key-headline-{name}").bounding_box()
        assert abs(below["x"] - stage["x"] - box["left"]) < 8

    # numbers are grey while the pictures are elsewhere
    shades = """() => [...document.querySelectorAll('.st-key-whitening-numbers [data-testid="stColumn"]')]
      .map(column => Number(getComputedStyle(column).opacity))"""  # noqa: E501
    assert page.evaluate(shades) == [1, 1, 1, 1]
    of_stage(page, "twin.goTo(0)")  # raw in every picture
    first, *others = page.evaluate(shades)
    assert first == 1 > 0.5 > max(others)
    of_stage(page, "twin.goTo(stage.lastStop)")
    assert page.evaluate(shades) == [1, 1, 1, 1]
    assert all(is_drawn(page, place) for place in range(4))

    # a slider moves the points, and the selection stays
    of_stage(page, "twin.isTheSame = true")
    with rerun(page):
        chosen = lasso(page, ZCA, 0.5, 0.3, 0.75, 0.7)
    selected = page.locator(".st-key-selected-points")
    expect(selected).to_contain_text(f"Points selected: {len(chosen):,}")
    before = of_stage(page, PLACE)
    slider = page.locator(".st-key-removed input[type=range]")
    slider.focus()
    with rerun(page):
        slider.press("ArrowRight")
    wait_for_stage(page, f"{PLACE} !== {before}")
    wait_for_clouds(page, 4)
    assert of_stage(page, "[...stage.rows]") == chosen  # the same rows at their new places
    assert of_stage(page, "twin.isTheSame")
    selected.locator("summary").click()
    expect(selected.locator('[data-testid="stDataFrame"]')).to_be_visible()

    unfold(page, "all-charts")
    page.wait_for_selector(".st-key-whitening-chart-spectrum [data-drawn]", timeout=MS)
    unfold(page, "all-measures")
    page.locator(".st-key-more-controls summary").click()
    for what in ("points", "measures", "chart values"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Download {what} (CSV)").click()
        assert "n = 612 sentences" in waiting.value.path().read_text(encoding="utf-8-sig")
    with rerun(page):  # another set of points has no selection
        choose(page, "corpus", "Topics, Chinese (240)")
    wait_for_stage(page, "stage.n === 120")
    assert of_stage(page, "stage.rows.length") == 0
    expect(selected).to_have_count(0)
    assert_no_exception(page)


@pytest.mark.long
def test_no_button_lies_on_a_legend_of_a_narrow_screen(server, new_page):
    page = new_page(viewport={"width": 420, "height": 900}, has_touch=True, locale="zh-TW")
    for query, is_shown in (("chart=covariance", True), ("chart=cosines", False)):
        open_whitening(page, server, query)
        chart = page.locator(".chart[data-drawn]").last
        chart.tap()
        expect(chart.locator(".modebar")).to_be_visible(visible=is_shown)
        expect(chart.locator(".legend")).to_have_count(int(not is_shown))
    page.set_viewport_size(
        {"width": 1000, "height": 900}
    )  # with space for the buttons beside the chart
    expect(page.locator(".chart[data-drawn] .modebar").last).to_be_visible()
