"""Delimiter, quoting, decimal sign and header: found where they are certain, else asked for."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from geometry.data import read_corpus, read_pairs
from geometry.data.recognise import Reading, is_id
from geometry.errors import GeometryError
from geometry.measure import mean_cosine
from geometry.vectors import read_vector_set, recognise
from tests.for_each import for_each


def asked(read, *arguments, **options) -> GeometryError:
    with pytest.raises(GeometryError) as caught:
        read(*arguments, **options)
    assert caught.value.code == "uncertain"
    assert caught.value.details["option"] in Reading.__dataclass_fields__
    return caught.value


# ---- quotation marks that belong to the texts ----

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
    corpus = read_corpus(table.format(delimiter).encode(), name="t.csv", text_column="text")
    assert len(corpus) == n
    assert sum('"' in text for text in corpus.texts) == 2


def test_a_quoted_cell_of_several_lines_stays_one():
    rows = [("text", "topic"), ("one,\ntwo, three, four\nfive", "x"), ("five", "y"), ("six", "x")]
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    corpus = read_corpus(written.getvalue().encode(), name="t.csv", text_column="text")
    assert corpus.texts == ("one,\ntwo, three, four\nfive", "five", "six")


def test_everyday_tables_are_not_asked_about():
    texts = [f'It rains, slowly; he said "go {i}"\nand left, at last.' for i in range(12)]
    tables = {
        "several columns": ([["id", "review"], *enumerate(texts)], csv.QUOTE_MINIMAL),
        "one column": ([["text"], *([text] for text in texts)], csv.QUOTE_MINIMAL),
        "every cell quoted": (
            [["text", "label"], *([f"a,b{i}\nc", "x"] for i in range(9))],
            csv.QUOTE_ALL,
        ),
    }
    for rows, quoting in tables.values():
        written = io.StringIO()
        csv.writer(written, quoting=quoting).writerows(rows)
        corpus = read_corpus(written.getvalue().encode(), name="t.csv")
        assert len(corpus) == len(rows) - 1


def test_a_text_and_a_name_are_no_pair():
    rows = "".join(f"{i},u{i % 7},It rains no {i} times,{i * 3}\n" for i in range(20))
    assert recognise(f"id,user,tweet,likes\n{rows}".encode(), name="t.csv").holds == "texts"
    rows = "".join(f"It rains no {i} times;x;0.{i}\n" for i in range(20))
    assert recognise(f"text;label;score\n{rows}".encode(), name="t.csv").holds == "texts"


def test_marks_with_two_meanings_are_asked_for():
    table = b'text,note\n"one,two\nthree",four\nfive,six\nseven,eight\n'
    error = asked(read_corpus, table, name="t.csv", text_column="text")
    assert error.details["option"] == "quoting"
    joined = read_corpus(table, name="t.csv", text_column=0, reading=Reading(quoting="quoted"))
    apart = read_corpus(table, name="t.csv", text_column=0, reading=Reading(quoting="none"))
    assert (joined.texts[0], len(apart)) == ("one,two\nthree", 4)


# ---- delimiters ----


@pytest.mark.parametrize("delimiter", ["\t", ";", "|", ","])
@pytest.mark.parametrize("other", [", ", "; ", " | "])
def test_a_sign_of_the_prose_is_no_delimiter(delimiter, other):
    if other.strip() == delimiter:
        pytest.skip("the same sign")
    rows = [f"Word {i}{other}and more of it{delimiter}kind{i % 2}\n" for i in range(6)]
    corpus = read_corpus("".join(rows).encode(), name="t.csv")
    assert corpus.texts[1] == f"Word 1{other}and more of it"


def test_a_tab_divides_before_a_decimal_comma():
    pairs = read_pairs(b"Berlin\tParis\t1,58\nRom\tOslo\t2,5\nBonn\tKiew\t0,25\n", name="p.csv")
    assert (pairs.left[0], pairs.gold_scores.tolist()) == ("Berlin", [1.58, 2.5, 0.25])


def test_a_line_states_the_delimiter():
    table = "sep=;\ntext;label\none, two;a\nthree, four;b\n"
    corpus = read_corpus(table.encode(), name="t.csv", label_column="label")
    assert (corpus.texts, corpus.labels) == (("one, two", "three, four"), ("a", "b"))


def test_two_delimiters_that_fit_are_asked_for():
    table = b"ab,cd;ef\ngh,ij;kl\nmn,op;qr\n"
    assert asked(read_corpus, table, name="t.csv").details["choices"] == (",", ";")
    corpus = read_corpus(table, name="t.csv", text_column=0, reading=Reading(delimiter=";"))
    assert corpus.texts == ("ab,cd", "gh,ij", "mn,op")


# ---- decimal commas ----


def test_case_06(case):
    found = read_vector_set(case("06-decimal-comma/eight.csv"))
    assert found.vectors.shape == (60, 8)
    assert mean_cosine(found.vectors) == pytest.approx(0.4825, abs=5e-5)
    shapes = {"ABCD.csv": (3, 4), "noheader.csv": (3, 2), "vectors.csv": (3, 3)}
    for name, shape in (shapes | {"vectors.tsv": (3, 3), "vec-text.csv": (3, 2)}).items():
        assert read_vector_set(case(f"06-decimal-comma/{name}")).vectors.shape == shape
    assert read_pairs(case("06-decimal-comma/pairs.csv")).gold_scores.tolist() == [4.5, 0.2, 2.8]
    weights = read_corpus(case("06-decimal-comma/weights.csv"), weight_column="weight").weights
    assert weights == (0.5, 1.5, 2)
    thousands = case("06-decimal-comma/thousands.csv")
    assert asked(read_corpus, thousands, weight_column=1).details["option"] == "decimal"
    assert len(read_corpus(thousands)) == 2


@for_each("form", ["{};{}", "{}\t{}", '"{}","{}"', "{}|{}", "{} {}"])
@for_each("number", ["{:.4f}", "{:.1f}", "{:.2e}"])
def test_decimal_commas_are_read(form, number):
    numbers = np.random.default_rng(0).standard_normal((20, 2)) * 10
    cells = [[number.format(each).replace(".", ",") for each in row] for row in numbers]
    content = "".join(form.format(*row) + "\n" for row in cells).encode()
    expected = [[float(each.replace(",", ".")) for each in row] for row in cells]
    np.testing.assert_allclose(read_vector_set(content, name="v.txt").vectors, expected, rtol=1e-6)


def test_thousands_before_a_decimal_comma():
    content = b"1.234,5;0,25\n12,5;1.000.000,75\n7,5;8,5\n"
    vectors = read_vector_set(content, name="v.csv").vectors
    assert vectors.tolist() == [[1234.5, 0.25], [12.5, 1000000.75], [7.5, 8.5]]


def test_decimal_commas_between_commas_are_refused():
    content = b"0,5125,0,0235\n1,512,2,523\n3,531,4,523\n"
    with pytest.raises(GeometryError) as caught:
        read_vector_set(content, name="v.csv")
    assert caught.value.because == "split_decimals"
    assert "0235" in str(caught.value)


# ---- headers ----


@for_each(
    "table", [b"0,1\n0.5,0.25\n1.5,2\n", b"1 2 3\n0.5 0.25 1\n1.5 2 3\n", b"0,1,2\n1,2,0\n2,1,0\n"]
)
def test_counted_first_rows_are_asked_for(table):
    assert asked(read_vector_set, table, name="v.txt").details["option"] == "header"
    n = table.count(b"\n")
    for header in (True, False):
        found = read_vector_set(table, name="v.txt", reading=Reading(header=header))
        assert len(found.vectors) == n - header


VECTORS = b"0.5\t0.25\n1.5\t2\n2.5\t0.1\n"


@for_each(
    ("metadata", "labels"),
    [
        (b"name\tkind\na\tx\nb\ty\nc\tx\n", ("x", "y", "x")),
        (b"a\tx\nb\ty\nc\tx\n", ("x", "y", "x")),
        (b"word\tyear\na\t1990\nb\t1991\nc\t2001\n", ("1990", "1991", "2001")),
        (b"text\tlabel\na\tx\nb\ty\n", None),  # a row is missing: each label would move
        (b"word\tyear\na\t1990\nb\t1991\n", None),
        (b"a\tx\nb\ty\nc\tx\nd\ty\n", None),  # a row too many, and no header
    ],
)
def test_labels_stay_with_their_vectors(metadata, labels):
    last = metadata.split(b"\n")[0].split(b"\t")[1].decode()
    column = last if labels and last not in labels else "column 2"

    def read():
        return read_vector_set(
            VECTORS, name="v.tsv", metadata=metadata, metadata_name="m.tsv", label_column=column
        )

    if labels is None:
        with pytest.raises(GeometryError) as caught:
            read()
        assert caught.value.code == "metadata_rows"
    else:
        assert read().labels == labels


def test_names_that_pandas_counts_are_a_header():
    numbers = np.random.default_rng(0).standard_normal((5, 6))
    content = ",".join(map(str, range(6))) + "\n"
    content += "".join(",".join(map(str, row)) + "\n" for row in numbers)
    assert read_vector_set(content.encode(), name="v.csv").vectors.shape == (5, 6)


# ---- columns ----


def test_numbers_of_rows_are_no_dimension():
    numbers = np.random.default_rng(0).standard_normal((5, 3)).round(3)
    rows = "".join(f"{i},{','.join(map(str, row))}\n" for i, row in enumerate(numbers, start=1))
    assert read_vector_set(rows.encode(), name="v.csv").vectors.shape == (5, 3)
    whole = b"1,5,7\n2,8,9\n3,1,1\n"  # 1, 2, 3 may be numbers as the others
    assert read_vector_set(whole, name="v.csv").vectors.shape == (3, 3)


@for_each(
    ("cells", "expected"),
    [
        (["1", "2", "3"], True),
        (["q1", "q2", "q7"], True),
        (["doc-000017", "doc-000018", "doc-000020"], True),
        ([f"{i:08x}-1234-5678-9abc-def012345678" for i in range(3)], True),
        (["3", "1", "7"], False),
        (["q1", "q1", "q2"], False),
        (["one", "two", "three"], False),
        (["A short text.", "Another 2", "And 3"], False),
    ],
)
def test_ids_tell_rows_apart(cells, expected):
    assert is_id(cells) == expected


# ---- tables of every day ----

TEXTS = [f"I liked it, {n} times" for n in ("two", "four", "six", "nine")]


def csv_of(header, *columns, delimiter=","):
    rows = [header, *zip(*columns, strict=True)]
    return "".join(delimiter.join(f'"{cell}"' for cell in row) + "\n" for row in rows).encode()


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
    found = recognise(EVERYDAY[case], name=name)
    assert (found.holds, found.is_certain) == ("texts", True)
    assert list(read_corpus(EVERYDAY[case], name=name).texts) == TEXTS


TABS = "id\ttext\tlabel\n" + "".join(f"{n}\t{text}\ta\n" for n, text in enumerate(TEXTS))
OTHER_ENDINGS = {
    "tabs": TABS,
    "bars": TABS.replace("\t", "|"),
    "json": "".join(json.dumps({"text": text, "label": "a"}) + "\n" for text in TEXTS),
}


@for_each("name", ["a.txt", "a", "a.dat"])
@for_each("case", OTHER_ENDINGS)
def test_the_ending_of_a_name_makes_no_lines_of_a_table(case, name):
    content = OTHER_ENDINGS[case].encode()
    assert list(read_corpus(content, name=name).texts) == TEXTS
    assert "label" in recognise(content, name=name).columns


@for_each(
    "lines",
    [
        "One, two,\nmy shoe;\nthree, four,\n",
        "a|b\nc\n",
        "Chapter 1\nChapter 2\nChapter 3\n",
        "Meet 10:30\nEat 12:00\nSleep 22:15\n",
        "Room 12b\nRoom 13a\n",
        "Milch 1,05\nEi 0,30\n",
    ],
)
def test_lines_of_text_stay_lines(lines):
    assert recognise(lines.encode(), name="a.txt").holds == "texts"
    assert list(read_corpus(lines.encode(), name="a.txt").texts) == lines.splitlines()


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


def test_a_class_before_a_title_and_a_text_is_no_score():
    news = b"3,A b c d,I saw it all\n2,E f g h,I left it there\n"
    assert not recognise(news, name="a.csv").is_certain


# ---- vectors of other tools ----

ROWS = [[0.5, -1.25, 2.0], [1.5, 0.25, -0.5], [3.5, 2.25, 0.125]]


def lists(form):
    rows = (f'a b c,"{form(row)}"\n' for row in ROWS)
    return ("t,emb\n" + "".join(rows)).encode()


LISTS = {
    "NumPy 2": lambda row: "[" + ", ".join(f"np.float64({x})" for x in row) + "]",
    "arrays": lambda row: f"array({row}, dtype=float32)",
    "tensors": lambda row: f"tensor({row})",
    "PostgreSQL": lambda row: "{" + ",".join(map(str, row)) + "}",
    "decimal commas": lambda row: "[" + " ".join(map(str, row)).replace(".", ",") + "]",
}


@for_each("case", LISTS)
def test_lists_in_cells(case):
    content = lists(LISTS[case])
    found = recognise(content, name="a.csv")
    assert (found.holds, found.is_certain, found.vectors) == ("vectors", True, ("emb",))
    assert read_vector_set(content, name="a.csv").vectors.tolist() == ROWS


def test_numbers_of_lists_that_are_none_or_lost_are_refused():
    for form, because in (("[0.1 ... 0.2]", "shortened_list"), ("[1_0, 2]", "bad_cell")):
        content = lists(lambda row, form=form: form)
        with pytest.raises(GeometryError) as caught:
            read_vector_set(content, name="a.csv")
        assert caught.value.because == because
        assert "`emb`" in str(caught.value)
    with pytest.raises(GeometryError, match="tolist"):
        recognise(lists(lambda row: "[0.1 ... 0.2]"), name="a.csv")


def lines(rows, delimiter=","):
    return "".join(delimiter.join(map(str, row)) + "\n" for row in rows).encode()


def test_names_of_columns_that_are_numbers():
    for header in ((2019, 2020, 2021), (0, 10, 20)):
        assert (
            asked(read_vector_set, lines([header, *ROWS]), name="a.csv").details["option"]
            == "header"
        )
    numbered = [(n, *row) for n, row in enumerate(ROWS)]
    found = read_vector_set(lines([("", 0, 1, 2), *numbered]), name="a.csv")
    assert found.vectors.tolist() == ROWS


@for_each(
    ("content", "name"),
    [
        (lines([("a", "1_0", "2_5", "3.0")] * 4, " "), "a.txt"),
        (lines([('"V1"', '"V2"', '"V3"')] + [('"1"', 0.5, 0.25, 1.5)] * 4, " "), "a.txt"),  # of R
        (lines([("0,5", "0,0413", "1,5")] * 4), "a.csv"),
        (lines([("a", "b", "c"), *[("0,5", "0,4", "1,5")] * 4]), "a.csv"),
    ],
)
def test_numbers_that_are_not_read_are_not_taken_for_texts(content, name):
    with pytest.raises(GeometryError):
        recognise(content, name=name)


def test_years_beside_the_name_of_a_text():
    content = csv_of(("text", "2019", "2020"), TEXTS, *NUMBERS)
    assert list(read_corpus(content, name="a.csv").texts) == TEXTS
    assert read_vector_set(content, name="a.csv").vectors[0].tolist() == [3, 7]


# ---- tables as other programs write them ----

TOLD = [f"This is sentence {i} of the reports" for i in range(30)]
KINDS = ["ab"[i % 2] for i in range(30)]


@for_each("delimiter", ["^", "~"])
def test_carets_and_tildes_divide_columns(delimiter):
    rows = "".join(f"{t}, ok{delimiter}{k}\n" for t, k in zip(TOLD, KINDS, strict=True))
    for header in (f"text{delimiter}label\n", ""):
        corpus = read_corpus(f"{header}{rows}".encode(), name="t.csv", label_column=1)
        assert (len(corpus), corpus.texts[3], corpus.labels[3]) == (30, f"{TOLD[3]}, ok", "b")
    table = f"text{delimiter}x1{delimiter}x2\n" + "".join(
        f"{t}{delimiter}0.{i}{delimiter}2.5\n" for i, t in enumerate(TOLD)
    )
    assert read_vector_set(table.encode(), name="t.csv").vectors[3].tolist() == [
        np.float32(0.3),
        2.5,
    ]


@for_each(
    ("written", "said"),
    [
        (r'"He said \"go {i}\", then left"', 'He said "go {i}", then left'),
        (r'"He said \"go {i}\" then left"', 'He said "go {i}" then left'),
        (r'"{i}, he said \"go\""', '{i}, he said "go"'),
        (r'"a \\ {i}, \"b\""', 'a \\ {i}, "b"'),
        (r'"a\nb {i}, \"b\""', 'a\\nb {i}, "b"'),
        (r'"It is C:\ {i}, so"', "It is C:\\ {i}, so"),
        (r'"{i}, C:\"', "{i}, C:\\"),
    ],
)
@for_each("delimiter", [",", "\t"])
def test_a_backslash_before_a_mark(written, said, delimiter):
    rows = [f"{written.format(i=i)}{delimiter}{k}" for i, k in enumerate(KINDS)]
    content = "\n".join([f"text{delimiter}label", "plain" + delimiter + "a", *rows])
    corpus = read_corpus(content.encode(), name="t.csv", label_column="label")
    assert corpus.texts == ("plain", *(said.format(i=i) for i in range(30)))
    assert corpus.labels == ("a", *KINDS)


def r_table(rows, header, *, delimiter=" ", names=None):
    names = names or [f'"{i}"' for i in range(1, len(rows) + 1)]
    lines = [delimiter.join(header)] + [
        delimiter.join((name, *row)) for name, row in zip(names, rows, strict=True)
    ]
    return "\n".join(lines).encode() + b"\n"


@for_each("delimiter", [" ", "\t", ",", ";"])
def test_tables_of_r_have_row_names_without_a_header(delimiter):
    rows = [(f'"{t}"', f'"{k}"') for t, k in zip(TOLD, KINDS, strict=True)]
    content = r_table(rows, ('"words"', '"kind"'), delimiter=delimiter)
    corpus = read_corpus(content, name="t.txt", text_column="words", label_column="kind")
    assert (corpus.texts, corpus.labels) == (tuple(TOLD), tuple(KINDS))
    assert corpus.account.columns_left_out == ("column 1",)
    assert corpus.account.column_reasons == ("codes",)
    assert recognise(content, name="t.txt").holds == "texts"


@for_each("name", ["t.txt", "t.csv", "t"])
def test_vectors_of_r(name):
    rows = [(f"0.{i}", "2.5", "-1") for i in range(30)]
    numbered = r_table(rows, ('"V1"', '"V2"', '"V3"'))
    found = read_vector_set(numbered, name=name)
    assert (found.vectors.shape, found.vectors[3, 0], found.texts) == (
        (30, 3),
        np.float32(0.3),
        None,
    )
    words = [f'"{a}{b}"' for a in "abcde" for b in "fghijk"]
    named = read_vector_set(r_table(rows, ('"V1"', '"V2"', '"V3"'), names=words), name=name)
    assert named.vectors.shape == (30, 3)
    written = b'"","V1","V2"\n' + b"".join(b'"%d",0.5,%d\n' % (i, i) for i in range(1, 9))
    assert read_vector_set(written, name=name).vectors.tolist() == [[0.5, i] for i in range(1, 9)]


def test_texts_in_quotes_are_no_table_of_r():
    content = b'"Hello there" she said "and\n"Go on" he said\n"No" she\n'
    assert len(read_corpus(content, name="t.txt")) == 3


# ---- rows above the header ----

TITLES = ["Quarterly report\n", "Quarterly report\nby us\n", "Quarterly report\n\n", "\n",
          "Quarterly report,,\n", "Quarterly report,,\nby us,,\n\n", "# made by a program\n",
          "Report,2024\n"]  # fmt: skip


@for_each("title", TITLES)
def test_a_title_above_the_header_is_no_row(title):
    rows = "".join(f"{i},{t},{k}\n" for i, (t, k) in enumerate(zip(TOLD, KINDS, strict=True)))
    content = f"{title}no,words,kind\n{rows}".encode()
    corpus = read_corpus(content, name="t.csv", text_column="words", label_column="kind")
    assert (corpus.texts, corpus.labels) == (tuple(TOLD), tuple(KINDS))
    assert corpus.account.rows_read == 30
    rows = "".join(f"{i / 8},0.25,-1.5\n" for i in range(30))
    for content in (f"{title}x1,x2,x3\n{rows}", f"{title}alpha,beta,gamma\n{rows}"):
        found = read_vector_set(content.encode(), name="t.csv").vectors
        assert (found.shape, found[4].tolist()) == ((30, 3), [0.5, 0.25, -1.5])


def test_a_title_above_rows_without_clear_names_is_asked_about():
    content = b"Quarterly report\nab,cd,ef\ngh,ij,kl\nmn,op,qr\nst,uv,wx\n"
    error = asked(read_corpus, content, name="t.csv")
    assert error.because == "uncertain_title"
    assert "Delete the rows above the names" in str(error)
    plain = b"Quarterly report,,\nab,cd,ef\ngh,ij,kl\nmn,op,qr\nst,uv,wx\n"
    corpus = read_corpus(plain, name="t.csv", text_column=0, reading=Reading(header=False))
    assert len(corpus) == 5


# ---- decimal commas between commas ----


@for_each("header", ["a,b,c", "text,a,b", "id,a,b", "alpha,beta,gamma"])
def test_decimal_commas_below_a_header_are_named(header):
    first = {"text": "It rains", "id": "7"}.get(header.split(",", 1)[0], "0,125")
    rows = "".join(f"{first},0,{100 + i},{'-1' if i % 3 else '1'},{i}\n" for i in range(20))
    for read in (read_corpus, read_vector_set, recognise):
        with pytest.raises(GeometryError) as caught:
            read(f"{header}\n{rows}".encode(), name="t.csv")
        assert "decimal comma" in str(caught.value)


# ---- questions, titles and labels ----

CONTEXT = "The long paragraph {} says that it rains. It is long."


def test_the_text_is_not_the_title_or_the_question_beside_it():
    made = [
        {
            "id": f"q{i}",
            "title": f"Title {i}",
            "context": CONTEXT.format(i),
            "question": f"Why {i}?",
        }
        | {"answers": {"text": ["it rains"], "answer_start": [i]}}
        for i in range(30)
    ]
    content = "".join(json.dumps(each) + "\n" for each in made).encode()
    found = recognise(content, name="t.jsonl")
    assert (found.holds, found.is_certain) == ("texts", True)
    assert read_corpus(content, name="t.jsonl").texts[2] == CONTEXT.format(2)
    for name in ("title", "headline", "question"):
        table = f"{name},summary\n" + "".join(f"So {i},{CONTEXT.format(i)}\n" for i in range(30))
        assert read_corpus(table.encode(), name="t.csv").texts[2] == CONTEXT.format(2)
    table = "title,text\n" + "".join(f"So {i},It rains\n" for i in range(30))
    assert read_corpus(table.encode(), name="t.csv").texts[2] == "It rains"


def test_paragraphs_within_articles_are_asked_for():
    articles = [
        {
            "title": f"Title {k}",
            "paragraphs": [{"context": CONTEXT.format(i), "qas": [{"id": i}]} for i in range(4)],
        }
        for k in range(3)
    ]
    content = json.dumps({"version": "1.1", "data": articles}).encode()
    error = asked(read_corpus, content, name="t.json")
    [path] = error.details["choices"]
    corpus = read_corpus(content, name="t.json", reading=Reading(path=path))
    assert (len(corpus), corpus.texts[1]) == (12, CONTEXT.format(1))


@for_each(
    ("header", "answer", "is_certain"),
    [
        ("question,answer", "It is thing {i} and more", False),
        ("query,document", "It is thing {i} and more", False),
        ("question,answer", "{i}", True),
        ("query,relevant", "doc{i}", True),
    ],
)
def test_answers_that_are_texts_may_be_texts(header, answer, is_certain):
    rows = "".join(f"What is {i} of it?,{answer.format(i=i % 9 + 1)}\n" for i in range(30))
    found = recognise(f"{header}\n{rows}".encode(), name="t.csv")
    assert (found.holds, found.is_certain) == ("queries", is_certain)


SPECIES = ("setosa", "versicolor", "virginica")
FLOWERS = [(f"{5 + i / 10:.1f}", f"{3 + i % 4 / 10:.1f}", f"1.{i % 5}", f"0.{i % 3}",
            SPECIES[i // 20]) for i in range(60)]  # fmt: skip


@for_each(
    ("header", "name"),
    [
        ("sepal_length,sepal_width,petal_length,petal_width,species\n", "iris.csv"),
        (
            "sepal length (cm),sepal width (cm),petal length (cm),petal width (cm),kind of\n",
            "i.csv",
        ),
        ("", "iris.csv"),
        ("", "iris.data"),
    ],
)
def test_numbers_with_a_class_are_vectors_with_a_label(header, name):
    content = (header + "".join(",".join(row) + "\n" for row in FLOWERS)).encode()
    found = recognise(content, name=name)
    assert (found.holds, found.is_certain, len(found.vectors)) == ("vectors", True, 4)
    label = found.preview.suggested_label_column
    assert label == (header[:-1].split(",")[-1] or "column 5")
    assert found.preview.suggested_text_column is None
    vectors = read_vector_set(content, name=name, label_column=label)
    assert vectors.labels == tuple(row[-1] for row in FLOWERS)


def test_numbers_with_names_or_texts_are_not_taken_for_labelled_vectors():
    cities = "".join(f"City {i}x{i},{i / 3:.2f},{i / 7:.2f},1\n" for i in range(60))
    assert not recognise(f"city,lat,lon,n\n{cities}".encode(), name="t.csv").is_certain
    reviews = "".join(f"It is fine {i} of us,{i % 5},{i % 9},1\n" for i in range(60))
    assert recognise(f"text,stars,votes,n\n{reviews}".encode(), name="t.csv").holds == "texts"


def test_a_sample_that_ends_within_a_cell_shows_the_columns():
    rows = [[f"one {i}\nline, two\nand, three", "ab"[i % 2]] for i in range(150)]
    written = io.StringIO()
    csv.writer(written).writerows([["text", "label"], *rows])
    corpus = read_corpus(written.getvalue().encode(), name="t.csv", label_column="label")
    assert corpus.texts == tuple(text for text, _ in rows)
    assert corpus.labels == tuple(label for _, label in rows)


def test_a_cell_without_a_value_as_mysql_writes_it():
    content = (
        b'"1","a \\"so\\" text\\\nmore","x"\n"2",\\N,"y"\n"3","more","x"\n"4","it rains","y"\n'
    )
    corpus = read_corpus(content, name="t.csv")
    assert corpus.texts == ('a "so" text\nmore', "more", "it rains")
    assert corpus.n_blank == 1


@for_each("name", ["t.txt", "t.csv"])
def test_a_title_of_prose_is_no_row(name):
    title = "This file, made by us on Monday, has all of 2020\n"
    rows = "".join(f"{i},{t},{k}\n" for i, (t, k) in enumerate(zip(TOLD, KINDS, strict=True)))
    corpus = read_corpus(f"{title}id,text,label\n{rows}".encode(), name=name, label_column="label")
    assert (corpus.texts, corpus.labels) == (tuple(TOLD), tuple(KINDS))
    rows = "".join(f"{i}\t{t}\t{k}\n" for i, (t, k) in enumerate(zip(TOLD, KINDS, strict=True)))
    corpus = read_corpus(f"Report\n\nid\ttext\tlabel\n{rows}".encode(), name=name)
    assert corpus.texts == tuple(TOLD)
