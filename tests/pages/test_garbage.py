"""Garbage collection after a run leaves out what the imports allocated."""

import gc
import sys
import weakref
from types import ModuleType

import pytest

from pages.common import garbage
from tests.pages.visits import healthy, new_visit


@pytest.fixture
def thawed(monkeypatch):
    gc.unfreeze()
    monkeypatch.setattr(garbage, "_n_modules", 0)
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("thawed")
def test_a_run_of_a_page_freezes_what_lives():
    healthy(new_visit("cosine_basis").run())
    assert gc.get_freeze_count() > 100_000


@pytest.mark.usefixtures("thawed")
def test_objects_are_frozen_again_only_after_another_import(monkeypatch):
    garbage.freeze_imports()
    frozen = gc.get_freeze_count()
    later = [[] for _ in range(1000)]
    garbage.freeze_imports()
    assert gc.get_freeze_count() <= frozen
    monkeypatch.setitem(sys.modules, "imported_later", ModuleType("imported_later"))
    garbage.freeze_imports()
    assert gc.get_freeze_count() > frozen + len(later) / 2


class Session:
    """Refers to itself, as the parts of Streamlit's sessions do to each other."""

    def __init__(self):
        self.itself = self


@pytest.mark.usefixtures("thawed")
def test_what_lived_at_a_freeze_is_freed_ten_minutes_after(monkeypatch):
    monkeypatch.setattr(garbage.time, "monotonic", lambda: now)
    now = 1_000.0
    session = Session()
    garbage.freeze_imports()
    ended = weakref.ref(session)
    del session
    gc.collect()
    assert ended() is not None
    now += 601
    garbage.freeze_imports()
    assert ended() is None
