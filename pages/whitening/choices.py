"""The controls of the whitening page, and the settings that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.transform.removal_map import default_components
from geometry.transform.treatments import COUNTS, PAIRS, TREATMENTS, Knobs
from geometry.transform.whitening_map import recommended_whitening
from pages.common.cloud_choices import SAME, SPLIT
from pages.common.controls import choose, follow_default
from pages.common.measures import explained
from pages.common.treatment_names import treatment_names
from pages.common.words import _

SLOTS = {"second": "zca", "third": "removed", "fourth": "standardised"}
FITTED_WITH = {COUNTS: "types", PAIRS: "sentences"}  # the unit that has what the fit needs
MOST_REMOVED = 30
FEWEST_FITTED = 10


@dataclass(frozen=True)
class FitRows:
    """The fit set and how many of its rows are used."""

    code: str  # "same", "split" or the code of a corpus
    rows: int

    @property
    def corpus(self) -> str | None:
        """The other corpus's code; None for the corpus shown."""
        return None if self.code in (SAME, SPLIT) else self.code


def choose_treatments(unit: str, boxes: Sequence[DeltaGenerator]) -> tuple[str, ...]:
    names = {"none": _("no picture"), **treatment_names()}
    offered = ["none"]
    offered += [
        kind.name
        for kind in TREATMENTS.values()
        if kind.is_pictured and FITTED_WITH.get(kind.needs, unit) == unit
    ]
    labels = (_("Second picture"), _("Third picture"), _("Fourth picture"))
    chosen = []
    for box, slot, label in zip(boxes, SLOTS, labels, strict=True):
        with box:
            chosen.append(
                choose(st.selectbox, label, offered, key=slot, default=SLOTS[slot], labels=names)
            )
    return ("raw", *dict.fromkeys(name for name in chosen if name != "none"))


def choose_rows(available: int) -> int:
    if available <= FEWEST_FITTED:
        return available
    follow_default("fit-rows", available)
    return _slider(_("Points in the fit"), "fit-rows", FEWEST_FITTED, available, available)


def choose_knobs(
    names: tuple[str, ...],
    n: int,
    d: int,
    *,
    strength: DeltaGenerator,
    removed: DeltaGenerator,
    more: DeltaGenerator,
) -> Knobs:
    turned = {knob for name in names for knob in TREATMENTS[name].knobs}
    recommended = recommended_whitening(n, d)
    with strength:
        about = _("How far the axes are made equal.")
        t = _share(_("Strength t"), "strength", turned, about)
    with removed:
        n_removed = _removed(d, turned)
    with more:
        s = _share(_("Centring s: share of the mean that is subtracted"), "centring", turned)
        shrinkage = _shrinkage(recommended.get("shrinkage"), turned)
        n_components = _n_components(d, recommended.get("n_components"), turned)
    return Knobs(s, t, n_components, shrinkage, n_removed)


def _share(label: str, key: str, turned: set[str], about: str | None = None) -> float:
    if key not in turned:
        return 1.0
    return float(
        st.slider(label, 0.0, 1.0, 1.0, 0.125 / 2, key=key, bind="query-params", help=about)
    )


def _n_components(d: int, recommended: int | None, turned: set[str]) -> int | None:
    if "n_components" not in turned or d == 1:  # a slider needs two different ends
        return None
    default = recommended or d
    follow_default("kept", default)
    n_components = _slider(_("Directions kept k"), "kept", 1, d, default)
    return None if n_components == d else n_components


def _shrinkage(recommended: str | None, turned: set[str]) -> float | str | None:
    if "shrinkage" not in turned:
        return None
    default = recommended or "none"
    follow_default("shrink", default)
    way = choose(
        st.segmented_control,
        _("Shrinkage of the covariance"),
        ["none", "ledoit-wolf", "by-hand"],
        key="shrink",
        default=default,
        labels={"none": _("none"), "ledoit-wolf": _("Ledoit-Wolf"), "by-hand": _("by hand")},
        required=True,
        help=explained(_("shrinkage")),
    )
    if way != "by-hand":
        return None if way == "none" else way
    return float(
        st.slider(_("Shrinkage a"), 0.0, 1.0, 0.1, 0.01, key="shrinkage", bind="query-params")
    )


def _removed(d: int, turned: set[str]) -> int | None:
    if "n_removed" not in turned:
        return None
    most = min(MOST_REMOVED, d - 1)
    if most == 0:  # a slider needs two different ends
        return 0
    about = _("How many of the leading directions are removed.")
    return _slider(_("Removed D"), "removed", 0, most, min(most, default_components(d)), about)


def _slider(
    label: str, key: str, low: int, high: int, default: int, about: str | None = None
) -> int:
    """A whole number; one that was chosen for another cloud is clipped to the range of this one."""
    value = st.session_state.get(key)
    if isinstance(value, int):
        st.session_state[key] = min(max(value, low), high)
    return int(st.slider(label, low, high, default, key=key, help=about, bind="query-params"))


def choose_chart(names: tuple[str, ...]) -> str:
    labels = {
        "spectrum": _("spectrum"),
        "cumulative": _("cumulative share"),
        "covariance": _("covariance"),
        "correlation": _("correlation"),
        "rogue": _("rogue dimensions"),
        "cosines": _("cosines of pairs"),
        "size": _("points in the fit"),
        **({"flow": _("loss of the flow")} if "flow" in names else {}),
    }
    return choose(
        st.segmented_control,
        _("Chart"),
        list(labels),
        key="chart",
        default="spectrum",
        labels=labels,
        required=True,
    )
