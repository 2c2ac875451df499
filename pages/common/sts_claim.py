"""The claim "BERT ≪ GloVe": static averages, [CLS], means by layer, treated, beside published."""

from __future__ import annotations

import numpy as np
import streamlit as st

from geometry import ArrayStore
from geometry.evaluate.bootstrap import PairBootstrap
from geometry.evaluate.cells import Grid
from geometry.evaluate.scores import PairScore
from geometry.evaluate.similarities import pair_similarities
from geometry.figures.scored import Scored, scored_figure
from geometry.pair_sets import PAIR_SETS
from geometry.pooling_share import PoolingShare
from geometry.published import PublishedScore, datasets, published_scores
from geometry.type_average import type_averages

from . import cached, jobs
from .cached import SEED
from .charts import chart_of, show_chart
from .cone_panels import current_theme
from .downloads import csv_bytes, offer_csv, short_number
from .sts_choices import treatment_words
from .sts_pairs import ScoredSet, hub_sets
from .sts_scene import DRAWS, Asked, fitted_on, measured_on, with_interval
from .sts_static import Static, uploaded_static
from .words import Translate, prose, signed

PAGE = "sentence_similarity"
STATIC, CLS, MEAN, TREATED, LAST = range(5)  # a family's colour
PUBLISHED_ON = "STS-B"
PUBLISHED = (  # (table, row) of those that the claim is about
    ("sbert_table_1", "avg GloVe"),
    ("sbert_table_1", "BERT CLS"),
    ("sbert_table_1", "avg BERT"),
    ("bert_flow_table_2", "BERTbase first-last"),
    ("bert_flow_table_2", "flow target"),
    ("simcse_table_b2", "whiten target all"),
    ("sbert_table_1", "SBERT-NLI-base"),
    ("simcse_table_5", "unsup SimCSE"),
    ("simcse_table_5", "sup SimCSE"),
    ("all_minilm_l6_v2", "all-MiniLM-L6-v2"),
)


def show_claim(asked: Asked, grid: Grid, _: Translate) -> None:
    """The bars and the sentence on how much of the gap is pooling."""
    st.markdown("#### 2 · " + _("The claim: is BERT worse than averaged word vectors?"))
    st.markdown(prose(PAGE, "claim-look"))
    statics = [Static(_("the model’s own input vectors"), own_static(asked, _))]
    uploaded = uploaded_static(asked, _)
    statics += [] if uploaded is None else [uploaded]
    rows = [*_measured(asked, grid, statics, _), *_published(asked.pairs)]
    figure = scored_figure(
        rows,
        _("Spearman × 100"),
        current_theme(),
        names=(
            _("measured here, with 95% interval"),
            _("published, on {dataset}").format(dataset=published_on(asked.pairs)),
        ),
    )
    show_chart(
        chart_of(figure),
        key="sts-claim",
        file_name="sentence-similarity-claim",
        alt="; ".join(row.label for row in rows),
        zoom=False,
    )
    for line in pooling_lines(asked, grid, statics[-1], _):
        st.markdown(line)
    told = f"{measured_on(asked, _)} · {fitted_on(asked, _)}"
    st.caption(told)
    _show_sources(published_on(asked.pairs), _)
    offer_csv(_("Take the bars away (CSV)"), "sentence-similarity-claim", lambda: _csv(rows, told))


def own_static(asked: Asked, _: Translate) -> PairScore:
    """The score of averaged input embeddings; kept, else as a job."""
    key = f"{asked.encoder.fingerprint}/{asked.pairs.key}/static"
    kept: PairScore | None = cached.measures_if_ready(key)
    if kept is not None:
        return kept

    def work(report: jobs.Report) -> PairScore:
        report(0, 1)
        X = _type_averages(asked)
        n = len(X) // 2
        bootstrap = PairBootstrap(asked.pairs.pairs.gold_scores, DRAWS, SEED)
        return bootstrap.score(pair_similarities(X[:n], X[n:]))

    what = _("Averaging the model’s input vectors")
    made: PairScore = jobs.wait_for(f"static-{key}", work, _, what)
    cached.keep_measures(key, made)
    return made


def _type_averages(asked: Asked) -> np.ndarray:
    key = ArrayStore.key(asked.encoder.fingerprint, asked.pairs.corpus.sha256, "type averages")
    found = cached.store().read(key)
    if found is None:
        found = type_averages(asked.encoder, asked.pairs.corpus.texts)
        cached.store().write(key, found)
    return found


def _measured(asked: Asked, grid: Grid, statics: list[Static], _: Translate) -> list[Scored]:
    last = asked.last
    rows = [_row(_static_words(one, asked, _), one.score, STATIC, _) for one in statics]
    rows.append(_row(_("[CLS], last layer"), grid.cell(last, "cls").score, CLS, _))
    if asked.layer != last:
        told = _("[CLS], layer {layer}").format(layer=asked.layer)
        rows.append(_row(told, grid.cell(asked.layer, "cls").score, CLS, _))
    for layer in range(last):
        told = _("mean, layer {layer}").format(layer=layer)
        rows.append(_row(told, grid.cell(layer, "mean").score, MEAN, _))
    told = _("mean, last layer")
    if asked.encoder.name == "all-MiniLM-L6-v2":
        told = _("mean, last layer: trained contrastively")
    rows.append(_row(told, grid.cell(last, "mean").score, LAST, _))
    treatment = treatment_words(asked.after, _)
    for layer in dict.fromkeys((asked.layer, last)):
        told = _("mean, layer {layer}, {treatment}").format(layer=layer, treatment=treatment)
        rows.append(_row(told, grid.cell(layer, "mean", asked.after).score, TREATED, _))
    return rows


