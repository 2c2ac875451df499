"""The row of a figure, and the table of all rows."""

import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

HEADINGS = ("what", "ours", "peer", "ratio", "at least", "met", "note")
PACKAGES = ("streamlit", "plotly", "numpy", "torch", "transformers", "umap-learn", "openTSNE")


@dataclass(frozen=True)
class Row:
    """One figure: the median of ours, of the peer if there is one, and the target.

    ratio : peer over ours, so larger is better.   target : in words.   met : None without a target.
    """

    name: str
    ours: float
    peer: float | None = None
    ratio: float | None = None
    unit: str = "s"
    target: str = ""
    met: bool | None = None
    note: str = ""


def markdown(rows: Iterable[Row]) -> str:
    """The rows as one Markdown table."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *(_cells(row) for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def machine() -> str:
    """The machine of the figures: cores, processor, versions."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"Medians on {os.cpu_count()} cores, {_processor()}, {platform.system()}; "
        f"Python {platform.python_version()}, {versions}."
    )


def save(rows: Iterable[Row], path: Path) -> None:
    path.write_text(json.dumps([asdict(row) for row in rows]), encoding="utf-8")


def load(path: Path) -> list[Row]:
    return [Row(**row) for row in json.loads(path.read_text(encoding="utf-8"))]


def _cells(row: Row) -> tuple[str, ...]:
    return tuple(
        cell.replace("|", "\\|")
        for cell in (
            row.name,
            _amount(row.ours, row.unit),
            _amount(row.peer, row.unit),
            "" if row.ratio is None else f"{row.ratio:.2f} ×",
            row.target,
            {True: "yes", False: "**no**", None: ""}[row.met],
            row.note,
        )
    )


def _amount(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.3g} {unit}".rstrip()


def _processor() -> str:
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
