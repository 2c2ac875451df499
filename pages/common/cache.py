"""One way to keep an answer: for all readers, or for one session alone, within limits of bytes."""

import math
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from functools import partial, update_wrapper
from hashlib import sha256
from inspect import isfunction, signature
from itertools import chain, islice
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakSet, WeakValueDictionary

import numpy as np
import streamlit as st

from geometry.data.limits import MEGABYTE, PASSING_MEGABYTES
from geometry.hub.operator_limits import MemoryLimits, read_memory_limits

from .streamlit_internals import session_id
from .words import _, in_language, with_value

P = ParamSpec("P")
Answer = TypeVar("Answer")
EntryKey = tuple[str, Hashable]  # the name of a function, and its arguments
LONG = 200  # items of a container that are counted for its size
LARGE = PASSING_MEGABYTES * MEGABYTE  # of answers with ``in_run``: dropped at its end
REPORT = "report"  # an argument that takes the progress of the work


@dataclass
class _Entry:
    answer: Any
    size: int
    used: float


class Store:
    """Kept answers up to a limit of bytes: one store for all sessions, and one for each session."""

    def __init__(self, most_bytes: float = math.inf) -> None:
        self.most_bytes = most_bytes
        self.entries: OrderedDict[EntryKey, _Entry] = OrderedDict()  # the last one is the newest
        self.making: WeakValueDictionary[EntryKey, threading.Lock] = WeakValueDictionary()
        self.size = 0  # bytes of all answers
        with _lock:
            _stores.add(self)

    def find(self, place: EntryKey) -> _Entry | None:
        with _lock:
            entry = self.entries.get(place)
            if entry is not None:
                entry.used = time.monotonic()
                self.entries.move_to_end(place)
            return entry

    def add(self, place: EntryKey, answer: Any, max_entries: int) -> _Entry:
        """Store an answer and drop what is then too many or too much."""
        entry = _Entry(answer, size_of(answer), time.monotonic())
        most = memory_limits().results_megabytes * MEGABYTE
        with _lock:
            self.entries[place] = entry
            self.size += entry.size
            alike = [each for each in self.entries if each[0] == place[0]]
            for each in alike[: max(0, len(alike) - max_entries)]:
                self.drop(each)
            while self.size > self.most_bytes and len(self.entries) > 1:
                self.drop(next(iter(self.entries)))
            while total_size() > most:
                oldest = min(
                    (store for store in _stores if store.entries),
                    key=lambda store: next(iter(store.entries.values())).used,
                )
                if next(iter(oldest.entries.values())) is entry:  # no other answer is left
                    break
                oldest.drop(next(iter(oldest.entries)))
        return entry

    def drop(self, place: EntryKey) -> None:
        self.size -= self.entries.pop(place).size


_lock = threading.RLock()
_stores: WeakSet[Store] = WeakSet()
_in_run: set[str] = set()  # names of functions
_of_job: ContextVar[Store | None] = ContextVar("store", default=None)  # of its session


@st.cache_resource(show_spinner=False)
def _shared() -> Store:
    return Store()


@st.cache_resource(show_spinner=False, scope="session")
def _own() -> Store:
    return Store(memory_limits().session_results_megabytes * MEGABYTE)


@st.cache_resource(show_spinner=False)
def memory_limits() -> MemoryLimits:
    """The limits of the operator's file, as they were at the server's start."""
    return read_memory_limits()


def end_run() -> None:
    """Drop this session's large answers that are needed in one run alone."""
    own = _own()
    with _lock:
        for place, entry in [*own.entries.items()]:
            if place[0] in _in_run and entry.size > LARGE:
                own.drop(place)


def total_size() -> int:
    with _lock:
        return sum(store.size for store in _stores)


def size_of(answer: Any) -> int:
    """The approximate bytes of an answer; of a container some LONG items stand for all."""
    counted: set[int] = set()
    size, rest = 0, [(answer, 1)]
    while rest:
        each, times = rest.pop()
        if id(each) in counted:
            continue
        counted.add(id(each))
        n_bytes = getattr(each, "nbytes", None)  # an array, or a tensor
        size += times * (n_bytes if isinstance(n_bytes, int) else sys.getsizeof(each))
        items: Iterable[Any] = ()
        if isinstance(each, partial):
            items = (*each.args, *each.keywords.values())
        elif isinstance(each, Mapping | list | tuple | set | frozenset):
            step = 1 + len(each) // LONG
            times *= step
            items = islice(each, 0, None, step)
            if isinstance(each, Mapping):
                items = chain.from_iterable((key, each[key]) for key in items)
        # not a model: every answer about its vectors refers to it
        elif is_dataclass(each) or not hasattr(type(each), "content_key"):
            items = list(getattr(each, "__dict__", {}).values())  # a job may add to it
        rest += [(item, times) for item in items]
    return size


