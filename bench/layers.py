"""The page Layers on the bundled sentences: every measure at every layer, cold and from cache.

Time at the server to the end of the page's run, with an empty cache: encoding, pictures and all
tables. Measured on a server that has just started and still has to import torch, and on one
that started WARM seconds ago. Then another reader opens the page.
"""

import asyncio
import tempfile
from pathlib import Path
from statistics import median

from bench.reader import Reader
from bench.table import Row
from geometry import read_bundled
from tests.browser.server import AppServer

PAGE = "layers"
REPEATS = 3
COLD, CACHED = 20.0, 0.5  # limits in seconds
WARM = 25.0  # seconds between the server's start and the visit


def main() -> list[Row]:
    times = [asyncio.run(visits(WARM)) for _ in range(REPEATS)]
    cold, cached = (median(values) for values in zip(*times, strict=True))
    at_start = median(asyncio.run(visits())[0] for _ in range(REPEATS))
    n = len(read_bundled("topics"))
    return [
        _row(f"layers page: every measure of {n:,} sentences at every layer, cold", cold, COLD),
        _row("the same in the first second of the server", at_start, None),
        _row("the same from cache", cached, CACHED),
    ]


def _row(name: str, seconds: float, limit: float | None) -> Row:
    if limit is None:
        return Row(name, seconds)
    return Row(name, seconds, target=f"{limit:g} s or less", met=seconds <= limit)


async def visits(wait: float = 0.0) -> tuple[float, float]:
    """Seconds of the first visit, ``wait`` seconds after the start, and of another reader's."""
    with tempfile.TemporaryDirectory() as folder, AppServer(cache_dir=Path(folder)) as server:
        await asyncio.sleep(wait)
        seconds = []
        for _ in range(2):
            async with Reader(server.port, PAGE) as reader:
                seconds.append((await reader.open()).seconds)
    return seconds[0], seconds[1]


if __name__ == "__main__":
    print(asyncio.run(visits(WARM)))
