"""What the layers page shows in one run: a cloud at every layer, and the measures of its series."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geometry import Corpus
from pages.common.corpus_cloud import CorpusCloud

from .choices import CloudChoice
from .film import Film, Still, Table
from .series import TOKENS, Series, compared_names, read_all_series
from .sweep import CONTEXTUAL, Sweep, parts_of, sweep


@dataclass(frozen=True, eq=False)
class Scene:
    """The cloud that is drawn and all that is measured; the argument of every panel.

    Clouds and measures of the curves are computed at first use, after the pictures were sent.

    Attributes
    ----------
    corpus : Corpus
    choice : CloudChoice
    film : Film
    layer : int
        The layer of the numbers.
    chosen : int or None
        The row that is ringed.
    """

    corpus: Corpus
    choice: CloudChoice
    film: Film
    layer: int
    chosen: int | None

    @property
    def first(self) -> CorpusCloud:
        """The cloud at the input."""
        return self.film.first

    @property
    def still(self) -> Still:
        """The picture and the numbers of the layer."""
        return self.film.stills[self.layer]

    @cached_property
    def series(self) -> dict[str, Series]:
        """The clouds of the curves, by name and in their order."""
        special = self.choice.special_tokens
        return read_all_series(self.film.name, self.corpus, self.first.encoder, special)

    @property
    def unresolved(self) -> tuple[str, ...]:
        """The names of the clouds that bfloat16 can't resolve, so they have no curve."""
        return tuple(name for name in compared_names(self.film.name) if name not in self.series)

    @property
    def drawn_series(self) -> Series:
        """The series of the cloud that is drawn."""
        return self.series[self.film.name]

    @cached_property
    def tables(self) -> Sweep:
        """The measures of every series."""
        return sweep(tuple(self.series.values()))

    @property
    def drawn_tables(self) -> tuple[Table, ...]:
        """The measures of the drawn cloud, a table for each layer."""
        return self.tables[self.film.name]

    @cached_property
    def contextual(self) -> Sweep:
        """The measures that compare a token with its type and its sentence."""
        return sweep((self.series[TOKENS],), contextual=True)

    def tables_of(self, measure: str) -> Sweep:
        """The tables with this measure."""
        return self.contextual if measure in CONTEXTUAL else self.tables

    @cached_property
    def parts(self) -> dict[str, np.ndarray]:
        """Each dimension's part of the mean cosine, (layers, d) by treatment."""
        return {
            treatment: np.array(
                [parts_of(points, treatment) for points in self.drawn_series.layers]
            )
            for treatment in ("raw", "standardised")
        }
