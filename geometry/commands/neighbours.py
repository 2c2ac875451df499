"""python -m geometry neighbours: the nearest rows before and after a treatment, as a table."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import BUNDLED
from .shell import errors_in_words, progress_on_stderr

if TYPE_CHECKING:
    import numpy as np

    from ..data.relevance import Judged
    from ..encode.encoder import Encoder
    from ..measure import NeighbourChanges, Search
    from ..transform.treatments import Treatment

SAME, HALF = "same", "half"
OF_VECTORS = (".npy", ".npz", ".safetensors")
HEAD = ("query_row", "query", "list", "rank", "row", "text", "cosine")
_FILE = click.Path(path_type=Path, dir_okay=False)
_IN_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
_EXAMPLES = """\b
Examples:
  python -m geometry neighbours sentences.txt --out neighbours.csv
  python -m geometry neighbours sentences.txt --queries questions.txt -k 5 --out found.csv
  python -m geometry neighbours vectors.npy --transform centred --fit half --out n.csv --json n.json
"""


@click.command(epilog=_EXAMPLES)
@click.argument("file", type=_IN_FILE)
@click.option("--out", required=True, type=_FILE, help="A CSV file for the neighbours.")
@click.option("--queries", type=_IN_FILE, help="Texts, one a line. Without it, every row.")
@click.option("--relevance", type=_IN_FILE, help="Queries with known answers, to be scored.")
@click.option(
    "-k", "k", type=click.IntRange(min=1), default=10, show_default=True, help="How many."
)
@click.option("--transform", default="zca:lw", show_default=True, help="As centred, pca:128:lw.")
@click.option(
    "--fit",
    "fit_on",
    default=SAME,
    show_default=True,
    help="A file to fit on; same: the rows themselves; half: half of them, and search the others.",
)
@click.option("--vectors", is_flag=True, help="FILE has vectors and not texts.")
@click.option(
    "--model",
    default=BUNDLED,
    show_default=True,
    help="A name on the Hugging Face Hub, or a folder.",
)
@click.option("--revision", help="Branch, tag or commit of a Hugging Face Hub model.")
@click.option("--layer", type=int, default=-1, show_default=True, help="-1 is the last.")
@click.option("--pooling", default="mean", show_default=True, help="As mean, cls, max.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the half and intervals.")
@click.option("--json", "json_file", type=_FILE, help="Write the numbers and settings there.")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def neighbours(file: Path, out: Path, json_file: Path | None, **options: Any) -> None:
    """Find the K nearest rows of FILE by cosine, exactly, before and after a transform.

    FILE has texts, which a model encodes, or vectors. The table has both lists of every query.
    The numbers printed are about all rows: how many neighbours stay, and hubs.
    """
    with errors_in_words():
        for target in filter(None, (out, json_file)):
            if not target.resolve().parent.is_dir():
                raise ValueError(f"{target}: its folder does not exist")
        found = _compare(file, options)
        _write(out, found, options["k"])
        numbers = _numbers(found, options)
        if json_file is not None:
            json_file.write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")
        for line in _lines(numbers):
            click.echo(line)
        click.echo(f"{out}: {len(found.queries):,} queries, {options['k']} neighbours in each list")


@dataclass(frozen=True)
class _Rows:
    """Vectors with their texts. The encoder is None for a file of vectors."""

    X: np.ndarray
    texts: Sequence[str]
    numbers: np.ndarray  # of each row in the file, from 0
    encoder: Encoder | None


@dataclass(frozen=True)
class _Compared:
    """What is written: the rows, both searches, the queries, and the numbers over all rows."""

    rows: _Rows
    n_fit: int
    treatment: Treatment
    searches: tuple[Search, Search]
    queries: Sequence[str]
    query_rows: Sequence[int | None]
    query_vectors: np.ndarray
    changes: NeighbourChanges
    judged: Judged | None
    judged_vectors: np.ndarray | None


def _compare(file: Path, options: dict[str, Any]) -> _Compared:
    import numpy as np

    from ..data.corpus import read_corpus
    from ..data.relevance import judge, read_relevance
    from ..evaluate.fit_size import split_halves
    from ..evaluate.fitting import FitSet
    from ..evaluate.specs import parse_treatment
    from ..measure import Search, neighbour_changes

    quiet, k, fit_on = options["quiet"], options["k"], options["fit_on"]
    spec = parse_treatment(options["transform"])
    rows = _read(file, options)
    if fit_on == HALF:
        fitted, shown = map(np.sort, split_halves(len(rows.X), random_state=options["seed"]))
        fit = rows.X[fitted]
        rows = _Rows(rows.X[shown], [rows.texts[row] for row in shown], shown, rows.encoder)
    elif fit_on == SAME:
        fit = rows.X
    else:
        fit = _read(Path(fit_on), options, encoder=rows.encoder).X
    treatment = FitSet(fit, eps=float(np.finfo(fit.dtype).eps)).fit(spec)
    Z = treatment.apply(rows.X).retained
    queries: Sequence[str] = rows.texts
    query_rows: Sequence[int | None] = range(len(rows.X))
    query_vectors = rows.X
    if options["queries"] is not None:
        if rows.encoder is None:
            raise ValueError(
                "--queries are texts, and FILE has vectors. Leave it out for every row"
            )
        queries = read_corpus(options["queries"]).texts
        query_rows = [None] * len(queries)
        query_vectors = _encode(rows.encoder, queries, options)
    judged = judged_vectors = None
    if options["relevance"] is not None:
        judged = judge(read_relevance(options["relevance"]), rows.texts, rows.numbers.tolist())
        typed = [text for text, row in zip(judged.queries, judged.rows, strict=True) if row is None]
        if typed and rows.encoder is None:
            raise ValueError("--relevance has queries that are no rows of FILE, which has vectors")
        if not len(judged):
            raise ValueError("--relevance has no query with an answer among the rows searched")
        encoded = (
            iter(_encode(rows.encoder, typed, options)) if rows.encoder and typed else iter(())
        )
        judged_vectors = np.array(
            [next(encoded) if row is None else rows.X[row] for row in judged.rows]
        )
    return _Compared(
        rows=rows,
        n_fit=len(fit),
        treatment=treatment,
        searches=(Search(rows.X), Search(Z)),
        queries=queries,
        query_rows=query_rows,
        query_vectors=query_vectors,
        changes=neighbour_changes(
            rows.X,
            Z,
            k=min(k, len(rows.X) - 2),
            seed=options["seed"],
            progress=progress_on_stderr("comparing rows", quiet=quiet),
        ),
        judged=judged,
        judged_vectors=judged_vectors,
    )


def _read(file: Path, options: dict[str, Any], encoder: Encoder | None = None) -> _Rows:
    """Texts and their vectors, or vectors."""
    import numpy as np

    from ..data.corpus import read_corpus
    from ..data.limits import OWN_FILES
    from ..encode.load import load_encoder
    from ..vectors import read_vector_set

    if options["vectors"] or file.suffix in OF_VECTORS:
        read = read_vector_set(file, limits=OWN_FILES)
        texts: Sequence[str] = read.texts or [f"#{row}" for row in range(1, len(read) + 1)]
        return _Rows(read.vectors, texts, np.arange(len(read)), None)
    texts = read_corpus(file).texts
    quiet = options["quiet"]
    encoder = encoder or load_encoder(
        options["model"],
        revision=options["revision"],
        progress=progress_on_stderr("downloading", quiet=quiet),
    )
    return _Rows(_encode(encoder, texts, options), texts, np.arange(len(texts)), encoder)


def _encode(encoder: Encoder, texts: Sequence[str], options: dict[str, Any]) -> np.ndarray:
    return encoder.encode(
        texts,
        layer=options["layer"],
        pooling=options["pooling"],
        progress=progress_on_stderr("encoding", quiet=options["quiet"]),
    )


def _write(out: Path, found: _Compared, k: int) -> None:
    from ..data.csv_cells import csv_cell

    with out.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        for line in _table(found, k):
            writer.writerow(map(csv_cell, line))


def _table(found: _Compared, k: int) -> Iterator[tuple[Any, ...]]:
    """The lines of both lists, query by query."""
    from ..measure.search import BLOCK_ROWS

    rows, numbers = found.rows, found.rows.numbers
    for start in range(0, len(found.queries), BLOCK_ROWS):
        part = slice(start, start + BLOCK_ROWS)
        raw = found.query_vectors[part]
        own = list(found.query_rows[part])
        vectors = (raw, found.treatment.apply(raw).retained)
        both = [
            _found(search, Q, own, k) for search, Q in zip(found.searches, vectors, strict=True)
        ]
        for place, row in enumerate(own):
            number = "" if row is None else numbers[row] + 1
            query = found.queries[start + place]
            for name, lists in zip(("before", "after"), both, strict=True):
                for rank, (other, cosine) in enumerate(lists[place], start=1):
                    text = rows.texts[other]
                    yield number, query, name, rank, numbers[other] + 1, text, f"{cosine:.6f}"


def _found(
    search: Search, Q: np.ndarray, own: Sequence[int | None], k: int
) -> list[list[tuple[int, float]]]:
    """The k nearest of each query, without itself."""
    near = search.nearest(Q, k + 1)
    return [
        [pair for pair in zip(map(int, rows), cosines, strict=True) if pair[0] != row][:k]
        for rows, cosines, row in zip(near.rows, near.cosines, own, strict=True)
    ]


def _numbers(found: _Compared, options: dict[str, Any]) -> dict[str, Any]:
    """Everything that is measured, and the settings."""
    import numpy as np

    from ..measure import ndcg_at_k, recall_at_k, retrieval_score

    changes, n, d = found.changes, *found.rows.X.shape
    settings = ["transform", "seed"]
    if found.rows.encoder is not None:
        settings += ["model", "revision", "layer", "pooling"]
    numbers: dict[str, Any] = {
        **{name: options[name] for name in settings},
        "k": changes.k,
        "rows": n,
        "dimensions": d,
        "fit": options["fit_on"],
        "fit_rows": found.n_fit,
        "overlap": asdict(changes.jaccard),
        "hubness_before": asdict(changes.before.hubness),
        "hubness_after": asdict(changes.after.hubness),
        "hubness_change": asdict(changes.hubness),
        "hubs": [
            {
                "row": int(found.rows.numbers[row]) + 1,
                "text": found.rows.texts[row],
                "before": int(changes.before.occurrences[row]),
                "after": int(changes.after.occurrences[row]),
            }
            for row in changes.before.hubs()
        ],
    }
    if found.judged is not None and found.judged_vectors is not None:
        Q = found.judged_vectors
        scores: dict[str, list[np.ndarray]] = {"recall": [], "ndcg": []}
        for search, vectors in zip(
            found.searches, (Q, found.treatment.apply(Q).retained), strict=True
        ):
            lists = _found(search, vectors, found.judged.rows, changes.k)
            near = np.array([[row for row, _cosine in each] for each in lists])
            scores["recall"].append(recall_at_k(near, found.judged.relevant))
            scores["ndcg"].append(ndcg_at_k(near, found.judged.relevant))
        numbers["queries"] = len(found.judged)
        numbers["queries_left_out"] = found.judged.n_queries - len(found.judged)
        for name, (before, after) in scores.items():
            numbers[name] = asdict(retrieval_score(before, after, seed=options["seed"]))
    return numbers


def _lines(numbers: dict[str, Any]) -> Iterator[str]:
    fit = {SAME: "the rows themselves", HALF: "the other half of the rows"}
    ratio = numbers["fit_rows"] / numbers["dimensions"]
    yield (
        f"{numbers['rows']:,} rows of {numbers['dimensions']:,} numbers; {numbers['transform']} "
        f"fitted on {fit.get(numbers['fit'], numbers['fit'])} ({numbers['fit_rows']:,} rows, "
        f"n/d = {ratio:.2f}); seed {numbers['seed']}"
    )
    yield f"overlap of the {numbers['k']} nearest (Jaccard): {_with_ends(numbers['overlap'])}"
    yield (
        f"hubness: {_with_ends(numbers['hubness_before'])} -> "
        f"{_with_ends(numbers['hubness_after'])}, change {_with_ends(numbers['hubness_change'])}"
    )
    for hub in numbers["hubs"][:1]:
        yield (
            f"most frequent neighbour before: row {hub['row']:,}, of {hub['before']:,} rows; "
            f"after: of {hub['after']:,}"
        )
    for name, title in (("recall", "recall"), ("ndcg", "nDCG")):
        if name in numbers:
            yield (
                f"{title}@{numbers['k']} of {numbers['queries']:,} queries: "
                f"{_with_ends(numbers[name]['before'])} -> {_with_ends(numbers[name]['after'])}, "
                f"change {_with_ends(numbers[name]['change'])}"
            )


def _with_ends(each: dict[str, float | None]) -> str:
    if each["low"] is None:
        return f"{each['value']:.3f}"
    return f"{each['value']:.3f} [{each['low']:.3f}, {each['high']:.3f}]"
