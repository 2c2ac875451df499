"""FILE of a command: vectors, or texts that a model encodes, with labels beside them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..data.column_names import ID_NAMES, named
from ..data.corpus import Corpus, preview_table, read_corpus
from ..data.csv_cells import csv_cell
from ..data.embeddings import VectorSet
from ..data.limits import OWN_FILES
from ..data.recognise import Holds, Reading
from ..data.relevance import JudgedQueries, judge_vectors, read_relevance
from ..data.write import check_output, saving, write, written
from ..encode.encoder import Encoder, Layer
from ..encode.load import load_encoder
from ..encode.pool import OWN, as_poolings
from ..errors import GeometryError
from .options import FILE_TYPE, MODEL, READING, held, layer_of, listed, print_notes, reading_of
from .shell import FORCE, progress_on_stderr, show

EXIT_CODES = "Exit codes: 0 done, 2 an error in one line on stderr, 130 interrupted."
_METADATA_HELP = "A table with a row for each vector, as metadata.tsv of the Embedding Projector."
FILE_OPTIONS = (
    *READING,
    click.option("--vectors", "is_vectors", is_flag=True, help="The same as --as vectors."),
    click.option("--metadata", type=FILE_TYPE, help=_METADATA_HELP),
    click.option("--vector-column", help="Column or array with the vectors; else found."),
    click.option("--texts", "text_column", help="Column with the texts; else found."),
    click.option("--labels", "label_column", help="Column with a label for each row."),
    click.option("--by-sentence", is_flag=True, help="Split each text into sentences."),
    click.option("--drop-nan", is_flag=True, help="Leave out vectors with NaN or infinity."),
    click.option("--sample", type=click.IntRange(min=2), help="Take so many random rows at most."),
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")
QUIET = click.option("--quiet", is_flag=True, help="No progress on stderr.")
# of every command that reads a FILE of texts or vectors
OWN_DATA = (
    FORCE,
    *FILE_OPTIONS,
    *MODEL,
    click.option("--layer", default="-1", help="As 4, first-last, 1+6; -1 is the last."),
    click.option("--pooling", default="mean", help="As mean, cls, max."),
    JSON,
    QUIET,
)

Input = str | Path | None
NO_ANSWER = "--relevance has no query with an answer among the rows searched"
OF_FILE = ("metadata", "vector_column", "text_column", "label_column", "id_column", "sample")
_QUERIES_HELP = "Vectors of queries, or texts where FILE has texts."
_RELEVANCE_HELP = "Queries and what is relevant to each: BEIR's or TREC's qrels, or a table."
EVIDENCE = (
    click.option("--queries", type=FILE_TYPE, help=_QUERIES_HELP),
    click.option("--relevance", type=FILE_TYPE, help=_RELEVANCE_HELP),
    click.option("--ids", "id_column", help="Column with the ids of the rows of FILE; else found."),
)


@dataclass(frozen=True)
class OwnOptions:
    """How files are read and encoded: the values of ``OWN_DATA``."""

    reading: Reading
    metadata: Path | None
    vector_column: str | None
    text_column: str | None
    label_column: str | None
    by_sentence: bool
    drop_nan: bool
    sample: int | None
    model: str
    revision: str | None
    prefix: str | None
    layer: Layer
    pooling: str
    quiet: bool
    id_column: str | None = None
    force: bool = False
    as_json: bool = False

    @classmethod
    def of(cls, *, is_vectors: bool, **options: Any) -> OwnOptions:
        reading = reading_of(options)
        if is_vectors:
            reading = replace(reading, holds="vectors")
        if isinstance(options["layer"], str):
            options["layer"] = layer_of(options["layer"])
        return cls(reading=reading, **options)

    @cached_property
    def encoder(self) -> Encoder:
        how: dict[str, Any] = {"revision": self.revision, "prefix": self.prefix}
        return load_encoder(self.model, **how, progress=self.progress("downloading"))

    def progress(self, what: str) -> Callable[[int, int], None] | None:
        return progress_on_stderr(what, quiet=self.quiet)

    def check(
        self, out: Path, endings: tuple[str, ...], *inputs: Input, or_folder: bool = False
    ) -> None:
        """Refuse an output before any work begins."""
        read = (*inputs, self.metadata)
        check_output(out, endings, inputs=read, or_folder=or_folder, force=self.force)

    def write(self, out: Path, content: bytes) -> None:
        with saving(out):
            write(out, content, force=self.force)

    def write_csv(self, out: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Rows as CSV that a spreadsheet opens, and of which it takes no cell for a formula."""
        with saving(out), written(out, force=self.force) as binary:
            file = io.TextIOWrapper(binary, encoding="utf-8-sig", newline="")
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(head)
            writer.writerows(map(csv_cell, row) for row in rows)
            file.detach()

    def show(self, result: Mapping[str, Any], text: str) -> None:
        show(result, text, as_json=self.as_json)


