"""The claim "BERT ≪ GloVe" as a ladder: static averages, [CLS], means, whitened, last layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape

import numpy as np
import streamlit as st

from geometry.evaluate.bootstrap import DRAWS, Difference, PairBootstrap, PairScore, difference
from geometry.evaluate.claims import PoolingInterval, PoolingShare
from geometry.evaluate.grid import Cell
from geometry.figures.ladder import Rung, ScoreRange, Tick, ladder_figure
from geometry.hub.catalogue import is_contrastive
from geometry.palette import Theme
from pages.common.big_numbers import BigNumber, show_big_numbers
from pages.common.cache import kept
from pages.common.controls import pooling_names
from pages.common.downloads import csv_bytes, short_number
from pages.common.draw.charts import Chart, chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.escape import markdown, plotly
from pages.common.glosses import explained
from pages.common.scores import hundred, with_interval
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_words
from pages.common.words import _, prose

from . import PAGE
from .choices import ScoringChoice, fitted_on, measured_on, score_title
from .published import glove_band, published_on, published_ticks, share_values
from .scene import FIRST_LAST, EncodedPairs, Scene, score_column
from .word_vectors import Static
from .words import cell_words, cut_words, similarity_names

STATIC, CLS, MEAN, TREATED, LAST = range(5)  # families of rungs, each with a colour


def show_ladder(scene: Scene) -> None:
    """The ladder, up to three numbers, and on what they were measured."""
    choice = scene.choice
    rungs = ladder_rungs(scene)
    dataset = published_on(choice.pairs)
    title, theme, band = score_title(choice), current_theme(), glove_band(dataset)
    names = (
        _("measured here, with 95% interval"),
        _("published, on {dataset} test").format(dataset=dataset),
    )
    is_own = scene.encoded.private or any(static.is_uploaded for static in scene.statics)
    show_chart(
        _chart(rungs, title, theme, names, band, is_own),
        key="sts-claim",
        file_name="sentence-similarity-ladder",
        alt="; ".join(map(_plain, rungs)),
        zoom=False,
    )
    show_big_numbers(_("Whitening and the last layer"), headlines(scene), key="sts-headlines")
    if said := where_it_helps(scene):
        st.markdown(said)
    about = ladder_caption(choice)
    st.caption(f"{prose(PAGE, 'rho')} {markdown(about)}", help=explained(about))
    if choice.similarity != "cosine":
        values = {"similarity": similarity_names()[choice.similarity]}
        st.markdown(prose(PAGE, "claim-not-cosine", values))


@kept(128)
def _chart(
    rungs: Sequence[Rung],
    title: str,
    theme: Theme,
    names: tuple[str, str],
    band: ScoreRange,
    private: bool,
) -> Chart:
    return chart_of(ladder_figure(rungs, title, theme, names=names, band=band))


def ladder_caption(choice: ScoringChoice) -> str:
    """On what the ladder was measured."""
    return f"{measured_on(choice)} · {fitted_on(choice)}"


def ladder_rungs(scene: Scene) -> list[Rung]:
    """The rungs from averaged word vectors to the last layer, without repetitions."""
    choice, last = scene.choice, scene.choice.encoder.n_layers
    layer, pooling, after = choice.layer, choice.pooling, choice.after
    ticks = published_ticks(published_on(choice.pairs))
    rungs = [rung for static in scene.statics for rung in _static_rungs(static, ticks["static"])]
    rungs.append(
        _rung(place_words(scene, layer, "cls"), scene.cell(layer, "cls"), CLS, ticks["cls"])
    )
    if layer != last:
        rungs.append(
            _rung(place_words(scene, layer, "mean"), scene.cell(layer, "mean"), MEAN, ticks["mean"])
        )
    if pooling not in ("cls", "mean"):
        rungs.append(_rung(place_words(scene, layer, pooling), scene.cell(layer, pooling), MEAN))
    if last > 1:
        rungs.append(
            _rung(
                _("mean of the first and the last layer"),
                scene.cell(FIRST_LAST, "mean"),
                MEAN,
                ticks[FIRST_LAST],
            )
        )
    for each in dict.fromkeys([pooling, "mean"]):
        if (layer, each) != (last, "mean"):
            name = _treated_words(place_words(scene, layer, each), after)
            published = ticks["treated"] if each == "mean" else ()  # the papers treat means
            rungs.append(_rung(name, scene.cell(layer, each, after), TREATED, published))
    of_last = [*ticks["last treated"], *(ticks["treated"] if layer == last else ())]
    raw, treated = scene.output
    name = place_words(scene, last, "mean")
    about = _("{place}: trained contrastively").format(place=name)
    shown = about if is_contrastive(choice.encoder.name) else name
    rungs.append(_rung(shown, raw, LAST, ticks["last"]))
    rungs.append(_rung(_treated_words(name, after), treated, TREATED, of_last))
    return rungs


def place_words(scene: Scene, layer: int, pooling: str) -> str:
    """Pooling and layer.

    Parameters
    ----------
    scene : Scene
    layer : int
    pooling : str
        Code of a pooling.
    """
    if layer == scene.choice.encoder.n_layers:
        return _("{pooling}, last layer").format(pooling=pooling_names()[pooling])
    return _("{pooling}, layer {layer}").format(pooling=pooling_names()[pooling], layer=layer)


def _treated_words(place: str, treatment: str) -> str:
    return _("{place}, {treatment}").format(place=place, treatment=treatment_words(treatment))


def _static_rungs(static: Static, ticks: Sequence[Tick]) -> list[Rung]:
    """The raw average and, for an uploaded file, the treated one."""
    share = ""
    if static.averages.coverage < 1 or not static.is_whole:
        share = " " + _("({share} of the words, n = {n})").format(
            share=f"{static.averages.coverage:.1%}", n=f"{static.raw.score.n:,}"
        )
    name = _("average of {name}").format(name=plotly(static.name))
    rungs = [_rung(name + share, static.raw, STATIC, () if static.is_uploaded else ticks)]
    if static.is_uploaded:
        white = _treated_words(name, static.treated.treatment)
        rungs.append(_rung(white + share, static.treated, TREATED))
    return rungs


def _rung(name: str, cell: Cell, place: int, ticks: Sequence[Tick] = ()) -> Rung:
    """A rung. Its number is first, because narrow screens cut the end of a long line.

    Parameters
    ----------
    name : str
    cell : Cell
    place : int
        The colour: the family of the rung.
    ticks : sequence of Tick
    """
    score = cell.score
    cut = cut_words(cell)
    label = f"<b>{hundred(score.spearman)}</b>  {name}"
    about = f"<b>{with_interval(score.spearman, score.low, score.high)}</b>  {name}"
    about += f" ({cut})" if cut else ""
    value, low, high = (
        None if v is None else 100 * v for v in (score.spearman, score.low, score.high)
    )
    return Rung(label, about, value, low, high, place, ticks)


def headlines(scene: Scene) -> list[BigNumber]:
    """The chosen cell, the mean of the same layer and of the last layer, treated, each once."""
    choice = scene.choice
    name = treatment_words(choice.after)
    return [
        BigNumber(label, _value(cell), name, _moved(cell))
        for label, cell in treated_cells(scene).items()
    ]


def where_it_helps(scene: Scene) -> str:
    """Which of the numbers are higher, which lower after the treatment, by their intervals."""
    higher: list[str] = []
    unclear: list[str] = []
    lower: list[str] = []
    for name, cell in treated_cells(scene).items():
        moved = cell.difference
        if moved is None or moved.low is None or moved.high is None:
            continue
        group = higher if moved.low > 0 else lower if moved.high < 0 else unclear
        group.append(name)
    words = {
        _("Higher after the treatment: {places}."): higher,
        _("No clear difference: {places}."): unclear,
        _("Lower after the treatment: {places}."): lower,
    }
    return " ".join(
        text.format(places=markdown("; ".join(names))) for text, names in words.items() if names
    )


def treated_cells(scene: Scene) -> dict[str, Cell]:
    """The treated cells of the numbers, by their names."""
    choice = scene.choice
    poolings = dict.fromkeys([choice.pooling, "mean"])
    places = [(choice.layer, pooling) for pooling in poolings]
    found = {
        cell_words(*place): scene.cell(*place, choice.after)
        for place in places
        if place != (choice.encoder.n_layers, "mean")
    }
    return {**found, _("last layer, mean"): scene.output[1]}


def _value(cell: Cell) -> str:
    return with_interval(cell.score.spearman, None, None)


def _moved(cell: Cell) -> str:
    moved = cell.difference
    if moved is None or moved.value is None:
        return ""
    change = with_interval(moved.value, moved.low, moved.high, sign=True)
    return _("change: {change}").format(change=change)


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


def file_notes(static: Static) -> str:
    """What was left out or changed in the file and the fit set; may be empty."""
    averages, report = static.averages, static.averages.report
    fit = _("texts of the fit set left out because none of their words is known: {n}")
    counted = [(averages.n_fit_left_out, fit)]
    if report is not None:
        counted = [
            (report.n_not_finite, _("rows left out for NaN or infinity: {n}")),
            (report.n_duplicates, _("rows left out because their word came before: {n}")),
            (report.n_replaced, _("words with bytes that do not fit the encoding: {n}")),
            (report.n_missing, _("rows that the header states and that are missing: {n}")),
            *counted,
        ]
    return _("; ").join(text.format(n=f"{n:,}") for n, text in counted if n)


def _plain(rung: Rung) -> str:
    """The rung's hover text without Plotly's HTML, and its ticks."""
    lines = [rung.about, *(tick.text for tick in rung.ticks)]
    return "; ".join(unescape(line.replace("<b>", "").replace("</b>", "")) for line in lines)


def ladder_csv(scene: Scene) -> bytes:
    """A row for each dot and each tick."""
    rows = []
    for rung in ladder_rungs(scene):
        values = ("" if v is None else short_number(v) for v in (rung.value, rung.low, rung.high))
        rows.append([_plain(Rung("", rung.about, None)), "measured", *values])
        rows += [
            [_plain(Rung("", tick.text, None)), "published", short_number(tick.value), "", ""]
            for tick in rung.ticks
        ]
    head = ["row", "kind", "spearman_x_100", "low", "high"]
    return csv_bytes(head, rows, ladder_caption(scene.choice))


# The share of pooling


def pooling_words_here(scene: Scene) -> tuple[str, Gap]:
    """How much of the gap of [CLS] is due to pooling at the chosen layer, in words; the gap.

    The gap is to uploaded word vectors, else to the model's own input vectors.
    """
    choice, static = scene.choice, scene.statics[-1]
    cls, mean = _cls_and_mean(scene, choice.layer, static)
    plain = static.raw.score
    if cls.spearman is None or mean.spearman is None or plain.spearman is None:
        return "", Gap(None, None)
    shares = PoolingShare(cls.spearman, mean.spearman, plain.spearman)
    ends = PoolingInterval.of(cls, mean, plain)
    gain, rest = difference(cls, mean), difference(plain, mean)
    values = share_values(shares, scale=100.0)
    values |= {
        "layer": f"{choice.layer}",
        "interval": with_interval(gain.value, gain.low, gain.high, sign=True),
        "rest": with_interval(rest.value, rest.low, rest.high, sign=True),
        "name": markdown(static.name),
        "n": f"{plain.n:,}",
    }
    has_gap = shares.share is not None and (ends is None or ends.share is not None)
    if ends is not None:
        values["gap"] = with_interval(shares.gap, *ends.gap, sign=not has_gap)
    if ends is not None and ends.share is not None:
        low, high = (f"{end:.0%}" for end in ends.share)
        values["share"] += f" [{low},\u00a0{high}]"
    section = "claim-here" if has_gap else "claim-no-gap"
    return prose(PAGE, section, values), Gap(difference(cls, plain), difference(mean, plain))


@dataclass(frozen=True)
class Gap:
    """The static average minus [CLS], and minus the mean; None where a score is undefined."""

    cls: Difference | None
    mean: Difference | None


def _cls_and_mean(scene: Scene, layer: int, static: Static) -> tuple[PairScore, PairScore]:
    """Scores of [CLS] and mean on the pairs that the static average is scored on."""
    if static.is_whole:
        return scene.cell(layer, "cls").score, scene.cell(layer, "mean").score
    return _on_known_pairs(scene.encoded, layer, np.flatnonzero(static.averages.known))


@kept(64, by_session=True)
def _on_known_pairs(
    encoded: EncodedPairs, layer: int, rows: np.ndarray
) -> tuple[PairScore, PairScore]:
    bootstrap = PairBootstrap(encoded.pairs.pairs.gold_scores[rows], DRAWS, SEED)
    cls, mean = (
        score_column(encoded, layer, pooling, ("none",), bootstrap=bootstrap, rows=rows)
        .cells[0]
        .score
        for pooling in ("cls", "mean")
    )
    return cls, mean
