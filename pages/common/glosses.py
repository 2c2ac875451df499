"""A line of explanation for the words that meet a reader first, from the glossary."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from html import escape

import streamlit as st

from .escape import markdown
from .words import TEXT, language


@lru_cache(maxsize=8)
def glosses(code: str) -> dict[str, str]:
    """Term to its explanation in a language (the table ``gloss`` of its glossary)."""
    with (TEXT / code / "glossary.toml").open("rb") as file:
        return dict(tomllib.load(file).get("gloss", {}))


def _found(text: str) -> dict[str, str]:
    """The terms that the text contains as whole words."""
    known = glosses(language())
    return {
        term: known[term] for term in known if re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text)
    }


def with_gloss(label: str) -> str:
    """A label as HTML; a known term at its start has its explanation on hover and by keyboard."""
    for term, gloss in _found(label).items():
        if label.startswith(term):  # in "length against rank" a rank is another thing
            said, rest = escape(gloss), escape(label.removeprefix(term))
            tag = f'<dfn tabindex="0" aria-description="{said}" data-gloss="{said}">'
            return f"{tag}{escape(term)}</dfn>{rest}"
    return escape(label)


def explained_caption(line: str) -> None:
    """A caption of plain text; its known terms are explained on hover and by keyboard."""
    st.caption(markdown(line), help=explained(line))


def explained(text: str) -> str | None:
    """The explanations of all known terms in a caption, as Markdown for ``help``."""
    lines = [f"**{term}**: {gloss}" for term, gloss in _found(text).items()]
    return "\n\n".join(lines) or None
