"""FILE of a command: vectors, or texts that a model encodes, with labels beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..hub.bundled import BUNDLED
from .options import layer_of, listed
from .shell import progress_on_stderr

if TYPE_CHECKING:
    from ..data.corpus import Corpus
    from ..data.embeddings import VectorSet, VectorSetReport
    from ..encode.encoder import Layer

# Endings of files of vectors; other files are texts
OF_VECTORS = (".npy", ".npz", ".safetensors", ".parquet")
EXIT_CODES = "Exit codes: 0 done, 2 an error in one line on stderr, 130 interrupted."
_VECTORS_HELP = f"FILE has vectors; without it so by the endings {', '.join(OF_VECTORS)}."
_OPTIONS = (
    click.option("--vectors", "is_vectors", is_flag=True, help=_VECTORS_HELP),
    click.option(
        "--metadata",
        type=click.Path(dir_okay=False, path_type=Path),
        help="A table with a row for each vector, as metadata.tsv of the Embedding Projector.",
    ),
    click.option("--vector-column", help="Column or array with the vectors; else found."),
    click.option("--texts", "text_column", help="Column with the texts; else found."),
    click.option("--labels", "label_column", help="Column with a label for each row."),
    click.option(
        "--header/--no-header",
        "has_header",
        default=None,
        help="Whether the first row of a table names the columns; else found.",
    ),
    click.option("--encoding", help="Of a file of text, as big5; else found."),
    click.option("--by-sentence", is_flag=True, help="Split each text into sentences."),
    click.option("--drop-nan", is_flag=True, help="Leave out vectors with NaN or infinity."),
    click.option("--sample", type=click.IntRange(min=2), help="Take so many random rows at most."),
    click.option(
        "--model",
        default=BUNDLED,
        show_default=True,
        help="A name on the Hugging Face Hub, or a folder.",
    ),
    click.option("--revision", help="Branch, tag or commit of a Hugging Face Hub model."),
    click.option(
        "--layer", default="-1", show_default=True, help="As 4, first-last, 1+6; -1 is the last."
    ),
    click.option("--pooling", default="mean", show_default=True, help="As mean, cls, max."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout."),
    click.option("--quiet", is_flag=True, help="No progress on stderr."),
)


def own_data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that reads a FILE of texts or vectors."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class OwnOptions:
    """How files are read: the values of ``own_data_options``."""

    is_vectors: bool
    metadata: Path | None
    vector_column: str | None
    text_column: str | None
    label_column: str | None
    has_header: bool | None
    encoding: str | None
    by_sentence: bool
    drop_nan: bool
    sample: int | None
    model: str
    revision: str | None
    layer: Layer
    pooling: str
    quiet: bool

    def __post_init__(self) -> None:
        if isinstance(self.layer, str):
            object.__setattr__(self, "layer", layer_of(self.layer))


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
    """

    vectors: np.ndarray
    texts: tuple[str, ...] | None
    labels: tuple[str, ...] | None
    others: Mapping[tuple[int, str], np.ndarray] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    numbers: np.ndarray | None = None
    sources: tuple[int, ...] | None = None
    read: Corpus | VectorSet | None = None


def read_own(file: Path, reading: OwnOptions, *, compared: str | None = None) -> OwnData:
    """Vectors as they are; texts encoded at the layer and pooling."""
    only_of_vectors = (reading.metadata, reading.vector_column, reading.drop_nan or None)
    is_vectors = reading.is_vectors or any(each is not None for each in only_of_vectors)
    if is_vectors or file.suffix.lower() in OF_VECTORS:
        own = read_own_vectors(file, reading)
        about = _about(own) | _left_out(own.report)
        return OwnData(
            own.vectors, own.texts, own.labels, about=about, numbers=own.numbers, read=own
        )
    from ..data.corpus import read_corpus
    from ..data.limits import OWN_FILES

    corpus = read_corpus(
        file,
        text_column=reading.text_column,
        label_column=reading.label_column,
        has_header=reading.has_header,
        encoding=reading.encoding,
        by_sentence=reading.by_sentence,
        sample=reading.sample,
        limits=OWN_FILES,
    )
    return encode_own(corpus, reading, compared=compared)


def read_own_vectors(file: Path, reading: OwnOptions) -> VectorSet:
    """A file of vectors."""
    from ..data.limits import OWN_FILES
    from ..errors import GeometryError
    from ..vectors import read_vector_set

    try:
        return read_vector_set(
            file,
            metadata=reading.metadata,
            vector_column=reading.vector_column,
            text_column=reading.text_column,
            label_column=reading.label_column,
            has_header=reading.has_header,
            encoding=reading.encoding,
            not_finite="drop" if reading.drop_nan else "stop",
            sample=reading.sample,
            limits=OWN_FILES,
        )
    except GeometryError as error:
        if error.code != "not_finite":
            raise
        raise ValueError(f"{error} --drop-nan leaves them out.") from error


def encode_own(corpus: Corpus, reading: OwnOptions, *, compared: str | None = None) -> OwnData:
    """Texts encoded at the layer and pooling."""
    from ..encode.load import load_encoder
    from ..encode.pool import OWN, as_poolings

    encoder = load_encoder(
        reading.model,
        revision=reading.revision,
        progress=progress_on_stderr("downloading", quiet=reading.quiet),
    )
    layers = encoder.layer_indices(reading.layer)
    progress = progress_on_stderr("encoding", quiet=reading.quiet)
    others: dict[tuple[int, str], np.ndarray] = {}
    wanted = [] if compared is None else [reading.pooling, *listed(compared, "compare")]
    poolings = tuple(dict.fromkeys(each for each in wanted if each != OWN))
    if poolings:
        hidden = encoder.encode_layers(
            corpus.texts, poolings=as_poolings(poolings), progress=progress
        )
        others = {
            (each, pooling): X for pooling, every in hidden.items() for each, X in enumerate(every)
        }
    if not poolings or reading.pooling == OWN:
        vectors = encoder.encode(
            corpus.texts, layer=reading.layer, pooling=reading.pooling, progress=progress
        )
    elif len(layers) == 1:
        vectors = others.pop((layers[0], reading.pooling))
    else:
        vectors = hidden[reading.pooling][list(layers)].mean(axis=0, dtype=np.float32)
    sampled = {}
    if corpus.n_available is not None:
        sampled = _sampled(len(corpus), corpus.n_available, corpus.seed)
    about = {
        **_about(corpus),
        **sampled,
        "model": encoder.name,
        "layer": _layer_name(reading.layer, layers),
        "pooling": reading.pooling,
    }
    if encoder.revision:
        about["revision"] = encoder.revision
    return OwnData(
        vectors,
        corpus.texts,
        corpus.labels,
        others,
        about,
        sources=corpus.sources,
        read=corpus,
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
