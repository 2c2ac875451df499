"""Where labels are compared, points of one text or of one sentence are no neighbours."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from geometry import Corpus, load_encoder
from geometry.data.corpus import read_bundled
from geometry.measure import chance_agreement
from tests.pages.visits import brought, everything, healthy, new_visit

N, EACH = 120, 3
NOTE = "where labels are compared, {points} are no neighbours of each other"

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("one_memory")]


def split_corpus() -> Corpus:
    topics = read_bundled("topics")
    starts = np.linspace(0, len(topics) - EACH, N // EACH).astype(int)
    rows = (starts[:, None] + np.arange(EACH)).ravel()
    labels = tuple(topics.labels[start] for start in np.repeat(starts, EACH))
    texts = tuple(topics.texts[row] for row in rows)
    sources = tuple(np.repeat(np.arange(N // EACH), EACH).tolist())
    return Corpus("mine", texts, labels, sources=sources)


def share(X: np.ndarray, labels: np.ndarray, units: np.ndarray) -> float:
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    cosines = U @ U.T
    cosines[units[:, None] == units] = -9
    near = np.argsort(-cosines, axis=1)[:, :5]
    return float((labels[near] == labels[:, None]).mean())


def first_headlines(app: AppTest) -> list[str]:
    body = next(e.proto.body for e in app.get("html") if 'class="big-numbers"' in e.proto.body)
    return re.findall(r"<(?:b|small)>(.*?)<", body)


def test_sentences_of_one_text_are_no_neighbours_of_each_other():
    own = split_corpus()
    query = {"layer": "4", "fit-on": "same"}
    state = brought("uploads", "corpus", own) | {"all-measures": True}
    app = healthy(new_visit("whitening", state, **query).run())
    X = load_encoder().encode(own.texts, layer=4)
    labels, units = np.array(own.labels), np.array(own.sources)
    expected = f"{share(X, labels, units):.1%}"
    assert expected != f"{share(X, labels, np.arange(N)):.1%}"
    chance = f"by chance: {chance_agreement(labels, units=units):.1%}"
    assert chance != f"by chance: {chance_agreement(labels):.1%}"
    said = everything(app)
    assert NOTE.format(points="sentences of one text") in said
    shown = first_headlines(app)
    assert expected in shown
    assert chance in shown
    row, *_white = [line for line in said.splitlines() if line.startswith("| label agreement")]
    assert row.split(" | ")[1].startswith(expected)


def test_tokens_of_one_sentence_are_no_neighbours_of_each_other():
    whole = split_corpus()
    own = Corpus("mine", whole.texts[::EACH], whole.labels[::EACH])
    state = brought("uploads", "corpus", own) | {"all-measures": True}
    query = {"layer": "4", "fit-on": "same", "unit": "tokens"}
    app = healthy(new_visit("whitening", state, **query).run())
    tokens = load_encoder().encode_tokens(own.texts, layer=4)
    labels = np.array(own.labels)[tokens.sentence]
    assert f"{share(tokens.vectors, labels, tokens.sentence):.1%}" in first_headlines(app)
    assert NOTE.format(points="tokens of one sentence") in everything(app)
