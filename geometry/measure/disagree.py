"""Where measures disagree about one transform, and why, as codes for a page to say."""

from __future__ import annotations

from collections.abc import Iterable

from .measured import Measured

MUCH = 0.1  # a change of a measure in [0, 1] that a reader sees
LITTLE = 0.1  # of the other measure's change: next to nothing
STILL_A_CONE = 0.2  # mean cosine above which all pairs look alike


def disagreements(raw: Iterable[Measured], transformed: Iterable[Measured]) -> tuple[str, ...]:
    """Codes of what holds between the tables of a cloud and of the same cloud transformed.

    "isoscore_is_participation_ratio" : both are shown; one is an affine copy of the other.
    "mean_shift_invisible_to_isoscore" : the mean cosine fell by MUCH, and IsoScore changed by less
    than a tenth of that, and not beyond both intervals.
    "axes_equal_cone_remains" : IsoScore rose by MUCH, and the mean cosine is still STILL_A_CONE.
    "more_even_than_chance" : the transformed IsoScore lies nearer to 1 than to its isotropic
    baseline: the transform was fitted on these rows, and says little about others.
    "hubs_grew" : IsoScore rose by MUCH while hubness rose beyond both intervals.
    A code is given only where both tables hold what it needs.
    """
    before = {row.name: row for row in raw}
    after = {row.name: row for row in transformed}
    isoscore = _change(before, after, "isoscore")
    fell = -(_change(before, after, "mean_cosine") or 0.0)
    rose = isoscore is not None and isoscore >= MUCH
    found = {
        "isoscore_is_participation_ratio": {"isoscore", "participation_ratio"} <= set(after),
        "mean_shift_invisible_to_isoscore": isoscore is not None
        and fell >= MUCH
        and abs(isoscore) < LITTLE * fell
        and not _moved_beyond_doubt(before.get("isoscore"), after.get("isoscore")),
        "axes_equal_cone_remains": rose and (_value(after, "mean_cosine") or 0.0) >= STILL_A_CONE,
        "more_even_than_chance": _beyond_baseline(after.get("isoscore")),
        "hubs_grew": rose and _rose_beyond_doubt(before.get("hubness"), after.get("hubness")),
    }
    return tuple(code for code, holds in found.items() if holds)


def _value(table: dict[str, Measured], name: str) -> float | None:
    return table[name].value if name in table else None


def _change(before: dict[str, Measured], after: dict[str, Measured], name: str) -> float | None:
    old, new = _value(before, name), _value(after, name)
    return None if old is None or new is None else new - old


def _beyond_baseline(row: Measured | None) -> bool:
    if row is None or row.value is None or row.baseline is None:
        return False
    return row.value > (1 + row.baseline) / 2


def _moved_beyond_doubt(one: Measured | None, other: Measured | None) -> bool:
    return _rose_beyond_doubt(one, other) or _rose_beyond_doubt(other, one)


def _rose_beyond_doubt(old: Measured | None, new: Measured | None) -> bool:
    if old is None or new is None or old.high is None or new.low is None:
        return False
    return new.low > old.high
