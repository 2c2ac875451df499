"""The landing page in a browser: clouds, controls, questions, narrow screens."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Locator, Page, expect

from geometry.data.corpus import read_bundled
from tests.browser.clouds import (
    is_drawn,
    loneliest,
    of_stage,
    pixels,
    wait_for_clouds,
    wait_for_stage,
)
from tests.browser.screen import (
    LONG,
    NEXT_FRAMES,
    assert_no_exception,
    open_app,
    rerun,
    wait_for_app,
)

PAGE = "narrow_cone"
PLACES = (0, 1)  # raw, white
MS = 1000 * LONG
QUESTIONS = {  # name: a piece of its answer in each language, live numbers as {…}
    "median": (
        "a mean pairwise cosine of {cosine} are one fact",
        "平均成對餘弦 {cosine} 是同一件事",
    ),
    "narrows-first": ("the mean cosine starts at {cosine}", "平均餘弦原本是 {cosine}"),
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


@pytest.fixture
def look_at(look: Callable[[str], Page], server: Any) -> Callable[[str], Page]:
    """look_at(query): the drawn page, shared by the tests of this file that change nothing."""

    def at(query: str) -> Page:
        page = look(server.page_url(PAGE, query=query))
        wait_for_pictures(page)
        return page

    return at


def wait_for_pictures(page: Page) -> None:
    """Wait until both clouds and the chart are drawn and on screen."""
    wait_for_clouds(page)
    page.wait_for_selector(".st-key-chart-histogram [data-drawn]", timeout=MS)
    page.evaluate(NEXT_FRAMES)


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
    """Choose from a list; open it again if scrolling has closed it."""
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


def test_a_cold_deep_link_restores_its_state_and_encodes_nothing(fresh_server, page, tmp_path):
    query = "layer=5&pooling=cls&view=cone&colour=length&strength=0.5&lang=zh-Hant"
    open_cone(page, fresh_server(cache_dir=tmp_path), query)
    assert not list(tmp_path.iterdir())  # an encoding would be stored: the vectors are shipped
    assert (chosen(page, "layer"), chosen(page, "pooling")) == ("5", "cls")
    assert chosen(page, "view") == "真實角度"
    assert slider_values(page) == ["1.00", "0.50"]
    assert mean_cosines(page)[0] > 0.99  # [CLS] of layer 5 is a needle
    expect(page.locator(".twin-legend")).to_contain_text("詞數")
    expect(page.get_by_text("第 5 層")).not_to_have_count(0)
    wanted = parse_qs(query)
    assert {key: [value] for key, value in state(page).items()}.items() >= wanted.items()


def test_the_bare_address_leads_to_the_landing_page_with_its_state(server, page):
    open_app(page, server.page_url(query="layer=5&lang=zh-Hant"))
    page.wait_for_url(f"**/{PAGE}*")
    wait_for_pictures(page)
    assert chosen(page, "layer") == "5"
    assert state(page) == {"layer": "5", "lang": "zh-Hant"}


def test_an_encoding_shows_progress_and_can_be_cancelled_and_started_again(
    fresh_server, page, tmp_path
):
    server = fresh_server(cache_dir=tmp_path)
    page.goto(server.page_url(PAGE, query="layer=3"))  # not one of the shipped layers
    progress = page.locator('[data-testid="stProgress"]')
    expect(progress).to_contain_text("Encoding 1,224 sentences", timeout=MS)
    expect(page.locator(".twin")).to_have_count(0)
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
    # A progress bar that disappears must not replace the elements below it.
    of_stage(page, "twin.isTheSame = true")
    strength = slider(page, 1)
    strength.focus()
    with rerun(page):
        strength.press("ArrowLeft")
    expect(strength).to_be_focused()
    assert of_stage(page, "twin.isTheSame")


@pytest.mark.parametrize("lang", HEADINGS)
def test_both_languages_keep_the_contract_s_order(look_at, lang):
    page = look_at(f"lang={lang}")
    assert page.locator('[data-testid="stMain"] h3').all_inner_texts() == HEADINGS[lang]
    axis = of_stage(page, "stage.message.axes[0]")
    assert axis == {"en": "mean direction", "zh-Hant": "均值方向"}[lang]
    assert (
        page.locator(".twin [data-do=lasso]").inner_text()
        == {"en": "Lasso", "zh-Hant": "套索"}[lang]
    )


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


def test_both_clouds_are_drawn_in_each_view(server, page):
    open_cone(page, server, "view=mean")
    for name in (None, "SVD (uncentred)", "PCA (centred)", "angle-true"):
        if name is not None:
            with rerun(page):
                choose(page, "view", name)
            wait_for_clouds(page)
        assert of_stage(page, "stage.n") == 1224
        assert of_stage(page, "stage.camera.k") == 2
        for place in PLACES:
            assert is_drawn(page, place), name


def test_the_cone_and_the_origin_are_drawn(look_at):
    page = look_at("lang=en")
    assert of_stage(page, "stage.message.origin") == "origin"
    assert of_stage(page, "stage.message.cones[0].length") == 2
    # inside the inner cone, beyond all points, and beside it
    raw = pixels(page, 0)
    down, across = raw.shape[:2]
    inside, beside = raw[down // 2 + 12, int(0.9 * across)], raw[int(0.2 * down), int(0.9 * across)]
    assert beside.tolist() == [255, 255, 255]
    red, green, blue = inside.astype(int)
    assert 255 > red > green > blue
    expect(page.get_by_text("of the mean (384-d)")).not_to_have_count(0)


def test_the_picture_has_the_theme_s_background(server, look_at, new_page):
    dark_page = new_page(color_scheme="dark")
    open_cone(dark_page, server)
    for page, is_dark in ((look_at("lang=en"), False), (dark_page, True)):
        paper = of_stage(page, "stage.message.theme.paper")
        behind = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
        rgb = [int(paper[start : start + 2], 16) for start in (1, 3, 5)]
        assert rgb == [int(part) for part in re.findall(r"\d+", behind)[:3]]
        assert (rgb[0] < 128) is is_dark


# Trying


def test_a_slider_changes_the_numbers_and_the_right_picture(server, page):
    open_cone(page, server)
    raw, white = mean_cosines(page)
    assert abs(white) < 0.01 < raw
    before = pixels(page, 1)
    for place in (0, 1):
        slider(page, place).focus()
        with rerun(page):
            slider(page, place).press("Home")
    assert slider_values(page) == ["0.00", "0.00"]
    assert mean_cosines(page) == [raw, raw]
    wait_for_clouds(page)  # the numbers can change before the animation ends
    raw_pixels, after = pixels(page, 0), pixels(page, 1)
    assert before.shape == after.shape
    assert (before != after).any(axis=2).mean() > 0.01
    assert (raw_pixels != after).any(axis=2).mean() < 0.001  # both show the raw cloud
    assert {key: float(value) for key, value in state(page).items()} == {
        "centring": 0,
        "strength": 0,
    }


def test_play_moves_centring_first_then_strength_and_stops_at_the_end(server, page):
    open_cone(page, server, "centring=0&strength=0")
    page.evaluate(
        """() => {
          const { twin } = document.querySelector('.twin');
          const seen = window.seenInFilm = [];
          const draw = twin.stage.draw.bind(twin.stage);
          twin.stage.draw = (...more) => {
            seen.push([twin.at, twin.stage.shown(twin.stage.message.views[1]).title]);
            draw(...more);
          };
        }"""
    )
    button = page.locator('.twin [data-do="play"]')
    with rerun(page):
        button.click()
        expect(button).to_have_text("Stop")
        wait_for_stage(page, "twin.at === stage.lastStop")
    expect(button).to_have_text("Play")
    assert slider_values(page) == ["1.00", "1.00"]
    frames = page.evaluate("window.seenInFilm")
    places = [at for at, _title in frames]
    assert len(set(places)) > 10  # a film, not a jump
    assert places == sorted(places)
    knobs = [re.findall(r"[\d.]+", title) for _at, title in frames if title.startswith("Between")]
    assert all(float(s) == 1 or float(t) == 0 for s, t in knobs)
    assert frames[-1][1] == "White"
    assert abs(mean_cosines(page)[1]) < 0.01
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
    home = [pixels(page, place) for place in PLACES]
    span = of_stage(page, "stage.camera.span")
    page.locator('.twin [data-do="nearer"]').click()
    wait_for_clouds(page)
    zoomed = of_stage(page, "stage.camera.span")
    assert zoomed < span
    for place in PLACES:
        assert (home[place] != pixels(page, place)).any(axis=2).mean() > 0.01
    slider(page, 1).focus()
    with rerun(page):
        slider(page, 1).press("ArrowLeft")
    assert of_stage(page, "stage.camera.span") == zoomed


def test_the_wheel_scrolls_the_page_over_a_picture(look_at):
    page = look_at("lang=en")
    camera = of_stage(page, "JSON.stringify(stage.camera)")
    page.locator(".twin-stage").hover()
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    before = page.evaluate(scrolled)
    page.mouse.wheel(0, 300)
    page.wait_for_function(f"{scrolled} > {before} + 100")
    assert of_stage(page, "JSON.stringify(stage.camera)") == camera


def test_no_button_sends_a_chart_away(look_at):
    """One of Plotly's default buttons uploads the chart and the texts in it."""
    page = look_at("lang=en")
    titles = page.locator(".st-key-chart-histogram .modebar-btn").evaluate_all(
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
    assert [len(texts) for texts in lists] == [5, 5]
    topics = read_bundled("topics")
    known = {f"{t} · {label}" for t, label in zip(topics.texts, topics.labels, strict=True)}
    assert {text for texts in lists for text in texts} <= known
    row = int(state(page)["point"])
    assert "kettle" in topics.texts[row].lower()
    expect(page.locator(".twin-legend")).to_contain_text("chosen")
    assert row in of_stage(page, "stage.message.marks.flatMap(({ rows }) => rows)")


def test_a_click_on_a_point_chooses_it(server, page):
    open_cone(page, server)
    for place in PLACES:
        row, x, y = loneliest(page, place)
        page.mouse.move(x, y)
        text = read_bundled("topics").texts[row]
        expect(page.locator(".twin-tip")).to_contain_text(text)
        with rerun(page):
            page.mouse.click(x, y)
        expect(page.locator("p", has_text=f"Nearest to {text}")).to_be_visible()
        assert state(page)["point"] == str(row)
        assert [len(found) for found in neighbours(page)] == [5, 5]


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


def test_the_points_can_be_taken_away(look_at):
    page = look_at("lang=en")
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("Take the points away")).click()
    lines = waiting.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert waiting.value.suggested_filename == "narrow-cone-points.csv"
    assert lines[0] == "text,label,raw_x,raw_y,white_x,white_y,measured_on"
    assert "n = 1,224 sentences" in lines[1]
    assert len(lines) == 1 + 1224


