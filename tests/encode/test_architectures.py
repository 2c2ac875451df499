"""Every architecture against its model, which is run by hand on one text at a time."""

import json
import shutil
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers import AutoModel

from geometry import ModelFilesError, load_encoder
from geometry.encode import architecture
from geometry.encode import encoder as encode
from geometry.encode.architecture import MOST_TOKENS, read_architecture
from geometry.encode.layers import LAYER_SETS
from geometry.encode.pool import POOLINGS
from tests.encode.test_pool import by_loop
from tests.encode.tiny_models import (
    BUILDERS,
    DIMENSION,
    N_LAYERS,
    OTHERS,
    POSITIONS,
    SPECIAL,
    WORDS,
    save_tiny,
    template,
)
from tests.for_each import for_each

TEXTS = ["the old cat sat under a red tree .", "rain", "dog ran", "a bird sang", "the mat .", "cat"]
SIDES = ("right", "left")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = {}

    def folder(kind: str, side: str = "right") -> Path:
        if (kind, side) not in made:
            made[kind, side] = save_tiny(tmp_path_factory.mktemp(kind), kind, padding_side=side)
        return made[kind, side]

    return folder


@pytest.fixture(scope="module")
def encoders(folders):
    """encoders(kind, side): a shared encoder, for tests that do not change it."""
    return cache(lambda kind, side="right": load_encoder(str(folders(kind, side))))


@pytest.fixture(scope="module")
def alone(folders):
    """alone(kind): ``by_hand`` of TEXTS."""
    return cache(lambda kind: by_hand(folders(kind), kind, TEXTS))


def by_hand(folder: Path, kind: str, texts: list[str]) -> list[torch.Tensor]:
    """Hidden states (n_layers + 1, L, d) of each text, run alone by transformers itself."""
    model = AutoModel.from_pretrained(folder).eval()
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    ids = {word: i for i, word in enumerate((*SPECIAL, *WORDS))}
    states = []
    for text in texts:
        words = template(kind).replace("$A", text).split()
        with torch.no_grad():
            row = torch.tensor([[ids[word] for word in words]])
            states.append(torch.cat(model(row, output_hidden_states=True).hidden_states))
    return states


@for_each("kind", BUILDERS)
def test_what_is_read_of_each_and_its_special_tokens(encoders, kind):
    encoder = encoders(kind)
    assert (encoder.n_layers, encoder.dimension) == (N_LAYERS, DIMENSION)
    # T5 has relative positions. Llama's stated length exceeds MOST_TOKENS.
    assert encoder.max_tokens == (MOST_TOKENS if kind in ("t5", "llama") else POSITIONS)
    around = tuple(template(kind).replace("$A", " ").split())
    assert encoder.special_tokens == around


@pytest.mark.parametrize(
    ("kind", "side"), [*product(BUILDERS, SIDES), *((kind, "right") for kind in OTHERS)]
)
def test_every_layer_and_pooling_is_the_loop_over_the_text_alone(
    encoders, alone, kind, side, monkeypatch
):
    monkeypatch.setattr(encode, "TOKENS_PER_BATCH", 24)  # batches mix long and short texts
    every = encoders(kind, side).encode_layers(TEXTS, poolings=tuple(POOLINGS))
    for name in POOLINGS:
        assert every[name].shape == (N_LAYERS + 1, len(TEXTS), DIMENSION)
        for row, states in enumerate(alone(kind)):
            expected = by_loop(name, states, torch.ones(states.shape[:2]))
            np.testing.assert_allclose(every[name][:, row], expected, atol=1e-4, rtol=1e-5)


