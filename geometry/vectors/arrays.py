"""Word vectors as arrays: .npz and .safetensors, with the words in, or beside, the file.

An .npz holds two arrays, words and vectors, under one of the usual names. A .safetensors file has
no strings, so its words are, in this order: a uint8 tensor "words", UTF-8 with a newline between
two; "words" in its metadata, a JSON list or lines; or, of a file on disk, beside it
<its name>.words.txt, words.txt or vocab.txt (one a line) or tokenizer.json, which is how model2vec
writes static vectors.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..data.embeddings import VectorTable
from .errors import VectorFileError, too_large
from .gather import Gathering, Wanted

VECTOR_NAMES = (
    "vectors", "vec", "vecs", "embeddings", "embedding", "embedding.weight", "weight", "matrix",
    "wv", "X",
)  # fmt: skip
WORD_NAMES = ("words", "vocab", "vocabulary", "word", "tokens", "index_to_key", "keys", "labels")
BLOCK_ROWS = 8_192


def read_npz(file: BinaryIO, size: int | None, name: str, wanted: Wanted) -> VectorTable:
    """The table of an .npz file; arrays of Python objects are never unpickled."""
    if not zipfile.is_zipfile(file):
        raise VectorFileError("no_vectors")
    file.seek(0)
    try:
        with np.load(file, allow_pickle=False) as archive:
            _refuse_large_members(archive, wanted)
            arrays = {key: archive[key] for key in archive.files}
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, KeyError) as error:
        if isinstance(error, VectorFileError):
            raise
        if "pickle" in str(error):
            raise VectorFileError("pickled") from error
        raise VectorFileError("damaged_file", kind="NumPy archive") from error
    return _table(_vectors(arrays), _words_of_arrays(arrays), name, "npz", wanted)


def read_safetensors(
    file: BinaryIO, size: int | None, name: str, wanted: Wanted, path: Path | None = None
) -> VectorTable:
    """The table of a .safetensors file.   path : its place, where words may lie beside it."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    content = file.read()
    try:
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        arrays = load(content)
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise VectorFileError("damaged_file", kind="safetensors file") from error
    vectors = _vectors(arrays)
    words = _words_within(arrays, header.get("__metadata__") or {})
    if words is None and path is not None:
        words = _words_beside(path, len(vectors))
    if words is None:
        raise VectorFileError("no_words", because="no_words_beside", file=f"{name}.words.txt")
    return _table(vectors, words, name, "safetensors", wanted)


def _table(
    vectors: np.ndarray, words: Sequence[bytes], name: str, file_format: str, wanted: Wanted
) -> VectorTable:
    if len(words) != len(vectors):
        raise VectorFileError("word_count", n_words=len(words), n_vectors=len(vectors))
    gathering = Gathering(vectors.shape[1], wanted, expected=len(vectors))
    for start in range(0, len(vectors), BLOCK_ROWS):
        if gathering.is_full:
            gathering.is_whole = False
            break
        block = slice(start, start + BLOCK_ROWS)
        with np.errstate(over="ignore"):  # a float64 too large for float32 is then not finite
            gathering.add(words[block], vectors[block].astype(np.float32))
    return gathering.table(name, file_format)


def _refuse_large_members(archive: Any, wanted: Wanted) -> None:
    """Before anything is unpacked: a small archive may hold an enormous array."""
    unpacked = sum(member.file_size for member in archive.zip.infolist())
    if unpacked > 3 * wanted.max_bytes:  # float64, and the words beside it
        raise too_large(unpacked // 4, 1, wanted.max_bytes)


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


def _words_of_arrays(arrays: Mapping[str, np.ndarray]) -> list[bytes]:
    fitting = {
        key: each for key, each in arrays.items() if each.ndim == 1 and each.dtype.kind in "US"
    }
    named = next((key for key in WORD_NAMES if key in fitting), None)
    if named is None and len(fitting) == 1:
        named = next(iter(fitting))
    if named is None:
        raise VectorFileError("no_words", because="no_list_of_words", arrays=tuple(arrays))
    found = fitting[named]
    return [word if isinstance(word, bytes) else word.encode() for word in found.tolist()]


def _words_within(
    arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]
) -> list[bytes] | None:
    for key in WORD_NAMES:
        if key in arrays and arrays[key].dtype == np.uint8 and arrays[key].ndim == 1:
            return arrays[key].tobytes().removesuffix(b"\n").split(b"\n")
    text = next((metadata[key] for key in WORD_NAMES if key in metadata), None)
    if text is None:
        return None
    if text.lstrip().startswith("["):
        try:
            return [str(word).encode() for word in json.loads(text)]
        except ValueError:
            pass  # lines, the first of which begins with a bracket
    return [word.encode() for word in text.removesuffix("\n").split("\n")]


def _words_beside(path: Path, n: int) -> list[bytes] | None:
    for beside in (
        path.with_suffix(".words.txt"),
        path.parent / "words.txt",
        path.parent / "vocab.txt",
    ):
        if beside.is_file():
            lines = beside.read_bytes().removesuffix(b"\n").split(b"\n")
            return [line.removesuffix(b"\r") for line in lines]
    tokenizer = path.parent / "tokenizer.json"
    return _words_of_tokenizer(tokenizer, n) if tokenizer.is_file() else None


def _words_of_tokenizer(path: Path, n: int) -> list[bytes]:
    """Row i belongs to the token of number i."""
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
        vocabulary = settings["model"]["vocab"]
        if isinstance(vocabulary, dict):
            places = dict(vocabulary)
        else:
            places = {piece: place for place, (piece, _) in enumerate(vocabulary)}
        places |= {each["content"]: each["id"] for each in settings.get("added_tokens") or ()}
        words = {int(place): str(word) for word, place in places.items()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise VectorFileError("no_words", because="unreadable_words", file=path.name) from error
    if any(place not in words for place in range(n)):
        raise VectorFileError("word_count", n_words=len(words), n_vectors=n)
    return [words[place].encode() for place in range(n)]
