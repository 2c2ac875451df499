"""A class on the pages: guesses wait for the teacher, and the class sees where the teacher is."""

import sqlite3
from collections.abc import Callable

import numpy as np
import pytest
import streamlit as st
from streamlit.proto.ButtonGroup_pb2 import ButtonGroup
from streamlit.testing.v1 import AppTest

from geometry import Corpus
from geometry.data import VectorSet
from pages.common.classroom import rooms as store
from pages.common.classroom import visit
from pages.common.classroom.bar import results_csv
from pages.common.classroom.visit import address_of
from pages.common.draw.twin_cloud import NO_WEBGL2
from pages.common.lesson import MY_STEPS, read_lesson
from pages.common.selected_points import SELECTED
from pages.common.uploads import OWN_CORPORA, OWN_VECTORS
from pages.common.words import in_language
from tests.pages.charts import charts
from tests.pages.twins import twin_clouds
from tests.pages.visits import brought, everything, healthy, new_visit

OWN = """
[[step]]
page = "cosine_basis"
title = "<b>Whose</b> [view](http://x.example)?"
look = "Look at *e1*."
[step.guess]
question = "Which basis do you like?"
options = [{ text = "the first" }, { text = "the **second**", right = true }]
"""
Come = Callable[..., AppTest]


@pytest.fixture
def come(tmp_path, monkeypatch, operator) -> Come:
    """come(who, page, **query): a visit by this browser; the server allows rooms."""
    operator("[classes]\nrooms = 3\n")
    monkeypatch.setenv("NARROW_CONE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(visit, "browser_of", lambda _cookies: st.session_state["who"])
    for each in (visit.rooms, visit.gate):
        each.clear()
    yield lambda who, page, **query: new_visit(page, {"who": who}, **query)
    for each in (visit.rooms, visit.gate):
        each.clear()


def opened(come: Come, page: str, **query: str) -> tuple[AppTest, str]:
    teacher = healthy(come("teacher", page, **query).run())
    teacher = healthy(teacher.button(key="class-open").click().run())
    return teacher, one(teacher.query_params["class"])


def one(value: str | list[str]) -> str:
    return value if isinstance(value, str) else value[0]


def said(app: AppTest) -> str:
    """The lines that screen readers announce."""
    return "\n".join(each.body for each in app.get("html") if "<p role=" in each.body)


def bars(app: AppTest) -> str:
    return "".join(each.body for each in app.get("html") if '<ul class="class-bars' in each.body)


def question(app: AppTest, key: str = "lesson-guess") -> ButtonGroup:
    [found] = [each for each in app.get("button_group") if str(each.key).startswith(key)]
    return found.proto


def test_counts_by_question_as_csv(come):
    rooms = visit.rooms()
    code = rooms.open("t")
    rooms.join(code, "x")
    question = store.Question("q", "=1+1?", ("two", "three"))
    rooms.ask(code, "t", question)
    rooms.answer(code, "x", question, 1)
    rooms.answer(code, "x", question, 0)
    rooms.reveal(code, "t", question, 0)
    table = in_language(results_csv, "en")(rooms.summary(code, "t"))
    [head, first, second] = table.decode("utf-8-sig").splitlines()
    assert head == "question,option,first_answers,last_answers,is_right,measured_on"
    assert first.endswith("two,0,1,true,answers of a class")
    assert second.endswith("three,1,0,false,")
    assert not first.startswith("=")  # no formula in a spreadsheet


def test_the_lesson_s_guess_is_the_class_s_question(come):
    _teacher, code = opened(come, "cosine_basis")
    at = {"lesson": "1", "lesson-step": "5"}
    student = healthy(come("student", "narrow_cone", **{"class": code}, **at).run())
    student.session_state["lesson-guess-1-4"] = 2
    student = healthy(student.run())
    assert "You guessed" not in everything(student)
    assert not any("mean cosine of two sentences is" in each.value for each in student.info)
    assert "has not asked this question yet" in said(student)
    teacher = healthy(come("teacher", "narrow_cone", **{"class": code}, **at).run())
    student = healthy(student.run())
    assert "Your guess is" in said(student)
    teacher = healthy(teacher.run())
    assert "1 of 1 have answered." in said(teacher)
    # what would answer the question is hidden until then
    style = f"<style>{visit.HIDDEN}"
    assert any(style in each.body for each in teacher.get("html"))
    teacher = healthy(teacher.button(key="class-reveal").click().run())
    assert not any(style in each.body for each in teacher.get("html"))
    assert not question(student).disabled
    student = healthy(student.run())
    assert question(student).disabled
    assert "The mean cosine of two sentences is" in everything(student)
    assert "1 · 100%" in bars(student)


def test_the_page_s_own_guess_is_closed_after_the_reveal(come):
    teacher, code = opened(come, "narrow_cone")
    student = healthy(come("student", "narrow_cone", **{"class": code}, lang="zh-Hant").run())
    assert "請猜一猜" in said(student)
    assert not question(student, "guess").disabled
    healthy(teacher.button(key="class-reveal").click().run())
    assert question(healthy(student.run()), "guess").disabled


def test_a_question_of_the_teacher_s_own_reaches_the_class_as_text(come):
    steps = read_lesson(OWN)
    at = {"lesson": "own", "lesson-step": "1"}
    teacher, code = opened(come, "cosine_basis")
    teacher.session_state[MY_STEPS] = steps
    for name, value in at.items():
        teacher.query_params[name] = value
    healthy(teacher.run())
    student = healthy(come("student", "cosine_basis", **{"class": code}, **at).run())
    [pills] = [each for each in student.get("button_group") if each.label.startswith("Which")]
    assert [each.content for each in pills.proto.options] == ["the first", r"the \*\*second\*\*"]
    assert r"\<b\>Whose\</b\> \[view\]" in everything(student)
    student.session_state["lesson-guess-own-0"] = 0
    student = healthy(student.run())
    teacher = healthy(teacher.run())
    teacher = healthy(teacher.button(key="class-reveal").click().run())
    assert "✓ the **second** (right)" in bars(healthy(student.run()))


def test_the_class_gets_the_teacher_s_address_and_points_and_no_own_data(come):
    teacher, code = opened(come, "cosine_basis", turn="30.0")
    rooms = visit.rooms()
    rooms.join(code, "student")
    assert rooms.look(code, "student").address == "cosine_basis?turn=30.0"
    teacher.session_state[SELECTED] = ("cloud", [4, 2])
    healthy(teacher.run())
    assert rooms.look(code, "student").marked == ("cloud", (4, 2))
    query = {"lang": "en", "present": "1", "class": code, "point": "7", "layer": "4"}
    assert address_of("layers", query) == "layers?layer=4&point=7"
    assert address_of("layers", query | {"corpus": "upload-3"}) == "layers?layer=4"
    teacher.session_state[SELECTED] = ("cloud", range(2_001))
    teacher = healthy(teacher.run())
    assert "You selected 2,001 points. The class sees rings around the first 2,000." in said(
        teacher
    )
    assert len(rooms.look(code, "student").marked[1]) == 2_000
    teacher.session_state[SELECTED] = ("cloud", [4, 2])
    teacher = healthy(teacher.run())
    assert "You selected" not in said(teacher)
    teacher.toggle(key="class-leads").set_value(False)
    teacher.session_state[SELECTED] = ("cloud", [9])
    healthy(teacher.run())
    assert rooms.look(code, "student").marked == ("cloud", (4, 2))


def test_who_leaves_the_teacher_reads_so_and_returns_without_own_texts(come):
    _teacher, code = opened(come, "cosine_basis")
    student = healthy(come("student", "cosine_basis", **{"class": code}).run())
    student = healthy(student.toggle(key="class-follow").set_value(False).run())
    assert "You no longer follow your teacher." in said(student)
    assert not visit.rooms().look(code, "student").follows
    own = Corpus("mine", ("One text.", "Another text."))
    student.session_state[OWN_CORPORA] = {"upload-1": own}
    own = healthy(student.run()).selectbox(key="corpus")
    student = healthy(own.select_index(len(own.options) - 1).run())
    assert student.session_state["corpus"] == "upload-1"
    student = healthy(student.button(key="class-return").click().run())
    assert student.toggle(key="class-follow").value
    assert visit.rooms().look(code, "student").follows
    assert student.session_state["corpus"] == "topics"


def test_the_teacher_s_selection_is_ringed_on_a_student_s_same_file_with_and_without_webgl2(come):
    own = VectorSet("mine", np.random.default_rng(0).normal(size=(30, 4)) + 1)
    mine = brought(OWN_VECTORS, "corpus", own)
    rooms = visit.rooms()
    code = rooms.open("teacher")
    student = come("student", "your_corpus", **{"class": code})
    for name, value in mine.items():
        student.session_state[name] = value
    [cloud] = twin_clouds(healthy(student.run())).values()
    rooms.lead(code, "teacher", "your_corpus", ("another cloud", [4, 2]))
    [cloud] = twin_clouds(healthy(student.run())).values()
    assert cloud.message["marks"] == []
    rooms.lead(code, "teacher", "your_corpus", (cloud.message["rows"], [4, 2]))
    [cloud] = twin_clouds(healthy(student.run())).values()
    [rings] = cloud.message["marks"]
    assert (rings["rows"], rings["caption"]) == ([4, 2], "selected by the teacher")
    student.session_state[NO_WEBGL2] = True
    figure = charts(healthy(student.run()))["own-cloud-0"]["figure"]
    assert "selected by the teacher" in [trace.get("name") for trace in figure["data"]]


def test_a_guess_that_was_made_before_is_no_answer_of_this_class(come):
    _teacher, code = opened(come, "cosine_basis")
    student = healthy(come("student", "cosine_basis").run())
    healthy(student.button(key="guess-larger").click().run())
    student.query_params["class"] = code
    student = healthy(student.run())
    assert "Guess, please." in said(student)
    student = healthy(student.button(key="guess-same").click().run())
    assert "still 90°" in said(student)


def test_a_wrong_code_a_closed_server_and_an_ended_class_are_sentences(come, monkeypatch):
    app = healthy(come("x", "cosine_basis", **{"class": "ABCDEF"}).run())
    assert "No class has this code." in everything(app)
    assert "class" not in app.query_params
    teacher, code = opened(come, "cosine_basis")
    student = healthy(come("student", "cosine_basis", **{"class": code}).run())
    teacher = healthy(teacher.button(key="class-end").click().run())
    assert "No question has been answered yet." in everything(teacher)
    assert visit.rooms().look(code, "student").code == code
    healthy(teacher.button(key="class-leave").click().run())
    assert "The class has ended." in everything(healthy(student.run()))
    monkeypatch.delenv("NARROW_CONE_CONFIG")
    visit.rooms.clear()
    closed = healthy(come("x", "cosine_basis", **{"class": "ABCDEF"}).run())
    assert "This server has no rooms" in everything(closed)
    assert not [each for each in closed.button if each.key == "class-open"]


def test_the_pages_go_on_without_the_file_of_rooms(come, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "LOCKED_SECONDS", 0.05)
    monkeypatch.setattr(store, "REST_SECONDS", 0)
    _teacher, code = opened(come, "cosine_basis")
    student = healthy(come("student", "cosine_basis", **{"class": code}).run())
    holder = sqlite3.connect(tmp_path / "rooms.sqlite", isolation_level=None)
    holder.execute("begin exclusive")
    student = healthy(student.run())
    assert "The pages go on." in everything(student)
    holder.execute("rollback")
    holder.close()
    assert "Follow the teacher" in [each.label for each in healthy(student.run()).toggle]
