"""What narrow_cone draws in each of its two pictures and says below, and both as Plotly charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

import numpy as np
import streamlit as st

from geometry import ArrayStore, Cloud, Projection
from geometry.figures.colours import MOST_LABELS, PointColours, legend_entries
from geometry.figures.cone import Band, Mark, Panel, Wedge, cone_figure
from geometry.figures.panel import WIDEST_DRAWN
from geometry.figures.theme import Theme, theme_named
from geometry.measure import UndefinedMeasure, isotropic_angle_spread, mean_cosine
from geometry.twin import ConeEdge, cone_edges

from .cached import cloud_key
from .charts import chart_of, kept_chart, show_chart
from .cone_choices import Look
from .cone_neighbours import Neighbourhoods
from .cone_scene import Scene, Side
from .uploads import is_own
from .words import Translate, language, signed

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
        s=f"{whitening.centring:g}", t=f"{whitening.strength:g}"
    )


def side_panel(side: Side, scene: Scene, _: Translate) -> Panel:
    """A side as it is drawn, without texts and marks."""
    return cloud_panel(
        side.vectors,
        (),
        side.projection,
        scene.reach,
        _,
        scale=1.0 if side.name == "raw" else scene.factor,
        own_axis=side.name == "raw",
        d=side.kept_vectors.shape[1],
    )


def draw_panels(scene: Scene, look: Look, near: Neighbourhoods | None, _: Translate) -> None:
    """Both clouds: same points, same colours, one basis, one scale, the origin in the middle."""
    theme = current_theme()
    colours = point_colours(scene.cloud, look.colour, _)
    marks = [] if near is None else _marks(near, _)
    lines = 3 if scene.raw.projection.method == "cone" else 2
    for box, side in zip(st.columns(2), (scene.raw, scene.white), strict=True):
        panel = replace(side_panel(side, scene, _), texts=scene.cloud.texts, marks=marks)
        title = side_title(side, scene, _)

        def figure(panel: Panel = panel) -> object:
            return cone_figure(panel, colours, theme, lines=lines)

        with box:
            st.markdown(f"**{title}**")
            show_chart(
                # raw stays as it is while the sliders move white
                kept_chart(_raw_key(scene, look, near), figure, private=is_own(scene.corpus))
                if side.name == "raw"
                else chart_of(figure()),
                key=f"chart-{side.name}",
                file_name=f"narrow-cone-{side.name}",
                alt=alternative(title, side.kept_vectors, panel, _),
                on_point=choose_row,
                group="clouds",
            )
            st.caption(
                " · ".join([*lines_below(side.projection, panel, _), *scale_line(side, scene, _)])
            )
    draw_legend(colours, theme)


def _raw_key(scene: Scene, look: Look, near: Neighbourhoods | None) -> str:
    """All that raw's figure depends on."""
    rings = None if near is None else (near.row, *near.raw.rows, *near.white.rows)
    return ArrayStore.key(
        cloud_key(scene.corpus, scene.spec),
        scene.raw.projection.method,
        look,
        scene.reach,
        rings,
        st.context.theme.type,
        language(),
    )


def lines_below(projection: Projection, panel: Panel, _: Translate) -> list[str]:
    """How far to trust the picture, and what its frame leaves out."""
    outside = int(np.sum(np.abs(panel.coordinates).max(axis=1) > panel.reach))
    left_out = _("points outside the frame: {k} (zoom out by the buttons above)").format(k=outside)
    told = [_trust_line(projection, _), *([left_out] if outside else [])]
    if projection.method == "cone":
        told.append(
            _(
                "each point's component along the mean and its distance from that axis are exact; "
                "angles between points are not"
            )
        )
    return told


def scale_line(side: Side, scene: Scene, _: Translate) -> list[str]:
    """By how much white is drawn larger or smaller."""
    if side.name != "white" or side.projection.origin is None:
        return []
    told = _("drawn × {factor}, so that both have one rms radius")
    return [told.format(factor=f"{scene.factor:.3g}")]


