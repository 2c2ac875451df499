"""Every layer of a model: clouds, pictures and measures, and the page's claims."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import islice, pairwise
from typing import Any

import numpy as np
import streamlit as st

from geometry import Corpus, Encoder, UndefinedMeasure, read_cloud
from geometry.encode import ArrayStore
from geometry.encode.disk_cache import BYTES_AT_ONCE
from geometry.encode.errors import PrecisionError
from geometry.encode.pool import DEFAULT_POOLING
from geometry.linalg.rows import some_rows
from geometry.measure import Annotations, Measured, annotated_table, cosine_parts, measure_table
from geometry.measure.cosines import rotated_top_contributions
from geometry.measure.intervals import MIN_ROWS
from geometry.projection import Projection, project_layer
from geometry.projection.packing import pack_cloud
from geometry.projection.twin import ConeEdge, cone_edges
from geometry.projection.twin_message import UNIT_REACH, Points
from geometry.transform import fit_treatment
from geometry.transform.treatments import Knobs
from pages.common import jobs, measures
from pages.common.address import number_in_url, put_in_url
from pages.common.cache import kept
from pages.common.cloud_choices import DEFAULT_LAYER, Look
from pages.common.controls import pooling_names
from pages.common.corpus_cloud import (
    MANY_POINTS,
    MOST_DRAWN,
    CloudSpec,
    CorpusCloud,
    encode_corpus,
    store,
)
from pages.common.measures import Control, State, Verdict
from pages.common.origin import layer_words, origin
from pages.common.page_state import note_choice
from pages.common.seed import SEED
from pages.common.uploads import is_own
from pages.common.words import _, dotted

SAMPLE_ROWS = 3000  # texts or tokens of curves, tables and rogue dimensions; the page says so
TOKENS = "tokens"
COMPARED = ("cls", "mean", "max")  # poolings whose curves are shown together


@dataclass(frozen=True)
class Series:
    """A cloud at every layer, of all texts or of a sample; its measures are curves."""

    name: str  # "tokens", or the code of a pooling of sentences
    layers: tuple[CorpusCloud, ...]  # the same rows at each layer, from the input to the last layer
    n_texts: int  # texts of the whole corpus


def most_at_once(encoder: Encoder) -> int:
    """How many points fit into memory with their vectors of every layer."""
    return BYTES_AT_ONCE // ((encoder.n_layers + 1) * encoder.dimension * np.float32().nbytes)


def drawn_spec(
    encoder: Encoder, name: str, special_tokens: bool, most: int = MOST_DRAWN
) -> CloudSpec:
    """What is drawn, at the input; tokens of all layers are in memory, so fewer of them."""
    if name == TOKENS:
        most = min(most, most_at_once(encoder))
        return CloudSpec(TOKENS, 0, DEFAULT_POOLING, max_points=most, whole_sentences=True)
    return CloudSpec("sentences", 0, name, special_tokens, most)


def read_series(corpus: Corpus, encoder: Encoder, name: str, special_tokens: bool) -> Series:
    """The cloud of that name at every layer, encoded in one pass. Of many texts, a sample."""
    private = is_own(corpus)
    texts = corpus
    most = min(SAMPLE_ROWS, most_at_once(encoder))
    if len(corpus) > most:
        texts = corpus.take(some_rows(len(corpus), most, SEED))
    most = SAMPLE_ROWS if name == TOKENS else MOST_DRAWN
    spec = drawn_spec(encoder, name, special_tokens, most)
    first = encode_corpus(texts, spec, private=private)
    above = (replace(spec, layer=layer) for layer in range(1, encoder.n_layers + 1))
    rest = (encode_corpus(texts, each, like=first, private=private) for each in above)
    return Series(name, tuple(map(unlabelled, (first, *rest))), len(corpus))


def compared_names(shown: str) -> tuple[str, ...]:
    """The names of the curves in their order; ``shown`` is the name of the drawn cloud."""
    poolings = COMPARED if shown in (*COMPARED, TOKENS) else (*COMPARED[:2], shown)
    return (*poolings, TOKENS)


def series_name(name: str) -> str:
    if name == TOKENS:
        return _("contextual tokens")
    return _("sentences, {pooling}").format(pooling=pooling_names()[name])


def unlabelled(points: CorpusCloud) -> CorpusCloud:
    """The points with a key that does not name their labels, which differ between languages."""
    corpus = points.corpus  # intervals depend on its sources
    key = ArrayStore.key(points.encoder.fingerprint, corpus.sha256, corpus.sources, points.spec)
    return replace(points, key=key)


# ---- pictures of every layer ----


HEADLINES = ("mean_cosine", "opening_angle", "isoscore")

Table = dict[str, Measured]  # by the measure's name
Drawn = tuple[Projection, tuple[ConeEdge, ...]]


def build_film(points: CorpusCloud, look: Look) -> tuple[tuple[Drawn, ...], tuple[Table, ...]]:
    """The picture and HEADLINES of every layer of ``unlabelled`` points, once for all readers."""
    n_layers = points.encoder.n_layers + 1
    is_quick = len(points.cloud) * n_layers <= MANY_POINTS
    how: dict[str, Any] = {"at_once": is_quick, "passing": True}
    what = _("Projecting {n} points at each layer").format(n=f"{len(points.cloud):,}")
    drawn = jobs.kept_or_made(_drawn, points, look.view, look.n_components, what=what, **how)
    what = _("Measuring clouds: {n}").format(n=n_layers)
    return drawn, jobs.kept_or_made(_headlines, points, what=what, **how)


@kept(24)
def packed(points: CorpusCloud, view: str, n_components: int) -> Points:
    """The pictures of ``build_film`` as the browser takes them."""
    frames = [each.around_origin for each, _edges in _drawn(points, view, n_components)]
    return Points.of(pack_cloud(frames, UNIT_REACH))


def _layers(first: CorpusCloud, report: jobs.Progress) -> Iterator[np.ndarray]:
    n_layers = first.encoder.n_layers + 1
    report(0, n_layers)
    yield first.vectors
    for layer in range(1, n_layers):
        spec = replace(first.spec, layer=layer)

        def reported(*_done: int, layer: int = layer) -> None:
            report(layer, n_layers)

        reported()
        how = {**asdict(spec), "like": first.cloud, "store": store(), "progress": reported}
        yield read_cloud(first.encoder, first.corpus, **how).vectors


@kept(32)
def _drawn(
    first: CorpusCloud, view: str, n_components: int, report: jobs.Progress = jobs.no_report
) -> tuple[Drawn, ...]:
    drawn: list[Drawn] = []
    picture: Projection | None = None
    for X in _layers(first, report):
        picture = project_layer(X, view, n_components, former=picture, random_state=SEED)
        drawn.append((picture, cone_edges(X, picture)))
    return tuple(drawn)


@kept(32)
def _headlines(first: CorpusCloud, report: jobs.Progress = jobs.no_report) -> tuple[Table, ...]:
    """HEADLINES of each layer, without intervals, which take longer."""
    tables = (
        measure_table(X, names=HEADLINES, seed=SEED, intervals=False)
        for X in _layers(first, report)
    )
    return tuple({row.name: row for row in table} for table in tables)


# ---- measures of every layer ----


MEASURES = (
    "mean_cosine",
    "positive_cosine_share",
    "opening_angle",
    "isoscore",
    "effective_rank",
    "mean_norm_share",
)
CONTEXTUAL = ("self_similarity", "intra_sentence_similarity", "max_explainable_variance")
THREADS = 2  # tables that are measured at a time

Sweep = dict[str, tuple[Table, ...]]  # by the series' name, a table for each layer


def sweep(series: Sequence[Series], *, contextual: bool = False) -> Sweep:
    """The tables of every layer of every series; the ``contextual`` ones are of tokens only."""
    tables = iter(
        jobs.all_kept_or_made(
            _contextual_table if contextual else _table,
            [(points,) for each in series for points in each.layers],
            what=_("Measuring clouds: {n}"),
            threads=THREADS,
            is_long=True,
        )
    )
    return {each.name: tuple(islice(tables, len(each.layers))) for each in series}


@kept(2048)  # a model of 24 layers has a hundred tables of a corpus
def _table(points: CorpusCloud) -> Table:
    names = (*MEASURES, *measures.DIMENSION_SHARES)
    table = measure_table(points.vectors, names=names, seed=SEED, units=points.units)
    return {row.name: row for row in table}


@kept(512)
def _contextual_table(points: CorpusCloud) -> Table:
    sentences = points.cloud.sources
    annotations = Annotations(types=np.array(points.cloud.texts), sentences=sentences)
    return {row.name: row for row in annotated_table(points.vectors, annotations, seed=SEED)}


@kept(512)
def parts_of(points: CorpusCloud, treatment: str) -> np.ndarray:
    """(d,) each dimension's part of the mean cosine; NaN without one, such as for equal rows."""
    X = points.vectors
    try:
        return cosine_parts(fit_treatment(treatment, X).turn(Knobs()).apply(X).vectors)
    except UndefinedMeasure:
        return np.full(X.shape[1], np.nan)


