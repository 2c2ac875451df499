"""What an option names: pairs and texts of a file, a folder's split, the hub, the project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .shell import progress_on_stderr

if TYPE_CHECKING:
    from ..pairs import Pairs

BUNDLED = "bundled"


def pairs_of(sources: Sequence[str], *, quiet: bool) -> Pairs:
    """One set as it is; several as one set, whose subsets they are."""
    from ..pairs import Pairs

    parts = [_pairs_of_one(source, quiet=quiet) for source in sources]
    if len(parts) == 1:
        return parts[0]
    seen = Counter(part.name for part in parts)
    names = [
        part.name if seen[part.name] == 1 else source
        for part, source in zip(parts, sources, strict=True)
    ]
    if len(set(names)) < len(names):
        raise ValueError(f"a set of pairs is named twice: {', '.join(names)}. Name each once")
    return Pairs(
        name=" + ".join(names),
        left=tuple(text for part in parts for text in part.left),
        right=tuple(text for part in parts for text in part.right),
        gold_scores=[score for part in parts for score in part.gold_scores],  # type: ignore[arg-type]
        subsets=tuple(name for name, part in zip(names, parts, strict=True) for _ in part.left),
    )


def texts_of(source: str, *, quiet: bool) -> tuple[str, ...]:
    """Both sentences of every pair, or the texts of a corpus."""
    from ..corpus import CorpusError, read_corpus

    try:
        pairs = _pairs_of_one(source, quiet=quiet)
    except CorpusError as reason:
        if reason.code != "no_pair_columns":
            raise
        return read_corpus(Path(source)).texts
    return (*pairs.left, *pairs.right)


def _pairs_of_one(source: str, *, quiet: bool) -> Pairs:
    """The project's own, a split of a hub set or of a folder, or a file."""
    from ..pair_sets import PAIR_SETS, fetch_pairs
    from ..pairs import read_bundled_pairs, read_pair_folder, read_pairs

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
    return read_pairs(Path(source))
