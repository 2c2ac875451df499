"""The formats of files of vectors: how each is recognised, and what reads it.

The first format that fits a file's beginning counts. A new one is an entry here.
"""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from ..data.decode import GZIP, PARQUET, ZIP, Source, name_of, opened, unpacked
from ..errors import own_errors
from .errors import VectorFileError, refuse_unpacked
from .foreign import FOREIGN, Fits, Foreign, refuse_foreign, starts
from .row_source import HEAD, Hints, RowSource
from .set_arrays import is_safetensors, open_npy, open_npz, open_safetensors, open_vecs, vecs_type
from .set_parquet import is_arrow, is_hdf5, open_hdf5, open_stored
from .set_tables import is_json, is_table, open_json, open_table
from .word_rows import is_binary, is_text, open_binary, open_text

_STREAMED = ("text", "binary")  # readers that do not jump; each jump would unpack anew


@dataclass(frozen=True)
class Format:
    name: str  # as ``read_vectors`` takes it
    # Whether a file is of it, by its first HEAD bytes and its suffix
    fits: Fits
    rows: Callable[[BinaryIO, Hints], RowSource] | None = None  # opens it
    has_words: bool = False  # whether a column of words may name the rows
    because: str = ""  # of the error where it is not read, or no words are
    foreign: Foreign | None = None  # what the file is, if it is not read
    endings: str = ""  # usual ones, with spaces between; the first is in lists


FORMATS = (
    # before the others: the length of its header may begin with the bytes of a pickle
    Format("safetensors", is_safetensors, open_safetensors, has_words=True, endings=".safetensors"),
    Format("npy", starts(b"\x93NUMPY"), open_npy, because="lone_array", endings=".npy"),
    Format("npz", starts(ZIP[:2]), open_npz, has_words=True, endings=".npz"),
    Format("parquet", starts(PARQUET), open_stored, has_words=True, endings=".parquet"),
    Format("arrow", is_arrow, open_stored, has_words=True, endings=".arrow .feather"),
    # its first number may be the first bytes of a pickle too
    Format("fvecs", vecs_type, open_vecs, because="lone_array", endings=".fvecs .bvecs"),
    Format("hdf5", is_hdf5, open_hdf5, has_words=True, endings=".hdf5 .h5 .h5ad"),
    Format("fastText's model", starts(b"\xba\x16\x4f\x2f"), because="fasttext_model"),
    *(Format(each.what, fits, foreign=each) for fits, each in FOREIGN),
    Format("jsonl", is_json, open_json, endings=".jsonl .ndjson .json"),
    Format("binary", lambda head, _: is_binary(head), open_binary, has_words=True, endings=".bin"),
    Format("csv", is_table, open_table, endings=".csv .tsv .tab"),
    Format("text", lambda head, _: is_text(head), open_text, has_words=True, endings=".vec .txt"),
)
ENDINGS = {each.name: each.endings.split() for each in FORMATS if each.endings}
MAIN_ENDINGS = tuple(first for name, (first, *_) in ENDINGS.items() if name not in _STREAMED)


def recognised(head: bytes, hints: Hints) -> Format:
    of_words = hints.of_words
    if not head.strip() and not of_words:
        raise VectorFileError("empty_file")
    for each in FORMATS:
        is_read = each.rows and (each.has_words or not of_words)
        if (is_read or each.because or each.foreign) and each.fits(head, hints.suffix):
            if each.foreign is not None:
                refuse_foreign(each.foreign)
            if not is_read:
                raise VectorFileError(each.because)
            return each
    raise no_vectors(of_words=of_words)


def no_vectors(*, of_words: bool) -> VectorFileError:
    if of_words:
        return VectorFileError("no_vectors")
    return VectorFileError("no_vector_set", endings=MAIN_ENDINGS)


@contextmanager
def opened_rows(
    source: Source, name: str | None, hints: Hints, form: Format | None = None
) -> Iterator[tuple[RowSource, Path]]:
    """(the rows of a file, gzipped or not, its name without .gz); ``form`` if it is known."""
    title = Path(Path(name or name_of(source, "vectors")).name.removesuffix(".gz"))
    limits, of_words = hints.limits, hints.of_words
    if not of_words:  # the name of a table of words says nothing
        hints = replace(hints, suffix=title.suffix.lower())
    with ExitStack() as stack:
        file = stack.enter_context(opened(source, VectorFileError))
        if not file.seekable():
            raise TypeError("source is not seekable; read it and give its bytes")
        stack.enter_context(own_errors(VectorFileError))
        most = limits.vector_file_bytes
        if file.seek(0, os.SEEK_END) > most:
            raise VectorFileError("file_bytes" if of_words else "file_bytes_set", limit=most)
        file.seek(0)
        is_packed = file.read(2) == GZIP
        file.seek(0)
        if is_packed:
            unpacked_most = limits.table_bytes
            because = "unpacked" if of_words else "unpacked_set"
            too_large = VectorFileError(because, limit=unpacked_most)
            file = stack.enter_context(unpacked(file, unpacked_most, limits.seconds / 2, too_large))
        found = form or recognised(file.read(HEAD), hints)
        file.seek(0)
        if is_packed and found.name not in _STREAMED:
            content = file.read(most + 1)
            refuse_unpacked(len(content), most, of_words=of_words)
            file = io.BytesIO(content)
        assert found.rows is not None
        rows = found.rows(file, hints)
        stack.callback(rows.close)
        yield rows, title