# ---- controls ----


LAYER = "layer"


def chosen_layer(last: int) -> int:
    stored = str(st.session_state.get(LAYER, ""))
    layer = int(stored) if stored.isdecimal() else number_in_url(LAYER)
    default = min(DEFAULT_LAYER, last)
    layer = default if layer is None or layer > last else layer
    note_choice(LAYER, str(layer))
    put_in_url(LAYER, None if layer == default else str(layer))
    return layer


def store_layer(values: Sequence[float]) -> None:
    st.session_state[LAYER] = str(round(values[0]))


@dataclass(frozen=True, eq=False)
class LayersScene:
    """What is drawn and measured; clouds of curves are read later, after the pictures were sent."""

    corpus: Corpus
    special_tokens: bool  # pooled in the sentences of the curves
    look: Look
    name: str  # of the series of the drawn cloud
    first: CorpusCloud  # at the input; its texts, labels and sources are those of every layer
    drawn: tuple[Drawn, ...]  # pictures of the same points, from the input to the last layer
    headlines: tuple[Table, ...]  # of all these points
    layer: int  # the layer of the numbers
    chosen: int | None  # the row that is ringed

    @property
    def last(self) -> int:
        return len(self.drawn) - 1

    @cached_property
    def series(self) -> dict[str, Series]:
        """The curves' clouds but those bfloat16 can't resolve; PrecisionError for the drawn one."""
        encoder = self.first.encoder
        found = {}
        for name in compared_names(self.name):
            try:
                found[name] = read_series(self.corpus, encoder, name, self.special_tokens)
            except PrecisionError:
                if name == self.name:
                    raise
        return found

    @cached_property
    def tables(self) -> Sweep:
        return sweep(tuple(self.series.values()))

    @cached_property
    def contextual(self) -> Sweep:
        """The measures that compare a token with its type and its sentence."""
        return sweep((self.series[TOKENS],), contextual=True)

    def tables_of(self, measure: str) -> Sweep:
        return self.contextual if measure in CONTEXTUAL else self.tables

    @cached_property
    def parts(self) -> dict[str, np.ndarray]:
        """Each dimension's part of the mean cosine, (layers, d) by treatment."""
        layers = self.series[self.name].layers
        return {
            treatment: np.array([parts_of(points, treatment) for points in layers])
            for treatment in ("raw", "standardised")
        }


