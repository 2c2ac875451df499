"""What the encoder's arguments mean where they could mean two things."""

import numpy as np
import pytest

from geometry import evaluate_encoder, load_encoder
from geometry.data.pairs import Pairs
from geometry.encode import encode_to_files
from tests.encode.tiny_encoder import save_tiny_bert

TEXTS = ["the cat sat", "a dog ran", "rain"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return load_encoder(save_tiny_bert(tmp_path_factory.mktemp("model")))


def test_a_bare_pooling_is_one_pooling(encoder, tmp_path):
    listed = encoder.encode_layers(TEXTS, poolings=("mean",))
    bare = encoder.encode_layers(TEXTS, poolings="mean")
    assert list(bare) == ["mean"]
    np.testing.assert_array_equal(bare["mean"], listed["mean"])
    files = encode_to_files(encoder, TEXTS, tmp_path / "files", poolings="mean")
    np.testing.assert_array_equal(files["mean"], listed["mean"])
    pairs = Pairs("own", tuple(TEXTS), (*TEXTS[1:], TEXTS[0]), [1, 2, 3])
    grid = evaluate_encoder(encoder, pairs, poolings="cls", treatments="centred", draws=2)
    assert (grid.poolings, grid.treatments) == (("cls",), ("centred",))
    with pytest.raises(ValueError, match=r"pooling must be one of .*; got 'median'"):
        encoder.encode_layers(TEXTS, poolings="median")


def test_no_pooling_at_all_is_told(encoder):
    with pytest.raises(ValueError, match="no pooling is named; choose from cls, mean, max"):
        encoder.encode_layers(TEXTS, poolings=())


@pytest.mark.parametrize(
    "call", ["encode", "encode_layers", "encode_tokens", "coverage", "tokenize"]
)
def test_half_of_a_surrogate_pair_is_told_by_its_text(encoder, call):
    with pytest.raises(ValueError, match=r"text 1 holds half of a surrogate pair \(U\+DC80 at 4\)"):
        getattr(encoder, call)(["the cat", "the \udc80"])


def test_a_pooling_named_twice_is_computed_once(encoder):
    assert list(encoder.encode_layers(TEXTS, poolings=("mean", "cls", "mean"))) == ["mean", "cls"]


@pytest.mark.parametrize("layer", [(1, 2), "first-last", (0, 1, 2)])
def test_tokens_have_one_layer(encoder, layer):
    for call in (encoder.layer_index, lambda one: encoder.encode_tokens(TEXTS, layer=one)):
        with pytest.raises(
            ValueError, match=r"layer must be one layer here, and .* is the average"
        ):
            call(layer)


def test_a_tuple_of_one_is_one_layer(encoder):
    one, same = (encoder.encode_tokens(TEXTS, layer=layer).vectors for layer in (1, (1,)))
    np.testing.assert_array_equal(one, same)
    with pytest.raises(ValueError, match="layer 9 does not exist"):
        encoder.encode_tokens(TEXTS, layer=9)
