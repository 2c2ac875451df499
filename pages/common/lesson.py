"""A lesson: views of the pages in an order, each with two sentences, in a bar over every page.

The steps are assets/text/<language>/lesson.toml. Sentences quote the page's numbers by name, as
in ``{mean_cosine:2}`` (two decimals), or are a list of cases, of which the first that fits is told.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache, partial
from hashlib import sha256
from math import inf
from typing import Any, Literal, NoReturn

import streamlit as st
import tomli_w
from streamlit.errors import StreamlitAPIException

from geometry.data.limits import LESSON_MEGABYTES
from geometry.data.number_text import signed
from geometry.data.translations import ENGLISH

from . import address
from .classroom import visit
from .controls import act_button
from .downloads import offer_made
from .page_list import PAGES, page_labels, page_path
from .page_state import CHOSEN, LEFT
from .words import TEXT, _, language, markdown, paragraph

LESSON, AT, OWN = "lesson", "lesson-step", "own"
WHOLE, SHORT = "1", "10"  # values of the parameter
MY_STEPS = "my-lesson"  # in the session: the steps of the teacher's own lesson
EDITION = "lesson-edition"  # in the session: of the editor's fields, which begin anew
FACTS, SAID, LAST = "lesson-facts", "lesson-said", "lesson-last"  # in the session
QUESTION, ANSWER = "lesson-question", "lesson-answer"
MAY_SHOW = "lesson-may-show"  # in the session: the class has been shown the answer
# What a step leaves as the reader has it, unless the step names it.
KEPT = ("lang", "model", "revision", "dtype", "prefix", "corpus", "pairs", "present", "class")
NOT_OF_A_STEP = (LESSON, AT, "lang", "present", "class", "window", "file", "revision")
MOST_STEPS, LONGEST, MOST_BYTES = 60, 1000, 200_000
FEWEST_OPTIONS, MOST_OPTIONS = 2, 5  # of a guess
RIGHT_SIGN = "*"  # in the editor, before the right answer
DATA = {  # settings that name a model or data, and what a file may say there
    "model": re.compile(r"bundled[a-z0-9-]*"),
    "corpus": re.compile(r"(?!upload-)[a-z-]+"),
    "pairs": re.compile(r"(?!hub-|upload-|pairs-upload-)[a-z-]+"),
}
FIELD = re.compile(r"\{(\w+)(?::(\d))?\}")

Facts = Mapping[str, float | str]


@dataclass(frozen=True)
class Case:
    text: str
    fact: str = ""
    above: float = -inf
    below: float = inf
    right: bool | None = None

    def fits(self, facts: Facts) -> bool:
        """Whether the fact is known and within the limits; True without a fact."""
        value = facts.get(self.fact)
        return not self.fact or (isinstance(value, int | float) and self.above < value < self.below)


Cases = tuple[Case, ...]


@dataclass(frozen=True)
class Guess:
    """A question before the answer. Right is the first option that fits, or that has ``right``."""

    question: str
    options: Cases
    answer: Cases

    def right(self, facts: Facts) -> int | None:
        """The place of the right option; NO_RIGHT_ANSWER if there is none, None if unknown."""
        if not any(case.fact for case in self.options):
            marked = (place for place, case in enumerate(self.options) if case.right)
            return next(marked, visit.NO_RIGHT_ANSWER)
        fitting = (place for place, case in enumerate(self.options) if case.fits(facts))
        return next(fitting, None) if facts else None


@dataclass(frozen=True)
class Step:
    page: str
    title: str
    look: Cases
    query: Mapping[str, str]
    note: str = ""
    part: str = ""
    short: bool = False
    guess: Guess | None = None


@cache
def shipped_lesson(code: str) -> tuple[Step, ...]:
    """The steps in a language, in the order of the sources; in English where it has none."""
    path = TEXT / code / "lesson.toml"
    path = path if path.exists() else TEXT / ENGLISH / path.name
    return read_lesson(path.read_text(encoding="utf-8"))


@lru_cache
def read_lesson(text: str) -> tuple[Step, ...]:
    """The steps of a file. Raises ValueError, with a message for the reader, if it is no lesson."""
    try:
        content = tomllib.loads(text)
        steps = tuple(_step(each) for each in content["step"])
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(str(error)) from error
    if not 0 < len(steps) <= MOST_STEPS:
        raise ValueError(f"{len(steps)} steps")
    return steps


def _step(given: dict[str, Any]) -> Step:
    guess = given.get("guess")
    if guess is not None:
        options = _cases(guess["options"])
        guess = Guess(_short(guess["question"]), options, _cases(guess.get("answer", "")))
        if not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
            raise ValueError(f"{len(options)} options: {guess.question[:60]!r}")
    query = {name: _short(value) for name, value in given.get("query", {}).items()}
    step = Step(**given | {"look": _cases(given["look"]), "query": query, "guess": guess})
    if step.page not in PAGES or not re.fullmatch(r"[a-z-]*", step.part):
        raise ValueError(f"page = {step.page!r}, part = {step.part!r}")
    for text in (step.title, step.note):
        _short(text)
    for name, value in query.items():
        is_known = name in address.PARAMETERS and name not in NOT_OF_A_STEP
        # a file of somebody else names no folder of the server, and nothing to download
        if not is_known or (name in DATA and not DATA[name].fullmatch(value)):
            raise ValueError(f"query: {name} = {value!r}")
    return step


def _cases(value: Any) -> Cases:
    """A text, or a list of texts, some with their conditions."""
    given = [value] if isinstance(value, str) else value
    cases = tuple(Case(each) if isinstance(each, str) else Case(**each) for each in given)
    for case in cases:
        _short(case.text)
        _short(case.fact)
        float(case.above)
        float(case.below)
    if not cases:
        raise ValueError("a list without a text")
    return cases


def _short(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST:
        raise ValueError(f"{str(value)[:60]!r}: no text, or over {LONGEST} characters")
    return value


def lesson_toml(steps: Iterable[Step]) -> str:
    def written(pairs: list[tuple[str, Any]]) -> Any:
        # TOML has no None; a limit that is not reached is none
        values = {name: value for name, value in pairs if value not in (None, -inf, inf)}
        is_text = values.keys() == {"text", "fact"} and not values["fact"]
        return values["text"] if is_text else values

    content = {"step": [asdict(step, dict_factory=written) for step in steps]}
    return tomli_w.dumps(content, multiline_strings=True)


@dataclass(frozen=True)
class Place:
    """A lesson and a step of it; at : its number from 0."""

    code: str
    steps: tuple[Step, ...]
    at: int

    @property
    def step(self) -> Step:
        return self.steps[self.at]


def steps_of(code: str) -> tuple[Step, ...]:
    """The steps of a lesson by its code in the address; none for a lesson that is not here."""
    if code == OWN:
        room = visit.current()
        if room is None or not room.lesson or room.leads:
            return tuple(st.session_state.get(MY_STEPS, ()))
        with suppress(ValueError):
            return read_lesson(room.lesson)
        return ()
    steps = shipped_lesson(language())
    return tuple(step for step in steps if step.short) if code == SHORT else steps


def enter_lesson(page: str) -> Place | None:
    """The lesson that the address names. Its first step is opened if the address names no step."""
    state = st.session_state
    last_page, *last = state.get(LAST, (page,))
    if LESSON not in st.query_params and last_page != page:  # a link to a page has no parameters
        for name, value in zip((LESSON, AT), last, strict=True):
            address.put_in_url(name, value)
    state.pop(SAID, None)
    code = st.query_params.get(LESSON, "")
    if code not in (WHOLE, SHORT, OWN):
        state.pop(LAST, None)
        return None
    steps = steps_of(code)
    if not steps:
        return Place(code, (), 0)
    number = address.number_in_url(AT) or 0
    if not 0 < number <= len(steps):
        _go_to(code, steps, 0)
    is_arrival = LAST not in state
    state[LAST] = page, code, str(number)
    if is_arrival and steps[number - 1].page != page:
        _go_to(code, steps, number - 1)
    return Place(code, steps, number - 1)


def _go_to(code: str, steps: Sequence[Step], at: int) -> NoReturn:
    """Open the step's page with the step's settings; what it does not name is at its default."""
    step = steps[at]
    state = st.session_state
    query = {LESSON: code, AT: str(at + 1)}
    if address.is_presenting():
        query[address.PRESENT] = "1"
    # what is kept is in the session; else it is in the address alone, on a first visit
    query |= {
        name: st.query_params[name]
        for name in KEPT
        if name in st.query_params and name not in state
    }
    others = ("revision", "dtype", "prefix") if "model" in step.query else ()  # of another model
    for name in address.PARAMETERS:
        if name not in KEPT or name in step.query or name in others:
            state.pop(name, None)
    state.pop(CHOSEN, None)
    state.get(LEFT, {}).pop(step.page, None)
    try:
        st.switch_page(page_path(step.page), query_params=query | dict(step.query))
    except StreamlitAPIException:  # a control on the screen has the parameter: by another page
        state.pop(LAST, None)
        away = next(page for page in PAGES if page not in (step.page, state.get("page")))
        st.switch_page(page_path(away), query_params=query)


def show_lesson_bar(page: str) -> None:
    place = enter_lesson(page)
    if place is None:
        return
    with st.container(key="lesson-bar", border=True, gap="xsmall"):
        if not place.steps:
            st.warning(_("This lesson is not on the server. Open its file again: “Lesson”."))
            act_button(_("Leave the lesson"), "lesson-leave", "close", _leave, type="tertiary")
            return
        step = place.step
        if place.code == OWN:
            visit.give_lesson(lesson_toml(place.steps))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            number = _("Step {n} of {all}").format(n=place.at + 1, all=len(place.steps))
            st.markdown(f"{number} · **{_shown(step.title, place)}**", width="stretch")
            room = visit.current()
            if step.note and not address.is_presenting() and (room is None or room.leads):
                with st.popover(_("For the teacher"), type="tertiary", key="lesson-note"):
                    st.markdown(_shown(step.note, place))
            _step_button(place, -1, _("Back"), "arrow_back", "lesson-back")
            _step_button(place, 1, _("Next"), "arrow_forward", "lesson-next")
            act_button(_("Leave the lesson"), "lesson-leave", "close", _leave, type="tertiary")
        if page != step.page:
            text = _("Step {n} is on the page “{page}”.")
            st.caption(text.format(n=place.at + 1, page=page_labels()[step.page]))
            if st.button(_("Show the step"), key="lesson-again"):
                _go_to(place.code, place.steps, place.at)
            return
        st.session_state[SAID] = (place, st.empty())
        st.session_state[FACTS] = {}
        st.session_state.pop(ANSWER, None)
        note_facts(dict)
        if step.guess is not None:
            _question(place)


def _step_button(place: Place, by: int, label: str, icon: str, key: str) -> None:
    at = place.at + by
    kind: Literal["primary", "secondary"] = "primary" if by > 0 else "secondary"
    is_end = not 0 <= at < len(place.steps)
    if st.button(label, key=key, icon=f":material/{icon}:", disabled=is_end, type=kind):
        _go_to(place.code, place.steps, at)


def _leave() -> None:
    for name in (LESSON, AT):
        address.put_in_url(name, None)


@st.fragment(key=QUESTION)
def _question(place: Place) -> None:
    """The step's question; a fragment, so that a guess does not run the page again."""
    guess = place.step.guess
    assert guess is not None
    options = [_shown(case.text, place) for case in guess.options]
    parts = [QUESTION] if visit.current() is None else [QUESTION, visit.CLASS_BAR]
    chosen = st.pills(
        _shown(guess.question, place),
        range(len(options)),
        key=_guess_key(place),
        format_func=options.__getitem__,
        on_change=lambda: st.rerun(parts),
        disabled=visit.is_closed(_guess_id(place)),
    )
    plain = [case.text for case in guess.options]
    st.session_state[MAY_SHOW] = visit.may_show(_guess_id(place), guess.question, plain, chosen)
    st.session_state[ANSWER] = st.empty()
    _show_answer(place)


