"""Delimiter, quoting, decimal sign and header: found where they are certain, else asked for."""

import csv
import io
import json

import numpy as np
import pytest

from geometry.data import read_corpus, read_pairs
from geometry.data.recognise import Reading
from geometry.errors import GeometryError
from geometry.measure import mean_cosine
from geometry.vectors import read_vector_set, recognise
from tests.for_each import for_each
from tests.vector_files import jsonl_of


def texts_of(content, name="t.csv", **options):
    content = content if isinstance(content, bytes) else content.encode()
    return read_corpus(content, name=name, **options).texts


def vectors_of(content, name="t.csv", **options):
    content = content if isinstance(content, bytes) else content.encode()
    return read_vector_set(content, name=name, **options).vectors


def asked(option, read, *arguments, **options) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        read(*arguments, **options)
    assert (caught.value.code, caught.value.details["option"]) == ("uncertain", option)
    return caught.value


def written(rows, **dialect):
    sink = io.StringIO()
    csv.writer(sink, **dialect).writerows(rows)
    return sink.getvalue()


def lines(rows, delimiter=","):
    return "".join(delimiter.join(map(str, row)) + "\n" for row in rows)


# ---- quotation marks ----

STRAY = (
    "id{0}text{0}topic\n1{0}a short sentence{0}A\n2{0}another sentence{0}B\n"
    '3{0}"Run and do not look back{0}A\n4{0}one more of them{0}B\n5{0}and one more{0}A\n'
    '6{0}the pipe is wider than 5"{0}B\n7{0}the last sentence{0}A\n'
)
LABELS_ALONE = (
    'text{0}topic\nIt rains.{0}sky\nIt snows.{0}sky\nA cat.{0}animal\nA dog.{0}animal\n"Go away{0}'
    'sky\nIt is late.{0}animal\nA 5"{0}animal\nThe end.{0}sky\n'
)


@for_each("delimiter", ["\t", ",", ";", "|"])
@for_each(("table", "n"), [(STRAY, 7), (LABELS_ALONE, 8)])
def test_marks_of_two_texts_join_no_rows(table, n, delimiter):
    texts = texts_of(table.format(delimiter), text_column="text")
    assert (len(texts), sum('"' in text for text in texts)) == (n, 2)


SAID = [f'It rains, slowly; he said "go {i}"\nand left, at last.' for i in range(12)]
SEVERAL_LINES = {
    "several columns": written([["id", "review"], *enumerate(SAID)]),
    "one column": written([["text"], *([text] for text in SAID)]),
    "all quoted": written([["text", "x"], *([t, "y"] for t in SAID)], quoting=csv.QUOTE_ALL),
}


@for_each("case", SEVERAL_LINES)
def test_quoted_cells_of_several_lines_are_not_asked_about(case):
    assert texts_of(SEVERAL_LINES[case]) == tuple(SAID)


def test_a_sample_that_ends_within_a_cell_shows_the_columns():
    rows = [[f"one {i}\nline, two\nand, three", "ab"[i % 2]] for i in range(150)]
    assert texts_of(written([["text", "label"], *rows])) == tuple(text for text, _ in rows)


def test_marks_with_two_meanings_are_asked_for():
    table = b'text,note\n"one,two\nthree",four\nfive,six\nseven,eight\n'
    asked("quoting", read_corpus, table, name="t.csv", text_column="text")
    unlabelled = b"text;topic\n" + b"a b;x\nc d;y\ne f;\n" * 3 + b'"He said;x\nand left";y\n'
    asked("quoting", read_corpus, unlabelled, name="t.csv", text_column="text")
    assert texts_of(table, reading=Reading(quoting="quoted"))[0] == "one,two\nthree"
    assert len(texts_of(table, text_column=0, reading=Reading(quoting="none"))) == 4


