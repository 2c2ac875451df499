"""The grid of paired gains: small multiples, counts in words, what predicts a gain, all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import product
from typing import Any

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
    RawPlace,
)
from geometry.evaluate.specs import parse_treatment
from geometry.figures.curves import (
    Axes,
    Curve,
    multiples_figure,
    place_colour,
    reach_of,
    scatter_figure,
)
from geometry.measure.correlation import spearman
from geometry.measure.intervals import Estimate
from pages.common import measures
from pages.common.address import is_presenting
from pages.common.controls import choose, pooling_names
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.draw.charts import show_chart
from pages.common.draw.clouds import current_theme
from pages.common.folded import show_folded
from pages.common.lesson import note_facts
from pages.common.scores import hundred, moved_words, similarity_names, with_interval
from pages.common.shell import picture_place, show_question
from pages.common.treatment_names import treatment_names, treatment_words
from pages.common.uploads import chosen_data
from pages.common.words import _, labelled, markdown, names, noted, paragraph, prose

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
LEAST_PLACES = 4
OF_POOLINGS = {  # cures whose mean gain the text quotes
    "centred": "centred",
    "standardised": "standardised",
    "removed": "abtt:3",
    "random": f"{RANDOM}:3",
    "whitened": LEVELLED,
}
JUDGES = {  # of the table of judges in the prose
    "stsb": "stsb pairs",
    "pairs": "pairs pairs",
    "labels": "topics labels",
    "probe": "topics probe",
}


@dataclass(frozen=True)
class JudgedGrids:
    """Grids by model, as one similarity judges them; a grid that lacks it, as its own first one."""

    grids: Mapping[str, GainGrid]
    similarity: str

    def by(self, grid: GainGrid) -> str:
        own = list(grid.places[0].scores)
        return self.similarity if self.similarity in own else own[0]

    def places(self) -> list[tuple[str, RawPlace, float]]:
        return [
            (model, place, score)
            for model, grid in self.grids.items()
            for place in grid.places
            if (score := place.scores[self.by(grid)]) is not None
        ]

    def best(self) -> tuple[str, RawPlace, float]:
        return max(self.places(), key=lambda each: each[2])

    def gains(self, cure: str) -> list[tuple[str, CureGain, Estimate]]:
        """Each place's gain of a cure, with its model."""
        return [
            (model, each, each.gain)
            for model, grid in self.grids.items()
            for each in grid.gains
            if each.gain and (each.cure, each.similarity) == (cure, self.by(grid))
        ]

    def tally(self, cure: str) -> tuple[int, int, int]:
        """(places where the cure clearly gains, clearly loses, all)."""
        gains = [gain for _model, _cure, gain in self.gains(cure)]
        return sum(gain.rises for gain in gains), sum(gain.falls for gain in gains), len(gains)


def explore() -> None:
    chosen = chosen_data()
    live = live_names(chosen)
    with st.container(horizontal=True, key="cloud-controls"):
        by = names("evidence") | live
        data = choose(st.selectbox, _("Judged by"), by, key="evidence-data", width=280)
        grids = live_grid(chosen, data) if data in live else grids_of(data)
        known = set.intersection(*({gain.cure for gain in grid.gains} for grid in grids.values()))
        of_cures = {
            "main": _("mean, directions, whitening"),
            "more": _("scaling, 1 and 10 directions"),
            "fewer": _("64 directions, half strength"),
            "flow": _("flow beside whitening"),
        }
        cures = choose(
            st.segmented_control,
            _("Cures shown"),
            {name: of_cures[name] for name, shown in SHOWN.items() if known.issuperset(shown)},
            key="evidence-cures",
            default="main",
            required=True,
        )
        offered = max((list(grid.places[0].scores) for grid in grids.values()), key=len)
        similarity = offered[0]
        if len(offered) > 1:
            how: dict[str, Any] = {"labels": similarity_names(), "default": "cosine", "width": 220}
            similarity = choose(st.selectbox, _("Similarity"), offered, key="evidence-by", **how)
    judged = JudgedGrids(grids, similarity)
    with picture_place():
        draw_multiples(judged, SHOWN[cures])
    show_numbers(judged)
    note_facts(lambda: facts(judged))
    if is_presenting():
        st.caption(markdown(basis(grids)))
        return
    measures.show_verdict(helps_verdict(judged), key="helps")
    measures.show_verdict(narrow_verdict(judged), key="narrow")
    draw_predictions(judged)
    for question in ("controls", "mean", "judges", "flow", "intervals", "own"):
        show_question(PAGE, question, values())
    show_folded(_("All gains"), "all-measures", show_table, judged, icon=":material/table:")


