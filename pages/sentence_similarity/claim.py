"""The claim "BERT ≪ GloVe": static averages, [CLS], means by layer, treated, beside published."""

from __future__ import annotations

from itertools import product

import streamlit as st

from geometry.evaluate.grid import Cell, Grid
from geometry.evaluate.published import PublishedScore, datasets, published_scores
from geometry.figures.scored import Scored, scored_figure
from geometry.hub.catalogue import is_contrastive
from geometry.hub.pair_sets import PAIR_SETS
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.words import Translate, prose

from .choices import similarity_names, treatment_words
from .pairs import ScoredSet, hub_sets
from .pooling import pooling_lines
from .scene import Asked
from .static import Static, own_static, uploaded_static
from .word_pairs import show_word_pairs
from .words import cut_words, fitted_on, measured_on, score_title, with_interval

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
    statics = [own_static(asked, _)]
    uploaded = uploaded_static(asked, _)
    statics += [] if uploaded is None else [uploaded]
    rows = [*_measured(asked, grid, statics, _), *_published(asked.pairs)]
    figure = scored_figure(
        rows,
        score_title(asked, _),
        current_theme(),
        names=(
            _("measured here, with 95% interval"),
            _("published, on {dataset} test").format(dataset=published_on(asked.pairs)),
        ),
    )
    show_chart(
        chart_of(figure),
        key="sts-claim",
        file_name="sentence-similarity-claim",
        alt="; ".join(row.label for row in rows),
        zoom=False,
    )
    if asked.similarity != "cosine":
        values = {"similarity": similarity_names(_)[asked.similarity]}
        st.markdown(prose(PAGE, "claim-not-cosine", values))
    if uploaded is not None:
        st.markdown(prose(PAGE, "claim-coverage", coverage_values(uploaded)))
        if told := file_words(uploaded, _):
            st.markdown(prose(PAGE, "claim-file", {"told": told}))
    show_word_pairs(asked, _)
    for line in pooling_lines(asked, grid, statics[-1], _):
        st.markdown(line)
    told = f"{measured_on(asked, _)} · {fitted_on(asked, _)}"
    st.caption(told)
    _show_sources(published_on(asked.pairs), _)
    offer_csv(_("Take the bars away (CSV)"), "sentence-similarity-claim", lambda: _csv(rows, told))


def _measured(asked: Asked, grid: Grid, statics: list[Static], _: Translate) -> list[Scored]:
    last = asked.last
    rows = [row for one in statics for row in _static_rows(asked, one, _)]
    rows.append(_row(_("[CLS], last layer"), grid.cell(last, "cls"), CLS, _))
    if asked.layer != last:
        told = _("[CLS], layer {layer}").format(layer=asked.layer)
        rows.append(_row(told, grid.cell(asked.layer, "cls"), CLS, _))
    for layer in range(last):
        told = _("mean, layer {layer}").format(layer=layer)
        rows.append(_row(told, grid.cell(layer, "mean"), MEAN, _))
    told = _("mean, last layer")
    if is_contrastive(asked.encoder.name):
        told = _("mean, last layer: trained contrastively")
    rows.append(_row(told, grid.cell(last, "mean"), LAST, _))
    for layer, code in product(dict.fromkeys((asked.layer, last)), asked.treatments):
        told = _("mean, layer {layer}, {treatment}").format(
            layer=layer, treatment=treatment_words(code, _)
        )
        rows.append(_row(told, grid.cell(layer, "mean", code), TREATED, _))
    return rows


def _static_rows(asked: Asked, static: Static, _: Translate) -> list[Scored]:
    """The plain average, and the whitened one: fitted on the fit set's own averages."""
    share = ""
    if static.averages.coverage < 1 or not static.is_whole:
        share = " " + _("({share} of the words, n = {n})").format(
            share=f"{static.averages.coverage:.1%}", n=f"{static.raw.score.n:,}"
        )
    plain = _("static: average of {name}").format(name=static.name)
    # the treatment first: on a narrow screen the end of a long line is cut
    white = _("static, {treatment}: average of {name}").format(
        name=static.name, treatment=treatment_words(asked.whitening, _)
    )
    return [
        _row(plain + share, static.raw, STATIC, _),
        _row(white + share, static.cells[asked.whitening], TREATED, _),
    ]


def _row(name: str, cell: Cell, place: int, _: Translate) -> Scored:
    score = cell.score
    low, high = score.low, score.high
    cut = cut_words(cell, _)
    # the number first: on a narrow screen the end of a long line is cut
    told = f"<b>{with_interval(score.spearman, low, high, _)}</b>  {name}"
    told += f" ({cut})" if cut else ""
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


def coverage_values(static: Static) -> dict[str, str]:
    """What the file knows of these pairs."""
    averages = static.averages
    return {
        "name": static.name,
        "share": f"{averages.coverage:.1%}",
        "n": f"{int(averages.known.sum()):,}",
        "pairs": f"{len(averages.known):,}",
        "unknown": ", ".join(word for word, _count in averages.unknown[:5]) or "—",
    }


def file_words(static: Static, _: Translate) -> str:
    """What of the file and of the fit set was left out or changed; empty where nothing was."""
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
