"""Panel 2, the claim "BERT ≪ GloVe": static averages, [CLS], means by layer, published scores."""

from __future__ import annotations

from html import unescape
from itertools import product

import numpy as np
import streamlit as st

from geometry.encode import ArrayStore
from geometry.evaluate.claims import PoolingInterval, PoolingShare
from geometry.evaluate.grid import Cell
from geometry.evaluate.published import PublishedScore, datasets, published_scores
from geometry.evaluate.scores import DRAWS, PairBootstrap, PairScore, difference
from geometry.figures.scored import Scored, scored_figure
from geometry.hub.catalogue import is_contrastive
from geometry.hub.pair_sets import PAIR_SETS
from pages.common.cache import Cache
from pages.common.corpus_cloud import SEED
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.escape import markdown, plotly
from pages.common.words import Translate, prose, signed

from .choices import Choice, fitted_on, measured_on, score_title
from .pairs import ScoredSet, hub_sets
from .scene import Scene, score_column
from .word_vectors import Static, own_static, show_word_pairs, uploaded_static
from .words import cut_words, similarity_names, treatment_words, with_interval

PAGE = "sentence_similarity"
STATIC, CLS, MEAN, TREATED, LAST = range(5)  # colours of the families of bars
PUBLISHED_ON = "STS-B"
PUBLISHED = (  # (table, row) of the published bars
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
SBERT = "sbert_table_1"

_POOLED: Cache[tuple[PairScore, PairScore]] = Cache("cls and mean on known pairs", max_entries=64)


def show_claim(scene: Scene, _: Translate) -> None:
    """The bars, and how much of the gap is pooling."""
    choice = scene.choice
    st.markdown("#### 2 · " + _("The claim: is BERT worse than averaged word vectors?"))
    st.markdown(prose(PAGE, "claim-look"))
    statics = [own_static(scene, _)]
    uploaded = uploaded_static(scene, _)
    statics += [] if uploaded is None else [uploaded]
    rows = [*_measured(scene, statics, _), *_published(choice.pairs)]
    figure = scored_figure(
        rows,
        score_title(choice, _),
        current_theme(),
        names=(
            _("measured here, with 95% interval"),
            _("published, on {dataset} test").format(dataset=published_on(choice.pairs)),
        ),
    )
    show_chart(
        chart_of(figure),
        key="sts-claim",
        file_name="sentence-similarity-claim",
        alt="; ".join(map(_label, rows)),
        zoom=False,
    )
    if choice.similarity != "cosine":
        values = {"similarity": similarity_names(_)[choice.similarity]}
        st.markdown(prose(PAGE, "claim-not-cosine", values))
    if uploaded is not None:
        st.markdown(prose(PAGE, "claim-coverage", coverage_values(uploaded)))
        if notes := file_notes(uploaded, _):
            st.markdown(prose(PAGE, "claim-file", {"notes": notes}))
    show_word_pairs(scene, _)
    for line in pooling_lines(scene, statics[-1], _):
        st.markdown(line)
    caption = f"{measured_on(choice, _)} · {fitted_on(choice, _)}"
    st.caption(markdown(caption))
    _show_sources(published_on(choice.pairs), _)
    offer_csv(
        _("Take the bars away (CSV)"), "sentence-similarity-claim", lambda: _csv(rows, caption)
    )


def _measured(scene: Scene, statics: list[Static], _: Translate) -> list[Scored]:
    choice, grid, last = scene.choice, scene.grid, scene.choice.encoder.n_layers
    rows = [row for static in statics for row in _static_rows(choice, static, _)]
    rows.append(_row(_("[CLS], last layer"), grid.cell(last, "cls"), CLS, _))
    if choice.layer != last:
        name = _("[CLS], layer {layer}").format(layer=choice.layer)
        rows.append(_row(name, grid.cell(choice.layer, "cls"), CLS, _))
    for layer in range(last):
        name = _("mean, layer {layer}").format(layer=layer)
        rows.append(_row(name, grid.cell(layer, "mean"), MEAN, _))
    name = _("mean, last layer")
    if is_contrastive(choice.encoder.name):
        name = _("mean, last layer: trained contrastively")
    rows.append(_row(name, grid.cell(last, "mean"), LAST, _))
    for layer, code in product(dict.fromkeys((choice.layer, last)), choice.treatments):
        name = _("mean, layer {layer}, {treatment}").format(
            layer=layer, treatment=treatment_words(code, _)
        )
        rows.append(_row(name, grid.cell(layer, "mean", code), TREATED, _))
    return rows


def _static_rows(choice: Choice, static: Static, _: Translate) -> list[Scored]:
    """The plain average, and the average whitened by a fit on averages of the fit set."""
    share = ""
    if static.averages.coverage < 1 or not static.is_whole:
        share = " " + _("({share} of the words, n = {n})").format(
            share=f"{static.averages.coverage:.1%}", n=f"{static.raw.score.n:,}"
        )
    plain = _("static: average of {name}").format(name=plotly(static.name))
    # the treatment first: narrow screens cut the end of a long line
    white = _("static, {treatment}: average of {name}").format(
        name=plotly(static.name), treatment=treatment_words(choice.whitening, _)
    )
    return [
        _row(plain + share, static.raw, STATIC, _),
        _row(white + share, static.cells[choice.whitening], TREATED, _),
    ]


def _row(name: str, cell: Cell, place: int, _: Translate) -> Scored:
    score = cell.score
    low, high = score.low, score.high
    cut = cut_words(cell, _)
    # the number first: narrow screens cut the end of a long line
    label = f"<b>{with_interval(score.spearman, low, high, _)}</b>  {name}"
    label += f" ({cut})" if cut else ""
    value, low, high = (None if v is None else 100 * v for v in (score.spearman, low, high))
    return Scored(label, value, low, high, place=place)


def published_on(pairs: ScoredSet) -> str:
    """The data set of the published bars: the chosen one if papers score it, else STS-B."""
    name, _split = hub_sets().get(pairs.code, ("", ""))
    title = PAIR_SETS[name].title if name else ""
    return title if title in datasets() else PUBLISHED_ON


def _published(pairs: ScoredSet) -> list[Scored]:
    return [
        Scored(
            f"<b>{score.value:g}</b>  {score.name} ({score.source.partition(':')[0]})",
            score.value,
            is_published=True,
        )
        for score in published_rows(published_on(pairs))
    ]


def published_rows(dataset: str = PUBLISHED_ON) -> list[PublishedScore]:
    """The scores of the published bars."""
    scores = {(score.table, score.name): score for score in published_scores(dataset)}
    return [scores[row] for row in PUBLISHED if row in scores]


def coverage_values(static: Static) -> dict[str, str]:
    """The values in the sentence on coverage."""
    averages = static.averages
    return {
        "name": markdown(static.name),
        "share": f"{averages.coverage:.1%}",
        "n": f"{int(averages.known.sum()):,}",
        "pairs": f"{len(averages.known):,}",
        "unknown": markdown(", ".join(word for word, _count in averages.unknown[:5])) or "—",
    }


def file_notes(static: Static, _: Translate) -> str:
    """What was left out or changed in the file and the fit set; may be empty."""
    averages, report = static.averages, static.averages.report
    fit = _("{n} texts of the fit set left out, for none of their words is known")
    counted = [(averages.n_fit_left_out, fit)]
    if report is not None:
        counted = [
            (report.n_not_finite, _("{n} rows left out for NaN or infinity")),
            (report.n_duplicates, _("{n} rows left out since their word came before")),
            (report.n_replaced, _("{n} words with bytes that do not fit the encoding")),
            (report.n_missing, _("{n} rows that its header promises are not there")),
            *counted,
        ]
    return _("; ").join(text.format(n=f"{n:,}") for n, text in counted if n)


def _show_sources(dataset: str, _: Translate) -> None:
    with st.expander(_("Where the published rows come from, and in which setting")):
        st.dataframe(
            [
                {
                    _("row"): score.name,
                    dataset: score.value,
                    _("source"): score.source,
                    _("setting"): score.setting,
                    _("note"): score.note,
                }
                for score in published_rows(dataset)
            ],
            hide_index=True,
            width="stretch",
        )


def _label(row: Scored) -> str:
    """The row's label without Plotly's HTML."""
    return unescape(row.label.replace("<b>", "").replace("</b>", ""))


def _csv(rows: list[Scored], caption: str) -> bytes:
    text = [
        [
            _label(row),
            "published" if row.is_published else "measured",
            *("" if v is None else short_number(v) for v in (row.value, row.low, row.high)),
        ]
        for row in rows
    ]
    return csv_bytes(["row", "kind", "spearman_x_100", "low", "high"], text, caption)


# The share of pooling


def pooling_lines(scene: Scene, static: Static, _: Translate) -> list[str]:
    """How much of the gap of [CLS] is pooling: published, and measured at the chosen layer."""
    choice = scene.choice
    values = published_share_values(published_on(choice.pairs))
    lines = [prose(PAGE, "claim-published", values)]
    cls, mean = _cls_and_mean(scene, choice.layer, static)
    plain = static.raw.score
    if cls.spearman is None or mean.spearman is None or plain.spearman is None:
        return lines
    shares = PoolingShare(cls.spearman, mean.spearman, plain.spearman)
    ends = PoolingInterval.of(cls, mean, plain)
    gain = difference(cls, mean)
    values = share_values(shares, scale=100.0)
    values |= {
        "layer": f"{choice.layer}",
        "interval": with_interval(gain.value, gain.low, gain.high, _, sign=True),
        "name": markdown(static.name),
        "n": f"{plain.n:,}",
    }
    has_gap = shares.share is not None and (ends is None or ends.share is not None)
    if ends is not None:
        values["gap"] = with_interval(shares.gap, *ends.gap, _, sign=not has_gap)
    if ends is not None and ends.share is not None:
        low, high = (f"{end:.0%}" for end in ends.share)
        values["share"] += f" [{low},\u00a0{high}]"
    return [*lines, prose(PAGE, "claim-here" if has_gap else "claim-no-gap", values)]


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


def _cls_and_mean(scene: Scene, layer: int, static: Static) -> tuple[PairScore, PairScore]:
    """Scores of [CLS] and mean on the pairs that the static average is scored on."""
    choice, grid = scene.choice, scene.grid
    if static.is_whole:
        return grid.cell(layer, "cls").score, grid.cell(layer, "mean").score
    rows = np.flatnonzero(static.averages.known)
    key = ArrayStore.key(choice.key, "pooling", layer, rows.tobytes().hex())

    def make() -> tuple[PairScore, PairScore]:
        bootstrap = PairBootstrap(choice.pairs.pairs.gold_scores[rows], DRAWS, SEED)
        cls, mean = (
            score_column(scene.encoded, layer, pooling, ("none",), bootstrap, rows).cells[0].score
            for pooling in ("cls", "mean")
        )
        return cls, mean

    return _POOLED.get_or_make(key, make, private=True)


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
