"""What a class sees: the bar over every page, and the menu to open or join a room."""

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from html import escape
from typing import Any
from urllib.parse import urlsplit

import segno
import streamlit as st

from geometry.hub.operator_limits import read_class_limits

from ..address import CLASS, put_in_url
from ..downloads import csv_bytes, offer_csv
from ..draw.scripts import send
from ..messages import errors_shown
from ..uploads import chosen_own
from ..words import _, labelled, markdown, noted
from . import visit
from .rooms import INVITATION_SECONDS, MOST_MARKED, Question, Room, RoomError, Tally

PLACE, LINK = "class-place", "class-link"
ADDRESS_VARIABLE = "NARROW_CONE_ADDRESS"  # of this server, as students type it


def reason_text(reason: str) -> str:
    limits = visit.rooms().limits
    n = {"rooms": limits.rooms, "members": limits.members, "answers": limits.answers_a_minute}
    text = {
        "closed": _("This server has no rooms for classes. Its operator can allow them."),
        "rooms": _("This server already has {n} classes. That is the maximum."),
        "members": _("This class already has {n} students. That is the maximum."),
        "answers": _("You have answered {n} times in a minute. Wait a minute."),
        "unknown": _("No class has this code. Compare it with the one that your teacher shows."),
        "busy": _("Too many wrong codes were typed. Try again in a minute."),
        "ended": _("The class has ended."),
        "leader": _("Only the teacher of this class can do this."),
        "revealed": _("The answer has been shown, so guesses are closed."),
        "long": _("This is too long for a class. Shorten it."),
        "file": _(
            "The server can't use its file of rooms, so there is no class now. The pages go on."
        ),
    }[reason]
    return text.format(n=n.get(reason))


def show_class_menu() -> None:
    with errors_shown():
        read_class_limits()
    if not visit.rooms().limits.rooms:
        return
    with st.popover(_("Class"), key="class-menu", icon=":material/groups:", width="stretch"):
        room = visit.current()
        if room is not None:
            st.markdown(labelled(_("Code"), f"**{room.code}**"))
            if room.leads:
                if st.button(_("End the class"), key="class-end", width="stretch"):
                    st.dialog(_("End the class"))(_ask_for_end)(room.code)
                return
            label = _("Leave the class")
            st.button(label, key="class-leave", width="stretch", on_click=visit.leave_class)
            with st.form("class-accept", border=False):
                label = _("Are you the teacher? Type the word from your other device.")
                word = st.text_input(label, autocomplete="off").strip().upper()
                if st.form_submit_button(_("Lead from this device"), width="stretch"):
                    with visit.problem_shown():
                        if visit.rooms().accept(room.code, visit.visitor(), word):
                            st.rerun()
                        st.warning(_("This word is wrong, or older than two minutes."))
            return
        with st.form("class-join", border=False):
            code = st.text_input(_("Code of a class"), max_chars=12, autocomplete="off")
            if st.form_submit_button(_("Join"), width="stretch"):
                with visit.problem_shown():
                    visit.come(code.strip().upper(), visit.visitor())
                    put_in_url(CLASS, code.strip().upper())
                    st.rerun()
        st.button(_("Open a class"), key="class-open", width="stretch", on_click=_open)
        if problem := st.session_state.get(visit.PROBLEM):
            st.warning(reason_text(problem))


def _open() -> None:
    with visit.problem_shown():
        put_in_url(CLASS, visit.rooms().open(visit.visitor()))
        st.session_state.pop(visit.PROBLEM, None)
        st.session_state[visit.LEADS] = True


def make_place() -> None:
    """The bar's place, above the page of a class. ``show_class_bar`` fills it after the page."""
    is_needed = visit.current() is not None or visit.PROBLEM in st.session_state
    st.session_state[PLACE] = st.container(key=PLACE) if is_needed else None


def show_class_bar() -> None:
    """The room's state, its question, and what the teacher can do. Call it at a run's end."""
    visit.lead()
    place = st.session_state.get(PLACE)
    if place is None:
        return
    with place:
        if visit.current() is not None:
            _bar()
        elif problem := st.session_state.pop(visit.PROBLEM, None):
            st.warning(reason_text(problem), icon=":material/groups:")


