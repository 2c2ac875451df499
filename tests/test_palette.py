"""One palette: geometry/palette.py. Copies elsewhere have the same colours."""

import json
import re
import tomllib
from pathlib import Path

from geometry.palette import SYMBOL_SIGNS, SYMBOLS, THEMES
from geometry.projection.point_colours import MOST_COLOURED
from tests.for_each import for_each

ROOT = Path(__file__).resolve().parents[1]
COLOUR = re.compile(  # not "&#39;"
    r"(?<!&)#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b|\b(?:rgb|hsl)a?\(\s*[0-9]", re.IGNORECASE
)
SCRIPT = (ROOT / "assets/components/twin_cloud/palette.js").read_text(encoding="utf-8")


@for_each("name", THEMES)
def test_streamlit_s_own_page_has_the_colours_of_the_figures(name):
    configured = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"][name]
    theme = THEMES[name]
    assert configured["backgroundColor"] == theme.paper
    assert configured["textColor"] == theme.ink
    assert tuple(configured["chartCategoricalColors"]) == theme.categories


def test_colours_are_written_in_these_files_only():
    folders = (ROOT / name for name in ("pages", "geometry", "assets", ".streamlit"))
    coloured = {
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in folder.rglob("*.*")
        if path.suffix in (".py", ".js", ".css", ".html", ".toml")
        and COLOUR.search(path.read_text(encoding="utf-8"))
    }
    assert coloured == {"geometry/palette.py", ".streamlit/config.toml"}


def test_the_browser_has_the_legend_s_signs_and_colours_as_many_groups():
    signs = json.loads(re.search(r"SIGNS = (\[.*?\])", SCRIPT)[1])
    assert signs == [SYMBOL_SIGNS[symbol] for symbol in SYMBOLS]
    assert int(re.search(r"MOST_GROUPS = (\d+)", SCRIPT)[1]) == MOST_COLOURED
