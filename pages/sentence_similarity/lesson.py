"""What Spearman measures: values and ranks of two sets of made-up scores."""

import streamlit as st

from geometry.data.number_text import signed
from geometry.evaluate import ranks
from geometry.figures.curves import Axes, Curve, scatter_figure
from geometry.measure.correlation import TieGroups, pearson, spearman
from pages.common.controls import choose
from pages.common.draw.charts import show_chart
from pages.common.draw.clouds import current_theme
from pages.common.words import _, prose

from . import PAGE

HEIGHT = 250
UNRELATED, RELATED = "unrelated", "related"
RANGES = {  # of both axes, fixed so that the plots can be compared
    "values": ((-0.2, ranks.TOP_GOLD + 0.2), (-0.05, 1.05)),
    "with-outlier": ((-0.2, ranks.TOP_GOLD + 0.2), (-0.2, ranks.FAR_OUT + 0.2)),
    "ranks": ((-1.0, ranks.PAIRS + 2.0), (-1.0, ranks.PAIRS + 2.0)),
}
CONTROLS = ("noise-unrelated", "noise-related", "curve", "ties", "outlier", "reversed")
LEVELS = {"none": 0, "six": 6, "two": 2}  # different human scores; 0 if all are different


@st.fragment
def show_lesson() -> None:
    """The scatter plots and their controls; a fragment, so that a slider redraws only them."""
    st.markdown(prose(PAGE, "lesson"))
    bends = _choose_bends()
    for box, (name, bend) in zip(st.columns(2, gap="large"), bends.items(), strict=True):
        with box:
            _draw(name, bend)
    st.markdown(prose(PAGE, f"lesson-{_section(bends[RELATED])}", {"n": ranks.PAIRS}))


def _choose_bends() -> dict[str, ranks.Bend]:
    boxes = [*st.columns(3), *st.columns(3)]
    sides = (UNRELATED, _("Noise, left"), 1.0), (RELATED, _("Noise, right"), 0.0)
    noise = {}
    for box, (name, label, start) in zip(boxes, sides, strict=False):
        key = f"noise-{name}"
        noise[name] = box.slider(label, 0.0, 1.0, start, 0.05, key=key, bind="query-params")
    label = _("Monotone curve")
    curve = boxes[2].slider(label, 1.0, 10.0, 1.0, 0.5, key="curve", bind="query-params")
    label = _("Human scores")
    shown = {"none": _("all different"), "six": _("0 to 5"), "two": _("0 or 5")}
    with boxes[3]:
        ties = choose(st.segmented_control, label, shown, key="ties", required=True)
    label = _("One outlier")
    shown = {"none": _("no outlier"), "agrees": _("agrees"), "contradicts": _("contradicts")}
    with boxes[4]:
        outlier = choose(st.segmented_control, label, shown, key="outlier", required=True)
    label = _("Reverse the order, right")
    is_reversed = boxes[5].toggle(label, key="reversed", bind="query-params")
    return {
        name: ranks.Bend(share, curve, LEVELS[ties], outlier, is_reversed and name == RELATED)
        for name, share in noise.items()
    }


def _section(bend: ranks.Bend) -> str:
    """The section of text for the controls: the first that applies."""
    if bend.outlier != "none":
        return "outlier"
    if bend.curve > 1:
        return "curve"
    if bend.is_reversed:
        return "reversed"
    return "ties" if bend.levels else "plain"


def _draw(name: str, bend: ranks.Bend) -> None:
    made = ranks.made_up_scores(bend)
    both = made.gold, made.scores
    rho, r = signed(spearman(*both), 2), signed(pearson(*both), 2)
    title = _("A model that ranks almost at random")
    if name == RELATED:
        title = _("A model that ranks as people do")
        if bend.is_reversed:
            title = _("A model that ranks opposite to people")
    said = _("Spearman ρ = **{rho}** · Pearson r = **{r}** · n = {n} made-up pairs")
    st.markdown(f"**{title}**  \n{said.format(rho=rho, r=r, n=len(made.gold))}")
    point = _("human score {gold}, model’s score {score}")
    about = [point.format(gold=f"{g:.2f}", score=f"{s:.3g}") for g, s in zip(*both, strict=True)]
    row = made.outlier
    places = [TieGroups.of(each).ranks() for each in both]
    of_values = _("human score"), _("model’s score")
    of_ranks = _("rank by human score"), _("rank by the model’s score")
    # one below the other: side by side, the titles of the axes would not fit
    for kind, (x, y), titles in ("values", both, of_values), ("ranks", places, of_ranks):
        ring = None if row is None else (_("outlier"), float(x[row]), float(y[row]))
        ends = RANGES[kind if row is None or kind == "ranks" else "with-outlier"]
        figure = scatter_figure(
            [Curve(x, y, "", 0 if name == RELATED else 1, about=about)],
            Axes(*titles, x_range=ends[0], y_range=ends[1]),
            current_theme(),
            fit=ranks.least_squares_line(x, y),
            ring=ring,
            height=HEIGHT,
        )
        alt = _("{x} against {y}: Spearman {rho}, Pearson {r}")
        show_chart(
            figure,
            key=f"sts-{kind}-{name}",
            file_name=f"spearman-{kind}-{name}",
            alt=alt.format(x=titles[0], y=titles[1], rho=rho, r=r),
            zoom=False,
        )
