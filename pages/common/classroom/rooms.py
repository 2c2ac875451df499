"""The rooms of classes: one SQLite file in the cache folder, which several servers may share.

A visitor is known by a hash of the room and of a random cookie. There are no names and no times of
answers in the file; of each visitor the time of the last visit, until the room ends.
"""

import hashlib
import json
import secrets
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geometry.data.limits import MEGABYTE
from geometry.hub.operator_limits import ClassLimits

SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without I, O, 0 and 1, which look like others
CODE_LENGTH, INVITATION_LENGTH = 6, 8
UNUSED_SECONDS = 4 * 3600.0  # after which a room ends
PRESENT_SECONDS = 40.0  # since a visitor's last sign, for which it counts as present
SIGN_SECONDS = 10.0  # between two signs of a visitor
INVITATION_SECONDS = 120.0  # for which a second device may be let in
LOCKED_SECONDS = 2.0  # that a call waits for another process
REST_SECONDS = 5.0  # after a failure of the file, during which calls fail at once
ABSENT_SECONDS = 600.0  # since anybody's last sign, for which a room may make way for a new one
LONGEST_ADDRESS, LONGEST_QUESTION, LONGEST_LESSON = 4_000, 8_000, 200_000  # characters
MOST_MARKED = 2_000  # selected points that are sent to the class
MOST_QUESTIONS = 200  # of a room
PAGE_BYTES = 4096  # of SQLite

# the state of a room at first
NEW = {"version": 0, "heard": 0, "address": "", "marked": None, "lesson": "", "questions": {}}
TABLE = "create table if not exists class (code text primary key, state text not null)"


class RoomError(Exception):
    """A refusal; ``reason`` is a code of ``bar.reason_text``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Room:
    code: str
    version: int  # rises when the teacher leads elsewhere, reveals or points
    heard: int  # rises when students answer, come, go, follow or stop following
    leads: bool
    follows: bool
    address: str
    marked: tuple[str, tuple[int, ...]] | None  # the key of a cloud and its selected rows
    lesson: str
    n_members: int  # students present
    n_following: int


@dataclass(frozen=True)
class Question:
    """A guess: its text and its two or more options, as the teacher reads them."""

    id: str
    text: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Tally:
    question: Question
    n: int
    own: int | None  # this visitor's option
    truth: int | None  # the right option, once it has been revealed
    counts: tuple[int, ...]  # last answers by option; () before the reveal, but in a summary
    firsts: tuple[int, ...]  # first answers, likewise

    @property
    def is_revealed(self) -> bool:
        return self.truth is not None


class _OpenRoom:
    """A room while a visitor's call reads or changes it; ``state`` is stored as JSON."""

    def __init__(self, code: str, visitor: str, text: str) -> None:
        self.me = _hash(code, visitor)
        self.state: dict[str, Any] = json.loads(text)
        self.visitors: dict[str, dict[str, Any]] = self.state.get("visitors", {})
        self.questions: dict[str, dict[str, Any]] = self.state.get("questions", {})
        self.leads = bool(self.visitors.get(self.me, {}).get("leads"))

    def member(self) -> dict[str, Any]:
        if self.me not in self.visitors:
            raise RoomError("unknown")
        return self.visitors[self.me]

    def students_since(self, at: float) -> list[dict[str, Any]]:
        every = self.visitors.values()
        return [each for each in every if not each["leads"] and each["seen"] > at]

    def note(self, question: Question) -> None:
        """Store the teacher's words; with another number of options the answers begin anew."""
        options = list(question.options)
        known = self.questions.get(question.id)
        is_one_more = known is None and len(self.questions) >= MOST_QUESTIONS
        if is_one_more or len(question.text) + sum(map(len, options)) > LONGEST_QUESTION:
            raise RoomError("long")
        if known is None or len(known["options"]) != len(options):
            known = self.questions[question.id] = {"truth": None, "answers": {}}
        known |= {"text": question.text, "options": options}

    def tally(self, id_: str, *, is_summary: bool = False) -> Tally:
        asked = self.questions[id_]
        answers = asked["answers"]
        truth = asked["truth"]
        question = Question(id_, asked["text"], tuple(asked["options"]))
        _first, own = answers.get(self.me, (None, None))
        if truth is None and not is_summary:
            return Tally(question, len(answers), own, truth, (), ())
        firsts, lasts = [0] * len(question.options), [0] * len(question.options)
        for first, last in answers.values():
            firsts[first] += 1
            lasts[last] += 1
        return Tally(question, len(answers), own, truth, tuple(lasts), tuple(firsts))


