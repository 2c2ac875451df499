"""What an option names: pairs and texts of a file, a folder's split, the hub, the project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .shell import progress_on_stderr

if TYPE_CHECKING:
    from ..data.pairs import Pairs
    from .lists import Columns

BUNDLED = "bundled"


def pairs_of(sources: Sequence[str], *, columns: Columns | None = None, quiet: bool) -> Pairs:
    """One set as it is; several as one set, whose subsets they are.

    columns : of files that are tables, where they are not to be found by themselves.
    """
    from ..data.pairs import Pairs

    parts = [_pairs_of_one(source, columns=columns, quiet=quiet) for source in sources]
    if len(parts) == 1:
        return parts[0]
    seen = Counter(part.name for part in parts)
    names = [
        part.name if seen[part.name] == 1 else source
        for part, source in zip(parts, sources, strict=True)
    ]
    if len(set(names)) < len(names):
        raise ValueError(f"a set of pairs is named twice: {', '.join(names)}. Name each once")
    named = [
        replace(part, subsets=(name,) * len(part)) for name, part in zip(names, parts, strict=True)
    ]
    return Pairs.joined(" + ".join(names), named)


def texts_of(source: str, *, columns: Columns | None = None, quiet: bool) -> tuple[str, ...]:
    """Both sentences of every pair, or the texts of a corpus.

    columns : of the pairs; a table that has no such columns is read as it reads by itself.
    """
    from ..data.corpus import CorpusError, read_corpus

    for tried in dict.fromkeys((columns, None)):
        try:
            pairs = _pairs_of_one(source, columns=tried, quiet=quiet)
        except CorpusError as reason:
            if reason.code not in ("no_pair_columns", "unknown_column"):
                raise
        else:
            return (*pairs.left, *pairs.right)
    return read_corpus(Path(source)).texts


def _pairs_of_one(source: str, *, columns: Columns | None = None, quiet: bool) -> Pairs:
    """The project's own, a split of a hub set or of a folder, or a file."""
    from ..data.pairs import read_bundled_pairs, read_pair_folder, read_pairs
    from ..hub.pair_sets import PAIR_SETS, fetch_pairs

    if source == BUNDLED:
        return read_bundled_pairs()
    place, _, split = source.rpartition(":")
    if place in PAIR_SETS:
        progress = progress_on_stderr(f"fetching {source}", quiet=quiet)
        return fetch_pairs(place, split, progress=progress)
    if place and Path(place).is_dir():
        splits = read_pair_folder(Path(place))
        if split not in splits:
            raise ValueError(f"{place} holds no pairs {split!r}; there are {', '.join(splits)}")
        return splits[split]
    return read_pairs(Path(source), columns=columns)
