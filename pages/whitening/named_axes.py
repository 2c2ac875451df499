"""Independent axes of GloVe beside its principal axes, each named by its words."""

import numpy as np
import streamlit as st

from geometry.data.number_text import signed
from geometry.figures.heatmap import Blocks, blocks_figure
from geometry.vectors.word_axes import N_WORDS, PlacedWords, WordAxes, word_axes
from pages.common import jobs
from pages.common.cache import kept
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.draw.charts import show_chart
from pages.common.draw.clouds import current_theme
from pages.common.models import glove_table
from pages.common.seed import SEED
from pages.common.words import _, aligned_table, prose, short_line

from . import PAGE

DRAWN = ("independent", "principal")
SHOWN, WORDS = 8, 4  # axes in a picture, words of each
LONGEST = 16  # characters of the name of a column
NAMING = 10  # words of an axis in the download


def basis_names() -> dict[str, str]:
    return {
        "independent": _("Independent axes"),
        "principal": _("Principal axes"),
        "random": _("Random axes"),
    }


def show_named_axes() -> None:
    what = _("Independent components of GloVe")
    found = jobs.kept_or_made(glove_axes, what=what)
    st.markdown(prose(PAGE, "independent"))
    names = basis_names()
    drawn = {name: blocks_of(found.bases[name], found.words) for name in DRAWN}
    reach = max(float(np.abs(blocks.values).max()) for blocks in drawn.values())
    for (name, blocks), box in zip(drawn.items(), st.columns(2), strict=True):
        with box:
            st.markdown(f"**{names[name]}**")
            show_chart(
                blocks_figure(blocks, current_theme(), titles=(_("axis"), _("word")), reach=reach),
                key=f"whitening-{name}-axes",
                alt=f"{names[name]}: {said(blocks)}",
                zoom=False,
            )
    head = [_("axes"), _("own axis"), _("excess kurtosis"), _("absolute skewness")]
    lines = []
    for name, axes in found.bases.items():
        shape = (axes.mean_top(WORDS), axes.kurtosis, axes.skewness)
        lines.append([names[name], *(signed(value, 2) for value in shape)])
    st.markdown(aligned_table(head, lines))
    values = {
        "words": f"{N_WORDS:,}",
        "fitted": f"{found.n_fitted:,}",
        "held": f"{len(found.words):,}",
        "d": f"{found.bases['principal'].unit.shape[1]}",
        "seed": f"{SEED}",
    }
    st.markdown(prose(PAGE, "independent-read", values))
    label = _("Download axes with their words (CSV)")
    offer_csv(label, "whitening-named-axes", lambda: axes_csv(found))


@kept(1)
def glove_axes() -> WordAxes:
    """The axes of the bundled GloVe words; about two seconds."""
    return word_axes(glove_table(), random_state=SEED)


def blocks_of(axes: PlacedWords, words: tuple[str, ...]) -> Blocks:
    tops = [axes.top(axis, WORDS) for axis in range(SHOWN)]
    rows = np.concatenate(tops)
    return Blocks(
        axes.unit[rows, :SHOWN],
        [words[row] for row in rows],
        [short_line(f"{axis} {words[top[0]]}", LONGEST) for axis, top in enumerate(tops, start=1)],
    )


def said(blocks: Blocks) -> str:
    """A picture in words: each axis with its words, and their mean on it and on the others."""
    own = np.repeat(np.eye(SHOWN, dtype=bool), WORDS, axis=0)
    size = np.abs(blocks.values)
    groups = map(_(", ").join, np.reshape(blocks.rows, (-1, WORDS)))
    return _(
        "the words of each axis, as unit vectors along {n} axes. Mean size on their own axis "
        "{own}, on the others {others}. The words by axis: {words}."
    ).format(
        n=SHOWN,
        own=f"{size[own].mean():.2f}",
        others=f"{size[~own].mean():.2f}",
        words=_("; ").join(groups),
    )


def axes_csv(found: WordAxes) -> bytes:
    names = basis_names()
    rows = []
    for name in DRAWN:
        axes = found.bases[name]
        for axis in range(axes.unit.shape[1]):
            for rank, row in enumerate(axes.top(axis, NAMING), start=1):
                value = short_number(float(axes.unit[row, axis]))
                basis = (name, names[name])
                rows.append([basis, str(axis + 1), str(rank), found.words[row], value])
    measured_on = _("GloVe 6B, {n} words held out").format(n=f"{len(found.words):,}")
    return csv_bytes(["basis", "axis", "rank", "word", "value"], rows, measured_on)
