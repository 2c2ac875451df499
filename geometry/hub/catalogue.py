"""Encoders worth comparing; docs/models.md and the pages say what each teaches about anisotropy.

Sizes, licences and formats are those of each model's page on huggingface.co. Three models there
offer their weights only as pickle, which is never read: ``needs_conversion`` marks them, and the
error "pickle_only" gives the command that converts them once.
"""

from __future__ import annotations

from dataclasses import dataclass

from .bundled import REPOSITORY

NOT_STATED = "not stated"


@dataclass(frozen=True)
class Suggestion:
    """A model of the hub.

    megabytes : 10^6 bytes of its weights in float32.   licence : as on its card, "not stated"
    where the card says nothing.   layers : transformer layers, 0 for static vectors.
    dimension : d.   language : in English.
    needs_conversion : the hub has its weights only as pickle; convert them once and load the
    folder.   is_contrastive : its last layer was trained to draw pairs together and push all others
    apart (by pairs or by dropout), which a classifier's or a student's training does not ask for.
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
    """True for a model that is known to be trained contrastively, by its encoder's or hub name.

    False for every other name: it says that nothing is known, not that it was trained otherwise.
    """
    return name in _BUNDLED or any(one.name == name and one.is_contrastive for one in _SUGGESTIONS)


# contrastively, on about a billion pairs, as its card says
_BUNDLED = ("bundled", REPOSITORY.partition("/")[2], REPOSITORY)

_SUGGESTIONS = (
    Suggestion("google-bert/bert-base-uncased", 440, "apache-2.0", 12, 768, "English"),
    Suggestion("google-bert/bert-base-cased", 436, "apache-2.0", 12, 768, "English"),
    Suggestion("google-bert/bert-base-chinese", 412, NOT_STATED, 12, 768, "Chinese"),
    Suggestion("FacebookAI/roberta-base", 499, "mit", 12, 768, "English"),
    Suggestion("openai-community/gpt2", 548, "mit", 12, 768, "English"),
    Suggestion(
        "sentence-transformers/bert-base-nli-mean-tokens", 438, "apache-2.0", 12, 768, "English"
    ),
    Suggestion(
        "princeton-nlp/unsup-simcse-bert-base-uncased",
        438,
        NOT_STATED,
        12,
        768,
        "English",
        needs_conversion=True,
        is_contrastive=True,
    ),
    Suggestion(
        "princeton-nlp/sup-simcse-bert-base-uncased",
        438,
        NOT_STATED,
        12,
        768,
        "English",
        needs_conversion=True,
        is_contrastive=True,
    ),
    Suggestion(
        "sentence-transformers/all-mpnet-base-v2",
        438,
        "apache-2.0",
        12,
        768,
        "English",
        is_contrastive=True,
    ),
    Suggestion(
        "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        471,
        "apache-2.0",
        12,
        384,
        "50 languages",
    ),
    Suggestion(
        "sentence-transformers/average_word_embeddings_glove.6B.300d",
        480,
        "apache-2.0",
        0,
        300,
        "English",
        needs_conversion=True,
    ),
)
