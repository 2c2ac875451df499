"""The landing page in a browser: both clouds drawn, every control followed, every question told."""

import io
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Locator, Page, expect

from geometry.corpus import read_bundled
from tests.browser.screen import (
    LONG,
    NEXT_FRAMES,
    ONLY_CANVAS,
    assert_no_exception,
    canvas_not_blank,
    open_app,
    rerun,
    wait_for_app,
)

PAGE = "narrow_cone"
SIDES = ("raw", "white")
MS = 1000 * LONG
QUESTIONS = {  # name: the answer in each language, where a live number stands in it as {…}
    "median": (
        "a mean pairwise cosine of {cosine} are one fact",
        "平均成對餘弦 {cosine} 是同一件事",
    ),
    "narrows-first": ("the mean cosine starts at {cosine}", "平均餘弦原本是 {cosine}"),
    "last-layer": ("it scores 82.0", "不做任何處理就有 82.0 分"),
    "unit": ("one vector a vocabulary entry", "詞彙表裡一個項目一個向量"),
    "ledoit-wolf": ("Here n/d = 3.19 and the rank is 383 of 384", "這裡 n/d = 3.19，秩是 383"),
    "ninety": ("an angle of 90° ± 2.9°", "換成角度就是 90° ± 2.9°"),
    "worse-score": ("a mean cosine of .84 and scores 73.7", "平均餘弦是 0.84，得 73.7 分"),
    "not-mended": ("in {agreement} of cases before", "白化前是 {agreement}"),
    "umap": ("islands around nothing", "都是一座座島嶼"),
}
HEADINGS = {
    "en": ["Look", "Measure", "Try", "What this does not show", "Sources"],
    "zh-Hant": ["看一看", "量一量", "試試看", "這一頁沒有說明的事", "資料來源"],
}


pytestmark = pytest.mark.usefixtures("fresh_server", "new_page")  # a server outlives its pages


def open_cone(page: Page, server: Any, query: str = "") -> None:
    open_app(page, server.page_url(PAGE, query=query))
    wait_for_pictures(page)


def wait_for_pictures(page: Page) -> None:
    """Wait until all three charts have been drawn once, and the browser has shown them."""
    for name in (*SIDES, "histogram"):
        page.wait_for_selector(f".st-key-chart-{name} [data-drawn]", timeout=MS)
    page.evaluate(NEXT_FRAMES)


def chart(page: Page, side: str) -> Locator:
    return page.locator(f".st-key-chart-{side} .js-plotly-plot")


def canvas(page: Page, side: str) -> Locator:
    """The canvas that holds the points, in 2D or 3D."""
    return chart(page, side).locator("canvas").first


def pixels(page: Page, side: str) -> np.ndarray:
    canvas(page, side).scroll_into_view_if_needed()
    page.evaluate(NEXT_FRAMES)
    png = canvas(page, side).screenshot(style=ONLY_CANVAS)
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def of_chart(page: Page, side: str, expression: str) -> Any:
    """The expression's value, where ``chart`` is the Plotly element."""
    return chart(page, side).evaluate(f"chart => {expression}")


def numbers(page: Page) -> list[dict[str, str]]:
    """Measure to value, of raw and white."""
    found = []
    for table in page.locator(".st-key-numbers table").all():
        rows = [row.split("\t") for row in table.locator("tbody tr").all_inner_texts()]
        found.append({row[0]: row[1] for row in rows})
    return found


def mean_cosines(page: Page) -> list[float]:
    """Of raw and white: the first number of each table."""
    return [float(next(iter(side.values())).replace("−", "-")) for side in numbers(page)]


def slider(page: Page, place: int) -> Locator:
    """0 is centring, 1 is strength."""
    return page.locator('[data-testid="stSlider"] input[type=range]').nth(place)


def slider_values(page: Page) -> list[str]:
    return page.locator('[data-testid="stSliderThumbValue"]').all_inner_texts()


def state(page: Page) -> dict[str, str]:
    query = parse_qs(urlsplit(str(page.evaluate("location.href"))).query)
    return {key: values[-1] for key, values in query.items()}


