"""UMAP pictures, fitted by a worker process and stored on disk.

Of a large cloud, UMAP is fitted on a sample. Imports and compilation take 11 s, so a worker does
them before a page needs them. numba and umap are not safe in parallel, so it does one fit at a
time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from typing import Protocol

import numpy as np

from geometry.encode import ArrayStore
from geometry.process import ProcessEnded, Worker, send_progress
from geometry.projection import Projection
from geometry.projection.placing import place
from geometry.projection.projection import umap_picture
from geometry.projection.umap_fit import MOST_FITTED, UMAP_NEIGHBOURS, fit_umap
from pages.common import jobs
from pages.common.corpus_cloud import store
from pages.common.jobs import Progress
from pages.common.seed import SEED
from pages.common.words import _

UMAP_VERSION = version("umap-learn")
WARM_UP_AFTER = 30.0  # seconds after the first page
WARM_UP_VARIABLE = "NARROW_CONE_UMAP_WARM_UP"  # "0": the first fit imports and compiles
_warmed = threading.Event()
UMAP = Worker(idle_seconds=900)  # it takes 11 s to import and to compile


class _Cloud(Protocol):
    """Vectors (n, d), and what names them."""

    @property
    def content_key(self) -> str: ...
    @property
    def vectors(self) -> np.ndarray: ...


def umaps_if_ready(clouds: Sequence[_Cloud], n_components: int) -> tuple[Projection, ...] | None:
    """The UMAP pictures of the clouds; None if one of them is not fitted yet."""
    pictures = []
    for cloud in clouds:
        coordinates = store().read(_store_key(cloud.content_key, n_components))
        if coordinates is None:
            return None
        pictures.append(umap_picture(cloud.vectors, coordinates, random_state=SEED))
    return tuple(pictures)


def fit_umaps(clouds: Sequence[_Cloud], n_components: int) -> None:
    """Fit the UMAP pictures of the clouds and store them, with progress and cancel."""
    named = {_store_key(each.content_key, n_components): each.vectors for each in clouds}
    for name, X in named.items():
        jobs.wait_for(
            f"umap-{name}",
            partial(_fit_and_store, name, X, n_components),
            _("UMAP of {n} points").format(n=f"{len(X):,}"),
            lane="umap",
            is_long=True,
        )


def _fit_and_store(name: str, X: np.ndarray, n_components: int, report: Progress) -> None:
    store().write(name, _picture_of(X, n_components, report))


def _picture_of(X: np.ndarray, n_components: int, report: Progress) -> np.ndarray:
    """UMAP coordinates. A large cloud is fitted on a sample, and the other rows are placed."""
    if len(X) <= MOST_FITTED:
        return fit_elsewhere(X, n_components, SEED, report)
    rows = np.sort(np.random.default_rng(SEED).choice(len(X), MOST_FITTED, replace=False))
    fitted = fit_elsewhere(X[rows], n_components, SEED, report)
    call = partial(place, X, X[rows], fitted, random_state=SEED, progress=send_progress)
    places = UMAP.run(call, report)
    places[rows] = fitted
    return places


def _store_key(key: str, n_components: int) -> str:
    settings = (UMAP_NEIGHBOURS, MOST_FITTED)
    return ArrayStore.key("umap", UMAP_VERSION, *settings, key, n_components, SEED)


def fit_elsewhere(X: np.ndarray, n_components: int, seed: int, report: Progress) -> np.ndarray:
    """UMAP coordinates (n, n_components), fitted by the worker process.

    Parameters
    ----------
    X : (n, d) array
    n_components : int
    seed : int
    report : callable
        Called with (epochs done, epochs in all).
    """
    settings = n_components, seed, UMAP_NEIGHBOURS
    return UMAP.run(partial(fit_umap, np.asarray(X), *settings, progress=send_progress), report)


def warm_up() -> None:
    """Start the worker's imports and compilation in the background, once a server.

    It takes up to 15 s of a core. It starts after a delay, because the browser is still drawing the
    first picture.
    """
    if not _warmed.is_set() and os.environ.get(WARM_UP_VARIABLE) != "0":
        _warmed.set()
        timer = threading.Timer(WARM_UP_AFTER, _fit_something_small)
        timer.daemon = True
        timer.start()


def _fit_something_small() -> None:
    cloud = np.random.default_rng(0).standard_normal((60, 8))
    with suppress(ProcessEnded):  # the first fit will show it
        UMAP.run(partial(fit_umap, cloud, 2, SEED, UMAP_NEIGHBOURS))
