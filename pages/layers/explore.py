"""Layers' interactive part: one fragment with its pictures, curves and numbers."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import streamlit as st

from geometry import Corpus
from geometry.data.number_text import signed, with_sign
from geometry.encode.pool import POOLINGS
from geometry.evaluate.published import published_tables
from geometry.figures.curves import Axes, Curve, curves_figure
from geometry.figures.heatmap import strips_figure
from geometry.projection.panel import Panel
from geometry.projection.twin_message import UNIT_REACH, Picture, TwinCloud, spread_stops
from pages.common import cloud_choices, cloud_parts, measures
from pages.common.address import fills_window, is_presenting
from pages.common.controls import choose
from pages.common.corpus_cloud import MOST_DRAWN, CloudSpec, encode_corpus
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.draw import clouds
from pages.common.draw.charts import show_chart
from pages.common.draw.twin_cloud import has_no_webgl2
from pages.common.explore_panel import Explored, explored_part, filtered_corpus, open_panel
from pages.common.folded import show_folded
from pages.common.measures import BigNumber
from pages.common.messages import ENCODER_ERRORS, errors_shown, show_error
from pages.common.models import current_encoder
from pages.common.origin import coverage_line, coverage_of, layer_words, of_known_text
from pages.common.selected_points import choose_point, chosen_marks, show_selection
from pages.common.shell import page_boxes, show_question
from pages.common.words import _, aligned_table, labelled, markdown, noted, paragraph, prose

from . import PAGE
from . import scene as layered
from .scene import CONTEXTUAL, TOKENS, LayersScene, Table, series_name


def layer_title(scene: LayersScene, layer: int | None = None) -> str:
    title = layer_words(scene.layer if layer is None else layer, scene.last)
    return title[:1].upper() + title[1:]


def captions(scene: LayersScene) -> list[str]:
    panel = _panel(scene, scene.layer)
    return [*panel.captions, *clouds.lines_below(scene.drawn[scene.layer][0], panel)]


def _panel(scene: LayersScene, layer: int) -> Panel:
    picture, edges = scene.drawn[layer]
    return clouds.panel_with(edges, scene.first.vectors.shape[1], (), picture, UNIT_REACH)


def draw_pictures(scene: LayersScene, explored: Explored) -> TwinCloud:
    points = scene.first
    look = scene.look
    layers = range(scene.last + 1)
    titles = [layer_title(scene, layer) for layer in layers]
    film = Picture(layers, titles, _("Between two layers: {layer}").format(layer="{0}"))
    title = titles[scene.layer]
    cosine = scene.headlines[scene.layer]["mean_cosine"].value
    each = [Picture([layer], [_("layer {layer}").format(layer=layer)]) for layer in layers]
    panels = [_panel(scene, layer) for layer in layers]
    stops = spread_stops(len(layers)) if scene.last else []
    cloud = TwinCloud(
        points=layered.packed(layered.unlabelled(points), look.view, look.n_components),
        rows_key=points.key,
        pictures=[film, *each] if scene.last else [film],
        colours=clouds.point_colours(
            points, look.colour, scene.drawn[scene.layer][0].around_origin
        ),
        reach=UNIT_REACH,
        axis_titles=clouds.axis_titles(look.view, look.n_components),
        origin_label=_("origin"),
        name=_("The same points at every layer"),
        film_name=_("From the first layer to the last"),
        at=float(scene.layer),
        values=(float(scene.layer),),
        knobs=[(float(layer),) for layer in layers],
        knob_steps=1,
        landmarks=[(stop, f"{stop}") for stop in stops],
        alt=clouds.alternative_with(title, len(points.cloud), cosine, panels[scene.layer]),
        cones=[panel.wedges for panel in panels],
        marks=chosen_marks(points, scene.chosen),
        below=captions(scene),
        provenance=layered.provenance(scene),
        file_name=f"layers-{look.n_components}d",
        is_large=is_presenting(),
        has_lead=True,
    )
    settled = layered.store_layer
    return cloud_parts.show_explored(cloud, points, explored, key="layers", on_settled=settled)


# ---- curves ----


def show_curves(scene: LayersScene) -> str:
    """The chart of a measure that the reader chooses; returns the measure's name."""
    labels = {
        name: measures.measure_label(name, with_unit=True)
        for name in (*layered.MEASURES, *CONTEXTUAL)
    }
    measure = choose(st.selectbox, _("Measure by layer"), labels, key="measure")
    label = labels[measure]
    axes = Axes(_("layer (0 is the input)"), label)
    said = []
    for name, tables in scene.tables_of(measure).items():
        values = (measures.print_value(measure, each[measure].value) or "—" for each in tables)
        said.append(labelled(series_name(name), _(", ").join(values)))
    curves = drawn_curves(scene, measure)
    figure = curves_figure(curves, axes, clouds.current_theme(), height=320)
    figure.update_xaxes(dtick=1 if scene.last <= 12 else None)
    show_chart(
        figure,
        key="layer-curves",
        file_name=f"layers-{measure}",
        alt=labelled(_(", ").join([label, axes.x]), _("; ").join(said)),
    )
    st.caption(markdown(_note(measure, scene)))
    return measure


