"""The two panels of narrow_cone: what is drawn, and the numbers under each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from geometry import Cloud, Projection
from geometry.figures.colours import PointColours, legend_entries
from geometry.figures.cone import Band, Mark, Panel, Wedge, cone_figure
from geometry.figures.theme import Theme, theme_named
from geometry.measure import isotropic_angle_spread
from geometry.twin import ConeEdge, cone_edges, one_scale

from .cone_choices import Look
from .cone_neighbours import Neighbourhoods
from .cone_scene import Scene, Side
from .words import Translate

SYMBOL_SIGNS = {"circle": "●", "diamond": "◆", "square": "■", "cross": "✚"}


def current_theme() -> Theme:
    """Colours for what the browser shows now."""
    return theme_named(st.context.theme.type)


def point_colours(cloud: Cloud, colour: str, _: Translate) -> PointColours:
    """Colours by topic, length or frequency."""
    if colour == "topic" and cloud.labels is not None:
        return PointColours.by_label(cloud.labels, _("topic"))
    if colour == "frequency":
        if cloud.unit == "sentences":
            return PointColours.by_value(cloud.counts, _("mean log₁₀ count of its pieces"))
        return PointColours.by_value(np.log10(cloud.counts), _("log₁₀ count in this corpus"))
    title = _("words") if cloud.unit == "sentences" else _("characters")
    return PointColours.by_value(cloud.lengths, title)


def axis_titles(view: str, k: int, _: Translate) -> list[str]:
    """What each axis is."""
    rest = _("principal direction {i} of the rest")
    titles = {
        "mean": [_("mean direction"), rest.format(i=1), rest.format(i=2)],
        "svd": [_("singular direction {i}").format(i=i) for i in (1, 2, 3)],
        "pca": [_("principal direction {i}").format(i=i) for i in (1, 2, 3)],
        "cone": [
            _("component along the mean direction"),
            _("length of all the rest (signed)") if k == 2 else _("the rest, part 1"),
            _("the rest, part 2"),
        ],
        "umap": [f"UMAP {i}" for i in (1, 2, 3)],
    }
    return titles[view][:k]


def side_title(side: Side, scene: Scene, _: Translate) -> str:
    """What a panel is called: raw, white, or where between the two."""
    if side.name == "raw":
        return _("Raw")
    if scene.is_white:
        return _("White")
    whitening = scene.twin.whitening
    return _("Between: centring {s}, strength {t}").format(
        s=f"{whitening.centring:.2f}", t=f"{whitening.strength:.2f}"
    )


def draw_panels(scene: Scene, look: Look, near: Neighbourhoods | None, _: Translate) -> None:
    """Both clouds: same points, same colours, one basis, one scale, the origin in the middle."""
    factor, reach = one_scale(scene.raw.projection, scene.white.projection)
    theme = current_theme()
    colours = point_colours(scene.cloud, look.colour, _)
    marks = [] if near is None else _marks(near, _)
    for box, side, scale in zip(
        st.columns(2), (scene.raw, scene.white), (1.0, factor), strict=True
    ):
        edges = cone_edges(side.vectors, side.projection)
        title = side_title(side, scene, _)
        panel = _panel(side, scene.cloud, scale, reach, edges, marks, _)
        with box:
            st.markdown(f"**{title}**")
            st.plotly_chart(
                cone_figure(panel, colours, theme, lines=3 if look.view == "cone" else 2),
                key=f"chart-{side.name}-{look.n_components}",
                # 3D charts have no selection in Plotly: there, points are chosen by search
                on_select=_choose_from(f"chart-{side.name}-2")
                if look.n_components == 2
                else "ignore",
                selection_mode="points",
                config=picture_config(f"narrow-cone-{side.name}"),
                alt=_alternative(title, side, edges, _),
            )
            line = _trust_line(side.projection, _)
            outside = int(np.sum(np.abs(panel.coordinates).max(axis=1) > reach))
            if outside:
                line += " · " + _("{k} points outside the frame: scroll to zoom out").format(
                    k=outside
                )
            if side.name == "white" and side.projection.origin is not None:
                line += " · " + _("drawn × {factor}, so that both have one rms radius").format(
                    factor=f"{factor:.3g}"
                )
            st.caption(line)
    draw_legend(colours, theme)


def _marks(near: Neighbourhoods, _: Translate) -> list[Mark]:
    return [
        Mark([near.row], "circle-open", _("chosen")),
        Mark(near.raw.rows.tolist(), "square-open", _("nearest in raw")),
        Mark(near.white.rows.tolist(), "diamond-open", _("nearest in white")),
    ]


def _panel(
    side: Side,
    cloud: Cloud,
    scale: float,
    reach: float,
    edges: Sequence[ConeEdge],
    marks: Sequence[Mark],
    _: Translate,
) -> Panel:
    projection = side.projection
    k = projection.n_components
    origin = projection.origin
    from_origin = projection.coordinates - (0.0 if origin is None else origin)
    spread = isotropic_angle_spread(side.vectors.shape[1])
    bands = []
    if projection.method == "cone" and k == 2:
        caption = _("shaded blue: 90° ± {spread}°, where random directions lie")
        bands = [Band(90 - spread, 90 + spread, caption.format(spread=f"{spread:.1f}"))]
    wedge = _("{share}% within {angle}° of the mean ({d}-d); drawn {drawn}°")
    if projection.method == "cone" and side.name == "white":
        wedge = _("{share}% within {angle}° of raw's mean direction")
    return Panel(
        coordinates=from_origin * scale,
        texts=cloud.texts,
        reach=reach,
        axis_titles=axis_titles(projection.method, k, _),
        origin_label=None if origin is None else _("origin"),
        wedges=[
            Wedge(
                edge.axis,
                edge.drawn,
                wedge.format(
                    share=f"{edge.quantile:.0%}".rstrip("%"),
                    angle=f"{edge.angle:.1f}",
                    d=side.vectors.shape[1],
                    drawn=f"{edge.drawn:.1f}",
                ),
            )
            for edge in edges
        ],
        bands=bands,
        marks=marks,
    )


def _choose_from(key: str) -> Any:
    def remember() -> None:
        points = st.session_state[key]["selection"]["points"]
        rows = [p["point_index"] for p in points if p.get("curve_number", 0) == 0]
        if rows:
            st.session_state["point"] = int(rows[0])
            st.session_state["find"] = ""

    return remember


def picture_config(name: str) -> dict[str, Any]:
    """Plotly's buttons: a PNG at twice the size, and no lasso."""
    return {
        "displaylogo": False,
        "scrollZoom": True,
        "toImageButtonOptions": {"format": "png", "scale": 2, "filename": name},
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
    }