class Kept(Generic[P, Answer]):
    def __init__(
        self, function: Callable[P, Answer], most: int, *, by_session: bool, in_run: bool
    ) -> None:
        update_wrapper(self, function)
        self.function, self._most, self._by_session = function, most, by_session
        self._name = f"{function.__module__}.{function.__qualname__}"
        if in_run:
            _in_run.add(self._name)
        self._signature = signature(function)
        self.takes_report = REPORT in self._signature.parameters

    def __call__(self, *values: P.args, **options: P.kwargs) -> Answer:
        """The kept answer, or a new one, of many rows in a job. Several sessions make one."""
        bound = self._signature.bind(*values, **options)
        n = max((getattr(value, "n_slow", 0) for value in bound.arguments.values()), default=0)
        if n and session_id() and not bound.kwargs:  # jobs take arguments in their order
            from . import jobs

            what = _("Measuring {n} vectors").format(n=f"{n:,}")
            return jobs.kept_or_made(self, *bound.args, what=what, in_place=True)
        return self._found_or(lambda: self.function(*values, **options), *values, **options)

    def find(self, *values: P.args, **options: P.kwargs) -> Answer | None:
        entry = self.entry(*values, **options)
        return None if entry is None else entry.answer

    def entry(self, *values: P.args, **options: P.kwargs) -> _Entry | None:
        """The kept answer, which may be None."""
        store, place = self._place(*values, **options)
        return None if store is None else store.find(place)

    def put(self, answer: Answer, *values: P.args, **options: P.kwargs) -> Answer:
        return self._found_or(lambda: answer, *values, **options)

    def _found_or(self, make: Callable[[], Answer], *values: P.args, **options: P.kwargs) -> Answer:
        store, place = self._place(*values, **options)
        if store is None:
            return make()
        with _lock:
            making = store.making.setdefault(place, threading.Lock())
        with making:
            entry = store.find(place) or store.add(place, make(), self._most)
        return entry.answer

    def name_of(self, *values: P.args, **options: P.kwargs) -> str:
        """Names the answer, as the key of a job that computes it."""
        return repr(self._place(*values, **options)[1])

    def _place(self, *values: P.args, **options: P.kwargs) -> tuple[Store | None, EntryKey]:
        bound = self._signature.bind(*values, **options)
        bound.apply_defaults()
        given = {name: value for name, value in bound.arguments.items() if name != REPORT}
        is_own = given.get("private") is True or _is_private(tuple(given.values()))
        key = tuple(_part(name, value) for name, value in given.items())
        own = _own() if session_id() else _of_job.get()
        return own if is_own or self._by_session else _shared(), (self._name, key)


def kept(
    most: int, *, by_session: bool = False, in_run: bool = False
) -> Callable[[Callable[P, Answer]], Kept[P, Answer]]:
    """Keep a function's answers, by all its arguments but ``report``.

    An argument is a plain value, an array, a function at a module's top level, a tuple, mapping or
    dataclass of such, or an object with a ``content_key`` that names its content. Anything else is
    a TypeError, so that no setting is left out of a key. Do not change answers: they are shared.

    An answer is kept for all readers. If an argument is ``private`` or has that attribute, it comes
    from a reader's own data: the answer is kept for that session only. A download's callback has
    no session, so it computes such an answer again. Beyond ``most`` answers, of all readers and of
    each session, the oldest is dropped. ``in_run`` drops a session's answer above LARGE bytes when
    the page's run ends. If an argument's ``n_slow`` is not 0, a job computes the answer.
    """
    return lambda function: Kept(function, most, by_session=by_session, in_run=in_run)


def in_session(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with this session's store and language, in whatever thread it is called."""
    return with_value(_of_job, _own() if session_id() else None, in_language(function))


def _is_private(value: object) -> bool:
    return getattr(value, "private", False) is True or any(map(_is_private, _items(value) or ()))


def _items(value: object) -> Iterable[object] | None:
    """What a value is made of; None where it is a whole or names its content."""
    if isinstance(value, Mapping):
        return value.items()
    if isinstance(value, tuple | list):
        return value
    if is_dataclass(value) and not isinstance(value, type) and not hasattr(value, "content_key"):
        return [getattr(value, field.name) for field in fields(value)]
    return None


def _part(name: str, value: object) -> Hashable:
    """What an argument adds to the key, with its type: 1, 1.0 and True are equal."""
    if value is None or isinstance(value, str | bytes):
        return value
    kind = type(value).__module__, type(value).__qualname__
    if isinstance(value, int | float):
        return kind, repr(value)  # 0.0 and -0.0 are equal
    content = getattr(value, "content_key", None)
    if content is not None:
        return kind, content
    # not a lambda or a function in another one, which share their names
    if isfunction(value) and value.__closure__ is None and "<" not in value.__qualname__:
        return value.__module__, value.__qualname__
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return kind, value.shape, str(value.dtype), sha256(value.tobytes()).digest()
    if (items := _items(value)) is not None:
        return kind, *(_part(name, each) for each in items)
    raise TypeError(f"the argument {name!r}, a {type(value).__qualname__}, names no content")
