"""python -m geometry scale: encode, fit, transform, measure, project, search; over Dask."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.write import check_output, refuse_in_use, saving, write
from ..export.affine import affine_map, transform_bytes
from .options import ALL, BUNDLED, MODEL, OUT_TYPE, listed, poolings_of, with_options
from .shell import FAILED, FORCE, NOTED, QUIET, is_noted, shell, show, table_lines

if TYPE_CHECKING:
    from ..scale.engine import Engine, Report

LEFT_OUT, IN_USE, LOST = 3, 4, 5  # exit codes beside 0, 2 and 130 of every command
CODES = {"in_use": IN_USE, "lost_scheduler": LOST, "gave_up": LOST, "killed_workers": LOST}
EXIT_CODES = """
Exit codes: 0 all is done; 2 an argument, a shard or the disk is at fault; 3 done, but rows or
shards were left out by --on-error skip; 4 another run works in the folder; 5 the scheduler, the
workers or the store gave up; 130 interrupted. After 2, 4, 5 and 130 finished shards are kept: run
the same command again, and only what is missing is done.
"""
# Packages whose errors have no common base class
STORES = ("aiobotocore", "aiohttp", "botocore", "gcsfs", "s3fs")
EVERY = 1.0  # seconds between two lines of progress


@shell.group(epilog=EXIT_CODES)
def scale() -> None:
    """The same geometry for data sets of any size, on this machine or a Dask cluster.

    A data set is a folder of Parquet shards with a manifest; folders are paths, or addresses such
    as s3://bucket/run.
    """


_WORKERS_HELP = "Processes on this machine; by default one a core. 0 works without Dask."
_THREADS_HELP = "Of a worker. Another number may change the last bits of a result."
_RETRIES_HELP = "How often a shard is begun again after a fault of network or store."
_ON_ERROR = click.Choice(["stop", "skip"])
_ON_ERROR_HELP = "At a row or a shard that can't be read: end, or leave it out and list it."
_JSON = click.option("--json", "as_json", **NOTED, help="Print the result as one JSON object.")
_CLUSTER = (
    click.option("--workers", type=click.IntRange(min=0), help=_WORKERS_HELP),
    click.option("--scheduler", help="Of a Dask cluster that runs, as tcp://host:8786."),
    click.option("--threads", type=click.IntRange(min=1), default=1, help=_THREADS_HELP),
    click.option("--memory", default="auto", help="Of a worker on this machine, as 2GB."),
    click.option("--retries", type=click.IntRange(min=0), default=3, help=_RETRIES_HELP),
    click.option("--on-error", type=_ON_ERROR, default="stop", help=_ON_ERROR_HELP),
    _JSON,
    QUIET,
)
_OF_ENGINE = ("workers", "scheduler", "threads", "memory", "retries")
# What is said, and the result as JSON. A command that writes a folder returns its manifest instead.
Done = tuple[str, dict[str, Any]]


def _on_a_cluster(command: Callable[..., dict[str, Any] | Done]) -> Callable[..., int]:
    """Adds options of the cluster; the command gets its engine, and what it returns is printed.

    A fault of the engine becomes one line and an exit code.
    """

    @wraps(command)
    def run(*, on_error: str, **options: Any) -> int:
        from ..scale import ScaleError, open_engine

        is_quiet = is_noted("quiet")

        def say(line: str) -> None:
            if not is_quiet:
                click.echo(f"{command.__name__}: {line}", err=True)

        _check_out(**options)
        how = {name: options.pop(name) for name in _OF_ENGINE}
        how |= {"skip": on_error == "skip", "watch": _progress(say), "say": say}
        try:
            with open_engine(**how) as engine:
                done = command(engine, **options)
        except KeyboardInterrupt:
            raise click.Abort("finished shards are kept. Run the same command again.") from None
        except ScaleError as error:
            if error.code not in CODES:
                raise
            raise _Coded(str(error), CODES[error.code]) from error
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in STORES:
                raise
            raise _Coded(f"the store failed: {error}", LOST) from error
        if isinstance(done, dict):
            result, lines, failed, rows = _of_manifest(options["out"], done)
        else:
            text, result = done
            failed = {each.shard: str(each.error) for each in engine.failures}
            omitted = {name: (n, places) for name, n, places in engine.omitted}
            rows = {name: places for name, (_, places) in omitted.items()}
            lines = [text]
            for name, (n, places) in omitted.items():
                lines.append(f"  {name}: {n:,} rows left out: {', '.join(map(str, places))}")
        lines += [f"  {name} failed: {reason}" for name, reason in failed.items()]
        show({**result, "failed": failed, "rows_left_out": rows}, "\n".join(lines))
        return LEFT_OUT if failed or rows else 0

    return with_options(*_CLUSTER)(run)


_MODEL_HELP = "bundled, bundled-e5, a name of the hub, or a folder that every worker has."
_METHOD_HELP = "pca, zca, cholesky, pca-cor, zca-cor, removal or removal-uncentred."
_COMPONENTS_HELP = "Directions to retain, or to remove."
_SAMPLE_HELP = "Rows that umap or tsne is fitted on."
_COLUMN = click.option("--column", help="Of vectors, as layer4_mean; needed if there are several.")
_OUT = click.option("--out", required=True, help="The folder of the new data set.")
_SEED = click.option("--seed", type=int, default=0)
_DTYPES = click.Choice(["float32", "float16"])


@scale.command(epilog=EXIT_CODES)
@click.argument("shards", nargs=-1, required=True)
@_OUT
@click.option("--layers", default="-1", help="As 0,4,-1, or all.")
@click.option("--poolings", default="mean", help="As mean,cls,max.")
@click.option("--dtype", type=_DTYPES, default="float32", help="Of the numbers on disk.")
@click.option("--text-column", default="text", help="Of Parquet, JSON lines and CSV.")
@click.option("--label-column", help="Stored as label.")
@click.option("--weight-column", help="Stored as weight, for fit --weights weight.")
@click.option("--model", default=BUNDLED, help=_MODEL_HELP)
@with_options(*MODEL[1:])
@_on_a_cluster
def encode(
    engine: Engine, shards: tuple[str, ...], out: str, layers: str, poolings: str, **how: Any
) -> dict[str, Any]:
    """Encode SHARDS of texts into a vector data set.

    SHARDS are files, folders or patterns: .parquet, .jsonl, .csv, .tsv and .txt, packed with gzip
    or not. A shard is one task, so cut large files into parts of some 10,000 texts.
    """
    from ..scale import TextColumns, encode_shards

    how["layers"] = None
    if layers.strip() != ALL:
        try:
            how["layers"] = tuple(int(part) for part in listed(layers, "layers"))
        except ValueError:
            raise ValueError(f"--layers {layers}: give whole numbers, as 0,4,-1, or all") from None
    how["poolings"] = poolings_of(poolings)
    columns_of = (how.pop(f"{name}_column") for name in ("text", "label", "weight"))
    how["texts"] = TextColumns(*columns_of)
    return encode_shards(engine, shards, out, **how)


@scale.command(epilog=EXIT_CODES)
@click.argument("run")
@click.option("--out", required=True, type=OUT_TYPE, help="A .safetensors file.")
@click.option("--method", default="zca", help=_METHOD_HELP)
@click.option("--components", "n_components", type=click.IntRange(min=0), help=_COMPONENTS_HELP)
@click.option("--shrinkage", help="From 0 to 1, or ledoit-wolf.")
@click.option("--centring", type=float, default=1.0, help="From 0 to 1.")
@click.option("--strength", type=float, default=1.0, help="From 0 to 1.")
@click.option("--weights", help="A column of weights, such as word frequencies.")
@_COLUMN
@FORCE
@_on_a_cluster
def fit(engine: Engine, run: str, out: Path, column: str | None, force: bool, **how: Any) -> Done:
    """Fit a whitening or a removal on the data set RUN, in one pass over its rows."""
    from ..scale import VectorData, fit_data
    from ..scale.store import last_name

    if (share := how["shrinkage"]) not in (None, "ledoit-wolf"):
        try:
            how["shrinkage"] = float(share)
        except ValueError:
            wanted = "give a number from 0 to 1, or ledoit-wolf"
            raise ValueError(f"--shrinkage {share}: {wanted}") from None
    data = VectorData(run)
    fitted = fit_data(engine, data, column=column, **how)
    stated = data.column(column).about
    names = [name for name in ("model", "layer", "pooling") if name in stated]
    about = {n: stated[n] for n in names if isinstance(stated[n], str | int)}
    content = transform_bytes(affine_map(fitted, **about, corpus=last_name(data.address)))
    with saving(out):
        write(out, content, force=force)
    settings = dict(affine_map(fitted, **about).about)
    text = f"{out}: {', '.join(f'{name} {value}' for name, value in settings.items())}"
    return text, {"out": str(out), **settings}


@scale.command(epilog=EXIT_CODES)
@click.argument("run")
@click.argument("fitted")
@_OUT
@click.option("--dtype", type=_DTYPES, help="By default that of RUN.")
@_COLUMN
@_on_a_cluster
def transform(engine: Engine, run: str, fitted: str, out: str, **how: Any) -> dict[str, Any]:
    """Apply the transform FITTED (.safetensors) to every row of the data set RUN."""
    from ..scale import VectorData, read_transform, transform_data

    return transform_data(engine, VectorData(run), read_transform(fitted), out, **how)


@scale.command(epilog=EXIT_CODES)
@click.argument("run")
@click.argument("fitted", required=False)
@click.option("--sample", type=click.IntRange(min=2), default=5000)
@_SEED
@_COLUMN
@_on_a_cluster
def measure(engine: Engine, run: str, fitted: str | None, **how: Any) -> Done:
    """Print every measure of the data set RUN; before and after the transform FITTED, if given.

    Measures that are functions of sums are of all rows. The others are of --sample rows, which a
    hash of their ids draws, with their interval.
    """
    from ..scale import VectorData, measure_data, read_transform

    how["fitted"] = None if fitted is None else read_transform(fitted)
    tables = measure_data(engine, VectorData(run), **how)
    lines = [("measure", *tables, "isotropic", "rows")]
    for rows in zip(*tables.values(), strict=True):
        cells = []
        for row in rows:
            ends = "" if row.low is None else f" [{row.low:.4g}, {row.high:.4g}]"
            cells.append(f"- ({row.undefined})" if row.value is None else f"{row.value:.4g}{ends}")
        base = "" if row.baseline is None else f"{row.baseline:.4g}"
        lines.append((row.name, *cells, base, f"{row.n:,} ({row.of})"))
    result = {when: [asdict(row) for row in rows] for when, rows in tables.items()}
    return "\n".join(table_lines(lines)), result


@scale.command(epilog=EXIT_CODES)
@click.argument("run")
@_OUT
@click.option("--method", default="pca", help="pca, svd, mean, umap or tsne.")
@click.option("--components", "n_components", type=click.IntRange(2, 3), default=2)
@click.option("--sample", type=click.IntRange(min=20), default=10_000, help=_SAMPLE_HELP)
@_SEED
@_COLUMN
@_on_a_cluster
def project(engine: Engine, run: str, out: str, **how: Any) -> dict[str, Any]:
    """Write 2 or 3 coordinates of every row of the data set RUN, as columns x, y and z."""
    from ..scale import VectorData, project_data

    return project_data(engine, VectorData(run), out, **how)


@scale.command(epilog=EXIT_CODES)
@click.argument("run")
@click.argument("queries")
@click.option("--out", required=True, help="A Parquet file.")
@click.option("--k", type=click.IntRange(min=1), default=10)
@click.option("--approximate", is_flag=True, help="Search indexes, and print their recall.")
@_COLUMN
@FORCE
@_on_a_cluster
def neighbours(engine: Engine, run: str, queries: str, out: str, **how: Any) -> Done:
    """Find the k nearest rows of the data set RUN to each row of the data set QUERIES."""
    from ..scale import VectorData, find_neighbours

    found = find_neighbours(engine, VectorData(run), VectorData(queries), out, **how)
    text = f"{out}: {found['queries']:,} queries, {found['k']} nearest of {found['rows']:,} rows"
    if "recall" in found:
        text += (
            f"; recall {found['recall']:.3f} [{found['recall_low']:.3f}, "
            f"{found['recall_high']:.3f}] against the exact search of "
            f"{found['recall_queries']} queries"
        )
    return text, {"out": out, **found}


@scale.command(epilog=EXIT_CODES)
@click.argument("run")
@click.option("--check", is_flag=True, help="Read every shard and compare its digest.")
@_JSON
def status(run: str, check: bool) -> int:
    """Print what is done, failed and left in the folder RUN, also while a run works there."""
    from ..scale.manifest import read_status

    found = read_status(run, check=check)
    counts, again = found.counts, "run its command again"
    lines = [
        f"{found.kind}: {counts['done']:,} of {counts['shards']:,} shards done, "
        f"{counts['failed']:,} failed, {counts['left']:,} left; {counts['rows']:,} rows, "
        f"{counts['bytes'] / 1e6:,.1f} MB",
        *_left_out(counts, found.left_out),
        *(f"  {name} failed: {reason}" for name, reason in found.failed.items()),
        *(f"{name}: its content is not what was written; {again}" for name in found.damaged),
        *(f"{name}: its log is cut off, so it counts as left; {again}" for name in found.cut_logs),
    ]
    show(asdict(found), "\n".join(lines))
    if found.damaged:
        return FAILED
    return LEFT_OUT if found.failed or found.left_out else 0


def _check_out(*, out: str | Path | None = None, force: bool | None = None, **given: Any) -> None:
    """Refuse a file, or without ``force`` the folder of a run, before any work begins."""
    from ..scale.manifest import LOCK, MANIFEST
    from ..scale.store import absolute, is_local

    if out is None or not is_local(str(out)):
        return
    place = out if isinstance(out, Path) else Path(absolute(out))
    if force is not None:
        ending = ".parquet" if "queries" in given else ".safetensors"
        check_output(place, (ending,), inputs=(given["run"], given.get("queries")), force=force)
    elif place.is_symlink() or not any((place / name).is_file() for name in (MANIFEST, LOCK)):
        refuse_in_use(place)


class _Coded(click.ClickException):
    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.exit_code = code  # type: ignore[misc]  # click reads it from the instance, too


def _progress(say: Callable[[str], None]) -> Callable[[Report], None]:
    """Prints rows, rate, time left and failures, at most once in EVERY seconds and at the end."""
    last = 0.0

    def watch(report: Report) -> None:
        nonlocal last
        now = time.monotonic()
        finished = report.done + len(report.failures)
        if now - last < EVERY and finished < report.shards:
            return
        last = now
        say(
            f"{report.done:,} of {report.shards:,} shards, {report.rows:,} rows, "
            f"{report.rate:,.0f} rows/s, {report.seconds_left:,.0f} s left, "
            f"{len(report.failures)} failed"
        )

    return watch


def _of_manifest(
    out: str, manifest: dict[str, Any]
) -> tuple[dict[str, Any], list[str], dict[str, str], dict[str, list[int]]]:
    """A result, its lines of text, the reasons of failed shards, and the rows left out by shard."""
    counts = manifest["counts"]
    failed = {s["name"]: s["reason"] for s in manifest["shards"] if s["state"] == "failed"}
    rows = {s["name"]: s["rows_left_out"] for s in manifest["shards"] if s.get("left_out")}
    damaged = "its content or its log was damaged; it was written again"
    lines = [
        *(f"{name}: {damaged}" for name in manifest["redone"]),
        f"{out}: {counts['rows']:,} rows in {counts['done']:,} shards, "
        f"{counts['bytes'] / 1e6:,.1f} MB",
        *_left_out(counts, rows),
    ]
    return {"out": out, "counts": counts}, lines, failed, rows


def _left_out(counts: dict[str, int], rows: dict[str, list[int]]) -> Iterator[str]:
    if counts["blank"]:
        yield f"{counts['blank']:,} rows without text left out"
    if counts["left_out"]:
        yield f"{counts['left_out']:,} rows left out:"
    for name, places in rows.items():
        yield f"  {name}: rows {', '.join(map(str, places))}"
