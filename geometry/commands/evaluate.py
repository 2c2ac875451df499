"""python -m geometry evaluate: the scores of treatments by layer and pooling on sentence pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..data.recognise import Reading
from ..data.words import STOP_LISTS, TOKENIZERS
from ..evaluate.bootstrap import AGGREGATIONS, DRAWS
from ..evaluate.similarities import SIMILARITIES
from ..transform.treatments import LADDER
from .options import (
    ALL,
    BUNDLED,
    MODEL,
    READING,
    columns_of,
    layers_of,
    listed,
    pairs_of,
    poolings_of,
    print_notes,
    reading_of,
    texts_of,
    weightings_of,
    with_options,
)
from .shell import FORCE, progress_on_stderr

if TYPE_CHECKING:
    from ..data.embeddings import VectorReport
    from ..data.pairs import Pairs
    from ..evaluate import Grid
    from ..evaluate.fitting import FitVectors

RANK = "1/rank in the file"  # the name of counts that are estimated from the order
OF_MODELS = ("model", "revision", "prefix", "layers", "poolings")
OF_VECTORS = ("weighting", "words", "stop_words", "counts", "word_pairs")
BUNDLED_GLOVE = "bundled-glove"
_FILE = click.Path(dir_okay=False, path_type=Path)
_OUT = click.Path(path_type=Path)
_PAIRS_HELP = (
    "bundled (as pairs), hard-pairs or pairs-zh; a table of scored pairs; folder:split; a set of "
    "the Hugging Face Hub, such as stsb:test or sickr:test. Several are subsets for --aggregate."
)
_VECTORS_HELP = (
    "Word vectors in place of a model: GloVe, word2vec, fastText, npz, safetensors; or "
    "bundled-glove, which come with the project."
)
_WEIGHTING_HELP = "How words are averaged: mean, sif, zipf, or several."
_WORDS_HELP = "How texts become words; else characters for Chinese without spaces, or unicode."
_STOP_HELP = "Leave out stop words of every average: sklearn, scikit-learn's 318 English ones."
_COUNTS_HELP = "Words and counts for sif and zipf; else 1/rank in the file of vectors."
_WORD_PAIRS_HELP = "Two words and a score a line, as SimLex-999; scored beside the grid."
_COLUMNS_HELP = "Of a table of pairs, by name or from 0, as left,right,score; else found."
_AGGREGATE_HELP = "One score of named subsets: of all pairs, or the mean of theirs."


@click.command()
@with_options(*MODEL)
@click.option("--layers", default=ALL, help="As 0,4,-1,first-last,1+6.")
@click.option("--poolings", default="mean,cls", help="As mean,cls,max.")
@click.option("--vectors", type=_FILE, help=_VECTORS_HELP)
@click.option("--weighting", default="mean", help=_WEIGHTING_HELP)
@click.option("--words", type=click.Choice(TOKENIZERS), help=_WORDS_HELP)
@click.option("--stop-words", type=click.Choice(STOP_LISTS), default=STOP_LISTS[0], help=_STOP_HELP)
@click.option("--counts", type=_FILE, help=_COUNTS_HELP)
@click.option("--word-pairs", multiple=True, type=_FILE, help=_WORD_PAIRS_HELP)
@click.option("--pairs", multiple=True, default=(BUNDLED,), help=_PAIRS_HELP)
@click.option("--columns", help=_COLUMNS_HELP)
@with_options(*READING)
@click.option("--aggregate", type=click.Choice(AGGREGATIONS), help=_AGGREGATE_HELP)
@click.option("--transforms", default=",".join(LADDER), help="As pca:128:lw.")
@click.option("--fit", help="Pairs or texts to fit on; else the pairs' own sentences.")
@click.option("--fit-name", help="What to call that set; by default its file's name.")
@click.option("--dev", "--choose-on", "dev", multiple=True, help="Pairs to choose the cell on.")
@click.option("--similarity", type=click.Choice(SIMILARITIES), default="cosine")
@click.option("--draws", type=click.IntRange(min=1), default=DRAWS)
@click.option("--seed", type=int, default=0, help="Of the resamples.")
@click.option("--csv", "csv_file", type=_OUT, help="Write the grid's rows there.")
@click.option("--json", "json_file", type=_OUT, help="Write the grid and its settings there.")
@FORCE
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
@click.pass_context
def evaluate(context: click.Context, /, **options: Any) -> None:
    """Spearman of layers, poolings and transforms on scored sentence pairs, with intervals.

    Of an encoder (--model), or of averaged word vectors (--vectors) through the same transforms.
    """
    from ..evaluate.specs import parse_treatments

    _refuse_mixture(context, options)
    _check_outputs(options)
    reading, quiet, fit = reading_of(options), options["quiet"], options["fit"]
    columns = None if options["columns"] is None else columns_of(options["columns"])
    how: dict[str, Any] = {"columns": columns, "reading": reading, "quiet": quiet}
    transforms = listed(options["transforms"], "transforms")
    scoring: dict[str, Any] = {
        "treatments": tuple(spec.text for spec in parse_treatments(transforms)),
        "similarity": options["similarity"],
        "aggregation": options["aggregate"],
        "draws": options["draws"],
        "seed": options["seed"],
        "fit_on": None if fit is None else options["fit_name"] or Path(fit).stem,
    }
    fit_texts = None if fit is None else texts_of(fit, **how)
    pairs, dev_pairs = (
        _pairs(options[name], options["aggregate"], how) for name in ("pairs", "dev")
    )
    if options["vectors"] is None:
        lines, score = _encoder(options, scoring, fit_texts)
    else:
        lines, score = _word_vectors(options, scoring, fit_texts, reading)
    _show(lines, score(pairs), None if dev_pairs is None else score(dev_pairs), options)


def _pairs(sources: tuple[str, ...], aggregation: str | None, how: dict[str, Any]) -> Any:
    """The pairs, if there are any. An error is raised before the encoding, which takes minutes."""
    from ..evaluate.bootstrap import resamples_of

    if not sources:
        return None
    if len(sources) > 1 and aggregation is None:
        raise ValueError(
            f"{len(sources)} sets of pairs: say how they become one score, by --aggregate "
            f"{', '.join(AGGREGATIONS)}; published figures differ by it"
        )
    pairs = pairs_of(sources, **how)
    resamples_of(pairs, aggregation, draws=1)
    return pairs


# a grid, settings that its rows depend on, and notes to print beside it
Scored = tuple["Grid", Mapping[str, Any], Sequence[str]]
# lines that describe what is evaluated, and what scores it on pairs
Subject = tuple[Sequence[str], Callable[["Pairs"], Scored]]


def _encoder(
    options: dict[str, Any], scoring: dict[str, Any], fit_texts: tuple[str, ...] | None
) -> Subject:
    """Layers by poolings. The fit set is encoded once for all sets of pairs."""
    from ..encode.load import load_encoder
    from ..evaluate import evaluate_encoder
    from ..evaluate.from_encoder import encode_fit

    layers, poolings = layers_of(options["layers"]), poolings_of(options["poolings"])
    quiet = options["quiet"]
    encoder = load_encoder(
        options["model"],
        revision=options["revision"],
        prefix=options["prefix"],
        progress=progress_on_stderr("downloading", quiet=quiet),
    )
    at = f" at {encoder.revision}" if encoder.revision else ""
    prefix = (f"prefix {encoder.prefix!r}",) if encoder.prefix else ()
    about = {"model": encoder.name, "revision": encoder.revision}
    about |= {"prefix": encoder.prefix} if encoder.prefix else {}

    @cache
    def fit_vectors() -> FitVectors | None:
        if fit_texts is None:
            return None
        return encode_fit(
            encoder,
            fit_texts,
            layers=layers or tuple(range(encoder.n_layers + 1)),
            poolings=poolings,
            treatments=scoring["treatments"],
            progress=progress_on_stderr("reading the fit set", quiet=quiet),
        )

    def score(pairs: Pairs) -> Scored:
        grid = evaluate_encoder(
            encoder,
            pairs,
            layers=layers,
            poolings=poolings,
            fit_vectors=fit_vectors(),
            progress=progress_on_stderr(f"evaluating on {pairs.name}", quiet=quiet),
            **scoring,
        )
        return grid, about, ()

    return (f"{encoder.name}{at}", *prefix), score


def _word_vectors(
    options: dict[str, Any],
    scoring: dict[str, Any],
    fit_texts: tuple[str, ...] | None,
    reading: Reading,
) -> Subject:
    """Weightings take the place of poolings; without a file of counts they are 1/rank."""
    from ..data.limits import OWN_FILES
    from ..evaluate import evaluate_word_pairs, evaluate_words
    from ..evaluate.from_words import how_split
    from ..vectors.bundled import read_bundled_vectors
    from ..vectors.word_averages import rank_counts, read_counts
    from ..vectors.word_files import read_vectors
    from ..vectors.word_pairs import read_word_pairs
    from .grid_text import word_pairs_text

    weightings = weightings_of(options["weighting"])
    word_pairs = [read_word_pairs(file, reading=reading) for file in options["word_pairs"]]
    for read in word_pairs:
        print_notes(read)
    if str(options["vectors"]) == BUNDLED_GLOVE and not options["vectors"].exists():
        table = read_bundled_vectors("glove")
    else:
        table = read_vectors(options["vectors"], limits=OWN_FILES)
    counts, counts_name = None, None
    if options["counts"] is not None:
        counts = read_counts(options["counts"], limits=OWN_FILES)
        counts_name = options["counts"].stem
    elif any(name != "mean" for name in weightings):
        counts, counts_name = rank_counts(table), RANK
    on_words = [
        evaluate_word_pairs(
            table, each, **{name: scoring[name] for name in ("similarity", "draws", "seed")}
        )
        for each in word_pairs
    ]

    def score(pairs: Pairs) -> Scored:
        progress = progress_on_stderr(f"evaluating on {pairs.name}", quiet=options["quiet"])
        words = evaluate_words(
            table,
            pairs,
            weightings=weightings,
            counts=counts,
            fit_texts=fit_texts,
            tokenizer=options["words"],
            stop_words=options["stop_words"],
            progress=progress,
            **scoring,
        )
        stops = words.stop_words
        settings = {
            "vectors": table.name,
            "counts": counts_name,
            "words": words.tokenizer,
            "stop_words": None if stops is None else "{}, {} words".format(*stops),
            "coverage": words.coverage,
            "n_pairs_left_out": words.n_left_out,
            "n_pairs_of_stop_words": words.n_stopped,
        }
        if on_words:
            settings["word_pairs"] = "; ".join(
                f"{each.name} {each.score.spearman} [{each.score.low}, {each.score.high}] "
                f"({each.score.n} of {each.n_pairs})"
                for each in on_words
            )
        unknown = ", ".join(f"{word} ({n:,})" for word, n in words.unknown[:5])
        notes = [
            f"coverage: {100 * words.coverage:.1f}% of the words are known"
            + (f", not {unknown}" if unknown else ""),
            f"words: {how_split(words)}",
            f"{words.n_left_out:,} of {len(pairs):,} pairs left out: a sentence has no known word"
            + (f" ({words.n_stopped:,}: none but stop words)" if stops else ""),
        ]
        if fit_texts is not None:
            n = len(dict.fromkeys(fit_texts))
            notes.append(f"{words.n_fit_left_out:,} of {n:,} texts of {scoring['fit_on']} likewise")
        return words.grid, settings, notes

    n, d = table.vectors.shape
    of_counts = f"; counts of words: {counts_name}" if counts_name else ""
    lines = [
        f"{table.name}: {n:,} word vectors of {d} numbers{of_counts}",
        *([] if table.report is None else _file_lines(table.report)),
        *(word_pairs_text(each, scoring["seed"]) for each in on_words),
    ]
    return lines, score


def _file_lines(report: VectorReport) -> list[str]:
    counted = (
        (report.n_not_finite, "rows left out for NaN or infinity"),
        (report.n_duplicates, "rows left out since their word came before"),
        (report.n_replaced, "words with bytes that do not fit the encoding"),
        (report.n_missing, "rows that its header states and that are missing"),
    )
    parts = [f"{what}: {n:,}" for n, what in counted if n]
    return ["file: " + "; ".join(parts)] if parts else []


def _show(
    lines: Sequence[str], scored: Scored, dev: Scored | None, options: dict[str, Any]
) -> None:
    from ..data.write import saving, write
    from ..evaluate import choose_on_dev, grid_csv, grid_json
    from .grid_text import chosen_text, grid_text

    grid, settings, notes = scored
    lines, chosen = [*lines, grid_text(grid, notes=notes)], None
    if dev is not None:
        of_dev, _, notes = dev
        chosen = choose_on_dev(of_dev, grid)
        lines += ["", chosen_text(chosen, of_dev, grid)]
        lines += [f"  {of_dev.evaluated_on}: {note}" for note in notes]
    click.echo("\n".join(lines))
    for out, written in (
        (options["csv_file"], grid_csv),
        (options["json_file"], partial(grid_json, chosen=chosen)),
    ):
        if out is not None:
            with saving(out):
                write(out, written(grid, **settings).encode(), force=options["force"])


def _refuse_mixture(context: click.Context, options: dict[str, Any]) -> None:
    given = [
        name
        for name in options
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    others = OF_MODELS if "vectors" in given else OF_VECTORS
    wrong = ", ".join("--" + name.replace("_", "-") for name in given if name in others)
    if wrong and "vectors" in given:
        raise ValueError(
            f"{wrong} and --vectors exclude each other: the one is of encoders, the "
            "other of word vectors. Leave one of them out"
        )
    if wrong:
        raise ValueError(f"{wrong} belongs to word vectors; give them by --vectors FILE")


def _check_outputs(options: dict[str, Any]) -> None:
    from ..data.write import check_output

    several = ("pairs", "dev", "word_pairs")
    inputs = [options[name] for name in ("model", "vectors", "counts", "fit")]
    sources = [str(source) for name in several for source in options[name]]
    folders = [place for source in sources if (place := source.rpartition(":")[0])]
    inputs = [*inputs, *sources, *folders]
    for name, ending in (("csv_file", ".csv"), ("json_file", ".json")):
        if options[name] is not None:
            check_output(options[name], (ending,), inputs=inputs, force=options["force"])
