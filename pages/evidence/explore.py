"""The grid of paired gains: small multiples, counts in words, what predicts a gain, all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape

import numpy as np
import streamlit as st

from geometry.claims.scores import narrower_against_score, shuffled_against
from geometry.data.number_text import signed, with_sign
from geometry.diagnosis.evidence import (
    FLOW,
    MEASURES,
    RANDOM,
    RANDOM_KEPT,
    ROTATED,
    CureGain,
    GainGrid,
)
from geometry.evaluate.specs import parse_treatment
from geometry.figures.curves import Axes, place_colour
from geometry.figures.multiples import Dotted, multiples_figure, reach_of
from geometry.figures.scatter import Dots, scatter_figure
from geometry.transform.treatments import TREATMENTS
from pages.common.address import is_presenting
from pages.common.controls import choose, pooling_names
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.folded import folded
from pages.common.lesson import note_facts
from pages.common.measures import (
    BigNumber,
    Control,
    NoControl,
    State,
    Verdict,
    measure_label,
    nothing_measured,
    show_big_numbers,
    show_verdict,
)
from pages.common.scores import hundred, with_interval
from pages.common.shell import picture_place, show_question
from pages.common.treatment_names import treatment_names, treatment_words
from pages.common.uploads import chosen_data
from pages.common.words import _, labelled, markdown, noted, paragraph, prose

from . import PAGE
from .live import OWN_PLACE, live_grid, live_names
from .recorded import E5, GLOVE, MINILM, recorded

SHOWN = {
    "main": ("centred", "abtt:3", "pca:lw", f"{RANDOM}:3"),
    "more": ("standardised", "abtt:1", "abtt:10", f"{RANDOM}:10"),
    "fewer": ("projected:64", "pca:64:lw", "pca:t0.5:lw", f"{RANDOM_KEPT}:64"),
    "flow": ("centred", "pca:lw", FLOW, ROTATED),
}
LEVELLED = "pca:lw"  # the cure of the verdict and of the lower picture
SCATTER_HEIGHT = 340
LEAST_PLACES = 4
JUDGES = {  # of the table of judges in the prose
    "stsb": "stsb pairs",
    "pairs": "pairs pairs",
    "labels": "topics labels",
    "probe": "topics probe",
}


def explore() -> None:
    """Controls, the small multiples, numbers, verdicts, questions, all rows."""
    chosen = chosen_data()
    live = live_names(chosen)
    with st.container(horizontal=True, key="cloud-controls"):
        data = choose(
            st.selectbox,
            _("Judged by"),
            [*data_names(), *live],
            key="evidence-data",
            default="stsb pairs",
            labels={**data_names(), **live},
            width=280,
        )
        grids = live_grid(chosen, data) if data in live else grids_of(data)
        cures = choose(
            st.segmented_control,
            _("Cures shown"),
            [name for name, shown in SHOWN.items() if has_cures(grids, shown)],
            key="evidence-cures",
            default="main",
            labels={
                "main": _("mean, directions, whitening"),
                "more": _("scaling, 1 and 10 directions"),
                "fewer": _("64 directions, half strength"),
                "flow": _("flow beside whitening"),
            },
            required=True,
        )
        offered = similarities_of(grids)
        similarity = offered[0]
        if len(offered) > 1:
            similarity = choose(
                st.selectbox,
                _("Similarity"),
                offered,
                key="evidence-by",
                default="cosine",
                labels=similarity_names(),
                width=220,
            )
    with picture_place():
        draw_multiples(grids, SHOWN[cures], similarity)
    show_numbers(grids, similarity)
    note_facts(lambda: facts(grids, similarity))
    if is_presenting():
        st.caption(markdown(basis(grids)))
        return
    show_verdict(helps_verdict(grids, similarity), key="helps")
    show_verdict(narrow_verdict(grids, similarity), key="narrow")
    draw_predictions(grids, similarity)
    for question in ("controls", "mean", "judges", "flow", "intervals", "own"):
        show_question(PAGE, question, values())
    with folded(_("All gains"), key="all-measures", icon=":material/table:") as is_open:
        if is_open:
            show_table(grids, similarity)
            offer_csv(
                _("Download gains (CSV)"),
                "evidence",
                lambda: gains_csv(grids, basis(grids)),
            )


# ---- names ----


def data_names() -> dict[str, str]:
    """What judges, by "<data> <task>"."""
    return {
        "stsb pairs": _("STS-B test"),
        "pairs pairs": _("the project’s pairs"),
        "pairs-zh pairs": _("the project’s Chinese pairs"),
        "topics labels": _("Topics: neighbours"),
        "topics probe": _("Topics: linear probe"),
    }


def similarity_names() -> dict[str, str]:
    return {
        "cosine": _("cosine"),
        "dot": _("inner product"),
        "euclidean": _("Euclidean distance"),
        "rank": _("rank correlation of coordinates"),
    }


def cure_words(cure: str) -> str:
    """A cure or a control in words."""
    name, _sep, count = cure.partition(":")
    if name == ROTATED:
        return _("control: a random rotation")
    if name == RANDOM:
        return _("control: mean and {k} random directions removed").format(k=count)
    if name == RANDOM_KEPT:
        return _("control: {k} random directions kept").format(k=count)
    if name == FLOW:
        return treatment_names()[FLOW]
    spec = parse_treatment(cure)
    if spec.name == "removed":
        return _("mean and top {k} directions removed").format(k=spec.knobs.n_removed)
    return treatment_words(cure) if TREATMENTS[spec.name].is_whitening else _short_words(cure)


def _short_words(cure: str) -> str:
    return {"centred": _("mean subtracted"), "standardised": _("standardised")}.get(
        cure, treatment_words(cure)
    )


def has_cures(grids: Mapping[str, GainGrid], cures: Sequence[str]) -> bool:
    """Whether every grid has these cures."""
    return all(set(cures) <= {gain.cure for gain in grid.gains} for grid in grids.values())


def grids_of(data: str) -> dict[str, GainGrid]:
    """The recorded grids of some data, by model."""
    name, task = data.split(" ")
    found = {model: recorded().get(f"{name} {model} {task}") for model in (MINILM, E5, GLOVE)}
    return {model: grid for model, grid in found.items() if grid is not None}


def similarities_of(grids: Mapping[str, GainGrid]) -> list[str]:
    """The similarities by which a grid was judged."""
    return max((list(grid.places[0].scores) for grid in grids.values()), key=len)


def place_words(model: str, layer: int, pooling: str) -> str:
    if (layer, pooling) == OWN_PLACE:
        return _("as they are")
    if model == GLOVE:
        return _("words without stop words") if pooling == "no-stop-words" else _("all words")
    return _("layer {layer}, {pooling}").format(
        layer=layer, pooling=pooling_names().get(pooling, pooling)
    )


# ---- the picture ----


def draw_multiples(grids: Mapping[str, GainGrid], cures: Sequence[str], similarity: str) -> None:
    """The raw scores by layer, and beside them the gains of four cures; a plot for each model."""
    short = {name: name for name in grids} | {MINILM: "MiniLM", E5: "E5"}  # columns are narrow
    ticks = {GLOVE: {0.0: _("all words"), 1.0: _("no stop words")}}
    ticks[GLOVE] = {at: name.replace(" ", "<br>", 1) for at, name in ticks[GLOVE].items()}
    gains = {
        cure: {
            short[model]: _gain_dots(model, grid, cure, similarity) for model, grid in grids.items()
        }
        for cure in cures
    }
    reach = reach_of([dots for of_cure in gains.values() for dots in of_cure.values()])
    best = _best(grids, similarity)
    raw = _("raw score × 100")
    columns = [
        (
            raw,
            {short[model]: _raw_dots(model, grid, similarity) for model, grid in grids.items()},
            None,
            labelled(raw, noted(hundred(best[2]), best[0])),
        ),
        *(
            (
                cure_words(cure),
                gains[cure],
                reach,
                _counts(grids, cure, similarity),
            )
            for cure in cures
        ),
    ]
    theme = current_theme()
    names = dict.fromkeys(dots.name for plot in columns[0][1].values() for dots in plot)
    signs = [
        f'<span style="color:{place_colour(number, theme)}">●</span> {escape(name)}'
        for number, name in enumerate(names)
    ]
    signs.append(
        escape(_("beside the raw scores: gain × 100, with 95% intervals that hold together"))
    )
    st.html(f"<small>{' &nbsp; '.join(signs)}</small>")
    boxes = st.columns(len(columns), gap="small", vertical_alignment="bottom")
    for number, (box, (title, plots, y_range, alt)) in enumerate(zip(boxes, columns, strict=True)):
        with box:
            st.markdown(title)
            figure = multiples_figure(plots, ticks, _("layer"), theme, y_range=y_range)
            show_chart(
                chart_of(figure),
                key=f"evidence-{number}",
                file_name=f"evidence-{number}",
                alt=alt,
                zoom=False,
            )


def _lines(model: str, grid: GainGrid) -> dict[str, tuple[list[tuple[int, str]], list[float]]]:
    """The name of each line, its places, and where these are on the x axis."""
    places = [(place.layer, place.pooling) for place in grid.places]
    if model == GLOVE or places == [OWN_PLACE]:
        name = pooling_names()["mean"] if model == GLOVE else model
        return {name: (places, [float(at) for at in range(len(places))])}
    poolings = dict.fromkeys(pooling for _layer, pooling in places)
    lines = {}
    for pooling in poolings:
        own = [place for place in places if place[1] == pooling]
        lines[pooling_names()[pooling]] = own, [float(layer) for layer, _pooling in own]
    return lines


def _judged_by(grid: GainGrid, similarity: str) -> str:
    """That similarity, or the grid's own where it was not judged by it."""
    own = list(grid.places[0].scores)
    return similarity if similarity in own else own[0]


