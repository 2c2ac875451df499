"""Workbooks as programs write them: sizes, sheets, merged cells, formulas, errors, dates."""

import io
import re
import zipfile
from datetime import date, datetime

import openpyxl
import pytest

from geometry import CorpusError, read_corpus, read_pairs
from geometry.data.limits import LIMITS
from geometry.data.recognise import Reading
from geometry.data.table_files import read_packed_table
from geometry.errors import GeometryError
from geometry.vectors import recognise
from tests.for_each import for_each
from tests.vector_files import workbook_of

HERE = LIMITS.but(memory_bytes=0)  # without a process for each file, which takes a second to start
ROWS = [("text", "topic"), *((f"The bus number {i} is late.", "ab"[i % 2]) for i in range(6))]
TEXTS = tuple(row[0] for row in ROWS[1:])


def saved(book, **changes):
    """The workbook's content; ``changes`` are (pattern, replacement) in the XML of its sheets."""
    written = io.BytesIO()
    book.save(written)
    changed = io.BytesIO()
    with zipfile.ZipFile(written) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            content = old.read(name).decode() if name.endswith(".xml") else old.read(name)
            for pattern, replacement in changes.values() if "worksheets/" in name else ():
                content, n = re.subn(pattern, replacement, content)
                assert n, pattern
            new.writestr(name, content)
    return changed.getvalue()


def book_of(rows=ROWS, **sheets):
    return openpyxl.load_workbook(io.BytesIO(workbook_of(rows, **sheets)))


def corpus_of(content, **options):
    return read_corpus(
        content,
        name="a.xlsx",
        text_column="text",
        label_column="topic",
        limits=HERE,
        **options,
    )


def table_of(content, **reading):
    return read_packed_table(content, HERE, Reading(**reading))[1]


def notes_of(content):
    return {note.reason: (note.n, note.rows) for note in table_of(content).notes}


@for_each(
    ("pattern", "replacement"),
    [
        (r"<dimension [^>]*/>", '<dimension ref="A1"/>'),
        (r"<dimension [^>]*/>", '<dimension ref="A1:B3"/>'),
        (r"<dimension [^>]*/>", '<dimension ref="A1:XFD1048576"/>'),
        (r"<dimension [^>]*/>", ""),
        (r'<row r="(\d+)"[^>]*>', r'<row r="\1" spans="1:1">'),
        (r'<row r="\d+"[^>]*>', "<row>"),
        (r' r="[A-Z]+\d+"', ""),
    ],
)
def test_a_stated_size_is_not_believed(pattern, replacement):
    corpus = corpus_of(saved(book_of(), change=(pattern, replacement)))
    assert corpus.texts == TEXTS
    assert corpus.labels == tuple("ababab")


def test_the_first_sheet_that_can_be_seen_is_read_and_another_may_be_chosen():
    book = book_of([("text", "topic"), ("hidden a", "x"), ("hidden b", "x")], Shown=ROWS)
    book.create_sheet("Other").append(("only", "one"))
    book.worksheets[0].title, book.worksheets[0].sheet_state = "Lists", "hidden"
    content = saved(book)
    assert corpus_of(content).texts == TEXTS
    table = table_of(content)
    assert table.sheets == ("Shown", "Other")
    hidden = corpus_of(content, reading=Reading(sheet="Lists"))
    assert hidden.texts == ("hidden a", "hidden b")
    with pytest.raises(CorpusError, check=lambda error: error.code == "unknown_sheet") as caught:
        corpus_of(content, reading=Reading(sheet="absent"))
    assert "`Lists`, `Shown`, `Other`" in str(caught.value)


def test_an_empty_first_sheet_names_the_others():
    with pytest.raises(CorpusError, match=r"`Sheet` has no rows.*`--sheet`: `Data`") as caught:
        corpus_of(saved(book_of([], Data=ROWS)))
    assert (caught.value.code, caught.value.details["choices"]) == ("uncertain", ("Data",))


