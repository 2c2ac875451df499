"""What is unusual about a cloud of vectors: findings with their numbers, each by a stated rule."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..linalg.moments import Moments
from ..linalg.spectrum import Spectrum
from ..measure import cosine_contributions
from ..measure.cone import NARROW
from ..measure.intervals import MIN_ROWS
from ..measure.table import Measured, measure_table
from ..transform.whitening_map import MIN_ROWS_PER_DIMENSION

State = Literal["found", "slight", "none", "unknown"]
Quoted = float | tuple[int, ...] | None
TOP = 5  # dimensions whose shares of the mean cosine are added up
MOST_OF_IT = 0.5  # share of the mean cosine from which they are called rogue
HUBS = 1.0  # skewness of the k-occurrence from which a few rows are neighbours of many
SPREADS = 5.0  # an outlier is farther than this many robust standard deviations from the median
MAD_OF_NORMAL = 1.4826  # standard deviation of a normal over its median absolute deviation
FIRST_FEW = 5
MEASURES = ("mean_cosine", "opening_angle", "top_5_contributions", "effective_rank", "hubness")


@dataclass(frozen=True)
class Finding:
    """One question about the cloud and its answer.

    Attributes
    ----------
    code : str
        "cone", "rogue", "rank", "hubs", "duplicates" or "outliers".
    state : str
        "found", "slight", "none", or "unknown" where there are too few rows.
    numbers : mapping of str to number, tuple of int, or None
        What the sentence of this finding quotes.
    """

    code: str
    state: State
    numbers: Mapping[str, Quoted]


def find_all(
    X: np.ndarray,
    rows: np.ndarray,
    sample: np.ndarray,
    *,
    texts: Sequence[str] | None,
    units: np.ndarray | None = None,
    seed: int,
) -> tuple[Finding, ...]:
    """Every finding of X: copies among the ``rows`` that are not zero, all else in the sample."""
    S, U = X[sample], None if units is None else units[sample]
    table = {row.name: row for row in measure_table(S, names=MEASURES, seed=seed, units=U)}
    found = [
        _cone(table),
        _rogue(S, table),
        _rank(S, len(rows), table["effective_rank"]),
        _hubs(table["hubness"]),
        _outliers(S, sample),
    ]
    if len(sample) < len(rows):
        found = [replace(each, numbers={**each.numbers, "sample": len(sample)}) for each in found]
    if U is not None:
        n_units = len(np.unique(U))
        found = [replace(each, numbers={**each.numbers, "units": n_units}) for each in found]
    return (*found[:-1], _duplicates(X, rows, texts), found[-1])


def copies(X: np.ndarray, texts: Sequence[str] | None = None) -> np.ndarray:
    """(n,) the first row that equal texts or exactly equal vectors connect with each row."""
    rows = np.ascontiguousarray(X) + 0.0  # -0.0 becomes 0.0
    whole = rows.view(np.dtype((np.void, rows.strides[0]))).ravel()
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    same = first[place.ravel()]
    if texts is None:
        return np.asarray(same)
    of_text: dict[str, int] = {}
    by_text = np.array([of_text.setdefault(text, row) for row, text in enumerate(texts)])
    return connected(same, by_text, np.arange(len(same)))


def connected(first: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """For each row, the first of all rows that copies and pairs connect with it, (n,)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(first)
    starts, ends = np.append(left, np.arange(n)), np.append(right, first)
    graph = coo_array((np.ones(len(starts), dtype=bool), (starts, ends)), shape=(n, n))
    found = connected_components(graph, directed=False)[1]
    return np.asarray(np.unique(found, return_index=True)[1][found])


def _cone(table: Mapping[str, Measured]) -> Finding:
    cosine, angle = table["mean_cosine"], table["opening_angle"]
    state: State = "unknown"
    if cosine.low is not None:
        state = "found" if cosine.low >= NARROW else "slight" if cosine.low > 0 else "none"
    angles = {"angle": angle.value, "angle_low": angle.low, "angle_high": angle.high}
    return Finding("cone", state, {**_numbers(cosine), **angles, "limit": NARROW})