class Rooms:
    """All rooms of a file, which is made when it is first used. Its methods raise RoomError.

    If the file is deleted or damaged while the server runs, its rooms end and a new one is made.
    """

    def __init__(self, file: Path, limits: ClassLimits) -> None:
        self._file, self.limits, self._clock = file, limits, time.time
        self._lock = threading.Lock()
        self._failed = -REST_SECONDS
        self._minute, self._pace = 0, Counter[tuple[str, str]]()  # answers in this minute

    def open(self, visitor: str) -> str:
        """The code of a new room, which ends others of the visitor; a deserted one makes way."""
        with self._transaction() as sql:
            now = self._clock()
            code = _signs(CODE_LENGTH)
            seen, ended = {}, []
            for each, text in sql.execute("select code, state from class"):
                room = _OpenRoom(each, visitor, text)
                if room.leads or room.state["used"] < now - UNUSED_SECONDS:
                    ended.append(each)
                else:
                    seen[each] = max(one["seen"] for one in room.visitors.values())
            if len(seen) >= self.limits.rooms:
                ended.append(min(seen, key=seen.__getitem__))
                if seen[ended[-1]] >= now - ABSENT_SECONDS:
                    raise RoomError("rooms")
            sql.executemany("delete from class where code = ?", [(each,) for each in ended])
            visitors = {_hash(code, visitor): _visitor(now, leads=True)}
            state = NEW | {"used": now, "visitors": visitors, "invitation": ("", 0)}
            sql.execute("insert into class values (?, ?)", (code, json.dumps(state)))
            return code

    def join(self, code: str, visitor: str) -> None:
        """Become a member; nothing changes for one who is."""
        with self._room(code, visitor) as room:
            now = self._clock()
            if room.me in room.visitors:
                return
            if len(room.students_since(now - UNUSED_SECONDS / 4)) >= self.limits.members:
                raise RoomError("members")
            room.visitors[room.me] = _visitor(now)
            room.state["heard"] += 1

    def look(self, code: str, visitor: str) -> Room:
        """The room, for a member. It is also a sign that the visitor is present."""
        with self._room(code, visitor) as room:
            now = self._clock()
            me = room.member()
            state = room.state
            if now - me["seen"] > SIGN_SECONDS:
                me["seen"] = now
                state["used"] = now if me["leads"] else state["used"]
            present = [each["follows"] for each in room.students_since(now - PRESENT_SECONDS)]
            marked = state["marked"] and (state["marked"][0], tuple(state["marked"][1]))
            return Room(
                *(code, state["version"], state["heard"], me["leads"], me["follows"]),
                *(state["address"], marked, state["lesson"], len(present), sum(present)),
            )

    def versions(self, code: str) -> tuple[int, int]:
        with self._room(code) as room:
            return room.state["version"], room.state["heard"]

    def leave(self, code: str, visitor: str) -> None:
        """Be no member any more; the answers stay counted. A teacher who leaves ends the room."""
        with self._room(code, visitor) as room:
            if room.leads:
                room.state.clear()
                return
            room.visitors.pop(room.me, None)
            room.state["heard"] += 1

    # ---- what the teacher does ----

    def lead(
        self, code: str, visitor: str, address: str, marked: tuple[str, Sequence[int]] | None
    ) -> None:
        """Send the class to an address (page, query), with these rows of a cloud ringed."""
        if len(address) > LONGEST_ADDRESS:
            raise RoomError("long")
        points = None if marked is None else [marked[0], list(marked[1][:MOST_MARKED])]
        self._tell(code, visitor, {"address": address, "marked": points})

    def give_lesson(self, code: str, visitor: str, lesson: str) -> None:
        if len(lesson) > LONGEST_LESSON:
            raise RoomError("long")
        self._tell(code, visitor, {"lesson": lesson})

    def _tell(self, code: str, visitor: str, changed: dict[str, Any]) -> None:
        with self._room(code, visitor, is_led=True) as room:
            if changed != {name: room.state[name] for name in changed}:
                room.state |= changed
                room.state["version"] += 1

    def reveal(self, code: str, visitor: str, question: Question, truth: int) -> None:
        with self._room(code, visitor, is_led=True) as room:
            room.note(question)
            room.questions[question.id]["truth"] = truth
            room.state["version"] += 1

    def invite(self, code: str, visitor: str) -> str:
        """A word by which one more device may lead, for two minutes."""
        with self._room(code, visitor, is_led=True) as room:
            word = _signs(INVITATION_LENGTH)
            room.state["invitation"] = word, self._clock() + INVITATION_SECONDS
            return word

    def accept(self, code: str, visitor: str, word: str) -> bool:
        """Lead from this device too, by a word that the teacher's device shows; used once."""
        with self._room(code, visitor) as room:
            now = self._clock()
            known, until = room.state["invitation"]
            if not word or word != known or until <= now:
                return False
            room.state["invitation"] = "", 0.0
            room.visitors.setdefault(room.me, _visitor(now))["leads"] = True
            for each in room.questions.values():
                each["answers"].pop(room.me, None)
            return True

    def summary(self, code: str, visitor: str) -> list[Tally]:
        with self._room(code, visitor, is_led=True) as room:
            return [room.tally(each, is_summary=True) for each in room.questions]

    # ---- what all do ----

    def follow(self, code: str, visitor: str, *, is_wanted: bool) -> None:
        with self._room(code, visitor) as room:
            room.member()["follows"] = is_wanted
            room.state["heard"] += 1

    def ask(self, code: str, visitor: str, question: Question) -> Tally | None:
        """The state of a question, in the teacher's words; None until the teacher asks it."""
        with self._room(code, visitor) as room:
            if room.leads:
                room.note(question)
            return room.tally(question.id) if question.id in room.questions else None

    def is_revealed(self, code: str, question: str) -> bool:
        with self._room(code) as room:
            return room.questions.get(question, {}).get("truth") is not None

    def answer(self, code: str, visitor: str, question: Question, option: int) -> None:
        """A student's answer to a question that the teacher has asked; another one replaces it."""
        with self._room(code, visitor) as room:
            room.member()
            asked = room.questions.get(question.id)
            if asked is None:
                raise RoomError("unknown")
            if room.leads:
                return  # a teacher's answer is not counted
            if asked["truth"] is not None:
                raise RoomError("revealed")
            if not 0 <= option < len(asked["options"]):
                raise RoomError("unknown")
            if int(self._clock() // 60) != self._minute:
                self._minute = int(self._clock() // 60)
                self._pace.clear()
            if self._pace[code, room.me] >= self.limits.answers_a_minute:
                raise RoomError("answers")
            self._pace[code, room.me] += 1
            first, _last = asked["answers"].get(room.me, (option, option))
            asked["answers"][room.me] = first, option
            room.state["heard"] += 1

    # ---- the file ----

    @contextmanager
    def _room(self, code: str, visitor: str = "", *, is_led: bool = False) -> Iterator[_OpenRoom]:
        """A room; its changes are stored after the block. ``is_led`` : the visitor has to lead."""
        with self._transaction() as sql:
            query = "select state from class where code = ?"
            [text] = sql.execute(query, (code,)).fetchone() or ['{"used": 0}']
            room = _OpenRoom(code, visitor, text)
            before = {**room.state}
            if before["used"] <= self._clock() - UNUSED_SECONDS:
                raise RoomError("unknown")
            if is_led and not room.leads:
                raise RoomError("leader")
            yield room
            if not room.state:
                sql.execute("delete from class where code = ?", (code,))
                return
            if any(room.state[each] != before[each] for each in ("version", "heard")):
                room.state["used"] = self._clock()
            if (changed := json.dumps(room.state)) != text:
                sql.execute("update class set state = ? where code = ?", (changed, code))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if not self.limits.rooms:
            raise RoomError("closed")
        if time.monotonic() - self._failed < REST_SECONDS:
            raise RoomError("file")  # a server does not wait for the same file again and again
        with self._lock:
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                self._file.touch(mode=0o600)
                opened = sqlite3.connect(self._file, timeout=LOCKED_SECONDS, isolation_level=None)
                with closing(opened) as connection, connection:
                    pages = self.limits.megabytes * MEGABYTE // PAGE_BYTES
                    connection.execute(f"pragma max_page_count = {pages}")
                    connection.execute("pragma synchronous = off")  # a room lives for hours
                    connection.execute("begin immediate")
                    connection.execute(TABLE)
                    yield connection
            except (sqlite3.Error, OSError) as error:
                name = getattr(error, "sqlite_errorname", "")
                if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
                    with suppress(OSError):
                        self._file.rename(self._file.with_name(f"{self._file.name}.damaged"))
                else:
                    self._failed = time.monotonic()
                raise RoomError("file") from error


def _visitor(now: float, *, leads: bool = False) -> dict[str, Any]:
    return {"leads": leads, "follows": True, "seen": now}


def _signs(n: int) -> str:
    return "".join(secrets.choice(SIGNS) for _ in range(n))


def _hash(code: str, visitor: str) -> str:
    return hashlib.blake2b(f"{code} {visitor}".encode(), digest_size=16).hexdigest()


class Gate:
    """Slows those who guess codes: after many wrong ones, codes are tried one after the other."""

    EACH, LONGEST = 0.2, 10.0  # seconds of each further try; a longer wait is refused

    def __init__(self, free: int) -> None:
        self._free = free  # wrong codes in a minute that cost nothing
        self._clock, self._sleep = time.monotonic, time.sleep
        self._lock = threading.Lock()
        self._wrong: list[float] = []
        self._next = 0.0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn to try a code in the block; RoomError "busy" if it is far."""
        with self._lock:
            now = at = self._clock()
            self._wrong = [each for each in self._wrong if now - each < 60]
            if len(self._wrong) >= self._free:
                at = max(now, self._next) + self.EACH
                if at - now > self.LONGEST:
                    raise RoomError("busy")
                self._next = at
        if at > now:
            self._sleep(at - now)
        try:
            yield
        except RoomError as error:
            if error.reason == "unknown":
                with self._lock:
                    self._wrong = [*self._wrong[-2 * self._free :], self._clock()]
            raise
