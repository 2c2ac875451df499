"""Sentence pairs with human scores: the bundled pairs, and those of a file or a folder."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from .decode import Source, TextFile
from .limits import MAX_BYTES, MAX_TEXTS, CorpusError, refuse_empty, refuse_too_few, refuse_too_many
from .pair_records import read_pair_file
from .shipped import shipped_file
from .tables import PAIR_NAMES, SCORE_NAMES, Table, is_number, mostly_numbers, read_table

BUNDLED = shipped_file("corpora/pairs.csv")
SUBSET_NAMES = ("subset", "genre", "dataset")
_STSB = ("genre", "file", "year", "id", "score", "left", "right")
_SAMPLE_LINES = 20
_SPLITS = {"train": "train", "dev": "dev", "valid": "dev", "validation": "dev", "test": "test"}
_SPLIT = re.compile(rf"(?:^|[-_. ])({'|'.join(_SPLITS)})(?:[-_. ]|$)", re.IGNORECASE)
_PAIR_FILE = re.compile(r"\.(csv|tsv|tab|txt|jsonl|parquet)(\.gz)?$", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Sentence pairs and their similarity as people scored it.

    left, right : n sentences each.
    gold_scores : (n,) float64.
    subsets : the part of the set that each pair is of, such as STS-B's genre; None if unknown.
    scale : the lowest and highest score that people could give, if known; ``score_range`` is
        what they gave. Spearman and Pearson are the same on any scale.
    source : repository and commit of pairs that were fetched; else "".
    """

    name: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    gold_scores: np.ndarray
    subsets: tuple[str, ...] | None = None
    scale: tuple[float, float] | None = None
    source: str = ""

    def __post_init__(self) -> None:
        scores = np.array(self.gold_scores, dtype=np.float64)  # the caller may change its own
        scores.flags.writeable = False
        for field, value in (("left", tuple(self.left)), ("right", tuple(self.right))):
            object.__setattr__(self, field, value)
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
        subsets = [part.subsets for part in parts]
        return cls(
            name=name,
            left=tuple(text for part in parts for text in part.left),
            right=tuple(text for part in parts for text in part.right),
            gold_scores=np.concatenate([part.gold_scores for part in parts]),
            subsets=None
            if None in subsets
            else tuple(each for names in subsets for each in names or ()),
        )

    def __len__(self) -> int:
        return len(self.left)

    @property
    def score_range(self) -> tuple[float, float]:
        """The lowest and highest score there is; (nan, nan) without a pair."""
        if not len(self.gold_scores):
            return math.nan, math.nan
        return float(self.gold_scores.min()), float(self.gold_scores.max())


@cache
def read_bundled_pairs() -> Pairs:
    """The pairs written for this project, scored 0 (unrelated) to 5 (the same meaning)."""
    return read_pairs(BUNDLED)


def read_pairs(
    source: Source,
    *,
    name: str | None = None,
    columns: Sequence[str | int] | None = None,
    subset_column: str | int | None = None,
    has_header: bool | None = None,
    encoding: str | None = None,
    max_pairs: int = MAX_TEXTS,
    max_bytes: int = MAX_BYTES,
) -> Pairs:
    """Pairs from a table, .jsonl or .parquet, gzipped or not: left, right, score.

    columns : these three, by name or place. None finds them by their names, by STS-B's form
        (7 columns or more, tab-separated, no header), or as two texts and a number.
    subset_column : by name or place; None takes a column named subset, genre or dataset.
    Scores may have any range; ``score_range`` of the result is theirs.
    Raises CorpusError with the codes of ``read_corpus``, and damaged_file, no_pair_columns,
    bad_score, blank_sentence, bad_json.
    """
    file = read_pair_file(
        source, name=name, encoding=encoding, max_bytes=max_bytes, max_rows=max_pairs
    )
    if isinstance(file, TextFile):
        wanted = (*(columns or ()), subset_column)
        table = _stsb_table(file.text, max_pairs) if columns is None and not has_header else None
        table = table or read_table(file, max_rows=max_pairs, has_header=has_header, wanted=wanted)
        title = file.title
    else:
        title, table = file
    refuse_empty(table.n_rows)
    refuse_too_many(table.n_rows, max_pairs)
    places = _pair_places(table) if columns is None else tuple(map(table.index, columns))
    left_at, right_at, score_at = places
    for line, row in zip(table.lines, table.rows, strict=True):
        check_pair(line, row[left_at], row[right_at], row[score_at])
    refuse_too_few(table.n_rows)
    return Pairs(
        name=title,
        left=tuple(table.cells(left_at)),
        right=tuple(table.cells(right_at)),
        gold_scores=np.array([float(cell) for cell in table.cells(score_at)]),
        subsets=_subsets(table, subset_column, places),
    )


