"""Pairs of a folder on the server's disk, in STS-B's form: its splits, by the operator's rule."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from geometry import CorpusError, ModelFilesError, Pairs
from geometry.data.pairs import read_pair_folder
from geometry.hub.operator_limits import read_model_limits
from pages.common.messages.corpus_errors import error_text
from pages.common.words import Translate

from .pairs import adopt, refusal

KEY = "pairs_folder"


def show_folder_form(_: Translate) -> None:
    """The path, and the button that puts every split on offer."""
    label = _(
        "A folder of this server with STS-B’s files: sts-train.csv, sts-dev.csv, sts-test.csv, or "
        "some of them"
    )
    path = (st.text_input(label, key=KEY) or "").strip()
    if not path:
        return
    try:
        read_model_limits().refuse_folder(path)
        splits = _read(path, _stamp(Path(path)))
    except ModelFilesError:
        st.error(
            _("No folder of this server may be read: its operator’s rule for folders of models.")
        )
    except CorpusError as error:
        st.error(folder_error_text(error, _))
    except OSError:
        st.error(folder_error_text(CorpusError("no_splits", "", path=path), _))
    else:
        _offer(splits, _)


def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """What changes when a file of the folder does."""
    if not folder.is_dir():
        return ()
    told = ((one.name, one.stat()) for one in sorted(folder.iterdir()) if one.is_file())
    return tuple((name, about.st_size, about.st_mtime_ns) for name, about in told)


@st.cache_resource(max_entries=2, show_spinner=False, scope="session")
def _read(path: str, stamp: tuple[tuple[str, int, int], ...]) -> dict[str, Pairs]:
    return read_pair_folder(path)


def _offer(splits: dict[str, Pairs], _: Translate) -> None:
    told = [text for pairs in splits.values() if (text := refusal(pairs, _))]
    if told:
        st.error(told[0])
        return
    st.button(
        _("Use the folder’s pairs"),
        key="use_folder",
        type="primary",
        on_click=adopt,
        args=tuple(splits.values()),  # the test split last: it is chosen
        kwargs={"dev": splits.get("dev")},
    )
    st.caption(" · ".join(f"{pairs.name}: {len(pairs):,}" for pairs in splits.values()))


def folder_error_text(error: CorpusError, _: Translate) -> str:
    """The sentence for a folder; for a file in it as for an upload."""
    details = {name: str(value).replace("`", "'") for name, value in error.details.items()}
    if error.code == "no_splits":
        return _(
            "There is no folder {path}, or no file in it is named for a split. Name them "
            "sts-train.csv, sts-dev.csv and sts-test.csv, or some of these."
        ).format(path=f"`{details['path'][:120]}`")
    if error.code == "two_splits":
        return _(
            "Two files of the folder could both be the split {split}: {files}. Keep one of them."
        ).format(split=details["split"], files=", ".join(error.details["files"]))
    return error_text(error, _)
