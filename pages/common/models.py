"""The encoder of all pages: chosen in the sidebar, fetched on request, shared by all sessions."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, replace
from functools import partial
from typing import NoReturn

import streamlit as st

from geometry import Encoder, load_encoder
from geometry.data.limits import MEGABYTE
from geometry.encode.load import bundled_is_here, folder_of, names_a_folder
from geometry.encode.precision import DTYPES
from geometry.encode.word_encoder import WordEncoder
from geometry.errors import readable_bytes
from geometry.hub.bundled import BUNDLED, E5, E5_NAME
from geometry.hub.catalogue import NOT_STATED, PREFIXES, Suggestion, default_prefix, suggestions
from geometry.hub.fetch import cached_model
from geometry.hub.model_files import folder_bytes
from geometry.hub.operator_limits import ModelLimits, OperatorFileError, read_model_limits
from geometry.vectors import read_bundled_vectors

from . import jobs
from .controls import choose, code_of_label
from .messages import cancelled_download
from .model_shelf import ModelShelf
from .page_state import forget_layers
from .rules import model_rules
from .words import _, code, markdown, noted, paragraph

GLOVE = "bundled-glove"  # word vectors, as an encoder of no layers
# errors that every new try would raise
FINAL = ("not_allowed", "invalid_name", "no_bfloat16", "absent_bundled")
WARM_UP_AFTER = 10.0  # seconds after the server's start; the first pictures are drawn then
WARM_UP_VARIABLE = "NARROW_CONE_ENCODER_WARM_UP"  # "0" turns it off


@dataclass(frozen=True)
class ModelChoice:
    """A model as the sidebar names it."""

    name: str = BUNDLED  # or a name on the Hugging Face Hub, or a folder of the server
    revision: str = ""  # the main branch
    dtype: str = DTYPES[0]
    prefix: str = ""  # before each text

    @property
    def is_bundled(self) -> bool:
        """True for the encoder that comes with the requirements."""
        return self.name == BUNDLED

    @property
    def is_in_project(self) -> bool:
        """True for models that need no download."""
        return self.name in bundled_names()

    def is_folder(self, rules: ModelLimits) -> bool:
        """True for a folder of the server's own disk."""
        return not self.is_in_project and names_a_folder(self.name, rules)


def bundled_names() -> dict[str, str]:
    """Names of the models that need no download, by code."""
    e5 = {E5: E5_NAME} if bundled_is_here(E5) else {}
    return {BUNDLED: "all-MiniLM-L6-v2", **e5, GLOVE: "GloVe 6B"}


def bundled_encoder(code: str) -> Encoder:
    """A model that needs no download, whatever the reader has chosen."""
    choice, rules = ModelChoice(code, prefix=default_prefix(code)), model_rules()
    place = _place(choice, rules)
    return shelf().get(place) or shelf().put(place, _read(choice, rules))


def _read(choice: ModelChoice, rules: ModelLimits) -> Encoder:
    """A bundled model; E5 takes seconds to read, as a job."""
    return _in_a_job(choice, rules, is_here=True) if choice.name == E5 else _load(choice, rules)


def warm_up() -> None:
    """Import torch and transformers in the background, so that no first encoding waits 6 s."""
    if os.environ.get(WARM_UP_VARIABLE) != "0" and bundled_is_here():
        timer = threading.Timer(WARM_UP_AFTER, _encode_something_short)
        timer.daemon = True
        timer.start()


def _encode_something_short() -> None:
    load_encoder().encode(["."])


