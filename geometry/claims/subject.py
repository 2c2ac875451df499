"""What claims are tested on: a model, a corpus and scored pairs, encoded once for all tests."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.corpus import Corpus
from ..data.embeddings import TokenEmbeddings, VectorTable
from ..data.pairs import Pairs
from ..diagnosis.diagnosis import MOST_UNKNOWN
from ..diagnosis.evidence import GainGrid, evidence
from ..encode.cloud import Cloud, read_cloud
from ..encode.encoder import Encoder
from ..evaluate.bootstrap import PairBootstrap, resamples_of
from ..linalg.rows import some_rows
from ..measure.frequency import sentence_means
from .claim import MissingEvidence

MOST_SENTENCES = 400  # of the corpus, a random sample of more
CURES = ("centred", "abtt:3", "pca:64:lw", "pca:lw")
POOLINGS = ("cls", "mean")


@dataclass(frozen=True, eq=False)
class ClaimSubject:
    """What claims are tested on; ``words`` are static vectors of the language's words."""

    encoder: Encoder
    corpus: Corpus
    pairs: Pairs
    words: VectorTable | None = None
    seed: int = 0

    @property
    def last(self) -> int:
        """The last layer; MissingEvidence for a model without layers above the input."""
        if self.encoder.n_layers < 1:
            raise MissingEvidence("layers")
        return self.encoder.n_layers

    @property
    def at_last(self) -> dict[str, str]:
        return {"layer": str(self.last)}

    @property
    def middle(self) -> int:
        return max(1, self.last // 2)

    @cached_property
    def sample(self) -> Corpus:
        """The sentences that are encoded."""
        if len(self.corpus) <= MOST_SENTENCES:
            return self.corpus
        return self.corpus.take(some_rows(len(self.corpus), MOST_SENTENCES, self.seed))

    # ---- tokens and sentences of the corpus ----

    @cached_property
    def knows_the_text(self) -> bool:
        """False if the model does not know more than a fifth of the word pieces."""
        texts = (*self.sample.texts, *self.pairs.sentences)
        return self.encoder.coverage(texts).unknown_share <= MOST_UNKNOWN

    @cached_property
    def every_token(self) -> tuple[TokenEmbeddings, ...]:
        """Tokens by layer, special ones too, from one pass."""
        self._read()
        return self.encoder.encode_token_layers(self.sample.texts, include_special=True)

    @cached_property
    def is_word(self) -> np.ndarray:
        """(N,) whether a token of ``every_token`` is no special one."""
        special = set(self.encoder.special_tokens)
        found = np.array([token not in special for token in self.every_token[0].tokens])
        if found.sum() < 2:
            raise MissingEvidence("rows")
        return found

    def _read(self) -> None:
        """MissingEvidence for texts that the model does not know."""
        if not self.knows_the_text:
            raise MissingEvidence("unknown_text")

    def tokens(self, layer: int) -> np.ndarray:
        """(n, d) contextual vectors of word pieces."""
        return self.every_token[layer].vectors[self.is_word]

    @cached_property
    def types(self) -> np.ndarray:
        """(n,) number of each token's word piece."""
        tokens = np.array(self.every_token[0].tokens)[self.is_word]
        return np.unique(tokens, return_inverse=True)[1]

    @cached_property
    def sentences(self) -> np.ndarray:
        """(n,) number of each token's sentence."""
        return self.every_token[0].sentence[self.is_word]

    @cached_property
    def pieces(self) -> Cloud:
        """Input embeddings of the word pieces that occur in the whole corpus, with counts."""
        self._read()
        return read_cloud(self.encoder, self.corpus, unit="types", max_points=4000, seed=self.seed)

    def pooled(self, layer: int) -> np.ndarray:
        """(n, d) means over the tokens of each sentence, without special ones."""
        ranks = np.zeros(len(self.sentences))
        return sentence_means(self.tokens(layer), self.sentences, ranks, without=0)

    @cached_property
    def labels(self) -> list[str]:
        """A label of every sentence that ``pooled`` has."""
        labels = self.sample.labels
        if labels is None or len(set(labels)) < 2 or not all(labels):
            raise MissingEvidence("labels")
        return [labels[row] for row in np.unique(self.sentences)]

    # ---- pairs ----

    @cached_property
    def of_pairs(self) -> dict[str, np.ndarray]:
        """{pooling: (layers, n, d)} of the different sentences of the pairs."""
        self._read()
        return self.encoder.encode_layers(self.pairs.sentences, poolings=POOLINGS)

    def paired(self, layer: int, pooling: str = "mean") -> np.ndarray:
        """(n, d) vectors of ``pairs.sentences``."""
        return self.of_pairs[pooling][layer]

    @cached_property
    def bootstrap(self) -> PairBootstrap:
        """Resamples of pairs; pairs that share sentences are drawn together."""
        return resamples_of(self.pairs, seed=self.seed)

    @cached_property
    def gains(self) -> GainGrid:
        """What cures add at a middle and the last layer, judged on held-out pairs."""
        left, right = self.pairs.rows
        return evidence(
            {(layer, "mean"): self.paired(layer) for layer in (self.middle, self.last)},
            task="pairs",
            texts=self.pairs.sentences,
            pairs=(left, right, self.pairs.gold_scores),
            cures=CURES,
            seed=self.seed,
        )
