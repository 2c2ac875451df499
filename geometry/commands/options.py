"""Options that commands share, and what they read: FILE of vectors or texts, pairs, queries."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..data import pairs as pair_files
from ..data.column_names import ID_NAMES, named
from ..data.corpus import Corpus, preview_table, read_corpus
from ..data.csv_cells import csv_cell
from ..data.embeddings import VectorSet
from ..data.errors import CorpusError
from ..data.limits import OWN_FILES
from ..data.pairs import Pairs
from ..data.recognise import AS_FOUND, Holds, Reading
from ..data.relevance import JudgedQueries, judge_vectors, read_relevance
from ..data.write import check_output, saving, write, written
from ..encode.encoder import Encoder, Layer
from ..encode.load import load_encoder
from ..encode.pool import OWN, POOLINGS, as_poolings
from ..errors import GeometryError
from ..evaluate.grid import layer_text
from ..hub import pair_sets
from ..hub.bundled import BUNDLED
from ..projection import neighbour_maps
from .shell import FORCE, JSON, QUIET, progress_on_stderr

ALL = "all"
Columns = tuple[str | int, ...]
FILE_TYPE = click.Path(dir_okay=False, path_type=Path)
OUT_TYPE = click.Path(path_type=Path)
FILE = click.argument("file", type=FILE_TYPE)
_HOLDS = click.Choice(("texts", "vectors", "pairs"))
_QUOTING = click.Choice(("quoted", "escaped", "none"))
_HEADER_HELP = "Whether the first row of a table names the columns; else found."
_PACKED_HELP = "Whether vectors of bytes are packed bits; else asked for."
_MODEL_HELP = "bundled, bundled-e5, a name on the Hugging Face Hub, or a folder."
_NO_SEED_HELP = "Each fit gives another map; umap then uses all cores."
_FIT_ALL_HELP = "umap and tsne are fitted to all rows, however many."
READING = (
    click.option(
        "--as", "holds", type=_HOLDS, help="What the file holds; else found, or asked for."
    ),
    click.option("--encoding", help="Of a file of text, as big5; else found."),
    click.option("--delimiter", help="Between columns, as ';' or tab; else found."),
    click.option(
        "--quoting", type=_QUOTING, help="Whether quotation marks enclose cells; else found."
    ),
    click.option("--header/--no-header", "header", default=None, help=_HEADER_HELP),
    click.option("--decimal", type=click.Choice((".", ",")), help="Decimal sign; else found."),
    click.option("--sheet", help="Sheet of a workbook; else the first that is visible."),
    click.option("--packed/--no-packed", "packed", default=None, help=_PACKED_HELP),
    click.option("--path", "path", help="Names to the records of nested JSON, as data.items."),
)
MODEL = (
    click.option("--model", default=BUNDLED, help=_MODEL_HELP),
    click.option("--revision", help="Branch, tag or commit of a Hugging Face Hub model."),
    click.option("--prefix", help="Put before each text, as 'query: '; else as the card says."),
)
MAP = (
    click.option("--seed", type=int, default=0, help="Of umap and tsne."),
    click.option("--no-seed", is_flag=True, help=_NO_SEED_HELP),
    click.option("--fit-all", is_flag=True, help=_FIT_ALL_HELP),
)
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


def map_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The values of ``MAP``, which are taken out, as arguments of ``project``."""
    seed, no_seed, fit_all = (options.pop(name) for name in ("seed", "no_seed", "fit_all"))
    most = None if fit_all else neighbour_maps.MOST_FITTED
    return {"random_state": None if no_seed else seed, "most_fitted": most}


def with_options(*options: Any) -> Callable[[Any], Any]:
    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def reading_of(options: dict[str, Any]) -> Reading:
    """The ``Reading`` of a command's options, which are taken out."""
    given = {each.name: options.pop(each.name) for each in fields(Reading)}
    if given["delimiter"] in ("tab", "\\t"):
        given["delimiter"] = "\t"
    if given["delimiter"] is not None and len(given["delimiter"]) != 1:
        raise ValueError(f"--delimiter must be one character, or tab; got {given['delimiter']!r}")
    return Reading(**given)


def held(file: Path, reading: Reading) -> Holds:
    """What a file holds. CorpusError "uncertain" if that is not clear."""
    from ..vectors import recognise

    found = recognise(file, reading=reading, limits=OWN_FILES)
    if not found.is_certain:
        about = {"columns": found.columns, "what": found.holds}
        raise CorpusError("uncertain_holds", option="as", choices=("texts", found.holds), **about)
    return found.holds


def print_notes(read: Corpus | VectorSet | Pairs) -> None:
    from ..diagnosis.sentences import file_notes

    for note in file_notes(read, str):
        click.echo(f"{read.name}: {note}", err=True)


def layers_of(text: str) -> tuple[Layer, ...] | None:
    return None if text.strip() == ALL else tuple(layer_of(part) for part in listed(text, "layers"))


def layer_of(text: str) -> Layer:
    """A layer by number, the mean of several as 1+6, or a set by its name."""
    try:
        numbers = tuple(int(part) for part in text.split("+"))
    except ValueError:
        if "+" in text:
            raise ValueError(f"layers {text!r}: give whole numbers, as 1+6") from None
        return text
    return numbers if len(numbers) > 1 else numbers[0]


