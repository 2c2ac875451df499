"""Every refusal of the library has its sentence, in English and in every other language."""

import ast
import pickle
import string
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import geometry
from geometry.data import decode, table_files
from geometry.data.errors import CorpusError, OutputError
from geometry.data.translations import ENGLISH, catalogue, languages
from geometry.encode.errors import PrecisionError, TextError
from geometry.errors import (
    LONGEST_LIST,
    LONGEST_TEXT,
    REASONS,
    SENTENCES,
    TEXTS,
    GeometryError,
    MissingExtraError,
)
from geometry.export.affine import ExportError
from geometry.hub.errors import DataSetError, ModelFilesError, OperatorFileError
from geometry.linalg.rows import UndefinedMeasure
from geometry.scale.errors import ScaleError
from geometry.training.text import TrainingError
from geometry.vectors import set_parquet
from geometry.vectors.errors import VectorFileError
from geometry.vectors.formats import FORMATS
from pages.common import words
from pages.common.messages import error_text
from tests.for_each import for_each

LIBRARY = Path(geometry.__file__).parent
KINDS, WORDS = TEXTS["kinds"], TEXTS["words"]
CLASSES = {
    each.__name__: each
    for each in (
        *(CorpusError, DataSetError, ExportError, ModelFilesError, OperatorFileError, OutputError),
        *(PrecisionError, ScaleError, TextError, TrainingError, UndefinedMeasure),
        *(VectorFileError, MissingExtraError),
    )
}
# Calls in which a variable gives the error's class, and the classes that it may be.
INDIRECT = {
    "self.error": (ModelFilesError, DataSetError),
    **dict.fromkeys(("refuse", "self.refuse"), (CorpusError, VectorFileError)),
    "uncertain": (CorpusError,),
}
LANGUAGES = [code for code in languages() if code != ENGLISH]


class Made(NamedTuple):
    """A call that makes an error.

    key : key of its sentence in SENTENCES; None if it is not literal in the call.
    details : names of the details; None if the call passes a mapping of them.
    """

    place: str
    error: type[GeometryError]
    key: str | None
    details: set[str] | None
    call: ast.Call


def literals(node: ast.expr | None) -> list[str | None]:
    """The strings that an expression can be: a literal, or either side of a condition."""
    if isinstance(node, ast.IfExp):
        return literals(node.body) + literals(node.orelse)
    return [node.value if isinstance(node, ast.Constant) else None]


def made_in(path: Path) -> Iterator[Made]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        classes = INDIRECT.get(called) or filter(None, [CLASSES.get(called)])
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        details = None if None in given else set(given)
        if called == "uncertain" and details is not None:
            details |= {"option", "choices"}
        place = f"{path.relative_to(LIBRARY)}:{node.lineno}"
        for each in classes:
            for key in literals(node.args[0]) if node.args else [None]:
                yield Made(place, each, key, details, node)


MADE = [made for path in sorted(LIBRARY.rglob("*.py")) for made in made_in(path)]
# The code chooses these by the beginning of a file, so ``made_in`` does not find them.
CHOSEN = {("vectors", each.because) for each in FORMATS if each.because}
# A reader of shards of texts returns a row or the code of the row's fault.
CHOSEN |= {("scale", fault) for fault in ("not_json", "not_utf8", "no_text", "no_weight", "uneven")}
# The pages raise these for files that a separate process reads.
CHOSEN |= {("corpus", "too_heavy"), ("vectors", "too_heavy")}


def fields(template: str) -> set[str]:
    names = {name for _, name, _, _ in string.Formatter().parse(template) if name}
    return {name.partition("[")[0] for name in names}


LISTS = {*("found", "scale", "columns", "names", "allowed", "files", "known", "arrays", "choices")}


def detail(name: str) -> object:
    if name in LISTS:
        return (0.0, 5.0)
    return {"kind": KINDS[0], "limit": 2, "reason": "HF_HUB_OFFLINE is set"}.get(name, 12_345)


