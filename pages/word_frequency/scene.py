"""Words by frequency, and the page's claims beside what is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
import streamlit as st

from geometry import Corpus, CorpusError, Encoder, UndefinedMeasure, VectorTable
from geometry.data.number_text import estimate, signed
from geometry.encode import ArrayStore
from geometry.encode.pool import DEFAULT_POOLING
from geometry.evaluate.published import published_tables
from geometry.measure import FrequencyBin, FrequencyDirection
from geometry.measure.cone import cone_state
from geometry.measure.correlation import spearman
from geometry.measure.frequency import NEIGHBOURS, SHUFFLES
from geometry.measure.intervals import Estimate
from geometry.shipped import shipped_file
from geometry.vectors import VectorFileError, read_counts
from pages.common import jobs
from pages.common.cache import kept
from pages.common.controls import FOUND, choose_in, choose_tokenizer, layer_options
from pages.common.corpus_cloud import MANY_POINTS, MOST_DRAWN, CloudSpec, encode_corpus
from pages.common.draw.twin_cloud import has_no_webgl2
from pages.common.measures import ICONS, Control, State, Verdict, cone_words, overall_state
from pages.common.models import glove_name, glove_table
from pages.common.origin import layer_words, model_line, type_words
from pages.common.reading import WIDE, apart, read_upload
from pages.common.seed import SEED
from pages.common.table_form import refused_files_leave, upload_table, upload_word_vectors
from pages.common.uploads import is_own
from pages.common.words import _, aligned_table, dotted, labelled, names, noted

from . import apart as computed
from .apart import FrequencyMeasures, WordPicture, WordRows, pictures

COUNTED_BY = {  # by vectors: the sources of frequencies that they can have
    "types": ("corpus", "list", "common-zh", "order"),
    "tokens": ("corpus", "list", "common-zh", "order"),
    "glove": ("order", "corpus", "list"),
    "upload": ("order", "corpus", "list", "common-zh"),
}


@dataclass(frozen=True)
class WordChoice:
    words: str  # "types" of the model, its "tokens" averaged by type, "glove", or an "upload"
    counts: str  # "corpus", an uploaded "list", "common-zh", or the table's or vocabulary's "order"
    layer: int  # the layer of contextual tokens, and of the sentences in the tests
    vectors_file: Any
    counts_file: Any
    tokenizer: str = FOUND  # of words of a table that are counted in the corpus

    @property
    def is_of_model(self) -> bool:
        return self.words in ("types", "tokens")


def choose_words(encoder: Encoder, corpus: Corpus) -> WordChoice:
    words_box, counts_box, layer_box = st.columns(3)
    vectors = {
        "types": noted(_("types"), type_words(encoder)),
        "tokens": _("contextual tokens, averaged by type"),
        "glove": glove_name(),
        "upload": _("an uploaded table"),
    }
    words = choose_in(words_box, _("Vectors of words"), vectors, key="words")
    is_table = words in ("glove", "upload")
    names = {
        "corpus": _("the corpus"),
        "list": _("an uploaded list"),
        "common-zh": _("common Chinese words (Simplified)"),
        "order": _("the table’s own order") if is_table else _("the vocabulary’s own order"),
    }
    offered = {code: names[code] for code in COUNTED_BY[words]}
    counts = choose_in(counts_box, _("Frequencies from"), offered, key="counts")
    last = encoder.n_layers
    label = _("Layer (of tokens and sentences)")
    layer = choose_in(layer_box, label, layer_options(last), str(min(4, last)), key="layer")
    vectors_file = upload_word_vectors("frequency_vectors_file") if words == "upload" else None
    counts_label = _("A list of words and their counts, one pair a line, at most {megabytes} MB")
    counts_file = upload_table(counts_label, "frequency_counts_file") if counts == "list" else None
    # a model's tokenizer counts its own words
    tokenizer = choose_tokenizer(corpus.texts) if is_table and counts == "corpus" else FOUND
    return WordChoice(words, counts, int(layer), vectors_file, counts_file, tokenizer)


MEASURED_WORDS = 40_000  # words that are measured at most: the time grows with their square
PLOTLY_POINTS = 5000  # points of a cloud at most, in a browser without WebGL2
FEWEST = max(NEIGHBOURS) + 2
# The least Spearman of a vocabulary's order and the corpus' counts at which that order replaces
# frequencies. It is far below 1 even then, because most types of a small corpus occur once. A
# random order has 0.
ORDERED = 0.4
COUNTED_AT_ONCE = 5000  # texts whose words are counted in half a second at most
# Words and counts of wordfreq 3.1.1; assets/corpora/README.md has the licence.
COMMON_CHINESE = shipped_file("corpora/common-words-zh.csv")
NARROWEST = 3  # dimensions of the vectors at least, for a projection


@dataclass(frozen=True)
class RankedWords:
    vectors: np.ndarray  # (n, d)
    texts: tuple[str, ...]
    counts: np.ndarray  # (n,)
    n_available: int  # words that have a vector and a frequency
    content_key: str  # names the vectors and the counts
    private: bool  # True if they come from a reader's own texts or files
    agreement: float | None = None  # Spearman of the vocabulary's order and the counts it replaces
    tokens: tuple[int, int] | None = None  # contextual tokens averaged, and all of the corpus

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def lengths(self) -> np.ndarray:
        """(n,) lengths of the vectors, in float64, because squares overflow in float32."""
        return np.asarray(np.linalg.norm(self.vectors.astype(np.float64), axis=1))

    @property
    def measured(self) -> RankedWords:
        if len(self) <= MEASURED_WORDS:
            return self
        most = MEASURED_WORDS
        return replace(
            self,
            vectors=self.vectors[:most],
            texts=self.texts[:most],
            counts=self.counts[:most],
            content_key=f"{self.content_key}/{most}",
        )


@dataclass(frozen=True, eq=False)
class FrequencyScene:
    words: RankedWords
    measures: FrequencyMeasures  # of ``words.measured``
    choice: WordChoice
    corpus: Corpus  # the counts, tokens and sentences come from it
    encoder: Encoder


def read_words(corpus: Corpus, encoder: Encoder, choice: WordChoice) -> RankedWords:
    """The words with a vector and a frequency. Raises what the readers raise."""
    if choice.words == "upload":
        return _uploaded(corpus, choice)
    given: Mapping[str, float] | None = None
    tokens: tuple[int, int] | None = None
    if choice.counts == "list":
        with refused_files_leave(choice.counts_file):
            given = read_upload(read_counts, choice.counts_file)
    elif choice.counts == "common-zh":
        given = _common_words()
    if choice.words == "glove":
        return _of_glove(corpus, choice, given)
    key: list[object] = [encoder.fingerprint, choice.words, choice.counts]
    if choice.counts == "list":
        key.append(choice.counts_file.file_id)
    if choice.words == "types" and given is not None:
        table = _type_table(encoder)
        vectors, names, counts = computed.matched(table.vectors, table.words, given)
    else:
        (vectors, names, counts), tokens = _of_corpus(corpus, choice, given)
        key += [corpus.sha256, choice.layer if choice.words == "tokens" else 0]
    agreement = None
    if choice.counts == "order":
        counts, agreement = _by_vocabulary(names, counts, _type_table(encoder).words)
    return RankedWords(
        *computed.ranked(vectors, names, counts),
        content_key=ArrayStore.key(*key),
        private=choice.counts == "list" or is_own(corpus),
        agreement=agreement,
        tokens=tokens,
    )


def _uploaded(corpus: Corpus, choice: WordChoice) -> RankedWords:
    beside: dict[str, Any] = {}
    named = ""
    vectors = choice.vectors_file
    file = choice.counts_file
    if choice.counts == "corpus":
        beside = {"texts": corpus.texts, "tokenizer": choice.tokenizer}
        named = f"{corpus.sha256} {choice.tokenizer}"
    elif choice.counts == "list":
        beside = {"counts": file.getvalue(), "counts_name": file.name}
        named = file.file_id
    elif choice.counts == "common-zh":
        beside = {"counts": COMMON_CHINESE.read_bytes(), "counts_name": COMMON_CHINESE.name}
    with refused_files_leave(vectors, VectorFileError), refused_files_leave(file, CorpusError):
        found: WordRows = read_upload(computed.words_of_file, vectors, beside=beside, named=named)
    key = ArrayStore.key(vectors.file_id, choice.counts, named)
    return RankedWords(*found, content_key=key, private=True)


def _of_glove(corpus: Corpus, choice: WordChoice, given: Mapping[str, float] | None) -> RankedWords:
    if given is None:
        counted = corpus if choice.counts == "corpus" else None
        private = counted is not None and is_own(corpus)
        asked = counted, private, choice.tokenizer
        what = _("Reading {name}").format(name=glove_name())
        is_quick = counted is None or len(corpus) <= COUNTED_AT_ONCE
        return jobs.kept_or_made(_glove_words, *asked, what=what, at_once=is_quick, lane="encode")
    words = computed.words_of_table(glove_table(), given, None)
    key = ArrayStore.key("glove", choice.counts_file.file_id)
    return RankedWords(*words, content_key=key, private=True)


@kept(4)
def _glove_words(corpus: Corpus | None, private: bool, tokenizer: str) -> RankedWords:
    """The words of the bundled table by their number in a corpus, else by the table's order."""
    texts, key = (None, "order") if corpus is None else (corpus.texts, corpus.sha256)
    words = computed.words_of_table(glove_table(), None, texts, tokenizer)
    return RankedWords(*words, content_key=ArrayStore.key("glove", key, tokenizer), private=private)


