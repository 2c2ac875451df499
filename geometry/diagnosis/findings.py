"""What is unusual about a cloud of vectors: findings with their numbers, each by a stated rule."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..linalg.moments import Moments
from ..linalg.rows import unit_rows
from ..linalg.spectrum import Spectrum
from ..measure.cone import NARROW, cone_state
from ..measure.cosines import cosine_contributions, rotated_top_contributions
from ..measure.intervals import MIN_ROWS, Estimate
from ..measure.neighbours import nearest_of_all
from ..measure.table import Measured, measure_table

State = Literal["found", "slight", "none", "unknown"]
Quoted = float | tuple[int, ...] | None
TOP = 5  # dimensions whose shares of the mean cosine are added up
MOST_OF_IT = 0.5  # share of the mean cosine, or of the squared length, that makes them large
MUCH_OF_IT = 0.1  # share of the squared length that makes them small
TIMES_MEAN = 5.0  # a dimension has much of the squared length from this many times the mean share
HUBS = 1.0  # skewness of the k-occurrence from which a few rows are neighbours of many
OCCURRED = 10  # nearest rows of each row, among which hubs are counted
HUB_TIMES = 10  # a hub is among them this many times as often as the mean
LARGE_SHARE = 0.05  # of rows, or of places in lists of neighbours
# Full whitening less one with Ledoit-Wolf shrinkage, in points of STS-B: -30 at n = d, -9 at 1.1,
# -2 at 1.5, -1 at 2 and at 0.5, under 1 from 3 (docs/diagnosis.md)
ENOUGH, NEAR_D = 3.0, (0.75, 1.5)  # n/d
SPREADS = 5.0  # an outlier is farther than this many robust standard deviations from the median
MAD_OF_NORMAL = 1.4826  # standard deviation of a normal over its median absolute deviation
FIRST_FEW = 5
MEASURES = ("mean_cosine", "opening_angle", "top_5_contributions", "effective_rank", "hubness")


@dataclass(frozen=True)
class Finding:
    """One question about the cloud and its answer."""

    code: str  #: "cone", "rogue", "rank", "hubs", "duplicates" or "outliers"
    #: "found" (large), "slight" (small), "none", or "unknown" where the rows are too few to say
    state: State
    numbers: Mapping[str, Quoted]  #: what the sentence of this finding quotes
    #: of rows (duplicates, outliers), of places in lists of neighbours (hubs), or of the squared
    #: length (rogue), in [0, 1]
    share: float | None = None
    #: what leaving out these rows or dimensions adds to the score of raw vectors; of the cone and
    #: of n/d, what centring and whitening all directions add
    effect: Estimate | None = None


def find_all(
    X: np.ndarray,
    rows: np.ndarray,
    sample: np.ndarray,
    *,
    texts: Sequence[str] | None,
    units: np.ndarray | None = None,
    numbers: np.ndarray | None = None,
    seed: int,
) -> tuple[tuple[Finding, ...], dict[str, np.ndarray]]:
    """(every finding of X, the rows that "hubs", "duplicates" and "outliers" are about).

    The first outliers are quoted by their ``numbers`` (n,) in the file, which count from 1.
    """
    S = X[sample]
    U = None if units is None else units[sample]
    table = {row.name: row for row in measure_table(S, names=MEASURES, seed=seed, units=U)}
    outliers, far = _outliers(S, sample if numbers is None else numbers[sample] - 1)
    hubs, often = _hubs(S, table["hubness"])
    duplicates, later, n_distinct = _duplicates(X, rows, texts)
    rank = _rank(S, n_distinct, table["effective_rank"])
    more = {"sample": len(sample)} if len(sample) < len(rows) else {}
    if U is not None:
        more["units"] = len(np.unique(U))
    found = [
        replace(each, numbers={**each.numbers, **more})
        for each in (_cone(table), _rogue(S, table), rank, hubs, outliers)
    ]
    members = {"hubs": sample[often], "outliers": sample[far], "duplicates": later}
    return (*found[:-1], duplicates, found[-1]), members


def copies(X: np.ndarray, texts: Iterable[str] | None = None) -> np.ndarray:
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
    cosine = table["mean_cosine"]
    states: dict[str, State] = {"holds": "found", "partly": "slight", "fails": "none"}
    state = states.get(cone_state(cosine.low, cosine.high), "unknown")
    angle = table["opening_angle"]
    angles = {"angle": angle.value, "angle_low": angle.low, "angle_high": angle.high}
    return Finding("cone", state, {**_numbers(cosine), **angles, "limit": NARROW})


def _rogue(X: np.ndarray, table: Mapping[str, Measured]) -> Finding:
    """Dimensions with most of the mean cosine, or with much of the squared length.

    "unknown" without a mean cosine, because shares are then rounding.
    """
    cosine = table["mean_cosine"]
    if cosine.low is None:
        return Finding("rogue", "unknown", {"top": TOP, "least": MIN_ROWS})
    d = X.shape[1]
    U = unit_rows(X)
    energy = np.einsum("nd,nd->d", U, U) / len(U)
    variance = X.var(axis=0, dtype=np.float64)
    variance /= max(variance.sum(), np.finfo(float).tiny)
    # a cone hides a dimension of noise in the squared length, and not in the variance
    energy = energy if energy.max() >= variance.max() else variance
    largest = np.argsort(-energy)[:TOP]
    dimensions = largest[energy[largest] >= TIMES_MEAN / d]
    is_rogue = False
    numbers: dict[str, Quoted] = {"top": TOP, "value": None}
    share = table["top_5_contributions"]
    if cosine.value and cosine.low > 0 and share.value is not None and d > TOP:
        numbers |= _numbers(share)
        # half of the rotations exceed their mean, and where d is small they have most of it
        rotated = rotated_top_contributions(d, (share.n - 1) * cosine.value, k=TOP)
        is_rogue = share.value > max(MOST_OF_IT, np.percentile(rotated, 97.5))
        if is_rogue:
            dimensions = np.argsort(-cosine_contributions(X))[:TOP]
    of_length = float(energy[dimensions].sum())
    state: State = "none"
    if is_rogue or of_length >= MOST_OF_IT:
        state = "found"
    elif of_length >= MUCH_OF_IT:
        state = "slight"
    numbers |= {"dimensions": tuple(map(int, dimensions)), "count": len(dimensions)}
    return Finding("rogue", state, numbers, share=of_length)


def _rank(X: np.ndarray, n: int, effective: Measured) -> Finding:
    d = X.shape[1]
    spectrum = Spectrum(Moments.of(X), float(np.finfo(X.dtype).eps))
    rank = spectrum.shrunk(0.0, correlation=False).rank
    state: State = "none" if n >= ENOUGH * d else "slight"
    if NEAR_D[0] <= n / d < NEAR_D[1]:
        state = "found"
    if not rank:
        state = "unknown"
    numbers = {"n": n, "d": d, "ratio": n / d, "rank": rank, "effective": effective.value}
    return Finding("rank", state, {**numbers, "enough": ENOUGH})


def _hubs(X: np.ndarray, hubness: Measured) -> tuple[Finding, np.ndarray]:
    """(the finding, which rows (n,) are hubs): OCCURRED nearest rows of each, counted."""
    if hubness.value is None or hubness.n < MIN_ROWS:
        return Finding("hubs", "unknown", _numbers(hubness)), np.zeros(len(X), dtype=bool)
    near = nearest_of_all(X, k=OCCURRED)
    times = np.bincount(near.ravel(), minlength=len(X))
    is_hub = times >= HUB_TIMES * OCCURRED
    share = float(times[is_hub].sum() / times.sum())
    state: State = "none"
    if hubness.value > max(HUBS, hubness.baseline or 0.0) and is_hub.any():
        state = "found" if share >= LARGE_SHARE else "slight"
    numbers = {**_numbers(hubness), "hubs": int(is_hub.sum()), "most": int(times.max())}
    return Finding("hubs", state, {**numbers, "n": len(X)}, share=share), is_hub


def _duplicates(
    X: np.ndarray, rows: np.ndarray, texts: Sequence[str] | None
) -> tuple[Finding, np.ndarray, int]:
    """(the finding, the rows that are equal to an earlier one, how many vectors differ)."""
    # hashes, because sorting a million rows takes a copy of them; -0.0 becomes 0.0
    is_vector = _repeats([hash((X[row] + 0.0).tobytes()) for row in rows])
    numbers: dict[str, Quoted] = {"vectors": int(is_vector.sum()), "texts": None, "n": len(rows)}
    later = rows[is_vector]
    if texts is not None:
        is_text = _repeats([hash(texts[row]) for row in rows])
        numbers["texts"] = int(is_text.sum())
        later = rows[is_vector | is_text]
    share = len(later) / len(rows)
    n_distinct = len(rows) - int(is_vector.sum())
    return Finding("duplicates", _by_share(share), numbers, share=share), later, n_distinct


def _repeats(values: Sequence[int]) -> np.ndarray:
    found = np.ones(len(values), dtype=bool)
    found[np.unique(values, return_index=True)[1]] = False
    return found


def _by_share(share: float) -> State:
    if share == 0:
        return "none"
    return "found" if share >= LARGE_SHARE else "slight"


def _outliers(X: np.ndarray, numbers: np.ndarray) -> tuple[Finding, np.ndarray]:
    """Rows whose length, or whose distance from the mean, is far from that of the other rows."""
    rows = X.astype(np.float64)
    by_length = _far_off(np.linalg.norm(rows, axis=1))
    by_distance = _far_off(np.linalg.norm(rows - rows.mean(axis=0), axis=1))
    is_far = by_length | by_distance
    found = np.flatnonzero(is_far)
    quoted: dict[str, Quoted] = {
        "value": len(found),
        "length": int(by_length.sum()),
        "distance": int(by_distance.sum()),
        "rows": tuple(map(int, numbers[found[:FIRST_FEW]])),
        "spreads": SPREADS,
        "n": len(X),
    }
    share = len(found) / len(X)
    state: State = "unknown" if len(X) < MIN_ROWS else _by_share(share)
    return Finding("outliers", state, quoted, share=share), is_far


def _far_off(values: np.ndarray) -> np.ndarray:
    """(n,) True where a value is more than SPREADS robust standard deviations off the median."""
    middle = np.median(values)
    off = np.abs(values - middle)
    spread = MAD_OF_NORMAL * np.median(off)
    # lengths that agree to rounding have no outliers; float32 rounds at 1e-7
    return np.asarray(off > SPREADS * max(spread, 1e-6 * middle))


def _numbers(row: Measured) -> dict[str, Quoted]:
    names = ("value", "low", "high", "baseline")
    return {name: getattr(row, name) for name in names} | {"least": MIN_ROWS}
