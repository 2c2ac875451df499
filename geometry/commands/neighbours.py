"""python -m geometry neighbours: the nearest rows before and after a treatment, as a table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from .judging import EVIDENCE, NO_ANSWER, judged_queries, read_beside
from .options import with_options
from .own_data import EXIT_CODES, OwnData, OwnOptions, own_data_options, read_own
from .shell import FORCE, errors_in_words, progress_on_stderr

if TYPE_CHECKING:
    import numpy as np

    from ..data.embeddings import VectorSet
    from ..data.relevance import Judged, JudgedQueries
    from ..measure import NeighbourChanges, Search
    from ..transform.treatments import Treatment

SAME, HALF = "same", "half"
HEAD = ("query_row", "query", "list", "rank", "row", "text", "cosine")
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(epilog=EXIT_CODES)
@click.argument("file", type=_FILE)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="A .csv file for the neighbours."
)
@partial(with_options, options=EVIDENCE)
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
@click.option("--seed", type=int, default=0, show_default=True, help="Of the half and intervals.")
@FORCE
@own_data_options
def neighbours(
    file: Path,
    out: Path,
    queries: Path | None,
    relevance: Path | None,
    k: int,
    transform: str,
    fit_on: str,
    seed: int,
    force: bool,
    as_json: bool,
    **reading: Any,
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
    from ..data.write import check_output, saving, written

    with errors_in_words():
        how = OwnOptions.of(**reading)
        inputs = (file, queries, relevance, how.metadata, fit_on)
        check_output(out, (".csv",), inputs=inputs, force=force)
        request = _Request(queries, relevance, k, transform, fit_on, seed)
        found = _compare(file, request, how)
        with saving(out), written(out, force=force) as binary:
            _write(binary, found, k)
        numbers = _numbers(found, request)
        if as_json:
            click.echo(json.dumps({"out": str(out), "queries": len(found.queries), **numbers}))
            return
        for line in _lines(numbers):
            click.echo(line)
        click.echo(f"{out}: {len(found.queries):,} queries, {k} neighbours in each list")


@dataclass(frozen=True)
class _Request:
    """The options of this command alone."""

    queries: Path | None
    relevance: Path | None
    k: int
    transform: str
    fit_on: str
    seed: int


@dataclass(frozen=True)
class _OwnRows:
    """Vectors without rows of zeros, with what belongs to them."""

    X: np.ndarray
    texts: Sequence[str]
    labels: Sequence[str] | None
    numbers: np.ndarray  # row numbers in the file, from 0
    n_zero: int
    about: Mapping[str, str]
    units: np.ndarray | None = None  # the text of each sentence, where texts were split
    ids: Sequence[str] | None = None

    @classmethod
    def of(cls, own: OwnData) -> _OwnRows:
        import numpy as np

        n = len(own.vectors)
        numbers = np.arange(n) if own.numbers is None else own.numbers - 1
        texts = own.texts or [f"#{row + 1}" for row in numbers]
        labels = own.labels if len({*(own.labels or ())} - {""}) > 1 else None
        units = None if own.sources is None else np.array(own.sources)
        every = cls(own.vectors, texts, labels, numbers, 0, own.about, units, own.ids)
        rows = every.take(np.flatnonzero(own.vectors.any(axis=1)))
        return replace(rows, n_zero=n - len(rows.X))

    @property
    def are_texts(self) -> bool:
        """True if a model encoded the rows; it can then encode other texts."""
        return "model" in self.about

    @property
    def named(self) -> VectorSet:
        """The vectors with all that names their rows."""
        from ..data.embeddings import VectorSet

        ids = None if self.ids is None else tuple(self.ids)
        return VectorSet("", self.X, tuple(self.texts), numbers=self.numbers + 1, ids=ids)

    def take(self, rows: np.ndarray) -> _OwnRows:
        """Only these rows (m,)."""
        return replace(
            self,
            X=self.X[rows],
            texts=[self.texts[row] for row in rows],
            labels=None if self.labels is None else [self.labels[row] for row in rows],
            numbers=self.numbers[rows],
            units=None if self.units is None else self.units[rows],
            ids=None if self.ids is None else [self.ids[row] for row in rows],
        )


@dataclass(frozen=True)
class _Compared:
    """What is written: the rows, both searches, the queries, and the numbers over all rows."""

    rows: _OwnRows
    n_fit: int
    treatment: Treatment
    searches: tuple[Search, Search]
    queries: Sequence[str]
    query_rows: Sequence[int | None]
    query_vectors: np.ndarray
    changes: NeighbourChanges
    judged: Judged | JudgedQueries | None
    judged_vectors: np.ndarray | None


def _compare(file: Path, request: _Request, how: OwnOptions) -> _Compared:
    import numpy as np

    from ..data.limits import CorpusError
    from ..evaluate.fit_size import split_halves
    from ..evaluate.fitting import FitSet
    from ..evaluate.specs import parse_treatment
    from ..measure import Search, neighbour_changes

    spec = parse_treatment(request.transform)
    has_ids = request.relevance is not None
    rows = _OwnRows.of(read_own(file, how, has_ids=has_ids))
    if request.fit_on == HALF:
        fitted, shown = map(
            np.sort, split_halves(len(rows.X), rows.units, random_state=request.seed)
        )
        fit, rows = rows.X[fitted], rows.take(shown)
    elif request.fit_on == SAME:
        fit = rows.X
    else:  # labels and metadata belong to FILE
        reading = how.reading.but(holds=None if how.metadata is None else "vectors")
        other = replace(how, reading=reading, metadata=None, label_column=None)
        fit = _OwnRows.of(read_own(Path(request.fit_on), other)).X
    if (most := len(rows.X) - 2) < request.k:
        raise click.UsageError(
            f"-k {request.k:,} is more than the {most:,} neighbours that {len(rows.X):,} rows can "
            f"have and still differ. Give -k {max(1, most):,} or less."
        )
    treatment = FitSet(fit).fit(spec)
    Z = treatment.apply(rows.X).retained
    queries: Sequence[str] = rows.texts
    query_rows: Sequence[int | None] = range(len(rows.X))
    query_vectors = rows.X
    asked = None
    if request.queries is not None:
        asked = read_beside(request.queries, how, of_texts=rows.are_texts)
        query_vectors = asked.vectors
        if query_vectors.shape[1] != rows.X.shape[1]:
            found, wanted = query_vectors.shape[1], rows.X.shape[1]
            raise CorpusError("other_dimension", found=found, wanted=wanted)
        queries = asked.texts or asked.ids or [f"#{n + 1}" for n in range(len(query_vectors))]
        query_rows = [None] * len(queries)
    judged, judged_vectors = _judged(request.relevance, rows, asked, how)
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
            k=request.k,
            labels=rows.labels,
            units=rows.units,
            seed=request.seed,
            progress=progress_on_stderr("comparing rows", quiet=how.quiet),
        ),
        judged=judged,
        judged_vectors=judged_vectors,
    )


def _judged(
    relevance: Path | None, rows: _OwnRows, asked: OwnData | None, how: OwnOptions
) -> tuple[Judged | JudgedQueries | None, np.ndarray | None]:
    """The queries of the file of answers, and their vectors.

    Queries of texts may be written in that file itself.
    """
    import numpy as np

    from ..data.relevance import judge, read_relevance
    from ..diagnosis.evidence_notes import evidence_note

    if relevance is None:
        return None, None
    if asked is not None or not rows.are_texts:
        found = judged_queries(relevance, rows.named, asked)
        click.echo(f"{relevance.name}: {evidence_note(found, str)}", err=True)
        return found, found.vectors
    judged = judge(read_relevance(relevance), rows.texts, rows.numbers.tolist())
    if not len(judged):
        raise ValueError(NO_ANSWER)
    typed = [text for text, row in zip(judged.queries, judged.rows, strict=True) if row is None]
    encoded = iter(_encode(typed, how) if typed else ())
    return judged, np.array([next(encoded) if row is None else rows.X[row] for row in judged.rows])


def _encode(texts: Sequence[str], how: OwnOptions) -> np.ndarray:
    from ..encode.load import load_encoder

    encoder = load_encoder(how.model, revision=how.revision, prefix=how.prefix)
    return encoder.encode(
        texts,
        layer=how.layer,
        pooling=how.pooling,
        progress=progress_on_stderr("encoding", quiet=how.quiet),
    )


def _write(binary: IO[bytes], found: _Compared, k: int) -> None:
    from ..data.csv_cells import csv_cell

    file = io.TextIOWrapper(binary, encoding="utf-8-sig", newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEAD)
    for line in _table(found, k):
        writer.writerow(map(csv_cell, line))
    file.detach()


def _table(found: _Compared, k: int) -> Iterator[tuple[Any, ...]]:
    """The lines of both lists, query by query."""
    from ..measure.search import BLOCK_ROWS

    rows, numbers = found.rows, found.rows.numbers
    for start in range(0, len(found.queries), BLOCK_ROWS):
        part = slice(start, start + BLOCK_ROWS)
        raw = found.query_vectors[part]
        own = found.query_rows[part]
        left_out = [() if row is None else (row,) for row in own]
        vectors = (raw, found.treatment.apply(raw).retained)
        both = [
            search.nearest_except(Q, k, left_out)
            for search, Q in zip(found.searches, vectors, strict=True)
        ]
        for place, row in enumerate(own):
            number = "" if row is None else numbers[row] + 1
            query = found.queries[start + place]
            for name, lists in zip(("before", "after"), both, strict=True):
                near = zip(lists.rows[place], lists.cosines[place], strict=True)
                for rank, (other, cosine) in enumerate(near, start=1):
                    text = rows.texts[other]
                    yield number, query, name, rank, numbers[other] + 1, text, f"{cosine:.6f}"


def _numbers(found: _Compared, request: _Request) -> dict[str, Any]:
    """Everything that is measured, and the settings."""

    from ..measure import mrr_at_k, ndcg_at_k, recall_at_k, retrieval_score

    changes, n, d = found.changes, *found.rows.X.shape
    numbers: dict[str, Any] = {
        "about": dict(found.rows.about),
        "transform": request.transform,
        "seed": request.seed,
        "k": changes.k,
        "rows": n,
        "zero_rows_left_out": found.rows.n_zero,
        "dimensions": d,
        "fit": request.fit_on,
        "fit_rows": found.n_fit,
        "overlap": asdict(changes.jaccard),
        "hubness_before": changes.before.hubness,
        "hubness_after": changes.after.hubness,
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
    if changes.agreement is not None:
        for name, each in (
            ("agreement_before", changes.before.agreement),
            ("agreement_after", changes.after.agreement),
            ("agreement_change", changes.agreement),
        ):
            numbers[name] = None if each is None else asdict(each)
    if found.judged is not None and found.judged_vectors is not None:
        Q = found.judged_vectors
        measures = {"recall": recall_at_k, "ndcg": ndcg_at_k, "mrr": mrr_at_k}
        scores: dict[str, list[np.ndarray]] = {name: [] for name in measures}
        for search, vectors in zip(
            found.searches, (Q, found.treatment.apply(Q).retained), strict=True
        ):
            near = search.nearest_except(vectors, changes.k, found.judged.left_out).rows
            for name, measure in measures.items():
                scores[name].append(measure(near, found.judged.relevant))
        numbers["scored_queries"] = len(found.judged)
        numbers["queries_left_out"] = found.judged.n_queries - len(found.judged)
        for name, (before, after) in scores.items():
            numbers[name] = asdict(retrieval_score(before, after, seed=request.seed))
    return numbers


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
        yield (
            f"neighbours with the same label: {_with_ends(numbers['agreement_before'])} -> "
            f"{_with_ends(numbers['agreement_after'])}, "
            f"change {_with_ends(numbers['agreement_change'])}"
        )
    for hub in numbers["hubs"][:1]:
        yield (
            f"most frequent neighbour before: row {hub['row']:,}, of {hub['before']:,} rows; "
            f"after: of {hub['after']:,}"
        )
    for name, title in (("recall", "recall"), ("ndcg", "nDCG"), ("mrr", "MRR")):
        if name in numbers:
            yield (
                f"{title}@{numbers['k']} of {numbers['scored_queries']:,} queries: "
                f"{_with_ends(numbers[name]['before'])} -> {_with_ends(numbers[name]['after'])}, "
                f"change {_with_ends(numbers[name]['change'])}"
            )


def _with_ends(each: dict[str, float | None]) -> str:
    if each["low"] is None:
        return f"{each['value']:.3f}"
    return f"{each['value']:.3f} [{each['low']:.3f}, {each['high']:.3f}]"
