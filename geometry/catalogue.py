"""Encoders worth comparing, each with what it teaches about anisotropy.

Sizes, licences and formats are those of each model's page on huggingface.co. Three models there
offer their weights only as pickle, which is never read: ``needs_conversion`` marks them, and the
error "pickle_only" gives the command that converts them once.
"""

from __future__ import annotations

from dataclasses import dataclass

NOT_STATED = "not stated"


@dataclass(frozen=True)
class Suggestion:
    """A model of the hub.

    megabytes : 10^6 bytes of its weights in float32.   licence : as on its card, "not stated"
    where the card says nothing.   layers : transformer layers, 0 for static vectors.
    dimension : d.   language, teaches : English, to be translated by whoever shows them.
    needs_conversion : the hub has its weights only as pickle; convert them once and load the
    folder.
    """

    name: str
    megabytes: int
    licence: str
    layers: int
    dimension: int
    language: str
    teaches: str
    needs_conversion: bool = False


def suggestions() -> tuple[Suggestion, ...]:
    """The models, from plain language models to those trained for similarity, then static ones."""
    return _LANGUAGE_MODELS + _SENTENCE_MODELS + _STATIC_MODELS


_LANGUAGE_MODELS = (
    Suggestion(
        *("google-bert/bert-base-uncased", 440, "apache-2.0", 12, 768, "English"),
        "Averaged over its tokens, sentences lie in a narrow cone; BERT-flow (Li et al. 2020) and "
        "whitening (Su et al. 2021) improved its similarities by undoing that.",
    ),
    Suggestion(
        *("google-bert/bert-base-cased", 436, "apache-2.0", 12, 768, "English"),
        "The BERT that Ethayarajh (2019) measured: anisotropic in every layer above the input, "
        "though far less than the last layers of GPT-2.",
    ),
    Suggestion(
        *("google-bert/bert-base-chinese", 412, NOT_STATED, 12, 768, "Chinese"),
        "Nearly every character is a token of its own: see whether the cone of English BERT is "
        "there in Chinese too.",
    ),
    Suggestion(
        *("FacebookAI/roberta-base", 499, "mit", 12, 768, "English"),
        "A few dimensions of very large values rule its cosines (Timkey and van Schijndel 2021): "
        "standardise the dimensions and look again.",
    ),
    Suggestion(
        *("openai-community/gpt2", 548, "mit", 12, 768, "English"),
        "A causal decoder whose last layers are extremely anisotropic: in the last, two random "
        "words have a cosine close to 1 (Ethayarajh 2019).",
    ),
)
_SENTENCE_MODELS = (
    Suggestion(
        *("sentence-transformers/bert-base-nli-mean-tokens", 438, "apache-2.0", 12, 768),
        "English",
        "BERT trained further to tell entailment from contradiction (Reimers and Gurevych 2019): "
        "see how far that alone opens the cone.",
    ),
    Suggestion(
        *("princeton-nlp/unsup-simcse-bert-base-uncased", 438, NOT_STATED, 12, 768, "English"),
        "Contrastive training without labels, a sentence against itself under dropout, makes "
        "BERT's vectors more uniform (Gao et al. 2021).",
        needs_conversion=True,
    ),
    Suggestion(
        *("princeton-nlp/sup-simcse-bert-base-uncased", 438, NOT_STATED, 12, 768, "English"),
        "Contrastive training with entailed and contradicting sentences (Gao et al. 2021): see "
        "whether whitening has anything left to repair.",
        needs_conversion=True,
    ),
    Suggestion(
        *("sentence-transformers/all-mpnet-base-v2", 438, "apache-2.0", 12, 768, "English"),
        "Trained contrastively on about a billion pairs: where the objective has already spread "
        "the vectors, whitening can make similarities worse.",
    ),
    Suggestion(
        *("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", 471, "apache-2.0"),
        *(12, 384, "50 languages"),
        "One space for many languages, learnt from an English teacher (Reimers and Gurevych "
        "2020): see whether languages share one cone.",
    ),
)
_STATIC_MODELS = (
    Suggestion(
        *("sentence-transformers/average_word_embeddings_glove.6B.300d", 480, "apache-2.0"),
        *(0, 300, "English"),
        "Static word vectors, averaged, without context or layers: removing their mean and a few "
        "top directions already helps (Mu and Viswanath 2018).",
        needs_conversion=True,
    ),
)
