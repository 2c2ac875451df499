"""Three numbers under each picture: mean cosine, agreement of neighbours, IsoScore."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.measure import Measured, chance_agreement, measure_table
from pages.common.big_numbers import (
    BigNumber,
    agreement_number,
    measure_numbers,
    show_big_numbers,
)
from pages.common.cache import kept
from pages.common.corpus_cloud import labels_of
from pages.common.glosses import explained_caption
from pages.common.measures import HEADLINES, same_label
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_names

from .agreement import agreement
from .provenance import provenance
from .scene import Scene, TreatedCloud


# for each cloud and setting of the sliders; shared by all readers
@kept(2000)
def measured(picture: TreatedCloud) -> dict[str, Measured]:
    """HEADLINES of a picture by name, without intervals."""
    X = picture.treated.retained
    table = measure_table(X, names=HEADLINES, seed=SEED, intervals=False, simulate=False)
    return {row.name: row for row in table}


def show_headlines(scene: Scene) -> dict[str, DeltaGenerator]:
    """The numbers, a column for each picture; returns the boxes of treatments not fitted yet."""
    names = treatment_names()
    with st.container(key="whitening-numbers"):
        boxes = st.columns(len(scene.pictures) + len(scene.waiting))
    for box, picture in zip(boxes, scene.pictures, strict=False):
        with box:
            title = names[picture.name]
            st.markdown(f"**{title}**")
            show_big_numbers(title, _numbers(picture, scene), key=f"headline-{picture.name}")
    waiting = {}
    for name, box in zip(scene.waiting, boxes[len(scene.pictures) :], strict=True):
        box.markdown(f"**{names[name]}**")
        waiting[name] = box.container()
    explained_caption(provenance(scene))
    return waiting


def _numbers(picture: TreatedCloud, scene: Scene) -> list[BigNumber]:
    """The numbers of a picture, with their change since raw."""
    sets, raw = scene.sets, scene.pictures[0]
    is_raw = picture is raw
    found = measure_numbers(measured(picture), None if is_raw else measured(raw))
    labels = labels_of(sets.cloud)
    if labels is not None:
        share, former = agreement(picture, scene), None if is_raw else agreement(raw, scene)
        chance = chance_agreement(labels, units=sets.points.units)
        number = agreement_number(same_label(sets.corpus), share, former, chance)
        found.insert(1, number)
    return found
