"""This session's place in a class: its room, its guesses, and where the teacher leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from urllib.parse import urlencode

import streamlit as st

from geometry.encode.disk_cache import ArrayStore
from geometry.errors import GeometryError
from geometry.hub.operator_limits import ClassLimits, read_class_limits

from ..address import CLASS, PRESENT, put_in_url
from ..page_state import PRIVATE
from ..streamlit_internals import browser_of, session_id
from .rooms import CODE_LENGTH, SIGNS, Gate, Question, Room, RoomError, Rooms, Tally

CLASS_BAR = "class-bar"  # the key of its fragment
NO_RIGHT_ANSWER = -1  # the truth of a question that has none
OF_EACH_READER = (CLASS, PRESENT, "lang")  # parameters that the teacher's address does not set
HERE, QUESTION, TALLY, TRUTH = "class-room", "class-question", "class-tally", "class-truth"
PROBLEM, LEADS, LED, GIVEN = "class-problem", "class-leads", "class-led", "class-given"


@st.cache_resource(show_spinner=False)
def rooms() -> Rooms:
    """The rooms of this server and of all that share its cache folder."""
    try:
        limits = read_class_limits()
    except GeometryError:  # the pages show what is wrong in the operator's file
        limits = ClassLimits()
    return Rooms(ArrayStore().folder / "rooms.sqlite", limits)


@st.cache_resource(show_spinner=False)
def gate() -> Gate:
    """Slows those who guess codes."""
    return Gate(rooms().limits.wrong_codes)


def visitor() -> str:
    """A random name of this browser; of this session where the browser sends no cookie."""
    return browser_of(st.context.cookies) or session_id()


def current() -> Room | None:
    """The room as it was at the start of this run; None outside of a class."""
    room: Room | None = st.session_state.get(HERE)
    return room


def come(code: str, visitor: str) -> Room:
    """Join a room, or come back to it. RoomError "unknown" for a wrong code, "busy" for many."""
    if len(code) != CODE_LENGTH or not set(code) <= set(SIGNS):
        gate().pass_()
        gate().wrong()
        raise RoomError("unknown")
    with suppress(RoomError):
        return rooms().look(code, visitor)
    gate().pass_()
    try:
        rooms().join(code, visitor)
    except RoomError as error:
        if error.reason == "unknown":
            gate().wrong()
        raise
    return rooms().look(code, visitor)


def enter_class() -> None:
    """Be in the class that the address names. A link to another page has no parameters."""
    state = st.session_state
    before: Room | None = state.pop(HERE, None)
    for key in (QUESTION, TALLY, TRUTH):
        state.pop(key, None)
    code = st.query_params.get(CLASS, before.code if before else "").strip().upper()
    if not code:
        return
    try:
        state[HERE] = come(code, visitor())
    except RoomError as error:
        state[PROBLEM] = "ended" if before and error.reason == "unknown" else error.reason
        put_in_url(CLASS, None)
        return
    state.pop(PROBLEM, None)
    put_in_url(CLASS, code)


def leave_class() -> None:
    """Leave the room; a teacher ends it."""
    room = current()
    st.session_state.pop(HERE, None)
    put_in_url(CLASS, None)
    if room is not None:
        with suppress(RoomError):
            rooms().leave(room.code, visitor())


# ---- guesses ----


def may_show(id_: str, text: str, options: Sequence[str], chosen: int | None) -> bool:
    """Whether a guess may be answered on this page: in a class not before the teacher reveals it.

    Call it in every run that shows the question, with the option that this reader has chosen. A
    class has one question at a time: of two on a page the first, which is the lesson's.
    """
    room, state = current(), st.session_state
    question = Question(id_, text, tuple(options))
    if room is None or state.get(QUESTION, question).id != id_:
        return True
    try:
        tally = rooms().ask(room.code, visitor(), question)
        if chosen not in (None, tally.own) and not tally.is_revealed and not room.leads:
            rooms().answer(room.code, visitor(), question, int(chosen or 0))
            tally = rooms().ask(room.code, visitor(), question)
    except RoomError as error:
        if error.reason != "answers":
            return True  # the pages go on without rooms
        st.session_state[PROBLEM] = error.reason
        return False
    state[QUESTION], state[TALLY] = question, tally
    return tally.is_revealed


def note_truth(id_: str, right: int) -> None:
    """Tell the class which option of a question is right, by the numbers of this page."""
    question: Question | None = st.session_state.get(QUESTION)
    if question is not None and question.id == id_:
        st.session_state[TRUTH] = right


def asked() -> tuple[Question, Tally] | None:
    """The question of this page, and its answers now."""
    room, question = current(), st.session_state.get(QUESTION)
    if room is None or question is None:
        return None
    return question, rooms().ask(room.code, visitor(), question)


# ---- the teacher leads ----


def address_of(page: str, query: Mapping[str, str]) -> str:
    """A page and its settings as the class gets them; nobody else has the teacher's own data."""
    kept = {
        name: value
        for name, value in sorted(query.items())
        if name not in OF_EACH_READER and not value.startswith(PRIVATE)
    }
    return f"{page}?{urlencode(kept)}" if kept else page


def lead() -> None:
    """Send the class where the teacher is, with the selected points, if the teacher leads."""
    room, state = current(), st.session_state
    if room is None or not room.leads or not state.get(LEADS, True):
        return
    from ..draw.clouds import SELECTED

    address = address_of(state.get("page", ""), st.query_params.to_dict())
    key, rows = state.get(SELECTED, ("", ()))
    marked = (str(key), tuple(int(row) for row in rows)) if len(rows) else None
    if state.get(LED) == (address, marked):
        return
    with suppress(RoomError):
        rooms().lead(room.code, visitor(), address, marked)
        state[LED] = address, marked


def give_lesson(text: str) -> None:
    """Give the class the teacher's own lesson, once for each version of it."""
    room = current()
    if room is not None and room.leads and room.lesson != text:
        with suppress(RoomError):
            rooms().give_lesson(room.code, visitor(), text)


def teachers_points(key: str) -> Sequence[int]:
    """The rows of a cloud that the teacher has selected; none for the teacher."""
    room = current()
    if room is None or room.leads or not room.follows or room.marked is None:
        return ()
    of, rows = room.marked
    return rows if of == key else ()
