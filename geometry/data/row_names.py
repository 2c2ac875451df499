"""Rows of vectors by the ids of another file: ids, texts, or numbers of rows."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from .embeddings import VectorSet
from .errors import CorpusError

NamedBy = Literal["ids", "texts", "numbers"]
ROWS = re.compile(r"\d{1,9}(?:[ ,;]+\d{1,9})*")  # numbers of rows, from 1


class NamedRows:
    """Finds rows by a name, else by their numbers from 1; either may be absent."""

    def __init__(self, names: Sequence[str], numbers: Iterable[int]) -> None:
        self._places: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            self._places.setdefault(_spaced(name), []).append(place)
        self._numbered = {int(number): place for place, number in enumerate(numbers)}

    def n_found(self, wanted: Collection[str]) -> int:
        return sum(bool(self.found(each)[0]) for each in wanted)

    def found(self, named: str) -> tuple[list[int], int]:
        """(rows of a name or of numbers such as "3; 17", how many are missing)."""
        exact = self._places.get(_spaced(named))
        if exact is not None:
            return exact, 0
        if not ROWS.fullmatch(named):
            return [], 1
        numbers = [int(number) for number in re.findall(r"\d+", named)]
        there = [self._numbered[number] for number in numbers if number in self._numbered]
        return there, len(numbers) - len(there)


def named_rows(vectors: VectorSet, wanted: Collection[str]) -> tuple[NamedBy, NamedRows]:
    """What the wanted ids name rows by, and the rows by it.

    The vectors' ids if one of them is wanted; else their texts, or numbers of rows in the file from
    1, whichever names more.
    """
    n = len(vectors)
    numbers = range(1, n + 1) if vectors.numbers is None else vectors.numbers.tolist()
    if vectors.ids is not None:
        by_id = NamedRows(vectors.ids, ())
        if by_id.n_found(wanted):
            return "ids", by_id
    by_text, by_number = NamedRows(vectors.texts or (), ()), NamedRows((), numbers)
    n_texts, n_numbers = by_text.n_found(wanted), by_number.n_found(wanted)
    if not n_texts and not n_numbers:
        raise CorpusError("no_known_ids", id=next(iter(wanted), ""), n=len(wanted))
    if n_texts >= n_numbers:
        return "texts", by_text
    if "0" in wanted:
        raise CorpusError("row_zero")
    return "numbers", by_number


def _spaced(name: str) -> str:
    return " ".join(name.split())
