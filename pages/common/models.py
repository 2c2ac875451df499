"""Which encoder every page is about: chosen in the sidebar, fetched on request, kept for all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Encoder, load_encoder
from geometry.encode.load import folder_of, is_here, names_a_folder
from geometry.encode.precision import DTYPES
from geometry.hub.catalogue import NOT_STATED, Suggestion, suggestions
from geometry.hub.fetch import cached_model
from geometry.hub.model_errors import readable_bytes
from geometry.hub.operator_limits import MEGABYTE, OperatorFileError, read_model_limits

from . import jobs
from .controls import choose, put_in_url
from .messages.model_errors import lessons
from .model_shelf import ModelShelf
from .words import Translate

BUNDLED = "bundled"
FINAL = ("not_allowed", "invalid_name", "no_bfloat16")  # refusals that stay what they are


@dataclass(frozen=True)
class ModelChoice:
    """A model as it is asked for.

    name : "bundled", a hub name or a folder of the server.   revision : "" for the main branch.
    """

    name: str = BUNDLED
    revision: str = ""
    dtype: str = DTYPES[0]

    @property
    def is_bundled(self) -> bool:
        """True for the encoder that comes with the requirements."""
        return self.name == BUNDLED

    @property
    def is_folder(self) -> bool:
        """True for a folder of the server's own disk."""
        return not self.is_bundled and names_a_folder(self.name)


def select_model(_: Translate) -> None:
    """The shared control: the bundled encoder, a suggestion, or any name or folder typed in."""
    known = {suggestion.name: suggestion for suggestion in suggestions()}
    asked = st.session_state.get("model") or st.query_params.get("model")
    labels = {BUNDLED: _("all-MiniLM-L6-v2 (bundled)")} | {
        name: f"{name.rpartition('/')[2]} ({_size(one)})" for name, one in known.items()
    }
    name = choose(
        st.selectbox,
        _("Model"),
        list(dict.fromkeys([*labels, *([asked] if asked else [])])),
        key="model",
        default=BUNDLED,
        labels=labels,
        accept_new_options=True,
        on_change=_forget_revision_and_layer,
        help=_("Choose one, or type any model's name on the hub, or a folder of this machine."),
    )
    if name.strip() in ("", BUNDLED):
        return
    if name in known:
        st.caption(_about(known[name], _))
    try:
        has_revisions = not names_a_folder(name)
    except OperatorFileError:  # the page's room is where it is told
        has_revisions = False
    if has_revisions:
        st.text_input(
            _("Revision: branch, tag or commit"),
            key="revision",
            placeholder="main",
            bind="query-params",
            on_change=_forget_layer,
        )
    choose(
        st.segmented_control,
        _("Precision"),
        list(DTYPES),
        key="dtype",
        default=DTYPES[0],
        required=True,
        help=_("bfloat16 is fast and approximate; float32 is what every figure here was taken in."),
    )


def _forget_revision_and_layer() -> None:
    """One model's revision is none of another's."""
    st.session_state["revision"] = ""
    _forget_layer()


def _forget_layer() -> None:
    """Layer 2 is the last of one model and an early one of another: each begins at its default."""
    st.session_state.pop("layer", None)
    put_in_url("layer", None)


def chosen_model() -> ModelChoice:
    """What this session asks for."""
    name = (st.session_state.get("model") or "").strip() or BUNDLED
    if name == BUNDLED:
        return ModelChoice()
    revision = "" if names_a_folder(name) else st.session_state.get("revision") or ""
    return ModelChoice(name, revision.strip(), st.session_state.get("dtype") or DTYPES[0])


def current_encoder() -> Encoder:
    """The chosen encoder, from memory or from this machine's disk.

    Raises ModelFilesError where it can't be had; ``fetch_chosen`` comes first on every page.
    """
    choice = chosen_model()
    known, place = st.session_state.get("model_place", (None, None))
    if known != choice:
        place = _place(choice)
    return shelf().get(place) or shelf().put(place, _load(choice))


