"""The table of the whitening page: every measure of every picture, with baseline and interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from geometry import label_agreement
from geometry.measure import (
    Annotations,
    Measured,
    annotated_table,
    chance_agreement,
    disagreements,
    measure_table,
)
from geometry.transform.treatments import Treated
from pages.common import jobs
from pages.common.cache import Cache
from pages.common.corpus_cloud import SEED
from pages.common.downloads import csv_bytes, offer_csv, points_csv, short_number
from pages.common.escape import markdown
from pages.common.measures import decimals_of, measure_label, no_value, print_value
from pages.common.words import Translate, prose

from .annotated import annotations_of, show_annotated_note
from .choices import treatment_names
from .provenance import fit_cells_of, provenance
from .scene import Scene


@dataclass(frozen=True)
class Report:
    """The measures of one picture: the table, and the share of neighbours with the same topic."""

    table: tuple[Measured, ...]
    agreement: float | None

    @classmethod
    def of(cls, treated: Treated, labels: tuple[str, ...] | None, known: Annotations) -> Report:
        """Measure the treated cloud.

        The shares of single dimensions are of the model's dimensions, as in the chart, and not of
        principal coordinates.

        Parameters
        ----------
        treated : Treated
        labels : tuple of str or None
            Of the points. The agreement needs two different labels or more.
        known : Annotations
            Word counts, sentences and types of the points.
        """
        vectors = treated.retained
        has_labels = labels is not None and len(set(labels)) > 1
        try:
            agreement = label_agreement(vectors, labels) if has_labels and labels else None
        except ValueError:  # a zero row has no neighbours
            agreement = None
        table = measure_table(vectors, seed=SEED)
        if treated.retained is not treated.vectors:
            single = measure_table(treated.vectors, names=OF_DIMENSIONS, seed=SEED)
            by_name = {row.name: row for row in single}
            table = tuple(by_name.get(row.name, row) for row in table)
        return cls(table + annotated_table(vectors, known, seed=SEED), agreement)


Reports = Mapping[str, Report]
_REPORTS: Cache[Report] = Cache("whitening-reports", max_entries=128)
OF_DIMENSIONS = ("top_contribution", "top_5_contributions")


def measure_all(scene: Scene, _: Translate) -> Reports:
    """The table of each picture: from the cache, or by a job that a moved control cancels."""
    labels, known = scene.material.cloud.labels, annotations_of(scene.material)
    private = scene.material.is_private
    missing = [
        picture for picture in scene.pictures if _REPORTS.get(picture.key, private=private) is None
    ]
    if missing:

        def work(report: jobs.Report) -> dict[str, Report]:
            made = {}
            for done, picture in enumerate(missing):
                report(done, len(missing))
                made[picture.key] = Report.of(picture.treated, labels, known)
            return made

        what = _("Measuring clouds: {n}").format(n=len(missing))
        key = "measure-" + "-".join(picture.key[:12] for picture in missing)
        made = jobs.wait_for(key, work, _, what, lane="measure", passing=True)
        for key, report in made.items():
            _REPORTS.put(key, report, private=private)
    return {
        picture.name: _REPORTS.get_or_make(
            picture.key, partial(Report.of, picture.treated, labels, known), private=private
        )
        for picture in scene.pictures
    }


def show_table(scene: Scene, _: Translate) -> None:
    """The table, its caption and provenance, and the disagreements of its measures."""
    with st.container():
        reports = measure_all(scene, _)
    with st.container(key="whitening-table"):
        st.markdown(table_markdown(scene, reports, _))
    st.caption(
        _(
            "In brackets: 95% intervals, each treatment held as it was fitted, by leaving out "
            "points, each alone or in groups, or groups of pairs, types or sentences where a "
            "row is a mean over those (angles: by subsampling); never by the bootstrap, whose "
            "repeated points bias these measures. “Isotropic”: what isotropic data of raw's n "
            "and d give, ± the standard error of a simulation; for shares of the mean cosine, "
            "such data pushed off the origin in a random direction."
        )
    )
    show_annotated_note(scene.material)
    st.caption(markdown(provenance(scene, _)))
    _warn_of_simplex(scene)
    _warn_of_emptied(scene)
    for line in where_they_disagree(scene, reports, _):
        st.markdown(f"- {line}")


def table_markdown(scene: Scene, reports: Reports, _: Translate) -> str:
    """A row for each measure, a column for each treatment; the isotropic baseline comes last."""
    names = treatment_names(_)
    head = [_("measure"), *(names[picture.name] for picture in scene.pictures), _("isotropic")]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for place, row in enumerate(reports["raw"].table):
        cells = [_cell(reports[picture.name].table[place], row, _) for picture in scene.pictures]
        label = measure_label(row.name, _, with_unit=True)
        lines.append([label, *cells, _baseline(row)])
    if reports["raw"].agreement is not None:
        shares = [reports[picture.name].agreement for picture in scene.pictures]
        cells = ["—" if share is None else f"{share:.1%}" for share in shares]
        chance = chance_agreement(scene.material.cloud.labels or ())
        by_chance = _("{share} by chance").format(share=f"{chance:.1%}")
        lines.append([_("topic agreement of 5 neighbours"), *cells, by_chance])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cell(row: Measured, raw: Measured, _: Translate) -> str:
    if row.value is None:
        return no_value(row, _)
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
    text, decimals = print_value(row.name, row.baseline), decimals_of(row.name)
    error = f"{row.baseline_error or 0:.{decimals}f}"
    return f"{text} ± {error}" if float(error) else text


def where_they_disagree(scene: Scene, reports: Reports, _: Translate) -> list[str]:
    """A sentence for each disagreement between the raw table and another."""
    lines: dict[str, None] = {}
    for picture in scene.pictures[1:]:
        for code in disagreements(reports["raw"].table, reports[picture.name].table):
            if code == "more_even_than_chance" and not scene.material.is_own_fit:
                continue  # the sentence says that the map was fitted on these points
            values = {"name": treatment_names(_)[picture.name]}
            lines[prose("whitening", f"disagree-{code}", values)] = None
    return list(lines)


def _warn_of_emptied(scene: Scene) -> None:
    for picture in scene.pictures:
        fitted = picture.treatment.fitted
        if picture.name == "removed" and fitted.leaves_nothing:
            values = {
                "fitted": f"{fitted.n_rows:,}",
                "rank": f"{fitted.rank}",
                "removed": f"{len(fitted.weights)}",
            }
            st.warning(prose("whitening", "emptied", values))


def _warn_of_simplex(scene: Scene) -> None:
    maps = [picture.treatment.fitted for picture in scene.pictures]
    simplices = {
        picture.is_regular: picture for picture in maps if getattr(picture, "makes_simplex", False)
    }
    for is_regular, fitted in simplices.items():
        n = {"n": f"{fitted.n_rows:,}", "distinct": f"{fitted.n_distinct:,}"}
        kind = "" if is_regular else "-uneven"
        if scene.material.is_all_fitted:
            st.error(prose("whitening", f"simplex{kind}", n))
        else:  # only the points of the fit are a simplex, and the pictures show others too
            st.warning(prose("whitening", f"simplex-fit{kind}", n))


def take_away(scene: Scene, _: Translate) -> None:
    """Table and points as CSV; the pictures themselves have a camera button."""
    measured_on = provenance(scene, _)
    reports = measure_all(scene, _)
    with st.container(horizontal=True):
        offer_csv(
            _("Take the table away (CSV)"),
            "whitening-measures",
            lambda: table_csv(scene, reports, measured_on, _),
        )
        offer_csv(
            _("Take the points away (CSV)"),
            "whitening-points",
            lambda: pictures_csv(scene, measured_on, _),
        )


def pictures_csv(scene: Scene, measured_on: str, _: Translate) -> bytes:
    """The coordinates of every picture, as drawn."""
    view = _("view {name}").format(name=scene.pictures[0].projection.method)
    axes = "xyz"[: scene.pictures[0].projection.n_components]
    columns = [f"{picture.name}_{axis}" for picture in scene.pictures for axis in axes]
    places = np.hstack(
        [picture.projection.around_origin * picture.factor for picture in scene.pictures]
    )
    factors = [f"{picture.name} × {picture.factor:.4g}" for picture in scene.pictures]
    return points_csv(
        scene.material.cloud, columns, places, " · ".join([measured_on, view, *factors])
    )


def table_csv(scene: Scene, reports: Reports, measured_on: str, _: Translate) -> bytes:
    """A row for each measure of each treatment, with the data that the treatment was fitted on.

    Parameters
    ----------
    scene : Scene
    reports : mapping of str to Report
        By treatment.
    measured_on : str
        Corpus, model and settings in words.
    """
    head = ["treatment", "measure", "value", "low", "high", "isotropic", "n", "d", "undefined"]
    head += ["fitted_on", "rank_of_fit", "shrinkage"]
    fit_cells = {picture.name: fit_cells_of(picture, scene, _) for picture in scene.pictures}
    has_agreement = reports["raw"].agreement is not None
    chance = chance_agreement(scene.material.cloud.labels or ()) if has_agreement else None
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
        for row in _csv_rows(reports[picture.name], chance)
    ]
    return csv_bytes(head, rows, measured_on)


def _csv_rows(report: Report, chance: float | None) -> tuple[Measured, ...]:
    """The table and, where there are labels, a row for their agreement with chance as baseline."""
    if chance is None:
        return report.table
    share, like = report.agreement, report.table[0]
    why = "zero_row" if share is None else None
    last = Measured("label_agreement", share, None, None, chance, like.n, like.d, why)
    return (*report.table, last)