@for_each("kind", BUILDERS)
def test_tokens_and_types(folders, encoders, alone, kind):
    encoder = encoders(kind)
    tokens = encoder.encode_tokens(TEXTS, layer=1)
    assert list(tokens.tokens) == " ".join(TEXTS).split()
    before = template(kind).split().index("$A")
    expected = [
        states[1, before : before + len(text.split())]
        for states, text in zip(alone(kind), TEXTS, strict=True)
    ]
    np.testing.assert_allclose(tokens.vectors, torch.cat(expected), atol=1e-4, rtol=1e-5)
    table = encoder.type_embeddings()
    assert table.words == (*SPECIAL, *WORDS)
    own = AutoModel.from_pretrained(folders(kind)).get_input_embeddings().weight.detach()
    np.testing.assert_array_equal(table.vectors, own)


@for_each("kind", ["gpt2", "llama", "modernbert", "t5"])
def test_the_last_row_is_normalised_and_the_row_before_is_not(encoders, kind):
    """Normalised rows have equal lengths, because the gains of an untrained model are equal."""

    def spread(layer: int) -> float:
        lengths = np.linalg.norm(encoders(kind).encode_tokens(TEXTS, layer=layer).vectors, axis=1)
        return lengths.std() / lengths.mean()

    assert spread(-1) < 1e-3 < 1e-2 < spread(-2)


def test_without_onednn_s_packed_layers_the_states_are_the_same(folders, encoders, monkeypatch):
    packed = encoders("bert").encode(TEXTS)
    monkeypatch.setattr(torch.ops, "mkldnn", SimpleNamespace())
    plain = load_encoder(str(folders("bert")))
    np.testing.assert_allclose(plain.encode(TEXTS), packed, atol=1e-5)
    layers = {type(each).__name__ for each in plain._model._model.modules()}
    assert "Linear" in layers
    assert "PackedLinear" not in layers


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_of_an_encoder_decoder_only_the_encoder_is_in_memory(folders, kind, monkeypatch):
    built = []
    monkeypatch.setattr(architecture, "speed_up_linear_layers", built.append)
    load_encoder(str(folders(kind))).encode(["cat"])
    held = sum(parameter.numel() for parameter in built[0].parameters())
    whole = AutoModel.from_pretrained(folders(kind))
    assert held == sum(parameter.numel() for parameter in whole.get_encoder().parameters())
    assert held < sum(parameter.numel() for parameter in whole.parameters()) / 2


@for_each("kind", BUILDERS)
def test_without_special_tokens(encoders, alone, kind):
    encoder = encoders(kind)
    before = template(kind).split().index("$A")
    every = encoder.encode_layers(TEXTS, poolings=tuple(POOLINGS), special_tokens=False)
    for row, states in enumerate(alone(kind)):
        ordinary = states[:, before : before + len(TEXTS[row].split())]
        for pooling in every.keys() - {"cls"}:
            expected = by_loop(pooling, ordinary, torch.ones(ordinary.shape[:2]))
            np.testing.assert_allclose(every[pooling][:, row], expected, atol=1e-4, rtol=1e-5)
        np.testing.assert_allclose(every["cls"][:, row], states[:, 0], atol=1e-4, rtol=1e-5)
    for pooling in ("mean", "last"):
        single = encoder.encode(TEXTS, layer=1, pooling=pooling, special_tokens=False)
        np.testing.assert_array_equal(single, every[pooling][1])


@for_each("reader", ["encode", "encode_layers"])
def test_a_text_of_special_tokens_only_is_named(encoders, reader):
    read = getattr(encoders("bert"), reader)
    read(["cat", "", "dog"])
    with pytest.raises(ValueError, match="Text 2 has special tokens only"):
        read(["cat", "", "dog"], special_tokens=False)


@for_each(("name", "same"), [("first-last", (1, -1)), ("last-2", (-2, -1)), ("last-2", (1, 2))])
def test_a_set_of_layers_by_its_name(encoders, name, same):
    encoder = encoders("roberta")
    every = encoder.encode_layers(TEXTS)["mean"]
    named = encoder.encode(TEXTS, layer=name)
    np.testing.assert_array_equal(named, encoder.encode(TEXTS, layer=same))
    np.testing.assert_allclose(named, (every[same[0]] + every[same[1]]) / 2, atol=1e-6)


