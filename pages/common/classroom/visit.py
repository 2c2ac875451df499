"""This session's place in a class: its room, its guesses, and where the teacher leads."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from urllib.parse import urlencode

import streamlit as st

from geometry.encode.disk_cache import ArrayStore
from geometry.errors import GeometryError
from geometry.hub.operator_limits import ClassLimits, read_class_limits

from ..address import CLASS, OWN_FILE, PRESENT, WINDOW, put_in_url
from ..page_state import PRIVATE
from ..streamlit_internals import browser_of, session_id
from .rooms import Gate, Question, Room, RoomError, Rooms, Tally

CLASS_BAR = "class-bar"  # the key of its fragment
NO_RIGHT_ANSWER = -1  # the truth of a question that has none
# parameters that the teacher's address does not set
OF_EACH_READER = (CLASS, PRESENT, WINDOW, OWN_FILE, "lang")
# of rows, words and columns of the teacher's own file
OF_OWN_DATA = ("point", "find", "where", "size", "selected")
# The numbers that would answer a question before it is revealed.
HIDDEN = ".big-numbers, [class*='st-key-verdict-'], .st-key-ladder"
HERE, QUESTION, TALLY, TRUTH = "class-room", "class-question", "class-tally", "class-truth"
PROBLEM, LEADS, LED, SENT = "class-problem", "class-leads", "class-led", "class-sent"
SELECTED = "selected-rows"  # in the session: the key of a cloud, and its selected rows
CODE = "class-of-session"  # in the session: of the room that it is in
ENTRY = "class-entry"  # in the session: how often it has come to a room


@contextmanager
def problem_shown() -> Iterator[None]:
    """A refusal in the block ends it, and is shown by the bar or the menu."""
    try:
        yield
    except RoomError as error:
        st.session_state[PROBLEM] = error.reason


@st.cache_resource(show_spinner=False)
def rooms() -> Rooms:
    """The rooms of this server and of all that share its cache folder."""
    try:
        limits = read_class_limits()
    except GeometryError:  # the pages show what is wrong in the operator's file
        limits = ClassLimits()
    return Rooms(ArrayStore().folder / "rooms.sqlite", limits)


@st.cache_resource(show_spinner=False, max_entries=1000)
def gate(_address: str) -> Gate:
    return Gate(rooms().limits.wrong_codes)


def visitor() -> str:
    """A random name of this browser; of this session where the browser sends no cookie."""
    return browser_of(st.context.cookies) or session_id()


def current() -> Room | None:
    """The room as it was at the start of this run; None outside of a class."""
    return st.session_state.get(HERE)


def come(code: str, visitor: str) -> Room:
    """Join a room, or come back to it. RoomError "unknown" for a wrong code, "busy" for many."""
    try:
        return rooms().look(code, visitor)
    except RoomError as error:
        if error.reason != "unknown":
            raise
    with gate(st.context.ip_address or "").turn():
        rooms().join(code, visitor)
    return rooms().look(code, visitor)


def enter_class() -> None:
    """Be in the class that the address names. A link to another page has no parameters."""
    state = st.session_state
    for key in (HERE, QUESTION, TALLY, TRUTH):
        state.pop(key, None)
    code = st.query_params.get(CLASS, state.get(CODE, "")).strip().upper()
    if not code:
        return
    was_here = state.get(CODE) == code
    try:
        state[HERE] = room = rooms().look(code, visitor()) if was_here else come(code, visitor())
    except RoomError as error:
        state[PROBLEM] = "ended" if was_here and error.reason == "unknown" else error.reason
        if error.reason not in ("file", "busy"):  # these pass
            state.pop(CODE, None)
            put_in_url(CLASS, None)
        return
    state.pop(PROBLEM, None)
    state[CODE] = code
    state[ENTRY] = state.get(ENTRY, 0) + (not was_here)
    put_in_url(CLASS, code)
    if room.leads and state.get(LED, ("",))[0] != code and room.address:
        state[LED] = code, room.address, room.marked  # a reload or a second device moves nobody


def leave_class() -> None:
    room = current()
    for key in (HERE, CODE):
        st.session_state.pop(key, None)
    put_in_url(CLASS, None)
    if room is not None:
        with suppress(RoomError):
            rooms().leave(room.code, visitor())


def is_closed(id_: str) -> bool:
    """Whether the class has been shown the answer to a question: then no guess can be changed."""
    room = current()
    with suppress(RoomError):
        return room is not None and rooms().is_revealed(room.code, id_)
    return False


def may_show(id_: str, text: str, options: Sequence[str], chosen: int | None) -> bool:
    """Whether a guess may be answered here: in a class not before the teacher reveals it."""
    # a class has one question at a time: of two on a page the first, which is the lesson's
    room = current()
    question = Question(id_, text, tuple(options))
    if room is None:
        return True
    if st.session_state.get(QUESTION, question).id != id_:
        return False
    # a guess that was made before, alone or in another room, is no answer to this one
    sent = st.session_state.setdefault(SENT, {})
    is_new = sent.setdefault((room.code, id_), chosen) != chosen and chosen is not None
    try:
        tally = rooms().ask(room.code, visitor(), question)
        if is_new and tally is not None and not tally.is_revealed and not room.leads:
            rooms().answer(room.code, visitor(), question, int(chosen or 0))
            sent[room.code, id_] = chosen
            tally = rooms().ask(room.code, visitor(), question)
    except RoomError as error:
        st.session_state[PROBLEM] = error.reason
        return error.reason == "file"  # the pages go on without rooms
    st.session_state[QUESTION] = question
    st.session_state[TALLY] = tally
    is_shown = tally is not None and tally.is_revealed
    if not is_shown:
        st.html(f"<style>{HIDDEN} {{ visibility: hidden }}</style>")
    return is_shown


def note_truth(id_: str, right: int) -> None:
    if QUESTION in st.session_state and st.session_state[QUESTION].id == id_:
        st.session_state[TRUTH] = right


def own_answer(chosen: int | None) -> int | None:
    """The answer that counts: in a class the one that the room has."""
    if current() is None:
        return chosen
    tally: Tally | None = st.session_state.get(TALLY)
    return None if tally is None else tally.own


def asked() -> tuple[Question, Tally | None] | None:
    room = current()
    question = st.session_state.get(QUESTION)
    if room is None or question is None:
        return None
    return question, rooms().ask(room.code, visitor(), question)


def address_of(page: str, query: Mapping[str, str]) -> str:
    """A page and its settings as the class gets them; nobody else has the teacher's own data."""
    is_own = OWN_FILE in query or any(value.startswith(PRIVATE) for value in query.values())
    left_out = (*OF_EACH_READER, *(OF_OWN_DATA if is_own else ()))
    kept = {
        name: value
        for name, value in sorted(query.items())
        if name not in left_out and not value.startswith(PRIVATE)
    }
    return f"{page}?{urlencode(kept)}" if kept else page


def lead() -> None:
    """Send the class where the teacher is, with the selected points, if the teacher leads."""
    room = current()
    if room is None or not room.leads or not st.session_state.get(LEADS, True):
        return
    address = address_of(st.session_state.get("page", ""), st.query_params.to_dict())
    points = selected()
    now = (room.code, address, points)
    if st.session_state.get(LED) == now:
        return
    with problem_shown():
        rooms().lead(room.code, visitor(), address, points)
        st.session_state[LED] = now


def selected() -> tuple[str, tuple[int, ...]] | None:
    key, rows = st.session_state.get(SELECTED, ("", ()))
    return (str(key), tuple(int(row) for row in rows)) if len(rows) else None


def give_lesson(text: str) -> None:
    """Give the class the teacher's own lesson, once for each version of it."""
    room = current()
    if room is not None and room.leads and room.lesson != text:
        with problem_shown():
            rooms().give_lesson(room.code, visitor(), text)


def teachers_points(key: str) -> Sequence[int]:
    """The rows of a cloud that the teacher has selected; none for the teacher."""
    room = current()
    if room is None or room.leads or not room.follows or room.marked is None:
        return ()
    of, rows = room.marked
    return rows if of == key else ()