def _raw_dots(model: str, grid: GainGrid, similarity: str) -> list[Dotted]:
    similarity = _judged_by(grid, similarity)
    raw = {(place.layer, place.pooling): place for place in grid.places}
    dots = []
    for number, (name, (places, x)) in enumerate(_lines(model, grid).items()):
        scores = [raw[place].scores[similarity] for place in places]
        texts = [
            "<br>".join(
                [
                    f"<b>{escape(place_words(model, *place))}</b>",
                    labelled(_("score × 100"), hundred(score)),
                    *(
                        labelled(measure_words(measure), _short(raw[place].measures[measure]))
                        for measure in MEASURES
                    ),
                ]
            )
            for place, score in zip(places, scores, strict=True)
        ]
        dots.append(Dotted(x, _hundreds(scores), None, None, name, number, texts))
    return dots


def _gain_dots(model: str, grid: GainGrid, cure: str, similarity: str) -> list[Dotted]:
    similarity = _judged_by(grid, similarity)
    dots = []
    for number, (name, (places, x)) in enumerate(_lines(model, grid).items()):
        gains = [grid.of(*place, cure, similarity) for place in places]
        value, low, high = (
            _hundreds([None if each.gain is None else getattr(each.gain, end) for each in gains])
            for end in ("value", "low", "high")
        )
        texts = [_about(model, each) for each in gains]
        dots.append(Dotted(x, value, low, high, name, number, texts))
    return dots


