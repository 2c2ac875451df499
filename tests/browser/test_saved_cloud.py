"""A saved cloud, opened without a network: it draws, selects, and runs no other script."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

import geometry
from tests.browser.accessibility import grave_findings
from tests.browser.clouds import (
    is_drawn,
    lasso,
    of_stage,
    wait_for_clouds,
    wait_for_stage,
)

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


def test_it_draws_selects_and_runs_no_text_as_a_script(saved: Path, browser: Browser):
    """It requests nothing, logs no error, and is dark where the reader's system is."""
    context = browser.new_context(offline=True, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    requests: list[str] = []
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(saved.as_uri())
    wait_for_clouds(page)
    assert grave_findings(page, "body") == []
    rows = lasso(page, 0, 0.3, 0.1, 0.95, 0.5)
    assert 0 < len(rows) < N
    assert page.locator("h2").inner_text() == f"Points selected: {len(rows)}"
    listed = page.locator("#selected li").all_inner_texts()
    assert listed == [f"{HOSTILE} {row}" for row in rows[:50]]
    assert page.locator("h1").inner_text() == HOSTILE
    assert of_stage(page, "stage.message.theme.paper") == "#ffffff"
    page.emulate_media(color_scheme="dark")
    wait_for_stage(page, "stage.message.theme.paper === '#0d1218'")
    assert [url for url in requests if not url.startswith(("data:", "blob:"))] == [saved.as_uri()]
    assert errors == []

    # a screenshot of the canvas alone adds a style, against the file's policy
    assert is_drawn(page, 0)
    assert is_drawn(page, 1)
    page.evaluate(
        "() => { const own = document.createElement('script');"
        " own.textContent = 'window.ran = true'; document.body.append(own); }"
    )
    assert page.evaluate("window.ran") is None  # nor one that is added later
    assert "Content Security Policy" in errors.pop()
    context.close()


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
