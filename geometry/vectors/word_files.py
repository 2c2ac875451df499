"""A file of word vectors, in any of the usual forms, to one checked table."""

import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from ..data.decode import GZIP, Source, opened, unpacked
from ..data.embeddings import VectorTable
from ..data.limits import LIMITS, Limits
from ..errors import own_errors
from .errors import VectorFileError
from .formats import FORMATS, recognised
from .gather import WordRequest
from .row_source import HEAD


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
    names = {each.name: each for each in FORMATS if each.words is not None}
    if format is not None and format not in names:
        raise ValueError(f"format must be one of {', '.join(names)}; got {format!r}")
    path = Path(source) if isinstance(source, (str, os.PathLike)) else None
    wanted = WordRequest("", None, path, max_words, words, encoding, limits)
    with opened_content(source, name, limits) as (file, size, title):
        head = file.read(HEAD)
        file.seek(0)
        found = names[format] if format else recognised(head, None)
        assert found.words is not None
        return found.words(file, replace(wanted, name=title.stem, size=size))


@contextmanager
def opened_content(
    source: Source, name: str | None, limits: Limits, *, of_words: bool = True
) -> Iterator[tuple[BinaryIO, int | None, Path]]:
    """(the content at its start, its size or None where it is compressed, its name without .gz)."""
    own = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    title = Path(Path(str(name or own or "vectors")).name.removesuffix(".gz"))
    with ExitStack() as stack:
        file = stack.enter_context(opened(source, VectorFileError))
        if not file.seekable():
            raise TypeError("source is not seekable; read it and give its bytes")
        stack.enter_context(own_errors(VectorFileError))
        size, most = file.seek(0, os.SEEK_END), limits.vector_file_bytes
        file.seek(0)
        if size > most:
            raise VectorFileError("file_bytes" if of_words else "file_bytes_set", limit=most)
        is_packed = file.read(2) == GZIP
        file.seek(0)
        if not is_packed:
            yield file, size, title
            return
        most = limits.table_bytes
        too_large = VectorFileError("unpacked" if of_words else "unpacked_set", limit=most)
        with unpacked(file, most, limits.seconds / 2, too_large) as content:
            yield content, None, title
