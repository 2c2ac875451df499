"""Texts in the reader's language: labels by gettext, prose from Markdown files.

A language is a folder under assets/text: ``language.toml``, ``glossary.toml``, ``names.toml``,
one ``<page>.md`` a page and, but for English, catalogues ``*.po``."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar, copy_context
from functools import cache
from html import escape
from typing import Any

import streamlit as st

from geometry.data.translations import ENGLISH, language_for
from geometry.data.translations import catalogue as _catalogue
from geometry.data.translations import paragraph as paragraph
from geometry.shipped import shipped_file

TEXT = shipped_file("text")
_fixed: ContextVar[str | None] = ContextVar("language", default=None)


def language() -> str:
    return _fixed.get() or st.session_state.get("lang") or asked_language()


def asked_language() -> str:
    """The language that the address asks for, else that of the browser, else English."""
    asked = (st.query_params.get("lang"), st.context.locale)
    return next(filter(None, map(language_for, asked)), ENGLISH)


def _(label: str) -> str:
    return _catalogue(language()).gettext(label) if label else ""  # not the catalogue's header


def labelled(name: str, value: str) -> str:
    """ "name: value", with the language's colon."""
    return _("{name}: {value}").format(name=name, value=value)


def noted(text: str, note: str) -> str:
    """ "text (note)", with the language's brackets."""
    return _("{text} ({note})").format(text=text, note=note)


def dotted(*parts: str) -> str:
    """The parts of a line of provenance."""
    return " · ".join(parts)


def in_language(function: Callable[..., Any], code: str | None = None) -> Callable[..., Any]:
    """The function with this session's language, or another, in whatever thread it is called."""
    return with_value(_fixed, code or language(), function)


def with_value(
    variable: ContextVar[Any], value: object, function: Callable[..., Any]
) -> Callable[..., Any]:
    def call(*values: Any, **options: Any) -> Any:
        context = copy_context()
        context.run(variable.set, value)
        return context.run(function, *values, **options)

    return call


@cache
def _sections(code: str, page: str) -> dict[str, str]:
    text = (TEXT / code / f"{page}.md").read_text(encoding="utf8")
    parts = re.split(r"^<!-- ([\w-]+) -->\n", text, flags=re.MULTILINE)
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


@cache
def table_of(file: str, table: str, code: str) -> dict[str, str]:
    text = (TEXT / code / f"{file}.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text).get(table, {}))


def names(table: str) -> dict[str, str]:
    return table_of("names", table, language())


def prose(page: str, section: str, values: Mapping[str, object] | None = None) -> str:
    text = _sections(language(), page)[section]
    return re.sub(r"\{\{(\w+)\}\}", lambda match: str((values or {})[match[1]]), text)


# Markdown does not read an underscore inside a word.
_SIGNS = re.compile(r"[\\`*\[\]<>~$|&]|(?<![^\W_])_|_(?![^\W_])")
_SPACES = re.compile(r"[^\S\u00a0]+")  # a no-break space stays
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


def aligned_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, n_left: int = 1) -> str:
    """A table of Markdown whose columns are numbers, aligned right, but for the first ones."""
    right = ["---:"] * (len(head) - n_left)
    return markdown_table([head, ["---"] * n_left + right, *rows])


def short_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def code(text: object) -> str:
    """The text on one line in Markdown's backticks; backticks in it become apostrophes."""
    return "`" + (_SPACES.sub(" ", str(text)).replace("`", "'") or " ") + "`"


def plotly(text: object) -> str:
    return escape(str(text), quote=False)
