"""Garbage collection after a run leaves out what the imports allocated."""

import gc
import sys
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
