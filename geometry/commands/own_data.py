"""FILE of a command: vectors, or texts that a model encodes, with labels beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..data.recognise import Holds, Reading
from .options import MODEL, READING, held, layer_of, listed, print_notes, reading_of, with_options
from .shell import progress_on_stderr

if TYPE_CHECKING:
    from ..data.corpus import Corpus
    from ..data.embeddings import VectorSet, VectorSetReport
    from ..encode.encoder import Encoder, Layer

EXIT_CODES = "Exit codes: 0 done, 2 an error in one line on stderr, 130 interrupted."
FILE_OPTIONS = (
    *READING,
    click.option("--vectors", "is_vectors", is_flag=True, help="The same as --as vectors."),
    click.option(
        "--metadata",
        type=click.Path(dir_okay=False, path_type=Path),
        help="A table with a row for each vector, as metadata.tsv of the Embedding Projector.",
    ),
    click.option("--vector-column", help="Column or array with the vectors; else found."),
    click.option("--texts", "text_column", help="Column with the texts; else found."),
    click.option("--labels", "label_column", help="Column with a label for each row."),
    click.option("--by-sentence", is_flag=True, help="Split each text into sentences."),
    click.option("--drop-nan", is_flag=True, help="Leave out vectors with NaN or infinity."),
    click.option("--sample", type=click.IntRange(min=2), help="Take so many random rows at most."),
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")
QUIET = click.option("--quiet", is_flag=True, help="No progress on stderr.")
_OPTIONS = (
    *FILE_OPTIONS,
    *MODEL,
    click.option(
        "--layer", default="-1", show_default=True, help="As 4, first-last, 1+6; -1 is the last."
    ),
    click.option("--pooling", default="mean", show_default=True, help="As mean, cls, max."),
    JSON,
    QUIET,
)


def own_data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that reads a FILE of texts or vectors."""
    return with_options(command, _OPTIONS)


@dataclass(frozen=True)
class OwnOptions:
    """How files are read and encoded: the values of ``own_data_options``."""

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

    @classmethod
    def of(cls, *, is_vectors: bool, **options: Any) -> OwnOptions:
        """Of the values of ``own_data_options``."""
        reading = reading_of(options)
        holds = "vectors" if is_vectors else reading.holds
        return cls(reading=replace(reading, holds=holds), **options)

    def __post_init__(self) -> None:
        if isinstance(self.layer, str):
            object.__setattr__(self, "layer", layer_of(self.layer))

    @cached_property
    def encoder(self) -> Encoder:
        """The model of the texts."""
        from ..encode.load import load_encoder

        return load_encoder(
            self.model,
            revision=self.revision,
            prefix=self.prefix,
            progress=progress_on_stderr("downloading", quiet=self.quiet),
        )


@dataclass(frozen=True)
class OwnData:
    """Vectors with what belongs to each row.

    Attributes
    ----------
    vectors : (n, d) array of float32
    texts, labels : tuples of n str, or None
    others : mapping of (layer, pooling) to (n, d) array
        Vectors of the same texts at other layers and poolings.
    about : mapping of str to str
        Name of the file and of the labels; model, layer and pooling.
    numbers : (n,) array of int, or None
        The number of each row in a file of vectors, from 1. None where all rows were taken.
    sources : tuple of n int, or None
        As in ``Corpus``.
    read : Corpus, VectorSet or None
        What was read of the file.
    unknown_share : float or None
        Share of the texts' tokens that the model does not know.
    ids : tuple of n str, or None
        By which pairs and answers name the rows.
    """

    vectors: np.ndarray
    texts: tuple[str, ...] | None
    labels: tuple[str, ...] | None
    others: Mapping[tuple[int, str], np.ndarray] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    numbers: np.ndarray | None = None
    sources: tuple[int, ...] | None = None
    read: Corpus | VectorSet | None = None
    unknown_share: float | None = None
    ids: tuple[str, ...] | None = None

    @property
    def named(self) -> VectorSet:
        """The vectors with all that names their rows."""
        from ..data.embeddings import VectorSet

        name = self.about.get("corpus", "")
        return VectorSet(name, self.vectors, self.texts, numbers=self.numbers, ids=self.ids)


def read_own(
    file: Path,
    options: OwnOptions,
    *,
    compared: str | None = None,
    has_notes: bool = True,
    has_ids: bool = False,
) -> OwnData:
    """Vectors as they are; texts by ``encode_own``. With notes on stderr, if they are wanted.

    has_ids : whether a column of ids is looked for
    """
    holds = held_by(file, options)
    if holds == "vectors":
        read = read_own_vectors(file, options, has_ids=has_ids)
        if has_notes:
            print_notes(read)
        about = _about(read) | _left_out(read.report)
        return OwnData(
            *(read.vectors, read.texts, read.labels),
            about=about,
            numbers=read.numbers,
            read=read,
            ids=read.ids,
        )
    if holds != "texts":
        raise ValueError(
            f"{file} holds {holds}. Give pairs by --pairs and queries by --relevance, or read its "
            "texts by --as texts"
        )
    corpus = read_texts(file, options, options.label_column)
    if has_notes:
        print_notes(corpus)
    own = encode_own(corpus, options, compared=compared)
    return replace(own, ids=_ids_of_texts(file, options)) if has_ids else own