@dataclass(frozen=True)
class OwnData:
    vectors: np.ndarray  # (n, d) float32
    texts: tuple[str, ...] | None
    labels: tuple[str, ...] | None
    numbers: np.ndarray  # (n,) of each row in the file, from 1
    about: Mapping[str, str]  # name of the file and of the labels; model, layer and pooling
    # arrays of the same texts at other layers and poolings, or functions that give them
    others: Mapping[tuple[int, str], Any] = field(default_factory=dict)
    sources: tuple[int, ...] | None = None  # as in ``Corpus``
    read: Corpus | VectorSet | None = None
    unknown_share: float | None = None  # of the texts' tokens that the model does not know
    ids: tuple[str, ...] | None = None  # by which pairs and answers name the rows

    @property
    def named(self) -> VectorSet:
        name = self.about.get("corpus", "")
        return VectorSet(name, self.vectors, self.texts, numbers=self.numbers, ids=self.ids)

    @property
    def names(self) -> tuple[str, ...]:
        """Texts, or numbers in their place."""
        return self.texts or tuple(f"#{number}" for number in self.numbers)

    @property
    def units(self) -> np.ndarray | None:
        return None if self.sources is None else np.array(self.sources)

    def taken(self, rows: np.ndarray) -> OwnData:
        beside: dict[str, Any] = {}
        for name in ("texts", "labels", "sources", "ids"):
            values = getattr(self, name)
            beside[name] = None if values is None else tuple(values[row] for row in rows)
        return replace(self, vectors=self.vectors[rows], numbers=self.numbers[rows], **beside)

    def without_zeros(self) -> OwnData:
        """Only the rows that have a direction."""
        return self.taken(np.flatnonzero(self.vectors.any(axis=1)))


def read_own(
    file: Path,
    options: OwnOptions,
    *,
    compared: str | None = None,
    has_notes: bool = True,
    has_ids: bool = False,
) -> OwnData:
    """Vectors as they are; texts by ``encode_own``. With notes on stderr, if they are wanted."""
    holds = held_by(file, options)
    if holds == "vectors":
        read = _read_vectors(file, options, has_ids=has_ids)
        if has_notes:
            print_notes(read)
        X, numbers, report, about = read.vectors, read.numbers, read.report, _about(read)
        if report is not None and report.n_sampled is not None:
            about |= _sampled(report.n_sampled, report.n_rows, report.seed)
        if report is not None and report.n_dropped:
            rows = "row" if report.n_dropped == 1 else "rows"
            about["left out"] = f"{report.n_dropped:,} {rows} with NaN or infinity"
        numbers = np.arange(1, len(X) + 1) if numbers is None else numbers
        return OwnData(X, read.texts, read.labels, numbers, about, read=read, ids=read.ids)
    if holds != "texts":
        raise ValueError(
            f"{file} holds {holds}. Give pairs by --pairs and queries by --relevance, or read its "
            "texts by --as texts"
        )
    corpus = read_texts(file, options, options.label_column)
    if has_notes:
        print_notes(corpus)
    own = encode_own(corpus, options, compared=compared)
    if not has_ids:
        return own
    head = preview_table(file, reading=options.reading, limits=OWN_FILES)
    column = options.id_column or named(head.columns, ID_NAMES)
    return own if column is None else replace(own, ids=read_texts(file, options, column).labels)


def read_texts(file: Path, options: OwnOptions, label_column: str | None) -> Corpus:
    return read_corpus(
        file,
        text_column=options.text_column,
        label_column=label_column,
        reading=options.reading,
        by_sentence=options.by_sentence,
        sample=options.sample,
        limits=OWN_FILES,
    )


def held_by(file: Path, options: OwnOptions) -> Holds:
    """What a file holds: as stated, as other options imply, or as ``held`` finds."""
    only_of_vectors = (options.metadata, options.vector_column, options.drop_nan or None)
    if options.reading.holds is None and any(each is not None for each in only_of_vectors):
        return "vectors"
    return options.reading.holds or held(file, options.reading)


