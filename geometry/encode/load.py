"""An encoder by its name: the bundled one, a local folder, or a model of the hub."""

import os
from pathlib import Path
from typing import Any

from ..errors import need
from ..hub import bundled
from ..hub.bundled import BUNDLED, E5
from ..hub.catalogue import default_prefix
from ..hub.errors import ModelFilesError
from ..hub.fetch import cached_model, fetch_model
from ..hub.model_files import CONFIG, STATIC, check_folder, folder_files
from ..hub.operator_limits import ModelLimits, read_model_limits
from ..process import Progress
from .encoder import Encoder
from .precision import check_device, check_dtype, choose_device, need_bfloat16
from .tokenizer import check_text


def load_encoder(
    name: str | os.PathLike[str] = BUNDLED,
    *,
    revision: str | None = None,
    dtype: str = "float32",
    device: str | None = None,
    progress: Progress | None = None,
    limits: ModelLimits | None = None,
    trial: bool = True,
    prefix: str | None = None,
) -> Encoder:
    """A bundled encoder, a local folder, or a model of the hub.

    ModelFilesError says what is wrong, the limit and the remedy. ValueError for a revision of
    "bundled" or of a folder, and for a dtype or device that this machine does not support, before
    anything is fetched.

    Parameters
    ----------
    name : str or path
        "bundled", "bundled-e5", a folder, or a name of the hub. A pathlib.Path is always a folder.
        "bundled" uses the files of an installed package, else the same files of the hub at a pinned
        revision. "bundled-e5" is multilingual-e5-small in 4 bits, of a package that not every
        platform has. The sha256 of weights and tokenizer are checked.
    revision : str, optional
        Branch, tag or commit of a model of the hub. The encoder's ``revision`` is the commit.
    dtype : str
        "float32", or "bfloat16" (faster, approximate) if the machine supports it.
    device : str, optional
        torch's name of a device. By default a CUDA GPU if there is one.
    progress : callable (int, int), optional
        Called with (bytes there, bytes in all) while a model of the hub arrives; see
        ``fetch_model``. ``Encoder.read_files`` reports the reading of one that is here.
    limits : ModelLimits, optional
        The operator's limits; by default those of narrow-cone.toml. Bundled ones have no limits.
    trial : bool
        Whether a model that is not bundled is first read in a process of its own, with limits of
        memory and time. False saves some seconds, for a model that you trust.
    prefix : str, optional
        Put before each text, as "query: " or "passage: "; "" for none. By default what the model's
        card says for similarity: "query: " for "bundled-e5" and for E5 models of the hub, and none
        for others. Its tokens count as special ones: means of sentences include them, as in
        sentence-transformers, and ``encode_tokens`` and ``tokenize`` leave them out.
    """
    need("encode", "torch", "transformers", "tokenizers", "huggingface_hub")
    check_dtype(dtype)
    if device is not None:
        check_device(device)
    if dtype == "bfloat16":
        need_bfloat16(choose_device(device))
    is_path = not isinstance(name, str)
    name = os.fspath(name)
    if prefix is None:
        prefix = "" if is_path else default_prefix(name)
    check_text(prefix, 0)
    how: dict[str, Any] = {"dtype": dtype, "device": device, "prefix": prefix}
    if name in (BUNDLED, E5) and not is_path:
        _refuse_revision("the bundled encoder", revision)
        return _read_bundled(name, progress, how)
    if not name.strip():
        raise ModelFilesError("empty_name")
    limits = limits or read_model_limits()
    if is_path or names_a_folder(name, limits):
        _refuse_revision(f"the folder {name}", revision)
        return _read_folder(name, limits, trial=trial, **how)
    folder = fetch_model(name, revision=revision, limits=limits, progress=progress)
    encoder = Encoder(folder, name=name, revision=folder.name, trial=trial, **how)
    limits.refuse_width(name, encoder.widest)
    return encoder


def _read_bundled(name: str, progress: Progress | None, how: dict[str, Any]) -> Encoder:
    if name == E5:
        from .e5_file import E5Encoder

        path = bundled.e5_path()
        if path is None:
            hub = bundled.E5_REPOSITORY
            raise ModelFilesError("absent_bundled", name=E5, package=bundled.E5_PACKAGE, hub=hub)
        return E5Encoder(path, **how)
    folder = bundled.bundled_folder() or fetch_model(
        bundled.REPOSITORY, revision=bundled.REVISION, limits=ModelLimits(), progress=progress
    )
    how |= {"revision": bundled.REVISION, "fingerprint": bundled.FINGERPRINT}
    return Encoder(folder, name="all-MiniLM-L6-v2", **how)


def _refuse_revision(what: str, revision: str | None) -> None:
    if revision is not None:
        raise ValueError(
            f"{what} has no revisions; got revision={revision!r}. Leave it out, or name a model "
            "of the hub"
        )


def _read_folder(name: str, limits: ModelLimits, **how: Any) -> Encoder:
    limits.refuse_folder(name)
    folder = folder_of(name)
    try:
        paths = folder_files(folder)
    except (OSError, ValueError):
        paths = []
    if CONFIG not in paths and not any(map(STATIC.fullmatch, paths)):
        raise ModelFilesError("missing_folder", name=name)  # a visitor learns nothing else of it
    try:
        limits.refuse_size(name, check_folder(folder, name=name))
        encoder = Encoder(folder, name=name, **how)
        limits.refuse_width(name, encoder.widest)
        return encoder
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelFilesError("disk_error", name=name, reason=reason) from error


def folder_of(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:  # ~ of an unknown user
        return Path(name)


def bundled_is_here(name: str = BUNDLED) -> bool:
    """Whether a bundled model is on this machine, or was fetched before."""
    if name == E5:
        return bundled.e5_path() is not None
    found = bundled.bundled_folder() or cached_model(bundled.REPOSITORY, revision=bundled.REVISION)
    return found is not None


def names_a_folder(name: str, limits: ModelLimits | None = None) -> bool:
    """Whether the name is a folder's; the disk is not read if the limits allow no folders."""
    if not name.strip():
        return False
    looks_like_a_path = name.startswith((".", "~", "/")) or "\\" in name or name.count("/") > 1
    limits = limits or read_model_limits()
    if looks_like_a_path or limits.local_folders is False:
        return looks_like_a_path
    try:
        return Path(name).is_dir()
    except (OSError, ValueError):  # for example a name that is too long
        return False