def _marks(near: Neighbourhoods, _: Translate) -> list[Mark]:
    return [
        Mark([near.row], "circle-open", _("chosen")),
        Mark(near.raw.rows.tolist(), "square-open", _("nearest in raw")),
        Mark(near.white.rows.tolist(), "diamond-open", _("nearest in white")),
    ]


def cloud_panel(
    vectors: np.ndarray,
    texts: Sequence[str],
    projection: Projection,
    reach: float,
    _: Translate,
    *,
    scale: float = 1.0,
    marks: Sequence[Mark] = (),
    own_axis: bool = True,
    d: int | None = None,
) -> Panel:
    """The cloud as it should be drawn: around the origin, with its cone and its captions.

    own_axis : False where the angle-true picture's axis is another cloud's mean direction.
    d : dimensions the cloud fills, where that is fewer than its vectors have.
    """
    k = projection.n_components
    d = d or vectors.shape[1]
    bands = []
    if projection.method == "cone" and k == 2:
        spread = isotropic_angle_spread(d)
        caption = _("shaded blue: 90° ± {spread}°, where 68% of random directions lie")
        bands = [Band(90 - spread, 90 + spread, caption.format(spread=f"{spread:.1f}"))]
    told = _("{share}% within {angle}° of the mean ({d}-d); drawn {drawn}°")
    if projection.method == "cone" and not own_axis:
        told = _("{share}% within {angle}° of raw's mean direction")
    return Panel(
        coordinates=projection.around_origin * scale,
        texts=texts,
        reach=reach,
        axis_titles=axis_titles(projection.method, k, _),
        origin_label=None if projection.origin is None else _("origin"),
        wedges=[_wedge(edge, d, told, _) for edge in cone_edges(vectors, projection)],
        bands=bands,
        marks=marks,
    )


def _wedge(edge: ConeEdge, d: int, told: str, _: Translate) -> Wedge:
    caption = told.format(
        share=f"{edge.quantile:.0%}".rstrip("%"),
        angle=f"{edge.angle:.1f}",
        d=d,
        drawn=f"{edge.drawn:.1f}",
    )
    if edge.drawn > WIDEST_DRAWN:
        caption = _("{told} (too wide to draw)").format(told=caption)
    return Wedge(edge.axis, edge.drawn, caption)


def choose_row(row: int) -> None:
    """A click in a picture chooses the point."""
    st.session_state["point"] = row
    st.session_state["find"] = ""


def alternative(title: str, vectors: np.ndarray, panel: Panel | None, _: Translate) -> str:
    """The panel in words: its points (n, d), their mean cosine, its captions."""
    n = f"{len(vectors):,}"
    try:
        cosine = signed(mean_cosine(vectors), 3)
    except UndefinedMeasure:
        text = _("{title}: {n} points, some at zero and without a direction.")
        text = text.format(title=title, n=n)
    else:
        text = _("{title}: {n} points; mean pairwise cosine {cosine}.")
        text = text.format(title=title, n=n, cosine=cosine)
    return " ".join([text, *(f"{caption}." for caption in (panel.captions if panel else ()))])


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
            f"{SYMBOL_SIGNS[symbol]}</span> {escape(name)}</span>"
            for name, colour, symbol in entries
        )
        st.html(
            f'<div style="display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.9rem">{items}</div>'
        )


def tell_too_many_labels(cloud: Cloud, _: Translate) -> None:
    """Why labels are not among the colours, where they are too many for that."""
    n = len(set(cloud.labels or ()))
    if n > MOST_LABELS:
        st.caption(
            _(
                "{n} different labels are more than the {limit} colours and shapes that can be "
                "told apart, so the colour shows the length of the text."
            ).format(n=f"{n:,}", limit=MOST_LABELS)
        )
