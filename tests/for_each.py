"""Many cheap cases in one test: a test of each of them costs more than the case itself."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any


def for_each(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Callable], Callable]:
    """``pytest.mark.parametrize`` inside one test. A failure ends with the values of its case.

    The cases share the test's fixtures.
    """
    cases, keys = list(values), (names,) if isinstance(names, str) else names

    if not cases:
        raise ValueError(f"no case of {names}: the test would pass without one")

    def decorate(test: Callable) -> Callable:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            for case in cases:
                row = [case] if isinstance(names, str) else case
                try:
                    test(**fixtures, **dict(zip(keys, row, strict=True)))
                except BaseException as error:
                    error.add_note(f"{names} = {case!r}")
                    raise

        signature = inspect.signature(test)
        left = [one for one in signature.parameters.values() if one.name not in keys]
        run.__signature__ = signature.replace(parameters=left)
        return run

    return decorate
