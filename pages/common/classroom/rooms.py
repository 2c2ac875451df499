"""The rooms of classes: one SQLite file in the cache folder, which several servers may share.

A visitor is known by a hash of the room and of a random cookie. There are no names and no times of
answers in the file; of each visitor the time of the last visit, until the room ends.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

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

SCHEMA = """
create table if not exists room (
    code text primary key, used real not null, version integer not null default 0,
    heard integer not null default 0, address text not null default '',
    marked text not null default '', lesson text not null default '');
create table if not exists visitor (
    code text not null references room on delete cascade, id text not null,
    leads integer not null, seen real not null, follows integer not null default 1,
    primary key (code, id)) without rowid;
create table if not exists question (
    code text not null references room on delete cascade, id text not null,
    place integer not null, about text not null, truth integer,
    primary key (code, id)) without rowid;
create table if not exists answer (
    code text not null references room on delete cascade, question text not null,
    visitor text not null, first integer not null, last integer not null,
    primary key (code, question, visitor)) without rowid;
create table if not exists invitation (
    code text not null references room on delete cascade, word text not null,
    until real not null, primary key (code, word)) without rowid;
"""

Answer = TypeVar("Answer")


class RoomError(Exception):
    """A refusal.

    Attributes
    ----------
    reason : str
        "closed": the operator allows no rooms. "rooms", "members", "answers": a limit.
        "unknown": no room has this code. "busy": too many wrong codes came. "leader": only the
        teacher may. "revealed": the answer has been shown. "long": a text over its limit.
        "file": the file can't be used.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Room:
    """What a visitor sees of a room.

    version : rises when the teacher leads elsewhere, reveals or points. heard : rises when students
    answer, come, go, follow or stop following. marked : the key of a cloud and its selected rows.
    n_members : students present; n_following : those of them who follow.
    """

    code: str
    version: int
    heard: int
    leads: bool
    follows: bool
    address: str
    marked: tuple[str, tuple[int, ...]] | None
    lesson: str
    n_members: int
    n_following: int


@dataclass(frozen=True)
class Question:
    """A guess: its text and its two or more options, as the teacher reads them."""

    id: str
    text: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Tally:
    """The answers to a question.

    own : this visitor's option. truth : the right one, once it has been revealed. counts, firsts :
    last and first answers by option; () before the reveal, but in a summary.
    """

    question: Question
    n: int
    own: int | None
    truth: int | None
    counts: tuple[int, ...]
    firsts: tuple[int, ...]

    @property
    def is_revealed(self) -> bool:
        return self.truth is not None