def chosen(page: Page, key: str) -> str:
    return page.locator(f".st-key-{key} input").input_value()


def choose(page: Page, key: str, option: str) -> None:
    """Choose from a list. It is opened again where scrolling to it has closed it."""
    field = page.locator(f".st-key-{key} input")
    wanted = page.get_by_role("option", name=option)
    field.scroll_into_view_if_needed()
    page.evaluate(NEXT_FRAMES)
    for _ in range(5):
        field.press("ArrowDown")
        try:
            wanted.click(timeout=3000)
        except PlaywrightError:
            continue
        return
    pytest.fail(f"the list {key} never showed {option!r}")


def neighbours(page: Page) -> list[list[str]]:
    """Texts of both lists."""
    tables = page.locator("table").filter(has=page.get_by_text("cos", exact=True))
    return [
        table.locator("tbody tr td:first-child").all_inner_texts() for table in tables.all()
    ]  # fmt: skip


# Arriving


def test_a_cold_deep_link_restores_its_state(fresh_server, page):
    query = "layer=5&pooling=cls&view=cone&colour=length&strength=0.5&lang=zh-Hant"
    open_cone(page, fresh_server(), query)
    assert (chosen(page, "layer"), chosen(page, "pooling")) == ("5", "cls")
    assert chosen(page, "view") == "真實角度"
    assert slider_values(page) == ["1.00", "0.50"]
    assert mean_cosines(page)[0] > 0.99  # [CLS] of layer 5 is a needle
    bar = of_chart(
        page, "raw", "chart._fullLayout && chart._fullData[0].marker.colorbar.title.text"
    )
    assert bar == "詞數"
    expect(page.get_by_text("第 5 層")).not_to_have_count(0)
    wanted = parse_qs(query)
    assert {key: [value] for key, value in state(page).items()}.items() >= wanted.items()


def test_the_bare_address_leads_to_the_landing_page_with_its_state(fresh_server, page):
    open_app(page, fresh_server().page_url(query="layer=5&lang=zh-Hant"))
    page.wait_for_url(f"**/{PAGE}*")
    wait_for_pictures(page)
    assert chosen(page, "layer") == "5"
    assert state(page) == {"layer": "5", "lang": "zh-Hant"}


def test_a_first_visit_shows_progress_and_can_be_cancelled_and_started_again(
    fresh_server, page, tmp_path
):
    server = fresh_server(cache_dir=tmp_path)
    page.goto(server.page_url(PAGE))
    progress = page.locator('[data-testid="stProgress"]')
    expect(progress).to_contain_text("Encoding 1,224 sentences", timeout=MS)
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
    expect(page.get_by_role("heading", name="Sources")).to_be_visible()
    expect(progress).to_contain_text("/ 1,224", timeout=MS)
    with rerun(page):
        page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("Cancelled. Your texts are kept")).to_be_visible()
    expect(progress).to_have_count(0)
    assert_no_exception(page)
    page.get_by_role("button", name="Start again").click()
    expect(progress).to_contain_text("/ 1,224", timeout=MS)
    wait_for_pictures(page)
    wait_for_app(page)
    expect(progress).to_have_count(0)
    expect(page.get_by_text("Cancelled. Your texts are kept")).to_have_count(0)
    assert_no_exception(page)


@pytest.mark.parametrize("lang", HEADINGS)
def test_both_languages_keep_the_contract_s_order(server, page, lang):
    open_cone(page, server, f"lang={lang}")
    assert page.locator('[data-testid="stMain"] h3').all_inner_texts() == HEADINGS[lang]
    for side in SIDES:
        axis = of_chart(page, side, "chart._fullLayout.xaxis.title.text")
        assert axis == {"en": "mean direction", "zh-Hant": "均值方向"}[lang]


def test_the_language_stays_when_the_page_changes(server, page):
    open_cone(page, server, "lang=zh-Hant")
    for other in ("cosine_basis", "your_corpus", PAGE):
        with rerun(page):
            page.locator(f'[data-testid="stSidebar"] a[href*="{other}"]').click()
        page.wait_for_url(f"**/{other}*")
        expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"[\u4e00-\u9fff]"))
        assert chosen(page, "lang") == "繁體中文"
        assert state(page)["lang"] == "zh-Hant"


