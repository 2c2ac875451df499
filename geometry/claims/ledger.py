"""Every claim with the result of its test on a subject."""

from collections.abc import Callable, Iterator

from ..linalg.rows import UndefinedMeasure
from ..process import Progress, no_report
from . import cone, cures, dimensions, frequency, training
from .claim import Claim, MissingEvidence, Tested, read_claims
from .subject import ClaimSubject

MODULES = (cone, dimensions, frequency, cures, training)


def function_of(key: str) -> Callable[[ClaimSubject], Tested] | None:
    return next((getattr(each, key) for each in MODULES if hasattr(each, key)), None)


def result_of(key: str, subject: ClaimSubject) -> Tested | None:
    """The result of a claim's test; None if there is no test."""
    test = function_of(key)
    try:
        return None if test is None else test(subject)
    except MissingEvidence as error:
        return Tested("unknown", missing=str(error))
    except UndefinedMeasure as error:
        return Tested("unknown", missing=error.code)


def results(
    subject: ClaimSubject, progress: Progress | None = None
) -> Iterator[tuple[Claim, Tested | None]]:
    """Every claim and its result, in the order of the entries."""
    claims = read_claims()
    for done, claim in enumerate(claims):
        (progress or no_report)(done, len(claims))
        yield claim, result_of(claim.key, subject)
