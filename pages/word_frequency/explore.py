"""Word frequency's interactive part: its pictures, numbers and sentences."""

from collections.abc import Sequence
from functools import partial
from itertools import chain, pairwise
from typing import Any

import numpy as np
import streamlit as st

from geometry import Corpus, Encoder
from geometry.data.number_text import change, estimate, signed
from geometry.encode.pool import DEFAULT_POOLING
from geometry.figures.curves import Axes, Curve, scatter_figure
from geometry.figures.ranks import Level, ranks_figure
from geometry.linalg.rows import some_rows
from geometry.measure import (
    FrequencyBin,
    Measured,
    measure_table,
    nearest_distances,
    neighbour_means,
    sentence_means,
    without_frequent,
)
from geometry.measure.frequency import CONTROL_DRAWS, NEIGHBOURS, WithoutFrequent, by_rank
from geometry.measure.intervals import Estimate
from geometry.projection import project
from geometry.projection.packing import pack_cloud
from geometry.projection.point_colours import PointColours
from geometry.projection.twin import common_scale, fit_whitening, whiten_beside
from geometry.projection.twin_message import Picture, Points, TwinCloud
from pages.common import jobs, measures
from pages.common.address import is_presenting
from pages.common.cache import kept
from pages.common.cloud_parts import warn_of_reading
from pages.common.controls import follow_default
from pages.common.corpus_cloud import (
    CloudSpec,
    CorpusCloud,
    encode_corpus,
    encoded_texts,
    warn_of_cache,
)
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.draw.charts import show_chart
from pages.common.draw.clouds import (
    axis_titles,
    current_theme,
    lines_below,
    panel_with,
    show_cloud,
)
from pages.common.folded import show_folded
from pages.common.lesson import note_facts
from pages.common.messages import ENCODER_ERRORS, errors_shown, show_error
from pages.common.models import current_encoder
from pages.common.origin import layer_words, of_known_text, warn_of_typed
from pages.common.reading import apart
from pages.common.seed import SEED
from pages.common.shell import page_boxes, show_question
from pages.common.treatment_names import treatment_names
from pages.common.words import (
    _,
    aligned_table,
    dotted,
    labelled,
    markdown,
    noted,
    paragraph,
    plotly,
    prose,
    short_line,
)

from . import PAGE
from . import scene as ranked
from .apart import LONGEST_WORD, MARKS, FrequencyMeasures, Symmetry, symmetry
from .scene import FrequencyScene, RankedWords, provenance

HEIGHT, COSINES_HEIGHT = 380, 240


def _level(ranks: FrequencyBin, mean: Estimate) -> Level:
    return Level(ranks.start + 1, ranks.stop, mean.value, mean.low, mean.high)


def draw_lengths(scene: FrequencyScene) -> None:
    words = scene.words
    ours = [_level(each, each.norm) for each in scene.measures.bins]
    theirs = [
        Level(*ends, value)
        for ends, value in zip(pairwise(ranked.PUBLISHED_ENDS), ranked.published()[0], strict=True)
        if value is not None
    ]
    titles = (
        _("rank of the word (1 is the most frequent)"),
        _("length of the vector (ℓ₂ norm)"),
        _("share of the words of these ranks"),
    )
    figure = ranks_figure(
        (_("mean of a bin, with its 95% interval"), ours),
        [(_("BERT-base, published: Li et al. (2020)"), theirs)],
        current_theme(),
        titles=titles,
        words=(words.lengths, [plotly(text) for text in words.texts]),
        height=HEIGHT,
    )
    alt = ranked.direction_sentence(scene.measures.direction).replace("**", "")
    show_chart(figure, key="word-lengths", file_name="word-frequency-lengths", alt=alt)
    said = _(
        "Each bar is the mean length of the words of these ranks: solid here, dotted as "
        "published for BERT-base."
    )
    st.markdown(said)


def draw_cosines(scene: FrequencyScene) -> None:
    bins = [(each, each.cosine) for each in scene.measures.bins if each.cosine is not None]
    if not bins:
        return
    levels = [_level(*each) for each in bins]
    values = _("; ").join(
        labelled(ranked.ranks_of(each), signed(cosine.value, 3)) for each, cosine in bins
    )
    title = _("mean cosine of pairs")
    figure = ranks_figure(
        (_("mean of a bin, with its 95% interval"), levels),
        [(_("isotropic: {value}").format(value="0"), [Level(1, levels[-1].stop, 0)])],
        current_theme(),
        titles=(_("rank of the word (1 is the most frequent)"), title),
        height=COSINES_HEIGHT,
    )
    alt = f"{title} · {values}"
    show_chart(figure, key="word-cosines", file_name="word-frequency-cosines", alt=alt)
    st.caption(_("Mean cosine over all pairs of words of one bin, each word counted once."))