@cache
def _common_words() -> dict[str, float]:
    """Common Chinese words and how often each occurs in a thousand million words."""
    return read_counts(COMMON_CHINESE)


@kept(2)
def _type_table(encoder: Encoder) -> VectorTable:
    return encoder.type_embeddings()


def _by_vocabulary(
    names: Sequence[str], counts: np.ndarray, vocabulary: Sequence[str]
) -> tuple[np.ndarray, float]:
    """1/rank of each name by the vocabulary's order (n,), and its Spearman with the counts."""
    row_of = {word: row for row, word in enumerate(vocabulary)}
    by_order = 1 / (1 + np.argsort(np.argsort([row_of[name] for name in names])))
    try:
        return by_order, spearman(by_order, counts)
    except UndefinedMeasure:  # all counts are equal
        return by_order, 0.0


def _of_corpus(
    corpus: Corpus, choice: WordChoice, given: Mapping[str, float] | None
) -> tuple[tuple[np.ndarray, Sequence[str], np.ndarray], tuple[int, int] | None]:
    if choice.words == "types":
        spec = CloudSpec(unit="types", layer=0, pooling=DEFAULT_POOLING)
        cloud = encode_corpus(corpus, spec).cloud
        return (cloud.vectors, cloud.texts, cloud.counts), None
    cloud = encode_corpus(corpus, tokens_spec(choice.layer)).cloud
    names, place, repeats = np.unique(cloud.texts, return_inverse=True, return_counts=True)
    sums = np.zeros((len(names), cloud.vectors.shape[1]))
    np.add.at(sums, place, cloud.vectors)
    counts = np.zeros(len(names))
    counts[place] = cloud.counts
    means = sums / repeats[:, None]
    texts = names.tolist()
    found = (means, texts, counts) if given is None else computed.matched(means, texts, given)
    return found, (len(cloud), cloud.n_available)


