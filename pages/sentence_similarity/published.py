"""Scores that papers print: ticks and a band on the ladder, and the table of their sources."""

from __future__ import annotations

import streamlit as st

from geometry.data.number_text import signed
from geometry.evaluate.claims import PoolingShare
from geometry.evaluate.published import PublishedScore, datasets, published_scores
from geometry.figures.ladder import ScoreRange, Tick
from geometry.hub.pair_sets import PAIR_SETS
from pages.common.scores import PUBLISHED_ON, SBERT, row_name, source_words
from pages.common.words import _, prose

from . import PAGE
from .pairs import ScoredSet, hub_sets
from .scene import FIRST_LAST, Scene

PUBLISHED = {  # (table, row) of the ticks on each rung
    "static": ((SBERT, "avg GloVe"), ("zipfian_2024_sts", "GloVe-840B")),
    "cls": ((SBERT, "BERT CLS"),),
    "mean": ((SBERT, "avg BERT"),),
    FIRST_LAST: (
        ("bert_flow_table_2", "BERTbase first-last"),
        ("simcse_table_5", "BERT first-last"),
    ),
    "treated": (("bert_flow_table_2", "flow target"), ("simcse_table_b2", "whiten target all")),
    "last": (
        (SBERT, "SBERT-NLI-base"),
        ("simcse_table_5", "unsup SimCSE"),
        ("simcse_table_5", "sup SimCSE"),
        ("all_minilm_l6_v2", "all-MiniLM-L6-v2"),
    ),
    "last treated": (("simcse_table_5", "SBERT-whitening"),),
}

SHORT = {  # names beside the ticks, as in the papers
    (SBERT, "avg GloVe"): "GloVe",
    (SBERT, "BERT CLS"): "BERT CLS",
    (SBERT, "avg BERT"): "avg. BERT",
    ("bert_flow_table_2", "BERTbase first-last"): "first-last (Li)",
    ("simcse_table_5", "BERT first-last"): "first-last (Gao)",
    ("bert_flow_table_2", "flow target"): "BERT-flow",
    ("simcse_table_b2", "whiten target all"): "BERT-whitening",
    (SBERT, "SBERT-NLI-base"): "SBERT",
    ("simcse_table_5", "unsup SimCSE"): "unsup-SimCSE",
    ("simcse_table_5", "sup SimCSE"): "sup-SimCSE",
    ("simcse_table_5", "SBERT-whitening"): "SBERT-whitening",
}


def setting_words(score: PublishedScore) -> str:
    """How several subsets became one score."""
    if score.table == "bert_flow_table_2":
        return _("mean of the subsets, weighted by pairs (wmean)")
    return _("all subsets as one set (all)")


def note_words(score: PublishedScore) -> str:
    """A note on what is special or disputed; may be empty."""
    return {
        "zipfian_2024_sts": _("A plain average of the words; scored on MTEB’s test sets."),
        "bert_flow_table_2": _("The paper calls the mean of these two layers last2avg."),
        "simcse_table_5": _(
            "For the mean of two layers, this table prints 53.87 on STS-B and Li et al. (2020) "
            "59.04. The first layer is probably another one. This is disputed."
        )
        if score.name == "BERT first-last"
        else "",
        "simcse_table_b2": _("The whitening of Su et al. (2021), run again by Gao et al. (2021)."),
    }.get(score.table, "")


def published_on(pairs: ScoredSet) -> str:
    """The data set of the published ticks: the chosen one if papers score it, else STS-B."""
    name, _split = hub_sets().get(pairs.code, ("", ""))
    title = PAIR_SETS[name].title if name else ""
    return title if title in datasets() else PUBLISHED_ON


def published_rows(dataset: str, rung: str) -> list[PublishedScore]:
    """The scores of the ticks on a rung."""
    scores = {(score.table, score.name): score for score in published_scores(dataset)}
    return [scores[row] for row in PUBLISHED[rung] if row in scores]


def published_ticks(dataset: str) -> dict[str, list[Tick]]:
    """The ticks of each rung."""
    return {
        rung: [
            Tick(
                score.value,
                _("<b>{score}</b>  {name}: {source}").format(
                    score=f"{score.value:g}", name=row_name(score), source=source_words(score)
                ),
                SHORT.get((score.table, score.name), score.name),
            )
            for score in published_rows(dataset, rung)
        ]
        for rung in PUBLISHED
    }


def glove_band(dataset: str) -> ScoreRange:
    """From the lowest to the highest published score of averaged GloVe."""
    scores = [score.value for score in published_rows(dataset, "static")]
    low, high = min(scores), max(scores)
    text = _("averaged GloVe on {dataset}, published: {low} to {high}")
    return ScoreRange(low, high, text.format(dataset=dataset, low=f"{low:.0f}", high=f"{high:.0f}"))


def show_published(scene: Scene) -> None:
    """The sources of the ticks, and the share of pooling in the papers' own scores."""
    dataset = published_on(scene.choice.pairs)
    st.markdown(prose(PAGE, "claim-look"))
    st.markdown(prose(PAGE, "claim-published", published_share_values(dataset)))
    st.dataframe(
        [
            {
                _("row"): row_name(score),
                dataset: score.value,
                _("source"): source_words(score),
                _("setting"): setting_words(score),
                _("note"): note_words(score),
            }
            for rung in PUBLISHED
            for score in published_rows(dataset, rung)
        ],
        hide_index=True,
        width="stretch",
    )


def published_share_values(dataset: str) -> dict[str, str]:
    """The published share on that data set, beside its range over all data sets of the table."""
    shares = {name: _published_share(name) for name in datasets()}
    share = shares[dataset]
    of_gaps = [each.share for each in shares.values() if each.share is not None]
    return share_values(share, scale=1.0) | {
        "dataset": dataset,
        "rest": signed(share.mean - share.static, 1),
        "least": f"{min(of_gaps):.0%}",
        "most": f"{max(of_gaps):.0%}",
    }


def _published_share(dataset: str) -> PoolingShare:
    of_sbert = {s.name: s.value for s in published_scores(dataset) if s.table == SBERT}
    return PoolingShare(of_sbert["BERT CLS"], of_sbert["avg BERT"], of_sbert["avg GloVe"])


def share_values(shares: PoolingShare, *, scale: float) -> dict[str, str]:
    """The values in the sentences, times ``scale``."""
    return {
        "cls": signed(scale * shares.cls, 1),
        "mean": signed(scale * shares.mean, 1),
        "static": signed(scale * shares.static, 1),
        "gap": signed(scale * shares.gap, 1),
        "pooling": signed(scale * shares.pooling, 1),
        "share": "—" if shares.share is None else f"{shares.share:.0%}",
    }
