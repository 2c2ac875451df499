"""What is evaluated: an encoder, or a file of word vectors. Both give a grid for pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from .shell import progress_on_stderr

if TYPE_CHECKING:
    from ..data.embeddings import VectorReport, VectorTable
    from ..data.pairs import Pairs
    from ..encode.encoder import Encoder
    from ..evaluate import Grid, WordPairScore
    from ..evaluate.fitting import FitVectors
    from ..evaluate.grid import LayerName

RANK = "1/rank in the file"  # in place of counts


@dataclass(frozen=True)
class Asked:
    """What the grids of one command share.   fit_texts, fit_on : the fit set and its name."""

    treatments: tuple[str, ...]
    similarity: str
    aggregation: str | None
    draws: int
    seed: int
    quiet: bool
    fit_texts: tuple[str, ...] | None = None
    fit_on: str | None = None

    @property
    def scoring(self) -> dict[str, Any]:
        """Keywords that encoders and word vectors take alike."""
        return {
            "treatments": self.treatments,
            "similarity": self.similarity,
            "aggregation": self.aggregation,
            "draws": self.draws,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Measured:
    """A grid, lines that must stand beside it, and what else its rows depend on."""

    grid: Grid
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = field(default=())


class Subject(Protocol):
    """``title`` names it; ``about`` is what else is known of it; ``grid`` scores it on pairs."""

    @property
    def title(self) -> str: ...

    @property
    def about(self) -> tuple[str, ...]: ...

    def grid(self, pairs: Pairs) -> Measured: ...


class ModelSubject:
    """An encoder: layers by poolings. The fit set is read once, for all sets of pairs."""

    def __init__(
        self,
        encoder: Encoder,
        layers: Sequence[LayerName] | None,
        poolings: Sequence[str],
        asked: Asked,
    ) -> None:
        self._encoder, self._layers, self._poolings = encoder, layers, poolings
        self._asked = asked
        self._fit_vectors: FitVectors | None = None

    @property
    def title(self) -> str:
        at = f" at {self._encoder.revision}" if self._encoder.revision else ""
        return f"{self._encoder.name}{at}"

    @property
    def about(self) -> tuple[str, ...]:
        """Nothing: all of an encoder's texts are read."""
        return ()

    def grid(self, pairs: Pairs) -> Measured:
        """Every layer and pooling asked for, on those pairs."""
        from ..evaluate import evaluate_encoder

        asked = self._asked
        grid = evaluate_encoder(
            self._encoder,
            pairs,
            layers=self._layers,
            poolings=self._poolings,
            fit_vectors=self._fit(),
            fit_on=asked.fit_on,
            progress=progress_on_stderr(f"evaluating on {pairs.name}", quiet=asked.quiet),
            **asked.scoring,
        )
        return Measured(grid, {"model": self._encoder.name, "revision": self._encoder.revision})

    def _fit(self) -> FitVectors | None:
        from ..evaluate.from_encoder import encode_fit

        if self._asked.fit_texts is None:
            return None
        if self._fit_vectors is None:
            self._fit_vectors = encode_fit(
                self._encoder,
                self._asked.fit_texts,
                layers=self._layers or tuple(range(self._encoder.n_layers + 1)),
                poolings=self._poolings,
                treatments=self._asked.treatments,
                progress=progress_on_stderr("reading the fit set", quiet=self._asked.quiet),
            )
        return self._fit_vectors


class WordSubject:
    """Word vectors: one row of poolings, the weightings; coverage is told with every grid.

    word_pairs : sets of pairs of words, scored at once.
    """

    def __init__(
        self,
        table: VectorTable,
        weightings: Sequence[str],
        counts_file: Path | None,
        asked: Asked,
        word_pairs: Sequence[Pairs] = (),
    ) -> None:
        from ..vectors.word_counts import rank_counts, read_counts

        self._table, self._weightings, self._asked = table, weightings, asked
        self._counts: Mapping[str, float] | None = None
        self._counts_name: str | None = None
        if counts_file is not None:
            self._counts, self._counts_name = read_counts(counts_file), counts_file.stem
        elif any(each != "mean" for each in weightings):
            self._counts, self._counts_name = rank_counts(table), RANK
        self._word_scores = tuple(map(self._on_words, word_pairs))

    @property
    def title(self) -> str:
        n, d = self._table.vectors.shape
        counts = f"; counts of words: {self._counts_name}" if self._counts_name else ""
        return f"{self._table.name}: {n:,} word vectors of {d} numbers{counts}"

    @property
    def about(self) -> tuple[str, ...]:
        """What its file held beside the vectors; a line a set of pairs of words."""
        from .grid_text import word_pairs_text

        report = self._table.report
        told = () if report is None else file_lines(report)
        return (*told, *(word_pairs_text(one, self._asked.seed) for one in self._word_scores))

    def grid(self, pairs: Pairs) -> Measured:
        """Every weighting asked for, on those of the pairs that have words on both sides."""
        from ..evaluate import evaluate_words

        asked = self._asked
        found = evaluate_words(
            self._table,
            pairs,
            weightings=self._weightings,
            counts=self._counts,
            fit_texts=asked.fit_texts,
            fit_on=asked.fit_on,
            progress=progress_on_stderr(f"evaluating on {pairs.name}", quiet=asked.quiet),
            **asked.scoring,
        )
        settings = {
            "vectors": self._table.name,
            "counts": self._counts_name,
            "coverage": found.coverage,
            "n_pairs_left_out": found.n_left_out,
        }
        if self._word_scores:
            settings["word_pairs"] = "; ".join(
                f"{one.name} {one.score.spearman} [{one.score.low}, {one.score.high}] "
                f"({one.score.n} of {one.n_pairs})"
                for one in self._word_scores
            )
        lacking = ", ".join(f"{word} ({n:,})" for word, n in found.unknown[:5])
        notes = [
            f"coverage: {100 * found.coverage:.1f}% of the words are known"
            + (f", not {lacking}" if lacking else ""),
            f"{found.n_left_out:,} of {len(pairs):,} pairs left out: a sentence has no known word",
        ]
        if asked.fit_texts is not None:
            n_texts = len(dict.fromkeys(asked.fit_texts))
            notes.append(
                f"{found.n_fit_left_out:,} of {n_texts:,} texts of {asked.fit_on} likewise"
            )
        return Measured(found.grid, settings, tuple(notes))

    def _on_words(self, pairs: Pairs) -> WordPairScore:
        from ..evaluate import evaluate_word_pairs

        asked = self._asked
        how = {"similarity": asked.similarity, "draws": asked.draws, "seed": asked.seed}
        return evaluate_word_pairs(self._table, pairs, **how)  # type: ignore[arg-type]


def file_lines(report: VectorReport) -> tuple[str, ...]:
    """What the file of vectors held that was not taken, or not as it stands; none where all was."""
    counted = (
        (report.n_not_finite, "rows left out for NaN or infinity"),
        (report.n_duplicates, "rows left out since their word came before"),
        (report.n_replaced, "words with bytes that do not fit the encoding"),
        (report.n_missing, "rows that its header promises are not there"),
    )
    told = [f"{n:,} {what}" for n, what in counted if n]
    return ("file: " + "; ".join(told),) if told else ()
