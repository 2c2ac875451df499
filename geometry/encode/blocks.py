"""Texts to vectors by blocks, straight into memory-mapped files; a killed run goes on where it was.

A block is written, flushed, and only then entered in the journal, with a checksum: what the
journal names is on disk, and what was damaged since is encoded again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from .encoder import Encoder, Progress
from .pool import POOLINGS, as_poolings
from .tokens import check_text, checked_texts

BLOCK_ROWS = 1024  # some 20 MB a pooling with the bundled encoder
JOURNAL = "journal.json"
JOURNAL_VERSION = 1


@dataclass(frozen=True)
class _Job:
    """What the files hold; another job's files are thrown away."""

    version: int
    fingerprint: str
    texts: str
    n: int
    layers: int
    dimension: int
    poolings: tuple[str, ...]
    special_tokens: bool
    block_rows: int

    def file_of(self, folder: Path, pooling: str) -> Path:
        return folder / f"{pooling}.npy"

    def rows_of(self, block: int) -> slice:
        return slice(block * self.block_rows, min(self.n, (block + 1) * self.block_rows))

    @property
    def shape(self) -> tuple[int, int, int]:
        return (self.layers, self.n, self.dimension)

    @property
    def blocks(self) -> int:
        return -(-self.n // self.block_rows)


def encode_to_files(
    encoder: Encoder,
    texts: Sequence[str],
    folder: Path | str,
    *,
    poolings: Sequence[str] = ("cls", "mean"),
    special_tokens: bool = True,
    block_rows: int = BLOCK_ROWS,
    progress: Progress | None = None,
) -> dict[str, np.memmap]:
    """Every layer and every pooling: {pooling: (n_layers + 1, n, d) float32, read-only on disk}.

    Memory holds one block of ``block_rows`` texts at a time. The same call after a kill, with
    the same encoder, texts and settings, takes over all blocks that were finished; ``progress``
    then begins with their count. Files of another call in that folder are replaced.
    In bfloat16 no layer is refused, as by ``encode_layers``: those too close for it are
    ``Encoder.encode``'s, ``read_cloud``'s and ``evaluate_encoder``'s to name.
    folder : empty, not there yet, or of an earlier call.   Raises ValueError for no texts,
    an unknown pooling or none, block_rows below 1 or another folder, TypeError for a text that is
    none, OSError where the disk is full.
    """
    if not len(texts):
        raise ValueError("there are no texts to encode")
    if block_rows < 1:
        raise ValueError(f"block_rows must be 1 or more; got {block_rows}")
    folder = Path(folder)
    job = _Job(
        version=JOURNAL_VERSION,
        fingerprint=encoder.fingerprint,
        texts=_digest_of(texts),
        n=len(texts),
        layers=encoder.n_layers + 1,
        dimension=encoder.dimension,
        poolings=as_poolings(poolings),
        special_tokens=special_tokens,
        block_rows=block_rows,
    )
    finished = _begin(job, folder)
    for block in range(job.blocks):
        rows = job.rows_of(block)
        # mapped anew for each block: pages of those before it would count as this process's
        arrays = _mapped(job, folder, "r+")
        if block in finished and finished[block] == _checksum(arrays, rows):
            _tell(progress, rows.stop, job.n)
            continue
        _encode_block(job, encoder, texts, arrays, rows, progress)
        finished[block] = _checksum(arrays, rows)
        _write_journal(job, folder, finished)
    return _mapped(job, folder, "r")


def _encode_block(
    job: _Job,
    encoder: Encoder,
    texts: Sequence[str],
    arrays: dict[str, np.memmap],
    rows: slice,
    progress: Progress | None,
) -> None:
    def report(done: int, _of_block: int) -> None:
        _tell(progress, rows.start + done, job.n)

    encoded = encoder.encode_layers(
        texts[rows],
        poolings=job.poolings,
        special_tokens=job.special_tokens,
        progress=report,
    )
    for name, array in arrays.items():
        array[:, rows] = encoded[name]
        array.flush()


def _begin(job: _Job, folder: Path) -> dict[int, str]:
    """Finished blocks with their checksums; empty, with new files, where they are another job's."""
    finished = _read_journal(job, folder)
    if finished is not None:
        try:
            if all(array.shape == job.shape for array in _mapped(job, folder, "r").values()):
                return finished
        except (OSError, ValueError):  # a file is missing or cut: begin again
            pass
    _clear(folder)
    for name in job.poolings:
        path = job.file_of(folder, name)
        np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=job.shape)
        _reserve(path)
    _write_journal(job, folder, {})
    return {}


def _clear(folder: Path) -> None:
    """Make the folder and take away files of an earlier call, and nothing else."""
    ours = {JOURNAL, f"{JOURNAL}.part", *(f"{name}.npy" for name in POOLINGS)}
    folder.mkdir(parents=True, exist_ok=True)
    found = sorted(path.name for path in folder.iterdir())
    if others := [name for name in found if name not in ours]:
        raise ValueError(
            f"{folder} holds {others[0]}; name a folder that is empty or not there yet"
        )
    for name in found:
        (folder / name).unlink()


def _reserve(path: Path) -> None:
    """Claim the whole file on disk now: writing to a page of a full disk would end the process."""
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)


def _mapped(job: _Job, folder: Path, mode: Literal["r", "r+"]) -> dict[str, np.memmap]:
    return {
        name: np.lib.format.open_memmap(job.file_of(folder, name), mode=mode)
        for name in job.poolings
    }


def _read_journal(job: _Job, folder: Path) -> dict[int, str] | None:
    """Checksums by finished block; None where the folder holds no journal of this job."""
    try:
        told = json.loads((folder / JOURNAL).read_text(encoding="utf-8"))
        if told["job"] != json.loads(json.dumps(asdict(job))):
            return None
        return {int(block): checksum for block, checksum in told["finished"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _write_journal(job: _Job, folder: Path, finished: dict[int, str]) -> None:
    part = folder / f"{JOURNAL}.part"
    part.write_text(json.dumps({"job": asdict(job), "finished": finished}), encoding="utf-8")
    part.replace(folder / JOURNAL)


def _checksum(arrays: dict[str, np.memmap], rows: slice) -> str:
    digest = hashlib.sha256()
    for array in arrays.values():
        for layer in array:
            digest.update(layer[rows].tobytes())
    return digest.hexdigest()


def _digest_of(texts: Sequence[str]) -> str:
    """Over all texts, each checked on the way; never a copy of them."""
    if isinstance(texts, str):
        checked_texts(texts)  # raises
    digest = hashlib.sha256()
    for place, text in enumerate(texts):
        encoded = check_text(text, place)
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()


def _tell(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)