# Looking


@pytest.mark.parametrize("view", ["mean", "svd", "pca", "cone"])
def test_both_clouds_are_drawn(server, page, view):
    open_cone(page, server, f"view={view}")
    ranges = []
    for side in SIDES:
        canvas(page, side).scroll_into_view_if_needed()
        assert canvas_not_blank(canvas(page, side))
        assert of_chart(page, side, "chart._fullData[0].x.length") == 1224
        ranges.append(of_chart(page, side, "chart._fullLayout.xaxis.range"))
    assert ranges[0] == ranges[1]


def test_the_cone_and_the_origin_are_drawn(server, page):
    open_cone(page, server)
    for side in SIDES:
        origin = chart(page, side).locator(".annotation-text", has_text="origin")
        expect(origin).to_be_visible()
    expect(chart(page, "raw").locator(".shapelayer path")).to_have_count(2)
    expect(chart(page, "raw").get_by_text("of the mean (384-d)")).not_to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_has_the_theme_s_background(server, new_page, scheme):
    page = new_page(color_scheme=scheme)
    open_cone(page, server)
    paper = of_chart(page, "raw", "chart._fullLayout.paper_bgcolor")
    behind = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    rgb = [int(paper[start : start + 2], 16) for start in (1, 3, 5)]
    assert rgb == [int(part) for part in re.findall(r"\d+", behind)[:3]]
    assert (rgb[0] < 128) is (scheme == "dark")


# Trying


def test_a_slider_changes_the_numbers_and_the_right_picture(server, page):
    open_cone(page, server)
    raw, white = mean_cosines(page)
    assert abs(white) < 0.01 < raw
    before = pixels(page, "white")
    for place in (0, 1):
        slider(page, place).focus()
        with rerun(page):
            slider(page, place).press("Home")
    assert slider_values(page) == ["0.00", "0.00"]
    assert mean_cosines(page) == [raw, raw]
    raw_pixels = pixels(page, "raw")
    for _attempt in range(20):  # the numbers may be told before the browser has drawn
        after = pixels(page, "white")
        if (raw_pixels != after).any(axis=2).mean() < 0.001:
            break
    assert before.shape == after.shape
    assert (before != after).any(axis=2).mean() > 0.01
    assert (raw_pixels != after).any(axis=2).mean() < 0.001  # both show the raw cloud
    assert {key: float(value) for key, value in state(page).items()} == {
        "centring": 0,
        "strength": 0,
    }


def test_play_moves_centring_first_then_strength_and_stops_at_the_end(server, page):
    open_cone(page, server, "centring=0.5&strength=0.25")
    page.evaluate(
        """() => {
          const seen = window.seenOnSliders = [];
          const look = () => {
            const thumbs = document.querySelectorAll('[data-testid="stSliderThumbValue"]');
            const now = [...thumbs].map(thumb => Number(thumb.innerText));
            if (now.length === 2 && String(now) !== String(seen.at(-1))) seen.push(now);
          };
          const options = {childList: true, subtree: true, characterData: true};
          new MutationObserver(look).observe(document.body, options);
        }"""
    )
    button = page.locator(".st-key-play button")
    button.click()
    expect(button).to_contain_text("Stop")
    expect(button).to_contain_text("Play", timeout=MS)
    wait_for_app(page)
    assert slider_values(page) == ["1.00", "1.00"]
    seen = page.evaluate("window.seenOnSliders")
    film = seen[seen.index([0, 0]) :]
    settled = [(s, t) for s, t in film if t > 0]
    assert len(film) > 5
    assert film[-1] == [1, 1]
    assert film.index([1, 0]) > 0
    assert all(s == 1 for s, _ in settled)
    assert [t for _, t in settled] == sorted(t for _, t in settled)
    assert abs(mean_cosines(page)[1]) < 0.01
    for side in SIDES:
        assert canvas_not_blank(canvas(page, side))
    assert_no_exception(page)


