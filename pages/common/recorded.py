"""Results that were recorded once, as JSON with few decimals; the pages show them first."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from geometry.data.write import write


def rounded(value: Any, decimals: int) -> Any:
    if isinstance(value, Mapping):
        return {name: rounded(each, decimals) for name, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [rounded(each, decimals) for each in value]
    if isinstance(value, np.integer):
        return int(value)
    return round(float(value), decimals) if isinstance(value, float | np.floating) else value


def write_lines(file: Path, found: Mapping[str, Any]) -> None:
    """A line for each entry, so that a change shows which."""
    lines = [f"{json.dumps(name)}: {json.dumps(each)}" for name, each in found.items()]
    write(file, ("{\n" + ",\n".join(lines) + "\n}\n").encode())
