"""What the words mean for sentences: frequent types left out, holes, a swapped word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from geometry import Corpus, Encoder
from geometry.data.number_text import estimate, signed
from geometry.encode.pool import DEFAULT_POOLING
from geometry.figures.curves import Axes
from geometry.figures.scatter import Dots, Segment, scatter_figure
from geometry.measure import (
    Measured,
    measure_table,
    nearest_distances,
    neighbour_means,
    sentence_means,
)
from geometry.measure.frequency import by_rank
from geometry.projection import project
from geometry.projection.twin import fit_whitening, whiten_beside
from pages.common import jobs
from pages.common.cache import kept
from pages.common.controls import layer_words
from pages.common.corpus_cloud import CloudSpec, CorpusCloud, encode_corpus
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import axis_titles, current_theme
from pages.common.escape import markdown, markdown_table, plotly
from pages.common.seed import SEED
from pages.common.words import _, prose

from . import PAGE
from .apart import LONGEST_WORD
from .scene import RankedWords, Scene, tokens_spec

LEFT_OUT = (0, 10, 100)  # numbers of most frequent types that are left out
SMALLEST_MOVE = 1e-6  # share of the vectors' length; less is rounding
MOST_POINTS = 1500  # sentences at most, of holes and of a swap
LONGEST_SENTENCE = 500  # characters of a typed sentence
SWAP = ("I love this old film.", "love", "adore")


@dataclass(frozen=True)
class Holes:
    """Types and sentence means compared.

    Attributes
    ----------
    types, sentences : (float, float, float)
        Quartiles of the distances to the nearest type; for types, to another one.
    type_length, sentence_length : float
        Mean lengths.
    n_sentences : int
    """

    types: tuple[float, float, float]
    sentences: tuple[float, float, float]
    type_length: float
    sentence_length: float
    n_sentences: int


@kept(32)
def left_out(tokens: CorpusCloud) -> dict[int, Measured]:
    """Mean cosine of sentence means without the most frequent types of the corpus."""
    cloud = tokens.cloud
    names, place = np.unique(cloud.texts, return_inverse=True)
    counts = np.zeros(len(names))
    counts[place] = cloud.counts
    rank_of = np.empty(len(names), dtype=np.int64)
    rank_of[by_rank(counts)] = np.arange(len(names))
    ranks = rank_of[place]
    found = {}
    for without in LEFT_OUT:
        means = sentence_means(cloud.vectors, cloud.sources, ranks, without=without)
        [found[without]] = measure_table(means, names=["mean_cosine"], seed=SEED)
    return found


def show_left_out(scene: Scene) -> None:
    """A row for each number of types left out."""
    rows = left_out(encode_corpus(scene.corpus, tokens_spec(scene.choice.layer)))
    lines = [[_("most frequent types left out"), _("mean cosine of sentences"), "n"]]
    lines.append(["---:", "---:", "---:"])
    for without, row in rows.items():
        value = row.value or 0.0
        shown = signed(value, 3)
        if row.low is not None and row.high is not None:
            shown = estimate(value, row.low, row.high)
        lines.append([f"{without}", shown, f"{row.n:,}"])
    st.markdown(markdown_table(lines))
    first, last = rows[LEFT_OUT[0]], rows[LEFT_OUT[-1]]
    st.markdown(left_out_sentence(first, last))
    st.caption(
        _("Means of contextual tokens at {layer}, special tokens left out.").format(
            layer=layer_words(scene.choice.layer, scene.encoder.n_layers)
        )
    )
    st.caption(prose(PAGE, "left-out"))


def left_out_sentence(first: Measured, last: Measured) -> str:
    """Whether frequent words explain the large cosines here."""
    if first.low is None or first.high is None or last.low is None or last.high is None:
        return _("An interval needs more sentences.")
    if last.high < first.low:
        words = _(
            "Without the {n} most frequent types the mean cosine falls from {first} to {last}: "
            "frequent words explain a part of it."
        )
    elif last.low > first.high:
        words = _(
            "Without the {n} most frequent types the mean cosine rises from {first} to {last}: "
            "frequent words do not explain it."
        )
    else:
        words = _(
            "Without the {n} most frequent types the mean cosine hardly changes, from {first} to "
            "{last}: frequent words do not explain it."
        )
    return words.format(
        n=LEFT_OUT[-1], first=signed(first.value or 0, 3), last=signed(last.value or 0, 3)
    )


@kept(32)
def _holes(
    words: RankedWords,
    corpus: Corpus,
    encoder: Encoder,
    report: jobs.Progress = jobs.no_report,
) -> Holes:
    """Distances in the space of types: sentences are means of the vectors of their types."""
    row_of = {text: row for row, text in enumerate(words.texts)}
    means = []
    rng, n = np.random.default_rng(SEED), len(corpus)
    drawn = np.sort(rng.choice(n, min(n, MOST_POINTS), replace=False))
    for pieces in encoder.tokenize([corpus.texts[i] for i in drawn], progress=report):
        rows = [row_of[piece] for piece in pieces if piece in row_of]
        if len(set(rows)) > 1:
            means.append(words.vectors[rows].mean(axis=0, dtype=np.float64))
    Y = np.array(means)
    to_types = nearest_distances(Y, words.vectors)
    # the distance of each type to the nearest other one
    from_types = neighbour_means(words.vectors, (1,), progress=report)[0][:, 0]
    return Holes(
        _quartiles(from_types),
        _quartiles(to_types),
        float(words.lengths.mean()),
        float(np.linalg.norm(Y, axis=1).mean()),
        len(Y),
    )


def _quartiles(values: np.ndarray) -> tuple[float, float, float]:
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    return float(low), float(middle), float(high)


def show_holes(scene: Scene) -> None:
    """Quartiles of both distances, and a sentence about them."""
    words = scene.words.measured
    found = jobs.kept_or_made(
        _holes,
        *(words, scene.corpus, scene.encoder),
        what=_("Neighbours of {n} words").format(n=f"{len(words):,}"),
        lane="measure",
        is_long=True,
    )
    line = "{:.2f} · {:.2f} · {:.2f}"
    lines = [
        [_("from"), _("distance to the nearest type: quartiles"), _("mean length")],
        ["---", "---:", "---:"],
        [_("types (to another type)"), line.format(*found.types), f"{found.type_length:.2f}"],
        [
            _("sentences, n = {n}").format(n=f"{found.n_sentences:,}") + _sample_note(scene),
            line.format(*found.sentences),
            f"{found.sentence_length:.2f}",
        ],
    ]
    st.markdown(markdown_table(lines))
    st.markdown(holes_sentence(found))
    st.caption(prose(PAGE, "holes"))


def holes_sentence(found: Holes) -> str:
    """Whether sentences are farther from every type than types are from each other."""
    if found.sentences[1] > found.types[2]:
        return _("Here most sentences are farther from every type than most types are: in holes.")
    return _(
        "Here sentences are no farther from the nearest type than types are from each other: in "
        "no holes."
    )


def show_swap(scene: Scene) -> None:
    """One sentence, one word replaced: how far its vector moves, raw and whitened.

    The whitening is fitted on the sentences of the corpus.
    """
    boxes = st.columns([3, 1, 1])
    sentence = boxes[0].text_input(
        _("Sentence"),
        SWAP[0],
        key="swap-sentence",
        persist_state="session",
        max_chars=LONGEST_SENTENCE,
    )
    word = boxes[1].text_input(
        _("Word"), SWAP[1], key="swap-word", persist_state="session", max_chars=LONGEST_WORD
    )
    other = boxes[2].text_input(
        _("Replace by"), SWAP[2], key="swap-other", persist_state="session", max_chars=LONGEST_WORD
    )
    if not word or word not in sentence or not other:
        st.info(_("Type a word of the sentence and another word."))
        return
    swapped = sentence.replace(word, other, 1)
    spec = CloudSpec(
        unit="sentences",
        layer=scene.choice.layer,
        pooling=DEFAULT_POOLING,
        max_points=MOST_POINTS,
    )
    points = encode_corpus(scene.corpus, spec)
    pair = jobs.kept_or_made(
        _encoded,
        *(scene.encoder, (sentence, swapped), scene.choice.layer),
        what=_("Encoding {n} sentences").format(n=2),
    )
    whitening = fit_whitening(points.vectors, "ledoit-wolf")
    clouds = {
        _("Raw"): (points.vectors, pair),
        _("Whitened"): tuple(whiten_beside(X, whitening).vectors for X in (points.vectors, pair)),
    }
    for box, (name, (X, both)) in zip(st.columns(2), clouds.items(), strict=True):
        with box:
            _draw_swap(name, X, both, (sentence, swapped), _sample_note(scene))
    st.caption(markdown(_frequencies(scene, (word, other))))
    st.caption(prose(PAGE, "swap"))


@kept(16, by_session=True)
def _encoded(
    encoder: Encoder, texts: tuple[str, str], layer: int, report: jobs.Progress = jobs.no_report
) -> np.ndarray:
    """Both vectors (2, d). In a job, because a large model takes more than a second."""
    return encoder.encode(texts, layer=layer, pooling=DEFAULT_POOLING, progress=report)


def _draw_swap(
    name: str, X: np.ndarray, both: np.ndarray, texts: tuple[str, str], sample_note: str
) -> None:
    moved = float(np.linalg.norm(both[1] - both[0]))
    axes, titles = _axes_of_move(X, both)
    cloud, (start, stop) = ((rows - X.mean(axis=0)) @ axes.T for rows in (X, both))
    before, after = (
        Dots(end[:1], end[1:], [plotly(text)], label, place)
        for end, text, label, place in (
            (start, texts[0], _("before"), 1),
            (stop, texts[1], _("after"), 2),
        )
    )
    arrow = Segment(tuple(start), tuple(stop), "", is_arrow=True)
    figure = scatter_figure(
        [
            Dots(cloud[:, 0], cloud[:, 1], [""] * len(cloud), _("the corpus") + sample_note),
            before,
            after,
        ],
        titles,
        current_theme(),
        segments=[arrow] if _has_moved(both) else [],
    )
    rng = np.random.default_rng(SEED)
    a, b = X[rng.permutation(len(X))], X[rng.permutation(len(X))]
    usual = float(np.median(np.linalg.norm(a - b, axis=1)))
    cosine = float(both[0] @ both[1] / np.prod(np.linalg.norm(both, axis=1)))
    line = _("cosine of both sentences {cosine}; moved by {share} of the usual distance").format(
        cosine=signed(cosine, 3), share=f"{moved / usual:.0%}"
    )
    st.markdown(f"**{name}** · {line}")
    show_chart(
        chart_of(figure), key=f"swap-{name}", file_name="word-frequency-swap", alt=f"{name}: {line}"
    )


def _has_moved(both: np.ndarray) -> bool:
    """Whether the two vectors (2, d) differ by more than rounding."""
    return bool(np.linalg.norm(both[1] - both[0]) > SMALLEST_MOVE * np.linalg.norm(both))


def _axes_of_move(X: np.ndarray, both: np.ndarray) -> tuple[np.ndarray, Axes]:
    """The direction of the move, so that its whole length is seen, and PCA of the rest: (2, d).

    Two equal vectors have no direction; then the axes are those of PCA.
    """
    if not _has_moved(both):
        picture = project(X, "pca", 2, random_state=SEED)
        x, y = axis_titles("pca", 2)
        return np.asarray(picture.axes), Axes(x, y)
    move = both[1] - both[0]
    u = move / np.linalg.norm(move)
    rest = project(X - np.outer(X @ u, u), "pca", 2, random_state=SEED)
    axes = np.stack([u, np.asarray(rest.axes)[0]])
    return axes, Axes(_("direction of the move"), _("principal direction of the rest"))


def _sample_note(scene: Scene) -> str:
    """The size of the sample of sentences; "" if all are used."""
    n_texts = len(scene.corpus)
    if n_texts <= MOST_POINTS:
        return ""
    note = _("a sample of {n} of {all} texts").format(n=f"{MOST_POINTS:,}", all=f"{n_texts:,}")
    return f" ({note})"


def _frequencies(scene: Scene, pair: tuple[str, str]) -> str:
    """Rank and length of the pieces of both words."""
    words = scene.words
    row_of = {text: row for row, text in enumerate(words.texts)}
    parts = []
    for word in pair:
        for piece in scene.encoder.tokenize([word])[0]:
            row = row_of.get(piece)
            parts.append(
                _("{piece}: not among the words above").format(piece=piece)
                if row is None
                else _("{piece}: rank {rank}, length {length}").format(
                    piece=piece,
                    rank=f"{row + 1:,}",
                    length=f"{np.linalg.norm(words.vectors[row]):.2f}",
                )
            )
    return " · ".join(parts)
