"""The formulas of whitening and of the flow with the page's numbers, and pictures of both."""

import numpy as np
import streamlit as st

from geometry.data.number_text import signed, with_sign
from geometry.figures.cone import cone_figure
from geometry.linalg.spectrum import Covariances
from geometry.projection.panel import Panel
from geometry.projection.point_colours import PointColours
from geometry.projection.twin import FRAME_SHARE
from geometry.transform.flow_map import FlowMap
from geometry.transform.treatments import COUNTS, Knobs
from pages.common.cache import kept
from pages.common.draw.charts import share_texts, show_chart
from pages.common.draw.clouds import axis_titles, current_theme, draw_legend, point_colours
from pages.common.treatment_names import treatment_names
from pages.common.words import _, aligned_table, markdown, plotly, prose

from . import PAGE
from . import scene as whitened
from .scene import TreatedCloud, WhiteningScene

HEIGHT = 400
WHITENING = (
    r"\Sigma = V \Lambda V^\top",
    r"W = V \Lambda^{-1/2}",
    r"(X - \mu)\, W = U",
    r"W^\top \Sigma\, W = I",
)


# ---- whitening ----


def show_columns(scene: WhiteningScene) -> None:
    picture_box, words_box = st.columns([1, 1], gap="medium")
    fitted = whitened.fit_cloud("pca", scene.knobs, scene).treatment.fitted
    k = len(fitted.components)
    values = {
        "n": f"{fitted.n_rows:,}",
        "d": f"{len(fitted.mean)}",
        "k": f"{k}",
        "rank": f"{fitted.rank}",
        "first": f"{fitted.eigenvalues[0]:.3g}",
        "last": f"{fitted.eigenvalues[k - 1]:.3g}",
        "a": f"{fitted.shrinkage:.3f}",
        "t": f"{fitted.strength:.2f}",
        "s": f"{fitted.centring:.2f}",
    }
    with words_box:
        for line in WHITENING:
            st.latex(line)
        st.markdown(prose(PAGE, "formula", values))
    st.markdown(check_table(scene))
    st.caption(prose(PAGE, "formula-check", values))
    with picture_box:
        _draw_columns(scene, fitted.apply(scene.sets.sample.vectors))
    st.caption(markdown(whitened.provenance(scene)))


def check_table(scene: WhiteningScene) -> str:
    """Of each whitening k, and how far W'Sigma W is from I, here and at full strength."""
    whitenings = [each.name for each in scene.pictures if each.kind.is_whitening]
    head = [_("whitening"), "k", _("largest deviation"), _("the same in full")]
    lines = []
    for name in dict.fromkeys(["pca", *whitenings]):
        both = [whitened.fit_cloud(name, knobs, scene) for knobs in (scene.knobs, Knobs())]
        deviations = [signed(deviation(each), 6) for each in both]
        lines.append([treatment_names()[name], f"{both[0].treated.retained.shape[1]}", *deviations])
    return aligned_table(head, lines)


@kept(500)
def deviation(picture: TreatedCloud) -> float:
    """How far the covariance of a whitened cloud is from I."""
    points = picture.points
    weights = points.cloud.counts if picture.kind.needs == COUNTS else points.weights
    return Covariances.of(picture.treated.retained, weights).largest_deviation


def _draw_columns(scene: WhiteningScene, U: np.ndarray) -> None:
    if U.shape[1] < 2:
        st.info(_("With k = 1, U has one column. A picture needs two."))
        return
    places = U[:, :2].astype(np.float64)
    titles = [_("column {i} of U").format(i=i) for i in (1, 2)]
    panel = Panel(places, (), _reach(places), titles, _("origin"))
    alt = _("{n} points by columns 1 and 2 of U.").format(n=f"{len(places):,}")
    colours = point_colours(scene.sets.sample, scene.look.colour)
    share_texts("columns", [plotly(text) for text in scene.sets.sample.cloud.texts])
    _draw(panel, colours, "columns", "columns", alt)
    draw_legend(colours)


def _draw(panel: Panel, colours: PointColours, name: str, texts: str, alt: str) -> None:
    show_chart(
        cone_figure(panel, colours, current_theme(), height=HEIGHT, lines=0),
        key=f"whitening-{name}",
        alt=alt,
        texts=texts,
    )


# ---- the flow ----


def show_flow(scene: WhiteningScene) -> None:
    st.latex(whitened.LOG_LIKELIHOOD)
    trained = whitened.trained_flow.find(scene.sets.fit_points)
    if trained is None:
        st.info(
            _(
                "No flow is trained on these points. Choose “Normalizing flow” as one of the "
                "pictures: its two terms and its picture are then shown here."
            )
        )
        return
    best = min(trained.history, key=lambda epoch: epoch.held_out_loss)
    flow = trained.treatment.fitted
    values = {
        "n": f"{trained.treatment.n_rows:,}",
        "held": f"{trained.n_held_out:,}",
        "d": f"{len(flow.mean)}",
        "couplings": f"{len(flow.couplings)}",
        "best": f"{best.epoch}",
        "gain": with_sign(trained.history[0].held_out_loss - best.held_out_loss, 1),
    }
    st.markdown(prose(PAGE, "flow-formula", values))
    st.markdown(whitened.terms_table([trained.history[0], *([best] if best.epoch else [])]))
    if not best.epoch:
        st.markdown(prose(PAGE, "flow-straight"))
    if scene.sets.points.vectors.shape[1] > 1:
        _draw_flow(flow, scene)
        st.caption(prose(PAGE, "flow-picture"))
    st.caption(markdown(whitened.provenance(scene)))


def _draw_flow(flow: FlowMap, scene: WhiteningScene) -> None:
    sample = scene.sets.sample
    X = sample.vectors.astype(np.float64)
    colours = point_colours(sample, scene.look.colour)
    share_texts("flow", [plotly(text) for text in sample.cloud.texts])
    clouds = {"before": X - flow.mean, "after": flow.apply(X)}
    titles = {"before": _("before: x − μ"), "after": _("after: f(x)")}
    for (name, cloud), lines, box in zip(clouds.items(), flow.grid(), st.columns(2), strict=True):
        places = cloud @ flow.widest.T
        reach = max(_reach(places), float(np.nanmax(np.abs(lines))))
        panel = Panel(places, (), reach, axis_titles("pca", 2), _("origin"), lines=lines)
        with box:
            st.markdown(f"**{titles[name]}**")
            alt = _("{title}: {n} points and a grid, along two directions.")
            alt = alt.format(title=titles[name], n=f"{len(places):,}")
            _draw(panel, colours, f"flow-{name}", "flow", alt)
    draw_legend(colours)


def _reach(places: np.ndarray) -> float:
    """Half the width of a frame with nearly all points inside."""
    return whitened.FRAME_MARGIN * float(np.quantile(np.abs(places).max(axis=1), FRAME_SHARE))