# ---- what the numbers were measured on ----


def provenance(scene: LayersScene) -> str:
    return dotted(
        *_origin(scene.first),
        layer_words(scene.layer, scene.last),
        _("raw vectors, nothing fitted; drawn at length 1"),
        _("seed {seed}").format(seed=scene.first.spec.seed),
    )


def series_origin(series: Series) -> list[str]:
    corpus, n, *rest = _origin(series.layers[0])
    return [corpus, n, *sample_note(series), *rest]


def sample_note(series: Series) -> list[str]:
    """That only some texts were taken; empty if all were."""
    n = len(series.layers[0].corpus)
    if n == series.n_texts:
        return []
    note = _("a sample of {n} of the {all} texts, seed {seed}")
    return [note.format(n=f"{n:,}", all=f"{series.n_texts:,}", seed=SEED)]


def _origin(points: CorpusCloud) -> list[str]:
    parts = origin(points, is_one_layer=False)
    if points.cloud.unit == TOKENS:
        parts.append(_("special tokens left out, word pieces included"))
    return parts


# ---- claims ----


MOST = 0.5  # share of the mean cosine from which five dimensions dominate it


def layers_verdict(scene: LayersScene) -> Verdict:
    rows = [table["mean_cosine"] for table in scene.tables[TOKENS]]
    state = layers_state(rows)
    words = {
        "holds": _(
            "Every layer above the input has a mean cosine above 0, and the last has more than the "
            "input: {cosines}."
        ),
        "partly": _(
            "Every layer above the input has a mean cosine above 0, and yet the last has no more "
            "than the input: {cosines}."
        ),
        "fails": _("Some layer above the input has a mean cosine near 0: {cosines}."),
        "unknown": _("This needs two layers, and {least} sentences or more."),
    }
    layers = _(", ").join(_("layer {layer}").format(layer=each) for each in falling_layers(rows))
    if layers:
        words["partly"] = _(
            "Every layer above the input has a mean cosine above 0, but it falls at "
            "{layers}: {cosines}."
        )
    said = _(", ").join(
        _("layer {layer}: {value}").format(layer=layer, value=f"**{measures.measured_words(row)}**")
        for layer, row in enumerate(rows)
        if row.low is not None
    )
    return Verdict(
        claim=_(
            "Contextual tokens are anisotropic in every layer above the input, and most in the "
            "higher layers."
        ),
        source=_("Ethayarajh (2019)"),
        state=state,
        measured=words[state].format(cosines=said, least=MIN_ROWS, layers=layers),
        control=measures.isotropic_control(rows[0].n, rows[0].d),
        basis=dotted(
            *series_origin(scene.series[TOKENS]),
            _("raw cloud, nothing fitted"),
            measures.cone_words(),
            _("95% interval: jackknife over sentences"),
        ),
    )


