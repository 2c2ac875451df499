"""The lesson: its steps agree with the numbers on the screen; a teacher's own; hostile files."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from geometry import load_encoder
from geometry.data import read_bundled_pairs
from geometry.data.translations import languages
from pages.common import lesson
from pages.common.lesson import (
    FIELD,
    MY_STEPS,
    Case,
    Place,
    Step,
    lesson_toml,
    read_lesson,
    shipped_lesson,
    told,
)
from tests.for_each import for_each
from tests.pages.charts import charts, strings_in
from tests.pages.visits import healthy, new_visit

SHORT = 8  # steps of ten minutes


def visit(code: str, at: int, **query: str):
    step = shipped_lesson(code)[at]
    asked = {"lang": code, "lesson": "1", "lesson-step": f"{at + 1}"} | dict(step.query) | query
    return new_visit(step.page, **asked)


def shape(step: Step) -> tuple:
    """What is the same in every language."""
    cases = [*step.look, *(step.guess.options + step.guess.answer if step.guess else ())]
    fields = [
        (sorted(FIELD.findall(case.text)), case.fact, case.above, case.below) for case in cases
    ]
    settings = {
        name: step.query[name] for name in step.query if name not in ("model", "pairs", "corpus")
    }
    return step.page, step.part, step.short, settings, fields


@for_each("code", languages())
def test_every_language_tells_the_same_steps(code):
    steps = shipped_lesson(code)
    assert (len(steps), sum(step.short for step in steps)) == (16, SHORT)
    assert [*map(shape, steps)] == [*map(shape, shipped_lesson("en"))]
    assert all(step.title and step.look[0].text and step.note for step in steps)


def numbers_of(app, said: str) -> list[float]:
    """All numbers that the page shows, in texts, tables and controls; those of the bar left out."""
    texts = [element.value for element in app.markdown]
    parts = [element.proto.body for element in app.get("html")]
    parts += [*texts[texts.index(said) + 1 :], *(element.value for element in app.caption)]
    parts += [str(table.value.to_numpy().tolist()) for table in app.dataframe]
    parts += [str(slider.value) for slider in app.slider]
    parts += strings_in([chart["figure"] for chart in charts(app).values()])
    text = " ".join(parts).replace("−", "-").replace(",", "")
    return [float(each) for each in re.findall(r"-?\d+\.?\d*", text)]


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.parametrize(
    ("model", "code", "at"),
    [  # every step in English with one model; `make test-long` has the others
        *(("bundled", "en", at) for at in range(16)),
        *(
            pytest.param("bundled-e5", code, at, marks=pytest.mark.long)
            for code in ("en", "zh-Hant")
            for at in range(16)
        ),
    ],
)
def test_each_sentence_agrees_with_the_numbers_on_the_screen(model, code, at):
    step, query = shipped_lesson(code)[at], {"model": model}
    if code != "en":
        query |= {"corpus": "topics-zh", "pairs": "pairs-zh"}
    app = visit(code, at, **query)
    if step.guess is not None:
        app.session_state[f"lesson-guess-1-{at}"] = 0
    app = healthy(app.run())
    facts = app.session_state["lesson-facts"]
    place = Place("1", (step,), 0)
    said = [told(step.look, facts, place)]
    assert said[0] in [element.value for element in app.markdown]
    if step.guess is not None:
        assert any(case.fits(facts) for case in step.guess.options)
        said.append(told(step.guess.answer, facts, place))
        assert app.info[0].value.endswith(said[1])
    assert not [text for text in said if "…" in text or "{" in text]
    # each number that is quoted is on the page itself, to the digits that are quoted
    found = np.array(numbers_of(app, said[0]))
    cases = [*step.look, *(step.guess.answer if step.guess else ())]
    for case in cases:
        for name, decimals in FIELD.findall(case.text) if case.fits(facts) else ():
            is_number = not isinstance(facts[name], str)
            if is_number and name[:2] not in ("a_", "b_"):  # the puzzle has a test of its own
                near = np.abs(found - facts[name]).min()
                assert near <= 0.51 * 10.0 ** -int(decimals or 0), (name, facts[name])


@pytest.mark.slow
@pytest.mark.model
def test_the_puzzle_has_the_pairs_that_the_model_orders_worst():
    pairs = read_bundled_pairs()
    X = load_encoder().encode([*pairs.left, *pairs.right]).astype(float)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    cosines = (X[: len(pairs)] * X[len(pairs) :]).sum(axis=1)
    gold = pairs.gold_scores
    a = max(np.flatnonzero(gold <= 1), key=lambda row: cosines[row])
    b = min(np.flatnonzero(gold >= 4), key=lambda row: cosines[row])
    facts = healthy(visit("en", 0, model="bundled").run()).session_state["lesson-facts"]
    for name, row in (("a", a), ("b", b)):
        assert (facts[f"{name}_left"], facts[f"{name}_right"]) == (
            pairs.left[row],
            pairs.right[row],
        )
        assert facts[f"{name}_score"] == gold[row]
        assert facts[f"{name}_cosine"] == pytest.approx(cosines[row], abs=1e-4)
    assert facts["cosine_gap"] < 0 < facts["meant_gap"]


def test_the_next_step_sets_what_it_names_on_the_same_page_too_and_the_rest_is_at_its_default():
    app = healthy(visit("en", 6).run())
    for key, step, angle in (("next", 8, 60), ("back", 7, 90)):
        app = healthy(app.button(key=f"lesson-{key}").click().run())
        assert app.query_params["lesson-step"] == f"{step}"
        assert app.slider(key="angle").value == angle


def test_a_case_fits_between_its_limits_and_a_number_not_known_yet_is_no_number():
    cases = (Case("low {x:1}", "x", below=0.5), Case("high {x:1}", "x", above=0.5), Case("?"))
    place = Place("1", (), 0)
    assert [told(cases, {"x": x}, place) for x in (-0.25, 0.75)] == ["low −0.2", "high 0.8"]
    assert told(cases, {"y": 1.0}, place) == "?"
    assert told(cases, {}, place) == "…"
    assert told((Case("{x:2}"),), {}, place) == "…"


@for_each("code", languages())
def test_a_lesson_is_saved_and_opened_alike(code):
    steps = shipped_lesson(code)
    assert read_lesson(lesson_toml(steps)) == steps


@pytest.mark.parametrize(
    "text",
    [
        *("", "no toml", "step = 3", "[[step]]\npage = 'nowhere'\ntitle = ''\nlook = ''"),
        "[[step]]\npage = 'layers'\ntitle = ''\nlook = ''\nquery = { evil = 'x' }",
        "[[step]]\npage = 'layers'\ntitle = ''\nlook = ''\nquery = { lang = 'x' }",
        *(
            f"[[step]]\npage = 'layers'\ntitle = ''\nlook = ''\nquery = {{ {query} }}"
            for query in (*("model = '/etc'", "model = 'evil/name'", "pairs = 'hub-stsb-test'"),)
        ),
        *(
            f"[[step]]\npage = 'layers'\ntitle = ''\nlook = {look}"
            for look in (
                *("[]", "[{ text = 'x', fact = 'ab', above = 'no' }]", "[[[[1]]]]"),
                *("[{ text = 'x', fact = ['ab'] }]", "[" * 5000),
            )
        ),
        "[[step]]\npage = 'layers'\ntitle = ''\nlook = ''\nhtml = '<b>'",
        f"[[step]]\npage = 'layers'\ntitle = ''\nlook = '{'a' * 1001}'",
        "[[step]]\npage = 'layers'\ntitle = ''\nlook = ''\n" * 61,
        *(
            "[[step]]\npage = 'layers'\ntitle = ''\nlook = ''\n[step.guess]\nquestion = 'x'\n"
            "options = [" + ", ".join(["{ text = 'a' }"] * n) + "]"
            for n in (1, 6)
        ),
    ],
)
def test_a_file_that_is_no_lesson_is_refused(text):
    with pytest.raises(ValueError):
        read_lesson(text)


def test_a_lesson_of_somebody_else_is_text_only():
    text = "<img src=x onerror=alert(1)> [here](https://evil.example) https://evil.example {ab:1}"
    step = Step("cosine_basis", text, (Case(text),), {"len2": "2"}, note=text)
    app = new_visit("cosine_basis", {MY_STEPS: (step,)}, lesson="own", **{"lesson-step": "1"})
    shown = [each.value for each in healthy(app.run()).markdown if "evil" in each.value]
    assert len(shown) == 3
    for each in shown:
        assert "\\<img" in each
        assert "\\[here\\]" in each
        assert "https://" not in each
    assert any(each.endswith("−0.6") for each in shown)


def test_a_view_is_added_moved_and_removed():
    app = healthy(new_visit("cosine_basis", lang="en", whiten="cloud").run())
    app.button(key="lesson-add").click().run()
    healthy(app.radio(key="whiten").set_value("points").run())
    app.button(key="lesson-add").click().run()
    first, second = app.session_state[MY_STEPS]
    assert (first.page, first.query["whiten"]) == ("cosine_basis", "cloud")
    assert (first.query["model"], first.query["corpus"]) == ("bundled", "topics")
    assert "lesson" not in first.query
    healthy(app.button(key="lesson-edit").click().run())
    moves = [each for each in app.button if each.key.endswith("arrow_downward")]
    healthy(moves[0].click().run())
    assert app.session_state[MY_STEPS] == (second, first)


OWN = """
[[step]]
page = "cosine_basis"
title = "First"
look = "Look."
[step.guess]
question = "First"
options = [{ text = "First" }, { text = "B", right = true }]

