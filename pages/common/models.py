"""The encoder of all pages: chosen in the sidebar, fetched on request, shared by all sessions."""

import os
import threading
from collections import OrderedDict
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn
from urllib.parse import urlsplit

import streamlit as st

from geometry import Encoder, VectorTable, load_encoder
from geometry.data.limits import MEGABYTE
from geometry.encode.encoder import WordEncoder
from geometry.encode.load import bundled_is_here, folder_of, names_a_folder
from geometry.encode.precision import DTYPES
from geometry.errors import readable_bytes
from geometry.hub.bundled import BUNDLED, E5, E5_NAME
from geometry.hub.catalogue import NOT_STATED, PREFIXES, default_prefix, suggestions
from geometry.hub.errors import OperatorFileError
from geometry.hub.fetch import cached_model
from geometry.hub.model_files import folder_bytes
from geometry.hub.operator_limits import ModelLimits, read_model_limits
from geometry.vectors import read_bundled_vectors

from . import jobs
from .cache import kept
from .controls import act_button, choose
from .messages import cancelled_download
from .page_state import forget_layers
from .words import _, code, markdown, names, noted, paragraph

GLOVE = "bundled-glove"  # word vectors, as an encoder of no layers
# errors that every new try would raise
FINAL = ("not_allowed", "invalid_name", "no_bfloat16", "absent_bundled")
PREFIX_OF = {each.strip(" :") or "none": each for each in PREFIXES}  # by its word in the address
LOOPBACK = ("localhost", "127.0.0.1", "::1")
# A proxy adds one of these headers, or one that begins with X-Forwarded-, to what it forwards.
FORWARDED = ("forwarded", "via", "x-real-ip", "cf-connecting-ip")
WARM_UP_AFTER = 10.0  # seconds after the server's start; the first pictures are drawn then
WARM_UP_VARIABLE = "NARROW_CONE_ENCODER_WARM_UP"  # "0" turns it off


def model_rules() -> ModelLimits:
    """The limits of narrow-cone.toml; by default a server of this machine only reads folders."""
    rules = read_model_limits()
    if rules.local_folders is not None:
        return rules
    return replace(rules, local_folders=_is_for_this_machine())


def _is_for_this_machine() -> bool:
    """Whether the server listens on this machine only, and the visit came through no proxy."""
    headers = st.context.headers
    names = [name.lower() for name in headers]
    if any(name in FORWARDED or name.startswith("x-forwarded-") for name in names):
        return False
    hosts = [st.get_option("server.address")]
    try:
        if "Host" in headers:
            hosts.append(urlsplit(f"//{headers['Host']}").hostname)
    except ValueError:
        return False
    return all(each in LOOPBACK for each in hosts)


@kept(1)
def glove_table() -> VectorTable:
    return read_bundled_vectors("glove")


def glove_name() -> str:
    return _("GloVe 6B, {n} words (bundled)").format(n="40,000")


USED = "used-models"  # key of the session's state: by name, choices that are not bundled


@dataclass(frozen=True)
class ModelChoice:
    name: str = BUNDLED  # or a name on the Hugging Face Hub, or a folder of the server
    revision: str = ""  # the main branch
    dtype: str = DTYPES[0]
    prefix: str = ""  # before each text

    @property
    def is_bundled(self) -> bool:
        return self.name == BUNDLED

    @property
    def is_in_project(self) -> bool:
        return self.name in bundled_names()

    def is_folder(self, rules: ModelLimits) -> bool:
        return not self.is_in_project and names_a_folder(self.name, rules)


def bundled_names() -> dict[str, str]:
    e5 = {E5: E5_NAME} if bundled_is_here(E5) else {}
    return {BUNDLED: "all-MiniLM-L6-v2", **e5, GLOVE: "GloVe 6B"}


def other_encoder(code: str) -> Encoder:
    """A bundled one, or one that the reader has chosen before (USED)."""
    used = st.session_state.get(USED, {})
    choice = used.get(code) or ModelChoice(code, prefix=default_prefix(code))
    return _on_shelf(choice, _checked_rules(choice))


def warm_up() -> None:
    """Import torch and transformers in the background, so that no first encoding waits 6 s."""
    if os.environ.get(WARM_UP_VARIABLE) != "0" and bundled_is_here():
        timer = threading.Timer(WARM_UP_AFTER, lambda: load_encoder().encode(["."]))
        timer.daemon = True
        timer.start()


