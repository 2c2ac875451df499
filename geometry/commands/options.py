"""Options that commands share, and their parsing; those of one command are in its own file."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from ..data import pairs as pair_files
from ..data.corpus import Corpus, read_corpus
from ..data.embeddings import VectorSet
from ..data.errors import CorpusError
from ..data.limits import OWN_FILES
from ..data.pairs import Pairs
from ..data.recognise import AS_FOUND, Holds, Reading
from ..encode.encoder import Layer
from ..encode.pool import POOLINGS, as_poolings
from ..hub import pair_sets
from ..hub.bundled import BUNDLED
from ..projection import neighbour_maps
from ..vectors.word_averages import WEIGHTINGS
from .shell import progress_on_stderr

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


def map_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The values of ``MAP``, which are taken out, as arguments of ``project``."""
    seed, no_seed, fit_all = (options.pop(name) for name in ("seed", "no_seed", "fit_all"))
    most = None if fit_all else neighbour_maps.MOST_FITTED
    return {"random_state": None if no_seed else seed, "most_fitted": most}


def with_options(*options: Any) -> Callable[[Any], Any]:
    """A decorator that adds these options, in their order."""

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


def weightings_of(text: str) -> tuple[str, ...]:
    names = WEIGHTINGS if text.strip() == ALL else listed(text, "weighting")
    for name in names:
        if name not in WEIGHTINGS:
            raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}; got {name!r}")
    return names


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
    source: str, *, columns: Columns | None = None, reading: Reading = AS_FOUND, quiet: bool
) -> tuple[str, ...]:
    """Both sentences of every pair, or the texts of a corpus. ValueError for vectors."""
    is_unknown = columns is None and reading.holds is None and Path(source).is_file()
    if is_unknown and held(Path(source), reading) == "vectors":
        raise ValueError(f"{source} holds vectors. For its texts, say --as texts")
    for tried in dict.fromkeys((columns, None)):
        try:
            pairs = _read_pairs(source, columns=tried, reading=reading, quiet=quiet)
        except CorpusError as reason:
            if reason.code not in ("no_pair_columns", "unknown_column"):
                raise
        else:
            return (*pairs.left, *pairs.right)
    corpus = read_corpus(Path(source), reading=reading)
    print_notes(corpus)
    return corpus.texts


def _read_pairs(
    source: str, *, columns: Columns | None = None, reading: Reading = AS_FOUND, quiet: bool
) -> Pairs:
    """The bundled pairs, a split of a Hugging Face data set or of a folder, or a file."""
    if source == BUNDLED:
        return pair_files.read_bundled_pairs()
    if source in pair_files.BUNDLED_PAIRS:
        return pair_files.read_bundled_pairs(source)
    place, _, split = source.rpartition(":")
    if place in pair_sets.PAIR_SETS:
        progress = progress_on_stderr(f"downloading {source}", quiet=quiet)
        return pair_sets.fetch_pairs(place, split, progress=progress)
    if place and Path(place).is_dir():
        splits = pair_files.read_pair_folder(Path(place))
        if split not in splits:
            raise ValueError(f"{place} has no pairs {split!r}; there are {', '.join(splits)}")
        return splits[split]
    pairs = pair_files.read_pairs(Path(source), columns=columns, reading=reading)
    print_notes(pairs)
    return pairs