def _read_vectors(file: Path, options: OwnOptions, *, has_ids: bool) -> VectorSet:
    from ..vectors import preview_vector_set, read_vector_set

    how: dict[str, Any] = {"metadata": options.metadata, "reading": options.reading}
    how["limits"] = OWN_FILES
    id_column = options.id_column
    if has_ids and id_column is None:
        id_column = preview_vector_set(file, **how).suggested_id_column
    try:
        return read_vector_set(
            file,
            **how,
            vector_column=options.vector_column,
            text_column=options.text_column,
            label_column=options.label_column,
            id_column=id_column,
            not_finite="drop" if options.drop_nan else "stop",
            sample=options.sample,
        )
    except GeometryError as error:
        if error.code != "not_finite":
            raise
        raise ValueError(f"{error} --drop-nan leaves them out.") from error


def encode_own(corpus: Corpus, options: OwnOptions, *, compared: str | None = None) -> OwnData:
    """Texts encoded at the layer and pooling, and at all layers by the poolings ``compared``."""
    encoder, layer, pooling = options.encoder, options.layer, options.pooling
    layers = encoder.layer_indices(layer)
    progress = options.progress("encoding")
    others: dict[tuple[int, str], np.ndarray] = {}
    wanted = [] if compared is None else [pooling, *listed(compared, "compare")]
    poolings = tuple(dict.fromkeys(each for each in wanted if each != OWN))
    if poolings:
        every = as_poolings(poolings)
        hidden = encoder.encode_layers(corpus.texts, poolings=every, progress=progress)
        others = {(at, name): X for name, found in hidden.items() for at, X in enumerate(found)}
    if not poolings or pooling == OWN:
        vectors = encoder.encode(corpus.texts, layer=layer, pooling=pooling, progress=progress)
    elif len(layers) == 1:
        vectors = others.pop((layers[0], pooling))
    else:
        vectors = hidden[pooling][list(layers)].mean(axis=0, dtype=np.float32)
    about = _about(corpus)
    if corpus.n_available is not None:
        about |= _sampled(len(corpus), corpus.n_available, corpus.seed)
    # the number of one layer, counted from the input; the name of a mean of several
    of_several = "+".join(map(str, layer)) if isinstance(layer, tuple) else str(layer)
    at = str(layers[0]) if len(layers) == 1 else of_several
    about |= {"model": encoder.name, "layer": at, "pooling": pooling}
    of_model = {"revision": encoder.revision, "prefix": encoder.prefix}
    about |= {name: value for name, value in of_model.items() if value}
    numbers = np.arange(1, len(vectors) + 1)
    of_corpus: dict[str, Any] = {"others": others, "sources": corpus.sources, "read": corpus}
    if compared is not None:  # only a diagnosis compares, and only it asks
        of_corpus["unknown_share"] = encoder.coverage(corpus.texts).unknown_share
    return OwnData(vectors, corpus.texts, corpus.labels, numbers, about, **of_corpus)


def _about(own: Corpus | VectorSet) -> dict[str, str]:
    about = {"corpus": own.name, "labels": own.label_column}
    return {name: value for name, value in about.items() if value is not None}


def _sampled(n: int, of: int, seed: int) -> dict[str, str]:
    return {"sample": f"{n:,} of {of:,} rows, seed {seed}"}


def read_beside(file: Path, how: OwnOptions, *, of_texts: bool) -> OwnData:
    """Another file of vectors, or with ``of_texts`` of texts for the same model, with its ids."""
    from ..vectors import recognise

    holds: Holds = "vectors"
    if of_texts:
        found = recognise(file, limits=OWN_FILES)
        holds = "vectors" if found.holds == "vectors" and found.is_certain else "texts"
    of_file: dict[str, Any] = dict.fromkeys(OF_FILE)
    alone = replace(how, reading=Reading(holds=holds), by_sentence=False, **of_file)
    # only a diagnosis needs to know how much of the texts the model knows
    return read_own(file, alone, compared=how.pooling if of_texts else None, has_ids=True)


def read_queries(file: Path | None, how: OwnOptions, searched: OwnData) -> OwnData | None:
    """Queries for the rows that are searched: vectors, or texts for the same model."""
    return None if file is None else read_beside(file, how, of_texts="model" in searched.about)


def judged_queries(relevance: Path, searched: VectorSet, queries: OwnData | None) -> JudgedQueries:
    read = read_relevance(relevance, limits=OWN_FILES)
    judged = judge_vectors(read, searched, None if queries is None else queries.named)
    if not len(judged):
        raise ValueError(NO_ANSWER)
    return judged
