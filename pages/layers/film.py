"""The pictures of a cloud at every layer, and the numbers below them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from geometry import read_cloud
from geometry.encode import ArrayStore
from geometry.measure import Measured, measure_table
from geometry.projection import Projection, project_layer
from geometry.projection.twin import ConeEdge, cone_edges
from pages.common import jobs
from pages.common.cache import kept
from pages.common.cloud_choices import Look
from pages.common.corpus_cloud import MANY_POINTS, CorpusCloud, store
from pages.common.seed import SEED
from pages.common.words import _

from .series import unlabelled

HEADLINES = ("mean_cosine", "opening_angle", "isoscore")

Table = dict[str, Measured]  # by the measure's name
Drawn = tuple[Projection, tuple[ConeEdge, ...]]


@dataclass(frozen=True)
class Still:
    """What is drawn and printed of one layer.

    Attributes
    ----------
    picture : Projection
    edges : tuple of ConeEdge
    headlines : dict of str to Measured
        HEADLINES of all points.
    """

    picture: Projection
    edges: tuple[ConeEdge, ...]
    headlines: Table


@dataclass(frozen=True)
class Film:
    """The cloud that is drawn: a picture of the same points at every layer.

    Only the vectors of one layer are in memory at a time, because those of 100,000 points at seven
    layers take 1 GB.

    Attributes
    ----------
    name : str
        "tokens", or the code of a pooling of sentences.
    first : CorpusCloud
        The cloud at the input, layer 0: its texts, labels and sources are those of every layer.
    stills : tuple of Still
        From the input to the last layer.
    """

    name: str
    first: CorpusCloud
    stills: tuple[Still, ...]

    @property
    def content_key(self) -> str:
        """Names the pictures of all layers, which do not depend on labels."""
        picture = self.stills[0].picture
        return ArrayStore.key(unlabelled(self.first).key, picture.method, picture.n_components)

    @property
    def private(self) -> bool:
        """True for a reader's own data."""
        return self.first.private

    @property
    def last(self) -> int:
        """The number of the last layer."""
        return len(self.stills) - 1

    @property
    def pictures(self) -> tuple[Projection, ...]:
        """One for each layer."""
        return tuple(still.picture for still in self.stills)

    @property
    def n_components(self) -> int:
        """2 or 3."""
        return self.stills[0].picture.n_components


def build_film(name: str, first: CorpusCloud, look: Look) -> Film:
    """Project and measure every layer, once for all readers. Many points are done in a job.

    Parameters
    ----------
    name : str
        "tokens", or the code of a pooling.
    first : CorpusCloud
        The cloud at the input.
    look : Look
    """
    points, n_layers = unlabelled(first), first.encoder.n_layers + 1
    how: dict[str, Any] = {
        "at_once": len(first.cloud) * n_layers <= MANY_POINTS,
        "lane": "measure",
        "passing": True,
    }
    what = _("Projecting {n} points at each layer").format(n=f"{len(first.cloud):,}")
    drawn = jobs.kept_or_made(_drawn, points, look.view, look.n_components, what=what, **how)
    what = _("Measuring clouds: {n}").format(n=n_layers)
    headlines = jobs.kept_or_made(_headlines, points, what=what, **how)
    both = zip(drawn, headlines, strict=True)
    return Film(name, first, tuple(Still(*picture, table) for picture, table in both))


def _layers(first: CorpusCloud, report: jobs.Progress) -> Iterator[np.ndarray]:
    """The vectors of each layer, from the input to the last."""
    n_layers = first.encoder.n_layers + 1
    report(0, n_layers)
    yield first.vectors
    for layer in range(1, n_layers):
        spec = replace(first.spec, layer=layer)

        def reported(*_done: int, layer: int = layer) -> None:
            report(layer, n_layers)

        reported()
        cloud = read_cloud(
            first.encoder,
            first.corpus,
            **asdict(spec),
            like=first.cloud,
            store=store(),
            progress=reported,
        )
        yield cloud.vectors


@kept(32)
def _drawn(
    first: CorpusCloud, view: str, n_components: int, report: jobs.Progress = jobs.no_report
) -> tuple[Drawn, ...]:
    drawn: list[Drawn] = []
    picture: Projection | None = None
    for X in _layers(first, report):
        picture = project_layer(X, view, n_components, former=picture, random_state=SEED)
        drawn.append((picture, cone_edges(X, picture)))
    return tuple(drawn)


@kept(32)
def _headlines(first: CorpusCloud, report: jobs.Progress = jobs.no_report) -> tuple[Table, ...]:
    """HEADLINES of each layer, without intervals, which take longer."""
    tables = (
        measure_table(X, names=HEADLINES, seed=SEED, intervals=False)
        for X in _layers(first, report)
    )
    return tuple({row.name: row for row in table} for table in tables)