class Rooms:
    """All rooms of a file. Its methods raise RoomError.

    Parameters
    ----------
    file : path
        Made when it is first used. If it is deleted or damaged while the server runs, its rooms
        end and a new file is made.
    limits : ClassLimits
    clock : callable
        Seconds since the epoch.
    """

    def __init__(
        self, file: Path, limits: ClassLimits, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._file, self.limits, self._clock = file, limits, clock
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] = (0, 0)
        self._failed = -REST_SECONDS
        self._pace: dict[tuple[str, str], tuple[int, int]] = {}  # answers in this minute

    # ---- rooms ----

    def open(self, visitor: str) -> str:
        """A new room that this visitor leads; returns its code. It ends the visitor's other rooms.

        If there are too many, a room from which all are absent makes way.
        """
        if not self.limits.rooms:
            raise RoomError("closed")

        def work(sql: sqlite3.Connection) -> str:
            now = self._clock()
            sql.execute("delete from room where used < ?", (now - UNUSED_SECONDS,))
            for (each,) in sql.execute("select code from room").fetchall():
                if self._leads(sql, each, visitor):
                    sql.execute("delete from room where code = ?", (each,))
            [n] = sql.execute("select count(*) from room").fetchone()
            if n >= self.limits.rooms:
                left = sql.execute(
                    "delete from room where code in (select code from visitor group by code"
                    " having max(seen) < ? order by max(seen) limit 1)",
                    (now - ABSENT_SECONDS,),
                ).rowcount
                if not left:
                    raise RoomError("rooms")
            code = _signs(CODE_LENGTH)
            sql.execute("insert into room (code, used) values (?, ?)", (code, now))
            row = (code, _hash(code, visitor), now)
            sql.execute("insert into visitor (code, id, leads, seen) values (?, ?, 1, ?)", row)
            return code

        return self._do(work)

    def join(self, code: str, visitor: str) -> None:
        """Become a member; nothing changes for one who is."""

        def work(sql: sqlite3.Connection) -> None:
            self._room(sql, code)
            key = code, _hash(code, visitor)
            if sql.execute("select 1 from visitor where code = ? and id = ?", key).fetchone():
                return
            [n] = sql.execute(
                "select count(*) from visitor where code = ? and not leads and seen > ?",
                (code, self._clock() - UNUSED_SECONDS / 4),
            ).fetchone()
            if n >= self.limits.members:
                raise RoomError("members")
            row = (*key, self._clock())
            sql.execute("insert into visitor (code, id, leads, seen) values (?, ?, 0, ?)", row)
            self._changed(sql, code, "heard")

        self._do(work)

    def look(self, code: str, visitor: str) -> Room:
        """The room, for a member. It is also a sign that the visitor is present."""

        def work(sql: sqlite3.Connection) -> Room:
            now, me = self._clock(), _hash(code, visitor)
            version, heard, address, marked, lesson = self._room(sql, code)
            found = sql.execute(
                "select leads, follows, seen from visitor where code = ? and id = ?", (code, me)
            ).fetchone()
            if found is None:
                raise RoomError("unknown")
            leads, follows, seen = found
            if now - seen > SIGN_SECONDS:
                sql.execute(
                    "update visitor set seen = ? where code = ? and id = ?", (now, code, me)
                )
                if leads:
                    sql.execute("update room set used = ? where code = ?", (now, code))
            n, following = sql.execute(
                "select count(*), coalesce(sum(follows), 0) from visitor"
                " where code = ? and not leads and seen > ?",
                (code, now - PRESENT_SECONDS),
            ).fetchone()
            key, rows = json.loads(marked) if marked else (None, ())
            points = None if key is None else (str(key), tuple(rows))
            state = bool(leads), bool(follows), address, points, lesson
            return Room(code, version, heard, *state, n, following)

        return self._do(work)

    def versions(self, code: str) -> tuple[int, int]:
        """``version`` and ``heard`` of a room, at little cost."""
        found = self._do(lambda sql: self._room(sql, code), begin="begin")
        return found[0], found[1]

    def leave(self, code: str, visitor: str) -> None:
        """Be no member any more; the answers stay counted. A teacher who leaves ends the room."""

        def work(sql: sqlite3.Connection) -> None:
            if self._leads(sql, code, visitor):
                sql.execute("delete from room where code = ?", (code,))
            key = code, _hash(code, visitor)
            sql.execute("delete from visitor where code = ? and id = ?", key)
            self._changed(sql, code, "heard")

        self._do(work)

    # ---- what the teacher does ----

    def lead(
        self, code: str, visitor: str, address: str, marked: tuple[str, Sequence[int]] | None
    ) -> None:
        """Send the class to an address (page, query), with these rows of a cloud ringed."""
        points = "" if marked is None else json.dumps([marked[0], list(marked[1][:MOST_MARKED])])
        if len(address) > LONGEST_ADDRESS:
            raise RoomError("long")

        def work(sql: sqlite3.Connection) -> None:
            self._require_leader(sql, code, visitor)
            sql.execute(
                "update room set version = version + 1, used = ?, address = ?, marked = ?"
                " where code = ? and (address, marked) != (?, ?)",
                (self._clock(), address, points, code, address, points),
            )

        self._do(work)

    def give_lesson(self, code: str, visitor: str, lesson: str) -> None:
        """The teacher's own lesson (TOML), of which the class sees the steps."""
        if len(lesson) > LONGEST_LESSON:
            raise RoomError("long")

        def work(sql: sqlite3.Connection) -> None:
            self._require_leader(sql, code, visitor)
            sql.execute(
                "update room set lesson = ?, version = version + 1 where code = ? and lesson != ?",
                (lesson, code, lesson),
            )

        self._do(work)

    def reveal(self, code: str, visitor: str, question: Question, truth: int) -> None:
        """Show all which option is right. Answers are closed then."""

        def work(sql: sqlite3.Connection) -> None:
            self._require_leader(sql, code, visitor)
            self._note(sql, code, question)
            sql.execute(
                "update question set truth = ? where code = ? and id = ?",
                (truth, code, question.id),
            )
            self._changed(sql, code, "version")

        self._do(work)

    def invite(self, code: str, visitor: str) -> str:
        """A word by which one more device may lead, for two minutes."""

        def work(sql: sqlite3.Connection) -> str:
            self._require_leader(sql, code, visitor)
            word, until = _signs(INVITATION_LENGTH), self._clock() + INVITATION_SECONDS
            sql.execute("delete from invitation where code = ?", (code,))
            sql.execute("insert into invitation values (?, ?, ?)", (code, word, until))
            return word

        return self._do(work)

    def accept(self, code: str, visitor: str, word: str) -> bool:
        """Lead from this device too, by a word that the teacher's device shows; used once."""

        def work(sql: sqlite3.Connection) -> bool:
            self._room(sql, code)
            found = sql.execute(
                "delete from invitation where code = ? and word = ? and until > ?",
                (code, word, self._clock()),
            ).rowcount
            if found:
                row = (code, _hash(code, visitor), self._clock())
                sql.execute(
                    "insert into visitor (code, id, leads, seen) values (?, ?, 1, ?)"
                    " on conflict do update set leads = 1",
                    row,
                )
                sql.execute(
                    "delete from answer where code = ? and visitor = ?",
                    (code, _hash(code, visitor)),
                )
            return bool(found)

        return self._do(work)

    def summary(self, code: str, visitor: str) -> list[Tally]:
        """All questions in the order of asking, for the teacher."""

        def work(sql: sqlite3.Connection) -> list[Tally]:
            self._require_leader(sql, code, visitor)
            rows = sql.execute(
                "select id from question where code = ? order by place", (code,)
            ).fetchall()
            return [self._tally(sql, code, visitor, id_, is_summary=True) for (id_,) in rows]

        return self._do(work)

    # ---- what all do ----

    def follow(self, code: str, visitor: str, *, is_wanted: bool) -> None:
        """Follow the teacher, or wander off."""

        def work(sql: sqlite3.Connection) -> None:
            row = (is_wanted, code, _hash(code, visitor))
            sql.execute("update visitor set follows = ? where code = ? and id = ?", row)
            self._changed(sql, code, "heard")

        self._do(work)

    def ask(self, code: str, visitor: str, question: Question) -> Tally | None:
        """The state of a question; None if the teacher has not come to it yet.

        Only the teacher's words for it are kept. If the number of options changes, it begins anew.
        """

        def work(sql: sqlite3.Connection) -> Tally | None:
            if self._leads(sql, code, visitor):
                self._note(sql, code, question)
            key = code, question.id
            known = sql.execute("select 1 from question where code = ? and id = ?", key).fetchone()
            return self._tally(sql, code, visitor, question.id) if known else None

        return self._do(work)

    def is_revealed(self, code: str, question: str) -> bool:
        """Whether the answer to a question has been shown, so that guesses are closed."""
        query = "select 1 from question where code = ? and id = ? and truth is not null"
        found = self._do(lambda sql: sql.execute(query, (code, question)).fetchone(), begin="begin")
        return found is not None

    def answer(self, code: str, visitor: str, question: Question, option: int) -> None:
        """A student's answer; another one replaces it until the reveal.

        RoomError "unknown" for a question that the teacher has not asked.
        """

        def work(sql: sqlite3.Connection) -> None:
            now, me = self._clock(), _hash(code, visitor)
            self._room(sql, code)
            found = sql.execute(
                "select leads from visitor where code = ? and id = ?", (code, me)
            ).fetchone()
            asked = sql.execute(
                "select about, truth from question where code = ? and id = ?", (code, question.id)
            ).fetchone()
            if found is None or asked is None:
                raise RoomError("unknown")
            if found[0]:
                return  # a teacher's answer is not counted
            about, truth = asked
            if truth is not None:
                raise RoomError("revealed")
            if not 0 <= option < len(json.loads(about)[1]):
                raise RoomError("unknown")
            self._count_pace(code, me, int(now // 60))
            sql.execute(
                "insert into answer values (?, ?, ?, ?, ?) on conflict do update set last = ?",
                (code, question.id, me, option, option, option),
            )
            self._changed(sql, code, "heard")

        self._do(work)

    # ---- parts ----

    def _count_pace(self, code: str, visitor: str, minute: int) -> None:
        self._pace = {key: each for key, each in self._pace.items() if each[0] == minute}
        n = self._pace.get((code, visitor), (minute, 0))[1] + 1
        if n > self.limits.answers_a_minute:
            raise RoomError("answers")
        self._pace[code, visitor] = minute, n

    def _note(self, sql: sqlite3.Connection, code: str, question: Question) -> None:
        """Keep the teacher's words for a question."""
        about = json.dumps([question.text, question.options], ensure_ascii=False)
        if len(about) > LONGEST_QUESTION:
            raise RoomError("long")
        key = code, question.id
        known = sql.execute("select about from question where code = ? and id = ?", key).fetchone()
        if known is None:
            [n] = sql.execute("select count(*) from question where code = ?", (code,)).fetchone()
            if n >= MOST_QUESTIONS:
                raise RoomError("long")
            sql.execute("insert into question values (?, ?, ?, ?, null)", (*key, n, about))
        elif known[0] != about:
            sql.execute("update question set about = ? where code = ? and id = ?", (about, *key))
            if len(json.loads(known[0])[1]) != len(question.options):
                sql.execute("delete from answer where code = ? and question = ?", key)
                sql.execute("update question set truth = null where code = ? and id = ?", key)

    def _tally(
        self,
        sql: sqlite3.Connection,
        code: str,
        visitor: str,
        id_: str,
        *,
        is_summary: bool = False,
    ) -> Tally:
        about, truth = sql.execute(
            "select about, truth from question where code = ? and id = ?", (code, id_)
        ).fetchone()
        text, options = json.loads(about)
        rows = sql.execute(
            "select first, last, visitor from answer where code = ? and question = ?", (code, id_)
        ).fetchall()
        me = _hash(code, visitor)
        own = next((last for _, last, each in rows if each == me), None)
        counts, firsts = [0] * len(options), [0] * len(options)
        for first, last, _ in rows:
            firsts[first] += 1
            counts[last] += 1
        if truth is None and not is_summary:
            counts, firsts = [], []
        question = Question(id_, text, tuple(options))
        return Tally(question, len(rows), own, truth, tuple(counts), tuple(firsts))

    def _changed(self, sql: sqlite3.Connection, code: str, what: str) -> None:
        sql.execute(
            f"update room set {what} = {what} + 1, used = ? where code = ?",
            (self._clock(), code),
        )

    def _room(self, sql: sqlite3.Connection, code: str) -> tuple[int, int, str, str, str]:
        found = sql.execute(
            "select version, heard, address, marked, lesson from room where code = ? and used > ?",
            (code, self._clock() - UNUSED_SECONDS),
        ).fetchone()
        if found is None:
            raise RoomError("unknown")
        version, heard, address, marked, lesson = found
        return version, heard, address, marked, lesson

    def _leads(self, sql: sqlite3.Connection, code: str, visitor: str) -> bool:
        self._room(sql, code)
        found = sql.execute(
            "select leads from visitor where code = ? and id = ?", (code, _hash(code, visitor))
        ).fetchone()
        return bool(found and found[0])

    def _require_leader(self, sql: sqlite3.Connection, code: str, visitor: str) -> None:
        if not self._leads(sql, code, visitor):
            raise RoomError("leader")

    # ---- the file ----

    def _do(
        self, work: Callable[[sqlite3.Connection], Answer], *, begin: str = "begin immediate"
    ) -> Answer:
        """Do the work in one transaction. RoomError "file" if the file can't be used."""
        if not self.limits.rooms:
            raise RoomError("closed")
        if time.monotonic() - self._failed < REST_SECONDS:
            raise RoomError("file")  # a server does not wait for the same file again and again
        with self._lock:
            try:
                connection = self._connected()
                with connection:
                    connection.execute(begin)
                    return work(connection)
            except (sqlite3.Error, OSError) as error:
                self._close()
                name = getattr(error, "sqlite_errorname", "")
                if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
                    self._set_aside()
                else:
                    self._failed = time.monotonic()
                raise RoomError("file") from error

    def _connected(self) -> sqlite3.Connection:
        with suppress(OSError):
            found = self._file.stat()
            if self._connection is not None and self._identity == (found.st_dev, found.st_ino):
                return self._connection
        self._close()  # none was open, or the file has been deleted
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.touch(mode=0o600)
        found = self._file.stat()
        connection = sqlite3.connect(
            self._file, timeout=LOCKED_SECONDS, check_same_thread=False, isolation_level=None
        )
        try:
            connection.execute("pragma journal_mode = wal")
            connection.execute("pragma synchronous = normal")
            connection.execute("pragma foreign_keys = on")
            pages = self.limits.megabytes * MEGABYTE // PAGE_BYTES
            connection.execute(f"pragma max_page_count = {pages}")
            connection.executescript(SCHEMA)
        except sqlite3.Error:
            connection.close()
            raise
        self._connection, self._identity = connection, (found.st_dev, found.st_ino)
        return connection

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error), closing(self._connection):
                pass
        self._connection = None

    def _set_aside(self) -> None:
        """Rename a damaged file, so that a new one is made."""
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                damaged = self._file.with_name(self._file.name + suffix)
                damaged.rename(damaged.with_name(f"{damaged.name}.damaged"))


def _signs(n: int) -> str:
    return "".join(secrets.choice(SIGNS) for _ in range(n))


def _hash(code: str, visitor: str) -> str:
    return hashlib.blake2b(f"{code} {visitor}".encode(), digest_size=16).hexdigest()


class Gate:
    """Slows those who guess codes: after many wrong ones, codes are tried one after the other.

    Parameters
    ----------
    free : int
        Wrong codes in a minute that cost nothing.
    clock, sleep : callable
        Seconds, for the tests.
    """

    EACH, LONGEST = 0.2, 10.0  # seconds of each further try; a longer wait is refused

    def __init__(
        self,
        free: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._free, self._clock, self._sleep = free, clock, sleep
        self._lock = threading.Lock()
        self._wrong: list[float] = []
        self._next = 0.0

    def pass_(self) -> None:
        """Wait for one's turn; RoomError "busy" if it is far."""
        with self._lock:
            now = self._clock()
            self._wrong = [at for at in self._wrong if now - at < 60]
            if len(self._wrong) < self._free:
                return
            at = max(now, self._next) + self.EACH
            if at - now > self.LONGEST:
                raise RoomError("busy")
            self._next = at
        self._sleep(at - now)

    def wrong(self) -> None:
        """A code was wrong."""
        with self._lock:
            self._wrong = [*self._wrong[-2 * self._free :], self._clock()]