def tokens_spec(layer: int) -> CloudSpec:
    return CloudSpec("tokens", layer, DEFAULT_POOLING, max_points=MOST_DRAWN, whole_sentences=True)


@kept(32)
def measure_words(words: RankedWords, report: jobs.Progress = jobs.no_report) -> FrequencyMeasures:
    """Raises UndefinedMeasure for words of one length or of one frequency."""
    return computed.measured(words.vectors, words.counts, report)


def drawn_rows(words: RankedWords) -> np.ndarray:
    """The rows that are drawn, the rarest first, so that frequent words are drawn above rare ones.

    Without WebGL2, many words are sampled; the sample has the hundred most frequent ones.
    """
    n, most = len(words), PLOTLY_POINTS
    if n <= most or not has_no_webgl2():
        return np.arange(n)[::-1]
    rest = np.random.default_rng(SEED).choice(np.arange(100, n), most - 100, replace=False)
    return np.concatenate([np.arange(100), np.sort(rest)])[::-1]


def pictures_of(words: RankedWords, rows: np.ndarray) -> tuple[WordPicture, ...]:
    is_quick = len(rows) <= MANY_POINTS and words.vectors.shape[1] <= WIDE
    what = _("Pictures of {n} words").format(n=f"{len(rows):,}")
    return jobs.kept_or_made(_pictures, words, rows, what=what, at_once=is_quick, is_long=True)


