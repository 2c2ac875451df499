"""The components' JavaScript outside a page: by Node where it is present, else by Chromium."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from playwright.sync_api import Route, sync_playwright

from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests" / "components"
HOST = "http://components.test"
# replacements for the parts of Node's test runner that the tests use
STAND_INS = {
    "test.js": "export default (name, run) => window.tests.push([name, run]);",
    "assert.js": """
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
""",
}
PAGE = f"""<!doctype html><script type="importmap">{{"imports": {{
  "node:test": "{HOST}/test.js", "node:assert/strict": "{HOST}/assert.js"}}}}</script>
<script>
  window.tests = [];
  const encoded = (bytes) => btoa(String.fromCharCode(...bytes));
  window.Buffer = {{ from: (bytes) => ({{ toString: () => encoded(bytes) }}) }};
</script>"""
# run every test of a file; returns the messages of those that failed
RUN_IN_BROWSER = """async path => {
  await import(path);
  const failed = [];
  for (const [name, run] of window.tests) {
    try { await run(); } catch (error) { failed.push(`${name}: ${error.message}`); }
  }
  return { ran: window.tests.length, failed };
}"""


def has_node() -> bool:
    """Whether Node is present. NARROW_CONE_NODE=0 hides it, to test with Chromium."""
    return os.environ.get("NARROW_CONE_NODE") != "0" and shutil.which("node") is not None


def run_tests(name: str, folder: Path) -> str:
    """Run tests/components/<name>.test.mjs; returns the messages of failures, or "".

    folder : an empty folder, into which the scripts are copied as modules.
    """
    if not has_node():
        report = _in_browser(RUN_IN_BROWSER, f"{HOST}/tests/components/{name}.test.mjs")
        assert report["ran"] > 0
        return "\n".join(report["failed"])
    done = _node(_modules(folder), "--test", f"tests/components/{name}.test.mjs")
    return done.stdout + done.stderr if done.returncode else ""


def evaluate(body: str, argument: Any, folder: Path) -> Any:
    """The JSON result of an async function.

    Parameters
    ----------
    body : str
        Of the function. Its arguments are ``argument`` and ``at``, the address below which a script
        is imported: import(`${at}/plane_math.js`).
    argument : object
        Sent as JSON.
    folder : Path
        For temporary files.
    """
    if not has_node():
        start = f"async argument => {{ const at = '{HOST}/assets/components'; {body} }}"
        return _in_browser(start, argument)
    root = _modules(folder)
    (root / "argument.json").write_text(json.dumps(argument), encoding="utf-8")
    (root / "main.mjs").write_text(
        "import { readFileSync } from 'node:fs';\n"
        "const argument = JSON.parse(readFileSync('argument.json', 'utf8'));\n"
        "const at = new URL('assets/components', import.meta.url).href;\n"
        f"const answer = await (async () => {{ {body} }})();\n"
        "console.log(JSON.stringify(answer));\n",
        encoding="utf-8",
    )
    done = _node(root, "main.mjs")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _modules(folder: Path) -> Path:
    """Copy scripts and tests into a folder; its package.json declares them as modules."""
    shutil.copytree(ROOT / "assets" / "components", folder / "assets" / "components")
    shutil.copytree(TESTS, folder / "tests" / "components")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    return folder


def _node(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )


def _in_browser(function: str, argument: Any) -> Any:
    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(f"{HOST}/").partition("?")[0]
        if not path:
            route.fulfill(body=PAGE, content_type="text/html")
            return
        body = STAND_INS.get(path) or (ROOT / path).read_text(encoding="utf-8")
        route.fulfill(body=body, content_type="text/javascript")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=[*CHROMIUM_FLAGS]
        )
        page = browser.new_page()
        page.route(f"{HOST}/**", answer)
        page.goto(f"{HOST}/")
        found = page.evaluate(function, argument)
        browser.close()
    return found