def cure_words(cure: str) -> str:
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
    words = {"centred": _("mean subtracted"), "standardised": _("standardised")}
    return words.get(cure) or treatment_words(cure)


def grids_of(data: str) -> dict[str, GainGrid]:
    name, task = data.split(" ")
    found = {model: recorded().get(f"{name} {model} {task}") for model in (MINILM, E5, GLOVE)}
    return {model: grid for model, grid in found.items() if grid is not None}


def place_words(model: str, at: RawPlace | CureGain) -> str:
    if (at.layer, at.pooling) == OWN_PLACE:
        return _("as they are")
    if model == GLOVE:
        return _("words without stop words") if at.pooling == "no-stop-words" else _("all words")
    pooling = pooling_names().get(at.pooling, at.pooling)
    return _("layer {layer}, {pooling}").format(layer=at.layer, pooling=pooling)


def draw_multiples(judged: JudgedGrids, cures: Sequence[str]) -> None:
    short = {MINILM: "MiniLM", E5: "E5"}  # columns are narrow
    of_words = enumerate([_("all words"), _("no stop words")])
    ticks = {GLOVE: {float(at): name.replace(" ", "<br>", 1) for at, name in of_words}}

    def plots(cure: str = "") -> dict[str, list[Curve]]:
        return {short.get(each, each): _dots(each, judged, cure) for each in judged.grids}

    gains = [plots(cure) for cure in cures]
    reach = reach_of([dots for of_cure in gains for dots in of_cure.values()])
    model, _place, score = judged.best()
    raw = _("raw score × 100")
    scores = plots()
    alts = [labelled(raw, noted(hundred(score), model)), *(_counts(judged, cure) for cure in cures)]
    columns = zip([raw, *map(cure_words, cures)], [scores, *gains], alts, strict=True)
    theme = current_theme()
    names = dict.fromkeys(dots.name for plot in scores.values() for dots in plot)
    signs = [
        f'<span style="color:{place_colour(number, theme)}">●</span> {escape(name)}'
        for number, name in enumerate(names)
    ]
    note = _("beside the raw scores: gain × 100, with 95% intervals that hold together")
    st.html(f"<small>{' &nbsp; '.join([*signs, escape(note)])}</small>")
    boxes = st.columns(1 + len(cures), gap="small", vertical_alignment="bottom")
    for number, (title, drawn, alt) in enumerate(columns):
        y_range = reach if number else None
        with boxes[number]:
            st.markdown(title)
            figure = multiples_figure(drawn, ticks, _("layer"), theme, y_range=y_range)
            show_chart(figure, key=f"evidence-{number}", alt=alt, zoom=False)


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


def _dots(model: str, judged: JudgedGrids, cure: str) -> list[Curve]:
    grid = judged.grids[model]
    raw = {(place.layer, place.pooling): place for place in grid.places}
    by = judged.by(grid)
    dots = []
    for number, (name, (places, x)) in enumerate(_lines(model, grid).items()):
        if cure:
            gains = [grid.of(*place, cure, by) for place in places]
            ends = [
                [getattr(each.gain, end, None) for each in gains]
                for end in ("value", "low", "high")
            ]
            texts = [_about(model, each) for each in gains]
            value, low, high = 100 * np.array(ends, dtype=float)  # None becomes NaN
            dots.append(Curve(np.array(x), value, name, number, low=low, high=high, about=texts))
        else:
            scores = 100 * np.array([raw[place].scores[by] for place in places], dtype=float)
            texts = [_about_raw(model, raw[place], by) for place in places]
            dots.append(Curve(np.array(x), scores, name, number, about=texts))
    return dots


