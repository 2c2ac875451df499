"""The table of the whitening page: measures of every picture, with baselines and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from geometry.measure import Annotations, Measured, annotated_table, disagreements, measure_table
from pages.common import jobs
from pages.common.cache import kept
from pages.common.corpus_cloud import CorpusCloud, coverage_of
from pages.common.coverage_notes import coverage_line
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.measures import (
    DIMENSION_SHARES,
    agreement_label,
    decimals_of,
    measure_label,
    no_value,
    print_value,
)
from pages.common.messages import encoder_errors_shown
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_names
from pages.common.words import _, prose

from . import PAGE
from .annotated import annotations_of, show_annotated_note
from .pictures import about
from .provenance import fit_cells_of, provenance
from .scene import Scene, TreatedCloud

Rows = tuple[Measured, ...]
Tables = Mapping[str, Rows]  # by the treatment's name
FIVE = ("mean_cosine", "opening_angle", "isoscore", "effective_rank", "mean_norm_share")
WHOLE = "all-rows"  # key of the toggle that shows all rows


@kept(128)
def rows_of(
    picture: TreatedCloud, sample: CorpusCloud, is_new: bool, is_whole: bool = True
) -> Rows:
    """The measures of a picture; without intervals if the points are among those of its fit.

    There a measure is a property of the fit. An interval would say nothing about other points.
    The shares of single dimensions are of the model's dimensions, as in the chart, and not of
    principal coordinates.

    Parameters
    ----------
    picture : TreatedCloud
    sample : CorpusCloud
        The points that are measured.
    is_new : bool
        True if the treatment was fitted on other points.
    is_whole : bool
        False for FIVE alone.
    """
    treated, units = picture.on(sample).treated, sample.units
    annotations = annotations_of(sample)
    has_labels = annotations.labels is not None
    names = None if is_whole else FIVE[: 4 if has_labels else 5]
    table = measure_table(treated.retained, names=names, seed=SEED, intervals=is_new, units=units)
    if is_whole and treated.retained is not treated.vectors:
        single = measure_table(
            treated.vectors, names=DIMENSION_SHARES, seed=SEED, intervals=is_new, units=units
        )
        by_name = {row.name: row for row in single}
        table = tuple(by_name.get(row.name, row) for row in table)
    if not is_whole:  # only the labels are used
        annotations = Annotations(labels=annotations.labels, units=annotations.units)
    annotated = annotated_table(treated.retained, annotations, seed=SEED)
    annotated = tuple(row for row in annotated if is_whole or row.name == "label_agreement")
    if not is_new:
        annotated = tuple(replace(row, low=None, high=None) for row in annotated)
    return table + annotated


def measure_all(scene: Scene, *, is_whole: bool = True) -> Tables:
    """The table of each picture, cached or measured by a job; a moved control cancels the job."""
    sets = scene.sets

    def given(picture: TreatedCloud) -> tuple[TreatedCloud, CorpusCloud, bool, bool]:
        is_new = sets.overlap_with_fit(picture.name) == "none"
        return picture, sets.sample, is_new, is_whole

    missing = [each for each in scene.pictures if rows_of.find(*given(each)) is None]
    if missing:

        def work(report: jobs.Progress) -> list[Rows]:
            made = []
            for done, picture in enumerate(missing):
                report(done, len(missing))
                made.append(rows_of.function(*given(picture)))
            return made

        key = "/".join(rows_of.name_of(*given(picture)) for picture in missing)
        what = _("Measuring clouds: {n}").format(n=len(missing))
        made = jobs.wait_for(key, work, what, lane="measure", passing=True)
        for picture, rows in zip(missing, made, strict=True):
            rows_of.put(rows, *given(picture))
    return {picture.name: rows_of(*given(picture)) for picture in scene.pictures}


def show_all_measures(scene: Scene) -> None:
    """Five rows of the table or all, its provenance, and the disagreements of its measures."""
    is_whole = st.toggle(_("Show all measures instead of five"), key=WHOLE, persist_state="session")
    with st.container():
        tables = measure_all(scene, is_whole=is_whole)
    with st.container(key="whitening-table"):
        st.markdown(table_markdown(scene, tables))
    st.caption(
        _(
            "In brackets: 95% intervals for other points under the same fitted treatment. They "
            "come from leaving out points, or pairs, types or words where a row is a mean over "
            "those; tokens are left out by sentence. Angles and agreement come from subsamples. "
            "A bootstrap would bias these measures by its repeated points. “Set by the fit”: the "
            "treatment was fitted on the points that are measured, so an interval would say "
            "nothing about other points. “Isotropic”: the value for isotropic data with the n and "
            "d of raw, ± the standard error of a simulation; for shares of the mean cosine, such "
            "data moved away from the origin in a random direction."
        )
    )
    if scene.sets.is_sampled:
        sample = _("Measured on a sample of {n} points, seed {seed}.")
        st.caption(sample.format(n=f"{len(scene.sets.sample.cloud):,}", seed=SEED))
    if is_whole:
        show_annotated_note(scene)
    for line in where_they_disagree(scene, tables):
        st.markdown(f"- {line}")
    for picture in scene.pictures:
        title = f"**{treatment_names()[picture.name]}**"
        st.caption("  \n".join([title, about(picture, scene)]))
    if scene.sets.points.model is not None:
        with encoder_errors_shown():
            st.caption(coverage_line(coverage_of(scene.sets.corpus)))
    measured_on = provenance(scene)
    offer_csv(
        _("Download measures (CSV)"),
        "whitening-measures",
        lambda: table_csv(scene, tables, measured_on),
    )


def table_markdown(scene: Scene, tables: Tables) -> str:
    """A row for each measure, a column for each treatment; the isotropic baseline comes last."""
    head = [_("measure"), *(_title(picture, scene) for picture in scene.pictures)]
    head.append(_("isotropic"))
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for place, row in enumerate(tables["raw"]):
        cells = [_cell(tables[picture.name][place], row) for picture in scene.pictures]
        label = measure_label(row.name, with_unit=True)
        if row.name == "label_agreement":
            label = agreement_label(scene.sets.corpus)
        lines.append([label, *cells, _baseline(row)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _title(picture: TreatedCloud, scene: Scene) -> str:
    """The treatment, and whether it was fitted on the points that are measured."""
    name = treatment_names()[picture.name]
    fitted = scene.sets.overlap_with_fit(picture.name)
    if fitted == "none":
        return name
    by_fit = _("set by the fit") if fitted == "all" else _("partly set by the fit")
    return _("{name} ({by_fit})").format(name=name, by_fit=by_fit)


def _cell(row: Measured, raw: Measured) -> str:
    if row.value is None:
        return no_value(row.undefined)
    text = print_value(row.name, row.value)
    if row.low is not None and row.high is not None:
        low, high = print_value(row.name, row.low), print_value(row.name, row.high)
        text += f" [{low},\u00a0{high}]"  # a no-break space: intervals stay whole
    isotropic = print_value(row.name, row.baseline)
    if row.d != raw.d and isotropic != print_value(raw.name, raw.baseline):
        # with fewer dimensions the isotropic baseline may differ
        return _("{found} ({value} if isotropic)").format(found=text, value=isotropic)
    return text


def _baseline(row: Measured) -> str:
    """The value for isotropic data, and its standard error unless that rounds to zero."""
    if row.name == "label_agreement":
        return _("{share} by chance").format(share=print_value(row.name, row.baseline))
    text, decimals = print_value(row.name, row.baseline), decimals_of(row.name)
    error = f"{row.baseline_error or 0:.{decimals}f}"
    return f"{text} ± {error}" if float(error) else text


def where_they_disagree(scene: Scene, tables: Tables) -> list[str]:
    """A sentence for each disagreement between the raw table and another."""
    lines: dict[str, None] = {}
    for picture in scene.pictures[1:]:
        for code in disagreements(tables["raw"], tables[picture.name]):
            if code == "more_even_than_chance" and not scene.sets.is_own_fit:
                continue  # the sentence says that the map was fitted on these points
            values = {"name": treatment_names()[picture.name]}
            lines[prose(PAGE, f"disagree-{code}", values)] = None
    return list(lines)


def table_csv(scene: Scene, tables: Tables, measured_on: str) -> bytes:
    """A row for each measure of each treatment, with the data that the treatment was fitted on.

    Parameters
    ----------
    scene : Scene
    tables : mapping of str to tuple of Measured
        By treatment.
    measured_on : str
        Corpus, model and settings in words.
    """
    head = ["treatment", "measure", "value", "low", "high", "isotropic", "n", "d", "undefined"]
    head += ["fitted_on", "rank_of_fit", "shrinkage"]
    fit_cells = {picture.name: fit_cells_of(picture, scene) for picture in scene.pictures}
    rows = [
        [
            picture.name,
            row.name,
            *(
                "" if value is None else short_number(value)
                for value in (row.value, row.low, row.high, row.baseline)
            ),
            str(row.n),
            str(row.d),
            row.undefined or "",
            *fit_cells[picture.name],
        ]
        for picture in scene.pictures
        for row in tables[picture.name]
    ]
    return csv_bytes(head, rows, measured_on)
