"""The registry of treatments: one entry more is a treatment more, everywhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from click.testing import CliRunner

from geometry.commands.shell import shell
from geometry.data.translations import catalogue
from geometry.diagnosis import diagnose
from geometry.diagnosis.sentences import cure_name
from geometry.evaluate import evaluate_grid
from geometry.evaluate.specs import parse_treatment
from geometry.linalg.moments import Moments
from geometry.transform.treatments import TREATMENTS, TreatmentKind
from pages.common import words
from pages.common.treatment_names import treatment_words
from pages.whitening import explore
from pages.whitening.explore import exported_map
from tests.for_each import for_each
from tests.pages.twins import twin_clouds
from tests.pages.visits import everything, healthy, new_visit
from tests.test_words import TRANSLATED, sections

RNG = np.random.default_rng(0)
X = (RNG.standard_normal((80, 5)) + 3).astype(np.float32)


@dataclass(frozen=True)
class Doubled:
    """z = 2 (x - mean): what a new map has."""

    mean: np.ndarray
    n_rows: int

    @classmethod
    def solve(cls, moments: Moments, *, eps: float) -> Doubled:
        return cls(moments.mean, moments.n_rows)

    def apply(self, X: np.ndarray) -> np.ndarray:
        return 2 * (X - self.mean.astype(X.dtype))

    @property
    def affine(self) -> tuple[np.ndarray, np.ndarray, dict[str, object]]:
        return self.mean, 2 * np.eye(len(self.mean)), {"method": "doubling"}


@pytest.fixture
def doubled(monkeypatch: pytest.MonkeyPatch) -> TreatmentKind:
    """A treatment that is entered in the registry, and has its paragraph on *Whitening*."""
    kind = TreatmentKind(
        "doubled", "Doubled and centred", Doubled.solve, rungs=("doubled",), cure="double"
    )
    monkeypatch.setitem(TREATMENTS, "doubled", kind)
    found = words._sections
    paragraph = {"about-doubled": "Twice as long."}
    monkeypatch.setattr(words, "_sections", lambda *place: found(*place) | paragraph)
    return kind


def options(app, label: str) -> list[str]:
    [box] = [each for each in app.selectbox if each.label == label]
    return list(box.options)


@pytest.mark.usefixtures("doubled")
def test_the_library_and_the_shell_fit_and_export_it(tmp_path):
    assert parse_treatment("Doubled").text == "doubled"
    np.save(tmp_path / "x.npy", X)
    vectors, out = str(tmp_path / "x.npy"), tmp_path / "z.npy"
    args = ["whiten", vectors, "--vectors", "--transform", "doubled", "--out", str(out)]
    done = CliRunner().invoke(shell, args)
    assert done.exit_code == 0, done.output
    np.testing.assert_allclose(np.load(out), 2 * (X - X.mean(axis=0)), atol=1e-5)
    refused = CliRunner().invoke(
        shell, [*args[:3], "--transform", "tripled", "--out", f"{out}.npy"]
    )
    assert ", doubled" in str(refused.exception)
    halves = {"mean": np.stack([X[:60], X[:60]])}
    grid = evaluate_grid(halves, np.arange(30.0), treatments=["none", "doubled"], draws=10)
    assert [cell.treatment for cell in grid.cells][1::2] == ["doubled", "doubled"]


@pytest.mark.usefixtures("doubled")
def test_the_diagnosis_tries_it_and_names_it():
    found = diagnose(X, labels=["a", "b"] * 40)
    [cure] = [each for each in found.trial.cures if each.kind == "double"]
    assert cure.score is not None
    assert "leave" in cure.against
    assert cure_name(cure, catalogue("en").gettext) == "Doubled and centred"


@pytest.mark.model
@pytest.mark.usefixtures("doubled", "one_memory")
def test_whitening_shows_it_and_gives_it_away(monkeypatch):
    scenes = []
    offer = explore.offer_downloads
    monkeypatch.setattr(explore, "offer_downloads", lambda each: [scenes.append(each), offer(each)])
    state = {"all-measures": True}
    app = healthy(new_visit("whitening", state, second="doubled", third="none").run())
    assert "Doubled and centred" in options(app, "Second picture")
    names = [
        view["names"][-1] for twin in twin_clouds(app).values() for view in twin.message["views"]
    ]
    assert names[1] == "Doubled and centred"
    assert "Twice as long." in everything(app)
    assert "Doubled and centred" in options(app, "Fitted treatment")
    [scene] = scenes
    affine = exported_map(scene.pictures[1], scene)
    assert affine.about["method"] == "doubling"


@pytest.mark.model
@pytest.mark.usefixtures("doubled", "one_memory")
@pytest.mark.parametrize("page", ["neighbours", "sentence_similarity"])
def test_neighbours_and_sentence_similarity_offer_it_and_apply_it(page):
    app = healthy(new_visit(page, after="doubled", pairs="hard-pairs").run())
    assert "Doubled and centred" in options(app, "Treatment")
    assert treatment_words("doubled") in everything(app)


@for_each("code", ["en", *TRANSLATED])
def test_every_treatment_that_is_pictured_has_one_paragraph(code):
    written = [name for name, _ in sections(code, "whitening") if name.startswith("about-")]
    pictured = [f"about-{kind.name}" for kind in TREATMENTS.values() if kind.is_pictured]
    assert sorted(written) == sorted(pictured)


@for_each(("code", "count"), [("projected:64", "64"), ("abtt:3", "3"), ("abtt", "d/100")])
def test_a_treatment_without_whitening_is_named_with_its_own_number(code, count):
    assert count in treatment_words(code).split()
