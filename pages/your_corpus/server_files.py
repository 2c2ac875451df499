"""Files of the server and runs of ``python -m geometry scale``, in folders that are allowed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from geometry.data import VectorSet
from geometry.errors import GeometryError
from geometry.export import affine_map
from geometry.export.affine import transform_bytes
from geometry.hub.operator_limits import FILE_VARIABLE, read_upload_folders
from geometry.linalg.moments import refuse_extreme
from geometry.vectors.formats import ENDINGS
from pages.common import jobs
from pages.common.cache import kept
from pages.common.downloads import offer_file
from pages.common.measures import measure_label, no_value, print_value, unit_of
from pages.common.messages import error_text
from pages.common.reading import ServerFile, upload_limits
from pages.common.table_form import choose_sample
from pages.common.uploads import NEXT, add_upload
from pages.common.words import _, aligned_table, dotted, markdown

if TYPE_CHECKING:
    from geometry.scale import DataMeasure, VectorData
    from geometry.scale.manifest import Column

MOST_FILES = 1_000  # files of a folder in a list at most
LISTED_SECONDS = 10  # for which the lists are cached
SUFFIXES = {*chain.from_iterable(ENDINGS.values()), ".xlsx", ".zip", ".gz"}


def given_file() -> Path | None:
    """The file of ``narrow-cone app FILE``."""
    path = Path(os.environ.get(FILE_VARIABLE, ""))
    return path if path.is_file() else None


def server_files() -> dict[str, Path]:
    """Files that may be read, by the name in the list; a link counts as its target."""
    given = given_file()
    return ({} if given is None else {given.name: given}) | _listed(_folders())[0]


def server_runs() -> dict[str, Path]:
    return _listed(_folders())[1]


def server_file(name: str) -> ServerFile | None:
    """The file of that name in ``server_files``; None if it may not be read."""
    path = server_files().get(name)
    if path is None or not path.is_file():
        return None
    if path != given_file() and not _is_allowed(path, _folders()):
        return None
    about = path.stat()
    return ServerFile(path, path.name, f"{path}-{about.st_mtime_ns}-{about.st_size}", about.st_size)


def _folders() -> tuple[Path, ...]:
    folders = (folder.resolve() for folder in read_upload_folders() if folder.is_dir())
    return tuple(dict.fromkeys(folders))


# cached, because every rerun needs the lists, and a folder may have millions of files
@st.cache_data(ttl=LISTED_SECONDS, max_entries=4, show_spinner=False)
def _listed(folders: tuple[Path, ...]) -> tuple[dict[str, Path], dict[str, Path]]:
    """(files, runs) by name. Folders of the same name are named by their whole path."""
    files: dict[str, Path] = {}
    runs: dict[str, Path] = {}
    names = [folder.name for folder in folders]
    for folder in folders:
        shown = folder.name if names.count(folder.name) == 1 else str(folder)
        for found, are_runs in ((files, False), (runs, True)):
            paths = (path for path, is_run in _found(folder, folders) if is_run == are_runs)
            for path in islice(paths, MOST_FILES):
                found[f"{shown}/{path.relative_to(folder)}"] = path
    return files, runs


def _found(folder: Path, folders: tuple[Path, ...]) -> Iterator[tuple[Path, bool]]:
    """(path, whether it is a run) of all files and runs that may be read."""
    for inner, below, names in os.walk(folder):
        below.sort()
        paths = [Path(inner, name) for name in sorted(names)]
        manifest, shards = Path(inner, "manifest.json"), Path(inner, "shards")
        if manifest in paths and shards.is_dir():
            below.clear()
            if _is_allowed(manifest, folders) and _is_allowed(shards, folders):
                yield Path(inner), True
            continue
        for path in paths:
            is_usual = path.suffix.lower() in SUFFIXES
            if is_usual and path.is_file() and _is_allowed(path, folders):
                yield path, False


def _is_allowed(path: Path, folders: tuple[Path, ...]) -> bool:
    """Whether the target of a path or link is under an allowed folder."""
    return any(path.resolve().is_relative_to(folder) for folder in folders)


def show_run_form(folder: str) -> None:
    from geometry.scale import VectorData  # imports pyarrow, which only a run needs

    try:
        data = VectorData(folder)
        data.refuse_other_sizes()
        names = [column.name for column in data.columns]
        name = names[0]
        if len(names) > 1:
            name = st.selectbox(_("Column with the vectors"), names, key=f"run-column-{folder}")
        column = data.column(name)
        size = _("{n} vectors of {d} numbers")
        size = size.format(n=f"{data.n_rows:,}", d=f"{column.dimension:,}")
        shards = _("shards: {n}").format(n=f"{len(data.shards):,}")
        about = [f"{key} {value}" for key, value in column.about.items() if value is not None]
        st.caption(dotted(size, shards, *map(markdown, about)))
        for show in (_show_sample, _show_statistics, _show_fit):
            show(data, column)
    except GeometryError as error:
        st.error(error_text(error))


def _show_sample(data: VectorData, column: Column) -> None:
    from geometry.scale import open_run

    limits = upload_limits()
    most = min(limits.vectors, limits.table_bytes // (4 * column.dimension), data.n_rows)
    chosen = choose_sample(f"run-{data.key}", most, always=True)
    said = _("The rows of the picture. They are drawn by a hash of their ids; at most {n}.")
    st.caption(said.format(n=f"{most:,}"))
    if not st.button(_("Use these vectors"), key="use_run", type="primary"):
        return
    how = {"column": column.name, **chosen}
    vectors: VectorSet = jobs.wait_for(
        f"run-{data.key}-{column.name}-{chosen['sample']}-{chosen['seed']}",
        lambda report: open_run(data.address, watch=_reporter(report), **how),
        _("Reading {n} shards").format(n=f"{len(data.shards):,}"),
        lane="read",
        is_long=True,
    )
    refuse_extreme(vectors.vectors)  # pages can't draw them
    st.session_state[NEXT] = add_upload(vectors)
    st.rerun()


def _reporter(report: jobs.Progress) -> Any:
    """Report the library's progress to a job. A cancel of the job raises an error here."""
    return lambda state: report(state.done, state.shards)


