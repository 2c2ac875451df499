"""The charts under the table: spectra, covariances, rogue dimensions, cosines, sizes, losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from geometry import UndefinedMeasure, cosine_contributions
from geometry.evaluate.fit_size import (
    LEAST_HALF,
    LEAST_ROWS,
    SizedFit,
    split_halves,
    whitening_by_size,
)
from geometry.figures.bars import Bars, bars_figure
from geometry.figures.curves import Axes, Curve, curves_figure
from geometry.figures.export import figure_rows
from geometry.figures.heatmap import matrix_figure
from geometry.measure import measure_table, top_contribution_baseline
from geometry.measure.cosines import isotropic_cosine_shares
from geometry.transform.covariances import Covariances
from pages.common import jobs
from pages.common.cache import kept
from pages.common.corpus_cloud import CorpusCloud
from pages.common.cosine_histogram import EDGES, SAMPLE_ROWS, cosine_histogram
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.messages import error_text
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_names
from pages.common.words import _, prose

from . import PAGE
from .choices import choose_chart
from .flow import trained_flow
from .provenance import provenance
from .scene import Scene, TreatedCloud

MATRIX_DIMENSIONS = 64
ROGUES = 10
HEIGHT = 340
# powers of ten alone would give only two or three ticks
SIZE_TICKS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000)
Figures = dict[str, Any]  # by name; one figure, or several for matrices


def show_charts(scene: Scene) -> None:
    """The chart that the reader chooses, a line that explains it, and its values as CSV."""
    kind = choose_chart((*(picture.name for picture in scene.pictures), *scene.waiting))
    figures = _DRAWN[kind](scene)
    if figures:
        st.caption(prose(PAGE, f"chart-{kind}", chart_values(scene)))
        measured_on = provenance(scene)
        offer_csv(
            _("Download chart values (CSV)"),
            f"whitening-{kind}",
            lambda: chart_csv(figures, measured_on),
        )


def chart_csv(figures: Figures, measured_on: str) -> bytes:
    """The chart's values, one row for each point, bar or entry."""
    head, rows = figure_rows(figures)
    text = [[v if isinstance(v, str) else short_number(v) for v in row] for row in rows]
    return csv_bytes(head, text, measured_on)


def chart_values(scene: Scene) -> dict[str, str]:
    """Values for the lines under the charts."""
    d = scene.sets.cloud.vectors.shape[1]
    return {
        "shown": f"{min(d, MATRIX_DIMENSIONS)}",
        "d": f"{d}",
        "rogues": f"{min(d, ROGUES)}",
        "largest": f"{top_contribution_baseline(d):.1%}",
        "rows": f"{min(len(scene.sets.cloud), SAMPLE_ROWS):,}",
        "floor": f"{scene.sets.whitening.rank}",
    }


@kept(32)
def _covariances(picture: TreatedCloud) -> Covariances:
    return Covariances.of(picture.treated.vectors)


def _show(figure: Any, kind: str, title: str) -> Figures:
    show_chart(
        chart_of(figure), key=f"whitening-chart-{kind}", file_name=f"whitening-{kind}", alt=title
    )
    return {title: figure}


def _spectrum(scene: Scene) -> Figures:
    return _spectra(scene, "spectrum", _("variance over the mean variance"), lambda c: c.spectrum)


def _cumulative(scene: Scene) -> Figures:
    return _spectra(scene, "cumulative", _("share of the variance so far"), lambda c: c.cumulative)


def _spectra(
    scene: Scene, kind: str, y: str, values: Callable[[Covariances], np.ndarray]
) -> Figures:
    is_log = kind == "spectrum"
    curves, refusals = [], []
    for place, picture in enumerate(scene.pictures):
        try:
            heights = values(_covariances(picture))
        except UndefinedMeasure as error:  # all points are equal
            refusals.append(error_text(error))
            continue
        # a logarithmic axis does not show values below the rounding error
        heights = np.where(heights > 1e-9, heights, np.nan) if is_log else heights
        name = treatment_names()[picture.name]
        curves.append(Curve(np.arange(1, len(heights) + 1), heights, name, place))
    if not curves:
        st.info(refusals[0])
        return {}
    if is_log:
        ends = np.array([1, len(curves[0].x)])
        curves.append(Curve(ends, np.full(2, _rank_floor(scene)), _("rank floor of the fit")))
    axes = Axes(_("direction, widest first"), y, log_y=is_log, percent=not is_log)
    return _show(curves_figure(curves, axes, current_theme(), height=HEIGHT), kind, y)


def _rank_floor(scene: Scene) -> float:
    """The floor of the fit in units of the raw cloud's mean variance."""
    matrix = _covariances(scene.pictures[0]).matrix
    return float(scene.sets.whitening.rank_floor / (np.trace(matrix) / len(matrix)))


def _covariance(scene: Scene) -> Figures:
    return _matrices(scene, "covariance")


def _correlation(scene: Scene) -> Figures:
    return _matrices(scene, "correlation")


def _matrices(scene: Scene, kind: str) -> Figures:
    figures: Figures = {}
    dimensions = np.sort(_covariances(scene.pictures[0]).widest(MATRIX_DIMENSIONS))
    names = [_("dimension {i}").format(i=i) for i in dimensions]
    boxes = [box for _row in range(0, len(scene.pictures), 2) for box in st.columns(2)]
    for picture, box in zip(scene.pictures, boxes, strict=False):
        matrix = _covariances(picture).among(dimensions, correlation=kind == "correlation")
        reach = 1.0 if kind == "correlation" else float(np.quantile(np.abs(matrix), 0.995))
        title = treatment_names()[picture.name]
        with box:
            st.markdown(f"**{title}**")
            figures |= _show(
                matrix_figure(
                    matrix, names, current_theme(), title=_("dimension"), reach=reach, height=HEIGHT
                ),
                f"{kind}-{picture.name}",
                title,
            )
    return figures


