"""What Spearman measures: values and ranks of two sets of made-up scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from geometry.data.number_text import signed
from geometry.evaluate.rank_lesson import (
    FAR_OUT,
    OUTLIERS,
    PAIRS,
    TOP_GOLD,
    Bend,
    MadeUp,
    least_squares_line,
    made_up_scores,
)
from geometry.figures.curves import Axes
from geometry.figures.scatter import Dots, Ring, Segment, scatter_figure
from geometry.measure.correlation import TieGroups, pearson, spearman
from pages.common.controls import choose
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.words import _, labelled, prose

from . import PAGE

HEIGHT = 250
UNRELATED, RELATED = "unrelated", "related"
NOISE = {UNRELATED: 1.0, RELATED: 0.0}
RANGES = {  # of both axes, fixed so that the plots can be compared
    "values": ((-0.2, TOP_GOLD + 0.2), (-0.05, 1.05)),
    "with-outlier": ((-0.2, TOP_GOLD + 0.2), (-0.2, FAR_OUT + 0.2)),
    "ranks": ((-1.0, PAIRS + 2.0), (-1.0, PAIRS + 2.0)),
}
CONTROLS = (*(f"noise-{name}" for name in NOISE), "curve", "ties", "outlier", "reversed")
TIES = ("none", "six", "two")
LEVELS = {"none": 0, "six": 6, "two": 2}


@dataclass(frozen=True)
class Lesson:
    """One of the two sets of scores, with its correlations."""

    name: str
    made: MadeUp
    spearman: float
    pearson: float


@st.fragment
def show_lesson() -> None:
    """The scatter plots and their controls; a fragment, so that a slider redraws only them."""
    st.markdown(prose(PAGE, "lesson"))
    bends = _choose_bends()
    lessons = [_lesson(name, bend) for name, bend in bends.items()]
    for box, lesson in zip(st.columns(2, gap="large"), lessons, strict=True):
        with box:
            _draw(lesson, bends[lesson.name].is_reversed)
    st.markdown(prose(PAGE, f"lesson-{_section(bends[RELATED])}", {"n": PAIRS}))
    offer_csv(
        _("Download made-up scores (CSV)"),
        "spearman-lesson",
        lambda: lesson_csv(lessons, bends),
    )


def _choose_bends() -> dict[str, Bend]:
    boxes = [*st.columns(3), *st.columns(3)]
    labels = {
        UNRELATED: _("Noise, left"),
        RELATED: _("Noise, right"),
    }
    noise = {}
    for box, name in zip(boxes, NOISE, strict=False):
        noise[name] = float(
            box.slider(
                labels[name],
                0.0,
                1.0,
                NOISE[name],
                0.05,
                key=f"noise-{name}",
                bind="query-params",
            )
        )
    curve = float(
        boxes[2].slider(_("Monotone curve"), 1.0, 10.0, 1.0, 0.5, key="curve", bind="query-params")
    )
    with boxes[3]:
        ties = choose(
            st.segmented_control,
            _("Human scores"),
            TIES,
            key="ties",
            default="none",
            labels={"none": _("all different"), "six": _("0 to 5"), "two": _("0 or 5")},
            required=True,
        )
    with boxes[4]:
        outlier = choose(
            st.segmented_control,
            _("One outlier"),
            OUTLIERS,
            key="outlier",
            default="none",
            labels={
                "none": _("no outlier"),
                "agrees": _("agrees"),
                "contradicts": _("contradicts"),
            },
            required=True,
        )
    is_reversed = boxes[5].toggle(
        _("Reverse the order, right"), key="reversed", bind="query-params"
    )
    return {
        name: Bend(noise[name], curve, LEVELS[ties], outlier, is_reversed and name == RELATED)
        for name in NOISE
    }


def _lesson(name: str, bend: Bend) -> Lesson:
    made = made_up_scores(bend)
    return Lesson(name, made, spearman(made.gold, made.scores), pearson(made.gold, made.scores))


def _section(bend: Bend) -> str:
    """The section of text for the controls: the first that applies."""
    if bend.outlier != "none":
        return "outlier"
    if bend.curve > 1:
        return "curve"
    if bend.is_reversed:
        return "reversed"
    return "ties" if bend.levels else "plain"


def _draw(lesson: Lesson, is_reversed: bool) -> None:
    titles = {
        UNRELATED: _("A model that ranks almost at random"),
        RELATED: _("A model that ranks opposite to people")
        if is_reversed
        else _("A model that ranks as people do"),
    }
    st.markdown(
        f"**{titles[lesson.name]}**  \n"
        + _("Spearman ρ = **{rho}** · Pearson r = **{r}** · n = {n} made-up pairs").format(
            rho=signed(lesson.spearman, 2),
            r=signed(lesson.pearson, 2),
            n=len(lesson.made.gold),
        )
    )
    gold, scores = lesson.made.gold, lesson.made.scores
    ranks = (TieGroups.of(gold).ranks(), TieGroups.of(scores).ranks())
    # one below the other: side by side, the titles of the axes would not fit
    _chart(lesson, (gold, scores), "values", (_("human score"), _("model’s score")))
    _chart(lesson, ranks, "ranks", (_("rank by human score"), _("rank by the model’s score")))


def _chart(
    lesson: Lesson, xy: tuple[np.ndarray, np.ndarray], kind: str, titles: tuple[str, str]
) -> None:
    x, y = xy
    about = [
        _("human score {gold}, model’s score {score}").format(gold=f"{g:.2f}", score=f"{s:.3g}")
        for g, s in zip(lesson.made.gold, lesson.made.scores, strict=True)
    ]
    row = lesson.made.outlier
    rings = [] if row is None else [Ring([(float(x[row]), float(y[row]))], _("outlier"))]
    start, stop = least_squares_line(x, y)
    ends = RANGES[kind if row is None or kind == "ranks" else "with-outlier"]
    figure = scatter_figure(
        [Dots(x, y, about, place=0 if lesson.name == RELATED else 1)],
        Axes(*titles, x_range=ends[0], y_range=ends[1]),
        current_theme(),
        segments=[Segment(start, stop, "")],
        rings=rings,
        height=HEIGHT,
    )
    alt = _("{x} against {y}: Spearman {rho}, Pearson {r}").format(
        x=titles[0], y=titles[1], rho=signed(lesson.spearman, 2), r=signed(lesson.pearson, 2)
    )
    show_chart(
        chart_of(figure),
        key=f"sts-{kind}-{lesson.name}",
        file_name=f"spearman-{kind}-{lesson.name}",
        alt=alt,
        zoom=False,
    )


def lesson_csv(lessons: Sequence[Lesson], bends: Mapping[str, Bend]) -> bytes:
    """A row for each point of both sets: values and ranks."""
    head = ["model", "pair", "gold", "score", "rank_gold", "rank_score"]
    rows = []
    for lesson in lessons:
        gold, scores = lesson.made.gold, lesson.made.scores
        columns = (gold, scores, TieGroups.of(gold).ranks(), TieGroups.of(scores).ranks())
        rows += [
            [lesson.name, str(row + 1), *map(short_number, numbers)]
            for row, numbers in enumerate(zip(*columns, strict=True))
        ]
    caption = _("; ").join(
        labelled(
            lesson.name,
            _(", ").join(
                [
                    str(bends[lesson.name]),
                    f"Spearman {lesson.spearman:.4f}",
                    f"Pearson {lesson.pearson:.4f}",
                ]
            ),
        )
        for lesson in lessons
    )
    return csv_bytes(head, rows, caption)
