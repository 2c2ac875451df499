"""Claims on training: they are tested on trainings that the project has recorded."""

import json

import numpy as np

from ..measure.cone import NARROW
from ..shipped import shipped_file
from ..training.optimizers import SEEDS, VARIANTS, OptimizerRuns, recorded_optimizers
from ..training.runs import GROUPS
from .claim import Number, State, Tested
from .subject import ClaimSubject

WORSE_LOSS = 0.03  # as on the page Degeneration


def _over_seeds(values: np.ndarray, decimals: int = 2) -> Number:
    """The mean over seeds, with the smallest and the largest value."""
    return Number(float(values.mean()), float(values.min()), float(values.max()), decimals)


def _at_end(runs: OptimizerRuns, name: str, group: str, of: str = "cosine") -> np.ndarray:
    """(seeds,) a variant's last mean cosine or length of a group of words."""
    return getattr(runs, of)[list(VARIANTS).index(name), :, -1, GROUPS.index(group)]


def gao2019_rare(_subject: ClaimSubject) -> Tested:
    """Never-seen and rare tokens at the end of a training, by optimiser."""
    runs = recorded_optimizers()
    unseen, rare, frequent = (
        _at_end(runs, "adam", each) for each in ("unseen", "rare", "frequent")
    )
    others = {name: _at_end(runs, name, "unseen") for name in ("coupled-adam", "sgd")}
    narrow = [each.min() >= NARROW for each in (unseen, rare)]
    state: State = "partly" if any(narrow) else "fails"
    if all(narrow) and frequent.max() < NARROW and min(map(np.min, others.values())) >= NARROW:
        state = "holds"
    values = {"unseen": _over_seeds(unseen), "rare": _over_seeds(rare)}
    control = {
        "frequent": _over_seeds(frequent),
        "coupled": _over_seeds(others["coupled-adam"]),
        "sgd": _over_seeds(others["sgd"]),
    }
    return Tested(state, len(SEEDS), values, control)


def stollenwerk2025_adam(_subject: ClaimSubject) -> Tested:
    """Never-seen tokens at an equal loss, by optimiser."""
    runs = recorded_optimizers()
    loss = runs.equal_loss
    at = dict(zip(VARIANTS, runs.at_loss("unseen", loss), strict=True))
    others = np.concatenate([at["coupled-adam"], at["sgd"]])
    state: State = "partly" if at["adam"].min() > others.max() else "fails"
    if at["adam"].min() >= NARROW > others.max():
        state = "holds"
    return Tested(
        state,
        len(SEEDS),
        {"adam": _over_seeds(at["adam"])},
        {"coupled": _over_seeds(at["coupled-adam"]), "sgd": _over_seeds(at["sgd"])},
        {"loss": f"{loss:.2f}"},
    )


def gao2019_cosreg(_subject: ClaimSubject) -> Tested:
    """Never-seen tokens and the loss with the penalty, beside those without."""
    runs = recorded_optimizers()
    places = {name: list(VARIANTS).index(name) for name in ("adam", "cosreg")}
    cosine = {name: _at_end(runs, name, "unseen") for name in places}
    loss = {name: runs.loss[place, :, -1] for name, place in places.items()}
    removed = bool(cosine["cosreg"].max() < NARROW <= cosine["adam"].min())
    as_good = bool((loss["cosreg"] / loss["adam"] - 1).max() <= WORSE_LOSS)
    state: State = "holds" if removed and as_good else "partly" if removed or as_good else "fails"
    values = {"cosine": _over_seeds(cosine["cosreg"]), "loss": _over_seeds(loss["cosreg"])}
    control = {"cosine": _over_seeds(cosine["adam"]), "loss": _over_seeds(loss["adam"])}
    return Tested(state, len(SEEDS), values, control)


def gao2019_unseen(_subject: ClaimSubject) -> Tested:
    """How much never-seen tokens grow, beside frequent words and another optimiser."""
    runs = recorded_optimizers()

    def growth(name: str, group: str) -> np.ndarray:
        lengths = runs.norm[list(VARIANTS).index(name), :, :, GROUPS.index(group)]
        return 100 * (lengths[:, -1] / lengths[:, 0] - 1)

    unseen, rare, frequent = (growth("adam", each) for each in ("unseen", "rare", "frequent"))
    coupled, coupled_frequent = (growth("coupled-adam", each) for each in ("unseen", "frequent"))
    more = unseen.min() > max(rare.max(), frequent.max())
    more_there = coupled.min() > coupled_frequent.max()
    state: State = "holds" if more and more_there else "partly" if more else "fails"
    values = {"unseen": _over_seeds(unseen, 0)}
    control = {
        "rare": _over_seeds(rare, 0),
        "frequent": _over_seeds(frequent, 0),
        "coupled": _over_seeds(coupled, 0),
        "coupled_frequent": _over_seeds(coupled_frequent, 0),
    }
    return Tested(state, len(SEEDS), values, control)


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
    gains = {
        name: _over_seeds(100 * np.array([gain["value"] for gain in each]), 1)
        for name, each in over.items()
    }
    values = {"raw": gains["raw"], "raw_clear": Number(clear["raw"], decimals=0)}
    control = {"whitened": gains["whitened"], "clear": Number(clear["whitened"], decimals=0)}
    return Tested(state, n, values, control)
