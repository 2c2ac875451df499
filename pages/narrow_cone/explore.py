"""Narrow cone's interactive part: one fragment with its pictures and numbers."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from geometry import Corpus, UndefinedMeasure, mean_norm_share
from geometry.data import VectorSet
from geometry.data.number_text import signed
from geometry.data.translations import corpus_of
from geometry.hub.bundled import BUNDLED, E5
from geometry.hub.catalogue import default_prefix
from geometry.measure import isotropic_baselines
from geometry.measure.cosines import isotropic_cosine_shares
from geometry.measure.spectrum import (
    independent_correlation,
    mean_absolute_correlation,
    widest_variance,
)
from geometry.projection import Projection
from geometry.projection.cloud_text import seed_line, trust_line
from geometry.projection.neighbour_maps import MAPS, MOST_FITTED
from geometry.projection.packing import pack_cloud
from geometry.projection.panel import Marks
from geometry.projection.twin import FAR, STRENGTHS, Stop, film, film_knobs, nearest_in_film
from geometry.projection.twin_message import SIDE, Aside, Picture, Points, TwinCloud
from pages.common import cloud_parts, measures
from pages.common.address import fills_window, is_presenting, put_in_url
from pages.common.cache import kept
from pages.common.classroom.visit import current, is_closed, may_show, note_truth, own_answer
from pages.common.cloud_choices import Look, choose_look, choose_weights, views, warn_of_too_few
from pages.common.controls import choose, pooling_names
from pages.common.corpus_cloud import OF_VECTORS, CorpusCloud, encode_corpus
from pages.common.cosine_histogram import EDGES, HISTOGRAM_ROWS, show_histogram
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.draw import clouds
from pages.common.draw.twin_cloud import has_no_webgl2
from pages.common.explore_panel import Explored, explored_part, filtered, open_panel
from pages.common.folded import show_folded
from pages.common.lesson import note_facts, shows_part
from pages.common.messages import ENCODER_ERRORS, errors_shown, show_error
from pages.common.models import bundled_names, chosen_model
from pages.common.origin import counted, coverage_line, coverage_of, of_known_text
from pages.common.page_list import page_path
from pages.common.page_state import forget_layers
from pages.common.seed import SEED
from pages.common.selected_points import choose_point, chosen_marks, short, show_selection
from pages.common.shell import page_boxes, show_question
from pages.common.words import _, aligned_table, labelled, language, paragraph, prose

from . import PAGE
from . import scene as cone
from .scene import ConeScene, Side
from .tables import SIDES, show_two_tables

# ---- pictures ----


def draw_pictures(scene: ConeScene, explored: Explored) -> TwinCloud:
    marks = chosen_marks(scene.points, scene.chosen)
    if scene.near:
        (before, _cosines), (after, _cosines) = scene.near
        marks.append(Marks(before.tolist(), "square", _("nearest before whitening")))
        marks.append(Marks(after.tolist(), "diamond", _("nearest after whitening")))
    n = len(scene.points.cloud)
    alternatives = []
    for side in scene.sides:
        cosine = cone.measured(side)["mean_cosine"].value
        alternatives.append(clouds.alternative_with(side.title, n, cosine, side.panel))
    projection = scene.raw.projection
    has_film = projection.origin is not None and not has_no_webgl2()
    cloud = TwinCloud(
        **(_film_parts if has_film else _still_parts)(scene),
        rows_key=scene.points.key,
        colours=clouds.point_colours(scene.points, scene.look.colour, projection.coordinates),
        reach=scene.raw.reach,
        axis_titles=clouds.axis_titles(projection.method, projection.n_components),
        origin_label=None if projection.origin is None else _("origin"),
        name=_("Both clouds, raw and whitened"),
        values=(scene.white.centring, scene.white.strength),
        knob_names=knob_names(),
        knob_steps=SLIDER_STEPS,
        alt=paragraph(alternatives),
        bands=scene.raw.panel.bands,
        marks=marks,
        below=[labelled(side.title, " · ".join(_trust_lines(side))) for side in scene.sides],
        provenance=scene.provenance,
        file_name=f"narrow-cone-{projection.n_components}d",
        is_large=is_presenting(),
        turns=True,
        side=250 if scene.near else SIDE,  # pixels: the lists below are on the first screen
    )
    settled = store_film_settings
    return cloud_parts.show_explored(cloud, scene.points, explored, key="cone", on_settled=settled)


def _trust_lines(side: Side) -> list[str]:
    lines = clouds.lines_below(side.projection, side.panel)
    if side.name == "white" and side.projection.origin is not None:
        scale = _("drawn × {factor}, so that both have the same rms radius")
        lines.append(scale.format(factor=f"{side.scale:.3g}"))
    return lines


def _film_parts(scene: ConeScene) -> dict[str, Any]:
    """Raw beside the film from raw to whitened, and a picture of settings that the film lacks."""
    raw = scene.raw.projection
    knobs = _knobs(scene.points)
    stops, points = _film(scene.points, scene.white.fit, raw, scene.raw.reach)
    names = [cone.place_name(s, t) for s, t in knobs]
    at, distance = nearest_in_film(knobs, scene.white.centring, scene.white.strength)
    is_on_path = distance < FAR
    aside = None
    if not is_on_path:
        panel = scene.white.panel
        still = Points.of(pack_cloud([panel.coordinates], scene.white.reach))
        aside = Aside(still, scene.white.title, panel.wedges, scene.white.scale, panel.frame)
    between = _("Between: centring {s}, strength {t}").format(s="{0}", t="{1}")
    white = Picture(range(len(stops)), names, between, aside)
    return {
        "points": points,
        "pictures": [Picture([0], [_("Raw")]), white],
        "at": at if is_on_path else None,
        "nearest": at,
        "knobs": knobs,
        # the first stop, the one after centring, and the last
        "landmarks": [(stop, names[stop]) for stop in (0, 1, len(knobs) - 1)],
        "cones": [clouds.cone_wedges(stop.cones, raw, scene.raw.d) for stop in stops],
        "frames": [stop.frame for stop in stops],
        "factors": [stop.factor for stop in stops],
    }


def _still_parts(scene: ConeScene) -> dict[str, Any]:
    framed = [side for side in scene.sides if side.panel.frame is not None]  # none of a map
    packed = pack_cloud([side.panel.coordinates for side in scene.sides], scene.raw.reach)
    return {
        "points": Points.of(packed),
        "pictures": [Picture([place], [side.title]) for place, side in enumerate(scene.sides)],
        "cones": [side.panel.wedges for side in framed],
        "frames": [side.panel.frame for side in framed],
        "factors": [side.scale for side in framed],
    }


def _knobs(points: CorpusCloud) -> tuple[tuple[float, float], ...]:
    """The film's stops: fewer for very many points, because a stop of 100,000 takes 0.6 MB."""
    return film_knobs(2 if len(points.cloud) > 50_000 else STRENGTHS)


