"""What the operator of a server lets its visitors load, read from one file.

The file is narrow-cone.toml at the repository's root; the environment variable
NARROW_CONE_CONFIG names another. Where there is none, the defaults below hold.
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
    """The operator's file is absent where it was named, or holds what it may not."""


@dataclass(frozen=True)
class ModelLimits:
    """Which models may be loaded and how large they may be.

    allow : glob patterns of hub names, matched with upper and lower case apart; none = every name.
    local_folders : whether folders of this machine may be loaded.
    max_model_megabytes : largest model, all files that are read together.
    memory_megabytes : the budget for models kept in memory at once.
    A megabyte is 10^6 bytes. The bundled encoder is subject to none of this.
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
        """Raise ModelFilesError "not_allowed" where local folders may not be loaded."""
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
    """The limits in the operator's file; the defaults where there is no file.

    path : the file; by default the one that NARROW_CONE_CONFIG names, else narrow-cone.toml at
    the repository's root. Raises OperatorFileError naming the file and the wrong key, and for a
    named file that is not there.
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
    """The value as ModelLimits keeps it; OperatorFileError for one of another type."""
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
