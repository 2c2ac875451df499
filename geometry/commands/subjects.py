"""What is evaluated: an encoder, or a table of word vectors. Each scores pairs in a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from .shell import progress_on_stderr

if TYPE_CHECKING:
    from ..data.embeddings import VectorReport, VectorTable
    from ..data.pairs import Pairs
    from ..encode.encoder import Encoder, Layer
    from ..evaluate import Grid, WordPairScore
    from ..evaluate.fitting import FitVectors

RANK = "1/rank in the file"  # the name of counts that are estimated from the order


@dataclass(frozen=True)
class Settings:
    """The options shared by the grids of one command."""

    treatments: tuple[str, ...]  # these five as in ``evaluate_grid`` and ``evaluate_encoder``
    similarity: str
    aggregation: str | None
    draws: int
    seed: int
    quiet: bool  # do not print the progress
    fit_texts: tuple[str, ...] | None = None  # the fit set
    fit_on: str | None = None  # its name

    @property
    def scoring(self) -> dict[str, Any]:
        """Keywords of both ``evaluate_encoder`` and ``evaluate_words``."""
        return {
            "treatments": self.treatments,
            "similarity": self.similarity,
            "aggregation": self.aggregation,
            "draws": self.draws,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class ScoredGrid:
    """A grid, settings that its rows depend on, and notes to print beside it."""

    grid: Grid
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = field(default=())


class Subject(Protocol):
    """``title`` and ``about`` describe it; ``grid`` scores it on pairs."""

    @property
    def title(self) -> str: ...

    @property
    def about(self) -> tuple[str, ...]: ...

    def grid(self, pairs: Pairs) -> ScoredGrid: ...


class ModelSubject:
    """An encoder: layers by poolings. The fit set is encoded once for all sets of pairs."""

    def __init__(
        self,
        encoder: Encoder,
        layers: Sequence[Layer] | None,
        poolings: Sequence[str],
        settings: Settings,
    ) -> None:
        self._encoder, self._layers, self._poolings = encoder, layers, poolings
        self._settings = settings
        self._fit_vectors: FitVectors | None = None

    @property
    def title(self) -> str:
        at = f" at {self._encoder.revision}" if self._encoder.revision else ""
        return f"{self._encoder.name}{at}"

    @property
    def about(self) -> tuple[str, ...]:
        """The prefix, if there is one."""
        prefix = self._encoder.prefix
        return (f"prefix {prefix!r}",) if prefix else ()

    def grid(self, pairs: Pairs) -> ScoredGrid:
        """The grid of the chosen layers and poolings."""
        from ..evaluate import evaluate_encoder

        settings = self._settings
        grid = evaluate_encoder(
            self._encoder,
            pairs,
            layers=self._layers,
            poolings=self._poolings,
            fit_vectors=self._fit(),
            fit_on=settings.fit_on,
            progress=progress_on_stderr(f"evaluating on {pairs.name}", quiet=settings.quiet),
            **settings.scoring,
        )
        encoder = self._encoder
        about = {"model": encoder.name, "revision": encoder.revision}
        return ScoredGrid(grid, about | ({"prefix": encoder.prefix} if encoder.prefix else {}))

    def _fit(self) -> FitVectors | None:
        from ..evaluate.from_encoder import encode_fit

        if self._settings.fit_texts is None:
            return None
        if self._fit_vectors is None:
            self._fit_vectors = encode_fit(
                self._encoder,
                self._settings.fit_texts,
                layers=self._layers or tuple(range(self._encoder.n_layers + 1)),
                poolings=self._poolings,
                treatments=self._settings.treatments,
                progress=progress_on_stderr("reading the fit set", quiet=self._settings.quiet),
            )
        return self._fit_vectors


class WordSubject:
    """Word vectors: the weightings take the place of poolings; notes give the coverage.

    Without a file of counts a word's count is 1/rank in the table.
    """

    def __init__(
        self,
        table: VectorTable,
        weightings: Sequence[str],
        settings: Settings,
        word_pairs: Sequence[Pairs] = (),
        *,
        counts_file: Path | None = None,
        tokenizer: str | None = None,
        stop_words: str = "none",
    ) -> None:
        from ..data.limits import OWN_FILES
        from ..vectors.word_counts import rank_counts, read_counts

        self._table, self._weightings, self._settings = table, weightings, settings
        self._tokenizer, self._stop_words = tokenizer, stop_words
        self._counts: Mapping[str, float] | None = None
        self._counts_name: str | None = None
        if counts_file is not None:
            self._counts, self._counts_name = (
                read_counts(counts_file, limits=OWN_FILES),
                counts_file.stem,
            )
        elif any(name != "mean" for name in weightings):
            self._counts, self._counts_name = rank_counts(table), RANK
        self._word_scores = tuple(map(self._on_words, word_pairs))

    @property
    def title(self) -> str:
        n, d = self._table.vectors.shape
        counts = f"; counts of words: {self._counts_name}" if self._counts_name else ""
        return f"{self._table.name}: {n:,} word vectors of {d} numbers{counts}"

    @property
    def about(self) -> tuple[str, ...]:
        """Notes on the file, and a line for each set of word pairs."""
        from .grid_text import word_pairs_text

        report = self._table.report
        notes = () if report is None else file_lines(report)
        return (
            *notes,
            *(word_pairs_text(words, self._settings.seed) for words in self._word_scores),
        )

    def grid(self, pairs: Pairs) -> ScoredGrid:
        """The grid of the chosen weightings, on pairs with a known word in both sentences."""
        from ..evaluate import evaluate_words
        from ..evaluate.from_words import how_split

        settings = self._settings
        words = evaluate_words(
            self._table,
            pairs,
            weightings=self._weightings,
            counts=self._counts,
            fit_texts=settings.fit_texts,
            fit_on=settings.fit_on,
            tokenizer=self._tokenizer,
            stop_words=self._stop_words,
            progress=progress_on_stderr(f"evaluating on {pairs.name}", quiet=settings.quiet),
            **settings.scoring,
        )
        row_settings = {
            "vectors": self._table.name,
            "counts": self._counts_name,
            "words": words.tokenizer,
            "stop_words": None
            if words.stop_words is None
            else "{}, {} words".format(*words.stop_words),
            "coverage": words.coverage,
            "n_pairs_left_out": words.n_left_out,
            "n_pairs_of_stop_words": words.n_stopped,
        }
        if self._word_scores:
            row_settings["word_pairs"] = "; ".join(
                f"{scored.name} {scored.score.spearman} "
                f"[{scored.score.low}, {scored.score.high}] "
                f"({scored.score.n} of {scored.n_pairs})"
                for scored in self._word_scores
            )
        unknown = ", ".join(f"{word} ({n:,})" for word, n in words.unknown[:5])
        notes = [
            f"coverage: {100 * words.coverage:.1f}% of the words are known"
            + (f", not {unknown}" if unknown else ""),
            f"words: {how_split(words)}",
            f"{words.n_left_out:,} of {len(pairs):,} pairs left out: a sentence has no known word"
            + (f" ({words.n_stopped:,}: none but stop words)" if words.stop_words else ""),
        ]
        if settings.fit_texts is not None:
            n_texts = len(dict.fromkeys(settings.fit_texts))
            notes.append(
                f"{words.n_fit_left_out:,} of {n_texts:,} texts of {settings.fit_on} likewise"
            )
        return ScoredGrid(words.grid, row_settings, tuple(notes))

    def _on_words(self, pairs: Pairs) -> WordPairScore:
        from ..evaluate import evaluate_word_pairs

        settings = self._settings
        how = {"similarity": settings.similarity, "draws": settings.draws, "seed": settings.seed}
        return evaluate_word_pairs(self._table, pairs, **how)  # type: ignore[arg-type]


def file_lines(report: VectorReport) -> tuple[str, ...]:
    """A line on the rows of the file that were left out or changed, if there are any."""
    counted = (
        (report.n_not_finite, "rows left out for NaN or infinity"),
        (report.n_duplicates, "rows left out since their word came before"),
        (report.n_replaced, "words with bytes that do not fit the encoding"),
        (report.n_missing, "rows that its header states and that are missing"),
    )
    parts = [f"{what}: {n:,}" for n, what in counted if n]
    return ("file: " + "; ".join(parts),) if parts else ()
