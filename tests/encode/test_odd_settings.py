"""A folder whose settings are damaged in any way is read, or refused as ModelFilesError."""

import copy
import json
import random
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from geometry import ModelFilesError, load_encoder
from geometry.data.limits import Limits
from tests.encode.tiny_encoder import DIMENSION, save_tiny_bert

ODD = (None, True, -1, 0, 1e308, float("nan"), "x", "", [], [1], {}, {"a": 1}, 10**6, "²", [["x"]])
ODD += (-(10**30), 3.5)
KIND = "sentence_transformers.models."


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A tiny model with an output of its own."""
    folder = save_tiny_bert(tmp_path_factory.mktemp("whole"))
    steps = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Dense", "Dense")]
    modules = [{"path": path, "type": KIND + kind} for path, kind in steps]
    settings = {
        "modules.json": modules,
        "1_Pooling/config.json": {"pooling_mode_mean_tokens": True, "pooling_mode": "mean"},
        "2_Dense/config.json": {"in_features": DIMENSION, "out_features": 4, "bias": True},
        "sentence_bert_config.json": {"max_seq_length": 12, "do_lower_case": False},
        "config_sentence_transformers.json": {"prompts": {}, "default_prompt_name": None},
    }
    for path, content in settings.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(json.dumps(content), encoding="utf-8")
    weights = {"linear.weight": torch.ones(4, DIMENSION), "linear.bias": torch.ones(4)}
    save_file(weights, folder / "2_Dense/model.safetensors")
    return folder


def damaged(value: object, draw: random.Random) -> object:
    """The settings with one value replaced or left out, at any depth."""
    value = copy.deepcopy(value)
    if not isinstance(value, (dict, list)) or not value or draw.random() < 0.1:
        return draw.choice(ODD)
    place = draw.choice(list(value) if isinstance(value, dict) else range(len(value)))
    if draw.random() < 0.1:
        del value[place]
    elif isinstance(value[place], (dict, list)) and draw.random() < 0.5:
        value[place] = damaged(value[place], draw)
    else:
        value[place] = draw.choice(ODD)
    return value


def use(folder: Path) -> None:
    """All that pages do with a model."""
    encoder = load_encoder(folder, trial=False)
    assert encoder.memory_bytes > 0
    encoder.read_files()
    encoder.encode_layers(["the cat sat", "dog"])
    encoder.encode_tokens(["the cat"])
    encoder.type_embeddings()
    if "own" in encoder.poolings:
        assert encoder.encode(["the cat"], pooling="own").shape[0] == 1


def outcomes(whole: Path, folder: Path, *, n: int, seed: int) -> tuple[int, int]:
    """(read, refused) of n damaged copies; any other error is raised."""
    draw = random.Random(seed)
    paths = sorted(path.relative_to(whole) for path in whole.rglob("*.json"))
    n_read = 0
    for _ in range(n):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder)
        path = folder / draw.choice(paths)
        content = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(damaged(content, draw)), encoding="utf-8")
        try:
            use(folder)
            n_read += 1
        except ModelFilesError:
            continue
        except BaseException as error:
            raise AssertionError(f"{path.name}: {path.read_text()[:500]}") from error
    return n_read, n - n_read


@pytest.mark.parametrize(
    ("n", "seed"), [(40, 1), *(pytest.param(250, n, marks=pytest.mark.long) for n in (2, 3, 4, 5))]
)
def test_damaged_settings_are_read_or_refused(whole, tmp_path, n, seed):
    assert all(outcomes(whole, tmp_path / "copy", n=n, seed=seed))


@pytest.mark.parametrize("file", ["config.json", "modules.json", "tokenizer.json", "1_Pooling"])
@pytest.mark.parametrize("content", ["[" * 100_000, "\0", "9" * 5_000, "\ud800", ""])
def test_files_that_are_no_settings_are_refused(whole, tmp_path, file, content):
    folder = shutil.copytree(whole, tmp_path / "copy")
    path = folder / file if file.endswith(".json") else folder / file / "config.json"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    try:
        use(folder)
        assert file == "1_Pooling"  # the model then only lacks its own output
    except ModelFilesError:
        assert path.is_file()


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 100_000,
        b'{"a": {"dtype": "F32", "shape": [1000000000], "data_offsets": [0, 0]}}',
        b'{"a": {"dtype": "F32", "shape": ["x"], "data_offsets": [0, 0]}}',
        b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0]}}',
        b'{"a": 3}',
        b"[]",
    ],
)
def test_headers_of_weights_that_promise_too_much_are_refused(whole, tmp_path, header):
    folder = shutil.copytree(whole, tmp_path / "copy")
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(ModelFilesError, check=lambda error: error.code == "half_downloaded"):
        load_encoder(folder)


@pytest.mark.parametrize("prefix", ["", "_"])
def test_code_that_config_json_names_is_not_used(tmp_path, prefix):
    folder = save_tiny_bert(tmp_path)
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    names = ("attn_implementation", "experts_implementation")
    config |= {f"{prefix}{name}": "owner/kernel" for name in names}
    config |= {"auto_map": {"AutoModel": "evil.Model"}}
    path.write_text(json.dumps(config), encoding="utf-8")
    encoder = load_encoder(folder, trial=False)
    encoder.read_files()
    assert encoder._model._model.config._attn_implementation in ("sdpa", "eager")


@pytest.mark.parametrize(("name", "most"), [("MOST_LAYERS", 1), ("LIMITS", Limits(dimensions=15))])
def test_any_number_of_layers_and_any_width_are_refused(tmp_path, monkeypatch, name, most):
    from geometry.encode import encoder

    monkeypatch.setattr(encoder, name, most)
    with pytest.raises(ModelFilesError, match="has 2 layers and vectors of 16 numbers") as caught:
        load_encoder(save_tiny_bert(tmp_path))
    assert caught.value.because == "too_wide"


@pytest.mark.parametrize("limit", ["SETTINGS_LIMIT", "TOKENIZER_LIMIT"])
def test_a_file_of_settings_that_is_too_large_is_not_parsed(tmp_path, monkeypatch, limit):
    from geometry.hub import model_files

    folder = save_tiny_bert(tmp_path)
    monkeypatch.setattr(model_files, limit, 100)
    with pytest.raises(ModelFilesError, match="more than 100 bytes"):
        load_encoder(folder)
