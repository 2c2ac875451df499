"""The whitening page in a browser: pictures that move together, a lasso, a flow that trains."""

import csv
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from geometry.corpus import read_bundled
from tests.browser.screen import (
    LONG,
    NEXT_FRAMES,
    assert_no_exception,
    canvas_not_blank,
    open_app,
    rerun,
    wait_for_app,
)
from tests.browser.test_narrow_cone import choose, state

PAGE = "whitening"
DEFAULTS = ("raw", "zca", "removed", "standardised")
MS = 1000 * LONG
MOST_ROOM = """chart => {  // the point farthest from all others: its row, and where it is on screen
  const { xaxis, yaxis } = chart._fullLayout;
  const { x, y } = chart._fullData[0];
  const box = chart.getBoundingClientRect();
  const at = Array.from(x, (value, row) => [xaxis.l2p(value), yaxis.l2p(y[row])]);
  const inside = ([a, b]) => a > 20 && b > 20 && a < xaxis._length - 20 && b < yaxis._length - 20;
  const room = (here, row) => Math.min(...at.map((other, i) => i === row ? Infinity
    : Math.hypot(other[0] - here[0], other[1] - here[1])));
  const rooms = at.map((here, row) => inside(here) ? room(here, row) : -1);
  const best = rooms.indexOf(Math.max(...rooms));
  return [best, box.left + xaxis._offset + at[best][0], box.top + yaxis._offset + at[best][1]];
}"""

pytestmark = pytest.mark.usefixtures("fresh_server", "new_page")  # a server outlives its pages


def open_lab(page: Page, server: Any, query: str = "", names: tuple[str, ...] = DEFAULTS) -> None:
    open_app(page, server.page_url(PAGE, query=query))
    wait_for_pictures(page, names)


def wait_for_pictures(page: Page, names: tuple[str, ...] = DEFAULTS) -> None:
    for name in names:
        page.wait_for_selector(f".st-key-lab-{name} [data-drawn]", timeout=MS)
    page.evaluate(NEXT_FRAMES)


def picture(page: Page, name: str) -> Locator:
    return page.locator(f".st-key-lab-{name} .js-plotly-plot")


def of_picture(page: Page, name: str, expression: str) -> Any:
    """The expression's value, where ``chart`` is the Plotly element."""
    return picture(page, name).evaluate(f"chart => {expression}")


def of_all(page: Page, expression: str, names: tuple[str, ...] = DEFAULTS) -> list[Any]:
    return [of_picture(page, name, expression) for name in names]


def wait_for_all(page: Page, condition: str) -> None:
    """Wait until the condition on ``chart`` holds in all four pictures."""
    page.wait_for_function(
        f"""names => names.every(name => {{
          const chart = document.querySelector(`.st-key-lab-${{name}} .js-plotly-plot`);
          return {condition};
        }})""",
        arg=list(DEFAULTS),
        timeout=MS,
    )


def slider(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key} input[type=range]")


def press(page: Page, key: str, *names: str) -> None:
    for name in names:
        slider(page, key).focus()
        with rerun(page):
            slider(page, key).press(name)


def column(page: Page, place: int) -> list[str]:
    """0 is the measures' names, 1 is raw."""
    rows = page.locator(".st-key-lab-table tbody tr").all_inner_texts()
    return [row.split("\t")[place] for row in rows]


def provenance(page: Page) -> str:
    return page.locator("p", has_text=re.compile(r" · n = ")).first.inner_text()


def selected(page: Page) -> Locator:
    return page.locator(".st-key-selected-points")


def lasso(page: Page, name: str, left: float, top: float, right: float, bottom: float) -> None:
    """Draw one by mouse; the sides are shares of the picture's width and height."""
    picture(page, name).scroll_into_view_if_needed()
    picture(page, name).hover()
    picture(page, name).locator('.modebar-btn[data-val="lasso"]').click()
    page.evaluate(NEXT_FRAMES)
    box = picture(page, name).locator(".nsewdrag").first.bounding_box()
    xs = [box["x"] + box["width"] * share for share in (left, right)]
    ys = [box["y"] + box["height"] * share for share in (top, bottom)]
    page.mouse.move(xs[0], ys[0])
    page.mouse.down()
    for x, y in ((xs[1], ys[0]), (xs[1], ys[1]), (xs[0], ys[1]), (xs[0], ys[0] + 2)):
        page.mouse.move(x, y, steps=6)
    page.mouse.up()


# Looking