@for_each(("cell", "said"), [
    (r'"He said \"go {i}\", then left"', 'He said "go {i}", then left'),
    (r'"He said \"go {i}\" then left"', 'He said "go {i}" then left'),
    (r'"{i}, he said \"go\""', '{i}, he said "go"'),
    (r'"a \\ {i}, \"b\""', 'a \\ {i}, "b"'),
    (r'"a\nb {i}, \"b\""', 'a\\nb {i}, "b"'),
    (r'"It is C:\ {i}, so"', "It is C:\\ {i}, so"),
    (r'"{i}, C:\"', "{i}, C:\\"),
])  # fmt: skip
@for_each("delimiter", [",", "\t"])
def test_a_backslash_before_a_mark(cell, said, delimiter):
    rows = [
        ("text", "label"),
        ("plain", "a"),
        *((cell.format(i=i), "ab"[i % 2]) for i in range(30)),
    ]
    assert texts_of(lines(rows, delimiter)) == ("plain", *(said.format(i=i) for i in range(30)))


def test_a_cell_without_a_value_as_mysql_writes_it():
    content = '"1","a \\"so\\" text\\\nmore","x"\n"2",\\N,"y"\n"3","more","x"\n"4","it rains","y"\n'
    assert texts_of(content) == ('a "so" text\nmore', "more", "it rains")


# ---- delimiters ----


@for_each("delimiter", ["\t", ";", "|", ","])
@for_each("other", [", ", "; ", " | "])
def test_a_sign_of_the_prose_is_no_delimiter(delimiter, other):
    if other.strip() != delimiter:
        rows = [(f"Word {i}{other}and more of it", f"kind{i % 2}") for i in range(6)]
        assert texts_of(lines(rows, delimiter))[1] == f"Word 1{other}and more of it"


def test_a_tab_or_a_stated_delimiter_comes_first_and_two_that_fit_are_asked_for():
    pairs = read_pairs(b"Berlin\tParis\t1,58\nRom\tOslo\t2,5\nBonn\tKiew\t0,25\n", name="p.csv")
    assert (pairs.left[0], pairs.gold_scores.tolist()) == ("Berlin", [1.58, 2.5, 0.25])
    stated = "sep=;\ntext;label\none, two;a\nthree, four;b\n"
    assert texts_of(stated, label_column="label") == ("one, two", "three, four")
    with pytest.raises(GeometryError, check=lambda error: error.details["line"] == 5):
        texts_of(stated + "five;a;b\n")
    table = b"ab,cd;ef\ngh,ij;kl\nmn,op;qr\n"
    assert asked("delimiter", texts_of, table).details["choices"] == (",", ";")
    chosen = texts_of(table, text_column=0, reading=Reading(delimiter=";"))
    assert chosen == ("ab,cd", "gh,ij", "mn,op")


TOLD = [f"This is sentence {i} of the reports" for i in range(30)]
KINDS = ["ab"[i % 2] for i in range(30)]
NUMBERED = [(i, *row) for i, row in enumerate(zip(TOLD, KINDS, strict=True))]


# ---- decimal commas ----


def test_case_06(case):
    found = read_vector_set(case("06-decimal-comma/eight.csv"))
    assert found.vectors.shape == (60, 8)
    assert mean_cosine(found.vectors) == pytest.approx(0.4825, abs=5e-5)
    assert read_pairs(case("06-decimal-comma/pairs.csv")).gold_scores.tolist() == [4.5, 0.2, 2.8]
    weights = read_corpus(case("06-decimal-comma/weights.csv"), weight_column="weight").weights
    assert weights == (0.5, 1.5, 2)
    thousands = case("06-decimal-comma/thousands.csv")
    asked("decimal", read_corpus, thousands, weight_column=1)
    assert len(read_corpus(thousands)) == 2


@for_each("form", ["{};{}", "{}\t{}", '"{}","{}"', "{}|{}", "{} {}"])
@for_each("number", ["{:.4f}", "{:.4g}", "{:.1f}", "{:.2e}"])
def test_decimal_commas_are_read(form, number):
    numbers = np.random.default_rng(0).standard_normal((20, 2)) * 10
    cells = [[number.format(each).replace(".", ",") for each in row] for row in numbers]
    content = "".join(form.format(*row) + "\n" for row in cells)
    expected = [[float(each.replace(",", ".")) for each in row] for row in cells]
    np.testing.assert_allclose(vectors_of(content, "v.txt"), expected, rtol=1e-6)