def select_model() -> None:
    """The shared control: the bundled encoder, a suggestion, or a typed name or folder."""
    known = {suggestion.name: suggestion for suggestion in suggestions()}
    code_of_label("model")
    chosen = st.session_state.get("model") or st.query_params.get("model")
    labels = {
        code: _("{model} (bundled)").format(model=name) for code, name in bundled_names().items()
    } | {
        name: noted(name.rpartition("/")[2], _size(suggestion))
        for name, suggestion in known.items()
    }
    name = choose(
        st.selectbox,
        _("Model"),
        list(dict.fromkeys([*labels, *([chosen] if chosen else [])])),
        key="model",
        default=BUNDLED,
        labels=labels,
        accept_new_options=True,
        on_change=_reset_revision_and_layers,
        help=_(
            "Choose a model, or type the name of any model on the Hugging Face Hub or the path "
            "of a folder of this machine."
        ),
    )
    if name == GLOVE:
        st.caption(_about_glove())
    if name.strip() in ("", BUNDLED, GLOVE):
        return
    if name in known:
        st.caption(_about(known[name]))
    if name == E5:
        st.caption(_about_e5())
    try:
        has_revisions = name != E5 and not names_a_folder(name, model_rules())
    except OperatorFileError:  # require_model shows this error in the page's body
        has_revisions = False
    if has_revisions:
        st.text_input(
            _("Revision: branch, tag or commit"),
            key="revision",
            placeholder="main",
            bind="query-params",
            on_change=forget_layers,
        )
    choose(
        st.segmented_control,
        _("Precision"),
        list(DTYPES),
        key="dtype",
        default=DTYPES[0],
        required=True,
        help=_(
            "bfloat16 is approximate. On most processors that multiply in it, it is faster. All "
            "quoted figures were measured in float32."
        ),
    )
    _choose_prefix(name)


def _choose_prefix(name: str) -> None:
    """What is put before each text; shown for models whose card names a prefix."""
    usual = default_prefix(name)
    if not usual:
        return
    labels = {_prefix_code(each): each for each in PREFIXES}
    choose(
        st.segmented_control,
        _("Prefix of each text"),
        list(labels),
        key="prefix",
        default=_prefix_code(usual),
        required=True,
        labels={
            code: _("“{text}”").format(text=each) if each else _("no prefix")
            for code, each in labels.items()
        },
        help=_(
            "E5 models were trained with “query: ” or “passage: ” before each text. Their card "
            "recommends “query: ” where texts are compared with each other."
        ),
    )


def _chosen_prefix(name: str) -> str:
    usual = default_prefix(name)
    code = st.session_state.get("prefix") or _prefix_code(usual)
    codes = {_prefix_code(each): each for each in PREFIXES}
    return codes.get(code, usual) if usual else ""


def _prefix_code(prefix: str) -> str:
    """Its word, for the address; "none" for no prefix."""
    return prefix.strip(" :") or "none"


def _reset_revision_and_layers() -> None:
    """Clear the revision and the layers, which belong to the previous model."""
    st.session_state["revision"] = ""
    forget_layers()


def choose_model(name: str) -> None:
    """Choose a model for this session; a callback of a button."""
    st.session_state["model"] = name
    _reset_revision_and_layers()


def chosen_model() -> ModelChoice:
    """The model that this session chose."""
    name = (st.session_state.get("model") or "").strip() or BUNDLED
    if name in (BUNDLED, GLOVE):
        return ModelChoice(name)
    is_folder = name == E5 or names_a_folder(name, model_rules())
    revision = "" if is_folder else st.session_state.get("revision") or ""
    dtype = st.session_state.get("dtype") or DTYPES[0]
    return ModelChoice(name, revision.strip(), dtype, _chosen_prefix(name))


def current_encoder() -> Encoder:
    """The chosen encoder, from memory or from this machine's disk.

    Call ``fetch_chosen`` first. Raises ModelFilesError if loading fails, or the rules forbid it.
    """
    choice = chosen_model()
    rules = _checked_rules(choice)
    known, place = st.session_state.get("model_place", (None, None))
    if known not in (None, choice):  # chosen within a fragment: the sidebar has to be drawn again
        st.rerun()
    if known != choice:
        place = _place(choice, rules)
    return shelf().get(place) or shelf().put(place, _load(choice, rules))


