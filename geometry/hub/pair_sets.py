"""Sets of scored pairs on the hub, each at a pinned commit, so that its figures can be repeated.

The commits are those of the Massive Text Embedding Benchmark. Facts about each set are from its
paper and its page. The file of a split is found by its name, as JSON lines, Parquet or CSV.

The sets themselves were never fetched here. The sources of what this module states are:
- commits: the benchmark's code states all eight;
- files: the hub's listing at the pinned commit of stsb, sts12, sts13, sts14, sickr and stsb-zh. For
  sts15 and sts16 it is the listing of the next commit, which only adds a README. The seven sets of
  mteb have <split>.jsonl.gz at the root (dev as validation.jsonl.gz); stsb-zh has one Parquet file
  a split in data/;
- columns: for stsb-zh its card (sentence1, sentence2, score int32). For the others the benchmark's
  code, which reads these three columns. Further columns (stsb split, genre, dataset, year, sid;
  STS12 and STS13 split) are on the cards of the benchmark's excerpts.
tests/hub/test_pair_sets.py serves invented rows in these layouts. A missing column is refused
("unknown_column"), and so are scores outside the scale ("score_outside_scale").
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ..data.errors import CorpusError
from ..data.limits import LIMITS, MAX_TEXTS
from ..data.pairs import Pairs, read_pairs, split_of
from ..process import Progress
from .catalogue import NOT_STATED
from .fetch import fetch_data_files

# the first that exists is read
_FORMATS = (".jsonl.gz", ".jsonl", ".parquet", ".csv.gz", ".csv", ".tsv")


@dataclass(frozen=True)
class PairSet:
    """A data set of the hub with two sentences and a score a row.

    Attributes
    ----------
    title : str
    repository : str
        "owner/name".
    revision : str
        Commit, branch or tag. A branch is resolved once; its commit is then used.
    n_pairs : mapping of str to int
        Published number of pairs by split.
    scale : (float, float)
        Lowest and highest score that annotators could give.
    licence : str
        As stated by the set.
    language : str
        In English.
    columns : (str, str, str) or None
        Names of the left, right and score columns; None finds them.
    note : str
        What to consider when figures are compared.
    """

    title: str
    repository: str
    revision: str
    n_pairs: Mapping[str, int]
    scale: tuple[float, float] = (0, 5)
    licence: str = NOT_STATED
    language: str = "English"
    columns: tuple[str, str, str] | None = ("sentence1", "sentence2", "score")
    note: str = ""


_BY_YEAR = (
    "The file does not name its subsets (MSRpar, …), so only figures over all its pairs are given."
)
# What to consider when figures are compared; pages translate these sentences.
NOTES: Mapping[str, str] = {
    "stsb": "Its subsets are its genres.",
    **dict.fromkeys(("sts12", "sts14", "sts15", "sts16"), _BY_YEAR),
    "sts13": f"{_BY_YEAR} Its fourth subset, SMT, is not free and is not included.",
    "sickr": (
        "This is all of SICK under the name test. Most published figures are for 4,927 of its "
        "pairs."
    ),
    "stsb-zh": "Translated from STS-B. Scores are whole numbers, so there are many ties.",
}

PAIR_SETS: Mapping[str, PairSet] = {
    "stsb": PairSet(
        *("STS-B", "mteb/stsbenchmark-sts", "b0fddb56ed78048fa8b90373c8a3cfc37b684831"),
        {"train": 5749, "dev": 1500, "test": 1379},
        licence="CC-BY-SA-4.0, texts as their sources",
        note=NOTES["stsb"],
    ),
    "sts12": PairSet(
        *("STS12", "mteb/sts12-sts", "a0d554a64d88156834ff5ae9920b964011b16384"),
        {"train": 2234, "test": 3108},
        note=NOTES["sts12"],
    ),
    "sts13": PairSet(
        *("STS13", "mteb/sts13-sts", "7e90230a92c190f1bf69ae9002b8cea547a64cca"),
        {"test": 1500},
        note=NOTES["sts13"],
    ),
    "sts14": PairSet(
        *("STS14", "mteb/sts14-sts", "6031580fec1f6af667f0bd2da0a551cf4f0b2375"),
        {"test": 3750},
        note=NOTES["sts14"],
    ),
    "sts15": PairSet(
        *("STS15", "mteb/sts15-sts", "ae752c7c21bf194d8b67fd573edf7ae58183cbe3"),
        {"test": 3000},
        note=NOTES["sts15"],
    ),
    "sts16": PairSet(
        *("STS16", "mteb/sts16-sts", "4d8694f8f0e0100860b497b999b3dbed754a0513"),
        {"test": 1186},
        note=NOTES["sts16"],
    ),
    "sickr": PairSet(
        *("SICK-R", "mteb/sickr-sts", "20a6d6f312dd54037fe07a32d58e5e168867909d"),
        {"test": 9927},
        scale=(1, 5),
        licence="CC-BY-NC-SA-3.0",
        note=NOTES["sickr"],
    ),
    "stsb-zh": PairSet(
        *("C-MTEB STSB", "C-MTEB/STSB", "0cde68302b3541bb8b3c340dc0644b0b745b3dc0"),
        {"train": 5231, "dev": 1458, "test": 1361},
        language="Chinese",
        note=NOTES["stsb-zh"],
    ),
}


def fetch_pairs(
    name: str | PairSet,
    split: str = "test",
    *,
    revision: str | None = None,
    max_pairs: int = MAX_TEXTS,
    progress: Progress | None = None,
) -> Pairs:
    """A split of a set of scored pairs, fetched if the cache does not have it.

    Parameters
    ----------
    name : str or PairSet
        A key of PAIR_SETS, or a set of your own.
    split : str
        A key of its ``n_pairs``.
    revision : str, optional
        A commit, branch or tag other than the pinned one.
    max_pairs : int
    progress : callable (int, int), optional
        Called with (bytes there, bytes in all). An exception raised in it ends the download at
        once.

    Returns
    -------
    Pairs
        ``source`` names repository and commit; ``scale`` is the set's.

    Raises
    ------
    DataSetError
        If the hub, the network or the disk refuses.
    CorpusError
        For a file whose pairs can't be read, or whose scores are outside the scale.
    """
    if isinstance(name, str) and name not in PAIR_SETS:
        raise ValueError(f"there is no set {name!r}; choose one of {', '.join(PAIR_SETS)}")
    chosen = PAIR_SETS[name] if isinstance(name, str) else name
    if split not in chosen.n_pairs:
        raise ValueError(
            f"{chosen.title} has no split {split!r}; choose one of {', '.join(chosen.n_pairs)}"
        )
    commit, files = fetch_data_files(
        chosen.repository,
        lambda paths: files_of(split, paths),
        revision=revision or chosen.revision,
        progress=progress,
    )
    limits = LIMITS.but(rows=max_pairs)
    parts = [read_pairs(file, columns=chosen.columns, limits=limits) for file in files]
    pairs = Pairs.joined(f"{chosen.title} {split}", parts)
    low, high = pairs.score_range
    if low < chosen.scale[0] or high > chosen.scale[1]:
        raise CorpusError("score_outside_scale", found=(low, high), scale=chosen.scale)
    return replace(pairs, scale=chosen.scale, source=f"{chosen.repository}@{commit}")


def files_of(split: str, paths: Collection[str]) -> list[str]:
    """The paths of a split, all its parts in order; [] if there are none."""
    places = ("", "data")  # of the repository
    fitting = sorted(
        path
        for path in paths
        if split_of(PurePosixPath(path).name) == split
        and str(PurePosixPath(path).parent).removeprefix(".") in places
    )
    for suffix in _FORMATS:
        found = [path for path in fitting if path.endswith(suffix)]
        if found:
            return found
    return []