def test_thousands_before_a_decimal_sign():
    table = b"text\tn\na text\t1,234\nmore\t2.5\n"
    assert read_corpus(table, name="t.tsv", weight_column="n").weights == (1234, 2.5)
    vectors = vectors_of("1.234,5;0,25\n12,5;1.000.000,75\n7,5;8,5\n")
    assert vectors.tolist() == [[1234.5, 0.25], [12.5, 1000000.75], [7.5, 8.5]]


@for_each("header", ["", "a,b,c", "text,a,b", "id,a,b", "alpha,beta,gamma"])
def test_decimal_commas_between_commas_are_named(header):
    first = {"text": "It rains", "id": "7"}.get(header.split(",", 1)[0], "0,125")
    rows = "".join(f"{first},0,0{100 + i},{'-1' if i % 3 else '1'},{i}\n" for i in range(20))
    for read in (read_vector_set, recognise):
        with pytest.raises(GeometryError, check=lambda error: error.because == "split_decimals"):
            read((f"{header}\n" * bool(header) + rows).encode(), name="t.csv")


def test_a_comma_within_quotation_marks_is_no_decimal_comma():
    rows = "".join(f'{i},It rains,"Boston, MA",{2012 + i}\n' for i in range(20))
    assert len(read_corpus(f"id,text,city,year\n{rows}".encode(), name="t.csv")) == 20


# ---- headers ----


@for_each(
    "table", ["0,1\n0.5,0.25\n1.5,2\n", "1 2 3\n0.5 0.25 1\n1.5 2 3\n", "0,1,2\n1,2,0\n2,1,0\n"]
)
def test_counted_first_rows_are_asked_for(table):
    asked("header", vectors_of, table, name="v.txt")
    for header in (True, False):
        found = vectors_of(table, "v.txt", reading=Reading(header=header))
        assert len(found) == table.count("\n") - header


VECTORS = b"0.5\t0.25\n1.5\t2\n2.5\t0.1\n"


@for_each(("metadata", "column", "labels"), [
    (b"name\tkind\na\tx\nb\ty\nc\tx\n", "kind", ("x", "y", "x")),
    (b"a\tx\nb\ty\nc\tx\n", "column 2", ("x", "y", "x")),
    (b"word\tyear\na\t1990\nb\t1991\nc\t2001\n", "year", ("1990", "1991", "2001")),
    (b"text\tlabel\na\tx\nb\ty\n", "column 2", None),  # a row is missing: each label would move
    (b"word\tyear\na\t1990\nb\t1991\n", "column 2", None),
    (b"a\tx\nb\ty\nc\tx\nd\ty\n", "column 2", None),  # a row too many, and no header
])  # fmt: skip
def test_labels_stay_with_their_vectors(metadata, column, labels):
    given = {"name": "v.tsv", "metadata": metadata, "metadata_name": "m.tsv"}
    if labels is not None:
        assert read_vector_set(VECTORS, label_column=column, **given).labels == labels
        return
    with pytest.raises(GeometryError, check=lambda error: error.code == "metadata_rows"):
        read_vector_set(VECTORS, label_column=column, **given)


ROWS = [[0.5, -1.25, 2.0], [1.5, 0.25, -0.5], [3.5, 2.25, 0.125]]
WHOLE = [[1, 5, 7], [2, 8, 9], [3, 1, 1]]  # 1, 2, 3 may be numbers as the others


def test_numbers_of_rows_and_of_columns():
    numbered = [(n, *row) for n, row in enumerate(ROWS * 2, start=1)]
    assert vectors_of(lines(numbered)).tolist() == ROWS * 2
    assert vectors_of(lines(numbered, " "), "v.csv").tolist() == ROWS * 2
    assert vectors_of(lines(WHOLE)).tolist() == WHOLE
    assert vectors_of(lines([("", 0, 1, 2), *numbered])).tolist() == ROWS * 2
    counted = [range(6), *np.random.default_rng(0).standard_normal((5, 6))]
    assert vectors_of(lines(counted)).shape == (5, 6)
    for header in ((2019, 2020, 2021), (0, 10, 20)):
        asked("header", vectors_of, lines([header, *ROWS]))


