"""The ladder of scores, published scores beside it, and the page's claims."""

from collections.abc import Sequence
from html import unescape
from typing import Any

import numpy as np
import streamlit as st

from geometry import Pairs
from geometry.claims.scores import PoolingInterval, PoolingShare
from geometry.data.number_text import signed
from geometry.evaluate.bootstrap import Difference, PairScore, difference, resamples_of
from geometry.evaluate.grid import Cell
from geometry.evaluate.published import PublishedScore, datasets, published_scores, published_tables
from geometry.figures.curves import Axes, Curve, scatter_figure
from geometry.figures.ladder import Rung, Tick, ladder_figure
from geometry.hub.catalogue import NOT_STATED, is_contrastive
from geometry.hub.pair_sets import NOTES, PAIR_SETS
from pages.common import measures
from pages.common.address import number_in_url, put_in_url
from pages.common.cache import kept
from pages.common.controls import pooling_names
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.draw.charts import share_texts, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.models import chosen_model
from pages.common.scores import (
    PUBLISHED_ON,
    SBERT,
    clear_sign,
    hundred,
    moved_words,
    row_name,
    score_words,
    source_words,
    with_interval,
)
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_words
from pages.common.uploads import BUNDLED_NAMES
from pages.common.words import (
    _,
    labelled,
    markdown,
    markdown_table,
    noted,
    paragraph,
    plotly,
    prose,
)

from . import PAGE, choices
from . import scene as scored
from .scene import SimilarityScene, score_column

