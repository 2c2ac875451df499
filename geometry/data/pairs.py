"""Sentence pairs with human scores: the bundled pairs, and those of a file or a folder."""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import own_errors
from ..shipped import shipped_file
from . import column_names
from .account import FORMULA, Account
from .decode import Source
from .embeddings import NamedBy, VectorSet, named_rows
from .errors import CorpusError
from .limits import LIMITS, Limits, refuse_row_count, refuse_too_few
from .recognise import AS_FOUND, SAMPLE_ROWS, Reading, is_figure, is_id, is_number
from .table_files import read_table_file
from .tables import LineForm, Table

BUNDLED_PAIRS = ("pairs", "hard-pairs", "pairs-zh")  # the default first
# Lines of STS-B's own form, of which some have further columns
_STSB = LineForm(
    ("genre", "file", "year", "id", "score", "left", "right"),
    "\t",
    # of the genre, the score and the two sentences only the score is a number
    lambda cells: [*map(is_number, (*cells[:1], *cells[4:7]))] == [False, True, False, False],
)
_NAME_OF_ID = re.compile(r"(^|[^a-z]|q)id\d*$")  # pair_ID, #1 ID, qid1
_SPLITS = {"train": "train", "dev": "dev", "valid": "dev", "validation": "dev", "test": "test"}
_SPLIT = re.compile(rf"(?:^|[-_. ])({'|'.join(_SPLITS)})(?:[-_. ]|$)", re.IGNORECASE)
_PAIR_FILE = re.compile(r"\.(csv|tsv|tab|txt|jsonl|parquet)(\.gz)?$", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Sentence pairs and their similarity as people scored it."""

    name: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    gold_scores: np.ndarray  #: (n,) float64
    subsets: tuple[str, ...] | None = None  #: the part of the set of each pair, as STS-B's genre
    #: the lowest and highest score that people could give, if known
    scale: tuple[float, float] | None = None
    source: str = ""  #: repository and commit of pairs that were fetched
    n_shortened: int = 0  #: sentences that were cut at the limit
    account: Account | None = None  #: None without a file

    @cached_property
    def sentence_counts(self) -> Mapping[str, int]:
        """How many pairs each different sentence is in."""
        pairs = zip(self.left, self.right, strict=True)
        return Counter(text for pair in pairs for text in dict.fromkeys(pair))

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Every different sentence once, in the order of its first pair."""
        return tuple(self.sentence_counts)

    @cached_property
    def content_key(self) -> str:
        """A digest of the sentences, their scores and subsets."""
        content = (self.left, self.right, self.gold_scores.tobytes(), self.subsets)
        return hashlib.sha256(repr(content).encode()).hexdigest()

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Left and right sides (n,) of the pairs as numbers of ``sentences``, from 0."""
        row_of = {text: row for row, text in enumerate(self.sentences)}
        left, right = ([row_of[text] for text in side] for side in (self.left, self.right))
        return np.array(left), np.array(right)

    @cached_property
    def units(self) -> np.ndarray:
        """(n,) a number, from 0, for all pairs that shared sentences connect."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        left, right = self.rows
        n = len(self.sentences)
        links = coo_array((np.ones(len(left), dtype=bool), (left, right)), shape=(n, n))
        part = connected_components(links, directed=False)[1]
        return np.unique(part[left], return_inverse=True)[1]

    def __post_init__(self) -> None:
        # A copy, because the caller may change the array
        scores = np.array(self.gold_scores, dtype=np.float64)
        scores.flags.writeable = False
        object.__setattr__(self, "left", tuple(self.left))
        object.__setattr__(self, "right", tuple(self.right))
        object.__setattr__(self, "gold_scores", scores)
        if not len(self.left) == len(self.right) == len(scores):
            raise ValueError(
                f"{len(self.left)} left sentences, {len(self.right)} right ones and "
                f"{len(scores)} scores; every pair needs one of each"
            )
        if self.subsets is not None:
            object.__setattr__(self, "subsets", tuple(self.subsets))
            if len(self.subsets) != len(scores):
                raise ValueError(f"{len(self.subsets)} names of subsets for {len(scores)} pairs")

    @classmethod
    def joined(cls, name: str, parts: Sequence[Pairs]) -> Pairs:
        """The pairs of all parts in their order; subsets where every part names its own."""
        named = all(part.subsets is not None for part in parts)
        return cls(
            name=name,
            left=tuple(text for part in parts for text in part.left),
            right=tuple(text for part in parts for text in part.right),
            gold_scores=np.concatenate([part.gold_scores for part in parts]),
            subsets=tuple(each for part in parts for each in part.subsets or ()) if named else None,
            n_shortened=sum(part.n_shortened for part in parts),
        )

    def among(self, rows: np.ndarray) -> Pairs:
        """The pairs of these rows, in their order."""
        picked: dict[str, Any] = {
            name: tuple(getattr(self, name)[row] for row in rows)
            for name in ("left", "right", "subsets")
            if getattr(self, name) is not None
        }
        return replace(self, gold_scores=self.gold_scores[rows], **picked)

    def __len__(self) -> int:
        return len(self.left)

    @property
    def score_range(self) -> tuple[float, float]:
        """The lowest and highest score there is; (nan, nan) without a pair."""
        if not len(self.gold_scores):
            return math.nan, math.nan
        return float(self.gold_scores.min()), float(self.gold_scores.max())


@dataclass(frozen=True, eq=False)
class RowPairs:
    """Scored pairs of rows of vectors."""

    left: np.ndarray  #: (p,) rows, from 0
    right: np.ndarray
    gold_scores: np.ndarray  #: (p,) float64
    n_pairs: int  #: of the file; those with an id that names no row are left out
    named_by: NamedBy  #: what the ids are

    def __len__(self) -> int:
        return len(self.gold_scores)


@cache
def read_bundled_pairs(name: str = "pairs") -> Pairs:
    """Pairs written for this project, scored 0 (unrelated) to 5 (the same meaning).

    "pairs" (English), "hard-pairs" (English; many share their words and differ in meaning) or
    "pairs-zh" (Traditional Chinese). assets/corpora/README.md has the rubric of the scores.
    """
    if name not in BUNDLED_PAIRS:
        raise CorpusError("unknown_corpus", name=name, names=BUNDLED_PAIRS)
    return read_pairs(shipped_file(f"corpora/{name}.csv"))


def pairs_for(texts: Sequence[str]) -> str:
    """The name of the bundled pairs in the language of these texts, "pairs" or "pairs-zh"."""
    is_chinese = any("\u4e00" <= sign <= "\u9fff" for text in texts[:50] for sign in text)
    return "pairs-zh" if is_chinese else "pairs"


def read_pairs(
    source: Source,
    *,
    name: str | None = None,
    columns: Sequence[str | int] | None = None,
    subset_column: str | int | None = None,
    reading: Reading = AS_FOUND,
    limits: Limits = LIMITS,
) -> Pairs:
    """Pairs from a table, .jsonl or .parquet, gzipped or not: left, right, score in any range.

    Raises CorpusError as ``read_corpus``, and no_pair_columns, bad_score, blank_sentence.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
        Title of the pairs. By default the name of the file.
    columns : sequence of three str or int, optional
        Left, right and score, by name or place. None finds them by their names, by STS-B's form
        (7 columns or more, tab-separated, no header), or as two texts and a number.
    subset_column : str or int, optional
        None takes a column named subset, genre or dataset.
    reading : Reading
    limits : Limits
    """
    if columns is not None and len(columns) != 3:
        raise ValueError(f"columns must be three: left, right and score; got {len(columns)}")
    file, table = read_table_file(
        source,
        name,
        reading,
        limits,
        title="pairs",
        wanted=(*(columns or ()), subset_column),
        own_form=_STSB if columns is None and not reading.header else None,
    )
    with own_errors(CorpusError):
        return _pairs_of(table, file.title, columns, subset_column, limits)


def read_row_pairs(
    source: Source,
    *,
    name: str | None = None,
    columns: Sequence[str] | None = None,
    reading: Reading = AS_FOUND,
    limits: Limits = LIMITS,
) -> Pairs:
    """Pairs of ids and their scores, for ``row_pairs``, as ``read_pairs`` reads sentences.

    Three columns are two ids and the score behind them, also where the ids are numbers.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
    columns : sequence of three str, optional
    reading : Reading
    limits : Limits
    """
    read = partial(read_pairs, source, name=name, reading=reading, limits=limits)
    try:
        return read(columns=columns)
    except CorpusError as error:
        if error.code != "no_pair_columns" or len(error.details["columns"]) != 3:
            raise
        found: Sequence[str] = error.details["columns"]
    # a column named as a score is one, wherever it is
    ids_first = sorted(found, key=lambda each: each.casefold() in column_names.SCORE_NAMES)
    return read(columns=ids_first)


def row_pairs(pairs: Pairs, vectors: VectorSet) -> RowPairs:
    """The rows that pairs name by ids, texts or numbers of rows from 1.

    Of several rows with one text the first counts. CorpusError as ``named_rows``.
    """
    named_by, rows = named_rows(vectors, pairs.sentences)
    found = {each: next(iter(rows.found(each)[0]), -1) for each in pairs.sentences}
    left, right = (np.array([found[each] for each in side]) for side in (pairs.left, pairs.right))
    sound = (left >= 0) & (right >= 0)
    return RowPairs(left[sound], right[sound], pairs.gold_scores[sound], len(pairs), named_by)


def _pairs_of(
    table: Table,
    title: str,
    columns: Sequence[str | int] | None,
    subset_column: str | int | None,
    limits: Limits,
) -> Pairs:
    refuse_row_count(table.n_rows, limits.rows)
    places = _pair_places(table) if columns is None else tuple(map(table.index, columns))
    left_at, right_at, score_at = places
    formulas = {row for note in table.notes if note.reason == FORMULA for row in note.rows}
    scores = [table.number(row[score_at]) for row in table.rows]
    for line, row, score in zip(table.lines, table.rows, scores, strict=True):
        if line in formulas and not all(row[place] for place in places):
            raise CorpusError("formula_cell", line=line)
        check_pair(line, row[left_at], row[right_at], score, row[score_at])
    refuse_too_few(table.n_rows)
    subset_at = table.named(column_names.SUBSET_NAMES)
    subset_at = subset_at if subset_column is None else table.index(subset_column)
    subset_at = None if subset_at in places else subset_at
    most = limits.text_characters
    sides = [table.cells(left_at), table.cells(right_at)]
    return Pairs(
        name=title,
        left=tuple(cell[:most] for cell in sides[0]),
        right=tuple(cell[:most] for cell in sides[1]),
        gold_scores=np.array(scores, dtype=float),
        subsets=None if subset_at is None else tuple(table.cells(subset_at)),
        n_shortened=sum(len(cell) > most for side in sides for cell in side),
        account=table.account((*places, subset_at), {}),
    )


def read_pair_folder(path: str | os.PathLike[str], *, limits: Limits = LIMITS) -> dict[str, Pairs]:
    """The splits "train", "dev" and "test" of a folder on disk, as many as it has.

    A file's name gives its split: sts-train.csv, test.tsv, validation-00000-of-00001.parquet. Each
    file is in STS-B's form or any that ``read_pairs`` takes. CorpusError no_splits, two_splits.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise CorpusError("no_folder", path=str(folder))
    files: dict[str, Path] = {}
    for file in sorted(folder.iterdir()):
        split = split_of(file.name)
        if split is None or not file.is_file():
            continue
        if split in files:
            raise CorpusError("two_splits", split=split, files=(files[split].name, file.name))
        files[split] = file
    if not files:
        raise CorpusError("no_splits", path=str(folder))
    order = [split for split in ("train", "dev", "test") if split in files]
    return {split: read_pairs(files[split], limits=limits) for split in order}


def split_of(file_name: str) -> str | None:
    """The split in a file's name, "train", "dev" or "test"; None where there is none."""
    kind = _PAIR_FILE.search(file_name)
    found = _SPLIT.search(file_name[: kind.start()]) if kind else None
    return _SPLITS[found[1].lower()] if found else None


def _pair_places(table: Table) -> tuple[int, int, int]:
    score = table.named(column_names.SCORE_NAMES)
    for left, right in column_names.PAIR_NAMES:
        places = (table.named((left,)), table.named((right,)), score)
        if None not in places:
            return places  # type: ignore[return-value]
    columns = [*range(len(table.columns))]
    if len(columns) > 3:  # a number of the row, or a code, may be beside the three
        ids = [i for i in columns if _NAME_OF_ID.search(table.columns[i].casefold())]
        columns = [i for i in columns if i not in ids and not is_id(table.cells(i))]
    numeric = [i for i in columns if table.is_numeric(i)]
    others = [i for i in columns if i not in numeric]
    texts = [i for i in others if not all(map(is_figure, table.cells(i)[:SAMPLE_ROWS]))]
    if (sides := twins([table.columns[i] for i in texts])) is not None:  # others are beside them
        texts = [texts[i] for i in sides]
    if len(numeric) == 1 and len(texts) == 2 and _may_be_pairs(table, texts, numeric[0]):
        return texts[0], texts[1], numeric[0]
    raise CorpusError("no_pair_columns", columns=table.columns)


def twins(names: Sequence[str]) -> tuple[int, int] | None:
    """Places of two names that are known, or differ in 1 and 2 only: question1 and question2."""
    folded = [name.strip().casefold() for name in names]
    # "column 1" is the name of a column without one
    first = [name for name in folded if "1" in name and not name.startswith("column ")]
    others = ((name, name.replace("1", "2")) for name in first)
    for left, right in (*column_names.PAIR_NAMES, *others):
        if left in folded and right in folded:
            return folded.index(left), folded.index(right)
    return None


def _may_be_pairs(table: Table, texts: Sequence[int], score: int) -> bool:
    """False if the names are those of other tables, such as text, topic and weight."""
    names = [name.strip().casefold() for name in table.columns]
    if names[score] in column_names.SCORE_NAMES:
        return True
    has_label = any(names[i] in column_names.LABEL_NAMES for i in texts)
    if names[score] in column_names.WEIGHT_NAMES or has_label:
        return False
    return sum(names[i] in column_names.TEXT_NAMES for i in texts) != 1


def check_pair(line: int, left: str, right: str, score: float | None, cell: str) -> None:
    """Raise CorpusError for a pair that lacks a side, or a score (``cell``) that is no number."""
    if not left or not right:
        raise CorpusError("blank_sentence", line=line)
    if score is None or not math.isfinite(score):
        raise CorpusError("bad_score", line=line, score=cell)