TITLES = ["Quarterly report\n", "Quarterly report\nby us\n", "Quarterly report\n\n", "\n",
          "Quarterly report,,\n", "Quarterly report,,\nby us,,\n\n", "# made by a program\n",
          "Report,2024\n", "This file, made by us on Monday, has all of 2020\n"]  # fmt: skip


@for_each("title", TITLES)
def test_a_title_above_the_header_is_no_row(title):
    content = title + lines([("no", "words", "kind"), *NUMBERED])
    assert texts_of(content, text_column="words", label_column="kind") == tuple(TOLD)
    assert texts_of("text,nan\nIt rains,1\nIt pours,2\n") == ("It rains", "It pours")
    rows = lines((i / 8, 0.25, -1.5) for i in range(30))
    for header in ("x1,x2,x3\n", "alpha,beta,gamma\n") if "This" not in title else ():
        found = vectors_of(title + header + rows)
        assert (found.shape, found[4].tolist()) == ((30, 3), [0.5, 0.25, -1.5])


def test_a_title_above_rows_without_clear_names_is_asked_about():
    content = b"Quarterly report\nab,cd,ef\ngh,ij,kl\nmn,op,qr\nst,uv,wx\n"
    assert asked("header", texts_of, content).because == "uncertain_title"
    plain = content.replace(b"report", b"report,,")
    assert len(texts_of(plain, text_column=0, reading=Reading(header=False))) == 5


# ---- tables of every day ----

TEXTS = [f"I liked it, {n} times" for n in ("two", "four", "six", "nine")]


