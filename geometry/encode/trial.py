"""A model is first read in a process of its own, with limits of memory and time.

Settings can make a tokenizer or a model grow without end, which nothing can stop inside the process
that serves everyone.

The trial also finds how many tokens of one text the model reads within a limit of memory. Attention
has a number for every pair of tokens unless a fast kernel computes it, and 8,192 tokens have 67
million pairs. Which kernel runs is not in the settings, so it is measured on short texts.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.limits import MEGABYTE, MOST_CHARACTERS
from ..hub.errors import ModelFilesError
from ..hub.model_files import check_folder, folder_files, needed_files
from ..process import Process, ProcessEnded, ProcessLimits, Progress, no_report

if TYPE_CHECKING:
    from torch import Tensor

    from .architecture import TransformerStates
    from .word_table import WordStates

    Model = TransformerStates | WordStates

BASE_BYTES = 1_000 * MEGABYTE  # bytes of addresses for any model
# Bytes of memory for each byte of the files: half precision is read, widened and packed
BYTES_PER_BYTE = 8
BASE_SECONDS = 60.0
BYTES_PER_SECOND = 10 * MEGABYTE
# one thread each: the address space of a thread's stack and arena counts too
_ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1"),
    "MALLOC_ARENA_MAX": "1",
}
# Texts that reach many rules of a tokenizer: long runs, all of ASCII, other scripts, nothing.
TEXTS = (
    ".",
    "a" * MOST_CHARACTERS,
    "x" * (MOST_CHARACTERS - 2) + " y",  # a pattern such as x*y tries it from every letter
    " \t\n" * 300,
    "1" * 500 + ".,!?" * 200,
    "".join(map(chr, range(32, 127))),
    "é ß İ ﷺ ﬁ 漢字 かな 한국 נет שלום नमस्ते 🙂 \u200d \u0301",
    "",
)
PASS_BYTES = 2_000_000_000  # bytes of one pass, besides the weights
SHORT_TEXT = 512  # tokens, which take little memory in any model
STEP = 5  # tokens; the texts have one, two and three times as many
COPIES = 3  # copies of the largest array at the same time: scores, their mask, their softmax
# folders of successful trials, their files, and the tokens of the longest text
_tried: dict[Path, tuple[tuple[Any, ...], int]] = {}


def try_model(folder: Path, *, name: str, report: Progress = no_report) -> int:
    """The tokens of the longest text that a model reads within PASS_BYTES; once for its files."""
    folder = folder.resolve()
    found = ((path, (folder / path).stat()) for path in needed_files(folder_files(folder)))
    stamps = tuple((path, each.st_size, each.st_mtime_ns) for path, each in found)
    tried, longest = _tried.get(folder, (None, 0))
    if tried == stamps:
        return longest
    size = check_folder(folder, name=name)
    most_bytes = BASE_BYTES + BYTES_PER_BYTE * size
    seconds = BASE_SECONDS + size / BYTES_PER_SECOND
    process = Process(ProcessLimits(most_bytes, seconds, _ENVIRONMENT, _import, is_quiet=True))
    try:
        process.start(partial(_try_out, folder, name))
        # Import now what this process needs next; the other process is importing too.
        from transformers import AutoModel  # noqa: F401

        longest = process.answer(report)
    except (ProcessEnded, MemoryError) as error:  # killed at a limit, or by its own fault
        raise ModelFilesError(
            "too_heavy", name=name, limit=most_bytes, seconds=round(seconds)
        ) from error
    finally:
        process.end()
    _tried[folder] = stamps, longest
    return longest


def _import() -> None:
    """Import, in the trial's process, what its limit of memory does not include."""
    import torch
    from transformers import AutoConfig, AutoModel  # noqa: F401

    from .encoder import Encoder  # noqa: F401

    torch.set_num_threads(1)


def _try_out(folder: Path, name: str) -> int:
    """Use the model once, in the trial's process. MemoryError for what its files do not cause."""
    from .encoder import Encoder

    try:
        return Encoder(folder, name=name, device="cpu", trial=False).try_out(TEXTS)
    except ModelFilesError:
        raise
    except BaseException as error:  # torch has errors of its own for a lack of memory
        raise MemoryError from error


def longest_text(model: Model) -> int:
    """The number of tokens whose pass takes PASS_BYTES, for a model that reads SHORT_TEXT or more.

    An array of a + b L + c L^2 bytes at L tokens has c = (f(3 s) - 2 f(2 s) + f(s)) / (2 s^2).
    """
    import torch

    ids = torch.full((1, 3 * STEP), len(model.input_embeddings()) // 2)  # no special token
    try:
        sizes = [_array_bytes(model, ids[:, : n * STEP]) for n in (1, 2, 3)]
    except ImportError:  # torch does not publish the module that sees a pass's arrays
        return SHORT_TEXT
    if len(set(map(len, sizes))) > 1:  # Mamba reads one token after the other
        fixed = set.intersection(*map(set, sizes))
        sizes = [[max(set(each) - fixed, default=0)] for each in sizes]
    c = COPIES * float(np.diff(sizes, 2, axis=0).max()) / (2 * STEP**2)
    b = sum(state.nbytes for state in _pass(model, ids)) / ids.numel()
    return max(1, int(2 * PASS_BYTES / (b + math.sqrt(b * b + 4 * max(c, 0) * PASS_BYTES))))


def _pass(model: Model, ids: Tensor) -> tuple[Tensor, ...]:
    import torch

    with torch.no_grad():
        return model(ids, torch.ones_like(ids))


def _array_bytes(model: Model, ids: Tensor) -> list[int]:
    """The bytes of every array that a pass makes, in order."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    found: list[int] = []

    class Noting(TorchDispatchMode):
        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            made = function(*args, **(kwargs or {}))
            for each in made if isinstance(made, tuple | list) else (made,):
                if isinstance(each, torch.Tensor) and each.layout is torch.strided:
                    found.append(each.untyped_storage().nbytes())  # a view takes nothing more
            return made

    with Noting():
        _pass(model, ids)
    return found
