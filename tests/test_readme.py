"""Every Python block of README.md runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks() -> list:
    """(line, code) of each: with its line, a traceback points into README.md."""
    text = README.read_text(encoding="utf-8")
    found = [(text.count("\n", 0, match.start(1)), match[1]) for match in BLOCK.finditer(text)]
    return [pytest.param(line, code, id=f"line {line + 1}") for line, code in found]


def test_there_is_an_example():
    assert blocks()


@pytest.mark.model
@pytest.mark.parametrize(("line", "code"), blocks())
def test_a_python_block_runs(line, code, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # an example may write a file
    exec(compile("\n" * line + code, str(README), "exec"), {"__name__": "readme"})