def layers_state(rows: Sequence[Measured]) -> State:
    first, *above = rows
    if not above or any(row.low is None or row.high is None for row in rows):
        return "unknown"
    if any((row.low or 0.0) <= 0 for row in above):
        return "fails"
    if falling_layers(rows):
        return "partly"
    return "holds" if (above[-1].low or 0.0) > (first.high or 0.0) else "partly"


def falling_layers(rows: Sequence[Measured]) -> list[int]:
    """The layers whose interval is below that of the layer before."""
    return [
        layer
        for layer, (before, row) in enumerate(pairwise(rows), start=1)
        if row.high is not None and before.low is not None and row.high < before.low
    ]


def rogue_verdict(scene: LayersScene) -> Verdict:
    layer = scene.layer
    table = scene.tables[scene.name][layer]
    row = table["top_5_contributions"]
    cosine = table["mean_cosine"]
    signal = (row.n - 1) * (cosine.value or np.inf)
    rotated = np.percentile(rotated_top_contributions(row.d, signal, k=min(5, row.d)), [2.5, 97.5])
    state = rogue_state(None if cosine.low is None else row.value, rotated[1])
    share = f"**{measures.measured_words(row)}**"
    control = _(
        "a random rotation of the axes changes no cosine, and leaves the five largest dimensions "
        "**{low} to {high}** (95% of rotations)."
    ).format(low=f"{rotated[0]:.3f}", high=f"{rotated[1]:.3f}")
    words = {
        "holds": _("Five dimensions carry most of the mean cosine at layer {layer}: {share}."),
        "partly": _(
            "Five dimensions carry more than their share of the mean cosine at layer {layer}, but "
            "not more than half of it: {share}."
        ),
        "fails": _("No few dimensions dominate layer {layer}: the five largest carry {share}."),
        "unknown": _(
            "Layer {layer} has no share that can be measured: its mean cosine is near 0, or there "
            "are fewer than {least} sentences."
        ),
    }
    return Verdict(
        claim=_("A few rogue dimensions dominate the cosine."),
        source=_("Timkey & van Schijndel (2021)"),
        state=state,
        measured=words[state].format(layer=layer, share=share, least=MIN_ROWS),
        control=measures.nothing_measured() if state == "unknown" else Control(control),
        basis=dotted(
            *series_origin(scene.series[scene.name]),
            _("raw cloud, nothing fitted"),
            _("without an interval, because other dimensions may lead in other sentences"),
        ),
    )


def rogue_state(share: float | None, rotated: float) -> State:
    """The verdict of the share of the five largest dimensions; ``rotated`` is the control's end."""
    if share is None:
        return "unknown"
    if share <= rotated:
        return "fails"
    return "holds" if share > MOST else "partly"