PUBLISHED = {  # (table, row) of the ticks on each rung
    "static": (("zipfian_2024_sts", "GloVe-840B"),),
    "without stop words": ((SBERT, "avg GloVe"),),  # reproduced only so
    "cls": ((SBERT, "BERT CLS"),),
    "mean": ((SBERT, "avg BERT"),),
    scored.FIRST_LAST: (
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


def tick_name(score: PublishedScore) -> str:
    return {
        (SBERT, "avg GloVe"): "GloVe",
        (SBERT, "BERT CLS"): "BERT [CLS]",
        (SBERT, "avg BERT"): _("BERT mean"),
        ("bert_flow_table_2", "BERTbase first-last"): _("first-last (Li)"),
        ("simcse_table_5", "BERT first-last"): _("first-last (Gao)"),
        ("bert_flow_table_2", "flow target"): "BERT-flow",
        ("simcse_table_b2", "whiten target all"): _("BERT, whitened"),
        (SBERT, "SBERT-NLI-base"): "SBERT",
        ("simcse_table_5", "unsup SimCSE"): _("SimCSE, unsupervised"),
        ("simcse_table_5", "sup SimCSE"): _("SimCSE, supervised"),
        ("simcse_table_5", "SBERT-whitening"): _("SBERT, whitened"),
    }.get((score.table, score.name), score.name)


def note_words(score: PublishedScore) -> str:
    if (score.table, score.name) == ("simcse_table_5", "BERT first-last"):
        return _(
            "For the mean of two layers, this table prints 53.87 on STS-B and Li et al. (2020) "
            "59.04. The first layer is probably another one. This is disputed."
        )
    return {
        "zipfian_2024_sts": _("A plain average of the words; scored on MTEB’s test sets."),
        "bert_flow_table_2": _("The paper calls the mean of these two layers last2avg."),
        "simcse_table_b2": _("The whitening of Su et al. (2021), run again by Gao et al. (2021)."),
    }.get(score.table, "")


def published_on(pairs: choices.ScoredSet) -> str:
    """The data set of the published ticks: the chosen one if papers score it, else STS-B."""
    name, _split = choices.hub_sets().get(pairs.code, ("stsb", ""))
    title = PAIR_SETS[name].title
    return title if title in datasets() else PUBLISHED_ON


def published_rows(dataset: str, rung: str) -> list[PublishedScore]:
    scores = {(score.table, score.name): score for score in published_scores(dataset)}
    return [scores[row] for row in PUBLISHED[rung] if row in scores]


def _tick(score: PublishedScore) -> Tick:
    name = row_name(score.table, score.name)
    about = _("<b>{score}</b>  {name}: {source}")
    about = about.format(score=f"{score.value:g}", name=name, source=source_words(score))
    return Tick(score.value, about, tick_name(score))


def show_published(scene: SimilarityScene) -> None:
    dataset = published_on(scene.choice.pairs)
    st.markdown(prose(PAGE, "claim-look"))
    shares = {name: _published_share(name) for name in datasets()}
    share = shares[dataset]
    of_gaps = [each.share for each in shares.values() if each.share is not None]
    values = share_values(share, scale=1.0) | {
        "dataset": dataset,
        "rest": signed(share.mean - share.static, 1),
        "least": f"{min(of_gaps):.0%}",
        "most": f"{max(of_gaps):.0%}",
    }
    st.markdown(prose(PAGE, "claim-published", values))
    head = [_("method"), dataset.replace("-", "\u2011"), _("source"), _("setting"), _("note")]
    lines = [head, ["---", "---:", "---", "---", "---"]]  # a hyphen would break the line
    for rung in PUBLISHED:
        for score in published_rows(dataset, rung):
            setting = _("all subsets as one set (all)")
            if score.table == "bert_flow_table_2":
                setting = _("mean of the subsets, weighted by pairs (wmean)")
            name = markdown(row_name(score.table, score.name))
            words = source_words(score), setting, note_words(score)
            lines.append([name, f"{score.value:g}", *words])
    st.markdown(markdown_table(lines))  # in a data frame long notes would be cut


def show_sbert_table(_scene: SimilarityScene) -> None:
    [table] = (each for each in published_tables() if each.key == SBERT)
    st.markdown(prose(PAGE, "sbert-table"))
    scores = np.array([*table.rows.values()], dtype=float)  # None becomes NaN
    columns: dict[str, Any] = {_("method"): [row_name(SBERT, name) for name in table.rows]}
    columns |= dict(zip(table.columns, scores.T, strict=True))
    columns[_("mean of the sets")] = np.nanmean(scores, axis=1).round(2)
    st.dataframe(columns, hide_index=True, width="stretch")


def _published_share(dataset: str) -> PoolingShare:
    of_sbert = {s.name: s.value for s in published_scores(dataset) if s.table == SBERT}
    return PoolingShare(of_sbert["BERT CLS"], of_sbert["avg BERT"], of_sbert["avg GloVe"])


def share_values(shares: PoolingShare, *, scale: float) -> dict[str, str]:
    names = ("cls", "mean", "static", "gap", "pooling")
    values = {name: signed(scale * getattr(shares, name), 1) for name in names}
    return values | {"share": "—" if shares.share is None else f"{shares.share:.0%}"}


def show_about(scene: SimilarityScene) -> None:
    pairs = scene.choice.pairs
    if pairs.is_bundled:
        st.caption(prose(PAGE, f"about-{BUNDLED_NAMES[pairs.code]}"))
    if pairs.code not in choices.hub_sets():
        return
    name, _split = choices.hub_sets()[pairs.code]
    origin = PAIR_SETS[name]
    low, high = pairs.pairs.scale or pairs.pairs.score_range
    values = {
        "name": markdown(pairs.pairs.name),
        "repository": origin.repository,
        "revision": origin.revision[:12],
        "licence": origin.licence if origin.licence != NOT_STATED else _("not stated"),
        "low": f"{low:g}",
        "high": f"{high:g}",
        "note": _(NOTES[name]),
    }
    st.caption(prose(PAGE, "hub-set", values))


STATIC, CLS, MEAN, TREATED, LAST = range(5)  # families of rungs, each with a colour


def show_ladder(scene: SimilarityScene) -> None:
    choice = scene.choice
    rungs = ladder_rungs(scene)
    dataset = published_on(choice.pairs)
    here = _("measured here, with 95% interval")
    published = _("published, on {dataset} test").format(dataset=dataset)
    of_glove = ("static", "without stop words")
    scores = [score.value for rung in of_glove for score in published_rows(dataset, rung)]
    low, high = min(scores), max(scores)
    about = _("averaged GloVe on {dataset}, published: {low} to {high}")
    about = about.format(dataset=dataset, low=f"{low:.0f}", high=f"{high:.0f}")
    names = (here, published)
    band = (about, low, high)
    figure = ladder_figure(rungs, choices.score_title(), current_theme(), names=names, band=band)
    texts = [text for rung in rungs for text in (rung.about, *(tick.text for tick in rung.ticks))]
    name = "sentence-similarity-ladder"
    alt = _("; ").join(map(_plain, texts))
    show_chart(figure, key="sts-claim", file_name=name, alt=alt, zoom=False)
    show_headlines(scene)
    about = ladder_caption(choice)
    st.caption(paragraph([prose(PAGE, "rho"), markdown(about)]), help=measures.explained(about))


def ladder_caption(choice: choices.ScoringChoice) -> str:
    return f"{choices.measured_on(choice)} · {choices.fitted_on(choice)}"


def ladder_rungs(scene: SimilarityScene) -> list[Rung]:
    """The rungs from averaged word vectors to the last layer, without repetitions."""
    choice = scene.choice
    last = choice.encoder.n_layers
    layer, pooling, after = choice.layer, choice.pooling, choice.after
    dataset = published_on(choice.pairs)
    ticks = {rung: [*map(_tick, published_rows(dataset, rung))] for rung in PUBLISHED}
    of_static = ticks["static"], ticks["without stop words"]
    beside = {scene.own_static: [*of_static[0], *of_static[1]]}
    if scene.glove:
        beside = dict(zip(scene.glove, of_static, strict=True))
    # word vectors as the model: their average is the last rung, and no token is [CLS]
    statics = scene.statics if last else scene.statics[1:]
    rungs = [rung for each in statics for rung in _static_rungs(each, beside.get(each, ()))]
    if last:
        name = place_words(scene, layer, "cls")
        rungs.append(_rung(name, scene.cell(layer, "cls"), CLS, ticks["cls"]))
    if layer not in (last, scored.FIRST_LAST):
        name = place_words(scene, layer, "mean")
        rungs.append(_rung(name, scene.cell(layer, "mean"), MEAN, ticks["mean"]))
    if pooling not in ("cls", "mean"):
        rungs.append(_rung(place_words(scene, layer, pooling), scene.cell(layer, pooling), MEAN))
    if last > 1:
        name = choices.layer_phrase(scored.FIRST_LAST)
        cell = scene.cell(scored.FIRST_LAST, "mean")
        rungs.append(_rung(name, cell, MEAN, ticks[scored.FIRST_LAST]))
    for each in dict.fromkeys([pooling, "mean"]):
        if (layer, each) != (last, "mean"):
            name = treated_words(place_words(scene, layer, each), after)
            published = ticks["treated"] if each == "mean" else ()  # the papers treat means
            rungs.append(_rung(name, scene.cell(layer, each, after), TREATED, published))
    of_last = [*ticks["last treated"], *(ticks["treated"] if layer == last else ())]
    raw, treated = scene.output
    name = place_words(scene, last, "mean")
    shown = (
        _("{place}: trained contrastively") if is_contrastive(choice.encoder.name) else "{place}"
    )
    rungs.append(_rung(shown.format(place=name), raw, LAST, ticks["last"]))
    rungs.append(_rung(treated_words(name, after), treated, TREATED, of_last))
    return rungs


def place_words(scene: SimilarityScene, layer: int | str, pooling: str) -> str:
    is_last = layer == scene.choice.encoder.n_layers
    words = _("{pooling}, last layer") if is_last else _("{pooling}, {layers}")
    return words.format(pooling=pooling_names()[pooling], layers=choices.layer_phrase(layer))


def treated_words(place: str, treatment: str) -> str:
    return _("{place}, {treatment}").format(place=place, treatment=treatment_words(treatment))


def _static_rungs(static: scored.StaticScores, ticks: Sequence[Tick]) -> list[Rung]:
    average = _("average of {name}")
    name = average.format(name=plotly(static.name))
    short = average.format(name=static.short)
    is_whole = static.averages.coverage == 1 and static.averages.known.all()
    named = "{name}" if is_whole else _("{name} ({share} of the words, n = {n})")
    values = {"share": f"{static.averages.coverage:.1%}", "n": f"{static.raw.score.n:,}"}
    rungs = [_rung(named.format(name=name, **values), static.raw, STATIC, ticks, short)]
    for cell in static.removed:
        treated = named.format(name=treated_words(name, cell.treatment), **values)
        shorter = treated_words(static.short, cell.treatment)
        rungs.append(_rung(treated, cell, TREATED, short=shorter))
    return rungs


def _rung(
    name: str, cell: Cell, place: int, ticks: Sequence[Tick] = (), short: str | None = None
) -> Rung:
    """A rung. Its number is first, because narrow screens cut the end of a long line."""
    score = cell.score
    label = f"<b>{hundred(score.spearman)}</b>  {short or name}"
    about = f"<b>{score_words(score)}</b>  {name}"
    if cell.is_clamped:
        about = noted(about, choices.cut_words(cell))
    ends = (score.spearman, score.low, score.high)
    value, low, high = (None if end is None else 100 * end for end in ends)
    return Rung(label, about, value, low, high, place, ticks)


def show_headlines(scene: SimilarityScene) -> None:
    choice = scene.choice
    treatment = treatment_words(choice.after)
    cells = {
        choices.cell_words(choice.layer, pooling): scene.cell(choice.layer, pooling, choice.after)
        for pooling in dict.fromkeys([choice.pooling, "mean"])
        if (choice.layer, pooling) != (choice.encoder.n_layers, "mean")
    }
    cells[_("last layer, mean")] = scene.output[1]
    numbers = []
    for name, cell in cells.items():
        moved = cell.difference
        is_known = moved is not None and moved.value is not None
        change = measures.change_words(moved_words(moved)) if is_known else ""
        numbers.append(measures.BigNumber(name, hundred(cell.score.spearman), treatment, change))
    measures.show_big_numbers(_("Whitening and the last layer"), numbers, key="sts-headlines")
    said = []
    for sign, text in (
        (1, _("Higher after the treatment: {places}.")),
        (0, _("No clear difference: {places}.")),
        (-1, _("Lower after the treatment: {places}.")),
    ):
        places = [name for name, cell in cells.items() if clear_sign(cell.difference) == sign]
        if places:
            said.append(text.format(places=markdown(_("; ").join(places))))
    if said:
        st.markdown(paragraph(said))


def _plain(text: str) -> str:
    """A hover text without Plotly's HTML."""
    return unescape(text.replace("<b>", "").replace("</b>", ""))


def ladder_csv(scene: SimilarityScene) -> bytes:
    rows: list[list[CsvCell]] = []
    measured, published = ("measured", _("measured here")), ("published", _("published"))
    for rung in ladder_rungs(scene):
        values = map(short_number, (rung.value, rung.low, rung.high))
        rows.append([_plain(rung.about).split("  ", 1)[1], measured, *values])
        for tick in rung.ticks:
            name = _plain(tick.text).split("  ", 1)[1]
            rows.append([name, published, short_number(tick.value), "", ""])
    head = ["method", "kind", "spearman_x_100", "low", "high"]
    return csv_bytes(head, rows, ladder_caption(scene.choice))


def pooling_words_here(scene: SimilarityScene) -> tuple[str, tuple[Difference, ...]]:
    """How much of the gap of [CLS] is due to pooling; static average minus [CLS], minus the mean.

    It is to GloVe without stop words, else to the input vectors.
    """
    choice = scene.choice
    static = scene.statics[-1]
    columns = ((choice.layer, "cls"), (choice.layer, "mean"))
    cls, mean = _on_known_pairs(scene.encoded, columns, np.flatnonzero(static.averages.known))
    plain = static.raw.score
    if cls.spearman is None or mean.spearman is None or plain.spearman is None:
        return "", ()
    shares = PoolingShare(cls.spearman, mean.spearman, plain.spearman)
    ends = PoolingInterval.of(cls, mean, plain)
    values = share_values(shares, scale=100.0)
    moved, rest = (moved_words(difference(each, mean)) for each in (cls, plain))
    values |= {"layer": choices.layer_phrase(choice.layer), "interval": moved, "rest": rest}
    values |= {"name": markdown(static.name), "n": f"{plain.n:,}"}
    section = gap_section(shares, ends)
    if ends is not None:
        values["gap"] = with_interval(shares.gap, *ends.gap, sign=section != "claim-here")
    if ends is not None and ends.share is not None:
        low, high = (f"{end:.0%}" for end in ends.share)
        values["share"] += f" [{low},\u00a0{high}]"
    return prose(PAGE, section, values), (difference(cls, plain), difference(mean, plain))


def gap_section(shares: PoolingShare, ends: PoolingInterval | None) -> str:
    if shares.share is not None and (ends is None or ends.share is not None):
        return "claim-here"
    return "claim-above" if ends is not None and ends.gap[1] < 0 else "claim-no-gap"


@kept(64)
def _on_known_pairs(
    encoded: scored.EncodedPairs, columns: tuple[scored.Column, ...], rows: np.ndarray
) -> tuple[PairScore, ...]:
    bootstrap = resamples_of(encoded.pairs.pairs.among(rows), seed=SEED)
    return tuple(
        score_column(encoded, *column, ("none",), bootstrap=bootstrap, rows=rows).cells[0].score
        for column in columns
    )


def whitening_verdict(scene: SimilarityScene) -> measures.Verdict:
    choice = scene.choice
    raw, treated = scene.output
    lines = [_output_words(raw, treated, choice)]
    cell = scene.cell(choice.layer, choice.pooling, choice.after)
    if cell.difference is None or cell.difference.value is None:
        if cell is not treated:
            unscored = _("At {cell} there is no score.")
            lines.append(unscored.format(cell=choices.cell_words(choice.layer, choice.pooling)))
        cell = treated
    elif cell is not treated:
        lines.append(_cell_words(scene, cell))
    over: Difference | None = None
    own = _("subtracting the mean is itself the control of the other treatments.")
    control: measures.Control | measures.NoControl = measures.NoControl(own)
    if choice.after != scored.CONTROL:
        centred = scene.cell(choice.encoder.n_layers, "mean", scored.CONTROL)
        over = difference(centred.score, treated.score)
        said = _(
            "subtracting the mean alone, fitted on the same sentences: **{score}** "
            "({change}). The treatment minus this: **{over}**."
        ).format(
            score=hundred(centred.score.spearman),
            change=moved_words(centred.difference),
            over=moved_words(over),
        )
        control = measures.Control(said)
    claim = _("Whitening makes the similarities of sentences better.")
    source = _("Su et al. (2021), Huang et al. (2021)")
    state = _state(*map(clear_sign, (treated.difference, cell.difference, over)))
    basis = markdown(choices.measured_on(choice, choices.fitted_on(choice)))
    return measures.Verdict(claim, source, state, paragraph(lines), control, basis)


def _state(output: int | None, cell: int | None, over: int | None) -> measures.State:
    """The claim's state by signs: at the last layer, at the chosen cell, and over the control."""
    signs = {output, cell}
    if None in signs or signs == {0}:
        return "unknown"
    if -1 not in signs and output == 1 and over == 1:
        return "holds"
    return "partly" if 1 in signs else "fails"


def _output_words(raw: Cell, treated: Cell, choice: choices.ScoringChoice) -> str:
    moved = treated.difference
    if moved is None or moved.value is None:
        return _("The mean of the last layer has no score here.")
    advice = {
        1: _("use it"),
        -1: _("leave the vectors raw"),
        0: _("no clear difference"),
        None: _("too few pairs to tell"),
    }
    return _(
        "Last layer, mean: raw **{before}** → {treatment} **{after}** ({change}): **{advice}**."
    ).format(
        before=hundred(raw.score.spearman),
        treatment=treatment_words(choice.after),
        after=hundred(treated.score.spearman),
        change=moved_words(moved),
        advice=advice[clear_sign(moved)],
    )


def _cell_words(scene: SimilarityScene, cell: Cell) -> str:
    choice = scene.choice
    before = scene.cell(choice.layer, choice.pooling)
    words = {
        1: _("At {cell} it helps: {before} → {after} ({change})."),
        -1: _("At {cell} it hurts: {before} → {after} ({change})."),
        0: _("At {cell} the difference is not clear: {before} → {after} ({change})."),
        None: _("At {cell}, without an interval: {before} → {after} ({change})."),
    }
    return words[clear_sign(cell.difference)].format(
        cell=choices.cell_words(choice.layer, choice.pooling),
        before=hundred(before.score.spearman),
        after=hundred(cell.score.spearman),
        change=moved_words(cell.difference),
    )


def pooling_verdict(scene: SimilarityScene) -> measures.Verdict:
    words, gaps = pooling_words_here(scene)
    if scene.choice.encoder.n_layers == 0:
        words = prose(PAGE, "claim-static")
        gaps = ()
    elif words and scene.glove:
        words += "\n\n" + layers_words(scene)
    if words and is_contrastive(scene.choice.encoder.name):
        dataset = published_on(scene.choice.pairs)
        values = share_values(_published_share(dataset), scale=1.0)
        words += "\n\n" + prose(PAGE, "claim-contrastive", values | {"dataset": dataset})
    no_control = _(
        "all vectors are scored on the same pairs, and the intervals are those of the differences."
    )
    claim = _("BERT’s sentence vectors are worse than averaged word vectors.")
    source = _("Reimers & Gurevych (2019), Li et al. (2020)")
    measured = words or _("One of the scores is undefined here.")
    basis = markdown(choices.measured_on(scene.choice, _("raw vectors, nothing fitted")))
    control = measures.NoControl(no_control)
    states: dict[int | None, measures.State] = {1: "holds", -1: "fails"}
    state = measures.overall_state({states.get(clear_sign(gap), "unknown") for gap in gaps})
    return measures.Verdict(claim, source, state, measured, control, basis)


def layers_words(scene: SimilarityScene) -> str:
    static = scene.glove[-1]
    layers = range(scene.choice.encoder.n_layers + 1)
    said = []
    for pooling, name in (("mean", _("means")), ("cls", "[CLS]")):
        columns = tuple((layer, pooling) for layer in layers)
        if not scored.are_stored(scene.encoded, columns):
            continue
        scores = _on_known_pairs(scene.encoded, columns, np.flatnonzero(static.averages.known))
        signs = [clear_sign(difference(score, static.raw.score)) for score in scores]
        below, above = (
            _(", ").join(str(at) for at, each in enumerate(signs) if each == sign)
            for sign in (1, -1)
        )
        found = []
        if below:
            found.append(_("clearly below at layers {layers}").format(layers=below))
        if above:
            found.append(_("clearly above at layers {layers}").format(layers=above))
        said.append(labelled(name, _("; ").join(found) or _("no clear difference at any layer")))
    averages = static.averages
    values = {
        "name": markdown(static.name),
        "found": _(". ").join(said),
        "n": f"{int(averages.known.sum()):,}",
        "pairs": f"{len(averages.known):,}",
        "stopped": f"{averages.n_stopped:,}",
    }
    words = prose(PAGE, "claim-layers", values)
    if chosen_model().is_bundled:
        words = paragraph([words, prose(PAGE, "claim-stsb")])
    return words


HEIGHT = 360
MOST = 20  # pairs in each table
MARGIN = 0.04  # share of the range, added beyond the outermost points
TEXTS = "sts-pairs"


def show_moves(scene: SimilarityScene) -> None:
    choice = scene.choice
    moves = scored.pair_moves(scene.encoded, choice.layer, choice.pooling, choice.after)
    quoted = {"treatment": treatment_words(choice.after)}
    st.markdown(prose(PAGE, "pairs", quoted))
    if moves is None:
        st.info(prose(PAGE, "pairs-undefined", quoted))
        return
    pairs = choice.pairs.pairs
    number = st.session_state.get("pair", number_in_url("pair"))  # that was clicked or typed
    if number is None or not 1 <= number <= len(pairs):
        chosen = int(np.argmax(np.abs(moves.ranks.moved)))
    else:
        chosen = int(number) - 1
    both_sides = zip(pairs.left, pairs.right, strict=True)
    share_texts(TEXTS, [f"{plotly(a)}<br>{plotly(b)}" for a, b in both_sides])
    both = np.concatenate([moves.before, moves.after])
    margin = MARGIN * float(np.ptp(both)) or MARGIN
    ends = (float(both.min()) - margin, float(both.max()) + margin)
    after = _("After: {name}").format(name=treatment_words(choice.after))
    sides = (("before", _("Before: raw"), moves.before), ("after", after, moves.after))
    for box, (kind, title, values) in zip(st.columns(2), sides, strict=True):
        with box:
            st.markdown(f"**{title}**")
            _scatter(pairs.gold_scores, kind, values, ends, chosen)
    _show_chosen(pairs, moves, chosen)
    _tables(pairs, moves)
    cell = choices.cell_words(choice.layer, choice.pooling)
    caption = " · ".join([choices.measured_on(choice), cell, choices.fitted_on(choice)])
    st.caption(markdown(caption))
    name = "sentence-similarity-pairs"
    offer_csv(_("Download pairs (CSV)"), name, lambda: pairs_csv(pairs, moves, caption))


def _choose(row: int) -> None:
    st.session_state["pair"] = row + 1


def _scatter(
    gold: np.ndarray, kind: str, values: np.ndarray, ends: tuple[float, float], chosen: int
) -> None:
    name = _("cosine")
    ring = _("chosen pair"), float(gold[chosen]), float(values[chosen])
    figure = scatter_figure(
        [Curve(gold, values, "", 1 if kind == "before" else 0, about=[""] * len(gold))],
        Axes(_("human score"), name, y_range=ends),
        current_theme(),
        ring=ring,
        height=HEIGHT,
    )
    low, high = signed(values.min(), 2), signed(values.max(), 2)
    alt = _("{similarity} of {n} pairs against their human scores; from {low} to {high}")
    show_chart(
        figure,
        key=f"sts-pairs-{kind}",
        file_name=f"sentence-similarity-pairs-{kind}",
        alt=alt.format(similarity=name, n=f"{len(gold):,}", low=low, high=high),
        on_point=_choose,
        texts=TEXTS,
    )


def _show_chosen(pairs: Pairs, moves: scored.Moves, row: int) -> None:
    n = len(pairs)
    ranks = moves.ranks
    box, words = st.columns([1, 4])
    st.session_state["pair"] = row + 1
    # not bound to the address: Streamlit fails on an infinite number there
    box.number_input(_("Pair number"), 1, n, key="pair", persist_state="session")
    put_in_url("pair", str(row + 1))
    gold = pairs.gold_scores[row]
    moved = ranks.moved[row]
    gained = ranks.gained[row]
    n_tied = int(np.sum(pairs.gold_scores == gold))  # they share the mean of their ranks
    place = _("rank {rank} of {n}")
    if n_tied > 1:
        place = _("rank {rank} of {n}, shared by {k} pairs with this score")
    towards = _("as near to the rank by human score as before")
    if gained > 0:
        towards = _("{k} nearer to the rank by human score")
    elif gained < 0:
        towards = _("{k} farther from the rank by human score")
    sentence = _(
        "Human score {gold} ({place}); {similarity} {before} → {after}; rank {rank_before} → "
        "{rank_after}: it moved by {moved}, {gained}."
    ).format(
        similarity=_("cosine"),
        gold=f"{gold:g}",
        place=place.format(rank=f"{ranks.gold[row]:g}", n=f"{n:,}", k=f"{n_tied:,}"),
        before=signed(moves.before[row], 3),
        after=signed(moves.after[row], 3),
        rank_before=f"{ranks.before[row]:g}",
        rank_after=f"{ranks.after[row]:g}",
        moved=f"{moved:+g}".replace("-", "−") if moved else "0",
        gained=towards.format(k=f"{abs(gained):g}"),
    )
    words.text(f"{pairs.left[row]}\n{pairs.right[row]}")
    words.markdown(sentence)


def _tables(pairs: Pairs, moves: scored.Moves) -> None:
    ranks = moves.ranks
    name = _("cosine")
    gained = _("The {k} pairs that gained most: nearer to the rank by human score")
    lost = _("The {k} pairs that lost most: farther from the rank by human score")
    most_gained = "gained", gained, ranks.gained_most(MOST)
    for kind, title, rows in most_gained, ("lost", lost, ranks.lost_most(MOST)):
        columns = {
            _("pair"): rows + 1,
            _("nearer by"): ranks.gained[rows],
            _("rank moved"): ranks.moved[rows],
            _("human score"): pairs.gold_scores[rows],
            _("{similarity} before").format(similarity=name): moves.before[rows].round(3),
            _("{similarity} after").format(similarity=name): moves.after[rows].round(3),
            _("first sentence"): [pairs.left[row] for row in rows],
            _("second sentence"): [pairs.right[row] for row in rows],
        }
        with st.expander(title.format(k=len(rows)), key=f"sts-{kind}"):
            st.dataframe(columns, hide_index=True, width="stretch")


def pairs_csv(pairs: Pairs, moves: scored.Moves, caption: str) -> bytes:
    head = ["pair", "left", "right", "gold", "before", "after"]
    head += ["rank_gold", "rank_before", "rank_after", "rank_moved", "nearer_by"]
    ranks = moves.ranks
    columns = [pairs.gold_scores, moves.before, moves.after]
    columns += [ranks.gold, ranks.before, ranks.after, ranks.moved, ranks.gained]
    rows = [
        [str(i + 1), left, right, *(short_number(column[i]) for column in columns)]
        for i, (left, right) in enumerate(zip(pairs.left, pairs.right, strict=True))
    ]
    return csv_bytes(head, rows, caption)
