"""The output that a folder defines, and static word vectors, against sentence-transformers."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import (
    CNN,
    Dense,
    Dropout,
    LayerNorm,
    Normalize,
    Pooling,
    Transformer,
    WordEmbeddings,
)
from sentence_transformers.sentence_transformer.modules.tokenizer import WhitespaceTokenizer

from geometry import ModelFilesError, load_encoder
from geometry.data.limits import LIMITS
from geometry.encode.errors import TextError
from geometry.encode.own_output import MODES
from geometry.encode.pool import POOLINGS
from geometry.hub import ModelLimits
from geometry.hub.bundled import bundled_folder
from tests.encode.tiny_encoder import save_tiny_bert
from tests.encode.tiny_models import DIMENSION, save_tiny

TEXTS = ["the old cat sat under a red tree .", "rain", "dog ran", "a bird sang", "the mat .", "cat"]
EVERY_MODE = tuple(MODES)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return save_tiny(tmp_path_factory.mktemp("plain"), "bert")


@pytest.fixture
def saved(plain, tmp_path):
    """save(*modules after the model): the folder, written by sentence-transformers."""

    def save(*modules: torch.nn.Module, model: Path = plain) -> Path:
        torch.manual_seed(0)
        first = Transformer(str(model))
        SentenceTransformer(modules=[first, *modules], device="cpu").save(str(tmp_path / "saved"))
        return tmp_path / "saved"

    return save


def assert_own(folder: Path, dimension: int) -> None:
    encoder = load_encoder(str(folder))
    assert encoder.poolings == (*POOLINGS, "own")
    ours = encoder.encode(TEXTS, pooling="own")
    theirs = SentenceTransformer(str(folder), device="cpu").encode(TEXTS)
    assert ours.shape == theirs.shape == (len(TEXTS), dimension)
    assert ours.dtype == np.float32
    assert np.abs(ours - theirs).max() <= 1e-5


def test_flags_of_older_folders(saved):
    folder = saved(Pooling(DIMENSION))
    flags = {flag: True for flag, _ in MODES.values()} | {"word_embedding_dimension": DIMENSION}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(flags), encoding="utf-8")
    assert_own(folder, DIMENSION * len(EVERY_MODE))


def dense(width: int, **settings: object) -> tuple[torch.nn.Module, ...]:
    return Pooling(DIMENSION), Dense(DIMENSION, width, **settings)


@pytest.mark.parametrize(
    ("steps", "width"),
    [
        ((Pooling(DIMENSION, EVERY_MODE[::-1]),), DIMENSION * len(EVERY_MODE)),
        (dense(9, bias=False, activation_function=torch.nn.Identity()), 9),
        (dense(9, activation_function=torch.nn.GELU()), 9),
        (dense(9, use_residual=True), 9),
        (dense(DIMENSION, use_residual=True), DIMENSION),
        ((*dense(12), LayerNorm(12), Dropout(0.5), Dense(12, 5), Normalize()), 5),
    ],
)
def test_steps_after_the_model(saved, steps, width):
    assert_own(saved(*steps), width)


def test_an_output_that_is_too_wide_is_not_offered(saved):
    folder = saved(Pooling(DIMENSION), Dense(DIMENSION, LIMITS.dimensions + 1))
    with pytest.raises(ValueError, match="an output of 4097 numbers"):
        load_encoder(str(folder)).encode(TEXTS, pooling="own")


def test_on_another_architecture(saved, tmp_path):
    model = save_tiny(tmp_path / "model", "t5")
    assert_own(saved(Pooling(DIMENSION, "weightedmean"), Dense(DIMENSION, 7), model=model), 7)


def test_a_folder_without_modules_offers_none(plain):
    encoder = load_encoder(str(plain))
    assert encoder.poolings == tuple(POOLINGS)
    with pytest.raises(ValueError, match=r"has no `modules\.json`"):
        encoder.encode(TEXTS, pooling="own")


def changed(folder: Path, path: str, **changes: object) -> Path:
    """The folder with other values in one of its files of settings."""
    settings = json.loads((folder / path).read_text(encoding="utf-8"))
    (folder / path).write_text(json.dumps(settings | changes), encoding="utf-8")
    return folder


def of_another_package(folder: Path) -> Path:
    path = folder / "modules.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r'"sentence_transformers[^"]*Normalize"', '"mine.Normalize"', text))
    return folder


def as_pickle(folder: Path) -> Path:
    weights = folder / "2_Dense" / "model.safetensors"
    weights.rename(weights.with_name("pytorch_model.bin"))
    return folder


TWICE = {"pooling_mode": ["mean"] * 2}
PROMPT = {"prompts": {"query": "the cat "}, "default_prompt_name": "query"}
UNUSABLE = [
    ((CNN(DIMENSION, 4), Pooling(12)), None, r"not supported here \(`CNN`\)"),
    ((Pooling(DIMENSION), Normalize()), of_another_package, "`mine.Normalize`"),
    ((Pooling(DIMENSION), Dense(DIMENSION, 7)), as_pickle, r"no weights as \.safetensors"),
    (
        (Pooling(DIMENSION),),
        lambda folder: changed(folder, "1_Pooling/config.json", **TWICE),
        "`pooling mean`",
    ),
    (
        (Pooling(DIMENSION),),
        lambda folder: changed(folder, "config_sentence_transformers.json", **PROMPT),
        "a prompt before every text",
    ),
]


@pytest.mark.parametrize(("modules", "change", "message"), UNUSABLE)
def test_an_output_that_can_t_be_computed_as_it_is_meant_is_not_offered(
    saved, modules, change, message
):
    folder = saved(*modules)
    encoder = load_encoder(str(folder if change is None else change(folder)))
    assert encoder.poolings == tuple(POOLINGS)
    with pytest.raises(ValueError, match=message):
        encoder.encode(TEXTS, pooling="own")
    assert encoder.encode(TEXTS).shape == (len(TEXTS), DIMENSION)


def test_an_operator_s_limit_is_that_of_the_widest_output(saved):
    folder = str(saved(Pooling(DIMENSION, ("mean", "max"))))
    load_encoder(folder, limits=ModelLimits(dimensions=2 * DIMENSION))
    with pytest.raises(ModelFilesError, match="raise `dimensions`"):
        load_encoder(folder, limits=ModelLimits(dimensions=2 * DIMENSION - 1))


# The output has half as many numbers; two arguments are needed; images are needed.
@pytest.mark.parametrize("function", ["GLU", "CrossEntropyLoss", "Softmax2d"])
def test_a_function_that_fits_no_vector_is_refused_when_it_is_read(saved, function):
    folder = saved(Pooling(DIMENSION), Dense(DIMENSION, 8))
    changed(folder, "2_Dense/config.json", activation_function=f"torch.nn.{function}")
    with pytest.raises(ModelFilesError, check=lambda error: error.because == "broken"):
        _ = load_encoder(str(folder))._own_steps


def test_it_is_of_the_last_layer_and_takes_special_tokens_as_they_are(saved):
    encoder = load_encoder(str(saved(Pooling(DIMENSION))))
    same = encoder.encode(TEXTS, pooling="own")
    np.testing.assert_array_equal(encoder.encode(TEXTS, pooling="own", layer=2), same)
    for choice in ({"layer": 0}, {"layer": (1, -1)}, {"special_tokens": False}):
        with pytest.raises(ValueError, match="of the last layer"):
            encoder.encode(TEXTS, pooling="own", **choice)
    with pytest.raises(ValueError, match=r'last layer, and .* encode\(texts, pooling="own"\)'):
        encoder.encode_layers(TEXTS, poolings=("own",))


@pytest.mark.model
def test_the_bundled_model_has_its_own():
    texts = [*TEXTS, "A plane is taking off."]
    ours = load_encoder().encode(texts, pooling="own")
    theirs = SentenceTransformer(str(bundled_folder()), device="cpu").encode(texts)
    assert np.abs(ours - theirs).max() <= 1e-5


VOCABULARY = ["PADDING_TOKEN", "cat", "dog", "Cat", "sat", "mat", "don't", "red", "the"]
WORD_TEXTS = ["The cat sat, on the mat!", "Cat DOG dog-dog 'red'", "don't sat...", "(cat)", "dog"]


@pytest.fixture
def word_folder(tmp_path):
    """save(limit, lower): static word vectors, written by sentence-transformers."""

    def save(limit: int = 1_000_000, lower: bool = False) -> Path:
        weights = np.random.default_rng(0).standard_normal((len(VOCABULARY), 6), dtype=np.float32)
        tokenizer = WhitespaceTokenizer(VOCABULARY, stop_words=["the", "on"], do_lower_case=lower)
        words = WordEmbeddings(tokenizer, weights, max_seq_length=limit)
        steps = [words, Pooling(6), Normalize()]
        SentenceTransformer(modules=steps, device="cpu").save(str(tmp_path / "words"))
        return tmp_path / "words"

    return save


@pytest.mark.parametrize(("limit", "lower"), [(1_000_000, False), (2, True)])
def test_word_vectors_are_an_encoder_of_no_layers(word_folder, limit, lower):
    folder = word_folder(limit, lower)
    encoder = load_encoder(str(folder))
    assert (encoder.n_layers, encoder.dimension, encoder.max_tokens) == (0, 6, limit)
    peer = SentenceTransformer(str(folder), device="cpu")
    theirs = peer.encode(WORD_TEXTS)
    assert np.abs(encoder.encode(WORD_TEXTS, pooling="own") - theirs).max() <= 1e-5
    ours = encoder.encode(WORD_TEXTS)
    unit = ours / np.linalg.norm(ours, axis=1, keepdims=True)
    assert np.abs(unit - theirs).max() <= 1e-5
    assert encoder.encode_layers(WORD_TEXTS)["mean"].shape == (1, len(WORD_TEXTS), 6)
    for text, pieces in zip(WORD_TEXTS, encoder.tokenize(WORD_TEXTS), strict=True):
        ids = peer[0].tokenizer.tokenize(text)[:limit]
        assert pieces == [VOCABULARY[i] for i in ids]


def test_a_prefix_of_word_vectors_is_a_prompt(word_folder):
    folder = word_folder(4)
    encoder = load_encoder(str(folder), prefix="cat xyz ")
    theirs = SentenceTransformer(str(folder), device="cpu").encode(WORD_TEXTS, prompt="cat xyz ")
    assert np.abs(encoder.encode(WORD_TEXTS, pooling="own") - theirs).max() <= 1e-5
    plain = load_encoder(str(word_folder(3)))
    assert encoder.tokenize(WORD_TEXTS) == plain.tokenize(WORD_TEXTS)
    assert encoder.encode_tokens(WORD_TEXTS).tokens == plain.encode_tokens(WORD_TEXTS).tokens
    ours, expected = encoder.coverage(WORD_TEXTS), plain.coverage(WORD_TEXTS)
    assert (ours.tokens, ours.truncated) == (expected.tokens, expected.truncated)


def test_words_that_are_not_there_are_counted_and_left_out(word_folder):
    encoder = load_encoder(str(word_folder()))
    coverage = encoder.coverage(["The zebra sat on the cat .", "xyz dog"])
    assert (coverage.tokens, coverage.unknown, coverage.truncated) == (5, 2, 0)
    assert (coverage.unknown_token, encoder.special_tokens) == ("", ())
    np.testing.assert_array_equal(
        encoder.encode(["zebra cat xyz"]), encoder.encode(["cat"], special_tokens=False)
    )
    with pytest.raises(TextError) as caught:
        encoder.encode(["cat", "zebra the", "xyz"])
    assert (caught.value.code, caught.value.details["row"]) == ("no_known_words", 2)
    assert encoder.tokenize(["zebra"]) == [[]]


def test_tokens_and_types_of_word_vectors(word_folder):
    encoder = load_encoder(str(word_folder()))
    table = encoder.type_embeddings()
    assert table.words == tuple(VOCABULARY)
    tokens = encoder.encode_tokens(WORD_TEXTS)
    expected = [table.vectors[VOCABULARY.index(word)] for word in tokens.tokens]
    np.testing.assert_array_equal(tokens.vectors, expected)
    table.vectors[:] = 0
    assert np.abs(encoder.type_embeddings().vectors).max() > 0


@pytest.mark.parametrize("missing", ["whitespacetokenizer_config.json", "model.safetensors"])
def test_word_vectors_without_a_file(word_folder, missing):
    folder = word_folder()
    (folder / missing).unlink()
    with pytest.raises(ModelFilesError, match=missing):
        load_encoder(str(folder))


@pytest.mark.parametrize("path", ["/etc", "../elsewhere", "1_Pooling/../../up"])
def test_modules_outside_the_folder_are_never_read(tmp_path, path):
    folder = save_tiny_bert(tmp_path / "model")
    modules = [
        {"path": "", "type": "sentence_transformers.models.Transformer"},
        {"path": path, "type": "sentence_transformers.models.Pooling"},
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ValueError, match="only folders of its own"):
        load_encoder(str(folder)).encode(["the cat"], pooling="own")
    modules[0] = {"path": path, "type": "sentence_transformers.models.WordEmbeddings"}
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelFilesError, match="only folders of its own"):
        load_encoder(str(folder))
