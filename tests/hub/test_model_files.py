"""Local folders: which files count, and errors for missing and truncated ones."""

import json
import shutil

import pytest

from geometry import ModelFilesError, load_encoder
from geometry.hub.model_files import check_folder, needed_files, weight_files
from tests.encode.tiny_encoder import save_tiny_bert

WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return save_tiny_bert(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def folder(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "copy")


def refused(folder):
    with pytest.raises(ModelFilesError) as caught:
        load_encoder(str(folder))
    error = caught.value
    assert error.details["name"] == str(folder)
    assert str(folder) in str(error)
    return error


@pytest.mark.parametrize(
    ("file", "code"), [("config.json", "missing_folder"), ("tokenizer.json", "slow_tokenizer")]
)
def test_a_file_that_is_missing(folder, file, code):
    (folder / file).unlink()
    error = refused(folder)
    assert (error.code, error.details.get("file", file)) == (code, file)
    assert f" `{file}`" in str(error)


def test_the_remedy_names_the_new_folder_for_what_it_has(folder):
    (folder / "tokenizer.json").unlink()
    assert ".save('copy-fast')" in refused(folder).details["command"]
    (folder / WEIGHTS).rename(folder / "pytorch_model.bin")
    assert ".save('copy-safetensors')" in refused(folder).details["command"]


def test_no_weights_at_all(folder):
    (folder / WEIGHTS).unlink()
    error = refused(folder)
    assert (error.code, error.details["file"]) == ("missing_folder_file", WEIGHTS)


@pytest.mark.parametrize("n_bytes", [0, 4, 100, -1])
def test_weights_that_are_cut(folder, n_bytes):
    content = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(content[:n_bytes])
    error = refused(folder)
    assert (error.code, error.details["file"]) == ("half_downloaded", WEIGHTS)
    assert f"is incomplete: `{WEIGHTS}` (its {len(content[:n_bytes]):,} bytes" in str(error)


@pytest.mark.parametrize("content", [b"", b'{"hidden_size"', b"\xff\xfe"])
def test_a_config_that_is_cut(folder, content):
    (folder / "config.json").write_bytes(content)
    error = refused(folder)
    assert (error.code, error.details["file"]) == ("half_downloaded", "config.json")


def test_a_path_that_leads_elsewhere_is_not_needed():
    paths = ["config.json", "../config.json", "1_Pooling/../../config.json", "/config.json"]
    assert needed_files(paths) == ["config.json"]


def test_weights_come_last_and_one_file_before_shards():
    shards = ["model-00002-of-00002.safetensors", "model-00001-of-00002.safetensors"]
    others = ["tokenizer.json", "config.json", "model.safetensors.index.json"]
    assert needed_files([*shards, *others])[-2:] == sorted(shards)
    assert weight_files(
        [*shards, WEIGHTS, "2_Dense/model.safetensors", "model.fp16.safetensors"]
    ) == [
        WEIGHTS,
        "2_Dense/model.safetensors",
    ]


def test_static_models_of_another_kind_are_refused_in_words(tmp_path):
    """Without a config.json, only averaged word vectors can be read."""
    (tmp_path / "0_StaticEmbedding").mkdir()
    (tmp_path / "0_StaticEmbedding" / "model.safetensors").write_bytes(b"")
    (tmp_path / "modules.json").write_text("[]")
    with pytest.raises(ModelFilesError, match=r"has no `config\.json`"):
        check_folder(tmp_path, name="static")


def test_a_model_that_needs_its_own_code_is_refused_by_its_settings(tmp_path):
    folder = save_tiny_bert(tmp_path / "own")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "homemade", "auto_map": {"AutoModel": "homemade.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelFilesError, check=lambda error: error.because == "own_code"):
        check_folder(folder, name="own")