def _about_raw(model: str, place: RawPlace, similarity: str) -> str:
    values = {_("score × 100"): hundred(place.scores[similarity])}
    values |= {measure_words(name): short_number(place.measures[name]) for name in MEASURES}
    head = f"<b>{escape(place_words(model, place))}</b>"
    return "<br>".join([head, *(labelled(name, value) for name, value in values.items())])


def _about(model: str, gain: CureGain) -> str:
    lines = [
        f"<b>{escape(place_words(model, gain))}</b>",
        labelled(escape(cure_words(gain.cure)), moved_words(gain.gain)),
    ]
    if gain.over_control is not None:
        lines.append(labelled(escape(cure_words(gain.control)), moved_words(gain.over_control)))
    return "<br>".join(lines)


def _counts(judged: JudgedGrids, cure: str) -> str:
    rises, falls, n = judged.tally(cure)
    said = _("{cure}: clearly higher at {rises} of {n} places, clearly lower at {falls}")
    return said.format(cure=cure_words(cure), rises=rises, falls=falls, n=n)


def show_numbers(judged: JudgedGrids) -> None:
    gains = sorted(judged.gains(LEVELLED), key=lambda each: each[2].value)
    model, place, score = judged.best()
    best = measures.BigNumber(
        _("best raw score × 100"),
        hundred(score),
        labelled(model, place_words(model, place)),
        labelled(_("mean cosine"), signed(place.measures["mean_cosine"] or 0.0, 3)),
    )
    ends = (_("whitening: best change"), gains[-1]), (_("whitening: worst change"), gains[0])
    numbers = [*(_extreme(label, *gain) for label, gain in ends), best]
    title = _("Whitening’s best and worst change, and the best raw score")
    measures.show_big_numbers(title, numbers, key="evidence-numbers")


def _extreme(label: str, model: str, cure: CureGain, gain: Estimate) -> measures.BigNumber:
    value, _sep, ends = moved_words(gain).partition(" ")
    where = labelled(model, place_words(model, cure))
    return measures.BigNumber(label, value, where, _("95% interval {ends}").format(ends=ends))


def helps_verdict(judged: JudgedGrids) -> measures.Verdict:
    over = [cure.over_control for _model, cure, _gain in judged.gains("abtt:3")]
    beats = sum(each is not None and each.rises for each in over)
    lines = "\n".join(f"- {_counts(judged, cure)}" for cure in (LEVELLED, "abtt:3"))
    controls = {
        ROTATED: _("a random rotation"),
        "centred": _("the mean subtracted"),
        f"{RANDOM}:3": _("the mean and 3 random directions removed"),
    }
    words = _("{name}, clearly higher at {rises} and lower at {falls} of {n} places")
    counts = []
    for control, name in controls.items():
        up, down, n = judged.tally(control)
        counts.append(words.format(name=name, rises=up, falls=down, n=n))
    rises, falls, n = judged.tally(LEVELLED)
    # where nothing is clear, nothing is said
    state: measures.State = "fails" if falls else "unknown"
    if rises > max(falls, *(judged.tally(control)[0] for control in controls)):
        state = "holds" if rises == n else "partly"
    control = _(
        "{counts}. The top 3 directions are clearly better removed than 3 random ones at "
        "{beats} of {n} places."
    ).format(counts=_("; ").join(counts), beats=beats, n=len(over))
    claim = _("Making vectors isotropic helps.")
    source = _("Li et al. (2020), Su et al. (2021)")
    measured = paragraph([_("Places are layers and poolings.") + "\n\n", lines])
    about = basis(judged.grids)
    return measures.Verdict(claim, source, state, measured, measures.Control(control), about)


