"""A claim beside the measured result: the card that every page shows below its picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import streamlit as st

from geometry import UndefinedMeasure
from geometry.measure.intervals import Estimate
from geometry.measure.neighbours import AgreementDraws, agreement_draws

from .escape import markdown
from .seed import SEED
from .words import _

State = Literal["holds", "partly", "fails", "unknown"]
ICONS = {
    "holds": ":material/check_circle:",
    "partly": ":material/contrast:",
    "fails": ":material/cancel:",
    "unknown": ":material/help:",
}


def agreement_of(
    X: np.ndarray, labels: Sequence[object], units: np.ndarray | None
) -> AgreementDraws | None:
    """The agreement of neighbours' labels, with draws for an interval.

    None for a single label, for too few units, or if a row has no direction. Rows of one unit are
    drawn together, and are no neighbours of each other.
    """
    if len({*labels} - {""}) < 2:
        return None
    try:
        return agreement_draws(X, labels, units=units, seed=SEED)
    except UndefinedMeasure:
        return None


def since(former: AgreementDraws, then: AgreementDraws) -> Estimate:
    """The change from one cloud to another of the same rows, over the same subsamples."""
    value = then.share - former.share
    reach = then.reach(then.shares - former.shares)
    return Estimate(value, value - reach, value + reach)


@dataclass(frozen=True)
class Verdict:
    """A claim and the result of measuring it on the page's data."""

    claim: str  # in one sentence, as Markdown
    source: str  # authors and year
    state: State  # "holds", "partly", "fails" or "unknown" (not enough data)
    measured: str  # the measured values with their intervals, as Markdown
    basis: str  # n, the fit set and the kind of interval, as plain text


def show_verdict(verdict: Verdict, *, key: str) -> None:
    """Draw the card. ``key`` names it on the page."""
    states = {
        "holds": _("Holds here."),
        "partly": _("Holds in part."),
        "fails": _("Does not hold here."),
        "unknown": _("Not enough data."),
    }
    with st.container(border=True, key=f"verdict-{key}", gap="xsmall"):
        st.markdown(_("Claim: {claim}").format(claim=f"{verdict.claim} – {verdict.source}"))
        mark = f"{ICONS[verdict.state]} **{states[verdict.state]}**"
        st.markdown(f"{mark} {verdict.measured}")
        st.caption(markdown(verdict.basis))
