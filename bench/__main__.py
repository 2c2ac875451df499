"""Run the benchmarks one after the other, each in a process of its own, and print one table.

A benchmark is a file in this folder with `def main() -> list[Row]`. Progress goes to stderr,
the table to stdout: python -m bench > table.md, or python -m bench encode landing for some.
It exits with 1 where a benchmark failed or a figure falls short of what was promised.
"""

import argparse
import ast
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.table import Row, load, machine, markdown, save

HERE = Path(__file__).resolve().parent


def benchmarks() -> list[str]:
    """The names of the files here that define main; they are read, not imported."""
    return sorted(
        path.stem
        for path in HERE.glob("*.py")
        if not path.stem.startswith("_") and _defines_main(path)
    )


def measure(name: str) -> list[Row] | None:
    """The rows of one benchmark, from a fresh process; None where it failed."""
    print(f"bench: {name}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.json"
        # The benchmark prints its progress. On stdout only the table is wanted.
        done = subprocess.run(
            [sys.executable, "-m", "bench", name, "--save", str(rows)],
            cwd=HERE.parent,
            stdout=sys.stderr,
            check=False,
        )
        return load(rows) if done.returncode == 0 else None


def main() -> int:
    known = benchmarks()
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"some of: {', '.join(known)} (default: all)")
    parser.add_argument("--save", type=Path, help="measure one here and write its rows as JSON")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are: {', '.join(known)}")
    if options.save:
        if len(options.names) != 1:
            parser.error("--save takes exactly one benchmark")
        save(importlib.import_module(f"bench.{options.names[0]}").main(), options.save)
        return 0

    measured = {name: measure(name) for name in options.names or known}
    print(markdown(row for rows in measured.values() for row in rows or []))
    print(f"\n{machine()}")
    return verdict(measured)


def verdict(measured: Mapping[str, Sequence[Row] | None]) -> int:
    """The exit code: 1 where a benchmark failed or missed a target; stderr names each."""
    failed = [name for name, rows in measured.items() if rows is None]
    missed = [row.name for rows in measured.values() for row in rows or [] if row.met is False]
    if failed:
        print(f"bench: failed: {', '.join(failed)}", file=sys.stderr)
    for name in missed:
        print(f"bench: missed: {name}", file=sys.stderr)
    return 1 if failed or missed else 0


def _defines_main(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body)


if __name__ == "__main__":
    sys.exit(main())
