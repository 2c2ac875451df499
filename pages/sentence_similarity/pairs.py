"""Sentence pairs on offer: the project's own, and those that this session brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

from geometry import Corpus, CorpusError, Pairs, read_pairs
from geometry.data.corpus import MAX_BYTES, read_bundled_pairs
from geometry.data.pair_records import names_its_columns
from geometry.encode import ArrayStore
from geometry.evaluate.bootstrap import checked_gold
from geometry.evaluate.scores import LEAST_PAIRS
from geometry.hub.catalogue import NOT_STATED
from geometry.hub.model_errors import readable_bytes
from geometry.hub.pair_sets import PAIR_SETS, fetch_pairs
from pages.common import cached, jobs
from pages.common.controls import choose
from pages.common.messages.corpus_errors import MEGABYTE, error_text
from pages.common.table_form import label_uploader, show_head, show_header_toggle
from pages.common.uploads import own_labels, remember
from pages.common.words import Translate, prose

BUNDLED = "bundled"
HUB = "hub-"  # before the name of a data set and its split
MAX_UPLOADS = 3  # kept in a session; the oldest goes first
PAGE = "sentence_similarity"
SHORT = 12  # characters of a commit
UPLOADER = "pairs_file"
STORE = "pair-uploads"
OWN_DEV = "pair-uploads-dev"  # code of a split to that of its folder's dev split


@dataclass(frozen=True)
class ScoredSet:
    """Scored pairs under their code; ``corpus`` is all their sentences, left ones then right."""

    code: str
    pairs: Pairs

    @cached_property
    def corpus(self) -> Corpus:
        """What is encoded."""
        return Corpus(self.pairs.name, self.pairs.left + self.pairs.right)

    @property
    def key(self) -> str:
        """Names sentences and scores."""
        return ArrayStore.key(self.corpus.sha256, self.pairs.gold_scores.tobytes().hex())

    @property
    def is_bundled(self) -> bool:
        """True for the project's own."""
        return self.code == BUNDLED

    @property
    def subsets(self) -> tuple[str, ...] | None:
        """What each pair is of, where the pairs are of more than one subset."""
        found = self.pairs.subsets
        return found if found is not None and len(set(found)) > 1 else None

    def name(self, _: Translate) -> str:
        """What the pairs are called beside a number."""
        return _("the project’s own") if self.is_bundled else self.pairs.name

    def __len__(self) -> int:
        return len(self.pairs)


def hub_sets() -> dict[str, tuple[str, str]]:
    """Code to (set, split) of the data sets that the hub has."""
    return {
        f"{HUB}{name}-{split}": (name, split)
        for name, one in PAIR_SETS.items()
        for split in one.n_pairs
    }


def dev_code(code: str) -> str | None:
    """Of a test or training split, the set's own dev split, where it has one on offer."""
    own: str | None = st.session_state.get(OWN_DEV, {}).get(code)
    if own in st.session_state.get(STORE, {}):
        return own
    name, split = hub_sets().get(code, ("", "dev"))
    dev = f"{HUB}{name}-dev"
    return dev if split != "dev" and dev in hub_sets() else None


def pair_labels(_: Translate) -> dict[str, str]:
    """Code to label, the bundled pairs first, those of the hub last."""
    bundled = _("the project’s own ({n} pairs)").format(n=f"{len(read_bundled_pairs()):,}")
    hub = {
        code: _("{name} ({n} pairs, from the hub)").format(
            name=f"{PAIR_SETS[name].title} {split}", n=f"{PAIR_SETS[name].n_pairs[split]:,}"
        )
        for code, (name, split) in hub_sets().items()
    }
    return {BUNDLED: bundled, **own_labels(STORE, _), **hub}


def choose_pairs(_: Translate) -> ScoredSet:
    """Which pairs the page is about."""
    labels = pair_labels(_)
    code = choose(
        st.selectbox,
        _("Pairs"),
        list(labels),
        key="pairs",
        default=BUNDLED,
        labels=labels,
        private=[code for code in labels if is_private(code)],
    )
    return pair_set(code, _)


def pair_set(code: str, _: Translate) -> ScoredSet:
    """The pairs of that code, fetched where they are the hub's. Raises DataSetError there."""
    if code.startswith(HUB):
        return ScoredSet(code, _from_hub(code, _))
    return ScoredSet(code, read_bundled_pairs() if code == BUNDLED else _uploads()[code])


def _from_hub(code: str, _: Translate) -> Pairs:
    """From memory, else fetched as a job with its bytes and cancel."""
    kept: Pairs | None = cached.measures_if_ready(f"pairs/{code}")
    if kept is not None:
        return kept
    name, split = hub_sets()[code]
    made: Pairs = jobs.wait_for(
        f"pairs-{code}",
        lambda report: fetch_pairs(name, split, progress=report),
        _,
        _("Fetching {name}").format(name=f"{PAIR_SETS[name].title} {split}"),
        lane="model",
        amount=lambda size: readable_bytes(int(size)),
        cancelled=_("Cancelled. What has arrived is kept; start again when you like."),
    )
    cached.keep_measures(f"pairs/{code}", made)
    return made


