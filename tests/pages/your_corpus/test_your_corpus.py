"""The reader's own corpus: paste or file to corpus, every refusal in both languages."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from geometry import Corpus, CorpusError
from geometry.data.corpus import read_pasted
from geometry.data.limits import LIMITS, MAX_BYTES, MAX_TEXTS
from geometry.data.translations import catalogue
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
from tests.encode.tiny_encoder import SPECIAL, save_tiny_bert
from tests.for_each import for_each
from tests.pages.twins import twin_clouds
from tests.pages.visits import brought, deep_link, healthy, new_visit

PASTED = "The kettle is on.\n\nWhy is the night sky dark?\nRain fell.\nThe kettle is on.\n"


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


@pytest.mark.model
def test_pasted_lines_become_the_corpus_of_every_page(visit):
    at = visit("zh-Hant")
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


@for_each(
    ("name", "content", "error"),
    [  # tests/data has every refusal, test_errors every sentence
        (None, " \n\n  ", CorpusError("empty", limit=2)),
        (
            None,
            "a\n" * (MAX_TEXTS + 1),
            CorpusError("too_many_texts", n=MAX_TEXTS + 1, limit=MAX_TEXTS),
        ),
        (
            "a.csv",
            b"text,n\n" + b"a,1\n" * 9 + b"b\n",
            CorpusError("uneven_row", line=11, n=1, expected=2),
        ),
        ("a.txt", None, CorpusError("too_many_bytes", limit=MAX_BYTES)),
    ],
)
def test_a_refusal_is_shown_and_the_page_goes_on(visit, monkeypatch, name, content, error):
    monkeypatch.setattr("pages.your_corpus.result.make_scene", lambda *given: None)
    at = visit("zh-Hant", source="paste" if name is None else "upload")
    give(at, name, content)
    assert not at.exception
    [message] = shown_errors(at)
    assert words.in_language(error_text, "zh-Hant")(error) in message
    assert at.session_state["corpus"] == "topics"
    if name is None:
        assert at.text_area(key="pasted").value == content
    assert at.subheader[-1].value == catalogue("zh-Hant").gettext("Limits")


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
def test_two_texts_have_numbers_but_no_picture(visit):
    at = visit()
    give(at, None, "The kettle is on.\nRain fell.\n")
    assert not at.exception
    assert not twin_clouds(at)
    assert any("at least 3 texts, and there are 2" in box.value for box in at.info)
    assert at.metric[1].value == "2"


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


# The sentences themselves


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
