"""Text to tables: delimiters, quotes, headers, and rows that do not fit."""

import pytest

from geometry.data.decode import TextFile
from geometry.data.errors import CorpusError
from geometry.data.limits import LIMITS
from geometry.data.recognise import Reading
from geometry.data.tables import Table, read_lines, read_table
from tests.for_each import for_each


def file(text: str, suffix: str = ".csv") -> TextFile:
    return TextFile("t", suffix, text, "utf-8")


def table(text: str, suffix: str = ".csv", **options) -> Table:
    return read_table(file(text, suffix), **options)


def refused(text: str, suffix: str = ".csv") -> CorpusError:
    with pytest.raises(CorpusError) as caught:
        table(text, suffix)
    return caught.value


def test_cells_stay_strings():
    read = table("text,label\nNA,1.0\nnull,007\nTrue,\n")
    assert read.rows == (("NA", "1.0"), ("null", "007"), ("True", ""))


# Headers


@for_each(
    ("text", "has_header"),
    [
        ("text,label\na,b\n", True),
        ("Sentence\nNo.\n", True),
        ("主題,句子\n天氣,今天下雨。\n", True),
        (",text,n\n0,Hello there you.,1\n", True),  # an index column without a name
        ("utterance id,said,year\nu1,It is late.,1999\nu2,It is not.,2001\n", True),
        ("id,they said\na,It was a very long day for us all.\nb,Was it not long?\n", True),
        ("It is late.,x\nIt is not.,y\n", False),
        ("A dog runs.,A dog ran.,4.5\nA cat.,A hat.,1\n", False),
        # a row whose score is missing is no header
        ("A dog runs.,A dog ran.,\nA cat.,A hat.,1\n", False),
        ("Hi,greeting\nIt was a very long day for us all.,remark\nHow nice!,greeting\n", False),
        ("Hello\nIt was a very long day for us all.\n", False),
    ],
)
def test_a_header_is_distinguished_from_a_row(text, has_header):
    read = table(text)
    assert read.has_header == has_header
    assert read.n_rows == len(text.splitlines()) - has_header


def test_a_header_may_be_stated():
    text = "It is late.,x\nIt is not.,y\n"
    assert table(text, reading=Reading(header=True)).columns == ("It is late.", "x")
    assert table("text,label\na,b\n", reading=Reading(header=False)).n_rows == 2
    assert table(text, wanted=("x",)).has_header
    assert not table(text, wanted=("z", 0, None)).has_header


# Columns


@for_each(("text", "text_column", "label_column"), [
        ("id,Text,label\n1,a,x\n2,b,y\n", 1, 2),
        ("句子,類別\n下雨了。,天氣\n", 0, 1),
        # without names: the longest cells, and the fewest values
        ("1,2020-01-01,p,A dog ran home.\n2,2021-02-02,q,It rained.\n3,2022-03-03,p,No.\n"
         "4,2023-04-04,q,Yes, it did.\n".replace("Yes, it", "Yes it"), 3, 2),
        ("1,2\n3,4\n", None, None),
    ])  # fmt: skip
def test_likely_columns(text, text_column, label_column):
    read = table(text)
    assert (read.text_column, read.label_column) == (text_column, label_column)


# Rows that do not fit


def test_rows_beyond_the_limit_are_counted():
    read = table("text,label\n" + "a,b\n" * 10, limits=LIMITS.but(rows=4))
    assert (len(read.rows), len(read.lines), read.n_rows) == (4, 4, 10)
    bare = table("A row.,b\n" * 10, limits=LIMITS.but(rows=4))
    assert (len(bare.rows), bare.n_rows) == (4, 10)
    lines = read_lines(file("x\n\n" * 10), limits=LIMITS.but(rows=4))
    assert (len(lines.rows), lines.n_rows, lines.n_blank) == (4, 10, 10)