def fetch_chosen(_: Translate, *, first_sign: DeltaGenerator | None = None) -> Encoder:
    """The chosen encoder; a hub model that is not here yet is offered, then fetched with progress.

    first_sign : a page's own sign of progress, taken away before anything else is said.
    Ends the page's run until it is here. Raises ModelFilesError where it can't be had.
    """
    choice = chosen_model()
    place = _place(choice)
    encoder = shelf().get(place) if place is not None else None
    if encoder is None and choice.is_bundled and place is not None:
        encoder = shelf().put(place, _load(choice))
    if encoder is None:
        if first_sign is not None:
            first_sign.empty()
        encoder = _in_a_job(choice, _, is_here=place is not None)
        place = _place(choice)
        encoder = shelf().put(place, encoder)
    st.session_state["model_place"] = (choice, place)
    return encoder


def _in_a_job(choice: ModelChoice, _: Translate, *, is_here: bool) -> Encoder:
    """Fetch or read it, with progress and cancel."""
    if not is_here:
        if not choice.is_bundled:
            read_model_limits().refuse_name(choice.name)  # before anything is offered
        if choice not in st.session_state.get("wanted_models", set()):
            _offer(choice, _)

    def work(report: jobs.Report) -> Encoder:
        made = _load(choice, None if is_here else report)
        made.read_files(report)
        return made

    what = _("Reading {name}") if is_here else _("Fetching {name}")
    try:
        made: Encoder = jobs.wait_for(
            f"model-{choice}",
            work,
            _,
            what.format(name=choice.name),
            lane="model",
            amount=partial(readable_bytes, decimals=1),
            cancelled=_("Cancelled. What has arrived is kept; start again when you like."),
        )
    except Exception:  # it is offered again, not tried again
        st.session_state.setdefault("wanted_models", set()).discard(choice)
        raise
    return made


def _place(choice: ModelChoice) -> tuple[str, str] | None:
    """What names a copy in memory, its folder and precision; None where it is not here."""
    if choice.is_folder:
        return str(folder_of(choice.name).resolve()), choice.dtype
    if choice.is_bundled:
        return (BUNDLED, choice.dtype) if is_here(BUNDLED) else None
    kept = cached_model(choice.name, revision=choice.revision or None)
    return None if kept is None else (str(kept), choice.dtype)


@st.cache_resource(max_entries=1, show_spinner=False)
def shelf() -> ModelShelf:
    """The server's one shelf."""
    return ModelShelf(read_model_limits().memory_megabytes * MEGABYTE)


def _load(choice: ModelChoice, report: jobs.Report | None = None) -> Encoder:
    """Load it; without a report from this machine alone, at the commit that is here."""
    revision = choice.revision or None
    if report is None and not choice.is_bundled and not choice.is_folder:
        kept = cached_model(choice.name, revision=revision)
        revision = kept.name if kept is not None else revision
    return load_encoder(choice.name, revision=revision, dtype=choice.dtype, progress=report)


def _offer(choice: ModelChoice, _: Translate) -> NoReturn:
    known = {suggestion.name: suggestion for suggestion in suggestions()}
    size = _size(known[choice.name]) if choice.name in known else None
    st.info(
        _("{name} is not on this machine yet; it would be fetched from the hub, once.").format(
            name=f"`{choice.name}`"
        )
    )
    st.button(
        _("Fetch it ({size})").format(size=size) if size else _("Fetch it"),
        key="fetch-model",
        type="primary",
        icon=":material/download:",
        on_click=_want,
        args=(choice,),
    )
    st.stop()


def offer_again(error: Exception, _: Translate) -> None:
    """Under a refusal's error: a button that fetches or reads the chosen model once more.

    None where the same answer would come: the machine or the operator refuses, not the model.
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


def _about(one: Suggestion, _: Translate) -> str:
    licence = _("not stated") if one.licence == NOT_STATED else one.licence
    parts = [lessons(_)[one.name], _("Licence: {licence}.").format(licence=licence)]
    if one.needs_conversion:
        parts.append(_("Only as pickle on the hub: it has to be converted once."))
    return " ".join(parts)


def _size(one: Suggestion) -> str:
    return f"{one.megabytes:,} MB"
