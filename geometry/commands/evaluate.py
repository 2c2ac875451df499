"""python -m geometry evaluate: the scores of treatments by layer and pooling on sentence pairs."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from .. import evaluate as scores
from ..data.limits import OWN_FILES
from ..data.pairs import Pairs
from ..data.recognise import Reading
from ..data.words import STOP_LISTS, TOKENIZERS
from ..data.write import check_output, saving, write
from ..encode.load import load_encoder
from ..evaluate.bootstrap import AGGREGATIONS, DRAWS, resamples_of
from ..evaluate.fitting import FitVectors
from ..evaluate.from_encoder import encode_fit
from ..evaluate.from_words import how_split
from ..evaluate.grid import layer_text
from ..evaluate.similarities import SIMILARITIES
from ..evaluate.specs import parse_treatments
from ..transform.treatments import LADDER
from . import options
from .shell import FORCE, QUIET, progress_on_stderr, shell, table_lines

RANK = "1/rank in the file"  # the name of counts that are estimated from the order
OF_MODELS = ("model", "revision", "prefix", "layers", "poolings")
OF_VECTORS = ("weighting", "words", "stop_words", "counts", "word_pairs")
BUNDLED_GLOVE = "bundled-glove"
FAULTS = {  # counts of a report on a file of word vectors
    "n_not_finite": "rows left out for NaN or infinity",
    "n_duplicates": "rows left out since their word came before",
    "n_replaced": "words with bytes that do not fit the encoding",
    "n_missing": "rows that its header states and that are missing",
}
AGGREGATED = {
    "all": "all (their pairs as one set)",
    "mean": "mean (of their scores)",
    "wmean": "wmean (of their scores, weighted by their pairs)",
}
HEADINGS = ("layer", "pooling", "treatment", "fitted on", "Spearman x 100", "to raw", "cosine", "")
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


@shell.command()
@options.with_options(*options.MODEL)
@click.option("--layers", default=options.ALL, help="As 0,4,-1,first-last,1+6.")
@click.option("--poolings", default="mean,cls", help="As mean,cls,max.")
@click.option("--vectors", type=options.FILE_TYPE, help=_VECTORS_HELP)
@click.option("--weighting", default="mean", help=_WEIGHTING_HELP)
@click.option("--words", type=click.Choice(TOKENIZERS), help=_WORDS_HELP)
@click.option("--stop-words", type=click.Choice(STOP_LISTS), default=STOP_LISTS[0], help=_STOP_HELP)
@click.option("--counts", type=options.FILE_TYPE, help=_COUNTS_HELP)
@click.option("--word-pairs", multiple=True, type=options.FILE_TYPE, help=_WORD_PAIRS_HELP)
@click.option("--pairs", multiple=True, default=(options.BUNDLED,), help=_PAIRS_HELP)
@click.option("--columns", help=_COLUMNS_HELP)
@options.with_options(*options.READING)
@click.option("--aggregate", type=click.Choice(AGGREGATIONS), help=_AGGREGATE_HELP)
@click.option("--transforms", default=",".join(LADDER), help="As pca:128:lw.")
@click.option("--fit", help="Pairs or texts to fit on; else the pairs' own sentences.")
@click.option("--fit-name", help="What to call that set; by default its file's name.")
@click.option("--dev", "--choose-on", "dev", multiple=True, help="Pairs to choose the cell on.")
@click.option("--similarity", type=click.Choice(SIMILARITIES), default="cosine")
@click.option("--draws", type=click.IntRange(min=1), default=DRAWS)
@click.option("--seed", type=int, default=0, help="Of the resamples.")
@click.option("--csv", "csv_file", type=options.OUT_TYPE, help="Write the grid's rows there.")
@click.option(
    "--json", "json_file", type=options.OUT_TYPE, help="Write the grid and its settings there."
)
@FORCE
@QUIET
def evaluate(**given: Any) -> None:
    """Spearman of layers, poolings and transforms on scored sentence pairs, with intervals.

    Of an encoder (--model), or of averaged word vectors (--vectors) through the same transforms.
    """
    _refuse_mixture(given)
    _check_outputs(given)
    reading = options.reading_of(given)
    columns = None if given["columns"] is None else options.columns_of(given["columns"])
    how: dict[str, Any] = {"columns": columns, "reading": reading}
    transforms = options.listed(given["transforms"], "transforms")
    fit = given["fit"]
    scoring: dict[str, Any] = {
        "treatments": tuple(spec.text for spec in parse_treatments(transforms)),
        "similarity": given["similarity"],
        "aggregation": given["aggregate"],
        "draws": given["draws"],
        "seed": given["seed"],
        "fit_on": None if fit is None else given["fit_name"] or Path(fit).stem,
    }
    fit_texts = None if fit is None else options.texts_of(fit, **how)
    pairs, dev_pairs = (_pairs(given[name], given["aggregate"], how) for name in ("pairs", "dev"))
    if given["vectors"] is None:
        lines, score = _encoder(given, scoring, fit_texts)
    else:
        lines, score = _word_vectors(given, scoring, fit_texts, reading)
    _show(lines, score(pairs), None if dev_pairs is None else score(dev_pairs), given)


def _pairs(sources: tuple[str, ...], aggregation: str | None, how: dict[str, Any]) -> Any:
    """The pairs, if there are any. An error is raised before the encoding, which takes minutes."""
    if not sources:
        return None
    if len(sources) > 1 and aggregation is None:
        raise ValueError(
            f"{len(sources)} sets of pairs: say how they become one score, by --aggregate "
            f"{', '.join(AGGREGATIONS)}; published figures differ by it"
        )
    pairs = options.pairs_of(sources, **how)
    resamples_of(pairs, aggregation, draws=1)
    return pairs


# a grid, settings that its rows depend on, and notes to print beside it
Scored = tuple[scores.Grid, Mapping[str, Any], Sequence[str]]
# lines that describe what is evaluated, and what scores it on pairs
Subject = tuple[Sequence[str], Callable[[Pairs], Scored]]


def _encoder(
    given: dict[str, Any], scoring: dict[str, Any], fit_texts: tuple[str, ...] | None
) -> Subject:
    """Layers by poolings. The fit set is encoded once for all sets of pairs."""
    layers = options.layers_of(given["layers"])
    poolings = options.poolings_of(given["poolings"])
    how: dict[str, Any] = {name: given[name] for name in ("revision", "prefix")}
    encoder = load_encoder(given["model"], **how, progress=progress_on_stderr("downloading"))
    commit = f" at {encoder.revision}" if encoder.revision else ""
    prefix = (f"prefix {encoder.prefix!r}",) if encoder.prefix else ()
    about = {"model": encoder.name, "revision": encoder.revision}
    about |= {"prefix": encoder.prefix} if encoder.prefix else {}

    @cache
    def fit_vectors() -> FitVectors | None:
        if fit_texts is None:
            return None
        at: dict[str, Any] = {"layers": layers or tuple(range(encoder.n_layers + 1))}
        at |= {"poolings": poolings, "treatments": scoring["treatments"]}
        progress = progress_on_stderr("reading the fit set")
        return encode_fit(encoder, fit_texts, **at, progress=progress)

    def score(pairs: Pairs) -> Scored:
        at: dict[str, Any] = {"layers": layers, "poolings": poolings, "fit_vectors": fit_vectors()}
        progress = progress_on_stderr(f"evaluating on {pairs.name}")
        grid = scores.evaluate_encoder(encoder, pairs, **at, **scoring, progress=progress)
        return grid, about, ()

    return (f"{encoder.name}{commit}", *prefix), score


def _word_vectors(
    given: dict[str, Any],
    scoring: dict[str, Any],
    fit_texts: tuple[str, ...] | None,
    reading: Reading,
) -> Subject:
    """Weightings take the place of poolings; without a file of counts they are 1/rank."""
    from ..vectors.word_averages import WEIGHTINGS, rank_counts, read_counts
    from ..vectors.word_files import read_bundled_vectors, read_vectors
    from ..vectors.word_pairs import read_word_pairs

    weightings: tuple[str, ...] = WEIGHTINGS
    if given["weighting"].strip() != options.ALL:
        weightings = options.listed(given["weighting"], "weighting")
    for name in weightings:
        if name not in WEIGHTINGS:
            raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}; got {name!r}")
    word_pairs = [read_word_pairs(file, reading=reading) for file in given["word_pairs"]]
    for read in word_pairs:
        options.print_notes(read)
    if str(given["vectors"]) == BUNDLED_GLOVE and not given["vectors"].exists():
        table = read_bundled_vectors("glove")
    else:
        table = read_vectors(given["vectors"], limits=OWN_FILES)
    counts, counts_name = None, None
    if given["counts"] is not None:
        counts = read_counts(given["counts"], limits=OWN_FILES)
        counts_name = given["counts"].stem
    elif any(name != "mean" for name in weightings):
        counts, counts_name = rank_counts(table), RANK
    of_words = {name: scoring[name] for name in ("similarity", "draws", "seed")}
    on_words = [scores.evaluate_word_pairs(table, each, **of_words) for each in word_pairs]

    def score(pairs: Pairs) -> Scored:
        how: dict[str, Any] = {"tokenizer": given["words"], "stop_words": given["stop_words"]}
        how |= {"weightings": weightings, "counts": counts, "fit_texts": fit_texts, **scoring}
        progress = progress_on_stderr(f"evaluating on {pairs.name}")
        words = scores.evaluate_words(table, pairs, **how, progress=progress)
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
    lines = [f"{table.name}: {n:,} word vectors of {d} numbers{of_counts}"]
    faults = [
        f"{what}: {n:,}" for name, what in FAULTS.items() if (n := getattr(table.report, name, 0))
    ]
    lines += ["file: " + "; ".join(faults)] if faults else []
    lines += [_word_pairs_text(each, scoring["seed"]) for each in on_words]
    return lines, score


def _show(lines: Sequence[str], scored: Scored, dev: Scored | None, given: dict[str, Any]) -> None:
    grid, settings, notes = scored
    lines, chosen = [*lines, _grid_text(grid, notes)], None
    if dev is not None:
        of_dev, _, notes = dev
        chosen = scores.choose_on_dev(of_dev, grid)
        on_dev = chosen.cell_on_dev
        place = f"layer {layer_text(on_dev.layer)}, {on_dev.pooling}, {on_dev.treatment}"
        lines += ["", f"Chosen on {of_dev.evaluated_on} among {chosen.n_cells} cells: {place}"]
        for each, cell in ((of_dev, on_dev), (grid, chosen.cell_on_test)):
            of = f"; {each.aggregation} of subsets" if each.subsets else ""
            fit = f"fitted on {_fit(cell)}{of}"
            lines.append(f"  on {each.evaluated_on}: {_score(cell.score)} ({fit})")
        lines += [f"  {of_dev.evaluated_on}: {note}" for note in notes]
    click.echo("\n".join(lines))
    as_json = partial(scores.grid_json, chosen=chosen)
    for out, written in ((given["csv_file"], scores.grid_csv), (given["json_file"], as_json)):
        if out is not None:
            with saving(out):
                write(out, written(grid, **settings).encode(), force=given["force"])


def _refuse_mixture(given: dict[str, Any]) -> None:
    source_of = click.get_current_context().get_parameter_source
    said = [name for name in given if source_of(name) is ParameterSource.COMMANDLINE]
    others = OF_MODELS if "vectors" in said else OF_VECTORS
    wrong = ", ".join("--" + name.replace("_", "-") for name in said if name in others)
    if wrong and "vectors" in said:
        raise ValueError(
            f"{wrong} and --vectors exclude each other: the one is of encoders, the "
            "other of word vectors. Leave one of them out"
        )
    if wrong:
        raise ValueError(f"{wrong} belongs to word vectors; give them by --vectors FILE")


def _check_outputs(given: dict[str, Any]) -> None:
    several = ("pairs", "dev", "word_pairs")
    inputs = [given[name] for name in ("model", "vectors", "counts", "fit")]
    sources = [str(source) for name in several for source in given[name]]
    folders = [place for source in sources if (place := source.rpartition(":")[0])]
    inputs = [*inputs, *sources, *folders]
    for name, ending in (("csv_file", ".csv"), ("json_file", ".json")):
        if given[name] is not None:
            check_output(given[name], (ending,), inputs=inputs, force=given["force"])


def _grid_text(grid: scores.Grid, notes: Sequence[str]) -> str:
    """Settings of the measurement, which belong to every number; then a line for each cell."""
    settings = (
        f"{grid.evaluated_on}: {grid.n:,} pairs, {grid.similarity}; [95% intervals] from "
        f"{grid.draws:,} resamples of the pairs, seed {grid.seed}"
    )
    if grid.subsets:
        sizes = ", ".join(f"{name} ({n:,})" for name, n in grid.subsets)
        settings += f"\nsubsets {sizes}; aggregated by {AGGREGATED[grid.aggregation]}"
    if grid.is_linked:
        settings += "\nshared sentences connect most pairs: the intervals are too narrow"
    subsets = tuple(name for name, _ in grid.subsets)
    rows = [(*HEADINGS[:-1], *subsets, HEADINGS[-1])]
    for cell in grid.cells:
        cosine = "" if cell.mean_cosine is None else f"{cell.mean_cosine:.3f}"
        numbers = _fit(cell), _score(cell.score), _difference(cell.difference), cosine
        of_parts = [_percent(cell.score.by_subset.get(name)) for name in subsets]
        place = layer_text(cell.layer), cell.pooling, cell.treatment
        rows.append((*place, *numbers, *of_parts, cell.note))
    return "\n".join([settings, *notes, "", *table_lines(rows)])


def _word_pairs_text(words: scores.WordPairScore, seed: int) -> str:
    score = words.score
    missing = f", not {', '.join(words.missing[:5])}" if words.missing else ""
    linked = "\nshared words connect most pairs: the interval is too narrow" * score.is_linked
    own = " (covariance of the file's own vectors)" if score.similarity == "mahalanobis" else ""
    return (
        f"{words.name}: {words.n_pairs:,} pairs of words, {score.similarity}{own}: {_score(score)} "
        f"(Spearman x 100) on the {score.n:,} ({100 * words.coverage:.1f}%) that have both "
        f"words{missing}; {score.draws:,} resamples, seed {seed}{linked}"
    )


def _fit(cell: scores.Cell) -> str:
    return "nothing" if cell.fit_on is None else f"{cell.fit_on} ({cell.n_fit:,})"


def _percent(score: scores.PairScore | None) -> str:
    if score is None or score.spearman is None:
        return "undefined"
    return f"{100 * score.spearman:.2f}"


def _score(score: scores.PairScore) -> str:
    return _percent(score) + _interval(score.low, score.high)


def _difference(difference: scores.Difference | None) -> str:
    if difference is None or difference.value is None:
        return ""
    return f"{100 * difference.value:+.1f}{_interval(difference.low, difference.high, '+')}"


def _interval(low: float | None, high: float | None, sign: str = "") -> str:
    if low is None or high is None:
        return ""
    return f" [{100 * low:{sign}.1f}, {100 * high:{sign}.1f}]"
