"""Texts in Parquet, .xlsx and zip; weights, sentences, samples; messages of refusals."""

import io
import struct
import zipfile

import numpy as np
import pyarrow as pa
import pytest

from geometry import CorpusError, read_corpus
from geometry.data.corpus import preview_table, read_pasted
from geometry.data.limits import LIMITS
from geometry.data.words import split_sentences
from tests.for_each import for_each
from tests.vector_files import arrow_of, parquet_of, workbook_of, zip_of

TEXTS = ("The kettle is on.", "=1+1", "<b>Rain</b> fell.", "水快開了。")
LABELS = ("a", "b", "a", "b")


ROWS = list(zip(TEXTS, LABELS, [1, 2, 0, 0.5], strict=True))
COLUMNS = {"text": TEXTS, "kind": LABELS, "weight": [1, 2, 0, 0.5], "vector": [[1.0, 2.0]] * 4}
FILES = {
    "xlsx": workbook_of([("text", "kind", "weight"), *ROWS]),
    "parquet": parquet_of(COLUMNS),
}


@pytest.mark.usefixtures("real_reading")
@pytest.mark.parametrize("kind", FILES)
def test_a_table_that_is_no_text(kind):
    content = FILES[kind]
    corpus = read_corpus(
        content, name=f"own.{kind}", text_column="text", label_column="kind", weight_column="weight"
    )
    texts = [text for text in TEXTS if kind == "parquet" or text != "=1+1"]
    assert corpus.texts == tuple(texts)
    assert corpus.labels[-1] == "b"
    assert corpus.weights[-2:] == (0.0, 0.5)
    assert (corpus.name, corpus.weight_column, corpus.n_available) == ("own", "weight", None)
    preview = preview_table(content, 2, name=f"own.{kind}")
    assert preview.columns == ("text", "kind", "weight")
    assert (preview.suggested_text_column, preview.n_rows) == ("text", 4)


def test_a_formula_is_never_calculated_and_its_stored_value_counts():
    """openpyxl stores no computed value, so the test writes one into the sheet's XML."""
    content = workbook_of([("text",), ("One.",), ("=1+1",), ("Two.",)])
    assert read_corpus(content, name="a.xlsx").texts == ("One.", "Two.")
    files = members_of(content)
    sheet = files["xl/worksheets/sheet1.xml"]
    assert b"<f>1+1</f>" in sheet
    files["xl/worksheets/sheet1.xml"] = sheet.replace(b"<f>1+1</f><v />", b"<f>1+1</f><v>7</v>")
    assert read_corpus(zip_of(files), name="a.xlsx").texts == ("One.", "7", "Two.")


def test_each_file_of_a_zip_is_one_text_with_its_folder_as_label():
    content = zip_of(
        {
            "news/a.txt": "Rain fell.\n\nIt stopped.",
            "news/b.txt": "天氣很好。".encode("utf-16"),
            "mail/c.txt": "Hello.",
            "mail/picture.png": b"\x89PNG",
            "__MACOSX/mail/._c.txt": b"\0\1",
        }
    )
    corpus = read_corpus(content, name="own.zip", label_column="folder")
    assert corpus.texts == ("Rain fell.\n\nIt stopped.", "天氣很好。", "Hello.")
    assert corpus.labels == ("news", "news", "mail")
    sentences = read_corpus(content, name="own.zip", label_column="folder", by_sentence=True)
    assert sentences.texts[:2] == ("Rain fell.", "It stopped.")
    assert sentences.labels == ("news", "news", "news", "mail")


@for_each(
    ("text", "sentences"),
    [
        ("Rain fell. It stopped! Why?", ["Rain fell.", "It stopped!", "Why?"]),
        (
            "Dr. Chen paid 3.50 to J. Smith. He left.",
            ["Dr. Chen paid 3.50 to J. Smith.", "He left."],
        ),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        (
            "見 www.a.com 一次。水開了！真的嗎？「對。」他說。",
            ["見 www.a.com 一次。", "水開了！", "真的嗎？", "「對。」", "他說。"],
        ),
        ("no end", ["no end"]),
        ("e.g. this one, i.e. that", ["e.g. this one, i.e. that"]),
        ("One\n\nTwo", ["One", "Two"]),
    ],
)
def test_sentences(text, sentences):
    assert split_sentences(text) == sentences


def test_a_sample_of_texts_is_seeded_and_states_the_total():
    lines = "\n".join(f"text {i}" for i in range(200))
    given = {"sample": 50, "limits": LIMITS.but(rows=60)}
    with pytest.raises(CorpusError, match="200 texts and the limit is 60"):
        read_pasted(lines, limits=LIMITS.but(rows=60))
    found = read_corpus(lines.encode(), seed=3, **given)
    assert (len(found), found.n_available, found.seed) == (50, 200, 3)
    assert len(set(found.texts)) == 50
    assert [int(text[5:]) for text in found.texts] == sorted(int(text[5:]) for text in found.texts)
    assert found.texts == read_corpus(lines.encode(), seed=3, **given).texts
    assert found.texts != read_corpus(lines.encode(), seed=4, **given).texts
    assert read_corpus(b"a\nb\n", **given).n_available is None