# a film has ten pictures; one of 100,000 points takes 0.4 MB
@kept(24)
def _film(
    points: CorpusCloud, fit: str, raw: Projection, reach: float
) -> tuple[tuple[Stop, ...], Points]:
    stops = film(points.vectors, cone.full_whitening(points, fit), raw, _knobs(points))
    return stops, Points.of(pack_cloud([stop.coordinates for stop in stops], reach))


# ---- numbers ----


# measures whose value for isotropic data depends on n and d
SIZED = ("opening_angle", "opening_angle_90", "mean_norm_share", "isoscore")


def show_headlines(scene: ConeScene) -> None:
    boxes = st.container(key="headlines").columns(2)
    for box, side in zip(boxes, scene.sides, strict=True):
        is_raw = side.content_key == scene.raw.content_key
        former = None if is_raw else cone.measured(scene.raw)
        numbers = measures.measure_numbers(cone.measured(side), former, names=cone.HEADLINES)
        if side.is_set_by_fit and not is_raw:
            why = _("above it: fitted on these points")
            numbers[-1] = replace(numbers[-1], note=f"{numbers[-1].note} · {why}")
        with box:
            measures.show_big_numbers(side.title, numbers, key=f"headline-{side.name}")
    measures.explained_caption(scene.provenance)


