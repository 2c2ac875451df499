"""The grid of the chosen model, measured when it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from geometry import Corpus, Encoder, UndefinedMeasure
from geometry.data import read_bundled_pairs
from geometry.data.pairs import pairs_for
from geometry.diagnosis.evidence import GainGrid, Task, evidence
from pages.common import jobs
from pages.common.cache import kept
from pages.common.models import current_encoder
from pages.common.seed import SEED
from pages.common.shell import require_model
from pages.common.uploads import is_own
from pages.common.words import _

LIVE = "live"  # in place of the name of recorded data
MOST_LAYERS, MOST_ROWS = 7, 1500
POOLINGS = ("mean", "cls")


def has_labels(corpus: Corpus) -> bool:
    """Whether neighbours can be judged by the corpus' labels."""
    return corpus.labels is not None and len({*corpus.labels} - {""}) > 1


def live_grid(corpus: Corpus, task: Task) -> dict[str, GainGrid]:
    """The grid of the chosen model by its name: from memory, or from a job."""
    require_model()
    encoder = current_encoder()
    grid: GainGrid = jobs.kept_or_made(
        _measured,
        *(encoder, corpus, task, is_own(corpus)),
        what=_("Judging cures"),
        lane="measure",
        is_long=True,
    )
    return {encoder.name: grid}


@kept(8)
def _measured(
    encoder: Encoder,
    corpus: Corpus,
    task: Task,
    private: bool,
    report: jobs.Progress = jobs.no_report,
) -> GainGrid:
    """Some layers, both poolings; the bundled pairs of the corpus' language, or its labels."""
    last = encoder.n_layers
    layers = sorted({round(each) for each in np.linspace(0, last, MOST_LAYERS)})
    about = {"model": encoder.name, "fit": "folds"}
    if task == "pairs":
        pairs = read_bundled_pairs(pairs_for(corpus.texts))
        texts = list(pairs.sentences)
        judge: dict[str, Any] = {"pairs": (*pairs.rows, pairs.gold_scores)}
    else:
        named = np.flatnonzero([bool(label) for label in corpus.labels or ()])
        if not len(named):
            raise UndefinedMeasure("too_few_rows", at_least=1, n=0)
        rows = np.random.default_rng(SEED).permutation(named)[:MOST_ROWS]
        corpus = corpus.take(np.sort(rows))
        texts, judge = list(corpus.texts), {"labels": corpus.labels}
        if corpus.sources is not None:
            judge["units"] = corpus.sources
    hidden = encoder.encode_layers(texts, poolings=POOLINGS, layers=layers, progress=report)
    # [CLS] of layer 0 is one vector for all texts
    places = {
        (layer, pooling): hidden[pooling][place]
        for pooling in (POOLINGS if last else POOLINGS[:1])
        for place, layer in enumerate(layers)
        if layer or pooling != "cls"
    }
    return evidence(
        places, task=task, texts=texts, about=about, seed=SEED, progress=report, **judge
    )
