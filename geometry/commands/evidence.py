"""python -m geometry evidence: does a cure help, and where? A grid of gains with controls."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from .grid_text import columns
from .judging import EVIDENCE, OF_FILE, judged_queries, read_beside
from .options import (
    ALL,
    BUNDLED,
    MODEL,
    layers_of,
    listed,
    pairs_of,
    poolings_of,
    print_notes,
    with_options,
)
from .own_data import (
    EXIT_CODES,
    FILE_OPTIONS,
    JSON,
    QUIET,
    OwnOptions,
    held_by,
    read_own,
    read_texts,
)
from .shell import FORCE, errors_in_words, progress_on_stderr

if TYPE_CHECKING:
    from ..data.relevance import JudgedQueries
    from ..diagnosis.evidence import GainGrid
    from ..encode.disk_cache import ArrayStore
    from ..encode.encoder import Encoder, Layer

TASKS = ("pairs", "labels", "probe", "queries")
USUAL = "usual"
_ASKED = (
    *("pairs", "queries", "relevance", "task", "layers", "poolings", "cures", "similarities"),
    *("seed", "models"),
)
ENDINGS = (".html", ".csv", ".json")
KEPT = ".places"  # the end of the name of the folder with what is finished
GIVEN = ("", "")  # the place of the vectors of a file
_OUT_HELP = "Report, .html; gains, .csv or .json. May be repeated."
_MODEL_HELP = "As of diagnose; may be repeated. The intervals of each model hold together."
_PAIRS_HELP = "Scored pairs: as of evaluate; of ids, where FILE has vectors."
_TASK_HELP = "What judges; else pairs, queries or labels, as they are given."
_CURES_HELP = "As centred,abtt:3,pca:64:lw,flow."
_SIMILARITIES_HELP = "Some of cosine, dot, euclidean, rank."


@click.command(epilog=EXIT_CODES)
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", "outs", multiple=True, type=click.Path(path_type=Path), help=_OUT_HELP)
@click.option("--pairs", help=_PAIRS_HELP)
@partial(with_options, options=EVIDENCE)
@click.option("--task", type=click.Choice(TASKS), help=_TASK_HELP)
@click.option("--layers", default=ALL, show_default=True, help="As 0,4,-1,first-last,1+6.")
@click.option("--poolings", default="mean,cls", show_default=True, help="As mean,cls,max.")
@click.option("--cures", default=USUAL, show_default=True, help=_CURES_HELP)
@click.option("--similarities", default="cosine", show_default=True, help=_SIMILARITIES_HELP)
@click.option("--seed", type=int, default=0, show_default=True, help="Of folds and intervals.")
@click.option(
    "--model", "models", multiple=True, default=(BUNDLED,), show_default=True, help=_MODEL_HELP
)
@partial(with_options, options=(*MODEL[1:], *FILE_OPTIONS, FORCE, JSON, QUIET))
def evidence(
    file: Path | None, outs: tuple[Path, ...], force: bool, as_json: bool, **options: Any
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
    from ..data.write import check_output, saving, write
    from ..diagnosis.evidence_report import gains_csv, gains_html

    with errors_in_words():
        asked = _Asked(file, **{name: options.pop(name) for name in _ASKED}, reading=options)
        beside = (asked.pairs, asked.queries, asked.relevance, options["metadata"])
        inputs = (file, *beside, *asked.models)
        for out in outs:
            check_output(out, ENDINGS, inputs=inputs, force=force)
        with _store(outs) as store:
            grids = _grids(asked, store)
            stored = {model: grid.as_json() for model, grid in grids.items()}
            numbers = json.dumps(stored, default=float, allow_nan=False, ensure_ascii=False)
            for out in outs:
                made = {".html": gains_html, ".csv": gains_csv, ".json": lambda _: numbers}
                with saving(out):
                    write(out, made[out.suffix](grids).encode(), force=force)
        click.echo(numbers if as_json else _text(grids, in_full=not outs))


@contextmanager
def _store(outs: tuple[Path, ...]) -> Iterator[ArrayStore]:
    """Where vectors and finished places are kept until the first output is written."""
    from ..encode.disk_cache import ArrayStore

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


@dataclass(frozen=True)
class _Asked:
    """The options, checked before a model is read."""

    file: Path | None
    pairs: str | None
    queries: Path | None
    relevance: Path | None
    task: str | None
    layers: str
    poolings: str
    cures: str
    similarities: str
    seed: int
    models: tuple[str, ...]
    reading: dict[str, Any]

    def __post_init__(self) -> None:
        given = {
            "pairs": self.pairs,
            "queries": self.relevance,
            "labels": self.reading["label_column"],
        }
        given["probe"] = given["labels"]
        found = next((task for task, value in given.items() if value is not None), None)
        object.__setattr__(self, "task", self.task or found)
        if self.task is None:
            raise ValueError("say what judges: --pairs, --relevance or --labels")
        if given[self.task] is None:
            option = {"pairs": "--pairs", "queries": "--relevance"}.get(self.task, "--labels")
            raise ValueError(f"--task {self.task} needs {option}")
        if self.file is None and self.task != "pairs":
            raise ValueError(f"--task {self.task} needs FILE; --pairs alone are enough for pairs")
        if self.file is None and any(self.reading[name] is not None for name in OF_FILE):
            raise ValueError("an option about FILE is given, and no FILE")
        is_one = len(self.models) == 1
        if not is_one and (self.reading["revision"] or self.reading["prefix"]):
            raise ValueError("--revision and --prefix are of one model; give one --model")

    @property
    def how(self) -> OwnOptions:
        """How FILE is read; at the one place of queries."""
        place: dict[str, Any] = {"layer": -1, "pooling": "mean"}
        if self.task == "queries":
            layers, poolings = layers_of(self.layers), poolings_of(self.poolings)
            if layers is not None and len(layers) == len(poolings) == 1:
                place = {"layer": layers[0], "pooling": poolings[0]}
        return OwnOptions.of(model=self.models[0], **place, **self.reading)

    @property
    def judging(self) -> dict[str, Any]:
        """Keywords of ``evidence``."""
        from ..diagnosis.evidence import CURES, SIMILARITIES, cure_text

        similarities = listed(self.similarities, "similarities")
        for each in similarities:
            if each not in SIMILARITIES:
                raise ValueError(f"--similarities: {each!r} is none of {', '.join(SIMILARITIES)}")
        if self.task == "queries" and similarities != ("cosine",):
            raise ValueError("queries are judged by cosine alone; leave out --similarities")
        cures = CURES if self.cures == USUAL else listed(self.cures, "cures")
        return {
            "task": self.task,
            "cures": list(dict.fromkeys(map(cure_text, cures))),
            "similarities": similarities,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class _Rows:
    """Texts that models encode, or vectors; and what judges them, as ``evidence`` takes it."""

    name: str
    texts: tuple[str, ...] | None
    given: Mapping[str, Any]
    vectors: np.ndarray | None = None
    place: tuple[Any, str] = GIVEN  # of the vectors
    about: Mapping[str, str] = field(default_factory=dict)


def _grids(asked: _Asked, store: ArrayStore) -> dict[str, GainGrid]:
    """The grid of each model, or of the vectors of FILE."""
    from ..diagnosis.evidence import evidence as judged
    from ..encode.load import load_encoder

    judging, how = asked.judging, asked.how
    layers, poolings = layers_of(asked.layers), poolings_of(asked.poolings)
    rows = _rows(asked, how)
    found = {}
    own = rows.about.get("model", rows.name)
    for model in asked.models if rows.vectors is None else (own,):
        about = {"data": rows.name, **rows.about}
        if rows.vectors is not None:
            places = {rows.place: rows.vectors}
        else:
            encoder = load_encoder(
                model,
                revision=how.revision,
                prefix=how.prefix,
                progress=progress_on_stderr("downloading", quiet=how.quiet),
            )
            model = model if encoder.name in found else encoder.name
            about |= {"revision": encoder.revision or "", "prefix": encoder.prefix}
            places = _places(encoder, rows, layers, poolings, store, quiet=how.quiet)
        found[model] = judged(
            places,
            texts=rows.texts,
            **rows.given,
            **judging,
            about={"model": model, **about},
            store=store,
            progress=progress_on_stderr(f"judging {model}", quiet=how.quiet),
        )
    return found


def _places(
    encoder: Encoder,
    rows: _Rows,
    layers: tuple[Layer, ...] | None,
    poolings: tuple[str, ...],
    store: ArrayStore,
    *,
    quiet: bool,
) -> dict[tuple[Any, str], np.ndarray]:
    """The vectors at each layer and pooling, from the store where it has them."""
    from ..data.corpus import Corpus
    from ..encode.disk_cache import recalled_vectors

    corpus = Corpus(rows.name, rows.texts or ())
    progress = progress_on_stderr(f"encoding by {encoder.name}", quiet=quiet)
    named = range(encoder.n_layers + 1) if layers is None else layers
    numbers = {layer: encoder.layer_indices(layer) for layer in named}
    found = {}
    for pooling in poolings:
        for layer, indices in numbers.items():
            X = recalled_vectors(
                encoder, corpus, layer=layer, pooling=pooling, store=store, progress=progress
            )
            name = indices[0] if len(indices) == 1 else layer
            if np.ptp(X, axis=0).any():
                found[name, pooling] = X
            else:  # [CLS] of the embedding layer
                left_out = f"layer {name}, {pooling} is left out: all texts have one vector"
                click.echo(left_out, err=True)
    return found


def _rows(asked: _Asked, how: OwnOptions) -> _Rows:
    """What is read before any text is encoded; of queries, with their vectors."""
    file, pairs = asked.file, asked.pairs
    holds = None if file is None else held_by(file, how)
    if asked.task == "pairs" and pairs is not None and (file is None or holds == "texts"):
        return _texts_of_pairs(file, pairs, how)
    if file is None or holds == "pairs":
        raise ValueError(f"{file} holds pairs; give them by --pairs")
    if asked.task == "queries":
        return _of_queries(asked, file, how, is_of_texts=holds == "texts")
    if holds == "texts":
        corpus = read_texts(file, how, how.label_column)
        print_notes(corpus)
        judges = {"labels": corpus.labels, "units": corpus.sources}
        return _Rows(corpus.name, corpus.texts, judges)
    own = read_own(file, how, has_ids=asked.task == "pairs")
    given: dict[str, Any] = {"labels": own.labels}
    if asked.task == "pairs":
        given = {"pairs": _pairs_of_rows(Path(pairs or ""), own.named)}
    return _Rows(own.named.name, own.texts, given, own.vectors)


def _texts_of_pairs(file: Path | None, source: str, how: OwnOptions) -> _Rows:
    """The sentences of pairs, and the texts of FILE, which alone are fitted on."""
    if file is None:
        pairs = pairs_of((source,), reading=how.reading, quiet=how.quiet)
        return _Rows(pairs.name, pairs.sentences, {"pairs": (*pairs.rows, pairs.gold_scores)})
    pairs = pairs_of((source,), quiet=how.quiet)
    corpus = read_texts(file, how, None)
    print_notes(corpus)
    texts = tuple(dict.fromkeys([*pairs.sentences, *corpus.texts]))
    given = {
        "pairs": (*pairs.rows, pairs.gold_scores),
        "fittable": np.arange(len(texts)) >= len(pairs.sentences),
    }
    return _Rows(pairs.name, texts, given, about={"fit": corpus.name})


def _pairs_of_rows(source: Path, vectors: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs by the ids of rows of FILE."""
    from ..data.limits import OWN_FILES
    from ..data.pairs import read_row_pairs, row_pairs
    from ..diagnosis.evidence_notes import evidence_note

    pairs = row_pairs(read_row_pairs(source, limits=OWN_FILES), vectors)
    click.echo(evidence_note(pairs, str), err=True)
    return pairs.left, pairs.right, pairs.gold_scores