@kept(16)
def _pictures(
    words: RankedWords, rows: np.ndarray, report: jobs.Progress = jobs.no_report
) -> tuple[WordPicture, ...]:
    X = words.vectors[rows]
    return pictures(X) if X.shape[1] <= WIDE else apart(partial(pictures, X), report)


def refusal_of(words: RankedWords) -> str:
    """Why these words can't be measured; "" if they can."""
    if len(words) < FEWEST:
        said = _("This needs {n} words or more that have a vector and a frequency.")
        return said.format(n=FEWEST)
    if words.agreement is not None and words.agreement < ORDERED:
        return _(
            "This vocabulary’s own order is not offered as a frequency. Its Spearman "
            "correlation with the counts of the corpus is {rho} (n = {n}), and {least} "
            "is needed. Choose another source of frequencies."
        ).format(rho=signed(words.agreement, 2), n=f"{len(words):,}", least=ORDERED)
    if words.vectors.shape[1] < NARROWEST:
        return _("This needs vectors of {n} dimensions or more.").format(n=NARROWEST)
    return ""


def provenance(scene: FrequencyScene) -> str:
    words = scene.words
    choice = scene.choice
    encoder = scene.encoder
    if choice.words == "upload":
        parts = [choice.vectors_file.name]
    elif choice.words == "glove":
        parts = [glove_name()]
    elif choice.words == "types":
        parts = [model_line(encoder), type_words(encoder)]
    else:
        tokens = _("contextual tokens averaged by type, {layer}")
        layer = layer_words(choice.layer, encoder.n_layers)
        parts = [model_line(encoder), tokens.format(layer=layer)]
    count = _("n = {n} words").format(n=f"{len(words):,}")
    if words.n_available > len(words):
        most = _("the most frequent of {n}").format(n=f"{words.n_available:,}")
        count = noted(count, most)
    parts.append(count)
    if len(words.measured) < len(words):
        measured = _("measured: the {n} most frequent")
        parts.append(measured.format(n=f"{len(words.measured):,}"))
    if words.tokens is not None and words.tokens[0] < words.tokens[1]:
        taken, available = words.tokens
        sample = _("averaged from a sample of {n} of the {all} tokens, seed {seed}")
        parts.append(sample.format(n=f"{taken:,}", all=f"{available:,}", seed=SEED))
    if words.agreement is not None:
        frequencies = _(
            "frequencies: 1/rank by the vocabulary’s own order, of the types in corpus {name} "
            "(Spearman of that order and their counts there: {rho})"
        ).format(name=scene.corpus.name, rho=signed(words.agreement, 2))
    elif choice.counts == "corpus":
        frequencies = _("frequencies: corpus {name}").format(name=scene.corpus.name)
    elif choice.counts == "list":
        frequencies = _("frequencies: {name}").format(name=choice.counts_file.name)
    elif choice.counts == "common-zh":
        common = _("frequencies: wordfreq 3.1.1, the {n} most common Chinese words (Simplified)")
        frequencies = common.format(n=f"{len(_common_words()):,}")
    else:
        frequencies = _("frequencies: 1/rank by the table’s own order")
    parts.append(frequencies)
    if choice.counts == "corpus" and not choice.is_of_model:
        parts.append(_("words: {how}").format(how=names("tokenizers")[choice.tokenizer]))
    if choice.words == "glove" and choice.counts == "order":
        parts.append(
            _(
                "a row is close to the frequency rank, not equal to it: the package that the table "
                "comes from left out one-letter words, numbers and words with accents"
            )
        )
    return dotted(*parts, _("raw vectors, nothing fitted"))


