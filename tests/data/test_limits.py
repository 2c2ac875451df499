"""The limits of uploads: defined once, applied by every reader and by Streamlit."""

import gzip
import re
import tomllib
from pathlib import Path

import pytest

from geometry import CorpusError, read_corpus, read_pairs, read_vectors
from geometry.data import limits
from geometry.data.corpus import preview_table, read_pasted
from geometry.data.limits import Limits
from geometry.data.recognise import Reading
from geometry.errors import GeometryError, own_errors
from geometry.vectors import VectorFileError, read_counts, read_word_pairs
from tests.for_each import for_each

ROOT = Path(__file__).resolve().parents[2]


def test_streamlit_s_upload_limit_is_the_library_s_largest():
    """Streamlit's server refuses larger files, whatever the uploader's own limit is."""
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["maxUploadSize"] * limits.MEGABYTE == Limits().vector_file_bytes


def test_pages_state_no_size_of_their_own():
    """A number of bytes or megabytes in a page would drift from the library's."""
    own = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in (ROOT / "pages").rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"MEGABYTE\w* = \d|\d+ \* MEGABYTE|max_upload_size=\d", line)
    ]
    assert not own


PAIRS = b"left,right,score\na b,c d,1\ne f,g h,2\n"
JSON = b'{"left": "a", "right": "b", "score": 1}\n' * 2
BEYOND = {  # the limits, and a call that goes beyond them
    "file_bytes": (Limits(file_bytes=20), lambda own: read_pairs(PAIRS, limits=own)),
    "unpacked_bytes": (
        Limits(unpacked_bytes=20),
        lambda own: read_pairs(gzip.compress(PAIRS), limits=own),
    ),
    "rows": (Limits(rows=1), lambda own: read_pairs(PAIRS, name="a.csv", limits=own)),
    "rows of words": (Limits(rows=1), lambda own: read_word_pairs(b"a b 1\nc d 2\n", limits=own)),
    "columns": (Limits(columns=2), lambda own: read_pairs(PAIRS, name="a.csv", limits=own)),
    "columns of a preview": (
        Limits(columns=2),
        lambda own: preview_table(PAIRS, name="a.csv", limits=own),
    ),
    "keys": (Limits(keys=2), lambda own: read_pairs(JSON, name="a.jsonl", limits=own)),
    "characters a line": (
        Limits(text_characters=1),
        lambda own: read_pairs(JSON, name="a.jsonl", limits=own),
    ),
    "pasted": (Limits(file_bytes=3), lambda own: read_pasted("a b\nc d", limits=own)),
}


@for_each("name", BEYOND)
def test_a_limit_applies_is_stated_and_can_be_raised(name):
    own, read = BEYOND[name]
    with pytest.raises(CorpusError, match=r"limit (is|of) [\d,]+") as caught:
        read(own)
    assert caught.value.details["limit"] < 100
    read(Limits())


def test_json_lines_that_take_long_are_refused():
    lines = b'{"left": "a", "right": "b"}\n' * 2
    with pytest.raises(CorpusError, match="0 seconds", check=lambda e: e.because == "too_slow"):
        read_pairs(lines, name="a.jsonl", limits=Limits(seconds=0))


@for_each("read", [read_pairs, read_vectors])
def test_an_archive_that_takes_long_is_refused(read):
    with pytest.raises(GeometryError, match="0 seconds", check=lambda e: e.because == "too_slow"):
        read(gzip.compress(b"") * 100, limits=Limits(seconds=0))


def test_lines_are_counted_with_blank_ones():
    lines = b"a b\n" * 2 + b"\n" * 1_000_000
    for read in (read_corpus, read_counts):
        with pytest.raises(CorpusError, check=lambda error: error.code == "too_many_lines"):
            read(lines.replace(b"b", b"1"), limits=Limits(words=2))


@for_each(
    "read",
    [
        lambda: read_pasted("a b\nc \ud800"),
        lambda: read_pairs(JSON + b'{"left": "\\ud800", "right": "b", "score": 1}', name="a.jsonl"),
        lambda: read_corpus(b"a\\ud800\nb", reading=Reading(encoding="unicode_escape")),
    ],
)
def test_half_of_a_surrogate_pair_is_refused_by_its_line(read):
    with pytest.raises(CorpusError, check=lambda error: error.code == "half_character"):
        read()


class PanicException(BaseException):
    """An error with the name of Rust panics."""


@for_each("error", [RecursionError, OverflowError, KeyError, PanicException])
@for_each("refuse", [CorpusError, VectorFileError])
def test_an_error_from_elsewhere_becomes_the_library_s(error, refuse):
    with pytest.raises(refuse) as caught, own_errors(refuse):
        raise error("from elsewhere")
    assert (caught.value.because, type(caught.value.__cause__)) == ("unreadable_content", error)


def test_a_lack_of_memory_is_named_in_the_error():
    with pytest.raises(VectorFileError, match="not enough memory"), own_errors(VectorFileError):
        raise MemoryError


@for_each("passed", [KeyboardInterrupt(), CorpusError("empty", limit=2)])
def test_what_ends_a_run_and_the_library_s_own_errors_are_passed_on(passed):
    with pytest.raises(type(passed)) as caught, own_errors(VectorFileError):
        raise passed
    assert caught.value is passed
