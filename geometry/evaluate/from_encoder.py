"""A grid from an encoder and sentence pairs. Every text is encoded once for all cells."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..data.pairs import Pairs
from ..encode.encoder import Encoder, Layer
from ..encode.pool import as_poolings
from ..linalg.moments import Moments
from ..process import Progress, no_report
from ..transform.treatments import LADDER, TREATMENTS
from .bootstrap import DRAWS, resamples_of
from .fitting import FitVectors, Layers, average_layers
from .grid import Grid, evaluate_grid
from .specs import parse_treatments

POOLINGS_SHOWN = ("cls", "mean", "max", "min", "last")
TEXTS_AT_ONCE = 2048  # texts of a fit set in a block; only sums of blocks stay in memory
CELL_WORK = 24  # about how many texts are encoded in the time of scoring one cell


def evaluate_encoder(
    encoder: Encoder,
    pairs: Pairs,
    *,
    layers: Sequence[Layer] | None = None,
    poolings: Sequence[str] = POOLINGS_SHOWN,
    treatments: Sequence[str] = LADDER,
    fit_texts: Sequence[str] | None = None,
    fit_vectors: FitVectors | None = None,
    fit_on: str | None = None,
    similarity: str = "cosine",
    draws: int = DRAWS,
    seed: int = 0,
    aggregation: str | None = None,
    progress: Progress | None = None,
) -> Grid:
    """The grid of an encoder on pairs, treatments fitted on a named set of texts.

    All layers of the pairs' sentences are in memory at once, and those of 2,048 ``fit_texts``. In
    bfloat16 a layer and pooling whose vectors lie too close together have no scores ("too_narrow").
    Parameters without a description are as in ``evaluate_grid``.

    Parameters
    ----------
    encoder : Encoder
    pairs : Pairs
    layers : sequence, optional
    poolings : sequence of str, some of ``POOLINGS``
    treatments : sequence of str
    fit_texts : sequence of str, optional
        Texts to fit treatments on, each distinct text once. By default the sentences of the
        pairs, with their repeats.
    fit_vectors : optional
        In place of ``fit_texts``: the result of ``encode_fit``, to share it between calls.
    fit_on : str, optional
        Name of the fit set, such as "train"; needed with either of them.
    similarity : str
    draws : int
    seed : int
    aggregation : str, optional
        One of ``AGGREGATIONS``: how the subsets of the pairs become one score. By default the pairs
        are one set.
    progress : callable, optional
        Called with (done, total) of the whole work, encoding included. An exception raised in it
        ends the work.
    """
    poolings = as_poolings(poolings)
    if (fit_texts is not None) + (fit_vectors is not None) != (fit_on is not None):
        raise ValueError(
            "fit_texts or fit_vectors, one of the two, comes with fit_on, its name; leave out all "
            "to fit on the pairs' own sentences"
        )
    # before the encoding, so that bad gold scores and layers fail at once
    bootstrap = resamples_of(pairs, aggregation, draws=draws, seed=seed)
    named = tuple(range(encoder.n_layers + 1)) if layers is None else tuple(layers)
    for layer in named:
        encoder.layer_indices(layer)
    n_cells = len(set(named)) * len(set(poolings)) * len(parse_treatments(treatments))
    n_sentences, n_fit = len(pairs.sentences), len(set(fit_texts or ()))
    total = n_sentences + n_fit + CELL_WORK * n_cells

    def part(before: int, weight: int = 1) -> Progress:
        """The progress of a part of the work; each of its steps counts ``weight``."""

        def report(done: int, _of_these: int) -> None:
            (progress or no_report)(min(before + weight * done, total), total)

        return report

    of_distinct = encoder.encode_layers(pairs.sentences, poolings=poolings, progress=part(0))
    sides = np.concatenate(pairs.rows)
    # pop, so that only one pooling is in memory twice
    vectors = {pooling: of_distinct.pop(pooling)[:, sides] for pooling in tuple(of_distinct)}
    if fit_texts is not None:
        where: dict[str, Any] = {"layers": named, "poolings": poolings, "treatments": treatments}
        fit_vectors = encode_fit(encoder, fit_texts, **where, progress=part(n_sentences))
    return evaluate_grid(
        vectors,
        pairs.gold_scores,
        layers=named,
        treatments=treatments,
        fit_vectors=fit_vectors,
        fit_on=fit_on,
        evaluated_on=pairs.name,
        similarity=similarity,
        bootstrap=bootstrap,
        is_approximate=encoder.is_approximate,
        progress=part(n_sentences + n_fit, CELL_WORK),
    )


def encode_fit(
    encoder: Encoder,
    texts: Sequence[str],
    *,
    layers: Sequence[Layer],
    poolings: Sequence[str],
    treatments: Sequence[str] = LADDER,
    progress: Progress | None = None,
) -> FitVectors:
    """The ``fit_vectors`` of texts, each once: moments if all treatments can be fitted on them."""
    texts = tuple(dict.fromkeys(texts))
    if all(TREATMENTS[spec.name].takes_moments for spec in parse_treatments(treatments)):
        return fit_moments(encoder, texts, layers, poolings, progress=progress)
    return encoder.encode_layers(texts, poolings=poolings, progress=progress)


def fit_moments(
    encoder: Encoder,
    texts: Sequence[str],
    layers: Sequence[Layer],
    poolings: Sequence[str],
    *,
    progress: Progress | None = None,
) -> Callable[[Layers, str], Moments]:
    """Moments of texts, encoded TEXTS_AT_ONCE at a time, as a function for ``fit_vectors``."""
    wanted = {encoder.layer_indices(layer) for layer in layers}
    sums: dict[tuple[Layers, str], Moments] = {}
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        some = texts[start : start + TEXTS_AT_ONCE]

        def report(done: int, _of_these: int, start: int = start) -> None:
            (progress or no_report)(start + done, len(texts))

        block = encoder.encode_layers(some, poolings=poolings, progress=report)
        for pooling, hidden in block.items():
            for indices in wanted:
                at = (indices, pooling)
                moments = Moments.of(average_layers(hidden, indices))
                sums[at] = sums[at].merge(moments) if at in sums else moments
    return partial(_moments_at, sums)  # not a lambda: it can be sent to another process


def _moments_at(sums: dict[tuple[Layers, str], Moments], indices: Layers, pooling: str) -> Moments:
    return sums[indices, pooling]
