"""The controls of the word-frequency page: whose vectors, whose frequencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from geometry import Corpus, Encoder
from pages.common.controls import FOUND, choose, choose_tokenizer, layer_labels
from pages.common.origin import type_words
from pages.common.static_tables import glove_name
from pages.common.table_form import upload_table, upload_word_vectors
from pages.common.words import _, noted

VECTORS_FILE, COUNTS_FILE = "frequency_vectors_file", "frequency_counts_file"
COUNTED_BY = {  # by vectors: the sources of frequencies that they can have
    "types": ("corpus", "list", "common-zh", "order"),
    "tokens": ("corpus", "list", "common-zh", "order"),
    "glove": ("order", "corpus", "list"),
    "upload": ("order", "corpus", "list", "common-zh"),
}


@dataclass(frozen=True)
class WordChoice:
    """Which vectors, and which frequencies."""

    words: str  # "types" of the model, its "tokens" averaged by type, "glove", or an "upload"
    counts: str  # "corpus", an uploaded "list", "common-zh", or the table's or vocabulary's "order"
    layer: int  # the layer of contextual tokens, and of the sentences in the tests
    vectors_file: Any
    counts_file: Any
    tokenizer: str = FOUND  # of words of a table that are counted in the corpus

    @property
    def is_of_model(self) -> bool:
        """True for the model's own vectors."""
        return self.words in ("types", "tokens")

    @property
    def lacks_file(self) -> bool:
        """True if a file has to be uploaded first."""
        return (self.words == "upload" and self.vectors_file is None) or (
            self.counts == "list" and self.counts_file is None
        )


def choose_words(encoder: Encoder, corpus: Corpus) -> WordChoice:
    """The controls above the pictures; uploaders appear where they are needed."""
    words_box, counts_box, layer_box = st.columns(3)
    with words_box:
        words = choose(
            st.selectbox,
            _("Vectors of words"),
            list(COUNTED_BY),
            key="words",
            default="types",
            labels={
                "types": noted(_("types"), type_words(encoder)),
                "tokens": _("contextual tokens, averaged by type"),
                "glove": glove_name(),
                "upload": _("an uploaded table"),
            },
        )
    with counts_box:
        offered = COUNTED_BY[words]
        counts = choose(
            st.selectbox,
            _("Frequencies from"),
            list(offered),
            key="counts",
            default=offered[0],
            labels={
                "corpus": _("the corpus"),
                "list": _("an uploaded list"),
                "common-zh": _("common Chinese words (Simplified)"),
                "order": _("the table’s own order")
                if words in ("glove", "upload")
                else _("the vocabulary’s own order"),
            },
        )
    with layer_box:
        last = encoder.n_layers
        layer = choose(
            st.selectbox,
            _("Layer (of tokens and sentences)"),
            [*map(str, range(last + 1))],
            key="layer",
            default=str(min(4, last)),
            labels=layer_labels(last),
        )
    vectors_file = upload_word_vectors(VECTORS_FILE) if words == "upload" else None
    counts_label = _("A list of words and their counts, one pair a line, at most {megabytes} MB")
    counts_file = upload_table(counts_label, COUNTS_FILE) if counts == "list" else None
    # a model's tokenizer counts its own words
    is_split = words in ("glove", "upload") and counts == "corpus"
    tokenizer = choose_tokenizer(corpus.texts) if is_split else FOUND
    return WordChoice(words, counts, int(layer), vectors_file, counts_file, tokenizer)
