"""The words of arrays that have none beside them in the file, as in .safetensors.

That format has no strings, so its words are looked for in this order:

- a uint8 tensor "words", UTF-8 with a newline between two words;
- "words" in its metadata, a JSON list or lines;
- beside a file on disk: <its name>.words.txt, words.txt or vocab.txt, with one word a line, or
  tokenizer.json, as model2vec writes it.
"""

import json
from pathlib import Path

from ..data.limits import Limits
from .errors import VectorFileError


def words_beside(path: Path, n: int, encoding: str | None, limits: Limits) -> list[str] | None:
    """The words of n rows in a file of the same folder; None if there is none."""
    own = path.with_suffix(".words.txt")
    for beside in (own, path.with_name("words.txt"), path.with_name("vocab.txt")):
        if beside.is_file():
            content = _content(beside, limits).replace(b"\r\n", b"\n").removesuffix(b"\n")
            words = content.decode(encoding or "utf-8", "replace").split("\n")
            if len(words) != n:
                raise VectorFileError("word_count", n_words=len(words), n_vectors=n)
            return words
    tokenizer = path.with_name("tokenizer.json")
    return _words_of_tokenizer(tokenizer, n, limits) if tokenizer.is_file() else None


def _content(path: Path, limits: Limits) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(limits.file_bytes + 1)
    except OSError as error:
        raise VectorFileError("unreadable_words", file=path.name) from error
    if len(content) > limits.file_bytes:
        raise VectorFileError("file_bytes", limit=limits.file_bytes)
    return content


def _words_of_tokenizer(path: Path, n: int, limits: Limits) -> list[str]:
    """Row i belongs to the token of number i."""
    content = _content(path, limits)
    try:
        settings = json.loads(content)
        vocabulary = settings["model"]["vocab"]
        if isinstance(vocabulary, dict):
            places = dict(vocabulary)
        else:
            places = {piece: place for place, (piece, _) in enumerate(vocabulary)}
        places |= {each["content"]: each["id"] for each in settings.get("added_tokens") or ()}
        words = {int(place): str(word) for word, place in places.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise VectorFileError("unreadable_words", file=path.name) from error
    if any(place not in words for place in range(n)):
        raise VectorFileError("word_count", n_words=len(words), n_vectors=n)
    return [words[place] for place in range(n)]
