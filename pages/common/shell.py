"""The start and end of every page: configuration, the shared sidebar, claim, limits, sources."""

from collections.abc import Mapping
from importlib import import_module

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.data.translations import ENGLISH, languages, own_name
from geometry.shipped import shipped_file

from .address import fills_window, is_presenting, keep_presenting
from .controls import choose
from .draw.charts import load_plotly
from .messages import show_error
from .page_list import PAGES, page_labels, page_path
from .page_state import enter_page
from .words import _, asked_language, prose

ASSETS = shipped_file("")


def open_page(name: str, *, charts: str = "later") -> DeltaGenerator:
    """Configure the page, draw the sidebar and the claim; returns the container of what follows."""
    # what the reader sees first is sent first: the frame, before the imports and the sidebar
    lesson_place = st.container(key="lesson-place")
    head, body = st.container(key="head"), st.container(key="body")
    head.html(f"<style>{(ASSETS / 'page.css').read_text(encoding='utf8')}</style>")
    with body:
        _show_frame()
    if charts != "none":
        load_plotly(at_once=charts == "first")
    with head:
        _draw_head(name, lesson_place)
    return body


def picture_place() -> DeltaGenerator:
    """The container of a page's first picture. A frame fills it until the picture is drawn."""
    from .jobs import progress_place

    progress_place()
    place = st.container(key="picture")
    with place:
        _show_frame()
    return place


def page_boxes(controls: str = "cloud-controls") -> tuple[DeltaGenerator, ...]:
    """Containers of controls, notes, progress and the first picture, from above.

    In another place a progress bar would shift the elements below it. The browser would build them
    again and lose the focus.
    """
    return st.container(key=controls), st.container(), st.container(), picture_place()


def _show_frame() -> None:
    """A frame in a picture's shape; the style sheet shows it while there is no picture."""
    text = _("Preparing the picture …")
    st.html(f'<div class="picture-frame">{text}</div>')


def _draw_head(name: str, lesson_place: DeltaGenerator) -> None:
    from .classroom.bar import make_place, show_class_menu
    from .classroom.visit import enter_class
    from .document import show_contents, show_page_tools, warn_of_lost_corpus
    from .lesson import show_lesson_bar, show_lesson_menu
    from .models import select_model
    from .server_memory import limit_sessions
    from .uploads import select_corpus

    title = f"{page_labels()[name]} · Narrow Cone"
    st.set_page_config(page_title=title, page_icon="📐", layout="wide")
    keep_presenting(name)
    if is_presenting():
        st.html(f"<style>{(ASSETS / 'present.css').read_text(encoding='utf8')}</style>")
    if fills_window():
        st.html(f"<style>{(ASSETS / 'window.css').read_text(encoding='utf8')}</style>")
    enter_page(name)
    with st.sidebar:
        label, offered = "Language · 语言 · 語言", {code: own_name(code) for code in languages()}
        asked = asked_language()
        always = "lang" in st.query_params or asked != ENGLISH
        choose(st.selectbox, label, offered, key="lang", default=asked, always_in_url=always)
    limit_sessions()
    enter_class()
    with st.sidebar:
        labels = page_labels()
        for page in PAGES:
            st.page_link(page_path(page), label=labels[page])
        show_lesson_menu(name)
        show_class_menu()
        select_model()
        select_corpus(name)
        show_contents(name)
    with lesson_place:
        make_place()
        show_lesson_bar(name)
    show_page_tools()
    st.title(page_labels()[name])
    st.container(key="claim").markdown(prose(name, "claim"))
    warn_of_lost_corpus()


def require_model() -> None:
    from .models import fetch_chosen, offer_again

    try:
        fetch_chosen()
    # ValueError: the machine has no bfloat16; the others: the settings of an unknown model
    except (RuntimeError, ValueError, OSError, LookupError, TypeError, AttributeError) as error:
        show_error(error)
        offer_again(error)
        st.stop()


def show_question(page: str, name: str, values: Mapping[str, object] | None = None) -> None:
    """The section ``question-<name>`` in an expander: its first line is the label."""
    question, answer = prose(page, f"question-{name}", values).split("\n", 1)
    with st.expander(question.lstrip("# "), key=f"question-{name}", icon=":material/help:"):
        st.markdown(answer.strip())


def close_page(page: str, values: Mapping[str, object] | None = None) -> None:
    if is_presenting() or fills_window():
        return
    st.subheader(_("Limits"))
    st.markdown(prose(page, "not-shown", values))
    with st.expander(_("Sources"), key="sources", icon=":material/menu_book:"):
        st.markdown(prose(page, "sources", values))


def show_page(name: str, *, given: str = "", charts: str = "later") -> None:
    """A page that is its ``explore``, of the sidebar's "corpus" or "data" (texts or vectors)."""
    body = open_page(name, charts=charts)
    with body:
        require_model()
    from .uploads import chosen_corpus, chosen_data

    explore = import_module(f"pages.{name}.explore").explore
    close_page(name)  # drawn first, so that the page is whole while vectors are computed
    with body:
        if given:
            explore(chosen_data() if given == "data" else chosen_corpus())
        else:
            explore()