def test_a_set_that_the_model_is_too_shallow_for(encoders):
    encoder = encoders("roberta")
    with pytest.raises(ValueError, match=r"'last-3' needs 3 transformer layers; .* has 2"):
        encoder.encode(TEXTS, layer="last-3")
    with pytest.raises(ValueError, match="first-last, last-2, last-3, last-4; got 'middle'"):
        encoder.encode(TEXTS, layer="middle")
    assert set(LAYER_SETS) == {"first-last", "last-2", "last-3", "last-4"}


@for_each("layer", [1.0, (0, 1.5), [0, 1], None, True, ("last-2",)])
def test_a_layer_that_is_no_number_is_refused(encoders, layer):
    encoder = encoders("roberta")
    with pytest.raises(TypeError, match="must be a whole number, a tuple of them, or one") as said:
        encoder.encode(TEXTS, layer=layer)
    assert str(said.value).endswith(f"first-last, last-2, last-3, last-4; got {layer!r}")
    np.testing.assert_array_equal(
        encoder.encode(TEXTS, layer=np.int64(1)), encoder.encode(TEXTS, layer=1)
    )


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1}, 512),
        ({"model_type": "mpnet", "max_position_embeddings": 514}, 512),
        ({"model_type": "bert", "max_position_embeddings": 512}, 512),
        ({"model_type": "gpt2", "n_positions": 1024}, 1024),
        ({"model_type": "t5", "n_positions": 512}, MOST_TOKENS),
        ({"model_type": "llama", "max_position_embeddings": 131072}, MOST_TOKENS),
        ({"model_type": "xlnet", "max_position_embeddings": -1}, MOST_TOKENS),
    ],
)
def test_how_many_tokens_are_read(tmp_path, settings, expected):
    config = {"num_hidden_layers": 2, "hidden_size": 8} | settings
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert read_architecture(tmp_path, name="tiny").max_tokens == expected
    (tmp_path / "tokenizer_config.json").write_text('{"model_max_length": 1e30}', encoding="utf-8")
    assert read_architecture(tmp_path, name="tiny").max_tokens == expected
    (tmp_path / "tokenizer_config.json").write_text('{"model_max_length": 77}', encoding="utf-8")
    assert read_architecture(tmp_path, name="tiny").max_tokens == 77


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "vit", "num_hidden_layers": 2, "hidden_size": 8, "image_size": 224},
        {"model_type": "whisper", "encoder_layers": 2, "d_model": 8, "num_mel_bins": 80},
        {"model_type": "wav2vec2", "num_hidden_layers": 2, "hidden_size": 8, "conv_dim": [8]},
        {"model_type": "clip", "text_config": {}, "vision_config": {}},
        {"model_type": "resnet"},
    ],
)
def test_a_model_of_something_else_is_refused(tmp_path, config):
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ModelFilesError, check=lambda e: e.code == "wrong_architecture"):
        read_architecture(tmp_path, name="other")


def test_weights_of_another_model_are_refused(folders, tmp_path):
    """transformers would fill missing weights with random numbers."""
    shutil.copytree(folders("bert"), tmp_path, dirs_exist_ok=True)
    shutil.copy(folders("gpt2") / "model.safetensors", tmp_path)
    with pytest.raises(ModelFilesError, check=lambda e: e.because == "mismatched"):
        load_encoder(str(tmp_path)).encode(["cat"])


def test_texts_are_put_in_lower_case_where_the_settings_ask(folders, tmp_path):
    shutil.copytree(folders("bert"), tmp_path, dirs_exist_ok=True)
    assert load_encoder(str(tmp_path)).coverage(["The CAT"]).unknown == 2
    (tmp_path / "sentence_bert_config.json").write_text('{"do_lower_case": true}', encoding="utf-8")
    assert load_encoder(str(tmp_path)).coverage(["The CAT"]).unknown == 0
