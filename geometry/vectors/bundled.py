"""Word vectors that come with the project; ``assets/vectors/glove/README.md`` has their origin."""

import io
import zipfile

import numpy as np

from ..data.embeddings import VectorReport, VectorTable
from ..shipped import shipped_file
from .errors import VectorFileError

BUNDLED_VECTORS = ("glove",)
GLOVE_FILE = "vectors/glove/glove-6b-100d-40000.npz"


def read_bundled_vectors(name: str = "glove") -> VectorTable:
    """Word vectors that come with the project, offline.

    "glove": GloVe 6B, 100 numbers a word, the first 40,000 words, most frequent first: (40000, 100)
    float32, read-only, widened from float16. A row differs from GloVe's own by 2.9e-4 of its length
    at most. The package that they were taken from left out words of one letter, numbers, 's, n't
    and words with accents, so a row is close to the word's frequency rank, and not equal to it.

    References
    ----------
    Pennington, Socher, Manning 2014, "GloVe: Global Vectors for Word Representation"; 6 billion
    words of Wikipedia 2014 and Gigaword 5. Public domain (PDDL 1.0).
    """
    if name not in BUNDLED_VECTORS:
        raise VectorFileError("unknown_bundled", name=name, names=BUNDLED_VECTORS)
    file = shipped_file(GLOVE_FILE)
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
            words = tuple(arrays["words"].tolist())
            vectors = arrays["vectors"].astype(np.float32)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise VectorFileError("changed_bundled", file=file.name) from error
    vectors.flags.writeable = False
    return VectorTable(vectors, words, "GloVe 6B", VectorReport("npz", n_rows=len(words)))