def show_all_measures(scene: ConeScene) -> None:
    boxes = st.container(key="numbers").columns(2)
    for box, side in zip(boxes, scene.sides, strict=True):
        box.markdown(f"**{side.title}**\n\n{numbers_table(side, scene)}")
        notes = " · ".join([*side.panel.captions, *_trust_lines(side)])
        box.caption(notes, help=measures.explained(notes))
    if scene.points.model is not None:
        with errors_shown():
            st.caption(coverage_line(coverage_of(scene.points.corpus)))
    whitening = scene.white.whitening
    if scene.white.is_set_by_fit:
        above = _(
            "The whitened cloud's IsoScore exceeds that of new isotropic data with the same n and "
            "d, because the map was fitted on these points."
        )
        st.caption(above)
    elif whitening.centring == whitening.strength == 1 and whitening.shrinkage:
        below = _(
            "The whitened cloud's IsoScore stays below that of new isotropic data with the same n "
            "and d, because shrinkage leaves the cloud oblong. “In full” makes it round."
        )
        st.caption(below)
    _histogram(scene)


def warn_of_few_rows(scene: ConeScene) -> None:
    """A warning if n <= d; an error message if a full whitening makes the picture meaningless."""
    whitening = scene.white.whitening
    if scene.has_few_points:
        n, d = scene.points.vectors.shape
        values = {"n": f"{n:,}", "d": f"{d:,}", "k": f"{len(whitening.components)}"}
        st.warning(prose(PAGE, "few-points", values))
    if scene.white.fit == "full" and whitening.is_simplex:
        values = {"n": f"{whitening.n_rows:,}", "distinct": f"{whitening.n_distinct:,}"}
        section = "simplex-warning" if whitening.is_regular else "simplex-warning-uneven"
        st.error(prose(PAGE, section, values))


def numbers_table(side: Side, scene: ConeScene) -> str:
    n = len(side.points.cloud)
    d = side.d
    found = cone.measured(side, cone.MEASURES)
    here = _("{value} at this n, d")
    references = {"mean_cosine": "0", "positive_cosine_share": "0.5"}
    for name, value in isotropic_baselines(SIZED, n, d, seed=SEED).items():
        references[name] = "" if value is None else here.format(value=_value(name, value))
    references["effective_rank"] = _("at most {d}").format(d=min(n - 1, d))
    references["effective_rank_uncentred"] = _("at most {d}").format(d=min(n, d))
    lines = []
    for name, reference in references.items():
        row = found[name]
        shown = measures.no_value(row.undefined) if row.value is None else _value(name, row.value)
        lines.append([measures.measure_label(name), shown, reference])
    steps = scene.steps
    stage = (side.centring, side.strength)
    if steps is not None and stage in cone.STAGES:
        label = measures.agreement_label(scene.points.corpus)
        share = f"{steps.agreements[cone.STAGES.index(stage)]:.1%}"
        by_chance = _("{share} by chance").format(share=f"{steps.chance:.1%}")
        label = _("{measure}, rows not fitted on").format(measure=label)
        lines.append([label, share, by_chance])
    return aligned_table([_("measure"), _("value"), _("reference")], lines)


def _value(name: str, value: float) -> str:
    # nearly all cosines of a cone are positive: three decimals would round to 1
    decimals = 4 if name == "positive_cosine_share" else None
    return measures.print_value(name, value, decimals) + measures.unit_of(name)


def _histogram(scene: ConeScene) -> None:
    (raw, pairs), (white, _pairs) = map(cone.histogram, scene.sides)
    n = len(scene.points.cloud)
    st.markdown(_("**Cosines of pairs, before and after**"))
    said = _("Histogram of {n} pairwise cosines: raw around {raw}, whitened around {white}.")
    means = (cone.measured(side)["mean_cosine"].value for side in scene.sides)
    cosines = [measures.print_value("mean_cosine", mean, 2) for mean in means]
    show_histogram(
        (raw, white),
        (scene.raw.title, scene.white.title),
        scene.white.d,
        key="chart-histogram",
        file_name="narrow-cone-cosines",
        alt=said.format(n=f"{pairs:,}", raw=cosines[0], white=cosines[1]),
    )
    if pairs < n * (n - 1) // 2:
        sample = _("Pairs of a sample of {n} points, seed {seed}.")
        st.caption(sample.format(n=f"{HISTOGRAM_ROWS:,}", seed=SEED))


