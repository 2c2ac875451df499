"""The widget without a browser: arrays, selection, the file and the picture that it gives."""

import base64
import gzip
import io
import json
import re
from hashlib import sha256

import numpy as np
import pytest
from PIL import Image

import geometry
from geometry.data.errors import OutputError
from geometry.errors import MissingExtraError
from geometry.notebook import make_view, view_html, view_png
from geometry.palette import LIGHT, rgb
from tests.for_each import for_each

N = 80
HOSTILE = '</script><script>alert(1)</script><!--"'


@pytest.fixture
def widget():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 6)) + 3
    texts = [f"{HOSTILE}{row}" for row in range(N)]
    return geometry.show(X, labels=[row % 2 for row in range(N)], texts=texts, treatment="zca")


def test_it_carries_what_the_browser_reads(widget):
    state = widget.get_state()
    message = state["_description"]["message"]
    points, codes = (widget._view.cloud.arrays[slot] for slot in ("points", "codes"))
    assert state["_arrays"] == {points.name: points.body, codes.name: codes.body}
    assert message["codes"] == codes.name
    assert {view["points"] for view in message["views"]} == {widget._view.cloud.points.name}
    assert "render" in state["_esm"]
    assert ".twin-stage" in state["_css"]


def test_the_selection_is_rows_there_and_back(widget):
    assert widget.selection.tolist() == []
    seen = []
    widget.observe(lambda change: seen.append(change.new.tolist()), "selection")
    widget.set_state({"selection": memoryview(np.array([2, 5], "<u4").tobytes())})
    assert widget.selection.tolist() == [2, 5]
    assert widget.selection.dtype == np.int64
    widget.selection = [9, 1, 9]
    assert widget.get_state("selection") == {"selection": np.array([1, 9], "<u4").tobytes()}
    widget.selection = np.arange(N) < 3
    assert widget.selection.tolist() == [0, 1, 2]
    widget.selection = []
    assert seen == [[2, 5], [1, 9], [0, 1, 2], []]


@pytest.mark.parametrize("rows", [[-1], [N], [0.5], ["a"], [[1]], 3, np.ones(N - 1, bool)])
def test_rows_that_are_not_there_are_refused(widget, rows):
    with pytest.raises(ValueError, match="selection must be"):
        widget.selection = rows
    assert widget.selection.tolist() == []


def test_a_requested_text_is_answered(widget, monkeypatch):
    sent = []
    monkeypatch.setattr(type(widget), "send", lambda _self, content: sent.append(content))
    for content in ({"row": 3}, {"row": N}, {"row": -1}, {"row": "3"}, "row", None):
        widget._handle_custom_msg(content, [])
    assert sent == [{"row": 3, "text": f"{HOSTILE}3"}]


def test_a_notebook_has_a_picture_where_no_script_runs(widget):
    data, metadata = widget._repr_mimebundle_()
    image = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    assert image.size == (812, 400)
    assert data["text/plain"].startswith("Raw: 80 points; mean pairwise cosine 0.")
    assert metadata["image/png"]["alt"] == data["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in data


@for_each("k", [2, 3])
def test_the_picture_has_the_points_in_their_colours(k):
    rng = np.random.default_rng(1)
    X = np.vstack([rng.standard_normal((400, 4)) * 0.1 + side for side in (2, 4)])
    view = make_view(X, labels=np.repeat(["a", "b"], 400), treatment="zca", n_components=k)
    image = np.asarray(Image.open(io.BytesIO(view_png(view))).convert("RGB")).astype(int)
    for panel in (image[:, :400], image[:, 412:]):
        for colour in LIGHT.categories[:2]:
            assert (np.abs(panel - rgb(colour)).max(axis=2) < 60).sum() > 30
        assert (panel == rgb(LIGHT.paper)).all(axis=2).mean() > 0.5


def test_the_file_has_everything_in_it_and_lets_nothing_else_in(widget, tmp_path):
    for path in (tmp_path / "cloud.png", tmp_path / "absent" / "cloud.html"):
        with pytest.raises(OutputError):
            widget.save(path)
    widget.save(tmp_path / "cloud.html", title=HOSTILE)
    page = (tmp_path / "cloud.html").read_text(encoding="utf-8")
    assert page == view_html(widget._view, HOSTILE)
    assert HOSTILE not in page
    assert "alert(1)</script>" not in page
    assert not re.search(r'(?:src|href)="(?:[a-z]+:)?//', page)
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
    assert [about for about, _ in scripts if "type" not in about] == []
    [module] = [text for about, text in scripts if about == ' type="module"']
    [style] = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    digests = {
        name: f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"
        for name, text in {"script-src": module, "style-src": style}.items()
    }
    assert rules["default-src"] == "'none'"
    assert {name: rules[name] for name in digests} == digests
    parts = re.findall(r'type="text/plain" id="([\w-]+)">(.*?)</script>', page, re.DOTALL)
    data = {name: gzip.decompress(base64.b64decode(body)) for name, body in parts}
    points = widget._view.cloud.points
    assert data[f"array-{points.name}"] == points.body
    assert json.loads(data["cloud-description"])["texts"][7] == f"{HOSTILE}7"


def test_the_file_is_in_the_language():
    page = view_html(make_view(np.eye(5) + 1, language="zh-Hant"))
    assert '<html lang="zh-Hant">' in page


def test_without_anywidget_the_extra_is_named(monkeypatch):
    monkeypatch.setattr("geometry.errors.find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match="extra `notebook`"):
        geometry.show(np.eye(5))