def narrow_verdict(judged: JudgedGrids) -> measures.Verdict:
    places = [
        (cosine, score)
        for _model, place, score in judged.places()
        if (cosine := place.measures["mean_cosine"]) is not None
    ]
    cosines, scores = zip(*places, strict=True)
    found = narrower_against_score(cosines, scores)
    state: measures.State = "unknown"
    control: measures.Control | measures.NoControl = measures.nothing_measured()
    if found.pairs:
        low, high = shuffled_against(cosines, scores)
        share = found.against / found.pairs
        if share < low:
            state = "partly" if found.against else "holds"
        elif share >= 0.5:  # the mean of the shuffles
            state = "fails"
        least, most = round(low * found.pairs), round(high * found.pairs)
        shuffled = _(
            "with the scores shuffled among the places, **{low} to {high}** (95% of 1,000 "
            "shuffles). Places of one model are alike, so chance alone can do more than that."
        )
        control = measures.Control(shuffled.format(low=least, high=most))
    model, place, score = judged.best()
    measured = _(
        "Of {pairs} pairs of places, the narrower one scores higher in {against}. The best score, "
        "{score}, is that of {model}, {place}, with a mean cosine of {cosine}."
    ).format(
        pairs=found.pairs,
        against=found.against,
        score=hundred(score),
        model=model,
        place=place_words(model, place),
        cosine=signed(place.measures["mean_cosine"] or 0.0, 2),
    )
    claim = _("The narrower the cone, the worse the vectors.")
    source = _("read from Gao et al. (2019)")
    return measures.Verdict(claim, source, state, measured, control, basis(judged.grids))


def basis(grids: Mapping[str, GainGrid]) -> str:
    parts = []
    for model, grid in grids.items():
        n = grid.n_folds
        fit = _("fitted on the other {k} of {n} folds").format(k=n - 1, n=n)
        if grid.about["fit"] == "STS-B train":
            fit = _("fitted on STS-B train, mean of the scores of {k} parts").format(k=n)
        about = _(
            "n = {n}, d = {d}, {fit} (n = {n_fit}), seed {seed}; the intervals of {m} "
            "differences hold at 95% together, for these fits on other rows"
        ).format(
            n=f"{grid.n_items:,}",
            d=grid.d,
            fit=fit,
            n_fit=f"{grid.n_fit:,}",
            seed=grid.seed,
            m=f"{grid.n_together:,}",
        )
        parts.append(labelled(model, about))
    is_recorded = all("data" in grid.about for grid in grids.values())
    return " · ".join([*parts, _("recorded")] if is_recorded else parts)


def measure_words(name: str) -> str:
    return _("top 3 directions") if name == "top_share" else measures.measure_label(name)


def draw_predictions(judged: JudgedGrids) -> None:
    st.subheader(_("What predicts a gain?"))
    st.markdown(prose(PAGE, "predicts"))
    gains = judged.gains(LEVELLED)
    found: dict[str, float] = {}
    for box, name in zip(st.columns(len(MEASURES)), MEASURES, strict=True):
        groups = []
        for number, (model, grid) in enumerate(judged.grids.items()):
            raw = {(place.layer, place.pooling): place.measures[name] for place in grid.places}
            own = [
                (value, 100 * gain.value, _about(model, cure))
                for of_model, cure, gain in gains
                if of_model == model and (value := raw[cure.layer, cure.pooling]) is not None
            ]
            xs, ys, about = zip(*own, strict=True) if own else ((), (), ())
            groups.append(Curve(np.array(xs), np.array(ys), model, number, about=about))
        x = np.concatenate([each.x for each in groups])
        y = np.concatenate([each.y for each in groups])
        correlation = _("Rank correlation: too few places ({n}).").format(n=len(x))
        if len(x) >= LEAST_PLACES and len(set(x)) > 1 and len(set(y)) > 1:
            found[name] = spearman(x, y)
            correlation = _("Rank correlation over {n} places: {value}.")
            correlation = correlation.format(n=len(x), value=signed(found[name], 2))
        axes = Axes(measure_words(name), _("gain of whitening × 100"))
        with box:
            figure = scatter_figure(groups, axes, current_theme(), height=340)
            show_chart(figure, key=f"evidence-{name}", alt=correlation, zoom=False)
            st.caption(correlation)
    if len(found) > 1:
        most = max(map(abs, found.values()))
        best = [name for name in found if f"{abs(found[name]):.2f}" == f"{most:.2f}"]
        named = [noted(f"**{measure_words(name)}**", signed(found[name], 2)) for name in best]
        said = _(
            "Here the gains are ordered best by: {names}. The measures go together, so this shows "
            "no cause."
        )
        st.markdown(said.format(names=_("; ").join(named)))


