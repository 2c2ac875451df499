"""The pairs: similarity against gold before and after, and how far each rank moved."""

from __future__ import annotations

import numpy as np
import streamlit as st

from geometry.data.number_text import signed
from geometry.figures.curves import Axes
from geometry.figures.scatter import Dots, Ring, scatter_figure
from pages.common.address import number_in_url, put_in_url
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.draw.charts import chart_of, share_texts, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.escape import markdown, plotly
from pages.common.treatment_names import treatment_words
from pages.common.words import _, prose

from . import PAGE
from .choices import fitted_on, measured_on
from .scene import Moves, Scene
from .words import cell_words, similarity_names

HEIGHT = 360
MOST = 20  # pairs in each table
MARGIN = 0.04  # share of the range, added beyond the outermost points
TEXTS = "sts-pairs"


def show_moves(scene: Scene) -> None:
    """Two scatter plots, the chosen pair, the pairs that gained and lost most."""
    choice, moves = scene.choice, scene.moves
    quoted = {
        "treatment": treatment_words(choice.after),
        "similarity": similarity_names()[choice.similarity],
    }
    st.markdown(prose(PAGE, "pairs", quoted))
    if moves is None:
        st.info(prose(PAGE, "pairs-undefined", quoted))
        return
    chosen = _chosen_pair(moves)
    pairs = choice.pairs.pairs
    both_sides = zip(pairs.left, pairs.right, strict=True)
    share_texts(TEXTS, [f"{plotly(a)}<br>{plotly(b)}" for a, b in both_sides])
    both = np.concatenate([moves.before, moves.after])
    margin = MARGIN * float(np.ptp(both)) or MARGIN
    ends = (float(both.min()) - margin, float(both.max()) + margin)
    titles = (_("Before: raw"), _("After: {name}").format(name=treatment_words(choice.after)))
    kinds = (("before", moves.before), ("after", moves.after))
    for box, title, (kind, values) in zip(st.columns(2), titles, kinds, strict=True):
        with box:
            st.markdown(f"**{title}**")
            _scatter(scene, kind, values, ends, chosen)
    _show_chosen(scene, moves, chosen)
    _tables(scene, moves)
    caption = " · ".join(
        [measured_on(choice), cell_words(choice.layer, choice.pooling), fitted_on(choice)]
    )
    st.caption(markdown(caption))
    offer_csv(
        _("Download pairs (CSV)"),
        "sentence-similarity-pairs",
        lambda: pairs_csv(scene, moves, caption),
    )


def _chosen_pair(moves: Moves) -> int:
    """The row that was clicked or typed; by default the pair that moved most."""
    n = len(moves.before)
    default = int(np.argmax(np.abs(moves.ranks.moved)))
    number = st.session_state.get("pair")
    if number is None:
        number = number_in_url("pair")
    return default if number is None or not 1 <= number <= n else int(number) - 1


def _choose(row: int) -> None:
    st.session_state["pair"] = row + 1


def _scatter(
    scene: Scene, kind: str, values: np.ndarray, ends: tuple[float, float], chosen: int
) -> None:
    gold = scene.choice.pairs.pairs.gold_scores
    name = similarity_names()[scene.choice.similarity]
    figure = scatter_figure(
        [Dots(gold, values, [""] * len(gold), place=1 if kind == "before" else 0)],
        Axes(_("human score"), name, y_range=ends),
        current_theme(),
        rings=[Ring([(float(gold[chosen]), float(values[chosen]))], _("chosen pair"))],
        height=HEIGHT,
    )
    show_chart(
        chart_of(figure),
        key=f"sts-pairs-{kind}",
        file_name=f"sentence-similarity-pairs-{kind}",
        alt=_("{similarity} of {n} pairs against their human scores; from {low} to {high}").format(
            similarity=name,
            n=f"{len(gold):,}",
            low=signed(values.min(), 2),
            high=signed(values.max(), 2),
        ),
        on_point=_choose,
        texts=TEXTS,
    )


