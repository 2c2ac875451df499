"""Numbers as text, with a real minus sign."""

from __future__ import annotations


def with_sign(value: float, decimals: int) -> str:
    """A difference: the number with its sign, a plus too."""
    text = signed(value, decimals)
    return text if text.startswith("−") or float(text) == 0 else f"+{text}"


def signed(value: float, decimals: int) -> str:
    """The number with a real minus sign, and no minus before a zero."""
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def estimate(value: float, low: float, high: float, decimals: int = 3) -> str:
    """A value with its interval: 0.566 [0.541, 0.591].

    Parameters
    ----------
    value : float
    low : float
        Lower end of the interval.
    high : float
        Upper end of the interval.
    decimals : int
    """
    return f"{signed(value, decimals)} [{signed(low, decimals)}, {signed(high, decimals)}]"


def change(value: float, low: float, high: float, decimals: int = 3) -> str:
    """A difference with its sign and its interval: +0.013 [+0.002, +0.024].

    Parameters
    ----------
    value : float
    low : float
        Lower end of the interval.
    high : float
        Upper end of the interval.
    decimals : int
    """
    first, *ends = (with_sign(number, decimals) for number in (value, low, high))
    return f"{first} [{', '.join(ends)}]"
