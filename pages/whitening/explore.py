"""Whitening's interactive part: one fragment with its pictures, numbers and charts."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, UndefinedMeasure, cosine_contributions, read_bundled
from geometry.data import VectorSet
from geometry.data.pairs import read_bundled_pairs
from geometry.errors import REASONS
from geometry.evaluate.fit_size import (
    LEAST_HALF,
    LEAST_ROWS,
    SizedFit,
    split_halves,
    whitening_by_size,
)
from geometry.export import AffineMap, affine_map
from geometry.figures.curves import Axes, Curve, bars_figure, curves_figure
from geometry.figures.heatmap import matrix_figure
from geometry.linalg.spectrum import Covariances
from geometry.measure import (
    Annotations,
    Measured,
    annotated_table,
    chance_agreement,
    disagreements,
    measure_table,
    top_contribution_baseline,
)
from geometry.measure.cosines import isotropic_cosine_shares
from geometry.projection import Projection
from geometry.projection.packing import pack_cloud
from geometry.projection.panel import Panel
from geometry.projection.twin_message import Picture, Points, TwinCloud
from geometry.transform.removal_map import default_components
from geometry.transform.treatments import COUNTS, PAIRS, TREATMENTS, Knobs
from geometry.transform.whitening_map import recommended_whitening
from pages.common import cloud_parts, jobs, measures
from pages.common.address import fills_window, is_presenting
from pages.common.cache import kept
from pages.common.cloud_choices import (
    SAME,
    choose_fit_set,
    choose_look,
    choose_weights,
    points_and_fit,
    warn_of_too_few,
)
from pages.common.controls import choose, choose_in, follow_default
from pages.common.corpus_cloud import CorpusCloud, labels_of
from pages.common.cosine_histogram import EDGES, HISTOGRAM_ROWS, cosine_histogram
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, offer_transform, short_number
from pages.common.draw import clouds
from pages.common.draw.charts import show_chart
from pages.common.draw.twin_cloud import has_no_webgl2
from pages.common.explore_panel import explored_part, open_panel
from pages.common.folded import show_folded
from pages.common.lesson import note_facts, scroll_target, shows_part
from pages.common.measures import BigNumber
from pages.common.messages import errors_shown
from pages.common.origin import coverage_line, coverage_of, of_known_text, weight_column
from pages.common.page_state import is_first_in_visit
from pages.common.seed import SEED
from pages.common.selected_points import choose_point, chosen_marks, show_selection
from pages.common.shell import page_boxes, show_question
from pages.common.treatment_names import treatment_names
from pages.common.words import _, aligned_table, labelled, language, paragraph, prose

from . import PAGE
from . import scene as whitened
from .formulas import show_columns, show_flow
from .named_axes import show_named_axes
from .scene import TreatedCloud, WhiteningScene

# ---- numbers under the pictures ----


# for each cloud and setting of the sliders; shared by all readers
@kept(2000)
def measured(picture: TreatedCloud) -> dict[str, Measured]:
    X = picture.treated.retained
    table = measure_table(X, names=measures.HEADLINES, seed=SEED, intervals=False, simulate=False)
    return {row.name: row for row in table}


def show_headlines(scene: WhiteningScene) -> DeltaGenerator | None:
    """The numbers below each picture. Returns the place of a flow that is not trained yet."""
    n_boxes = len(scene.pictures) + scene.waits_for_flow
    boxes = st.container(key="whitening-numbers").columns(n_boxes)
    for box, picture in zip(boxes, scene.pictures, strict=False):
        with box:
            st.markdown(f"**{picture.title}**")
            numbers = _numbers(picture, scene)
            measures.show_big_numbers(picture.title, numbers, key=f"headline-{picture.name}")
    flow_box = None
    if scene.waits_for_flow:
        boxes[-1].markdown(f"**{treatment_names()['flow']}**")
        flow_box = boxes[-1].container()
    measures.explained_caption(whitened.provenance(scene))
    return flow_box


def _numbers(picture: TreatedCloud, scene: WhiteningScene) -> list[BigNumber]:
    sets = scene.sets
    raw = scene.pictures[0]
    is_raw = picture is raw
    found = measures.measure_numbers(measured(picture), None if is_raw else measured(raw))
    labels = labels_of(sets.points.cloud)
    if labels is not None:
        share = whitened.agreement(picture, sets.sample)
        former = None if is_raw else whitened.agreement(raw, sets.sample)
        chance = chance_agreement(labels, units=sets.points.units)
        label = measures.same_label(sets.points.corpus)
        found.insert(1, measures.agreement_number(label, share, former, chance))
    return found


# ---- pictures ----


EMPTIED = 8.0  # a larger factor means almost no variance along the picture's axes


def _twin_cloud(scene: WhiteningScene) -> TwinCloud:
    raw = scene.pictures[0]
    between = _("to {name}: {share}")
    pictures = [Picture([0], [raw.title])]
    for place, picture in enumerate(scene.pictures[1:], start=1):
        said = between.format(name=picture.title, share="{0}")
        pictures.append(Picture([0, place], [raw.title, picture.title], said))
    panels = [_panel(picture, scene) for picture in scene.pictures]
    projection = raw.projection
    n = len(scene.sets.points.cloud)
    below = []
    alternatives = []
    for picture, panel in zip(scene.pictures, panels, strict=True):
        below.append(labelled(picture.title, " · ".join(_trust_lines(picture, panel))))
        cosine = measured(picture)["mean_cosine"].value
        alternatives.append(clouds.alternative_with(picture.title, n, cosine, panel))
    return TwinCloud(
        points=Points.of(pack_cloud([panel.coordinates for panel in panels], scene.reach)),
        rows_key=scene.sets.points.key,
        pictures=pictures,
        colours=clouds.point_colours(scene.sets.points, scene.look.colour, projection.coordinates),
        reach=scene.reach,
        axis_titles=clouds.axis_titles(projection.method, projection.n_components),
        origin_label=_("origin"),
        name=" · ".join(picture.title for picture in scene.pictures),
        alt=paragraph(alternatives),
        at=1.0,
        knobs=((0.0,), (1.0,)),
        cones=[panel.wedges for panel in panels],
        factors=[picture.factor for picture in scene.pictures],
        marks=chosen_marks(scene.sets.points, scene.chosen),
        below=below,
        provenance=whitened.provenance(scene),
        file_name=f"whitening-{projection.n_components}d",
        is_large=is_presenting(),
    )


def _panel(picture: TreatedCloud, scene: WhiteningScene) -> Panel:
    return _drawn(picture, picture.projection, picture.factor, scene.reach, language())


# a step of a slider changes only some of them
@kept(2000)
def _drawn(
    picture: TreatedCloud, projection: Projection, factor: float, reach: float, code: str
) -> Panel:
    X = picture.treated.vectors
    d = picture.treated.retained.shape[1]
    return clouds.cloud_panel(X, (), projection, reach, scale=factor, d=d)


def _trust_lines(picture: TreatedCloud, panel: Panel) -> list[str]:
    # trustworthiness has no meaning if all points are at one place
    if not picture.projection.around_origin.any():
        rounding = _(
            "all points at the origin: this treatment leaves only rounding along the axes of this "
            "view"
        )
        return [rounding]
    lines = clouds.lines_below(picture.projection, panel)
    if picture.name == "raw":
        return lines
    line = _("drawn × {factor}, so that all have the same rms radius")
    if picture.factor > EMPTIED:
        line = _(
            "drawn × {factor}, so that all have the same rms radius. This treatment leaves "
            "almost no variance along the axes of this view."
        )
    return [*lines, line.format(factor=f"{picture.factor:.3g}")]


# ---- table ----


Rows = tuple[Measured, ...]
Tables = Mapping[str, Rows]  # by the treatment's name
FIVE = ("mean_cosine", "opening_angle", "isoscore", "effective_rank", "mean_norm_share")


@kept(128)
def rows_of(picture: TreatedCloud, sample: CorpusCloud, is_new: bool, is_whole: bool) -> Rows:
    """The measures of a picture; intervals would say nothing about points of its own fit.

    Shares of single dimensions are of the model's dimensions, and not of principal coordinates.
    """
    treated = picture.on(sample).treated
    annotations = whitened.annotations_of(sample)
    names = None
    if not is_whole:
        names = FIVE if annotations.labels is None else FIVE[:4]
        # of the annotations, only the labels are used
        annotations = Annotations(labels=annotations.labels, units=annotations.units)
    how: dict[str, Any] = {"seed": SEED, "intervals": is_new, "units": sample.units}
    table: Rows = measure_table(treated.retained, names=names, **how)
    if is_whole and treated.retained is not treated.vectors:
        single = measure_table(treated.vectors, names=measures.DIMENSION_SHARES, **how)
        by_name = {row.name: row for row in single}
        table = tuple(by_name.get(row.name, row) for row in table)
    annotated = annotated_table(treated.retained, annotations, seed=SEED)
    if not is_new:
        annotated = tuple(replace(row, low=None, high=None) for row in annotated)
    return table + annotated


def measure_all(scene: WhiteningScene, *, is_whole: bool = True) -> Tables:
    sets = scene.sets
    asked = [
        (picture, sets.sample, sets.overlap_with_fit(picture.name) == "none", is_whole)
        for picture in scene.pictures
    ]
    what = _("Measuring clouds: {n}")
    tables = jobs.all_kept_or_made(rows_of, asked, what=what, passing=True)
    return {picture.name: rows for picture, rows in zip(scene.pictures, tables, strict=True)}


def show_all_measures(scene: WhiteningScene) -> None:
    """Five rows of the table or all, its provenance, and the disagreements of its measures."""
    label = _("Show all measures instead of five")
    is_whole = st.toggle(label, key="all-rows", persist_state="session")
    with st.container():
        tables = measure_all(scene, is_whole=is_whole)
    with st.container(key="whitening-table"):
        st.markdown(table_markdown(scene, tables))
    st.caption(
        _(
            "In brackets: 95% intervals for other points under the same fitted treatment. They "
            "come from leaving out points, or pairs, types or words where a row is a mean over "
            "those; tokens are left out by sentence. Angles and agreement come from subsamples. A"
            " bootstrap would bias these measures by its repeated points. Hubness and the shares "
            "of the leading dimensions have no interval: other points have other hubs, and other "
            "dimensions may lead. “Set by the fit”: the treatment was fitted on the points that "
            "are measured, so an interval would say nothing about other points. “Isotropic”: the "
            "value for isotropic data with the n and d of raw, ± the standard error of a "
            "simulation; for shares of the mean cosine, such data moved away from the origin in a"
            " random direction, to the same mean cosine."
        )
    )
    if scene.sets.sample is not scene.sets.points:
        sample = _("Measured on a sample of {n} points, seed {seed}.")
        st.caption(sample.format(n=f"{len(scene.sets.sample.cloud):,}", seed=SEED))
    if is_whole:  # what these measures are averaged over
        about = whitened.annotations_of(scene.sets.sample)
        unit = scene.sets.points.cloud.unit
        if about.pairs is not None:
            st.caption(prose(PAGE, "annotated-pairs", {"pairs": f"{len(about.pairs):,}"}))
        elif unit in ("tokens", "types"):
            st.caption(prose(PAGE, f"annotated-{unit}"))
    lines: dict[str, None] = {}
    for picture in scene.pictures[1:]:
        for code in disagreements(tables["raw"], tables[picture.name]):
            # that sentence says that the map was fitted on these points
            if code != "more_even_than_chance" or scene.sets.code == SAME:
                lines[prose(PAGE, f"disagree-{code}", {"name": picture.title})] = None
    for line in lines:
        st.markdown(f"- {line}")
    pairs = f"{len(read_bundled_pairs()):,}"
    for picture in scene.pictures:
        panel = _panel(picture, scene)
        said = [f"**{picture.title}**"]
        if picture.name != "raw":
            said.append(prose(PAGE, f"about-{picture.name}", {"pairs": pairs}))
        said.append(" · ".join([*panel.captions, *_trust_lines(picture, panel)]))
        st.caption("  \n".join(said))
    if scene.sets.points.model is not None:
        with errors_shown():
            st.caption(coverage_line(coverage_of(scene.sets.points.corpus)))
    table = partial(table_csv, scene, tables, whitened.provenance(scene))
    offer_csv(_("Download measures (CSV)"), "whitening-measures", table)


def table_markdown(scene: WhiteningScene, tables: Tables) -> str:
    head = [_("measure")]
    lines = []
    notes = {"all": _("set by the fit"), "some": _("partly set by the fit")}
    for picture in scene.pictures:
        by_fit = notes.get(scene.sets.overlap_with_fit(picture.name))
        titled = _("{name} ({by_fit})").format(name=picture.title, by_fit=by_fit)
        head.append(titled if by_fit else picture.title)
    for place, row in enumerate(tables["raw"]):
        cells = [_cell(tables[picture.name][place], row) for picture in scene.pictures]
        label = measures.measure_label(row.name, with_unit=True)
        if row.name == "label_agreement":
            label = measures.agreement_label(scene.sets.points.corpus)
        lines.append([label, *cells, _baseline(row)])
    return aligned_table([*head, _("isotropic")], lines)


def _cell(row: Measured, raw: Measured) -> str:
    text = measures.measured_cell(row)
    isotropic = measures.print_value(row.name, row.baseline)
    if row.value is not None and isotropic != measures.print_value(raw.name, raw.baseline):
        # it depends on the dimensions, and that of shares on the mean cosine
        return _("{found} ({value} if isotropic)").format(found=text, value=isotropic)
    return text


def _baseline(row: Measured) -> str:
    """The value for isotropic data, and its standard error unless that rounds to zero."""
    if row.name == "label_agreement":
        return _("{share} by chance").format(share=measures.print_value(row.name, row.baseline))
    text = measures.print_value(row.name, row.baseline)
    decimals = measures.decimals_of(row.name)
    error = f"{row.baseline_error or 0:.{decimals}f}"
    return f"{text} ± {error}" if float(error) else text


def table_csv(scene: WhiteningScene, tables: Tables, measured_on: str) -> bytes:
    head = ["treatment", "measure", "value", "low", "high", "isotropic", "n", "d", "undefined"]
    head += ["fitted_on", "rank_of_fit", "shrinkage"]
    fit_cells = {picture.name: whitened.fit_cells_of(picture, scene) for picture in scene.pictures}
    rows: list[list[CsvCell]] = [
        [
            (picture.name, picture.title),
            (row.name, measures.measure_label(row.name)),
            *map(short_number, (row.value, row.low, row.high, row.baseline)),
            str(row.n),
            str(row.d),
            (row.undefined, _(REASONS[row.undefined])) if row.undefined else "",
            *fit_cells[picture.name],
        ]
        for picture in scene.pictures
        for row in tables[picture.name]
    ]
    return csv_bytes(head, rows, measured_on)


# ---- charts ----


MATRIX_DIMENSIONS = 64
ROGUES = 10
CHART_HEIGHT = 340
# powers of ten alone would give only two or three ticks
SIZE_TICKS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000)
Figures = dict[str, Any]  # by name; one figure, or several for matrices


def show_charts(scene: WhiteningScene) -> None:
    labels = {
        "spectrum": _("spectrum"),
        "cumulative": _("cumulative share"),
        "covariance": _("covariance"),
        "correlation": _("correlation"),
        "rogue": _("rogue dimensions"),
        "cosines": _("cosines of pairs"),
        "size": _("points in the fit"),
    }
    names = [picture.name for picture in scene.pictures]
    if "flow" in names or scene.waits_for_flow:
        labels["flow"] = _("loss of the flow")
    kind = choose(st.segmented_control, _("Chart"), labels, key="chart", required=True)
    figures = _DRAWN[kind](scene, kind)
    if not figures:
        return
    n, d = scene.sets.points.vectors.shape
    values = {
        "shown": f"{min(d, MATRIX_DIMENSIONS)}",
        "d": f"{d}",
        "rogues": f"{min(d, ROGUES)}",
        "largest": f"{top_contribution_baseline(d):.1%}",
        "rows": f"{min(n, HISTOGRAM_ROWS):,}",
        "floor": f"{scene.sets.whitening.rank}",
    }
    st.caption(prose(PAGE, f"chart-{kind}", values))
    table = partial(cloud_parts.figures_csv, figures, whitened.provenance(scene))
    offer_csv(_("Download chart values (CSV)"), f"whitening-{kind}", table)


@kept(32)
def _covariances(picture: TreatedCloud) -> Covariances:
    return Covariances.of(picture.treated.vectors)


def _show(figure: Any, kind: str, title: str) -> Figures:
    show_chart(figure, key=f"whitening-chart-{kind}", file_name=f"whitening-{kind}", alt=title)
    return {title: figure}


def _show_curves(curves: Sequence[Curve], axes: Axes, kind: str, title: str) -> Figures:
    figure = curves_figure(curves, axes, clouds.current_theme(), height=CHART_HEIGHT)
    return _show(figure, kind, title)


def _spectra(scene: WhiteningScene, kind: str) -> Figures:
    is_log = kind == "spectrum"
    y = _("variance over the mean variance") if is_log else _("share of the variance so far")
    curves = []
    for place, picture in enumerate(scene.pictures):
        found = _covariances(picture)
        with suppress(UndefinedMeasure):  # the treatment makes all points equal
            heights = found.spectrum if is_log else found.cumulative
            # a logarithmic axis does not show values below the rounding error
            heights = np.where(heights > 1e-9, heights, np.nan) if is_log else heights
            curves.append(Curve(np.arange(1, len(heights) + 1), heights, picture.title, place))
    if is_log:
        ends = np.array([1, len(curves[0].x)])
        # in units of the raw cloud's mean variance
        mean_variance = np.diag(_covariances(scene.pictures[0]).matrix).mean()
        floor = np.full(2, scene.sets.whitening.rank_floor / mean_variance)
        curves.append(Curve(ends, floor, _("rank floor of the fit")))
    axes = Axes(_("direction, widest first"), y, log_y=is_log, percent=not is_log)
    return _show_curves(curves, axes, kind, y)


def _matrices(scene: WhiteningScene, kind: str) -> Figures:
    figures: Figures = {}
    dimensions = np.sort(_covariances(scene.pictures[0]).widest(MATRIX_DIMENSIONS))
    look: dict[str, Any] = {"title": _("dimension"), "height": CHART_HEIGHT}
    names = [_("dimension {i}").format(i=i) for i in dimensions]
    boxes = [box for _row in range(0, len(scene.pictures), 2) for box in st.columns(2)]
    for picture, box in zip(scene.pictures, boxes, strict=False):
        matrix = _covariances(picture).among(dimensions, correlation=kind == "correlation")
        reach = 1.0 if kind == "correlation" else float(np.quantile(np.abs(matrix), 0.995))
        figure = matrix_figure(matrix, names, clouds.current_theme(), reach=reach, **look)
        with box:
            st.markdown(f"**{picture.title}**")
            figures |= _show(figure, f"{kind}-{picture.name}", picture.title)
    return figures


def _rogue(scene: WhiteningScene, kind: str) -> Figures:
    groups = []
    for place, picture in enumerate(scene.pictures):
        if (shares := _contributions(picture)) is not None:
            order = np.argsort(-shares, kind="stable")[:ROGUES]  # the largest shares
            about = [_("dimension {i}").format(i=i) for i in order]
            ranks = np.arange(1, len(order) + 1)
            groups.append(Curve(ranks, shares[order], picture.title, place, about=about))
    x, y = _("dimensions, largest share first"), _("share of the mean cosine")
    figure = bars_figure(groups, x, y, clouds.current_theme(), height=CHART_HEIGHT)
    return _show(figure, kind, y)


@kept(32)
def _contributions(picture: TreatedCloud) -> np.ndarray | None:
    """Each dimension's share of the mean cosine; None if the table has no value."""
    X = picture.treated.vectors
    [row] = measure_table(X, names=["top_contribution"], seed=SEED, intervals=False)
    return None if row.value is None else cosine_contributions(X)