def draw_clouds(scene: FrequencyScene) -> None:
    words = scene.words
    rows = ranked.drawn_rows(words)
    (svd, of_svd), (pca, of_pca) = ranked.pictures_of(words, rows)
    stops = [each.stop for each in scene.measures.bins]
    if stops[-1] < len(words):  # words that are drawn and not measured
        stops.append(len(words))
    named = [
        _("ranks {ranks}").format(ranks=f"{start + 1:,}–{stop:,}")
        for start, stop in pairwise([0, *stops])
    ]
    reach = common_scale(svd, svd)[1]
    titles = (_("SVD (uncentred)"), _("PCA (centred)"))
    below = []
    for title, picture, edges in zip(titles, (svd, pca), (of_svd, of_pca), strict=True):
        panel = panel_with(edges, words.vectors.shape[1], (), picture, reach)
        below.append(labelled(title, " · ".join(lines_below(picture, panel))))
    # PCA places the points around their mean
    frames = [svd.around_origin, pca.coordinates]
    pictures = [Picture([0], [titles[0]]), Picture([1], [titles[1]], origin=_("mean vector"))]
    cloud = TwinCloud(
        points=Points.of(pack_cloud(frames, reach)),
        rows_key=words.content_key,
        pictures=pictures,
        colours=PointColours(np.searchsorted(stops, rows, side="right"), tuple(named), _("ranks")),
        reach=reach,
        axis_titles=[_("direction {i}").format(i=i) for i in (1, 2)],
        origin_label=_("origin"),
        name=_("Words by frequency"),
        alt=_("{n} words by SVD and by PCA, coloured by frequency.").format(n=f"{len(rows):,}"),
        below=below,
        provenance=provenance(scene),
        file_name="word-frequency",
        is_large=is_presenting(),
    )
    show_cloud(cloud, key="words", texts=[words.texts[row] for row in rows])
    st.caption(markdown(" · ".join(below)))


def show_headlines(scene: FrequencyScene) -> None:
    found = scene.measures
    first, last = found.bins[0], found.bins[-1]
    rho = found.direction.spearman
    n = f"{first.n:,}"
    rarest = _("rarest bin: {value}")
    ends = "" if rho.low is None else f"[{signed(rho.low, 3)}, {signed(rho.high or 0, 3)}]"
    lengths = [ranked.three_digits(each.norm.value) for each in (first, last)]
    cosine = "—" if first.cosine is None else signed(first.cosine.value, 3)
    note = "" if last.cosine is None else rarest.format(value=signed(last.cosine.value, 3))
    of_length = _("mean length, {n} most frequent").format(n=n)
    numbers = [
        measures.BigNumber(_("length against rank, Spearman"), signed(rho.value, 3), ends),
        measures.BigNumber(of_length, lengths[0], rarest.format(value=lengths[1])),
        measures.BigNumber(_("mean cosine, {n} most frequent").format(n=n), cosine, note),
    ]
    measures.show_big_numbers(_("Words by frequency"), numbers, key="word-numbers")
    st.caption(markdown(provenance(scene)))


def show_bins(scene: FrequencyScene) -> None:
    st.container(key="word-bins").markdown(ranked.table_markdown(scene.measures))
    st.caption(prose(PAGE, "table"))


def bins_csv(measured: FrequencyMeasures, basis: str) -> bytes:
    rows: list[list[CsvCell]] = []
    near = [f"{name}_{k}" for name in ("distance", "dot") for k in NEIGHBOURS]
    names = list(zip(["norm", *near, "mean_cosine"], ranked.bin_measures(), strict=True))
    for each in measured.bins:
        estimates = (each.norm, *each.distances, *each.dots, each.cosine)
        for name, found in zip(names, estimates, strict=True):
            ends = [getattr(found, end, None) for end in ("value", "low", "high")]
            if isinstance(found, float):
                ends[0] = found
            cells = map(short_number, ends)
            rows.append([str(each.start + 1), str(each.stop), str(each.n), name, *cells])
    head = ["first_rank", "last_rank", "n", "measure", "value", "low", "high"]
    return csv_bytes(head, rows, basis)