# The questions


@pytest.mark.parametrize("lang", ["en", "zh-Hant"])
def test_the_questions_are_answered_with_this_cloud_s_numbers(look_at, lang):
    page = look_at(f"lang={lang}")
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


# UMAP


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_umap_shows_svd_with_progress_first_and_then_itself(fresh_server, page, tmp_path):
    server = fresh_server(cache_dir=tmp_path)  # an empty cache: no fitted UMAP
    page.goto(server.page_url(PAGE, query="view=umap&corpus=topics-zh"))
    meanwhile = page.get_by_text("SVD is shown while UMAP is being fitted.")
    expect(meanwhile).to_be_visible(timeout=MS)
    progress = page.locator('[data-testid="stProgress"]')
    expect(progress).to_contain_text("UMAP of 240 points", timeout=MS)
    expect(page.get_by_text("UMAP keeps neighbours, not angles.")).to_be_visible()
    wait_for_pictures(page)
    assert of_stage(page, "stage.message.axes[0]") == "singular direction 1"
    page.wait_for_function(
        "document.querySelector('.twin').twin.stage.message.axes[0] === 'UMAP 1'", timeout=4 * MS
    )
    wait_for_app(page)
    expect(meanwhile).to_have_count(0)
    expect(progress).to_have_count(0)
    expect(page.get_by_text("UMAP keeps neighbours, not angles.")).to_be_visible()
    assert of_stage(page, "stage.message.origin") == ""
    expect(page.locator('.twin [data-do="play"]')).to_be_hidden()  # UMAP has no animation
    for place in PLACES:
        assert is_drawn(page, place)
    assert_no_exception(page)