def test_a_preset_moves_the_controls_and_the_numbers(server, page):
    open_cone(page, server)
    for name, layer, low, high in (
        ("needle", "5", 0.99, 1.0),
        ("last", "6 (last)", -0.1, 0.1),
        ("mean", "4", 0.4, 0.7),
    ):
        with rerun(page):
            page.locator(f".st-key-preset-{name} button").click()
        assert chosen(page, "layer") == layer
        assert low <= mean_cosines(page)[0] <= high


def test_a_zoom_is_both_pictures_and_survives_a_slider(server, page):
    open_cone(page, server)
    seen = "chart._fullLayout.xaxis.range"
    before = of_chart(page, "white", seen)
    chart(page, "white").hover()
    chart(page, "white").locator('.modebar-btn[data-title="Zoom in"]').click()
    for side in SIDES:
        page.wait_for_function(
            "([side, before]) => document.querySelector(`.st-key-chart-${side} .js-plotly-plot`)"
            "._fullLayout.xaxis.range[1] < before - 0.1",
            arg=[side, before[1]],
        )
    zoomed = of_chart(page, "white", seen)
    assert of_chart(page, "raw", seen) == pytest.approx(zoomed)
    slider(page, 1).focus()
    with rerun(page):
        slider(page, 1).press("ArrowLeft")
    assert of_chart(page, "white", seen) == pytest.approx(zoomed)


def test_the_wheel_scrolls_the_page_over_a_picture(server, page):
    open_cone(page, server)
    seen = "chart._fullLayout.xaxis.range"
    before = of_chart(page, "raw", seen)
    chart(page, "raw").locator(".nsewdrag").first.hover()
    page.mouse.wheel(0, 300)
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 100")
    assert of_chart(page, "raw", seen) == before


def test_a_finger_scrolls_the_page_over_a_picture(server, new_page):
    page = new_page(viewport={"width": 420, "height": 900}, has_touch=True, is_mobile=True)
    open_cone(page, server)
    assert of_chart(page, "raw", "chart._fullLayout.dragmode") is False


def test_no_button_sends_a_chart_away(server, page):
    """One of Plotly's default buttons uploads it, and the texts in it."""
    open_cone(page, server)
    for name in ("raw", "white", "histogram"):
        titles = page.locator(f".st-key-chart-{name} .modebar-btn").evaluate_all(
            "all => all.map(one => one.dataset.title)"
        )
        assert titles[0].startswith("Download plot")
        assert not [title for title in titles if re.search("share|cloud|edit", title, re.I)]
        assert len(titles) <= 6


def test_a_word_finds_a_point_and_lists_its_neighbours(server, page):
    open_cone(page, server)
    field = page.locator(".st-key-find input")
    field.fill("kettle")
    with rerun(page):
        field.press("Enter")
    lists = neighbours(page)
    assert [len(one) for one in lists] == [5, 5]
    topics = read_bundled("topics")
    known = {f"{t} · {label}" for t, label in zip(topics.texts, topics.labels, strict=True)}
    assert {text for one in lists for text in one} <= known
    row = int(state(page)["point"])
    assert "kettle" in topics.texts[row].lower()
    expect(chart(page, "raw").locator(".legendtext", has_text="chosen")).to_be_visible()


@pytest.mark.parametrize("side", SIDES)
def test_a_click_on_a_point_chooses_it(server, page, side):
    open_cone(page, server)
    chart(page, side).scroll_into_view_if_needed()
    row, x, y = of_chart(
        page,
        side,
        """{
          const {xaxis, yaxis} = chart._fullLayout, {x, y} = chart._fullData[0];
          const box = chart.getBoundingClientRect();
          const at = Array.from(x, (value, row) => [xaxis.l2p(value), yaxis.l2p(y[row])]);
          const inside = ([a, b]) => a > 20 && b > 20 && a < xaxis._length - 20
            && b < yaxis._length - 20;
          let best = [-1, 0];
          at.forEach((here, row) => {
            if (!inside(here)) return;
            const room = Math.min(...at.map((other, i) => i === row ? Infinity
              : Math.hypot(other[0] - here[0], other[1] - here[1])));
            if (room > best[1]) best = [row, room];
          });
          const [a, b] = at[best[0]];
          return [best[0], box.left + xaxis._offset + a, box.top + yaxis._offset + b];
        }""",
    )
    page.mouse.move(x, y)
    text = read_bundled("topics").texts[row]
    expect(chart(page, side).locator(".hoverlayer .hovertext")).to_contain_text(text[:12])
    with rerun(page):
        page.mouse.click(x, y)
    expect(page.locator("p", has_text=f"Nearest to {text}")).to_be_visible()
    assert state(page)["point"] == str(row)
    assert [len(one) for one in neighbours(page)] == [5, 5]


