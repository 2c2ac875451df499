"""Removal of common directions from a whole cloud or from each of its clusters."""

from typing import Any, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from ..linalg.moments import Moments
from ..linalg.rows import need_whole
from .map_estimator import MapEstimator, MomentsEstimator, of_map
from .removal_map import ClusterwiseMap, RemovalMap, checked_components, nearest_centres


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
        if n_components is not None:
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
        self.map_ = ClusterwiseMap(
            self.cluster_centers_, self.means_, self.components_, self.sizes_
        )
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
