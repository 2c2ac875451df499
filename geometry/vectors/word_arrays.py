"""Word vectors as arrays: .npz and .safetensors, with the words in, or beside, the file.

An .npz has two arrays, words and vectors, under one of the usual names. A .safetensors file has
no strings, so its words are looked for in this order:

- a uint8 tensor "words", UTF-8 with a newline between two words;
- "words" in its metadata, a JSON list or lines;
- beside a file on disk: <its name>.words.txt, words.txt or vocab.txt, with one word a line, or
  tokenizer.json, as model2vec writes it.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..data.embeddings import VectorTable
from ..data.packed_tables import has_long_directory
from .errors import VectorFileError
from .gather import Gathering, Wanted, in_memory
from .word_binary import LONGEST_WORD

VECTOR_NAMES = (
    "vectors", "vec", "vecs", "embeddings", "embedding", "embedding.weight", "weight", "matrix",
    "wv", "X",
)  # fmt: skip
WORD_NAMES = ("words", "vocab", "vocabulary", "word", "tokens", "index_to_key", "keys", "labels")
BLOCK_ROWS = 8_192  # rows that are converted at a time
BLOCK_BYTES = 8 << 20  # bytes of words in a block
LONGEST_HEADER = 16 << 20  # bytes of JSON, which takes some twenty times as much memory
LONGEST_DIRECTORY = 1 << 20  # bytes, of the list of an archive's members


CountedWords = tuple[int, Iterator[bytes]]  # how many, and each; a list of them may be very large


def read_npz(file: BinaryIO, wanted: Wanted) -> VectorTable:
    """The table of an .npz file; arrays of Python objects are never unpickled."""
    if wanted.size is None:  # zipfile jumps, and each jump would unpack anew
        file = in_memory(file, wanted.max_bytes // 4)
    if not zipfile.is_zipfile(file):
        raise VectorFileError("no_vectors")
    refuse_long_directory(file)
    file.seek(0)
    try:
        with np.load(file, allow_pickle=False) as archive:
            _refuse_large_members(archive, wanted)
            arrays = {key: archive[key] for key in archive.files}
    except Exception as error:  # zipfile, NumPy and what they use raise almost anything
        if isinstance(error, VectorFileError | MemoryError):
            raise
        if "pickle" in str(error):
            raise VectorFileError("pickled") from error
        raise VectorFileError("damaged_file", kind="NumPy archive") from error
    vectors = _vectors(arrays)
    wanted.refuse_rows(len(vectors))
    return _table(vectors, _words_of_arrays(arrays), "npz", wanted)


def read_safetensors(file: BinaryIO, wanted: Wanted) -> VectorTable:
    """The table of a .safetensors file, which is at its start."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    most = max(wanted.max_bytes, wanted.limits.vector_file_bytes)
    start = file.read(8)
    length = int.from_bytes(start, "little")
    if length > LONGEST_HEADER:
        raise VectorFileError("damaged_file", kind="safetensors file")
    content = start + file.read(most + 1)
    if len(content) > most:
        raise VectorFileError("too_large", because="unpacked", limit=most)
    try:
        header = json.loads(content[8 : 8 + length])
        metadata = header.get("__metadata__") or {}
        arrays = load(content)
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise VectorFileError("damaged_file", kind="safetensors file") from error
    del content  # the arrays are copies
    vectors = _vectors(arrays)
    wanted.refuse_rows(len(vectors))
    words = _words_within(arrays, metadata)
    if words is None and wanted.path is not None:
        words = _words_beside(wanted.path, len(vectors), wanted)
    if words is None:
        raise VectorFileError(
            "no_words", because="no_words_beside", file=f"{wanted.name}.words.txt"
        )
    return _table(vectors, words, "safetensors", wanted)


def _table(
    vectors: np.ndarray, words: CountedWords, file_format: str, wanted: Wanted
) -> VectorTable:
    n_words, each = words
    if n_words != len(vectors):
        raise VectorFileError("word_count", n_words=n_words, n_vectors=len(vectors))
    gathering = Gathering(vectors.shape[1], wanted, expected=len(vectors))
    for start in range(0, len(vectors), BLOCK_ROWS):
        if gathering.is_full:
            gathering.is_whole = False
            break
        block = vectors[start : start + BLOCK_ROWS]
        with np.errstate(over="ignore"):  # a float64 too large for float32 is then not finite
            gathering.add(list(map(_short, islice(each, len(block)))), block.astype(np.float32))
    return gathering.table(file_format)


