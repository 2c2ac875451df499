"""The pairs of Sentence similarity, their names, and the controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, CorpusError, Encoder, ModelFilesError, Pairs
from geometry.data.limits import MAX_PAIR_SETS, Limits
from geometry.data.pairs import read_bundled_pairs, read_pair_folder
from geometry.encode import ArrayStore
from geometry.encode.layers import LAYER_SETS, layer_sets
from geometry.errors import readable_bytes
from geometry.evaluate.bootstrap import DRAWS
from geometry.evaluate.from_encoder import POOLINGS_SHOWN
from geometry.evaluate.grid import Cell
from geometry.evaluate.similarities import SIMILARITIES
from geometry.evaluate.specs import parse_treatment
from geometry.hub import DataSetError
from geometry.hub.operator_limits import OperatorFileError
from geometry.hub.pair_sets import PAIR_SETS, fetch_pairs
from geometry.transform.treatments import TREATMENTS, usual_whitening
from pages.common import jobs
from pages.common.cache import kept
from pages.common.controls import choose, layer_labels, layer_set_names, pooling_names
from pages.common.folded import folded
from pages.common.limit_notes import upload_limits
from pages.common.messages import cancelled_download, error_text, show_error
from pages.common.models import current_encoder
from pages.common.origin import model_line
from pages.common.pair_form import pair_refusal, show_pair_file
from pages.common.rules import model_rules
from pages.common.seed import SEED
from pages.common.table_form import upload_table
from pages.common.treatment_names import choose_treatment, treatment_words
from pages.common.uploads import (
    BUNDLED,
    BUNDLED_NAMES,
    OWN_PAIRS,
    add_pairs,
    chosen_corpus,
    corpus_labels,
    own_labels,
    own_pair_code,
    pair_names,
    remember,
    short_pair_labels,
    show_own,
)
from pages.common.words import _, labelled, markdown, prose

from . import PAGE

# ---- pairs ----


PROJECT, OF_HUB, OWN = "project", "hub", "own"  # sources of pairs
SOURCE = "pairs-source"
FORM = "own-pairs-form"
SHOWN = "pairs-shown"  # code of the pairs of the last run
USED = "pairs-used"  # code, name and number of the uploaded pairs that were used last
HUB = "hub-"  # prefix of the code of a data set and split
UPLOADER = "pairs_file"
OWN_DEV = "pair-uploads-dev"  # code of a split to the code of its folder's dev split
FOLDER = "pairs_folder"


@dataclass(frozen=True)
class ScoredSet:
    """A set of scored pairs and its code."""

    code: str
    pairs: Pairs

    @cached_property
    def corpus(self) -> Corpus:
        """All sentences, the left ones, then the right ones."""
        return Corpus(self.pairs.name, self.pairs.left + self.pairs.right)

    @property
    def content_key(self) -> str:
        """Names the set, its sentences and scores."""
        return ArrayStore.key(self.pairs.name, self.pairs.content_key)

    @property
    def private(self) -> bool:
        """True for uploaded pairs."""
        return is_private(self.code)

    @property
    def is_bundled(self) -> bool:
        """True for pairs that come with the project."""
        return self.code in BUNDLED_NAMES

    @property
    def subsets(self) -> tuple[str, ...] | None:
        """The subset of each pair; None if there are fewer than two subsets."""
        subsets = self.pairs.subsets
        return subsets if subsets is not None and len(set(subsets)) > 1 else None

    def name(self) -> str:
        """The name of the set."""
        return pair_names()[self.code] if self.is_bundled else self.pairs.name

    def __len__(self) -> int:
        return len(self.pairs)


def hub_sets() -> dict[str, tuple[str, str]]:
    """(data set, split) by code, of the data sets of the Hugging Face Hub."""
    return {
        f"{HUB}{name}-{split}": (name, split)
        for name, data_set in PAIR_SETS.items()
        for split in data_set.n_pairs
    }


def dev_code(code: str) -> str | None:
    """The code of the dev split of the same data set or folder, if there is one."""
    own: str | None = st.session_state.get(OWN_DEV, {}).get(code)
    if own in st.session_state.get(OWN_PAIRS, {}):
        return own
    name, split = hub_sets().get(code, ("", "dev"))
    dev = f"{HUB}{name}-dev"
    return dev if split != "dev" and dev in hub_sets() else None


def pair_labels() -> dict[str, str]:
    """Labels by code: bundled pairs, uploads, data sets of the Hugging Face Hub."""
    bundled = {
        code: _("{name} ({n} pairs)").format(
            name=name, n=f"{len(read_bundled_pairs(BUNDLED_NAMES[code])):,}"
        )
        for code, name in pair_names().items()
    }
    hub = {
        code: _("{name} ({n} pairs, from the Hugging Face Hub)").format(
            name=f"{PAIR_SETS[name].title} {split}", n=f"{PAIR_SETS[name].n_pairs[split]:,}"
        )
        for code, (name, split) in hub_sets().items()
    }
    return {**bundled, **own_labels(OWN_PAIRS), **hub}


def short_labels() -> dict[str, dict[str, str]]:
    """Labels by source and code, short enough for the control."""
    hub = {
        code: (f"{PAIR_SETS[name].title} {split}", PAIR_SETS[name].n_pairs[split])
        for code, (name, split) in hub_sets().items()
    }
    counted = _("{name} ({n})")
    return {
        PROJECT: short_pair_labels(),
        OF_HUB: {code: counted.format(name=name, n=f"{n:,}") for code, (name, n) in hub.items()},
        OWN: {
            code: counted.format(name=pairs.name, n=f"{len(pairs):,}")
            for code, pairs in _uploads().items()
        },
    }


def choose_pairs() -> ScoredSet:
    """Choose where the pairs come from, and the pairs that are scored."""
    labels = short_labels()
    state = st.session_state
    every = {code: label for of_source in labels.values() for code, label in of_source.items()}
    current = state.get("pairs", st.query_params.get("pairs"))
    current = current if current in every else BUNDLED
    if labels[OWN] or state.get(SOURCE) != OWN:  # without uploads, "Yours" shows the form only
        state[SOURCE] = source_of(current)
    st.segmented_control(
        _("Pairs"),
        list(labels),
        key=SOURCE,
        format_func={
            PROJECT: _("Project’s"),
            OF_HUB: _("Public"),
            OWN: _("Yours"),
        }.__getitem__,
        required=True,
        on_change=_change_source,
        args=({source: next(iter(codes), None) for source, codes in labels.items()},),
    )
    codes = list(labels[state[SOURCE]]) or [current]
    code = choose(
        st.selectbox,
        _("Set of pairs"),
        codes,
        key="pairs",
        default=codes[0],
        labels=every,
        always_in_url=codes[0] != BUNDLED,
        private=[code for code in codes if is_private(code)],
    )
    try:
        chosen = pair_set(code)
    except DataSetError as error:
        show_error(error)
        former = state.get(SHOWN, BUNDLED)
        chosen = pair_set(former if former in every else BUNDLED)
        st.caption(_("Until then the page shows {name}.").format(name=markdown(chosen.name())))
    else:
        state[SHOWN] = code
    return chosen


def source_of(code: str) -> str:
    """Where the pairs of that code come from."""
    return OWN if is_private(code) else OF_HUB if code.startswith(HUB) else PROJECT


def _change_source(first: dict[str, str | None]) -> None:
    """Choose the first pairs of the new source, and open the form for a first upload."""
    source = st.session_state[SOURCE]
    if first[source] is not None:
        st.session_state["pairs"] = first[source]
    st.session_state[FORM] = first[source] is None


def show_own_form() -> None:
    """The form for uploaded pairs if they are the chosen source; which pairs were used last."""
    used = st.session_state.get(USED)
    if used is not None and used[0] == st.session_state.get("pairs"):
        st.success(
            _("Your {n} pairs “{name}” are scored below.").format(
                n=f"{used[2]:,}", name=markdown(used[1])
            ),
            icon=":material/check_circle:",
        )
    if st.session_state.get(SOURCE) != OWN:
        return
    show_own(OWN_PAIRS)
    with folded(_("Upload pairs"), key=FORM, icon=":material/upload:") as is_open:
        if is_open:
            st.markdown(prose(PAGE, "own"))
            show_pair_form()
            show_folder_form()


def pair_set(code: str) -> ScoredSet:
    """The pairs of that code. Raises DataSetError if a download fails."""
    if code.startswith(HUB):
        return ScoredSet(code, _from_hub(*hub_sets()[code]))
    if code in BUNDLED_NAMES:
        return ScoredSet(code, read_bundled_pairs(BUNDLED_NAMES[code]))
    return ScoredSet(code, _uploads()[code])


def _from_hub(name: str, split: str) -> Pairs:
    """The pairs from the cache, else downloaded as a job with progress in bytes and Cancel."""
    return jobs.kept_or_made(
        _fetched,
        *(name, split),
        what=_("Downloading {name}").format(name=f"{PAIR_SETS[name].title} {split}"),
        lane="model",
        amount=lambda size: readable_bytes(int(size)),
        cancelled=cancelled_download(),
    )


@kept(16)
def _fetched(name: str, split: str, report: jobs.Progress = jobs.no_report) -> Pairs:
    return fetch_pairs(name, split, progress=report)


def is_private(code: str) -> bool:
    """True for uploaded pairs. They belong to this session and are in no address."""
    return code.startswith("upload-")


def _uploads() -> dict[str, Pairs]:
    uploads: dict[str, Pairs] = st.session_state.get(OWN_PAIRS, {})
    return uploads


def adopt(*sets: Pairs, dev: Pairs | None = None) -> None:
    """Store sets of pairs in this session and choose the last; a callback of a button.

    dev : the set among them on which the best cell of the others is chosen.
    """
    for pairs in sets:
        st.session_state["pairs"] = add_pairs(pairs)
        if dev is not None and pairs is not dev:
            remember(OWN_DEV, own_pair_code(pairs), own_pair_code(dev), MAX_PAIR_SETS)
    st.session_state[USED] = (own_pair_code(sets[-1]), sets[-1].name, len(sets[-1]))
    st.session_state[FORM] = False  # so that the result is in view


def show_pair_form() -> None:
    """The form for a table: upload it, choose its three columns, use it."""
    label = _("Pairs with scores (.csv, .tsv, .jsonl or .parquet), at most {megabytes} MB")
    file = upload_table(label, UPLOADER)
    if file is None:
        return
    show_pair_file(file, adopt)


# A folder of the server


def show_folder_form() -> None:
    """The form for a folder with STS-B's files: its path, and a button that adds its splits."""
    label = _(
        "A folder of this server with STS-B’s files: sts-train.csv, sts-dev.csv, sts-test.csv, or "
        "some of them"
    )
    path = (st.text_input(label, key=FOLDER) or "").strip()
    if not path:
        return
    try:
        model_rules().refuse_folder(path)
        splits = _read_folder(path, _stamp(Path(path)), upload_limits())
    except (OperatorFileError, ModelFilesError) as error:
        st.error(error_text(error))
    except CorpusError as error:
        # one message for every path without such files, so that it says nothing about the disk
        is_elsewhere = error.code in ("no_folder", "no_splits", "unreadable")
        st.error(error_text(CorpusError("no_splits", path=path) if is_elsewhere else error))
    except (OSError, ValueError):
        st.error(error_text(CorpusError("no_splits", path=path)))
    else:
        _offer_splits(splits)


