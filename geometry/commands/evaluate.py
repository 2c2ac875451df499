"""python -m geometry evaluate: the scores of treatments by layer and pooling on sentence pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..data.recognise import Reading
from ..data.words import STOP_LISTS, TOKENIZERS
from ..evaluate.bootstrap import DRAWS
from ..evaluate.similarities import SIMILARITIES
from ..evaluate.subsets import AGGREGATIONS
from ..transform.treatments import LADDER
from .options import (
    ALL,
    BUNDLED,
    Columns,
    columns_of,
    layers_of,
    model_options,
    pairs_of,
    poolings_of,
    print_notes,
    reading_of,
    reading_options,
    texts_of,
    treatments_of,
    weightings_of,
)
from .shell import FORCE, errors_in_words, progress_on_stderr
from .subjects import ModelSubject, ScoredGrid, Settings, Subject, WordSubject

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
@model_options
@click.option("--layers", default=ALL, show_default=True, help="As 0,4,-1,first-last,1+6.")
@click.option("--poolings", default="mean,cls", show_default=True, help="As mean,cls,max.")
@click.option("--vectors", type=_FILE, help=_VECTORS_HELP)
@click.option("--weighting", default="mean", show_default=True, help=_WEIGHTING_HELP)
@click.option("--words", type=click.Choice(TOKENIZERS), help=_WORDS_HELP)
@click.option(
    "--stop-words",
    type=click.Choice(STOP_LISTS),
    default=STOP_LISTS[0],
    show_default=True,
    help=_STOP_HELP,
)
@click.option("--counts", type=_FILE, help=_COUNTS_HELP)
@click.option("--word-pairs", multiple=True, type=_FILE, help=_WORD_PAIRS_HELP)
@click.option("--pairs", multiple=True, default=(BUNDLED,), show_default=True, help=_PAIRS_HELP)
@click.option("--columns", help=_COLUMNS_HELP)
@reading_options
@click.option("--aggregate", type=click.Choice(AGGREGATIONS), help=_AGGREGATE_HELP)
@click.option("--transforms", default=",".join(LADDER), show_default=True, help="As pca:128:lw.")
@click.option("--fit", help="Pairs or texts to fit on; else the pairs' own sentences.")
@click.option("--fit-name", help="What to call that set; by default its file's name.")
@click.option("--dev", "--choose-on", "dev", multiple=True, help="Pairs to choose the cell on.")
@click.option("--similarity", type=click.Choice(SIMILARITIES), default="cosine", show_default=True)
@click.option("--draws", type=click.IntRange(min=1), default=DRAWS, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the resamples.")
@click.option("--csv", "csv_file", type=_OUT, help="Write the grid's rows there.")
@click.option("--json", "json_file", type=_OUT, help="Write the grid and its settings there.")
@FORCE
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
@click.pass_context
def evaluate(context: click.Context, /, **options: Any) -> None:
    """Spearman of layers, poolings and transforms on scored sentence pairs, with intervals.

    Of an encoder (--model), or of averaged word vectors (--vectors) through the same transforms.
    """
    with errors_in_words():
        _refuse_mixture(context, options)
        _check_outputs(options)
        options["reading"] = reading_of(options)
        columns = None if options["columns"] is None else columns_of(options["columns"])
        settings = _settings(options, columns)
        reading = options["reading"]
        pairs = _pairs(options["pairs"], columns, reading, settings)
        dev_pairs = _pairs(options["dev"], columns, reading, settings) if options["dev"] else None
        subject = _subject(options, settings)
        scored = subject.grid(pairs)
        dev = None if dev_pairs is None else subject.grid(dev_pairs)
        _show(subject, scored, dev, options)


def _settings(options: dict[str, Any], columns: Columns | None) -> Settings:
    fit, quiet, reading = options["fit"], options["quiet"], options["reading"]
    return Settings(
        treatments=treatments_of(options["transforms"]),
        similarity=options["similarity"],
        aggregation=options["aggregate"],
        draws=options["draws"],
        seed=options["seed"],
        quiet=quiet,
        fit_texts=None
        if fit is None
        else texts_of(fit, columns=columns, reading=reading, quiet=quiet),
        fit_on=None if fit is None else options["fit_name"] or Path(fit).stem,
    )


def _pairs(
    sources: tuple[str, ...], columns: Columns | None, reading: Reading, settings: Settings
) -> Any:
    """The pairs. An error is raised before the encoding, which takes minutes."""
    from ..evaluate.subsets import resamples_of

    if len(sources) > 1 and settings.aggregation is None:
        raise ValueError(
            f"{len(sources)} sets of pairs: say how they become one score, by --aggregate "
            f"{', '.join(AGGREGATIONS)}; published figures differ by it"
        )
    pairs = pairs_of(sources, columns=columns, reading=reading, quiet=settings.quiet)
    resamples_of(pairs, settings.aggregation, draws=1)
    return pairs


def _subject(options: dict[str, Any], settings: Settings) -> Subject:
    """The encoder or the word vectors; other options are checked before either is read."""
    if options["vectors"] is not None:
        from ..data.limits import OWN_FILES
        from ..vectors.bundled import read_bundled_vectors
        from ..vectors.word_files import read_vectors
        from ..vectors.word_pairs import read_word_pairs

        weightings = weightings_of(options["weighting"])
        word_pairs = [
            read_word_pairs(file, reading=options["reading"]) for file in options["word_pairs"]
        ]
        for read in word_pairs:
            print_notes(read)
        if str(options["vectors"]) == BUNDLED_GLOVE and not options["vectors"].exists():
            table = read_bundled_vectors("glove")
        else:
            table = read_vectors(options["vectors"], limits=OWN_FILES)
        how = {"counts_file": options["counts"], "tokenizer": options["words"]}
        how["stop_words"] = options["stop_words"]
        return WordSubject(table, weightings, settings, word_pairs, **how)
    from ..encode.load import load_encoder

    layers, poolings = layers_of(options["layers"]), poolings_of(options["poolings"])
    encoder = load_encoder(
        options["model"],
        revision=options["revision"],
        prefix=options["prefix"],
        progress=progress_on_stderr("downloading", quiet=settings.quiet),
    )
    return ModelSubject(encoder, layers, poolings, settings)


def _show(
    subject: Subject,
    scored: ScoredGrid,
    dev: ScoredGrid | None,
    options: dict[str, Any],
) -> None:
    from ..data.write import saving, write
    from ..evaluate import choose_on_dev, grid_csv, grid_json
    from .grid_text import chosen_text, grid_text

    grid, settings = scored.grid, scored.settings
    chosen = None if dev is None else choose_on_dev(dev.grid, grid)
    click.echo("\n".join([subject.title, *subject.about]))
    click.echo(grid_text(grid, notes=scored.notes))
    if chosen is not None and dev is not None:
        click.echo(f"\n{chosen_text(chosen, dev.grid, grid)}")
        for note in dev.notes:
            click.echo(f"  {dev.grid.evaluated_on}: {note}")
    made = {
        options["csv_file"]: lambda: grid_csv(grid, **settings),
        options["json_file"]: lambda: grid_json(grid, chosen=chosen, **settings),
    }
    for out, text in made.items():
        if out is not None:
            with saving(out):
                write(out, text().encode(), force=options["force"])


def _refuse_mixture(context: click.Context, options: dict[str, Any]) -> None:
    """Refuse options of models together with options of word vectors."""
    given = [
        name
        for name in options
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if "vectors" in given:
        wrong = [_option(name) for name in given if name in OF_MODELS]
        if wrong:
            raise ValueError(
                f"{', '.join(wrong)} and --vectors exclude each other: the one is of encoders, the "
                "other of word vectors. Leave one of them out"
            )
        return
    if wrong := [_option(name) for name in given if name in OF_VECTORS]:
        raise ValueError(f"{', '.join(wrong)} belongs to word vectors; give them by --vectors FILE")


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _check_outputs(options: dict[str, Any]) -> None:
    """Check that the files can be written, before the work starts."""
    from ..data.write import check_output

    several = ("pairs", "dev", "word_pairs")
    inputs = [options[name] for name in ("model", "vectors", "counts", "fit")]
    sources = [str(source) for name in several for source in options[name]]
    folders = [place for source in sources if (place := source.rpartition(":")[0])]
    inputs = [*inputs, *sources, *folders]
    for name, ending in (("csv_file", ".csv"), ("json_file", ".json")):
        if options[name] is not None:
            check_output(options[name], (ending,), inputs=inputs, force=options["force"])
