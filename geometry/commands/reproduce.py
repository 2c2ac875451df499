"""python -m geometry reproduce: a published table, computed again, with the differences."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import click

from ..data.corpus import read_corpus
from ..data.limits import OWN_FILES
from ..data.pairs import Pairs, read_pair_folder, read_pairs
from ..encode.load import load_encoder
from ..errors import GeometryError
from ..evaluate.bootstrap import PairScore
from ..evaluate.published import published_tables
from ..evaluate.recipes import DATA_SETS, RECIPES, Recipe, encoder_scores, nli_moments, word_score
from ..hub import pair_sets
from ..linalg.moments import Moments
from .options import EXIT_CODES, FILE_TYPE, listed
from .shell import JSON, QUIET, progress_on_stderr, shell, show, table_lines

TABLES = ("sbert-table1", "whitening-table")
FAILURES = (GeometryError, OSError, RuntimeError, MemoryError)  # of a model or a set, not of all
WHOLE = ("STS-B", "SICK-R")  # scored as one set in every paper
NLI_TEXTS, NLI_BYTES = 3_000_000, 10**9
NO_GLOVE = "give GloVe's file by --vectors"
NO_NLI = "put the sentences of SNLI and MNLI into the folder of --data, as nli.txt"
_DATA_HELP = "Folder with sts12.csv … sts16.csv, stsb.csv, sickr.csv, nli.txt; else from the Hub."
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
Found = dict[tuple[str, str], PairScore | str]  # by row and data set; or why there is none


@shell.command(epilog=EXIT_CODES)
@click.argument("table", type=click.Choice(TABLES))
@click.option("--data", type=_FOLDER, help=_DATA_HELP)
@click.option("--sets", default="all", help="As stsb,sickr.")
@click.option("--rows", multiple=True, help="A row by its published name; may be repeated.")
@click.option("--vectors", type=FILE_TYPE, help="GloVe's file, for the row of averaged GloVe.")
@JSON
@QUIET
def reproduce(
    table: str, data: Path | None, sets: str, rows: tuple[str, ...], vectors: Path | None
) -> None:
    """Published scores, the same scores computed here, and their differences.

    Models, and data sets that --data has not, are read from the Hugging Face Hub. A row or a set
    that can't be computed is named with the reason.

    \b
    python -m geometry reproduce sbert-table1 --sets stsb --rows "avg BERT" --rows "BERT CLS"
    python -m geometry reproduce whitening-table --data sts --sets stsb,sickr
    """
    recipes = RECIPES[table]
    published = next(each for each in published_tables() if each.key == recipes.key)
    names = tuple(DATA_SETS.values()) if sets == "all" else listed(sets, "sets")
    asked = (("sets", names, DATA_SETS.values()), ("rows", rows, recipes.rows))
    for option, given, known in asked:
        if wrong := ", ".join(sorted(set(given) - set(known))):
            raise ValueError(f"--{option}: {wrong} is none of {', '.join(known)}")
    chosen = {row: each for row, each in recipes.rows.items() if not rows or row in rows}
    wanted = {column: name for column, name in DATA_SETS.items() if name in names}
    pairs: dict[str, Pairs] = {}
    of_sets: dict[str, str] = {}  # where the pairs are from, or why there are none
    for column, name in wanted.items():
        try:
            pairs[column], of_sets[column] = _read_set(name, data)
        except FAILURES as error:
            of_sets[column] = _said(error)
    found: Found = {
        (row, column): each.missing or ("" if column in pairs else of_sets[column])
        for row, each in chosen.items()
        for column in wanted
    }
    used = _compute(found, chosen, pairs, data, vectors)
    cells = [
        _cell(row, column, published.column(column).get(row), each)
        for (row, column), each in found.items()
    ]
    source = f"{published.source}: {published.metric}; {published.setting}. {published.note}"
    said = [f"{column}: {each}" for column, each in of_sets.items() if each]
    about = [source.strip(), *recipes.differs, *used, *said]
    head = ("row", "data set", "published", "here [95%]", "difference")
    text = "\n".join([*about, "", *table_lines([head, *map(_texts, cells)])])
    show({"about": about, "cells": cells}, text)


def _cell(row: str, column: str, published: float | None, found: PairScore | str) -> dict[str, Any]:
    """A published value and what was found here (Spearman x 100), or why there is nothing."""
    cell: dict[str, Any] = {"row": row, "column": column, "published": published}
    if isinstance(found, str) or found.spearman is None:
        missing = found if isinstance(found, str) else found.undefined or ""
        return cell | {"here": None, "difference": None, "missing": missing}
    here = 100 * found.spearman
    low, high = (None if end is None else 100 * end for end in (found.low, found.high))
    difference = None if published is None else here - published
    cell |= {"here": here, "difference": difference, "missing": ""}
    return cell | {"low": low, "high": high, "n": found.n}


def _texts(cell: dict[str, Any]) -> tuple[str, ...]:
    def text(name: str, form: str) -> str:
        return "" if cell[name] is None else f"{cell[name]:{form}}"

    head = cell["row"], cell["column"], text("published", ".2f")
    if cell["here"] is None:
        return *head, f"not computed: {cell['missing']}", ""
    ends = f"[{text('low', '.1f')}, {text('high', '.1f')}]"
    here = f"{cell['here']:.2f} {ends} (n = {cell['n']:,})"
    return *head, here, text("difference", "+.2f")


def _read_set(name: str, data: Path | None) -> tuple[Pairs, str]:
    """The test pairs of a set: a file or folder of that name in --data, else from the Hub."""
    own = _file(data, name)
    if own is None:
        progress = progress_on_stderr(f"downloading {name}")
        pairs = pair_sets.fetch_pairs(name, progress=progress)
        note = pair_sets.PAIR_SETS[name].note
        return pairs, f"{len(pairs):,} pairs of {pairs.source}. {note}"
    if own.is_dir():
        splits = read_pair_folder(own, limits=OWN_FILES)
        if "test" not in splits:
            raise FileNotFoundError(f"{own} has no test pairs")
        pairs = splits["test"]
    else:
        pairs = read_pairs(own, limits=OWN_FILES)
    return pairs, f"{len(pairs):,} pairs of {own.name}"


def _file(data: Path | None, name: str) -> Path | None:
    within = () if data is None else sorted(data.iterdir())
    return next((each for each in within if each.name.split(".")[0].lower() == name), None)


def _compute(
    found: Found,
    rows: Mapping[str, Recipe],
    sets: Mapping[str, Pairs],
    data: Path | None,
    vectors: Path | None,
) -> list[str]:
    """Fill in every row on every set; returns which models gave them. Each encodes a set once."""
    used: list[str] = []
    by_model = defaultdict(list)
    for row, each in rows.items():
        if sets and not each.missing:
            by_model[each.model].append(row)
    for model, names in by_model.items():
        try:
            recipes = [rows[name] for name in names]
            score, about = _encoder(model, recipes, data) if model else _words(vectors)
        except FAILURES as error:
            found |= dict.fromkeys([key for key in found if key[0] in names], _said(error))
            continue
        used.append(about)
        for column, pairs in sets.items():
            try:
                scores = score(pairs, column)
            except FAILURES as error:
                scores = [_said(error)] * len(names)
            found |= {(name, column): each for name, each in zip(names, scores, strict=True)}
    return used


Scores = Callable[[Pairs, str], list[PairScore | str]]  # of pairs, and their data set


def _encoder(model: str, recipes: list[Recipe], data: Path | None) -> tuple[Scores, str]:
    """What scores pairs by these recipes of a model, and its commit."""
    progress = progress_on_stderr(f"downloading {model}")
    encoder = load_encoder(model, progress=progress)

    @cache
    def nli(recipe: Recipe) -> Moments:
        file = _file(data, "nli")
        if file is None:
            raise ValueError(NO_NLI)
        limits = OWN_FILES.but(rows=NLI_TEXTS, file_bytes=NLI_BYTES, unpacked_bytes=NLI_BYTES)
        texts = read_corpus(file, limits=limits).texts
        progress = progress_on_stderr(f"reading NLI by {model}")
        return nli_moments(encoder, texts, recipe, progress)

    def scores(pairs: Pairs, column: str) -> list[PairScore | str]:
        progress = progress_on_stderr(f"{model} on {column}")
        how: dict[str, Any] = {"is_whole": column in WHOLE, "nli": nli, "progress": progress}
        return encoder_scores(encoder, pairs, recipes, **how)

    return scores, f"{model}: commit {encoder.revision}"


def _words(file: Path | None) -> tuple[Scores, str]:
    """What scores pairs by averages of the word vectors of a file, and their number."""
    from ..vectors.word_files import read_vectors

    if file is None:
        raise FileNotFoundError(NO_GLOVE)
    table = read_vectors(file, limits=OWN_FILES)
    n, d = table.vectors.shape
    about = f"avg GloVe: {n:,} vectors of {d} numbers in {file.name}"
    return lambda pairs, _: [word_score(table, pairs)], about


def _said(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