def _about(model: str, gain: CureGain) -> str:
    lines = [
        f"<b>{escape(place_words(model, gain.layer, gain.pooling))}</b>",
        labelled(escape(cure_words(gain.cure)), gain_words(gain.gain)),
    ]
    if gain.over_control is not None:
        lines.append(labelled(escape(cure_words(gain.control)), gain_words(gain.over_control)))
    return "<br>".join(lines)


def gain_words(gain: object) -> str:
    """A gain × 100 with its interval."""
    if gain is None:
        return _("undefined")
    return with_interval(gain.value, gain.low, gain.high, sign=True)  # type: ignore[attr-defined]


def _short(value: float | None) -> str:
    return "" if value is None else short_number(value)


def _hundreds(values: Sequence[float | None]) -> np.ndarray:
    return 100 * np.array([np.nan if value is None else value for value in values])


# ---- numbers and verdicts ----


def gains_of(
    grids: Mapping[str, GainGrid], cure: str, similarity: str
) -> list[tuple[str, CureGain]]:
    """Each place's gain of a cure, with its model."""
    found = []
    for model, grid in grids.items():
        by = _judged_by(grid, similarity)
        own = [gain for gain in grid.gains if gain.cure == cure and gain.similarity == by]
        found += [(model, gain) for gain in own if gain.gain is not None]
    return found


