"""Paths of the files that come with the project: corpora, scored pairs, published figures."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def shipped_file(name: str) -> Path:
    """The path of a file of ``assets``: inside an installed package, else beside it.

    A wheel carries the files in ``geometry/assets`` (pyproject.toml). A checkout has them in
    ``assets`` at the top, where the pages' own files are too.
    """
    installed = PACKAGE / "assets"
    return (installed if installed.is_dir() else PACKAGE.parent / "assets") / name
