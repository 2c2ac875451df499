"""What commands write is whole or absent: inputs and earlier outputs survive every failure."""

import ctypes
import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from geometry.commands import run_shell
from geometry.data import read_bundled
from geometry.data.write import PART
from tests import machine
from tests.for_each import for_each

ROOT = Path(__file__).parents[2]
X = np.random.default_rng(0).normal(size=(60, 8)).astype(np.float32) + 1
QUIET = ("--quiet",)
ALONE = ("--quiet", "--workers", "0")
EARLIER = b"an earlier result"


class Writer(NamedTuple):
    args: tuple[str, ...]
    out: str
    other: str
    option: str = "--out"


WRITERS = {
    "whiten": Writer(("whiten", "v.npy", *QUIET), "o.npy", "o.csv"),
    "whiten a table": Writer(("whiten", "v.npy", *QUIET), "o.parquet", "o.svg"),
    "whiten a folder": Writer(("whiten", "v.npy", *QUIET), "o", "o.d"),
    "project": Writer(("project", "v.npy", *QUIET), "o.csv", "pr.svg"),
    "project a folder": Writer(("project", "v.npy", *QUIET), "o", "o.d"),
    "diagnose": Writer(("diagnose", "v.npy", *QUIET), "o.html", "o.pdf"),
    "evidence": Writer(
        ("evidence", "v.npy", "--metadata", "m.csv", "--labels", "b", "--cures", "centred", *QUIET),
        *("o.html", "o.pdf"),
    ),
    "neighbours": Writer(("neighbours", "v.npy", "-k", "3", *QUIET), "o.csv", "o.xlsx"),
    "evaluate csv": Writer(
        ("evaluate", "--vectors", "w.vec", "--transforms", "none", "--draws", "9", *QUIET),
        *("o.csv", "o.json", "--csv"),
    ),
    "evaluate json": Writer(
        ("evaluate", "--vectors", "w.vec", "--transforms", "none", "--draws", "9", *QUIET),
        *("o.json", "o.csv", "--json"),
    ),
    "export-view": Writer(("export-view", "v.npy", *QUIET), "o.html", "o.htm"),
    "export": Writer(("export", "t.txt", *QUIET), "o.safetensors", "pr.svg"),
    "export onnx": Writer(("export", "t.txt", *QUIET), "o.onnx", "o.pt"),
    "export numpy": Writer(("export", "t.txt", *QUIET), "o.npz", "o.npy"),
    "export a model": Writer(("export", "t.txt", *QUIET), "o", "o.bin"),
    "scale fit": Writer(("scale", "fit", "run", *ALONE), "o.safetensors", "o.npy"),
    "scale neighbours": Writer(
        ("scale", "neighbours", "run", "run", "--k", "3", *ALONE), "o.parquet", "o.csv"
    ),
}
SOME = ("whiten", "project a folder", "evaluate csv", "export a model", "scale fit")
FILES = {name: each for name, each in WRITERS.items() if "." in each.out}
FOLDERS = {name: each for name, each in WRITERS.items() if "." not in each.out}
SOME_FILES = [name for name in SOME if name in FILES]
RUNS = {
    "scale encode": ("scale", "encode", "t.txt", *ALONE),
    "scale transform": ("scale", "transform", "run", "f.safetensors", *ALONE),
    "scale project": ("scale", "project", "run", *ALONE),
}
KILLED = WRITERS | {name: Writer((*args,), "o", "") for name, args in RUNS.items()}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    texts = read_bundled("pairs").texts
    np.save(folder / "v.npy", X)
    (folder / "t.txt").write_text("\n".join(texts[:60]), encoding="utf-8")
    (folder / "m.csv").write_text("\n".join(["b", *(["even", "odd"] * 30)]))
    words = sorted({word for text in texts for word in text.lower().split() if word.isalpha()})
    rng = np.random.default_rng(1)
    lines = (f"{word} {' '.join(f'{x:.4f}' for x in rng.normal(size=8))}\n" for word in words)
    (folder / "w.vec").write_text("".join(lines), encoding="utf-8")
    run = str(folder / "run")
    args = ["scale", "encode", str(folder / "t.txt"), "--out", run, *ALONE]
    assert run_shell(args) == 0
    fitted = str(folder / "f.safetensors")
    assert run_shell(["scale", "fit", run, "--out", fitted, *ALONE]) == 0
    return folder


