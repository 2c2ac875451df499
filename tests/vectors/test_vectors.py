"""Files of word vectors: every form, counted irregularities, and refusals."""

import gzip
import io
import json

import numpy as np
import pytest

from geometry import read_vectors
from geometry.data.limits import Limits
from geometry.vectors import VectorFileError, word_rows
from tests.for_each import for_each
from tests.vector_files import WRITERS, as_binary, as_npz, as_safetensors, as_text

WORDS = ["the", "der Hund", "猫", "'s", "1", "-0.5", '"', "#", "naïve", "</s>"]
VECTORS = np.random.default_rng(0).standard_normal((len(WORDS), 4)).astype(np.float32)
ONE_WORD = [word.replace(" ", "_") for word in WORDS]  # for the forms without spaces in words


def refused(content, **keywords):
    with pytest.raises(VectorFileError) as caught:
        read_vectors(content, **keywords)
    return caught.value


def test_path_bytes_and_file_are_one(tmp_path):
    content = as_text(WORDS, VECTORS)
    path = tmp_path / "own.vec.gz"
    path.write_bytes(gzip.compress(content))
    with path.open("rb") as file:
        file.seek(7)
        tables = [read_vectors(source) for source in (path, str(path), content, file)]
        assert not file.closed
    for table in tables:
        assert table.words == tuple(WORDS)
        np.testing.assert_array_equal(table.vectors, VECTORS)
    assert [table.name for table in tables] == ["own", "own", "vectors", "own"]
    with pytest.raises(TypeError, match="binary mode"):
        read_vectors(io.StringIO("a 1 2"))


def test_words_with_spaces_are_the_fields_before_the_last():
    digits = read_vectors(b"top 10th 1 2\nat 4:30 3 4\nc 5 6\nd 7 8\ne 9 0\n")
    assert digits.words == ("top 10th", "at 4:30", "c", "d", "e")
    assert read_vectors(b"\xef\xbb\xbfa 1 2\nb 3 4\n").words == ("a", "b")  # behind a mark
    table = read_vectors(b". . . 1 2\nat name@domain.com 3 4\na 5 6\n  7 8\n 9 10\n")
    assert table.words == (". . .", "at name@domain.com", "a", "")
    assert table.vectors.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]
    assert (table.report.n_spaced, table.report.duplicates) == (2, ("",))


@for_each("form", ["glove", "fasttext", "binary", "npz", "safetensors"])
def test_some_words(form, monkeypatch):
    monkeypatch.setattr(word_rows, "BINARY_BLOCK", 1)  # a few words in each
    content = WRITERS[form](ONE_WORD, VECTORS)
    for n in range(1, len(WORDS)):
        first = read_vectors(content, max_words=n)
        assert first.words == tuple(ONE_WORD[:n])
        assert first.vectors.shape == (n, 4)
        assert (first.report.complete, first.report.n_missing) == (False, 0)
    assert read_vectors(content, max_words=len(WORDS)).report.complete
    named = read_vectors(content, words=["猫", "the", "absent"])
    assert named.words == ("the", "猫")
    np.testing.assert_array_equal(named.vectors, VECTORS[[0, 2]])
    assert refused(content, words=["absent"]).code == "no_vectors"


def test_blocks_change_no_vector(monkeypatch):
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((500, 3)).astype(np.float32)
    words = [f"{'two words ' if i % 97 == 5 else ''}{i}" for i in range(500)]
    monkeypatch.setattr(word_rows, "BLOCK", 300)
    for content in (as_text(words, vectors), as_text(words, vectors, header=True)[:-1]):
        table = read_vectors(content)
        assert table.words == tuple(words)
        np.testing.assert_array_equal(table.vectors, vectors)
    long = as_text(["x" * 1000, "b", "c"], vectors[:3])  # a line that is longer than a block
    np.testing.assert_array_equal(read_vectors(long).vectors, vectors[:3])
    ragged = as_text(words, vectors).replace(b"\n321 ", b"\n321 0 0 0\n321 0 0 0 0 ", 1)
    with pytest.raises(VectorFileError) as caught:
        read_vectors(ragged.replace(b"\n400 ", b"\n400 1\n", 1))
    assert (caught.value.code, caught.value.details["line"]) == ("ragged_row", 402)


