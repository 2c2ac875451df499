"""Every written row or line is read back or counted as blank."""

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from geometry.data.corpus import read_corpus, read_pasted
from geometry.data.decode import decode
from geometry.data.errors import CorpusError
from geometry.data.pairs import read_pairs
from geometry.data.recognise import Reading

# An unquoted "\r" ends a line, and csv.writer does not quote it.
characters = st.characters(codec="utf-8", exclude_characters="\0\r")
texts = st.text(characters, max_size=30)
written_well = texts.filter(lambda text: text.strip() != "")
scores = st.floats(-1e6, 1e6)


def table(rows: list, **dialect) -> bytes:
    written = io.StringIO()
    csv.writer(written, **dialect).writerows(rows)
    return written.getvalue().encode()


@given(
    st.lists(st.tuples(texts, texts), min_size=1, max_size=12),
    st.sampled_from(",;\t|"),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_table_comes_back(rows, delimiter, quoting, end):
    rows = [("first", "x"), ("second", "y"), *rows]
    content = table(
        [("text", "label"), *rows], delimiter=delimiter, quoting=quoting, lineterminator=end
    )
    options = {"name": "t.csv", "text_column": "text", "label_column": "label"}
    try:
        corpus = read_corpus(content, **options)
    except CorpusError as error:
        if error.because != "uncertain_quoting":  # each line of a cell could be a row
            raise
        corpus = read_corpus(content, reading=Reading(quoting="quoted"), **options)
    expected = [(text.strip(), label.strip()) for text, label in rows if text.strip()]
    assert corpus.texts == tuple(text for text, _ in expected)
    assert corpus.labels == tuple(label for _, label in expected)
    assert corpus.n_blank == len(rows) - len(expected)


@given(st.lists(st.tuples(written_well, written_well, scores), min_size=2, max_size=12))
def test_pairs_come_back(rows):
    content = table([("left", "right", "score"), *rows])
    pairs = read_pairs(content, name="p.csv")
    assert pairs.left == tuple(left.strip() for left, _, _ in rows)
    assert pairs.right == tuple(right.strip() for _, right, _ in rows)
    assert pairs.gold_scores.tolist() == [score for _, _, score in rows]


one_line = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=30)


@given(st.lists(one_line, max_size=20), st.sampled_from(["\n", "\r\n", "\r"]))
def test_lines_come_back(lines, end):
    lines = ["first", *lines, "last"]
    corpus = read_pasted("".join(line + end for line in lines))
    assert corpus.texts == tuple(line.strip() for line in lines if line.strip())
    assert len(corpus) + corpus.n_blank == len(lines)
    again = read_corpus("\ufeff".encode() + end.join(lines).encode())
    assert again.sha256 == corpus.sha256


@given(st.text(characters), st.sampled_from(["utf-8-sig", "utf-16", "utf-32"]))
def test_a_byte_order_mark_gives_the_encoding(text, codec):
    assert decode(text.encode(codec))[0] == text
