"""Writes the vectors of the bundled corpora, which ``disk_cache`` reads.

    python -m geometry.encode.write_shipped

encodes the corpora and writes the files again. Run it after a change of a corpus, of a bundled
model or of ``CODE_VERSION``; a test fails until then.
"""

import hashlib
import io
import json
from pathlib import Path

import numpy as np

from ..data.corpus import Corpus, read_bundled
from ..data.pairs import read_bundled_pairs
from ..data.write import write as write_file
from ..hub.bundled import BUNDLED, E5
from .cloud import counts_key, piece_frequencies, type_averages, type_averages_key
from .disk_cache import INDEX, SHIPPED, key_of
from .load import load_encoder

# the pictures of the page layers, and the means of the first ladder on sentence_similarity
_MEANS = tuple((layer, "mean") for layer in range(7))
_E5_PRESETS = ((9, "mean"), (12, "mean"))
CLOUDS = {  # layers and poolings by encoder and corpus
    # the presets of narrow_cone, where other pages begin too
    (BUNDLED, "topics"): ((5, "cls"), (4, "max"), *_MEANS),
    # the rungs of the ladder on sentence_similarity, for its first choices
    (BUNDLED, "pairs"): ((5, "cls"), *_MEANS),
    (E5, "topics"): _E5_PRESETS,
    (E5, "pairs"): _E5_PRESETS,
    (E5, "topics-zh"): tuple((layer, "mean") for layer in range(13)),
    (E5, "pairs-zh"): _E5_PRESETS,
}
# The vectors of [CLS] differ from each other by 3% of their length. float16 would round that.
EXACT = ("cls",)
FLAT = 1e-9  # variance of a direction without any, as a share of the widest


def corpus_of(name: str) -> Corpus:
    """A bundled corpus, or the sentences of the bundled Chinese pairs."""
    if name != "pairs-zh":
        return read_bundled(name)
    pairs = read_bundled_pairs(name)
    return Corpus(name, pairs.left + pairs.right)


def halved(X: np.ndarray) -> dict[str, np.ndarray]:
    """X (n, d) float32 as float16 rows, and the directions in which all rows have one place.

    The output of a LayerNorm lies in a hyperplane. Rounding moves the rows out of it, and a
    whitening would then amplify that noise.
    """
    flat = np.empty((0, X.shape[1]))
    if len(X) > X.shape[1]:
        values, V = np.linalg.eigh(np.cov(X.T.astype(np.float64), bias=True))
        flat = V[:, values < FLAT * values[-1]].T
    place = flat @ X.mean(axis=0, dtype=np.float64)
    return {"rows": X.astype(np.float16), "flat": flat, "place": place}


def write_shipped(folder: Path = SHIPPED) -> None:
    """Encode the corpora and write every file of the folder again, but for its README."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.np[yz]"):
        old.unlink()
    index = {}

    def write(key: str, stem: str, array: np.ndarray, *, is_halved: bool = False) -> None:
        out = io.BytesIO()
        if is_halved:
            file = f"{stem}.npz"
            np.savez(out, **halved(array))  # type: ignore[arg-type]
        else:
            file = f"{stem}.npy"
            np.save(out, array, allow_pickle=False)
        write_file(folder / file, out.getvalue())
        sha256 = hashlib.sha256(out.getvalue()).hexdigest()
        index[key] = {"file": file, "sha256": sha256}

    for (model, name), clouds in CLOUDS.items():
        encoder = load_encoder(model, device="cpu")
        corpus = corpus_of(name)
        stem = name if model == BUNDLED else f"e5-{name}"
        vectors = encoder.encode_layers(corpus.texts, poolings=sorted({p for _, p in clouds}))
        for layer, pooling in clouds:
            key = key_of(encoder, corpus, "sentences", layer, pooling)
            X = vectors[pooling][layer]
            write(key, f"{stem}-layer-{layer}-{pooling}", X, is_halved=pooling not in EXACT)
        counts = piece_frequencies(encoder, corpus.texts)
        write(counts_key(encoder, corpus), f"{stem}-counts", counts)
        if (model, name) == (BUNDLED, "pairs"):
            averages = type_averages(encoder, corpus.texts)
            key = type_averages_key(encoder, corpus)
            write(key, f"{stem}-type-averages", averages, is_halved=True)
    write_file(folder / INDEX, (json.dumps(index, indent=2) + "\n").encode())


if __name__ == "__main__":
    write_shipped()