def show_zipf(scene: FrequencyScene) -> None:
    words = scene.words.measured
    weights = {"uniform": _("every word once"), "zipf": _("by frequency")}
    names = ("zipfian_mean_symmetry", "zipfian_spectral_entropy")
    head = [_("treatment"), _("weights"), *map(measures.measure_label, names)]
    what = _("Symmetry of {n} words").format(n=f"{len(words):,}")
    found = jobs.kept_or_made(_symmetry, words, what=what, is_long=True)
    lines = []
    for treatment, by_weight in found.items():
        for weight, rows in by_weight.items():
            cells = []
            for row in rows:
                ends = (row.low, row.high) if treatment == "raw" else (None, None)
                cells.append("—" if row.value is None else estimate(row.value, *ends))
            lines.append([treatment_names()[treatment], weights[weight], *cells])
    st.markdown(aligned_table(head, lines, n_left=2))
    st.caption(prose(PAGE, "zipf"))


@kept(16)
def _symmetry(words: RankedWords, report: jobs.Progress = jobs.no_report) -> Symmetry:
    return apart(partial(symmetry, words.vectors, words.counts), report)


def words_csv(words: RankedWords, basis: str) -> bytes:
    columns = zip(words.texts, words.counts, words.lengths, strict=True)
    rows = [
        [text, str(rank), *map(short_number, numbers)]
        for rank, (text, *numbers) in enumerate(columns, start=1)
    ]
    return csv_bytes(["word", "rank", "frequency", "length"], rows, basis)


LEFT_OUT = (10, 100)  # numbers of most frequent types that are left out
SMALLEST_MOVE = 1e-6  # share of the vectors' length; less is rounding
MOST_POINTS = 1500  # sentences at most, of holes and of a swap
LONGEST_SENTENCE = 500  # characters of a typed sentence
LONGEST_NAME = 40  # characters of a sentence in the legend


@kept(32)
def left_out(tokens: CorpusCloud) -> tuple[Measured, dict[int, WithoutFrequent]]:
    """Mean cosine of sentence means; without the most frequent types, each with its control."""
    cloud = tokens.cloud
    _names, first, place = np.unique(cloud.texts, return_index=True, return_inverse=True)
    rank_of = np.argsort(by_rank(cloud.counts[first]))  # the inverse permutation
    ranks = rank_of[place]
    means = sentence_means(cloud.vectors, cloud.sources, ranks, without=0)
    [whole] = measure_table(means, names=["mean_cosine"], seed=SEED)
    return whole, {
        n: without_frequent(cloud.vectors, cloud.sources, ranks, without=n, seed=SEED)
        for n in LEFT_OUT
    }


def show_left_out(scene: FrequencyScene) -> None:
    whole, rows = left_out(encode_corpus(scene.corpus, ranked.tokens_spec(scene.choice.layer)))
    head = [
        _("most frequent types left out"),
        _("mean cosine of sentences"),
        _("as many random tokens left out"),
        _("difference"),
        "n",
    ]
    lines = [["0", estimate(whole.value or 0.0, whole.low, whole.high), "", "", f"{whole.n:,}"]]
    for without, row in rows.items():
        gap = change(row.difference.value, row.difference.low, row.difference.high)
        cosines = signed(row.value, 3), signed(row.control, 3)
        lines.append([f"{without}", *cosines, gap, f"{row.n:,}"])
    measures.show_verdict(left_out_verdict(scene, whole, rows[LEFT_OUT[-1]]), key="left-out")
    st.markdown(aligned_table(head, lines, n_left=0))
    st.caption(prose(PAGE, "left-out"))


