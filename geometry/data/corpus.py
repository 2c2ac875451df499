"""Corpora of texts: the bundled ones, and what a user pastes or uploads.

Rows without text are left out and counted. Duplicates stay. Any other fault is a CorpusError.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache, cached_property

from .decode import Source, TextFile, read_text_file
from .limits import MAX_BYTES, MAX_TEXTS, CorpusError, refuse_empty, refuse_too_few, refuse_too_many
from .pairs import Pairs, read_bundled_pairs, read_pairs
from .shipped import shipped_file
from .tables import Table, read_lines, read_table

__all__ = [
    "MAX_BYTES",
    "MAX_TEXTS",
    "Corpus",
    "CorpusError",
    "Pairs",
    "Preview",
    "bundled_corpora",
    "preview_table",
    "read_bundled",
    "read_bundled_pairs",
    "read_corpus",
    "read_pairs",
    "read_pasted",
]

FOLDER = shipped_file("corpora")
_BUNDLED = ("topics", "topics-zh", "pairs")


@dataclass(frozen=True)
class Corpus:
    """Texts, and a label for each where there are labels.

    n_blank : lines and rows without text, which were left out.
    encoding : the one in which the file was read.
    """

    name: str
    texts: tuple[str, ...]
    labels: tuple[str, ...] | None = None
    n_blank: int = 0
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", tuple(self.texts))
        if self.labels is not None:
            object.__setattr__(self, "labels", tuple(self.labels))
            if len(self.labels) != len(self.texts):
                raise ValueError(f"{len(self.labels)} labels for {len(self.texts)} texts")

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def sha256(self) -> str:
        """A digest of the texts and their order; the name and the labels do not change it."""
        digest = hashlib.sha256()
        for text in self.texts:
            content = text.encode()
            digest.update(len(content).to_bytes(8, "big") + content)
        return digest.hexdigest()


@dataclass(frozen=True)
class Preview:
    """The first rows of a table, for choosing columns.

    n_rows : rows in the file, without the header.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    suggested_text_column: str | None
    suggested_label_column: str | None
    n_rows: int
    encoding: str
    has_header: bool


def bundled_corpora() -> tuple[str, ...]:
    """Names for ``read_bundled``, the default first."""
    return _BUNDLED


@cache
def read_bundled(name: str = "topics") -> Corpus:
    """A corpus written for this project: "topics", "topics-zh" (labelled), or "pairs".

    "pairs" is every sentence of ``read_bundled_pairs``, the left ones, then the right ones.
    """
    if name not in _BUNDLED:
        raise CorpusError("unknown_corpus", name=name, names=_BUNDLED)
    if name == "pairs":
        pairs = read_bundled_pairs()
        return Corpus(name, pairs.left + pairs.right)
    return read_corpus(FOLDER / f"{name}.csv", text_column="text", label_column="topic")


def read_corpus(
    source: Source,
    *,
    name: str | None = None,
    text_column: str | int | None = None,
    label_column: str | int | None = None,
    has_header: bool | None = None,
    encoding: str | None = None,
    max_texts: int = MAX_TEXTS,
    max_bytes: int = MAX_BYTES,
) -> Corpus:
    """A corpus from a path, bytes or a binary file.

    A .csv, .tsv or .tab file is a table. Any other file is one text a line, unless a column is
    named. Duplicates stay; rows without text are left out and counted in ``n_blank``.

    text_column : by name, or by place from 0; None takes the likeliest.
    label_column : likewise; None is no labels.
    has_header, encoding : None finds them from the content.
    Raises CorpusError with one of the codes unreadable, too_many_bytes, binary,
    wrong_encoding, unknown_encoding, bad_quotes, uneven_row, unknown_column, no_text_column,
    empty, too_few_texts, too_many_texts.
    """
    file = read_text_file(source, name=name, encoding=encoding, max_bytes=max_bytes)
    if file.is_table or text_column is not None or label_column is not None:
        wanted = (text_column, label_column)
        table = read_table(file, max_rows=max_texts, has_header=has_header, wanted=wanted)
    else:
        table = read_lines(file, max_rows=max_texts)
    return _corpus_of(file, table, text_column, label_column, max_texts)


def read_pasted(text: str, *, name: str = "pasted", max_texts: int = MAX_TEXTS) -> Corpus:
    """A corpus from pasted text, one text a line; blank lines are counted in ``n_blank``."""
    file = TextFile(title=name, suffix="", text=text, encoding="utf-8")
    return _corpus_of(file, read_lines(file, max_rows=max_texts), None, None, max_texts)


def preview_table(
    source: Source,
    rows: int = 20,
    *,
    name: str | None = None,
    has_header: bool | None = None,
    encoding: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Preview:
    """The first rows of a file, its columns, and which of them look like texts and labels.

    A file that is no table has one column, "text". Raises CorpusError as ``read_corpus`` does,
    except for the number of texts: that is ``n_rows``.
    """
    file = read_text_file(source, name=name, encoding=encoding, max_bytes=max_bytes)
    most = max(rows, MAX_TEXTS)
    if file.is_table:
        table = read_table(file, max_rows=most, has_header=has_header)
    else:
        table = read_lines(file, max_rows=most)
    refuse_empty(table.n_rows)
    text_at, label_at = table.text_column, table.label_column
    return Preview(
        columns=table.columns,
        rows=table.rows[:rows],
        suggested_text_column=None if text_at is None else table.columns[text_at],
        suggested_label_column=None if label_at is None else table.columns[label_at],
        n_rows=table.n_rows,
        encoding=file.encoding,
        has_header=table.has_header,
    )


def _corpus_of(
    file: TextFile,
    table: Table,
    text_column: str | int | None,
    label_column: str | int | None,
    max_texts: int,
) -> Corpus:
    refuse_empty(table.n_rows)
    refuse_too_many(table.n_rows, max_texts)
    text_at = table.text_column if text_column is None else table.index(text_column)
    if text_at is None:
        raise CorpusError("no_text_column", columns=table.columns)
    label_at = None if label_column is None else table.index(label_column)
    with_text = [row for row in table.rows if row[text_at]]
    refuse_too_few(len(with_text))
    return Corpus(
        name=file.title,
        texts=tuple(row[text_at] for row in with_text),
        labels=None if label_at is None else tuple(row[label_at] for row in with_text),
        n_blank=table.n_blank + len(table.rows) - len(with_text),
        encoding=file.encoding,
    )
