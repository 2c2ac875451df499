"""No foreign text becomes a link, a picture or a style on any page.

The pages are visited with hostile texts, labels, names and addresses. The tests check every string
of every element, so they also check places that are added later.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import numpy as np
import pytest
from google.protobuf.message import Message
from markdown_it import MarkdownIt
from streamlit.testing.v1 import AppTest

from geometry import Corpus, Pairs
from geometry.data.columns import FileColumn
from geometry.data.translations import languages
from geometry.errors import SENTENCES, GeometryError
from pages.common import words
from pages.common.draw.twin_cloud import NO_WEBGL2
from pages.common.messages import error_text
from tests.encode.tiny_encoder import save_tiny_bert
from tests.for_each import for_each
from tests.pages.charts import charts, strings_in
from tests.pages.visits import brought, clear_memory, give, healthy, new_visit

MARK = "h.example"  # in every link of the hostile texts, and nowhere else
PARTS = (
    f"[x](http://{MARK}/l) ![](http://{MARK}/p)",
    f"<a href='http://{MARK}'>a</a> <b>{MARK}</b> <span style='font-size:9em'>{MARK}</span>",
    f"http://{MARK}/b https://{MARK} www.{MARK} a@{MARK} HTTP://{MARK} <http://{MARK}>",
    f"`[x](http://{MARK})` ``[x](http://{MARK})`` \\[x](http://{MARK})",
    f":red[{MARK}] :material/home: $x_{MARK}$ **{MARK}** __{MARK}__ ~~{MARK}~~",
    f"\n\n# {MARK}\n\n- [x](http://{MARK})\n\n| {MARK} | [x](http://{MARK}) |\n| - | - |\n\n",
    f"[x][{MARK}]\n\n[{MARK}]: http://{MARK}\n\n&lt;b&gt; &#91;x](http://{MARK})",
)
HOSTILE = " ".join(PARTS)
MARKDOWN = MarkdownIt("commonmark").enable("table").enable("strikethrough")
# Streamlit finds these in the text after parsing the Markdown: see words.py.
BARE = re.compile(r"https?://|www\.|[-.\w+]@[-\w]+\.|:[a-z]\S*:|:[a-z]+\[", re.IGNORECASE)
# the excluded tags are the app's own
TAGS = re.compile(r"<(?!/?(b|br|extra)>)[a-z/!]", re.IGNORECASE)
# Elements and fields that show plain text or are invisible.
PLAIN = {
    "text": None,
    "text_input": ("value", "default", "placeholder", "id"),
    "text_area": ("value", "default", "placeholder", "id"),
    "selectbox": ("options", "raw_value", "id", "placeholder"),
    "multiselect": ("options", "raw_values", "id"),
    "bidi_component": None,  # judged apart
    "html": None,  # judged apart
    "arrow_data_frame": None,
    "page_link": ("query_string", "page_script_hash", "page"),
}


def rendered_wrongly(body: str) -> list[str]:
    """The parts of the hostile text that this Markdown would render as more than text."""
    found = []
    for token in MARKDOWN.parse(body):
        if token.type in ("html_block", "code_block", "fence") and MARK in token.content:
            found.append(f"{token.type}: {token.content}")
        for child in token.children or ():
            target = str(child.attrGet("href") or child.attrGet("src") or "")
            if MARK in target or (child.type == "html_inline" and MARK in child.content):
                found.append(f"{child.type}: {target or child.content}")
            if child.type == "text" and MARK in child.content:
                found += [f"bare: {each}" for each in BARE.findall(child.content)]
    outside = re.sub(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", "", body)
    found += re.findall(r"(?<!\\)\$x_|(?<!\\)\*\*h\.ex|(?<![\\_])__h\.ex|(?<!\\)~~h\.ex", outside)
    return found


def strings(message: Message, path: str = "") -> Iterator[tuple[str, str]]:
    for field, value in message.ListFields():
        values = value if isinstance(value, (list, tuple)) or hasattr(value, "append") else [value]
        for each in values:
            if isinstance(each, Message):
                yield from strings(each, f"{path}{field.name}.")
            elif isinstance(each, str):
                yield field.name, each


def nodes(block: Any) -> Iterator[Any]:
    for child in getattr(block, "children", {}).values():
        yield child
        yield from nodes(child)


def judge(app: AppTest) -> tuple[list[str], int]:
    faults, n_shown = [], 0
    for node in nodes(app._tree):
        kind, proto = getattr(node, "type", ""), getattr(node, "proto", None)
        if kind == "html" and proto is not None:
            body = re.sub(r'aria-label="[^"<>]*"', "", proto.body)  # is read as it is
            faults += [f"html: {tag}" for tag in re.findall(rf"<[^<>]*{MARK}[^<>]*>", body)]
        fields = PLAIN.get(kind, ())
        if proto is None or fields is None or not isinstance(proto, Message):
            continue
        for name, text in strings(proto):
            if MARK in text and name not in (*fields, "id", "user_key", "element_id"):
                n_shown += 1
                faults += [f"{kind}.{name}: {each}" for each in rendered_wrongly(text)]
    sent = {
        part.proto.id: json.loads(part.proto.bytes)
        for part in app.get("bidi_component")
        if part.proto.component_name in ("narrow_cone_chart", "narrow_cone_texts")
    }
    # The twin clouds show the same texts, as plain text.
    named = {message.get("texts") for message in sent.values() if "figure" in message}
    for key, message in sent.items():
        if "figure" in message or message["name"] in named:
            shown = json.loads(message["figure"]) if "figure" in message else message
            for text in strings_in(shown):
                n_shown += MARK in text
                wrong = [*TAGS.findall(text), *re.findall(f"<b>{MARK}", text)]
                faults += [f"{key}: {text[:80]}"] if wrong else []
    return faults, n_shown


# ---- the functions ----


@for_each("text", [*PARTS, HOSTILE])
def test_a_text_shows_its_own_characters(text):
    assert not rendered_wrongly(words.markdown(text))
    for around in ("{}", "- {}", "**{}**", "a {} b", "# {}"):
        shown = []
        for token in MARKDOWN.parse(around.format(words.markdown(text))):
            shown += [child.content for child in token.children or () if child.type == "text"]
        said = "".join(shown).replace(words.NOTHING, "")
        assert " ".join(text.split()) in said
    assert not rendered_wrongly(f"a {words.code(text)} b")
    assert not TAGS.search(words.plotly(text))


@for_each("text", ["# a", "- a", "+ a", "1. a", "12) a", "=", "---", "_a_", "a_b c"])
def test_a_text_begins_no_heading_and_no_list(text):
    tokens = MARKDOWN.parse(words.markdown(text))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert "".join(child.content for child in tokens[1].children) == text


def test_what_needs_no_escaping_is_left_and_the_judge_finds_what_does():
    for text in ("my_file-2 (1).csv", "n/d = 3.2, 95% of a: b", "/tmp/a_b/c", "天地玄黃，宇宙"):
        assert words.markdown(text) == words.plotly(text) == text
    for part in PARTS:
        assert rendered_wrongly(part), part
    assert TAGS.search(PARTS[1])


@for_each("code", languages())
def test_every_error_s_sentence_quotes_safely(code):
    """The details are hostile texts or lists of them; sizes are numbers."""
    sentence = words.in_language(error_text, code)
    for subject, sentences in SENTENCES.items():
        for because, template in sentences.items():
            details: dict[str, Any] = {}
            for _, field, spec, _ in Formatter().parse(template):
                name = (field or "").partition("[")[0]
                hostile = (HOSTILE, HOSTILE) if "[" in (field or "") else HOSTILE
                details[name] = 5 if spec == "bytes" else hostile
            details.pop("", None)
            for values in (details, {k: (v, v) if v == HOSTILE else v for k, v in details.items()}):
                error = GeometryError(because, **values)
                error.subject = subject
                assert not rendered_wrongly(sentence(error)), (subject, because)
    assert not rendered_wrongly(sentence(OSError(HOSTILE)))


# ---- the pages ----


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    """A model folder whose name is as hostile as a path allows."""
    name = "[x](http:h.example) `b` www.h.example ![](http:h.example) <b>h.example<b> a@h.example"
    folder = save_tiny_bert(tmp_path_factory.mktemp("models") / name)
    tokenizer = (folder / "tokenizer.json").read_text(encoding="utf-8")
    hostile = json.dumps(f"[CLS] {HOSTILE}")[1:-1]
    (folder / "tokenizer.json").write_text(tokenizer.replace("[CLS]", hostile), encoding="utf-8")
    return str(folder)


@pytest.fixture(autouse=True)
def _own_memory():
    clear_memory()
    yield
    clear_memory()


def corpus() -> Corpus:
    texts = tuple(
        f"the {word} sat on a red old {HOSTILE}"
        for word in ("cat", "dog", "bird", "mat", "tree") * 3
    )
    texts = tuple(f"{text} {i}" for i, text in enumerate(texts))
    labels = tuple(f"{'ab'[i % 2]} {HOSTILE}" for i in range(len(texts)))
    codes = np.arange(len(texts), dtype=np.int32) % 2
    columns = (
        FileColumn(f"kind {HOSTILE}", codes, tuple(f"{each} {HOSTILE}" for each in "cd")),
        FileColumn(f"price {HOSTILE}", np.arange(float(len(texts)))),
    )
    return Corpus(f"{HOSTILE}.csv", texts, labels=labels, columns=columns)


def pairs() -> Pairs:
    texts = corpus().texts * 2
    n = len(texts)
    return Pairs(
        f"{HOSTILE}.csv",
        left=texts,
        right=tuple(f"{text} {i % 7} old" for i, text in enumerate(reversed(texts))),
        gold_scores=[float(i % 6) for i in range(n)],
        subsets=tuple(f"{'ab'[i % 2]} {HOSTILE}" for i in range(n)),
    )


PARTS_OF_WORDS = ("word-table", "words-left-out", "words-holes", "words-swap", "words-zipf")
STATE = {"uploads": {"upload-a": corpus()}, "corpus": "upload-a", "own_corpus": "upload-a"}
VISITS = {
    "cosine_basis": {},
    "narrow_cone": {"find": HOSTILE, "point": "3"},
    "narrow_cone with charts": {"find": "cat", "point": "3"},
    "narrow_cone explored": {"colour": "column-0", "where": "0:1;1:2~9", "size": "1"},
    "layers": {"point": "2"},
    "layers with charts": {"unit": "tokens"},
    "word_frequency": {},
    "word_frequency with charts": {"words": "tokens"},
    "whitening": {"point": "2"},
    "whitening with charts": {"unit": "tokens"},
    "your_corpus": {},
    "sentence_similarity": {"after": HOSTILE},
}


@pytest.mark.parametrize(
    ("visit", "lang"), [*((visit, "en") for visit in VISITS), ("narrow_cone", "zh-Hant")]
)
def test_no_page_shows_more_than_the_text(visit, lang, model):
    page = visit.partition(" ")[0]
    state = {**STATE, "pair-uploads": {"upload-p": pairs()}, "pairs": "upload-p"}
    if "charts" in visit:
        state[NO_WEBGL2] = True
        state |= dict.fromkeys(PARTS_OF_WORDS, True)
        state |= {"swap-sentence": f"the cat {HOSTILE}"[:500], "swap-word": "cat"}
    if "explored" in visit:
        state |= {"clusters": True, "two": True}
    query = {"model": model, "lang": lang, **VISITS[visit]}
    app = healthy(new_visit(page, state, **query).run())
    faults, n_shown = judge(app)
    assert not faults, faults[:5]
    assert n_shown or page == "cosine_basis"
    if "charts" in visit or page == "sentence_similarity":
        assert charts(app)


def test_the_names_of_an_uploaded_file_of_pairs_are_text(model):
    state = {"pair-uploads": {"upload-p": pairs()}, "pairs": "upload-p", "own-pairs-form": True}
    app = healthy(new_visit("sentence_similarity", state, model=model).run())
    name = Path(model).name  # no slash, because a file's name is cut off before a slash
    give(app, "pairs_file", f"{name}.tsv", f"left\tright\t{HOSTILE.split()[0]}\na\tb\t1\n")
    faults, n_shown = judge(app)
    assert not faults, faults[:5]
    assert n_shown


def test_the_name_and_the_failure_of_an_uploaded_corpus_are_text(monkeypatch, model):
    def fail(*_: object, **__: object) -> None:
        raise ValueError(HOSTILE)

    app = healthy(new_visit("your_corpus", source="upload", model=model).run())
    table = f"{PARTS[0]},{PARTS[1]}\n" + "".join(f"the cat {i},{PARTS[2]}\n" for i in range(12))
    give(app, "corpus_file", f"{HOSTILE}.csv", table)
    faults, n_shown = judge(app)
    assert n_shown
    monkeypatch.setattr("pages.common.corpus_cloud.read_cloud", fail)
    healthy(app.button(key="use_file").click().run())
    assert any(MARK in error.value for error in app.error)
    faults += judge(app)[0]
    assert not faults, faults[:5]


@pytest.mark.parametrize(
    "query",
    [
        {"model": HOSTILE},
        {"model": "` [x](http://h.example) `"},
        {"model": "owner/name", "revision": HOSTILE},
        {"model": f"/{HOSTILE}"},
        {"model": "google-bert/bert-base-uncased", "revision": "[x](http://h.example)"},
    ],
)
def test_the_address_names_no_link(query):
    faults, n_shown = judge(healthy(new_visit("narrow_cone", **query).run()))
    assert not faults, faults[:5]
    assert n_shown or query["model"].startswith("google")


@pytest.mark.model
@pytest.mark.parametrize("page", ["narrow_cone", "neighbours"])
def test_no_verdict_is_given_on_a_text_that_the_model_does_not_know(page: str):
    foreign = Corpus(
        "mine", tuple(f"這是第{i}句完全陌生的話語，討論茶葉與書法。" for i in range(60))
    )
    app = healthy(new_visit(page, brought("uploads", "corpus", foreign)).run())
    cards = [box.value for box in app.markdown if "The model does not know this text" in box.value]
    assert cards
    assert all("Not enough data." in card for card in cards)
    assert not any("Holds here." in box.value for box in app.markdown)


@pytest.mark.slow
@pytest.mark.model
def test_scored_pairs_that_the_model_does_not_know_are_said_and_may_be_read_by_another():
    app = healthy(new_visit("sentence_similarity", pairs="pairs-zh").run())
    assert any("of the tokens (the limit is 5%)" in box.value for box in app.warning)
    healthy(app.button(key="use-e5").click().run())
    assert not app.warning