def test_a_choice_in_a_list_is_drawn_and_kept_in_the_address(server, page):
    open_cone(page, server)
    with rerun(page):
        choose(page, "unit", "types (input embeddings)")
    assert state(page)["unit"] == "types"
    expect(page.get_by_text(re.compile(r"^corpus topics · n = [\d,]+ types"))).to_be_visible()
    address = page.evaluate("location.href")
    page.goto("about:blank")
    open_app(page, address)
    wait_for_pictures(page)
    assert chosen(page, "unit") == "types (input embeddings)"


def test_the_points_can_be_taken_away(server, page):
    open_cone(page, server)
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("Take the points away")).click()
    lines = waiting.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert waiting.value.suggested_filename == "narrow-cone-points.csv"
    assert lines[0] == "text,label,raw_x,raw_y,white_x,white_y,measured_on"
    assert "n = 1,224 sentences" in lines[1]
    assert len(lines) == 1 + 1224


# The questions


@pytest.mark.parametrize("lang", ["en", "zh-Hant"])
def test_the_questions_are_answered_with_this_cloud_s_numbers(server, page, lang):
    open_cone(page, server, f"lang={lang}")
    values = list(numbers(page)[0].values())
    live = {
        "cosine": values[0],
        "agreement": f"{float(values[-1].rstrip('%')):.0f}%",
    }
    median = page.locator(".st-key-question-median summary").inner_text()
    assert values[2] in median
    for name, answers in QUESTIONS.items():
        answer = answers[lang != "en"].format(**live)
        body = page.locator(f".st-key-question-{name} details").get_by_text(answer)
        expect(body).to_be_hidden()
        page.locator(f".st-key-question-{name} summary").click()
        expect(body).to_be_visible()


@pytest.mark.parametrize(
    ("lang", "question", "answer"),
    [("en", "Why −.5?", "equilateral triangle"), ("zh-Hant", "為什麼是 −.5？", "正三角形")],
)
def test_the_tenth_question_is_answered_on_the_toy_s_page(server, page, lang, question, answer):
    open_app(page, server.page_url("cosine_basis", query=f"lang={lang}"))
    page.get_by_text(question, exact=True).click()
    expect(page.get_by_text(answer).first).to_be_visible()


# UMAP


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_umap_shows_svd_with_progress_first_and_then_itself(fresh_server, page, tmp_path):
    server = fresh_server(cache_dir=tmp_path)  # where no UMAP was ever fitted
    page.goto(server.page_url(PAGE, query="view=umap&corpus=topics-zh"))
    meanwhile = page.get_by_text("SVD is shown while UMAP is being fitted.")
    expect(meanwhile).to_be_visible(timeout=MS)
    progress = page.locator('[data-testid="stProgress"]')
    expect(progress).to_contain_text("UMAP of 240 points", timeout=MS)
    expect(page.get_by_text("UMAP keeps neighbours, not angles.")).to_be_visible()
    wait_for_pictures(page)
    axis = "chart._fullLayout.xaxis.title.text"
    assert of_chart(page, "raw", axis) == "singular direction 1"
    page.wait_for_function(
        "document.querySelector('.st-key-chart-white .js-plotly-plot')"
        "?._fullLayout?.xaxis?.title?.text === 'UMAP 1'",
        timeout=4 * MS,
    )
    wait_for_app(page)
    assert of_chart(page, "raw", axis) == "UMAP 1"
    expect(meanwhile).to_have_count(0)
    expect(progress).to_have_count(0)
    expect(page.get_by_text("UMAP keeps neighbours, not angles.")).to_be_visible()
    expect(chart(page, "raw").locator(".annotation-text", has_text="origin")).to_have_count(0)
    for side in SIDES:
        assert canvas_not_blank(canvas(page, side))
    assert_no_exception(page)


