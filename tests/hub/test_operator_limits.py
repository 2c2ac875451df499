"""The operator's file: its defaults, its place, and errors for invalid content."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from geometry import ModelFilesError, load_encoder
from geometry.data.limits import LIMITS, Limits
from geometry.hub import ModelLimits, OperatorFileError, read_model_limits
from geometry.hub.operator_limits import (
    DEFAULT_FILE,
    ClassLimits,
    MemoryLimits,
    read_class_limits,
    read_memory_limits,
    read_upload_limits,
)
from tests.encode.tiny_encoder import save_tiny_bert
from tests.for_each import for_each

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def own_file(tmp_path, monkeypatch):
    """own_file(text): the operator's file for this test."""

    def write(text):
        path = tmp_path / "own.toml"
        path.write_text(text, encoding="utf-8")
        monkeypatch.setenv("NARROW_CONE_CONFIG", str(path))
        return path

    return write


def test_the_shipped_file_states_the_defaults(monkeypatch):
    monkeypatch.delenv("NARROW_CONE_CONFIG", raising=False)
    assert ROOT / "narrow-cone.toml" == DEFAULT_FILE
    assert read_model_limits() == read_model_limits(DEFAULT_FILE) == ModelLimits()
    assert read_memory_limits(DEFAULT_FILE) == MemoryLimits()
    for name in ("allow", "local_folders", "max_model_megabytes", "memory_megabytes", "dimensions"):
        assert re.search(rf"^(# )?{name} = ", DEFAULT_FILE.read_text(encoding="utf-8"), re.M)


def test_no_class_is_allowed_by_the_files_that_are_shipped(own_file):
    for file in (DEFAULT_FILE, ROOT / "deploy" / "narrow-cone.toml"):
        assert read_class_limits(file) == ClassLimits()
    own_file("[classes]\nrooms = 3\n")
    assert read_class_limits() == ClassLimits(rooms=3)
    own_file("[classes]\nrooms = -1\n")
    with pytest.raises(OperatorFileError, match="0 or a whole number"):
        read_class_limits()


def test_the_file_of_the_image_is_closed(own_file):
    models = read_model_limits(ROOT / "deploy" / "narrow-cone.toml")
    assert models.allow
    assert models.local_folders is False
    with pytest.raises(ModelFilesError, check=lambda error: error.code == "not_allowed"):
        models.refuse_name("google-bert/bert-base-uncased")
    ours = MemoryLimits()
    image = read_memory_limits(ROOT / "deploy" / "narrow-cone.toml")
    assert all(getattr(image, each.name) <= getattr(ours, each.name) for each in fields(ours))
    read_upload_limits(ROOT / "deploy" / "narrow-cone.toml")


def test_an_own_file(own_file):
    own_file(
        '[models]\nallow = ["google-bert/*"]\nlocal_folders = false\n'
        "max_model_megabytes = 500\nmemory_megabytes = 900\n"
    )
    assert read_model_limits() == ModelLimits(("google-bert/*",), False, 500, 900)
    own_file("[uploads]\nfile_megabytes = 1\nrows = 7\n[memory]\nsessions = 7\n")
    assert read_upload_limits() == Limits(file_bytes=10**6, rows=7)
    assert read_memory_limits() == MemoryLimits(sessions=7)
    assert read_model_limits() == ModelLimits()