def read_pair_folder(
    path: str | os.PathLike[str], *, max_pairs: int = MAX_TEXTS
) -> dict[str, Pairs]:
    """The splits "train", "dev" and "test" of a folder on disk, as many as it has.

    A file's name gives its split: sts-train.csv, test.tsv, validation-00000-of-00001.parquet. The
    form is STS-B's (tab-separated, no header) or any that ``read_pairs`` takes.
    Raises CorpusError as ``read_pairs`` does, and "no_splits", "two_splits" (two files for one).
    """
    folder = Path(path)
    if not folder.is_dir():
        raise CorpusError("no_splits", because="no_folder", path=str(folder))
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
    return {split: read_pairs(files[split], max_pairs=max_pairs) for split in order}


def split_of(file_name: str) -> str | None:
    """The split in a file's name, "train", "dev" or "test"; None where there is none."""
    kind = _PAIR_FILE.search(file_name)
    found = _SPLIT.search(file_name[: kind.start()]) if kind else None
    return _SPLITS[found[1].lower()] if found else None


def _stsb_table(text: str, max_rows: int) -> Table | None:
    """The rows of a file in STS-B's own form; None for any other form.

    Nothing is quoted. Some rows have columns beyond the seventh, which name their origin.
    """
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    sample = [_is_stsb(line) for _, line in lines[:_SAMPLE_LINES]]
    if 2 * sum(sample) <= len(sample):
        return None
    width = len(_STSB)
    rows = [(number, line.rstrip("\r").split("\t")) for number, line in lines]
    for number, cells in rows:
        if len(cells) < width:
            raise CorpusError(
                "uneven_row", because="uneven_stsb_row", line=number, n=len(cells), expected=width
            )
    taken = rows[:max_rows]
    return Table(
        columns=_STSB,
        rows=tuple(tuple(cell.strip() for cell in cells[:width]) for _, cells in taken),
        lines=tuple(number for number, _ in taken),
        n_rows=len(rows),
        n_blank=0,
    )


def _is_stsb(line: str) -> bool:
    cells = line.split("\t")
    return (
        len(cells) >= len(_STSB)
        and is_number(cells[4])
        and not is_number(cells[0])
        and not any(map(is_number, cells[5:7]))
    )


def _pair_places(table: Table) -> tuple[int, int, int]:
    score = table.named(SCORE_NAMES)
    for left, right in PAIR_NAMES:
        places = (table.named((left,)), table.named((right,)), score)
        if None not in places:
            return places  # type: ignore[return-value]
    numeric = [i for i in range(len(table.columns)) if mostly_numbers(table.cells(i))]
    texts = [i for i in range(len(table.columns)) if i not in numeric]
    if len(table.columns) == 3 and len(numeric) == 1:
        return texts[0], texts[1], numeric[0]
    raise CorpusError("no_pair_columns", columns=table.columns)


def _subsets(
    table: Table, column: str | int | None, places: tuple[int, ...]
) -> tuple[str, ...] | None:
    found = table.named(SUBSET_NAMES) if column is None else table.index(column)
    return None if found is None or found in places else tuple(table.cells(found))


def check_pair(line: int, left: str, right: str, score: str) -> None:
    """Raise CorpusError for a pair that lacks a side, or a score that is no number."""
    if not left or not right:
        raise CorpusError("blank_sentence", line=line)
    if not is_number(score) or not math.isfinite(float(score)):
        raise CorpusError("bad_score", line=line, score=score)
