"""Uploads: their limits, and how they are read; large and packed files by another process."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from geometry import CorpusError
from geometry.data.decode import ARROW, ARROW_STREAM, GZIP, HDF5, PARQUET, ZIP
from geometry.data.limits import MEGABYTE, Limits
from geometry.errors import GeometryError
from geometry.hub.operator_limits import read_upload_limits
from geometry.process import ProcessEnded, ProcessLimits, run

from . import jobs
from .cache import Answer, kept
from .messages import error_text
from .words import _, markdown

AT_ONCE = 300_000  # bytes of a file that the page's run reads, in half a second at most
SHORT = 5_000_000  # bytes of a file that is read in some seconds, before longer files
# the first bytes of files that may be small and have a large content
PACKED = (GZIP, PARQUET, ZIP, ARROW, ARROW_STREAM, HDF5)

# BLAS and pyarrow reserve addresses for each thread
ONE_EACH = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_IO_THREADS"), "1")
READING = ProcessLimits(2 * 10**9, 120, ONE_EACH)
WIDE = 512  # dimensions up to which the axes of vectors are found in less than a second


def upload_limits() -> Limits:
    """The limits of every upload; no control of a page raises them."""
    return read_upload_limits()


def megabytes(n_bytes: int) -> str:
    return f"{n_bytes / MEGABYTE:g}"


def table_note() -> str:
    limits = upload_limits()
    note = _(
        "At most {rows} rows, {columns} columns and {unpacked} MB when unpacked. Texts are cut "
        "after {characters} characters."
    )
    size = megabytes(limits.unpacked_bytes)
    n = f"{limits.text_characters:,}"
    columns = f"{limits.columns:,}"
    return note.format(rows=f"{limits.rows:,}", columns=columns, unpacked=size, characters=n)


def shortened_note(n: int) -> str:
    note = _(
        "Longer than the limit of {limit} characters: {n} texts. Only their beginnings are used."
    )
    return note.format(limit=f"{upload_limits().text_characters:,}", n=f"{n:,}")


@dataclass(frozen=True)
class ServerFile:
    """A file of the server, with the attributes that pages use of an uploaded file."""

    path: Path
    name: str
    file_id: str  # changes when the file changes
    size: int  # bytes


def read_upload(
    read: Callable[..., Answer],
    file: Any,
    *,
    beside: Mapping[str, Any] = MappingProxyType({}),  # large options
    named: str = "",  # their key
    **options: Any,
) -> Answer:
    """The answer of ``read``, of a module without Streamlit, or its error, cached."""
    options = {"limits": upload_limits()} | options
    answer = _answer(read, Keyed(file, file.file_id), Keyed(beside, named), options)
    if isinstance(answer, GeometryError):
        raise answer
    return answer


@dataclass(frozen=True, eq=False)
class Keyed:
    """Something large that a reader brought, and what names its content."""

    value: Any
    content_key: str
    private: bool = True


@kept(12, by_session=True)
def _answer(read: Callable[..., Any], file: Keyed, beside: Keyed, options: dict[str, Any]) -> Any:
    key = _answer.name_of(read, file, beside, options)
    given = file.value
    options = options | beside.value
    if isinstance(given, ServerFile):
        content: Any = given.path
        is_long = given.size > SHORT
        is_quick = False
        limits = options["limits"]
        options["limits"] = limits.but(vector_file_bytes=max(limits.vector_file_bytes, given.size))
    else:
        content = given.getvalue()
        is_packed = content.startswith(PACKED)
        is_long = len(content) > SHORT or is_packed
        is_quick = len(content) <= AT_ONCE and not is_packed and not beside.value
    call = partial(read, content, name=given.name, **options)
    try:
        if is_quick:
            return call()
        what = _("Reading {name}").format(name=markdown(given.name))
        stopped = _("Cancelled. The file is still here, and you can start again.")
        how: dict[str, Any] = {"lane": "read", "cancelled": stopped, "is_long": is_long}
        how["died"] = error_text(_too_heavy())  # perhaps not by the file's fault: it is not kept
        return jobs.wait_for(f"read-{key}", partial(run, READING, call), what, **how)
    except MemoryError:
        return _too_heavy()
    except GeometryError as error:
        if is_quick and error.code == "no_memory":  # of the server
            raise
        return error.with_traceback(None)  # the traceback refers to the content


def apart(call: Callable[[], Answer], report: jobs.Progress) -> Answer:
    """``process.run`` with the limits ``READING``; "too_heavy" for an end without an answer."""
    try:
        return run(READING, call, report)
    except (ProcessEnded, MemoryError) as error:
        raise _too_heavy() from error


def _too_heavy() -> CorpusError:
    return CorpusError("too_heavy", seconds=READING.cpu_seconds, memory=READING.memory_bytes)
