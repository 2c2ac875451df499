"""python -m geometry diagnose: findings about vectors, and whether a cure helps."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..data.corpus import Corpus
from ..data.limits import OWN_FILES
from ..data.pairs import RowPairs, read_pairs, read_row_pairs, row_pairs
from ..data.relevance import JudgedQueries
from ..data.translations import ENGLISH, catalogue, languages
from . import options
from .options import FILE_TYPE, OUT_TYPE, OwnData, OwnOptions, read_own, with_options
from .shell import is_noted, progress_on_stderr, shell, table_lines

LARGE_FILE = 400_000_000  # bytes; of a larger file a sample is diagnosed
SAMPLE = 20_000  # rows of a large file that are diagnosed
_IN_FULL = ("sample", "left out")  # keys of OwnData.about that the notes on the file give in full
_PAIRS_HELP = (
    "Scored pairs, which judge in place of labels: of sentences, or of ids where FILE has vectors. "
    "Without FILE, the sentences of the pairs are diagnosed."
)
_PAIRS_VECTORS_HELP = "Vectors of the sides of --pairs, whose rows the ids name; else rows of FILE."
_STORAGE_HELP = "Also what fewer dimensions, float16, int8 and binary vectors lose (slower)."
_COMPARE_HELP = "Poolings whose layers are compared with this one; else those of --pooling."


@shell.command(epilog=options.EXIT_CODES)
@click.argument("file", required=False, type=FILE_TYPE)
@click.option("--out", type=OUT_TYPE, help="Report, .html.")
@click.option("--pairs", type=FILE_TYPE, help=_PAIRS_HELP)
@click.option("--pairs-vectors", type=FILE_TYPE, help=_PAIRS_VECTORS_HELP)
@with_options(*options.EVIDENCE)
@click.option("--compare", help=_COMPARE_HELP)
@click.option("--storage", is_flag=True, help=_STORAGE_HELP)
@click.option("--seed", type=int, default=0, help="Of folds, samples and intervals.")
@click.option(
    "--language",
    type=click.Choice(languages()),
    default=ENGLISH,
    help="Of the report and of the text that is printed.",
)
@with_options(*options.OWN_DATA)
def diagnose(
    file: Path | None,
    out: Path | None,
    pairs: Path | None,
    pairs_vectors: Path | None,
    compare: str | None,
    storage: bool,
    seed: int,
    language: str,
    **reading: Any,
) -> None:
    """What is unusual about the vectors of FILE, and which cure helps on held-out rows.

    FILE has vectors, or texts that a model encodes. Labels, scored pairs, or queries with relevant
    rows show what helps. Of a file of vectors over 400 MB, a random sample of 20,000 rows is
    diagnosed unless --sample says otherwise. The last line is the recommendation.

    \b
    python -m geometry diagnose sentences.csv --labels topic --layer 4 --out report.html
    python -m geometry diagnose vectors.npy --json
    python -m geometry diagnose vectors.npy --queries queries.npy --relevance qrels.tsv
    python -m geometry diagnose vectors.npy --pairs pairs-of-rows.csv
    python -m geometry diagnose --pairs pairs.csv --out pairs.html --language zh-Hant
    """
    from ..diagnosis import diagnose as diagnosed
    from ..diagnosis import diagnosis_json, report_html, storage_table
    from ..diagnosis.sentences import STORAGE, evidence_note, file_notes

    how = OwnOptions.of(**reading)
    if out is not None:
        how.check(out, (".html",), file, pairs, pairs_vectors)
    if pairs is not None and how.relevance is not None:
        raise ValueError("give --pairs or --relevance: one of them judges the cures")
    if how.queries is not None and how.relevance is None:
        raise ValueError("--queries need --relevance: what is relevant to each query")
    if pairs_vectors is not None and pairs is None:
        raise ValueError("--pairs-vectors need --pairs: two ids and a score in each row")
    own, judges, ids = _read(file, pairs, pairs_vectors, how, compare or how.pooling)
    about = {name: value for name, value in own.about.items() if name not in _IN_FULL}
    beside = {"pairs": pairs, "queries": how.queries, "relevance": how.relevance}
    about |= {name: each.name for name, each in beside.items() if each}
    given = {"texts": own.texts, "labels": own.labels, "units": own.sources, "seed": seed, **judges}
    of_model = {"others": own.others, "unknown_share": own.unknown_share}
    of_rows: dict[str, Any] = {**of_model, "about": about, "numbers": own.numbers}
    progress = progress_on_stderr("diagnosing")
    found = diagnosed(own.vectors, **given, **of_rows, progress=progress)
    stored = None
    if storage:
        stored = storage_table(found, own.vectors, **given, progress=progress_on_stderr("storing"))
    translate = catalogue(language).gettext

    def notes_in(_: Callable[[str], str]) -> list[str]:
        notes = [] if own.read is None else file_notes(own.read, _)
        notes += [] if ids is None else [evidence_note(ids, _)]
        return notes + ([_(STORAGE["unjudged"])] if storage and stored is None else [])

    notes = notes_in(translate)
    if out is not None:
        of_language: dict[str, Any] = {"translate": translate, "language": language}
        how.write(out, report_html(found, notes=notes, storage=stored, **of_language).encode())
    if is_noted("as_json"):
        printed = diagnosis_json(found)
        printed["notes"] = notes_in(str)
        if storage:
            printed["storage"] = None if stored is None else asdict(stored)
        click.echo(json.dumps(printed, ensure_ascii=False, allow_nan=False))
    else:
        click.echo(_text(found, stored, notes, translate))


def _read(
    file: Path | None, pairs: Path | None, vectors: Path | None, how: OwnOptions, compared: str
) -> tuple[OwnData, dict[str, Any], RowPairs | JudgedQueries | None]:
    """Data, what judges them as ``diagnose`` takes it, and pairs or queries by ids for a note."""
    if file is None:
        if pairs is None or vectors is not None:
            raise ValueError("give FILE, or scored pairs of sentences by --pairs")
        is_of_file = any(getattr(how, name) is not None for name in options.OF_FILE)
        if how.reading.holds == "vectors" or how.drop_nan or is_of_file:
            raise ValueError("an option about FILE is given, and no FILE")
        read = read_pairs(pairs, reading=how.reading, limits=OWN_FILES)
        own = options.encode_own(Corpus(read.name, read.sentences), how, compared=compared)
        return own, {"pairs": (*read.rows, read.gold_scores)}, None
    is_large = how.sample is None and file.stat().st_size > LARGE_FILE
    own = read_own(
        file,
        replace(how, sample=SAMPLE) if is_large else how,
        compared=compared if pairs is None and how.queries is None else None,
        has_notes=False,
        has_ids=pairs is not None or how.relevance is not None,
    )
    if how.relevance is not None:
        asked = options.read_queries(how, own)
        judged = options.judged_queries(how.relevance, own, asked)
        own = replace(own, others={}, unknown_share=(asked or own).unknown_share)
        return own, {"queries": judged}, judged
    if pairs is None:
        return own, {}, None
    if "model" in own.about:  # FILE has texts, and the pairs are of sentences
        read = read_pairs(pairs)
        encoded = options.encode_own(Corpus(read.name, read.sentences), how, compared=compared)
        left, right = read.rows
        sides = np.append(left, right)
        X = encoded.vectors
        others = {place: partial(np.take, Y, sides, axis=0) for place, Y in encoded.others.items()}
        own = replace(own, others=others, unknown_share=encoded.unknown_share)
        return own, {"pairs": (X[left], X[right], read.gold_scores)}, None
    named = own if vectors is None else options.read_beside(vectors, how, of_texts=False)
    found = row_pairs(read_row_pairs(pairs, limits=OWN_FILES), named.named)
    left, right = found.left, found.right
    if vectors is not None:
        left, right = named.vectors[left], named.vectors[right]
    return own, {"pairs": (left, right, found.gold_scores)}, found


def _text(found: Any, stored: Any, notes: list[str], _: Callable[[str], str]) -> str:
    from ..diagnosis import sentences, threshold_sentences
    from ..diagnosis.report import cure_table

    head, rows = cure_table(found, _)
    lines = [sentences.measured(found, _), *notes, ""]
    for finding in found.findings:
        lines += [sentences.title(finding, _), f"  {sentences.finding_sentence(finding, _)}"]
    if found.thresholds is not None:
        lines += [_(threshold_sentences.THRESHOLDS["title"])]
        lines += [f"  {threshold_sentences.summary(found, _)}"]
    lines += ["", *table_lines([head, *rows]), "", sentences.basis(found, _), ""]
    for table in (threshold_sentences.cosine_table, threshold_sentences.cut_table):
        titles, cells = table(found, _)
        lines += [*table_lines([titles, *cells]), ""] if cells else []
    lines += [threshold_sentences.basis(found, _), ""] if found.thresholds is not None else []
    if stored is not None:
        titles, cells = sentences.storage_rows(stored, _)
        lines += [_(sentences.STORAGE["title"]), *table_lines([titles, *cells]), ""]
        lines += [sentences.storage_basis(stored, _), sentences.storage_summary(stored, _), ""]
    last = (sentences.evidence, sentences.certainty, sentences.stay_here)
    said = [line(found, _) for line in (*last, sentences.recommendation)]
    return "\n".join([*lines, *filter(None, said)])
