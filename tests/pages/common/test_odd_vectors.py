"""Vectors of the reader's own, odd ones too: a picture or a sentence, never an exception."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from streamlit import error_util
from streamlit.runtime import fragment
from streamlit.runtime.scriptrunner import exec_code
from streamlit.testing.v1 import AppTest

from geometry import UndefinedMeasure, mean_cosine
from geometry.data import VectorSet
from geometry.linalg.rows import unit_rows
from pages.common.corpus_cloud import cloud_of_vectors
from pages.common.messages import error_text, show_failure
from pages.common.uploads import FOR_VECTORS
from tests.pages.visits import ROOT, brought, everything, healthy, new_visit

FAULT = error_text(KeyError())
random = np.random.default_rng(0)


def cone(n: int, d: int) -> np.ndarray:
    return random.standard_normal((n, d)) + 3 * np.eye(d)[0]


def with_rows(rows: list[int], value: float) -> np.ndarray:
    X = cone(60, 8)
    X[rows] = value
    return X


SETS: dict[str, Callable[[], np.ndarray]] = {
    "identity": lambda: np.eye(50, 60),
    "two opposite numbers": lambda: np.repeat([[1.0], [-1.0]], 25, axis=0),
    "two opposite rows": lambda: np.repeat([[1.0] * 4, [-1.0] * 4], 25, axis=0),
    "one row at 1e30": lambda: with_rows([3], 1e30),
    "largest numbers of float32": lambda: 3e38 * np.sign(cone(60, 8)),
    "smallest numbers of float32": lambda: 1e-38 * cone(60, 8),
    "1e20": lambda: 1e20 * cone(60, 8),
    "1e-20": lambda: 1e-20 * cone(60, 8),
    "1e30": lambda: 1e30 * cone(60, 8),
    "1e-30": lambda: 1e-30 * cone(60, 8),
    "rows from 1e-30 to 1e30": lambda: np.logspace(-30, 30, 60)[:, None] * cone(60, 8),
    "columns from 1e-15 to 1e15": lambda: np.logspace(-15, 15, 8) * cone(60, 8),
    **{f"vectors of {d} numbers": lambda d=d: cone(60, d) for d in (1, 2, 3)},  # type: ignore[misc]
    **{f"{n} vectors": lambda n=n: cone(n, 8) for n in (1, 2, 3, 4)},  # type: ignore[misc]
    "one number": lambda: np.ones((1, 1)),
    "the cosine's three points": lambda: np.array([[2.0, 2], [2, -2], [-2, 2]]),
    "four points of a plane": lambda: cone(4, 2),
    "many vectors of one number": lambda: cone(1000, 1),
    "a million vectors of one number": lambda: cone(1_000_000, 1),
    "vectors of 4,096 numbers": lambda: cone(12, 4096),
    "all equal": lambda: np.ones((50, 8)),
    "one constant column": lambda: np.column_stack([np.full(60, 5.0), cone(60, 7)]),
    "one line": lambda: random.standard_normal((50, 1)) * np.arange(1.0, 9.0),
    "rows of zeros": lambda: with_rows([1, 5, 7], 0),
    "one row that is not zero": lambda: np.eye(50, 8) * np.eye(50)[:, :1],
    "zeros": lambda: np.zeros((50, 8)),
}

LONG = ("vectors of 4,096 numbers", "a million vectors of one number")


def visit_with(page: str, vectors: VectorSet) -> AppTest:
    app = new_visit(page, brought("vector-uploads", "corpus", vectors), **{"fit-on": "same"})
    return healthy(app.run())


def visit(page: str, X: np.ndarray, labels: tuple[str, ...]) -> str:
    vectors = VectorSet("mine", X.astype(np.float32), labels=labels, label_column="side")
    return everything(visit_with(page, vectors))


@pytest.mark.parametrize(
    ("name", "page"),
    [  # each set on a third of the pages; `make test-long` has all
        pytest.param(name, page, marks=pytest.mark.long if name in LONG or (i + j) % 3 else ())
        for i, name in enumerate(SETS)
        for j, page in enumerate(FOR_VECTORS)
    ],
)
def test_odd_vectors_end_in_a_picture_or_a_sentence(page: str, name: str) -> None:
    X = SETS[name]()
    said = visit(page, X, tuple("ab"[row % 2] for row in range(len(X))))
    assert "A library failed" not in said
    assert FAULT not in said
    assert "got 0" not in said


@pytest.mark.slow
@pytest.mark.parametrize("page", FOR_VECTORS)
@pytest.mark.parametrize("n", [5000, pytest.param(100_000, marks=pytest.mark.long)])
def test_every_row_may_have_its_own_label(page: str, n: int) -> None:
    said = visit(page, cone(n, 4), tuple(f"label {row}" for row in range(n)))
    assert FAULT not in said


def test_a_flow_of_two_different_points_is_refused_with_a_sentence() -> None:
    X = np.repeat([[3.0, 1, 0], [3.0, 0, 1]], 25, axis=0)
    app = new_visit("whitening", brought("vector-uploads", "corpus", VectorSet("mine", X)))
    app.query_params.update({"fit-on": "same", "third": "flow"})
    said = everything(healthy(app.run()))
    assert str(UndefinedMeasure("too_few_distinct", at_least=3, n=2)) in said


def failing(error: Exception) -> Callable[..., None]:
    def fail(*_: object, **_options: object) -> None:
        raise error

    return fail


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.name.startswith("pages.")]


def test_a_panel_has_its_error_in_its_place_and_the_page_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(
        "pages.narrow_cone.explore.show_causes", failing(UndefinedMeasure("centred"))
    )
    app = new_visit("narrow_cone").run()
    [error] = healthy(app).error
    assert error.value == str(UndefinedMeasure("centred"))
    assert "More controls and downloads" in everything(app)
    assert not logged(caplog)


def test_an_own_refusal_is_logged_in_one_line_and_blamed_on_no_library(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuses(*_: object) -> None:
        unit_rows(np.zeros(3))  # one of our own functions, with a wrong argument

    monkeypatch.setattr("pages.narrow_cone.explore.show_causes", refuses)
    app = new_visit("narrow_cone").run()
    [error] = healthy(app).error
    assert error.value == FAULT
    [line] = logged(caplog)
    assert line.startswith("ValueError: ")
    assert "\n" not in line


def test_the_server_shows_what_no_page_handles(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server calls ``show_failure``; AppTest calls no handler, so other tests see errors."""
    monkeypatch.setattr("pages.narrow_cone.explore.choose_fit", failing(KeyError("secret")))
    assert new_visit("narrow_cone").run().exception
    for module in (fragment, exec_code):
        shown = partial(error_util.handle_user_script_exception, on_script_error=show_failure)
        monkeypatch.setattr(module, "handle_user_script_exception", lambda e, _, s=shown: s(e))
    app = new_visit("narrow_cone").run()
    [error] = healthy(app).error
    assert error.value == FAULT
    assert "secret" not in error.value
    assert "on_script_error=show_failure" in (ROOT / "app.py").read_text(encoding="utf8")


