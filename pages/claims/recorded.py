"""The recorded results, which the page shows first for the bundled models and corpora.

    python -m pages.claims.recorded

tests every claim on them (some minutes) and writes assets/claims.json again. Run it after a change
of a test, of a corpus or of the pairs; ``tests/pages/claims`` fails until then.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import Any

from geometry import Corpus, Encoder, load_encoder, read_bundled
from geometry.claims import ClaimSubject, Number, Tested, results
from geometry.data import read_bundled_pairs
from geometry.data.pairs import pairs_for
from geometry.encode import ArrayStore
from geometry.shipped import shipped_file
from geometry.vectors import read_bundled_vectors
from pages.common.recorded import rounded, write_lines

FILE = shipped_file("claims.json")
DECIMALS = 6
RECORDED = (
    ("bundled", "", "topics"),
    ("bundled-e5", "query: ", "topics"),
    ("bundled-e5", "query: ", "topics-zh"),
)
ENGLISH = "pairs"


def subject_of(encoder: Encoder, corpus: Corpus, *, seed: int = 0) -> ClaimSubject:
    """A model and a corpus, with the bundled pairs and word vectors of the corpus' language."""
    name = pairs_for(corpus.texts)
    words = read_bundled_vectors() if name == ENGLISH else None
    return ClaimSubject(encoder, corpus, read_bundled_pairs(name), words, seed)


Results = Mapping[str, Tested | None]


@cache
def recorded() -> dict[str, Results]:
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        place: {key: each and _tested(each) for key, each in found.items()}
        for place, found in stored.items()
    }


def place_of(encoder: Encoder, corpus: Corpus) -> str:
    """Names a model and a corpus in the file. Labels have numbers, because they are translated."""
    labels = ("", *(corpus.labels or ()))  # claims take "" as no label
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    rows = [numbers[label] for label in labels]
    return f"{encoder.content_key[:16]} {ArrayStore.key(corpus.sha256, rows)[:16]}"


def _tested(stored: dict[str, Any]) -> Tested:
    numbers = {
        name: {key: Number(**each) for key, each in stored[name].items()}
        for name in ("values", "control")
    }
    return Tested(**stored | numbers)


def measured(name: str, prefix: str, corpus: str) -> tuple[str, dict[str, Any]]:
    encoder = load_encoder(name, prefix=prefix, device="cpu")
    texts = read_bundled(corpus)
    found = {
        claim.key: tested and rounded(asdict(tested), DECIMALS)
        for claim, tested in results(subject_of(encoder, texts))
    }
    return place_of(encoder, texts), found


if __name__ == "__main__":
    write_lines(FILE, dict(measured(*each) for each in RECORDED))
