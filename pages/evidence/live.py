"""Grids that are measured when they are asked for: of the chosen model, or of own vectors."""

from typing import Any

import numpy as np

from geometry import Corpus, Encoder
from geometry.data import VectorSet, read_bundled_pairs
from geometry.data.pairs import pairs_for
from geometry.diagnosis.evidence import GainGrid, Task, evidence
from geometry.encode import ArrayStore
from pages.common import jobs
from pages.common.cache import kept
from pages.common.models import current_encoder
from pages.common.reading import Keyed
from pages.common.seed import SEED
from pages.common.shell import require_model
from pages.common.uploads import evidence_label, evidence_of, is_own
from pages.common.words import _

from .recorded import encoded_places

MOST_LAYERS, MOST_ROWS, MOST_VECTORS = 7, 1500, 5000
OWN_PLACE = (0, "own")  # vectors have no layer or pooling
OF_LABELS: dict[str, Task] = {"live labels": "labels", "live probe": "probe"}


def live_names(data: Corpus | VectorSet) -> dict[str, str]:
    """What can judge the chosen model, or own vectors, by code."""
    if isinstance(data, VectorSet):
        names = {code: evidence_label(each) for code, each in evidence_of(data).items()}
        by_labels = _("your vectors: labels"), _("your vectors: linear probe")
    else:
        names = {"live pairs": _("chosen model: pairs")}
        by_labels = _("chosen model: labels"), _("chosen model: linear probe")
    if data.labels is not None and len({*data.labels} - {""}) > 1:
        names |= dict(zip(OF_LABELS, by_labels, strict=True))
    return names


def live_grid(data: Corpus | VectorSet, code: str) -> dict[str, GainGrid]:
    how: dict[str, Any] = {"what": _("Judging cures"), "lane": "measure", "is_long": True}
    if isinstance(data, VectorSet):
        judge = evidence_of(data).get(code)
        key = ArrayStore.key(data.name, data.sha256, data.labels, judge and judge.content_key)
        own = Keyed((data, judge), key)
        return {data.name: jobs.kept_or_made(_of_vectors, own, code, **how)}
    require_model()
    encoder = current_encoder()
    return {encoder.name: jobs.kept_or_made(_of_model, encoder, data, code, is_own(data), **how)}


@kept(8)
def _of_model(
    encoder: Encoder,
    corpus: Corpus,
    code: str,
    private: bool,
    report: jobs.Progress = jobs.no_report,
) -> GainGrid:
    """Some layers, both poolings; the bundled pairs of the corpus' language, or its labels."""
    layers = sorted({round(each) for each in np.linspace(0, encoder.n_layers, MOST_LAYERS)})
    task: Task = OF_LABELS.get(code, "pairs")
    if task == "pairs":
        pairs = read_bundled_pairs(pairs_for(corpus.texts))
        texts = list(pairs.sentences)
        judge: dict[str, Any] = {"pairs": (*pairs.rows, pairs.gold_scores)}
    else:
        corpus = corpus.take(_labelled(corpus.labels or (), MOST_ROWS))
        texts = list(corpus.texts)
        judge = {"labels": corpus.labels, "units": corpus.sources}
    places = encoded_places(encoder, texts, layers, progress=report)
    about = {"model": encoder.name, "fit": "folds"}
    return evidence(
        places, task=task, texts=texts, about=about, seed=SEED, progress=report, **judge
    )


@kept(4)
def _of_vectors(own: Keyed, code: str, report: jobs.Progress = jobs.no_report) -> GainGrid:
    """Own vectors by their labels, or by pairs or queries that were brought for them."""
    vectors, judge = own.value
    how: dict[str, Any] = {"seed": SEED, "progress": report}
    how["about"] = {"model": vectors.name, "fit": "folds"}
    if judge is None:
        labels = vectors.labels or ()
        rows = _labelled(labels, MOST_VECTORS)
        how["labels"] = [labels[row] for row in rows]
        return evidence({OWN_PLACE: vectors.vectors[rows]}, task=OF_LABELS[code], **how)
    how |= {"pairs": judge.pairs, "queries": judge.queries}
    task: Task = "pairs" if judge.queries is None else "queries"
    return evidence({OWN_PLACE: vectors.vectors}, task=task, **how)


def _labelled(labels: Any, most: int) -> np.ndarray:
    """Rows with a label, a random sample of more than ``most``."""
    named = np.flatnonzero([bool(label) for label in labels])
    return np.sort(np.random.default_rng(SEED).permutation(named)[:most])