def _guess_key(place: Place) -> str:
    return f"lesson-guess-{place.code}-{place.at}"


def _guess_id(place: Place) -> str:
    """The same in the ten minutes and in the whole lesson, in every language."""
    if place.code == OWN:
        return f"own-{sha256(repr(place.step.guess).encode()).hexdigest()[:16]}"
    return f"lesson-{shipped_lesson(language()).index(place.step)}"


def note_facts(facts: Callable[[], Facts]) -> None:
    """Tell the step's sentences with the page's numbers, in each run and fragment that has them."""
    if SAID not in st.session_state:
        return
    place, said = st.session_state[SAID]
    known = st.session_state[FACTS] = st.session_state.get(FACTS, {}) | dict(facts())
    said.markdown(told(place.step.look, known, place))
    _show_answer(place)


def _show_answer(place: Place) -> None:
    """The answer below the question, once it is known and the reader, or the class, has guessed."""
    guess = place.step.guess
    known = st.session_state[FACTS]
    slot = st.session_state.get(ANSWER)
    if guess is None or slot is None:
        return
    right = guess.right(known)
    chosen = visit.own_answer(st.session_state.get(_guess_key(place)))
    if right is None:
        return
    visit.note_truth(_guess_id(place), right)
    has_guessed = chosen is not None or visit.current() is not None
    if right == visit.NO_RIGHT_ANSWER or not st.session_state.get(MAY_SHOW) or not has_guessed:
        return
    text = _("“{truth}” is right.")
    if chosen not in (None, right):
        text = _("You guessed “{guess}”. It is “{truth}”.")
    told_of = [told((case,), known, place, always=True) for case in guess.options]
    text = text.format(guess=told_of[chosen or 0], truth=told_of[right])
    slot.info(paragraph([text, told(guess.answer, known, place)]))