def _cosines(scene: WhiteningScene, kind: str) -> Figures:
    middle = (EDGES[:-1] + EDGES[1:]) / 2
    curves = [
        Curve(middle, shares, picture.title, place, step=True)
        for place, picture in enumerate(scene.pictures)
        if (shares := _cosine_shares(picture)) is not None
    ]
    d = scene.pictures[0].treated.retained.shape[1]
    name = _("isotropic directions, d = {d}").format(d=d)
    curves.append(Curve(middle, isotropic_cosine_shares(EDGES, d), name))
    axes = Axes(_("cosine of a pair"), _("share of pairs"), x_range=(-1.0, 1.0), percent=True)
    return _show_curves(curves, axes, kind, axes.x)


@kept(32)
def _cosine_shares(picture: TreatedCloud) -> np.ndarray | None:
    """The histogram; None if a point is zero, because it has no cosine."""
    with suppress(UndefinedMeasure):
        return cosine_histogram(picture.treated.retained)[0]
    return None


def _size(scene: WhiteningScene, kind: str) -> Figures:
    sample = scene.sets.sample
    halves = split_halves(len(sample.cloud), sample.units, random_state=SEED)
    if min(map(len, halves)) < LEAST_HALF:
        st.info(_("This chart needs at least {n} points.").format(n=LEAST_ROWS))
        return {}
    what = _("Whitening by the points in the fit")
    fits = jobs.kept_or_made(_by_size, sample, what=what, passing=True)
    n = np.array([fit.n for fit in fits])
    curves = [
        Curve(n, np.array([fit.raw for fit in fits]), _("Raw"), 0),
        Curve(n, np.array([fit.isoscore["full"] for fit in fits]), _("in full"), 1),
        Curve(n, np.array([fit.isoscore["ledoit-wolf"] for fit in fits]), _("Ledoit-Wolf"), 2),
        Curve(n, np.array([fit.baseline for fit in fits]), _("isotropic")),
    ]
    d = sample.vectors.shape[1]
    if n[0] < d < n[-1]:
        name = _("n = d = {d}").format(d=d)
        curves.append(Curve(np.array([d, d]), np.array([0.0, fits[0].baseline]), name))
    y = _("IsoScore of {n} other points").format(n=f"{fits[0].held_out:,}")
    ticks = tuple(tick for tick in SIZE_TICKS if n[0] <= tick <= n[-1])
    axes = Axes(_("points in the fit"), y, log_x=True, x_ticks=ticks)
    return _show_curves(curves, axes, kind, axes.y)


