"""Corpora from files and pasted text: their texts, their counts, and messages of refusals."""

import hashlib
import io

import pytest

from geometry.data.corpus import (
    BUNDLED_CORPORA,
    Corpus,
    preview_table,
    read_bundled,
    read_corpus,
    read_pasted,
)
from geometry.data.errors import CorpusError
from geometry.data.limits import LIMITS
from geometry.data.pairs import read_bundled_pairs
from geometry.data.recognise import Reading
from tests.for_each import for_each

TABLE = b"text,topic,n\nIt rained.,weather,1\n,law,2\nShe sued.,law,3\nIt rained.,weather,4\n"


def refused(read, *args, **options) -> CorpusError:
    with pytest.raises(CorpusError) as caught:
        read(*args, **options)
    return caught.value


# What a corpus is


def test_sha256_names_the_texts_and_their_order():
    corpus = Corpus("one", ("ab", "é"))
    # by hand: each text's UTF-8 length in 8 bytes, then the text
    content = b"\0" * 7 + b"\2ab" + b"\0" * 7 + b"\2" + "é".encode()
    assert corpus.sha256 == hashlib.sha256(content).hexdigest()
    assert corpus.sha256 == Corpus("two", ("ab", "é"), labels=("x", "y")).sha256
    for other in (("é", "ab"), ("abé",), ("ab", "é", ""), ("a", "bé")):
        assert Corpus("one", other).sha256 != corpus.sha256


def test_sentences_have_the_number_of_their_text_after_sampling_and_in_subsets():
    pasted = "One rained. One shone.\nTwo blew.\nOne shone. Three froze. Three thawed."
    assert read_pasted(pasted).sources is None
    split = read_pasted(pasted, by_sentence=True)
    assert split.sources == (0, 0, 1, 2, 2, 2)
    assert (split.n_sources, read_pasted(pasted).n_sources) == (3, 3)
    of = {text: split.sources[row] for row, text in enumerate(split.texts) if "shone" not in text}
    for seed in range(3):
        drawn = read_corpus(pasted.encode(), by_sentence=True, sample=5, seed=seed)
        found = zip(drawn.texts, drawn.sources, strict=True)
        assert all(of.get(text, source) == source for text, source in found)
    distinct = split.take([0, 1, 2, 4, 5])
    assert (distinct.sources, distinct.texts[3]) == ((0, 0, 1, 2, 2), "Three froze.")
    # With a single text, its sentences are all points.
    assert read_pasted("It rained. It shone.", by_sentence=True).sources is None
    assert read_pasted("It rained.\nIt shone.", by_sentence=True).sources is None
    table = read_corpus(b"text,topic,n\nA b. C d.,x,1\nE f.,y,2\n", name="t.csv",
                        label_column="topic", weight_column="n", by_sentence=True)  # fmt: skip
    taken = table.take([2, 0])
    assert (taken.sources, taken.labels, taken.weights) == ((1, 0), ("y", "x"), (2.0, 1.0))


# The bundled ones


def test_bundled():
    assert BUNDLED_CORPORA == ("topics", "topics-zh", "pairs")
    for name in BUNDLED_CORPORA:
        corpus = read_bundled(name)
        assert corpus.name == name
        assert corpus.n_blank == 0
        assert corpus is read_bundled(name)  # cached
    assert read_bundled() == read_bundled("topics")
    assert refused(read_bundled, "topic").code == "unknown_corpus"
    pairs = read_bundled_pairs()
    assert read_bundled("pairs").texts == pairs.left + pairs.right


# Tables


def test_a_table():
    corpus = read_corpus(TABLE, name="my.csv", label_column="topic")
    assert corpus.name == "my"
    assert corpus.texts == ("It rained.", "She sued.", "It rained.")  # duplicates are kept
    assert corpus.labels == ("weather", "law", "weather")
    assert corpus.n_blank == 1
    assert read_corpus(TABLE, name="my.csv").labels is None


def test_a_table_without_header():
    corpus = read_corpus(b"x;It is late.\ny;It is not.\n", name="a.csv", label_column=0)
    assert corpus.texts == ("It is late.", "It is not.")
    assert corpus.labels == ("x", "y")
    assert len(read_corpus(b"a,b\nc,d\ne,f\n", name="a.csv", reading=Reading(header=True))) == 2


# Lines


def test_lines_and_pasted_text():
    corpus = read_corpus(io.BytesIO(b"\xef\xbb\xbfone\r\n\r\n  two, too\r\none\n\n"))
    assert corpus.texts == ("one", "two, too", "one")
    assert corpus.n_blank == 2
    assert corpus.encoding == "utf-8"
    corpus = read_pasted("one\n\n two \n%PDF- is no file here\n")
    assert corpus.texts == ("one", "two", "%PDF- is no file here")
    assert (corpus.name, corpus.n_blank) == ("pasted", 1)
    # The name of a pasted text may end like a file name.
    assert read_pasted("a,b\nc,d", name="mine.csv").texts == ("a,b", "c,d")


