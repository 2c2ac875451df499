"""README's table of transforms and measures: each is in it, and each row names its source."""

import re
from itertools import takewhile
from pathlib import Path

import pytest

import geometry
from geometry import measure, transform, vectors

README = Path(__file__).resolve().parents[1] / "README.md"
HEADER = "| what | where | source |"
YEAR = re.compile(r"[A-Z]\w+.* (18|19|20)\d\d")  # a name and a year at least
NAME = re.compile(r"`([^`]+)`")

# not a measure of one cloud with a formula of its own
PLUMBING = {"measure_names", "chance_agreement", "label_agreement", "nearest"}
ROOMS = (measure, transform, vectors)


def is_transform(name: str) -> bool:
    found = next(getattr(room, name) for room in ROOMS if name in room.__all__)
    return name.endswith("Map") or all(hasattr(found, verb) for verb in ("fit", "transform"))


TRANSFORMS = sorted({*filter(is_transform, transform.__all__), "sif_average"})
MEASURES = sorted(name for name in measure.__all__ if name[0].islower() and name not in PLUMBING)


def rows() -> list[tuple[str, str, str]]:
    """(what, where, source) of the table's rows."""
    below = README.read_text(encoding="utf-8").split(HEADER, 1)[1].splitlines()[2:]
    lines = takewhile(lambda line: line.startswith("|"), below)
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]


def names_in(where: str) -> set[str]:
    return {re.match(r"[\w.]+", code)[0] for code in NAME.findall(where)}


def last_part(names: set[str]) -> set[str]:
    return {name.rsplit(".", 1)[-1] for name in names}


def of_both() -> list[tuple[str, str, str]]:
    wanted = {*TRANSFORMS, *MEASURES}
    return [row for row in rows() if last_part(names_in(row[1])) & wanted]


def test_there_are_both():
    assert {"Whitening", "NormalizingFlow", "sif_average", "StandardMap"} <= set(TRANSFORMS)
    assert {"isoscore", "hubness", "uniformity_baseline", "opening_angle"} <= set(MEASURES)
    assert len(of_both()) > 15


@pytest.mark.parametrize("name", [*TRANSFORMS, *MEASURES])
def test_every_transform_and_measure_has_a_row(name):
    assert any(name in last_part(names_in(where)) for _, where, _ in rows())


@pytest.mark.parametrize("row", of_both(), ids=lambda row: row[0][:40])
def test_every_row_of_theirs_names_a_source(row):
    what, _, source = row
    assert what
    assert all(YEAR.search(each) for each in source.split(";")), source


def test_every_name_in_the_table_exists():
    for _, where, _ in rows():
        for name in names_in(where):
            found = geometry
            for part in name.split("."):
                if part == "StandardScaler":  # scikit-learn's
                    break
                found = getattr(found, part)
