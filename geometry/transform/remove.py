"""Removal of common directions: from a whole cloud, from each cluster, or by learned weights."""

from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from ..data.errors import CorpusError
from ..linalg.moments import Moments
from ..linalg.rows import directions, need_whole, row_pairs
from .map_estimator import MapEstimator, MomentsEstimator, of_map
from .removal_map import ClusterwiseMap, RemovalMap, checked_components, nearest_centres

# of ``WeightedRemoval``
START = 0.25  # first value of every (1 - w)^2, halfway between leaving a direction and removing it
LEAST_SHARE = 1e-12  # share of |x|^2; the rest of a row counts as at least that
MAX_STEPS = 1000
MIN_PAIRS = 3  # any two points lie on a line: r would be 1 or -1


class CommonComponentRemoval(OneToOneFeatureMixin, MomentsEstimator):
    """All-but-the-top: subtract the mean, then remove the D leading principal directions.

    z = (x - mu) - U U'(x - mu), with the columns of U the D leading eigenvectors of the
    covariance. Not centred: z = x - U U'x, with U of E[x x'], the leading singular directions
    of the rows as they are; D = 1 is the last step of SIF (see ``sif_average``).

    Parameters
    ----------
    n_components : int in [0, d - 1] or None
        D; None is round(d / 100), at least 1.
    centred : bool
        Whether the mean is subtracted, and the directions are those about it.

    Attributes
    ----------
    mean_ : (d,) float64
        It is subtracted; zeros if not centred.
    components_ : (D, d) float64
        Rows are directions, largest-magnitude entry positive.
    variances_ : (d,) float64
        E (u'z)^2 along *every* direction of the fit, largest first.
    rank_ : int, number of variances above the floor
    rank_floor_ : float, that floor, a variance
    n_components_, n_samples_seen_ : int
    map_ : RemovalMap, its ``adjust(D)`` changes D without a second fit

    Notes
    -----
    If D >= rank_, only rounding is left of the fitted rows. They become zero and have no direction;
    ``map_.leaves_nothing`` is then True. n may be <= d as long as D < n - 1.

    Mu, Viswanath 2018, "All-but-the-Top", algorithm 1 (centred) and section 2 (D about d/100).
    Step 3 of the algorithm as printed projects the row with its mean, x - m - U U'x. Here the mean
    is subtracted first: x - m - U U'(x - m). The two differ by the constant U U'm; only here is the
    mean of the fitted rows zero.
    Arora, Liang, Ma 2017, "A Simple but Tough-to-Beat Baseline", algorithm 1 (not centred).
    """

    _solve = staticmethod(RemovalMap.solve)
    mean_ = of_map("offset")
    components_ = of_map("components")
    variances_ = of_map("variances")
    rank_ = of_map("rank")
    rank_floor_ = of_map("rank_floor")
    n_components_ = property(lambda self: len(self.components_))
    n_samples_seen_ = of_map("n_rows")

    def __init__(self, n_components: int | None = None, *, centred: bool = True) -> None:
        self.n_components = n_components
        self.centred = centred

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn mean and directions from X (n, d), n >= 2."""
        return self._absorb(X, in_parts=False)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Merge one more block of rows, exactly; the order of blocks does not change the fit.

        A block may be a single row. The fitted attributes need two rows in all.
        """
        return self._absorb(X, in_parts=True)

    def _check(self, n_components: int | None, d: int, centred: bool) -> None:
        checked_components(n_components, d)


