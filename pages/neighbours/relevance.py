"""Queries with known answers: how many are found before and after the treatment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from geometry import CorpusError
from geometry.data import Judged, judge, read_relevance
from geometry.measure import RetrievalScore, ndcg_at_k, recall_at_k, retrieval_score
from geometry.measure.retrieval import MIN_QUERIES
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.escape import markdown_table
from pages.common.fit_set import SPLIT
from pages.common.messages import show_error
from pages.common.reading import read_upload
from pages.common.seed import SEED
from pages.common.table_form import upload_table
from pages.common.treatment_names import treatment_words
from pages.common.words import _, prose

from . import PAGE
from .numbers import with_ends
from .provenance import provenance
from .query import encoded_texts, row_numbers
from .scene import Scene

FILE = "relevance-file"


@dataclass(frozen=True)
class Retrieved:
    """The judged queries, and both scores (q,) of each, raw and treated."""

    judged: Judged
    recall: tuple[np.ndarray, np.ndarray]
    ndcg: tuple[np.ndarray, np.ndarray]


def show_relevance(scene: Scene) -> None:
    """The upload, the two scores before and after, and their change."""
    st.markdown(prose(PAGE, "relevance"))
    label = _("Queries and their answers (.csv, .tsv, .jsonl), at most {megabytes} MB")
    file = upload_table(label, FILE)
    if file is None:
        return
    try:
        relevance = read_upload(read_relevance, file)
    except CorpusError as error:
        show_error(error)
        return
    cloud = scene.points.cloud
    judged = judge(relevance, cloud.texts, row_numbers(cloud).tolist())
    judged = _with_vectors(scene, judged)
    _warn_of_missing(scene, judged)
    if not len(judged):
        return
    found = retrieve(scene, judged)
    _show_scores(scene, found)
    offer_csv(
        _("Download scores by query (CSV)"),
        "neighbours-queries",
        partial(queries_csv, found, provenance(scene)),
    )


def _with_vectors(scene: Scene, judged: Judged) -> Judged:
    """All queries, or only those that are points if no encoder can encode the others."""
    if scene.points.model is not None and scene.points.cloud.unit == "sentences":
        return judged
    places = [place for place, row in enumerate(judged.rows) if row is not None]
    return Judged(
        tuple(judged.queries[place] for place in places),
        tuple(judged.rows[place] for place in places),
        tuple(judged.relevant[place] for place in places),
        tuple(judged.left_out[place] for place in places),
        judged.n_queries,
        judged.n_missing,
    )


def _warn_of_missing(scene: Scene, judged: Judged) -> None:
    if len(judged) == judged.n_queries and not judged.n_missing:
        return
    message = _(
        "{n} of {all} queries are used. Answers that are not among the {points} points searched: "
        "{missing}."
    ).format(
        n=f"{len(judged):,}",
        all=f"{judged.n_queries:,}",
        points=f"{scene.n_searched:,}",
        missing=f"{judged.n_missing:,}",
    )
    if scene.fit_code == SPLIT:
        message += " " + _(
            "To search all points, choose “these points” or another corpus at *Fit on*."
        )
    st.warning(message)


def retrieve(scene: Scene, judged: Judged) -> Retrieved:
    """Recall and nDCG of each query. A query and its copies do not count as answers."""
    vectors = np.zeros((len(judged), scene.points.vectors.shape[1]), dtype=np.float32)
    typed = [place for place, row in enumerate(judged.rows) if row is None]
    rows = [(place, row) for place, row in enumerate(judged.rows) if row is not None]
    if typed:
        texts = tuple(judged.queries[place] for place in typed)
        vectors[typed] = encoded_texts(scene.points, texts)
    for place, row in rows:
        vectors[place] = scene.points.vectors[row]
    recall, ndcg = [], []
    for search, Q in (
        (scene.clouds.before, vectors),
        (scene.clouds.after, scene.clouds.apply(vectors)),
    ):
        found = search.nearest_except(Q, scene.k, judged.left_out).rows
        recall.append(recall_at_k(found, judged.relevant))
        ndcg.append(ndcg_at_k(found, judged.relevant))
    return Retrieved(judged, (recall[0], recall[1]), (ndcg[0], ndcg[1]))


def _show_scores(scene: Scene, found: Retrieved) -> None:
    k = scene.k
    head = [_("measure"), _("Raw"), treatment_words(scene.after), _("change")]
    lines = [head, ["---", "---:", "---:", "---:"]]
    for name, pair in ((f"recall@{k}", found.recall), (f"nDCG@{k}", found.ndcg)):
        score: RetrievalScore = retrieval_score(*pair, seed=SEED)
        lines.append(
            [
                name,
                with_ends(score.before, 3),
                with_ends(score.after, 3),
                with_ends(score.change, 3, sign=True),
            ]
        )
    st.markdown(markdown_table(lines))
    n = len(found.judged)
    st.caption(
        _("{n} queries; 95% intervals by a bootstrap over queries, seed {seed}.").format(
            n=f"{n:,}", seed=SEED
        )
        if n >= MIN_QUERIES
        else _("{n} queries. An interval needs {least} or more.").format(n=n, least=MIN_QUERIES)
    )


def queries_csv(found: Retrieved, basis: str) -> bytes:
    """A row for each query."""
    columns = (*found.recall, *found.ndcg)
    lines = [
        [query, str(len(relevant)), *(short_number(column[place]) for column in columns)]
        for place, (query, relevant) in enumerate(
            zip(found.judged.queries, found.judged.relevant, strict=True)
        )
    ]
    head = ["query", "answers", "recall_raw", "recall_after", "ndcg_raw", "ndcg_after"]
    return csv_bytes(head, lines, basis)
