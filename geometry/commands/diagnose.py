"""python -m geometry diagnose: findings about vectors, and whether a cure helps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from .own_data import EXIT_CODES, OwnData, Reading, own_data_options, read_own
from .shell import errors_in_words, progress_on_stderr

_PAIRS_HELP = "Scored pairs of sentences, which judge in place of labels; FILE has texts."
_COMPARE_HELP = "Poolings whose layers are compared with this one; else those of --pooling."


@click.command(epilog=EXIT_CODES)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Report, .html.")
@click.option("--pairs", type=click.Path(dir_okay=False, path_type=Path), help=_PAIRS_HELP)
@click.option("--compare", help=_COMPARE_HELP)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the halves and intervals.")
@own_data_options
def diagnose(
    file: Path,
    out: Path | None,
    pairs: Path | None,
    compare: str | None,
    seed: int,
    as_json: bool,
    **reading: Any,
) -> None:
    """What is unusual about the vectors of FILE, and which cure helps on held-out rows.

    FILE has vectors, or texts that a model encodes. Labels or scored pairs say what helps. The
    last line is the recommendation.

    \b
    python -m geometry diagnose sentences.csv --labels topic --layer 4 --out report.html
    python -m geometry diagnose vectors.npy --json
    """
    from ..diagnosis import diagnose as diagnosed
    from ..diagnosis import diagnosis_json, report_html

    with errors_in_words():
        how = Reading(**reading)
        if out is not None and not out.parent.is_dir():
            raise ValueError(f"{out.parent} is no folder, so {out.name} can't be written there")
        own = read_own(file, how, compared=None if pairs else compare or how.pooling)
        about = dict(own.about)
        judged = None
        if pairs is not None:
            judged = _vectors_of_pairs(pairs, own, how)
            about["pairs"] = pairs.name
        found = diagnosed(
            own.vectors,
            texts=own.texts,
            labels=own.labels,
            pairs=judged,
            others=dict(own.others),
            seed=seed,
            about=about,
            numbers=own.numbers,
            progress=progress_on_stderr("diagnosing", quiet=how.quiet),
        )
        if out is not None:
            out.write_text(report_html(found), encoding="utf-8")
        if as_json:
            click.echo(json.dumps(diagnosis_json(found), ensure_ascii=False, allow_nan=False))
        else:
            click.echo(_text(found))


def _vectors_of_pairs(pairs: Path, own: OwnData, how: Reading) -> Any:
    """(left, right, gold) by the model of the texts."""
    from ..data.pairs import read_pairs
    from ..encode.load import load_encoder

    if "model" not in own.about:
        raise ValueError("--pairs are sentences, and FILE has vectors: no model can encode them")
    read = read_pairs(pairs)
    encoder = load_encoder(how.model, revision=how.revision)
    progress = progress_on_stderr("encoding pairs", quiet=how.quiet)
    X = encoder.encode(
        (*read.left, *read.right), layer=how.layer, pooling=how.pooling, progress=progress
    )
    return X[: len(read)], X[len(read) :], read.gold_scores


def _text(found: Any) -> str:
    from ..diagnosis import sentences
    from ..diagnosis.report import cure_table
    from .grid_text import columns

    head, rows = cure_table(found, str)
    lines = [sentences.measured(found, str), ""]
    for finding in found.findings:
        lines += [sentences.title(finding, str), f"  {sentences.finding_sentence(finding, str)}"]
    lines += ["", *columns([head, *rows]), "", sentences.basis(found, str), ""]
    last = (sentences.evidence, sentences.stay_here, sentences.recommendation)
    return "\n".join([*lines, *filter(None, (line(found, str) for line in last))])
