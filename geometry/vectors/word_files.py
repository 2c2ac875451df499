"""A file of word vectors, in any of the usual forms, to one checked table; and the bundled ones.

``assets/vectors/glove/README.md`` has the origin of these.
"""

import hashlib
import io
import json
import math
import os
import sys
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np

from ..data.account import DUPLICATE, MOST_ROWS, NOT_FINITE, UNWANTED, Account, RowCount
from ..data.column_names import named
from ..data.decode import Source
from ..data.embeddings import VectorReport, VectorTable
from ..data.limits import LIMITS, Limits
from ..data.recognise import Reading
from ..shipped import shipped_file
from .errors import VectorFileError, refuse_dimensions
from .formats import FORMATS, opened_rows
from .row_sample import GrownRows
from .row_source import BESIDE_A_WORD, VECTOR_NAMES, Block, ChosenColumns, Hints, RowSource
from .word_rows import LONGEST_WORD

WORD_NAMES = (
    "words", "vocab", "vocabulary", "word", "tokens", "index_to_key", "keys", "labels", "token",
)  # fmt: skip
BUNDLED_VECTORS = ("glove",)
GLOVE_FILE = "vectors/glove/glove-6b-100d-40000.npz"
# of the vectors as little-endian float16, row by row, and of the words in UTF-8, one a line
VECTORS_SHA256 = "ee497de440b0228bf80a1c1305d8188fdbafc24626774dba38f9d30cee44f96f"
WORDS_SHA256 = "062a664fb437e45618f15a958d4750bf1f936e50cd96a1e485fd577dcceab062"


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
        vec), "safetensors" (see ``geometry.vectors.word_files.words_beside`` for where its words
        are), "parquet", "arrow" or "hdf5" (a column of words). None finds it from the content.
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
    gathering = _Gathering(limits, max_words, words)
    with opened_rows(source, name, hints, formats.get(format or "")) as (rows, title):
        vector = rows.vector_choice(None, rows.ids)
        arrays = (*rows.vector_columns, *rows.columns)
        if len(rows.vector_columns) > 1 and named(rows.vector_columns, VECTOR_NAMES) is None:
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
            if rows.format == "safetensors":
                raise VectorFileError("no_words_beside", file=f"{title.stem}.words.txt")
            if rows.format == "npz" and rows.others:
                raise VectorFileError("pickled")
            raise VectorFileError("no_list_of_words", arrays=arrays)
        chosen = ChosenColumns(vector, column)
        for texts, block in _with_words(rows.blocks(chosen), beside):
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
        used = tuple(filter(None, (column, *chosen.vector_names)))
        return gathering.table(title.stem, rows, n, used)


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


class _Gathering:
    """Collects blocks of words and rows; ``is_full`` once no more are wanted."""

    def __init__(
        self, limits: Limits, max_words: int | None, words: Collection[str] | None
    ) -> None:
        self._limits = limits
        self._chosen = None if words is None else frozenset(words)
        n_chosen = math.inf if self._chosen is None else len(self._chosen)
        self._most = min(n_chosen, math.inf if max_words is None else max_words)
        self.is_whole = True  # False if rows of the file are not looked at
        self._rows = GrownRows()
        self._words: list[str] = []
        self._numbers: list[int] = []  # row numbers in the file, from 1
        self._known: set[str] = set()
        self.n_rows = self._n_replaced = self._n_spaced = self._word_bytes = 0
        self._left_out: dict[str, RowCount] = defaultdict(RowCount)
        # the first few words that were left out
        self._named: dict[str, list[str]] = defaultdict(list)

    def is_full(self) -> bool:
        return len(self._words) >= self._most

    def refuse_words(self, n: int) -> None:
        if n > self._limits.words:
            raise VectorFileError("too_many_words", limit=self._limits.words)

    def add(self, words: Sequence[str], block: np.ndarray) -> None:
        d = block.shape[1]
        refuse_dimensions(d, self._limits.dimensions)
        finite = np.isfinite(block).all(axis=1).tolist()
        taken = []
        for row, (word, is_finite) in enumerate(zip(words, finite, strict=True)):
            if self.is_full():
                self.is_whole = False
                break
            self.n_rows += 1
            self._n_spaced += " " in word
            self._n_replaced += "\ufffd" in word
            if self._chosen is not None and word not in self._chosen:
                self._leave_out(UNWANTED, word)
            elif word in self._known:
                self._leave_out(DUPLICATE, word)
            elif not is_finite:
                self._leave_out(NOT_FINITE, word)
            else:
                self._known.add(word)
                self._words.append(word)
                self._numbers.append(self.n_rows)
                taken.append(row)
        self.refuse_words(self.n_rows)
        end = len(self._words)
        most = self._limits.table_bytes
        self._word_bytes += sum(map(sys.getsizeof, self._words[self._rows.n :]))
        needed = 4 * d * end + self._word_bytes + BESIDE_A_WORD * end
        if needed > most:
            raise VectorFileError("too_many_bytes", n=end, d=d, needed=needed, limit=most)
        self._rows.add(block if len(taken) == len(block) else block[taken])

    def _leave_out(self, reason: str, word: str) -> None:
        self._left_out[reason].add([self.n_rows])
        if len(self._named[reason]) < MOST_ROWS:
            self._named[reason].append(word)

    def table(
        self, name: str, rows: RowSource, n: int | None, used: tuple[str, ...]
    ) -> VectorTable:
        """The table of all that was added of ``rows``, which may be ``n`` in the file."""
        if not self._words:
            raise VectorFileError("none_wanted")
        report = VectorReport(
            format=rows.format,
            n_rows=self.n_rows,
            n_stated=rows.n_stated,
            complete=self.is_whole,
            n_duplicates=self._left_out[DUPLICATE].n,
            duplicates=tuple(self._named[DUPLICATE]),
            n_not_finite=self._left_out[NOT_FINITE].n,
            not_finite=tuple(self._named[NOT_FINITE]),
            n_replaced=self._n_replaced,
            n_spaced=self._n_spaced,
        )
        is_all = len(self._words) == self.n_rows
        n_rows = max(self.n_rows, n or 0)  # with those after the last that was wanted
        self._left_out[UNWANTED].add(range(self.n_rows + 1, n_rows + 1))
        left_out = (each.left_out(reason) for reason, each in self._left_out.items() if each.n)
        unused = tuple(each for each in rows.all_columns if each not in used)
        return VectorTable(
            self._rows.whole(),
            tuple(self._words),
            name,
            report,
            None if is_all else np.array(self._numbers),
            Account(n_rows, len(self._words), tuple(left_out), used, unused),
        )


