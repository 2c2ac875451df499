"""The pairs of Sentence similarity, their names, and the controls."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, Encoder, Pairs
from geometry.data.pairs import read_bundled_pairs
from geometry.encode import ArrayStore
from geometry.encode.layers import layer_sets
from geometry.errors import readable_bytes
from geometry.evaluate.bootstrap import DRAWS
from geometry.evaluate.from_encoder import POOLINGS_SHOWN
from geometry.evaluate.grid import Cell
from geometry.hub import DataSetError
from geometry.hub.pair_sets import PAIR_SETS, fetch_pairs
from pages.common import jobs, uploads
from pages.common.cache import kept
from pages.common.controls import choose, layer_labels, pooling_names
from pages.common.folded import folded
from pages.common.messages import cancelled_download, show_error
from pages.common.models import current_encoder
from pages.common.origin import model_line
from pages.common.page_state import PRIVATE
from pages.common.seed import SEED
from pages.common.table_form import show_pair_file, upload_table
from pages.common.treatment_names import choose_treatment, treatment_words
from pages.common.words import _, markdown, names, prose

from . import PAGE

FORM = "own-pairs-form"
SHOWN = "pairs-shown"  # code of the pairs of the last run
USED = "pairs-used"  # code of the uploaded pairs that were used last


@dataclass(frozen=True)
class ScoredSet:
    code: str
    pairs: Pairs

    @cached_property
    def corpus(self) -> Corpus:
        """All sentences, the left ones, then the right ones."""
        return Corpus(self.pairs.name, self.pairs.left + self.pairs.right)

    @property
    def content_key(self) -> str:
        return ArrayStore.key(self.pairs.name, self.pairs.content_key)

    @property
    def private(self) -> bool:
        return self.code.startswith(PRIVATE)

    @property
    def is_bundled(self) -> bool:
        return self.code in uploads.BUNDLED_NAMES

    @property
    def name(self) -> str:
        return names("pairs")[self.code] if self.is_bundled else self.pairs.name

    def __len__(self) -> int:
        return len(self.pairs)


def hub_sets() -> dict[str, tuple[str, str]]:
    """(data set, split) by code, of the data sets of the Hugging Face Hub."""
    return {
        f"hub-{name}-{split}": (name, split)
        for name, data_set in PAIR_SETS.items()
        for split in data_set.n_pairs
    }


def _hub_labels(words: str) -> dict[str, str]:
    found = {}
    for code, (name, split) in hub_sets().items():
        n = PAIR_SETS[name].n_pairs[split]
        found[code] = words.format(name=f"{PAIR_SETS[name].title} {split}", n=f"{n:,}")
    return found


def pair_labels() -> dict[str, str]:
    bundled = {}
    counted = _("{name} ({n} pairs)")
    for code, name in names("pairs").items():
        n = len(read_bundled_pairs(uploads.BUNDLED_NAMES[code]))
        bundled[code] = counted.format(name=name, n=f"{n:,}")
    hub = _hub_labels(_("{name} ({n} pairs, from the Hugging Face Hub)"))
    return {**bundled, **uploads.own_labels(uploads.OWN_PAIRS), **hub}


def choose_pairs() -> ScoredSet:
    counted = _("{name} ({n})")
    labels = uploads.short_pair_labels()
    for code, own in _uploads().items():
        labels[code] = counted.format(name=own.name, n=f"{len(own):,}")
    labels |= _hub_labels(counted)
    code = choose(st.selectbox, _("Pairs"), labels, key="pairs")
    try:
        chosen = pair_set(code)
    except DataSetError as error:
        show_error(error)
        former = st.session_state.get(SHOWN, uploads.BUNDLED)
        chosen = pair_set(former if former in labels else uploads.BUNDLED)
        st.caption(_("Until then the page shows {name}.").format(name=markdown(chosen.name)))
    else:
        st.session_state[SHOWN] = code
    return chosen


def show_used_pairs() -> None:
    code = st.session_state["pairs"]
    if code == st.session_state.get(USED):
        own = _uploads()[code]
        said = _("Your {n} pairs “{name}” are scored below.")
        said = said.format(n=f"{len(own):,}", name=markdown(own.name))
        st.success(said, icon=":material/check_circle:")


def show_own_form() -> None:
    uploads.show_own(uploads.OWN_PAIRS)
    with folded(_("Upload pairs"), key=FORM, icon=":material/upload:") as is_open:
        if is_open:
            st.markdown(prose(PAGE, "own"))
            label = _("Pairs with scores (.csv, .tsv, .jsonl or .parquet), at most {megabytes} MB")
            if (file := upload_table(label, "pairs_file")) is not None:
                show_pair_file(file, adopt)


def pair_set(code: str) -> ScoredSet:
    """The pairs of that code. Raises DataSetError if a download fails."""
    if code in uploads.BUNDLED_NAMES:
        return ScoredSet(code, read_bundled_pairs(uploads.BUNDLED_NAMES[code]))
    if code in _uploads():
        return ScoredSet(code, _uploads()[code])
    name, split = hub_sets()[code]
    pairs = jobs.kept_or_made(
        _fetched,
        *(name, split),
        what=_("Downloading {name}").format(name=f"{PAIR_SETS[name].title} {split}"),
        lane="model",
        amount=lambda size: readable_bytes(int(size)),
        cancelled=cancelled_download(),
    )
    return ScoredSet(code, pairs)


@kept(16)
def _fetched(name: str, split: str, report: jobs.Progress = jobs.no_report) -> Pairs:
    return fetch_pairs(name, split, progress=report)


def _uploads() -> dict[str, Pairs]:
    found: dict[str, Pairs] = st.session_state.get(uploads.OWN_PAIRS, {})
    return found


def adopt(pairs: Pairs) -> None:
    code = uploads.add_pairs(pairs)
    st.session_state["pairs"] = code
    st.session_state[USED] = code
    st.session_state[FORM] = False  # so that the result is in view


def cut_words(cell: Cell) -> str:
    return _("k = {k}, the most possible").format(k=cell.n_directions)


def layer_phrase(layer: object) -> str:
    return names("layer_sets").get(str(layer)) or _("layer {layer}").format(layer=layer)


def cell_words(layer: object, pooling: str) -> str:
    names = pooling_names()
    return _("{layers}, {pooling}").format(layers=layer_phrase(layer), pooling=names[pooling])


SAME = "same"
OTHER_PAIRS = "pairs-"  # prefix of the code of a set of pairs


@dataclass(frozen=True)
class FitTexts:
    code: str
    corpus: Corpus
    name: str

    @property
    def is_target(self) -> bool:
        return self.code == SAME

    @property
    def content_key(self) -> str:
        return SAME if self.is_target else ArrayStore.key(self.corpus.sha256, self.name)

    @property
    def private(self) -> bool:
        return self.code.startswith(PRIVATE)


@dataclass(frozen=True)
class ScoringChoice:
    pairs: ScoredSet
    fit: FitTexts
    after: str  # the treatment, a text for ``parse_treatment``
    layer: int | str
    pooling: str
    encoder: Encoder


def make_choice(*, notes: DeltaGenerator) -> ScoringChoice:
    encoder = current_encoder()
    last = encoder.n_layers
    with st.container(key="pair-controls"):
        pairs = choose_pairs()
        fit = choose_fit(pairs)
        offered = [*map(str, layers_offered(encoder))]
        how: dict[str, Any] = {"default": str(max(0, last - 1)), "labels": layer_labels(last)}
        layer = choose(st.selectbox, _("Layer"), offered, key="sts-layer", **how)
        default = "cls" if encoder.special_tokens else "mean"  # where the sources' claim holds
        how = {"default": default, "labels": pooling_names(encoder)}
        pooling = choose(st.selectbox, _("Pooling"), POOLINGS_SHOWN, key="sts-pooling", **how)
        # of a large fit set only sums are stored
        n = len(fit.corpus)
        after = choose_treatment(PAGE, n, encoder.dimension, notes=notes, of_moments=True)
    place = int(layer) if layer.isdigit() else layer
    return ScoringChoice(pairs, fit, after, place, pooling, encoder)


def choose_fit(pairs: ScoredSet) -> FitTexts:
    corpora = {
        code: name
        for code, name in uploads.corpus_labels().items()
        if uploads.chosen_corpus(code).sha256 != pairs.corpus.sha256
    }
    others = {
        f"{OTHER_PAIRS}{code}": _("other pairs: {name}").format(name=name)
        for code, name in pair_labels().items()
        # the sentences of the default pairs are one of the corpora
        if code not in (pairs.code, uploads.BUNDLED)
    }
    own = _("the evaluation sentences ({n})").format(n=f"{len(pairs.corpus):,}")
    code = choose(st.selectbox, _("Fit on"), {SAME: own, **corpora, **others}, key="sts-fit")
    if code == SAME:
        return FitTexts(code, pairs.corpus, _("the evaluation sentences"))
    if code.startswith(OTHER_PAIRS):
        other = pair_set(code.removeprefix(OTHER_PAIRS)).corpus
    else:
        other = uploads.chosen_corpus(code)
    first = {text: row for row, text in reversed([*enumerate(other.texts)])}
    distinct = other.take(sorted(first.values()))
    return FitTexts(code, distinct, distinct.name)


def layers_offered(encoder: Encoder) -> list[int | str]:
    return [*range(encoder.n_layers + 1), *layer_sets(encoder.n_layers)]


def measured_on(choice: ScoringChoice, fit: str = "") -> str:
    """The line below every panel; ``fit`` is what differences were fitted on."""
    pairs = choice.pairs
    parts = [_("n = {n} pairs, {name}").format(n=f"{len(pairs):,}", name=pairs.name)]
    if len({*(pairs.pairs.subsets or ())}) > 1 and not fit:
        parts.append(_("all subsets as one set (all)"))
    parts += [model_line(choice.encoder), fit or score_title()]
    intervals = _("95% intervals from {n} resamples of the pairs")
    if fit:
        intervals = _("paired 95% intervals from {n} resamples of the pairs")
    seed = _("seed {seed}").format(seed=SEED)
    return " · ".join([*parts, intervals.format(n=f"{DRAWS:,}"), seed])


def score_title() -> str:
    return _("Spearman × 100 on {similarity}").format(similarity=_("cosine"))


def fitted_on(choice: ScoringChoice) -> str:
    n = len(choice.fit.corpus)
    return _("{treatment}, fitted on {name} ({n} sentences, n/d = {ratio})").format(
        treatment=treatment_words(choice.after),
        name=choice.fit.name,
        n=f"{n:,}",
        ratio=f"{n / choice.encoder.dimension:.2f}",
    )
