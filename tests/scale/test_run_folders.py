"""A run's folder is not believed: its names, links, numbers and contents are checked, and it names
nothing of the machine that wrote it."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from geometry.scale import (
    Engine,
    ScaleError,
    VectorData,
    fit_data,
    measure_data,
    open_run,
    read_status,
    transform_data,
)
from tests import machine
from tests.pages.visits import everything, healthy, new_visit
from tests.scale.shards import cloud, content, split, write_files, write_run
from tests.scale.test_bad_shards import IDENTITY
from tests.scale.test_walk import ALONE, shell
from tests.sentences import sentence

X = cloud(60)
FIRST = "part-00000.parquet"
CHANGED = sentence("scale", "damaged_shard")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "allowed" / "run", split(X, 30))


def changed(run: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))
    return run


def outside(run: Path, name: str) -> Path:
    secret = run.parents[1] / "secret" / "s.parquet"
    secret.parent.mkdir()
    (run / "shards" / FIRST).rename(secret)
    return changed(run, lambda found: found["shards"][0].update(name=name.format(secret=secret)))


def linked(run: Path, *parts: str) -> Path:
    part = run.joinpath(*parts)
    elsewhere = run.parents[1] / "elsewhere"
    part.rename(elsewhere)
    part.symlink_to(elsewhere)
    return run


def deep(run: Path) -> Path:
    (run / "manifest.json").write_text("[" * 100_000)
    return run


def of_shard(**stated: object) -> Callable[[Path], Path]:
    def change(found: dict[str, Any]) -> None:
        found["shards"][0].update(stated)
        for name in [name for name, value in stated.items() if value is None]:
            del found["shards"][0][name]

    return lambda run: changed(run, change)


def of_column(**stated: object) -> Callable[[Path], Path]:
    return lambda run: changed(run, lambda found: found["vectors"][0].update(stated))


def twice(run: Path) -> Path:
    return changed(run, lambda found: found["shards"].append(found["shards"][0]))


BAD = {
    "above": (lambda run: outside(run, "../../../secret/s.parquet"), "is damaged"),
    "absolute": (lambda run: outside(run, "{secret}"), "is damaged"),
    "linked shard": (lambda run: linked(run, "shards", FIRST), "is a link"),
    "linked shards": (lambda run: linked(run, "shards"), "is a link"),
    "linked manifest": (lambda run: linked(run, "manifest.json"), "is a link"),
    "deep": (deep, "nested too deeply"),
    "not an object": (lambda run: changed(run, lambda found: found.update(shards=[5])), "object"),
    "no settings": (lambda run: changed(run, lambda found: found.pop("settings")), "settings"),
    "no kind": (lambda run: changed(run, lambda found: found.update(kind=None)), "kind"),
    "no vectors": (lambda run: changed(run, lambda found: found.update(vectors=[])), "no finished"),
    "no state": (of_shard(state=None), "no state"),
    "other state": (of_shard(state="ready"), "state: ready"),
    "text for a number": (of_shard(rows="30"), "rows: 30"),
    "fraction": (of_shard(rows=30.5), "rows: 30.5"),
    "truth": (of_shard(rows=True), "rows: True"),
    "negative": (of_shard(rows=-1), "rows: -1"),
    "rows": (of_shard(rows=10**15), "rows: 1000000000000000"),
    "more rows than bytes": (of_shard(rows=10**9), "rows 1000000000"),
    "no bytes": (of_shard(bytes=None), "no bytes"),
    "no digest": (of_shard(sha256=""), "sha256"),
    "places": (of_shard(rows_left_out={"a": 1}), "rows_left_out"),
    "twice": (twice, "part-00000.parquet twice"),
    "dimension": (of_column(dimension=10**15), "dimension: 1000000000000000"),
    "no dimension": (of_column(dimension=0), "dimension: 0"),
    "dtype": (of_column(dtype="object"), "dtype: object"),
    "about": (of_column(layer=[[[]]]), "layer: list"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_folder_that_leads_out_or_is_damaged_is_refused_with_a_sentence(
    case, run, tmp_path, capsys
):
    spoil, sentence = BAD[case]
    spoil(run)
    with pytest.raises(ScaleError, match=sentence):
        open_run(str(run))
    code, out, err = shell(capsys, "measure", run, *ALONE)
    assert (code, out) == (2, "")
    assert re.search(sentence, err)
    assert "Traceback" not in err


@pytest.fixture
def on_page(run, tmp_path, monkeypatch) -> Callable[[], AppTest]:
    config = tmp_path / "own.toml"
    config.write_text(f"[uploads]\nfolders = ['{tmp_path / 'allowed'}']\n")
    monkeypatch.setenv("NARROW_CONE_CONFIG", str(config))

    def opened() -> AppTest:
        at = healthy(new_visit("your_corpus", source="server").run())
        at.selectbox(key="server-file").set_value("allowed/run")
        return healthy(at.run())

    return opened


def lying(run: Path) -> Path:
    return of_shard(rows=10**9, bytes=10**12)(run)


@pytest.mark.parametrize("case", ["above", "both"])
def test_the_page_shows_the_sentence(case, run, on_page):
    spoil, said = BAD.get(case, (lying, CHANGED))
    spoil(run)
    at = on_page()
    assert re.search(said, " ".join(each.value for each in at.error))
    assert "vectors of 12 numbers" not in everything(at)


def test_the_page_reads_no_shard_with_other_content(run, on_page):
    zeroed(run / "shards" / FIRST)
    at = on_page()
    healthy(at.button(key="use_run").click().run())
    assert CHANGED.search(" ".join(each.value for each in at.error))
    assert "vector-uploads" not in at.session_state


def zeroed(path: Path) -> None:
    """Forty bytes of numbers become zeros; the file's size and footer stay."""
    stated = bytearray(path.read_bytes())
    middle = len(stated) // 2
    stated[middle : middle + 40] = bytes(40)
    path.write_bytes(bytes(stated))


