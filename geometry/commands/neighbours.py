"""python -m geometry neighbours: the nearest rows before and after a treatment, as a table."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from .. import measure
from ..data.errors import CorpusError
from ..data.relevance import Judged, JudgedQueries, judge, read_relevance
from ..evaluate.fit_size import split_halves
from ..evaluate.fitting import FitSet
from ..evaluate.specs import parse_treatment
from ..measure import NeighbourChanges, Search
from ..measure.search import BLOCK_ROWS, Nearest
from ..transform.treatments import Treatment
from . import options
from .options import FILE, OUT_TYPE, OwnData, OwnOptions, read_own, with_options
from .shell import progress_on_stderr, shell, show

SAME, HALF = "same", "half"
_FIT_HELP = (
    "A file to fit on; same: the rows themselves; half: half of them, and search the others."
)
HEAD = ("query_row", "query", "list", "rank", "row", "text", "cosine")


@shell.command(epilog=options.EXIT_CODES)
@FILE
@click.option("--out", required=True, type=OUT_TYPE, help="A .csv file for the neighbours.")
@with_options(*options.EVIDENCE)
@click.option("-k", "k", type=click.IntRange(min=1), default=10, help="How many.")
@click.option("--transform", default="zca:lw", help="As centred, pca:128:lw.")
@click.option("--fit", "fit_on", default=SAME, help=_FIT_HELP)
@click.option("--seed", type=int, default=0, help="Of the half and intervals.")
@with_options(*options.OWN_DATA)
def neighbours(
    file: Path, out: Path, k: int, transform: str, fit_on: str, seed: int, **reading: Any
) -> None:
    """Find the K nearest rows of FILE by cosine, exactly, before and after a transform.

    FILE has texts, which a model encodes, or vectors. The table has both lists of every query.
    The numbers printed are about all rows: how many neighbours stay, hubs, and with labels how
    many neighbours have the same label. Rows of zeros have no direction, and are left out.

    \b
    python -m geometry neighbours sentences.txt --out neighbours.csv
    python -m geometry neighbours sentences.txt --queries questions.txt -k 5 --out found.csv
    python -m geometry neighbours vectors.npy --queries q.npy --relevance qrels.tsv --out q.csv
    python -m geometry neighbours vectors.npy --transform centred --fit half --out n.csv --json
    """
    how = OwnOptions.of(**reading)
    how.check(out, (".csv",), file, fit_on)
    spec = parse_treatment(transform)
    own = read_own(file, how, has_ids=how.relevance is not None)
    rows = own.without_zeros()
    numbers: dict[str, Any] = {
        "about": dict(rows.about),
        "transform": transform,
        "seed": seed,
        "zero_rows_left_out": len(own.vectors) - len(rows.vectors),
        "fit": fit_on,
    }
    fit, rows = _fit_and_searched(rows, fit_on, how, seed)
    n, d = rows.vectors.shape
    if (most := n - 2) < k:
        raise click.UsageError(
            f"-k {k:,} leaves out none of the {n - 1:,} neighbours that each of {n:,} rows has, "
            f"so that no list could differ. Give -k {max(1, most):,} or less."
        )
    treatment = FitSet(fit).fit(spec)
    Z = treatment.apply(rows.vectors).retained
    both = Search(rows.vectors), Search(Z)
    asked = options.read_queries(how, rows)
    if asked is not None and (found := asked.vectors.shape[1]) != d:
        raise CorpusError("other_dimension", found=found, wanted=d)
    judged, vectors = _judged(rows, asked, how)
    labels = rows.labels if len({*(rows.labels or ())} - {""}) > 1 else None
    compared: dict[str, Any] = {"k": k, "labels": labels, "units": rows.units, "seed": seed}
    progress = progress_on_stderr("comparing rows")
    changes = measure.neighbour_changes(rows.vectors, Z, **compared, progress=progress)
    how.write_csv(out, HEAD, _table(rows, asked, treatment, both, k))
    numbers |= {"rows": n, "dimensions": d, "fit_rows": len(fit)}
    numbers |= _changed(changes, rows)
    if labels is not None:
        numbers["labelled_rows"] = len([*filter(None, labels)])
    if judged is not None:
        near = _nearest(both, vectors, treatment, changes.k, judged.left_out)
        n_scored = len(judged)
        numbers |= {"scored_queries": n_scored, "queries_left_out": judged.n_queries - n_scored}
        for name in ("recall", "ndcg", "mrr"):
            score = getattr(measure, f"{name}_at_k")
            before, after = (score(each.rows, judged.relevant) for each in near)
            numbers[name] = asdict(measure.retrieval_score(before, after, seed=seed))
    n_queries = n if asked is None else len(asked.vectors)
    last = f"{out}: {n_queries:,} queries, {k} neighbours in each list"
    result = {"out": str(out), "queries": n_queries, **numbers}
    show(result, "\n".join([*_lines(numbers), last]))


def _fit_and_searched(
    rows: OwnData, fit_on: str, how: OwnOptions, seed: int
) -> tuple[np.ndarray, OwnData]:
    if fit_on == SAME:
        return rows.vectors, rows
    if fit_on == HALF:
        halves = split_halves(len(rows.vectors), rows.units, random_state=seed)
        fitted, searched = map(np.sort, halves)
        return rows.vectors[fitted], rows.taken(searched)
    # labels and metadata belong to FILE
    reading = how.reading.but(holds=None if how.metadata is None else "vectors")
    other = replace(how, reading=reading, metadata=None, label_column=None)
    return read_own(Path(fit_on), other).without_zeros().vectors, rows


def _judged(
    rows: OwnData, asked: OwnData | None, how: OwnOptions
) -> tuple[Judged | JudgedQueries | None, Any]:
    """The queries of the file of answers, where texts may be written, and their vectors."""
    from ..diagnosis.sentences import evidence_note

    if how.relevance is None:
        return None, None
    if asked is not None or "model" not in rows.about:
        found = options.judged_queries(how.relevance, rows, asked)
        click.echo(f"{how.relevance.name}: {evidence_note(found, str)}", err=True)
        return found, found.vectors
    judged = judge(read_relevance(how.relevance), rows.texts or (), (rows.numbers - 1).tolist())
    if not len(judged):
        raise ValueError(options.NO_ANSWER)
    typed = [text for text, row in zip(judged.queries, judged.rows, strict=True) if row is None]
    where: dict[str, Any] = {"layer": how.layer, "pooling": how.pooling}
    progress = progress_on_stderr("encoding")
    encoded = iter(how.encoder.encode(typed, **where, progress=progress) if typed else ())
    vectors = [next(encoded) if row is None else rows.vectors[row] for row in judged.rows]
    return judged, np.array(vectors)


def _table(
    rows: OwnData, asked: OwnData | None, treatment: Treatment, both: Sequence[Search], k: int
) -> Iterator[tuple[Any, ...]]:
    texts = rows.names
    vectors = rows.vectors if asked is None else asked.vectors
    of_queries = texts if asked is None else asked.texts or asked.ids or asked.names
    for start in range(0, len(vectors), BLOCK_ROWS):
        raw = vectors[start : start + BLOCK_ROWS]
        places = range(start, start + len(raw))
        left_out = [() if asked is not None else (row,) for row in places]
        found = _nearest(both, raw, treatment, k, left_out)
        for place, row in enumerate(places):
            number = "" if asked is not None else rows.numbers[row]
            for name, lists in zip(("before", "after"), found, strict=True):
                near = zip(lists.rows[place], lists.cosines[place], strict=True)
                for rank, (other, cosine) in enumerate(near, start=1):
                    line = (rank, rows.numbers[other], texts[other], f"{cosine:.6f}")
                    yield number, of_queries[row], name, *line


def _changed(changes: NeighbourChanges, rows: OwnData) -> dict[str, Any]:
    before = changes.before
    after = changes.after
    names = rows.names
    hubs = []
    for row in before.hubs():
        times = {"before": int(before.occurrences[row]), "after": int(after.occurrences[row])}
        hubs.append({"row": int(rows.numbers[row]), "text": names[row], **times})
    numbers: dict[str, Any] = {
        "k": changes.k,
        "overlap": asdict(changes.jaccard),
        "hubness_before": before.hubness,
        "hubness_after": after.hubness,
        "hubs": hubs,
    }
    if changes.agreement is not None:
        agreements = (before.agreement, after.agreement, changes.agreement)
        for name, each in zip(("before", "after", "change"), agreements, strict=True):
            numbers[f"agreement_{name}"] = None if each is None else asdict(each)
    return numbers


def _nearest(
    both: Sequence[Search], Q: np.ndarray, treatment: Treatment, k: int, left_out: Sequence[Any]
) -> list[Nearest]:
    pairs = zip(both, (Q, treatment.apply(Q).retained), strict=True)
    return [search.nearest_except(vectors, k, left_out) for search, vectors in pairs]


def _lines(numbers: dict[str, Any]) -> Iterator[str]:
    fit = {SAME: "the rows themselves", HALF: "the other half of the rows"}
    ratio = numbers["fit_rows"] / numbers["dimensions"]
    yield (
        f"{numbers['rows']:,} rows of {numbers['dimensions']:,} numbers; {numbers['transform']} "
        f"fitted on {fit.get(numbers['fit'], numbers['fit'])} ({numbers['fit_rows']:,} rows, "
        f"n/d = {ratio:.2f}); seed {numbers['seed']}"
    )
    if numbers["zero_rows_left_out"]:
        yield f"rows of zeros, which have no direction: {numbers['zero_rows_left_out']:,} left out"
    yield f"overlap of the {numbers['k']} nearest (Jaccard): {_with_ends(numbers['overlap'])}"
    yield (
        f"hubness, without an interval: {numbers['hubness_before']:.3f} -> "
        f"{numbers['hubness_after']:.3f}"
    )
    if "agreement_change" in numbers:
        each = {name: numbers[f"agreement_{name}"] for name in ("before", "after", "change")}
        of = f"same label, of {numbers['labelled_rows']:,} rows with one"
        yield f"neighbours with the {of}: {_changes(each)}"
    elif "labelled_rows" in numbers:
        yield "neighbours with the same label: undefined, because no label repeats"
    for hub in numbers["hubs"][:1]:
        yield (
            f"most frequent neighbour before: row {hub['row']:,}, of {hub['before']:,} rows; "
            f"after: of {hub['after']:,}"
        )
    for name, title in (("recall", "recall"), ("ndcg", "nDCG"), ("mrr", "MRR")):
        if name in numbers:
            of = f"{title}@{numbers['k']} of {numbers['scored_queries']:,} queries"
            yield f"{of}: {_changes(numbers[name])}"


def _changes(each: dict[str, dict[str, float | None]]) -> str:
    before, after, change = (_with_ends(each[name]) for name in ("before", "after", "change"))
    return f"{before} -> {after}, change {change}"


def _with_ends(each: dict[str, float | None]) -> str:
    if each["low"] is None:
        return f"{each['value']:.3f}"
    return f"{each['value']:.3f} [{each['low']:.3f}, {each['high']:.3f}]"
