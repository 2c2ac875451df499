"""python -m geometry diagnose: findings about vectors, and whether a cure helps."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..data.catalogues import ENGLISH, languages
from .own_data import EXIT_CODES, OwnData, OwnOptions, encode_own, own_data_options, read_own
from .shell import FORCE, errors_in_words, progress_on_stderr

LARGE_FILE = 400_000_000  # bytes; of a larger file a sample is diagnosed
SAMPLE = 20_000  # rows of a large file that are diagnosed
_IN_FULL = ("sample", "left out")  # keys of OwnData.about that the notes on the file give in full
_PAIRS_HELP = (
    "Scored pairs of sentences, which judge in place of labels. FILE has texts; without FILE, the "
    "sentences of the pairs are diagnosed."
)
_COMPARE_HELP = "Poolings whose layers are compared with this one; else those of --pooling."


@click.command(epilog=EXIT_CODES)
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Report, .html.")
@click.option("--pairs", type=click.Path(dir_okay=False, path_type=Path), help=_PAIRS_HELP)
@click.option("--compare", help=_COMPARE_HELP)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the halves and intervals.")
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
    compare: str | None,
    seed: int,
    language: str,
    force: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """What is unusual about the vectors of FILE, and which cure helps on held-out rows.

    FILE has vectors, or texts that a model encodes. Labels or scored pairs show what helps. Of a
    file of vectors over 400 MB, a random sample of 20,000 rows is diagnosed unless --sample says
    otherwise. The last line is the recommendation.

    \b
    python -m geometry diagnose sentences.csv --labels topic --layer 4 --out report.html
    python -m geometry diagnose vectors.npy --json
    python -m geometry diagnose --pairs pairs.csv --out pairs.html --language zh-Hant
    """
    from ..data.catalogues import catalogue
    from ..data.write import check_output, saving, write
    from ..diagnosis import diagnose as diagnosed
    from ..diagnosis import diagnosis_json, report_html
    from ..diagnosis.sentences import file_notes

    with errors_in_words():
        how = OwnOptions.of(**reading)
        if out is not None:
            check_output(out, (".html",), inputs=(file, pairs, how.metadata), force=force)
        own, judged, others, unknown_share = _read(file, pairs, how, compare)
        about = {name: value for name, value in own.about.items() if name not in _IN_FULL}
        if pairs is not None:
            about["pairs"] = pairs.name
        found = diagnosed(
            own.vectors,
            texts=own.texts,
            labels=own.labels,
            pairs=judged,
            others=others,
            units=own.sources,
            seed=seed,
            about=about,
            numbers=own.numbers,
            unknown_share=unknown_share,
            progress=progress_on_stderr("diagnosing", quiet=how.quiet),
        )
        translate = catalogue(language).gettext
        notes = [] if own.read is None else file_notes(own.read, translate)
        if out is not None:
            html = report_html(found, notes=notes, translate=translate, language=language)
            with saving(out):
                write(out, html.encode(), force=force)
        if as_json:
            printed = diagnosis_json(found)
            printed["notes"] = [] if own.read is None else file_notes(own.read, str)
            click.echo(json.dumps(printed, ensure_ascii=False, allow_nan=False))
        else:
            click.echo(_text(found, notes, translate))


def _read(
    file: Path | None, pairs: Path | None, how: OwnOptions, compare: str | None
) -> tuple[OwnData, Any, dict[Any, Any], float | None]:
    """The vectors, the pairs that score them, both at other layers, and the unknown share."""
    compared = compare or how.pooling
    if file is None:
        if pairs is None:
            raise ValueError("give FILE, or scored pairs by --pairs")
        own, judged = _pairs_alone(pairs, how, compared)
        return own, judged, dict(own.others), own.unknown_share
    if how.sample is None and file.stat().st_size > LARGE_FILE:
        how = replace(how, sample=SAMPLE)
    own = read_own(file, how, compared=None if pairs else compared, has_notes=False)
    if pairs is None:
        return own, None, dict(own.others), own.unknown_share
    judged, others, of_pairs = _vectors_of_pairs(pairs, own, how, compared)
    shares = [each for each in (own.unknown_share, of_pairs) if each is not None]
    return own, judged, others, max(shares, default=None)  # the less known text decides


def _pairs_alone(file: Path, how: OwnOptions, compared: str) -> tuple[OwnData, Any]:
    """The different sentences of the pairs as a corpus, and the pairs by their rows."""
    from ..data.corpus import Corpus
    from ..data.limits import OWN_FILES
    from ..data.pairs import read_pairs

    of_file = (how.metadata, how.vector_column, how.text_column, how.label_column, how.sample)
    if how.reading.holds == "vectors" or how.drop_nan or any(each is not None for each in of_file):
        raise ValueError("an option about FILE is given, and no FILE")
    read = read_pairs(file, reading=how.reading, limits=OWN_FILES)
    own = encode_own(Corpus(read.name, read.sentences), how, compared=compared)
    return own, (*read.rows, read.gold_scores)


def _vectors_of_pairs(
    pairs: Path, own: OwnData, how: OwnOptions, compared: str
) -> tuple[Any, dict[Any, Any], float | None]:
    """(left, right, gold) by the model of the texts, other layers, and their unknown share."""
    from ..data.corpus import Corpus
    from ..data.pairs import read_pairs

    if "model" not in own.about:
        raise ValueError("--pairs are sentences, and FILE has vectors: no model can encode them")
    read = read_pairs(pairs)
    encoded = encode_own(Corpus(read.name, read.sentences), how, compared=compared)
    left, right = read.rows
    sides, X = np.append(left, right), encoded.vectors
    others = {place: partial(np.take, Y, sides, axis=0) for place, Y in encoded.others.items()}
    return (X[left], X[right], read.gold_scores), others, encoded.unknown_share


def _text(found: Any, notes: list[str], _: Callable[[str], str]) -> str:
    from ..diagnosis import sentences
    from ..diagnosis.report import cure_table
    from .grid_text import columns

    head, rows = cure_table(found, _)
    lines = [sentences.measured(found, _), *notes, ""]
    for finding in found.findings:
        lines += [sentences.title(finding, _), f"  {sentences.finding_sentence(finding, _)}"]
    lines += ["", *columns([head, *rows]), "", sentences.basis(found, _), ""]
    last = (
        sentences.evidence,
        sentences.certainty,
        sentences.stay_here,
        sentences.recommendation,
    )
    return "\n".join([*lines, *filter(None, (line(found, _) for line in last))])