def test_a_shard_with_other_content_is_noticed_where_it_is_read(run, capsys):
    data = VectorData(str(run))
    fit_data(Engine(), data)
    zeroed(run / "shards" / FIRST)
    for read in (
        lambda: measure_data(Engine(), data),
        lambda: open_run(str(run)),
        lambda: transform_data(Engine(), data, IDENTITY, str(run.parent / "out")),
    ):
        with pytest.raises(ScaleError, match=FIRST, check=lambda e: e.code == "damaged_shard"):
            read()
    code, _, err = shell(capsys, "measure", run, *ALONE)
    assert (code, bool(CHANGED.search(err))) == (2, True)
    code, out, _ = shell(capsys, "measure", run, *ALONE, "--on-error", "skip")
    assert (code, f"{FIRST} failed: The content" in out) == (3, True)


@pytest.mark.parametrize("stated", [{"sha256": "0" * 64}, {"rows": 29}])
def test_a_manifest_with_another_digest_or_count_is_noticed(stated, run, capsys):
    of_shard(**stated)(run)
    with pytest.raises(ScaleError, match=CHANGED):
        open_run(str(run))
    if "sha256" in stated:
        code, out, _ = shell(capsys, "status", run, "--check")
        assert (code, f"{FIRST}: its content is not what was written" in out) == (2, True)


def test_the_same_command_writes_damaged_shards_again(run, tmp_path):
    out = tmp_path / "out"
    transform_data(Engine(), VectorData(str(run)), IDENTITY, str(out))
    whole = content(out)
    zeroed(out / "shards" / FIRST)
    manifest = transform_data(Engine(), VectorData(str(run)), IDENTITY, str(out))
    assert content(out) == whole
    assert manifest["redone"] == (FIRST,)
    assert transform_data(Engine(), VectorData(str(run)), IDENTITY, str(out))["redone"] == ()


