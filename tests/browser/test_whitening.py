"""The whitening page in a browser: linked pictures, a lasso, training a flow."""

import csv
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from geometry.data.corpus import read_bundled
from tests.browser.clouds import (
    is_drawn,
    lasso,
    loneliest,
    of_stage,
    pixels,
    wait_for_clouds,
    wait_for_stage,
)
from tests.browser.screen import (
    LONG,
    assert_no_exception,
    open_app,
    rerun,
    wait_for_app,
)
from tests.browser.test_narrow_cone import choose, state

PAGE = "whitening"
DEFAULTS = ("Raw", "ZCA whitening", "Top directions removed", "Standardised")
RAW, ZCA, REMOVED = 0, 1, 2  # places of theirs
MS = 1000 * LONG
TITLES = "stage.message.views.map(view => view.names.at(-1))"
# The place of the first point in the last frame of a picture.
FIRST_PLACE = """(() => {{
  const {{ cloud, stretch }} = stage.shown(stage.message.views[{place}]);
  const {{ values, low, step }} = cloud.frames[stretch.b];
  return [low[0] + step[0] * values[0], low[1] + step[1] * values[1]];
}})()"""


def open_whitening(page: Page, server: Any, query: str = "", count: int = len(DEFAULTS)) -> None:
    open_app(page, server.page_url(PAGE, query=query))
    wait_for_clouds(page, count)


def slider(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key} input[type=range]")


def press(page: Page, key: str, *names: str) -> None:
    for name in names:
        slider(page, key).focus()
        with rerun(page):
            slider(page, key).press(name)


def column(page: Page, place: int) -> list[str]:
    """0 is the measures' names, 1 is raw."""
    rows = page.locator(".st-key-whitening-table tbody tr").all_inner_texts()
    return [row.split("\t")[place] for row in rows]


def provenance(page: Page) -> str:
    return page.locator("p", has_text=re.compile(r" · n = ")).first.inner_text()


def selected(page: Page) -> Locator:
    return page.locator(".st-key-selected-points")


# Looking


def test_a_deep_link_draws_four_pictures_of_one_frame(server, page):
    open_whitening(page, server)
    for place, _name in enumerate(DEFAULTS):
        assert is_drawn(page, place)
    assert of_stage(page, TITLES) == list(DEFAULTS)
    assert of_stage(page, "stage.n") == 612  # the half that was not fitted
    wait_for_app(page)
    headings = page.locator('[data-testid="stMain"] h3').all_inner_texts()
    assert headings == ["Look", "Measure", "Try", "Limits"]
    assert len(column(page, 1)) == 16
    assert state(page) == {}


def test_a_click_rings_the_same_point_in_all_pictures(server, page):
    open_whitening(page, server)
    row, x, y = loneliest(page, REMOVED)
    page.mouse.move(x, y)
    text = read_bundled("topics").texts[row]
    expect(page.locator(".twin-tip")).to_contain_text(text)
    with rerun(page):
        page.mouse.click(x, y)
    wait_for_stage(page, "stage.message.marks.length === 1")
    assert of_stage(page, "stage.message.marks[0].rows") == [row]
    page.mouse.move(2, 2)  # a hovered point has a ring of its own
    wait_for_clouds(page, 4)
    for place in range(4):
        left, top = of_stage(
            page, f"[stage.pixelsOf({row}, {place})].map(([x, y]) => "
            f"[x - stage.boxes[{place}].left, y - stage.boxes[{place}].top])[0]"
        )  # fmt: skip
        around = pixels(page, place)[int(top) - 9 : int(top) + 10, int(left) - 9 : int(left) + 10]
        assert (around.max(axis=2) < 60).sum() > 15, place  # the ring's ink
    assert state(page) == {"point": str(row)}


def test_a_lasso_lights_the_same_points_in_all_pictures(server, page):
    open_whitening(page, server)
    lit = "[...stage.rows]"
    before = [pixels(page, place) for place in range(4)]
    with rerun(page):
        first = lasso(page, ZCA, 0.5, 0.3, 0.75, 0.7)
    assert 0 < len(first) < 612
    for place in range(4):
        assert (before[place] != pixels(page, place)).any(axis=2).mean() > 0.001
    expect(selected(page)).to_contain_text(f"{len(first):,} points selected")

    there = of_stage(page, FIRST_PLACE.format(place=ZCA))
    press(page, "strength", "ArrowLeft", "ArrowLeft")
    wait_for_clouds(page, 4)
    assert of_stage(page, FIRST_PLACE.format(place=ZCA)) != there
    assert of_stage(page, lit) == first  # the same rows at their new places

    with rerun(page):
        second = lasso(page, RAW, 0.5, 0.5, 0.95, 0.95)
    assert 0 < len(second) != len(first)
    expect(selected(page)).to_contain_text(f"{len(second):,} points selected")
    selected(page).locator("summary").click()
    topics = read_bundled("topics").labels
    counts = sorted((topics[row] for row in second), key=topics.index)
    most = max(set(counts), key=counts.count)
    expect(selected(page)).to_contain_text(f"{most} {counts.count(most)}")
    expect(selected(page).locator('[data-testid="stDataFrame"]')).to_be_visible()

    page.locator(".twin-stage").focus()
    with rerun(page):
        page.keyboard.press("Escape")
    assert of_stage(page, lit) == []
    expect(selected(page)).to_have_count(0)


