"""Several subsets as one score: all, mean, wmean, each under its name, for they differ."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from geometry import UndefinedMeasure
from geometry.evaluate.grid import Grid
from geometry.evaluate.scores import LEAST_PAIRS, PairScore
from geometry.evaluate.subsets import Aggregate, SubsetBootstrap, aggregate
from pages.common import cached
from pages.common.cached import SEED
from pages.common.words import Translate, prose

from .choices import treatment_words
from .scene import DRAWS, Asked, moves_of
from .words import cell_words, fitted_on, measured_on, with_interval

PAGE = "sentence_similarity"


@dataclass(frozen=True)
class BySubset:
    """Of the treatments raw and after: the mean and the weighted mean; subsets left out."""

    mean: tuple[Aggregate, Aggregate]
    wmean: tuple[Aggregate, Aggregate]
    left_out: tuple[str, ...]


def show_subsets(asked: Asked, grid: Grid, _: Translate) -> None:
    """The scores of each subset and of the three ways to make one of them, at the chosen cell."""
    if asked.pairs.subsets is None:
        return
    try:
        found = by_subset(asked)
    except UndefinedMeasure:
        return  # panel 6 says so
    if found is None:
        return
    st.markdown("**" + _("Several subsets as one score") + "**")
    values = {"cell": cell_words(asked.layer, asked.pooling, _)}
    st.markdown(prose(PAGE, "subsets", values))
    both = [grid.cell(asked.layer, asked.pooling, code).score for code in ("none", asked.after)]
    st.markdown(subset_table(asked, found, (both[0], both[1]), _))
    if found.left_out:
        told = _("Left out, for want of {n} pairs with different scores: {names}")
        st.caption(told.format(n=LEAST_PAIRS, names=", ".join(found.left_out)))
    st.caption(f"{measured_on(asked, _)} · {fitted_on(asked, _)}")


def by_subset(asked: Asked) -> BySubset | None:
    """None where fewer than two subsets can be scored."""

    def make() -> BySubset | None:
        moves, names = moves_of(asked), asked.pairs.subsets or ()
        bootstrap = SubsetBootstrap(asked.pairs.pairs.gold_scores, names, "all", DRAWS, SEED)
        parts = [bootstrap.score(alike).by_subset for alike in (moves.before, moves.after)]
        if len(parts[0]) < 2:
            return None
        mean, wmean = (
            (aggregate(parts[0], how), aggregate(parts[1], how)) for how in ("mean", "wmean")
        )
        left_out = tuple(name for name, _n in bootstrap.subsets if name not in parts[0])
        return BySubset(mean, wmean, left_out)

    key = f"{asked.key}/{asked.after}/{asked.layer}/{asked.pooling}/subsets"
    made: BySubset | None = cached.lab_value(key, make)
    return made


def subset_table(
    asked: Asked, found: BySubset, both: tuple[PairScore, PairScore], _: Translate
) -> str:
    """A Markdown table: a row a subset, then the three ways.   both : of all pairs as one set."""
    names = [name.replace("|", "/").replace("`", "'") for name in found.mean[0].subsets]
    each = zip(*(one.subsets.values() for one in found.mean), strict=True)
    rows: list[tuple[str, tuple[PairScore, PairScore] | tuple[Aggregate, Aggregate]]]
    rows = [(f"`{name}`", scores) for name, scores in zip(names, each, strict=True)]
    rows.append((_("**all**: every pair in one set"), both))
    rows.append((_("**mean** of the subsets’ scores"), found.mean))
    rows.append((_("**wmean**: their mean, weighted by pairs"), found.wmean))
    columns = [
        _("subset"),
        "n",
        _("Before: raw"),
        _("After: {name}").format(name=treatment_words(asked.after, _)),
    ]
    lines = [f"| {' | '.join(columns)} |", "| --- | --: | --: | --: |"]
    for name, scores in rows:
        told = [with_interval(one.spearman, one.low, one.high, _) for one in scores]
        lines.append(f"| {name} | {scores[0].n:,} | {told[0]} | {told[1]} |")
    return "\n".join(lines)
