"""Texts that are not ours, made harmless where a page shows them.

Streamlit reads most labels and messages as Markdown, and Plotly reads hover texts and labels as a
few HTML tags. A corpus, a file's name, a model's name or the address could so put a link or a
picture of another server on a page. What shows plain text needs no escaping: ``st.text``, cells
of a table, options of a selectbox, the twin clouds.
"""

from __future__ import annotations

import re
from html import escape

# An underscore inside a word is only an underscore.
_SIGNS = re.compile(r"[\\`*\[\]<>~$|&]|(?<![^\W_])_|_(?![^\W_])")
_SPACES = re.compile(r"\s+")
_FIRST = re.compile(r" ?([#+=-]|\d+[.)])")  # of a line: a heading, a list
# Links without brackets (http://, www., a@b.c), emoji and icons by name (:smile:) are found in the
# text after the backslashes are gone. A character without width separates them.
_JOINED = re.compile(r":(?=//)|:(?=[A-Za-z+])|(?<=www)(?=\.)|@", re.IGNORECASE)
NOTHING = "\u2060"  # word joiner


def markdown(text: object) -> str:
    """The text on one line, as Markdown that shows its own characters."""
    line = _SIGNS.sub(r"\\\g<0>", _SPACES.sub(" ", str(text)))
    if first := _FIRST.match(line):
        line = f"{line[: first.end() - 1]}\\{line[first.end() - 1 :]}"
    return _JOINED.sub(rf"\g<0>{NOTHING}", line)


def code(text: object) -> str:
    """The text on one line in Markdown's backticks; backticks in it become apostrophes."""
    return "`" + (_SPACES.sub(" ", str(text)).replace("`", "'") or " ") + "`"


def plotly(text: object) -> str:
    """The text as Plotly's HTML that shows its own characters."""
    return escape(str(text), quote=False)
