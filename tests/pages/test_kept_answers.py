"""Every setting of every page, one at a time: kept answers show what emptied caches show."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from streamlit.testing.v1 import AppTest

from geometry.data import VectorSet
from geometry.data.columns import columns_of
from geometry.data.corpus import read_bundled
from pages.common import uploads
from pages.common.page_list import PAGES
from tests.diagnosis.made_up import labelled
from tests.pages.visits import ROOT, brought, clear_memory, healthy, new_visit

KINDS = (
    *("selectbox", "slider", "select_slider", "radio", "toggle", "button_group", "number_input"),
    *("text_input", "multiselect"),
)
SKIPPED = {"model", "source"}  # models of the Hub and forms have tests of their own
CLOSED = {"whitening/flow"}  # shows a flow if one was trained before
EVERY = 12  # of the Topics sentences one in so many is taken
X, LABELS = labelled("centre", n=120)
COLUMNS = ("price", [f"{row % 60}.5" for row in range(120)]), ("place", [*"abc"] * 40)
OWN = VectorSet("mine", X, labels=tuple(LABELS), columns=columns_of(COLUMNS))
FILTERS = "0:9.5~50.5;1:0,1"
VISITS = (*PAGES, "narrow_cone own", "your_corpus own")
PASSING = re.compile(r"^(id|deferred_file_id|url): .*$", flags=re.MULTILINE)  # new in every run


@pytest.fixture(scope="module", autouse=True)
def small_topics() -> Iterator[None]:
    before = uploads.read_bundled
    read_few_topics()
    yield
    uploads.read_bundled = before
    uploads._translated.cache_clear()
    clear_memory()


def read_few_topics() -> None:
    """Let the pages read 102 sentences in place of 1,224."""
    topics = read_bundled("topics")
    few = replace(topics, texts=topics.texts[::EVERY], labels=(topics.labels or ())[::EVERY])
    uploads.read_bundled = lambda code: few if code == "topics" else read_bundled(code)
    uploads._translated.cache_clear()


def visited(page: str) -> AppTest:
    return opened(page, parts_of(page))


def opened(page: str, parts: Iterable[str]) -> AppTest:
    """A page with these folded parts open; of own vectors with filters, if "own" is behind it."""
    name, *own = page.split()
    state = brought("vector-uploads", "corpus", OWN) if own else {}
    query = {"where": FILTERS} if own else {}
    parts = {"opened": dict.fromkeys(parts, True)}
    return healthy(new_visit(name, {**state, **parts}, **query).run())


@cache
def parts_of(page: str) -> frozenset[str]:
    """Every folded part, also those within others."""
    parts: frozenset[str] = frozenset()
    while True:
        found = frozenset(opened(page, parts).session_state["opened"]) - CLOSED
        if found == parts:
            return parts
        parts = found


def settings_of(app: AppTest) -> list[tuple[str, str]]:
    """(kind, key) of each control that is on and has another value."""
    return [
        (kind, each.key)
        for kind in KINDS
        for each in app.get(kind)
        if each.key and each.key not in SKIPPED and not each.disabled and other(each) is not None
    ]


def other(control) -> object:
    """Another value than the control's own, such as its last label; None if there is none."""
    if control.type == "toggle":
        return not control.value
    if control.type == "text_input":
        return f"{control.value}a"
    if control.type == "multiselect":
        return control.value[:-1] or None
    if control.type == "slider" and isinstance(control.value, tuple):
        return control.value[0], control.value[1] - control.step
    if control.type in ("slider", "number_input"):
        below = control.value - (control.step or 1)
        return below if below >= control.min else control.value + (control.step or 1)
    shown = control.formatted_values if control.type == "button_group" else [control.value]
    if control.type in ("selectbox", "radio"):
        shown = [control.options[control.index]]
    return next((label for label in reversed(control.options) if label not in shown), None)


def changed(app: AppTest, kind: str, key: str, *, emptied: bool = False) -> list[str]:
    """What the page shows with another value of one setting, after its default.

    Caches are emptied in between, or else a key without the setting finds the default's answer.
    """
    [control] = [each for each in app.get(kind) if each.key == key]
    if emptied:
        clear_memory()
    healthy(control.set_value(other(control)).run())
    healthy(app.run())  # the first run may still show progress
    return screen(app)


def screen(app: AppTest) -> list[str]:
    """Everything that the server sent to the browser: texts, tables, pictures, controls."""
    sent, rest = [], [app.main, app.sidebar]
    while rest:
        node = rest.pop()
        if node.type not in ("empty", "picture-frame"):
            if hasattr(node, "children"):
                rest += node.children.values()
            elif node.proto is not None:
                sent.append(PASSING.sub("", str(node.proto)))
    return sent


@pytest.mark.long
@pytest.mark.parametrize("page", VISITS)
def test_kept_answers_show_what_emptied_caches_show(page: str):
    settings = settings_of(visited(page))
    assert settings
    kept = {key: changed(visited(page), kind, key) for kind, key in settings}
    for kind, key in settings:
        assert changed(visited(page), kind, key, emptied=True) == kept[key], key


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_kept_answers_show_what_a_new_process_shows():
    """One process for all pages, because each has to import the app. It empties its caches."""
    shown = {}
    for page in VISITS:
        app = visited(page)
        setting = Random(page).choice(settings_of(app))  # so that kinds vary
        shown[page, *setting] = changed(app, *setting)
    program = (
        "import json, sys; from tests.pages.test_kept_answers import *; read_few_topics(); print("
        "json.dumps([changed(visited(page), *setting, emptied=True) "
        "for page, *setting in json.load(sys.stdin)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT, input=json.dumps([*shown]), capture_output=True, check=True, text=True
    )  # fmt: skip
    for (setting, here), found in zip(shown.items(), json.loads(done.stdout), strict=True):
        assert here == found, setting
