"""Parts of a page that are computed when the reader opens them."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import streamlit as st

from .page_state import is_first_in_visit


@contextmanager
def folded(label: str, *, key: str, icon: str | None = None) -> Iterator[bool]:
    """An expander that is computed only if open, and stays open on return: yields whether it is."""
    state = st.session_state
    opened = state.setdefault("opened", {})
    place = f"{state.get('page')}/{key}"
    if is_first_in_visit(f"part {key}") and place in opened:
        state[key] = opened[place]
    box = st.expander(label, key=key, icon=icon, on_change="rerun")
    opened[place] = bool(box.open)
    with box:
        yield bool(box.open)


def show_folded(
    label: str,
    key: str,
    show: Callable[..., None],
    *values: object,
    icon: str | None = None,
    parameters: Iterable[str] = (),
) -> None:
    """A folded part, open at first if the address has a value for one of its parameters."""
    if any(name in st.query_params for name in parameters):
        st.session_state.setdefault(key, True)
    with folded(label, key=key, icon=icon) as is_open:
        if is_open:
            show(*values)
