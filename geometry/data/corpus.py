"""Corpora of texts: the bundled ones, and what a user pastes or uploads.

Rows without text are left out and counted. Duplicates stay. Any other fault is a CorpusError.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from ..errors import own_errors
from ..shipped import shipped_file
from .account import BLANK, FORMULA, SAMPLED, Account
from .columns import FileColumn, Labelled, columns_of
from .decode import Source, TextFile, refuse_halves
from .errors import CorpusError
from .limits import LARGEST_COUNT, LIMITS, Limits, refuse_row_count, refuse_too_few, refuse_too_many
from .pairs import read_bundled_pairs
from .recognise import AS_FOUND, Reading, number_of
from .table_files import read_table_file
from .tables import Table, read_lines
from .words import split_sentences

MOST_SAMPLED = 1_000_000  # the most rows of a file that a sample is drawn from
PREVIEWED = 20_000  # rows by which a preview suggests columns
BUNDLED_CORPORA = ("topics", "topics-zh", "pairs")  # names for ``read_bundled``, the default first
_BESIDE = ("labels", "weights", "sources")  # fields with one entry for each text


@dataclass(frozen=True)
class Corpus(Labelled):
    """Texts, and a label for each where there are labels."""

    name: str
    texts: tuple[str, ...]
    labels: tuple[str, ...] | None = None
    n_blank: int = 0  #: lines and rows without text, which were left out
    encoding: str = "utf-8"  #: the one in which the file was read
    n_shortened: int = 0  #: texts that were cut at the limit
    label_column: str | None = None
    weights: tuple[float, ...] | None = None  #: how much each text counts, at least one above 0
    weight_column: str | None = None
    #: texts of the file, of which these are a sample by ``seed``; None where all were taken
    n_available: int | None = None
    seed: int = 0
    #: the number, from 0, of the text that each row is a sentence of; sentences of one text are not
    #: independent. None if no text was split, and for a file of a single text
    sources: tuple[int, ...] | None = None
    account: Account | None = field(default=None, compare=False)  #: None without a file
    #: other columns of the file that have numbers or categories
    columns: tuple[FileColumn, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", tuple(self.texts))
        for name in _BESIDE:
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, tuple(values))
                if len(values) != len(self.texts):
                    raise ValueError(f"{len(values)} {name} for {len(self.texts)} texts")

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def n_sources(self) -> int:
        """Number of texts. Each row is a text, or a sentence of one."""
        return len(self) if self.sources is None else len(set(self.sources))

    def take(self, rows: Sequence[int] | np.ndarray) -> Corpus:
        """The corpus of some rows, in that order, with what belongs to each."""
        taken: dict[str, Any] = {"texts": tuple(self.texts[row] for row in rows)}
        for name in _BESIDE:
            values = getattr(self, name)
            taken[name] = None if values is None else tuple(values[row] for row in rows)
        taken["columns"] = tuple(column.take(rows) for column in self.columns)
        return replace(self, **taken)

    @cached_property
    def sha256(self) -> str:
        """A digest of the texts and their order; the name and the labels do not change it."""
        digest = hashlib.sha256()
        for text in self.texts:
            content = text.encode()
            digest.update(len(content).to_bytes(8, "big") + content)
        return digest.hexdigest()

    @cached_property
    def content_key(self) -> str:
        """A digest of the texts and of what numbers may depend on besides them."""
        beside = (self.sha256, self.labels, self.sources, self.weights)
        return hashlib.sha256(repr(beside).encode()).hexdigest()


@dataclass(frozen=True)
class Preview:
    """The first rows of a table, for choosing columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    suggested_text_column: str | None
    suggested_label_column: str | None
    n_rows: int  # in the file, without the header
    encoding: str
    has_header: bool
    sheets: tuple[str, ...] = ()  # of a workbook, as far as they can be seen


@cache
def read_bundled(name: str = "topics") -> Corpus:
    """A corpus written for this project: "topics", "topics-zh" (labelled), or "pairs".

    "pairs" is every sentence of ``read_bundled_pairs``, the left ones, then the right ones.
    """
    if name not in BUNDLED_CORPORA:
        raise CorpusError("unknown_corpus", name=name, names=BUNDLED_CORPORA)
    if name == "pairs":
        pairs = read_bundled_pairs()
        return Corpus(name, pairs.left + pairs.right)
    file = shipped_file(f"corpora/{name}.csv")
    return read_corpus(file, text_column="text", label_column="topic")


def read_corpus(
    source: Source,
    *,
    name: str | None = None,
    text_column: str | int | None = None,
    label_column: str | int | None = None,
    weight_column: str | int | None = None,
    reading: Reading = AS_FOUND,
    by_sentence: bool = False,
    sample: int | None = None,
    seed: int = 0,
    limits: Limits = LIMITS,
) -> Corpus:
    """A corpus from a path, bytes or a binary file; docs/inputs.md has the forms.

    A file without columns has one text a line. Duplicates stay; rows without text are left out and
    counted in ``n_blank``. Texts beyond ``limits.text_characters`` are cut there and counted in
    ``n_shortened``. Any other fault is a CorpusError with a code; "uncertain" is settled by
    ``reading``.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
        Title of the corpus. By default the name of the file.
    text_column : str or int, optional
        By name, or by place from 0. None takes the likeliest.
    label_column : str or int, optional
    weight_column : str or int, optional
        Of numbers of 0 or more.
    reading : Reading
        What is known of how the file is written, such as its encoding, delimiter and header.
    by_sentence : bool
        Split each text into sentences. Each has the label and the weight of its text, and its
        number in ``sources``.
    sample : int, >= 2, optional
        Take so many texts at most, drawn at random. None refuses more than ``limits.rows``.
    seed : int
    limits : Limits
    """
    columns = (text_column, label_column, weight_column)
    within = limits if sample is None else limits.but(rows=MOST_SAMPLED)
    file, table = read_table_file(source, name, reading, within, wanted=columns, or_lines=True)
    with own_errors(CorpusError):
        return _corpus_of(file, table, limits, columns, by_sentence, sample, seed)


