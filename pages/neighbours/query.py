"""The point or the text whose neighbours are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Cloud, Encoder
from pages.common import jobs
from pages.common.address import put_in_url
from pages.common.cache import kept
from pages.common.corpus_cloud import CorpusCloud
from pages.common.draw.selected import chosen_row
from pages.common.escape import markdown
from pages.common.fit_set import SPLIT
from pages.common.words import _

MATCHES = 50  # points that a search lists at most
LONGEST = 1_000  # characters of a typed text at most


@dataclass(frozen=True)
class Query:
    """A point or a typed text, whose neighbours are shown.

    Attributes
    ----------
    text : str
    vector : (1, d) array
        Its vector before the treatment.
    row : int or None
        The row of a point, which is not counted among its own neighbours. None for a typed text.
    """

    text: str
    vector: np.ndarray
    row: int | None = None


def row_numbers(cloud: Cloud) -> np.ndarray:
    """(n,) the row of each point in its file, from 0; for word pieces the place in the cloud."""
    return cloud.sources if cloud.unit in ("sentences", "vectors") else np.arange(len(cloud))


def choose_query(
    points: CorpusCloud, fit_code: str, *, search: DeltaGenerator, matches: DeltaGenerator
) -> Query:
    """The point of a click, of the address or of a search; by default the first point.

    The search is by text or row number. With an encoder the typed text can be the query.

    Parameters
    ----------
    points : CorpusCloud
        The points that are searched.
    fit_code : str
        "split" if they are half of all points.
    search : DeltaGenerator
        The box of the search.
    matches : DeltaGenerator
        The box of what it finds.
    """
    row = chosen_row(points)
    with search:
        words = st.text_input(
            _("Search by text or row number"),
            key="find",
            bind="query-params",
            placeholder=_("a word, a sentence or a number"),
            max_chars=LONGEST,
        ).strip()
    can_encode = points.model is not None and points.cloud.unit == "sentences"
    rows = rows_with(words, points.cloud) if words else []
    numbers = row_numbers(points.cloud)
    missing = _missing_row(words, points)
    with matches:
        if words and can_encode and ((not rows and not missing) or _is_typed()):
            return Query(words, encoded_texts(points, (words,)))
        if missing or (words and not rows):
            message = missing or _("None of the {n} texts searched contains “{query}”.").format(
                n=f"{len(points.cloud):,}", query=markdown(words)
            )
            if fit_code == SPLIT:
                message += " " + _(
                    "To search all points, choose “these points” or another corpus at *Fit on*."
                )
            st.info(message)
        if rows:
            listed = rows[:MATCHES]
            row = st.selectbox(
                _("{n} found; the first {shown}").format(n=f"{len(rows):,}", shown=len(listed)),
                listed,
                index=listed.index(row) if row in listed else 0,
                format_func=lambda row: f"{numbers[row] + 1}: {points.cloud.texts[row]}",
            )
            st.session_state["point"] = row
            put_in_url("point", str(row))
    row = 0 if row is None else row
    return Query(points.cloud.texts[row], points.vectors[[row]], row)


def _is_typed() -> bool:
    return bool(
        st.toggle(_("Search for neighbours of the typed text"), key="typed", bind="query-params")
    )


def _missing_row(words: str, points: CorpusCloud) -> str:
    """A message if the words are the number of a row that is not searched; else empty."""
    if not _is_number(words):
        return ""
    number, numbers = int(words[:9]), row_numbers(points.cloud)
    if np.any(numbers == number - 1):
        return ""
    last = len(points.cloud) if points.cloud.unit == "tokens" else len(points.corpus)
    if not 1 <= number <= last:
        return _("Rows go from 1 to {n}.").format(n=f"{last:,}")
    return _("Row {row} is not among the {n} points searched.").format(
        row=f"{number:,}", n=f"{len(numbers):,}"
    )


def _is_number(words: str) -> bool:
    return words.isascii() and words.isdigit()


def rows_with(words: str, cloud: Cloud) -> list[int]:
    """The points whose text contains the words. The point with that row number comes first."""
    needle = words.casefold()
    found = [row for row, text in enumerate(cloud.texts) if needle in text.casefold()]
    if _is_number(words):
        numbered = np.flatnonzero(row_numbers(cloud) == int(words[:9]) - 1)
        found = list(dict.fromkeys([*map(int, numbered), *found]))
    return found


def encoded_texts(points: CorpusCloud, texts: Sequence[str]) -> np.ndarray:
    """Vectors (m, d) of other texts, by the model, layer and pooling of the points.

    As a job, because a large model takes more than a second.
    """
    spec = points.spec
    return jobs.kept_or_made(
        _encoded,
        *(points.encoder, tuple(texts), spec.layer, spec.pooling, spec.special_tokens),
        what=_("Encoding {n} sentences").format(n=f"{len(texts):,}"),
    )


@kept(50, by_session=True)
def _encoded(
    encoder: Encoder,
    texts: tuple[str, ...],
    layer: int | str,
    pooling: str,
    special_tokens: bool,
    report: jobs.Progress = jobs.no_report,
) -> np.ndarray:
    return encoder.encode(
        texts, layer=layer, pooling=pooling, special_tokens=special_tokens, progress=report
    )