def drawn_curves(scene: LayersScene, measure: str) -> list[Curve]:
    """A curve a series; isotropic data with n and d of the drawn cloud; published curves."""
    tables = scene.tables_of(measure)
    x = np.arange(scene.last + 1)
    curves = []
    for place, name in enumerate(scene.series):
        if name in tables:
            rows = [table[measure] for table in tables[name]]
            ends = [(row.value, row.low, row.high) for row in rows]
            y, low, high = np.array(ends, dtype=float).T  # None is NaN
            interval = {} if np.isnan(low).all() else {"low": low, "high": high}
            curves.append(Curve(x, y, series_name(name), place, dots=True, **interval))
    name = TOKENS if measure in CONTEXTUAL else scene.name
    baseline = np.array([table[measure].baseline for table in tables[name]], dtype=float)
    if not np.isnan(baseline).all():
        title = _("isotropic, as many as {series}").format(series=series_name(name))
        curves.append(Curve(x, baseline, title))
    return curves + (published_curves(scene.last) if measure == "mean_cosine" else [])


def published_curves(last: int) -> list[Curve]:
    """Ethayarajh's curves, stretched from the layers of those models to 0 … ``last``."""
    tables = {table.key: table for table in published_tables()}
    curves = []
    for key in ("ethayarajh_bert", "ethayarajh_gpt2", "ethayarajh_elmo"):
        ((name, values),) = tables[key].rows.items()
        heights = np.array(values, dtype=float)  # None is NaN
        depth = np.linspace(0, 1, len(heights))
        if key == "ethayarajh_gpt2":  # the input and the last two of 12 layers
            heights = np.array([heights[0], np.nan, *heights[1:]])
            depth = np.array([0, 0.5, 11 / 12, 1])
        title = _("{model}, published").format(model=name)
        curves.append(Curve(depth * last, heights, title, dots=True))
    return curves


def _note(measure: str, scene: LayersScene) -> str:
    shown = [scene.series[name] for name in scene.tables_of(measure)]
    parts = [_("Shaded: 95% intervals by leaving out sentences; angles by subsamples of them.")]
    if measure in CONTEXTUAL:
        shaded = _(
            "Each minus its anisotropy baseline of the same tokens: Ethayarajh (2019). Shaded: 95% "
            "intervals of the difference, for other sentences (and types)."
        )
        parts = [shaded]
    if measure == "max_explainable_variance":
        baseline = _(
            "The baseline here is that of random types of the same counts. The paper’s is one "
            "random sample of tokens, so these values are not the paper’s."
        )
        parts.append(baseline)
    texts = _("Texts of the curves: {note}.")
    parts += [texts.format(note=each) for each in layered.sample_note(shown[0])]
    if any(each.name == TOKENS for each in shown):
        parts.append(_("Tokens: special tokens left out, word pieces included."))
    specs = [each.layers[0].spec for each in shown if each.name not in (TOKENS, "cls")]
    if specs and shown[0].layers[0].encoder.special_tokens:
        pooled = _("Sentences: pooled without special tokens, except [CLS].")
        if all(spec.special_tokens for spec in specs):
            pooled = _(
                "Sentences: special tokens are pooled too; “More controls and downloads” can leave "
                "them out."
            )
        parts.append(pooled)
    if measure == "mean_cosine":
        published = _(
            "Published: tokens of other models and texts, by Ethayarajh (2019). Their layers are "
            "stretched to the width of the chart. Of gpt2 only the input and the last two layers "
            "are published, and of ELMo three layers."
        )
        parts.append(published)
    names = layered.compared_names(scene.name)
    if left_out := _(", ").join(series_name(name) for name in names if name not in scene.series):
        said = _("Left out, because bfloat16 can't resolve them: {names}.")
        parts.append(said.format(names=left_out))
    return paragraph(parts)


