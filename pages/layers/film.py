"""The pictures of a cloud at every layer, and the numbers below them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np

from geometry import read_cloud
from geometry.encode import ArrayStore
from geometry.measure import Measured, measure_table
from geometry.projection import Projection, project_layer
from geometry.projection.twin import ConeEdge, cone_edges
from pages.common import jobs
from pages.common.cache import Cache
from pages.common.cloud_choices import Look
from pages.common.corpus_cloud import MANY_POINTS, CorpusCloud, store
from pages.common.seed import SEED
from pages.common.words import _

from .series import vectors_key

HEADLINES = ("mean_cosine", "opening_angle", "isoscore")

Table = dict[str, Measured]  # by the measure's name

_STILLS: Cache[tuple[Still, ...]] = Cache("layer-stills", max_entries=32)
_HEADLINES: Cache[Table] = Cache("layer-headlines", max_entries=512)


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
    n_layers, private = first.encoder.n_layers + 1, first.private
    specs = [replace(first.spec, layer=layer) for layer in range(n_layers)]
    keys = [vectors_key(replace(first, spec=spec)) for spec in specs]
    measured = [_HEADLINES.get(key, private=private) for key in keys]

    def layers(report: jobs.Progress) -> Iterator[np.ndarray]:
        def reported(*_done: int) -> None:
            report(layer, n_layers)

        yield first.vectors
        for layer in range(1, n_layers):
            reported()
            cloud = read_cloud(
                first.encoder,
                first.corpus,
                **asdict(specs[layer]),
                like=first.cloud,
                store=store(),
                progress=reported,
            )
            yield cloud.vectors

    def work(report: jobs.Progress) -> tuple[Still, ...]:
        report(0, n_layers)
        stills: list[Still] = []
        former: Projection | None = None
        for X, known in zip(layers(report), measured, strict=True):
            picture = project_layer(
                X, look.view, look.n_components, former=former, random_state=SEED
            )
            stills.append(Still(picture, cone_edges(X, picture), known or _headlines(X)))
            former = picture
        return tuple(stills)

    key = ArrayStore.key(*keys, look.view, look.n_components)
    stills = jobs.cached(
        _STILLS,
        key,
        work,
        _("Projecting {n} points at each layer").format(n=f"{len(first.cloud):,}"),
        private=private,
        at_once=len(first.cloud) * n_layers <= MANY_POINTS,
        lane="measure",
        passing=True,
    )
    for each, still in zip(keys, stills, strict=True):
        _HEADLINES.put(each, still.headlines, private=private)
    return Film(name, first, stills)


def _headlines(X: np.ndarray) -> Table:
    """HEADLINES of one layer, without intervals and simulations, which take longer."""
    table = measure_table(X, names=HEADLINES, seed=SEED, intervals=False, simulate=False)
    return {row.name: row for row in table}


def film_key(film: Film, *more: object) -> str:
    """A cache key for results computed from the pictures of every layer."""
    first, picture = film.first, film.stills[0].picture
    return ArrayStore.key(
        vectors_key(first), film.last, picture.method, picture.n_components, *more
    )