def fetch_chosen() -> Encoder:
    """The chosen encoder. If it is not on this machine, the page offers to fetch it.

    The page's run ends here until the model is on this machine.

    Raises
    ------
    ModelFilesError
        If the model cannot be fetched or loaded.
    """
    choice = chosen_model()
    rules = _checked_rules(choice)
    place = _place(choice, rules)
    encoder = shelf().get(place) if place is not None else None
    if encoder is not None and not choice.is_in_project:
        rules.refuse_size(choice.name, folder_bytes(encoder.folder))
        rules.refuse_width(choice.name, encoder.widest)
    if encoder is None and choice.is_in_project and place is not None:
        encoder = shelf().put(place, _read(choice, rules))
    if encoder is None:
        encoder = _in_a_job(choice, rules, is_here=place is not None)
        place = _place(choice, rules)
        encoder = shelf().put(place, encoder)
    st.session_state["model_place"] = (choice, place)
    return encoder


def _checked_rules(choice: ModelChoice) -> ModelLimits:
    """The operator's rules, at each use. ModelFilesError "not_allowed" if they forbid the model."""
    rules = model_rules()
    if choice.is_folder(rules):
        rules.refuse_folder(choice.name)
    elif choice.name == E5 and not choice.is_in_project:
        load_encoder(E5)  # raises why it is not here
    elif not choice.is_in_project:
        rules.refuse_name(choice.name, choice.revision or None)
    return rules


def _in_a_job(choice: ModelChoice, rules: ModelLimits, *, is_here: bool) -> Encoder:
    """Fetch or read the model, with progress and cancel."""
    if not is_here and choice not in st.session_state.get("wanted_models", set()):
        _offer(choice)

    def work(report: jobs.Progress) -> Encoder:
        made = _load(choice, rules, None if is_here else report)
        made.read_files(report)
        return made

    what = _("Reading {name}") if is_here else _("Downloading {name}")
    try:
        made: Encoder = jobs.wait_for(
            f"model-{choice}",
            work,
            what.format(name=markdown(bundled_names().get(choice.name, choice.name))),
            lane="model",
            amount=partial(readable_bytes, decimals=1),
            cancelled=cancelled_download(),
        )
    except Exception:  # the next run offers the download again
        st.session_state.setdefault("wanted_models", set()).discard(choice)
        raise
    return made


def _place(choice: ModelChoice, rules: ModelLimits) -> tuple[str, ...] | None:
    """The key of a copy in memory: folder, precision, prefix. None if not on this machine."""
    how = (choice.dtype, choice.prefix)
    if choice.is_folder(rules):
        path = str(folder_of(choice.name).absolute())
        # a path with a zero byte is invalid; reading the folder raises the error
        return path if "\0" in path else os.path.realpath(path), *how
    if choice.is_in_project:
        is_here = choice.name != BUNDLED or bundled_is_here()
        return (choice.name, *how) if is_here else None
    folder = cached_model(choice.name, revision=choice.revision or None)
    return None if folder is None else (str(folder), *how)


@st.cache_resource(max_entries=1, show_spinner=False)
def shelf() -> ModelShelf:
    """The encoders in memory, one shelf for the whole server."""
    return ModelShelf(read_model_limits().memory_megabytes * MEGABYTE)


def _load(choice: ModelChoice, rules: ModelLimits, report: jobs.Progress | None = None) -> Encoder:
    """Load the model. Without ``report``: offline, at the commit that is on this machine."""
    if choice.name == GLOVE:
        return WordEncoder(read_bundled_vectors("glove"))
    revision = choice.revision or None
    if report is None and not choice.is_in_project and not choice.is_folder(rules):
        folder = cached_model(choice.name, revision=revision)
        if folder is not None:
            revision = folder.name
            rules = replace(rules, allow=())  # checked by the revision that the visitor chose
    return load_encoder(
        choice.name,
        revision=revision,
        dtype=choice.dtype,
        progress=report,
        limits=rules,
        prefix=choice.prefix,
    )


def _offer(choice: ModelChoice) -> NoReturn:
    known = {suggestion.name: suggestion for suggestion in suggestions()}
    size = _size(known[choice.name]) if choice.name in known else None
    st.info(
        _(
            "{name} is not on this machine yet. It has to be downloaded once from the Hugging "
            "Face Hub."
        ).format(name=code(choice.name))
    )
    st.button(
        _("Download model ({size})").format(size=size) if size else _("Download model"),
        key="fetch-model",
        type="primary",
        icon=":material/download:",
        on_click=_want,
        args=(choice,),
    )
    st.stop()


