"""python -m geometry evidence: does a cure help, and where? A grid of gains with controls."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..data.corpus import Corpus
from ..data.limits import OWN_FILES
from ..data.pairs import read_row_pairs, row_pairs
from ..encode.disk_cache import ArrayStore, recalled_vectors
from ..encode.encoder import Encoder, Layer
from . import options
from .options import OwnOptions, read_own
from .shell import FORCE, JSON, QUIET, is_noted, progress_on_stderr, shell, table_lines

if TYPE_CHECKING:
    from ..diagnosis.evidence import GainGrid

TASKS = ("pairs", "labels", "probe", "queries")
USUAL = "usual"
ENDINGS = (".html", ".csv", ".json")
KEPT = ".places"  # the end of the name of the folder with what is finished
_OUT_HELP = "Report, .html; gains, .csv or .json. May be repeated."
_MODEL_HELP = "As of diagnose; may be repeated. The intervals of each model hold together."
_TASK_HELP = "What judges; else pairs, queries or labels, as they are given."


@shell.command(epilog=options.EXIT_CODES)
@click.argument("file", required=False, type=options.FILE_TYPE)
@click.option("--out", "outs", multiple=True, type=options.OUT_TYPE, help=_OUT_HELP)
@click.option("--pairs", help="Scored pairs: as of evaluate; of ids, where FILE has vectors.")
@options.with_options(*options.EVIDENCE)
@click.option("--task", type=click.Choice(TASKS), help=_TASK_HELP)
@click.option("--layers", default=options.ALL, help="As 0,4,-1,first-last,1+6.")
@click.option("--poolings", default="mean,cls", help="As mean,cls,max.")
@click.option("--cures", default=USUAL, help="As centred,abtt:3,pca:64:lw,flow.")
@click.option("--similarities", default="cosine", help="Some of cosine, dot, euclidean, rank.")
@click.option("--seed", type=int, default=0, help="Of folds and intervals.")
@click.option("--model", "models", multiple=True, default=(options.BUNDLED,), help=_MODEL_HELP)
@options.with_options(*options.MODEL[1:], *options.FILE_OPTIONS, FORCE, JSON, QUIET)
def evidence(
    file: Path | None,
    outs: tuple[Path, ...],
    pairs: str | None,
    task: str | None,
    layers: str,
    poolings: str,
    cures: str,
    similarities: str,
    seed: int,
    models: tuple[str, ...],
    **reading: Any,
) -> None:
    """Gains of cures over raw vectors, by layer, pooling and similarity, beside two controls.

    Without FILE, the sentences of --pairs are encoded. With it, FILE has vectors, or texts: with
    --labels they judge; with --pairs the cures are fitted on them. Every cure is fitted on rows
    that do not judge. With --out, an interrupted run resumes at the first unfinished place.

    \b
    python -m geometry evidence --pairs pairs.csv --layers 3,-1 --out report.html
    python -m geometry evidence sentences.csv --labels topic --layers -1 --out gains.csv
    python -m geometry evidence vectors.npy --queries queries.npy --relevance qrels.tsv
    """
    from ..diagnosis.evidence_report import gains_csv, gains_html

    labels = reading["label_column"]
    given = {"pairs": pairs, "queries": reading["relevance"], "labels": labels, "probe": labels}
    task = _task(file, task, given)
    if file is None and any(reading[name] is not None for name in options.OF_FILE):
        raise ValueError("an option about FILE is given, and no FILE")
    if len(models) > 1 and (reading["revision"] or reading["prefix"]):
        raise ValueError("--revision and --prefix are of one model; give one --model")
    at = options.layers_of(layers), options.poolings_of(poolings)
    place: dict[str, Any] = {"layer": -1, "pooling": "mean"}
    is_one = at[0] is not None and len(at[0]) == len(at[1]) == 1
    if task == "queries" and is_one:
        place = {"layer": at[0][0], "pooling": at[1][0]}  # type: ignore[index]
    how = OwnOptions.of(model=models[0], **place, **reading)
    for out in outs:
        how.check(out, ENDINGS, file, pairs, *models)
    judging = {"task": task, "seed": seed, **_judging(task, cures, similarities)}
    with _store(outs) as store:
        rows = _read(task, file, pairs, how, is_one=is_one and len(models) == 1)
        grids = _grids(rows, models, at, how, {**judging, "store": store})
        stored = {model: asdict(grid) for model, grid in grids.items()}
        numbers = json.dumps(stored, default=float, allow_nan=False, ensure_ascii=False)
        made = {".html": gains_html, ".csv": gains_csv, ".json": lambda _: numbers}
        for out in outs:
            how.write(out, made[out.suffix](grids).encode())
    click.echo(numbers if is_noted("as_json") else _text(grids, in_full=not outs))


@contextmanager
def _store(outs: tuple[Path, ...]) -> Iterator[ArrayStore]:
    """Where vectors and finished places are kept until the first output is written."""
    if not outs:
        with TemporaryDirectory() as folder:
            yield ArrayStore(folder)
        return
    kept = outs[0].parent / f".{outs[0].name}{KEPT}"
    if kept.is_dir():
        click.echo(f"{kept} is of an interrupted run: what it has is not computed again", err=True)
    try:
        yield ArrayStore(kept)
    except KeyboardInterrupt:
        if not kept.is_dir():
            raise
        raise click.Abort(f"{kept} has what is finished, and the same command resumes.") from None
    shutil.rmtree(kept, ignore_errors=True)


def _task(file: Path | None, task: str | None, given: Mapping[str, object]) -> str:
    """What judges: as asked, or as it is given."""
    found = task or next((name for name, value in given.items() if value is not None), None)
    if found is None:
        raise ValueError("say what judges: --pairs, --relevance or --labels")
    if given[found] is None:
        option = {"pairs": "--pairs", "queries": "--relevance"}.get(found, "--labels")
        raise ValueError(f"--task {found} needs {option}")
    if file is None and found != "pairs":
        raise ValueError(f"--task {found} needs FILE; --pairs alone are enough for pairs")
    return found


def _judging(task: str, cures: str, similarities: str) -> dict[str, Any]:
    """Cures and similarities as ``evidence`` takes them, checked before a model is read."""
    from ..diagnosis.evidence import CURES, SIMILARITIES, cure_text

    names = options.listed(similarities, "similarities")
    for each in names:
        if each not in SIMILARITIES:
            raise ValueError(f"--similarities: {each!r} is none of {', '.join(SIMILARITIES)}")
    if task == "queries" and names != ("cosine",):
        raise ValueError("queries are judged by cosine alone; leave out --similarities")
    chosen = CURES if cures == USUAL else options.listed(cures, "cures")
    return {"cures": list(dict.fromkeys(map(cure_text, chosen))), "similarities": names}


Places = tuple[tuple[Layer, ...] | None, tuple[str, ...]]  # layers or all, and poolings


@dataclass(frozen=True)
class _Rows:
    """Texts that models encode, or vectors; and what judges them, as ``evidence`` takes it."""

    name: str
    texts: tuple[str, ...] | None
    given: Mapping[str, Any]
    vectors: np.ndarray | None = None
    place: tuple[Any, str] = ("", "")  # of the vectors; of those of a file there is none
    about: Mapping[str, str] = field(default_factory=dict)


def _grids(
    rows: _Rows, models: tuple[str, ...], at: Places, how: OwnOptions, judging: Mapping[str, Any]
) -> dict[str, GainGrid]:
    from ..diagnosis.evidence import evidence as judged

    found = {}
    own = rows.about.get("model", rows.name)
    for model in models if rows.vectors is None else (own,):
        about = {"data": rows.name, **rows.about}
        if rows.vectors is not None:
            places = {rows.place: rows.vectors}
        else:
            encoder = replace(how, model=model).encoder
            model = model if encoder.name in found else encoder.name
            about |= {"revision": encoder.revision or "", "prefix": encoder.prefix}
            places = _places(encoder, rows, at, judging["store"])
        given = {**rows.given, **judging, "about": {"model": model, **about}}
        progress = progress_on_stderr(f"judging {model}")
        found[model] = judged(places, texts=rows.texts, **given, progress=progress)
    return found


def _places(
    encoder: Encoder, rows: _Rows, at: Places, store: ArrayStore
) -> dict[tuple[Any, str], np.ndarray]:
    corpus, (layers, poolings) = Corpus(rows.name, rows.texts or ()), at
    progress = progress_on_stderr(f"encoding by {encoder.name}")
    kept: dict[str, Any] = {"store": store, "progress": progress}
    named = range(encoder.n_layers + 1) if layers is None else layers
    numbers = {layer: encoder.layer_indices(layer) for layer in named}
    found = {}
    for pooling in poolings:
        for layer, indices in numbers.items():
            X = recalled_vectors(encoder, corpus, layer=layer, pooling=pooling, **kept)
            name = indices[0] if len(indices) == 1 else layer
            if np.ptp(X, axis=0).any():
                found[name, pooling] = X
            else:  # [CLS] of the embedding layer
                left_out = f"layer {name}, {pooling} is left out: all texts have one vector"
                click.echo(left_out, err=True)
    return found


def _read(
    task: str, file: Path | None, pairs: str | None, how: OwnOptions, *, is_one: bool
) -> _Rows:
    """The sentences of pairs alone, texts for every model, or rows of vectors at one place."""
    from ..diagnosis.sentences import evidence_note

    if file is None:
        read = options.pairs_of((pairs or "",), reading=how.reading)
        return _Rows(read.name, read.sentences, {"pairs": (*read.rows, read.gold_scores)})
    holds = options.held_by(file, how)
    if holds == "pairs":
        raise ValueError(f"{file} holds pairs; give them by --pairs")
    if holds == "texts" and task == "pairs":  # the cures are fitted on FILE alone
        read = options.pairs_of((pairs or "",))
        corpus = options.read_texts(file, how, None)
        options.print_notes(corpus)
        texts = tuple(dict.fromkeys([*read.sentences, *corpus.texts]))
        fittable = np.arange(len(texts)) >= len(read.sentences)
        given = {"pairs": (*read.rows, read.gold_scores), "fittable": fittable}
        return _Rows(read.name, texts, given, about={"fit": corpus.name})
    if holds == "texts" and task != "queries":
        corpus = options.read_texts(file, how, how.label_column)
        options.print_notes(corpus)
        by_labels = {"labels": corpus.labels, "units": corpus.sources}
        return _Rows(corpus.name, corpus.texts, by_labels)
    if holds == "texts" and not is_one:  # the queries have their vectors at one place only
        raise ValueError(
            "--relevance judges one place: give one --model, one layer by --layers and one "
            "pooling by --poolings"
        )
    own = read_own(file, how, has_ids=task in ("pairs", "queries"))
    judges: dict[str, Any] = {"labels": own.labels}
    if task == "pairs":
        found = row_pairs(read_row_pairs(Path(pairs or ""), limits=OWN_FILES), own.named)
        judges = {"pairs": (found.left, found.right, found.gold_scores)}
        click.echo(evidence_note(found, str), err=True)
    elif how.relevance is not None and task == "queries":
        asked = options.read_queries(how, own)
        judged = options.judged_queries(how.relevance, own, asked)
        judges = {"queries": judged, "units": own.sources}
        click.echo(evidence_note(judged, str), err=True)
    place = (own.about["layer"], own.about["pooling"]) if holds == "texts" else ("", "")
    names = ("model", "revision", "prefix")
    about = {name: own.about[name] for name in names if name in own.about}
    return _Rows(own.named.name, own.texts, judges, own.vectors, place, about)


def _text(grids: Mapping[str, GainGrid], *, in_full: bool) -> str:
    """What was measured on what, at how many places each cure helps, and every gain if wanted."""
    from ..diagnosis import evidence_report as report

    lines = []
    for model, grid in grids.items():
        lines += [report.basis(model, grid), ""]
        for similarity in grid.places[0].scores:
            if similarity:
                lines.append(similarity)
            lines += [*table_lines([report.TALLY, *report.tally(grid, similarity)]), ""]
            if in_full:
                lines += [*table_lines([report.HEAD, *report.gain_table(grid, similarity)]), ""]
    return "\n".join([*lines, report.CONTROLS])
