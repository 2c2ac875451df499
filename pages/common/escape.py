"""Texts of users and of other sites, escaped before a page shows them.

Streamlit reads most labels and messages as Markdown, and Plotly reads hover texts and labels as a
few HTML tags. A corpus, a file's name, a model's name or the address could so put a link or a
picture of another server on a page. Plain text needs no escaping: ``st.text``, cells of a table,
options of a selectbox, the twin clouds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

# Markdown does not read an underscore inside a word.
_SIGNS = re.compile(r"[\\`*\[\]<>~$|&]|(?<![^\W_])_|_(?![^\W_])")
_SPACES = re.compile(r"\s+")
_FIRST = re.compile(r" ?([#+=-]|\d+[.)])")  # the beginning of a heading or of a list
# Backslashes do not prevent links without brackets (http://, www., a@b.c) and emoji by name
# (:smile:). A character without width, inserted into them, does.
_JOINED = re.compile(r":(?=//)|:(?=[A-Za-z+])|(?<=www)(?=\.)|@", re.IGNORECASE)
NOTHING = "\u2060"  # word joiner


def markdown(text: object) -> str:
    """The text on one line, as Markdown that shows its own characters."""
    line = _SIGNS.sub(r"\\\g<0>", _SPACES.sub(" ", str(text)))
    if first := _FIRST.match(line):
        line = f"{line[: first.end() - 1]}\\{line[first.end() - 1 :]}"
    return _JOINED.sub(rf"\g<0>{NOTHING}", line)


def markdown_table(lines: Iterable[Sequence[str]]) -> str:
    """A table of Markdown. Its second line sets the alignment of the columns."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def short_line(text: str, most: int) -> str:
    """The text on one line, cut after some characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def code(text: object) -> str:
    """The text on one line in Markdown's backticks; backticks in it become apostrophes."""
    return "`" + (_SPACES.sub(" ", str(text)).replace("`", "'") or " ") + "`"


def plotly(text: object) -> str:
    """The text as Plotly's HTML that shows its own characters."""
    return escape(str(text), quote=False)