def _rogue(X: np.ndarray, table: Mapping[str, Measured]) -> Finding:
    """The finding "rogue"; unknown without a mean cosine, because shares are then rounding."""
    share, cosine = table["top_5_contributions"], table["mean_cosine"]
    if cosine.low is None:
        return Finding("rogue", "unknown", {"top": TOP, "least": MIN_ROWS})
    if cosine.low <= 0 or share.low is None or X.shape[1] <= TOP:
        return Finding("rogue", "none", {"top": TOP, "value": None})
    largest = np.argsort(-cosine_contributions(X))[:TOP]
    is_rogue = share.low > max(MOST_OF_IT, share.baseline or 0.0)
    numbers = {**_numbers(share), "top": TOP, "dimensions": tuple(map(int, largest))}
    return Finding("rogue", "found" if is_rogue else "none", numbers)


def _rank(X: np.ndarray, n: int, effective: Measured) -> Finding:
    d = X.shape[1]
    spectrum = Spectrum(Moments.of(X), float(np.finfo(X.dtype).eps))
    rank = spectrum.shrunk(0.0, correlation=False).rank
    enough = MIN_ROWS_PER_DIMENSION * d
    state: State = "none" if n >= enough else "slight" if n > d else "found"
    numbers = {"n": n, "d": d, "ratio": n / d, "rank": rank, "effective": effective.value}
    return Finding("rank", state, {**numbers, "enough": enough})


def _hubs(hubness: Measured) -> Finding:
    state: State = "unknown"
    if hubness.low is not None:
        chance = max(HUBS, hubness.baseline or 0.0)
        state = "found" if hubness.low > chance else "none"
    return Finding("hubs", state, _numbers(hubness))


def _duplicates(X: np.ndarray, rows: np.ndarray, texts: Sequence[str] | None) -> Finding:
    # hashes, because sorting a million rows takes a copy of them; -0.0 becomes 0.0
    different = {hashlib.blake2b((X[row] + 0.0).tobytes(), digest_size=16).digest() for row in rows}
    equal_vectors = len(rows) - len(different)
    equal_texts = None if texts is None else len(rows) - len({texts[row] for row in rows})
    state: State = "found" if equal_vectors or equal_texts else "none"
    return Finding(
        "duplicates", state, {"vectors": equal_vectors, "texts": equal_texts, "n": len(rows)}
    )


def _outliers(X: np.ndarray, numbers: np.ndarray) -> Finding:
    """Rows whose length, or whose distance from the mean, is far from that of the other rows."""
    rows = X.astype(np.float64)
    by_length = _far_off(np.linalg.norm(rows, axis=1))
    by_distance = _far_off(np.linalg.norm(rows - rows.mean(axis=0), axis=1))
    found = np.flatnonzero(by_length | by_distance)
    quoted: dict[str, Quoted] = {
        "value": len(found),
        "length": int(by_length.sum()),
        "distance": int(by_distance.sum()),
        "rows": tuple(map(int, numbers[found[:FIRST_FEW]])),
        "spreads": SPREADS,
        "n": len(X),
    }
    state: State = "unknown" if len(X) < MIN_ROWS else "found" if len(found) else "none"
    return Finding("outliers", state, quoted)


def _far_off(values: np.ndarray) -> np.ndarray:
    """(n,) True where a value is more than SPREADS robust standard deviations off the median."""
    middle = np.median(values)
    off = np.abs(values - middle)
    spread = MAD_OF_NORMAL * np.median(off)
    # lengths that agree to rounding have no outliers; float32 rounds at 1e-7
    return np.asarray(off > SPREADS * max(spread, 1e-6 * middle))


def _numbers(row: Measured) -> dict[str, Quoted]:
    return {
        "value": row.value,
        "low": row.low,
        "high": row.high,
        "baseline": row.baseline,
        "least": MIN_ROWS,
    }
