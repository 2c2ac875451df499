"""An encoder by its name: the bundled one, a local folder, or a model of the hub."""

from __future__ import annotations

from pathlib import Path

from . import bundled
from .encode import Encoder
from .hub.download import Progress
from .hub.errors import unknown_name
from .hub.fetch import fetch_model, kept_model
from .model_errors import ModelFilesError
from .model_files import check_folder
from .operator_limits import ModelLimits, read_model_limits


def load_encoder(
    name: str = "bundled",
    *,
    revision: str | None = None,
    dtype: str = "float32",
    device: str | None = None,
    progress: Progress | None = None,
    limits: ModelLimits | None = None,
) -> Encoder:
    """The bundled encoder, a local folder, or a model by its hub name.

    "bundled" uses the installed package's files and no network; where the package is missing
    it takes the same files from the hub, at the pinned revision. Both files' sha256 are
    checked before they are used.
    revision : branch, tag or commit of a hub model; the commit it was is the encoder's
    ``revision``, which is None for a folder.
    dtype : "float32", or "bfloat16" (faster, approximate) where the machine has it, ValueError
    elsewhere.   device : as torch names it; None takes a GPU where there is one.
    progress : bytes there, bytes in all, while a hub model arrives; see ``fetch_model``.
    limits : the operator's, by default those of narrow-cone.toml; "bundled" has none.
    Raises ModelFilesError with a ``code``: what is wrong, the limit and the remedy.
    """
    if name == "bundled":
        folder = bundled.bundled_folder() or fetch_model(
            bundled.REPOSITORY, revision=bundled.REVISION, limits=ModelLimits(), progress=progress
        )
        return Encoder(
            folder,
            name="all-MiniLM-L6-v2",
            revision=bundled.REVISION,
            fingerprint=bundled.FINGERPRINT,
            dtype=dtype,
            device=device,
        )
    limits = limits or read_model_limits()
    if names_a_folder(name):
        limits.refuse_folder(name)
        try:
            folder = folder_of(name)
            if not folder.is_dir():
                raise unknown_name(name, "the hub")
            limits.refuse_size(name, check_folder(folder, name=name))
            return Encoder(folder, name=name, dtype=dtype, device=device)
        except OSError as error:
            raise ModelFilesError(f"{name} can't be read ({error.strerror})") from error
    folder = fetch_model(name, revision=revision, limits=limits, progress=progress)
    return Encoder(folder, name=name, revision=folder.name, dtype=dtype, device=device)


def folder_of(name: str) -> Path:
    """The folder that a name names, ~ expanded."""
    try:
        return Path(name).expanduser()
    except RuntimeError:  # ~ of nobody
        return Path(name)


def is_here(name: str, *, revision: str | None = None) -> bool:
    """True where the model is on this machine: bundled, a folder, or fetched before."""
    if name == "bundled":
        if bundled.bundled_folder() is not None:
            return True
        name, revision = bundled.REPOSITORY, bundled.REVISION
    return names_a_folder(name) or kept_model(name, revision=revision) is not None


def names_a_folder(name: str) -> bool:
    """Whether the name is a folder's: one that is there, or what can be no name of the hub.

    A hub name is one word, or two around a slash.
    """
    looks_like_a_path = name.startswith((".", "~", "/")) or "\\" in name or name.count("/") > 1
    if looks_like_a_path or not read_model_limits().local_folders:  # then no disk is looked at
        return looks_like_a_path
    try:
        return Path(name).is_dir()
    except OSError:  # too long to be one
        return False