def a_set(n: int = 200, d: int = 8) -> VectorSet:
    X = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    X[:, 0] += 3
    labels = tuple("ab"[row % 2] for row in range(n))
    return VectorSet("mine", X, labels=labels, label_column="side")


@pytest.mark.parametrize("page", ["narrow_cone", "whitening", "your_corpus"])
def test_a_page_measures_uploaded_vectors_without_a_model(page: str) -> None:
    vectors = a_set()
    app = visit_with(page, vectors)
    numbers = [metric.value for metric in app.metric]
    numbers += [element.proto.body for element in app.get("html")]
    assert f"{mean_cosine(vectors.vectors):.3f}" in "".join(numbers)
    assert "200 vectors" in everything(app)
    assert not {"unit", "layer", "pooling"} & {box.key for box in app.selectbox}


def test_rows_of_zeros_are_left_out() -> None:
    vectors = a_set()
    vectors.vectors[[3, 50]] = 0
    said = everything(visit_with("narrow_cone", vectors))
    assert "n = 198 vectors" in said
    assert "rows of zeros, left out: 2" in said


def test_points_have_the_numbers_of_their_rows_in_the_file() -> None:
    numbers = np.delete(np.arange(1, 203), [0, 9])  # of a file of 202 rows, two of them left out
    vectors = replace(a_set(), numbers=numbers)
    vectors.vectors[0] = 0
    points = cloud_of_vectors(vectors)
    cloud = points.cloud
    assert cloud.texts[:2] == ("#3", "#4")
    assert cloud.sources.tolist() == (numbers[1:] - 1).tolist()
    corrected = cloud_of_vectors(replace(vectors, name="corrected", numbers=numbers + 1))
    assert corrected.corpus.name == "corrected"
    assert corrected.key != points.key


def test_a_page_that_needs_texts_shows_a_bundled_corpus() -> None:
    said = everything(visit_with("word_frequency", a_set()))
    assert "your file has vectors. It uses “Topics, English”" in said
