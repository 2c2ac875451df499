"""Texts to vectors by blocks, into memory-mapped files; an interrupted run resumes.

A block is written and flushed, and then entered in the journal with its checksum. A block whose
checksum differs is encoded again. Only the owner may read the files: the texts may be private.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..data.write import PART, write
from ..process import Progress, no_report
from .encoder import Encoder
from .pool import POOLINGS, as_poolings
from .tokenizer import check_text

BLOCK_ROWS = 1024  # about 20 MB a pooling with the bundled encoder
JOURNAL = "journal.json"
JOURNAL_VERSION = 2
OWNER_ONLY = 0o600  # the mode of every file


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
    """Every layer and every pooling of the texts, as files on disk: float32, read-only, by pooling.

    An array is (n_layers + 1, n, d). One block of texts is in memory at a time. After an
    interruption, the same call resumes: it reuses the finished blocks, and ``progress`` begins with
    their count. Files of a call with another encoder, texts or settings are replaced; a folder with
    any other file is a ValueError. In bfloat16 no layer is refused here, as in ``encode_layers``.

    Parameters
    ----------
    encoder : Encoder
    texts : sequence of str
    folder : path
        Empty, not there yet, or of an earlier call.
    poolings : sequence of str
    special_tokens : bool
        As in ``Encoder.encode``.
    block_rows : int
        Texts a block.
    progress : callable (int, int), optional
        Called with (texts done, texts in all).
    """
    if isinstance(texts, str):
        raise TypeError("texts must be a sequence of strings; got one string")
    if not len(texts):
        raise ValueError("there are no texts to encode")
    if block_rows < 1:
        raise ValueError(f"block_rows must be 1 or more; got {block_rows}")
    folder = Path(folder)
    report = progress or no_report
    n = len(texts)
    names = as_poolings(poolings)
    # what the files contain; files of another job are deleted
    job = {
        "version": JOURNAL_VERSION,
        "fingerprint": encoder.fingerprint,
        "texts": digest_of(check_text(text, place) for place, text in enumerate(texts)),
        "n": n,
        "layers": encoder.n_layers + 1,
        "dimension": encoder.dimension,
        "poolings": list(names),
        "special_tokens": special_tokens,
        "block_rows": block_rows,
    }
    finished = _begin(job, folder, names, (encoder.n_layers + 1, n, encoder.dimension))
    for start in range(0, n, block_rows):
        rows = slice(start, min(n, start + block_rows))
        block = str(start // block_rows)
        # mapped anew for each block: pages of earlier blocks would count as this process's memory
        arrays = _mapped(folder, names, "r+")
        if block in finished and finished[block] == _checksum(arrays, rows):
            report(rows.stop, n)
            continue

        def report_block(done: int, _of_block: int, start: int = start) -> None:
            report(start + done, n)

        encoded = encoder.encode_layers(
            texts[rows], poolings=names, special_tokens=special_tokens, progress=report_block
        )
        for name, array in arrays.items():
            array[:, rows] = encoded[name]
            array.flush()
        finished[block] = _checksum(arrays, rows)
        _write_journal(job, folder, finished)
    return _mapped(folder, names, "r")


def _begin(
    job: dict[str, Any], folder: Path, names: Sequence[str], shape: tuple[int, ...]
) -> dict[str, str]:
    """Checksums of the finished blocks. Files of another job are replaced by empty ones."""
    try:
        journal = json.loads((folder / JOURNAL).read_text(encoding="utf-8"))
        finished: dict[str, str] = dict(journal["finished"])
        is_whole = all(array.shape == shape for array in _mapped(folder, names, "r").values())
        if journal["job"] == job and is_whole:
            return finished
    except (OSError, ValueError, KeyError, TypeError):  # a file is missing, cut or foreign
        pass
    ours = {JOURNAL, *(f"{name}.npy" for name in POOLINGS)}
    folder.mkdir(parents=True, exist_ok=True)
    found = sorted(path.name for path in folder.iterdir())
    if others := [name for name in found if name not in ours and not name.endswith(PART)]:
        raise ValueError(f"{folder} has {others[0]}; name a folder that is empty or not there yet")
    for name in found:
        (folder / name).unlink()
    for name in names:
        path = folder / f"{name}.npy"
        path.touch(mode=OWNER_ONLY)
        np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
        if hasattr(os, "posix_fallocate"):
            # writing to a mapped page on a full disk would end the process
            with path.open("r+b") as file:
                os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
    _write_journal(job, folder, {})
    return {}


def _mapped(folder: Path, names: Sequence[str], mode: Literal["r", "r+"]) -> dict[str, np.memmap]:
    return {name: np.lib.format.open_memmap(folder / f"{name}.npy", mode=mode) for name in names}


def _write_journal(job: dict[str, Any], folder: Path, finished: dict[str, str]) -> None:
    content = json.dumps({"job": job, "finished": finished})
    write(folder / JOURNAL, content.encode(), mode=OWNER_ONLY)


def _checksum(arrays: dict[str, np.memmap], rows: slice) -> str:
    return digest_of(layer[rows].tobytes() for array in arrays.values() for layer in array)


def digest_of(parts: Iterable[bytes]) -> str:
    """sha256 of the parts and their lengths: ("ab", "c") and ("a", "bc") differ."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()
