"""Results as data frames and as a notebook's tables: every row, every text escaped."""

import re

import numpy as np
import pytest

from geometry import diagnose, evaluate_pairs, measure_table
from geometry.data.frames import Framed
from geometry.errors import MissingExtraError

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 8)) + 1
HOSTILE = "<script>alert(1)</script>"


def test_a_table_of_measures_has_its_rows():
    found = measure_table(X)
    frame = found.to_frame()
    assert list(frame["name"]) == [row.name for row in found]
    assert frame.loc[0, "value"] == found[0].value
    shown = found._repr_html_()
    assert shown.count("<tr>") == len(found) + 1
    assert f"<td>{found[0].value:.4g}</td>" in shown


def test_a_score_has_its_subsets():
    score = evaluate_pairs(X[:99], X[99:198], RNG.normal(size=99))
    frame = score.to_frame()
    assert (frame.loc[0, "pairs"], frame.loc[0, "n"]) == ("all", 99)
    assert frame.loc[0, "spearman"] == score.spearman
    assert "replicates" not in frame


def test_a_diagnosis_has_its_cures_and_is_shown_as_its_report():
    found = diagnose(X, labels=["a", "b"] * 100, about={"corpus": HOSTILE})
    frame = found.to_frame()
    assert list(frame["cure"]) == [cure.kind for cure in found.trial.cures]
    assert frame.loc[frame["recommended"], "cure"].tolist() == [found.chosen.kind]
    gains = [cure.against["leave"].value for cure in found.trial.cures[1:]]
    assert frame["gain"].tolist()[1:] == pytest.approx(gains)
    shown = found._repr_html_()
    assert re.fullmatch(r'<iframe srcdoc="[^"<>]*" sandbox style="[^"]*"></iframe>', shown)
    assert "&amp;lt;script&amp;gt;" in shown  # escaped in the report, and the report in the frame


def test_texts_are_escaped_and_pandas_is_named(monkeypatch):
    class Hostile(Framed):
        def _records(self):
            return [{HOSTILE: HOSTILE, "none": None}]

    assert "<script" not in Hostile()._repr_html_()
    monkeypatch.setattr("geometry.errors.find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match="notebook"):
        Hostile().to_frame()