def poolings_of(text: str) -> tuple[str, ...]:
    return as_poolings(tuple(POOLINGS) if text.strip() == ALL else listed(text, "poolings"))


def columns_of(text: str) -> Columns:
    columns = tuple(int(part) if part.isdecimal() else part for part in listed(text, "columns"))
    if len(columns) != 3:
        raise ValueError(f"--columns {text}: name three, as left,right,score")
    return columns


def listed(text: str, option: str) -> tuple[str, ...]:
    """The distinct parts between commas; ValueError if there are none."""
    parts = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not parts:
        raise ValueError(f"--{option} is empty; leave it out for what is usual")
    return parts


def pairs_of(sources: Sequence[str], **how: Any) -> Pairs:
    """One set of pairs (``_read_pairs``); several sets become the subsets of one."""
    parts = [_read_pairs(each, **how) for each in sources]
    if len(parts) == 1:
        return parts[0]
    count = Counter(part.name for part in parts)
    both = zip(parts, sources, strict=True)
    named = {part.name if count[part.name] == 1 else source: part for part, source in both}
    if len(named) < len(parts):
        names = ", ".join(part.name for part in parts)
        raise ValueError(f"a set of pairs is named twice: {names}. Name each once")
    subsets = [replace(part, subsets=(name,) * len(part)) for name, part in named.items()]
    return Pairs.joined(" + ".join(named), subsets)


def texts_of(
    source: str, *, columns: Columns | None = None, reading: Reading = AS_FOUND
) -> tuple[str, ...]:
    """Both sentences of every pair, or the texts of a corpus. ValueError for vectors."""
    is_unknown = columns is None and reading.holds is None and Path(source).is_file()
    if is_unknown and held(Path(source), reading) == "vectors":
        raise ValueError(f"{source} holds vectors. For its texts, say --as texts")
    for tried in dict.fromkeys((columns, None)):
        try:
            pairs = _read_pairs(source, columns=tried, reading=reading)
        except CorpusError as reason:
            if reason.code not in ("no_pair_columns", "unknown_column"):
                raise
        else:
            return (*pairs.left, *pairs.right)
    corpus = read_corpus(Path(source), reading=reading)
    print_notes(corpus)
    return corpus.texts


def _read_pairs(
    source: str, *, columns: Columns | None = None, reading: Reading = AS_FOUND
) -> Pairs:
    """The bundled pairs, a split of a Hugging Face data set or of a folder, or a file."""
    if source == BUNDLED:
        return pair_files.read_bundled_pairs()
    if source in pair_files.BUNDLED_PAIRS:
        return pair_files.read_bundled_pairs(source)
    place, _, split = source.rpartition(":")
    if place in pair_sets.PAIR_SETS:
        progress = progress_on_stderr(f"downloading {source}")
        return pair_sets.fetch_pairs(place, split, progress=progress)
    if place and Path(place).is_dir():
        splits = pair_files.read_pair_folder(Path(place))
        if split not in splits:
            raise ValueError(f"{place} has no pairs {split!r}; there are {', '.join(splits)}")
        return splits[split]
    pairs = pair_files.read_pairs(Path(source), columns=columns, reading=reading)
    print_notes(pairs)
    return pairs


@dataclass(frozen=True)
class OwnOptions:
    """How files are read and encoded: the values of ``OWN_DATA`` and ``EVIDENCE``."""

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
    id_column: str | None = None
    queries: Path | None = None
    relevance: Path | None = None
    force: bool = False

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
        return load_encoder(self.model, **how, progress=progress_on_stderr("downloading"))

    def check(
        self, out: Path, endings: tuple[str, ...], *inputs: Input, or_folder: bool = False
    ) -> None:
        """Refuse an output before any work begins."""
        read = (*inputs, self.metadata, self.queries, self.relevance)
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
        about = _about(read)
        report = read.report
        if report is not None and report.n_sampled is not None:
            about |= _sampled(report.n_sampled, report.n_rows, report.seed)
        if report is not None and report.n_dropped:
            rows = "row" if report.n_dropped == 1 else "rows"
            about["left out"] = f"{report.n_dropped:,} {rows} with NaN or infinity"
        X = read.vectors
        numbers = np.arange(1, len(X) + 1) if read.numbers is None else read.numbers
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
    encoder = options.encoder
    layer = options.layer
    pooling = options.pooling
    layers = encoder.layer_indices(layer)
    progress = progress_on_stderr("encoding")
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
    at = layer_text(layers[0] if len(layers) == 1 else layer)
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


def read_queries(how: OwnOptions, searched: OwnData) -> OwnData | None:
    """Queries for the rows that are searched: vectors, or texts for the same model."""
    if how.queries is None:
        return None
    return read_beside(how.queries, how, of_texts="model" in searched.about)


def judged_queries(relevance: Path, searched: OwnData, queries: OwnData | None) -> JudgedQueries:
    read = read_relevance(relevance, limits=OWN_FILES)
    judged = judge_vectors(read, searched.named, None if queries is None else queries.named)
    if not len(judged):
        raise ValueError(NO_ANSWER)
    return judged