def told(cases: Cases, facts: Facts, place: Place, *, always: bool = False) -> str:
    """The first text that fits, with its fields filled; "…" stands for what is not known yet."""
    if not cases or (cases[0].fact and not facts):
        return "…"
    case = next((case for case in cases if always or case.fits(facts)), cases[-1])

    def value(field: re.Match[str]) -> str:
        known = facts.get(field[1])
        if isinstance(known, str):
            return markdown(known)
        return "…" if known is None else signed(known, int(field[2] or 0))

    return FIELD.sub(value, _shown(case.text, place))


def _shown(text: str, place: Place) -> str:
    """Markdown of our own lesson; the plain text of a lesson that somebody else has written."""
    return text if place.code != OWN else markdown(text)


def show_lesson_menu(page: str) -> None:
    with st.popover(_("Lesson"), key="lesson-menu", icon=":material/school:", width="stretch"):
        for code, label in (
            (SHORT, _("Ten minutes: {n} steps")),
            (WHOLE, _("Forty-five minutes: {n} steps")),
            (OWN, _("My lesson ({n})")),
        ):
            steps = steps_of(code)
            name = label.format(n=len(steps))
            if steps and st.button(name, key=f"lesson-start-{code}", width="stretch"):
                _go_to(code, steps, 0)
        name = _("Add this view to my lesson")
        is_full = len(st.session_state.get(MY_STEPS, ())) >= MOST_STEPS
        act_button(name, "lesson-add", "add", _add_view, page, width="stretch", disabled=is_full)
        name = _("Edit, open and save my lesson")
        if st.button(name, key="lesson-edit", icon=":material/edit:", width="stretch"):
            st.dialog(_("My lesson"), width="large")(_show_editor)()


