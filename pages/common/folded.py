"""Parts of a page that are computed when the reader opens them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st


@contextmanager
def folded(label: str, *, key: str, icon: str | None = None) -> Iterator[bool]:
    """An expander whose content is computed only if it is open.

    Use it as ``with folded(...) as is_open: if is_open: ...``.

    Parameters
    ----------
    label : str
    key : str
        The key of the part. True in the session state opens it.
    icon : str, optional
    """
    box = st.expander(label, key=key, icon=icon, on_change="rerun")
    with box:
        yield bool(box.open)