def test_a_selection_is_not_carried_to_other_points(server, page):
    open_whitening(page, server)
    with rerun(page):
        lasso(page, ZCA, 0.4, 0.3, 0.75, 0.7)
    expect(selected(page)).to_be_visible()
    with rerun(page):
        choose(page, "corpus", "Topics, Chinese (240)")
    wait_for_stage(page, "stage.n === 120")
    assert of_stage(page, "stage.rows.length") == 0
    expect(selected(page)).to_have_count(0)


# Trying


def test_the_address_carries_every_choice_and_brings_it_back(server, page):
    open_whitening(page, server, "corpus=topics-zh")
    for slot, option in (
        ("second", "Cholesky whitening"),
        ("third", "PCA whitening"),
        ("fourth", "Top directions removed"),
        ("fit-on", "another corpus: Pairs, English (1,870)"),
    ):
        with rerun(page):
            choose(page, slot, option)
    for key, code in (("shrink", "none"), ("chart", "cumulative share")):
        with rerun(page):
            page.locator(f".st-key-{key}").get_by_text(code, exact=True).click()
    press(page, "centring", "ArrowLeft")
    press(page, "strength", "Home", "ArrowRight")
    press(page, "kept", "ArrowLeft")
    press(page, "removed", "ArrowRight")
    press(page, "fit-rows", "ArrowLeft")
    wanted = {
        "corpus": "topics-zh",
        "second": "cholesky",
        "third": "pca",
        "fourth": "removed",
        "fit-on": "pairs",
        "chart": "cumulative",
        "shrink": "none",
        "centring": "0.9375",
        "strength": "0.0625",
        "kept": "383",
        "removed": "5",
        "fit-rows": "649",
    }
    assert state(page) == wanted
    names = ["Raw", "Cholesky whitening", "PCA whitening", "Top directions removed"]
    wait_for_clouds(page, 4)
    assert of_stage(page, TITLES) == names
    line, numbers = provenance(page), column(page, 3)
    assert "fitted on 649 points of another corpus, pairs" in line
    address = page.evaluate("location.href")
    page.goto("about:blank")
    open_app(page, address)
    wait_for_clouds(page, 4)
    assert of_stage(page, TITLES) == names
    assert state(page) == wanted
    assert provenance(page) == line
    assert column(page, 3) == numbers
    assert page.locator(".st-key-whitening-chart-cumulative").count() == 1


def test_a_slider_redraws_its_own_picture_in_place_and_changes_its_numbers(server, page):
    open_whitening(page, server)
    before = [of_stage(page, FIRST_PLACE.format(place=place)) for place in range(4)]
    raw, numbers = column(page, 1), column(page, 3)
    of_stage(page, "twin.isTheSame = true")
    press(page, "removed", "ArrowRight", "ArrowRight")
    wait_for_app(page)
    wait_for_clouds(page, 4)
    after = [of_stage(page, FIRST_PLACE.format(place=place)) for place in range(4)]
    assert after[REMOVED] != pytest.approx(before[REMOVED], abs=1e-3)
    for place in (0, 1, 3):
        assert after[place] == pytest.approx(before[place], abs=1e-6)
    assert of_stage(page, "twin.isTheSame")
    assert column(page, 1) == raw
    assert column(page, 3) != numbers
    assert "directions removed: 6" in provenance(page)


@pytest.mark.parametrize(
    ("query", "second", "chinese"),
    [
        ("lang=zh-Hant&unit=tokens&corpus=topics-zh", "ZCA 白化", True),
        ("unit=types&corpus=topics-zh&second=zipf", "Zipfian whitening", False),
    ],
)
def test_tokens_and_types_in_both_languages(server, page, query, second, chinese):
    open_whitening(page, server, query)
    wait_for_app(page)
    assert of_stage(page, "stage.n") > 100
    assert of_stage(page, TITLES)[1] == second
    assert all(is_drawn(page, place) for place in range(4))
    expect(page.get_by_role("heading", name="看一看" if chinese else "Look")).to_be_visible()
    expect(page.locator("table").filter(has_text="IsoScore").first).to_be_visible(timeout=MS)
    page.wait_for_selector(".st-key-whitening-chart-spectrum [data-drawn]", timeout=MS)
    assert_no_exception(page)