def csv_of(header, *columns, delimiter=","):
    rows = [header, *zip(*columns, strict=True)]
    return written(rows, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n").encode()


NUMBERS = [("3", "1", "4", "1"), ("7", "8", "2", "8")]
DATES = [f"2024/01/0{n} 10:00:00 AM" for n in (1, 2, 3, 4)]
LONG = "a" * 40
EVERYDAY = {
    "flags": csv_of(("id", "comment_text", "toxic", "rude"), "abcd", TEXTS, *NUMBERS),
    "a form": csv_of(("Timestamp", "How old are you?", "And so?"), DATES, NUMBERS[0], TEXTS),
    "a shop": csv_of(("sku", "name", "says", "price", "n"), "abcd", "efgh", TEXTS, *NUMBERS),
    "a forum": csv_of(("title", "body", "score"), "abcd", TEXTS, NUMBERS[0]),
    "empty names": csv_of(("v1", "v2", "", ""), ("ham", "spam") * 2, TEXTS, [""] * 4, [""] * 4),
    "rows of pandas": csv_of(("", "says"), "0123", TEXTS),
    "addresses": csv_of(("url", "t"), [f"https://a.example/{n}/{LONG}" for n in "abcd"], TEXTS),
    "names of files": csv_of(("path", "t"), [f"C:\\{LONG}\\{n}.txt" for n in "abcd"], TEXTS),
    "dates": csv_of(("when", "t"), [f"Mon Apr 0{n} 22:19:45 PDT 2009" for n in "1234"], TEXTS),
    "one name for all": csv_of(("model", "t"), ["a model with a very long name"] * 4, TEXTS),
    "no tab in it": ("text;label\n" + "".join(f"{text};a\n" for text in TEXTS)).encode(),
}


@for_each("case", EVERYDAY)
def test_tables_of_every_day_are_texts_without_a_question(case):
    name = "a.tsv" if case == "no tab in it" else "a.csv"
    assert list(texts_of(EVERYDAY[case], name)) == TEXTS
    found = recognise(EVERYDAY[case], name=name)
    assert (found.holds, found.is_certain) == ("texts", True)


TABS = lines([("id", "text", "label"), *((n, text, "a") for n, text in enumerate(TEXTS))], "\t")
JSON = jsonl_of({"text": text, "label": "a"} for text in TEXTS)


@for_each("name", ["a.txt", "a", "a.dat"])
@for_each("content", [TABS.encode(), TABS.replace("\t", "|").encode(), JSON])
def test_the_ending_of_a_name_makes_no_lines_of_a_table(content, name):
    assert list(texts_of(content, name)) == TEXTS
    assert "label" in recognise(content, name=name).columns


@for_each("text", [
    "One, two,\nmy shoe;\nthree, four,\n",
    "a|b\nc\n",
    "Chapter 1\nChapter 2\nChapter 3\n",
    "Meet 10:30\nEat 12:00\nSleep 22:15\n",
    "Room 12b\nRoom 13a\n",
    "Milch 1,05\nEi 0,30\n",
    '"Hello there" she said "and\n"Go on" he said\n"No" she\n',  # no table of R
])  # fmt: skip
def test_lines_of_text_stay_lines(text):
    assert recognise(text.encode(), name="a.txt").holds == "texts"
    assert list(texts_of(text, "a.txt")) == text.splitlines()


PAIR_TABLES = {
    "Quora": csv_of(
        ("id", "qid1", "qid2", "question1", "question2", "is_duplicate"),
        "0123", "1357", "2468", TEXTS, TEXTS[::-1], "0110",
    ),
    "MRPC": csv_of(
        ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"),
        "0110", "3579", "2468", TEXTS, TEXTS[::-1], delimiter="\t",
    ),
    "SICK": csv_of(
        ("pair_ID", "sentence_A", "sentence_B", "relatedness_score", "judgment"),
        "1234", TEXTS, TEXTS[::-1], "0110", ["NEUTRAL"] * 4, delimiter="\t",
    ),
}  # fmt: skip


@for_each("case", PAIR_TABLES)
def test_pairs_by_names_that_differ_in_a_number(case):
    pairs = read_pairs(PAIR_TABLES[case], name="a.txt" if case == "SICK" else "a.csv")
    assert (list(pairs.left), list(pairs.right)) == (TEXTS, TEXTS[::-1])
    assert pairs.gold_scores.tolist() == [0, 1, 1, 0]
    found = recognise(PAIR_TABLES[case], name="a.csv")
    assert (found.holds, found.is_certain) == ("pairs", True)


TWEETS = [(i, f"u{i % 7}", f"It rains no {i} times", i * 3) for i in range(20)]
RATED = [(f"It rains no {i} times", "x", f"0.{i}") for i in range(20)]
CITIES = [(f"City {i}x{i}", f"{i / 3:.2f}", f"{i / 7:.2f}", 1) for i in range(60)]
REVIEWS = [(f"It is fine {i} of us", i % 5, i % 9, 1) for i in range(60)]


@for_each(("rows", "holds"), [
    ([("id", "user", "tweet", "likes"), *TWEETS], "texts"),
    ([("text", "label", "score"), *RATED], "texts"),
    ([("text", "stars", "votes", "n"), *REVIEWS], "texts"),
    ([("city", "lat", "lon", "n"), *CITIES], "?"),
    ([(3, "A b c d", "I saw it all"), (2, "E f g h", "I left it there")], "?"),  # a class
])  # fmt: skip
def test_a_text_and_a_name_are_no_pair_and_no_labelled_vector(rows, holds):
    found = recognise(lines(rows).encode(), name="t.csv")
    assert (found.holds if found.is_certain else "?") == holds


# ---- vectors of other tools ----


def lists(form):
    return lines([("t", "emb"), *(("a b c", f'"{form(row)}"') for row in ROWS)])


@for_each(("cell", "because"), [("[0.1 ... 0.2]", "shortened_list"), ("[1_0, 2]", "bad_cell")])
def test_numbers_of_lists_that_are_none_or_lost_are_refused(cell, because):
    with pytest.raises(GeometryError) as caught:
        vectors_of(lists(lambda row: cell))
    assert (caught.value.because, caught.value.details["column"]) == (because, "emb")


@for_each("content", [
    lines([("a", "1_0", "2_5", "3.0")] * 4, " "),
    lines([('"V1"', '"V2"', '"V3"')] + [('"1"', 0.5, 0.25, 1.5)] * 4, " "),  # of R
    lists(lambda row: "[0.1 ... 0.2]"),
])  # fmt: skip
def test_numbers_that_are_not_read_are_not_taken_for_texts(content):
    with pytest.raises(GeometryError):
        recognise(content.encode(), name="a.csv" if "emb" in content else "a.txt")


def r_table(rows, header, *, delimiter=" ", names=range(1, 31)):
    return lines(
        [header, *((f'"{n}"', *row) for n, row in zip(names, rows, strict=True))], delimiter
    )


@for_each("delimiter", [" ", "\t", ",", ";"])
def test_tables_of_r_have_row_names_without_a_header(delimiter):
    rows = [(f'"{t}"', f'"{k}"') for t, k in zip(TOLD, KINDS, strict=True)]
    content = r_table(rows, ('"words"', '"kind"'), delimiter=delimiter).encode()
    corpus = read_corpus(content, name="t.txt", text_column="words", label_column="kind")
    assert (corpus.texts, corpus.labels) == (tuple(TOLD), tuple(KINDS))
    assert corpus.account.columns_left_out == ("column 1",)
    assert corpus.account.column_reasons == ("codes",)
    assert recognise(content, name="t.txt").holds == "texts"


# ---- questions, titles and labels ----

CONTEXT = "The long paragraph {} says that it rains. It is long."


def test_the_text_is_not_the_title_or_the_question_beside_it():
    content = jsonl_of(
        {
            "id": f"q{i}",
            "title": f"Title {i}",
            "context": CONTEXT.format(i),
            "question": f"Why {i}?",
        }
        | {"answers": {"text": ["it rains"], "answer_start": [i]}}
        for i in range(30)
    )
    found = recognise(content, name="t.jsonl")
    assert (found.holds, found.is_certain) == ("texts", True)
    assert texts_of(content, "t.jsonl")[2] == CONTEXT.format(2)
    for name in ("title", "headline", "question"):
        table = [(name, "summary"), *((f"So {i}", CONTEXT.format(i)) for i in range(30))]
        assert texts_of(lines(table))[2] == CONTEXT.format(2)
    assert texts_of(lines([("title", "text"), *[("So", "It rains")] * 30]))[2] == "It rains"


def test_paragraphs_within_articles_are_asked_for():
    within = [{"context": CONTEXT.format(i), "qas": [{"id": i}]} for i in range(4)]
    articles = [{"title": f"Title {k}", "paragraphs": within} for k in range(3)]
    content = json.dumps({"version": "1.1", "data": articles}).encode()
    [path] = asked("path", read_corpus, content, name="t.json").details["choices"]
    texts = texts_of(content, "t.json", reading=Reading(path=path))
    assert (len(texts), texts[1]) == (12, CONTEXT.format(1))


@for_each(("header", "answer", "is_certain"), [
    ("question,answer", "It is thing {i} and more", False),
    ("query,document", "It is thing {i} and more", False),
    ("question,answer", "{i}", True),
    ("query,relevant", "doc{i}", True),
])  # fmt: skip
def test_answers_that_are_texts_may_be_texts(header, answer, is_certain):
    rows = "".join(f"What is {i} of it?,{answer.format(i=i % 9 + 1)}\n" for i in range(30))
    found = recognise(f"{header}\n{rows}".encode(), name="t.csv")
    assert (found.holds, found.is_certain) == ("queries", is_certain)


FLOWERS = [(f"{5 + i / 10:.1f}", f"{3 + i % 4 / 10:.1f}", f"1.{i % 5}", f"0.{i % 3}",
            ("setosa", "versicolor", "virginica")[i // 20]) for i in range(60)]  # fmt: skip


@for_each(("header", "name"), [
    ("sepal_length,sepal_width,petal_length,petal_width,species\n", "iris.csv"),
    ("sepal length (cm),sepal width (cm),petal length (cm),petal width (cm),kind of\n", "i.csv"),
    ("", "iris.csv"),
    ("", "iris.data"),
])  # fmt: skip
def test_numbers_with_a_class_are_vectors_with_a_label(header, name):
    content = (header + lines(FLOWERS)).encode()
    found = recognise(content, name=name)
    assert (found.holds, found.is_certain, len(found.vectors)) == ("vectors", True, 4)
    label = found.preview.suggested_label_column
    assert label == (header[:-1].split(",")[-1] or "column 5")
    assert found.preview.suggested_text_column is None
    vectors = read_vector_set(content, name=name, label_column=label)
    assert vectors.labels == tuple(row[-1] for row in FLOWERS)
