"""Every refusal of a file of vectors or word pairs states the problem, the limit, the remedy."""

import gzip
import io
import re

import numpy as np
import pytest

from geometry import read_vectors
from geometry.data.limits import CorpusError, Limits
from geometry.vectors import VectorFileError, read_word_pairs
from tests.for_each import for_each
from tests.vector_files import WRITERS, as_binary, as_npz, as_safetensors, as_text

WORDS = ["the", "of", "cat", "dog"]
VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3)
TEXTS = ("glove", "header", "fasttext", "tabs", "windows", "gzip")
FORMATS = [form for form in WRITERS if form not in TEXTS]


def objects():
    buffer = io.BytesIO()
    np.savez(buffer, words=np.array(["a", None], dtype=object), vec=VECTORS[:2])
    return buffer.getvalue()


GZIP = gzip.compress(as_text(WORDS, VECTORS), mtime=0)
REFUSED = {  # code: (content, options, what, limit, remedy)
    "no_vectors": (b"prose\nand more\n", {}, "no word vectors", "in this file", "Use GloVe"),
    "ragged_row": (b"a 1 2\nb 3\n", {}, "Line 2 has 1 number", "others have 2", "Remove the line"),
    "bad_number": (b"a 1 2\nb 3 x\n", {}, "`x` among", "2 fields of line 2", "Remove the line"),
    "truncated": (
        as_binary(WORDS, VECTORS)[:-9],
        {},
        "states 4",
        "damaged at word 4",
        "Download it again",
    ),
    "too_many_bytes": (
        as_text(WORDS, VECTORS),
        {"max_bytes": 20},
        "3 numbers",
        "limit",
        "Cut off the end",
    ),
    "too_large": (
        as_text(WORDS, VECTORS),
        {"limits": Limits(dimensions=2)},
        "more numbers",
        "limit of 2",
        "Reduce",
    ),
    "no_words": (as_safetensors(WORDS, VECTORS, ""), {}, "vectors", "no words", "Add a uint8"),
    "word_count": (as_npz(WORDS[:3], VECTORS), {}, "3 words", "4 vectors", "Save them again"),
    "pickled": (objects(), {}, "This file", "could run code", "Export the vectors"),
    "damaged_file": (
        GZIP[:-12],
        {},
        "This file, a gzip archive",
        "is damaged",
        "Download it again",
    ),
    "unknown_encoding": (b"a 1\n", {"encoding": "utf-0"}, "no text encoding", "`utf-0`", "Use one"),
    "unreadable": ("/no/such/file", {}, "`/no/such/file`", "can't be read", "Check its path"),
}


@for_each("code", REFUSED)
def test_what_limit_remedy_of_vectors(code):
    content, options, *parts = REFUSED[code]
    with pytest.raises(VectorFileError) as caught:
        read_vectors(content, **options)
    assert caught.value.code == code
    places = [str(caught.value).index(part) for part in parts]
    assert max(places) == places[-1]  # the remedy comes last
    assert str(caught.value).endswith(".")


def test_every_code_is_here():
    listed = re.search(r"codes (.*?)\.\n", read_vectors.__doc__, re.DOTALL)[1]
    assert set(re.findall(r"\w+", listed)) == set(REFUSED)


@for_each("form", TEXTS)
@for_each("line", [1, 2, 3])
@for_each("change", [-1, +1])
def test_another_dimension_in_one_line(form, line, change):
    """A line with too few numbers is named; in a longer one the word has two parts."""
    written = WRITERS[form](WORDS, VECTORS)
    content = gzip.decompress(written) if form == "gzip" else written
    end, mark = (b"\r\n" if form == "windows" else b"\n"), (b"\t" if form == "tabs" else b" ")
    lines = content.split(end)
    at = line + (form in ("header", "fasttext", "windows"))
    fields = lines[at].split(mark)
    lines[at] = mark.join(
        [fields[0], *fields[2:]] if change < 0 else [fields[0], b"1", *fields[1:]]
    )
    content = end.join(lines)
    content = gzip.compress(content) if form == "gzip" else content
    if change > 0:
        table = read_vectors(content)
        np.testing.assert_array_equal(table.vectors, VECTORS)
        assert table.words[line].split() == [WORDS[line], "1"]
        return
    with pytest.raises(VectorFileError) as caught:
        read_vectors(content)
    assert (caught.value.code, caught.value.details["line"]) == ("ragged_row", at + 1)
    assert "Remove the line" in str(caught.value)


