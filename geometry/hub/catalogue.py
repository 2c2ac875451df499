"""Suggested encoders. docs/models.md and the pages say what each shows about anisotropy.

Sizes, licences and formats are those of each model's page on huggingface.co.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from ..shipped import shipped_file
from .bundled import BUNDLED, E5, E5_NAME, REPOSITORY

NOT_STATED = "not stated"


@dataclass(frozen=True)
class Suggestion:
    """A model of the hub."""

    name: str
    megabytes: int  #: 10^6 bytes of its weights in float32
    licence: str  #: as on its card, or "not stated"
    layers: int  #: transformer layers; 0 for static vectors
    dimension: int
    language: str  #: in English
    #: the hub has its weights only as pickle, which is never read; "pickle_only" has the command
    needs_conversion: bool = False
    #: pairs (or two dropout masks of a text) were drawn together and all other texts pushed apart;
    #: classifiers and distilled models are not trained so
    is_contrastive: bool = False


@cache
def suggestions() -> tuple[Suggestion, ...]:
    """The models, from plain language models to those trained for similarity, then static ones."""
    listed = tomllib.loads(shipped_file("models.toml").read_text(encoding="utf-8"))["models"]
    return tuple(Suggestion(**each) for each in listed)


def is_contrastive(name: str) -> bool:
    """Whether a model, by its encoder's or hub name, is known to be trained contrastively."""
    known = {model.name for model in suggestions() if model.is_contrastive}
    return name in known.union(_BUNDLED)


def default_prefix(name: str) -> str:
    """What the card of a model puts before texts to compare: "query: " for E5, else ""."""
    return "query: " if name == E5 or _E5.fullmatch(name) else ""


PREFIXES = ("query: ", "passage: ", "")  # of E5
_E5 = re.compile(r"intfloat/(multilingual-)?e5-(small|base|large)(-v2|-unsupervised)?")
# trained contrastively on about a billion pairs, according to their cards
_BUNDLED = (BUNDLED, REPOSITORY.partition("/")[2], REPOSITORY, E5, E5_NAME)
