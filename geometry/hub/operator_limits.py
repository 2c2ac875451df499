"""The limits that the operator of a server sets for models, read from one file.

The file is narrow-cone.toml at the repository's root, or the one that the environment variable
NARROW_CONE_CONFIG names. Without a file, the defaults below apply.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from .model_errors import ModelFilesError, readable_bytes

VARIABLE = "NARROW_CONE_CONFIG"
DEFAULT_FILE = Path(__file__).resolve().parents[2] / "narrow-cone.toml"
MEGABYTE = 10**6


class OperatorFileError(ValueError):
    """The named operator's file is missing, or its content is not valid."""


@dataclass(frozen=True)
class ModelLimits:
    """Which models may be loaded and how large they may be. The bundled encoder has no limits.

    Attributes
    ----------
    allow : tuple of str
        Glob patterns of hub names, case-sensitive; () allows every name.
    local_folders : bool
        Whether folders of this machine may be loaded.
    max_model_megabytes : int
        10^6 bytes of all files of a model that are read.
    memory_megabytes : int
        10^6 bytes of all models that are in memory at once.
    """

    allow: tuple[str, ...] = ()
    local_folders: bool = True
    max_model_megabytes: int = 2_000
    memory_megabytes: int = 4_000

    def refuse_name(self, name: str) -> None:
        """Raise ModelFilesError "not_allowed" for a hub name that no pattern matches."""
        if self.allow and not any(fnmatchcase(name, pattern) for pattern in self.allow):
            raise ModelFilesError(
                f"{name} may not be loaded here: the operator allows {', '.join(self.allow)}. "
                f"Choose one of these or the bundled encoder; the list is in {DEFAULT_FILE.name}",
                code="not_allowed",
                name=name,
                allowed=self.allow,
                folder=False,
            )

    def refuse_folder(self, name: str) -> None:
        """Raise ModelFilesError "not_allowed" if local folders may not be loaded."""
        if not self.local_folders:
            raise ModelFilesError(
                f"{name} may not be loaded here: the operator allows no folders of this machine. "
                f"Choose a model of the hub or the bundled encoder; the rule is in "
                f"{DEFAULT_FILE.name}",
                code="not_allowed",
                name=name,
                allowed=self.allow,
                folder=True,
            )

    def refuse_size(self, name: str, size: int) -> None:
        """Raise ModelFilesError "too_large" for a model of ``size`` bytes above the limit."""
        limit = self.max_model_megabytes * MEGABYTE
        if size > limit:
            raise ModelFilesError(
                f"{name} has {readable_bytes(size)} of files to read and the operator's limit is "
                f"{readable_bytes(limit)}. Choose a smaller model, or raise max_model_megabytes in "
                f"{DEFAULT_FILE.name}",
                code="too_large",
                name=name,
                size=size,
                limit=limit,
            )


def read_model_limits(path: Path | None = None) -> ModelLimits:
    """The limits in the operator's file; the defaults if there is no file.

    path : by default the file that NARROW_CONE_CONFIG names, else narrow-cone.toml at the
    repository's root.
    Raises OperatorFileError for a named file that does not exist, and for a wrong key or value.
    """
    named = path or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    file = named or DEFAULT_FILE
    if not file.is_file():
        if named is None:
            return ModelLimits()
        raise OperatorFileError(f"there is no file {file}, which {VARIABLE} or the caller names")
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise OperatorFileError(f"{file} is no TOML file: {error}") from error
    _refuse_unknown(content, ("models",), file, "table")
    models = content.get("models", {})
    if not isinstance(models, dict):
        raise OperatorFileError(f"models in {file} must be a table: write [models] above its keys")
    _refuse_unknown(models, tuple(field.name for field in fields(ModelLimits)), file, "key")
    return ModelLimits(**{key: _checked(key, value, file) for key, value in models.items()})


def _refuse_unknown(found: dict[str, Any], known: tuple[str, ...], file: Path, what: str) -> None:
    for name in found:
        if name not in known:
            raise OperatorFileError(
                f"{file} has an unknown {what} {name!r}; there can be {', '.join(known)}"
            )


def _checked(key: str, value: Any, file: Path) -> Any:
    """The value in the type of ModelLimits; OperatorFileError for another type."""
    if key == "allow":
        fits = isinstance(value, list) and all(isinstance(each, str) for each in value)
        wanted = 'a list of patterns such as ["google-bert/*"]'
    elif key == "local_folders":
        fits, wanted = isinstance(value, bool), "true or false"
    else:
        fits = isinstance(value, int) and not isinstance(value, bool) and value > 0
        wanted = "a whole number of megabytes above 0"
    if not fits:
        raise OperatorFileError(f"{key} in {file} is {value!r} and must be {wanted}")
    return tuple(value) if isinstance(value, list) else value