def read_pasted(
    text: str, *, name: str = "pasted", by_sentence: bool = False, limits: Limits = LIMITS
) -> Corpus:
    """A corpus from pasted text, one text a line; blank lines are counted in ``n_blank``."""
    if len(text) > limits.file_bytes:
        raise CorpusError("too_many_bytes", limit=limits.file_bytes)
    file = TextFile(title=name, suffix="", text=refuse_halves(text), encoding="utf-8")
    return _corpus_of(file, read_lines(file, limits), limits, by_sentence=by_sentence)


def preview_table(
    source: Source,
    rows: int = 20,
    *,
    name: str | None = None,
    reading: Reading = AS_FOUND,
    limits: Limits = LIMITS,
) -> Preview:
    """The first rows of a file, its columns, and which of them look like texts and labels."""
    limits = limits.but(rows=max(rows, min(limits.rows, PREVIEWED)))
    file, table = read_table_file(source, name, reading, limits, or_lines=True)
    with own_errors(CorpusError):
        refuse_row_count(table.n_rows, table.n_rows)
        text_at, label_at = table.text_column, table.label_column
        most = limits.text_characters
        return Preview(
            columns=table.columns,
            rows=tuple(tuple(cell[:most] for cell in row) for row in table.rows[:rows]),
            suggested_text_column=None if text_at is None else table.columns[text_at],
            suggested_label_column=None if label_at is None else table.columns[label_at],
            n_rows=table.n_rows,
            encoding=file.encoding,
            has_header=table.has_header,
            sheets=table.sheets,
        )


def _corpus_of(
    file: TextFile,
    table: Table,
    limits: Limits,
    columns: tuple[str | int | None, ...] = (None, None, None),
    by_sentence: bool = False,
    sample: int | None = None,
    seed: int = 0,
) -> Corpus:
    most = limits.rows if sample is None else max(MOST_SAMPLED, limits.rows)
    refuse_row_count(table.n_rows, most)
    text, label, weight = columns
    text_at = table.text_column if text is None else table.index(text)
    if text_at is None:
        raise CorpusError("no_text_column", columns=table.columns or table.columns_left_out)
    label_at = None if label is None else table.index(label)
    weight_at = None if weight is None else table.index(weight)
    with_text = [place for place, row in enumerate(table.rows) if row[text_at]]
    places = with_text
    texts = [table.rows[place][text_at] for place in with_text]
    if by_sentence:
        split = [split_sentences(text) for text in texts]
        places = [place for place, each in zip(places, split, strict=True) for _ in each]
        texts = [sentence for each in split for sentence in each]
    n_available = None
    if sample is not None and len(texts) > sample:
        n_available = len(texts)
        drawn = np.random.default_rng(seed).choice(n_available, sample, replace=False)
        drawn.sort()
        places = [places[i] for i in drawn]
        texts = [texts[i] for i in drawn]
    read = set(places)
    refuse_too_many(len(texts), limits.rows)
    if not texts and any(note.reason == FORMULA for note in table.notes):
        raise CorpusError("formulas")
    refuse_too_few(len(texts))
    most = limits.text_characters
    others = (
        (column, [table.rows[i][at] for i in places])
        for at, column in enumerate(table.columns)
        if at not in (text_at, label_at)
    )
    blank = [place for place, row in enumerate(table.rows) if not row[text_at]]
    left_out = {BLANK: blank, SAMPLED: [place for place in with_text if place not in read]}
    return Corpus(
        name=file.title,
        texts=tuple(text[:most] for text in texts),
        labels=None if label_at is None else tuple(table.rows[i][label_at][:most] for i in places),
        n_blank=table.n_blank + len(blank),
        encoding=file.encoding,
        n_shortened=sum(len(text) > most for text in texts),
        label_column=None if label_at is None else table.columns[label_at],
        weights=None if weight_at is None else _weights(table, weight_at, places),
        weight_column=None if weight_at is None else table.columns[weight_at],
        n_available=n_available,
        seed=seed,
        sources=tuple(places) if 1 < len(read) < len(places) else None,
        columns=columns_of(others, number_of if table.unclear else table.number),
        account=table.account((text_at, label_at, weight_at), left_out),
    )


def _weights(table: Table, column: int, places: Sequence[int]) -> tuple[float, ...]:
    found = []
    for place in places:
        cell = table.rows[place][column]
        weight = table.number(cell)
        if weight is None or not 0 <= weight < LARGEST_COUNT:
            raise CorpusError("bad_weight", weight=cell, line=table.lines[place])
        found.append(weight)
    if not any(found):
        raise CorpusError("no_weight")
    return tuple(found)
