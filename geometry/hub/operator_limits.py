"""The limits that the operator sets for models, uploads and memory, read from one file.

The file is narrow-cone.toml at the repository's root, or the one that the environment variable
NARROW_CONE_CONFIG names. Without a file, the defaults below apply.
"""

import os
import re
import tomllib
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ..data.limits import MEGABYTE, Limits
from .errors import ModelFilesError, OperatorFileError

VARIABLE = "NARROW_CONE_CONFIG"
TABLES = ("models", "uploads", "memory", "classes")
FOLDERS = "folders"  # the key in [uploads]
FILE_VARIABLE = "NARROW_CONE_FILE"  # the file that Your corpus begins with
WANTED = {  # what values may be; others are whole numbers above 0
    "allow": 'a list of patterns such as ["google-bert/*"]',
    FOLDERS: 'a list of folders such as ["/data"]',
    "local_folders": "true or false",
    "rooms": "0 or a whole number above 0",
}
FILE = "narrow-cone.toml"
DEFAULT_FILE = Path(__file__).resolve().parents[2] / FILE

Kind = TypeVar("Kind", "ModelLimits", "MemoryLimits", "ClassLimits")


@dataclass(frozen=True)
class ModelLimits:
    """Which models may be loaded, and how large ones. The bundled encoder has no limits."""

    #: glob patterns of hub names, case-sensitive; () allows every name. A name that is allowed is
    #: allowed at its branches and tags. "name@revision" allows one commit or pull request
    allow: tuple[str, ...] = ()
    #: whether folders of this machine may be loaded. None: yes, except on the pages of a server
    #: that other machines can reach
    local_folders: bool | None = None
    max_model_megabytes: int = 2_000  #: of all files of a model that are read
    memory_megabytes: int = 4_000  #: of all models that are in memory at once
    #: of one vector. The axes of a cloud take time that grows with the cube: 18 s at 4,096
    dimensions: int = 1_024

    def refuse_name(self, name: str, revision: str | None = None) -> None:
        """Raise ModelFilesError "not_allowed" for a name or revision that no pattern matches."""
        if not self.allow:
            return
        fitting = [each for each in self.allow if fnmatchcase(name, each.partition("@")[0])]
        if not fitting:
            raise ModelFilesError("not_allowed", name=name, allowed=self.allow, file=FILE)
        pinned = [each.partition("@")[2] for each in fitting]
        is_open = "" in pinned and _is_of_the_owner(revision)
        if not is_open and revision not in pinned:
            about: dict[str, Any] = {"allowed": self.allow, "file": FILE}
            raise ModelFilesError("other_revision", name=name, revision=revision or "main", **about)

    def refuse_folder(self, name: str) -> None:
        """Raise ModelFilesError "not_allowed" if local folders may not be loaded."""
        if self.local_folders is False:
            raise ModelFilesError("no_folders", name=name, allowed=self.allow, file=FILE)

    def refuse_size(self, name: str, size: int) -> None:
        """Raise ModelFilesError "too_large" for a model of ``size`` bytes above the limit."""
        limit = self.max_model_megabytes * MEGABYTE
        if size > limit:
            raise ModelFilesError("too_large", name=name, size=size, limit=limit, file=FILE)

    def refuse_width(self, name: str, dimension: int) -> None:
        """Raise ModelFilesError "too_large" for vectors of more numbers than the limit."""
        if dimension > self.dimensions:
            about = {"dimension": dimension, "limit": self.dimensions, "file": FILE}
            raise ModelFilesError("wide_vectors", name=name, **about)


@dataclass(frozen=True)
class MemoryLimits:
    """What the visitors of a server may keep in its memory. A megabyte is 10^6 bytes."""

    sessions: int = 200  # tabs that are open at once
    # uploaded files, as they were received, of one session and of all
    session_uploads_megabytes: int = 600
    uploads_megabytes: int = 2_500
    # what is kept for the next run of a page: from one session's own texts, and in all
    session_results_megabytes: int = 500
    results_megabytes: int = 2_000
    trainings: int = 2  # live trainings that run at once, each in a process of its own


@dataclass(frozen=True)
class ClassLimits:
    """Rooms in which a class guesses together and follows its teacher."""

    rooms: int = 0  # at once; 0: nobody can open one
    members: int = 120  # students of one room
    answers_a_minute: int = 20  # of one student, changed ones included
    wrong_codes: int = 30  # in a minute from one address; then its codes are tried one by one
    megabytes: int = 20  # of the file of all rooms