def left_out_verdict(
    scene: FrequencyScene, whole: Measured, last: WithoutFrequent
) -> measures.Verdict:
    gap = last.difference
    measured = _(
        "Without the {n} most frequent types the mean cosine goes from {first} to {last}."
    ).format(
        n=LEFT_OUT[-1], first=signed(whole.value or 0.0, 3), last=f"**{signed(last.value, 3)}**"
    )
    control = _(
        "without as many random tokens of the same sentences it goes to **{control}**. "
        "Difference: **{change}**."
    ).format(control=signed(last.control, 3), change=change(gap.value, gap.low, gap.high))
    state: measures.State = "unknown"
    words = _("There is no clear difference from the control.")
    if gap.falls:
        state = "partly"
        words = _("Frequent words explain the difference from the control, and no more.")
    elif gap.rises:
        state = "fails"
        words = _("Frequent words make these sentences less alike than random tokens do.")
    elif gap.low is None:
        words = _("An interval needs more sentences.")
    layer = layer_words(scene.choice.layer, scene.encoder.n_layers)
    return measures.Verdict(
        _("Frequent words crowd together, and summing them makes sentences alike."),
        _("Li et al. (2020)"),
        state,
        paragraph([measured, words]),
        measures.Control(control),
        dotted(
            _("n = {n} sentences").format(n=f"{last.n:,}"),
            _("means of contextual tokens at {layer}, special tokens left out").format(layer=layer),
            _("control: mean of {n} random draws, paired by sentence").format(n=CONTROL_DRAWS),
            _("95% interval: jackknife over sentences"),
        ),
    )


@kept(32)
def _holes(
    words: RankedWords, corpus: Corpus, encoder: Encoder, report: jobs.Progress = jobs.no_report
) -> tuple[list[float], list[float], int]:
    """Quartiles of distances to the nearest type, and the mean length: of types, of n means."""
    row_of = {text: row for row, text in enumerate(words.texts)}
    means = []
    drawn = some_rows(len(corpus), MOST_POINTS, SEED)
    for pieces in encoder.tokenize([corpus.texts[i] for i in drawn], progress=report):
        rows = [row_of[piece] for piece in pieces if piece in row_of]
        if len(set(rows)) > 1:
            means.append(words.vectors[rows].mean(axis=0, dtype=np.float64))
    Y = np.array(means)
    to_types = nearest_distances(Y, words.vectors)
    to_others = neighbour_means(words.vectors, (1,), progress=report)[0][:, 0]
    sides = (to_others, words.lengths), (to_types, np.linalg.norm(Y, axis=1))
    types, sentences = (
        [*np.quantile(distances, (0.25, 0.5, 0.75)).tolist(), float(lengths.mean())]
        for distances, lengths in sides
    )
    return types, sentences, len(Y)


def show_holes(scene: FrequencyScene) -> None:
    words = scene.words.measured
    what = _("Neighbours of {n} words").format(n=f"{len(words):,}")
    types, sentences, n = jobs.kept_or_made(
        _holes, words, scene.corpus, scene.encoder, what=what, is_long=True
    )
    of_n = _("sentences, n = {n}").format(n=f"{n:,}") + _sample_note(scene)
    lines = [
        [name, " · ".join(f"{each:.2f}" for each in quartiles), f"{length:.2f}"]
        for name, (*quartiles, length) in ((_("types (to another type)"), types), (of_n, sentences))
    ]
    head = [_("from"), _("distance to the nearest type: quartiles"), _("mean length")]
    st.markdown(aligned_table(head, lines))
    said = _(
        "Here sentences are no farther from the nearest type than types are from each other: in "
        "no holes."
    )
    if sentences[1] > types[2]:
        said = _("Here most sentences are farther from every type than most types are: in holes.")
    st.markdown(said)
    st.caption(prose(PAGE, "holes"))