def offer_again(error: Exception) -> None:
    """A button under an error that fetches or reads the chosen model again.

    There is no button if the machine or the operator refuses the model.
    """
    if getattr(error, "code", "") not in FINAL and not isinstance(error, OperatorFileError):
        st.button(
            _("Try again"),
            key="retry-model",
            icon=":material/refresh:",
            on_click=_want,
            args=(chosen_model(),),
        )


def _want(choice: ModelChoice) -> None:
    st.session_state["wanted_models"] = {*st.session_state.get("wanted_models", set()), choice}


def _about(model: Suggestion) -> str:
    licence = _("not stated") if model.licence == NOT_STATED else model.licence
    parts = [lessons()[model.name], _("Licence: {licence}.").format(licence=licence)]
    if model.needs_conversion:
        parts.append(_("The Hugging Face Hub has its weights only as pickle. Convert them once."))
    return paragraph(parts)


def _about_e5() -> str:
    return _(
        "Trained contrastively on about 100 languages at a temperature of 0.01: Wang et al. "
        "(2024). Nearly all cosines of its last layer are above 0.7. Its weights have 4 bits; that "
        "changes cosines by 0.02 or so. Licence: MIT."
    )


def _about_glove() -> str:
    return _(
        "Static word vectors: Pennington et al. (2014). A word has one vector in every text, and a "
        "sentence is the average of its words. 40,000 words, 100 numbers each. Licence: public "
        "domain (PDDL 1.0)."
    )


def _size(model: Suggestion) -> str:
    return f"{model.megabytes:,} MB"


def lessons() -> dict[str, str]:
    """The lesson of each suggested model about anisotropy, by the model's name."""
    return {
        "google-bert/bert-base-uncased": _(
            "Averaged over tokens, its sentences lie in a narrow cone. Undoing that improved its "
            "similarities: Li et al. (2020) by BERT-flow, Su et al. (2021) by whitening."
        ),
        "google-bert/bert-base-cased": _(
            "Ethayarajh (2019) measured this BERT. It is anisotropic in every layer above the "
            "input, though far less than the last layers of GPT-2."
        ),
        "google-bert/bert-base-chinese": _(
            "Nearly every Chinese character is a token of its own. See whether the cone of "
            "English BERT appears in Chinese too."
        ),
        "FacebookAI/roberta-base": _(
            "A few dimensions with very large values dominate its cosines: Timkey & van "
            "Schijndel (2021). Standardise the dimensions and look again."
        ),
        "openai-community/gpt2": _(
            "A causal decoder whose last layers are extremely anisotropic. In the last one, two "
            "random words have a cosine close to 1: Ethayarajh (2019)."
        ),
        "sentence-transformers/bert-base-nli-mean-tokens": _(
            "BERT trained further to distinguish entailment from contradiction: Reimers & "
            "Gurevych (2019). See how far that alone opens the cone."
        ),
        "princeton-nlp/unsup-simcse-bert-base-uncased": _(
            "Contrastive training without labels makes BERT's vectors more uniform: Gao et al. "
            "(2021). A positive pair is one sentence, encoded with two dropout masks."
        ),
        "princeton-nlp/sup-simcse-bert-base-uncased": _(
            "Contrastive training with entailed and contradicting sentences: Gao et al. (2021). "
            "See whether whitening can still improve anything."
        ),
        "sentence-transformers/all-mpnet-base-v2": _(
            "Trained contrastively on about a billion pairs. Where the objective has already "
            "spread the vectors, whitening can make similarities worse."
        ),
        "intfloat/multilingual-e5-small": _(
            "Trained contrastively with a temperature of 0.01: Wang et al. (2024). In its last "
            "layer nearly every cosine is above 0.7, and it scores best there."
        ),
        "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2": _(
            "One space for many languages, trained to match an English model: Reimers & Gurevych "
            "(2020). See whether the languages share one cone."
        ),
        "sentence-transformers/average_word_embeddings_glove.6B.300d": _(
            "Static word vectors, averaged, without context or layers. Removing their mean and a "
            "few top directions already helps: Mu & Viswanath (2018)."
        ),
    }