def _is_of_the_owner(revision: str | None) -> bool:
    """Whether it is a branch or a tag; anyone can open a pull request, and name its commits."""
    named = revision or "main"
    is_plain = re.fullmatch(r"[\w.-]+(/[\w.-]+)*", named) and not re.match(r"(refs|pr)/", named)
    return bool(is_plain) and not re.fullmatch(r"[0-9A-Fa-f]{7,}", named)


def read_model_limits(path: Path | None = None) -> ModelLimits:
    """The limits in the operator's file; the defaults if there is no file.

    path : by default the file that NARROW_CONE_CONFIG names, else narrow-cone.toml at the
    repository's root.
    Raises OperatorFileError for a named file that does not exist, and for a wrong key or value.
    """
    return _read_as(ModelLimits, "models", path)


def read_upload_limits(path: Path | None = None) -> Limits:
    """The limits of uploads; ``file_megabytes`` is ``Limits.file_bytes``."""
    uploads, file = _table_of("uploads", path)
    names = {field.name.replace("_bytes", "_megabytes"): field.name for field in fields(Limits)}
    _refuse_unknown(uploads, (*names, FOLDERS), file)
    given = {key: _checked(key, value, file) for key, value in uploads.items() if key != FOLDERS}
    units = {key: MEGABYTE if key.endswith("_megabytes") else 1 for key in given}
    return Limits(**{names[key]: value * units[key] for key, value in given.items()})


def read_upload_folders(path: Path | None = None) -> tuple[Path, ...]:
    """Folders of this machine whose files every visitor may read; () if the file names none."""
    uploads, file = _table_of("uploads", path)
    named = _checked(FOLDERS, uploads.get(FOLDERS, []), file)
    return tuple(file.parent / Path(each).expanduser() for each in named)


def _read_as(kind: type[Kind], table: str, path: Path | None = None) -> Kind:
    """A table of the operator's file as limits of that kind, whose fields are its keys."""
    found, file = _table_of(table, path)
    _refuse_unknown(found, tuple(field.name for field in fields(kind)), file)
    return kind(**{key: _checked(key, value, file) for key, value in found.items()})


read_memory_limits = partial(_read_as, MemoryLimits, "memory")
read_class_limits = partial(_read_as, ClassLimits, "classes")


def _table_of(table: str, path: Path | None) -> tuple[dict[str, Any], Path]:
    """A table of the operator's file, {} if there is none, and the file."""
    stated = os.environ.get(VARIABLE)
    named = path or (Path(stated) if stated else None)
    file = named or DEFAULT_FILE
    if not file.is_file():
        if named is None:
            return {}, file
        raise OperatorFileError("no_file", file=str(file), variable=VARIABLE)
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or str(error)
        raise OperatorFileError("unreadable", file=str(file), reason=reason) from error
    except (ValueError, RecursionError) as error:
        raise OperatorFileError("no_toml", file=str(file), said=str(error)) from error
    _refuse_unknown(content, TABLES, file)
    found = content.get(table, {})
    if not isinstance(found, dict):
        raise OperatorFileError("no_table", file=str(file), table=table)
    return found, file


def _refuse_unknown(found: dict[str, Any], known: tuple[str, ...], file: Path) -> None:
    for name in found:
        if name not in known:
            raise OperatorFileError("unknown_entry", file=str(file), name=name, known=known)


def _checked(key: str, value: Any, file: Path) -> Any:
    """The value in the type of ModelLimits; OperatorFileError for another type."""
    number = "a whole number of megabytes" if key.endswith("megabytes") else "a whole number"
    wanted = WANTED.get(key, f"{number} above 0")
    if key in ("allow", FOLDERS):
        fits = isinstance(value, list) and all(isinstance(each, str) and each for each in value)
    elif key == "local_folders":
        fits = isinstance(value, bool)
    else:
        fits = type(value) is int and value >= (0 if key == "rooms" else 1)
    if not fits:
        raise OperatorFileError(
            "bad_value", name=key, file=str(file), found=str(value), wanted=wanted
        )
    return tuple(value) if isinstance(value, list) else value
