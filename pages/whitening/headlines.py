"""Three numbers under each picture: mean cosine, agreement of neighbours, IsoScore."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.measure import Measured, chance_agreement, measure_table
from pages.common.big_numbers import BigNumber, change_of, show_big_numbers
from pages.common.cache import Cache
from pages.common.corpus_cloud import SEED, labels_of
from pages.common.escape import markdown
from pages.common.measures import print_value, same_label
from pages.common.words import Translate, with_sign

from .agreement import agreement
from .choices import treatment_names
from .provenance import provenance
from .scene import Material, Scene, TreatedCloud

MEASURES = ("mean_cosine", "isoscore")
DECIMALS = 3

# of a cloud at a setting of the sliders, for all readers
_MEASURED: Cache[dict[str, Measured]] = Cache("whitening-headlines", max_entries=2000)


def measured(picture: TreatedCloud, material: Material) -> dict[str, Measured]:
    """MEASURES of a picture by name, without intervals."""

    def make() -> dict[str, Measured]:
        X = picture.treated.retained
        table = measure_table(X, names=MEASURES, seed=SEED, intervals=False, simulate=False)
        return {row.name: row for row in table}

    return _MEASURED.get_or_make(picture.key, make, private=material.is_private)


def show_headlines(scene: Scene, _: Translate) -> dict[str, DeltaGenerator]:
    """The numbers, a column for each picture; returns the boxes of treatments not fitted yet."""
    names = treatment_names(_)
    with st.container(key="whitening-numbers"):
        boxes = st.columns(len(scene.pictures) + len(scene.waiting))
    for box, picture in zip(boxes, scene.pictures, strict=False):
        with box:
            title = names[picture.name]
            st.markdown(f"**{title}**")
            show_big_numbers(title, _numbers(picture, scene, _), key=f"headline-{picture.name}")
    waiting = {}
    for name, box in zip(scene.waiting, boxes[len(scene.pictures) :], strict=True):
        box.markdown(f"**{names[name]}**")
        waiting[name] = box.container()
    st.caption(markdown(provenance(scene, _)))
    return waiting


def _numbers(picture: TreatedCloud, scene: Scene, _: Translate) -> list[BigNumber]:
    """The numbers of a picture, with their change since raw."""
    material, raw = scene.material, scene.pictures[0]
    rows, before = measured(picture, material), measured(raw, material)
    is_raw = picture is raw
    found = []
    for name, label in (("mean_cosine", _("mean cosine")), ("isoscore", _("IsoScore"))):
        row = rows[name]
        isotropic = print_value(name, row.baseline, DECIMALS) or "—"
        change = "" if is_raw else change_of(row.value, before[name].value, DECIMALS)
        found.append(
            BigNumber(
                label,
                print_value(name, row.value, DECIMALS) or "—",
                _("isotropic: {value}").format(value=isotropic),
                _change(change, _),
            )
        )
    labels = labels_of(material.cloud)
    if labels is not None:
        share, former = agreement(picture, scene), agreement(raw, scene)
        chance = chance_agreement(labels, units=material.points.units)
        change = ""
        if not is_raw and share is not None and former is not None:
            change = _("{k} points").format(k=with_sign(100 * (share - former), 1))
        found.insert(
            1,
            BigNumber(
                same_label(material.corpus, _),
                "—" if share is None else f"{share:.1%}",
                _("by chance: {value}").format(value=f"{chance:.1%}"),
                _change(change, _),
            ),
        )
    return found


def _change(text: str, _: Translate) -> str:
    return _("change: {change}").format(change=text) if text else ""
