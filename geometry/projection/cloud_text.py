"""What is written at and below a picture of a cloud; the caller gives the language."""

from collections.abc import Sequence

from ..data.number_text import signed
from ..data.translations import Translate, paragraph, text_tables
from ..projection import Projection
from ..projection.neighbour_maps import MAPS
from ..projection.twin import ConeEdge
from .panel import Panel, Wedge

# By a name of its own; pages translate them.
CLOUD_TEXT = text_tables("axis_labels")["cloud"]


def axis_titles(view: str, k: int, translate: Translate = str) -> list[str]:
    def title(name: str, i: int = 0) -> str:
        return translate(CLOUD_TEXT[name]).format(i=i)

    titles = {
        "mean": [title("mean"), *(title(f"rest-{k}", i) for i in (1, 2))],
        "svd": [title("svd", i) for i in (1, 2, 3)],
        "pca": [title("pca", i) for i in (1, 2, 3)],
        "cone": [title("mean"), title("cone-1"), title("cone-2")],
        **{name: [f"{kind.title} {i}" for i in (1, 2, 3)] for name, kind in MAPS.items()},
    }
    return titles[view][:k]


def cone_wedges(
    edges: Sequence[ConeEdge], projection: Projection, d: int, translate: Translate = str
) -> list[Wedge]:
    """The cones of a picture, each with its angle in d dimensions and the angle that is drawn."""
    template = "of-mean" if projection.method == "cone" else "in-shadow"
    wedges = []
    for edge in edges:
        share = translate(CLOUD_TEXT["half" if edge.quantile == 0.5 else "most"])
        caption = translate(CLOUD_TEXT[template if edge.is_drawn else "too-wide"]).format(
            share=share.format(angle=_degrees(edge.angle)), d=d, drawn=_degrees(edge.drawn)
        )
        wedges.append(Wedge(edge.axis, edge.drawn, caption, edge.is_drawn))
    return wedges


def _degrees(angle: float) -> str:
    """Whole degrees; of a needle one decimal."""
    return f"{angle:.0f}" if angle >= 9.95 else f"{angle:.1f}"


def lines_below(projection: Projection, panel: Panel, translate: Translate = str) -> list[str]:
    """The trustworthiness of the picture, the points outside its frame, what it can't show."""
    lines = [trust_line(projection, translate)]
    if panel.n_outside:
        lines.append(translate(CLOUD_TEXT["outside"]).format(k=panel.n_outside))
    if projection.method == "cone":
        name = "exact" if projection.n_components == 3 else "from-side"
        lines.append(translate(CLOUD_TEXT[name]))
    if projection.method in MAPS:
        lines += [translate(CLOUD_TEXT["map"]), seed_line(projection, translate)]
    return lines


def seed_line(projection: Projection, translate: Translate = str) -> str:
    seed = projection.random_state
    return translate(CLOUD_TEXT["unseeded" if seed is None else "seeded"]).format(seed=seed)


def trust_line(projection: Projection, translate: Translate = str) -> str:
    if projection.is_one_place:
        return translate(CLOUD_TEXT["one-place"])
    trust = translate(CLOUD_TEXT["trust"]).format(
        trust=f"{projection.trustworthiness:.2f}", rows=f"{projection.trust_rows:,}"
    )
    if projection.explained is None:
        return trust
    share = translate(CLOUD_TEXT["variance" if projection.method == "pca" else "squared"])
    return share.format(share=f"{projection.explained:.1%}") + " · " + trust


def alternative(
    title: str, n: int, cosine: float | None, captions: Sequence[str], translate: Translate = str
) -> str:
    """Text alternative: number of points, their mean cosine, the picture's captions."""
    text = translate(CLOUD_TEXT["no-cosine" if cosine is None else "cosine"]).format(
        title=title, n=f"{n:,}", cosine="" if cosine is None else signed(cosine, 3)
    )
    stop = translate(CLOUD_TEXT["stop"])
    return paragraph([text, *(caption + stop for caption in captions)])
