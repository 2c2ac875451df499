"""Text to tables: a header is told from a row."""

from geometry.data.decode import TextFile
from geometry.data.tables import read_table
from tests.for_each import for_each


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
    read = read_table(TextFile("t", ".csv", text, "utf-8"))
    assert read.has_header == has_header
    assert read.n_rows == len(text.splitlines()) - has_header