@st.fragment(key=visit.CLASS_BAR)
def _bar() -> None:
    room = visit.current()
    if room is None:
        return
    try:
        now = visit.rooms().look(room.code, visit.visitor())
        found = visit.asked()
    except RoomError as error:
        if error.reason == "unknown":
            st.rerun()  # the class has ended; the page says so
        st.warning(reason_text(error.reason), icon=":material/groups:")
        _link(room)
        return
    tallies = st.session_state.get(visit.TALLY), found and found[1]
    before, after = (each is not None and each.is_revealed for each in tallies)
    is_new = found is not None and before != after
    if is_new or now.leads != room.leads or (not now.leads and now.marked != room.marked):
        st.rerun()
    with st.container(key=visit.CLASS_BAR, border=True, gap="xsmall"):
        _link(now)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _show_state(now)
        _key, rows = visit.selected() or ("", ())
        if now.leads and st.session_state.get(visit.LEADS) and len(rows) > MOST_MARKED:
            text = _("You selected {n} points. The class sees rings around the first {most}.")
            _say(text.format(n=f"{len(rows):,}", most=f"{MOST_MARKED:,}"))
        if found is not None:
            _show_question(now, *found)
        if problem := st.session_state.pop(visit.PROBLEM, None):
            st.warning(reason_text(problem))


def _link(room: Room) -> None:
    """The part in the browser: it waits for news, and goes where the teacher leads."""
    shared = ("code", "version", "heard", "leads", "follows", "address")
    message = {name: getattr(room, name) for name in shared}
    message["entry"] = st.session_state[visit.ENTRY]
    events: dict[str, Any] = {
        "news": None,
        "moved": lambda _time: visit.lead(),
        "left": lambda _time: _follow(room.code, False),
    }
    send("classroom", LINK, message, html="<span></span>", **events)


def _show_state(room: Room) -> None:
    code = labelled(_("Class"), f"**{room.code}**")
    if not room.leads:
        st.markdown(code, width="stretch" if room.follows else "content")
        if room.follows:
            label = _("Follow the teacher")
            st.toggle(label, True, key="class-follow", on_change=_follow, args=(room.code, False))
            return
        with st.container(width="stretch"):
            _say(_("You no longer follow your teacher."))
        label = _("Return to the teacher")
        back = (room.code, True)
        st.button(label, key="class-return", type="primary", on_click=_follow, args=back)
        return
    counts = _("students: {n} · following: {following}")
    counts = counts.format(n=room.n_members, following=room.n_following)
    st.markdown(f"{code} · {counts}", width="stretch")
    about = _(
        "The class sees your page and your settings. Your own texts and vectors stay with you."
    )
    st.toggle(_("Lead the class"), True, key=visit.LEADS, on_change=visit.lead, help=about)
    if st.button(_("Show the code"), key="class-code", icon=":material/qr_code_2:"):
        st.dialog(_("Join the class"), width="large")(_show_code)(room.code)
    if st.button(_("What the class learnt"), key="class-results", icon=":material/bar_chart:"):
        st.dialog(_("What the class learnt"), width="large")(_show_results)(room.code)


def _follow(code: str, is_wanted: bool) -> None:
    with suppress(RoomError):
        visit.rooms().follow(code, visit.visitor(), is_wanted=is_wanted)
    if is_wanted and chosen_own() is not None:
        st.session_state["corpus"] = "topics"  # own data are in no address
        st.rerun()


def _show_question(room: Room, question: Question, tally: Tally | None) -> None:
    if tally is None:
        _say(_("Your teacher has not asked this question yet."))
        return
    is_same = len(question.options) == len(tally.question.options)  # in the reader's language
    options = question.options if is_same else tally.question.options
    if tally.is_revealed:
        st.html(bars_html(options, tally.counts, tally.truth, own=tally.own))
        return
    if room.leads:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            text = _("{n} of {all} have answered.")
            with st.container(width="stretch"):
                _say(text.format(n=tally.n, all=max(tally.n, room.n_members)))
            how: dict[str, Any] = {"on_click": _reveal, "args": (room.code, question)}
            is_off = visit.TRUTH not in st.session_state
            label = _("Show the answer")
            st.button(label, key="class-reveal", type="primary", disabled=is_off, **how)
    elif tally.own is None:
        _say(_("Guess, please. The answer comes when your teacher shows it."))
    else:
        text = _("Your guess is “{guess}”. You can change it until your teacher shows the answer.")
        _say(text.format(guess=options[tally.own]))