def _static_words(static: Static, asked: Asked, _: Translate) -> str:
    told = _("static: average of {name}").format(name=static.name)
    if static.coverage < 1 or static.score.n < len(asked.pairs):
        told += " " + _("({share} of the words, n = {n})").format(
            share=f"{static.coverage:.1%}", n=f"{static.score.n:,}"
        )
    return told


def _row(name: str, score: PairScore, place: int, _: Translate) -> Scored:
    low, high = score.low, score.high
    # the number first: on a narrow screen the end of a long line is cut
    told = f"<b>{with_interval(score.spearman, low, high, _)}</b>  {name}"
    value, low, high = (None if v is None else 100 * v for v in (score.spearman, low, high))
    return Scored(told, value, low, high, place=place)


def published_on(pairs: ScoredSet) -> str:
    """The data set of the published rows: the chosen one where papers score it, else STS-B."""
    name, _split = hub_sets().get(pairs.code, ("", ""))
    title = PAIR_SETS[name].title if name else ""
    return title if title in datasets() else PUBLISHED_ON


def _published(pairs: ScoredSet) -> list[Scored]:
    return [
        Scored(
            f"<b>{one.value:g}</b>  {one.name} ({one.source.partition(':')[0]})",
            one.value,
            is_published=True,
        )
        for one in published_rows(published_on(pairs))
    ]


def published_rows(dataset: str = PUBLISHED_ON) -> list[PublishedScore]:
    """The published scores that stand beside the measured ones."""
    found = {(one.table, one.name): one for one in published_scores(dataset)}
    return [found[name] for name in PUBLISHED if name in found]


def _show_sources(dataset: str, _: Translate) -> None:
    with st.expander(_("Where the published rows come from, and in which setting")):
        st.dataframe(
            [
                {
                    _("row"): one.name,
                    dataset: one.value,
                    _("source"): one.source,
                    _("setting"): one.setting,
                    _("note"): one.note,
                }
                for one in published_rows(dataset)
            ],
            hide_index=True,
            width="stretch",
        )


def pooling_lines(asked: Asked, grid: Grid, static: Static, _: Translate) -> list[str]:
    """How much of the gap is pooling: published, then measured at the chosen layer; where that
    has no gap, also at the layer where it is widest."""
    told = {one.name: one.value for one in published_rows()}
    known = PoolingShare(told["BERT CLS"], told["avg BERT"], told["avg GloVe"])
    lines = [prose(PAGE, "claim-published", share_values(known, scale=1.0))]
    found = {
        layer: share
        for layer in range(asked.last + 1)
        if (share := _share_at(grid, layer, static)) is not None
    }
    widest = max(found, key=lambda layer: found[layer].gap, default=asked.layer)
    shown = [asked.layer]
    if asked.layer in found and found[asked.layer].share is None and found[widest].gap > 0:
        shown.append(widest)
    for layer in (layer for layer in shown if layer in found):
        values = share_values(found[layer], scale=100.0)
        gap = _pooling_gap(asked, grid, layer, _)
        values |= {"layer": f"{layer}", "interval": gap, "name": static.name}
        section = "claim-here" if found[layer].share is not None else "claim-no-gap"
        lines.append(prose(PAGE, section, values))
    return lines


def _share_at(grid: Grid, layer: int, static: Static) -> PoolingShare | None:
    cls, mean = (grid.cell(layer, pooling).score.spearman for pooling in ("cls", "mean"))
    if cls is None or mean is None or static.score.spearman is None:
        return None
    return PoolingShare(cls, mean, static.score.spearman)


def _pooling_gap(asked: Asked, grid: Grid, layer: int, _: Translate) -> str:
    bootstrap = PairBootstrap(asked.pairs.pairs.gold_scores, DRAWS, SEED)
    cls, mean = (grid.cell(layer, pooling).score for pooling in ("cls", "mean"))
    found = bootstrap.difference(cls, mean)
    return with_interval(found.value, found.low, found.high, _, sign=True)


def share_values(found: PoolingShare, *, scale: float) -> dict[str, str]:
    """What the sentences quote, on the scale × 100."""
    return {
        "cls": signed(scale * found.cls, 1),
        "mean": signed(scale * found.mean, 1),
        "static": signed(scale * found.static, 1),
        "gap": signed(scale * found.gap, 1),
        "pooling": signed(scale * found.pooling, 1),
        "share": "—" if found.share is None else f"{found.share:.0%}",
    }


def _csv(rows: list[Scored], told: str) -> bytes:
    text = [
        [
            row.label.replace("<b>", "").replace("</b>", ""),
            "published" if row.is_published else "measured",
            *("" if v is None else short_number(v) for v in (row.value, row.low, row.high)),
        ]
        for row in rows
    ]
    return csv_bytes(["row", "kind", "spearman_x_100", "low", "high"], text, told)