def _tally(grids: Mapping[str, GainGrid], cure: str, similarity: str) -> tuple[int, int, int]:
    """(places where the cure clearly gains, clearly loses, all)."""
    gains = [gain.gain for _model, gain in gains_of(grids, cure, similarity)]
    rises = sum(gain is not None and gain.rises for gain in gains)
    falls = sum(gain is not None and gain.falls for gain in gains)
    return rises, falls, len(gains)


def _counts(grids: Mapping[str, GainGrid], cure: str, similarity: str) -> str:
    rises, falls, n = _tally(grids, cure, similarity)
    return _("{cure}: clearly higher at {rises} of {n} places, clearly lower at {falls}").format(
        cure=cure_words(cure), rises=rises, falls=falls, n=n
    )


def show_numbers(grids: Mapping[str, GainGrid], similarity: str) -> None:
    """The largest gain and loss of whitening, and the narrowest cone with its score."""
    gains = gains_of(grids, LEVELLED, similarity)
    best = max(gains, key=lambda each: each[1].gain.value)  # type: ignore[union-attr]
    worst = min(gains, key=lambda each: each[1].gain.value)  # type: ignore[union-attr]
    model, place, score = _best(grids, similarity)
    cosine = place.measures["mean_cosine"]
    show_big_numbers(
        _("Whitening’s best and worst change, and the best raw score"),
        [
            _extreme(_("whitening: best change"), *best),
            _extreme(_("whitening: worst change"), *worst),
            BigNumber(
                _("best raw score × 100"),
                hundred(score),
                labelled(model, place_words(model, place.layer, place.pooling)),
                labelled(_("mean cosine"), signed(cosine or 0.0, 3)),
            ),
        ],
        key="evidence-numbers",
    )


def _extreme(label: str, model: str, gain: CureGain) -> BigNumber:
    value, _sep, ends = gain_words(gain.gain).partition(" ")
    where = labelled(model, place_words(model, gain.layer, gain.pooling))
    return BigNumber(label, value, where, _("95% interval {ends}").format(ends=ends))


def _scored(grids: Mapping[str, GainGrid], similarity: str):  # type: ignore[no-untyped-def]
    """(model, place, score) of every place with a score."""
    for model, grid in grids.items():
        by = _judged_by(grid, similarity)
        for place in grid.places:
            score = place.scores[by]
            if score is not None:
                yield model, place, score


def _best(grids: Mapping[str, GainGrid], similarity: str):  # type: ignore[no-untyped-def]
    return max(_scored(grids, similarity), key=lambda each: each[2])


