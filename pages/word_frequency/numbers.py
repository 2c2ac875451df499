"""The numbers under the picture, the table by frequency, symmetry by weight, the downloads."""

from __future__ import annotations

from functools import partial

import streamlit as st

from geometry.data.number_text import estimate, signed
from geometry.measure import Measured
from geometry.measure.frequency import NEIGHBOURS
from geometry.measure.intervals import Estimate
from pages.common import jobs
from pages.common.big_numbers import BigNumber, show_big_numbers
from pages.common.cache import kept
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.escape import markdown, markdown_table
from pages.common.measures import measure_label
from pages.common.reading import apart
from pages.common.treatment_names import treatment_names
from pages.common.words import _, prose

from . import PAGE
from .apart import FrequencyMeasures, Symmetry, symmetry
from .pictures import published
from .provenance import provenance
from .scene import RankedWords, Scene
from .verdicts import direction_sentence, table_markdown, three_digits


def show_headlines(scene: Scene) -> None:
    """Three numbers: the correlation, the length and the cosine of the most frequent words."""
    measures = scene.measures
    first, last, rho = measures.bins[0], measures.bins[-1], measures.direction.spearman
    n = f"{first.n:,}"
    numbers = [
        BigNumber(
            _("length against rank, Spearman"),
            signed(rho.value, 3),
            "" if rho.low is None else f"[{signed(rho.low, 3)}, {signed(rho.high or 0, 3)}]",
        ),
        BigNumber(
            _("mean length, {n} most frequent").format(n=n),
            three_digits(first.norm.value),
            _("rarest bin: {value}").format(value=three_digits(last.norm.value)),
        ),
        BigNumber(
            _("mean cosine, {n} most frequent").format(n=n),
            "—" if first.cosine is None else signed(first.cosine.value, 3),
            ""
            if last.cosine is None
            else _("rarest bin: {value}").format(value=signed(last.cosine.value, 3)),
        ),
    ]
    show_big_numbers(_("Words by frequency"), numbers, key="word-numbers")
    st.caption(markdown(provenance(scene)))


def show_direction(scene: Scene) -> None:
    """Where frequent words are, in a sentence."""
    st.markdown(direction_sentence(scene.measures.direction))


def show_table(scene: Scene) -> None:
    """The table of BERT-flow."""
    with st.container(key="word-bins"):
        st.markdown(table_markdown(scene.measures, dict(published().rows)))
    st.caption(prose(PAGE, "table"))


def bins_csv(measures: FrequencyMeasures, basis: str) -> bytes:
    """A row for each measure of each bin."""
    rows = []
    for each in measures.bins:
        named: list[tuple[str, Estimate | None]] = [
            ("norm", each.norm),
            *((f"distance_{k}", e) for k, e in zip(NEIGHBOURS, each.distances, strict=True)),
            *((f"dot_{k}", e) for k, e in zip(NEIGHBOURS, each.dots, strict=True)),
            ("mean_cosine", each.cosine),
        ]
        for name, found in named:
            ends = (None,) * 3 if found is None else (found.value, found.low, found.high)
            cells = ["" if end is None else short_number(end) for end in ends]
            rows.append([str(each.start + 1), str(each.stop), str(each.n), name, *cells])
    head = ["first_rank", "last_rank", "n", "measure", "value", "low", "high"]
    return csv_bytes(head, rows, basis)


def show_zipf(scene: Scene) -> None:
    """Both symmetries, raw and whitened, under equal weights and under frequencies."""
    words = scene.words.measured
    treatments = treatment_names()
    weights = {"uniform": _("every word once"), "zipf": _("by frequency")}
    names = ("zipfian_mean_symmetry", "zipfian_spectral_entropy")
    head = [_("treatment"), _("weights"), *(measure_label(name) for name in names)]
    lines = [head, ["---", "---", "---:", "---:"]]
    what = _("Symmetry of {n} words").format(n=f"{len(words):,}")
    found = jobs.kept_or_made(_symmetry, words, what=what, lane="measure", is_long=True)
    for treatment, by_weight in found.items():
        for weight, rows in by_weight.items():
            cells = [_symmetry_cell(row, treatment) for row in rows]
            lines.append([treatments[treatment], weights[weight], *cells])
    st.markdown(markdown_table(lines))
    st.caption(prose(PAGE, "zipf"))


@kept(16)
def _symmetry(words: RankedWords, report: jobs.Progress = jobs.no_report) -> Symmetry:
    return apart(partial(symmetry, words.vectors, words.counts), report)


def _symmetry_cell(row: Measured, treatment: str) -> str:
    """The value. Only raw words have an interval: a fit determines the values of the others."""
    if row.value is None:
        return "—"
    if treatment != "raw" or row.low is None or row.high is None:
        return signed(row.value, 3)
    return estimate(row.value, row.low, row.high)


def offer_downloads(scene: Scene) -> None:
    """Words with rank, frequency and length; the bins."""
    words, measures, basis = scene.words, scene.measures, provenance(scene)
    offer_csv(_("Download words (CSV)"), "word-frequency", lambda: words_csv(words, basis))
    offer_csv(_("Download bins (CSV)"), "word-frequency-bins", lambda: bins_csv(measures, basis))


def words_csv(words: RankedWords, basis: str) -> bytes:
    """A row for each word."""
    norms = words.lengths
    rows = [
        [text, str(rank), short_number(count), short_number(norm)]
        for rank, (text, count, norm) in enumerate(
            zip(words.texts, words.counts, norms, strict=True), start=1
        )
    ]
    return csv_bytes(["word", "rank", "frequency", "length"], rows, basis)
