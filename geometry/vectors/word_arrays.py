"""Word vectors of files that are read as rows: .npz, .safetensors, tables with a column of words.

An .npz has two arrays, words and vectors, under one of the usual names. A .safetensors file has
no strings, so its words are looked for in this order:

- a uint8 tensor "words", UTF-8 with a newline between two words;
- "words" in its metadata, a JSON list or lines;
- beside a file on disk: <its name>.words.txt, words.txt or vocab.txt, with one word a line, or
  tokenizer.json, as model2vec writes it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..data.column_names import named
from ..data.embeddings import VectorTable
from ..data.recognise import Reading
from .errors import VectorFileError
from .gather import Gathering, WordRequest, in_memory
from .row_source import VECTOR_NAMES, ChosenColumns, Hints, RowSource
from .word_binary import LONGEST_WORD

WORD_NAMES = (
    "words", "vocab", "vocabulary", "word", "tokens", "index_to_key", "keys", "labels", "token",
)  # fmt: skip


def words_by(
    open_rows: Callable[[BinaryIO, Hints], RowSource],
) -> Callable[[BinaryIO, WordRequest], VectorTable]:
    """What reads a table of words by what opens its file as rows."""

    def read(file: BinaryIO, wanted: WordRequest) -> VectorTable:
        if wanted.size is None:  # readers jump, and each jump would unpack anew
            file = in_memory(file, wanted.limits.vector_file_bytes)
        reading = Reading(encoding=wanted.encoding)
        rows = open_rows(file, Hints("", reading, wanted.limits, of_words=True))
        try:
            return _table(rows, wanted)
        finally:
            rows.close()

    return read


def _table(rows: RowSource, wanted: WordRequest) -> VectorTable:
    vector = rows.vector_choice(None, rows.ids)
    if len(rows.vector_columns) > 1 and named(rows.vector_columns, VECTOR_NAMES) is None:
        raise VectorFileError(
            "unnamed_arrays",
            arrays=(*rows.vector_columns, *rows.columns),
            n=len(rows.vector_columns),
        )
    n = rows.lengths.get(str(vector), rows.n_rows)
    if n == 0:
        raise VectorFileError("no_vectors")
    wanted.refuse_rows(n or 0)
    column = named(rows.columns, WORD_NAMES)
    if column is None and len(rows.strings) == 1:
        (column,) = rows.strings
    beside = None if column else _words_beside(wanted, n)
    if column is None and beside is None:
        if rows.format == "safetensors":
            file = f"{wanted.name}.words.txt"
            raise VectorFileError("no_words_beside", file=file)
        if rows.format == "npz" and rows.others:
            raise VectorFileError("pickled")
        names = (*rows.vector_columns, *rows.columns)
        raise VectorFileError("no_list_of_words", arrays=names)
    gathering: Gathering | None = None
    start = 0
    try:
        for block in rows.blocks(ChosenColumns(vector, column)):
            if gathering is None:
                gathering = Gathering(block.vectors.shape[1], wanted, expected=n or 1)
            if gathering.is_full:
                gathering.is_whole = False
                break
            end = start + len(block.vectors)
            texts = (beside or [])[start:end] if column is None else block.beside[0] or []
            if max(map(len, texts), default=0) > LONGEST_WORD:
                raise VectorFileError("long_word", limit=LONGEST_WORD)
            with np.errstate(over="ignore"):  # a float64 too large for float32 is then not finite
                gathering.add(texts, block.vectors.astype(np.float32))
            start = end
    except VectorFileError as error:
        if error.code != "column_length":
            raise
        raise VectorFileError(
            "word_count", n_words=error.details["n"], n_vectors=error.details["n_vectors"]
        ) from error
    if gathering is None:
        raise VectorFileError("no_vectors")
    used = tuple(filter(None, (column, *ChosenColumns(vector).vector_names)))
    unused = tuple(each for each in rows.all_columns if each not in used)
    return gathering.table(rows.format, n_rows=n, used=used, unused=unused)


def _words_beside(wanted: WordRequest, n: int | None) -> list[str] | None:
    path = wanted.path
    if path is None:
        return None
    for beside in (
        path.with_suffix(".words.txt"),
        path.parent / "words.txt",
        path.parent / "vocab.txt",
    ):
        if beside.is_file():
            content = _content_beside(beside, wanted).replace(b"\r\n", b"\n").removesuffix(b"\n")
            words = content.decode(wanted.encoding or "utf-8", "replace").split("\n")
            if len(words) != n:
                raise VectorFileError("word_count", n_words=len(words), n_vectors=n)
            return words
    tokenizer = path.parent / "tokenizer.json"
    return _words_of_tokenizer(tokenizer, n or 0, wanted) if tokenizer.is_file() else None


def _content_beside(path: Path, wanted: WordRequest) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(wanted.limits.file_bytes + 1)
    except OSError as error:
        raise VectorFileError("unreadable_words", file=path.name) from error
    if len(content) > wanted.limits.file_bytes:
        raise VectorFileError("file_bytes", limit=wanted.limits.file_bytes)
    return content


def _words_of_tokenizer(path: Path, n: int, wanted: WordRequest) -> list[str]:
    """Row i belongs to the token of number i."""
    try:
        settings = json.loads(_content_beside(path, wanted))
        vocabulary = settings["model"]["vocab"]
        if isinstance(vocabulary, dict):
            places = dict(vocabulary)
        else:
            places = {piece: place for place, (piece, _) in enumerate(vocabulary)}
        places |= {each["content"]: each["id"] for each in settings.get("added_tokens") or ()}
        words = {int(place): str(word) for word, place in places.items()}
    except VectorFileError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise VectorFileError("unreadable_words", file=path.name) from error
    if any(place not in words for place in range(n)):
        raise VectorFileError("word_count", n_words=len(words), n_vectors=n)
    return [words[place] for place in range(n)]
