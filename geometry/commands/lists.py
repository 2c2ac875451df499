"""Options that list several things with commas between."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..evaluate.grid import LayerName

ALL = "all"
Columns = tuple[str | int, ...]


def layers_of(text: str) -> tuple[LayerName, ...] | None:
    """The layers named; None for all of them."""
    return None if text.strip() == ALL else tuple(_layer(one) for one in listed(text, "layers"))


def _layer(text: str) -> LayerName:
    try:
        return int(text)
    except ValueError:
        pass
    if "+" in text:
        try:
            return tuple(int(part) for part in text.split("+"))
        except ValueError:
            raise ValueError(f"layers {text!r}: give whole numbers, as 1+6") from None
    return text


def poolings_of(text: str) -> tuple[str, ...]:
    """The poolings named, checked; "all" is every one."""
    from ..encode.pool import POOLINGS, as_poolings

    return as_poolings(tuple(POOLINGS) if text.strip() == ALL else listed(text, "poolings"))


def weightings_of(text: str) -> tuple[str, ...]:
    """The weightings of words named, checked; "all" is every one."""
    from ..vectors.word_averages import WEIGHTINGS

    names = WEIGHTINGS if text.strip() == ALL else listed(text, "weighting")
    for name in names:
        if name not in WEIGHTINGS:
            raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}; got {name!r}")
    return names


def columns_of(text: str) -> Columns:
    """Two sentences and a score, by name, or by place from 0."""
    found = tuple(int(one) if one.isdecimal() else one for one in listed(text, "columns"))
    if len(found) != 3:
        raise ValueError(f"--columns {text}: name three, as left,right,score")
    return found


def treatments_of(text: str) -> tuple[str, ...]:
    """The treatments named, each in its shortest form."""
    from ..evaluate.specs import parse_treatments

    return tuple(spec.text for spec in parse_treatments(listed(text, "transforms")))


def listed(text: str, option: str) -> tuple[str, ...]:
    """What stands between the commas, each once; ValueError where that is nothing."""
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not found:
        raise ValueError(f"--{option} is empty; leave it out for what is usual")
    return found