def test_umap_can_be_cancelled_and_the_page_goes_on(server, page):
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
    assert of_stage(page, "stage.message.axes[0]") == "principal direction 1"
    expect(page.get_by_text("Cancelled. Your texts are kept")).to_have_count(0)
    assert_no_exception(page)


# Narrow screens


@pytest.mark.parametrize("lang", ["en", "zh-Hant"])
def test_nothing_is_wider_than_a_narrow_screen(server, new_page, lang):
    page = new_page(viewport={"width": 420, "height": 900})
    open_cone(page, server, f"lang={lang}&point=5")
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 420
    stage = page.locator(".twin-stage").bounding_box()
    assert stage["x"] >= 0
    assert stage["x"] + stage["width"] <= 420
    boxes = of_stage(page, "stage.boxes")
    assert boxes[1]["top"] >= boxes[0]["top"] + boxes[0]["height"]
    touch = "getComputedStyle(document.querySelector('.twin-stage')).touchAction"
    assert page.evaluate(touch) == "pan-y"  # a finger on a picture scrolls the page


# Scripts on their way


def test_both_clouds_are_drawn_before_plotly_is_there(page: Page, server: Any) -> None:
    """The chart below them is drawn once its script has loaded."""
    held: list[Any] = []
    page.route("**/plotly*.js", lambda route: held.append(route))
    page.goto(server.page_url(PAGE))
    wait_for_clouds(page)
    for place in PLACES:
        assert is_drawn(page, place)
    assert page.evaluate("() => window.Plotly === undefined")
    for route in held:
        route.continue_()
    wait_for_pictures(page)
