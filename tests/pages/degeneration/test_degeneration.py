"""The page ``degeneration``: the recorded run, a new training, and invalid settings."""

import gc
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from geometry import Corpus
from geometry.projection.twin_message import TwinCloud
from geometry.training.models import OPTIMIZERS
from geometry.training.runs import Run
from geometry.training.shipped_training import recorded_optimizers, recorded_run
from geometry.training.softmax import SoftmaxToy
from pages.common.live_training import STATE
from pages.common.measures import ICONS, NoControl
from pages.degeneration.explore import DEFAULT, PAGE, theorem_values, verdicts
from pages.degeneration.optimizers import equal_loss_curves, optimizer_verdict
from pages.degeneration.scene import HISTORY, DegenerationScene, recorded_scene, runs_of
from tests.pages.visits import everything, healthy, new_visit
from tests.sentences import sentence

PATIENCE = 120.0


@pytest.fixture(scope="module")
def recorded(one_memory: None) -> AppTest:
    """The recorded run at its last step."""
    return healthy(new_visit(PAGE, step=str(len(recorded_run()[0].steps) - 1)).run())


def test_numbers_and_verdicts_are_those_of_the_chosen_step(recorded):
    steps = recorded_run()[0].steps
    first, early = (new_visit(PAGE, **query).run() for query in ({}, {"step": "3"}))
    assert "step 0 of 400" in everything(healthy(first))
    text = everything(healthy(early))
    assert f"step {steps[3]} of 400" in text
    assert "before step 100" in text
    assert text.count(ICONS["holds"]) == 1  # that of the optimisers, which has no step
    assert everything(recorded).count(ICONS["holds"]) == 3
    assert "word2vec has a cone of its own" in everything(recorded)


def test_a_session_holds_no_pictures_that_are_sent(one_memory):
    def held() -> set[int]:
        gc.collect()
        return {id(each) for each in gc.get_objects() if type(each) is TwinCloud}

    before = held()
    app = healthy(new_visit(PAGE).run())
    assert app.get("bidi_component")
    assert held() <= before


def test_a_training_that_was_reset_is_not_held(one_memory):
    app = new_visit(PAGE, {HISTORY: (object(), 1, recorded_run()[0])})
    assert HISTORY not in healthy(app.run()).session_state


def test_without_webgl2_every_model_has_a_chart_at_the_chosen_step(one_memory):
    app = healthy(new_visit(PAGE, {"no-webgl2": True}, step="3", present="1").run())
    keys = [part.proto.component_name for part in app.get("bidi_component")]
    assert keys.count("narrow_cone_chart") == 8  # pictures and curves of four models
    assert app.slider(key="degeneration-slider").value == 3


def changed(scene: DegenerationScene, run: int, **cosines: float) -> DegenerationScene:
    """The scene with other mean cosines at its last step."""
    values = scene.history.cosine.copy()
    for name, value in cosines.items():
        values[-1, run, ("unseen", "rare", "frequent").index(name)] = value
    return replace(scene, history=replace(scene.history, cosine=values))


def test_verdicts_follow_the_numbers():
    scene = recorded_scene()
    assert {name: each.state for name, each in verdicts(scene).items()} == {
        "cone": "holds",
        "cure": "holds",
        "others": "partly",
        "push": "partly",
    }
    assert verdicts(changed(scene, 0, rare=0.1))["cone"].state == "partly"
    assert verdicts(changed(scene, 0, frequent=0.97))["cone"].state == "partly"
    early = verdicts(replace(scene, at=0)).values()
    assert {(each.state, type(each.control)) for each in early} == {("unknown", NoControl)}
    no_cone = verdicts(changed(scene, 0, rare=0.1, unseen=0.1))
    assert (no_cone["cone"].state, no_cone["cure"].state) == ("fails", "unknown")
    assert verdicts(changed(scene, 1, unseen=0.4))["cure"].state == "partly"
    round_ = changed(changed(scene, 3, rare=0.1, frequent=0.1), 2, rare=0.1)
    assert verdicts(round_)["others"].state == "holds"
    assert verdicts(changed(round_, 2, rare=0.4))["others"].state == "partly"


def test_the_push_is_claimed_only_for_an_origin_outside_of_the_hull():
    scene = recorded_scene()
    history = scene.history
    theory = history.theory[0][-1]
    assert theory is not None
    inside = replace(theory, is_outside=False, margin=0.0)
    within = replace(history, theory=((*history.theory[0][:-1], inside), *history.theory[1:]))
    card = verdicts(replace(scene, history=within))["push"]
    assert card.state == "unknown"
    assert "does not apply" in card.measured
    first, last = history.norm[[0, -1], 0, 2]
    assert f"frequent **+{100 * (last / first - 1):.0f}%**" in card.control
    values = theorem_values(replace(scene, history=within), 0)
    assert values["negative"] == "Here no such v exists."
    assert "**inside**" in values["hull"]


