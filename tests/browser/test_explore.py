"""An upload is explored: clusters that whitening mixes, their names, a picture for a colleague."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from playwright.sync_api import Browser, Page, expect
from pyarrow import parquet

from tests.browser.clouds import lasso, of_stage, wait_for_clouds, wait_for_stage
from tests.browser.screen import choose, open_app, rerun, state, wait_for_app
from tests.browser.server import AppServer

N = 600
SPAN = "stage.camera.span"
HOSTILE = "<img src=x onerror='window.ran = true'>"
WORDS = (("parcel", "late", "courier"), ("screen", "broken", "glass"), ("friendly", "kind", "glad"))
DESKTOP, PHONE = {"width": 1400, "height": 900}, {"width": 420, "height": 900}


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two kinds of complaints near each other and praise far away; 3 categories, 2 numbers."""
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1, 2], N // 3)
    X = 0.3 * rng.standard_normal((N, 16))
    X[:, :2] *= (rng.gamma(1, 1, N) / np.linalg.norm(X[:, :2], axis=1))[:, None]
    X[:, 0] += np.array([0, 12, 600])[kind]
    table = {
        "text": [
            f"{WORDS[k][i % 3]} {WORDS[k][(i + 1) % 3]} {HOSTILE}" for i, k in enumerate(kind)
        ],
        "country": np.array(["de", "fr", HOSTILE])[rng.integers(0, 3, N)],
        "channel": np.array(["mail", "phone"])[rng.integers(0, 2, N)],
        "product": np.char.add("product ", rng.integers(0, 12, N).astype(str)),
        "price": rng.gamma(2, 20, N).round(2),
        "stars": rng.integers(1, 6, N),
        "embedding": pa.FixedSizeListArray.from_arrays((X + 3).astype("f4").ravel(), 16),
    }
    path = tmp_path_factory.mktemp("explore") / "complaints.parquet"
    parquet.write_table(pa.table(table), path)
    return path


@pytest.mark.parametrize(
    ("language", "viewport", "clusters"),
    [
        pytest.param("en", DESKTOP, "clusters", marks=pytest.mark.slow),
        pytest.param("zh-Hant", PHONE, "群集", marks=pytest.mark.long),
    ],
)
def test_the_walk_of_the_two_kinds_of_complaints(
    server: AppServer,
    browser: Browser,
    new_page: Callable[..., Page],
    complaints: Path,
    tmp_path: Path,
    language: str,
    viewport: dict,
    clusters: str,
):
    page = new_page(viewport=viewport)
    open_app(page, server.page_url("your_corpus", query=f"source=upload&lang={language}"))
    page.locator(".st-key-corpus_file input[type=file]").set_input_files(complaints)
    page.locator(".st-key-use_vectors button").click()
    wait_for_clouds(page, 1)
    wait_for_app(page)
    page.evaluate("document.querySelector('[data-testid=stSidebar] a[href*=narrow_cone]').click()")
    page.wait_for_url("**/narrow_cone*")
    wait_for_clouds(page)
    wait_for_app(page)

    # the clusters are in the legend and at their points, by their words
    choose(page, "colour", clusters)
    wait_for_stage(page, "stage.message.legend.names?.[0]?.startsWith('1 ')")
    names = of_stage(page, "stage.message.legend.names")
    parcels, screens = (next(n for n in names if words[0] in n) for words in WORDS[:2])
    # two of them are mixed by whitening
    page.locator(".st-key-clusters summary").click()
    mixed = page.locator(".st-key-clusters p").filter(has_text=parcels)
    expect(mixed).to_contain_text(screens)
    # a filter by a number greys the others, and the address has it
    page.locator(".st-key-filters summary").click()
    [by] = page.locator('[class*="st-key-filter-by-"]').evaluate_all(
        "all => all.map(each => [...each.classList].find(name => name.includes('filter-by')))"
    )
    choose(page, by.removeprefix("st-key-"), "price")
    wait_for_app(page)
    page.locator(".st-key-others button, .st-key-others [role=radio]").last.click()
    wait_for_stage(page, "stage.dots === null")  # all prices still
    page.locator(".st-key-filters").get_by_role("slider").first.focus()
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowRight")
    wait_for_stage(page, "stage.dots?.some(each => each >= 128)")
    wait_for_app(page)
    assert state(page)["where"].startswith("2:")  # of channel, product, price, stars
    assert state(page)["file"].endswith("~complaints.parquet")
    # alone with its panel, the picture is wider
    width = of_stage(page, "stage.width")
    with rerun(page):
        page.locator(".st-key-full-window button").click()
    expect(page.locator('[data-testid="stSidebar"]')).to_be_hidden()
    wait_for_clouds(page)
    assert of_stage(page, "stage.width") >= width - 20
    # a file for a colleague: the view as it is, names, colours, search, and no script of a text
    rows = lasso(page, 0, 0.2, 0.2, 0.8, 0.8)
    expect(page.locator(".st-key-selected-points")).to_contain_text(f"{len(rows)}")
    page.locator(".twin-stage").focus()
    page.keyboard.press("+")
    page.wait_for_function("location.search.includes('camera=')")
    page.locator(".twin-stage").blur()  # on a telephone the first tap only took its focus
    wait_for_app(page)
    with page.expect_download() as waiting:
        page.locator(".st-key-take-view button").click()
    waiting.value.save_as(tmp_path / "view.html")
    other = browser.new_context(viewport=viewport, offline=True).new_page()
    errors: list[str] = []
    other.on("console", lambda message: errors.append(message.text))
    other.on("pageerror", lambda error: errors.append(str(error)))
    other.goto((tmp_path / "view.html").as_uri())
    wait_for_clouds(other)
    assert of_stage(other, "stage.message.legend.names") == names
    assert of_stage(other, "[...stage.rows]") == rows
    assert of_stage(other, SPAN) == pytest.approx(of_stage(page, SPAN), rel=0.01)
    assert of_stage(other, "stage.dots.some(each => each >= 128)")
    other.locator("#search").fill("Parcel")
    wait_for_stage(other, "stage.rows.length > 0")
    assert of_stage(other, "stage.rows.length") == sum("parcel" in " ".join(w) for w in texts_of())
    expect(other.locator("#selected li").first).to_contain_text(HOSTILE)
    for each in (page, other):
        assert each.evaluate("window.ran") is None
    other.context.close()
    assert not errors


def texts_of() -> list[tuple[str, str]]:
    """The two words of each text."""
    kinds = np.repeat([0, 1, 2], N // 3)
    return [(WORDS[k][i % 3], WORDS[k][(i + 1) % 3]) for i, k in enumerate(kinds)]
