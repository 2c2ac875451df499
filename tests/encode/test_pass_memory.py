"""The longest text whose pass fits in memory, measured on short ones."""

import sys

import pytest

from geometry import load_encoder
from geometry.encode import encoder
from geometry.encode.architecture import TransformerStates, read_model
from geometry.encode.trial import COPIES, PASS_BYTES, SHORT_TEXT, longest_text
from tests.encode.tiny_models import DIMENSION, N_LAYERS, save_tiny


def measured(folder, kind):
    model = read_model(save_tiny(folder, kind), name="x", dtype="float32")
    return longest_text(TransformerStates(model, device="cpu", packed=kind != "mamba"))


@pytest.mark.parametrize("kind", ["t5", "mpnet"])
def test_attention_with_a_number_for_every_pair_of_tokens(tmp_path, kind):
    """Two heads of float32, and states of every layer."""
    n = measured(tmp_path, kind)
    taken = COPIES * 2 * 4 * n**2 + (N_LAYERS + 1) * DIMENSION * 4 * n
    assert taken == pytest.approx(PASS_BYTES, rel=1e-3)


@pytest.mark.parametrize("kind", ["bert", "llama", "mamba"])
def test_without_it_only_the_states_count(tmp_path, kind):
    n = measured(tmp_path, kind)
    assert n == pytest.approx(PASS_BYTES / ((N_LAYERS + 1) * DIMENSION * 4), rel=1e-3)


def test_without_torch_s_private_module_only_short_texts_are_read(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils._python_dispatch", None)
    assert measured(tmp_path, "bert") == SHORT_TEXT


def test_the_trial_lowers_the_longest_text(tmp_path, monkeypatch):
    mine = load_encoder(save_tiny(tmp_path, "t5"))
    assert mine.max_tokens == 8192
    monkeypatch.setattr(encoder, "longest_text", lambda _: 700)
    longest = mine.try_out(["."])
    monkeypatch.setattr(encoder, "try_model", lambda *_, **__: longest)
    mine = load_encoder(tmp_path)
    mine.read_files()
    assert mine.max_tokens == 700
    assert mine.coverage(["dog " * 5_000]).max_tokens == 700
