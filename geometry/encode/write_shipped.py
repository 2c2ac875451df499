"""Writes the vectors of the bundled corpora, which ``shipped_vectors`` reads.

    python -m geometry.encode.write_shipped

encodes the corpora and writes the files again. Run it after a change of a corpus, of the bundled
model or of ``CODE_VERSION``; a test fails until then.
"""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import numpy as np

from ..data.corpus import read_bundled
from ..data.write import write as write_file
from .cloud import counts_key, piece_frequencies, type_averages, type_averages_key
from .disk_cache import key_of
from .load import load_encoder
from .shipped_vectors import FOLDER, INDEX

# the pictures of the page layers, and the means of the first ladder on sentence_similarity
_MEANS = tuple((layer, "mean") for layer in range(7))
# layer and pooling of the presets of narrow_cone, where other pages begin too
_PICTURES = ((5, "cls"), (4, "max"), *_MEANS)
# the rungs of the ladder on sentence_similarity, for its first choices
_LADDER = ((5, "cls"), *_MEANS)
CLOUDS = {"topics": _PICTURES, "topics-zh": _PICTURES, "pairs": _LADDER}  # clouds by corpus


def write_shipped(folder: Path = FOLDER) -> None:
    """Encode the corpora and write every file of the folder again, but for its README."""
    encoder = load_encoder("bundled", device="cpu")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.npy"):
        old.unlink()
    index = {}

    def write(key: str, file: str, array: np.ndarray) -> None:
        out = io.BytesIO()
        np.save(out, array, allow_pickle=False)
        write_file(folder / file, out.getvalue())
        sha256 = hashlib.sha256(out.getvalue()).hexdigest()
        index[key] = {"file": file, "sha256": sha256}

    for name, clouds in CLOUDS.items():
        corpus = read_bundled(name)
        vectors = encoder.encode_layers(corpus.texts, poolings=sorted({p for _, p in clouds}))
        for layer, pooling in clouds:
            key = key_of(encoder, corpus, "sentences", layer, pooling)
            write(key, f"{name}-layer-{layer}-{pooling}.npy", vectors[pooling][layer])
        counts = piece_frequencies(encoder, corpus.texts)
        write(counts_key(encoder, corpus), f"{name}-counts.npy", counts)
        if name == "pairs":
            averages = type_averages(encoder, corpus.texts)
            write(type_averages_key(encoder, corpus), f"{name}-type-averages.npy", averages)
    write_file(folder / INDEX, (json.dumps(index, indent=2) + "\n").encode())


if __name__ == "__main__":
    write_shipped()