# ---- three causes ----


CAUSES: tuple[Callable[[np.ndarray], float], ...] = (
    mean_norm_share,
    widest_variance,
    mean_absolute_correlation,
)
TOYS = (  # shift and matrix that are applied to round points
    ((1.1, 0.7), ((0.4, 0.0), (0.0, 0.4))),
    ((0.0, 0.0), ((0.9, 0.0), (0.0, 0.25))),
    ((0.0, 0.0), ((0.6, 0.5), (0.5, 0.6))),
)


def show_causes(scene: ConeScene) -> None:
    before, now = map(_values_of, scene.sides)
    independent = independent_correlation(len(scene.points.cloud))
    parts = (
        (
            _("Shift of the mean"),
            _("share of the mean in the squared lengths"),
            _("none: {value}").format(value="0.000"),
            _("Centring undoes it."),
        ),
        (
            _("Unequal axes"),
            _("widest variance ÷ mean variance"),
            _("equal: {value}").format(value="1.00"),
            _("Strength undoes it; so does standardising (page Whitening)."),
        ),
        (
            _("Correlated dimensions"),
            _("mean |correlation| of two dimensions"),
            _("independent: {value}").format(value=f"{independent:.3f}"),
            _("Strength undoes it; standardising does not."),
        ),
    )
    figures = ""
    for part, *values, decimals, toy in zip(parts, before, now, (3, 2, 3), TOYS, strict=True):
        title, label, reference, remedy = map(escape, part)
        texts = ["—" if value is None else signed(value, decimals) for value in values]
        shown = " → ".join(dict.fromkeys(texts))  # of the second picture only if it differs
        figures += (
            f"<figure>{_toy(*toy)}<figcaption><strong>{title}</strong><br><b>{shown}</b><br>"
            f"<small>{label} · {reference}</small><br>{remedy}</figcaption></figure>"
        )
    st.subheader(_("Three causes"))
    st.html(f'<div class="causes">{figures}</div>')
    if scene.has_few_points and scene.white.whitening.strength:
        few = _(
            "With few points, whitening keeps {k} of {d} directions and leaves out the others. So "
            "the dimensions stay unequal and correlated, even at full strength."
        )
        k = len(scene.white.whitening.components)
        st.caption(few.format(k=k, d=scene.points.vectors.shape[1]))


@kept(2000)
def _values_of(side: Side) -> list[float | None]:
    found: list[float | None] = [None] * len(CAUSES)
    for place, measure in enumerate(CAUSES):
        with suppress(UndefinedMeasure):
            found[place] = measure(side.vectors)
    return found


def _toy(shift: Sequence[float], matrix: Sequence[Sequence[float]]) -> str:
    """A picture of round points after the matrix and the shift, with the origin as a cross."""
    theme = clouds.current_theme()
    points = np.random.default_rng(0).standard_normal((60, 2))
    # lines of no length with round ends: a third of the bytes of circles
    dots = "".join(f"M{x:.2f} {-y:.2f}h0" for x, y in points @ np.transpose(matrix) + shift)
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2.4 -2.4 4.8 4.8">'
        f'<path d="M-2.3 0H2.3M0 -2.3V2.3" stroke="{theme.ink}" stroke-width="0.03" />'
        f'<path d="{dots}" stroke="{theme.raw}" stroke-width="0.14" stroke-linecap="round" />'
        "</svg>"
    )
    return f'<img alt="" src="data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}">'


# ---- a chosen point ----


