"""Clusters of rows, the words that name them, and how well two clusterings agree."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..data.words import stop_list, tokenizer_for, words_of
from ..linalg.rows import finite_rows, need_whole, some_rows

NONE = -1  # the label of a row that is in no cluster
MOST_ROWS = 20_000  # rows that are clustered; of more, a sample
COMPONENTS = 30  # principal components of longer rows
SHARE, FEWEST = 0.01, 10  # rows of the smallest cluster: this share of all, at least so many
DENSE = 50  # rows that a dense place has around it
SHUFFLES = 200
CONTROLS = 19  # random clouds: noise exceeds all of them in one of 20 cases
MOST_COMPARED = 5_000  # rows that are compared with those; of more, a sample
NEIGHBOURS, MIXED = 10, 0.5  # of each point; the mixing from which two clusters are one
FEWEST_TEXTS = 2  # texts of a cluster that have a word which names it


@dataclass(frozen=True)
class Clusters:
    """Clusters of n rows, the largest first."""

    #: (n,) int, the cluster of each row, from 0; NONE for a row between clusters. A row outside of
    #: the sample has that of its nearest row in it, in a picture; of longer rows it has NONE.
    labels: np.ndarray
    sizes: tuple[int, ...]  #: rows of each cluster
    n_clustered: int  #: rows that were looked at: all, or a sample
    n_labelled: int  #: rows that are in a cluster or between clusters: all, or the sample
    #: principal components of a search on those; None for the rows as given
    n_components: int | None
    smallest: int  #: rows of the smallest cluster that was looked for
    seed: int  #: of the sample

    @property
    def n_outside(self) -> int:
        """Labelled rows between clusters."""
        return self.n_labelled - sum(self.sizes)

    @property
    def share(self) -> float:
        """The share of the labelled rows that is in a cluster."""
        return sum(self.sizes) / self.n_labelled if self.n_labelled else 0.0


@dataclass(frozen=True)
class Agreement:
    """How well two clusterings of the same rows agree."""

    #: adjusted Rand index: 1 if they are equal, 0 on average by chance; None below two rows
    value: float | None
    #: the middle 95% of SHUFFLES indices in which one clustering is shuffled: the control
    low: float | None
    high: float | None
    n: int  #: rows that both have in a cluster


def find_clusters(
    X: np.ndarray,
    *,
    smallest: int | None = None,
    max_rows: int = MOST_ROWS,
    n_components: int = COMPONENTS,
    seed: int = 0,
) -> Clusters:
    """Dense groups of rows by HDBSCAN, with Euclidean distances.

    It needs no number of clusters, and leaves rows between them out. The leaves of its tree are
    taken: the smallest groups, which have the clearest words, but noise has some too. So compare
    their share with ``share_by_chance``. A picture's own places give the clusters that are seen
    there; vectors give those of the space. Campello, Moulavi & Sander 2013.

    Parameters
    ----------
    X : (n, d) array of float, n >= 2
        Vectors, or the places of points in a picture.
    smallest : int, >= 2, optional
        Rows of the smallest cluster. None takes a hundredth of the rows, and at least ten.
    max_rows : int, >= 2
        Of more rows a random sample is clustered.
    n_components : int, >= 1
        Longer rows are replaced by so many principal components.
    seed : int, seed of the sample
    """
    from scipy.spatial import cKDTree
    from sklearn.cluster import HDBSCAN
    from sklearn.decomposition import PCA

    X = finite_rows(X, at_least=2)
    need_whole("max_rows", max_rows, at_least=2)
    need_whole("n_components", n_components, at_least=1)
    n, d = X.shape
    rows = some_rows(n, max_rows, seed)
    least = max(FEWEST, round(SHARE * len(rows))) if smallest is None else smallest
    need_whole("smallest", least, at_least=2)
    labels = np.full(n, NONE)
    sizes: tuple[int, ...] = ()
    components = min(n_components, len(rows))
    is_reduced = d > components
    if len(rows) >= least:
        Z = X[rows]
        if is_reduced:
            Z = PCA(components, svd_solver="full").fit_transform(Z)
        found = HDBSCAN(
            min_cluster_size=least,
            min_samples=min(DENSE, least),
            cluster_selection_method="leaf",
            copy=True,
        ).fit_predict(Z)
        if len(rows) < n and not is_reduced:
            found = found[cKDTree(Z).query(X)[1]]
        counts = np.bincount(found[found >= 0])
        order = np.argsort(-counts, kind="stable")  # the largest first
        place = np.append(np.argsort(order), NONE)  # NONE, which is -1, stays
        labels[rows if len(found) == len(rows) else slice(None)] = place[found]
        sizes = tuple(counts[order].tolist())
    n_labelled = len(rows) if is_reduced else n
    return Clusters(
        labels, sizes, len(rows), n_labelled, components if is_reduced else None, least, seed
    )


def share_by_chance(X: np.ndarray, found: Clusters) -> tuple[float, float, float]:
    """(``Clusters.share``, low, high): the share and its range in CONTROLS Gaussian clouds.

    Each has as many rows as were clustered, with the mean and covariance of X (n, d). A Gaussian
    has no clusters, so all that are found there are noise. A Gaussian X exceeds the range in one of
    CONTROLS + 1 cases. X is vectors or a linear picture: a map (UMAP, t-SNE) or true angles of a
    Gaussian are none. Of more than MOST_COMPARED rows, a sample is compared.
    """
    X = finite_rows(X, at_least=2)
    if found.n_clustered > MOST_COMPARED:
        X = X[some_rows(len(X), MOST_COMPARED, found.seed)]
        scaled = round(found.smallest * MOST_COMPARED / found.n_clustered)
        smallest = max(scaled, min(found.smallest, FEWEST))
        components = found.n_components or X.shape[1]
        found = find_clusters(X, smallest=smallest, n_components=components, seed=found.seed)
    rng = np.random.default_rng(found.seed)
    mean = X.mean(axis=0)
    covariance = np.cov(X, rowvar=False).reshape(X.shape[1], -1)
    shares = [
        find_clusters(
            rng.multivariate_normal(mean, covariance, size=found.n_clustered),
            smallest=found.smallest,
            n_components=found.n_components or X.shape[1],
        ).share
        for _ in range(CONTROLS)
    ]
    return found.share, min(shares), max(shares)


def cluster_words(
    texts: Sequence[str],
    labels: np.ndarray,
    *,
    most: int = 3,
    tokenizer: str | None = None,
    stop_words: str = "sklearn",
) -> tuple[tuple[str, ...], ...]:
    """The characteristic words of each cluster 0, 1, ..., the strongest first.

    By class-based TF-IDF: a word's count in the cluster, times log(1 + A / f), where f is its
    count in all clusters and A the mean number of words of a cluster. A word counts only if
    FEWEST_TEXTS texts of the cluster have it. Grootendorst 2022, "BERTopic", equation 2.

    Parameters
    ----------
    texts : n str
    labels : (n,) array of int
        As ``Clusters.labels``; rows with NONE are not read.
    most : int, >= 1
        Words of each cluster. There may be fewer.
    tokenizer : str, optional
        One of ``geometry.data.words.TOKENIZERS``; None finds it from the texts. Where each
        character is a word (Chinese), pairs of neighbours are counted.
    stop_words : str
        "sklearn" leaves out English function words, "none" leaves out nothing.
    """
    labels = np.asarray(labels)
    if labels.shape != (len(texts),):
        raise ValueError(f"{len(texts)} texts for labels of shape {labels.shape}")
    need_whole("most", most, at_least=1)
    stopped = stop_list(stop_words)
    how = tokenizer or tokenizer_for(texts)
    n_clusters = int(labels.max(initial=NONE)) + 1
    counts: list[Counter[str]] = [Counter() for _ in range(n_clusters)]
    n_texts: list[Counter[str]] = [Counter() for _ in range(n_clusters)]
    for text, label in zip(texts, labels.tolist(), strict=True):
        if label == NONE:
            continue
        words = words_of(text, how)
        if how == "characters":
            words = [word for word in words if word.isascii()] + [
                first + second
                for first, second in pairwise(words)
                if not (first.isascii() or second.isascii())
            ]
        words = [word for word in words if len(word) > 1 and word not in stopped]
        counts[label].update(words)
        n_texts[label].update(set(words))
    total = sum(counts, Counter())
    mean_words = total.total() / n_clusters if n_clusters else 0.0
    named = []
    for here, texts_here in zip(counts, n_texts, strict=True):
        weights = {
            word: count * np.log1p(mean_words / total[word])
            for word, count in here.items()
            if texts_here[word] >= FEWEST_TEXTS
        }
        named.append(tuple(sorted(weights, key=lambda word: (-weights[word], word))[:most]))
    return tuple(named)


def cluster_mixing(places: np.ndarray, labels: np.ndarray, *, k: int = NEIGHBOURS) -> np.ndarray:
    """How far each two clusters are mixed at these places: (c, c) from 0, apart, to 1, one cloud.

    Of the k nearest points in any cluster, those of cluster i in j over those in i or j, divided by
    the share that a random mixture of i and j gives; the mean of both ways.

    Parameters
    ----------
    places : (n, d) array of float
        Of a picture, which may be another one than that of the clusters.
    labels : (n,) array of int
        As ``Clusters.labels``; rows with NONE are left out.
    k : int, >= 1
    """
    from scipy.spatial import cKDTree

    places = finite_rows(places, at_least=1)
    rows = np.flatnonzero(np.asarray(labels) != NONE)
    codes = np.asarray(labels)[rows]
    sizes = np.bincount(codes, minlength=1)
    if len(rows) < 2:
        return np.zeros((len(sizes),) * 2)
    tree = cKDTree(places[rows])
    near = tree.query(places[rows], min(k + 1, len(rows)))[1]
    row, place = np.nonzero(near != np.arange(len(rows))[:, None])
    found = np.zeros((len(sizes),) * 2)
    np.add.at(found, (codes[row], codes[near[row, place]]), 1)
    own = np.diag(found)[:, None]
    share = found / np.maximum(own + found, 1)
    by_chance = sizes[None, :] / np.maximum(sizes[:, None] + sizes[None, :] - 1, 1)
    mixed = share / np.maximum(by_chance, np.finfo(float).tiny)
    mixed = np.minimum((mixed + mixed.T) / 2, 1.0)
    np.fill_diagonal(mixed, 1.0)
    return np.asarray(mixed)


def merged_clusters(places: np.ndarray, labels: np.ndarray) -> tuple[tuple[int, ...], ...]:
    """Groups of two or more clusters that are mixed at these places (``cluster_mixing`` >= 0.5).

    Parameters
    ----------
    places : (n, d) array of float, of another picture than that of the clusters
    labels : (n,) array of int, as ``Clusters.labels``
    """
    from scipy.sparse.csgraph import connected_components

    mixed = cluster_mixing(places, labels) >= MIXED
    group = connected_components(mixed)[1]
    groups = [tuple(np.flatnonzero(group == each).tolist()) for each in np.unique(group)]
    return tuple(each for each in groups if len(each) > 1)


def cluster_agreement(first: np.ndarray, second: np.ndarray, *, seed: int = 0) -> Agreement:
    """The adjusted Rand index of two clusterings, over the rows that both have in a cluster.

    Rows that one of them leaves out say nothing of the other. The control is the same index with
    one clustering shuffled. Hubert & Arabie 1985.

    Parameters
    ----------
    first : (n,) array of int, as ``Clusters.labels``
    second : (n,) array of int, the same of the other clustering
    seed : int, seed of the control
    """
    from sklearn.metrics import adjusted_rand_score

    first, second = np.asarray(first), np.asarray(second)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"expected labels of the same rows; got {first.shape} and {second.shape}")
    both = (first != NONE) & (second != NONE)
    first, second = first[both], second[both]
    n = len(first)
    if n < 2:
        return Agreement(None, None, None, n)
    rng = np.random.default_rng(seed)
    shuffled = [adjusted_rand_score(first, rng.permutation(second)) for _ in range(SHUFFLES)]
    low, high = np.quantile(shuffled, (0.025, 0.975))
    return Agreement(float(adjusted_rand_score(first, second)), float(low), float(high), n)