def show_swap(scene: FrequencyScene) -> None:
    """How far one sentence moves by another word, raw and in a whitening of the corpus."""
    examples = {
        "swap-sentence": (_("Sentence"), _("Do you like to eat apples?"), LONGEST_SENTENCE),
        "swap-word": (_("Word"), _("like"), LONGEST_WORD),
        "swap-other": (_("Replace by"), _("love"), LONGEST_WORD),
        "swap-second": (_("Or by"), _("hate"), LONGEST_WORD),
    }
    typed = []
    boxes = st.columns([3, 1, 1, 1])
    for box, (key, (label, example, most)) in zip(boxes, examples.items(), strict=True):
        follow_default(key, example)  # the example of the chosen language
        how: dict[str, Any] = {"key": key, "persist_state": "session", "max_chars": most}
        typed.append(box.text_input(label, example, **how))
    sentence, word, *others = typed
    others = [other for other in dict.fromkeys(others) if other]
    if not word or word not in sentence or not others:
        st.info(_("Type a word of the sentence and another word."))
        return
    texts = (sentence, *(sentence.replace(word, other, 1) for other in others))
    is_unread = warn_of_typed(texts, key="swap")
    spec = CloudSpec(
        unit="sentences", layer=scene.choice.layer, pooling=DEFAULT_POOLING, max_points=MOST_POINTS
    )
    points = encode_corpus(scene.corpus, spec)
    ends = encoded_texts(points, texts)
    whitening = fit_whitening(points.vectors, "ledoit-wolf")
    clouds = {
        _("Raw"): (points.vectors, ends),
        _("Whitened"): tuple(whiten_beside(X, whitening).vectors for X in (points.vectors, ends)),
    }
    for box, (name, (X, rows)) in zip(st.columns(2), clouds.items(), strict=True):
        with box:
            lines = [
                labelled(f"{markdown(word)} → {markdown(other)}", _move_words(X, rows[[0, i]]))
                for i, other in enumerate(others, 1)
            ]
            said = "  \n".join(f":gray[{line}]" if is_unread else line for line in lines)
            st.markdown(f"**{name}**  \n{said}")
            _draw_swap(name, X, rows, texts, _sample_note(scene), alt=_("; ").join(lines))
    st.caption(markdown(_frequencies(scene, (word, *others))))
    st.caption(prose(PAGE, "swap"))


def _move_words(X: np.ndarray, both: np.ndarray) -> str:
    """The cosine of two vectors (2, d), and their distance beside that of the cloud's points."""
    rng = np.random.default_rng(SEED)
    a, b = X[rng.permutation(len(X))], X[rng.permutation(len(X))]
    usual = float(np.median(np.linalg.norm(a - b, axis=1)))
    moved = float(np.linalg.norm(both[1] - both[0]))
    cosine = float(both[0] @ both[1] / np.prod(np.linalg.norm(both, axis=1)))
    said = _("cosine of both sentences {cosine}; moved by {share} of the usual distance")
    return said.format(cosine=signed(cosine, 3), share=f"{moved / usual:.0%}")


def _draw_swap(
    name: str, X: np.ndarray, ends: np.ndarray, texts: Sequence[str], note: str, *, alt: str
) -> None:
    """The cloud X (n, d), and an arrow from the first of the ends (1 + m, d) to each other one."""
    axes, titles = _axes_of_moves(X, ends)
    cloud, places = ((rows - X.mean(axis=0)) @ axes.T for rows in (X, ends))
    corpus = noted(_("the corpus"), note) if note else _("the corpus")
    dots = [Curve(cloud[:, 0], cloud[:, 1], corpus, 0, about=[""] * len(cloud))]
    for i, text in enumerate(texts):
        line = short_line(text, LONGEST_NAME)
        dots.append(Curve(places[[i], 0], places[[i], 1], line, i + 1, about=[plotly(text)]))
    arrows = [
        (places[0], place)
        for place, end in zip(places[1:], ends[1:], strict=True)
        if _has_moved(ends[0], end)
    ]
    figure = scatter_figure(dots, titles, current_theme(), arrows=arrows)
    show_chart(figure, key=f"swap-{name}", file_name="word-frequency-swap", alt=labelled(name, alt))


def _has_moved(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.linalg.norm(b - a) > SMALLEST_MOVE * np.linalg.norm([a, b]))


def _axes_of_moves(X: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, Axes]:
    """Two axes (2, d) in which every move from the first of the ends has its whole length.

    With one move the second axis is PCA of the rest; without a move both axes are those of PCA.
    """
    moves = [end - ends[0] for end in ends[1:] if _has_moved(ends[0], end)]
    if not moves:
        picture = project(X, "pca", 2, random_state=SEED)
        x, y = axis_titles("pca", 2)
        return np.asarray(picture.axes), Axes(x, y)
    first = moves[0] / np.linalg.norm(moves[0])
    along_first = _("direction of the first move")
    if len(moves) == 2:
        rest = moves[1] - (moves[1] @ first) * first
        if np.linalg.norm(rest) > SMALLEST_MOVE * np.linalg.norm(moves[1]):
            axes = np.stack([first, rest / np.linalg.norm(rest)])
            return axes, Axes(along_first, _("what the second move adds"))
    pca = project(X - np.outer(X @ first, first), "pca", 2, random_state=SEED)
    axes = np.stack([first, np.asarray(pca.axes)[0]])
    return axes, Axes(along_first, _("principal direction of the rest"))


