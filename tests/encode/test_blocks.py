"""Encoding by blocks gives the same vectors; a killed run loses at most one block."""

import errno
import json
import os

import numpy as np
import pytest

from geometry import load_encoder
from geometry.encode.blocks import JOURNAL, encode_to_files
from tests.encode.tiny_encoder import DIMENSION, N_LAYERS, save_tiny_bert

WORDS = ("the", "cat", "dog", "bird", "sat", "ran", "sang", "old", "red", "rain", "tree")
TEXTS = tuple(f"the {a} {b} ." for a in WORDS for b in WORDS)  # 121: blocks of 50, 50 and 21
POOLINGS = ("cls", "mean")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return load_encoder(str(save_tiny_bert(tmp_path_factory.mktemp("tiny"))))


class Counted:
    """An encoder that counts the texts it reads, and fails at one block."""

    def __init__(self, encoder, *, dies_at=None):
        self._encoder, self.read, self.calls, self._dies_at = encoder, 0, 0, dies_at

    def __getattr__(self, name):
        return getattr(self._encoder, name)

    def encode_layers(self, texts, **settings):
        self.calls += 1
        if self.calls == self._dies_at:
            raise KeyboardInterrupt
        self.read += len(texts)
        return self._encoder.encode_layers(texts, **settings)


def encode(encoder, folder, **settings):
    return encode_to_files(encoder, TEXTS, folder, **{"block_rows": 50, **settings})


@pytest.mark.parametrize(
    ("texts", "settings", "error", "message"),
    [
        (TEXTS, {"block_rows": 0}, ValueError, "block_rows must be 1 or more; got 0"),
        ((), {}, ValueError, "no texts"),
        (TEXTS, {"poolings": ()}, ValueError, "no pooling is named; choose from cls, mean"),
        (TEXTS, {"poolings": ("median",)}, ValueError, "pooling must be one of"),
        (TEXTS, {"poolings": ("mean", "own")}, ValueError, "of its last layer"),
        (["a", 3], {}, TypeError, "text 1 is int, not str"),
        ("the cat", {}, TypeError, "got one string"),
        (["a", "b \ud800"], {}, ValueError, r"\b2 .*\(U\+D800\)"),
    ],
)
def test_what_can_t_be_encoded_is_reported_before_a_file_is_made(
    encoder, tmp_path, texts, settings, error, message
):
    with pytest.raises(error, match=message):
        encode_to_files(encoder, texts, tmp_path / "files", **settings)
    assert not (tmp_path / "files").exists()


def test_the_files_contain_the_vectors_of_one_pass(encoder, tmp_path):
    files = encode(encoder, tmp_path / "blocks")
    whole = encoder.encode_layers(TEXTS, poolings=POOLINGS)
    assert set(files) == set(POOLINGS)
    for name in POOLINGS:
        assert isinstance(files[name], np.memmap)
        assert files[name].dtype == np.float32
        assert files[name].shape == (N_LAYERS + 1, len(TEXTS), DIMENSION)
        assert not files[name].flags.writeable
        np.testing.assert_allclose(files[name], whole[name], atol=1e-5)


def test_a_stopped_run_goes_on_at_the_block_where_it_stopped(encoder, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        encode(Counted(encoder, dies_at=2), tmp_path / "blocks")
    again = Counted(encoder)
    reports = []
    files = encode(again, tmp_path / "blocks", progress=lambda *of: reports.append(of))
    assert again.read == len(TEXTS) - 50
    assert reports[0] == (50, len(TEXTS))
    assert reports[-1] == (len(TEXTS), len(TEXTS))
    assert reports == sorted(reports)
    np.testing.assert_allclose(files["mean"][-1], encoder.encode(TEXTS), atol=1e-5)


@pytest.mark.parametrize("place", [130, -1])
def test_a_flipped_byte_costs_its_block_and_is_never_shown(encoder, tmp_path, place):
    good = {name: np.array(a) for name, a in encode(encoder, tmp_path / "blocks").items()}
    path = tmp_path / "blocks" / "mean.npy"
    content = bytearray(path.read_bytes())
    content[place] ^= 0x40
    path.write_bytes(content)
    again = Counted(encoder)
    files = encode(again, tmp_path / "blocks")
    assert again.calls == 1
    np.testing.assert_allclose(files["mean"], good["mean"], atol=1e-5)


@pytest.mark.parametrize("damage", ["cut", "missing", "no journal", "half a journal"])
def test_files_that_cannot_be_trusted_are_begun_anew(encoder, tmp_path, damage):
    folder = tmp_path / "blocks"
    encode(encoder, folder)
    if damage == "cut":
        os.truncate(folder / "cls.npy", 1000)
    elif damage == "missing":
        (folder / "cls.npy").unlink()
    elif damage == "no journal":
        (folder / JOURNAL).unlink()
    else:
        (folder / JOURNAL).write_text(json.dumps({"job": 1})[:-2])
    again = Counted(encoder)
    files = encode(again, folder)
    assert again.read == len(TEXTS)
    np.testing.assert_allclose(files["cls"][-1], encoder.encode(TEXTS, pooling="cls"), atol=1e-5)


def test_another_job_s_files_are_replaced(encoder, tmp_path):
    encode(encoder, tmp_path / "blocks")
    for settings in ({"poolings": ("max",)}, {"block_rows": 40}):
        again = Counted(encoder)
        files = encode(again, tmp_path / "blocks", **settings)
        assert again.read == len(TEXTS)
    np.testing.assert_allclose(files["mean"][-1], encoder.encode(TEXTS), atol=1e-5)
    files = encode_to_files(encoder, TEXTS[:7], tmp_path / "blocks")
    assert files["cls"].shape[1] == 7


def test_a_folder_with_other_files_is_left_alone(encoder, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match=r"has thesis\.txt"):
        encode(encoder, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_full_disk_is_reported_before_anything_is_encoded(encoder, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    counted = Counted(encoder)
    with pytest.raises(OSError, match="No space left"):
        encode(counted, tmp_path / "blocks")
    assert counted.calls == 0
