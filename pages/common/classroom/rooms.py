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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

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
pragma journal_mode = wal;
pragma synchronous = normal;
pragma foreign_keys = on;
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


class Rooms:
    """All rooms of a file, which is made when it is first used. Its methods raise RoomError.

    If the file is deleted or damaged while the server runs, its rooms end and a new one is made.
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
        """The code of a new room, which ends others of the visitor; a deserted one makes way."""
        with self._transaction() as sql:
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
            self._add_member(sql, code, visitor, leads=True)
            return code

    def join(self, code: str, visitor: str) -> None:
        """Become a member; nothing changes for one who is."""
        with self._transaction() as sql:
            if self._member(sql, code, visitor):
                return
            [n] = sql.execute(
                "select count(*) from visitor where code = ? and not leads and seen > ?",
                (code, self._clock() - UNUSED_SECONDS / 4),
            ).fetchone()
            if n >= self.limits.members:
                raise RoomError("members")
            self._add_member(sql, code, visitor, leads=False)
            self._changed(sql, code, "heard")

    def look(self, code: str, visitor: str) -> Room:
        """The room, for a member. It is also a sign that the visitor is present."""
        with self._transaction() as sql:
            now, me = self._clock(), _hash(code, visitor)
            version, heard, address, marked, lesson = self._room(sql, code)
            leads, follows, seen = self._member(sql, code, visitor) or _refuse("unknown")
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

    def versions(self, code: str) -> tuple[int, int]:
        with self._transaction(begin="begin") as sql:
            version, heard, *_ = self._room(sql, code)
            return version, heard

    def leave(self, code: str, visitor: str) -> None:
        """Be no member any more; the answers stay counted. A teacher who leaves ends the room."""
        with self._transaction() as sql:
            if self._leads(sql, code, visitor):
                sql.execute("delete from room where code = ?", (code,))
            key = code, _hash(code, visitor)
            sql.execute("delete from visitor where code = ? and id = ?", key)
            self._changed(sql, code, "heard")

    # ---- what the teacher does ----

    def lead(
        self, code: str, visitor: str, address: str, marked: tuple[str, Sequence[int]] | None
    ) -> None:
        """Send the class to an address (page, query), with these rows of a cloud ringed."""
        points = "" if marked is None else json.dumps([marked[0], list(marked[1][:MOST_MARKED])])
        if len(address) > LONGEST_ADDRESS:
            raise RoomError("long")
        with self._transaction(leader=(code, visitor)) as sql:
            sql.execute(
                "update room set version = version + 1, used = ?, address = ?, marked = ?"
                " where code = ? and (address, marked) != (?, ?)",
                (self._clock(), address, points, code, address, points),
            )

    def give_lesson(self, code: str, visitor: str, lesson: str) -> None:
        """The teacher's own lesson (TOML), of which the class sees the steps."""
        if len(lesson) > LONGEST_LESSON:
            raise RoomError("long")
        with self._transaction(leader=(code, visitor)) as sql:
            sql.execute(
                "update room set lesson = ?, version = version + 1 where code = ? and lesson != ?",
                (lesson, code, lesson),
            )

    def reveal(self, code: str, visitor: str, question: Question, truth: int) -> None:
        """Show all which option is right. Answers are closed then."""
        with self._transaction(leader=(code, visitor)) as sql:
            self._note(sql, code, question)
            sql.execute(
                "update question set truth = ? where code = ? and id = ?",
                (truth, code, question.id),
            )
            self._changed(sql, code, "version")

    def invite(self, code: str, visitor: str) -> str:
        """A word by which one more device may lead, for two minutes."""
        with self._transaction(leader=(code, visitor)) as sql:
            word, until = _signs(INVITATION_LENGTH), self._clock() + INVITATION_SECONDS
            sql.execute("delete from invitation where code = ?", (code,))
            sql.execute("insert into invitation values (?, ?, ?)", (code, word, until))
            return word

    def accept(self, code: str, visitor: str, word: str) -> bool:
        """Lead from this device too, by a word that the teacher's device shows; used once."""
        with self._transaction() as sql:
            self._room(sql, code)
            found = sql.execute(
                "delete from invitation where code = ? and word = ? and until > ?",
                (code, word, self._clock()),
            ).rowcount
            if found:
                self._add_member(sql, code, visitor, leads=True)
                key = code, _hash(code, visitor)
                sql.execute("delete from answer where code = ? and visitor = ?", key)
            return bool(found)

    def summary(self, code: str, visitor: str) -> list[Tally]:
        with self._transaction(leader=(code, visitor)) as sql:
            query = "select id from question where code = ? order by place"
            rows = sql.execute(query, (code,)).fetchall()
            return [self._tally(sql, code, visitor, id_, is_summary=True) for (id_,) in rows]

    # ---- what all do ----

    def follow(self, code: str, visitor: str, *, is_wanted: bool) -> None:
        with self._transaction() as sql:
            row = (is_wanted, code, _hash(code, visitor))
            sql.execute("update visitor set follows = ? where code = ? and id = ?", row)
            self._changed(sql, code, "heard")

    def ask(self, code: str, visitor: str, question: Question) -> Tally | None:
        """The state of a question, in the teacher's words; None until the teacher asks it."""
        with self._transaction() as sql:
            if self._leads(sql, code, visitor):
                self._note(sql, code, question)
            if self._asked(sql, code, question.id) is None:
                return None
            return self._tally(sql, code, visitor, question.id)

    def is_revealed(self, code: str, question: str) -> bool:
        """Whether the answer to a question has been shown, so that guesses are closed."""
        with self._transaction(begin="begin") as sql:
            asked = self._asked(sql, code, question)
            return asked is not None and asked[1] is not None

    def answer(self, code: str, visitor: str, question: Question, option: int) -> None:
        """A student's answer to a question that the teacher has asked; another one replaces it."""
        with self._transaction() as sql:
            now, me = self._clock(), _hash(code, visitor)
            [leads, *_] = self._member(sql, code, visitor) or _refuse("unknown")
            about, truth = self._asked(sql, code, question.id) or _refuse("unknown")
            if leads:
                return  # a teacher's answer is not counted
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

    # ---- parts ----

    def _count_pace(self, code: str, visitor: str, minute: int) -> None:
        self._pace = {key: each for key, each in self._pace.items() if each[0] == minute}
        n = self._pace.get((code, visitor), (minute, 0))[1] + 1
        if n > self.limits.answers_a_minute:
            raise RoomError("answers")
        self._pace[code, visitor] = minute, n

    def _note(self, sql: sqlite3.Connection, code: str, question: Question) -> None:
        about = json.dumps([question.text, question.options], ensure_ascii=False)
        if len(about) > LONGEST_QUESTION:
            raise RoomError("long")
        key = code, question.id
        known = self._asked(sql, *key)
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

    def _asked(self, sql: sqlite3.Connection, code: str, id_: str) -> tuple[str, int | None] | None:
        """The teacher's words for a question, as JSON, and its revealed answer."""
        query = "select about, truth from question where code = ? and id = ?"
        found: tuple[str, int | None] | None = sql.execute(query, (code, id_)).fetchone()
        return found

    def _tally(
        self,
        sql: sqlite3.Connection,
        code: str,
        visitor: str,
        id_: str,
        *,
        is_summary: bool = False,
    ) -> Tally:
        about, truth = self._asked(sql, code, id_) or _refuse("unknown")
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
        query = (
            "select version, heard, address, marked, lesson from room where code = ? and used > ?"
        )
        found = sql.execute(query, (code, self._clock() - UNUSED_SECONDS)).fetchone()
        return found or _refuse("unknown")

    def _member(
        self, sql: sqlite3.Connection, code: str, visitor: str
    ) -> tuple[int, int, float] | None:
        """Whether the visitor leads and follows, and when it was seen; None for no member."""
        self._room(sql, code)
        query = "select leads, follows, seen from visitor where code = ? and id = ?"
        key = code, _hash(code, visitor)
        found: tuple[int, int, float] | None = sql.execute(query, key).fetchone()
        return found

    def _add_member(self, sql: sqlite3.Connection, code: str, visitor: str, *, leads: bool) -> None:
        sql.execute(
            "insert into visitor (code, id, leads, seen) values (?, ?, ?, ?)"
            " on conflict do update set leads = excluded.leads",
            (code, _hash(code, visitor), leads, self._clock()),
        )

    def _leads(self, sql: sqlite3.Connection, code: str, visitor: str) -> bool:
        found = self._member(sql, code, visitor)
        return bool(found and found[0])

    # ---- the file ----

    @contextmanager
    def _transaction(
        self, *, leader: tuple[str, str] | None = None, begin: str = "begin immediate"
    ) -> Iterator[sqlite3.Connection]:
        """One transaction. RoomError "leader" unless this visitor leads, "file" without a file."""
        if not self.limits.rooms:
            raise RoomError("closed")
        if time.monotonic() - self._failed < REST_SECONDS:
            raise RoomError("file")  # a server does not wait for the same file again and again
        with self._lock:
            try:
                connection = self._connected()
                with connection:
                    connection.execute(begin)
                    if leader is not None and not self._leads(connection, *leader):
                        raise RoomError("leader")
                    yield connection
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
            pages = self.limits.megabytes * MEGABYTE // PAGE_BYTES
            connection.executescript(f"pragma max_page_count = {pages};{SCHEMA}")
        except sqlite3.Error:
            connection.close()
            raise
        self._connection, self._identity = connection, (found.st_dev, found.st_ino)
        return connection

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def _set_aside(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                damaged = self._file.with_name(self._file.name + suffix)
                damaged.rename(damaged.with_name(f"{damaged.name}.damaged"))


def _refuse(reason: str) -> NoReturn:
    raise RoomError(reason)


def _signs(n: int) -> str:
    return "".join(secrets.choice(SIGNS) for _ in range(n))


def _hash(code: str, visitor: str) -> str:
    return hashlib.blake2b(f"{code} {visitor}".encode(), digest_size=16).hexdigest()


class Gate:
    """Slows those who guess codes: after many wrong ones, codes are tried one after the other."""

    EACH, LONGEST = 0.2, 10.0  # seconds of each further try; a longer wait is refused

    def __init__(
        self,
        free: int,  # wrong codes in a minute that cost nothing
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
        with self._lock:
            self._wrong = [*self._wrong[-2 * self._free :], self._clock()]
