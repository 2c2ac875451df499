"""Several subsets as one score: all, mean and wmean, which differ."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from geometry.evaluate.bootstrap import DRAWS, LEAST_PAIRS, PairScore
from geometry.evaluate.subsets import Aggregate, SubsetBootstrap, aggregate
from pages.common.cache import kept
from pages.common.escape import code, markdown
from pages.common.scores import with_interval
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_words
from pages.common.words import _, prose

from . import PAGE
from .choices import fitted_on, measured_on
from .scene import EncodedPairs, Scene, pair_moves
from .words import cell_words


@dataclass(frozen=True)
class BySubset:
    """Mean and weighted mean over subsets, before and after; the subsets without a score."""

    mean: tuple[Aggregate, Aggregate]
    wmean: tuple[Aggregate, Aggregate]
    left_out: tuple[str, ...]


def show_subsets(scene: Scene) -> None:
    """The score of each subset and three ways to aggregate them, at the chosen cell."""
    choice = scene.choice
    scores = _by_subset(scene.encoded, choice.layer, choice.pooling, choice.after)
    if scores is None:
        return
    values = {"cell": cell_words(choice.layer, choice.pooling)}
    st.markdown(prose(PAGE, "subsets", values))
    both = [
        scene.cell(choice.layer, choice.pooling, treatment).score
        for treatment in choice.treatments_shown
    ]
    st.markdown(subset_table(scene, scores, (both[0], both[1])))
    if scores.left_out:
        left_out = _(
            "Left out, because they have fewer than {n} pairs with different scores: {names}"
        )
        names = markdown(", ".join(scores.left_out))
        st.caption(left_out.format(n=LEAST_PAIRS, names=names))
    st.caption(markdown(f"{measured_on(choice)} · {fitted_on(choice)}"))


@kept(64)
def _by_subset(encoded: EncodedPairs, layer: int, pooling: str, after: str) -> BySubset | None:
    """Scores by subset; None if fewer than two subsets have a score."""
    moves, names = pair_moves(encoded, layer, pooling, after), encoded.pairs.subsets
    if moves is None or names is None:
        return None
    bootstrap = SubsetBootstrap(encoded.pairs.pairs.gold_scores, names, "all", DRAWS, SEED)
    parts = [bootstrap.score(values).by_subset for values in (moves.before, moves.after)]
    if len(parts[0]) < 2:
        return None
    mean, wmean = (
        (aggregate(parts[0], how), aggregate(parts[1], how)) for how in ("mean", "wmean")
    )
    left_out = tuple(name for name, _n in bootstrap.subsets if name not in parts[0])
    return BySubset(mean, wmean, left_out)


def subset_table(scene: Scene, scores: BySubset, both: tuple[PairScore, PairScore]) -> str:
    """A Markdown table of subsets and aggregates.

    Parameters
    ----------
    scene : Scene
    scores : BySubset
    both : (PairScore, PairScore)
        Before and after, of all pairs as one set.
    """
    names = [code(name.replace("|", "/")) for name in scores.mean[0].subsets]
    by_name = zip(*(mean.subsets.values() for mean in scores.mean), strict=True)
    rows: list[tuple[str, tuple[PairScore, PairScore] | tuple[Aggregate, Aggregate]]]
    rows = list(zip(names, by_name, strict=True))
    rows.append((_("**all**: every pair in one set"), both))
    rows.append((_("**mean** of the subsets’ scores"), scores.mean))
    rows.append((_("**wmean**: their mean, weighted by pairs"), scores.wmean))
    columns = [
        _("subset"),
        "n",
        _("Before: raw"),
        _("After: {name}").format(name=treatment_words(scene.choice.after)),
    ]
    lines = [f"| {' | '.join(columns)} |", "| --- | --: | --: | --: |"]
    for name, pair in rows:
        before, after = (with_interval(x.spearman, x.low, x.high) for x in pair)
        lines.append(f"| {name} | {pair[0].n:,} | {before} | {after} |")
    return "\n".join(lines)
