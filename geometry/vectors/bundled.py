"""Word vectors that come with the project; ``assets/vectors/glove/README.md`` has their origin."""

import hashlib
import io
import zipfile

import numpy as np

from ..data.embeddings import VectorReport, VectorTable
from ..shipped import shipped_file
from .errors import VectorFileError

BUNDLED_VECTORS = ("glove",)
GLOVE_FILE = "vectors/glove/glove-6b-100d-40000.npz"
# of the vectors as little-endian float16, row by row, and of the words in UTF-8, one a line
VECTORS_SHA256 = "ee497de440b0228bf80a1c1305d8188fdbafc24626774dba38f9d30cee44f96f"
WORDS_SHA256 = "062a664fb437e45618f15a958d4750bf1f936e50cd96a1e485fd577dcceab062"


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
            words, halves = arrays["words"], arrays["vectors"]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise VectorFileError("changed_bundled", file=file.name) from error
    parts = (halves.astype("<f2").tobytes(), "\n".join(words.tolist()).encode())
    if [hashlib.sha256(each).hexdigest() for each in parts] != [VECTORS_SHA256, WORDS_SHA256]:
        raise VectorFileError("changed_bundled", file=file.name)
    vectors = halves.astype(np.float32)
    vectors.flags.writeable = False
    report = VectorReport("npz", n_rows=len(words))
    return VectorTable(vectors, tuple(words.tolist()), "GloVe 6B", report)
