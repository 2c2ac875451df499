"""A model's first pass: which models are refused when they are loaded, and which are read."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from geometry import ModelFilesError, load_encoder
from geometry.encode import architecture
from tests.encode.test_architectures import TEXTS
from tests.encode.tiny_models import OTHERS, save_tiny

LONG_TEXT = " ".join(["the old cat sat on a red mat ."] * 5)


def refused(folder: Path) -> ModelFilesError:
    with pytest.raises(ModelFilesError) as caught:
        load_encoder(folder).encode(["cat"])
    error = caught.value
    assert error.code == "wrong_architecture"
    assert f"`{folder}` is not a text encoder that can be read here" in str(error)
    assert str(error).endswith(".")
    return error


def with_settings(folder: Path, **changed: object) -> Path:
    """A tiny BERT whose config.json disagrees with its weights."""
    save_tiny(folder, "bert")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | changed), encoding="utf-8")
    return folder


@pytest.mark.parametrize("kind", OTHERS)
def test_the_batch_never_changes_a_vector_of_others(tmp_path, kind):
    encoder = load_encoder(save_tiny(tmp_path, kind))
    texts = [*TEXTS, LONG_TEXT]  # LONG_TEXT is long enough for BigBird's sparse blocks
    alone = np.concatenate([encoder.encode_layers([text])["mean"] for text in texts], axis=1)
    assert np.abs(encoder.encode_layers(texts)["mean"] - alone).max() <= 1e-5


@pytest.mark.parametrize("kind", ["fnet", "convbert", "yoso"])
def test_a_model_whose_vectors_depend_on_the_batch_is_refused(tmp_path, kind):
    error = refused(save_tiny(tmp_path, kind))
    assert error.because == "mixes"
    assert error.details["architecture"] == kind
    assert "depend on what else is in the batch, from layer 1 on" in str(error)


def test_a_state_of_another_width_is_refused(tmp_path):
    error = refused(save_tiny(tmp_path, "opt"))
    assert error.because == "misshapen"
    assert "3 hidden states of 8 numbers a token, but its `config.json` states 3 of 16" in str(
        error
    )


@pytest.mark.parametrize("changed", [{"hidden_size": 32}, {"vocab_size": 10}])
def test_settings_at_odds_with_the_weights_are_reported_by_the_weight(tmp_path, changed):
    error = refused(with_settings(tmp_path, **changed))
    assert error.because == "mismatched"
    assert "`embeddings." in str(error)
    assert "another size" in str(error)


@pytest.mark.parametrize("changed", [{"hidden_act": "zzz"}, {"num_attention_heads": 3}])
def test_settings_that_no_model_can_be_made_of_are_reported(tmp_path, changed):
    error = refused(with_settings(tmp_path, **changed))
    assert error.because == "failed"
    assert "its first pass ended in an error (`" in str(error)
    assert "\n" not in str(error)


def test_a_tokenizer_of_another_model_is_reported(tmp_path):
    folder = save_tiny(tmp_path, "bert")
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["model"]["vocab"]["cat"] = 20  # the weights have only 20 rows
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    error = refused(folder)
    assert error.because == "foreign_tokenizer"
    assert "its tokenizer gives token number 20, but its weights have 20 tokens" in str(error)
    load_encoder(folder).encode(["dog"])  # its token has a row


def test_weights_that_are_no_numbers_are_refused(tmp_path):
    from safetensors.torch import load_file, save_file

    folder = save_tiny(tmp_path, "bert")
    weights = load_file(folder / "model.safetensors")
    weights["embeddings.LayerNorm.bias"][3] = torch.nan
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert refused(folder).because == "mixes"


@pytest.mark.parametrize("error", [MemoryError(), OSError(28, "No space left on device")])
def test_a_full_machine_is_not_the_model_s_fault(tmp_path, monkeypatch, error):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr(architecture, "TransformerStates", fails)
    with pytest.raises(type(error), check=lambda error: error is error):
        load_encoder(save_tiny(tmp_path, "bert")).encode(["cat"])