def test_a_cold_deep_link_draws_four_pictures_of_one_frame(fresh_server, page):
    open_lab(page, fresh_server())
    for name in DEFAULTS:
        canvas = picture(page, name).locator("canvas").first
        canvas.scroll_into_view_if_needed()
        assert canvas_not_blank(canvas), name
    frames = of_all(page, "[chart._fullLayout.xaxis.range, chart._fullLayout.yaxis.range]")
    assert all(frame == frames[0] for frame in frames)
    assert of_all(page, "chart._fullData[0].x.length") == [1224] * 4
    wait_for_app(page)
    headings = page.locator('[data-testid="stMain"] h3').all_inner_texts()
    assert headings == ["Look", "Measure", "Try", "What this does not show", "Sources"]
    assert len(column(page, 1)) == 16
    assert state(page) == {}


def test_a_frame_that_is_moved_moves_in_all_pictures(server, page):
    open_lab(page, server)
    picture(page, "zca").hover()
    picture(page, "zca").locator('.modebar-btn[data-attr="zoom"][data-val="in"]').click()
    before = of_picture(page, "zca", "chart._fullLayout.xaxis.range")
    wait_for_all(page, f"Math.abs(chart._fullLayout.xaxis.range[1] - {before[1]}) < 1e-6")


def test_a_click_rings_the_same_point_in_all_pictures(server, page):
    open_lab(page, server)
    picture(page, "removed").scroll_into_view_if_needed()
    row, x, y = picture(page, "removed").evaluate(MOST_ROOM)
    page.mouse.move(x, y)
    text = read_bundled("topics").texts[row]
    expect(picture(page, "removed").locator(".hoverlayer .hovertext")).to_contain_text(text[:12])
    with rerun(page):
        page.mouse.click(x, y)
    wait_for_all(page, "chart.data.length === 2")
    for name in DEFAULTS:
        ring = of_picture(page, name, "[chart._fullData[1].x[0], chart._fullData[1].y[0]]")
        assert ring == of_picture(
            page, name, f"[chart._fullData[0].x[{row}], chart._fullData[0].y[{row}]]"
        )
    assert state(page) == {"point": str(row)}


def test_a_lasso_lights_the_same_points_in_all_pictures(server, page):
    open_lab(page, server)
    rows = "chart._fullData[0].selectedpoints"
    with rerun(page):
        lasso(page, "zca", 0.5, 0.3, 0.75, 0.7)
    wait_for_all(page, f"{rows}?.length > 0")
    first = of_picture(page, "zca", rows)
    assert 0 < len(first) < 1224
    assert of_all(page, rows) == [first] * 4
    assert of_all(page, "chart._fullData[0].unselected.marker.opacity") == [0.08] * 4
    expect(selected(page)).to_contain_text(f"{len(first):,} points selected")

    before = of_picture(page, "zca", "Array.from(chart._fullData[0].x)")
    press(page, "strength", "ArrowLeft", "ArrowLeft")
    page.wait_for_function(
        "x => document.querySelector('.st-key-lab-zca .js-plotly-plot')._fullData[0].x[0] !== x",
        arg=before[0],
    )
    page.evaluate(NEXT_FRAMES)
    assert of_all(page, rows) == [first] * 4  # the rows, wherever the slider carries them

    with rerun(page):
        lasso(page, "raw", 0.5, 0.5, 0.95, 0.95)
    wait_for_all(page, f"{rows}?.length > 0 && {rows}.length !== {len(first)}")
    second = of_picture(page, "raw", rows)
    assert of_all(page, rows) == [second] * 4
    expect(selected(page)).to_contain_text(f"{len(second):,} points selected")
    selected(page).locator("summary").click()
    topics = read_bundled("topics").labels
    counts = sorted((topics[row] for row in second), key=topics.index)
    most = max(set(counts), key=counts.count)
    expect(selected(page)).to_contain_text(f"{most} {counts.count(most)}")
    expect(selected(page).locator('[data-testid="stDataFrame"]')).to_be_visible()

    picture(page, "raw").scroll_into_view_if_needed()  # a click on the list scrolled it away
    box = picture(page, "raw").locator(".nsewdrag").first.bounding_box()
    with rerun(page):
        page.mouse.dblclick(box["x"] + 8, box["y"] + 8)
    wait_for_all(page, f"!{rows}")
    expect(selected(page)).to_have_count(0)


def test_a_selection_is_not_carried_to_other_points(server, page):
    open_lab(page, server)
    with rerun(page):
        lasso(page, "zca", 0.4, 0.3, 0.75, 0.7)
    expect(selected(page)).to_be_visible()
    with rerun(page):
        choose(page, "corpus", "Topics (240 Chinese sentences)")
    wait_for_all(page, "chart._fullData[0].x.length === 240")
    assert of_all(page, "chart._fullData[0].selectedpoints ?? null") == [None] * 4
    expect(selected(page)).to_have_count(0)


# Trying


