"""python -m geometry diagnose: findings about vectors, and whether a cure helps."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..data.catalogues import ENGLISH, languages
from .judging import EVIDENCE, OF_FILE, judged_queries, read_beside
from .options import with_options
from .own_data import EXIT_CODES, OwnData, OwnOptions, encode_own, own_data_options, read_own
from .shell import FORCE, errors_in_words, progress_on_stderr

if TYPE_CHECKING:
    from ..data.pairs import RowPairs
    from ..data.relevance import JudgedQueries

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


@click.command(epilog=EXIT_CODES)
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Report, .html.")
@click.option("--pairs", type=click.Path(dir_okay=False, path_type=Path), help=_PAIRS_HELP)
@click.option(
    "--pairs-vectors", type=click.Path(dir_okay=False, path_type=Path), help=_PAIRS_VECTORS_HELP
)
@partial(with_options, options=EVIDENCE)
@click.option("--compare", help=_COMPARE_HELP)
@click.option("--storage", is_flag=True, help=_STORAGE_HELP)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Of folds, samples and intervals."
)
@click.option(
    "--language",
    type=click.Choice(languages()),
    default=ENGLISH,
    show_default=True,
    help="Of the report and of the text that is printed.",
)
@FORCE
@own_data_options
def diagnose(
    file: Path | None,
    out: Path | None,
    pairs: Path | None,
    pairs_vectors: Path | None,
    queries: Path | None,
    relevance: Path | None,
    compare: str | None,
    storage: bool,
    seed: int,
    language: str,
    force: bool,
    as_json: bool,
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
    from ..data.catalogues import catalogue
    from ..data.write import check_output, saving, write
    from ..diagnosis import diagnose as diagnosed
    from ..diagnosis import diagnosis_json, report_html, storage_table
    from ..diagnosis.evidence_notes import evidence_note
    from ..diagnosis.sentences import file_notes
    from ..diagnosis.storage_sentences import STORAGE

    with errors_in_words():
        how = OwnOptions.of(**reading)
        if out is not None:
            inputs = (file, pairs, pairs_vectors, queries, relevance, how.metadata)
            check_output(out, (".html",), inputs=inputs, force=force)
        own, judge = _read(file, _Files(pairs, pairs_vectors, queries, relevance), how, compare)
        about = {name: value for name, value in own.about.items() if name not in _IN_FULL}
        for name, file_given in (("pairs", pairs), ("queries", queries), ("relevance", relevance)):
            if file_given is not None:
                about[name] = file_given.name
        given = {
            "texts": own.texts,
            "labels": own.labels,
            "pairs": judge.pairs,
            "queries": judge.queries,
            "units": own.sources,
            "seed": seed,
        }
        found = diagnosed(
            own.vectors,
            **given,
            others=judge.others,
            about=about,
            numbers=own.numbers,
            unknown_share=judge.unknown_share,
            progress=progress_on_stderr("diagnosing", quiet=how.quiet),
        )
        stored = None
        if storage:
            shown = progress_on_stderr("storing", quiet=how.quiet)
            stored = storage_table(found, own.vectors, **given, progress=shown)
        translate = catalogue(language).gettext

        def notes_in(_: Callable[[str], str]) -> list[str]:
            return [
                *([] if own.read is None else file_notes(own.read, _)),
                *(evidence_note(each, _) for each in judge.found),
                *([_(STORAGE["unjudged"])] if storage and stored is None else []),
            ]

        notes = notes_in(translate)
        if out is not None:
            html = report_html(
                found, notes=notes, storage=stored, translate=translate, language=language
            )
            with saving(out):
                write(out, html.encode(), force=force)
        if as_json:
            printed = diagnosis_json(found)
            printed["notes"] = notes_in(str)
            if storage:
                printed["storage"] = None if stored is None else asdict(stored)
            click.echo(json.dumps(printed, ensure_ascii=False, allow_nan=False))
        else:
            click.echo(_text(found, stored, notes, translate))


@dataclass(frozen=True)
class _Files:
    """The files of what judges."""

    pairs: Path | None
    pairs_vectors: Path | None
    queries: Path | None
    relevance: Path | None

    def __post_init__(self) -> None:
        if self.pairs is not None and self.relevance is not None:
            raise ValueError("give --pairs or --relevance: one of them judges the cures")
        if self.queries is not None and self.relevance is None:
            raise ValueError("--queries need --relevance: what is relevant to each query")
        if self.pairs_vectors is not None and self.pairs is None:
            raise ValueError("--pairs-vectors need --pairs: two ids and a score in each row")


@dataclass(frozen=True)
class _Judge:
    """What judges: pairs as ``diagnose`` takes them, or queries, both at other layers too.

    found : the pairs or queries by ids, which have a note
    unknown_share : of the texts that the model knows least
    """

    pairs: Any = None
    queries: JudgedQueries | None = None
    others: Mapping[Any, Any] = field(default_factory=dict)
    unknown_share: float | None = None
    found: tuple[RowPairs | JudgedQueries, ...] = ()


def _read(
    file: Path | None, files: _Files, how: OwnOptions, compare: str | None
) -> tuple[OwnData, _Judge]:
    """The vectors, and what judges them."""
    compared = compare or how.pooling
    if file is None:
        if files.pairs is None or files.pairs_vectors is not None:
            raise ValueError("give FILE, or scored pairs of sentences by --pairs")
        own, judged = _pairs_alone(files.pairs, how, compared)
        return own, _Judge(judged, others=own.others, unknown_share=own.unknown_share)
    if how.sample is None and file.stat().st_size > LARGE_FILE:
        how = replace(how, sample=SAMPLE)
    is_elsewhere = files.pairs is not None or files.queries is not None  # texts that judge
    own = read_own(
        file,
        how,
        compared=None if is_elsewhere else compared,
        has_notes=False,
        has_ids=files.pairs is not None or files.relevance is not None,
    )
    has_texts = "model" in own.about
    if files.relevance is not None:
        asked = None
        if files.queries is not None:
            asked = read_beside(files.queries, how, of_texts=has_texts)
        queries = judged_queries(files.relevance, own.named, asked)
        share = (asked or own).unknown_share
        return own, _Judge(queries=queries, unknown_share=share, found=(queries,))
    if files.pairs is None:
        return own, _Judge(others=own.others, unknown_share=own.unknown_share)
    if has_texts:
        judged, others, share = _vectors_of_pairs(files.pairs, how, compared)
        return own, _Judge(judged, others=others, unknown_share=share)
    return own, _pairs_of_rows(files.pairs, files.pairs_vectors, own, how)


def _pairs_of_rows(file: Path, vectors: Path | None, own: OwnData, how: OwnOptions) -> _Judge:
    """Pairs by the ids of rows of FILE, or of another file of vectors."""
    from ..data.limits import OWN_FILES
    from ..data.pairs import read_row_pairs, row_pairs

    sides = own if vectors is None else read_beside(vectors, how, of_texts=False)
    pairs = row_pairs(read_row_pairs(file, limits=OWN_FILES), sides.named)
    left, right = pairs.left, pairs.right
    if vectors is not None:
        left, right = sides.vectors[left], sides.vectors[right]
    return _Judge((left, right, pairs.gold_scores), found=(pairs,))


def _pairs_alone(file: Path, how: OwnOptions, compared: str) -> tuple[OwnData, Any]:
    """The different sentences of the pairs as a corpus, and the pairs by their rows."""
    from ..data.corpus import Corpus
    from ..data.limits import OWN_FILES
    from ..data.pairs import read_pairs

    is_of_file = any(getattr(how, name) is not None for name in OF_FILE)
    if how.reading.holds == "vectors" or how.drop_nan or is_of_file:
        raise ValueError("an option about FILE is given, and no FILE")
    read = read_pairs(file, reading=how.reading, limits=OWN_FILES)
    own = encode_own(Corpus(read.name, read.sentences), how, compared=compared)
    return own, (*read.rows, read.gold_scores)


def _vectors_of_pairs(
    pairs: Path, how: OwnOptions, compared: str
) -> tuple[Any, dict[Any, Any], float | None]:
    """(left, right, gold) by the model of the texts, other layers, and their unknown share."""
    from ..data.corpus import Corpus
    from ..data.pairs import read_pairs

    read = read_pairs(pairs)
    encoded = encode_own(Corpus(read.name, read.sentences), how, compared=compared)
    left, right = read.rows
    sides, X = np.append(left, right), encoded.vectors
    others = {place: partial(np.take, Y, sides, axis=0) for place, Y in encoded.others.items()}
    return (X[left], X[right], read.gold_scores), others, encoded.unknown_share


def _text(found: Any, stored: Any, notes: list[str], _: Callable[[str], str]) -> str:
    from ..diagnosis import sentences, storage_sentences, threshold_sentences
    from ..diagnosis.report import cure_table
    from .grid_text import columns

    head, rows = cure_table(found, _)
    lines = [sentences.measured(found, _), *notes, ""]
    for finding in found.findings:
        lines += [sentences.title(finding, _), f"  {sentences.finding_sentence(finding, _)}"]
    if found.thresholds is not None:
        lines += [_(threshold_sentences.THRESHOLDS["title"])]
        lines += [f"  {threshold_sentences.summary(found, _)}"]
    lines += ["", *columns([head, *rows]), "", sentences.basis(found, _), ""]
    for table in (threshold_sentences.cosine_table, threshold_sentences.cut_table):
        titles, cells = table(found, _)
        lines += [*columns([titles, *cells]), ""] if cells else []
    lines += [threshold_sentences.basis(found, _), ""] if found.thresholds is not None else []
    if stored is not None:
        titles, cells = storage_sentences.table(stored, _)
        lines += [_(storage_sentences.STORAGE["title"]), *columns([titles, *cells]), ""]
        lines += [storage_sentences.basis(stored, _), storage_sentences.summary(stored, _), ""]
    last = (
        sentences.evidence,
        sentences.certainty,
        sentences.stay_here,
        sentences.recommendation,
    )
    return "\n".join([*lines, *filter(None, (line(found, _) for line in last))])
