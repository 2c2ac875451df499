"""Sets of scored pairs on the hub, each at a pinned commit, so that its figures can be repeated.

``assets/pair_sets.toml`` has the sets and the sources of what it states. The file of a split is
found by its name, as JSON lines, Parquet or CSV.
"""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..data.errors import CorpusError
from ..data.pairs import Pairs, read_pairs, split_of
from ..process import Progress
from ..shipped import shipped_file
from .catalogue import NOT_STATED
from .fetch import fetch_data_files

# the first that exists is read
_FORMATS = (".jsonl.gz", ".jsonl", ".parquet", ".csv.gz", ".csv", ".tsv")


@dataclass(frozen=True)
class PairSet:
    """A data set of the hub with two sentences and a score a row."""

    title: str
    repository: str  #: "owner/name"
    revision: str  #: commit, branch or tag; a branch is resolved once, and its commit then used
    n_pairs: Mapping[str, int]  #: published number of pairs by split
    scale: tuple[float, float] = (0, 5)  #: lowest and highest score that annotators could give
    licence: str = NOT_STATED
    language: str = "English"
    columns: tuple[str, str, str] | None = ("sentence1", "sentence2", "score")  #: None finds them
    note: str = ""  #: what to consider when figures are compared


_LISTED = tomllib.loads(shipped_file("pair_sets.toml").read_text(encoding="utf-8"))
PAIR_SETS: Mapping[str, PairSet] = {
    key: PairSet(**each | {"scale": tuple(each.get("scale", (0, 5)))})
    for key, each in _LISTED.items()
}
NOTES = {key: each.note for key, each in PAIR_SETS.items()}  # pages translate them


def fetch_pairs(
    name: str | PairSet,
    split: str = "test",
    *,
    revision: str | None = None,
    progress: Progress | None = None,
) -> Pairs:
    """A split of a set of scored pairs, fetched if the cache does not have it.

    ``source`` of the result names repository and commit; ``scale`` is the set's. DataSetError if
    the hub, the network or the disk refuses, CorpusError for a file whose pairs can't be read, or
    whose scores are outside the scale.

    Parameters
    ----------
    name : str or PairSet
        A key of PAIR_SETS, or a set of your own.
    split : str
        A key of its ``n_pairs``.
    revision : str, optional
        A commit, branch or tag other than the pinned one.
    progress : callable (int, int), optional
        Called with (bytes there, bytes in all). An exception raised in it ends the download at
        once.
    """
    if isinstance(name, str) and name not in PAIR_SETS:
        raise ValueError(f"there is no set {name!r}; choose one of {', '.join(PAIR_SETS)}")
    chosen = PAIR_SETS[name] if isinstance(name, str) else name
    if split not in chosen.n_pairs:
        known = ", ".join(chosen.n_pairs)
        raise ValueError(f"{chosen.title} has no split {split!r}; choose one of {known}")
    how: dict[str, Any] = {"revision": revision or chosen.revision, "progress": progress}
    commit, files = fetch_data_files(chosen.repository, partial(files_of, split), **how)
    parts = [read_pairs(file, columns=chosen.columns) for file in files]
    pairs = Pairs.joined(f"{chosen.title} {split}", parts)
    low, high = pairs.score_range
    if low < chosen.scale[0] or high > chosen.scale[1]:
        raise CorpusError("score_outside_scale", found=(low, high), scale=chosen.scale)
    return replace(pairs, scale=chosen.scale, source=f"{chosen.repository}@{commit}")


def files_of(split: str, paths: Collection[str]) -> list[str]:
    """The paths of a split, all its parts in order; [] if there are none."""
    own = []
    for path in sorted(paths):
        folder, _, name = path.rpartition("/")
        if folder in ("", "data") and split_of(name) == split:
            own.append(path)
    by_format = ([path for path in own if path.endswith(suffix)] for suffix in _FORMATS)
    return next(filter(None, by_format), [])
