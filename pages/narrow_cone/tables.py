"""Static beside contextual: two tables of vectors in one scale."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, Encoder, VectorTable
from geometry.encode import ArrayStore
from geometry.figures.cone import cone_figure
from geometry.linalg.rows import some_rows
from geometry.measure import Measured
from geometry.projection import Projection, project
from geometry.projection.point_colours import PointColours
from geometry.projection.twin import common_scale
from pages.common.cache import kept
from pages.common.controls import choose_in, layer_options
from pages.common.corpus_cloud import CloudSpec, encode_corpus
from pages.common.draw.charts import show_chart
from pages.common.draw.clouds import alternative_with, cloud_panel, current_theme
from pages.common.lesson import note_facts
from pages.common.measures import explained_caption, measure_numbers, print_value, show_big_numbers
from pages.common.models import GLOVE, bundled_names, chosen_model, current_encoder, other_encoder
from pages.common.origin import model_line, origin, type_words
from pages.common.seed import SEED
from pages.common.words import _, prose

from . import PAGE
from .scene import HEADLINES, quick_measures

TYPES, CHOSEN = "types", "chosen"
SIDES = {"left": f"{GLOVE}:{TYPES}:40000", "right": "bundled:tokens"}  # with the first choice
MEASURES = (*HEADLINES, "opening_angle")
DRAWN = 2_000  # points of a picture, and rows of figures over pairs: a sample


@dataclass(frozen=True)
class Rows:
    title: str
    vectors: np.ndarray
    texts: Sequence[str]
    origin: tuple[str, ...]
    content_key: str
    private: bool = False

    @property
    def sample(self) -> np.ndarray:
        return some_rows(len(self.vectors), DRAWN, SEED)


def show_two_tables(corpus: Corpus) -> None:
    st.markdown(prose(PAGE, "two-tables"))
    boxes = st.columns(2)
    tables = [_rows(corpus, *_choose(box, side)) for box, side in zip(boxes, SIDES, strict=True)]
    pictures = [_picture(table) for table in tables]
    factor, reach = common_scale(*pictures)
    found = [_measured(table) for table in tables]
    values: dict[str, str] = {}
    facts: dict[str, float] = {}
    for side, box, rows, picture, scale, numbers in zip(
        SIDES, boxes, tables, pictures, (1.0, factor), found, strict=True
    ):
        X = rows.vectors[rows.sample]
        texts = [rows.texts[row] for row in rows.sample]
        panel = cloud_panel(X, texts, picture, reach, scale=scale)
        colours = PointColours.by_label([rows.title] * len(X), rows.title)
        cosine = numbers["mean_cosine"].value
        about = [*rows.origin]
        if len(X) < len(rows.vectors):
            about.append(_("drawn, and positive cosines: a sample of {n}").format(n=f"{len(X):,}"))
        with box:
            show_chart(
                cone_figure(panel, colours, current_theme(), height=380),
                key=f"table-{side}",
                file_name=f"narrow-cone-{side}-table",
                alt=alternative_with(rows.title, len(X), cosine, panel),
            )
            big = measure_numbers(numbers, None, names=HEADLINES)
            show_big_numbers(rows.title, big, key=f"of-{side}")
            explained_caption(" · ".join([*about, _("seed {seed}").format(seed=SEED)]))
        values[side] = rows.title
        for name in ("mean_cosine", "opening_angle"):
            values[f"{side}_{name}"] = print_value(name, numbers[name].value)
        if cosine is not None:
            facts[f"{side}_mean_cosine"] = cosine
    st.markdown(prose(PAGE, "two-tables-seen", values))
    note_facts(lambda: facts)


def _choose(box: DeltaGenerator, side: str) -> tuple[str, Encoder, str, int]:
    """(title, encoder, kind of table, layer or number of words)."""
    names = table_names()
    usual = SIDES[side]
    own = f"{chosen_model().name}:tokens"
    if side == "right" and own in names and chosen_model().name != GLOVE:
        usual = own
    table_box, layer_box = box.columns([3, 1])
    label = _("Left") if side == "left" else _("Right")
    code = choose_in(table_box, label, names, usual, key=f"{side}-table")
    model, kind, *ranks = code.split(":")
    is_chosen = model in (CHOSEN, chosen_model().name)  # with its precision and prefix
    encoder = current_encoder() if is_chosen else other_encoder(model)
    last = encoder.n_layers
    if ranks or last == 0:
        return names[code], encoder, kind, int(ranks[0] if ranks else 0)
    usual = str(min(4, last))
    layer = choose_in(layer_box, _("Layer"), layer_options(last), usual, key=f"{side}-layer")
    return names[code], encoder, kind, int(layer)


def table_names() -> dict[str, str]:
    """The tables to choose from, by code: model:kind, and for types the number of words."""
    words = _("GloVe: the {n} most frequent words")
    counts = (500, 2_000, 10_000, 40_000)
    names = {f"{GLOVE}:{TYPES}:{n}": words.format(n=f"{n:,}") for n in counts}
    names[f"{GLOVE}:tokens"] = _("GloVe: running words of the corpus")
    names[f"{GLOVE}:sentences"] = _("GloVe: averages of the sentences")
    models = bundled_names()
    del models[GLOVE]
    if not chosen_model().is_in_project:
        models[CHOSEN] = current_encoder().name
    for code, model in models.items():
        names[f"{code}:tokens"] = _("{model}: contextual tokens").format(model=model)
        names[f"{code}:sentences"] = _("{model}: means of the sentences").format(model=model)
    return names


def _rows(corpus: Corpus, title: str, encoder: Encoder, kind: str, at: int) -> Rows:
    if kind == TYPES:
        table = _types(encoder)
        about = (
            model_line(encoder),
            type_words(encoder),
            _("the first {n} of the file").format(n=f"{at:,}"),
            f"d = {table.vectors.shape[1]}",
        )
        key = ArrayStore.key(encoder.content_key, TYPES, at)
        return Rows(title, table.vectors[:at], table.words[:at], about, key)
    points = encode_corpus(corpus, CloudSpec(kind, at, "mean"), encoder=encoder)
    basis = tuple(origin(points))
    return Rows(title, points.vectors, points.cloud.texts, basis, points.key, points.private)


@kept(2)
def _types(encoder: Encoder) -> VectorTable:
    return encoder.type_embeddings()


@kept(32)
def _picture(rows: Rows) -> Projection:
    return project(rows.vectors[rows.sample], "cone", 2, random_state=SEED)


@kept(64)
def _measured(rows: Rows) -> dict[str, Measured]:
    return quick_measures(rows.vectors, rows.vectors[rows.sample], MEASURES)