def _show_statistics(data: VectorData, column: Column) -> None:
    is_on = _measures.find(data, column) is not None
    if not is_on and not st.toggle(_("Measure all rows"), key=f"measure-{data.key}"):
        return
    what = _("Measuring {n} vectors").format(n=f"{data.n_rows:,}")
    table = jobs.kept_or_made(_measures, data, column, what=what, is_long=True)
    rows = []
    for each in table:
        value = no_value(each.undefined)
        if each.value is not None:
            value = print_value(each.name, each.value) + unit_of(each.name)
        n = "{n}" if each.of == "all rows" else _("sample of {n}")
        rows.append([measure_label(each.name), value, n.format(n=f"{each.n:,}")])
    st.markdown(aligned_table([_("measure"), _("value"), "n"], rows))


@kept(32)
def _measures(
    data: VectorData, column: Column, report: jobs.Progress = jobs.no_report
) -> tuple[DataMeasure, ...]:
    from geometry.scale import Engine, measure_data

    return measure_data(Engine(watch=_reporter(report)), data, column=column.name)["before"]


def _show_fit(data: VectorData, column: Column) -> None:
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
    what = _("Fitting on {n} vectors").format(n=f"{data.n_rows:,}")
    content = jobs.kept_or_made(_fitted, data, column, chosen, what=what, is_long=True)
    label = _("Download the whitening (safetensors)")
    method = chosen.partition(":")[0]
    offer_file(label, f"{method}.safetensors", lambda: content)
    said = _("Fitted on {n} rows. geometry.load_transform reads it.")
    st.caption(said.format(n=f"{data.n_rows:,}"))


@kept(16)
def _fitted(
    data: VectorData, column: Column, code: str, report: jobs.Progress = jobs.no_report
) -> bytes:
    from geometry.scale import Engine, fit_data

    engine = Engine(watch=_reporter(report))
    method = code.partition(":")[0]
    shrinkage = "ledoit-wolf" if code == "zca:lw" else None
    fitted = fit_data(engine, data, column=column.name, method=method, shrinkage=shrinkage)
    return transform_bytes(affine_map(fitted, **column.about, rows=data.n_rows))