@pytest.mark.slow
def test_a_slider_keeps_the_focus_after_a_first_visit(fresh_server, page, tmp_path):
    """Progress that has gone again must not have moved what stands below it."""
    server = fresh_server(cache_dir=tmp_path)
    open_cone(page, server, "corpus=topics-zh&view=svd")
    strength = slider(page, 1)
    strength.focus()
    with rerun(page):
        strength.press("ArrowLeft")
    expect(strength).to_be_focused()
    assert chart(page, "white").evaluate("chart => Number(chart.dataset.drawn)") == 2


def test_umap_can_be_cancelled_and_the_page_goes_on(fresh_server, page, tmp_path):
    server = fresh_server(cache_dir=tmp_path)
    open_cone(page, server, "corpus=topics-zh")
    choose(page, "view", "UMAP (neighbours only)")
    progress = page.locator('[data-testid="stProgress"]')
    expect(progress).to_contain_text("UMAP of 240 points", timeout=MS)
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("Cancelled. Your texts are kept")).to_be_visible(timeout=MS)
    expect(progress).to_have_count(0)
    wait_for_app(page)
    with rerun(page):
        choose(page, "view", "PCA (centred)")
    assert of_chart(page, "raw", "chart._fullLayout.xaxis.title.text") == "principal direction 1"
    expect(page.get_by_text("Cancelled. Your texts are kept")).to_have_count(0)
    assert_no_exception(page)


# Narrow screens


@pytest.mark.parametrize("lang", ["en", "zh-Hant"])
def test_nothing_is_wider_than_a_narrow_screen(server, new_page, lang):
    page = new_page(viewport={"width": 420, "height": 900})
    open_cone(page, server, f"lang={lang}&point=5")
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 420
    boxes = [chart(page, side).bounding_box() for side in SIDES]
    for box in boxes:
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 420
    assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]


def last_topic(page: Page, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Centre (2,) and extent (2,), in pixels, of a chart's purple points."""
    png = page.locator(f".st-key-chart-{side} .chart").screenshot()
    red, green, blue = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int).T
    places = np.argwhere((blue > 200) & (green < 90) & (red < 180))  # x, y: the axes are turned
    assert len(places) > 50
    return places.mean(axis=0), np.ptp(np.quantile(places, [0.05, 0.95], axis=0), axis=0)


def test_both_clouds_are_sketched_before_plotly_is_there(page: Page, server: Any) -> None:
    """Same points at the same places but for Plotly's margins, and then Plotly instead."""
    held: list[Any] = []
    page.route("**/plotly*.js", lambda route: held.append(route))
    page.goto(server.page_url(PAGE))
    for side in SIDES:
        page.wait_for_selector(f".st-key-chart-{side} canvas.sketch", timeout=MS)
    page.locator(".st-key-chart-raw").scroll_into_view_if_needed()
    wait_for_app(page)
    page.wait_for_timeout(500)  # the layout settles
    sketched = {side: last_topic(page, side) for side in SIDES}
    assert page.evaluate("() => window.Plotly === undefined")
    for route in held:
        route.continue_()
    wait_for_pictures(page)
    expect(page.locator("canvas.sketch")).to_have_count(0)
    for side in SIDES:
        (centre, extent), (drawn_centre, drawn_extent) = sketched[side], last_topic(page, side)
        assert np.abs(centre - drawn_centre).max() < 12, side
        assert np.abs(extent - drawn_extent).max() < 12, side


def test_without_webgl2_a_cloud_in_three_dimensions_is_plotly_s(page: Page, server: Any) -> None:
    page.add_init_script(
        """const contexts = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
          return kind === "webgl2" ? null : contexts.call(this, kind, ...more);
        };"""
    )
    open_cone(page, server, "dims=3D")
    assert page.locator("canvas.sketch, .chart[data-sketched], .twin").count() == 0
    assert of_chart(page, "white", "chart._fullData[0].type") == "scatter3d"