def test_the_address_carries_every_choice_and_brings_it_back(server, page):
    open_lab(page, server, "corpus=topics-zh")
    for slot, option in (
        ("second", "Cholesky whitening"),
        ("third", "PCA whitening"),
        ("fourth", "Top directions removed"),
        ("fit-on", "another corpus: Pairs (650 English sentences)"),
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
    names = ("raw", "cholesky", "pca", "removed")
    wait_for_pictures(page, names)
    told, numbers = provenance(page), column(page, 3)
    assert "fitted on 649 points of another corpus, pairs" in told
    address = page.evaluate("location.href")
    page.goto("about:blank")
    open_app(page, address)
    wait_for_pictures(page, names)
    assert state(page) == wanted
    assert provenance(page) == told
    assert column(page, 3) == numbers
    assert page.locator(".st-key-lab-chart-cumulative").count() == 1


def test_a_slider_redraws_its_own_picture_in_place_and_changes_its_numbers(server, page):
    open_lab(page, server)
    drawn = "Number(chart.dataset.drawn)"
    before = of_all(page, drawn)
    raw, numbers = column(page, 1), column(page, 3)
    picture(page, "removed").evaluate("chart => { chart.isTheSame = true; }")
    press(page, "removed", "ArrowRight", "ArrowRight")
    wait_for_app(page)
    page.wait_for_function(
        "n => Number(document.querySelector('.st-key-lab-removed [data-drawn]').dataset.drawn) > n",
        arg=before[2],
    )
    after = of_all(page, drawn)
    assert [after[place] for place in (0, 1, 3)] == [before[place] for place in (0, 1, 3)]
    assert of_picture(page, "removed", "chart.isTheSame")
    assert column(page, 1) == raw
    assert column(page, 3) != numbers
    assert "6 directions removed" in provenance(page)


@pytest.mark.parametrize(
    ("query", "names", "chinese"),
    [
        ("lang=zh-Hant&unit=tokens&corpus=topics-zh", DEFAULTS, True),
        (
            "unit=types&corpus=topics-zh&second=zipf",
            ("raw", "zipf", "removed", "standardised"),
            False,
        ),
    ],
)
def test_tokens_and_types_in_both_languages(server, page, query, names, chinese):
    open_lab(page, server, query, names)
    wait_for_app(page)
    for name in names:
        assert of_picture(page, name, "chart._fullData[0].x.length") > 100
    expect(page.get_by_role("heading", name="看一看" if chinese else "Look")).to_be_visible()
    expect(page.locator("table").filter(has_text="IsoScore").first).to_be_visible(timeout=MS)
    page.wait_for_selector(".st-key-lab-chart-spectrum [data-drawn]", timeout=MS)
    assert_no_exception(page)


def test_a_flow_trains_before_one_s_eyes_can_be_cancelled_and_started_again(server, page):
    """On a first visit by its own address, with nothing of it on the page yet."""
    names = ("raw", "removed")
    query = "second=flow&fourth=none&chart=flow"
    page.goto(server.page_url(PAGE, query=query))
    progress = page.locator('[data-testid="stProgress"]')
    expect(progress).to_contain_text("Training a flow on 1,224 points", timeout=MS)
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("Cancelled.")).to_be_visible(timeout=MS)
    wait_for_pictures(page, names)
    wait_for_app(page)
    assert_no_exception(page)
    page.get_by_role("button", name="Start again").click()
    live = page.locator('[data-testid="stVegaLiteChart"]')
    expect(live).to_be_visible(timeout=MS)
    wait_for_pictures(page, ("raw", "flow", "removed"))
    page.wait_for_selector(".st-key-lab-chart-flow [data-drawn]", timeout=MS)
    wait_for_app(page)
    expect(progress).to_have_count(0)
    expect(live).to_have_count(0)
    assert_no_exception(page)
    losses = page.locator(".st-key-lab-chart-flow .js-plotly-plot").evaluate(
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


def test_pasted_texts_come_along_from_their_page(server, page, page_errors):
    texts = read_bundled("topics").texts[:30]
    open_app(page, server.page_url("your_corpus"))
    page.locator(".st-key-pasted textarea").fill("\n".join(texts))
    with rerun(page):
        page.locator(".st-key-use_pasted button").click()
    with rerun(page):
        page.locator('[data-testid="stSidebar"] a[href*="whitening"]').click()
    page.wait_for_url(f"**/{PAGE}*")
    wait_for_pictures(page)
    wait_for_app(page)
    assert provenance(page).startswith("corpus Pasted texts · n = 30 sentences")
    assert "upload-" not in page.url
    page_errors[:] = [error for error in page_errors if "/your_corpus/_stcore/" not in error]


# Taking it away


def test_points_table_and_chart_can_be_taken_away(server, page):
    open_lab(page, server)
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
        assert "n = 1,224 sentences" in rows[1][-1]


# Narrow screens


def test_nothing_is_wider_than_a_narrow_screen(server, new_page):
    page = new_page(viewport={"width": 420, "height": 900})
    open_lab(page, server)
    wait_for_app(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 420
    for name in DEFAULTS:
        box = picture(page, name).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 420
