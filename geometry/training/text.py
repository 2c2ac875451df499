"""A text as token numbers, with a vocabulary and tokens that never occur in it."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data.words import tokenizer_for, words_in
from ..errors import GeometryError

OTHER = "[other]"  # replaces every word outside the vocabulary
N_UNSEEN = 200
LEAST_TOKENS = 2_000
LEAST_WORDS = 20


class TrainingError(GeometryError):
    """A text or a setting that a model can't be trained with."""

    subject = "training"


def need_positive(**settings: float) -> None:
    """Raise a TrainingError unless each whole number is 1 or more, and each other one above 0."""
    for name, value in settings.items():
        least = 1 if isinstance(value, int) else math.ulp(0.0)
        if not least <= value < math.inf:
            raise TrainingError("not_positive", setting=name, value=value)


@dataclass(frozen=True)
class TrainingText:
    """A text as token numbers: words by falling frequency, then tokens that never occur."""

    #: tokens, sections: (n,) numbers of words, section after section, and the section of each
    tokens: np.ndarray
    sections: np.ndarray
    section_names: tuple[str, ...]
    words: tuple[str, ...]  #: of length v. Row i of an embedding matrix belongs to word i.
    counts: np.ndarray  #: (v,) how often each word occurs; 0 for the last ``n_unseen`` of them
    n_unseen: int
    tokenizer: str = "unicode"  #: as in ``training_text``

    @property
    def n_words(self) -> int:
        """Words that occur; the tokens that never occur come after them."""
        return len(self.words) - self.n_unseen

    def frequent(self, n: int = 500) -> np.ndarray:
        """The rows of the n most frequent words, at most half of those that occur."""
        return np.arange(min(n, self.n_words // 2))

    def rare(self, n: int = 500) -> np.ndarray:
        """The rows of the n rarest words that occur, at most half of them."""
        return np.arange(self.n_words - min(n, self.n_words // 2), self.n_words)

    def unseen(self) -> np.ndarray:
        """The rows of the tokens that never occur."""
        return np.arange(self.n_words, len(self.words))


def training_text(
    texts: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    *,
    vocabulary: int | None = None,
    n_unseen: int = N_UNSEEN,
    tokenizer: str | None = None,
) -> TrainingText:
    """A text as token numbers: lower-case words and single signs; TrainingError for too few.

    Parameters
    ----------
    texts : sequence of str, optional
        By default the reference manual that comes with Python (``pydoc_data.topics``), of which
        each topic is a section.
    labels : sequence of str, optional
        The section of each text; by default each text is one.
    vocabulary : int, optional
        Number of words, the most frequent ones; all others become one token. All by default.
    n_unseen : int >= 2, tokens that are added to the vocabulary and never occur
    tokenizer : str, optional
        One of ``geometry.data.words.TOKENIZERS``. None takes "characters" where Chinese or Japanese
        has no spaces between words, else "unicode".
    """
    if texts is None:
        from pydoc_data.topics import topics

        names = sorted(topics)
        texts, labels = [topics[name] for name in names], names
    elif labels is None:
        labels = [str(place) for place in range(1, len(texts) + 1)]
    tokenizer = tokenizer or tokenizer_for(texts)
    split = [words_in(text.lower(), tokenizer, signs=True) for text in texts]
    n = sum(map(len, split))
    counted = Counter(word for words in split for word in words)
    if n < LEAST_TOKENS or len(counted) < LEAST_WORDS:
        raise TrainingError(
            "too_short", n=n, limit=LEAST_TOKENS, n_words=len(counted), least=LEAST_WORDS
        )
    if vocabulary is not None and vocabulary > len(counted):
        raise TrainingError("too_few_words", n=len(counted), wanted_words=vocabulary)
    if vocabulary is not None and vocabulary < LEAST_WORDS:
        raise TrainingError("small_vocabulary", n=vocabulary, limit=LEAST_WORDS)
    if n_unseen < 2:
        raise TrainingError("few_unseen", n=n_unseen)
    # ties by the alphabet, so that one text gives one order
    ranked = sorted(counted, key=lambda word: (-counted[word], word))[:vocabulary]
    if len(ranked) < len(counted):
        counted[OTHER] = n - sum(counted[word] for word in ranked)
        ranked = sorted([*ranked, OTHER], key=lambda word: (-counted[word], word))
    number = {word: place for place, word in enumerate(ranked)}
    other = number.get(OTHER, 0)
    tokens = np.array([number.get(word, other) for words in split for word in words])
    section_names, of_text = np.unique(np.array(labels, dtype=object), return_inverse=True)
    sections = np.repeat(of_text, list(map(len, split)))
    unseen = tuple(f"[unseen {i + 1}]" for i in range(n_unseen))
    counts = np.array([*(counted[word] for word in ranked), *[0] * n_unseen])
    words = (*ranked, *unseen)
    return TrainingText(tokens, sections, tuple(section_names), words, counts, n_unseen, tokenizer)
