"""The walk of docs/scale.md by the shell, and the same digits on any number of workers."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from geometry.commands import run_shell
from geometry.scale import open_engine, open_run
from tests.for_each import for_each
from tests.pages.visits import everything, healthy, new_visit
from tests.scale.shards import VERBS, cloud, run_verb, write_run, write_texts

ROOT = Path(__file__).resolve().parents[2]
ALONE = ["--workers", "0", "--quiet"]
WALK = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")


def shell(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of python -m geometry scale."""
    code = run_shell(["scale", *map(str, args)])
    return code, *capsys.readouterr()


def walk(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made, commands = re.findall(r"```(?:python|sh)\n(.*?)```", WALK.split("## ")[1], re.DOTALL)[:2]
    assert "range(100)" in made
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(made.replace("range(100)", "range(3)").replace("2000", "40"), {})
        for line in commands.splitlines():
            args = shlex.split(line.removeprefix("python -m geometry scale "))
            code, out, err = shell(capsys, *args, *([] if args[0] == "status" else ALONE))
            assert code == 0, err
    assert "transform: 3 of 3 shards done" in out


@pytest.mark.slow
@pytest.mark.model
def test_the_files_of_a_walk_can_be_opened_and_describe_themselves(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "walk"
    walk(folder, capsys)
    config = tmp_path / "own.toml"
    config.write_text(f"[uploads]\nfolders = ['{folder}']\n")
    monkeypatch.setenv("NARROW_CONE_CONFIG", str(config))
    at = healthy(new_visit("your_corpus", source="server").run())
    at.selectbox(key="server-file").set_value("walk/run2")
    assert "120 vectors of 384 numbers" in everything(healthy(at.run()))
    code, out, _ = shell(capsys, "status", folder / "run", "--json", "--check")
    assert code == 0
    counts = json.loads(out)["counts"]
    assert (counts["done"], counts["left"], counts["rows"]) == (3, 0, 120)
    opened = open_run(str(folder / "run2"))
    assert opened.labels is not None
    assert (len(opened), opened.dimension, len(set(opened.labels))) == (120, 384, 2)
    assert open_run(str(folder / "map"), sample=50).vectors.shape == (50, 3)
    manifest = json.loads((folder / "run" / "manifest.json").read_text())
    assert manifest["vectors"][0]["layer"] == 4
    assert {"numpy", "torch", "dask"} <= manifest["versions"].keys()
    assert all(len(shard["sha256"]) == 64 for shard in manifest["shards"])


@pytest.mark.model
def test_a_finished_run_is_not_done_again_and_other_settings_are_refused(tmp_path, capsys):
    texts = write_texts(tmp_path / "texts", 2, 5)
    args = ("encode", texts, "--out", tmp_path / "run", "--workers", "0")
    assert shell(capsys, *args)[0] == 0
    second = tmp_path / "run" / "shards" / "part-00001.parquet"
    written = (tmp_path / "run" / "shards" / "part-00000.parquet").stat().st_mtime_ns
    content = second.read_bytes()
    second.write_bytes(content[:-10])  # cut off after it was finished
    code, _, err = shell(capsys, *args)
    assert code == 0
    assert "1 of 1 shards" in err
    assert second.read_bytes() == content
    assert (tmp_path / "run" / "shards" / "part-00000.parquet").stat().st_mtime_ns == written
    code, _, err = shell(capsys, *args, "--layers", "0")
    assert code == 2
    assert "other sources or settings" in err


@pytest.mark.model
@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_every_verb_gives_the_same_bytes_on_any_number_of_workers(
    workers, sources, quiet, tmp_path
):
    """24 shards of vectors and 8 of texts; measures are compared to the last digit.

    Texts are encoded on two workers alone: each worker imports torch for that.
    """
    with open_engine(workers=workers) as engine:
        for verb in VERBS if workers == 2 else VERBS[1:]:
            assert run_verb(verb, engine, tmp_path, sources) == quiet(verb), verb


def test_a_second_run_on_a_folder_refuses(tmp_path, capsys):
    """Another process has the lock. After it is killed, the folder is free."""
    texts = write_texts(tmp_path / "texts", 1, 5)
    hold = (
        "import sys, time; from geometry.scale.manifest import RunFolder\n"
        f"with RunFolder({str(tmp_path / 'run')!r}, 'encode', {{}}, [], ['a']).held():\n"
        "    print('held', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", hold], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    args = ("encode", texts, "--out", tmp_path / "run", "--workers", "0", "--quiet")
    code, _, err = shell(capsys, *args)
    assert (code, "Another run works in the folder" in err) == (4, True)
    process.kill()
    process.wait()
    code, _, err = shell(capsys, *args)
    assert (code, "other sources or settings" in err) == (2, True)


def test_an_interrupted_run_reports_which_shards_remain(tmp_path, capsys, monkeypatch):
    def interrupted(*given: object, **how: object) -> None:
        raise KeyboardInterrupt

    run = write_run(tmp_path / "run", [cloud(50)])
    monkeypatch.setattr("geometry.scale.fit.moments_of_block", interrupted)
    code, _, err = shell(capsys, "fit", run, "--out", tmp_path / "f.safetensors", *ALONE)
    assert (code, err.strip()) == (
        130,
        "Interrupted; finished shards are kept. Run the same command again.",
    )


@for_each("verb", (*VERBS, "status"))
def test_the_exit_codes_are_in_the_help(verb, capsys):
    code, out, _ = shell(capsys, verb, "--help")
    assert code == 0
    for number in (0, 2, 3, 4, 5, 130):
        assert re.search(rf"\b{number}\s+\w", out)


def test_dask_is_named_where_it_is_missing(tmp_path, capsys, monkeypatch):
    run = write_run(tmp_path / "run", [cloud(50)])
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _, err = shell(capsys, "fit", run, "--out", tmp_path / "f.safetensors")
    assert (code, "narrow-cone[scale]" in err) == (2, True)
    code, out, _ = shell(
        capsys, "fit", run, "--out", tmp_path / "f.safetensors", "--workers", 0, "--json"
    )
    assert code == 0
    assert json.loads(out)["rows of the fit"] == "50"
