"""Visits to a page with AppTest, and the texts on it."""

import csv
import io
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from geometry import Corpus, read_bundled
from pages.common.measures import ICONS

ROOT = Path(__file__).resolve().parents[2]
CARD = re.compile(rf"(?:{'|'.join(map(re.escape, ICONS.values()))}) \*\*")  # the state of a claim
CONTROL = re.compile(r"\*\*[^*]+\*\*[:：]\s*\S")  # the line below it, in any language
SECONDS = 280  # a first visit encodes a corpus, possibly while other tests run


def clear_memory() -> None:
    """Empty the app's caches in memory."""
    st.cache_data.clear()
    st.cache_resource.clear()


def new_visit(page: str, state: Mapping[str, Any] | None = None, **query: str) -> AppTest:
    """A page by deep link, not run yet, with this session state and query.

    The script is app.py, because the sidebar's links need the navigation.
    """
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    app._page_hash = calc_hash(page)  # ``switch_page`` would need a first run
    for key, value in query.items():
        app.query_params[key] = value
    for key, value in (state or {}).items():
        app.session_state[key] = value
    return app


def brought(store: str, chosen: str, value: Any) -> dict[str, Any]:
    """The session state with a value uploaded into ``store`` and chosen by the key ``chosen``."""
    return {store: {"upload-test": value}, chosen: "upload-test"}


def spread_topics(n: int) -> Corpus:
    """Sentences of the bundled topics, spread over them."""
    topics = read_bundled("topics")
    taken = topics.take(np.linspace(0, len(topics) - 1, n).astype(int))
    return Corpus("mine", taken.texts, taken.labels)


def tables(app: AppTest) -> list[list[list[str]]]:
    """Rows of every Markdown table on the page, the head first."""
    blocks = [re.findall(r"^\|.*\|$", element.value, re.MULTILINE) for element in app.markdown]
    return [
        [[cell.strip() for cell in line[1:-1].split(" | ")] for line in [lines[0], *lines[2:]]]
        for lines in blocks
        if lines
    ]


def big_numbers(app: AppTest) -> list[list[str]]:
    """The values of each list of large numbers."""
    bodies = [element.proto.body for element in app.get("html")]
    return [re.findall(r"<b>(.*?)</b>", body) for body in bodies if "<dl" in body]


def healthy(app: AppTest) -> AppTest:
    """Return the app; fail if it shows an exception, or the card of a claim without a control."""
    assert not app.exception, [error.value for error in app.exception]
    texts = [element.value for element in app.markdown]
    for card, below in pairwise([*texts, ""]):
        assert not CARD.match(card) or CONTROL.match(below), f"no control: {card}"
    return app


def everything(app: AppTest) -> str:
    """All texts on the page, one a line."""
    parts = [app.markdown, app.caption, app.info, app.warning, app.error, app.expander]
    return "\n".join(
        getattr(element, "value", None) or element.label for part in parts for element in part
    )


def upload(n: int, labels: bool = False) -> Corpus:
    """n sentences of the shipped topics, spread over them."""
    own = spread_topics(n)
    return own if labels else Corpus(own.name, own.texts)


def give(app: AppTest, key: str, name: str, content: str | bytes) -> AppTest:
    """The page after an upload into the box of this key."""
    [uploader] = [each for each in app.get("file_uploader") if each.key == key]
    sent = content.encode() if isinstance(content, str) else content
    return healthy(uploader.upload(name, sent).run())


def rows_of(table: bytes) -> list[dict[str, str]]:
    """The rows of a downloaded table."""
    return list(csv.DictReader(io.StringIO(table.decode("utf-8-sig"))))