@kept(32)
def _by_size(sample: CorpusCloud, report: jobs.Progress = jobs.no_report) -> tuple[SizedFit, ...]:
    X = sample.vectors
    return whitening_by_size(X, groups=sample.units, random_state=SEED, progress=report)


def _flow(scene: WhiteningScene, kind: str) -> Figures:
    trained = whitened.trained_flow.find(scene.sets.fit_points)
    if trained is None:
        return {}
    epochs = np.array([epoch.epoch for epoch in trained.history])
    fitted = np.array([epoch.train_loss for epoch in trained.history])
    new = np.array([epoch.held_out_loss for epoch in trained.history])
    held_out = _("loss on points held out, n = {n}").format(n=f"{trained.n_held_out:,}")
    curves = [
        Curve(epochs, fitted, _("loss on the fitted points"), 0),
        Curve(epochs, new, held_out, 1),
        Curve(epochs[[0, -1]], new[[0, 0]], _("the Gaussian it starts from")),
    ]
    axes = Axes(_("epoch"), _("nats per point"))
    return _show_curves(curves, axes, kind, axes.y)


_DRAWN: dict[str, Callable[[WhiteningScene, str], Figures]] = {
    "spectrum": _spectra,
    "cumulative": _spectra,
    "covariance": _matrices,
    "correlation": _matrices,
    "rogue": _rogue,
    "cosines": _cosines,
    "size": _size,
    "flow": _flow,
}