def helps_verdict(grids: Mapping[str, GainGrid], similarity: str) -> Verdict:
    """Whether whitening raises the score over a rotation, beside centring and directions."""
    levelled = [gain.over_control for _model, gain in gains_of(grids, LEVELLED, similarity)]
    rises = sum(each is not None and each.rises for each in levelled)
    falls = any(each is not None and each.falls for each in levelled)
    state: State = "fails" if falls else "unknown"  # where nothing is clear, nothing is said
    if rises:
        state = "holds" if rises == len(levelled) else "partly"
    over = [gain.over_control for _model, gain in gains_of(grids, "abtt:3", similarity)]
    beats = sum(each is not None and each.rises for each in over)
    compared = (LEVELLED, "abtt:3")
    lines = "\n".join(f"- {_counts(grids, cure, similarity)}" for cure in compared)
    controls = {
        ROTATED: _("a random rotation"),
        "centred": _("the mean subtracted"),
        f"{RANDOM}:3": _("the mean and 3 random directions removed"),
    }
    counts = []
    for control, name in controls.items():
        up, down, n = _tally(grids, control, similarity)
        words = _("{name}, clearly higher at {rises} and lower at {falls} of {n} places")
        counts.append(words.format(name=name, rises=up, falls=down, n=n))
    return Verdict(
        claim=_("Making vectors isotropic helps."),
        source=_("Li et al. (2020), Su et al. (2021)"),
        state=state,
        measured=paragraph([_("Places are layers and poolings.") + "\n\n", lines]),
        control=Control(
            _(
                "{counts}. The top 3 directions are clearly better removed than 3 random ones at "
                "{beats} of {n} places."
            ).format(counts=_("; ").join(counts), beats=beats, n=len(over))
        ),
        basis=basis(grids),
    )


def narrow_verdict(grids: Mapping[str, GainGrid], similarity: str) -> Verdict:
    """Whether narrower cones score worse, over all places of all models."""
    places = [
        (place.measures["mean_cosine"], score)
        for _model, place, score in _scored(grids, similarity)
        if place.measures["mean_cosine"] is not None
    ]
    cosines, scores = zip(*places, strict=True)
    found = narrower_against_score(cosines, scores)
    state: State = "unknown"
    control: Control | NoControl = nothing_measured()
    if found.pairs:
        low, high = shuffled_against(cosines, scores)
        share = found.against / found.pairs
        if share < low:
            state = "partly" if found.against else "holds"
        elif share >= 0.5:  # the mean of the shuffles
            state = "fails"
        control = Control(
            _(
                "with the scores shuffled among the places, **{low} to {high}** (95% of 1,000 "
                "shuffles). Places of one model are alike, so chance alone can do more than that."
            ).format(low=round(low * found.pairs), high=round(high * found.pairs))
        )
    model, place, score = _best(grids, similarity)
    measured = _(
        "Of {pairs} pairs of places, the narrower one scores higher in {against}. The best score, "
        "{score}, is that of {model}, {place}, with a mean cosine of {cosine}."
    ).format(
        pairs=found.pairs,
        against=found.against,
        score=hundred(score),
        model=model,
        place=place_words(model, place.layer, place.pooling),
        cosine=signed(place.measures["mean_cosine"] or 0.0, 2),
    )
    return Verdict(
        claim=_("The narrower the cone, the worse the vectors."),
        source=_("read from Gao et al. (2019)"),
        state=state,
        measured=measured,
        control=control,
        basis=basis(grids),
    )


def basis(grids: Mapping[str, GainGrid]) -> str:
    """On what the gains were measured."""
    parts = []
    for model, grid in grids.items():
        fit = (
            _("fitted on STS-B train, mean of the scores of {k} parts").format(k=grid.n_folds)
            if grid.about["fit"] == "STS-B train"
            else _("fitted on the other {k} of {n} folds").format(
                k=grid.n_folds - 1, n=grid.n_folds
            )
        )
        parts.append(
            labelled(
                model,
                _(
                    "n = {n}, d = {d}, {fit} (n = {n_fit}), seed {seed}; the intervals of {m} "
                    "differences hold at 95% together, for these fits on other rows"
                ).format(
                    n=f"{grid.n_items:,}",
                    d=grid.d,
                    fit=fit,
                    n_fit=f"{grid.n_fit:,}",
                    seed=grid.seed,
                    m=f"{grid.n_together:,}",
                ),
            )
        )
    is_recorded = all("data" in grid.about for grid in grids.values())
    return " · ".join([*parts, _("recorded")] if is_recorded else parts)


# ---- what predicts a gain ----


