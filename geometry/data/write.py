"""Every file that is written: whole under its name, or absent."""

import errno
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from .errors import OutputError

PART = ".part"  # the end of the name of what is not finished; a killed process leaves it


def write(
    path: Path, content: bytes | Mapping[str, bytes], *, force: bool = True, mode: int = 0o666
) -> None:
    """Write a file, or a folder of files by name, as ``written`` and ``written_folder`` do."""
    if isinstance(content, bytes):
        with written(path, force=force, mode=mode) as file:
            file.write(content)
    else:
        with written_folder(path) as folder:
            for name, each in content.items():
                (folder / name).write_bytes(each)


@contextmanager
def written(path: Path, *, force: bool = True, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """A file that gets its name when it is complete and on disk; else what had it is unchanged.

    A symbolic link is replaced, not followed. Without ``force`` a file of that name is a
    FileExistsError. A file that is replaced keeps its permissions; a new one has ``mode``.
    """
    part = _part(path.parent, path.name)
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            if path.is_file() and not path.is_symlink():
                part.chmod(path.stat().st_mode & 0o777)
            yield file
            file.flush()
            os.fsync(file.fileno())
        if not force and path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


@contextmanager
def written_folder(path: Path) -> Iterator[Path]:
    """A folder that gets its name when its files are complete and on disk; as ``refuse_in_use``.

    An empty folder that exists is filled file by file, because it may be a disk of its own.
    """
    refuse_in_use(path)
    is_there = path.is_dir()
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _part(path if is_there else path.parent, path.name)
    part.mkdir()
    try:
        yield part
        for file in part.rglob("*"):
            if file.is_file():
                with file.open("rb+") as opened:
                    os.fsync(opened.fileno())
        refuse_in_use(path)
        if is_there:
            for each in part.iterdir():
                each.rename(path / each.name)
        else:
            part.rename(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def check_output(
    path: Path,
    endings: tuple[str, ...],
    *,
    inputs: Iterable[str | Path | None] = (),
    or_folder: bool = False,
    force: bool = False,
) -> None:
    """Refuse an output before any work begins; ``inputs`` include what else is written."""
    name = str(path)
    is_folder = or_folder and not path.suffix
    if not is_folder and path.suffix not in endings:
        raise OutputError(
            "other_ending_or_folder" if or_folder else "other_ending", name=name, names=endings
        )
    if path.is_symlink():
        raise OutputError("link", name=name)
    if any(each is not None and _is_within(path, Path(each)) for each in inputs):
        raise OutputError("is_input", name=name)
    if is_folder:
        refuse_in_use(path)
    elif path.exists() and not path.is_file():
        raise OutputError("no_file", name=name)
    elif path.exists() and not force:
        raise OutputError("exists", name=name)
    folder = path if path.is_dir() else path.absolute().parent
    if not is_folder and not folder.is_dir():
        raise OutputError("no_folder", name=name, folder=str(path.parent))
    if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError("not_written", name=name, reason=os.strerror(errno.EACCES))


def refuse_in_use(path: Path) -> None:
    """Raise OutputError for a file, a symbolic link, and a folder that is not empty."""
    if path.is_symlink():
        raise OutputError("link", name=str(path))
    is_free = path.is_dir() and all(each.match(f".*{PART}") for each in path.iterdir())
    if path.exists() and not is_free:
        raise OutputError("folder_in_use", name=str(path))


@contextmanager
def saving(path: Path) -> Iterator[None]:
    """Turn what the disk says while ``path`` is written into an OutputError."""
    try:
        yield
    except FileExistsError as error:
        raise OutputError("exists", name=str(path)) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError("not_written", name=str(path), reason=reason) from error


def _part(folder: Path, name: str) -> Path:
    return folder / f".{name[:50]}.{uuid.uuid4().hex}{PART}"


def _is_within(path: Path, source: Path) -> bool:
    """True for the same file by any name, and for a file in a folder that is read."""
    if path.resolve() == source.resolve():
        return True
    if not path.exists() or not source.exists():
        return False
    return path.samefile(source) or path.resolve().is_relative_to(source.resolve())
