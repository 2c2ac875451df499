"""Points that the reader has found by their text, clicked, or selected with the lasso."""

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import numpy as np
import streamlit as st

from geometry import Cloud
from geometry.explore import SearchError, find_texts, nearest_rows
from geometry.explore.search import MOST_CHARACTERS, MOST_REPEATS, SECONDS
from geometry.projection.panel import Marks

from .address import number_in_url, of_rows, put_in_url
from .cache import kept
from .classroom.visit import SELECTED, lead, teachers_points
from .controls import act_button
from .corpus_cloud import CorpusCloud, encoded_texts, row_cells, row_numbers
from .downloads import csv_bytes, offer_csv
from .draw.twin_cloud import has_no_webgl2
from .words import _, markdown, names, short_line

TYPED = "~"  # before a sentence whose nearest texts are meant
NEAREST = 20  # of them
MOST_RINGED = 500  # hits with a ring each
LONGEST = 160  # characters of a quoted text at most
MAX_ROWS = 500  # rows of the table at most
SENT = "selection-is-sent"  # whether the pictures are to select them
LONGEST_SELECTION = 1_500  # characters of selected rows in the address
RANGES = re.compile(r"[0-9]{1,7}(-[0-9]{1,7})?(,[0-9]{1,7}(-[0-9]{1,7})?)*")


def choose_point(points: CorpusCloud) -> int | None:
    """The chosen row: by search here, by a click in a picture, or from the address."""
    label = _("Find a point by its text")
    hint = _("a word of the text")
    about = _(
        "A word or phrase; a regular expression between slashes, as /colou?r/; the number of a "
        "row, as #12; or a sentence after ~, for the {n} texts nearest to it by the model. Every "
        "hit is marked in the pictures."
    ).format(n=NEAREST)
    query = st.text_input(label, key="find", bind="query-params", placeholder=hint, help=about)
    try:
        rows = found_rows(points)
        row = chosen_row(points)
    except SearchError as error:
        st.warning(_problem(error))
        return chosen_row(points)
    if not query.strip():
        return row
    if not rows:
        st.info(_("No point matches “{query}”.").format(query=short(query)))
        return row
    if row not in rows:  # of many hits none is chosen: its neighbours would take a while
        row = rows[0] if _have_rings(rows) else None
    at = -1 if row is None else rows.index(row)
    said = _("{n} found. The others are grey.")
    text = ""
    if row is not None:
        said = _("{place} of {n}: {text}")
        text = short(points.cloud.texts[row])
    st.markdown(said.format(place=f"{at + 1:,}", n=f"{len(rows):,}", text=text))
    before, after = rows[max(at, 0) - 1], rows[(at + 1) % len(rows)]
    with st.container(horizontal=True):
        act_button(_("Previous hit"), "found-before", "chevron_left", _choose_found, before)
        act_button(_("Next hit"), "found-after", "chevron_right", _choose_found, after)
        if st.button(_("Select all {n}").format(n=f"{len(rows):,}"), key="select-found"):
            select_rows(points.shared_key, np.sort(rows))
    if row is not None:
        _choose_found(row)
    return row


def _choose_found(row: int) -> None:
    """Choose a hit; the search stays."""
    st.session_state["point"] = row
    put_in_url("point", str(row))


def _problem(error: SearchError) -> str:
    wrong = _("This is not a regular expression. Search for a phrase without the slashes.")
    sentences = {
        "typed": _(
            "A sentence is searched by a model, and these points have none or are no sentences. "
            "Search for a phrase."
        ),
        "large": _(
            "This regular expression has more than {most} characters, too many levels, or a call "
            "of itself. Write a simpler one, or search for a phrase."
        ),
        "repeats": _(
            "This regular expression repeats its parts more than {n} times. Write a simpler one, "
            "or search for a phrase."
        ),
        "slow": _(
            "This regular expression took longer than {seconds} s and was ended. Write a simpler "
            "one, or search for a phrase."
        ),
    }
    return sentences.get(error.code, wrong).format(
        n=f"{MOST_REPEATS:,}", most=f"{MOST_CHARACTERS:,}", seconds=f"{SECONDS:g}"
    )


def found_rows(points: CorpusCloud) -> list[int]:
    """The rows whose text is meant; none without a search. Raises SearchError."""
    query = st.session_state.get("find", "").strip()
    sentence = query.removeprefix(TYPED).strip()
    if not query.startswith(TYPED) or not sentence:
        return _found(points, query)
    if points.model is None or points.cloud.unit != "sentences":
        raise SearchError("typed", "these points have no model that encodes sentences")
    return _near(points, encoded_texts(points, (sentence,)))


@kept(16)
def _found(points: CorpusCloud, query: str) -> list[int]:
    numbers = row_numbers(points.cloud)
    return find_texts(points.cloud.texts, query, numbers=numbers).tolist()


@kept(16)
def _near(points: CorpusCloud, vectors: np.ndarray) -> list[int]:
    return [*map(int, nearest_rows(points.vectors, vectors[0], NEAREST))]


def _hits(points: CorpusCloud) -> list[int]:
    with suppress(SearchError):  # ``choose_point`` says what is wrong
        return found_rows(points)
    return []


