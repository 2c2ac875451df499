"""A training of the head beside other points, as records; another process runs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from geometry import NormalizingFlow, Whitening, alignment, mean_cosine, uniformity
from geometry.evaluate import PairBootstrap, PairScore, pair_similarities
from geometry.evaluate.fit_size import halves
from geometry.training import ScoredVectors, train_contrastive
from geometry.training.contrastive import POSITIVE
from geometry.training.runs import mean_plane
from pages.common.seed import SEED
from pages.common.uploads import BUNDLED

RECORDS = 40  # recorded steps of a training, beside its start
SPECTRUM = 100  # singular values of each recorded step
DRAWN_PAIRS = 150  # pairs whose sentences are in the cloud
# of a point of the plane, and of a recorded step
SCORES = ("alignment", "uniformity", "mean_cosine", "spearman_dev", "spearman_test")
COMPARED = ("raw", "centred", "whitened", "flow")  # points that the verdict compares, by name
STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0)  # of whitening; the best on dev is taken, as of the head


@dataclass(frozen=True)
class HeadSettings:
    """What is trained on what; those of the page's first visit by default."""

    model: str = "all-MiniLM-L6-v2"
    text: str | None = None  # the name of a corpus; None for the sentences of the dev pairs
    layer: int = 5
    last_layer: int = 6
    pooling: str = "mean"
    head: str = "linear"
    centred: bool = False
    temperature: float = 0.2
    dropout: float = 0.1
    batch_size: int = 64
    learning_rate: float = 1e-3
    steps: int = 400
    seed: int = 0
    pairs: str = BUNDLED  # the code of bundled pairs


# those that ``train_contrastive`` takes
OF_TRAINING = ("head", "centred", "temperature", "dropout", "batch_size", "learning_rate", "steps")


@dataclass(frozen=True, eq=False)
class PairVectors:
    """Vectors of all scored pairs, at the chosen layer and at the last one."""

    pairs: np.ndarray  # (2n, d), the left sentences, then the right ones
    last: np.ndarray  # (2n, d)
    gold_scores: np.ndarray  # (n,)
    corpus: np.ndarray | None = None  # (m, d) to train on; None trains on those of the dev pairs


@dataclass(frozen=True)
class Header:
    settings: HeadSettings
    n_trained: int
    n_dev: int
    n_test: int
    n_positive: int
    n_parameters: int


@dataclass(frozen=True)
class PlaneScores:
    """A point of the plane, measured on the test pairs; low, high : 95% interval."""

    name: str
    alignment: float
    uniformity: float
    mean_cosine: float
    spearman_dev: float
    spearman_test: float
    low: float
    high: float
    strength: float | None = None  # of the whitening, chosen on dev


@dataclass(frozen=True)
class Gain:
    """Test Spearman of the trained head minus that of a point, with its 95% interval."""

    over: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Moment:
    """A recorded step; numbers as in ``ContrastiveStep``."""

    step: int
    loss: float
    alignment: float
    uniformity: float
    mean_cosine: float
    spearman_dev: float
    spearman_test: float
    singular_values: np.ndarray  # (SPECTRUM,) of the unit rows of all test sentences
    # (2 DRAWN_PAIRS, 2) unit vectors of some of them in the basis of the start: along its mean
    # direction, and along the principal direction of the rest
    cloud: np.ndarray


@dataclass(frozen=True)
class Ending:
    step: int
    gains: tuple[Gain, ...]


RunRecord = Header | tuple[PlaneScores, ...] | Moment | Ending