@for_each(
    ("content", "code", "details"),
    [
        (b"", "no_vectors", {}),
        (b"\n \n", "no_vectors", {}),
        (b"5 2\n", "truncated", {"word": 1}),
        (b"one line of prose\nand another one here\n", "no_vectors", {}),
        (b"a 1 2\nb 3\nc 5 6\n", "ragged_row", {"line": 2, "n": 1, "expected": 2}),
        (b"3 2\na 1 2\nb 3 4\nc 5", "ragged_row", {"line": 4}),
        (b"a 1 2\nb 3 x\n", "bad_number", {"line": 2, "field": "x"}),
        (b"a 1 2\n\nb c 3\n", "bad_number", {"line": 3, "field": "c"}),
        (b"a 1,5 2,5\nb 1,5 3\n", "no_vectors", {}),
        (b"\x93NUMPY\x01\x00", "no_vectors", {}),
        (b"PK\x03\x04rest", "no_vectors", {}),
        (gzip.compress(b"a 1 2\n" * 999, mtime=0)[:-12], "damaged_file", {"kind": "gzip archive"}),
    ],
)
def test_refusals(content, code, details):
    error = refused(content)
    assert error.code == code
    assert str(error).endswith(".")
    for key, value in details.items():
        assert error.details[key] == value
    if "line" in details:
        assert f"ine {details['line']}" in str(error)


NO_NUMBERS = {  # a field in line 2, among others of any form: why it is refused
    "1_0": "bad_number",
    "0x1F": "bad_number",
    "1,234.5": "bad_number",
    "\uff11\uff12": "bad_number",
    "−1.5": "bad_number",
    "1,5": "decimal_comma",
    "-1,5e-3": "decimal_comma",
    "9:0.022": "sparse",
    "0:-1": "sparse",
}


@for_each("field", NO_NUMBERS)
def test_only_numbers_are_numbers(field):
    """Wherever the field is, no other shape comes of it; the line and the field are named."""
    row = f"b {field} 2"
    for header in ("", "3 2\n"):
        for lines in (
            ["a 1 2", row, "c 3 4"],
            ["a 1 2", row],
            [f"a {field} {field}", row, f"c 3 {field}"],
            ["a 1 2", f"b 2 {field}", "c 5 6", "d 7 8"],
        ):
            error = refused((header + "\n".join(lines)).encode())
            assert error.because == NO_NUMBERS[field], lines
            first = next(i for i, line in enumerate(lines, 1) if field in line)
            assert error.details["line"] == first + len(header.splitlines())
            assert error.details["field"] == field
            assert error.details.get("expected", 2) == 2
            remedy = {"decimal_comma": "sed 's/,/./g'", "sparse": "sparse vectors"}
            assert remedy.get(error.because, "is not a number") in str(error)


@for_each("field", ["nan", "-nan", "NaN", "inf", "-inf", "Infinity", "1e400"])
@for_each("word", ["b", "two parts"])
def test_numbers_that_are_not_finite_are_counted_whichever_parser_reads_them(field, word):
    table = read_vectors(f"a 1 2\n{word} 1 2\nc {field} 2\nd +1 .5\ne 1. 1E-400\n".encode())
    assert table.words == ("a", word, "d", "e")
    assert table.vectors[2:].tolist() == [[1, 0.5], [1, 0]]
    assert (table.report.n_not_finite, table.report.not_finite) == (1, ("c",))


@for_each("cut", [1, 5, 17, 40, 100])
def test_a_binary_file_that_is_cut_off(cut):
    content = as_binary(ONE_WORD, VECTORS, newlines=False)
    error = refused(content[:-cut])
    assert error.code == "truncated"
    assert error.details["n_stated"] == len(WORDS)
    whole = error.details["word"] - 1
    assert whole < len(WORDS)
    np.testing.assert_array_equal(
        read_vectors(content[:-cut], max_words=whole).vectors, VECTORS[:whole]
    )


def test_fewer_rows_than_stated_are_reported_and_a_wrong_number_takes_no_memory():
    content = as_text(ONE_WORD, VECTORS, header=True)
    cut = content[: content.index(b"\n1 ") + 1]
    report = read_vectors(cut).report
    assert (report.n_rows, report.n_stated, report.n_missing) == (4, len(WORDS), 6)
    assert read_vectors(b"999999999999 2\na 1 2\n").vectors.shape == (1, 2)
    error = refused(b"99999999999 99999999999\n\0\0")
    assert (error.code, error.because) == ("too_large", "too_many_dimensions")
    assert refused(b"99999999999 9\na \0\0").because == "too_many_words"


@for_each("form", ["glove", "binary", "npz", "safetensors"])
def test_a_table_that_is_too_large(form):
    error = refused(WRITERS[form](ONE_WORD, VECTORS), limits=Limits(table_bytes=500))
    assert error.details["limit"] == 500
    if form == "npz":  # npz arrays are read whole
        assert error.because == "unpacked"
        return
    assert error.code == "too_many_bytes"
    assert "max_words" in str(error)


LIMITED = {  # because: (limits, a file beyond them)
    "file_bytes": (Limits(vector_file_bytes=20), as_text(WORDS, VECTORS)),
    "unpacked": (Limits(table_bytes=20), gzip.compress(as_text(WORDS, VECTORS))),
    "too_many_dimensions": (Limits(dimensions=3), as_text(WORDS, VECTORS)),
    "too_many_words": (Limits(words=9), as_text(WORDS, VECTORS)),
}


