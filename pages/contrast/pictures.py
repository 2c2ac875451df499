"""The plane of alignment against uniformity, the cloud, and the curves over the steps."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from geometry.data import read_bundled_pairs
from geometry.data.number_text import signed
from geometry.evaluate.best_cell import halves
from geometry.figures.alignment_plane import PlanePath, PlanePoint, plane_figure
from geometry.figures.curves import Axes, Curve, curves_figure
from geometry.figures.scatter import Dots, scatter_figure
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import axis_titles, current_theme
from pages.common.scores import hundred, with_interval
from pages.common.seed import SEED
from pages.common.words import _

from .run import Moment, PlaneScores, drawn_rows
from .scene import Scene
from .words import place_names

PLANE_HEIGHT = 430
CURVE_HEIGHT = 220
REACH = 1.06  # half-width of the frame; the vectors have length 1


def draw_plane(scene: Scene) -> None:
    """Every point, and the path of the training."""
    run = scene.run
    names = place_names(run.header.settings)
    points = [
        PlanePoint(
            place.uniformity,
            place.alignment,
            100 * place.spearman_test,
            f"{names[place.name]} {hundred(place.spearman_test)}",
            _about(place, names[place.name]),
            is_main=place.name == "trained",
        )
        for place in run.places
    ]
    moments = run.moments
    path = PlanePath(
        np.array([moment.uniformity for moment in moments]),
        np.array([moment.alignment for moment in moments]),
        np.array([100 * moment.spearman_test for moment in moments]),
        [_about_moment(moment) for moment in moments],
        _("the head as it trains"),
    )
    titles = (
        _("← better: uniformity of test sentences"),
        _("← better: alignment of test pairs"),
        _("Spearman × 100, test pairs"),
    )
    figure = plane_figure(points, path, titles, current_theme(), height=PLANE_HEIGHT)
    show_chart(
        chart_of(figure),
        key="contrast-plane",
        file_name="contrast-plane",
        alt="; ".join(_plain(point.about) for point in points),
    )


def _about(place: PlaneScores, name: str) -> str:
    lines = [
        f"<b>{escape(name)}</b>",
        _("Spearman × 100 on test: {score}").format(
            score=with_interval(place.spearman_test, place.low, place.high)
        ),
        _("on dev: {score}").format(score=hundred(place.spearman_dev)),
        *_measures(place),
    ]
    return "<br>".join(lines)


def _about_moment(moment: Moment) -> str:
    name = _("Step {step}").format(step=moment.step)
    lines = [
        f"<b>{name}</b>",
        _("Spearman × 100 on test: {score}").format(score=hundred(moment.spearman_test)),
        _("on dev: {score}").format(score=hundred(moment.spearman_dev)),
        *_measures(moment),
    ]
    return "<br>".join(lines)


def _measures(of: PlaneScores | Moment) -> list[str]:
    return [
        _("alignment {value}").format(value=signed(of.alignment, 3)),
        _("uniformity {value}").format(value=signed(of.uniformity, 3)),
        _("mean cosine {value}").format(value=signed(of.mean_cosine, 3)),
    ]


def _plain(about: str) -> str:
    return about.replace("<b>", "").replace("</b>", "").replace("<br>", ", ")


def draw_cloud(scene: Scene) -> None:
    """Test sentences before and at a step, in one basis, as directions."""
    moment, start = scene.moment, scene.run.moments[0]
    sentences = _drawn_sentences()
    groups = [
        Dots(each.cloud[:, 0], each.cloud[:, 1], sentences, name, place)
        for each, name, place in (
            (start, _("before"), 1),
            (moment, _("step {step}").format(step=moment.step), 0),
        )
    ]
    theme = current_theme()
    titles = axis_titles("mean", 2)
    limits = (-REACH, REACH)
    figure = scatter_figure(
        groups,
        Axes(titles[0], titles[1], x_range=limits, y_range=limits),
        theme,
        height=PLANE_HEIGHT - 70,
    )
    figure.update_xaxes(zeroline=True, constrain="domain")
    figure.update_yaxes(zeroline=True, scaleanchor="x", constrain="domain")
    figure.add_shape(
        type="circle", x0=-1, y0=-1, x1=1, y1=1, line={"color": theme.grid, "width": 2}
    )
    show_chart(
        chart_of(figure),
        key="contrast-cloud",
        file_name="contrast-cloud",
        alt=_(
            "Directions of {n} test sentences before training (mean cosine {before}) and at step "
            "{step} (mean cosine {after}), with the origin and the circle of length 1."
        ).format(
            n=len(sentences),
            before=signed(start.mean_cosine, 3),
            step=moment.step,
            after=signed(moment.mean_cosine, 3),
        ),
        zoom=False,
    )


def _drawn_sentences() -> list[str]:
    """Hover texts of the cloud."""
    pairs = read_bundled_pairs()
    test = halves(pairs.gold_scores, random_state=SEED)[1]
    rows = test[drawn_rows(test)]
    return [escape(side[row]) for side in (pairs.left, pairs.right) for row in rows]


def draw_curves(scene: Scene) -> None:
    """Loss, mean cosine, Spearman and spectrum as small multiples."""
    moment, moments = scene.moment, scene.run.moments
    steps = np.array([each.step for each in moments])

    def over(name: str, title: str, place: int | None = 0) -> Curve:
        values = np.array([getattr(each, name) for each in moments])
        return Curve(steps, values, title, place)

    spearman = [
        Curve(steps, 100 * curve.y, curve.name, curve.place)
        for curve in (
            over("spearman_dev", _("dev"), 0),
            over("spearman_test", _("test"), 1),
        )
    ]
    rank = np.arange(1, len(moment.singular_values) + 1)
    spectra = [
        Curve(rank, moments[0].singular_values, _("before"), 0),
        Curve(rank, moment.singular_values, _("step {step}").format(step=moment.step), 1),
    ]
    step_axis = _("step")
    charts = {
        "loss": ([over("loss", _("loss"))], Axes(step_axis, _("loss (nats)"))),
        "cosine": (
            [over("mean_cosine", _("mean cosine"))],
            Axes(step_axis, _("mean cosine, test sentences")),
        ),
        "spearman": (spearman, Axes(step_axis, _("Spearman × 100"))),
        "spectrum": (
            spectra,
            Axes(_("rank"), _("singular value (unit vectors)"), log_y=True),
        ),
    }
    for box, (name, (curves, axes)) in zip(st.columns(4), charts.items(), strict=True):
        with box:
            first, last = curves[-1].y[0], curves[-1].y[-1]
            show_chart(
                chart_of(curves_figure(curves, axes, current_theme(), height=CURVE_HEIGHT)),
                key=f"contrast-{name}",
                file_name=f"contrast-{name}",
                alt=f"{axes.y}: {first:.3g} → {last:.3g}",
            )