def _of_queries(asked: _Asked, file: Path, how: OwnOptions, *, is_of_texts: bool) -> _Rows:
    """Rows and queries at one place, since the queries have their vectors at one only."""
    from ..diagnosis.evidence_notes import evidence_note

    layers = layers_of(asked.layers)
    is_one = layers is not None and len(layers) == len(poolings_of(asked.poolings)) == 1
    if is_of_texts and not (is_one and len(asked.models) == 1):
        raise ValueError(
            "--relevance judges one place: give one --model, one layer by --layers and one "
            "pooling by --poolings"
        )
    own = read_own(file, how, has_ids=True)
    beside = None
    if asked.queries is not None:
        beside = read_beside(asked.queries, how, of_texts=is_of_texts)
    queries: JudgedQueries = judged_queries(asked.relevance, own.named, beside)  # type: ignore[arg-type]
    click.echo(evidence_note(queries, str), err=True)
    given = {"queries": queries, "units": own.sources}
    place = (own.about["layer"], own.about["pooling"]) if is_of_texts else GIVEN
    names = ("model", "revision", "prefix")
    about = {name: own.about[name] for name in names if name in own.about}
    return _Rows(own.named.name, own.texts, given, own.vectors, place, about)


def _text(grids: Mapping[str, GainGrid], *, in_full: bool) -> str:
    """What was measured on what, at how many places each cure helps, and every gain if wanted."""
    from ..diagnosis import evidence_report as report

    lines = []
    for model, grid in grids.items():
        lines += [report.basis(model, grid), ""]
        for similarity in grid.places[0].scores:
            lines += [similarity] * bool(similarity)
            lines += [*columns([report.TALLY, *report.tally(grid, similarity)]), ""]
            if in_full:
                lines += [*columns([report.HEAD, *report.gain_table(grid, similarity)]), ""]
    return "\n".join([*lines, report.CONTROLS])