def contrast_run(
    vectors: PairVectors, settings: HeadSettings, *, split: int = SEED
) -> Iterator[RunRecord]:
    """The records of a training; ``split`` is the seed of the halves, dev and test."""
    dev_rows, test_rows = halves(vectors.gold_scores, random_state=split)
    dev, test = (_scored(vectors, vectors.pairs, rows) for rows in (dev_rows, test_rows))
    trained_on = dev.sentences if vectors.corpus is None else vectors.corpus
    measure = _Measure(dev, test)
    d = vectors.pairs.shape[1]
    yield Header(
        settings,
        n_trained=len(trained_on),
        n_dev=len(dev_rows),
        n_test=len(test_rows),
        n_positive=int(measure.positive.sum()),
        n_parameters=d * d + d,
    )
    steps = train_contrastive(
        trained_on,
        dev=dev,
        test=test,
        record_every=max(1, settings.steps // RECORDS),
        **{name: getattr(settings, name) for name in OF_TRAINING},
        seed=settings.seed,
    )
    start = next(steps)  # first, because invalid settings raise an error here
    mean = trained_on.mean(axis=0)
    last = (_scored(vectors, vectors.last, rows).sentences for rows in (dev_rows, test_rows))
    yield (
        measure.treated("raw", dev.sentences, test.sentences),
        measure.treated("centred", dev.sentences - mean, test.sentences - mean),
        measure.whitened(trained_on, dev, test),
        measure.treated("last", *last),
    )
    drawn = drawn_rows(test.gold_scores)
    drawn = np.concatenate([drawn, drawn + len(test_rows)])
    basis: np.ndarray | None = None
    best = start
    for step in chain([start], steps):
        unit = step.embeddings / np.linalg.norm(step.embeddings, axis=1, keepdims=True)
        basis = mean_plane(unit) if basis is None else basis
        yield Moment(
            **{name: getattr(step, name) for name in ("step", "loss", *SCORES)},
            singular_values=step.singular_values[:SPECTRUM],
            cloud=unit[drawn] @ basis.T,
        )
        if step.spearman_dev > best.spearman_dev:
            best = step
    flow = NormalizingFlow(random_state=settings.seed).fit(trained_on)
    flowed = measure.treated("flow", *map(flow.transform, (dev.sentences, test.sentences)))
    trained = measure.place("trained", best.spearman_dev, best.embeddings)
    yield flowed, trained
    yield Ending(best.step, measure.gains())


def drawn_rows(gold_scores: np.ndarray) -> np.ndarray:
    """Which test pairs are in the cloud, spread over the file's order."""
    n = len(gold_scores)
    return np.unique(np.linspace(0, n - 1, min(n, DRAWN_PAIRS)).astype(int))


def _scored(vectors: PairVectors, X: np.ndarray, rows: np.ndarray) -> ScoredVectors:
    left, right = np.split(X, 2)
    return ScoredVectors(left[rows], right[rows], vectors.gold_scores[rows])


class _Measure:
    """Points of the plane over one set of test pairs, with paired resamples."""

    def __init__(self, dev: ScoredVectors, test: ScoredVectors) -> None:
        self.positive = test.gold_scores > POSITIVE
        self._dev = PairBootstrap(dev.gold_scores, draws=1, seed=SEED)
        self._test = PairBootstrap(test.gold_scores, seed=SEED)
        self._scores: dict[str, PairScore] = {}

    def of_dev(self, dev: np.ndarray) -> float:
        left, right = np.split(dev, 2)
        return _number(self._dev.score(pair_similarities(left, right)).spearman)

    def place(self, name: str, of_dev: float, test: np.ndarray) -> PlaneScores:
        left, right = np.split(test, 2)
        score = self._scores[name] = self._test.score(pair_similarities(left, right))
        return PlaneScores(
            name,
            alignment(left[self.positive], right[self.positive]),
            uniformity(test),
            mean_cosine(test),
            of_dev,
            *map(_number, (score.spearman, score.low, score.high)),
        )

    def treated(self, name: str, dev: np.ndarray, test: np.ndarray) -> PlaneScores:
        return self.place(name, self.of_dev(dev), test)

    def whitened(self, X: np.ndarray, dev: ScoredVectors, test: ScoredVectors) -> PlaneScores:
        """The whitening, fitted on X, of the strength that is best on dev, as the head's step."""
        fits = [Whitening(shrinkage="ledoit-wolf", strength=each).fit(X) for each in STRENGTHS]
        scores = [self.of_dev(fit.transform(dev.sentences)) for fit in fits]
        best = max(range(len(fits)), key=scores.__getitem__)
        place = self.place("whitened", scores[best], fits[best].transform(test.sentences))
        return replace(place, strength=STRENGTHS[best])

    def gains(self) -> tuple[Gain, ...]:
        found = []
        for name in COMPARED:
            moved = self._test.difference(self._scores[name], self._scores["trained"])
            if moved.value is not None and moved.low is not None and moved.high is not None:
                found.append(Gain(name, moved.value, moved.low, moved.high))
        return tuple(found)


def _number(value: float | None) -> float:
    return np.nan if value is None else value


@dataclass(frozen=True, eq=False)
class ContrastRun:
    header: Header
    places: tuple[PlaneScores, ...]  # without training; at the end also the flow and trained head
    moments: tuple[Moment, ...]
    ending: Ending | None  # None while the training goes on, and if it was stopped
    is_recorded: bool = False  # True for the run that comes with the project
    splits: tuple[tuple[Gain, ...], ...] = ()  # of this run and of other splits, if known

    @classmethod
    def of(cls, records: Sequence[RunRecord]) -> ContrastRun | None:
        """The run of these records; None before the first recorded step."""
        header = next((each for each in records if isinstance(each, Header)), None)
        places = chain.from_iterable(each for each in records if isinstance(each, tuple))
        moments = tuple(each for each in records if isinstance(each, Moment))
        ending = next((each for each in records if isinstance(each, Ending)), None)
        if header is None or not moments:
            return None
        return cls(header, tuple(places), moments, ending)

    def place(self, name: str) -> PlaneScores:
        return next(place for place in self.places if place.name == name)