def _say(text: str) -> None:
    """A line that screen readers read when it changes."""
    st.html(f'<p role="status">{escape(text)}</p>')


def _reveal(code: str, question: Question) -> None:
    with visit.problem_shown():
        visit.rooms().reveal(code, visit.visitor(), question, st.session_state[visit.TRUTH])


def bars_html(
    options: Sequence[str],
    counts: Sequence[int],
    truth: int | None,
    firsts: Sequence[int] = (),
    *,
    own: int | None = None,
) -> str:
    """The answers as bars; ``truth`` has a tick, ``own`` is marked, ``firsts`` are beside."""
    n = max(1, sum(counts))
    right = escape(_("right"))
    lines = []
    for place, (option, count) in enumerate(zip(options, counts, strict=True)):
        name = escape(option)
        if place == truth:
            name = f"<strong>✓ {noted(name, right)}</strong>"
        if place == own:
            name = noted(name, escape(_("your guess")))
        share = f"{count / n:.0%}"
        amount = f"{count} · {share}"
        if firsts:
            amount = noted(amount, escape(_("first {n}").format(n=firsts[place])))
        lines.append(
            f'<li><span>{name}</span><span class="class-share" aria-hidden="true">'
            f'<i style="width:{share}"></i></span><span>{amount}</span></li>'
        )
    return f'<div role="status"><ul class="class-bars">{"".join(lines)}</ul></div>'


def _show_code(code: str) -> None:
    # the address that the operator gave, or that of the teacher's browser
    here = urlsplit(st.context.url or "")
    root = os.environ.get(ADDRESS_VARIABLE) or f"{here.scheme}://{here.netloc}"
    address = f"{root.rstrip('/')}/?{CLASS}={code}"
    picture = segno.make(address).svg_data_uri(scale=8, border=2, light="white")
    st.html(
        f'<div class="class-code"><img src="{picture}" alt="{escape(address)}"><div>'
        f"<p>{escape(address)}</p><p>{escape(_('Code'))}</p><strong>{code}</strong></div></div>"
    )
    st.caption(_("Students type no name. The room ends four hours after its last use."))
    if st.button(_("Let another device of mine lead"), key="class-invite"):
        text = _("Join with the other device, and type **{word}** there within {n} minutes.")
        try:
            word = visit.rooms().invite(code, visit.visitor())
            st.info(text.format(word=word, n=round(INVITATION_SECONDS / 60)))
        except RoomError as error:
            st.warning(reason_text(error.reason))


def _ask_for_end(code: str) -> None:
    if tallies := _answered(code):
        st.markdown(_("The end deletes all answers. Download the counts first."))
        offer_csv(_("Download counts (CSV)"), "narrow-cone-class", partial(results_csv, tallies))
    else:
        st.markdown(_("No question has been answered yet."))
    if st.button(_("End the class"), key="class-leave", type="primary", on_click=visit.leave_class):
        st.rerun()


def _answered(code: str) -> list[Tally]:
    try:
        return [each for each in visit.rooms().summary(code, visit.visitor()) if each.n]
    except RoomError as error:
        st.warning(reason_text(error.reason))
        return []


def _show_results(code: str) -> None:
    tallies = _answered(code)
    if not tallies:
        st.info(_("No question has been answered yet."))
        return
    for tally in tallies:
        st.markdown(f"**{markdown(tally.question.text)}**")
        st.html(bars_html(tally.question.options, tally.counts, tally.truth, tally.firsts))
        if tally.truth not in (None, visit.NO_RIGHT_ANSWER):
            text = _("Right at first: {first} of {n}. Before the answer was shown: {last} of {n}.")
            at = int(tally.truth or 0)
            st.caption(text.format(first=tally.firsts[at], last=tally.counts[at], n=tally.n))
    offer_csv(_("Download counts (CSV)"), "narrow-cone-class", partial(results_csv, tallies))


def results_csv(tallies: Sequence[Tally]) -> bytes:
    rows = []
    for tally in tallies:
        has_truth = tally.truth not in (None, visit.NO_RIGHT_ANSWER)
        for place, option in enumerate(tally.question.options):
            counts = (str(tally.firsts[place]), str(tally.counts[place]))
            is_right = str(place == tally.truth).lower() if has_truth else ""
            rows.append([tally.question.text, option, *counts, is_right])
    head = ["question", "option", "first_answers", "last_answers", "is_right"]
    return csv_bytes(head, rows, _("answers of a class"))