[[step]]
page = "layers"
title = "Second"
look = "Look."
"""


def test_steps_are_edited_removed_saved_and_opened_again(monkeypatch):
    kept = read_lesson(OWN)
    app = healthy(new_visit("cosine_basis", {MY_STEPS: kept}, lang="en").run())
    app = healthy(app.button(key="lesson-edit").click().run())
    field = {each.key.rpartition("-")[2]: each for each in app.text_input if "-0-0-" in each.key}
    field["title"].set_value("Another title")
    field["question"].set_value("Which one?")
    [answers] = [each for each in app.text_area if each.key.endswith("-0-0-answers")]
    assert answers.value == "First\n*B"
    answers.set_value("one\n*two\nthree")
    app = healthy(app.button(key="lesson-edit").click().run())
    first, _second = app.session_state[MY_STEPS]
    assert (first.title, first.guess.question) == ("Another title", "Which one?")
    assert [(case.text, case.right) for case in first.guess.options][1] == ("two", True)
    [_remove, remove] = [each for each in app.button if each.key.endswith("-delete")]
    app = healthy(remove.click().run())
    saved = app.session_state[MY_STEPS]
    assert saved == (first,)

    state = {"lesson-file": SimpleNamespace(size=1, getvalue=lesson_toml(saved).encode)}
    monkeypatch.setattr(lesson.st, "session_state", state)
    monkeypatch.setattr(lesson.st, "toast", lambda *_given, **_options: None)
    lesson._open_file()
    assert state[MY_STEPS] == saved


def test_an_own_lesson_that_is_gone_is_said():
    app = healthy(new_visit("cosine_basis", lesson="own").run())
    assert "Open its file again" in app.warning[0].value
