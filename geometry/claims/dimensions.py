"""Claims on single dimensions: rogue ones, outliers, massive activations, independent axes."""

import re

import numpy as np

from ..measure.cosines import mean_cosine, rotated_top_contributions, top_contribution
from ..measure.spectrum import mean_kurtosis
from .claim import MissingEvidence, Number, Tested, beside, draws, need, or_partly
from .cone import HALF
from .subject import ClaimSubject

MOST = 0.5  # of the mean cosine
FEW = 3
MASSIVE, TIMES_MEDIAN = 100, 1000  # Sun et al. (2024)
TRIPLES, SHUFFLES = 2000, 200
FAR = 3.0  # standard deviations, as in Kovaleva et al. (2021)
AXES, TOP = 30, 10


def timkey2021_rogue(subject: ClaimSubject) -> Tested:
    """The share of the mean cosine in three dimensions, at the layer with the largest."""
    need(len(np.unique(subject.sentences)))
    layers = range(1, subject.last + 1)
    shares = {each: top_contribution(subject.tokens(each), k=FEW) for each in layers}
    layer = max(shares, key=lambda each: shares[each])
    n, d = subject.tokens(layer).shape
    rotated = []  # each layer by itself; the largest is taken as above
    for each in layers:
        signal = (n - 1) * mean_cosine(subject.tokens(each))
        rotated.append(rotated_top_contributions(d, signal, k=FEW, seed=subject.seed + each))
    control = Number.drawn(np.max(rotated, axis=0))
    state = or_partly(beside(shares[layer], control), whole=shares[layer] > MOST)
    values = {"share": Number(shares[layer])}
    return Tested(state, n, values, {"rotated": control}, {"layer": str(layer)})


def rotation(d: int, seed: int | np.random.Generator) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]


def outliers(X: np.ndarray) -> np.ndarray:
    """The three dimensions with the largest mean in absolute terms."""
    return np.argsort(-np.abs(X.mean(axis=0)))[:FEW]


def kovaleva2021_layer_norm(subject: ClaimSubject) -> Tested:
    """How far the LayerNorm weights of the outlier dimensions are from the others'."""
    weights = _layer_norm(subject, subject.last)
    z = np.abs(weights - weights.mean()) / weights.std()
    of_outliers = float(z[outliers(subject.tokens(subject.last))].mean())

    def by_chance(rng: np.random.Generator) -> float:
        return float(z[rng.choice(len(z), FEW, replace=False)].mean())

    control = draws(by_chance, TRIPLES, subject.seed, decimals=2)
    state = or_partly(beside(of_outliers, control), whole=of_outliers > FAR)
    values = {"z": Number(of_outliers, decimals=2)}
    return Tested(state, len(weights), values, {"random": control}, subject.at_last)


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
    """How strongly the outlier dimensions follow the frequency of the token, beside the others.

    A frequency belongs to a type, so that of all tokens of a type is shuffled together.
    """
    types = subject.types
    X = subject.tokens(subject.last)
    counts = np.log10(np.bincount(types))
    need(len(counts))
    few = outliers(X)
    Z = X - X.mean(axis=0, dtype=np.float64)
    lengths = np.linalg.norm(Z, axis=0)
    sums = np.zeros((len(counts), Z.shape[1]))
    np.add.at(sums, types, Z)

    def follow(counts: np.ndarray) -> tuple[float, float]:
        """Mean |correlation| of the few dimensions with the counts, and of the others."""
        c = counts[types]
        spread = lengths * np.linalg.norm(c - c.mean())
        found = np.abs(counts @ sums) / np.where(spread > 0, spread, np.inf)  # 0 if constant
        return float(found[few].mean()), float(np.delete(found, few).mean())

    def by_chance(rng: np.random.Generator) -> float:
        of_few, of_others = follow(rng.permutation(counts))
        return of_few - of_others

    control = draws(by_chance, SHUFFLES, subject.seed, is_change=True)
    of_few, of_others = follow(counts)
    gap = of_few - of_others
    more = {"few": Number(of_few), "others": Number(of_others)}
    values = {"gap": Number(gap, is_change=True), **more}
    return Tested(beside(gap, control), len(X), values, {"shuffled": control}, subject.at_last)


def sun2024_massive(subject: ClaimSubject) -> Tested:
    """The largest activation beside the median one, special tokens included."""
    ratios = {}
    for layer in range(1, subject.last + 1):
        sizes = np.abs(subject.every_token[layer].vectors)
        ratios[layer] = (float(sizes.max() / np.median(sizes)), float(sizes.max()))
    layer = max(ratios, key=lambda each: ratios[each])
    ratio, largest = ratios[layer]
    sizes = np.abs(subject.every_token[layer].vectors)
    rng = np.random.default_rng(subject.seed)
    noise = np.abs(rng.standard_normal(sizes.shape, dtype=np.float32))
    is_first_or_special = (subject.every_token[0].position == 0) | ~subject.is_word
    top = np.argsort(-sizes.max(axis=1))[:TOP]
    first = float(is_first_or_special[top].mean())
    is_massive = largest > MASSIVE and ratio > TIMES_MEDIAN
    state = or_partly("holds" if is_massive else "fails", whole=first > HALF)
    values = {
        "ratio": Number(ratio, decimals=0),
        "largest": Number(largest, decimals=1),
        "first": Number(first, decimals=2),
    }
    control = {"noise": Number(float(noise.max() / np.median(noise)), decimals=0)}
    return Tested(state, len(sizes), values, control, {"layer": str(layer)})


def yamagiwa2023_ica(subject: ClaimSubject) -> Tested:
    """Kurtosis of independent components on held-out sentences, beside principal ones."""
    from sklearn.decomposition import FastICA

    X = subject.pooled(subject.last)
    need(len(X), 4 * AXES)
    is_fit = np.random.default_rng(subject.seed).permutation(len(X)) % 2 == 0
    mean = X[is_fit].mean(axis=0)
    _U, s, Vt = np.linalg.svd(X[is_fit] - mean, full_matrices=False)
    whiten = Vt[:AXES].T / s[:AXES] * np.sqrt(is_fit.sum() - 1)
    Z, held_out = (X[is_fit] - mean) @ whiten, (X[~is_fit] - mean) @ whiten
    fitted = FastICA(whiten=False, random_state=subject.seed, max_iter=1000, tol=1e-3).fit(Z)
    R = np.asarray(fitted.components_).T
    of_ica, of_pca = mean_kurtosis(held_out @ R), mean_kurtosis(held_out)

    def by_chance(rng: np.random.Generator) -> float:
        return mean_kurtosis(held_out @ rotation(AXES, rng))

    rotated = draws(by_chance, SHUFFLES, subject.seed, decimals=2)
    state = beside(of_ica, rotated)
    if state == "holds":  # a larger kurtosis is not yet a meaning
        state = "partly" if of_ica > of_pca else "fails"
    gain = Number(of_ica - of_pca, decimals=2, is_change=True)
    values = {"ica": Number(of_ica, decimals=2), "gain": gain}
    control = {"pca": Number(of_pca, decimals=2), "rotated": rotated}
    return Tested(state, len(held_out), values, control, {**subject.at_last, "k": str(AXES)})