def test_the_text_of_merged_cells_is_in_each_of_their_rows():
    book = book_of([("topic", "text"), ("rail", "a b"), (None, "c d"), ("food", "e f")])
    for row in ((None, "g h"), (None, "i j"), ("pets", "k l")):
        book.active.append(row)
    for area in ("A2:A3", "A4:A6"):
        book.active.merge_cells(area)
    content = saved(book)
    assert corpus_of(content).labels == ("rail", "rail", "food", "food", "food", "pets")
    assert notes_of(content) == {"merged": (3, (3, 5, 6))}


def test_formulas_without_values_are_counted_and_named():
    rows = [("text", "topic"), *((f'="bus {i}"', "x") for i in range(6)), ("a b", "x"), ("c", "y")]
    content = saved(book_of(rows))
    corpus = corpus_of(content)
    assert (corpus.texts, corpus.n_blank) == (("a b", "c"), 6)
    assert notes_of(content) == {"formula": (6, (2, 3, 4, 5, 6))}
    with pytest.raises(CorpusError, match="only formulas without stored values"):
        corpus_of(saved(book_of(rows[:7])))
    with pytest.raises(CorpusError, match="only formulas without stored values"):
        read_corpus(saved(book_of([("text",), ("=1",), ("=2",)])), name="a.xlsx", limits=HERE)
    pairs = [("left", "right", "score"), ("a", "b", 1), ("c", "=A1", 2), ("e", "f", 3)]
    with pytest.raises(CorpusError, match="row at line 3 has a formula without a stored value"):
        read_pairs(saved(book_of(pairs)), name="a.xlsx", limits=HERE)


def test_cells_with_errors_are_named():
    content = saved(book_of([("text", "topic"), ("a b", "#N/A"), ("c d", "#REF!"), ("e", "x")]))
    assert corpus_of(content).labels == ("#N/A", "#REF!", "x")
    assert notes_of(content) == {"cell_error": (2, (2, 3))}


def test_dates_and_numbers_keep_their_meaning():
    values = (date(2024, 3, 1), datetime(2024, 3, 2, 10, 30), 3, 0.25, "007", True, 12345678901)
    content = saved(book_of([("text", "topic"), *((f"text {i}", v) for i, v in enumerate(values))]))
    assert corpus_of(content).labels == (
        *("2024-03-01", "2024-03-02 10:30:00", "3", "0.25", "007", "True", "12345678901"),
    )
    whole = saved(
        book_of([("text", "topic"), ("a b", 5), ("c", 6)]), change=("<v>5</v>", "<v>5.0</v>")
    )
    assert corpus_of(whole).labels == ("5", "6")


TABLE = [["no", "words", "kind"], *([i, f"It rains no {i} times", "ab"[i % 2]] for i in range(9))]


@for_each(
    "title",
    [
        [["Quarterly report"]],
        [["Quarterly report"], ["by us"]],
        [["Quarterly report"], []],
        [["Quarterly report", None, "2024"], [], ["of all"]],
    ],
)
def test_a_title_above_the_header_of_a_sheet_is_no_row(title):
    corpus = read_corpus(workbook_of([*title, *TABLE]), name="t.xlsx", label_column="kind")
    assert corpus.texts == tuple(row[1] for row in TABLE[1:])
    assert (corpus.account.rows_in_file, corpus.n_blank) == (9, 0)


@for_each(
    "prose",
    [
        [["This workbook has the reviews of last year."], ["Please ask Ann for details."]],
        [["Purpose", "Reviews of last year."], ["Contact", "Please ask Ann."]],
        [["Notes"]],
    ],
)
def test_a_first_sheet_of_prose_is_asked_about(prose):
    content = workbook_of(prose, Data=TABLE, More=prose)
    for read in (read_corpus, recognise):
        with pytest.raises(GeometryError) as caught:
            read(content, name="t.xlsx")
        assert caught.value.code == "uncertain"
        assert caught.value.details["choices"] == ("Data",)
    assert len(read_corpus(content, name="t.xlsx", reading=Reading(sheet="Data"))) == 9
    assert len(read_corpus(workbook_of(TABLE, B=TABLE[:4]), name="t.xlsx")) == 9