# ---- numbers ----


def show_headlines(scene: LayersScene) -> None:
    now = scene.headlines[scene.layer]
    below = scene.headlines[scene.layer - 1] if scene.layer else None
    labels = {
        "mean_cosine": _("mean cosine"),
        "opening_angle": _("opening angle, median"),
        "isoscore": _("IsoScore"),
    }
    numbers = []
    for name in layered.HEADLINES:
        row = now[name]
        unit = measures.unit_of(name)
        decimals = measures.decimals_of(name)
        both = (row.value, row.baseline)
        value, isotropic = ("" if x is None else measures.print_value(name, x) + unit for x in both)
        change = measures.change_of(row.value, below[name].value, decimals) if below else ""
        numbers.append(_number(labels[name], value, isotropic, change and change + unit))
    title = layer_title(scene)
    with st.container(key="layer-headline"):
        st.markdown(f"**{title}**")
        measures.show_big_numbers(title, numbers, key="headline-layer")
    measures.explained_caption(" · ".join([*captions(scene), layered.provenance(scene)]))


def _number(label: str, value: str, isotropic: str, change: str = "") -> BigNumber:
    return BigNumber(
        label,
        value or "—",
        _("isotropic: {value}").format(value=isotropic) if isotropic else "",
        _("change since the layer below: {change}").format(change=change) if change else "",
    )


def show_all_measures(scene: LayersScene) -> None:
    names: tuple[str, ...] = (*layered.MEASURES, *measures.DIMENSION_SHARES)
    tables = dict(scene.tables)
    if scene.name == TOKENS:
        both = zip(tables[TOKENS], scene.contextual[TOKENS], strict=True)
        tables[TOKENS] = tuple(table | contextual for table, contextual in both)
        names = (*names, *CONTEXTUAL)
    head = [_("layer"), *(measures.measure_label(name, with_unit=True) for name in names)]
    shown = tables[scene.name]
    decimals = {"positive_cosine_share": 4}  # three would print nearly all of a cone as 1
    rows = [
        [f"{layer}", *(measures.measured_cell(each[name], decimals.get(name)) for name in names)]
        for layer, each in enumerate(shown)
    ]
    isotropic = [measures.print_value(name, shown[-1][name].baseline) or "—" for name in names]
    rows.append([_("isotropic"), *isotropic])
    with st.container(key="layer-table"):
        st.markdown(aligned_table(head, rows, n_left=0))
    st.caption(
        _(
            "In brackets: 95% intervals. They leave out sentences, with all their tokens; angles "
            "come from subsamples. Shares of the leading dimensions have none: other ones may lead "
            "in other sentences. “Isotropic” is the value for isotropic data with the same n "
            "and d. For shares, these data also have the mean cosine of the last layer."
        )
    )
    with errors_shown():
        st.caption(coverage_line(coverage_of(scene.first.corpus)))
    origin_of = layered.series_origin
    measured_on = {name: " · ".join(origin_of(each)) for name, each in scene.series.items()}
    table = partial(table_csv, tables, measured_on)
    offer_csv(_("Download measures (CSV)"), "layers-measures", table)


def table_csv(tables: Mapping[str, Sequence[Table]], measured_on: Mapping[str, str]) -> bytes:
    head = ["series", "layer", "measure", "value", "low", "high", "isotropic", "n", "d"]
    rows: list[list[CsvCell]] = [
        [
            (name, series_name(name)),
            str(layer),
            (row.name, measures.measure_label(row.name)),
            *map(short_number, (row.value, row.low, row.high, row.baseline)),
            str(row.n),
            str(row.d),
        ]
        for name, each in tables.items()
        for layer, table in enumerate(each)
        for row in table.values()
    ]
    return csv_bytes(head, rows, _("; ").join(measured_on[name] for name in tables))