def show_inspector(scene: ConeScene) -> None:
    chosen = scene.chosen
    if chosen is None:
        return
    cloud = scene.points.cloud
    label = f" · {short(cloud.labels[chosen])}" if cloud.labels else ""
    first, second = (set(found) for found, _cosines in scene.near)
    both = first & second
    kept = _("bold: in both lists ({n} of {k})").format(n=len(both), k=len(first))
    nearest = _("Nearest to **{text}**").format(text=short(cloud.texts[chosen]))
    st.markdown(f"{nearest}{label} · {kept}")
    titles = (_("in the raw space"), _("in the whitened space"))
    # a full window's panel is too narrow for two lists
    boxes = [st.container(), st.container()] if fills_window() else st.columns(2)
    for box, title, found in zip(boxes, titles, scene.near, strict=True):
        lines = ""
        for row, cosine in zip(*found, strict=True):
            text = escape(cloud.texts[row])  # whole under the pointer and by keyboard
            shown = f"<b>{text}</b>" if row in both else text
            topic = f" <small>{escape(cloud.labels[row])}</small>" if cloud.labels else ""
            lines += f'<tr><td tabindex="0">{topic} {shown}<td>{cosine:.3f}</tr>'
        box.html(f'<table class="near"><tr><th>{title}<th>cos</tr>{lines}</table>')


# ---- the first visit ----


