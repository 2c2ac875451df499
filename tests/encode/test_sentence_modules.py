"""A loaded SentenceTransformer at each of its modules, against the encoder and its diagnosis."""

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Pooling

from geometry import Whitening, diagnose, load_encoder, read_bundled
from geometry.encode import module_vectors
from geometry.export import ExportError, whitened
from geometry.hub.bundled import bundled_folder
from tests.for_each import for_each

pytestmark = pytest.mark.model

CORPUS = read_bundled("topics")
TEXTS = CORPUS.texts[::24]
CLOSE = 1e-5


@pytest.fixture(scope="module")
def model():
    """all-MiniLM-L6-v2: Transformer, Pooling (mean), Normalize."""
    return SentenceTransformer(str(bundled_folder()), device="cpu")


@pytest.fixture(scope="module")
def pooled():
    return load_encoder().encode(TEXTS)


def test_each_module_gives_the_encoder_s_vectors(model, pooled):
    unit = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
    for module, expected in ((0, pooled), (1, pooled), (2, unit), (-1, unit), (-2, pooled)):
        found = module_vectors(model, TEXTS, module=module)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, atol=CLOSE)
    np.testing.assert_array_equal(module_vectors(model, TEXTS), model.encode(list(TEXTS)))
    assert len(model) == 3


def test_prompts_and_other_poolings_are_the_model_s_own(model):
    torch.manual_seed(0)
    own = SentenceTransformer(
        modules=[model[0], Pooling(384, pooling_mode="cls"), Dense(384, 16), model[2]],
        device="cpu",
        prompts={"short": "about: "},
        default_prompt_name="short",
    )
    encoder = load_encoder()
    prompted = [f"about: {text}" for text in TEXTS]
    cls = encoder.encode(prompted, pooling="cls")
    np.testing.assert_allclose(module_vectors(own, TEXTS, module=1), cls, atol=CLOSE)
    mean = encoder.encode(prompted)
    np.testing.assert_allclose(module_vectors(own, TEXTS, module=0), mean, atol=CLOSE)
    assert module_vectors(own, TEXTS, module=2).shape == (len(TEXTS), 16)


@for_each("module", [3, -4])
def test_a_module_that_is_not_there_is_refused_with_those_that_are(model, module):
    with pytest.raises(ValueError, match="0 Transformer, 1 Pooling, 2 Normalize"):
        module_vectors(model, TEXTS, module=module)


@pytest.mark.slow
def test_a_diagnosis_of_a_model_is_that_of_its_vectors(model, pooled):
    labels = CORPUS.labels[::24]
    by_model = diagnose(model, TEXTS, labels=labels, module=0, about={"model": "mine"})
    by_vectors = diagnose(module_vectors(model, TEXTS, module=1), texts=TEXTS, labels=labels)
    assert by_model.about == {"module": "0 Transformer", "model": "mine"}
    assert by_model.trial == by_vectors.trial
    assert by_model.texts_sha256 == by_vectors.texts_sha256


def test_a_model_needs_texts_and_a_module_needs_a_model(model, pooled):
    with pytest.raises(ValueError, match=r"diagnose\(model, texts\)"):
        diagnose(model)
    with pytest.raises(ValueError, match="module is for a SentenceTransformer"):
        diagnose(pooled, module=1)


@for_each(("module", "kind"), [(1, "pca"), (-1, "zca")])
def test_a_whitened_model_encodes_the_whitened_vectors(model, module, kind):
    vectors = module_vectors(model, TEXTS, module=module)
    n_components = 64 if kind == "pca" else None
    whitening = Whitening(kind, shrinkage="ledoit-wolf", n_components=n_components).fit(vectors)
    new = CORPUS.texts[5:45]  # texts of which most are in no fit
    ours = whitening.transform(module_vectors(model, new, module=module))
    before = model.encode(list(new))
    white = whitened(model, whitening, module=module)
    theirs = white.encode(list(new))
    lengths = np.linalg.norm(ours, axis=1, keepdims=True)
    assert (np.abs(theirs - ours) / lengths).max() < CLOSE
    assert type(white[-1]).__name__ == "Dense"
    unit = whitened(model, whitening, module=module, normalize=True).encode(list(new))
    np.testing.assert_allclose(unit, ours / lengths, atol=CLOSE)
    np.testing.assert_array_equal(model.encode(list(new)), before)  # it is as it was


def test_a_transform_of_other_vectors_is_refused(model, pooled):
    with pytest.raises(ExportError, match="50 numbers, and the encoder's have 384"):
        whitened(model, Whitening(shrinkage=0.1).fit(pooled[:, :50]))
