"""The flow on layer 4 of the STS-B test sentences: time, likelihood, effect on similarity.

The likelihood is compared with the Gaussian of Ledoit and Wolf, fitted on the same rows. Both are
scored on rows that are in neither fit. Without the data file the bundled sentences are used.
"""

from statistics import median
from time import perf_counter, process_time

import numpy as np
from scipy.stats import multivariate_normal
from sklearn.covariance import LedoitWolf

from bench.data import STS
from bench.table import Row
from geometry import NormalizingFlow, Pairs, Whitening, load_encoder, read_pairs
from geometry.data.pairs import read_bundled_pairs
from tests.sts.scoring import score

LAYER = 4
REPEATS = 3
SECONDS = 30
SPEARMAN = 66
TEST_SHARE = 0.2


def main() -> list[Row]:
    """All rows, from the same vectors."""
    pairs = read_pairs(STS) if STS.is_file() else read_bundled_pairs()
    encoder = load_encoder(device="cpu")
    vectors = encoder.encode([*pairs.left, *pairs.right], layer=LAYER)
    what = f"{len(vectors):,} x {vectors.shape[1]}, layer {LAYER}"
    return [_time(vectors, what), _likelihood(vectors, what), _spearman(vectors, pairs, what)]


def _time(X: np.ndarray, what: str) -> Row:
    walls, processor = [], []
    for _ in range(REPEATS):
        wall, busy = perf_counter(), process_time()
        flow = NormalizingFlow().fit(X)
        walls.append(perf_counter() - wall)
        processor.append(process_time() - busy)
    return Row(
        name=f"flow: fit, {what}",
        ours=median(walls),
        target=f"{SECONDS} s or less",
        met=median(walls) <= SECONDS,
        note=f"{median(processor):.1f} s of processor; {flow.n_epochs_} epochs, "
        f"{flow.history_[-1].steps} batches, ended by {flow.stop_reason_}",
    )


def _likelihood(X: np.ndarray, what: str) -> Row:
    train, test = split(X)
    gaussian = LedoitWolf().fit(train.astype(np.float64))
    peer = multivariate_normal(gaussian.location_, gaussian.covariance_).logpdf(test).mean()
    flow = NormalizingFlow().fit(train)
    ours = flow.score(test)
    return Row(
        name=f"flow: log-density of held-out rows, {what} (peer: Ledoit-Wolf Gaussian)",
        ours=ours,
        peer=float(peer),
        unit="nats a row",
        target="no worse",
        met=ours >= peer,
        note=f"difference {ours - peer:+.1f}; best epoch {flow.best_epoch_}; the flow trained on "
        f"{flow.n_train_} of the {flow.n_train_ + flow.n_held_out_} rows that the peer had",
    )


def _spearman(X: np.ndarray, pairs: Pairs, what: str) -> Row:
    scores = {
        "raw": score(X, pairs.gold_scores),
        "whitening": score(Whitening().fit_transform(X), pairs.gold_scores),
        "Ledoit-Wolf whitening": score(
            Whitening(shrinkage="ledoit-wolf").fit_transform(X), pairs.gold_scores
        ),
    }
    flow = score(NormalizingFlow().fit_transform(X), pairs.gold_scores)
    on_sts = STS.is_file()
    return Row(
        name=f"flow: Spearman x 100 on cosine, fitted on the scored sentences, {what}",
        ours=flow,
        peer=scores["whitening"],
        unit="",
        target=f"{SPEARMAN} or more" if on_sts else "",
        met=flow >= SPEARMAN if on_sts else None,
        note="peer: whitening in full; " + ", ".join(f"{k} {v:.1f}" for k, v in scores.items()),
    )


def split(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(train, test) of the distinct rows, so that no sentence is in both."""
    distinct = np.unique(X, axis=0)
    order = np.random.default_rng(0).permutation(len(distinct))
    n_test = round(TEST_SHARE * len(distinct))
    return distinct[order[n_test:]], distinct[order[:n_test]]
