"""Names of this machine: its paths, its user and its host. Nothing that is given away has them."""

import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
USER, HOST = "user-of-the-test", "host-of-the-test"  # the real ones may be short and common
USER_VARIABLES = dict.fromkeys(("USER", "LOGNAME", "USERNAME"), USER)
HOST_FUNCTIONS = ("socket.gethostname", "socket.getfqdn", "platform.node")


def rename(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in USER_VARIABLES:
        monkeypatch.setenv(variable, USER)
    for function in HOST_FUNCTIONS:
        monkeypatch.setattr(function, lambda *_: HOST)


def renamed(folder: Path) -> dict[str, str]:
    """Variables of a new process whose user and host have the names of the test."""
    named = " = ".join(HOST_FUNCTIONS)
    code = f"import platform, socket\n{named} = lambda *_: {HOST!r}\n"
    (folder / "sitecustomize.py").write_text(code)  # every Python imports it at its start
    return {**USER_VARIABLES, "PYTHONPATH": str(folder)}


def content_of(path: Path) -> bytes:
    """A file's bytes, with members of an archive, cells of Parquet and notes of a PNG as text."""
    found = [path.read_bytes()]
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            found += [archive.read(name) for name in archive.namelist()]
    if found[0].startswith(b"PAR1"):
        table = pq.read_table(path)
        found += [repr(table.schema.metadata).encode(), repr(table.to_pydict()).encode()]
    if found[0].startswith(b"\x89PNG"):
        with Image.open(path) as picture:
            picture.load()  # notes may come after the pixels
            found.append(repr(picture.info).encode())
    return b"\n".join(found)


def names_in(content: bytes, *folders: Path) -> list[str]:
    """The paths of folders, of home and of the project, the user and the host in a content."""
    names = {USER, HOST, str(Path.home()), str(ROOT), *map(str, folders)}
    return [name for name in names if name.encode() in content]