def direction_sentence(direction: FrequencyDirection) -> str:
    bins = " → ".join(three_digits(each.value) for each in direction.norms)
    rho = direction.spearman
    is_open = rho.low is not None and not rho.rises and not rho.falls
    is_other_way = rho.falls if direction.order == "rising" else rho.rises
    if direction.order == "neither" or is_other_way:
        words = _(
            "Length goes neither up nor down with rank throughout: {bins} (Spearman of length and "
            "rank {rho}, n = {n})."
        )
    elif is_open:
        words = _(
            "In this table length hardly goes with frequency: {bins} (Spearman of length and rank "
            "{rho}, n = {n})."
        )
    elif direction.order == "rising":
        words = _(
            "In this table frequent words lie nearer to the origin: {bins} (Spearman of length "
            "and rank {rho}, n = {n})."
        )
    else:
        words = _(
            "In this table frequent words lie farther from the origin: {bins} (Spearman of length "
            "and rank {rho}, n = {n})."
        )
    said = estimate(rho.value, rho.low, rho.high)
    return words.format(bins=f"**{bins}**", rho=said, n=f"{direction.n:,}")


def three_digits(value: float) -> str:
    """The number with three significant digits: lengths of different tables differ much."""
    return f"{value:#.3g}".replace("-", "−").rstrip(".")


def words_verdict(scene: FrequencyScene) -> Verdict:
    measures = scene.measures
    first, last = measures.bins[0], measures.bins[-1]
    norm = ordered_state(first.norm, last.norm, measures.direction.order == "rising")
    sparse = sparse_state([each.distances[0] for each in measures.bins], measures.farther)
    cone = rare_cone_state(measures.bins)
    of_lengths = _("Frequent words lie nearer to the origin"), _("mean length {first} → {last}")
    distances = _("distance to the 3 nearest words {first} → {last}")
    of_cosines = _("Rare words form the cone"), _("mean cosine {first} → {last}")
    nearest = first.distances[0], last.distances[0]
    lines = [
        _line(norm, *of_lengths, first.norm, last.norm),
        _line(sparse, _("Rare words are sparser"), distances, *nearest),
        _line(cone, *of_cosines, first.cosine, last.cosine),
    ]
    theirs = published()[0]
    words = _("Published for BERT-base, Li et al. (2020): mean length {first} → {last}")
    lines.append(words.format(first=f"**{theirs[0]:.2f}**", last=f"**{theirs[-1]:.2f}**"))
    compared = _("the {n} most frequent words against ranks from {start} on")
    claim = _(
        "Frequent words lie near the origin and close together; rare words lie far away, are "
        "sparse, and form the cone."
    )
    said = "\n\n" + "\n".join(f"- {line}" for line in lines)
    basis = dotted(
        provenance(scene),
        compared.format(n=f"{first.n:,}", start=f"{last.start + 1:,}"),
        cone_words(),
        _("95% intervals: jackknife over words"),
        _("distances have none: the control judges them"),
    )
    source = _("Gao et al. (2019), Li et al. (2020)")
    state = overall_state({norm, sparse, cone})
    return Verdict(claim, source, state, said, _shuffled_words(measures), basis)


def _shuffled_words(measures: FrequencyMeasures) -> Control:
    """Both ends where the ranks are shuffled: their means are then equal but for chance."""
    ends = (measures.shuffled[0], measures.shuffled[-1])
    lengths = [three_digits(each.norm.value) for each in ends]
    cosines = [
        _("no value") if each.cosine is None else three_digits(each.cosine.value) for each in ends
    ]
    length, cosine = (f"**{first} → {last}**" for first, last in (lengths, cosines))
    low, high = map(three_digits, measures.farther)
    said = _(
        "the same words with their ranks shuffled: mean length {length}; the rarest words are "
        "farther from the 3 nearest words by **{low} to {high}** (95% of {n} shuffles); mean "
        "cosine {cosine}."
    )
    return Control(said.format(length=length, low=low, high=high, n=SHUFFLES, cosine=cosine))


