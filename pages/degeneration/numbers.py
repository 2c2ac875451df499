"""The numbers under the pictures, and the downloads."""

from __future__ import annotations

import streamlit as st

from geometry.data.number_text import signed, with_sign
from geometry.training.runs import GROUPS
from pages.common.big_numbers import BigNumber, show_big_numbers
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.escape import markdown, markdown_table
from pages.common.words import _

from .scene import Scene, group_names, provenance, run_name


def show_headlines(scene: Scene) -> None:
    """Three numbers under each picture: the mean cosine of each group of words."""
    boxes = st.columns(len(scene.history.runs))
    with st.container(key="degeneration-headline"):
        for place, (run, box) in enumerate(zip(scene.history.runs, boxes, strict=True)):
            title = run_name(run)
            with box:
                st.markdown(f"**{markdown(title)}**")
                show_big_numbers(title, _numbers(scene, place), key=f"headline-{place}")
    st.caption(
        markdown(
            " · ".join(
                [
                    _("Mean cosine of all pairs of these tokens, and its change since the start"),
                    provenance(scene),
                ]
            )
        )
    )


def _numbers(scene: Scene, run: int) -> list[BigNumber]:
    return [
        BigNumber(
            label,
            signed(scene.cosine(run, name), 2),
            change=with_sign(scene.cosine(run, name) - scene.cosine(run, name, 0), 2),
        )
        for name, label in group_names().items()
    ]


def show_all_measures(scene: Scene) -> None:
    """Loss, mean cosines and lengths of each model at the step, as a table."""
    history, names = scene.history, group_names()
    head = [
        _("model"),
        _("Loss"),
        *(_("cosine, {group}").format(group=names[each]) for each in GROUPS),
        *(_("length, {group}").format(group=names[each]) for each in GROUPS),
    ]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for place, run in enumerate(history.runs):
        values = [
            history.loss[scene.at, place],
            *history.cosine[scene.at, place],
            *history.norm[scene.at, place],
        ]
        lines.append([markdown(run_name(run)), *(signed(float(v), 3) for v in values)])
    with st.container(key="degeneration-table"):
        st.markdown(markdown_table(lines))


def offer_downloads(scene: Scene) -> None:
    """The curves and the drawn points as CSV."""
    measured_on = provenance(scene)
    offer_csv(
        _("Download curves (CSV)"), "degeneration-curves", lambda: curves_csv(scene, measured_on)
    )
    offer_csv(
        _("Download points (CSV)"), "degeneration-points", lambda: points_csv(scene, measured_on)
    )


def curves_csv(scene: Scene, measured_on: str) -> bytes:
    """A row for each recorded step of each model."""
    history = scene.history
    head = [
        "model",
        "step",
        "loss",
        *(f"mean_cosine_{name}" for name in GROUPS),
        *(f"norm_{name}" for name in GROUPS),
    ]
    rows = [
        [
            run_name(run),
            str(step),
            short_number(history.loss[at, place]),
            *map(short_number, history.cosine[at, place]),
            *map(short_number, history.norm[at, place]),
        ]
        for place, run in enumerate(history.runs)
        for at, step in enumerate(history.steps.tolist())
    ]
    return csv_bytes(head, rows, measured_on)


def points_csv(scene: Scene, measured_on: str) -> bytes:
    """The places of the drawn words at the step of the numbers, in each model's picture."""
    history, text = scene.history, scene.history.text
    head = ["model", "word", "count", "group", "x", "y"]
    rows = [
        [
            run_name(run),
            word,
            str(count),
            GROUPS[group],
            *map(short_number, history.places[place, scene.at, row]),
        ]
        for place, run in enumerate(history.runs)
        for row, (word, count, group) in enumerate(
            zip(text.words, text.counts.tolist(), text.groups.tolist(), strict=True)
        )
    ]
    return csv_bytes(head, rows, measured_on)