def words_beside(path: Path, n: int, encoding: str | None, limits: Limits) -> list[str] | None:
    """The words of n rows in a file of the same folder; None if there is none.

    The format .safetensors has no strings, so its words are looked for in this order:

    - a uint8 tensor "words", UTF-8 with a newline between two words;
    - "words" in its metadata, a JSON list or lines;
    - beside a file on disk: <its name>.words.txt, words.txt or vocab.txt, with one word a line, or
      tokenizer.json, as model2vec writes it.
    """
    for own in (path.with_suffix(".words.txt").name, "words.txt", "vocab.txt"):
        if (beside := path.with_name(own)).is_file():
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
        if not isinstance(vocabulary, dict):
            vocabulary = {piece: place for place, (piece, _) in enumerate(vocabulary)}
        added = {each["content"]: each["id"] for each in settings.get("added_tokens") or ()}
        words = {int(place): str(word) for word, place in (vocabulary | added).items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise VectorFileError("unreadable_words", file=path.name) from error
    if any(place not in words for place in range(n)):
        raise VectorFileError("word_count", n_words=len(words), n_vectors=n)
    return [words[place] for place in range(n)]


def read_bundled_vectors(name: str = "glove") -> VectorTable:
    """Word vectors that come with the project, offline.

    "glove": GloVe 6B, 100 numbers a word, the first 40,000 words, most frequent first: (40000, 100)
    float32, read-only, widened from float16. A row differs from GloVe's own by 2.9e-4 of its length
    at most. The package that they were taken from left out words of one letter, numbers, 's, n't
    and words with accents, so a row is close to the word's frequency rank, and not equal to it.

    References
    ----------
    Pennington, Socher, Manning 2014, "GloVe: Global Vectors for Word Representation"; 6 billion
    words of Wikipedia 2014 and Gigaword 5. Public domain (PDDL 1.0).
    """
    if name not in BUNDLED_VECTORS:
        raise VectorFileError("unknown_bundled", name=name, names=BUNDLED_VECTORS)
    file = shipped_file(GLOVE_FILE)
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
            words, halves = arrays["words"], arrays["vectors"]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise VectorFileError("changed_bundled", file=file.name) from error
    parts = (halves.astype("<f2").tobytes(), "\n".join(words.tolist()).encode())
    if [hashlib.sha256(each).hexdigest() for each in parts] != [VECTORS_SHA256, WORDS_SHA256]:
        raise VectorFileError("changed_bundled", file=file.name)
    vectors = halves.astype(np.float32)
    vectors.flags.writeable = False
    report = VectorReport("npz", n_rows=len(words))
    return VectorTable(vectors, tuple(words.tolist()), "GloVe 6B", report)
