"""Errors of the library: one base class, and one English sentence for each case.

The sentences are in ``assets/text/en/errors.toml``; pages translate the same sentences.
These errors are about a reader's files, texts, models and settings. A wrong argument of a caller
is a ValueError or TypeError in English, as everywhere in Python.
"""

import re
import string
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from numbers import Integral
from typing import Any

from .shipped import shipped_file

TEXTS = tomllib.loads(shipped_file("text/en/errors.toml").read_text(encoding="utf-8"))
# By the error's subject and the key of the sentence, the sentence and the error's code
SENTENCES: dict[str, dict[str, str]] = {}
CODES: dict[str, dict[str, str]] = {}
for _subject, _table in TEXTS["sentences"].items():
    _groups = {c: each if isinstance(each, dict) else {c: each} for c, each in _table.items()}
    SENTENCES[_subject] = {key: text for each in _groups.values() for key, text in each.items()}
    CODES[_subject] = {key: code for code, each in _groups.items() for key in each}
REASONS: Mapping[str, str] = TEXTS["reasons"]  # why a measure has no value, by its error's code
LONGEST_TEXT = 400  # characters of one detail that a sentence quotes
LONGEST_LIST = 10  # members of one detail that a sentence lists
# These details are English words of the library, so they are translated too.
TRANSLATED = ("kind", "reason", "wanted", "what")


class GeometryError(ValueError):
    """Base class of the library's errors; ``str(error)`` is the English sentence of ``SENTENCES``.

    ``because`` is the key of its sentence, ``code`` the case, which may have several of them, and
    ``details`` what that quotes; sizes in bytes.
    """

    subject = ""  # the key of its sentences in SENTENCES

    def __init__(self, because: str, **details: Any) -> None:
        super().__init__(because)
        self.because = because
        self.code = CODES.get(self.subject, {}).get(because, because)
        self.details = details

    def sentence(
        self, translate: Callable[[str], str] = str, escape: Callable[[str], str] = str
    ) -> str:
        """The sentence in a language; ``escape`` is applied to texts outside backticks."""
        details = {
            name: translate(value) if name in TRANSLATED and value else value
            for name, value in self.details.items()
        }
        template = SENTENCES[self.subject][self.because]
        return _filled(translate(template), details, escape, translate(", "))

    def __str__(self) -> str:
        return self.sentence()


class MissingExtraError(GeometryError):
    """A package is not installed that an extra of narrow-cone brings; ``details`` name both."""

    subject = "extra"


def need(extra: str, *modules: str) -> None:
    """Refuse, by the name of the extra, where one of the modules is not installed."""
    for module in modules:
        if find_spec(module) is None:
            raise MissingExtraError("missing_extra", package=module, extra=extra)


@contextmanager
def own_errors(refuse: type[GeometryError]) -> Iterator[None]:
    """Turn an error of another library into "damaged_file" or, without memory, "too_large".

    Parsers raise almost anything, and a worker in Rust a PanicException, which is no Exception.
    """
    try:
        yield
    except GeometryError:
        raise
    except MemoryError as error:
        raise refuse("no_memory") from error
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise refuse("unreadable_content") from error


def _filled(
    template: str, details: Mapping[str, Any], escape: Callable[[str], str], comma: str
) -> str:
    """The template with its details; texts that are not in backticks are escaped."""
    parts, in_backticks, formatter = [], False, string.Formatter()
    for literal, field, spec, _ in formatter.parse(template):
        parts.append(literal)
        in_backticks ^= literal.count("`") % 2 == 1
        if field is not None:
            value = formatter.get_field(field, (), details)[0]
            text = _readable(value, comma, in_bytes=spec == "bytes")
            is_bare = isinstance(value, str) and not in_backticks
            parts.append(escape(text) if is_bare else text)
    return "".join(parts)


def _readable(value: Any, comma: str, *, in_bytes: bool) -> str:
    """A detail for a reader: 20,000; 1.5 MB by ``{size:bytes}``; a list as `a`, `b`."""
    if in_bytes:
        return readable_bytes(value, decimals=1).replace(".0 MB", " MB")
    if isinstance(value, Integral):
        return f"{int(value):,}"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        listed = [f"`{_plain(each)}`" for each in value[:LONGEST_LIST]]
        return comma.join([*listed, "…"] if len(value) > LONGEST_LIST else listed) or "—"
    return _plain(value)


def _plain(value: object) -> str:
    """A detail's text on one line, cut where it is long, without backticks, which would end it."""
    text = re.sub(r"\s+", " ", str(value)).replace("`", "'") or " "
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


def readable_bytes(n_bytes: float, *, decimals: int = 0) -> str:
    """A size as text: "438 MB"; "30 kB" below 1 MB; "512 bytes" below 1 kB."""
    if n_bytes >= 10**6:
        return f"{n_bytes / 10**6:,.{decimals}f} MB"
    return f"{n_bytes / 10**3:,.0f} kB" if n_bytes >= 10**3 else f"{n_bytes:,.0f} bytes"