@for_each("form", WRITERS)
def test_duplicates_in_every_form(form):
    table = read_vectors(WRITERS[form](["the", "of", "the", "of"], VECTORS))
    assert table.words == ("the", "of")
    np.testing.assert_array_equal(table.vectors, VECTORS[:2])
    assert (table.report.n_duplicates, table.report.duplicates) == (2, ("the", "of"))


@for_each("form", [*TEXTS[:3], "binary", "safetensors"])
def test_bytes_that_are_no_utf8_in_every_form(form):
    written = WRITERS[form](["the", "of", "cXt", "dog"], VECTORS).replace(b"cXt", b"c\xe9t")
    table = read_vectors(written)
    assert table.words == ("the", "of", "c\ufffdt", "dog")
    assert table.report.n_replaced == 1
    assert read_vectors(written, encoding="latin-1").words[2] == "cét"
    np.testing.assert_array_equal(table.vectors, VECTORS)


EMPTY = {
    "text": (b"", b"\n\n", b"0 3\n", b"4 3\n", gzip.compress(b"", mtime=0)),
    "binary": (b"0 3\n",),
    "npz": (as_npz([], VECTORS[:0]),),
    "safetensors": (as_safetensors([], VECTORS[:0]),),
}


@for_each("form", EMPTY)
def test_an_empty_file_of_every_form(form):
    for content in EMPTY[form]:
        for options in ({}, {"format": form}):
            with pytest.raises(VectorFileError) as caught:
                read_vectors(content, **options)
            assert caught.value.code in ("no_vectors", "truncated")
            remedies = ("Use GloVe's", "Download it again", "Request words")
            assert any(remedy in str(caught.value) for remedy in remedies)


def test_a_damaged_archive_is_no_crash():
    whole = gzip.compress(as_text(WORDS * 50, np.tile(VECTORS, (50, 1))), mtime=0)
    for place in range(12, len(whole) - 8, 7):
        spoilt = bytearray(whole)
        spoilt[place] ^= 0x40
        with pytest.raises(VectorFileError, match=r"archive is damaged|no words with numbers|.*"):
            read_vectors(bytes(spoilt))


UTF8 = {"encoding": "utf-8"}
PAIRS = {  # code: (content, options, what, limit, remedy)
    "empty": (b"# only a remark\n", {}, "no text here", "at least 2", "one per line"),
    "too_few_texts": (b"old\tnew\t1\n", {}, "only one text", "at least 2", "Add more"),
    "no_pair_columns": (b"a\tb\nhot\tcold\nup\tdown\n", {}, "Line 2", "a score", "Write them"),
    "uneven_row": (b"old new 1\nhot 2\nup to 3\n", {}, "line 2", "2 columns", "Fill it in"),
    "bad_score": (b"old new 1\nhot cold high\n", {}, "`high` at line 2", "a number", "Write one"),
    "blank_sentence": (b"old\tnew\t1\nhot\t\t3\n", {}, "line 2", "lacks", "Fill it in"),
    "too_many_bytes": (
        b"old new 1\nhot to 2\n",
        {"max_bytes": 10},
        "larger",
        "limit",
        "Split it",
    ),
    "wrong_encoding": (
        b"caf\xe9 th\xe9 7\no n 1\n",
        UTF8,
        "not `UTF-8`",
        "byte 3",
        "Save the file",
    ),
    "unreadable": ("/no/such/file", {}, "`/no/such/file`", "can't be read", "Check its path"),
    "binary": (b"\x93NUMPY\x01\x00", {}, "not a text file", "NumPy array", "Save its text"),
}


@for_each("code", PAIRS)
def test_what_limit_remedy_of_word_pairs(code):
    content, options, *parts = PAIRS[code]
    with pytest.raises(CorpusError) as caught:
        read_word_pairs(content, **options)
    assert caught.value.code == code
    places = [str(caught.value).index(part) for part in parts]
    assert max(places) == places[-1]


def test_word_pairs_in_other_encodings():
    text = "café\tthé\t7.5\nold\tnew\t1.5\n"
    for encoding in ("utf-8-sig", "utf-16", "latin-1"):
        chosen = "latin-1" if encoding == "latin-1" else None
        pairs = read_word_pairs(text.encode(encoding), encoding=chosen)
        assert (pairs.left, pairs.right) == (("café", "old"), ("thé", "new"))
        assert pairs.gold_scores.tolist() == [7.5, 1.5]


def test_a_pair_that_comes_twice_counts_twice():
    """Published sets contain repeated pairs: WordSim-353 rates money, cash twice."""
    pairs = read_word_pairs(b"money cash 9.15\nmoney cash 9.08\nold new 1\n")
    assert pairs.gold_scores.tolist() == [9.15, 9.08, 1]