def offer_downloads(scene: LayersScene, measure: str) -> None:
    """Streamlit stores the functions of the buttons, so they refer to no cloud of the curves."""
    about = layered.provenance(scene)
    # the coordinates at every layer, as drawn: of unit vectors around the origin
    places = {f"layer_{i}": at.around_origin for i, (at, _edges) in enumerate(scene.drawn)}
    points = partial(cloud_parts.places_csv, scene.first.cloud, places, about)
    offer_csv(_("Download points (CSV)"), "layers-points", points)
    figure = curves_figure(drawn_curves(scene, measure), Axes("", ""), clouds.current_theme())
    curves = partial(cloud_parts.figures_csv, {"": figure}, about)
    offer_csv(_("Download curves (CSV)"), "layers-curves", curves)
    dimensions = partial(dimensions_csv, scene.parts, about)
    offer_csv(_("Download dimensions (CSV)"), "layers-dimensions", dimensions)


def dimensions_csv(parts: Mapping[str, np.ndarray], measured_on: str) -> bytes:
    whole = np.stack(list(parts.values()), axis=-1)  # (layers, d, treatments)
    rows = [
        [str(layer), str(i), *map(short_number, whole[layer, i])]
        for layer, i in np.ndindex(whole.shape[:2])
    ]
    return csv_bytes(["layer", "dimension", *parts], rows, measured_on)


# ---- rogue dimensions ----


def show_rogues(scene: LayersScene) -> None:
    raw, standardised = scene.parts["raw"], scene.parts["standardised"]
    figure = strips_figure(
        {_("Raw"): raw, _("Standardised at each layer"): standardised},
        clouds.current_theme(),
        titles=(_("dimension"), _("layer")),
        ticks=leading(raw),
        reach=float(np.nanmax(np.abs(raw), initial=1e-12)),
    )
    st.subheader(_("Rogue dimensions"))
    show_chart(
        figure,
        key="layer-rogues",
        file_name="layers-dimensions",
        alt=paragraph(_line(raw[layer], layer) for layer in range(len(raw))),
    )
    _show_numbers(scene)
    series = scene.series[scene.name]
    names = _(", ").join([series_name(series.name), *layered.sample_note(series)])
    said = [_line(raw[scene.layer], scene.layer), _("Measured on: {series}.").format(series=names)]
    st.caption(markdown(paragraph(said)))
    st.caption(prose(PAGE, "rogue"))


def leading(parts: np.ndarray) -> list[int]:
    """A few dimensions with the largest parts (layers, d) at a layer, not close to each other."""
    most = 8  # dimensions with a tick on the axis
    strongest = np.nan_to_num(parts).max(axis=0)
    apart = parts.shape[1] / 20  # nearer names would overlap
    found: list[int] = []
    for dimension in np.argsort(-strongest, kind="stable")[: 4 * most]:
        if all(abs(int(dimension) - other) > apart for other in found):
            found.append(int(dimension))
    return sorted(found[:most])


def _line(parts: np.ndarray, layer: int) -> str:
    total = float(np.sum(parts))
    if not np.isfinite(total) or total <= 0:
        return _("Layer {layer}: no share is defined.").format(layer=layer)
    order = np.argsort(-parts, kind="stable")[:3]  # named in the line below the chart
    shares = _(", ").join(noted(str(i), f"{parts[i] / total:.1%}") for i in order)
    return _("Layer {layer}, leading dimensions and their share: {shares}.").format(
        layer=layer, shares=shares
    )


def _show_numbers(scene: LayersScene) -> None:
    tables = scene.tables[scene.name]
    now, before = (tables[layer] for layer in (scene.layer, max(scene.layer - 1, 0)))
    labels = {1: _("largest dimension's share"), 5: _("five largest dimensions")}
    numbers = []
    for k, name in zip(labels, measures.DIMENSION_SHARES, strict=True):
        value, former = now[name].value, before[name].value
        change = ""
        if scene.layer and value is not None and former is not None:
            change = _("{k} points").format(k=with_sign(100 * (value - former), 1))
        both = (value, now[name].baseline)
        share, isotropic = ("" if each is None else f"{each:.1%}" for each in both)
        numbers.append(_number(labels[k], share, isotropic, change))
    cosine = float(np.sum(scene.parts["standardised"][scene.layer]))
    shown = signed(cosine, 3) if np.isfinite(cosine) else ""
    numbers.append(_number(_("mean cosine, standardised"), shown, "0.000"))
    measures.show_big_numbers(layer_title(scene), numbers, key="rogue-numbers")


