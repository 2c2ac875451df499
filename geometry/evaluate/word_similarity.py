"""A table of word vectors on a word-similarity set, told with its coverage."""

from __future__ import annotations

from dataclasses import dataclass

from ..data.embeddings import VectorTable
from ..data.pairs import Pairs
from ..linalg.moments import Moments
from ..vectors.word_pairs import word_pair_vectors
from .pair_score import evaluate_pairs
from .scores import PairScore


@dataclass(frozen=True)
class WordPairScore:
    """What a table scores on pairs of words.

    name : of the set.   score : over the pairs that have both words, ``score.n``.   n_pairs : of
    the set.   missing : the words that the table lacks, each once.
    """

    name: str
    score: PairScore
    n_pairs: int
    missing: tuple[str, ...]

    @property
    def coverage(self) -> float:
        """Share in [0, 1] of the pairs that have both words."""
        return self.score.n / self.n_pairs


def evaluate_word_pairs(
    table: VectorTable,
    pairs: Pairs,
    *,
    similarity: str = "cosine",
    draws: int = 1000,
    seed: int = 0,
) -> WordPairScore:
    """Spearman of the words' similarities against people's scores, over the pairs that are known.

    Words are looked up as they stand, else in any case; nothing is treated. Mahalanobis distances
    are under the covariance of the table's own vectors.   pairs : as of ``read_word_pairs``.
    Raises ValueError where fewer than 3 pairs have both words, and as ``evaluate_pairs`` does.
    """
    found = word_pair_vectors(pairs, table)
    precision = Moments.of(table.vectors) if similarity == "mahalanobis" else None
    score = evaluate_pairs(
        found.left,
        found.right,
        found.gold_scores,
        similarity=similarity,
        precision=precision,
        draws=draws,
        seed=seed,
    )
    return WordPairScore(pairs.name, score, len(pairs), found.missing)
