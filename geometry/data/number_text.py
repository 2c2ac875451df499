"""Numbers as text, with a real minus sign."""

from collections.abc import Callable


def with_sign(value: float, decimals: int) -> str:
    """A difference: the number with its sign, a plus too."""
    text = signed(value, decimals)
    return text if text.startswith("−") or float(text) == 0 else f"+{text}"


def signed(value: float, decimals: int) -> str:
    """The number with a real minus sign, and no minus before a zero."""
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def estimate(
    value: float,
    low: float | None,
    high: float | None,
    decimals: int = 3,
    written: Callable[[float, int], str] = signed,
) -> str:
    """A value with its interval, if it has one: 0.566 [0.541, 0.591]."""
    text = written(value, decimals)
    if low is None or high is None:
        return text
    return f"{text} [{written(low, decimals)}, {written(high, decimals)}]"


def change(value: float, low: float | None, high: float | None, decimals: int = 3) -> str:
    """A difference with its sign, and its interval if it has one: +0.013 [+0.002, +0.024].

    An end that is not 0 does not print as 0: then all three have up to three more decimals.
    """
    ends = [end for end in (low, high) if end]
    more = (k for k in range(decimals, decimals + 3) if all(round(end, k) for end in ends))
    return estimate(value, low, high, next(more, decimals + 3), with_sign)
