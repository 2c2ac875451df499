"""The components' JavaScript outside a page, by Node: that of this machine, or Playwright's."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import playwright

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests" / "components"
NODE = shutil.which("node") or str(Path(playwright.__file__).parent / "driver" / "node")


def run_tests(name: str, folder: Path) -> str:
    """Run tests/components/<name>.test.mjs as modules in an empty folder; failures, or ""."""
    done = _node(_modules(folder), "--test", f"tests/components/{name}.test.mjs")
    return done.stdout + done.stderr if done.returncode else ""


def evaluate(body: str, argument: Any, folder: Path) -> Any:
    """The JSON result of an async function's body, run in an empty folder.

    Its arguments are ``argument`` and ``at``, the address below which a script is imported:
    import(`${at}/plane_math.js`).
    """
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
        [NODE, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
