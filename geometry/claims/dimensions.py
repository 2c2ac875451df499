"""Claims on single dimensions: rogue ones, outliers, massive activations, independent axes."""

from __future__ import annotations

import re

import numpy as np

from ..measure.axis_shapes import mean_kurtosis
from ..measure.cosines import top_contribution
from ..measure.intervals import Estimate, jackknife_interval
from .claim import MissingEvidence, Number, State, Tested, clear
from .cone import _need
from .subject import ClaimSubject

MOST = 0.5  # of the mean cosine
FEW = 3
MASSIVE, TIMES_MEDIAN = 100, 1000  # Sun et al. (2024)
TRIPLES = 2000
AXES = 30


def timkey2021_rogue(subject: ClaimSubject) -> Tested:
    """The share of the mean cosine in three dimensions, at the layer with the largest."""
    units = subject.sentences
    _need(len(np.unique(units)))
    shares = {
        layer: top_contribution(subject.tokens(layer), k=FEW)
        for layer in range(1, subject.last + 1)
    }
    layer = max(shares, key=lambda each: shares[each])
    X = subject.tokens(layer).astype(np.float64)
    low, high = jackknife_interval(_top, X, units=units, seed=subject.seed)
    rotated = X @ _rotation(X.shape[1], subject.seed)
    control = top_contribution(rotated, k=FEW)
    state: State = "holds" if low > MOST else "partly" if low > control else "fails"
    return Tested(
        state,
        len(X),
        {"share": Number(shares[layer], low, high)},
        {"rotated": Number(control)},
        {"layer": str(layer)},
    )


def _top(X: np.ndarray) -> float:
    return top_contribution(X, k=FEW)


def _rotation(d: int, seed: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]


def outliers(X: np.ndarray) -> np.ndarray:
    """The three dimensions with the largest mean in absolute terms."""
    return np.argsort(-np.abs(X.mean(axis=0)))[:FEW]


def kovaleva2021_layer_norm(subject: ClaimSubject) -> Tested:
    """How far the LayerNorm weights of the outlier dimensions are from the others'."""
    layer = subject.last
    weights = _layer_norm(subject, layer)
    z = np.abs(weights - weights.mean()) / weights.std()
    rng = np.random.default_rng(subject.seed)
    random = np.array([z[rng.choice(len(z), FEW, replace=False)].mean() for _ in range(TRIPLES)])
    low, high = np.percentile(random, [2.5, 97.5])
    of_outliers = float(z[outliers(subject.tokens(layer))].mean())
    state: State = "holds" if of_outliers > max(3.0, high) else "fails"
    state = "partly" if state == "fails" and of_outliers > high else state
    return Tested(
        state,
        len(weights),
        {"z": Number(of_outliers, decimals=2)},
        {"random": Number(float(random.mean()), float(low), float(high), decimals=2)},
        {"layer": str(layer)},
    )


def _layer_norm(subject: ClaimSubject, layer: int) -> np.ndarray:
    """The weights of the LayerNorm at the end of a layer of a BERT."""
    from safetensors import safe_open

    file = subject.encoder.folder / "model.safetensors"
    wanted = re.compile(rf"(^|\.)layer\.{layer - 1}\.output\.LayerNorm\.(weight|gamma)$")
    if file.is_file():
        with safe_open(file, framework="numpy") as tensors:
            for name in tensors.keys():  # noqa: SIM118 (it is no dict)
                if wanted.search(name):
                    return np.asarray(tensors.get_tensor(name), dtype=np.float64)
    raise MissingEvidence("weights")


def puccetti2022_frequency(subject: ClaimSubject) -> Tested:
    """How strongly the outlier dimensions follow the frequency of the token, beside the others."""
    layer = subject.last
    X, counts, units = subject.tokens(layer), subject.log_counts, subject.sentences
    _need(len(np.unique(units)))
    few = outliers(X)

    def gap(X: np.ndarray, counts: np.ndarray) -> float:
        of_few, of_others = _follow(X, counts, few)
        return of_few - of_others

    low, high = jackknife_interval(gap, X, counts, units=units, seed=subject.seed)
    of_few, of_others = _follow(X, counts, few)
    found = Estimate(of_few - of_others, low, high)
    return Tested(
        clear(found),
        len(X),
        {"few": Number(of_few), "gap": Number.of(found, is_change=True)},
        {"others": Number(of_others)},
        {"layer": str(layer)},
    )


def _follow(X: np.ndarray, counts: np.ndarray, few: np.ndarray) -> tuple[float, float]:
    """Mean |Pearson| with log counts of those dimensions, and the mean over the others."""
    Z, c = (each - each.mean(axis=0, dtype=np.float64) for each in (X, counts))
    sizes = np.linalg.norm(Z, axis=0) * np.linalg.norm(c)
    found = np.abs(Z.T @ c) / np.where(sizes > 0, sizes, np.inf)  # 0 for a constant dimension
    others = np.delete(found, few)
    return float(found[few].mean()), float(others.mean())


def sun2024_massive(subject: ClaimSubject) -> Tested:
    """The largest activation beside the median one, special tokens included."""
    ratios = {}
    for layer in range(1, subject.last + 1):
        sizes = np.abs(subject.every_token[layer].vectors)
        ratios[layer] = (float(sizes.max() / np.median(sizes)), float(sizes.max()))
    layer = max(ratios, key=lambda each: ratios[each])
    ratio, largest = ratios[layer]
    shape = subject.every_token[layer].vectors.shape
    noise = np.abs(np.random.default_rng(subject.seed).standard_normal(shape, dtype=np.float32))
    control = float(noise.max() / np.median(noise))
    is_massive = largest > MASSIVE and ratio > TIMES_MEDIAN
    state: State = "holds" if is_massive else "fails"
    return Tested(
        state,
        shape[0],
        {"ratio": Number(ratio, decimals=0), "largest": Number(largest, decimals=1)},
        {"noise": Number(control, decimals=0)},
        {"layer": str(layer)},
    )


def yamagiwa2023_ica(subject: ClaimSubject) -> Tested:
    """Kurtosis of independent components on held-out sentences, beside principal ones."""
    X = subject.pooled(subject.last)
    _need(len(X), 4 * AXES)
    is_fit = np.random.default_rng(subject.seed).permutation(len(X)) % 2 == 0
    mean = X[is_fit].mean(axis=0)
    _U, s, Vt = np.linalg.svd(X[is_fit] - mean, full_matrices=False)
    whiten = Vt[:AXES].T / s[:AXES] * np.sqrt(is_fit.sum() - 1)
    Z, held_out = (X[is_fit] - mean) @ whiten, (X[~is_fit] - mean) @ whiten
    from sklearn.decomposition import FastICA

    ica = FastICA(whiten=False, random_state=subject.seed, max_iter=1000, tol=1e-3).fit(Z)
    R = np.asarray(ica.components_).T
    rotated = held_out @ _rotation(AXES, subject.seed)
    gain = jackknife_interval(
        lambda H: mean_kurtosis(H @ R) - mean_kurtosis(H), held_out, seed=subject.seed
    )
    ica, pca = mean_kurtosis(held_out @ R), mean_kurtosis(held_out)
    values = {
        "ica": Number(ica, decimals=2),
        "gain": Number(ica - pca, *gain, 2, is_change=True),
    }
    control = {
        "pca": Number(pca, decimals=2),
        "rotated": Number(mean_kurtosis(rotated), decimals=2),
    }
    state = clear(Estimate(values["gain"].value, *gain))
    return Tested(
        state, len(held_out), values, control, {"layer": str(subject.last), "k": str(AXES)}
    )