def sparse_state(distances: Sequence[float], shuffled: tuple[float, float]) -> State:
    """Whether distances (bins,) rise by more than with shuffled ranks, and from bin to bin."""
    low, high = shuffled
    difference = distances[-1] - distances[0]
    if low <= difference <= high:
        return "unknown"
    if difference < low:
        return "fails"
    return "holds" if all(a < b for a, b in pairwise(distances)) else "partly"


def ordered_state(first: Estimate, last: Estimate, rises: bool) -> State:
    """Whether a mean rises from the most frequent words to the rarest, and from bin to bin."""
    order = _order_of(first, last)
    return "partly" if order == "holds" and not rises else order


def _order_of(first: Estimate | None, last: Estimate | None) -> State:
    """Whether the last mean is the larger one; "unknown" where the intervals overlap."""
    if first is None or last is None or first.low is None or last.low is None:
        return "unknown"
    if last.low > (first.high or 0.0):
        return "holds"
    return "fails" if (last.high or 0.0) < first.low else "unknown"


def rare_cone_state(bins: Sequence[FrequencyBin]) -> State:
    """Whether rare words are a narrow cone, and frequent ones a wider one; "partly" for one."""
    last = bins[-1].cosine
    order = _order_of(bins[0].cosine, last)
    if last is None or order != "holds":
        return order
    narrow = cone_state(last.low, last.high)
    return "partly" if narrow == "fails" else narrow


def _line(state: State, claim: str, words: str, *values: Estimate | float | None) -> str:
    ends = [_("no value") if each is None else _cell(each) for each in values]
    said = words.format(first=f"**{ends[0]}**", last=f"**{ends[1]}**")
    return f"{ICONS[state]} {labelled(claim, said)}"


PUBLISHED_ENDS = (1, 100, 500, 5000, 30522)  # ranks; the last is the size of BERT's vocabulary
PUBLISHED_ROWS = (
    "mean L2 norm",
    *(f"mean L2 distance to {k} nearest" for k in NEIGHBOURS),
    *(f"mean dot product with {k} nearest" for k in NEIGHBOURS),
)


def published() -> list[Sequence[float | None]]:
    [table] = (table for table in published_tables() if table.key == "bert_flow_table_1")
    return [table.rows[name] for name in PUBLISHED_ROWS]


def bin_measures() -> list[str]:
    return [
        _("mean length"),
        *(_("distance to the {k} nearest").format(k=k) for k in NEIGHBOURS),
        *(_("dot product with the {k} largest").format(k=k) for k in NEIGHBOURS),
        _("mean cosine of pairs"),
    ]


def ranks_of(words: FrequencyBin) -> str:
    return f"{words.start + 1:,}–{words.stop:,}"


def table_markdown(measures: FrequencyMeasures) -> str:
    head = [_("ranks"), "n", *bin_measures()]
    theirs = zip(*published(), strict=True)
    lines = []
    for each, ends, values in zip(measures.bins, pairwise(PUBLISHED_ENDS), theirs, strict=False):
        cosine = each.cosine
        of_pairs = _("no value")
        if cosine is not None:
            interval = estimate(cosine.value, cosine.low, cosine.high)
            of_pairs = interval.replace(", ", ",\u00a0")  # a no-break space: it stays whole
        cells = [_cell(each.norm), *map(_cell, [*each.distances, *each.dots])]
        lines.append([ranks_of(each), f"{each.n:,}", *cells, of_pairs])
        title = _("published: {ranks}").format(ranks="–".join(f"{end:,}" for end in ends))
        lines.append([title, "", *("" if v is None else f"{v:.2f}" for v in values), ""])
    return aligned_table(head, lines)


def _cell(each: Estimate | float) -> str:
    if isinstance(each, float):
        return three_digits(each)
    text = three_digits(each.value)
    if each.low is None or each.high is None:
        return text
    return f"{text} [{three_digits(each.low)},\u00a0{three_digits(each.high)}]"
