"""Sentence pairs with human scores: the bundled ones, and those of a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from .decode import Source, read_text_file
from .limits import MAX_BYTES, MAX_TEXTS, CorpusError, refuse_empty, refuse_too_few, refuse_too_many
from .tables import PAIR_NAMES, SCORE_NAMES, Table, is_number, mostly_numbers, read_table

BUNDLED = Path(__file__).resolve().parents[1] / "assets" / "corpora" / "pairs.csv"
_STSB_WIDTH, _STSB_PLACES = 7, (5, 6, 4)  # genre, file, year, id, score, left, right


@dataclass(frozen=True, eq=False)
class Pairs:
    """Sentence pairs and how alike people found them: left, right and gold_scores (n,) float64."""

    name: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    gold_scores: np.ndarray

    def __post_init__(self) -> None:
        scores = np.array(self.gold_scores, dtype=np.float64)  # a copy of our own
        scores.flags.writeable = False
        for field, value in (("left", tuple(self.left)), ("right", tuple(self.right))):
            object.__setattr__(self, field, value)
        object.__setattr__(self, "gold_scores", scores)
        if not len(self.left) == len(self.right) == len(scores):
            raise ValueError(
                f"{len(self.left)} left sentences, {len(self.right)} right ones and "
                f"{len(scores)} scores; every pair needs one of each"
            )

    def __len__(self) -> int:
        return len(self.left)


@cache
def read_bundled_pairs() -> Pairs:
    """The pairs written for this project, scored 0 (unrelated) to 5 (the same meaning)."""
    return read_pairs(BUNDLED)


def read_pairs(
    source: Source,
    *,
    name: str | None = None,
    columns: Sequence[str | int] | None = None,
    has_header: bool | None = None,
    encoding: str | None = None,
    max_pairs: int = MAX_TEXTS,
    max_bytes: int = MAX_BYTES,
) -> Pairs:
    """Pairs from a table: left, right, score.

    ``columns`` : these three, by name or place; None finds them by their names, by STS-B's
    form (7 columns, tab-separated, no header), or as the two texts and the numbers of three
    columns. Raises CorpusError, besides those of ``read_corpus``, with the codes
    no_pair_columns, bad_score, blank_sentence.
    """
    file = read_text_file(source, name=name, encoding=encoding, max_bytes=max_bytes)
    table = read_table(file, max_rows=max_pairs, has_header=has_header, wanted=columns or ())
    refuse_empty(table.n_rows)
    refuse_too_many(table.n_rows, max_pairs)
    left_at, right_at, score_at = (
        _pair_places(table) if columns is None else map(table.index, columns)
    )
    for line, row in zip(table.lines, table.rows, strict=True):
        _check_pair(line, row[left_at], row[right_at], row[score_at])
    refuse_too_few(table.n_rows)
    return Pairs(
        name=file.title,
        left=tuple(table.cells(left_at)),
        right=tuple(table.cells(right_at)),
        gold_scores=np.array([float(cell) for cell in table.cells(score_at)]),
    )


def _pair_places(table: Table) -> tuple[int, int, int]:
    score = table.named(SCORE_NAMES)
    for left, right in PAIR_NAMES:
        places = (table.named((left,)), table.named((right,)), score)
        if None not in places:
            return places  # type: ignore[return-value]
    numeric = [i for i in range(len(table.columns)) if mostly_numbers(table.cells(i))]
    if len(table.columns) == _STSB_WIDTH and not table.has_header and _STSB_PLACES[2] in numeric:
        return _STSB_PLACES
    texts = [i for i in range(len(table.columns)) if i not in numeric]
    if len(table.columns) == 3 and len(numeric) == 1:
        return texts[0], texts[1], numeric[0]
    raise CorpusError(
        "no_pair_columns",
        f"The columns {', '.join(table.columns)} are not two sentences and a score. Name them "
        "left, right and score in the first row.",
        columns=table.columns,
    )


def _check_pair(line: int, left: str, right: str, score: str) -> None:
    if not left or not right:
        raise CorpusError(
            "blank_sentence",
            f"The pair at line {line:,} lacks a sentence. Fill it in or take the row out.",
            line=line,
        )
    if not is_number(score) or not math.isfinite(float(score)):
        raise CorpusError(
            "bad_score",
            f"The score {score[:40]!r} at line {line:,} is no number. Write one such as 3.5, or "
            "take the row out.",
            line=line,
            score=score,
        )
