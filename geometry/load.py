"""An encoder by its name: the bundled one, a local folder, or a model of the hub."""

from __future__ import annotations

from pathlib import Path

from . import bundled
from .bundled import ModelFilesError
from .encode import Encoder
from .word_table import word_folder

HUB_FILES = ("*.json", "*.safetensors")


def load_encoder(
    name: str = "bundled",
    *,
    revision: str | None = None,
    dtype: str = "float32",
    device: str | None = None,
) -> Encoder:
    """The bundled encoder, a local folder, or a model by its hub name.

    "bundled" uses the installed package's files and no network; where the package is missing
    it takes the same files from the hub, at the pinned revision. Both files' sha256 are
    checked before they are used. Raises ModelFilesError saying what is missing.
    dtype : "float32", or "bfloat16" (three times as fast, approximate) where the machine has
    it, ValueError elsewhere.   device : as torch names it; None takes a GPU where there is one.
    """
    if name == "bundled":
        folder = bundled.bundled_folder() or _from_hub(bundled.REPOSITORY, bundled.REVISION)
        return Encoder(
            folder,
            name="all-MiniLM-L6-v2",
            fingerprint=bundled.FINGERPRINT,
            dtype=dtype,
            device=device,
        )
    folder = Path(name)
    if not folder.is_dir():
        folder = _from_hub(name, revision)
    if word_folder(folder) is not None:
        return Encoder(folder, name=name, dtype=dtype, device=device)
    for needed in ("config.json", "tokenizer.json"):
        if not (folder / needed).is_file():
            raise ModelFilesError(
                f"{name} has no {needed}; a fast tokenizer and a config are needed"
            )
    if not any(folder.glob("*.safetensors")):
        raise ModelFilesError(f"{name} has no weights as .safetensors; no other format is read")
    return Encoder(folder, name=name, dtype=dtype, device=device)


def _from_hub(repository: str, revision: str | None) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(
            snapshot_download(repository, revision=revision, allow_patterns=list(HUB_FILES))
        )
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
        raise ModelFilesError(
            f"the model {repository} could not be fetched ({type(error).__name__}). Check the name "
            "and the network, or use the bundled encoder, which needs none"
        ) from error