def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Name, size and time of each file: a cache key that changes with the files."""
    if not folder.is_dir():
        return ()
    files = ((file.name, file.stat()) for file in sorted(folder.iterdir()) if file.is_file())
    return tuple((name, status.st_size, status.st_mtime_ns) for name, status in files)


@st.cache_resource(max_entries=2, show_spinner=False, scope="session")
def _read_folder(
    path: str, stamp: tuple[tuple[str, int, int], ...], limits: Limits
) -> dict[str, Pairs]:
    return read_pair_folder(path, limits=limits)


def _offer_splits(splits: dict[str, Pairs]) -> None:
    reasons = [reason for pairs in splits.values() if (reason := pair_refusal(pairs))]
    if reasons:
        st.error(reasons[0])
        return
    st.button(
        _("Use the folder’s pairs"),
        key="use_folder",
        type="primary",
        on_click=adopt,
        args=tuple(splits.values()),  # the last, test, is chosen
        kwargs={"dev": splits.get("dev")},
    )
    counts = " · ".join(labelled(pairs.name, f"{len(pairs):,}") for pairs in splits.values())
    st.caption(markdown(counts))


# ---- words ----


def similarity_names() -> dict[str, str]:
    """Similarities by code."""
    return {
        "cosine": _("cosine"),
        "dot": _("dot product"),
        "euclidean": _("Euclidean distance"),
        "mahalanobis": _("Mahalanobis distance"),
        "rank": _("rank correlation of coordinates"),
    }


def cut_words(cell: Cell) -> str:
    """A note if the rank is smaller than the chosen k; else empty."""
    return (
        "" if not cell.is_clamped else _("k = {k}, the most possible").format(k=cell.n_directions)
    )


def rank_words(cells: Sequence[Cell], d: int) -> str:
    """The rank of the fits, or its range over the cells; empty if no fit has a rank."""
    ranks = sorted(
        {cell.rank for cell in cells if cell.rank is not None and not cell.score.undefined}
    )
    if not ranks:
        return ""
    shown = f"{ranks[0]}" if len(ranks) == 1 else f"{ranks[0]}–{ranks[-1]}"
    return _("rank of the fit {rank} of {d}").format(rank=shown, d=d)


def layer_phrase(layer: object) -> str:
    """One layer by its number, or an average of layers by its name."""
    return layer_set_names().get(str(layer)) or _("layer {layer}").format(layer=layer)


def cell_words(layer: object, pooling: str) -> str:
    """The name of a cell."""
    if layer in LAYER_SETS:
        words = _("{layers}, {pooling}")
        return words.format(layers=layer_phrase(layer), pooling=pooling_names()[pooling])
    return _("layer {layer}, {pooling}").format(layer=layer, pooling=pooling_names()[pooling])


# ---- controls ----


SAME = "same"
OTHER_PAIRS = "pairs-"  # prefix of the code of a set of pairs


@dataclass(frozen=True)
class FitTexts:
    """The sentences that treatments are fitted on: code, texts, name."""

    code: str
    corpus: Corpus
    name: str

    @property
    def is_target(self) -> bool:
        """True if treatments are fitted on the scored sentences."""
        return self.code == SAME

    @property
    def content_key(self) -> str:
        """Names the sentences; the cells of a grid also have the name of another set."""
        return SAME if self.is_target else ArrayStore.key(self.corpus.sha256, self.name)

    @property
    def private(self) -> bool:
        """True for a set that was uploaded in this session."""
        return is_private(self.code.removeprefix(OTHER_PAIRS))


@dataclass(frozen=True)
class ScoringChoice:
    """All choices of one run.

    after : the treatment, a text for ``parse_treatment``.
    """

    pairs: ScoredSet
    fit: FitTexts
    after: str
    layer: int | str
    pooling: str
    similarity: str
    encoder: Encoder

    @property
    def whitening(self) -> str:
        """The treatment if it is a whitening, else the recommended one.

        The claim is about whitening, so one of its bars is always a whitening.
        """
        if TREATMENTS[parse_treatment(self.after).name].is_whitening:
            return self.after
        return usual_whitening(len(self.fit.corpus), self.encoder.dimension)

    @property
    def treatments(self) -> tuple[str, ...]:
        """The treatment, and the whitening if it is another."""
        return tuple(dict.fromkeys((self.after, self.whitening)))

    @property
    def treatments_shown(self) -> tuple[str, str]:
        """Before and after: none, and the treatment."""
        return ("none", self.after)


def make_choice(*, more: DeltaGenerator, notes: DeltaGenerator) -> ScoringChoice:
    """Draw the controls; returns the choices."""
    encoder = current_encoder()
    with st.container(key="pair-controls"):
        pairs = choose_pairs()
        fit = choose_fit(pairs)
        layer, pooling = choose_cell(encoder)
        n, d = len(fit.corpus), encoder.dimension
        # of a large fit set only sums are stored
        after = choose_treatment(PAGE, n, d, notes=notes, of_moments=True)
    with more:
        similarity = choose_similarity()
        if similarity == "mahalanobis":
            st.caption(prose(PAGE, "mahalanobis", {"fit": markdown(fit.name)}))
    return ScoringChoice(pairs, fit, after, layer, pooling, similarity, encoder)


def choose_fit(pairs: ScoredSet) -> FitTexts:
    """Choose the evaluation sentences, another set of pairs, or a corpus."""
    corpora = {
        code: name
        for code, name in corpus_labels().items()
        if chosen_corpus(code).sha256 != pairs.corpus.sha256
    }
    others = {
        f"{OTHER_PAIRS}{code}": _("other pairs: {name}").format(name=name)
        for code, name in pair_labels().items()
        # the sentences of the default pairs are one of the corpora
        if code not in (pairs.code, BUNDLED)
    }
    own = _("the evaluation sentences ({n})").format(n=f"{len(pairs.corpus):,}")
    labels = {SAME: own, **corpora, **others}
    code = choose(
        st.selectbox,
        _("Fit on"),
        list(labels),
        key="sts-fit",
        default=SAME,
        labels=labels,
        private=[code for code in labels if is_private(code.removeprefix(OTHER_PAIRS))],
    )
    if code == SAME:
        return FitTexts(code, pairs.corpus, _("the evaluation sentences"))
    if code.startswith(OTHER_PAIRS):
        other = pair_set(code.removeprefix(OTHER_PAIRS)).corpus
    else:
        other = chosen_corpus(code)
    first = {text: row for row, text in reversed([*enumerate(other.texts)])}
    distinct = other.take(sorted(first.values()))
    return FitTexts(code, distinct, distinct.name)


def layers_offered(encoder: Encoder) -> list[int | str]:
    """Every layer, and the averages of layers that papers score."""
    return [*range(encoder.n_layers + 1), *layer_sets(encoder.n_layers)]


def choose_cell(encoder: Encoder) -> tuple[int | str, str]:
    """Choose the layer and the pooling."""
    last = encoder.n_layers
    layer = choose(
        st.selectbox,
        _("Layer"),
        [str(layer) for layer in layers_offered(encoder)],
        key="sts-layer",
        default=str(max(0, last - 1)),
        labels=layer_labels(last),
    )
    pooling = choose(
        st.selectbox,
        _("Pooling"),
        POOLINGS_SHOWN,
        key="sts-pooling",
        default="cls" if encoder.special_tokens else "mean",  # where the sources' claim holds
        labels=pooling_names(encoder),
    )
    return int(layer) if layer.isdigit() else layer, pooling


def choose_similarity() -> str:
    """Choose the similarity of two vectors."""
    similarity = choose(
        st.selectbox,
        _("Similarity"),
        SIMILARITIES,
        key="similarity",
        default=SIMILARITIES[0],
        labels=similarity_names(),
    )
    st.caption(prose(PAGE, "similarity"))
    return similarity


def measured_on(choice: ScoringChoice) -> str:
    """Number of pairs, pairs, model, resamples, seed: the line below every panel."""
    parts = [
        _("n = {n} pairs, {name}").format(n=f"{len(choice.pairs):,}", name=choice.pairs.name()),
        model_line(choice.encoder),
        score_title(choice),
        _("95% intervals from {n} resamples of the pairs").format(n=f"{DRAWS:,}"),
        _("seed {seed}").format(seed=SEED),
    ]
    if choice.pairs.subsets:
        parts.insert(1, _("all subsets as one set (all)"))
    if choice.similarity == "mahalanobis":
        parts.insert(-2, _("covariance of {name}").format(name=choice.fit.name))
    return " · ".join(parts)


def score_title(choice: ScoringChoice) -> str:
    """The title of an axis of scores."""
    return _("Spearman × 100 on {similarity}").format(
        similarity=similarity_names()[choice.similarity]
    )


def fitted_on(choice: ScoringChoice) -> str:
    """The treatment and its fit set."""
    n, d = len(choice.fit.corpus), choice.encoder.dimension
    return _("{treatment}, fitted on {name} ({n} sentences, n/d = {ratio})").format(
        treatment=treatment_words(choice.after),
        name=choice.fit.name,
        n=f"{n:,}",
        ratio=f"{n / d:.2f}",
    )
