"""The reader's own corpus: paste or file to corpus, every refusal in both languages."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from geometry import Corpus, CorpusError, ModelFilesError, read_corpus
from geometry.data.catalogues import catalogue
from geometry.data.corpus import read_pasted
from geometry.data.limits import LIMITS, MAX_BYTES, MAX_TEXTS
from geometry.encode import Coverage
from geometry.evaluate import published_tables
from geometry.hub.bundled import E5_NAME
from pages.common import words
from pages.common.messages import error_text
from pages.common.origin import (
    MULTILINGUAL_MODEL,
    coverage_line,
    truncation_warning,
    unknown_warning,
)
from pages.your_corpus.form import limits
from pages.your_corpus.result import duplicates
from tests.encode.tiny_encoder import SPECIAL, save_tiny_bert
from tests.for_each import for_each
from tests.pages.twins import twin_clouds
from tests.pages.visits import brought, deep_link, healthy, new_visit

ROOT = Path(__file__).resolve().parents[3]
LANGUAGES = ("en", "zh-Hant")
PASTED = "The kettle is on.\n\nWhy is the night sky dark?\nRain fell.\nThe kettle is on.\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(200)

# (file name, or None for pasted text; content; words of its refusal)
REFUSALS = {
    "nothing pasted": (None, "", "There is no text here"),
    "only blanks pasted": (None, " \n\n  ", "There is no text here"),
    "one sentence pasted": (None, "One.", "There is only one text"),
    "too many pasted": (
        None,
        "a\n" * (MAX_TEXTS + 1),
        "There are 100,001 texts and the limit is 100,000",
    ),
    "empty file": ("a.txt", b"", "There is no text here"),
    "binary": ("a.csv", PNG, "It looks like a PNG image"),
    "unknown binary": ("a.txt", b"ab\0cd", "It looks like a binary file"),
    "wrong encoding": (
        "a.txt",
        "Ünïcödé çà là, où êtes-vous? 天地玄黃宇宙洪荒\n".encode() * 3 + b"\xff\n",
        "Some bytes do not fit `UTF-8`",
    ),
    "no text column": ("a.csv", b"x,y\n?,!\n-,+\n", "Add a column of sentences"),
    "one row": ("a.csv", b"text\nOne sentence.\n", "There is only one text"),
    "too many rows": ("a.csv", b"text,n\n" + b"a b,1\n" * (MAX_TEXTS + 1), "the limit is 100,000"),
    "uneven": ("a.csv", b"text,n\n" + b"a,1\n" * 9 + b"b\n", "has 1 columns"),
    "no JSON lines": ("a.jsonl", b"One.\nTwo.\n", "Line 1 is not a JSON object"),
    "too large": ("a.txt", None, "larger than the limit of 50 MB"),
}
IN_CHINESE = {
    "one sentence pasted": "只有一筆文字",
    "wrong encoding": "有些位元組不符合 `UTF-8`",
    "too large": "超過 50 MB 的上限",
}


@pytest.fixture(autouse=True)
def no_memory() -> Iterator[None]:
    yield
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture
def visit() -> Callable[..., AppTest]:
    def open_page(language: str = "en", **query: str) -> AppTest:
        at = deep_link("your_corpus")
        for name, value in {"lang": language, **query}.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception
        return at

    return open_page


def give(at: AppTest, name: str | None, content: str | bytes | None) -> None:
    if name is None:
        at.text_area(key="pasted").set_value(content)
        at.button(key="use_pasted").click().run()
    else:
        given = bytes(MAX_BYTES + 1) if content is None else content
        at.get("file_uploader")[0].upload(name, given).run()


def shown_errors(at: AppTest) -> list[str]:
    """Errors on screen. A hidden one is always present, for files that the browser refuses."""
    sentence = words.in_language(error_text, at.session_state["lang"])
    ready = sentence(CorpusError("too_many_bytes", limit=LIMITS.vector_file_bytes))
    errors = [box.value for box in at.error]
    if ready in errors:
        errors.remove(ready)
    return errors


@pytest.mark.parametrize(
    ("language", "case"),
    [
        *(("en", case) for case in REFUSALS),
        *(("zh-Hant", case) for case in IN_CHINESE),  # test_errors has every sentence
    ],
)
def test_a_refusal_is_shown_in_the_reader_s_language_and_the_page_goes_on(visit, case, language):
    name, content, english = REFUSALS[case]
    at = visit(language, source="paste" if name is None else "upload")
    give(at, name, content)
    assert not at.exception
    messages = shown_errors(at)
    assert len(messages) == 1
    assert (english if language == "en" else IN_CHINESE[case]) in messages[0]
    assert at.session_state["corpus"] == "topics"
    assert "uploads" not in at.session_state
    if name is None:
        assert at.text_area(key="pasted").value == content
    assert at.subheader[-1].value == catalogue(language).gettext("Limits")


def test_after_a_refusal_the_corpus_chosen_before_remains(visit, monkeypatch):
    monkeypatch.setattr("pages.your_corpus.result.make_scene", lambda *given: None)
    at = visit()
    give(at, None, PASTED)
    chosen = at.session_state["corpus"]
    assert chosen.startswith("upload-")
    give(at, None, "Only one.")
    assert not at.exception
    assert len(shown_errors(at)) == 1
    assert at.session_state["corpus"] == chosen
    assert at.text_area(key="pasted").value == "Only one."


@pytest.mark.model
@pytest.mark.parametrize("language", LANGUAGES)
def test_pasted_lines_become_the_corpus_of_every_page(visit, language):
    at = visit(language)
    give(at, None, PASTED)
    assert not at.exception
    assert not shown_errors(at)
    code = at.session_state["corpus"]
    corpus = at.session_state["uploads"][code]
    assert corpus.texts == read_pasted(PASTED).texts
    assert at.selectbox(key="corpus").value == code
    assert [metric.value for metric in at.metric[1:]] == ["4", "1", "1", "0", "0.0%"]
    assert len(twin_clouds(at)) == 1
    assert at.text_area(key="pasted").value == PASTED


@pytest.mark.model
def test_the_picture_has_its_trustworthiness_and_a_description(visit):
    at = visit()
    give(at, None, PASTED)
    captions = [caption.value for caption in at.caption]
    assert any("trustworthiness" in said and "layer 4" in said for said in captions)
    [twin] = twin_clouds(at).values()
    alt = twin.message["alt"]
    assert re.search(r"4 points; mean pairwise cosine 0\.\d{3}\.", alt)
    assert "% within" in alt


@pytest.mark.model
def test_a_table_offers_its_columns_and_the_labels_colour_the_picture(visit):
    rows = "".join(f"{i},The kettle number {i} is on.,{'ab'[i % 2]}\n" for i in range(6))
    at = visit(source="upload")
    give(at, "kettles.csv", f"id,sentence,kind\n{rows}".encode())
    assert not shown_errors(at)
    text, label, weight = at.main.selectbox
    assert (text.value, label.value, weight.options) == ("sentence", "kind", ["id"])
    assert text.options == ["id", "sentence", "kind"]
    assert label.options == ["id", "kind"]
    assert at.session_state["file-rows"]
    at.button(key="use_file").click().run()
    assert not at.exception
    assert not at.session_state["file-rows"]  # folded, so that the result is visible
    corpus = at.session_state["uploads"][at.session_state["corpus"]]
    assert corpus.name == "kettles"
    assert corpus.labels == ("a", "b") * 3
    assert any("not enough data to say whether a cure helps" in box.value for box in at.markdown)


def test_the_reader_may_choose_another_column_and_deny_the_header(visit):
    at = visit(source="upload")
    give(at, "a.csv", b"text,other\nOne kettle.,Ein Kessel.\nTwo kettles.,Zwei Kessel.\n")
    at.main.selectbox[0].set_value("other").run()
    assert not shown_errors(at)
    assert any("2 texts ready" in caption.value for caption in at.main.caption)
    at.main.toggle[0].set_value(True).run()  # how the file is read
    box = next(box for box in at.main.selectbox if box.label == "First row")
    box.select("a row as any other").run()
    assert not at.exception
    assert not shown_errors(at)
    assert any("3 texts ready" in caption.value for caption in at.main.caption)


def test_a_column_of_numbers_is_not_taken_without_a_warning(visit):
    at = visit(source="upload")
    give(at, "a.csv", b"id,text\n1,One kettle.\n2,Two kettles.\n3,Three.\n")
    assert not any("no letters" in box.value for box in at.warning)
    at.main.selectbox[0].set_value("id").run()
    assert not shown_errors(at)
    assert any("3 of 3 texts have no letters" in box.value for box in at.warning)


def test_a_file_of_json_lines_offers_its_fields(visit):
    at = visit(source="upload")
    lines = "".join(f'{{"id": {i}, "body": "Kettle {i}."}}\n' for i in range(3))
    give(at, "a.jsonl", lines.encode())
    assert not shown_errors(at)
    text = at.main.selectbox[0]
    assert (text.value, text.options) == ("body", ["id", "body"])
    assert any("3 texts ready" in caption.value for caption in at.main.caption)


def test_an_unclear_file_is_asked_about(visit):
    at = visit(source="upload")
    give(at, "a.csv", b"ab,cd;ef\ngh,ij;kl\nmn,op;qr\n")
    (message,) = shown_errors(at)
    assert "Choose the delimiter" in message
    box = next(box for box in at.main.selectbox if box.label == "Delimiter")
    box.select(";").run()
    assert not shown_errors(at)
    assert at.main.dataframe[0].value.iloc[0].tolist() == ["ab,cd", "ef"]
    assert any("3 texts ready" in caption.value for caption in at.main.caption)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"text,d0,d1\na,0.5,0.25\nb,1.5,2.5\nc,2.5,3.5\n", None),
        (b"text,d0,d1,d2\na,0.5,0.25,1.5\nb,1.5,2.5,1.5\nc,2.5,3.5,2.5\n", "vectors"),
        (b"text,topic\na b,x\nc d,y\n", "texts"),
        (b"left,right,score\na b,c d,1\ne f,g h,2\n", "pairs"),
        (b"query,relevant\na b,c d\ne f,g h\n", None),
    ],
)
def test_what_a_file_holds_is_proposed_or_asked(visit, content, kind):
    at = visit(source="upload")
    give(at, "a.csv", content)
    assert not at.exception
    assert at.main.segmented_control[-1].value == kind
    assert any("It is not clear" in box.value for box in at.info) == (kind is None)


def test_own_data_are_listed_and_can_be_deleted(visit, monkeypatch):
    monkeypatch.setattr("pages.your_corpus.result.make_scene", lambda *given: None)
    at = visit()
    give(at, None, PASTED)
    code = at.session_state["corpus"]
    assert any("Yours: Pasted texts (4)" in block.value for block in at.main.markdown)
    at.button(key=f"delete-{code}").click().run()
    assert not at.exception
    assert at.session_state["uploads"] == {}
    assert at.selectbox(key="corpus").value == "topics"
    assert not any("Yours" in block.value for block in at.main.markdown)


def test_a_corpus_lost_by_a_reload_is_named_until_another_is_given(visit, monkeypatch):
    monkeypatch.setattr("pages.your_corpus.result.make_scene", lambda *given: None)
    at = visit()
    at.session_state["gone-corpus"] = "kettles"
    at.run()
    assert any("Your corpus “kettles” is gone" in box.value for box in at.warning)
    give(at, None, PASTED)
    at.run()
    assert not any("is gone" in box.value for box in at.warning)


@pytest.mark.model
@pytest.mark.parametrize("n", [20, 60])
def test_the_page_ends_in_a_sentence_about_the_corpus(visit, n):
    texts = [f"The {noun} number {i} is on." for i in range(n // 2) for noun in ("kettle", "moon")]
    at = visit()
    give(at, None, "\n".join(texts))
    [said] = [block.value for block in at.main.markdown if "drawn at random" in block.value
              or "To say whether they form a cone" in block.value]  # fmt: skip
    value = at.metric[0].value
    assert value in said
    [helps] = [line.value for line in at.main.markdown if "whether a cure helps,**" in line.value]
    assert "a table with a label for each text" in helps  # there are no labels
    if n < 40:
        assert "Not enough data" in said
    else:
        assert re.search(rf"form a narrow cone.*{value} \[0\.\d+, 0\.\d+\]", said)
        assert "The corpus Topics, of twelve subjects, has 0.5" in said


@pytest.mark.model
def test_texts_in_a_script_outside_the_vocabulary_are_reported(visit):
    at = visit()
    give(at, None, "ሰላም ለዓለም\nእንደምን አደሩ\nመልካም ቀን\n")
    assert not at.exception
    assert any(E5_NAME in box.value and "[UNK]" in box.value for box in at.warning)


@pytest.mark.model
def test_two_texts_have_numbers_but_no_picture(visit):
    at = visit()
    give(at, None, "The kettle is on.\nRain fell.\n")
    assert not at.exception
    assert not twin_clouds(at)
    assert any("at least 3 texts, and there are 2" in box.value for box in at.info)
    assert at.metric[1].value == "2"


@pytest.mark.model
def test_too_many_labels_are_replaced_by_length_as_colour(visit):
    at = visit(source="upload")
    rows = "".join(f"The kettle number {i} is on.,label {i}\n" for i in range(60))
    give(at, "a.csv", f"text,label\n{rows}".encode())
    at.button(key="use_file").click().run()
    assert not at.exception
    assert any("60 different labels" in caption.value for caption in at.caption)


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("out of memory")])
def test_a_failed_encoding_is_shown_and_the_page_goes_on(visit, monkeypatch, error):
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("pages.your_corpus.result.encode_corpus", fail)
    at = visit()
    give(at, None, PASTED)
    assert not at.exception
    assert "A library failed" in shown_errors(at)[0]
    assert at.session_state["corpus"].startswith("upload-")


def test_the_model_s_refusal_is_in_the_reader_s_language(visit, monkeypatch):
    error = ModelFilesError("disk_error", name="mine", reason="x")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("pages.your_corpus.result.encode_corpus", fail)
    at = visit("zh-Hant")
    give(at, None, PASTED)
    assert not at.exception
    assert shown_errors(at) == [words.in_language(error_text, "zh-Hant")(error)]
    assert shown_errors(at) != [error_text(error)]


def test_a_model_that_fails_on_these_texts_only_is_named(tmp_path):
    """Its vocabulary has all tokens of the trial texts, but not its unknown token."""
    path = save_tiny_bert(tmp_path) / "tokenizer.json"
    state = json.loads(path.read_text(encoding="utf-8"))
    vocabulary = {each: i for i, each in enumerate((*SPECIAL, *".a1"))}
    state["model"] = {"type": "BPE", "vocab": vocabulary, "merges": [], "unk_token": "<none>"}
    path.write_text(json.dumps(state), encoding="utf-8")
    own = Corpus("own", tuple(f"жук {i}" for i in range(12)))
    at = new_visit("your_corpus", brought("uploads", "corpus", own), model=str(tmp_path))
    assert "can't be used" in shown_errors(healthy(at.run()))[0]


def test_the_limits_precede_the_form(visit):
    at = visit()
    text = "\n".join(block.value for block in at.markdown)
    for value in limits().values():
        assert value in text


def test_no_error_is_shown_before_anything_is_given(visit):
    for source in ("paste", "upload"):
        assert not shown_errors(visit(source=source))


# The sentences themselves


def test_a_column_without_any_text_is_not_called_one_text():
    with pytest.raises(CorpusError) as caught:
        read_corpus(b"text,n\n,1\n,2\n", name="a.csv", text_column="text")
    assert caught.value.code == "too_few_texts"
    assert "has no text" in error_text(caught.value)


def test_duplicates_are_counted_beyond_the_first():
    assert duplicates(Corpus("c", ("a", "b", "a", "a", "b"))) == 3


def test_coverage_sentences_show_their_counts(monkeypatch):
    coverage = Coverage(n_texts=1200, truncated=7, max_tokens=256, tokens=4000, unknown=500)
    assert coverage_line(coverage) == (
        "The model read 1,200 texts: 7 cut at 256 tokens, 500 of 4,000 tokens unknown (12.5%)."
    )
    assert truncation_warning(coverage).startswith(
        "Longer than the model's limit of 256 tokens: 7 of 1,200 texts."
    )
    words = replace(coverage, unknown=1500)  # without an unknown token
    assert E5_NAME in unknown_warning(words)
    assert E5_NAME not in unknown_warning(coverage)  # of the same language, most likely
    pieces = replace(coverage, unknown_token="[UNK]")
    assert E5_NAME in unknown_warning(pieces)
    monkeypatch.setattr("pages.common.models.bundled_is_here", lambda *_: False)
    assert f"`{MULTILINGUAL_MODEL}`" in unknown_warning(pieces)


def test_the_operator_s_limits_apply_on_the_page_and_are_stated(visit, monkeypatch, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text("[uploads]\nrows = 3\ncolumns = 2\nfile_megabytes = 1\n", encoding="utf-8")
    monkeypatch.setenv("NARROW_CONE_CONFIG", str(own))
    at = visit()
    give(at, None, "a\nb\nc\nd\n")
    assert any("limit is 3" in said for said in shown_errors(at))
    at = visit(source="upload")
    assert any("At most 3 rows, 2 columns" in caption.value for caption in at.caption)
    assert "at most 1 MB" in at.get("file_uploader")[0].label
    at.get("file_uploader")[0].upload("a.csv", b"text,b,c\na b,1,2\nc d,3,4\n").run()
    assert not at.exception
    assert any("more columns than the limit of 2" in box.value for box in at.error)


def test_a_text_that_was_shortened_is_counted(visit, monkeypatch):
    monkeypatch.setattr("pages.your_corpus.result.make_scene", lambda *given: None)
    at = visit()
    give(at, None, "a b " * 30_000 + "\nshort\n")
    assert any("100,000 characters: 1 texts" in warning.value for warning in at.warning)


@for_each("lang", ["en", "zh-Hant"])
def test_the_claim_quotes_the_published_input_layers(lang):
    """Ethayarajh (2019) claims it for all layers; his input layers differ by model."""
    text = (
        (words.TEXT / lang / "your_corpus.md")
        .read_text(encoding="utf-8")
        .split("<!-- limits -->")[0]
    )
    tables = {table.key: table for table in published_tables()}
    for model in ("elmo", "bert", "gpt2"):
        [values] = tables[f"ethayarajh_{model}"].rows.values()
        assert re.search(rf"(?<!\d)0?{f'{values[0]:.3f}'.lstrip('0')}(?!\d)", text), (model, values)
    assert not re.search("but the input|輸入層以外", text)