def show_table(judged: JudgedGrids) -> None:
    rows = [
        {
            _("model"): model,
            _("place"): place_words(model, gain),
            _("treatment"): cure_words(gain.cure),
            _("score × 100"): hundred(gain.score),
            _("gain"): moved_words(gain.gain),
            _("gain over control"): "" if gain.is_control else moved_words(gain.over_control),
        }
        for model, grid in judged.grids.items()
        for gain in grid.gains
        if gain.similarity == judged.by(grid)
    ]
    st.dataframe(rows, hide_index=True, width="stretch")
    grids = judged.grids
    offer_csv(_("Download gains (CSV)"), "evidence", lambda: gains_csv(grids, basis(grids)))


def gains_csv(grids: Mapping[str, GainGrid], about: str) -> bytes:
    head = ["model", "layer", "pooling", "similarity", "treatment", "score"]
    for name in ("gain", "over_control"):
        head += [name, f"{name}_low", f"{name}_high"]
    words = similarity_names() | pooling_names() | {"no-stop-words": _("words without stop words")}
    rows: list[list[CsvCell]] = []
    for model, grid in grids.items():
        for gain in grid.gains:
            named = [(code, words.get(code, code)) for code in (gain.pooling, gain.similarity)]
            named.append((gain.cure, cure_words(gain.cure)))
            numbers = [gain.score]
            for each in (gain.gain, gain.over_control):
                numbers += [getattr(each, end, None) for end in ("value", "low", "high")]
            rows.append([model, str(gain.layer), *named, *map(short_number, numbers)])
    return csv_bytes(head, rows, about)


@cache
def values() -> dict[str, str]:
    grid = recorded()[f"stsb {MINILM} pairs"]
    last = max(place.layer for place in grid.places)
    raw = {(place.layer, place.pooling): place.scores["cosine"] for place in grid.places}
    treated = [each.score for each in grid.gains if each.layer not in (0, last) and each.score]
    found = {"last": hundred(raw[last, "mean"]), "best_middle": hundred(max(treated))}
    found["n"] = f"{grid.n_items:,}"
    for pooling, (name, cure) in product(("mean", "cls"), OF_POOLINGS.items()):
        chosen = [each for each in grid.gains if (each.pooling, each.cure) == (pooling, cure)]
        gains = [each.gain for each in chosen if each.gain]
        mean = float(np.mean([gain.value for gain in gains]))
        up, down = sum(gain.rises for gain in gains), sum(gain.falls for gain in gains)
        value = with_interval(mean, None, None, sign=True)
        found[f"{pooling}_{name}"] = f"{value} (↑ {up}, ↓ {down}, n = {len(gains)})"
    for (name, data), cure in product(JUDGES.items(), ("centred", "abtt:3", LEVELLED)):
        tally = JudgedGrids(grids_of(data), "cosine").tally(cure)
        found[f"{name}_{cure.partition(':')[0]}"] = "↑ {}, ↓ {}, n = {}".format(*tally)
    own = JudgedGrids(grids_of("pairs pairs"), "cosine")
    beside = [
        100 * (flow.value - gain.value)
        for model, cure, gain in own.gains(LEVELLED)
        if (flow := own.grids[model].of(cure.layer, cure.pooling, FLOW, "cosine").gain)
    ]
    found |= {"flow_least": with_sign(min(beside), 1), "flow_most": with_sign(max(beside), 1)}
    return found | {"flow_places": f"{len(beside)}"}


def facts(judged: JudgedGrids) -> dict[str, float]:
    gains = [100 * gain.value for _model, _cure, gain in judged.gains(LEVELLED)]
    found = dict(zip(("rises", "falls", "places"), judged.tally(LEVELLED), strict=True))
    ends = {"most": max(gains), "least": min(gains)}
    return {**found, "centred_rises": judged.tally("centred")[0], **ends}
