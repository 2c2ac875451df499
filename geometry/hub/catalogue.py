"""Suggested encoders. docs/models.md and the pages say what each shows about anisotropy.

Sizes, licences and formats are those of each model's page on huggingface.co. Three models offer
their weights only as pickle, which is never read: ``needs_conversion`` marks them. The error
"pickle_only" gives the command that converts them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .bundled import BUNDLED, E5, E5_NAME, E5_REPOSITORY, REPOSITORY

NOT_STATED = "not stated"


@dataclass(frozen=True)
class Suggestion:
    """A model of the hub.

    Attributes
    ----------
    name : str
    megabytes : int
        10^6 bytes of its weights in float32.
    licence : str
        As on its card, or "not stated".
    layers : int
        Transformer layers; 0 for static vectors.
    dimension : int
        d.
    language : str
        In English.
    needs_conversion : bool
        Whether the hub has its weights only as pickle, so that they must be converted first.
    is_contrastive : bool
        Whether its last layer was trained contrastively: pairs (or two dropout masks of a text)
        are drawn together and all other texts pushed apart. Classifiers and distilled models are
        not trained so.
    """

    name: str
    megabytes: int
    licence: str
    layers: int
    dimension: int
    language: str
    needs_conversion: bool = False
    is_contrastive: bool = False


def suggestions() -> tuple[Suggestion, ...]:
    """The models, from plain language models to those trained for similarity, then static ones."""
    return _SUGGESTIONS


def is_contrastive(name: str) -> bool:
    """Whether a model, by its encoder's or hub name, is known to be trained contrastively."""
    return name in _BUNDLED or any(
        model.name == name and model.is_contrastive for model in _SUGGESTIONS
    )


def default_prefix(name: str) -> str:
    """What the card of a model puts before texts to compare: "query: " for E5, else ""."""
    return "query: " if name == E5 or _E5.fullmatch(name) else ""


PREFIXES = ("query: ", "passage: ", "")  # of E5
_E5 = re.compile(r"intfloat/(multilingual-)?e5-(small|base|large)(-v2|-unsupervised)?")
# trained contrastively on about a billion pairs, according to their cards
_BUNDLED = (BUNDLED, REPOSITORY.partition("/")[2], REPOSITORY, E5, E5_NAME)

_SENTENCES = "sentence-transformers"
_BASE = (438, "apache-2.0", 12, 768, "English")
_SIMCSE = Suggestion(
    "", 438, NOT_STATED, 12, 768, "English", needs_conversion=True, is_contrastive=True
)

_SUGGESTIONS = (
    Suggestion("google-bert/bert-base-uncased", 440, "apache-2.0", 12, 768, "English"),
    Suggestion("google-bert/bert-base-cased", 436, "apache-2.0", 12, 768, "English"),
    Suggestion("google-bert/bert-base-chinese", 412, NOT_STATED, 12, 768, "Chinese"),
    Suggestion("FacebookAI/roberta-base", 499, "mit", 12, 768, "English"),
    Suggestion("openai-community/gpt2", 548, "mit", 12, 768, "English"),
    Suggestion(f"{_SENTENCES}/bert-base-nli-mean-tokens", *_BASE),
    replace(_SIMCSE, name="princeton-nlp/unsup-simcse-bert-base-uncased"),
    replace(_SIMCSE, name="princeton-nlp/sup-simcse-bert-base-uncased"),
    Suggestion(f"{_SENTENCES}/all-mpnet-base-v2", *_BASE, is_contrastive=True),
    Suggestion(E5_REPOSITORY, 471, "mit", 12, 384, "100 languages", is_contrastive=True),
    Suggestion(
        f"{_SENTENCES}/paraphrase-multilingual-MiniLM-L12-v2",
        *(471, "apache-2.0", 12, 384, "50 languages"),
    ),
    Suggestion(
        f"{_SENTENCES}/average_word_embeddings_glove.6B.300d",
        *(480, "apache-2.0", 0, 300, "English"),
        needs_conversion=True,
    ),
)