def read_texts(file: Path, options: OwnOptions, label_column: str | None) -> Corpus:
    """The texts of a file, with the labels of a column."""
    from ..data.corpus import read_corpus
    from ..data.limits import OWN_FILES

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


def _ids_of_texts(file: Path, options: OwnOptions) -> tuple[str, ...] | None:
    """The column of ids beside the texts, read as labels; None where there is none."""
    from ..data.column_names import ID_NAMES, named
    from ..data.corpus import preview_table
    from ..data.limits import OWN_FILES

    head = preview_table(file, reading=options.reading, limits=OWN_FILES)
    column = options.id_column or named(head.columns, ID_NAMES)
    return None if column is None else read_texts(file, options, column).labels


def read_own_vectors(file: Path, options: OwnOptions, *, has_ids: bool = False) -> VectorSet:
    """A file of vectors; with its ids, if they are wanted and there is a column of them."""
    from ..data.limits import OWN_FILES
    from ..errors import GeometryError
    from ..vectors import preview_vector_set, read_vector_set

    id_column = options.id_column
    if has_ids and id_column is None:
        found = preview_vector_set(
            file, metadata=options.metadata, reading=options.reading, limits=OWN_FILES
        )
        id_column = found.suggested_id_column
    try:
        return read_vector_set(
            file,
            metadata=options.metadata,
            vector_column=options.vector_column,
            text_column=options.text_column,
            label_column=options.label_column,
            id_column=id_column,
            reading=options.reading,
            not_finite="drop" if options.drop_nan else "stop",
            sample=options.sample,
            limits=OWN_FILES,
        )
    except GeometryError as error:
        if error.code != "not_finite":
            raise
        raise ValueError(f"{error} --drop-nan leaves them out.") from error


def encode_own(corpus: Corpus, options: OwnOptions, *, compared: str | None = None) -> OwnData:
    """Texts encoded at the layer and pooling, and at all layers by the poolings ``compared``."""
    from ..encode.pool import OWN, as_poolings

    encoder = options.encoder
    layers = encoder.layer_indices(options.layer)
    progress = progress_on_stderr("encoding", quiet=options.quiet)
    others: dict[tuple[int, str], np.ndarray] = {}
    wanted = [] if compared is None else [options.pooling, *listed(compared, "compare")]
    poolings = tuple(dict.fromkeys(each for each in wanted if each != OWN))
    if poolings:
        hidden = encoder.encode_layers(
            corpus.texts, poolings=as_poolings(poolings), progress=progress
        )
        others = {
            (each, pooling): X for pooling, every in hidden.items() for each, X in enumerate(every)
        }
    if not poolings or options.pooling == OWN:
        vectors = encoder.encode(
            corpus.texts, layer=options.layer, pooling=options.pooling, progress=progress
        )
    elif len(layers) == 1:
        vectors = others.pop((layers[0], options.pooling))
    else:
        vectors = hidden[options.pooling][list(layers)].mean(axis=0, dtype=np.float32)
    sampled = {}
    if corpus.n_available is not None:
        sampled = _sampled(len(corpus), corpus.n_available, corpus.seed)
    about = {
        **_about(corpus),
        **sampled,
        "model": encoder.name,
        "layer": _layer_name(options.layer, layers),
        "pooling": options.pooling,
    }
    if encoder.revision:
        about["revision"] = encoder.revision
    if encoder.prefix:
        about["prefix"] = encoder.prefix
    return OwnData(
        vectors,
        corpus.texts,
        corpus.labels,
        others,
        about,
        sources=corpus.sources,
        read=corpus,
        # only a diagnosis compares, and only it asks
        unknown_share=None if compared is None else encoder.coverage(corpus.texts).unknown_share,
    )


def _layer_name(layer: Layer, indices: tuple[int, ...]) -> str:
    """The number of one layer, counted from the input; the name of a mean of several."""
    if len(indices) == 1:
        return str(indices[0])
    return "+".join(map(str, layer)) if isinstance(layer, tuple) else str(layer)


def _about(own: Corpus | VectorSet) -> dict[str, str]:
    labels = {} if own.label_column is None else {"labels": own.label_column}
    return {"corpus": own.name, **labels}


def _sampled(n: int, of: int, seed: int) -> dict[str, str]:
    return {"sample": f"{n:,} of {of:,} rows, seed {seed}"}


def _left_out(report: VectorSetReport | None) -> dict[str, str]:
    """Rows of a file of vectors that are not in the set."""
    about: dict[str, str] = {}
    if report is not None and report.n_sampled is not None:
        about |= _sampled(report.n_sampled, report.n_rows, report.seed)
    if report is not None and report.n_dropped:
        rows = "row" if report.n_dropped == 1 else "rows"
        about["left out"] = f"{report.n_dropped:,} {rows} with NaN or infinity"
    return about