def _show_chosen(scene: Scene, moves: Moves, row: int) -> None:
    pairs, ranks, n = scene.choice.pairs.pairs, moves.ranks, len(moves.before)
    box, words = st.columns([1, 4])
    with box:
        st.session_state["pair"] = row + 1
        # not bound to the address: Streamlit fails on an infinite number there
        st.number_input(_("Pair number"), 1, n, key="pair", persist_state="session")
        put_in_url("pair", str(row + 1))
    moved, gained = ranks.moved[row], ranks.gained[row]
    sentence = _(
        "Human score {gold} (rank {gold_rank} of {n}); {similarity} {before} → {after}; rank "
        "{rank_before} → {rank_after}: it moved by {moved}, {gained}."
    ).format(
        similarity=similarity_names()[scene.choice.similarity],
        gold=f"{pairs.gold_scores[row]:g}",
        gold_rank=f"{ranks.gold[row]:g}",
        n=f"{n:,}",
        before=signed(moves.before[row], 3),
        after=signed(moves.after[row], 3),
        rank_before=f"{ranks.before[row]:g}",
        rank_after=f"{ranks.after[row]:g}",
        moved=signed_ranks(moved),
        gained=_towards(gained),
    )
    with words:
        st.text(f"{pairs.left[row]}\n{pairs.right[row]}")
        st.markdown(sentence)


def _towards(gained: float) -> str:
    if gained > 0:
        return _("{k} nearer to the rank by human score").format(k=f"{gained:g}")
    if gained < 0:
        return _("{k} farther from the rank by human score").format(k=f"{-gained:g}")
    return _("as near to the rank by human score as before")


def signed_ranks(value: float) -> str:
    """A number of ranks, whole or half, with its sign."""
    return f"{value:+g}".replace("-", "−") if value else "0"


def _tables(scene: Scene, moves: Moves) -> None:
    ranks = moves.ranks
    titles = (
        _("The {k} pairs that gained most: nearer to the rank by human score"),
        _("The {k} pairs that lost most: farther from the rank by human score"),
    )
    both = (ranks.gained_most(MOST), ranks.lost_most(MOST))
    for title, rows in zip(titles, both, strict=True):
        with st.expander(
            title.format(k=len(rows)), key=f"sts-{'gained' if rows is both[0] else 'lost'}"
        ):
            _table(scene, moves, rows)


def _table(scene: Scene, moves: Moves, rows: np.ndarray) -> None:
    pairs, ranks = scene.choice.pairs.pairs, moves.ranks
    name = similarity_names()[scene.choice.similarity]
    st.dataframe(
        [
            {
                _("pair"): int(row) + 1,
                _("nearer by"): float(ranks.gained[row]),
                _("rank moved"): float(ranks.moved[row]),
                _("human score"): float(pairs.gold_scores[row]),
                _("{similarity} before").format(similarity=name): round(
                    float(moves.before[row]), 3
                ),
                _("{similarity} after").format(similarity=name): round(float(moves.after[row]), 3),
                _("first sentence"): pairs.left[row],
                _("second sentence"): pairs.right[row],
            }
            for row in rows
        ],
        hide_index=True,
        width="stretch",
    )


def pairs_csv(scene: Scene, moves: Moves, caption: str) -> bytes:
    """A row for each pair: sentences, scores, ranks and moves.

    Parameters
    ----------
    scene : Scene
    moves : Moves
    caption : str
        On what the numbers were measured.
    """
    head = ["pair", "left", "right", "gold", "before", "after"]
    head += ["rank_gold", "rank_before", "rank_after", "rank_moved", "nearer_by"]
    pairs, ranks = scene.choice.pairs.pairs, moves.ranks
    columns = [pairs.gold_scores, moves.before, moves.after]
    columns += [ranks.gold, ranks.before, ranks.after, ranks.moved, ranks.gained]
    rows = [
        [str(i + 1), left, right, *(short_number(column[i]) for column in columns)]
        for i, (left, right) in enumerate(zip(pairs.left, pairs.right, strict=True))
    ]
    return csv_bytes(head, rows, caption)