def _rogue(scene: Scene) -> Figures:
    groups = []
    for place, picture in enumerate(scene.pictures):
        shares = _contributions(picture)
        if shares is None:
            continue
        order = np.argsort(-shares, kind="stable")[:ROGUES]  # the largest shares
        about = [_("dimension {i}").format(i=i) for i in order]
        groups.append(Bars(shares[order], about, treatment_names()[picture.name], place))
    title = _("share of the mean cosine")
    figure = bars_figure(
        groups, _("dimensions, largest share first"), title, current_theme(), height=HEIGHT
    )
    return _show(figure, "rogue", title)


@kept(32)
def _contributions(picture: TreatedCloud) -> np.ndarray | None:
    """Each dimension's share of the mean cosine; None if the table has no value."""
    X = picture.treated.vectors
    [row] = measure_table(X, names=["top_contribution"], seed=SEED, intervals=False)
    return None if row.value is None else cosine_contributions(X)


def _cosines(scene: Scene) -> Figures:
    middle = (EDGES[:-1] + EDGES[1:]) / 2
    curves = []
    for place, picture in enumerate(scene.pictures):
        shares = _cosine_shares(picture)
        if shares is None:
            continue
        curves.append(Curve(middle, shares, treatment_names()[picture.name], place, step=True))
    d = scene.pictures[0].treated.retained.shape[1]
    name = _("isotropic directions, d = {d}").format(d=d)
    curves.append(Curve(middle, isotropic_cosine_shares(EDGES, d), name))
    axes = Axes(_("cosine of a pair"), _("share of pairs"), x_range=(-1.0, 1.0), percent=True)
    return _show(curves_figure(curves, axes, current_theme(), height=HEIGHT), "cosines", axes.x)


@kept(32)
def _cosine_shares(picture: TreatedCloud) -> np.ndarray | None:
    """The histogram; None if a point is zero, because it has no cosine."""
    try:
        return cosine_histogram(picture.treated.retained)[0]
    except UndefinedMeasure:
        return None


def _size(scene: Scene) -> Figures:
    X, units = scene.sets.sample.vectors, scene.sets.sample.units
    if min(map(len, split_halves(len(X), units, random_state=SEED))) < LEAST_HALF:
        st.info(_("This chart needs at least {n} points.").format(n=LEAST_ROWS))
        return {}
    fits = jobs.kept_or_made(
        _by_size,
        scene.sets.sample,
        what=_("Whitening by the points in the fit"),
        lane="measure",
        passing=True,
    )
    n = np.array([fit.n for fit in fits])
    curves = [
        Curve(n, np.array([fit.raw for fit in fits]), _("Raw"), 0),
        Curve(n, np.array([fit.isoscore["full"] for fit in fits]), _("in full"), 1),
        Curve(n, np.array([fit.isoscore["ledoit-wolf"] for fit in fits]), _("Ledoit-Wolf"), 2),
        Curve(n, np.array([fit.baseline for fit in fits]), _("isotropic")),
    ]
    d = X.shape[1]
    if n[0] < d < n[-1]:
        name = _("n = d = {d}").format(d=d)
        curves.append(Curve(np.array([d, d]), np.array([0.0, fits[0].baseline]), name))
    axes = Axes(
        _("points in the fit"),
        _("IsoScore of {n} other points").format(n=f"{fits[0].held_out:,}"),
        log_x=True,
        x_ticks=tuple(tick for tick in SIZE_TICKS if n[0] <= tick <= n[-1]),
    )
    return _show(curves_figure(curves, axes, current_theme(), height=HEIGHT), "size", axes.y)


@kept(32)
def _by_size(sample: CorpusCloud, report: jobs.Progress = jobs.no_report) -> tuple[SizedFit, ...]:
    X, units = sample.vectors, sample.units
    return whitening_by_size(X, groups=units, random_state=SEED, progress=report)


def _flow(scene: Scene) -> Figures:
    trained = trained_flow.find(scene.sets.fit_points)
    if trained is None:
        return {}
    epochs = np.array([epoch.epoch for epoch in trained.history])
    curves = [
        Curve(
            epochs,
            np.array([epoch.train_loss for epoch in trained.history]),
            _("loss on the fitted points"),
            0,
        ),
        Curve(
            epochs,
            np.array([epoch.held_out_loss for epoch in trained.history]),
            _("loss on points held out, n = {n}").format(n=f"{trained.n_held_out:,}"),
            1,
        ),
    ]
    start = trained.history[0].held_out_loss
    ends = np.array([epochs[0], epochs[-1]])
    curves.append(Curve(ends, np.full(2, start), _("the Gaussian it starts from")))
    axes = Axes(_("epoch"), _("nats per point"))
    return _show(curves_figure(curves, axes, current_theme(), height=HEIGHT), "flow", axes.y)


_DRAWN: dict[str, Callable[[Scene], Figures]] = {
    "spectrum": _spectrum,
    "cumulative": _cumulative,
    "covariance": _covariance,
    "correlation": _correlation,
    "rogue": _rogue,
    "cosines": _cosines,
    "size": _size,
    "flow": _flow,
}