# ---- warnings ----


def warn_of_emptied(scene: WhiteningScene) -> None:
    for picture in scene.pictures:
        fitted = picture.treatment.fitted
        if "n_removed" in picture.kind.knobs and fitted.leaves_nothing:
            values = {
                "fitted": f"{fitted.n_rows:,}",
                "rank": f"{fitted.rank}",
                "removed": f"{len(fitted.weights)}",
            }
            st.warning(prose(PAGE, "emptied", values))


def warn_of_simplex(scene: WhiteningScene) -> None:
    maps = [picture.treatment.fitted for picture in scene.pictures]
    simplices = {
        picture.is_regular: picture for picture in maps if getattr(picture, "makes_simplex", False)
    }
    for is_regular, fitted in simplices.items():
        n = {"n": f"{fitted.n_rows:,}", "distinct": f"{fitted.n_distinct:,}"}
        kind = "" if is_regular else "-uneven"
        if scene.sets.is_all_fitted:
            st.error(prose(PAGE, f"simplex{kind}", n))
        else:  # only the points of the fit are a simplex, and the pictures show others too
            st.warning(prose(PAGE, f"simplex-fit{kind}", n))


# ---- downloads ----


def offer_downloads(scene: WhiteningScene) -> None:
    points = partial(pictures_csv, scene, whitened.provenance(scene))
    offer_csv(_("Download points (CSV)"), "whitening-points", points)
    offered = {each.name: each for each in scene.pictures if each.kind.is_exported}
    if not offered:
        return
    st.markdown(prose(PAGE, "take-home"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            _("Fitted treatment"),
            list(offered),
            format_func=treatment_names().__getitem__,
            key="take-home",
            persist_state="session",
        )
        picture = offered.get(chosen, next(iter(offered.values())))
        offer_transform(lambda: exported_map(picture, scene), picture.name)


def exported_map(picture: TreatedCloud, scene: WhiteningScene) -> AffineMap:
    sets = scene.sets
    spec = sets.points.spec
    fit = sets.fit_points
    is_of_pairs = picture.kind.needs == PAIRS
    corpus = read_bundled("pairs") if is_of_pairs else fit.corpus
    return affine_map(
        picture.treatment,
        model="" if sets.points.model is None else sets.points.model.name,
        unit=spec.unit,
        layer=spec.layer,
        pooling=spec.pooling if spec.unit == "sentences" else "none",
        corpus=corpus.name,
        **({"weights": weight_column(fit)} if fit.weights is not None and not is_of_pairs else {}),
    )


def pictures_csv(scene: WhiteningScene, measured_on: str) -> bytes:
    view = _("view {name}").format(name=scene.pictures[0].projection.method)
    places = {each.name: each.projection.around_origin * each.factor for each in scene.pictures}
    factors = [f"{picture.name} × {picture.factor:.4g}" for picture in scene.pictures]
    return cloud_parts.places_csv(
        scene.sets.points.cloud, places, " · ".join([measured_on, view, *factors])
    )


# ---- controls ----

SLOTS = {"second": "zca", "third": "removed", "fourth": "standardised"}
FITTED_WITH = {COUNTS: "types", PAIRS: "sentences"}  # the unit that has what the fit needs
MOST_REMOVED = 30
FEWEST_FITTED = 10


def choose_treatments(unit: str, boxes: Sequence[DeltaGenerator]) -> tuple[str, ...]:
    offered = {"none": _("no picture")}
    for kind in TREATMENTS.values():
        if kind.is_pictured and FITTED_WITH.get(kind.needs, unit) == unit:
            offered[kind.name] = treatment_names()[kind.name]
    labels = (_("Second picture"), _("Third picture"), _("Fourth picture"))
    chosen = []
    for box, (slot, default), label in zip(boxes, SLOTS.items(), labels, strict=True):
        chosen.append(choose_in(box, label, offered, default, key=slot))
    return ("raw", *dict.fromkeys(name for name in chosen if name != "none"))


def choose_knobs(
    names: tuple[str, ...],
    n: int,
    d: int,
    *,
    strength: DeltaGenerator,
    removed: DeltaGenerator,
    more: DeltaGenerator,
) -> Knobs:
    turned = {knob for name in names for knob in TREATMENTS[name].knobs}
    recommended = recommended_whitening(n, d)
    found: dict[str, Any] = {}
    with strength:
        if "strength" in turned:
            about = _("How far the axes are made equal.")
            found["strength"] = _share(_("Strength t"), "strength", about)
    with removed:
        if "n_removed" in turned:
            most = min(MOST_REMOVED, d - 1)
            about = _("How many of the leading directions are removed.")
            ends = (0, most, min(most, default_components(d)))
            found["n_removed"] = _slider(_("Removed D"), "removed", *ends, about) if most else 0
    with more:
        if "centring" in turned:
            label = _("Centring s: share of the mean that is subtracted")
            found["centring"] = _share(label, "centring")
        if "shrinkage" in turned:
            found["shrinkage"] = _shrinkage(recommended.get("shrinkage") or "none")
        if "n_components" in turned and d > 1:  # a slider needs two different ends
            default = recommended.get("n_components") or d
            follow_default("kept", default)
            k = _slider(_("Directions kept k"), "kept", 1, d, default)
            found["n_components"] = None if k == d else k
    return Knobs(**found)


def _share(label: str, key: str, about: str | None = None) -> float:
    step = 0.125 / 2
    return float(st.slider(label, 0.0, 1.0, 1.0, step, key=key, bind="query-params", help=about))


def _shrinkage(default: str) -> float | str | None:
    follow_default("shrink", default)
    way = choose(
        st.segmented_control,
        _("Shrinkage of the covariance"),
        {"none": _("none"), "ledoit-wolf": _("Ledoit-Wolf"), "by-hand": _("by hand")},
        key="shrink",
        default=default,
        required=True,
        help=measures.explained(_("shrinkage")),
    )
    if way != "by-hand":
        return None if way == "none" else way
    return float(
        st.slider(_("Shrinkage a"), 0.0, 1.0, 0.1, 0.01, key="shrinkage", bind="query-params")
    )


def _slider(
    label: str, key: str, low: int, high: int, default: int, about: str | None = None
) -> int:
    """A whole number; one that was chosen for another cloud is clipped to the range of this one."""
    value = st.session_state.get(key)
    if isinstance(value, int):
        st.session_state[key] = min(max(value, low), high)
    return int(st.slider(label, low, high, default, key=key, help=about, bind="query-params"))


# ---- the fragment ----


FORMULA = ":material/function:"


@st.fragment
def explore(corpus: Corpus | VectorSet) -> None:
    control_box, notes_box, progress_box, look_box = page_boxes()
    panel = open_panel()
    selection_box = st.container()
    answer_box = st.container()
    more_box = st.expander(_("More controls and downloads"), key="more-controls")
    with control_box:
        boxes = st.columns(6 if isinstance(corpus, Corpus) else 5)
    unit_box, pooling_box, fit_box = more_box.columns(3)
    cloud_boxes = (unit_box, boxes[-1], pooling_box)  # the last one is for the layer
    spec = cloud_parts.choose_spec(corpus, more=more_box.container(), boxes=cloud_boxes)
    with more_box:
        look = choose_look(corpus, spec, views=("mean", "svd", "pca"))
    with panel.parts:
        explored = explored_part(corpus, unit=spec.unit)
    scene = None
    with errors_shown(notes_box):
        treatments = choose_treatments(spec.unit, boxes[:3])
        with fit_box:
            code = choose_fit_set(corpus)
        with progress_box:
            points, fit = points_and_fit(corpus, spec, code, explored.left_in)
        if has_no_webgl2():
            points = points.sample(whitened.SAMPLE_ROWS)  # Plotly draws them; it is slow with many
        with notes_box:
            if warn_of_too_few(min(len(points.cloud), len(fit.cloud))):
                return
        rows_box, knobs_box = more_box.columns(2)
        with rows_box:
            rows = available = len(fit.cloud)
            if available > FEWEST_FITTED:
                follow_default("fit-rows", available)
                label = _("Points in the fit")
                rows = _slider(label, "fit-rows", FEWEST_FITTED, available, available)
            fit = choose_weights(fit)
        if rows < available:
            order = np.random.default_rng(SEED).permutation(available)
            fit = fit.take(np.sort(order[:rows]), str(rows))
        sets = whitened.PointSets(points, fit, code)
        n = round(fit.effective_n)
        d = fit.vectors.shape[1]
        knobs = choose_knobs(treatments, n, d, strength=boxes[3], removed=boxes[4], more=knobs_box)
        with panel.find:
            chosen = choose_point(points)
        with progress_box:
            scene = whitened.build_scene(sets, treatments, knobs, look, chosen)
        if scene is None:
            notes_box.info(prose("narrow_cone", "all-equal"))
    if scene is None:
        return
    flow_box: DeltaGenerator | None = None
    with look_box, errors_shown():
        cloud = cloud_parts.show_explored(_twin_cloud(scene), points, explored, key="whitening")
        flow_box = None if fills_window() else show_headlines(scene)
        note_facts(
            lambda: {
                f"{picture.name}_{name}": row.value
                for picture in scene.pictures
                for name, row in measured(picture).items()
                if row.value is not None
            }
        )
        places = {each.title: each.projection.coordinates for each in scene.pictures}
        cloud_parts.show_parts(panel, corpus, points, explored, look, chosen, cloud, places)
    with selection_box:
        show_selection(points.cloud, points.shared_key)
    with notes_box:  # above the pictures, but computed after they were sent
        cloud_parts.warn_of_reading(corpus)
        warn_of_simplex(scene)
        warn_of_emptied(scene)
    with answer_box, errors_shown():
        if not fills_window() and not is_presenting():
            _answer(scene)
        elif not fills_window() and shows_part("flow"):
            _show_flow_part(scene)
    with more_box:
        offer_downloads(scene)
    if flow_box is not None:
        with flow_box, errors_shown():
            whitened.train_flow(scene.sets.fit_points)
            st.rerun()  # the whole page: on a first visit there is no fragment yet to run again


def _answer(scene: WhiteningScene) -> None:
    measures.show_verdict(
        of_known_text(whitened.whitening_verdict(scene), scene.sets.points), key="whitening"
    )
    for question in ("disagree", "same-cosines", "fit", "glove", "flow"):
        show_question(PAGE, question)
    label = _("The formula, and the columns of U")
    show_folded(label, "formula", show_columns, scene, icon=FORMULA)
    _show_flow_part(scene)
    label = _("Do whitened axes have a meaning? Independent components")
    show_folded(label, "independent", show_named_axes, icon=":material/grid_on:")
    label = _("All measures")
    show_folded(label, "all-measures", show_all_measures, scene, icon=":material/table:")
    icon = ":material/show_chart:"
    show_folded(_("Charts"), "all-charts", show_charts, scene, icon=icon, parameters=["chart"])


def _show_flow_part(scene: WhiteningScene) -> None:
    """The flow's likelihood and its map; open where a step of the lesson is about it."""
    if scroll_target()[1] == "flow" and is_first_in_visit("the lesson's flow"):
        st.session_state["flow"] = True
    label = _("The flow: its likelihood and its map")
    show_folded(label, "flow", show_flow, scene, icon=FORMULA)
