"""The process of a model's trial: reads the model and uses it once, within limits.

``trial`` starts it with one argument, a JSON object of the model's folder and the limits, and reads
one line of JSON from it. The trial ends with the first pass of ``probe``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ..data.limits import MOST_CHARACTERS
from ..hub.model_errors import ModelFilesError
from .encoder import Encoder
from .faults import is_lack_of_memory
from .limited import limit_this_process

# Texts that reach many rules of a tokenizer: long runs, all of ASCII, other scripts, nothing.
TEXTS = (
    ".",
    "a" * MOST_CHARACTERS,
    "x" * (MOST_CHARACTERS - 2) + " y",  # a pattern such as x*y tries it from every letter
    " \t\n" * 300,
    "1" * 500 + ".,!?" * 200,
    "".join(map(chr, range(32, 127))),
    "é ß İ ﷺ ﬁ 漢字 かな 한국 нет שלום नमस्ते 🙂 \u200d \u0301",
    "",
)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What the trial found: {"longest": tokens} if the model can be used."""
    import torch
    from transformers import AutoConfig, AutoModel

    _ = AutoConfig, AutoModel  # imported before the limit, which is for the model
    torch.set_num_threads(1)
    limit_this_process(request["bytes"], request["seconds"])
    try:
        encoder = Encoder(Path(request["folder"]), name=request["name"], device="cpu", trial=False)
        longest = encoder.try_out(TEXTS)
    except ModelFilesError as error:
        return {"code": error.code, "because": error.because, "details": error.details}
    except Exception as error:
        if not is_lack_of_memory(error):
            raise
        return {"memory": True}
    return {"longest": longest}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(answer(json.loads(sys.argv[1]))))
