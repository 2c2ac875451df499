"""Treatments as short texts such as "pca:128" and "abtt:3", for a shell, a URL or a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..transform.treatments import LADDER, TREATMENTS, Knobs, Treatment, TreatmentKind

FULL, LEDOIT_WOLF, STRENGTH = "full", "lw", "t"


@dataclass(frozen=True)
class TreatmentSpec:
    """A treatment and its settings; ``text`` is their shortest form, such as "pca:64"."""

    text: str
    name: str
    knobs: Knobs

    @property
    def is_fitted(self) -> bool:
        """False for "none" alone, which needs no fit."""
        return self.name != "raw"

    def turn(self, fitted: Treatment, d: int) -> Treatment:
        """The fitted treatment at these settings, within the limits of d dimensions and its rank.

        k of a whitening is at most the rank, or at most d with shrinkage, which leaves no null
        direction. D of "abtt" and "svd" is at most d - 1.
        """
        knobs = self.knobs
        if knobs.n_components is not None:
            most = d if knobs.shrinkage is not None else max(1, fitted.rank or d)
            knobs = replace(knobs, n_components=min(knobs.n_components, most))
        if knobs.n_removed is not None:
            knobs = replace(knobs, n_removed=min(knobs.n_removed, d - 1))
        return fitted.turn(knobs)


def parse_treatment(spec: str) -> TreatmentSpec:
    """The treatment that a text names, such as "pca:128:lw".

    - ``none``, ``centred``, ``standardised``, ``clusterwise``, ``ica``
    - ``abtt``, ``abtt:D``: all-but-the-top; removes D directions, by default d/100
    - ``svd``, ``svd:D``: removes the D leading singular directions of the rows without centring;
      ``svd:1`` is the second half of SIF
    - ``pca``, ``zca``, ``cholesky``, ``pca-cor``, ``zca-cor``, with any of ``:k`` (the k leading
      directions), ``:full`` (all directions, the default; "pca (full)" also works) and ``:lw``
      (Ledoit-Wolf) or ``:.1`` (a share of shrinkage in (0, 1)), and ``:t0.5``, the strength: 0
      leaves the variances, 1 makes them equal

    Raises ValueError for any other text, with the valid choices.
    """
    name, *options = spec.strip().lower().replace(" ", "").replace("(full)", ":full").split(":")
    kinds = TREATMENTS.values()
    names = {name: kind for kind in kinds for name in (kind.name, kind.short, *kind.also)}
    if name not in names:
        known = ", ".join(kind.short for kind in kinds if kind.is_alone)
        raise ValueError(f"treatment {spec!r} is not known; choose from {known}")
    kind = names[name]
    if not kind.is_alone:
        raise ValueError(
            f"treatment {spec!r} can't be fitted on vectors alone: {kind.name} needs "
            f"{kind.needs}. Fit it yourself and evaluate what it gives"
        )
    knobs = Knobs()
    for option in options:
        knobs = _with_option(knobs, kind, option, spec)
    return TreatmentSpec(_text(kind.short, knobs), kind.name, knobs)


def parse_treatments(specs: Sequence[str]) -> tuple[TreatmentSpec, ...]:
    """Each treatment once, in the given order; ValueError for an empty list."""
    listed = (specs,) if isinstance(specs, str) else specs
    parsed = tuple(dict.fromkeys(map(parse_treatment, listed)))
    if not parsed:
        raise ValueError(f"no treatment was named; the ladder is {', '.join(LADDER)}")
    return parsed


def _with_option(knobs: Knobs, kind: TreatmentKind, option: str, spec: str) -> Knobs:
    is_count = option.isascii() and option.isdigit()
    setting: dict[str, Any] = {}
    if "n_removed" in kind.knobs and is_count:
        setting = {"n_removed": int(option)}
    elif "n_components" in kind.knobs and is_count and int(option) > 0:
        setting = {"n_components": int(option)}
    elif "n_components" in kind.knobs and option == FULL and knobs.n_components is None:
        return knobs
    elif "shrinkage" in kind.knobs and (share := _share(option)) is not None:
        setting = {"shrinkage": share}
    elif "shrinkage" in kind.knobs and option == LEDOIT_WOLF:
        setting = {"shrinkage": "ledoit-wolf"}
    elif kind.is_whitening and option.startswith(STRENGTH):
        share = _share(option.removeprefix(STRENGTH))
        setting = {} if share is None else {"strength": share}
    if not setting:
        raise ValueError(f"option {option!r} of treatment {spec!r}: {_wanted(kind)}")
    (field,) = setting
    if getattr(knobs, field) != getattr(Knobs(), field):
        raise ValueError(f"treatment {spec!r} sets {field} twice; name it once")
    return replace(knobs, **setting)


def _share(option: str) -> float | None:
    try:
        share = float(option)
    except ValueError:
        return None
    return share if 0 < share < 1 else None


def _wanted(kind: TreatmentKind) -> str:
    if "n_removed" in kind.knobs:
        return f"a whole number is needed, the directions to remove, as {kind.short}:3"
    if kind.is_whitening:
        return (
            f'a whole number of directions to keep, as {kind.short}:128, "{FULL}", '
            f'"{LEDOIT_WOLF}", a share of shrinkage between 0 and 1, as 0.1, or a strength between '
            f"0 and 1, as {STRENGTH}0.5, is needed"
        )
    if "n_components" in kind.knobs:
        return f"a whole number is needed, the directions to keep, as {kind.short}:64"
    return f"{kind.short} takes none"


def _text(name: str, knobs: Knobs) -> str:
    shrinkage = LEDOIT_WOLF if knobs.shrinkage == "ledoit-wolf" else knobs.shrinkage
    strength = None if knobs.strength == 1.0 else f"{STRENGTH}{knobs.strength}"
    options = (knobs.n_removed, knobs.n_components, strength, shrinkage)
    return ":".join([name, *(str(option) for option in options if option is not None)])