def many_found(points: CorpusCloud) -> np.ndarray | None:
    """(n,) True for the hits, where they are too many for rings: the others turn grey."""
    rows = _hits(points)
    if _have_rings(rows):
        return None
    found = np.zeros(len(points.cloud), dtype=bool)
    found[rows] = True
    return found


def found_marks(points: CorpusCloud) -> list[Marks]:
    """Rings around the hits of the search, unless there are too many."""
    rows = _hits(points)
    return [Marks(rows, "dot", _("found"))] if rows and _have_rings(rows) else []


def _have_rings(rows: Sequence[int]) -> bool:
    return len(rows) <= MOST_RINGED or has_no_webgl2()  # Plotly draws no grey points


def chosen_marks(points: CorpusCloud, chosen: int | None) -> list[Marks]:
    """Rings around the points that the search found, the teacher's selection and the chosen one."""
    found = found_marks(points)
    if shown := teachers_points(points.shared_key):
        found.append(Marks(list(shown), "circle", _("selected by the teacher")))
    return found if chosen is None else [*found, Marks([chosen], "circle", _("chosen point"))]


def short(text: str) -> str:
    return markdown(short_line(text, LONGEST))


def chosen_row(points: CorpusCloud) -> int | None:
    """The last row that was clicked, or else the row in the address."""
    key = points.shared_key
    state = st.session_state
    if state.setdefault("point-of", key) != key:  # the row is another point here
        state["point-of"], state["point"] = key, None
    elif "point" not in state:
        state["point"] = number_in_url("point") if of_rows("point") else None
    row: int | None = state["point"]
    row = None if row is None or row >= len(points.cloud) else row
    put_in_url("point", None if row is None else str(row))
    return row


def choose_row(row: int) -> None:
    st.session_state["point"] = row
    st.session_state["find"] = ""


def store_selection(key: str, rows: Sequence[int] | np.ndarray) -> None:
    """Store the selected rows with the ``shared_key`` of their cloud."""
    st.session_state[SELECTED] = (key, np.asarray(rows, dtype=np.int64))
    st.session_state.pop(SENT, None)  # the pictures have them already
    lead()


def select_rows(key: str, rows: np.ndarray) -> None:
    """As ``store_selection``, of rows that the pictures have not selected by themselves."""
    store_selection(key, rows)
    st.session_state[SENT] = True


def selected_rows(key: str) -> np.ndarray:
    """The selected rows of the cloud of this ``shared_key``, ascending."""
    of, rows = st.session_state.get(SELECTED, ("", ()))
    return np.asarray(rows if of == key else (), dtype=np.int64)


def sent_selection(points: CorpusCloud) -> np.ndarray | None:
    """The rows of a link or a search, which the pictures are to select; None if they have them."""
    key = points.shared_key
    linked = of_rows("selected")
    if SELECTED not in st.session_state and linked:
        select_rows(key, rows_of_text(linked, len(points.cloud)))
    rows = selected_rows(key)
    text = rows_as_text(rows)
    put_in_url("selected", text if 0 < len(text) <= LONGEST_SELECTION else None)
    is_here = st.session_state.get(SELECTED, ("",))[0] == key
    return rows if is_here and st.session_state.get(SENT) else None


def rows_as_text(rows: np.ndarray) -> str:
    """Ascending rows for the address, as 3-7,12."""
    if not len(rows):
        return ""
    parts = np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1)
    return ",".join(f"{part[0]}" if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def rows_of_text(text: str, n: int) -> np.ndarray:
    """The rows that ``rows_as_text`` has written, of n; none for anything else."""
    chosen = np.zeros(n, dtype=bool)
    if len(text) <= LONGEST_SELECTION and RANGES.fullmatch(text):
        for part in text.split(","):
            low, _dash, high = part.partition("-")
            chosen[int(low) : int(high or low) + 1] = True
    return np.flatnonzero(chosen)


def show_selection(cloud: Cloud, key: str) -> None:
    rows = selected_rows(key)
    if not rows.size:
        return
    with st.expander(_("Points selected: {n}").format(n=f"{len(rows):,}"), key="selected-points"):
        table = {_("text"): [cloud.texts[row] for row in rows[:MAX_ROWS]]}
        if cloud.labels is not None:
            names, counts = np.unique(np.asarray(cloud.labels)[rows], return_counts=True)
            order = np.argsort(-counts, kind="stable")
            st.caption(markdown(" · ".join(f"{names[i]} {counts[i]}" for i in order)))
            table[_("label")] = [cloud.labels[row] for row in rows[:MAX_ROWS]]
        st.dataframe(table, height=240, width="stretch")
        if len(rows) > MAX_ROWS:
            st.caption(_("The first {n} are listed.").format(n=MAX_ROWS))
        if len(rows_as_text(rows)) > LONGEST_SELECTION:
            st.caption(_("A link does not have this selection, because it is too long."))
        offer_csv(_("Download selection (CSV)"), "selection", partial(_csv, cloud, rows))


def _csv(cloud: Cloud, rows: np.ndarray) -> bytes:
    return csv_bytes(["row", "text", "label"], row_cells(cloud, rows), names("units")[cloud.unit])