def test_the_push_is_compared_with_other_words_and_another_optimizer(monkeypatch):
    """Every row of a softmax can grow, so growth alone is no push."""
    scene = recorded_scene()
    history = scene.history

    def state(unseen: float, *, control: float = 0.5) -> str:
        lengths = history.norm.copy()
        lengths[:, 0, 0] = np.linspace(1, unseen, len(lengths))
        grown = {"unseen": control, "rare": 1.0, "frequent": 1.4}
        monkeypatch.setattr("pages.degeneration.explore.growth_of", lambda _name: grown)
        return verdicts(replace(scene, history=replace(history, norm=lengths)))["push"].state

    rare = history.norm[-1, 0, 1] / history.norm[0, 0, 1]
    assert state(rare + 0.1) == "partly"  # more than other words, with Adam alone
    assert state(rare + 0.1, control=1.5) == "holds"
    assert state(rare - 0.1, control=1.5) == "partly"  # grows, as the others do
    assert state(0.9, control=1.5) == "fails"


def test_the_optimizer_is_compared_at_one_loss():
    runs = recorded_optimizers()
    card = optimizer_verdict(runs)
    assert card.state == "holds"
    cosines = runs.at_loss("unseen", runs.equal_loss)
    assert f"equal loss of {runs.equal_loss:.2f}: Adam **{cosines[0].mean():.2f}**" in card.measured
    swapped = replace(runs, cosine=runs.cosine[[1, 0, 2, 3]], loss=runs.loss[[1, 0, 2, 3]])
    assert optimizer_verdict(swapped).state == "fails"
    weak = replace(runs, cosine=runs.cosine * 0.3)
    assert optimizer_verdict(weak).state == "partly"


def test_the_curves_are_the_recorded_ones_at_each_loss():
    runs, curves = recorded_optimizers(), equal_loss_curves("en")
    assert len(curves) == len(runs.loss)
    for place, curve in enumerate(curves):
        assert (np.diff(curve.x) < 0).all()
        assert (curve.low <= curve.y).all()
        assert curve.y[-1] == pytest.approx(
            runs.at_loss("unseen", float(curve.x[-1]))[place].mean()
        )


def test_the_theorems_have_their_numbers(recorded):
    history = recorded_run()[0]
    theory = history.theory[0][-1]
    [text] = [each.value for each in recorded.markdown if "**Theorem 1" in each.value]
    assert f"M = {theory.n:,} hidden states" in text
    assert f"largest ⟨v, hᵢ⟩ is **−{theory.margin:.2f}**" in text
    for side, said in (
        ("one-sided", "it is at {:.2f} if all"),
        ("around", "at **{:.2f}** if they"),
    ):
        unseen = SoftmaxToy.after(100, side).tokens[3]
        assert said.format(np.linalg.norm(unseen)) in text
    first, last = history.norm[[0, -1], 0, 0]
    assert f"never-seen tokens went from {first:.2f} to **{last:.2f}**" in text
    rarest = theory.forces[-2]
    assert f"ε = {100 * rarest.count / history.text.n_tokens:.2g}%" in text
    assert f"a pull of {1e5 * rarest.pull:.1f} and a push of {1e5 * rarest.push:.1f}" in text


def test_the_penalty_has_its_numbers(recorded):
    history = recorded_run()[0]
    [text] = [each.value for each in recorded.markdown if "is the loss of the page" in each.value]
    assert "N = 3,794 tokens, of which 200 never occur" in text
    plain, penalised = history.cosine[-1, :2, 0]
    assert f"γ = 0: **{plain:.2f}**; Language model, γ = 1: **{penalised:.2f}**" in text


def short(app: AppTest, **settings: str) -> AppTest:
    """Train with few steps in this visit, until the training has ended."""
    app = healthy(app.run())
    app = healthy(app.button(key="train-button").click().run())
    training = app.session_state[STATE][PAGE]
    assert training.wait(PATIENCE)
    return healthy(app.run())


@pytest.mark.parametrize(
    ("query", "because"),
    [
        ({"text": "corpus", "corpus": "upload-a"}, "too_short"),
        pytest.param(
            {"rate": "1", "vocabulary": "300", "width": "16"},
            "diverged",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_bad_settings_are_reported_on_the_page(one_memory, query, because):
    own = {"upload-a": Corpus("mine", ("One text.", "Another text."))}
    app = short(new_visit(PAGE, {"uploads": own}, train="one", steps="20", **query))
    assert any(sentence("training", because).search(error.value) for error in app.error)


def test_models_that_are_compared_share_size_steps_and_seed():
    language = Run(gamma=0.7, width=32, steps=60, seed=5, learning_rate=0.01)
    found = runs_of("all", language)
    assert [run.model for run in found] == ["language", "language", "classifier", "word2vec"]
    assert [run.gamma for run in found[:2]] == [0.0, 0.7]
    assert {(run.width, run.steps, run.seed) for run in found} == {(32, 60, 5)}
    assert found[3].learning_rate is None
    assert [run.optimizer for run in runs_of("optimizers", language)] == list(OPTIMIZERS)


def page_with_points() -> None:
    import streamlit as st

    from pages.degeneration.explore import chosen_points

    st.write(str(chosen_points()))


def test_points_of_the_hull_are_in_the_address(one_memory):
    app = AppTest.from_function(page_with_points)
    app.query_params["hull"] = "1.0,1.0,-1.0,1.0,-1.0,-1.0,1.0,-1.0,0.5,0.5"
    assert "[-1.0, -1.0]" in app.run().markdown[0].value
    for wrong in ("1,1", "9.9" + ",1.0" * 9, "x"):
        app = AppTest.from_function(page_with_points)
        app.query_params["hull"] = wrong
        assert str(list(DEFAULT[0])) in app.run().markdown[0].value