def select_model() -> None:
    known = {suggestion.name: suggestion for suggestion in suggestions()}
    by_caption = {shown: code for code, shown in bundled_names().items()}
    if named := by_caption.get(st.query_params.get("model", "")):
        st.query_params["model"] = named
    bundled = _("{model} (bundled)")
    labels = {code: bundled.format(model=name) for code, name in bundled_names().items()}
    labels |= {name: noted(name.rpartition("/")[2], _size(name)) for name in known}
    typed = _(
        "Choose a model, or type the name of any model on the Hugging Face Hub or the path of a "
        "folder of this machine."
    )
    how: dict[str, Any] = {"on_change": _reset_revision_and_layers, "help": typed}
    name = choose(st.selectbox, _("Model"), labels, key="model", accept_new_options=True, **how)
    if about := names("models").get(name):
        terms = [about]
        if name in known:
            licence = known[name].licence
            licence = _("not stated") if licence == NOT_STATED else licence
            terms.append(_("Licence: {licence}.").format(licence=licence))
            pickle = _("The Hugging Face Hub has its weights only as pickle. Convert them once.")
            if known[name].needs_conversion:
                terms.append(pickle)
        st.caption(paragraph(terms))
    if name.strip() in ("", BUNDLED, GLOVE):
        return
    with suppress(OperatorFileError):  # require_model shows this error in the page's body
        if name != E5 and not names_a_folder(name, model_rules()):
            label = _("Revision: branch, tag or commit")
            st.text_input(
                label,
                key="revision",
                placeholder="main",
                bind="query-params",
                on_change=forget_layers,
            )
    box = st.segmented_control
    precise = _(
        "bfloat16 is approximate. On most processors that multiply in it, it is faster. All "
        "quoted figures were measured in float32."
    )
    choose(box, _("Precision"), DTYPES, key="dtype", required=True, help=precise)
    if usual := default_prefix(name):  # only for models whose card names a prefix
        label = _("Prefix of each text")
        prefixes = {
            code: _("“{text}”").format(text=each) if each else _("no prefix")
            for code, each in PREFIX_OF.items()
        }
        trained = _(
            "E5 models were trained with “query: ” or “passage: ” before each text. Their card "
            "recommends “query: ” where texts are compared with each other."
        )
        usual = usual.strip(" :")
        choose(box, label, prefixes, key="prefix", default=usual, required=True, help=trained)


def _reset_revision_and_layers() -> None:
    st.session_state["revision"] = ""
    forget_layers()


def choose_model(name: str) -> None:
    st.session_state["model"] = name
    _reset_revision_and_layers()


def chosen_model() -> ModelChoice:
    name = (st.session_state.get("model") or "").strip() or BUNDLED
    if name in (BUNDLED, GLOVE):
        return ModelChoice(name)
    is_folder = name == E5 or names_a_folder(name, model_rules())
    revision = "" if is_folder else st.session_state.get("revision") or ""
    dtype = st.session_state.get("dtype") or DTYPES[0]
    usual = default_prefix(name)
    prefix = PREFIX_OF.get(st.session_state.get("prefix") or "", usual) if usual else ""
    return ModelChoice(name, revision.strip(), dtype, prefix)


def current_encoder() -> Encoder:
    """The chosen encoder, which ``fetch_chosen`` has put on this machine, or ModelFilesError."""
    choice = chosen_model()
    rules = _checked_rules(choice)
    known, place = st.session_state.get("model_place", (None, None))
    if known not in (None, choice):  # chosen within a fragment: the sidebar has to be drawn again
        st.rerun()
    if known != choice:
        place = _place(choice, rules)
    return shelf().get(place) or shelf().put(place, _load(choice, rules))


def fetch_chosen() -> Encoder:
    """The chosen encoder. Until it is here, the page's run ends with an offer to fetch it."""
    choice = chosen_model()
    rules = _checked_rules(choice)
    encoder = _on_shelf(choice, rules)
    if not choice.is_in_project:
        st.session_state.setdefault(USED, {})[choice.name] = choice
        rules.refuse_size(choice.name, folder_bytes(encoder.folder))
        rules.refuse_width(choice.name, encoder.widest)
    st.session_state["model_place"] = (choice, _place(choice, rules))
    return encoder