@for_each(
    ("text", "message"),
    [
        ("[model]\n", r"unknown entry `model`. Possible entries: `models`, `uploads`"),
        ("models = 1\n", r"Write \[models\] above its keys"),
        (
            "[models]\nalow = []\n",
            r"unknown entry `alow`. Possible entries: `allow`, `local_folders",
        ),
        ('[models]\nallow = "google-bert/*"\n', r"allow` .* must be a list of patterns"),
        ('[models]\nlocal_folders = "no"\n', r"local_folders` .* must be true or false"),
        ("[models]\nmax_model_megabytes = 0\n", r"is `0`. It must be a whole number"),
        ("[models]\nmemory_megabytes = 1.5\n", r"memory_megabytes` .* is `1.5`. It must be"),
        ("[models\n", r"is not a TOML file"),
        ("a = " + "[" * 100_000, r"is not a TOML file"),
        ("[uploads]\nfile_bytes = 1\n", "unknown entry `file_bytes`"),
        ("[uploads]\nrows = 0\n", "It must be a whole number above 0"),
        ("[uploads]\ntable_megabytes = 0.5\n", "It must be a whole number of megabytes above 0"),
    ],
)
def test_what_is_wrong_is_reported(own_file, text, message):
    path = own_file(text)
    with pytest.raises(OperatorFileError, match=message) as caught:
        (read_upload_limits if "uploads" in text else read_model_limits)()
    assert str(path) in str(caught.value)


def test_a_named_file_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("NARROW_CONE_CONFIG", str(tmp_path / "none.toml"))
    with pytest.raises(OperatorFileError, match=r"There is no file .*none\.toml"):
        read_model_limits()


def test_a_named_file_that_can_t_be_read(own_file, monkeypatch):
    own_file("")

    def fails(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", fails)
    with pytest.raises(OperatorFileError, match=r"own.toml` can't be read \(Permission denied\)"):
        read_model_limits()


REVISIONS = {  # whether an allowed name may be loaded at it
    None: True,
    "main": True,
    "v1.0": True,
    "release/2024": True,
    "refs/pr/7": False,
    "pr/7": False,
    "refs/heads/main": False,
    "refs%2Fpr%2F7": False,
    "main~1": False,
    "a" * 40: False,
    "0123abc": False,
    "": True,
}


@for_each("revision", REVISIONS)
def test_an_allowed_name_is_not_allowed_at_what_strangers_can_add_to_it(revision):
    limits = ModelLimits(allow=("google-bert/*",))
    ModelLimits().refuse_name("google-bert/bert", revision)  # without a list every name is allowed
    if REVISIONS[revision]:
        limits.refuse_name("google-bert/bert", revision)
        return
    with pytest.raises(ModelFilesError, check=lambda error: error.because == "other_revision"):
        limits.refuse_name("google-bert/bert", revision)
    ModelLimits(allow=(f"google-bert/*@{revision}",)).refuse_name("google-bert/bert", revision)
    with pytest.raises(ModelFilesError):
        ModelLimits(allow=(f"google-bert/*@{revision}",)).refuse_name("google-bert/bert", "main")


def test_names_are_matched_by_pattern():
    limits = ModelLimits(allow=("google-bert/*", "openai-community/gpt2"))
    limits.refuse_name("google-bert/bert")
    limits.refuse_name("openai-community/gpt2")
    for name in ("google-bert2/bert", "openai-community/gpt2-xl", "Google-BERT/bert"):
        with pytest.raises(ModelFilesError, match="the operator allows `google-bert/"):
            limits.refuse_name(name)


def test_folders_of_this_machine(tmp_path):
    folder = str(save_tiny_bert(tmp_path))
    load_encoder(
        folder, limits=ModelLimits(allow=("google-bert/*",))
    )  # the list applies only to names on the Hub
    for name in (folder, "/no/such/folder"):  # the same answer whether the folder exists or not
        with pytest.raises(ModelFilesError, check=lambda error: error.because == "no_folders"):
            load_encoder(name, limits=ModelLimits(local_folders=False))


def test_a_folder_that_is_too_large(tmp_path):
    folder = save_tiny_bert(tmp_path)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text('"' + "x" * 1_000_000 + '"', encoding="utf-8")
    with pytest.raises(ModelFilesError, match="1 MB", check=lambda e: e.code == "too_large"):
        load_encoder(str(folder), limits=ModelLimits(max_model_megabytes=1))


def test_the_shipped_file_states_the_limits_of_uploads():
    assert read_upload_limits(DEFAULT_FILE) == Limits() == LIMITS
    text = DEFAULT_FILE.read_text(encoding="utf-8")
    for field in fields(Limits):
        assert f"\n{field.name.replace('_bytes', '_megabytes')} = " in text