def _add_view(page: str) -> None:
    shown = {name: str(st.session_state[name]) for name in DATA if name in st.session_state}
    query = {
        name: value[:LONGEST]
        for name, value in (shown | st.query_params.to_dict()).items()
        if name in address.PARAMETERS and name not in NOT_OF_A_STEP
        if name not in DATA or DATA[name].fullmatch(value)
    }
    step = Step(page, page_labels()[page], (Case(""),), query)
    _keep([*st.session_state.get(MY_STEPS, ()), step])


def _open_file() -> None:
    file = st.session_state.get("lesson-file")
    st.session_state.pop("lesson-problem", None)
    if file is None:
        return
    try:
        if file.size > MOST_BYTES:
            raise ValueError(f"{file.size:,} bytes")
        _keep(read_lesson(file.getvalue().decode("utf-8")))
    except ValueError as error:  # also of bytes that are no text
        st.session_state["lesson-problem"] = _(
            "This file is no lesson: {reason}. Open a file that was saved here, with at most {n} "
            "steps and {kilobytes} kB."
        ).format(reason=markdown(str(error)[:200]), n=MOST_STEPS, kilobytes=MOST_BYTES // 1000)


def _keep(steps: Sequence[Step], *, is_said: bool = True) -> None:
    st.session_state[MY_STEPS] = tuple(steps)
    st.session_state[EDITION] = st.session_state.get(EDITION, 0) + 1
    if is_said:
        st.toast(_("My lesson ({n})").format(n=len(steps)), icon=":material/school:")


def scroll_target() -> tuple[str, str]:
    """The lesson's step and its part of the page, for the browser; empty where there is none."""
    if SAID not in st.session_state:
        return "", ""
    place: Place = st.session_state[SAID][0]
    return f"{place.code}-{place.at}", place.step.part


def shows_part(part: str) -> bool:
    """Whether a part is shown: for an audience only if the lesson's step is about it."""
    return not address.is_presenting() or scroll_target()[1] == part


def _show_editor() -> None:
    about = _("It replaces the lesson below. A reload of the page loses a lesson: save it.")
    how: dict[str, Any] = {"max_upload_size": LESSON_MEGABYTES, "help": about}
    label = _("Open a lesson (TOML)")
    st.file_uploader(label, "toml", key="lesson-file", on_change=_open_file, **how)
    if problem := st.session_state.get("lesson-problem"):
        st.error(problem)
    steps = list(st.session_state.get(MY_STEPS, ()))
    st.caption(_("Sentences can quote numbers of the page by name, such as {mean_cosine:2}."))
    for at, step in enumerate(steps):
        key = f"lesson-{st.session_state.get(EDITION, 0)}-{at}"
        with st.container(border=True, gap="xsmall"):
            label = _("Step {n}: title").format(n=at + 1)
            title = _typed(label, step.title, f"{key}-title")
            look = _typed(_("Sentences to read"), step.look[0].text, f"{key}-look", lines=True)
            note = _typed(_("Note for the teacher"), step.note, f"{key}-note")
            cases = (replace(step.look[0], text=look), *step.look[1:])
            guess = _edit_question(step.guess, key)
            steps[at] = replace(step, title=title, look=cases, note=note, guess=guess)
            moves = (-1, "arrow_upward", _("Earlier")), (1, "arrow_downward", _("Later"))
            with st.container(horizontal=True, gap="xsmall"):
                st.caption(page_labels()[step.page], width="stretch")
                for by, icon, label in (*moves, (0, "delete", _("Remove"))):
                    is_end = bool(by) and not 0 <= at + by < len(steps)
                    act_button(label, f"{key}-{icon}", icon, _move, at, by, disabled=is_end)
    st.session_state[MY_STEPS] = tuple(steps)
    if steps:
        label = _("Save my lesson (TOML)")
        how = {"mime": "application/toml", "key": "lesson-save", "type": "primary"}
        offer_made(label, "lesson.toml", partial(lesson_toml, tuple(steps)), **how)


def _typed(label: str, value: str, key: str, *, lines: bool = False) -> str:
    field = partial(st.text_area, height=80) if lines else st.text_input
    return field(label, value, key=key, max_chars=LONGEST) or ""


def _edit_question(guess: Guess | None, key: str) -> Guess | None:
    """The fields of a question of one's own; a question that numbers decide stays as it is."""
    if guess is not None and any(case.fact for case in guess.options):
        return guess
    options = guess.options if guess else ()
    lines = "\n".join(f"{RIGHT_SIGN if case.right else ''}{case.text}" for case in options)
    before = guess.question if guess else ""
    question = _typed(_("Question for the class"), before, f"{key}-question")
    label = _("Its answers, two to five, one a line; * before the right one")
    answers = _typed(label, lines, f"{key}-answers", lines=True)
    written = [line.strip() for line in answers.splitlines() if line.strip(f" {RIGHT_SIGN}")]
    if not question.strip():
        return None
    if not FEWEST_OPTIONS <= len(written) <= MOST_OPTIONS:
        st.caption(_("A question needs two to five answers."))
        return guess
    given = tuple(
        Case(line.lstrip(RIGHT_SIGN).strip(), right=line.startswith(RIGHT_SIGN) or None)
        for line in written
    )
    return Guess(question, given, guess.answer if guess else (Case(""),))


def _move(at: int, by: int) -> None:
    """Move a step by one place; remove it if ``by`` is 0."""
    steps = list(st.session_state[MY_STEPS])
    step = steps.pop(at)
    if by:
        steps.insert(at + by, step)
    _keep(steps, is_said=False)
