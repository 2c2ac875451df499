"""A finished run of ``python -m geometry scale``, opened from a folder that the operator allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from geometry.data import VectorSet
from geometry.errors import GeometryError
from geometry.export import affine_map
from geometry.export.affine import transform_bytes
from geometry.linalg.moments import refuse_extreme
from pages.common import jobs
from pages.common.cache import kept
from pages.common.limit_notes import upload_limits
from pages.common.measures import measure_label, no_value, print_value, unit_of
from pages.common.messages import error_text
from pages.common.uploads import add_vectors, choose_next
from pages.common.words import _, aligned_table, markdown

from .choices import choose_sample

if TYPE_CHECKING:
    from geometry.scale import DataMeasure, VectorData
    from geometry.scale.manifest import Column


def show_run_form(folder: str) -> None:
    """Facts about the run, a sample of its rows, statistics of all, and a fitted whitening."""
    from geometry.scale import VectorData  # imports pyarrow, which only a run needs

    try:
        data = VectorData(folder)
        data.refuse_other_sizes()
        names = [column.name for column in data.columns]
        name = names[0]
        if len(names) > 1:
            name = st.selectbox(_("Column with the vectors"), names, key=f"run-column-{folder}")
        column = data.column(name)
        size = _("{n} vectors of {d} numbers").format(
            n=f"{data.n_rows:,}", d=f"{column.dimension:,}"
        )
        shards = _("shards: {n}").format(n=f"{len(data.shards):,}")
        about = [f"{key} {value}" for key, value in column.about.items() if value is not None]
        st.caption(" · ".join([size, shards, *map(markdown, about)]))
        _show_sample(data, column)
        _show_statistics(data, column)
        _show_fit(data, column)
    except GeometryError as error:
        st.error(error_text(error))


def _show_sample(data: VectorData, column: Column) -> None:
    from geometry.scale import open_run

    limits = upload_limits()
    most = min(limits.vectors, limits.table_bytes // (4 * column.dimension), data.n_rows)
    chosen = choose_sample(f"run-{data.key}", most, always=True)
    st.caption(
        _("The rows of the picture. They are drawn by a hash of their ids; at most {n}.").format(
            n=f"{most:,}"
        )
    )
    if not st.button(_("Use these vectors"), key="use_run", type="primary"):
        return
    vectors: VectorSet = jobs.wait_for(
        f"run-{data.key}-{column.name}-{chosen['sample']}-{chosen['seed']}",
        lambda report: open_run(
            data.address, column=column.name, watch=_reporter(report), **chosen
        ),
        _("Reading {n} shards").format(n=f"{len(data.shards):,}"),
        lane="read",
        is_long=True,
    )
    refuse_extreme(vectors.vectors)  # pages can't draw them
    choose_next(add_vectors(vectors))


def _reporter(report: jobs.Progress) -> Any:
    """Report the library's progress to a job. A cancel of the job raises an error here."""
    return lambda state: report(state.done, state.shards)


def _show_statistics(data: VectorData, column: Column) -> None:
    is_on = _measures.find(data, column) is not None
    if not is_on and not st.toggle(_("Measure all rows"), key=f"measure-{data.key}"):
        return
    what = _("Measuring {n} vectors").format(n=f"{data.n_rows:,}")
    table = jobs.kept_or_made(_measures, data, column, what=what, lane="measure", is_long=True)
    rows = []
    for each in table:
        value = no_value(each.undefined)
        if each.value is not None:
            value = print_value(each.name, each.value) + unit_of(each.name)
        n = f"{each.n:,}" if each.of == "all rows" else _("sample of {n}").format(n=f"{each.n:,}")
        rows.append([measure_label(each.name), value, n])
    st.markdown(aligned_table([_("measure"), _("value"), "n"], rows))


@kept(32)
def _measures(
    data: VectorData, column: Column, report: jobs.Progress = jobs.no_report
) -> tuple[DataMeasure, ...]:
    from geometry.scale import Engine, measure_data

    return measure_data(Engine(watch=_reporter(report)), data, column=column.name)["before"]


def _show_fit(data: VectorData, column: Column) -> None:
    fits = {"zca:lw": ("zca", "ledoit-wolf"), "zca": ("zca", None), "pca": ("pca", None)}
    names = {
        "zca:lw": _("ZCA whitening, Ledoit-Wolf shrinkage"),
        "zca": _("ZCA whitening"),
        "pca": _("PCA whitening"),
    }
    chosen = st.selectbox(
        _("Whitening of all rows"),
        list(names),
        index=None,
        key=f"fit-{data.key}",
        format_func=names.__getitem__,
        placeholder=_("Choose a whitening"),
    )
    if chosen is None:
        return
    content = jobs.kept_or_made(
        _fitted,
        *(data, column, *fits[chosen]),
        what=_("Fitting on {n} vectors").format(n=f"{data.n_rows:,}"),
        lane="measure",
        is_long=True,
    )
    st.download_button(
        _("Download the whitening (safetensors)"),
        data=content,
        file_name=f"{chosen.partition(':')[0]}.safetensors",
        mime="application/octet-stream",
        icon=":material/download:",
        on_click="ignore",
    )
    st.caption(
        _("Fitted on {n} rows. geometry.load_transform reads it.").format(n=f"{data.n_rows:,}")
    )


@kept(16)
def _fitted(
    data: VectorData,
    column: Column,
    method: str,
    shrinkage: str | None,
    report: jobs.Progress = jobs.no_report,
) -> bytes:
    from geometry.scale import Engine, fit_data

    engine = Engine(watch=_reporter(report))
    fitted = fit_data(engine, data, column=column.name, method=method, shrinkage=shrinkage)
    return transform_bytes(affine_map(fitted, **column.about, rows=data.n_rows))