def measure_words(name: str) -> str:
    return _("top 3 directions") if name == "top_share" else measure_label(name)


def draw_predictions(grids: Mapping[str, GainGrid], similarity: str) -> None:
    """Whitening's gain against each measure of the raw vectors, over all places."""
    st.subheader(_("What predicts a gain?"))
    st.markdown(prose(PAGE, "predicts"))
    gains = gains_of(grids, LEVELLED, similarity)
    found: dict[str, float] = {}
    for box, name in zip(st.columns(len(MEASURES)), MEASURES, strict=True):
        groups, x_all, y_all = [], [], []
        for number, (model, grid) in enumerate(grids.items()):
            raw = {(place.layer, place.pooling): place.measures[name] for place in grid.places}
            own = [
                (raw[gain.layer, gain.pooling], gain)
                for of_model, gain in gains
                if of_model == model and raw[gain.layer, gain.pooling] is not None
            ]
            x = np.array([value for value, _gain in own], dtype=float)
            y = np.array([100 * gain.gain.value for _value, gain in own])  # type: ignore[union-attr]
            groups.append(Dots(x, y, [_about(model, gain) for _v, gain in own], model, number))
            x_all.append(x)
            y_all.append(y)
        x, y = np.concatenate(x_all), np.concatenate(y_all)
        value = _correlation(x, y)
        correlation = _correlation_words(value, len(x))
        if value is not None:
            found[name] = value
        with box:
            show_chart(
                chart_of(
                    scatter_figure(
                        groups,
                        Axes(measure_words(name), _("gain of whitening × 100")),
                        current_theme(),
                        height=SCATTER_HEIGHT,
                    )
                ),
                key=f"evidence-{name}",
                file_name=f"evidence-{name}",
                alt=correlation,
                zoom=False,
            )
            st.caption(correlation)
    if len(found) > 1:
        best = max(found, key=lambda name: abs(found[name]))
        st.markdown(
            _(
                "Here the measure that orders the gains best is: **{name}** ({value}). The "
                "measures go together, so this shows no cause."
            ).format(name=measure_words(best), value=signed(found[best], 2))
        )


def _correlation(x: np.ndarray, y: np.ndarray) -> float | None:
    """Spearman; None for too few places."""
    from geometry.measure.correlation import spearman

    if len(x) < LEAST_PLACES or len(set(x)) == 1 or len(set(y)) == 1:
        return None
    return spearman(x, y)


def _correlation_words(value: float | None, n: int) -> str:
    if value is None:
        return _("Rank correlation: too few places ({n}).").format(n=n)
    return _("Rank correlation over {n} places: {value}.").format(n=n, value=signed(value, 2))


# ---- all rows ----


def show_table(grids: Mapping[str, GainGrid], similarity: str) -> None:
    """Every gain, controls too."""
    rows = []
    for model, grid in grids.items():
        for gain in grid.gains:
            if gain.similarity != _judged_by(grid, similarity):
                continue
            rows.append(
                {
                    _("model"): model,
                    _("place"): place_words(model, gain.layer, gain.pooling),
                    _("treatment"): cure_words(gain.cure),
                    _("score × 100"): hundred(gain.score),
                    _("gain"): gain_words(gain.gain),
                    _("gain over control"): ""
                    if gain.is_control
                    else gain_words(gain.over_control),
                }
            )
    st.dataframe(rows, hide_index=True, width="stretch")


def gains_csv(grids: Mapping[str, GainGrid], about: str) -> bytes:
    """One row a gain, of all similarities."""
    head = [
        *("model", "layer", "pooling", "similarity", "treatment", "score"),
        *("gain", "gain_low", "gain_high"),
        *("over_control", "over_control_low", "over_control_high"),
    ]
    rows = []
    for model, grid in grids.items():
        for gain in grid.gains:
            ends = [
                _short(None if each is None else getattr(each, end))
                for each in (gain.gain, gain.over_control)
                for end in ("value", "low", "high")
            ]
            place = [model, str(gain.layer), gain.pooling, gain.similarity, gain.cure]
            rows.append([*place, _short(gain.score), *ends])
    return csv_bytes(head, rows, about)


