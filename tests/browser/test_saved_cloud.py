"""A saved cloud, opened without a network: it draws, selects, and runs no other script."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import geometry
from tests.browser.accessibility import grave_findings
from tests.browser.clouds import is_drawn, lasso, loneliest, of_stage, wait_for_clouds

HOSTILE = "</script><script>window.ran = true</script><img src=x onerror='window.ran = true'>"
N, D = 300, 12


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, N)
    X = rng.standard_normal((N, D)) + 2 + 4 * np.eye(2, D)[labels]
    path = tmp_path_factory.mktemp("saved") / "cloud.html"
    names = [HOSTILE, "kind"]
    widget = geometry.show(
        X,
        labels=[names[label] for label in labels],
        texts=[f"{HOSTILE} {row}" for row in range(N)],
        treatment="zca:lw",
    )
    widget.save(path, title=HOSTILE)
    return path


@pytest.fixture
def errors() -> list[str]:
    """What the page threw or logged; clear it where a test itself breaks the file's policy."""
    return []


@pytest.fixture
def opened(saved: Path, browser: Browser, errors: list[str]) -> Iterator[Page]:
    """The file in a browser without a network. It requests nothing, and no error is logged."""
    context = browser.new_context(offline=True, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    requests: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(saved.as_uri())
    wait_for_clouds(page)
    yield page
    assert [url for url in requests if not url.startswith(("data:", "blob:"))] == [saved.as_uri()]
    assert not errors
    context.close()


def test_it_draws_and_a_lasso_selects(opened: Page, errors: list[str]):
    assert not errors
    assert is_drawn(opened, 0)
    assert is_drawn(opened, 1)
    errors.clear()  # a screenshot of the canvas alone adds a style
    rows = lasso(opened, 0, 0.3, 0.1, 0.95, 0.5)
    assert 0 < len(rows) < N
    assert opened.locator("h2").inner_text() == f"Points selected: {len(rows)}"
    listed = opened.locator("#selected li").all_inner_texts()
    assert listed == [f"{HOSTILE} {row}" for row in rows[:50]]


def test_a_click_selects_one_point_whose_text_is_shown(opened: Page):
    row, x, y = loneliest(opened, 1)
    opened.mouse.click(x, y)
    assert of_stage(opened, "[...stage.rows]") == [row]
    assert HOSTILE in opened.locator(".twin-tip").inner_text()


def test_no_text_runs_as_a_script(opened: Page, errors: list[str]):
    assert opened.locator("h1").inner_text() == HOSTILE
    assert opened.evaluate("window.ran") is None
    opened.evaluate(
        "() => { const own = document.createElement('script');"
        " own.textContent = 'window.ran = true'; document.body.append(own); }"
    )
    assert opened.evaluate("window.ran") is None  # nor one that is added later
    assert "Content Security Policy" in errors.pop()


def test_it_is_dark_where_the_reader_s_system_is(opened: Page):
    assert of_stage(opened, "stage.message.theme.paper") == "#ffffff"
    opened.emulate_media(color_scheme="dark")
    opened.wait_for_function(
        "() => document.querySelector('.twin').twin.stage.message.theme.paper === '#0d1218'"
    )


def test_nothing_keeps_people_out(opened: Page):
    assert grave_findings(opened, "body") == []


def test_a_picture_stands_in_without_webgl2_and_without_scripts(saved: Path, browser: Browser):
    page = browser.new_page()
    page.add_init_script(
        "const of = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...more) {"
        " return kind === 'webgl2' ? null : of.call(this, kind, ...more); }"
    )
    page.goto(saved.as_uri())
    page.wait_for_function("() => document.querySelector('#cloud img')?.naturalWidth > 700")
    page.close()
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(saved.as_uri())
    assert page.locator("noscript img").get_attribute("alt").startswith("Raw: 300 points")
    assert page.locator("noscript img").bounding_box()["width"] > 700
    page.close()
