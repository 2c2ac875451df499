"""A grid from an encoder and sentence pairs: every text is encoded once, for all cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..data.pairs import Pairs
from ..encode.encoder import Encoder
from ..encode.pool import as_poolings
from ..linalg.moments import Moments
from .cells import Grid, LayerName
from .fitting import FROM_SUMS, FitVectors, Layers, average_layers
from .grid import Progress, evaluate_grid
from .specs import LADDER, parse_treatments
from .subsets import resamples_of

POOLINGS_SHOWN = ("cls", "mean", "max", "last")
TEXTS_AT_ONCE = 2048  # of a fit set: only their sums are kept, whatever its size
CELL_WORK = 24  # texts that could be encoded while one cell is scored, about


def evaluate_encoder(
    encoder: Encoder,
    pairs: Pairs,
    *,
    layers: Sequence[LayerName] | None = None,
    poolings: Sequence[str] = POOLINGS_SHOWN,
    treatments: Sequence[str] = LADDER,
    fit_texts: Sequence[str] | None = None,
    fit_vectors: FitVectors | None = None,
    fit_on: str | None = None,
    similarity: str = "cosine",
    draws: int = 1000,
    seed: int = 0,
    aggregation: str | None = None,
    progress: Progress | None = None,
) -> Grid:
    """The grid of an encoder on pairs, treatments fitted on texts that have a name.

    fit_texts : each distinct one counts once.   fit_vectors : in their place, what ``encode_fit``
    made of them, so that several sets of pairs share it.   fit_on : their name, such as "train".
    Without them treatments are fitted on the pairs' own sentences, as often as they occur.
    layers, treatments, similarity, draws, seed : as in ``evaluate_grid``.
    aggregation : of ``AGGREGATIONS``, how the pairs' named subsets become one score; None takes
    the pairs as one set.
    In bfloat16 a layer and pooling whose vectors lie too close for it has no scores, "too_narrow".
    progress : (done, total) of the whole work, encoding included.
    Memory: all layers of the pairs' sentences; of fit_texts 2,048 at a time.
    """
    poolings = as_poolings(poolings)
    _check_fit(fit_texts, fit_vectors, fit_on)
    # bad scores are found at once
    bootstrap = resamples_of(pairs, aggregation, draws=draws, seed=seed)
    named = tuple(range(encoder.n_layers + 1)) if layers is None else tuple(layers)
    for layer in named:
        encoder.layer_indices(layer)  # and so is a layer that does not exist
    sentences = [*pairs.left, *pairs.right]
    n_cells = len(set(named)) * len(set(poolings)) * len(parse_treatments(treatments))
    texts = len(set(sentences)) + len(set(fit_texts or ()))
    work = _Work(texts + CELL_WORK * n_cells, progress)
    vectors = encode_distinct(encoder, sentences, poolings, progress=work.part(1))
    if fit_texts is not None:
        where: dict[str, Any] = {"layers": named, "poolings": poolings, "treatments": treatments}
        fit_vectors = encode_fit(encoder, fit_texts, **where, progress=work.part(1))
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
        progress=work.part(CELL_WORK),
    )


def _check_fit(
    fit_texts: Sequence[str] | None, fit_vectors: FitVectors | None, fit_on: str | None
) -> None:
    if (fit_texts is not None) + (fit_vectors is not None) != (fit_on is not None):
        raise ValueError(
            "fit_texts or fit_vectors, one of the two, comes with fit_on, its name; leave out all "
            "to fit on the pairs' own sentences"
        )


def encode_distinct(
    encoder: Encoder,
    texts: Sequence[str],
    poolings: Sequence[str],
    *,
    progress: Progress | None = None,
) -> dict[str, np.ndarray]:
    """``Encoder.encode_layers``, a repeated text being encoded once: {pooling: (layers, n, d)}."""
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    found = encoder.encode_layers(list(place), poolings=poolings, progress=progress)
    if len(place) == len(texts):
        return found
    rows = np.array([place[text] for text in texts])
    return {pooling: found.pop(pooling)[:, rows] for pooling in tuple(found)}


def encode_fit(
    encoder: Encoder,
    texts: Sequence[str],
    *,
    layers: Sequence[LayerName],
    poolings: Sequence[str],
    treatments: Sequence[str] = LADDER,
    progress: Progress | None = None,
) -> FitVectors:
    """Texts as ``fit_vectors`` for those treatments, each distinct text once.

    Sums where they suffice, so that memory does not grow with the texts; all rows where not.
    """
    texts = tuple(dict.fromkeys(texts))
    if all(spec.name in FROM_SUMS for spec in parse_treatments(treatments)):
        return fit_moments(encoder, texts, layers, poolings, progress=progress)
    return encoder.encode_layers(texts, poolings=poolings, progress=progress)


def fit_moments(
    encoder: Encoder,
    texts: Sequence[str],
    layers: Sequence[LayerName],
    poolings: Sequence[str],
    *,
    progress: Progress | None = None,
) -> Callable[[Layers, str], Moments]:
    """Moments of texts at those layers and poolings, to be asked as ``fit_vectors`` is.

    Texts go through the encoder some at a time and only sums stay; blocks merge exactly.
    """
    wanted = {encoder.layer_indices(layer) for layer in layers}
    sums: dict[tuple[Layers, str], Moments] = {}
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        some = texts[start : start + TEXTS_AT_ONCE]

        def told(done: int, _of_these: int, start: int = start) -> None:
            if progress is not None:
                progress(start + done, len(texts))

        block = encoder.encode_layers(some, poolings=poolings, progress=told)
        for pooling, hidden in block.items():
            for indices in wanted:
                at, seen = (indices, pooling), Moments.of(average_layers(hidden, indices))
                sums[at] = sums[at].merge(seen) if at in sums else seen
    return lambda indices, pooling: sums[indices, pooling]


class _Work:
    """One count over several parts, each of which counts its own steps."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total, self._progress = total, progress
        self._done = 0  # by the parts that ended

    def part(self, weight: int) -> Progress:
        """The count of the next part, each of whose steps weighs as much."""
        before = self._done

        def told(done: int, _of_these: int) -> None:
            self._done = before + weight * done
            if self._progress is not None:
                self._progress(min(self._done, self._total), self._total)

        return told