def show_origin(pairs: ScoredSet, _: Translate) -> None:
    """Of a set of the hub: where it is from, at which commit, its licence, what to know of it."""
    if pairs.code not in hub_sets():
        return
    name, _split = hub_sets()[pairs.code]
    one = PAIR_SETS[name]
    low, high = pairs.pairs.scale or pairs.pairs.score_range
    values = {
        "name": pairs.pairs.name,
        "repository": one.repository,
        "revision": one.revision[:SHORT],
        "licence": one.licence if one.licence != NOT_STATED else _("not stated"),
        "low": f"{low:g}",
        "high": f"{high:g}",
        "note": set_notes(_).get(name, one.note),
    }
    st.caption(prose(PAGE, "hub-set", values))


def set_notes(_: Translate) -> dict[str, str]:
    """What to know of each set before its figures are compared, as ``PAIR_SETS`` says it."""
    by_year = _(
        "The file does not tell its subsets (MSRpar, …), so only figures over all its pairs."
    )
    return {
        "stsb": _("Its genres are told as subsets."),
        **dict.fromkeys(("sts12", "sts14", "sts15", "sts16"), by_year),
        "sts13": f"{by_year} " + _("Its fourth subset, SMT, is not free and not in it."),
        "sickr": _(
            "All of SICK under the name test: published figures are mostly of 4,927 pairs of it."
        ),
        "stsb-zh": _("Translated from STS-B; scores are whole numbers, so ties abound."),
    }


def is_private(code: str) -> bool:
    """True for pairs of this session, which no address can name."""
    return code.startswith("upload-")


def _uploads() -> dict[str, Pairs]:
    found: dict[str, Pairs] = st.session_state.get(STORE, {})
    return found


def adopt(*sets: Pairs, dev: Pairs | None = None) -> None:
    """Keep them for this session and choose the last; a callback, before the page is drawn.

    dev : the one among them on which the others' best cell is chosen.
    """
    for pairs in sets:
        remember(STORE, _own_code(pairs), pairs, MAX_UPLOADS)
        st.session_state["pairs"] = _own_code(pairs)
        if dev is not None and pairs is not dev:
            remember(OWN_DEV, _own_code(pairs), _own_code(dev), MAX_UPLOADS)


def _own_code(pairs: Pairs) -> str:
    return f"upload-{ScoredSet('', pairs).key[:12]}"


def refusal(pairs: Pairs, _: Translate) -> str:
    """Why pairs can't be scored; empty where they can."""
    try:
        checked_gold(pairs.gold_scores)
    except ValueError:
        told = _("A correlation needs at least {n} pairs, and scores that are not all the same.")
        return told.format(n=LEAST_PAIRS)
    return ""


def show_pair_form(_: Translate) -> None:
    """Upload a table, pick its three columns, use it."""
    label = _("Pairs with scores (.csv, .tsv, .jsonl or .parquet), at most {megabytes} MB")
    file = st.file_uploader(label.format(megabytes=f"{MAX_BYTES / MEGABYTE:g}"), key=UPLOADER)
    label_uploader(UPLOADER, MAX_BYTES, _)
    if file is None:
        return
    try:
        pairs = _choose_columns(file, _)
    except CorpusError as error:
        st.error(error_text(error, _))
        return
    if pairs is None:
        return
    if told := refusal(pairs, _):
        st.error(told)
        return
    st.button(_("Use these pairs"), key="use_pairs", type="primary", on_click=adopt, args=(pairs,))
    scores = pairs.gold_scores
    st.caption(
        _("{n} pairs ready; scores from {low} to {high}.").format(
            n=f"{len(pairs):,}", low=f"{scores.min():g}", high=f"{scores.max():g}"
        )
    )


def _choose_columns(file: Any, _: Translate) -> Pairs | None:
    """The head of the file and the choice of columns; None until three are chosen."""
    if names_its_columns(file.name):
        return _of_records(file, _)
    try:
        found = show_head(file, _)
    except CorpusError:  # no table of even rows: STS-B's own form, or none
        return _read(file.file_id, file.name, None, None, file)
    way = st.toggle(_("Find the columns by themselves"), value=True, key=f"guess-{file.file_id}")
    if way:
        return _read(file.file_id, file.name, None, None, file)
    named = _three_of(found.columns, file.file_id, _)
    show_header_toggle(file, found, _)
    return _read(file.file_id, file.name, named, found.has_header, file) if named else None


def _of_records(file: Any, _: Translate) -> Pairs | None:
    """Lines of JSON or Parquet: by the names that are known, else by those chosen."""
    try:
        return _read(file.file_id, file.name, None, None, file)
    except CorpusError as error:
        if error.code != "no_pair_columns":
            raise
        st.info(error_text(error, _))
        named = _three_of(error.details["columns"], file.file_id, _)
    return _read(file.file_id, file.name, named, None, file) if named else None


def _three_of(columns: Sequence[str], file_id: str, _: Translate) -> tuple[str, ...] | None:
    """The columns of both sentences and of the score; None until all are chosen."""
    labels = (_("First sentence"), _("Second sentence"), _("Score"))
    chosen = [
        box.selectbox(
            label,
            columns,
            index=None,
            key=f"column-{place}-{file_id}",
            placeholder=_("Choose a column"),
        )
        for place, (box, label) in enumerate(zip(st.columns(3), labels, strict=True))
    ]
    named = tuple(column for column in chosen if column is not None)
    return named if len(named) == len(labels) else None


@st.cache_resource(max_entries=4, show_spinner=False, scope="session")
def _read(
    file_id: str,
    name: str,
    columns: tuple[str, ...] | None,
    has_header: bool | None,
    _file: Any,
) -> Pairs:
    return read_pairs(_file.getvalue(), name=name, columns=columns, has_header=has_header)
