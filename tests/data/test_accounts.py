"""Rows read and rows left out are all rows of a file, in every format.

The files are written here row by row, so that the count does not come from the reader.
"""

import csv
import gzip
import io
import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from safetensors.numpy import save

from geometry.data import read_corpus
from geometry.data.account import (
    BLANK,
    CODES,
    EMPTY,
    NO_TEXT,
    NOT_FINITE,
    NUMBERS,
    SAMPLED,
    UNCHOSEN,
    Account,
)
from geometry.vectors import read_vector_set
from tests.for_each import for_each
from tests.vector_files import (
    arrow_of,
    as_text,
    hdf5_of,
    jsonl_of,
    npy,
    npz,
    parquet_of,
    vecs_of,
    workbook_of,
    zip_of,
)

WORDS = ["rain", "sun", "wind", "雨", "ветер", "naïve", "coffee", "tea", "house", "garden"]
MOST = 12  # rows of a file


@dataclass
class Made:
    """A file, and how many of its rows have to be read and left out."""

    name: str
    content: bytes
    n: int
    left_out: dict[str, int]


def texts(rng: np.random.Generator) -> list[str]:
    """Texts of rows, some of them blank."""
    blank = rng.random(rng.integers(4, MOST)) < 0.3
    blank[:2] = False
    made = [" ".join(rng.choice(WORDS, rng.integers(2, 5))) + f" no {i}" for i in range(len(blank))]
    return ["" if is_blank else text for text, is_blank in zip(made, blank, strict=True)]


def as_table(rows: list[list[object]], delimiter: str) -> bytes:
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return written.getvalue().encode()


def corpus_file(kind: str, rng: np.random.Generator) -> Made:
    found = texts(rng)
    rows = [[f"kind {i % 3}", text, i % 4] for i, text in enumerate(found)]
    header = ["kind", "text", "size"]
    records = [dict(zip(header, row, strict=True)) for row in rows]
    content = {
        "txt": lambda: "\n".join(found).encode() + b"\n",
        "csv": lambda: as_table([header, *rows], ","),
        "tsv": lambda: as_table([header, *rows], "\t"),
        "csv.gz": lambda: gzip.compress(as_table([header, *rows], ";")),
        "jsonl": lambda: jsonl_of(records),
        "json": lambda: json.dumps(records, indent=1).encode(),
        "parquet": lambda: parquet_of({name: [r[name] for r in records] for name in header}),
        "xlsx": lambda: workbook_of([header, *rows]),
        "zip": lambda: zip_of({f"{i}.txt": text for i, text in enumerate(found)}),
    }[kind]()
    n_blank = found.count("")
    return Made(f"t.{kind}", content, len(found) - n_blank, {BLANK: n_blank})


def vector_file(kind: str, rng: np.random.Generator) -> Made:
    n, d = int(rng.integers(4, MOST)), int(rng.integers(2, 6))
    X = rng.standard_normal((n, d)).astype(np.float32)
    is_bad = rng.random(n) < 0.2
    is_bad[:2] = False
    X[is_bad] = np.nan
    left_out = {NOT_FINITE: int(is_bad.sum())}
    names = [f"d{i}" for i in range(d)]
    labels = [f"row {'x' * i}" for i in range(n)]
    listed = [[None if np.isnan(each) else float(each) for each in row] for row in X]
    texts_and_vectors = {
        "text": labels,
        "embedding": [None if bad else row for bad, row in zip(is_bad, listed, strict=True)],
    }
    cells = [["" if each is None else repr(each) for each in row] for row in listed]
    rows = [[label, *row] for label, row in zip(labels, cells, strict=True)]
    words = [f"word{i}" for i in range(n)]
    content = {
        "npy": lambda: npy(X),
        "npz": lambda: npz(embeddings=X, text=labels),
        "safetensors": lambda: save({"embeddings": X}),
        "parquet": lambda: parquet_of(texts_and_vectors),
        "arrow": lambda: arrow_of(texts_and_vectors),
        "h5": lambda: hdf5_of(train=X),
        "fvecs": lambda: vecs_of(X),
        "jsonl": lambda: jsonl_of(
            {"text": label, "embedding": row} for label, row in zip(labels, listed, strict=True)
        ),
        "csv": lambda: as_table([["text", *names], *rows], ","),
        "tsv": lambda: as_table([["text", *names], *rows], "\t"),
        "vec": lambda: as_text(words, X),
    }[kind]()
    return Made(f"v.{kind}", content, n - sum(left_out.values()), left_out)


KINDS: dict[str, tuple[Callable[[str, np.random.Generator], Made], tuple[str, ...]]] = {
    "texts": (
        corpus_file,
        ("txt", "csv", "tsv", "csv.gz", "jsonl", "json", "parquet", "xlsx", "zip"),
    ),
    "vectors": (
        vector_file,
        (
            *("npy", "npz", "safetensors", "parquet", "arrow", "h5", "fvecs", "jsonl"),
            *("csv", "tsv", "vec"),
        ),
    ),
}
FORMATS = [(holds, kind) for holds, (_, kinds) in KINDS.items() for kind in kinds]


def account_of(holds: str, made: Made, sample: int | None) -> tuple[Account | None, int]:
    """The account, and the rows that the result has."""
    if holds == "texts":
        column = None if made.name.endswith(".txt") else "text"
        corpus = read_corpus(made.content, name=made.name, text_column=column, sample=sample)
        return corpus.account, len(corpus)
    vectors = read_vector_set(made.content, name=made.name, not_finite="drop", sample=sample)
    return vectors.account, len(vectors)


def check(holds: str, kind: str, seed: int) -> None:
    rng = np.random.default_rng((FORMATS.index((holds, kind)), seed))
    made = KINDS[holds][0](kind, rng)
    sample = 2 if rng.random() < 0.3 and made.n > 2 else None
    expected = {reason: n for reason, n in made.left_out.items() if n}
    if sample is not None:
        expected[SAMPLED] = made.n - sample
    account, n = account_of(holds, made, sample)
    assert account is not None
    assert account.rows_read == n == (sample or made.n)
    assert {each.reason: each.n for each in account.left_out} == expected
    assert account.rows_in_file == account.rows_read + account.n_left_out
    assert account.rows_in_file == made.n + sum(made.left_out.values())
    reasons = {EMPTY, CODES, NUMBERS, NO_TEXT, UNCHOSEN}
    assert len(account.column_reasons) == len(account.columns_left_out)
    assert reasons.issuperset(account.column_reasons)
    for each in account.left_out:
        assert len(each.rows) <= each.n
        assert list(each.rows) == sorted(set(each.rows))


@for_each(("holds", "kind"), FORMATS)
def test_no_row_is_lost(holds, kind):
    for seed in range(8):  # 160 files
        check(holds, kind, seed)


def test_each_reason_of_a_column_occurs():
    rows = [[i, f"It rains {i}", "", f"grade{i % 3}", i % 5] for i in range(1, 20)]
    header = ["no", "text", "nothing", "place", "size"]
    corpus = read_corpus(as_table([header, *rows], ","), name="t.csv")
    assert corpus.account is not None
    assert dict(
        zip(corpus.account.columns_left_out, corpus.account.column_reasons, strict=True)
    ) == {"no": CODES, "nothing": EMPTY, "place": UNCHOSEN, "size": NUMBERS}
    records = [{"text": f"It rains {i}", "found": [i / 3, 2.5]} for i in range(9)]
    lines = jsonl_of(records)
    account = read_corpus(lines, name="t.jsonl").account
    assert account is not None
    assert (account.columns_left_out, account.column_reasons) == (("found",), (NO_TEXT,))