def _alternative(title: str, side: Side, edges: Sequence[ConeEdge], _: Translate) -> str:
    text = _("{title}: {n} points; mean pairwise cosine {cosine}.").format(
        title=title,
        n=f"{side.numbers.report.n:,}",
        cosine=f"{side.numbers.report.mean_cosine:.3f}",
    )
    for edge in edges:
        text += " " + _("{share} of them lie within {angle}° of the mean direction.").format(
            share=f"{edge.quantile:.0%}", angle=f"{edge.angle:.1f}"
        )
    return text


def _trust_line(projection: Projection, _: Translate) -> str:
    trust = _("trustworthiness {trust} (5 neighbours, {rows} rows)").format(
        trust=f"{projection.trustworthiness:.2f}", rows=f"{projection.trust_rows:,}"
    )
    if projection.kept is None:
        return trust
    share = (
        _("variance kept {share}")
        if projection.method == "pca"
        else _("squared length kept {share}")
    )
    return share.format(share=f"{projection.kept:.1%}") + " · " + trust


def draw_legend(colours: PointColours, theme: Theme) -> None:
    """Colour and symbol of each category, once for both panels."""
    entries = legend_entries(colours, theme)
    if entries:
        items = "".join(
            f'<span style="white-space:nowrap"><span style="color:{colour}">'
            f"{SYMBOL_SIGNS[symbol]}</span> {_escaped(name)}</span>"
            for name, colour, symbol in entries
        )
        st.html(
            f'<div style="display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.9rem">{items}</div>'
        )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
