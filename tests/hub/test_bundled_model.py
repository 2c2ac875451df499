"""The bundled encoder: its files, its shapes, sentence-transformers' vectors, no network."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from geometry import ModelFilesError, load_encoder, read_bundled
from geometry.encode.tokenizer import Coverage
from geometry.hub import bundled

pytestmark = pytest.mark.model

ROOT = Path(__file__).resolve().parents[2]
OFFLINE = """
import socket
def refuse(*args, **kwargs):
    raise AssertionError("the network was asked for")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = socket.create_connection = refuse
from geometry import load_encoder
print(load_encoder().encode(["no network at all"]).shape)
"""


@pytest.fixture(scope="module")
def encoder():
    return load_encoder()


def test_the_files_are_the_published_ones():
    folder = bundled.bundled_folder()
    assert (folder / "model.safetensors").stat().st_size == 90_868_376
    found = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("model.safetensors", "tokenizer.json")
    }
    assert found == bundled.SHA256


def test_unknown_tokens_are_counted(encoder):
    assert encoder.coverage(["music " * 300, "short"]) == Coverage(2, 1, 256, 301, 0, "[UNK]")
    assert encoder.special_tokens == encoder._reader.special_tokens == ("[CLS]", "[SEP]")
    english = encoder.coverage(read_bundled("topics").texts)
    assert (english.truncated, english.unknown) == (0, 0)
    # With this share the page must state that the points are [UNK].
    assert encoder.coverage(read_bundled("topics-zh").texts).unknown_share > 0.05


def test_no_network_is_touched(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE],
        cwd=ROOT,
        env=os.environ | {"HF_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "(1, 384)"


@pytest.mark.parametrize("name", list(bundled.SHA256))
def test_one_flipped_bit_of_the_real_files_is_refused(tmp_path, monkeypatch, name):
    folder = bundled.bundled_folder()
    for path in folder.iterdir():
        if path.is_file():
            (tmp_path / path.name).symlink_to(path)
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(bundled, "bundled_folder", lambda: tmp_path)
    with pytest.raises(ModelFilesError, match=f"{name}` of the bundled encoder is not"):
        load_encoder().encode(["a text"])
