"""The components' arithmetic where there is no Node: the same tests, in Chromium."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from tests.browser.server import ROOT

HERE = "http://components.test"
TESTS = ROOT / "tests" / "javascript"
# of Node's runner, what the tests use
STAND_IN = """
const fail = (message) => { throw new Error(message); };
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
export default {
  ok: (value, message) => value || fail(message ?? "not true"),
  equal: (one, other) => Object.is(one, other) || fail(`${one} is not ${other}`),
  deepEqual: (one, other) => same(one, other) || fail(`${one} is not ${other}`),
  throws: (run, pattern) => {
    try { run(); } catch (error) { return pattern.test(error.message) || fail(error.message); }
    fail("nothing was thrown");
  },
};
"""
PAGE = """<!doctype html><script type="importmap">{"imports": {
  "node:test": "/stand-in-test.js", "node:assert/strict": "/stand-in-assert.js"}}</script>
<script>
  window.Buffer = { from: (bytes) => ({ toString: () => btoa(String.fromCharCode(...bytes)) }) };
</script>"""
RUN = """async modules => {
  window.tests = [];
  for (const module of modules) await import(module);
  const failed = [];
  for (const [name, run] of window.tests) {
    try { await run(); } catch (error) { failed.push(`${name}: ${error.message}`); }
  }
  return { count: window.tests.length, failed };
}"""


def answer(route: Route) -> None:
    path = route.request.url.removeprefix(HERE).lstrip("/")
    made = {
        "": (PAGE, "text/html"),
        "stand-in-test.js": (
            "export default (name, run) => window.tests.push([name, run]);",
            "text/javascript",
        ),
        "stand-in-assert.js": (STAND_IN, "text/javascript"),
    }
    if path in made:
        body, kind = made[path]
    else:
        body, kind = (ROOT / path).read_text(encoding="utf8"), "text/javascript"
    route.fulfill(body=body, content_type=kind)


@pytest.mark.skipif(shutil.which("node") is not None, reason="tests/unit/test_scripts.py has Node")
def test_the_modules_arithmetic_in_chromium(page: Page) -> None:
    page.route(f"{HERE}/**", answer)
    page.goto(HERE + "/")
    modules = [f"/{Path(path).relative_to(ROOT)}" for path in sorted(TESTS.glob("*.test.mjs"))]
    found: dict[str, Any] = page.evaluate(RUN, modules)
    assert found["failed"] == []
    assert found["count"] > 30
