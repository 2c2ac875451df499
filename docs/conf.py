"""The site of the documents: `make docs`, which runs sphinx-build -c docs . build/site.

Its sources begin at the root of the repository, so that a link from one Markdown file to another
is the same on the site, on GitHub and in an editor.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
# For the kernels of the notebooks. Figures bring Plotly's script: a page needs no other server.
os.environ |= {"PYTHONPATH": str(ROOT), "PLOTLY_RENDERER": "notebook"}

import geometry  # noqa: E402
from geometry.palette import DARK, LIGHT  # noqa: E402

project = "Narrow Cone"
author = "Narrow Cone contributors"
version = release = geometry.__version__
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/*.md",
    "docs/api/*",
    "docs/notebooks/*.ipynb",
    "deploy/README.md",
    "assets/corpora/README.md",
    "assets/vectors/glove/README.md",
]
exclude_patterns = [".*", "bench", "build", "dist", "geometry", "pages", "static", "tests"]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]

# ---- Markdown and notebooks ----

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3  # as GitHub makes them
nb_execution_mode = "cache"  # a notebook is run again after it has changed
nb_execution_cache_path = str(ROOT / "build" / "notebooks")
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_mime_priority_overrides = [("html", "image/png", 0)]  # a widget's picture: it has no kernel here

# ---- reference: every name that a package lists, from its docstring ----

autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_typehints = "none"  # the docstrings have the types, with shapes
numpydoc_show_class_members = False
# A name of the package itself is described in its folder; the page of the package links it there.
autosummary_context = {
    "folder_of": {
        name: folder
        for folder in geometry.__all__
        for name in getattr(getattr(geometry, folder), "__all__", ())
        if name in geometry.__all__
    }
}
templates_path = [str(ROOT / "docs" / "_templates")]

# ---- look ----

html_theme = "furo"
html_title = f"Narrow Cone {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_additional_pages = {"index": "to_index.html"}
pygments_style, pygments_dark_style = "friendly", "monokai"
html_theme_options = {
    f"{name}_css_variables": {"color-brand-primary": each.white, "color-brand-content": each.white}
    for name, each in (("light", LIGHT), ("dark", DARK))
}

_MARKED = re.compile(r"(``[^`]+``|(?<!\w)\*[A-Za-z][\w ,-]*\*(?!\w))")  # code, or *emphasis*
_HEAD = re.compile(r"(\**\w+(?:, \**\w+)* : )(.*)")  # of a parameter; numpydoc escapes its name


def plain_text(
    _app: Any, what: str, _name: str, _object: Any, _options: Any, lines: list[str]
) -> None:
    """Escape what reStructuredText would take for markup: docstrings here are plain text.

    Code between two backticks, *emphasis* and lists, which begin with "- ", stay. The table of a
    package's files is left out: it is for those who change them.
    """
    if what == "data":  # the docstring is that of tuple
        lines.clear()
    if what == "module":
        paragraphs = "\n".join(lines).split("\n\n")
        kept = [each for each in paragraphs if not re.search(r"\w {3,}\w|:$", each)]
        lines[:] = [*"\n\n".join(kept).split("\n"), ""]
    for place, line in enumerate(lines):
        head, rest = found.groups() if (found := _HEAD.fullmatch(line)) else ("", line)
        parts = _MARKED.split(rest)
        parts[::2] = [re.sub(r"[*|]|(?<=\w)_(?!\w)", r"\\\g<0>", part) for part in parts[::2]]
        lines[place] = head + "".join(parts)


def is_skipped(
    _app: Any, _what: str, _name: str, found: Any, skip: bool, _options: Any
) -> bool | None:
    """Leave out what a class inherits from scikit-learn; None leaves the choice to Sphinx."""
    return True if str(getattr(found, "__module__", "")).startswith("sklearn.") else None


def visit_math(self: Any, node: Any) -> None:
    """A formula as MathML."""
    from docutils.nodes import SkipNode

    display = "inline" if node.tagname == "math" else "block"
    self.body.append(convert(node.astext(), display=display))
    raise SkipNode


def setup(app: Any) -> None:
    """Add these to Sphinx."""
    app.connect("autodoc-process-docstring", plain_text, priority=1)  # before numpydoc
    app.connect("autodoc-skip-member", is_skipped)
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math, None))
    app.config.html_math_renderer = "mathml"