def welcome(scene: ConeScene) -> None:
    if is_presenting() or fills_window():
        return
    count = counted(len(scene.points.cloud), scene.points.cloud.unit)
    seen = _("Left: {count} as the model places them. Right: the same, whitened.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(seen.format(count=count))
        with st.popover(_("What to look at"), width="content", key="steps"):
            steps = [
                _("Look: the same points twice. The orange cones contain half of them, and 90%"),
                _("Play: subtract the mean, then make the axes equal"),
                _("Click a point: who are its neighbours?"),
            ]
            if scene.points.model is not None:
                steps.append(_("Change the layer: where is the cone?"))
            st.html(f"<ol>{''.join(f'<li>{escape(step)}</li>' for step in steps)}</ol>")
        st.page_link(page_path("your_corpus"), label=_("Use my own data"), width="content")


def ask_for_guess(scene: ConeScene) -> None:
    steps = scene.steps
    if steps is None:
        return
    answers = {"more": _("more often"), "same": _("about as often"), "fewer": _("less often")}
    id_ = f"narrow_cone {scene.points.shared_key[:16]}"  # another cloud is another question
    label = measures.label_name(scene.points.corpus)
    asked = _("Guess: in the whitened cloud, nearest neighbours share their {label} …")
    guess = st.pills(
        asked.format(label=label),
        list(answers),
        key="guess",
        format_func=lambda name: answers[name],
        persist_state="session",
        on_change=None if current() is None else lambda: st.rerun(),
        disabled=is_closed(id_),
    )
    question = _("In the whitened cloud, nearest neighbours share their {label} …")
    codes = list(answers)
    chosen = codes.index(guess) if guess else None
    is_shown = may_show(id_, question.format(label=label), list(answers.values()), chosen)
    truth = measures.by_direction(steps.both, "more", "fewer", "same")
    note_truth(id_, codes.index(truth))
    own = own_answer(chosen)
    if is_shown and (own is not None or current() is not None):
        text = _(
            "It is “{truth}”: {before} → {after}, of points that the whitening was not fitted on."
        )
        if own is not None:
            text = _(
                "You guessed “{guess}”. It is “{truth}”: {before} → {after}, of points that the "
                "whitening was not fitted on."
            )
        before, _centred, after = (f"{share:.1%}" for share in steps.agreements)
        values = {"truth": answers[truth], "guess": answers[codes[own or 0]]}
        st.info(text.format(before=before, after=after, **values))


# ---- downloads ----


def offer_downloads(scene: ConeScene) -> None:
    view = _("view {name}").format(name=scene.raw.projection.method)
    factor = _("whitened cloud drawn × {factor}").format(factor=f"{scene.white.scale:.4g}")
    measured_on = " · ".join([scene.provenance, view, factor])
    with st.container(horizontal=True):
        points = partial(panels_csv, scene, measured_on)
        offer_csv(_("Download points (CSV)"), "narrow-cone-points", points)
        cosines = partial(histogram_csv, scene, measured_on)
        offer_csv(_("Download histogram (CSV)"), "narrow-cone-cosines", cosines)


def panels_csv(scene: ConeScene, measured_on: str) -> bytes:
    places = {side.name: side.panel.coordinates for side in scene.sides}
    return cloud_parts.places_csv(scene.points.cloud, places, measured_on)


def histogram_csv(scene: ConeScene, measured_on: str) -> bytes:
    reference = isotropic_cosine_shares(EDGES, scene.white.d)
    shares = (cone.histogram(scene.raw)[0], cone.histogram(scene.white)[0], reference)
    columns = (EDGES[:-1], EDGES[1:], *shares)
    return csv_bytes(
        ["cosine_from", "cosine_to", "raw", "white", "isotropic"],
        [list(map(short_number, row)) for row in zip(*columns, strict=True)],
        measured_on,
    )


# ---- controls ----

SLIDER_STEPS = 16  # steps of the sliders of centring and strength
FILM = ("centring", "strength")
MOST_MAPPED = 100_000  # points that a map is fitted to at most
PRESETS = {  # name: (model, layer, pooling)
    "needle": (BUNDLED, "5", "cls"),
    "max": (BUNDLED, "4", "max"),
    "mean": (BUNDLED, "4", "mean"),
    "last": (BUNDLED, "6", "mean"),
    "e5-last": (E5, "12", "mean"),
    "e5-inner": (E5, "9", "mean"),
}
E5_PRESETS = ("e5-last", "e5-inner")


def show_presets() -> None:
    """Clouds of bundled models; one control, because Streamlit merges quick clicks on buttons."""
    names = {
        "needle": _("MiniLM, [CLS], layer 5: extremely narrow"),
        "max": _("MiniLM, max, layer 4: narrow"),
        "mean": _("MiniLM, mean, layer 4: a typical cone"),
        "last": _("MiniLM, mean, last layer: hardly a cone"),
        "e5-last": _("E5, last layer: nearly every cosine above 0.7, and the best scores"),
        "e5-inner": _("E5, layer 9: whitening gains"),
    }
    here = bundled_names()
    names = {name: label for name, label in names.items() if PRESETS[name][0] in here}
    if corpus_of(language()) != "topics":  # first those of the model that knows the language
        names = dict(sorted(names.items(), key=lambda each: each[0] not in E5_PRESETS))
    st.session_state["preset"] = _current_preset()
    if is_presenting():  # in one row with the other controls
        for name in names:
            model, layer, pooling = PRESETS[name]
            words = ["E5"] if model == E5 else ["MiniLM", pooling_names()[pooling]]
            names[name] = _(", ").join([*words, _("layer {layer}").format(layer=layer)])
    st.pills(
        _("Examples"),
        list(names),
        key="preset",
        format_func=lambda name: names[name],
        on_change=_apply_preset,
        label_visibility="visible" if is_presenting() else "collapsed",
    )


def _current_preset() -> str | None:
    state = st.session_state
    is_plain = state.get("unit", "sentences") == "sentences" and state.get("special", True)
    settings = (chosen_model().name, state.get("layer"), state.get("pooling"))
    return next((name for name, at in PRESETS.items() if is_plain and at == settings), None)


def _apply_preset() -> None:
    """Set the controls to the preset. A second click on it changes nothing."""
    name = st.session_state["preset"]
    if name is not None:
        model, layer, pooling = PRESETS[name]
        if model != chosen_model().name:
            forget_layers()
        st.session_state.update(
            model=model, unit="sentences", layer=layer, pooling=pooling, special=True
        )


def choose_fit() -> str:
    return choose(
        st.selectbox,
        _("Whitening"),
        {
            "recommended": _("recommended for this n/d"),
            "ledoit-wolf": _("Ledoit-Wolf, all directions"),
            "full": _("in full, no shrinkage"),
        },
        key="fit",
    )


def choose_map(look: Look, n: int) -> Look:
    """The look with a map's choices: seeded or not; of many points, all or a sample."""
    if look.view == "umap":  # t-SNE would use one core without a seed, too
        about = _(
            "With a seed the map is the same each time, and one core lays it out. Without a seed "
            "all cores do, and another fit gives another map."
        )
        label = _("Seeded map")
        if not st.toggle(label, True, key="map-seeded", bind="query-params", help=about):
            look = replace(look, seed=None)
    fits_all = False
    if MOST_FITTED < n <= MOST_MAPPED:
        about = _("This takes some minutes. Otherwise the map is fitted to a sample of {n}.")
        about = about.format(n=f"{MOST_FITTED:,}")
        label = _("Fit the map to all {n} points").format(n=f"{n:,}")
        fits_all = st.toggle(label, key="map-all", bind="query-params", help=about)
    return replace(look, most_fitted=None if fits_all else MOST_FITTED)


def film_settings(look: Look) -> tuple[float, float]:
    """(centring, strength) of the session, else of the address, else 1 and 1."""
    _read_film_settings()
    centring, strength = (float(st.session_state[name]) for name in FILM)
    is_white = centring == strength == 1
    for name, value in zip(FILM, (centring, strength), strict=True):
        put_in_url(name, None if is_white else f"{value:g}")
    if look.is_map and centring == strength == 0:  # else both pictures would show the raw cloud
        return 1.0, 1.0
    return centring, strength


def _read_film_settings() -> None:
    """Store the settings of the address in the session, unless it has some."""
    for name in FILM:
        try:
            linked = float(st.query_params.get(name, ""))
        except ValueError:
            linked = 1.0
        st.session_state.setdefault(name, linked if 0 <= linked <= 1 else 1.0)


def store_film_settings(values: Sequence[float]) -> None:
    """Store the settings at which the reader stopped the film, rounded to a step."""
    for name, value in zip(FILM, values, strict=True):
        st.session_state[name] = round(min(max(value, 0.0), 1.0) * SLIDER_STEPS) / SLIDER_STEPS


def knob_names() -> tuple[str, str]:
    return (
        _("Centring s: share of the mean that is subtracted"),
        _("Strength t: how far the axes are made equal"),
    )


def film_sliders() -> tuple[float, float]:
    """Two sliders, for a browser without WebGL2: (centring, strength)."""
    _read_film_settings()
    step = 1 / SLIDER_STEPS
    centring, strength = (
        float(box.slider(label, 0.0, 1.0, step=step, key=name, bind="query-params"))
        for box, label, name in zip(st.columns(2), knob_names(), FILM, strict=True)
    )
    return centring, strength


# ---- the fragment ----


@st.fragment
def explore(corpus: Corpus | VectorSet) -> None:
    welcome_box = st.container(key="welcome")
    control_box, notes_box, progress_box, look_box = page_boxes()
    found_box = st.container(key="inspector")
    numbers_box = st.container()
    panel = open_panel()  # below the numbers, which are on the first screen
    guess_box = st.container()
    answer_box = st.container()
    more_box = st.expander(_("More controls and downloads"), key="more-controls")
    with control_box:
        preset_box = st.container(key="presets")
        spec = cloud_parts.choose_spec(corpus, more=more_box.container())
        if chosen_model().is_in_project and spec != OF_VECTORS:
            with preset_box:
                show_presets()
    with panel.parts:
        explored = explored_part(corpus, unit=spec.unit)
    try:
        with progress_box:
            points = filtered(encode_corpus(corpus, spec), explored.left_in)
    except ENCODER_ERRORS as error:
        with notes_box:
            show_error(error)
        return
    if has_no_webgl2():
        points = points.sample(cone.SAMPLE_ROWS)  # Plotly draws them; it is slow with many
    with notes_box:
        if warn_of_too_few(len(points.cloud)):
            return
    with control_box:
        dims = "2D" if has_no_webgl2() else "3D"
        look = choose_look(corpus, spec, views=views(), dims=dims)
    with more_box:
        if look.is_map:
            look = choose_map(look, len(points.cloud))
        fit = choose_fit()
        points = choose_weights(points)
    with panel.find:
        chosen = choose_point(points)
    with look_box:
        settings = film_sliders() if has_no_webgl2() else film_settings(look)
        map_box = st.container()
    scene = None
    with errors_shown(notes_box):
        with progress_box:
            scene = cone.build_scene(points, look, fit, chosen, settings)
        if scene is None:
            notes_box.info(prose(PAGE, "all-equal"))
    if scene is None:
        return
    with look_box, errors_shown():
        cloud = draw_pictures(scene, explored)
        places = {each.title: each.projection.coordinates for each in scene.sides}
        cloud_parts.show_parts(panel, corpus, points, explored, look, chosen, cloud, places)
    with found_box:
        show_selection(points.cloud, points.shared_key)
        show_inspector(scene)
    with welcome_box:
        welcome(scene)
    if not fills_window():
        with numbers_box, errors_shown():
            show_headlines(scene)
            note_facts(
                lambda: {
                    f"{prefix}{name}": row.value
                    for prefix, side in (("", scene.raw), ("white_", scene.white))
                    for name, row in cone.measured(side).items()
                    if row.value is not None
                }
            )
        with guess_box:
            ask_for_guess(scene)
        with notes_box:  # above the pictures, but computed after they were sent
            cloud_parts.warn_of_reading(corpus)
            warn_of_few_rows(scene)
        with answer_box, errors_shown():
            if not is_presenting():
                _answer(scene, corpus)
            elif shows_part("two-tables"):
                _show_tables(corpus)
        with more_box:
            offer_downloads(scene)
    if look.is_map:
        with map_box:
            show_map_notes(scene)
            if scene.waits_for_map:
                waiting = _("SVD is shown while {map} is being fitted.")
                st.info(waiting.format(map=MAPS[look.view].title))
                cone.fit_maps(scene.sides, look)
                st.rerun()


def show_map_notes(scene: ConeScene) -> None:
    look = scene.look
    n = len(scene.points.cloud)
    title = MAPS[look.view].title
    st.warning(prose(PAGE, "map-caveat", {"map": title}))
    if not scene.waits_for_map:
        trust = [labelled(side.title, trust_line(side.projection, _)) for side in scene.sides]
        st.caption(" · ".join([*trust, seed_line(scene.raw.projection, _)]))
    if look.most_fitted is not None and n > look.most_fitted:
        placed = _(
            "{map} is fitted to a sample of {n} points. The others are placed by their nearest "
            "neighbours in the sample. “More controls and downloads” can fit it to all points."
        )
        if n > MOST_MAPPED:
            placed = _(
                "{map} is fitted to a sample of {n} points. The others are placed by their nearest "
                "neighbours in the sample."
            )
        st.caption(placed.format(map=title, n=f"{look.most_fitted:,}"))


def _show_tables(corpus: Corpus | VectorSet) -> None:
    if isinstance(corpus, Corpus):  # a reader's own vectors have no model
        show_folded(
            _("Static beside contextual: two tables in one scale"),
            "two-tables",
            show_two_tables,
            corpus,
            icon=":material/compare_arrows:",
            parameters=[f"{side}-{what}" for side in SIDES for what in ("table", "layer")],
        )


def _answer(scene: ConeScene, corpus: Corpus | VectorSet) -> None:
    preset = _current_preset()
    # the page quotes scores of E5 on STS-B at these settings
    is_quoted = preset in E5_PRESETS and chosen_model().prefix == default_prefix(E5)
    verdicts = {"cone": cone.cone_verdict, "whitening": cone.whitening_verdict}
    for name, verdict_of in verdicts.items():
        verdict = verdict_of(scene)
        if is_quoted and scene.points.spec.unit == "sentences":
            about = prose(PAGE, f"{preset}-{name}")
            verdict = replace(verdict, measured=f"{verdict.measured}\n\n{about}")
        measures.show_verdict(of_known_text(verdict, scene.points), key=name)
    show_causes(scene)
    _show_tables(corpus)
    label = _("All measures")
    show_folded(label, "all-measures", show_all_measures, scene, icon=":material/table:")
    values = cone.lesson_values(scene)
    of_some_clouds = {
        "median": scene.is_cone,
        "narrows-first": scene.narrows_first,
        "last-layer": scene.is_hardly_a_cone,
    }
    asked = [name for name, applies in of_some_clouds.items() if applies]
    for name in (*asked, "unit", "ledoit-wolf", "ninety", "worse-score", "not-mended", "umap"):
        show_question(PAGE, name, values)