def test_a_text_beyond_the_limit_is_cut_and_counted():
    corpus = read_pasted("word " * 20_000 + "\nshort")
    assert (len(corpus.texts[0]), corpus.n_shortened) == (99_999, 0)
    long = b"word " * 30_000
    for name, content in (("a.txt", long + b"\nshort"), ("a.csv", b"text\n" + long + b"\nshort\n")):
        cut = read_corpus(content, name=name)
        assert (list(map(len, cut.texts)), cut.n_shortened) == ([100_000, 5], 1)
        whole = read_corpus(content, name=name, limits=LIMITS.but(text_characters=10**6))
        assert (len(whole.texts[0]), whole.n_shortened) == (149_999, 0)


# Preview


def test_preview_counts_all_rows_and_suggests_columns_of_words():
    preview = preview_table(TABLE, rows=2, name="a.csv")
    assert preview.columns == ("text", "topic", "n")
    assert preview.rows == (("It rained.", "weather", "1"), ("", "law", "2"))
    assert (preview.suggested_text_column, preview.suggested_label_column) == ("text", "topic")
    assert (preview.n_rows, preview.encoding, preview.has_header) == (4, "utf-8", True)
    assert preview_table(b"A line.\n" * 20_500, name="a.csv").n_rows == 20_500
    assert preview_table(b"1,2\n3,4\n", name="a.csv").suggested_text_column is None
    constant = b"text,lang,kind\n" + b"It rained.,en,A\nShe sued.,en,B\n" * 2
    assert preview_table(constant, name="a.csv").suggested_label_column == "kind"
    assert refused(preview_table, b"\n\n").code == "empty"


# Refusals: each has a code, the numbers, and a remedy

REFUSALS = [
    (b"", {}, "empty", {"limit": 2}),
    (b"\n \n", {}, "empty", {"limit": 2}),
    (b"text,topic\n", {"name": "a.csv"}, "empty", {"limit": 2}),
    (b"one\n", {}, "too_few_texts", {"n": 1, "limit": 2}),
    (b"text,topic\n,a\n,b\n", {"name": "a.csv"}, "too_few_texts", {"n": 0, "limit": 2}),
    (b"a\nb\nc\n", {"limits": LIMITS.but(rows=2)}, "too_many_texts", {"n": 3, "limit": 2}),
    (
        TABLE,
        {"name": "a.csv", "limits": LIMITS.but(rows=3)},
        "too_many_texts",
        {"n": 4, "limit": 3},
    ),
    (b"abc\nd", {"limits": LIMITS.but(file_bytes=4)}, "too_many_bytes", {"limit": 4}),
    (b"\x89PNG..", {}, "binary", {"kind": "PNG image"}),
    (b"a\nb\n", {"reading": Reading(encoding="x")}, "unknown_encoding", {"encoding": "x"}),
    (b"1,2\n3,4\n", {"name": "a.csv"}, "no_text_column", {"columns": ("column 1", "column 2")}),
    (
        TABLE,
        {"text_column": "sentence"},
        "unknown_column",
        {"column": "sentence", "columns": ("text", "topic", "n")},
    ),
    (
        TABLE,
        {"name": "a.csv", "label_column": 3},
        "unknown_column",
        {"column": 3, "columns": ("text", "topic", "n")},
    ),
    (
        b"text,b\n" + b"c,d\n" * 9 + b"e\n",
        {"name": "a.csv"},
        "uneven_row",
        {"line": 11, "n": 1, "expected": 2},
    ),
    (b'text,b\n"c,d\n' + b"e,f\n" * 9 + b"g,h,i\n", {"name": "a.csv"}, "bad_quotes", {"line": 2}),
]


@for_each(("content", "options", "code", "details"), REFUSALS)
def test_refusals(content, options, code, details):
    error = refused(read_corpus, content, **options)
    assert isinstance(error, ValueError)
    assert (error.code, error.details) == (code, details)
    message = str(error)
    assert message[0].isupper()
    assert message.endswith(".")
    assert message.count(". ") >= 1  # the problem, then the remedy
    if code != "too_many_bytes":  # its limit is given in MB
        for name in {"limit", "line", "offset"} & set(details):
            assert f"{details[name]:,}" in message


def test_pasted_refusals():
    assert refused(read_pasted, " \n").code == "empty"
    assert refused(read_pasted, "one").code == "too_few_texts"
    assert refused(read_pasted, "a\nb\nc", limits=LIMITS.but(rows=2)).code == "too_many_texts"
