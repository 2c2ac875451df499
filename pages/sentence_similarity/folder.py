"""Pairs of a folder on the server's disk, in STS-B's form: its splits, by the operator's rule."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from geometry import CorpusError, ModelFilesError, Pairs
from geometry.data.pairs import read_pair_folder
from geometry.hub.operator_limits import read_model_limits
from pages.common.messages import error_text
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
        st.error(error_text(error, _))
    except OSError as error:
        st.error(
            error_text(CorpusError("unreadable", path=path, reason=error.strerror or str(error)), _)
        )
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