def _sample_note(scene: FrequencyScene) -> str:
    n_texts = len(scene.corpus)
    if n_texts <= MOST_POINTS:
        return ""
    return _("a sample of {n} of {all} texts").format(n=f"{MOST_POINTS:,}", all=f"{n_texts:,}")


def _frequencies(scene: FrequencyScene, typed: Sequence[str]) -> str:
    words = scene.words
    parts = []
    row_of = {text: row for row, text in enumerate(words.texts)}
    for piece in chain.from_iterable(scene.encoder.tokenize(typed)):
        if piece in MARKS:  # the beginning of a word, without a sign of its own
            continue
        if piece in row_of:
            row = row_of[piece]
            said = _("{piece}: rank {rank}, length {length}")
            length = f"{words.lengths[row]:.2f}"
            parts.append(said.format(piece=piece, rank=f"{row + 1:,}", length=length))
        else:
            parts.append(_("{piece}: not among the words above").format(piece=piece))
    return " · ".join(parts)


@st.fragment
def explore(corpus: Corpus) -> None:
    control_box, notes_box, progress_box, look_box = page_boxes("word-controls")
    answer_box = st.container()
    encoder = current_encoder()
    with control_box:
        choice = ranked.choose_words(encoder, corpus)
    lacks_table = choice.words == "upload" and choice.vectors_file is None
    if lacks_table or (choice.counts == "list" and choice.counts_file is None):
        notes_box.info(_("Upload the file above. Its words then appear here."))
        return
    try:
        with progress_box:
            words = ranked.read_words(corpus, encoder, choice)
            if refusal := ranked.refusal_of(words):
                notes_box.warning(refusal)
                return
            what = _("Neighbours of {n} words").format(n=f"{len(words.measured):,}")
            measured = jobs.kept_or_made(
                ranked.measure_words, words.measured, what=what, is_long=True
            )
    except ENCODER_ERRORS as error:
        with notes_box:
            show_error(error)
        return
    scene = FrequencyScene(words, measured, choice, corpus, encoder)
    with look_box:
        draw_lengths(scene)
        show_headlines(scene)
        note_facts(lambda: _facts(scene))
    with notes_box:  # above the pictures, but computed after they were sent
        if choice.is_of_model or choice.counts == "corpus":
            warn_of_reading(corpus)
        else:
            warn_of_cache()
    with answer_box:
        _answer(scene)


def _facts(scene: FrequencyScene) -> dict[str, float]:
    ends = {"frequent": scene.measures.bins[0], "rare": scene.measures.bins[-1]}
    return {
        f"{name}_{end}": estimate.value
        for end, each in ends.items()
        for name, estimate in (("length", each.norm), ("cosine", each.cosine))
        if estimate is not None
    }


def _answer(scene: FrequencyScene) -> None:
    st.markdown(ranked.direction_sentence(scene.measures.direction))
    if not is_presenting():
        verdict = ranked.words_verdict(scene)
        if scene.choice.is_of_model:
            verdict = of_known_text(verdict, scene.corpus)
        measures.show_verdict(verdict, key="words")
    draw_cosines(scene)
    draw_clouds(scene)
    if is_presenting():
        return
    show_folded(_("Table by frequency"), "word-table", show_bins, scene, icon=":material/table:")
    cause = _("Test: are frequent words the cause of large sentence cosines?")
    parts = {
        "left-out": (cause, show_left_out),
        "holes": (_("Do sentences lie in holes between words?"), show_holes),
        "swap": (_("Swap a word"), show_swap),
        "zipf": (_("Weighted by frequency"), show_zipf),
    }
    if scene.choice.words != "types":
        del parts["holes"]  # sentences are averaged from the model's own types
    for name, (label, show) in parts.items():
        show_folded(label, f"words-{name}", errors_shown()(show), scene, icon=":material/science:")
    for question in ("opposite", "cosine", "types"):
        show_question(PAGE, question)
    with st.expander(_("Downloads"), key="more-controls"):
        basis = provenance(scene)
        words = partial(words_csv, scene.words, basis)
        offer_csv(_("Download words (CSV)"), "word-frequency", words)
        bins = partial(bins_csv, scene.measures, basis)
        offer_csv(_("Download bins (CSV)"), "word-frequency-bins", bins)
