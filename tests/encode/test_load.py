"""load_encoder: empty names, paths, revisions, and devices that do not exist."""

from pathlib import Path

import pytest

from geometry import ModelFilesError, load_encoder
from geometry.encode.load import names_a_folder
from tests.encode.tiny_encoder import save_tiny_bert
from tests.for_each import for_each


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny_bert(tmp_path_factory.mktemp("tiny"))


def refused(name):
    with pytest.raises(ModelFilesError) as caught:
        load_encoder(name)
    return caught.value


def test_a_path_is_a_folder_s_name(folder, tmp_path, monkeypatch):
    encoder = load_encoder(folder)
    assert (encoder.name, encoder.revision) == (str(folder), None)
    assert encoder.fingerprint == load_encoder(str(folder)).fingerprint
    monkeypatch.chdir(folder.parent)
    assert load_encoder(Path(folder.name)).name == folder.name
    # as strings they name the bundled model and a model of the Hub
    for name in ("bundled", "owner/model"):
        assert refused(Path(name)).code == "missing_folder"


def test_a_revision_of_what_has_none_is_not_passed_over(folder):
    for name in (folder, str(folder)):
        with pytest.raises(ValueError, match=f"^the folder {folder} has no revisions; got .*='v9'"):
            load_encoder(name, revision="v9")
    with pytest.raises(ValueError, match="the bundled encoder has no revisions"):
        load_encoder(revision="v9")


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name_is_not_the_working_directory(folder, name, monkeypatch):
    monkeypatch.chdir(folder)
    error = refused(name)
    assert error.code == "empty_name"
    assert "The name of the model is empty. Give `bundled`, a folder" in str(error)
    assert not names_a_folder(name)


@for_each("name", ["./no-folder", "/no/such/folder", "~nobody-of-that-name/x"])
def test_a_missing_folder_is_not_looked_up_on_the_hub(name):
    error = refused(name)
    assert (error.code, error.details["name"]) == ("missing_folder", name)
    assert f"No model can be read at `{name}`. Check the path" in str(error)
    assert "hub" not in str(error)


def test_a_path_s_refusal_does_not_show_what_is_there(folder, tmp_path):
    (tmp_path / "closed").mkdir(mode=0)
    places = [folder / "model.safetensors", tmp_path, tmp_path / "closed", tmp_path / "none", "/"]
    places += [folder / "config.json" / "x", tmp_path / ("a" * 300), str(tmp_path / "a") + "\0"]
    said = {str(refused(str(place))).replace(str(place), "…") for place in places}
    assert len({text[:60] for text in said}) == 1
    assert {error.code for error in map(refused, map(str, places))} == {"missing_folder"}


@for_each("device", ["gpu", "cuda:99", "meta", "", 0.5])
def test_a_device_that_is_not_there_is_reported_at_once(folder, device):
    with pytest.raises(ValueError, match="none that torch can use on this machine") as caught:
        load_encoder(folder, device=device)
    assert f"device {device!r} is" in str(caught.value)
    assert "Choose one of cpu" in str(caught.value)
    with pytest.raises(ValueError, match="none that torch can use"):
        load_encoder(device=device)
