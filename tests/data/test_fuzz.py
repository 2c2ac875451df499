"""Every reader on damaged files: it reads the file or raises the library's own error.

Each takes at most 1 GB and 10 s. ``make test-long`` prints the table for SECURITY.md.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.bounded import Attempt, Outcome, outcomes
from tests.data.bombs import ATTEMPTS as BOMBS
from tests.hostile_files import damaged, files

SECURITY = Path(__file__).resolve().parents[2] / "SECURITY.md"
FEW, ALL = 200, 8_000  # CI reads the few
BATCH = 4  # bombs a process
HEAD = ("format", "inputs", "refused", "read", "other")


def failures(attempts: Sequence[Attempt], found: Sequence[Outcome]) -> list[str]:
    return [
        f"{number} ({attempt.kind}): {outcome}"
        for number, (attempt, outcome) in enumerate(zip(attempts, found, strict=True))
        if not outcome.is_fine
    ]


def table(attempts: Sequence[Attempt], found: Sequence[Outcome]) -> list[str]:
    """The outcomes by format, as lines of a Markdown table."""
    kinds = list(dict.fromkeys(attempt.kind for attempt in attempts))
    counts = Counter(
        (attempt.kind, outcome.ending if outcome.is_fine else "other")
        for attempt, outcome in zip(attempts, found, strict=True)
    )
    rows = [[kind, *(counts[kind, ending] for ending in HEAD[2:])] for kind in kinds]
    rows.append(["all", *(sum(row[i] for row in rows) for i in (1, 2, 3))])
    lines = [(kind, sum(of_kind), *of_kind) for kind, *of_kind in rows]
    return [
        f"| {' | '.join(HEAD)} |",
        "| --- | --: | --: | --: | --: |",
        *(f"| {kind} | {' | '.join(f'{n:,}' for n in numbers)} |" for kind, *numbers in lines),
    ]


def test_the_files_are_read_before_they_are_damaged():
    whole = [attempt for kind, attempt in files().items() if kind != "vectors, npy"]
    assert [each.ending for each in outcomes(whole)] == ["read"] * len(whole)


@pytest.mark.slow
def test_some_damaged_files():
    attempts = damaged(FEW, seed=1)
    assert not failures(attempts, outcomes(attempts))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_all_damaged_files_and_bombs(record_property, capfd):
    attempts = damaged(ALL) + bombs()
    found = outcomes(attempts[:ALL]) + in_batches(attempts[ALL:], capfd)
    lines = table(attempts, found)
    record_property("table", "\n".join(lines))
    assert not failures(attempts, found)
    # the numbers change with every change of a reader; the formats, and no other error, do not
    written = SECURITY.read_text(encoding="utf-8").splitlines()
    assert {line.split("|")[1] for line in lines} <= {
        line.split("|")[1]
        for line in written
        if line.endswith("| 0 |") or "---" in line or line == lines[0]
    }


def in_batches(attempts: Sequence[Attempt], capfd: pytest.CaptureFixture[str]) -> list[Outcome]:
    """Outcomes by new processes: a reader's own process begins with the memory of its parent.

    A bomb adds one line to the log at most, also of the processes that read it.
    """
    found: list[Outcome] = []
    for start in range(0, len(attempts), BATCH):
        part = attempts[start : start + BATCH]
        capfd.readouterr()
        found += outcomes(part)
        assert len(capfd.readouterr().err.splitlines()) <= len(part)
    return found


def bombs() -> list[Attempt]:
    made = [bomb() for bomb in BOMBS.values()]
    return [Attempt(each.reader, each.content, "bombs", each.options) for each in made]
