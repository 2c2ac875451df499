"""Claims on training: they are tested on trainings that the project has recorded."""

import json

import numpy as np

from ..measure.cone import NARROW
from ..shipped import shipped_file
from ..training.runs import GROUPS
from ..training.shipped_training import SEEDS, VARIANTS, OptimizerRuns, recorded_optimizers
from .claim import Number, State, Tested, or_partly
from .subject import ClaimSubject

WORSE_LOSS = 0.03  # as on the page Degeneration


def _over_seeds(decimals: int = 2, **values: np.ndarray) -> dict[str, Number]:
    """The means over seeds, with the smallest and the largest value."""
    return {
        name: Number(float(each.mean()), float(each.min()), float(each.max()), decimals)
        for name, each in values.items()
    }


def _at_end(runs: OptimizerRuns, group: str) -> dict[str, np.ndarray]:
    """(seeds,) the last mean cosine of a group of words, by variant."""
    return dict(zip(VARIANTS, runs.cosine[:, :, -1, GROUPS.index(group)], strict=True))


def gao2019_rare(_subject: ClaimSubject) -> Tested:
    """Never-seen and rare tokens at the end of a training, by optimiser."""
    runs = recorded_optimizers()
    unseen, rare, frequent = (_at_end(runs, each) for each in ("unseen", "rare", "frequent"))
    coupled, sgd = (unseen[name] for name in ("coupled-adam", "sgd"))
    narrow = [each["adam"].min() >= NARROW for each in (unseen, rare)]
    state: State = "partly" if any(narrow) else "fails"
    others = min(each[name].min() for each in (unseen, rare) for name in ("coupled-adam", "sgd"))
    if all(narrow) and frequent["adam"].max() < NARROW <= others:
        state = "holds"
    values = _over_seeds(unseen=unseen["adam"], rare=rare["adam"])
    control = _over_seeds(frequent=frequent["adam"], coupled=coupled, sgd=sgd)
    return Tested(state, len(SEEDS), values, control)


def stollenwerk2025_adam(_subject: ClaimSubject) -> Tested:
    """Never-seen tokens at an equal loss, by optimiser."""
    runs = recorded_optimizers()
    loss = runs.equal_loss
    at = dict(zip(VARIANTS, runs.at_loss("unseen", loss), strict=True))
    adam, coupled, sgd = (at[name] for name in ("adam", "coupled-adam", "sgd"))
    others = max(coupled.max(), sgd.max())
    state: State = "partly" if adam.min() > others else "fails"
    if adam.min() >= NARROW > others:
        state = "holds"
    control = _over_seeds(coupled=coupled, sgd=sgd)
    return Tested(state, len(SEEDS), _over_seeds(adam=adam), control, {"loss": f"{loss:.2f}"})


def gao2019_cosreg(_subject: ClaimSubject) -> Tested:
    """Never-seen tokens and the loss with the penalty, beside those without."""
    runs = recorded_optimizers()
    cosine = _at_end(runs, "unseen")
    loss = dict(zip(VARIANTS, runs.loss[:, :, -1], strict=True))
    removed = bool(cosine["cosreg"].max() < NARROW <= cosine["adam"].min())
    as_good = bool((loss["cosreg"] / loss["adam"] - 1).max() <= WORSE_LOSS)
    state = or_partly("holds" if removed or as_good else "fails", whole=removed and as_good)
    values, control = (
        _over_seeds(cosine=cosine[name], loss=loss[name]) for name in ("cosreg", "adam")
    )
    return Tested(state, len(SEEDS), values, control)


def gao2019_unseen(_subject: ClaimSubject) -> Tested:
    """How much never-seen tokens grow, beside frequent words and another optimiser."""
    runs = recorded_optimizers()

    def growth(name: str, group: str) -> np.ndarray:
        lengths = runs.norm[list(VARIANTS).index(name), :, :, GROUPS.index(group)]
        return 100 * (lengths[:, -1] / lengths[:, 0] - 1)

    unseen, rare, frequent = (growth("adam", each) for each in ("unseen", "rare", "frequent"))
    there = [growth("coupled-adam", each) for each in ("unseen", "rare", "frequent")]
    coupled, coupled_rare, coupled_frequent = there
    more = unseen.min() > max(rare.max(), frequent.max())
    more_there = coupled.min() > max(coupled_rare.max(), coupled_frequent.max())
    state = or_partly("holds" if more else "fails", whole=bool(more_there))
    others = {"coupled": coupled, "coupled_frequent": coupled_frequent}
    control = _over_seeds(0, rare=rare, frequent=frequent, **others)
    return Tested(state, len(SEEDS), _over_seeds(0, unseen=unseen), control)


def gao2021_simcse(_subject: ClaimSubject) -> Tested:
    """Gains of a head trained with SimCSE's loss, over eight splits of the pairs."""
    recorded = json.loads(shipped_file("recorded-contrast.json").read_text(encoding="utf-8"))
    over = {
        name: [gain for gains in recorded["splits"] for gain in gains if gain["over"] == name]
        for name in ("raw", "whitened")
    }
    clear = {name: sum(gain["low"] > 0 for gain in gains) for name, gains in over.items()}
    n = len(recorded["splits"])
    state: State = "holds" if all(each == n for each in clear.values()) else "partly"
    if not any(clear.values()):
        state = "fails"
    points = {name: 100 * np.array([g["value"] for g in each]) for name, each in over.items()}
    gains = _over_seeds(1, **points)
    values = {"raw": gains["raw"], "raw_clear": Number(clear["raw"], decimals=0)}
    control = {"whitened": gains["whitened"], "clear": Number(clear["whitened"], decimals=0)}
    return Tested(state, n, values, control)