def _on_shelf(choice: ModelChoice, rules: ModelLimits) -> Encoder:
    """The model, read or fetched if need be: in a job, unless it is bundled and quickly read."""
    place = _place(choice, rules)
    is_here = place is not None
    if (known := shelf().get(place)) is not None:
        return known
    if is_here and choice.is_in_project and choice.name != E5:
        return shelf().put(place, _load(choice, rules))
    if not is_here and choice not in st.session_state.get("wanted_models", set()):
        _offer(choice)

    def work(report: jobs.Progress) -> Encoder:
        made = _load(choice, rules, None if is_here else report)
        made.read_files(report)
        return made

    what = _("Reading {name}") if is_here else _("Downloading {name}")
    what = what.format(name=markdown(bundled_names().get(choice.name, choice.name)))
    cancelled = cancelled_download()
    amount = partial(readable_bytes, decimals=1)
    try:
        made = jobs.wait_for(
            f"model-{choice}", work, what, lane="model", amount=amount, cancelled=cancelled
        )
    except Exception:  # the next run offers the download again
        st.session_state.setdefault("wanted_models", set()).discard(choice)
        raise
    return shelf().put(_place(choice, rules), made)


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


class ModelShelf:
    """Encoders in memory, one copy for all sessions; the least used goes beyond the budget."""

    def __init__(self, budget_bytes: int) -> None:
        self.budget_bytes = budget_bytes
        self._encoders: OrderedDict[Hashable, tuple[Encoder, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Encoder | None:
        with self._lock:
            if key not in self._encoders:
                return None
            self._encoders.move_to_end(key)
            return self._encoders[key][0]

    def put(self, key: Hashable, encoder: Encoder) -> Encoder:
        """Store the encoder; returns the one that the key has, which may be an earlier one."""
        size = encoder.memory_bytes  # read once, because its folder may be deleted later
        with self._lock:
            stored, _size = self._encoders.setdefault(key, (encoder, size))
            self._encoders.move_to_end(key)
            while len(self._encoders) > 1 and self.used_bytes > self.budget_bytes:
                self._encoders.popitem(last=False)
            return stored

    @property
    def used_bytes(self) -> int:
        return sum(size for _encoder, size in self._encoders.values())


@st.cache_resource(show_spinner=False)
def shelf() -> ModelShelf:
    return ModelShelf(read_model_limits().memory_megabytes * MEGABYTE)


def _load(choice: ModelChoice, rules: ModelLimits, report: jobs.Progress | None = None) -> Encoder:
    """Load the model. Without ``report``: offline, at the commit that is on this machine."""
    if choice.name == GLOVE:
        return WordEncoder(glove_table())
    revision = choice.revision or None
    if report is None and not choice.is_in_project and not choice.is_folder(rules):
        folder = cached_model(choice.name, revision=revision)
        if folder is not None:
            revision = folder.name
            rules = replace(rules, allow=())  # checked by the revision that the visitor chose
    how: dict[str, Any] = {"dtype": choice.dtype, "prefix": choice.prefix, "limits": rules}
    return load_encoder(choice.name, revision=revision, progress=report, **how)


def _offer(choice: ModelChoice) -> NoReturn:
    size = _size(choice.name)
    said = _(
        "{name} is not on this machine yet. It has to be downloaded once from the Hugging Face Hub."
    )
    st.info(said.format(name=code(choice.name)))
    label = _("Download model ({size})").format(size=size) if size else _("Download model")
    _button(label, "fetch-model", "download", choice, type="primary")
    st.stop()


def offer_again(error: Exception) -> None:
    """A button that tries the model again, unless the machine or the operator refuses it."""
    if getattr(error, "code", "") not in FINAL and not isinstance(error, OperatorFileError):
        _button(_("Try again"), "retry-model", "refresh", chosen_model())


def _button(label: str, key: str, icon: str, choice: ModelChoice, **how: Any) -> None:
    """A button that has the model fetched in the next run."""
    wanted = st.session_state.setdefault("wanted_models", set())
    act_button(label, key, icon, wanted.add, choice, **how)


def _size(model: str) -> str:
    """The megabytes of a suggested model; "" for another."""
    return next((f"{each.megabytes:,} MB" for each in suggestions() if each.name == model), "")
