"""Local folders: which files count, and errors for missing and truncated ones."""

import json
import shutil

import pytest

from geometry import ModelFilesError, load_encoder
from geometry.errors import readable_bytes
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


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("tokenizer_config.json", "[]", "contains a list instead of named settings"),
        ("tokenizer_config.json", '{"model_max_length": "big"}', "`big` as the longest text"),
        ("sentence_bert_config.json", '"x"', "contains a str instead of named settings"),
        ("modules.json", '[{"a": 1}]', "is not a list of steps"),
        ("modules.json", '{"a": 1}', "is not a list of steps"),
        ("modules.json", "[3]", "is not a list of steps"),
    ],
)
def test_settings_of_a_wrong_type_are_reported(folder, file, content, message):
    (folder / file).write_text(content, encoding="utf-8")
    with pytest.raises(ModelFilesError, match=message) as caught:
        load_encoder(folder)
    assert caught.value.code == "unreadable"
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize("kind", [["x"], {"x": 1}, 3, None])
def test_a_model_type_that_is_no_word_is_an_unknown_one(folder, kind):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"model_type": kind}), encoding="utf-8")
    error = refused(folder)
    assert error.code == "wrong_architecture"
    assert f"(model type: {kind})" in str(error)


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


def test_a_pointer_where_weights_should_be(folder):
    """A git clone without LFS contains such a pointer file."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 90868376\n"
    (folder / WEIGHTS).write_text(pointer, encoding="utf-8")
    assert refused(folder).code == "half_downloaded"


@pytest.mark.parametrize("content", [b"", b'{"hidden_size"', b"\xff\xfe"])
def test_a_config_that_is_cut(folder, content):
    (folder / "config.json").write_bytes(content)
    error = refused(folder)
    assert (error.code, error.details["file"]) == ("half_downloaded", "config.json")


def test_a_config_of_something_else(folder):
    (folder / "config.json").write_text("[1]", encoding="utf-8")
    assert refused(folder).code == "wrong_architecture"


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


@pytest.mark.parametrize(
    ("size", "text"),
    [(437_955_512, "438 MB"), (2_100_000_000, "2,100 MB"), (12_340, "12 kB"), (999, "999 bytes")],
)
def test_bytes_as_a_reader_writes_them(size, text):
    assert readable_bytes(size) == text
    assert readable_bytes(1_540_000, decimals=1) == "1.5 MB"


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
    with pytest.raises(ModelFilesError, match="own code is never run") as caught:
        check_folder(folder, name="own")
    assert caught.value.code == "wrong_architecture"
