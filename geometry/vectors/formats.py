"""The formats of files of vectors: how each is recognised, and what reads it.

The first format that fits a file's beginning counts. A new one is an entry here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from ..data.decode import JSON_SUFFIXES, PARQUET, ZIP
from ..data.embeddings import VectorTable
from .errors import VectorFileError
from .foreign import FOREIGN, Foreign, refuse_foreign, starts
from .gather import WordRequest
from .row_source import Hints, RowSource
from .set_arrays import open_npy, open_npz, open_safetensors, open_vecs, vecs_type
from .set_hdf5 import is_hdf5, open_hdf5
from .set_parquet import is_arrow, open_arrow, open_parquet
from .set_tables import is_table, open_json, open_table
from .word_arrays import words_by
from .word_binary import is_binary, read_binary
from .word_text import is_text, read_text


@dataclass(frozen=True)
class Format:
    name: str  # its usual ending; as ``read_vectors`` takes it
    # Whether a file is of it, by its first HEAD bytes and its suffix
    fits: Callable[[bytes, str], bool]
    # Opens a set of vectors; None where its rows are words
    rows: Callable[[BinaryIO, Hints], RowSource] | None = None
    # Reads a table of words; None if it has no words
    words: Callable[[BinaryIO, WordRequest], VectorTable] | None = None
    because: str = ""  # of the error where neither is possible, or no words are
    foreign: Foreign | None = None  # what the file is, if it is not read


FORMATS = (
    # before the others: the length of its header may begin with the bytes of a pickle
    Format(
        "safetensors",
        lambda head, _: head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 30,
        open_safetensors,
        words_by(open_safetensors),
    ),
    Format("npy", starts(b"\x93NUMPY"), open_npy, because="lone_array"),
    Format("npz", starts(ZIP[:2]), open_npz, words_by(open_npz)),
    Format("parquet", starts(PARQUET), open_parquet, words_by(open_parquet)),
    Format("arrow", is_arrow, open_arrow, words_by(open_arrow)),
    # its first number may be the first bytes of a pickle too
    Format(
        "fvecs",
        lambda head, suffix: vecs_type(head, suffix) is not None,
        open_vecs,
        because="lone_array",
    ),
    Format("hdf5", is_hdf5, open_hdf5, words_by(open_hdf5)),
    Format("fastText's model", starts(b"\xba\x16\x4f\x2f"), because="fasttext_model"),
    *(Format(each.what, fits, foreign=each) for fits, each in FOREIGN),
    Format(
        "jsonl",
        lambda head, suffix: suffix in JSON_SUFFIXES or head.lstrip().startswith((b"{", b"[")),
        open_json,
    ),
    Format("binary", lambda head, _: is_binary(head), None, read_binary),
    Format("csv", is_table, open_table),
    Format("text", lambda head, _: is_text(head), words=read_text),
)


def recognised(head: bytes, suffix: str | None) -> Format:
    """The format of a file that begins so; the name of a table of words says nothing."""
    of_words = suffix is None
    if not head.strip() and not of_words:
        raise VectorFileError("empty_file")
    for each in FORMATS:
        is_read = each.words or (each.rows and not of_words)
        if (is_read or each.because or each.foreign) and each.fits(head, suffix or ""):
            if each.foreign is not None:
                refuse_foreign(each.foreign)
            if not is_read:
                raise VectorFileError(each.because)
            return each
    raise VectorFileError("no_vectors" if of_words else "no_vector_set")
