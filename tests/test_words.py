"""Words: every text is in every language, with the same fields, and in plain words."""

import ast
import re
import shutil
import string
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po
from opencc import OpenCC
from streamlit.testing.v1 import AppTest

from deploy.simplified import readme, written
from geometry.data import translations
from geometry.data.corpus import read_bundled
from geometry.data.translations import ENGLISH, catalogue, language_for, languages, text_tables
from geometry.encode.pool import POOLING_NAMES
from geometry.errors import REASONS, SENTENCES, TEXTS
from geometry.hub.pair_sets import NOTES
from geometry.transform.treatments import TREATMENTS
from pages.claims.explore import _columns
from pages.common import words
from pages.common.downloads import csv_bytes
from pages.common.measures import LABELS
from pages.common.page_list import PAGES
from pages.common.words import TEXT, table_of
from tests.for_each import for_each
from tests.pages.visits import new_visit

ROOT = Path(__file__).resolve().parents[1]
CODE = (ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py")))
TRANSLATED = tuple(code for code in languages() if code != ENGLISH)
CHINESE = ("zh-Hans", "zh-Hant")

TREATMENT_TEXTS = ("kind.label", "kind.phrase or kind.label")  # of a ``TreatmentKind``

READ = {
    *("short", "source", "where", "says", "on", "here", "rule"),
    *("values", "control", "no_control", "untested"),
}  # fields of a claim that are texts

NAMED = (
    *("claims", "columns", "corpora", "evidence", "layer_sets", "models", "pages", "pairs"),
    *("papers", "scores", "short_pairs", "streamlit", "tokenizers", "topics", "units"),
)  # tables of names.toml


@lru_cache
def msgids() -> dict[str, str]:
    library = [text for table in SENTENCES.values() for text in table.values()]
    library += [*REASONS.values(), *TEXTS["kinds"], *TEXTS["words"]]
    found = dict.fromkeys(library, "assets/text/en/errors.toml") | labels()
    found |= dict.fromkeys(POOLING_NAMES.values(), "geometry/encode/pool.py")
    found |= dict.fromkeys(NOTES.values(), "geometry/hub/pair_sets.py")
    for name in ("axis_labels", "diagnosis"):
        for table in text_tables(name).values():
            found |= dict.fromkeys(table.values(), f"assets/text/en/{name}.toml")
    return found


@lru_cache
def labels() -> dict[str, str]:
    found: dict[str, str] = {}
    for path in CODE:
        for line, message, _, _ in extract_from_file("python", path, keywords={"_": None}):
            found.setdefault(str(message), f"{path.relative_to(ROOT)}:{line}")
    treatments = [
        text for kind in TREATMENTS.values() for text in (kind.label, kind.phrase) if text
    ]
    found |= dict.fromkeys(treatments, "geometry/transform/treatments.py")
    return found | dict.fromkeys(LABELS.values(), "geometry/measure/table_measures.py")


@lru_cache
def messages(code: str) -> dict[str, list[tuple[str, Message]]]:
    """Each msgid in a language's catalogues: the files and messages that translate it."""
    found: dict[str, list[tuple[str, Message]]] = {}
    for path in sorted((TEXT / code).glob("*.po")):
        with path.open("rb") as file:
            for message in read_po(file, locale=code.replace("-", "_"), abort_invalid=True):
                if message.id:
                    found.setdefault(str(message.id), []).append((path.name, message))
    return found


def fields(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def sections(code: str, page: str) -> list[tuple[str, str]]:
    """Name and text of each section, in the order of the file; words.py is not used."""
    found: list[tuple[str, str]] = []
    for line in (TEXT / code / f"{page}.md").read_text(encoding="utf-8").splitlines():
        mark = re.fullmatch(r"<!-- (\S+) -->", line)
        if mark:
            found.append((mark[1], ""))
        else:
            assert found, f"{code}/{page}.md: text before the first section is never shown"
            name, text = found[-1]
            found[-1] = (name, f"{text}\n{line}".strip())
    return found


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{\{(.*?)\}\}", text))


@lru_cache
def claims(code: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((TEXT / code / "claims.toml").read_text(encoding="utf-8"))


def claim_texts(code: str) -> dict[str, str]:
    """Every text of the claims that a reader sees, by its place."""
    found = {}
    for key, claim in claims(code).items():
        for name in READ & claim.keys():
            said = claim[name]
            each = said if isinstance(said, dict) else {"": said}
            found |= {f"claims.toml {key} {name} {part}".strip(): each[part] for part in each}
    return found


def test_every_label_is_a_literal_that_the_extractor_finds():
    calls, loose = 0, []
    for path in CODE:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id != "_":
                continue
            calls += 1
            given = node.args[0] if len(node.args) == 1 and not node.keywords else None
            if isinstance(given, ast.Subscript) and ast.unparse(given.value) in (
                "LABELS",
                "REASONS",
                "NOTES",
                "POOLING_NAMES",
                "sentences.REPORT",
            ):
                continue  # tables of the library; msgids() includes all their texts
            if given is not None and ast.unparse(given) in TREATMENT_TEXTS:
                continue
            text = given.value if isinstance(given, ast.Constant) else None
            if not isinstance(text, str) or text not in labels():
                loose.append(f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}")
    assert calls >= len(labels())
    assert not loose


@for_each("code", TRANSLATED)
def test_every_label_is_translated(code):
    given = messages(code)
    missing = [
        f"{place}: {msgid}"
        for msgid, place in msgids().items()
        if not any(message.string.strip() for _, message in given.get(msgid, ()))
    ]
    assert not missing


@for_each("code", TRANSLATED)
def test_every_name_by_code_is_translated_and_nothing_is_left_over_or_unsure(code):
    for table in NAMED:
        known = table_of("names", table, code).keys()
        assert known == table_of("names", table, "zh-Hant").keys()
        assert known >= table_of("names", table, ENGLISH).keys()
    assert {*read_bundled("topics").labels} <= table_of("names", "topics", code).keys()
    known = msgids().keys()
    given = messages(code)
    assert given
    assert not {msgid: entries[0][0] for msgid, entries in given.items() if msgid not in known}
    assert not [msgid for msgid, entries in given.items() if any(m.fuzzy for _, m in entries)]


@for_each("code", TRANSLATED)
def test_no_label_is_translated_twice(code):
    """A label that pages share is in one catalogue, so it is corrected in one place."""
    places = {msgid: [name for name, _ in entries] for msgid, entries in messages(code).items()}
    assert len(set().union(*places.values())) > 1
    assert not {msgid: names for msgid, names in places.items() if len(names) > 1}
    for name in set().union(*places.values()):  # read_po returns one of two equal entries in a file
        found = re.findall(r"^msgid ", (TEXT / code / name).read_text("utf-8"), re.MULTILINE)
        assert len(found) - 1 == sum(name in names for names in places.values()), name  # the header


@for_each("code", TRANSLATED)
def test_a_translation_keeps_the_fields_of_its_label(code):
    pairs = [
        (msgid, str(message.string))
        for msgid, entries in messages(code).items()
        for _, message in entries
    ]
    assert sum(bool(fields(msgid)) for msgid, _ in pairs) > 20
    assert not [pair for pair in pairs if fields(pair[0]) != fields(pair[1])]


@for_each("code", languages())
def test_every_page_has_its_prose(code):
    assert {path.stem for path in (TEXT / code).glob("*.md")} == set(PAGES)
    for page in PAGES:
        names = [name for name, _ in sections(code, page)]
        assert names == [name for name, _ in sections(ENGLISH, page)]
        assert {"claim", "not-shown", "sources"} <= set(names)
        assert len(set(names)) == len(names)
        assert all(text for _, text in sections(code, page))


@for_each("page", PAGES)
@for_each("code", languages())
def test_prose_quotes_the_same_values_in_every_language(page, code):
    """A value that the page's code does not give ends a visit with a KeyError."""
    english = dict(sections(ENGLISH, page))
    for name, text in sections(code, page):
        assert placeholders(text) == placeholders(english[name]), name
        assert "{" not in re.sub(r"\{\{\w+\}\}|(?s:\$.+?\$)", "", text), name


@for_each("code", TRANSLATED)
def test_every_claim_is_in_every_language(code):
    """With the same names of numbers, the same {settings}, and the same place in the source."""
    assert list(claims(code)) == list(claims(ENGLISH))
    for key, claim in claims(ENGLISH).items():
        own = claims(code)[key]
        assert own.keys() == claim.keys() & READ, key
        for name in {"values", "control"} & own.keys():
            assert list(own[name]) == list(claim[name]), (key, name)
        for name in ("source", "where"):
            numbers = [sorted(re.findall(r"[\d.]*\d", text[name])) for text in (own, claim)]
            assert numbers[0] == numbers[1], (key, name)
    english, translated = claim_texts(ENGLISH), claim_texts(code)
    assert all(translated.values())
    assert {place: fields(text) for place, text in translated.items()} == {
        place: fields(text) for place, text in english.items()
    }
    assert {"layer", "k"} <= {name for text in english.values() for name in fields(text)}


@for_each("code", languages())
def test_a_question_is_in_its_first_line_and_is_answered(code):
    questions = [
        (page, text.partition("\n"))
        for page in PAGES
        for name, text in sections(code, page)
        if name.startswith("question-")
    ]
    assert {page for page, _ in questions} >= {"narrow_cone", "cosine_basis"}
    assert not [(page, first) for page, (first, _, _) in questions if first[-1] not in "?？"]
    assert not [(page, first) for page, (first, _, answer) in questions if not answer.strip()]


@for_each(
    ("locale", "code"),
    [
        ("zh", "zh-Hans"),
        ("zh-CN", "zh-Hans"),
        ("zh-SG", "zh-Hans"),
        ("zh-Hans-HK", "zh-Hans"),
        ("zh-TW", "zh-Hant"),
        ("ZH-hk", "zh-Hant"),
        ("zh_Hant_CN", "zh-Hant"),
        ("en-GB", "en"),
        ("de", None),
        ("english", None),
        ("", None),
        (None, None),
    ],
)
def test_a_locale_is_served_by_its_language(locale, code):
    assert language_for(locale) == code


@for_each(("asked", "code"), [("zh-CN", "zh-Hans"), ("no", "en")])
def test_the_address_may_ask_for_a_locale(asked, code):
    app = new_visit("cosine_basis", lang=asked).run()
    assert not app.exception
    assert app.selectbox(key="lang").value == code
    assert app.title[0].value == table_of("names", "pages", code)["cosine_basis"]


@pytest.mark.slow
def test_simplified_chinese_is_made_from_traditional():
    """`make simplified` changes nothing, and no Traditional character is left in a text."""
    made = written()
    assert len(made) > 20
    kept = {path.name: path.read_text(encoding="utf-8") for path in (TEXT / "zh-Hans").glob("*")}
    assert made == {name: text for name, text in kept.items() if name in made}
    assert kept.keys() - made.keys() == {"language.toml", "terms.toml"}
    assert readme() == (ROOT / "README.zh-Hans.md").read_text(encoding="utf-8")
    to_simplified = OpenCC("t2s")
    texts = shown_texts("zh-Hans")
    assert not {place: text for place, text in texts.items() if to_simplified.convert(text) != text}


@pytest.fixture
def a_new_language(tmp_path, monkeypatch):
    """A made-up language: files in a folder of its own, beside those of the others."""
    text = tmp_path / "text"
    shutil.copytree(TEXT, text)
    new = text / "qtz"
    shutil.copytree(TEXT / ENGLISH, new)
    (new / "language.toml").write_text('name = "Qatz"\nlocales = ["qtz"]\n', encoding="utf-8")
    (new / "labels.po").write_text('msgid "Limits"\nmsgstr "Limmits"\n', encoding="utf-8")
    named = new / "names.toml"
    named.write_text(named.read_text("utf-8").replace("Cosine and basis", "Kosin"))
    prose = new / "cosine_basis.md"
    prose.write_text(re.sub(r"(?<=<!-- claim -->\n).*", "Kosin klaam.", prose.read_text("utf-8")))
    monkeypatch.setattr(translations, "shipped_file", lambda name: tmp_path / name)
    monkeypatch.setattr(words, "TEXT", text)
    cached = (translations._described, catalogue, words._sections)
    for each in cached:
        each.cache_clear()
    yield "qtz"
    for each in cached:
        each.cache_clear()


def test_a_new_language_needs_files_only(a_new_language):
    app = new_visit("cosine_basis", lang="qtz-ZZ").run()
    assert not app.exception
    control = app.selectbox(key="lang")
    assert (control.value, "Qatz" in control.options) == (a_new_language, True)
    assert app.title[0].value == "Kosin"
    assert "Limmits" in [each.value for each in app.subheader]
    assert any(text.value == "Kosin klaam." for text in app.markdown)


SIGNS = {"n", "d", "k", "x", "y"}  # columns that are signs of formulas, in every language


def test_every_column_of_a_download_has_a_name_in_other_languages():
    found = set()
    for path in CODE:
        text = path.read_text(encoding="utf-8")
        if "csv_bytes(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            is_head = isinstance(node, (ast.Assign, ast.AugAssign)) and "head" in ast.unparse(node)
            is_call = isinstance(node, ast.Call) and ast.unparse(node.func) == "csv_bytes"
            value = node.value if is_head else node.args[0] if is_call else None
            if isinstance(value, ast.List):
                found |= {each.value for each in value.elts if isinstance(each, ast.Constant)}
    assert {"rank_in_other_list", "spearman_x_100", "cosine_from"} <= found
    found |= {*_columns(), "about", "zca", "removed"}  # of claims, curves and pictures
    named = table_of("names", "columns", "zh-Hant")
    assert found - SIGNS <= named.keys()
    head = ["row", "n", "mean_cosine_rare", "layer_0_x"]
    table = words.in_language(csv_bytes, "zh-Hant")(head, [["1", "2", "0", "0"]], "here")
    assert table.decode("utf-8-sig").splitlines()[0].split(",") == [
        *(named["row"], "n", f"{named['mean_cosine']} {named['rare']}"),
        *(f"{named['layer']} 0 x", named["measured_on"]),
    ]
    for language, cell in (("zh-Hant", "白化"), ("en", "pca")):
        table = words.in_language(csv_bytes, language)(["treatment"], [[("pca", "白化")]], "here")
        assert table.decode("utf-8-sig").splitlines()[1] == f"{cell},here"


# Plain words

MOST_WORDS = 25  # of an English sentence
HAN = r"[\u3400-\u9fff]"


@lru_cache
def shown_texts(code: str) -> dict[str, str]:
    """Every text that a reader of the language sees, by its place.

    Without code, addresses, formulas and fields. In lists of sources also without titles.
    """
    if code == ENGLISH:
        found = {f"{place} {text[:40]}": text for text, place in msgids().items()}
    else:
        found = {
            f"{entries[0][0]} {msgid[:40]}": str(entries[0][1].string)
            for msgid, entries in messages(code).items()
        }
    for page in PAGES:
        for name, text in sections(code, page):
            titles = r"(?<!\*)\*[^*]+\*(?!\*)|\[[^]]*\]\(.*?\)" if name == "sources" else r"(?!)"
            found[f"{page}.md {name}"] = re.sub(titles, "T", text)
    found |= claim_texts(code)
    for table in NAMED:
        found |= {f"names.toml {key}": said for key, said in table_of("names", table, code).items()}
    for path in ROOT.glob("README.md" if code == ENGLISH else f"README.{code}.md"):
        found[path.name] = re.sub(r"\[.*\]\(README.*\)\n", "", path.read_text(encoding="utf-8"))
    hidden = r"`[^`]*`|\]\([^)]*\)|\$.*?\$|\{\{?\w+(?:\[\d\])?(?::\w+)?\}\}?"
    return {place: re.sub(hidden, "`x`", text) for place, text in found.items()}


def found_in(code: str, pattern: str) -> list[str]:
    """Where the pattern is in the texts of the language, with some characters around it."""
    return [
        f"{place}: …{text[max(0, hit.start() - 30) : hit.end() + 30]}…"
        for place, text in shown_texts(code).items()
        for hit in re.finditer(pattern, text)
    ]


@lru_cache
def glossary(code: str) -> dict[str, list[str]]:
    with (TEXT / code / "glossary.toml").open("rb") as file:
        return {term: strays for term, strays in tomllib.load(file).items() if term != "gloss"}


@for_each("code", languages())
def test_the_words_that_meet_a_reader_first_have_a_line(code):
    known = table_of("glossary", "gloss", code)
    assert len(known) >= 8
    assert {"IsoScore", "n/d", "Ledoit-Wolf", "γ"} <= known.keys()
    for term, gloss in known.items():
        assert found_in(code, re.escape(term)), term
        assert "\n" not in gloss
        assert 5 < len(gloss) < 150


@for_each("code", languages())
def test_one_thing_has_one_name(code):
    """A term of the glossary is used, and no other word for the same thing."""
    terms = glossary(code)
    assert len(terms) >= 15
    assert not [stray for strays in terms.values() for stray in strays if found_in(code, stray)]
    assert not [term for term in terms if not found_in(code, f"(?i){re.escape(term)}")]


@for_each("code", languages())
def test_a_number_has_its_leading_zero(code):
    assert len(found_in(code, r"(?<!\d)0\.\d")) > 10
    assert not found_in(code, r"(?<![\w.])\.\d")


@for_each("code", languages())
def test_citations_have_one_form(code):
    """Su et al. (2021), Rudman & Eickhoff (2024); in Chinese with 等人, 與 and full brackets."""
    open_, close = ("（", "）") if code in CHINESE else ("(", ")")
    year = r"(?:19|20)\d\d"
    assert len(found_in(code, rf"[a-z人.] ?{re.escape(open_)}{year}{re.escape(close)}")) > 50
    assert not found_in(code, rf"(?:et al\.|[A-Z][\w-]+),? {year}\b|等人，? ?{year}")
    assert not found_in(code, rf"[A-Z][\w-]+[,、] ?(?:van )?[A-Z][\w-]+ ?[(（]{year}")
    assert not found_in(code, rf"[(（][^()（）]*[(（]{year}[)）][)）]")
    assert not found_in(code, rf"[(（]{year}[,，]")


def test_an_english_sentence_is_short():
    """At most 25 words, without what is in brackets; a colon or semicolon ends a sentence."""
    long = []
    for place, text in shown_texts(ENGLISH).items():
        plain = re.sub(r"\([^()]*\)|\[[^]]*\]", "", text.replace("et al.", "et al"))
        for sentence in re.split(r"(?<=[.?!:;·])[*”\"]*\s|\n", plain):
            if len(re.findall(r"[\w’'×‖.,-]*\w[\w’'-]*", sentence)) > MOST_WORDS:
                long.append(f"{place}: {sentence}")
    assert not long


@for_each("code", CHINESE)
def test_chinese_and_latin_have_a_space_between_and_han_is_not_slanted(code):
    assert not found_in(code, rf"{HAN}[A-Za-z0-9]|[A-Za-z0-9%°]{HAN}")
    assert not found_in(code, rf"(?<!\*)\*(?!\*)[^*\n]*{HAN}[^*\n]*\*(?!\*)")


def page_of_threads() -> None:
    import threading

    import streamlit as st

    from pages.common.words import _, in_language

    found: list[str] = []
    work = in_language(lambda: found.append(_("Raw")))  # as a download or a job, without a session
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    st.session_state["found"] = (_("Raw"), *found)


@for_each("code", languages())
def test_a_thread_without_a_session_speaks_the_reader_s_language(code: str):
    app = AppTest.from_function(page_of_threads)
    app.query_params["lang"] = code
    app.run()
    word = catalogue(code).gettext("Raw")
    assert words.in_language(words._, code)("") == ""  # not the catalogue's header
    assert app.session_state["found"] == (word, word)
    assert (word == "Raw") == (code == ENGLISH)