# ---- values of the prose ----


@cache
def values() -> dict[str, str]:
    """Figures of STS-B in the page's text."""
    grid = recorded()[f"stsb {MINILM} pairs"]
    last = max(place.layer for place in grid.places)

    def mean(pooling: str, cure: str) -> str:
        gains = [
            gain.gain.value
            for gain in grid.gains
            if gain.pooling == pooling and gain.cure == cure and gain.gain is not None
        ]
        clear = [
            (gain.gain.rises, gain.gain.falls)
            for gain in grid.gains
            if gain.pooling == pooling and gain.cure == cure and gain.gain is not None
        ]
        up, down = np.sum(clear, axis=0)
        value = with_interval(float(np.mean(gains)), None, None, sign=True)
        return f"{value} (↑ {up}, ↓ {down}, n = {len(gains)})"

    raw = {(place.layer, place.pooling): place.scores["cosine"] for place in grid.places}
    treated = [
        gain.score for gain in grid.gains if gain.layer not in (0, last) and gain.score is not None
    ]
    beside = []
    for each in grids_of("pairs pairs").values():
        for gain in each.gains:
            if (gain.cure, gain.similarity) == (LEVELLED, "cosine"):
                flow = each.of(gain.layer, gain.pooling, FLOW, "cosine").gain
                if flow is not None and gain.gain is not None:
                    beside.append(100 * (flow.value - gain.gain.value))
    judged = {
        (name, cure): "↑ {}, ↓ {}, n = {}".format(*_tally(grids_of(data), cure, "cosine"))
        for name, data in JUDGES.items()
        for cure in ("centred", "abtt:3", LEVELLED)
    }
    return {
        "stsb_centred": judged["stsb", "centred"],
        "stsb_abtt": judged["stsb", "abtt:3"],
        "stsb_pca": judged["stsb", "pca:lw"],
        "pairs_centred": judged["pairs", "centred"],
        "pairs_abtt": judged["pairs", "abtt:3"],
        "pairs_pca": judged["pairs", "pca:lw"],
        "labels_centred": judged["labels", "centred"],
        "labels_abtt": judged["labels", "abtt:3"],
        "labels_pca": judged["labels", "pca:lw"],
        "probe_centred": judged["probe", "centred"],
        "probe_abtt": judged["probe", "abtt:3"],
        "probe_pca": judged["probe", "pca:lw"],
        "flow_least": with_sign(min(beside), 1),
        "flow_most": with_sign(max(beside), 1),
        "flow_places": f"{len(beside)}",
        "mean_centred": mean("mean", "centred"),
        "mean_standardised": mean("mean", "standardised"),
        "mean_removed": mean("mean", "abtt:3"),
        "mean_random": mean("mean", f"{RANDOM}:3"),
        "mean_whitened": mean("mean", LEVELLED),
        "cls_centred": mean("cls", "centred"),
        "cls_standardised": mean("cls", "standardised"),
        "cls_removed": mean("cls", "abtt:3"),
        "cls_random": mean("cls", f"{RANDOM}:3"),
        "cls_whitened": mean("cls", LEVELLED),
        "last": hundred(raw[last, "mean"]),
        "best_middle": hundred(max(treated)),
        "n": f"{grid.n_items:,}",
    }


def facts(grids: Mapping[str, GainGrid], similarity: str) -> dict[str, float]:
    """Counts and the largest gain and loss, for the lesson."""
    rises, falls, n = _tally(grids, LEVELLED, similarity)
    gains = [gain.gain.value for _model, gain in gains_of(grids, LEVELLED, similarity) if gain.gain]
    return {
        "rises": rises,
        "falls": falls,
        "places": n,
        "centred_rises": _tally(grids, "centred", similarity)[0],
        "most": 100 * max(gains),
        "least": 100 * min(gains),
    }
