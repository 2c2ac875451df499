"""For a page or a notebook: a sample of a data set in memory, and the state of a run."""

from dataclasses import dataclass

import numpy as np

from ..data.embeddings import VectorSet, VectorSetReport
from .engine import Engine, Watch
from .manifest import Entry, VectorData, counts_of, finished_shards, read_manifest
from .store import last_name
from .vectors import draw

SAMPLE = 1_000_000


def open_run(
    folder: str,
    *,
    column: str | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
    watch: Watch | None = None,
) -> VectorSet:
    """A data set as vectors in memory: all rows, or those with the smallest hashes of their ids.

    Parameters
    ----------
    folder : str
        The folder of a vector data set, or of coordinates from ``project_data``.
    column : str, optional
        Column of vectors; needed if there are several.
    sample : int
        Rows at most.
    seed : int
        Seed of the hash.
    watch : callable, optional
        Called with a Report after each shard.
    """
    data = VectorData(folder)
    of = data.column(column)
    rows = draw(Engine(watch=watch), data, of, sample, seed=seed, beside=("text", "label"))
    n_sampled = len(rows.X) if len(rows.X) < data.n_rows else None
    report = VectorSetReport("parquet", data.n_rows, n_sampled=n_sampled, seed=seed)
    return VectorSet(
        name=last_name(data.address),
        vectors=rows.X,
        texts=_words(rows.texts),
        labels=_words(rows.labels),
        label_column=None if rows.labels is None else "label",
        report=report,
        numbers=None if report.n_sampled is None else rows.numbers,
    )


def _words(values: np.ndarray | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(value or "" for value in values)


@dataclass(frozen=True)
class Status:
    """The contents of a run's folder."""

    kind: str  #: the verb
    counts: dict[str, int]  #: shards by state; rows, bytes, rows without text, rows left out
    failed: dict[str, str]  #: reasons, by shard
    left_out: dict[str, list[int]]  #: the first rows that were left out, from 1, by shard
    damaged: tuple[str, ...] = ()  #: with other content than stated; empty unless checked
    cut_logs: tuple[str, ...] = ()  #: shards whose log is cut off; they count as left


def read_status(folder: str, *, check: bool = False) -> Status:
    """What is done, failed and left in a run's folder, also while the run works.

    Parameters
    ----------
    folder : str
    check : bool
        Read every shard and compare its digest with the manifest's.
    """
    manifest = read_manifest(folder)
    names = [entry.name for entry in manifest.shards]
    finished, damaged, cut = finished_shards(folder, names, check=check)
    shards = [
        finished.get(entry.name)
        or Entry(entry.name, state="failed" if entry.reason else "left", reason=entry.reason)
        for entry in manifest.shards
    ]
    done = [each for each in manifest.shards if each.state == "done" and each.name in finished]
    other = {each.name for each in done if check and each.sha256 != finished[each.name].sha256}
    return Status(
        manifest.kind,
        counts_of(shards),
        {each.name: each.reason for each in shards if each.state == "failed"},
        {each.name: list(each.rows_left_out) for each in shards if each.left_out},
        tuple(name for name in names if name in other or name in damaged),
        tuple(cut),
    )
