"""Texts in the reader's language: labels by gettext, prose from Markdown files.

A language is a folder under assets/text: catalogues ``*.po`` and one ``<page>.md`` a page.
English needs no catalogue, because the labels in the code are English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import streamlit as st

from geometry.data.catalogues import ENGLISH as ENGLISH
from geometry.data.catalogues import Translate as Translate
from geometry.data.catalogues import catalogue as _catalogue
from geometry.data.catalogues import languages as languages

TEXT = Path(__file__).parents[2] / "assets" / "text"


def own_name(code: str) -> str:
    """The language's own name: each catalogue translates "English" to it."""
    return _catalogue(code).gettext("English")


def language() -> str:
    """This session's language: of the control, the address or the browser; by default English."""
    chosen = st.session_state.get("lang") or st.query_params.get("lang")
    if chosen in languages():
        return str(chosen)
    return browser_language(st.context.locale)


def browser_language(locale: str | None) -> str:
    """The language for a browser's locale; any form of zh gives 繁體中文."""
    primary = (locale or "").split("-")[0].lower()
    return next((code for code in languages() if code.split("-")[0] == primary), ENGLISH)


def translator() -> Translate:
    """The session's ``_``; bind it inside a run, never at import."""
    return _catalogue(language()).gettext


@lru_cache(maxsize=64)
def _sections(code: str, page: str) -> dict[str, str]:
    text = (TEXT / code / f"{page}.md").read_text(encoding="utf8")
    parts = re.split(r"^<!-- ([\w-]+) -->\n", text, flags=re.MULTILINE)
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def prose(page: str, section: str, values: Mapping[str, object] | None = None) -> str:
    """One section of a page's prose.

    Parameters
    ----------
    page : str
    section : str
    values : mapping, optional
        {name: value}; each ``{{name}}`` in the text is replaced by its value.
    """
    text = _sections(language(), page)[section]
    given = values or {}
    return re.sub(r"\{\{(\w+)\}\}", lambda match: str(given[match[1]]), text)
