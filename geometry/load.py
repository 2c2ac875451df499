"""An encoder by its name: the bundled one, a local folder, or a model of the hub."""

from __future__ import annotations

from pathlib import Path

from . import bundled
from .encode import Encoder
from .hub import fetch_model
from .hub_download import Progress
from .hub_errors import unknown_name
from .model_files import check_folder
from .operator_limits import ModelLimits, read_model_limits


def load_encoder(
    name: str = "bundled",
    *,
    revision: str | None = None,
    progress: Progress | None = None,
    limits: ModelLimits | None = None,
) -> Encoder:
    """The bundled encoder, a local folder, or a model by its hub name.

    "bundled" uses the installed package's files and no network; where the package is missing
    it takes the same files from the hub, at the pinned revision. Both files' sha256 are
    checked before they are used.
    revision : branch, tag or commit of a hub model; the commit it was is the encoder's
    ``revision``, which is None for a folder.
    progress : bytes there, bytes in all, while a hub model arrives; see ``fetch_model``.
    limits : the operator's, by default those of narrow-cone.toml; "bundled" has none.
    Raises ModelFilesError with a ``code``: what is wrong, the limit and the remedy.
    """
    if name == "bundled":
        return _bundled(progress)
    limits = limits or read_model_limits()
    folder = Path(name).expanduser()
    if _names_a_folder(name) or folder.is_dir():
        limits.refuse_folder(name)
        if not folder.is_dir():
            raise unknown_name(name, "the hub")
        limits.refuse_size(name, check_folder(folder, name=name))
        return _at_commit(Encoder(folder, name=name), None)
    folder = fetch_model(name, revision=revision, limits=limits, progress=progress)
    return _at_commit(Encoder(folder, name=name), folder.name)


def _bundled(progress: Progress | None) -> Encoder:
    folder = bundled.bundled_folder() or fetch_model(
        bundled.REPOSITORY, revision=bundled.REVISION, limits=ModelLimits(), progress=progress
    )
    encoder = Encoder(folder, name="all-MiniLM-L6-v2", fingerprint=bundled.FINGERPRINT)
    return _at_commit(encoder, bundled.REVISION)


def _names_a_folder(name: str) -> bool:
    """Whether the name can only be a path: a hub name is one word, or two around a slash."""
    return name.startswith((".", "~", "/")) or "\\" in name or name.count("/") > 1


def _at_commit(encoder: Encoder, commit: str | None) -> Encoder:
    encoder.revision = commit  # type: ignore[attr-defined]
    return encoder
