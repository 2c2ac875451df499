"""A model is first read in a process of its own, with limits of memory and time.

Settings can make a tokenizer or a model grow without end, and nothing can stop that inside the
process that serves everyone. That process reads a model only after a successful trial.
``trial_process`` is what the other process runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..data.limits import MEGABYTE
from ..hub.model_errors import ModelFilesError
from ..hub.model_files import check_folder, folder_files, needed_files
from .limited import output_of, started

BASE_BYTES = 1_000 * MEGABYTE  # bytes of addresses for any model
# Bytes of memory for each byte of the files: half precision is read, widened and packed
BYTES_PER_BYTE = 8
BASE_SECONDS = 60.0
BYTES_PER_SECOND = 10 * MEGABYTE
# folders of successful trials, their files, and the tokens of the longest text
_tried: dict[Path, tuple[tuple[Any, ...], int]] = {}


def try_model(
    folder: Path,
    *,
    name: str,
    watch: Callable[[], object] | None = None,
    base_bytes: int = BASE_BYTES,
    base_seconds: float = BASE_SECONDS,
) -> int:
    """Read a model in a process of its own, once for the same files.

    Returns the tokens of the longest text that it reads within ``pass_memory.PASS_BYTES``.

    Parameters
    ----------
    folder : Path
    name : str
        For error messages.
    watch : callable, optional
        Called several times a second; an exception raised in it ends the trial.
    base_bytes : int
        Memory that any model may take; more is added for the size of its files.
    base_seconds : float
        Time that any model may take; more is added for the size of its files.

    Raises
    ------
    ModelFilesError
        The error of the trial; "too_heavy" if it passed a limit or ended without an answer.
    """
    folder = folder.resolve()
    stamps = _stamps(folder)
    tried, longest = _tried.get(folder, (None, 0))
    if tried == stamps:
        return longest
    size = check_folder(folder, name=name)
    most_bytes = base_bytes + BYTES_PER_BYTE * size
    longest = _run(folder, name, most_bytes, base_seconds + size / BYTES_PER_SECOND, watch)
    _tried[folder] = stamps, longest
    return longest


def _stamps(folder: Path) -> tuple[Any, ...]:
    found = ((path, (folder / path).stat()) for path in needed_files(folder_files(folder)))
    return tuple((path, each.st_size, each.st_mtime_ns) for path, each in found)


def _run(
    folder: Path, name: str, most_bytes: int, seconds: float, watch: Callable[[], object] | None
) -> int:
    request = {"folder": str(folder), "name": name, "bytes": most_bytes, "seconds": seconds}
    # one thread each: the address space of a thread's stack and arena counts too
    single = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
    env = single | {"MALLOC_ARENA_MAX": "1"}
    with started("geometry.encode.trial_process", json.dumps(request), env=env) as process:
        # Import now what this process needs next; the other process is importing too.
        from transformers import AutoModel

        _ = AutoModel
        output = output_of(process, seconds, watch)
    if not output:  # killed at a limit, or by its own fault
        raise _too_heavy(name, most_bytes, seconds)
    answer = json.loads(output.splitlines()[-1])
    if answer.get("memory"):
        raise _too_heavy(name, most_bytes, seconds)
    if answer.get("code"):
        raise ModelFilesError(answer["code"], because=answer["because"], **answer["details"])
    longest: int = answer["longest"]
    return longest


def _too_heavy(name: str, most_bytes: int, seconds: float) -> ModelFilesError:
    return ModelFilesError(
        "unreadable", because="too_heavy", name=name, limit=most_bytes, seconds=round(seconds)
    )