@pytest.mark.parametrize("log", ['{"rows": 30, "byt', "[" * 100_000, "[1]"])
def test_a_log_that_is_cut_off_is_dropped_with_a_word(log, run, tmp_path, capsys):
    out, fitted = tmp_path / "out", tmp_path / "f.safetensors"
    assert shell(capsys, "fit", run, "--out", fitted, *ALONE)[0] == 0
    assert shell(capsys, "transform", run, fitted, "--out", out, *ALONE)[0] == 0
    whole = content(out)
    (out / "log" / "part-00001.json").write_text(log)
    code, said, _ = shell(capsys, "status", out)
    assert (code, "part-00001.parquet: its log is cut off" in said) == (0, True)
    assert read_status(str(out)).counts["left"] == 1
    code, said, err = shell(capsys, "transform", run, fitted, "--out", out, *ALONE)
    assert (code, err) == (0, "")
    assert "part-00001.parquet: its content or its log was damaged" in said
    assert content(out) == whole


def test_sums_that_are_damaged_are_computed_again(run):
    data = VectorData(str(run))
    right = measure_data(Engine(), data)
    stored = run / "sums" / "moments-v.safetensors"
    zeroed(stored)
    assert measure_data(Engine(), data) == right
    stored.unlink()
    (run / "sums" / "moments-v.safetensors").symlink_to(run / "sums" / "directions-v.safetensors")
    with pytest.raises(ScaleError, match="is a link"):
        measure_data(Engine(), data)


def test_a_column_of_any_name_stays_in_the_folder(tmp_path):
    data = VectorData(str(write_run(tmp_path / "run", [X], column="../../../out")))
    measure_data(Engine(), data)
    assert {path.name for path in tmp_path.rglob("*.safetensors")} == {
        f"{name}-..%2F..%2F..%2Fout.safetensors" for name in ("moments", "directions")
    }


def test_a_folder_of_sources_is_not_written_to(run, tmp_path):
    files = write_files(tmp_path / "files", [X])
    (tmp_path / "link").symlink_to(files)
    before = sorted(tmp_path.rglob("*")), content(run)
    outs = [(files, f"{tmp_path}/{at}") for at in ("files", "files/", "files/../files", "link")]
    for source, out in (*outs, (run, run), (run, run / "shards")):
        with pytest.raises(ScaleError, match="has the sources of this command"):
            transform_data(Engine(), VectorData(str(source)), IDENTITY, str(out))
    assert (sorted(tmp_path.rglob("*")), content(run)) == before


@pytest.mark.model
def test_no_file_of_a_run_names_the_machine(tmp_path, capsys, monkeypatch):
    """Paths, user and host are in no artefact of any verb, nor in the reason of a failure."""
    monkeypatch.chdir(tmp_path)
    machine.rename(monkeypatch)
    (tmp_path / "texts").mkdir()
    for i in range(2):
        lines = "\n".join(f"A sentence of number {i} and {j}." for j in range(20))
        (tmp_path / "texts" / f"{i}.txt").write_text(lines)
    (tmp_path / "texts" / "bad.jsonl").write_text("no json\n")
    verbs = (
        ("encode", tmp_path / "texts", "--out", "run", "--on-error", "skip"),
        ("encode", tmp_path / "texts" / "bad.jsonl", "--out", "bad"),
        ("fit", tmp_path / "run", "--out", "fitted.safetensors"),
        ("transform", tmp_path / "run", "fitted.safetensors", "--out", tmp_path / "moved"),
        ("measure", tmp_path / "moved"),
        ("project", tmp_path / "run", "--out", tmp_path / "map"),
        ("neighbours", "run", "moved", "--out", "near.parquet", "--approximate"),
    )
    codes = [shell(capsys, *verb, *ALONE)[0] for verb in verbs]
    assert codes == [3, 2, 0, 0, 0, 0, 0]
    reason = json.loads((tmp_path / "bad" / "manifest.json").read_text())["shards"][0]["reason"]
    assert "`bad.jsonl`" in reason
    shutil.rmtree(tmp_path / "texts")
    found = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(found) > 20
    named = {path.name: machine.names_in(machine.content_of(path), tmp_path) for path in found}
    assert not any(named.values()), named
    about = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert [shard["source"] for shard in about["shards"]] == ["0.txt", "1.txt", "bad.jsonl"]