def below(base: type) -> set[type]:
    own = set(base.__subclasses__())
    return own.union(*map(below, own))


def test_the_walk_finds_the_errors_of_every_class():
    assert {made.error for made in MADE} == set(CLASSES.values()) == below(GeometryError)
    assert {made.place.partition(":")[0] for made in MADE if made.key is None} == {
        "data/errors.py",  # of ``uncertain``
        "scale/encode.py",
        "vectors/formats.py",
    }


def test_every_case_has_its_sentence_and_gives_its_details():
    lacking = []
    for made in MADE:
        template = SENTENCES[made.error.subject].get(made.key or "", "")
        missing = set() if made.details is None else fields(template) - made.details
        if (not template and made.key) or missing:
            lacking.append(f"{made.place}: {made.error.subject}.{made.key} {missing or ''}")
    assert not lacking


def test_every_sentence_is_used():
    used = {(made.error.subject, made.key) for made in MADE if made.key} | CHOSEN
    assert {(subject, key) for subject in SENTENCES for key in SENTENCES[subject]} == used


def test_every_kind_of_file_and_every_quoted_word_is_in_the_table():
    def given(name: str) -> set[str]:
        values = [
            keyword.value for made in MADE for keyword in made.call.keywords if keyword.arg == name
        ]
        return {text for value in values for text in literals(value) if text}

    handed_on = {  # to the function that makes the error
        keyword.value.value
        for call in ast.walk(ast.parse(Path(table_files.__file__).read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg == "kind" and isinstance(keyword.value, ast.Constant)
    }
    kinds = given("kind") | handed_on | {kind for _, kind in decode._MAGIC} | {decode.BINARY}
    kinds |= {*set_parquet.KINDS.values()}
    assert kinds == set(KINDS)
    assert given("reason") <= set(WORDS)
    sources = "".join(path.read_text(encoding="utf-8") for path in LIBRARY.rglob("*.py"))
    assert [word for word in WORDS if word not in sources] == []


@for_each("code", LANGUAGES)
@for_each("subject", SENTENCES)
def test_every_sentence_exists_in_every_language(subject, code):
    translate = catalogue(code).gettext
    (of_subject,) = (each for each in CLASSES.values() if each.subject == subject)
    for key, template in SENTENCES[subject].items():
        error = of_subject(key, **{name: detail(name) for name in fields(template)})
        translated = error.sentence(translate)
        assert translated != str(error), key
        assert fields(translate(template)) == fields(template), key
        assert "{" not in translated.replace('{"', ""), key
        assert words.in_language(error_text, code)(error).startswith(translated)
    for text in (*KINDS, *WORDS, *REASONS.values()):
        assert translate(text) != text, text


def test_details_are_formatted_for_a_reader():
    error = CorpusError("unknown_column", column="**a**", columns=("`b`", "c"))
    assert str(error) == "There is no column `**a**`; the file has `'b'`, `c`. Choose one of these."
    assert "20,001 texts" in str(CorpusError("too_many_texts", n=20_001, limit=20_000))
    assert "limit of 50 MB" in str(CorpusError("too_many_bytes", limit=50 * 10**6))
    assert "limit of 1.5 MB" in str(CorpusError("too_many_bytes", limit=1_500_000))
    many = str(CorpusError("no_text_column", columns=[f"c{i}" for i in range(LONGEST_LIST + 5)]))
    assert f"`c{LONGEST_LIST - 1}`, …" in many
    assert len(str(CorpusError("bad_score", line=1, score="9" * 10**6))) < LONGEST_TEXT + 200


def test_errors_survive_a_process_with_what_callers_catch():
    error = ModelFilesError("disk_failed", name="a", folder="b", reason="c")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.code, copy.details) == (str(error), error.code, error.details)
    assert isinstance(error, RuntimeError)
    assert all(issubclass(each, ValueError) for each in CLASSES.values())
    assert issubclass(DataSetError, ModelFilesError)
