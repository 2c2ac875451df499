"""A file of word vectors, in any of the usual forms, to one checked table."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

from ..data.column_names import named
from ..data.decode import Source
from ..data.embeddings import VectorTable
from ..data.limits import LIMITS, Limits
from ..data.recognise import Reading
from .errors import VectorFileError
from .formats import FORMATS, opened_rows
from .gather import Gathering
from .row_source import VECTOR_NAMES, Block, ChosenColumns, Hints, RowSource
from .word_arrays import words_beside
from .word_binary import LONGEST_WORD

WORD_NAMES = (
    "words", "vocab", "vocabulary", "word", "tokens", "index_to_key", "keys", "labels", "token",
)  # fmt: skip


def read_vectors(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002 (what a caller would look for)
    name: str | None = None,
    max_words: int | None = None,
    words: Collection[str] | None = None,
    encoding: str | None = None,
    limits: Limits = LIMITS,
) -> VectorTable:
    """Word vectors from a path, bytes or a binary file; its vectors (n, d) are float32.

    If a word comes twice, its first row counts; rows with NaN or infinity are left out. The
    table's ``report`` counts both and other irregularities. A text that has fewer rows than its
    header states is read and reported, since people cut such files; such a binary file is refused.
    Any fault is a VectorFileError with a code.

    Parameters
    ----------
    source : path, bytes or seekable binary file
        Any of the formats may be gzipped.
    format : str, optional
        "text" (GloVe, word2vec, fastText), "binary" (word2vec's), "npz" (two arrays, words and
        vec), "safetensors" (see ``geometry.vectors.word_arrays`` for where its words are),
        "parquet", "arrow" or "hdf5" (a column of words). None finds it from the content.
    name : str, optional
        Title of the table. By default the name of the file.
    max_words : int, >= 1, optional
        Read only the first so many, which in these files are the most frequent.
    words : collection of str, optional
        Read only these.
    encoding : str, optional
        None is UTF-8, with bytes that do not fit replaced and counted; "latin-1" takes any byte as
        it is.
    limits : Limits
        ``geometry.data.limits`` has ``OWN_FILES`` for large files of your own.
    """
    formats = {each.name: each for each in FORMATS if each.has_words}
    if format is not None and format not in formats:
        raise ValueError(f"format must be one of {', '.join(formats)}; got {format!r}")
    if max_words is not None and max_words < 1:
        raise ValueError(f"max_words must be at least 1, or None for all; got {max_words}")
    if isinstance(words, str):
        raise ValueError("words is one text; give a collection of words")
    hints = Hints("", Reading(encoding=encoding), limits, of_words=True)
    gathering = Gathering(limits, max_words, words)
    with opened_rows(source, name, hints, formats.get(format or "")) as (rows, title):
        vector = rows.vector_choice(None, rows.ids)
        if len(rows.vector_columns) > 1 and named(rows.vector_columns, VECTOR_NAMES) is None:
            arrays = (*rows.vector_columns, *rows.columns)
            raise VectorFileError("unnamed_arrays", arrays=arrays, n=len(rows.vector_columns))
        n = rows.lengths.get(str(vector), rows.n_rows)
        if n == 0:
            raise VectorFileError("no_vectors")
        if max_words is None and words is None:
            gathering.refuse_words(n or 0)
        column = named(rows.columns, WORD_NAMES)
        if column is None and len(rows.strings) == 1:
            (column,) = rows.strings
        beside = None
        if column is None and isinstance(source, (str, os.PathLike)):
            beside = words_beside(Path(source), n or 0, encoding, limits)
        if column is None and beside is None:
            raise _no_words(rows, title.stem)
        for texts, block in _with_words(rows.blocks(ChosenColumns(vector, column)), beside):
            if gathering.is_full():
                gathering.is_whole = False
                break
            # lines of a text have a limit of their own
            if rows.format != "text" and max(map(len, texts), default=0) > LONGEST_WORD:
                raise VectorFileError("long_word", limit=LONGEST_WORD)
            with np.errstate(over="ignore"):  # a float64 too large for float32 is then not finite
                gathering.add(texts, block.vectors.astype(np.float32))
            if gathering.is_full() and n is not None:  # what follows may be cut off
                gathering.is_whole &= gathering.n_rows == n
                break
        used = tuple(filter(None, (column, *ChosenColumns(vector).vector_names)))
        unused = tuple(each for each in rows.all_columns if each not in used)
        return gathering.table(title.stem, rows, n, used=used, unused=unused)


def _no_words(rows: RowSource, title: str) -> VectorFileError:
    if rows.format == "safetensors":
        return VectorFileError("no_words_beside", file=f"{title}.words.txt")
    if rows.format == "npz" and rows.others:
        return VectorFileError("pickled")
    return VectorFileError("no_list_of_words", arrays=(*rows.vector_columns, *rows.columns))


def _with_words(
    blocks: Iterator[Block], beside: list[str] | None
) -> Iterator[tuple[list[str], Block]]:
    start = 0
    try:
        for block in blocks:
            end = start + len(block.vectors)
            yield block.beside[0] or [] if beside is None else beside[start:end], block
            start = end
    except VectorFileError as error:
        if error.because != "column_length":
            raise
        counts = {"n_words": error.details["n"], "n_vectors": error.details["n_vectors"]}
        raise VectorFileError("word_count", **counts) from error