def _short(word: bytes) -> bytes:
    """The word; VectorFileError for one that would make a block of words too large."""
    if len(word) > LONGEST_WORD:
        raise VectorFileError("too_large", because="long_word", limit=LONGEST_WORD)
    return word


def refuse_long_directory(file: BinaryIO) -> None:
    """Raise VectorFileError for a long list of members, of which zipfile makes an object each."""
    if has_long_directory(file, LONGEST_DIRECTORY):
        raise VectorFileError("damaged_file", kind="NumPy archive")


def _refuse_large_members(archive: Any, wanted: Wanted) -> None:
    """Raise VectorFileError by the stated sizes; zipfile reads no more of a member than that."""
    if sum(member.file_size for member in archive.zip.infolist()) > wanted.max_bytes:
        raise VectorFileError("too_large", because="unpacked", limit=wanted.max_bytes)


def _vectors(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """The array under a usual name, else the only one that could be it."""
    fitting = {
        key: each for key, each in arrays.items() if each.ndim == 2 and each.dtype.kind == "f"
    }
    for key in VECTOR_NAMES:
        if key in fitting:
            found = fitting[key]
            break
    else:
        if len(fitting) != 1:
            raise VectorFileError(
                "no_vectors", because="unnamed_arrays", arrays=tuple(arrays), n=len(fitting)
            )
        (found,) = fitting.values()
    if not found.size:
        raise VectorFileError("no_vectors")
    return found


def _words_of_arrays(arrays: Mapping[str, np.ndarray]) -> CountedWords:
    fitting = {
        key: each for key, each in arrays.items() if each.ndim == 1 and each.dtype.kind in "US"
    }
    named = next((key for key in WORD_NAMES if key in fitting), None)
    if named is None and len(fitting) == 1:
        named = next(iter(fitting))
    if named is None:
        raise VectorFileError("no_words", because="no_list_of_words", arrays=tuple(arrays))
    found = fitting[named]
    step = max(1, BLOCK_BYTES // max(1, found.dtype.itemsize))
    blocks = (found[start : start + step] for start in range(0, len(found), step))
    return len(found), (
        word if isinstance(word, bytes) else word.encode()
        for block in blocks
        for word in block.tolist()
    )


def _words_within(
    arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]
) -> CountedWords | None:
    for key in WORD_NAMES:
        if key in arrays and arrays[key].dtype == np.uint8 and arrays[key].ndim == 1:
            return _lines(arrays[key].tobytes())
    text = next((metadata[key] for key in WORD_NAMES if key in metadata), None)
    if text is None:
        return None
    words = listed(text)
    if words is None:
        return _lines(text.encode())
    return len(words), (word.encode() for word in words)


def listed(text: str) -> list[str] | None:
    """The entries of a JSON list; None for lines, the first of which may begin with a bracket."""
    try:
        return [str(each) for each in json.loads(text)] if text.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        return None


def _words_beside(path: Path, n: int, wanted: Wanted) -> CountedWords | None:
    for beside in (
        path.with_suffix(".words.txt"),
        path.parent / "words.txt",
        path.parent / "vocab.txt",
    ):
        if beside.is_file():
            return _lines(_content_beside(beside, wanted).replace(b"\r\n", b"\n"))
    tokenizer = path.parent / "tokenizer.json"
    return _words_of_tokenizer(tokenizer, n, wanted) if tokenizer.is_file() else None


def _content_beside(path: Path, wanted: Wanted) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(wanted.limits.file_bytes + 1)
    except OSError as error:
        raise VectorFileError("no_words", because="unreadable_words", file=path.name) from error
    if len(content) > wanted.limits.file_bytes:
        raise VectorFileError("too_large", because="file_bytes", limit=wanted.limits.file_bytes)
    return content


def _lines(content: bytes) -> CountedWords:
    """The words of a text, one a line; the last line may lack its end."""
    content = content.removesuffix(b"\n")
    return content.count(b"\n") + 1, (
        line.removesuffix(b"\n") for line in chain(io.BytesIO(content), repeat(b""))
    )


def _words_of_tokenizer(path: Path, n: int, wanted: Wanted) -> CountedWords:
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
        raise VectorFileError("no_words", because="unreadable_words", file=path.name) from error
    if any(place not in words for place in range(n)):
        raise VectorFileError("word_count", n_words=len(words), n_vectors=n)
    return n, (words[place].encode() for place in range(n))