@st.fragment
def explore(corpus: Corpus) -> None:
    control_box, notes_box, progress_box, look_box = page_boxes()
    panel = open_panel()
    selection_box = st.container()
    curve_progress_box, answer_box = st.container(), st.container()
    more_box = st.expander(_("More controls and downloads"), key="more-controls")
    encoder = current_encoder()
    with control_box:
        unit_box, pooling_box = st.columns(2)
        with unit_box:
            unit = cloud_choices.choose_unit(encoder, ("sentences", TOKENS))
        with pooling_box:
            pooling = cloud_choices.choose_pooling(encoder, tuple(POOLINGS), unit)
        with more_box:
            special = cloud_choices.choose_special(encoder, unit, pooling)
        spec = CloudSpec(unit, 0, pooling, special)
        look = cloud_choices.choose_look(corpus, spec, views=("mean", "svd", "cone", "pca"))
    with panel.parts:
        explored = explored_part(corpus)
    if explored.left_in is not None and not explored.left_in.any():
        cloud_choices.warn_of_too_few(0)
        return
    corpus = filtered_corpus(corpus, explored.left_in)
    try:
        # without WebGL2 Plotly draws the points; it is slow with many
        most = layered.SAMPLE_ROWS if has_no_webgl2() else MOST_DRAWN
        with progress_box:
            name = TOKENS if unit == TOKENS else pooling
            first = encode_corpus(corpus, layered.drawn_spec(encoder, name, special, most))
        with notes_box:
            if cloud_choices.warn_of_too_few(len(first.cloud)):
                return
        with progress_box:
            film = layered.build_film(layered.unlabelled(first), look)
        with panel.find:
            chosen = choose_point(first)
        layer = layered.chosen_layer(encoder.n_layers)
        scene = LayersScene(corpus, special, look, name, first, *film, layer, chosen)
    except ENCODER_ERRORS as error:
        with notes_box:
            show_error(error)
        return
    with look_box:
        cloud = draw_pictures(scene, explored)
        if not fills_window():
            show_headlines(scene)
    places = {
        layer_title(scene, layer): scene.drawn[layer][0].around_origin
        for layer in dict.fromkeys((scene.layer, 0, scene.last))
    }
    cloud_parts.show_parts(panel, corpus, first, explored, look, chosen, cloud, places)
    with selection_box:
        show_selection(first.cloud, first.shared_key)
    if fills_window():
        return
    with notes_box:  # above the pictures, but computed after they were sent
        cloud_parts.warn_of_reading(corpus)
    try:
        with curve_progress_box:  # encodes and measures every layer
            values = lesson_values(scene)
        with answer_box:
            measure = show_curves(scene)
            if not is_presenting():
                verdict = of_known_text(layered.layers_verdict(scene), corpus)
                measures.show_verdict(verdict, key="layers")
            show_rogues(scene)
            if not is_presenting():
                verdict = of_known_text(layered.rogue_verdict(scene), corpus)
                measures.show_verdict(verdict, key="rogue")
                questions = ("cls", "higher", "standardise", "outliers", "context", "directions")
                for question in questions:
                    show_question(PAGE, question, values)
                label, icon = _("All measures"), ":material/table:"
                show_folded(label, "all-measures", show_all_measures, scene, icon=icon)
        with more_box:
            offer_downloads(scene, measure)
    except ENCODER_ERRORS as error:
        with answer_box:
            show_error(error)


def lesson_values(scene: LayersScene) -> dict[str, str]:
    cls = [table["mean_cosine"].value for table in scene.tables.get("cls", ())]
    tokens = [table["mean_cosine"].value for table in scene.tables[TOKENS]]
    return {"cls": _listed(cls, 4), "cls_last": _listed(cls[-1:], 3), "tokens": _listed(tokens, 3)}


def _listed(values: list[float | None], decimals: int) -> str:
    return _(", ").join("—" if v is None else signed(v, decimals) for v in values) or "—"