@for_each("because", LIMITED)
def test_every_limit_is_stated_and_can_be_raised(because):
    limits, content = LIMITED[because]
    error = refused(content, limits=limits)
    assert (error.code, error.because) == ("too_large", because)
    assert "the limit of" in str(error)
    assert read_vectors(content).words == tuple(WORDS)


@for_each("form", ["npz", "safetensors"])
def test_a_word_as_long_as_a_page_is_refused(form):
    words = [*ONE_WORD[:-1], "w" * 4_097]
    error = refused(WRITERS[form](words, VECTORS))
    assert (error.code, error.because) == ("too_large", "long_word")
    assert "more than the limit of 4,096 bytes" in str(error)


def test_words_of_arrays():
    with_objects = io.BytesIO()
    np.savez(with_objects, words=np.array(["a", None], dtype=object), vec=VECTORS[:2])
    assert refused(with_objects.getvalue()).code == "pickled"
    assert refused(as_npz(WORDS[:3], VECTORS)).code == "word_count"
    assert refused(as_safetensors(WORDS, VECTORS, "nowhere")).code == "no_words"
    none = io.BytesIO()
    np.savez(none, vec=VECTORS)
    assert refused(none.getvalue()).code == "no_words"
    two = io.BytesIO()
    np.savez(two, words=np.array(WORDS), p=VECTORS, q=VECTORS)
    assert refused(two.getvalue()).code == "no_vectors"
    double = io.BytesIO()
    np.savez(double, words=np.array([word.encode() for word in WORDS]), X=VECTORS.astype(float))
    assert read_vectors(double.getvalue()).vectors.dtype == np.float32
    assert read_vectors(double.getvalue()).words == tuple(WORDS)


def test_words_beside_safetensors(tmp_path):
    path = tmp_path / "own.safetensors"
    path.write_bytes(as_safetensors(WORDS, VECTORS, "nowhere"))
    assert refused(path).code == "no_words"
    vocabulary = {word: i for i, word in enumerate(WORDS)}
    tokenizer = tmp_path / "tokenizer.json"
    tokenizer.write_text(json.dumps({"model": {"vocab": vocabulary}}), encoding="utf-8")
    assert read_vectors(path).words == tuple(WORDS)
    (tmp_path / "vocab.txt").write_bytes("\r\n".join([*ONE_WORD, ""]).encode())
    # a file of lines takes precedence over the tokenizer
    assert read_vectors(path).words == tuple(ONE_WORD)
    (tmp_path / "own.words.txt").write_text("a\nb", encoding="utf-8")
    assert refused(path).code == "word_count"
    tokenizer.write_text("{}", encoding="utf-8")
    for name in ("vocab.txt", "own.words.txt"):
        (tmp_path / name).unlink()
    assert refused(path).code == "no_words"


def test_choices_that_are_none():
    with pytest.raises(ValueError, match="format must be one of safetensors, npz"):
        read_vectors(b"a 1", format="glove")
    with pytest.raises(ValueError, match="max_words must be at least 1"):
        read_vectors(b"a 1", max_words=0)
    with pytest.raises(ValueError, match="words is one text"):
        read_vectors(b"a 1", words="the")
    assert refused("/no/such/file").code == "unreadable"
    assert refused(b"a 1 2", encoding="utf-0").code == "unknown_encoding"
    assert refused(b"x", format="binary").code == "no_vectors"
    assert refused(b"x", format="npz").code == "no_vectors"
    assert refused(b"x", format="safetensors").code == "damaged_file"


# Every form

PLAIN, ROWS = ["the", "of", "cat", "dog"], np.arange(12, dtype=np.float32).reshape(4, 3)
TEXTS = ("glove", "header", "fasttext", "tabs", "windows", "gzip")


@for_each("form", [*TEXTS[:3], "binary", "safetensors"])
def test_bytes_that_are_no_utf8_in_every_form(form):
    written = WRITERS[form](["the", "of", "cXt", "dog"], ROWS).replace(b"cXt", b"c\xe9t")
    table = read_vectors(written)
    assert table.words == ("the", "of", "c\ufffdt", "dog")
    assert table.report.n_replaced == 1
    assert read_vectors(written, encoding="latin-1").words[2] == "cét"
    np.testing.assert_array_equal(table.vectors, ROWS)


def test_five_words_of_many_that_are_no_utf8_make_no_other_encoding():
    lines = [b"c\xe9%d 1 2\n" % i for i in range(5)] + [b"c%d 1 2\n" % i for i in range(300)]
    assert read_vectors(b"".join(lines)).report.n_replaced == 5