@pytest.fixture
def folder(inputs, tmp_path, monkeypatch):
    """A copy of the inputs, as the working directory; the project's modules can be imported."""
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """Every finished file below; what ``scale`` and ``evidence`` keep is no input."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(part.endswith(PART) for part in path.parts)
        and not {"sums", ".lock"} & {*path.parts}
        and path.suffix != ".queries" and path.parent.suffix != ".places"
    }  # fmt: skip


def call(writer: Writer, *more: str, out: str | None = None) -> int:
    return run_shell([*writer.args, writer.option, out or writer.out, *more])


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def of_names(table: Iterable[Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", table)


def test_every_command_that_writes_is_in_this_module():
    from geometry.commands import scale, shell

    commands = [*shell.commands.values(), *scale.commands.values()]
    writing = {
        each.name
        for each in commands
        for option in each.params
        if {"--out", "--csv"} & {*option.opts}
    }
    here = {w.args[w.args[0] == "scale"] for w in WRITERS.values()} | {a[1] for a in RUNS.values()}
    assert writing == here


# ---- refused before any work ----


@for_each("name", [name for name in FILES if "scale" not in name])  # theirs are folders
def test_an_input_is_never_an_output(folder, capsys, name):
    writer = FILES[name]
    source = next(each for each in writer.args if Path(each).is_file())
    before = contents(folder)
    aim = Path(writer.out)
    for make in (os.link, lambda source, out: out.symlink_to(source)):
        make(source, aim)
        assert call(writer, "--force") == 2
        assert aim.name in capsys.readouterr().err
        aim.unlink()
        assert contents(folder) == before


@pytest.mark.parametrize(
    ("args", "out"),
    [
        (("whiten", "v.npy"), "v.npy"),
        (("whiten", "../{here}/v.npy"), "v.npy"),
        (("whiten", "link.npy"), "v.npy"),
        (("whiten", "t.txt", "--fit", "v.npy"), "v.npy"),
        (("project", "v.npy", "--metadata", "m.csv"), "m.csv"),
        (("neighbours", "v.npy", "--relevance", "m.csv"), "m.csv"),
        (("neighbours", "v.npy", "--fit", "m.csv"), "m.csv"),
        (("scale", "neighbours", "run", "run", "--workers", "0"), "run/shards/part-00000.parquet"),
    ],
)
def test_an_input_by_its_own_name_is_refused(folder, capsys, args, out):
    Path("link.npy").symlink_to("v.npy")
    Path("m.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    before = contents(folder)
    args = [each.format(here=folder.name) for each in args]
    for force in ((), ("--force",)):
        assert run_shell([*args, "--out", out, "--quiet", *force]) == 2
        error = capsys.readouterr().err
        assert "by the same command" in error
        assert error.count("\n") == 1
    assert contents(folder) == before


@of_names(SOME_FILES)
def test_an_existing_file_needs_force(folder, capsys, name):
    writer, out = FILES[name], Path(FILES[name].out)
    out.write_bytes(EARLIER)
    out.chmod(0o600)
    assert call(writer) == 2
    assert "--force" in capsys.readouterr().err
    assert out.read_bytes() == EARLIER
    assert call(writer, "--force") == 0
    assert len(out.read_bytes()) > len(EARLIER)
    assert out.stat().st_mode & 0o777 == 0o600


@of_names(SOME_FILES)
def test_a_file_that_appears_during_the_work_stays(folder, capsys, monkeypatch, name):
    writer, out = FILES[name], Path(FILES[name].out)
    flush = os.fsync

    def appear(number: int) -> None:
        flush(number)
        if not out.exists():
            out.write_bytes(EARLIER)

    monkeypatch.setattr(os, "fsync", appear)
    assert call(writer) == 2
    assert "--force" in capsys.readouterr().err
    assert out.read_bytes() == EARLIER
    assert not list(folder.glob(f".*{PART}"))


@for_each("name", WRITERS)
def test_a_symbolic_link_is_not_followed(folder, capsys, name):
    writer = WRITERS[name]
    Path("target").mkdir()
    for target in ("target", "target/absent", "v.npy"):
        Path(writer.out).symlink_to(target)
        before = contents(folder)
        for force in ((), ("--force",)):
            assert call(writer, *force) == 2
            assert writer.out in capsys.readouterr().err
        assert contents(folder) == before
        Path(writer.out).unlink()
    Path("target").rmdir()


@for_each("name", WRITERS)
def test_the_ending_is_checked_before_any_work(folder, capsys, monkeypatch, name):
    for each in ("options", "diagnose", "neighbours"):
        place = sys.modules[f"geometry.commands.{each}"]
        monkeypatch.setattr(place, "read_own", lambda *_a, **_k: pytest.fail("it read"))
    writer = WRITERS[name]
    assert call(writer, out=writer.other) == 2
    error = capsys.readouterr().err
    assert Path(writer.out).suffix in error
    assert "ending" in error
    assert not Path(writer.other).exists()


@of_names(FOLDERS)
def test_a_folder_with_content_is_refused(folder, capsys, name):
    writer = FOLDERS[name]
    Path("o").mkdir()
    Path("o/mine").write_bytes(EARLIER)
    for force in ((), ("--force",)):
        assert call(writer, *force) == 2
        assert "not empty" in capsys.readouterr().err
        assert [path.name for path in Path("o").iterdir()] == ["mine"]
    Path("o/mine").unlink()
    assert call(writer) == 0  # an empty folder is taken
    assert not list(folder.rglob(f".*{PART}"))


@for_each("name", SOME_FILES)
def test_only_a_file_is_replaced(folder, capsys, name):
    writer = FILES[name]
    for make, remake in ((os.mkdir, os.rmdir), (os.mkfifo, os.unlink)):
        make(writer.out)
        kind = Path(writer.out).stat().st_mode
        assert call(writer, "--force") == 2
        assert "is no file" in capsys.readouterr().err
        assert Path(writer.out).stat().st_mode == kind
        remake(writer.out)


@of_names(RUNS)
def test_a_run_takes_no_folder_of_others_and_no_link(folder, capsys, name):
    Path("o").mkdir()
    Path("o/mine").write_bytes(EARLIER)
    assert run_shell([*RUNS[name], "--out", "o"]) == 2
    assert "not empty" in capsys.readouterr().err
    assert [path.name for path in Path("o").iterdir()] == ["mine"]
    Path("link").symlink_to("o")
    assert run_shell([*RUNS[name], "--out", "link"]) == 2
    assert "symbolic link" in capsys.readouterr().err
    for _ in range(2):  # a run goes on in its own folder
        assert run_shell([*RUNS[name], "--out", "new"]) == 0


# ---- failures while it writes ----


@of_names(KILLED)
def test_a_full_disk_leaves_inputs_and_earlier_outputs(folder, capsys, monkeypatch, name):
    def full(_number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    writer = KILLED[name]
    if name in FILES:
        Path(writer.out).write_bytes(EARLIER)
    before = contents(folder)
    monkeypatch.setattr(os, "fsync", full)
    assert call(writer, *(("--force",) if name in FILES else ())) == 2
    error = capsys.readouterr().err
    assert os.strerror(errno.ENOSPC) in error
    assert "Free some space" in error
    assert error.count("\n") == 1
    assert contents(folder) == before
    assert not list(folder.rglob(f".*{PART}"))


class Ended(NamedTuple):
    """How a command ended: seconds in all, and until a file of it appeared."""

    code: int
    seconds: float
    wrote: float


def until_killed(args: list[str], out: Path, *, at=inf, after=inf) -> Ended:
    """Kill a command with its group at a time, or so long after its first file appears."""

    def seen() -> tuple[object, ...]:
        return {*Path().iterdir()}, out.exists() and out.stat().st_size

    before, began, wrote = seen(), time.monotonic(), inf
    process = subprocess.Popen(
        [sys.executable, "-m", "geometry", *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while process.poll() is None:
        now = time.monotonic() - began
        if wrote == inf and seen() != before:
            wrote = now
        if now >= min(at, wrote + after):
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(1e-4)
    return Ended(process.returncode, time.monotonic() - began, wrote)


def alike(files: dict[str, bytes]) -> dict[str, object]:
    """Contents without the order of safetensors' metadata, which is another one at each run."""
    found: dict[str, object] = {**files}
    for name in files:
        end = 8 + int.from_bytes(files[name][:8], "little")
        if name.endswith(".safetensors"):
            with suppress(ValueError):  # it is none, or half of one
                found[name] = json.loads(files[name][8:end]), files[name][end:]
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    ("n_kills", "names"),
    [pytest.param(5, (*SOME, "scale transform"), marks=pytest.mark.slow), (200, (*KILLED,))],
    ids=["5", "200"],
)
@pytest.mark.timeout(3600)
def test_random_kills_leave_inputs_and_earlier_outputs(folder, n_kills, names):
    """Half at any moment of the usual time, half when the first file appears or soon after."""
    rng, inputs = random.Random(n_kills), contents(folder)
    usual: dict[str, tuple[Ended, dict[str, bytes]]] = {}
    n_ended, n_parts = 0, 0
    for kill in range(n_kills):
        name = names[kill % len(names)]
        writer, out = KILLED[name], Path(KILLED[name].out)
        args = [*writer.args, writer.option, writer.out, *(("--force",) if name in FILES else ())]
        if name not in usual:
            ended = until_killed(args, out)
            assert ended.code == 0, name
            usual[name] = ended, contents(folder)
            remove(out)
        ended, whole = usual[name]
        if name in FILES:
            out.write_bytes(EARLIER)
        before = contents(folder)
        if rng.random() < 0.5:
            when = {"at": rng.random() * ended.seconds}
        else:  # small files are written in no time
            share = rng.choice((0, rng.random() ** 4))
            when = {"after": share * (ended.seconds - ended.wrote)}
        code = until_killed(args, out, **when).code
        after = contents(folder)
        told = (name, kill, when, code)
        assert code in (0, -signal.SIGKILL), told
        assert inputs.items() <= after.items(), told
        is_whole = alike(after) == alike(whole)
        if name in RUNS:  # it goes on in its folder, whose list of what is ready grows
            ready = {key: each for key, each in after.items() if key != "o/manifest.json"}
            assert alike(ready).items() <= alike(whole).items(), told
        else:
            assert is_whole or (after == before and out.exists() == (name in FILES)), told
        n_ended += code == 0
        n_parts += any(folder.rglob(f".*{PART}"))
        if name not in FOLDERS or not is_whole:
            assert run_shell(args) == 0, told  # what is left over is in nobody's way
        assert alike(contents(folder)) == alike(whole), told
        for each in (out, *folder.glob(f".*{PART}")):
            remove(each)
    assert n_ended < n_kills / 2
    assert n_parts


