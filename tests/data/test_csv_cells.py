"""Exported tables: no cell is a formula, and numbers stay numbers."""

import csv
import io
import re
from pathlib import Path

from geometry.data.csv_cells import csv_cell
from pages.common.downloads import csv_bytes, short_number
from tests.for_each import for_each

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "=0+cmd|'/C calc'!A0"
WRITERS = {  # the places that write CSV, and how each makes its cells safe
    "geometry/commands/options.py",
    "geometry/data/csv_cells.py",
    "pages/common/downloads.py",
}


FULL_WIDTH = ["\uff1d1", "\uff0b1", "\uff0d1", "\uff20a"]


@for_each(
    "text",
    [HOSTILE, "\r=1", *["+1+1", "-2+3", "@SUM(A1)", "=1", "-", "+", "--1", "=nan"], *FULL_WIDTH],
)
def test_a_formula_is_quoted(text):
    assert csv_cell(text) == f"'{text}"


def test_a_formula_after_another_separator_is_quoted():
    """German spreadsheets end a cell at a semicolon; pasted text ends a cell at a tab."""
    assert csv_cell(f"x;{HOSTILE}") == f"x;'{HOSTILE}"
    assert csv_cell("a\t@b;-c") == "a\t'@b;'-c"
    assert csv_cell("x;\uff1d1") == "x;'\uff1d1"
    assert csv_cell("\t=1") == "'\t'=1"


@for_each(
    "value",
    ["-0.5", "+3", "-1e-05", "-inf", "1-2", "a=b", "a; b", "x;1", "", "'=1", " =1", -0.5, 3, None],
)
def test_what_is_no_formula_stays(value):
    assert csv_cell(value) is value


def test_downloads_of_pages():
    missing = short_number(float("nan"))
    content = csv_bytes(["text", HOSTILE], [[HOSTILE, "-0.5"], ["@a", missing]], "+a name")
    assert list(csv.reader(io.StringIO(content.decode("utf-8-sig")))) == [
        ["text", f"'{HOSTILE}", "measured_on"],
        [f"'{HOSTILE}", "-0.5", "'+a name"],
        ["'@a", "", ""],
    ]


def test_every_writer_of_csv_uses_it():
    """New code that writes CSV must be added to WRITERS and must quote its cells."""
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("geometry", "pages")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"csv\.(writer|DictWriter)\b|\.to_csv\b", path.read_text(encoding="utf-8"))
    }
    assert found == WRITERS
    for name in WRITERS:
        assert "csv_cell" in (ROOT / name).read_text(encoding="utf-8")
