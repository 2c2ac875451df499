"""What a claim is, and the result of its test.

A claim is an entry of ``assets/text/<language>/claims.toml``, which has its words, and a function
of this package with the entry's name, which tests it. An entry without one says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from ..data.translations import ENGLISH, text_tables
from ..measure.intervals import MIN_ROWS, Estimate, State

GROUPS = ("cone", "context", "dimensions", "frequency", "scores", "cures", "training")


@dataclass(frozen=True)
class Claim:
    """One claim of the literature."""

    key: str
    short: str  #: some words of it, for a tile
    group: str  #: one of GROUPS
    #: source, where: authors and year; the section, table or figure
    source: str
    where: str
    #: what the source measures: "types", "tokens", "sentences", "pairs", "training", "coordinates"
    unit: str
    page: str  #: the page that shows it
    #: says, on: what is claimed, and on what the source measured it
    says: str
    on: str
    #: whether ``where`` was looked up in the source; else it is quoted from memory
    checked: bool = False
    disputes: bool = False  #: whether it contradicts what the first papers say of the cone
    here: str = ""  #: what is measured here; its {names} are ``Tested.settings``
    rule: str = ""  #: when the verdict is "holds"
    #: values, control: what the numbers of ``Tested`` are called
    values: Mapping[str, str] = field(default_factory=dict)
    control: Mapping[str, str] = field(default_factory=dict)
    #: no_control, untested: why none is needed, where ``control`` is empty; why there is no test
    no_control: str = ""
    untested: str = ""
    #: what its numbers depend on: the model with the "corpus" or the "pairs", only "words" (static
    #: vectors), or only recorded "training"
    depends: str = "corpus"


@dataclass(frozen=True)
class Number:
    """A measured value with its 95% interval, and how it is printed."""

    value: float
    low: float | None = None
    high: float | None = None
    decimals: int = 3
    is_change: bool = False  # printed with its sign

    @classmethod
    def of(cls, found: Estimate, **look: Any) -> Number:
        """An estimate, with ``decimals`` and ``is_change``."""
        return cls(found.value, found.low, found.high, **look)

    @classmethod
    def drawn(cls, values: np.ndarray, **look: Any) -> Number:
        """The mean over random draws of a control, with the range of 95% of them."""
        low, high = map(float, np.percentile(values, [2.5, 97.5]))
        return cls(float(np.mean(values)), low, high, **look)

    def times(self, factor: float, decimals: int) -> Number:
        """A score × 100, say."""
        low, high = (None if end is None else factor * end for end in (self.low, self.high))
        return replace(self, value=factor * self.value, low=low, high=high, decimals=decimals)


@dataclass(frozen=True)
class Tested:
    """The result of a test."""

    state: State
    n: int = 0  #: units that were measured
    #: values, control: by the names in the claim; ``control`` is empty where the claim says why
    values: Mapping[str, Number] = field(default_factory=dict)
    control: Mapping[str, Number] = field(default_factory=dict)
    #: what the numbers depend on, such as the layer
    settings: Mapping[str, str] = field(default_factory=dict)
    #: Where there is nothing to test it on, what is missing: "layers", "labels", "words",
    #: "weights", "rows", "unknown_text", or a code of ``UndefinedMeasure``. CONTRASTIVE where the
    #: claim is not about such a model; there are numbers then, and no verdict.
    missing: str = ""


OPPOSITE: Mapping[State, State] = {"holds": "fails", "fails": "holds", "unknown": "unknown"}
CONTRASTIVE = "contrastive"  # the claim is about models that were not trained to compare sentences


class MissingEvidence(Exception):
    """What a test needs and the subject lacks, as in ``Tested.missing``."""


@cache
def read_claims(language: str = ENGLISH) -> tuple[Claim, ...]:
    """Every claim, in the order of the English file; English where the language has no words."""
    english, own = (text_tables("claims", code) for code in (ENGLISH, language))
    return tuple(Claim(key, **{**entry, **own.get(key, {})}) for key, entry in english.items())


def clear(found: Estimate | Number, limit: float = 0.0) -> State:
    """ "holds" where the interval is above the limit, "fails" where it is below, else "unknown"."""
    if found.low is None or found.high is None:
        return "unknown"
    if found.low > limit:
        return "holds"
    return "fails" if found.high < limit else "unknown"


def draws(of: Callable[[np.random.Generator], float], n: int, seed: int, **look: Any) -> Number:
    rng = np.random.default_rng(seed)
    return Number.drawn(np.array([of(rng) for _draw in range(n)]), **look)


def need(n: int, least: int = MIN_ROWS) -> None:
    if n < least:
        raise MissingEvidence("rows")


def beside(value: float, control: Number) -> State:
    """ "holds" above the control's interval, "fails" below it, else "unknown"."""
    return OPPOSITE[clear(control, value)]


def or_partly(state: State, *, whole: bool) -> State:
    """The state; "partly" where only a part of the claim holds."""
    return "partly" if state == "holds" and not whole else state