class ClusterwiseRemoval(OneToOneFeatureMixin, MapEstimator):
    """K-means, then in each cluster: subtract its mean, remove its D leading directions.

    z = (x - mu_c) - U_c U_c'(x - mu_c), c the cluster whose k-means centre is nearest to x.
    z has no information on the place of a cluster: it compares a row with its own cluster.

    Parameters
    ----------
    n_clusters : int >= 1
    n_components : int >= 0
        D. Both defaults are the paper's, for tens of thousands of *contextual tokens* that are
        pooled afterwards. A corpus has far fewer sentences.
    random_state : int, RandomState or None, for k-means

    Attributes
    ----------
    n_clusters_, n_components_ : int
        The numbers used, smaller than the parameters if the cloud is too small.
    labels_ : (n,), the cluster of each fitted row
    sizes_ : (n_clusters_,), rows of each cluster
    cluster_centers_, means_ : (n_clusters_, d) float64
        k-means centres, and means of the rows.
    components_ : (n_clusters_, n_components_, d) float64, rows are directions
    map_ : ClusterwiseMap

    Notes
    -----
    m rows span m - 1 directions about their mean, so a cluster of fewer than D + 2 distinct rows
    would become zeros. Therefore k-means starts with at most n / (D + 2) clusters. While a cluster
    is too small, the smallest is dissolved and its rows go to the nearest others. D is at most the
    rank of the cloud less 1. A row equal to the mean of its cluster becomes zero, as in any
    centring.

    Rajaee, Pilehvar 2021, "A Cluster-based Approach for Improving Isotropy in Contextual
    Embedding Space": 27 clusters, 12 directions.
    """

    def __init__(
        self, n_clusters: int = 27, n_components: int = 12, *, random_state: Any = 0
    ) -> None:
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the clusters and their directions from X (n, d), n >= 2."""
        for name, least in (("n_clusters", 1), ("n_components", 0)):
            need_whole(name, getattr(self, name), at_least=least)
        X = self._read(X, reset=True, at_least=2)
        eps = float(np.finfo(X.dtype).eps)
        rank = RemovalMap.solve(Moments.of(X), eps=eps, n_components=0).rank
        self.n_components_ = min(int(self.n_components), max(0, rank - 1))
        self.cluster_centers_ = self._centres(X, least=self.n_components_ + 2)
        self.n_clusters_ = len(self.cluster_centers_)
        self.labels_ = nearest_centres(X, self.cluster_centers_)
        parts = [
            RemovalMap.solve(
                Moments.of_part(X[self.labels_ == c]), eps=eps, n_components=self.n_components_
            )
            for c in range(self.n_clusters_)
        ]
        self.means_ = np.stack([part.offset for part in parts])
        self.components_ = np.stack([part.components for part in parts])
        self.sizes_ = np.array([part.n_rows for part in parts])
        parts_of = (self.means_, self.components_, self.sizes_)
        self.map_ = ClusterwiseMap(self.cluster_centers_, *parts_of)
        return self

    def _centres(self, X: np.ndarray, *, least: int) -> np.ndarray:
        """k-means centres (k, d) float64, each the nearest of at least ``least`` distinct rows."""
        from sklearn.cluster import KMeans  # takes seconds to import; only a fit needs it
        from threadpoolctl import threadpool_limits

        groups: dict[bytes, int] = {}
        group = np.array([groups.setdefault(row.tobytes(), len(groups)) for row in X + 0.0])
        k = max(1, min(int(self.n_clusters), len(groups) // least))
        # k-means squares in the precision of the rows; division by a power of two is exact
        exponent = int(np.frexp(max(X.max(), -X.min()))[1])
        with threadpool_limits(limits=1):  # the same order of sums on any number of cores
            kmeans = KMeans(k, random_state=self.random_state).fit(np.ldexp(X, -exponent))
        centres = np.ldexp(kmeans.cluster_centers_.astype(np.float64), exponent)
        while len(centres) > 1:
            labels = nearest_centres(X, centres)
            sizes = [len(np.unique(group[labels == c])) for c in range(len(centres))]
            smallest = int(np.argmin(sizes))
            if sizes[smallest] >= least:
                break
            centres = np.delete(centres, smallest, axis=0)
        return centres


class WeightedRemoval(OneToOneFeatureMixin, MapEstimator):
    """Remove the D leading directions, each by a weight learned from human scores.

    z = x - U diag(w) U'x, every w in [0, 1]: 1 removes a direction, 0 does not change it. The
    columns of U are the leading eigenvectors of the covariance. x is not centred. Both are as in
    the authors' published code. Without pairs all weights are 1.

    With pairs (i, j) of rows and a gold score each, w minimises

        1 - r(w) + alpha mean((1 - w)^2)

    where r is Pearson's correlation of the pairs' cosines after the removal with their scores.
    A cosine depends on w only through g = (1 - w)^2. L-BFGS-B minimises over g in [0, 1] with the
    exact gradient, from 1/4 each; no step is random. The authors minimise the mean squared error
    of cosine and score with unbounded weights, for which scores must be on the scale of a cosine.
    Pearson's r needs no such scale.

    This is supervised: fit on training pairs and evaluate on others. ``pearson_``, on the fitted
    pairs, is too high.

    Parameters
    ----------
    n_components : int in [0, d - 1] or None
        D; None is round(d / 10), at least 1.
    alpha : float >= 0, moves every weight towards 1, plain removal

    Attributes
    ----------
    weights_ : (D,) float64 in [0, 1]
    components_ : (D, d) float64, rows are directions
    pearson_ : float or None
        r on the fitted pairs; None without pairs.
    n_pairs_, n_components_, rank_ : int
    map_ : RemovalMap

    Liang et al. 2021, "Learning to Remove: Towards Isotropic Pre-trained BERT Embedding", there
    for the input vectors of word pieces and scored pairs of words.
    """

    def __init__(self, n_components: int | None = None, *, alpha: float = 1e-3) -> None:
        self.n_components = n_components
        self.alpha = alpha

    def fit(self, X: Any, y: Any = None, *, pairs: Any = None, gold_scores: Any = None) -> Self:
        """Learn the directions from rows, and the weights from pairs of the rows.

        Parameters
        ----------
        X : (n, d) array of float, n >= 2
        y : ignored
        pairs : (m, 2) array of int in [0, n), m >= 3, optional
            Rows of X. Without pairs and scores all weights are 1.
        gold_scores : (m,) array of float, optional, not all equal
        """
        alpha: Any = self.alpha
        if not isinstance(alpha, Real) or not 0 <= float(alpha) < np.inf:
            raise ValueError(f"alpha must be a finite number >= 0; got {alpha!r}")
        if (pairs is None) != (gold_scores is None):
            raise ValueError("pairs and gold_scores belong together; give both or neither")
        X = self._read(X, reset=True, at_least=2)
        d = X.shape[1]
        D = min(max(1, round(d / 10)), d - 1) if self.n_components is None else self.n_components
        eps = float(np.finfo(X.dtype).eps)
        fitted = RemovalMap.solve(Moments.of(X), eps=eps, n_components=D)
        # the mean is not subtracted, even if the directions are those about the mean
        self.map_ = replace(fitted, offset=np.zeros(d))
        self.pearson_, self.n_pairs_ = None, 0
        if pairs is not None:
            rows = row_pairs(pairs, len(X))
            U = self.map_.components
            shares, self.pearson_ = _learned_shares(X, rows, gold_scores, U, float(alpha))
            self.map_ = self.map_.reweigh(1 - np.sqrt(shares))
            self.n_pairs_ = len(rows)
        self.components_ = self.map_.components
        self.weights_ = self.map_.weights
        self.n_components_ = len(self.weights_)
        self.rank_ = self.map_.rank
        return self


def _learned_shares(
    X: np.ndarray, pairs: np.ndarray, gold_scores: Any, U: np.ndarray, alpha: float
) -> tuple[np.ndarray, float]:
    """The g (D,) in [0, 1] that minimises 1 - r(g) + alpha mean(g), and that r.

    U (D, d) are the directions. r is Pearson's of the cosines c of the pairs (m, 2) with the scores
    (m,). c = p / sqrt(s t) with p = p0 + g'p_u, s = s0 + g's_u, t = t0 + g't_u, so
    dc/dg = p_u / sqrt(s t) - c (s_u / s + t_u / t) / 2, and dr/dc = (gold - r z) / |c - mean c|
    where z is c, centred and of length 1.
    """
    from scipy.optimize import minimize  # comes with scikit-learn; only a fit needs it

    if len(pairs) < MIN_PAIRS:
        raise CorpusError("too_few_pairs", n=len(pairs), limit=MIN_PAIRS)
    gold = np.asarray(gold_scores, dtype=np.float64)
    m, D = len(pairs), len(U)
    if gold.shape != (m,) or not np.isfinite(gold).all():
        raise ValueError(f"gold_scores must be one finite number a pair, ({m},)")
    if gold.min() == gold.max():
        raise CorpusError("equal_scores", n=m, score=f"{gold[0]:g}")
    gold = gold - gold.mean()
    gold /= np.linalg.norm(gold)
    x, y = (X[column].astype(np.float64) for column in pairs.T)  # (m, d)
    zero = np.flatnonzero(~(x.any(axis=1) & y.any(axis=1)))
    if len(zero):
        raise ValueError(
            f"pair {zero[0]} has a zero row, which has no cosine ({len(zero)} of "
            f"{m} pairs do); leave these pairs out"
        )
    # cosines do not depend on length, and fourth powers of extreme lengths overflow
    x, y = directions(x), directions(y)
    whole = np.stack([np.einsum("md,md->m", *two) for two in ((x, y), (x, x), (y, y))])
    a, b = x @ U.T, y @ U.T  # (m, D)
    along = np.stack([a * b, a * a, b * b])  # (3, m, D), p_u, s_u and t_u
    rest = whole - along.sum(axis=2)  # (3, m), p0, s0 and t0
    # these squared lengths are divisors; below this share of the row's own they are rounding
    rest[1:] = np.maximum(rest[1:], LEAST_SHARE * whole[1:])

    def pearson(shares: np.ndarray) -> tuple[float, np.ndarray]:
        """r and its gradient (D,) in g."""
        dot, left2, right2 = rest + along @ shares  # (m,) each
        length = np.sqrt(left2 * right2)
        c = dot / length
        z = c - c.mean()
        spread = np.linalg.norm(z)
        if spread <= m * np.finfo(np.float64).eps:
            return 0.0, np.zeros(D)  # all cosines are equal: no correlation
        z /= spread
        r = float(z @ gold)
        dr = (gold - r * z) / spread  # (m,)
        per_term = np.stack([dr / length, -dr * c / left2 / 2, -dr * c / right2 / 2])  # (3, m)
        return r, np.einsum("km,kmD->D", per_term, along)

    def objective(shares: np.ndarray) -> tuple[float, np.ndarray]:
        r, gradient = pearson(shares)
        return 1 - r + alpha * float(shares.mean()), alpha / D - gradient

    shares = np.zeros(0)
    if D:
        options = {"maxiter": MAX_STEPS}
        bounds = [(0.0, 1.0)] * D
        start = np.full(D, START)
        found = minimize(
            objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
        )
        shares = np.asarray(found.x).clip(0.0, 1.0)
    return shares, pearson(shares)[0]
