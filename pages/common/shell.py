"""The start and end of every page: configuration, the shared sidebar, claim, limits, sources.

Every page has the same order: claim, picture with its controls, numbers, verdict, questions,
limits, sources. On your_corpus the form comes first, because a picture needs its texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from .address import is_presenting, keep_presenting
from .controls import choose
from .draw.charts import load_plotly
from .messages import show_error
from .page_list import PAGES, page_labels, page_path
from .page_state import enter_page
from .words import (
    ENGLISH,
    Translate,
    browser_language,
    languages,
    own_name,
    prose,
    translator,
)

ASSETS = Path(__file__).parents[2] / "assets"


def open_page(name: str, *, charts: bool = True) -> Translate:
    """Configure the page, draw the sidebar and the claim; returns the session's ``_``.

    charts : False for a page without Plotly charts, which loading the script would delay.
    """
    if charts:
        load_plotly()  # first, because the browser parses Plotly for 0.7 s while the server works
    from .document import show_contents, warn_of_lost_corpus
    from .models import select_model
    from .page_tools import show_page_tools
    from .server_memory import limit_sessions
    from .uploads import select_corpus

    st.set_page_config(page_title="Narrow Cone", page_icon="📐", layout="wide")
    st.html(f"<style>{(ASSETS / 'page.css').read_text(encoding='utf8')}</style>")
    keep_presenting(name)
    if is_presenting():
        st.html(f"<style>{(ASSETS / 'present.css').read_text(encoding='utf8')}</style>")
    enter_page(name)
    with st.sidebar:
        choose(
            st.selectbox,
            "Language · 語言",
            list(languages()),
            key="lang",
            default=browser_language(st.context.locale),
            labels={code: own_name(code) for code in languages()},
            always_in_url="lang" in st.query_params
            or browser_language(st.context.locale) != ENGLISH,
        )
        _ = translator()
    limit_sessions(_)
    with st.sidebar:
        labels = page_labels(_)
        for page in PAGES:
            st.page_link(page_path(page), label=labels[page])
        select_model(_)
        select_corpus(name, _)
        show_contents(name, _)
    show_page_tools(_)
    st.title(page_labels(_)[name])
    st.container(key="claim").markdown(prose(name, "claim"))
    warn_of_lost_corpus(_)
    return _


def require_model(_: Translate, *, first_sign: DeltaGenerator | None = None) -> None:
    """Fetch the chosen encoder. If that fails, show the reason and a retry button; end the page.

    first_sign : the page's own progress bar, removed where another one is shown.
    """
    from .models import fetch_chosen, offer_again

    try:
        fetch_chosen(_, first_sign=first_sign)
    # ValueError: the machine has no bfloat16; the others: the settings of an unknown model
    except (RuntimeError, ValueError, OSError, LookupError, TypeError, AttributeError) as error:
        if first_sign is not None:
            first_sign.empty()
        show_error(error, _)
        offer_again(error, _)
        st.stop()


def show_question(page: str, name: str, values: Mapping[str, object] | None = None) -> None:
    """A question in an expander: its first line is the label, the rest the answer.

    Parameters
    ----------
    page : str
    name : str
        Of the section ``question-<name>``.
    values : mapping, optional
        As in ``prose``.
    """
    question, _, answer = prose(page, f"question-{name}", values).partition("\n")
    with st.expander(question.lstrip("# "), key=f"question-{name}", icon=":material/help:"):
        st.markdown(answer.strip())


def close_page(page: str, _: Translate, values: Mapping[str, object] | None = None) -> None:
    """The page's limits and its folded sources; nothing for an audience."""
    if is_presenting():
        return
    st.subheader(_("Limits"))
    st.markdown(prose(page, "not-shown", values))
    with st.expander(_("Sources"), key="sources", icon=":material/menu_book:"):
        st.markdown(prose(page, "sources", values))