def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def lying_zip():
    """An archive whose directory states 10 bytes for a member of 2 MB."""
    content = bytearray(zip_of({"a.txt": b"a " * 10**6, "b.txt": b"b"}))
    at = content.index(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 10)
    return bytes(content)


def entities():
    """A workbook with the entities of an XML bomb."""
    each = (f'<!ENTITY b{i} "{f"&b{i - 1 or str()};" * 10}">'.encode() for i in range(1, 10))
    book = b'<!DOCTYPE a [<!ENTITY b "b">' + b"".join(each) + b"]><a>&b9;</a>"
    return zip_of(members_of(FILES["xlsx"]) | {"xl/workbook.xml": book})


SMALL, FEW = {"limits": LIMITS.but(unpacked_bytes=10**6)}, {"limits": LIMITS.but(rows=20)}
WEIGHED = {"name": "a.csv", "weight_column": "w"}
LARGE = b"a," * 299 + b"b\n" + (b"1," * 299 + b"b\n") * 20_001
REFUSED = {  # the reason
    "bomb": (zip_of({"a.txt": b"a " * 10**6}), SMALL, "unpacked"),
    "lying bomb": (lying_zip(), {}, "damaged_file"),
    "bomb in xlsx": (zip_of({"xl/workbook.xml": b" " * 2 * 10**6}), SMALL, "unpacked"),
    "no workbook": (zip_of({"xl/workbook.xml": b"<a/>"}), {}, "damaged_file"),
    "entities": (entities(), {}, "damaged_file"),
    "cut zip": (zip_of({"a.txt": "x"})[:-9], {}, "damaged_file"),
    "no texts in zip": (zip_of({"a.png": "x"}), {}, "no_text_files"),
    "binary in zip": (zip_of({"a.txt": b"\0\1", "b.txt": "b"}), {}, "file_in_zip"),
    "cut parquet": (FILES["parquet"][:-9], {}, "damaged_file"),
    "empty sheet": (workbook_of([]), {}, "empty"),
    "wide sheet": (workbook_of([["a"] * 301] * 2), {}, "too_many_columns"),
    "long sheet": (workbook_of([["a b"]] * 30), FEW, "too_many_texts"),
    "bad weight": (b"text,w\na,1\nb,-2\n", WEIGHED, "bad_weight"),
    "NaN weight": (b"text,w\na,1\nb,nan\n", WEIGHED, "bad_weight"),
    "no weight": (b"text,w\na,0\nb,0\n", WEIGHED, "no_weight"),
    "cells": (LARGE, {"name": "a.csv"}, "too_many_cells"),
}


@pytest.mark.usefixtures("real_reading")
@pytest.mark.parametrize("case", REFUSED)
def test_refusals_have_a_reason(case):
    content, options, because = REFUSED[case]
    with pytest.raises(CorpusError, check=lambda error: error.because == because):
        read_corpus(content, **{"name": "a", **options})


def test_weights_go_with_their_texts_into_a_sample():
    rows = "".join(f"text {i},{i}\n" for i in range(1, 101))
    corpus = read_corpus(
        f"text,w\n{rows}".encode(), name="a.csv", weight_column="w", sample=10, seed=1
    )
    np.testing.assert_array_equal(corpus.weights, [int(text[5:]) for text in corpus.texts])


@for_each("form", ["stream", "file", "parquet"])
def test_texts_of_arrow_as_of_parquet(form):
    texts = [f"text {i}, a" for i in range(150)]
    table = pa.table(
        {
            "payload": [{"text": text, "tags": ["a"]} for text in texts],
            "vector": [[0.5, 1.5]] * 150,
            "is_new": [True, False] * 75,
        }
    )
    content = arrow_of(table, stream=form == "stream")
    if form == "parquet":
        content = parquet_of(table)
    corpus = read_corpus(content, name="a.arrow")
    assert list(corpus.texts) == texts
    assert corpus.account.columns_used == ("payload.text",)
    assert set(corpus.account.columns_left_out) == {"payload.tags", "vector", "is_new"}
    assert preview_table(content, name="a", rows=3).n_rows == 150
    with pytest.raises(CorpusError, check=lambda error: error.code == "damaged_file"):
        read_corpus(content[: len(content) // 2], name="a.arrow")


def test_true_and_false_are_no_texts():
    table = pa.table({"id": range(4), "is_duplicate": [True, False, True, True]})
    with pytest.raises(CorpusError, check=lambda error: error.code == "no_text_column"):
        read_corpus(arrow_of(table, stream=True), name="a.arrow")