@of_names(SOME)
def test_a_folder_without_rights(folder, name):
    """Root gives up the right to write everywhere."""

    def obey() -> None:
        if os.getuid() == 0:
            assert ctypes.CDLL(None, use_errno=True).prctl(24, 1) == 0  # CAP_DAC_OVERRIDE

    writer = WRITERS[name]
    Path("shut").mkdir()
    Path("shut").chmod(0o555)
    done = subprocess.run(
        [sys.executable, "-m", "geometry", *writer.args, writer.option, f"shut/{writer.out}"],
        preexec_fn=obey,
        capture_output=True,
        text=True,
        check=False,
    )
    Path("shut").chmod(0o755)
    assert done.returncode == 2
    assert "Permission denied" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(Path("shut").iterdir())


# ---- what leaves the house ----


@of_names(WRITERS)
def test_an_output_names_no_place_of_this_machine(name, folder, monkeypatch):
    machine.rename(monkeypatch)
    writer = WRITERS[name]
    args = tuple(str(folder / each) if (folder / each).exists() else each for each in writer.args)
    assert call(writer._replace(args=args)) == 0
    out = folder / writer.out
    files = [path for path in [out, *out.rglob("*")] if path.is_file()]
    assert files
    for path in files:
        assert not machine.names_in(machine.content_of(path), folder), path.name