def test_a_flow_trains_before_one_s_eyes_can_be_cancelled_and_started_again(server, page):
    """On a first visit by deep link."""
    query = "second=flow&fourth=none&chart=flow"
    page.goto(server.page_url(PAGE, query=query))
    progress = page.locator('[data-testid="stProgress"]')
    expect(progress).to_contain_text("Training a flow on 612 points", timeout=MS)
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("Cancelled.")).to_be_visible(timeout=MS)
    wait_for_clouds(page, 2)
    wait_for_app(page)
    assert_no_exception(page)
    page.get_by_role("button", name="Start again").click()
    live = page.locator('[data-testid="stVegaLiteChart"]')
    expect(live).to_be_visible(timeout=MS)
    wait_for_clouds(page, 3)
    page.wait_for_selector(".st-key-whitening-chart-flow [data-drawn]", timeout=MS)
    wait_for_app(page)
    expect(progress).to_have_count(0)
    expect(live).to_have_count(0)
    assert_no_exception(page)
    losses = page.locator(".st-key-whitening-chart-flow .js-plotly-plot").evaluate(
        "chart => chart._fullData.map(curve => Array.from(curve.y))"
    )
    assert len(losses) == 3
    assert losses[0][-1] < losses[0][0]
    assert losses[2][0] == losses[1][0]
    assert state(page) == {
        "second": "flow",
        "fourth": "none",
        "chart": "flow",
    }


def test_pasted_texts_come_along_from_their_page(server, page):
    texts = read_bundled("topics").texts[:30]
    open_app(page, server.page_url("your_corpus"))
    page.locator(".st-key-pasted textarea").fill("\n".join(texts))
    with rerun(page):
        page.locator(".st-key-use_pasted button").click()
    with rerun(page):
        page.locator('[data-testid="stSidebar"] a[href*="whitening"]').click()
    page.wait_for_url(f"**/{PAGE}*")
    wait_for_clouds(page, 4)
    wait_for_app(page)
    assert provenance(page).startswith("corpus Pasted texts · n = 15 sentences")
    assert "upload-" not in page.url


# Taking it away


def test_points_table_and_chart_can_be_taken_away_and_one_frame_moves_all_pictures(server, page):
    open_whitening(page, server)
    wait_for_app(page)
    heads = {
        "points": ["text", "label", "raw_x", "raw_y", "zca_x"],
        "table": ["treatment", "measure", "value", "low", "high"],
        "chart": ["name", "x", "about", "value", "measured_on"],
    }
    for what, head in heads.items():
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Take the {what} away").click()
        text = waiting.value.path().read_text(encoding="utf-8-sig")
        rows = list(csv.reader(text.splitlines()))
        assert rows[0][:5] == head
        assert "n = 612 sentences" in rows[1][-1]

    # a frame that is moved moves in all pictures
    before = [pixels(page, place) for place in range(4)]
    page.locator('.twin [data-do="nearer"]').click()
    wait_for_clouds(page, 4)
    for place in range(4):
        assert (before[place] != pixels(page, place)).any(axis=2).mean() > 0.001


# Narrow screens


def test_no_button_lies_on_a_legend_of_a_narrow_screen(server, new_page):
    page = new_page(viewport={"width": 420, "height": 900}, has_touch=True, locale="zh-TW")
    for query, is_shown, scheme in (
        ("chart=cosines", False, "light"),
        ("chart=covariance", True, "dark"),
        ("chart=cosines", False, "dark"),
    ):
        page.emulate_media(color_scheme=scheme)
        open_whitening(page, server, query)
        chart = page.locator(".chart[data-drawn]").last
        chart.tap()
        expect(chart.locator(".modebar")).to_be_visible(visible=is_shown)
        expect(chart.locator(".legend")).to_have_count(int(not is_shown))
    page.set_viewport_size(
        {"width": 1000, "height": 900}
    )  # with space for the buttons beside the chart
    expect(page.locator(".chart[data-drawn] .modebar").last).to_be_visible()


def test_nothing_is_wider_than_a_narrow_screen(server, new_page):
    page = new_page(viewport={"width": 420, "height": 900})
    open_whitening(page, server)
    wait_for_app(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 420
    box = page.locator(".twin-stage").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 420
