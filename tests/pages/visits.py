"""Visits to a page without a browser, and what is on it: for every test that drives AppTest."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 280  # a first visit in company encodes a corpus


def clear_memory() -> None:
    """Forget what the app keeps in memory; its keys name their content, so once a file will do."""
    st.cache_data.clear()
    st.cache_resource.clear()


def deep_link(page: str, *, seconds: int = SECONDS) -> AppTest:
    """The app at a page's own address, not run yet: ``switch_page`` needs a first run for that."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=seconds)
    app._page_hash = calc_hash(page)
    return app


def new_visit(page: str, state: Mapping[str, Any] | None = None, **query: str) -> AppTest:
    """A page by deep link, not run yet.   state : of the session.

    Through app.py: the sidebar's links need the navigation.
    """
    app = deep_link(page)
    for key, value in query.items():
        app.query_params[key] = value
    for key, value in (state or {}).items():
        app.session_state[key] = value
    return app


def brought(store: str, chosen: str, value: Any) -> dict[str, Any]:
    """The session of a reader who brought a value and chose it.   store : where uploads are."""
    return {store: {"upload-test": value}, chosen: "upload-test"}


def healthy(app: AppTest) -> AppTest:
    """The app, which holds no exception: AppTest alone does not fail for one."""
    assert not app.exception, [error.value for error in app.exception]
    return app


def everything(app: AppTest) -> str:
    """All that is written on the page."""
    parts = [app.markdown, app.caption, app.info, app.warning, app.error, app.expander]
    return "\n".join(
        getattr(element, "value", None) or element.label for part in parts for element in part
    )
