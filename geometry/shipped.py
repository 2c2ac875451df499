"""Paths of the files that come with the project: corpora, texts, published figures."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def shipped_file(name: str) -> Path:
    """The path of a file of ``assets``: inside an installed package, else beside it."""
    installed = PACKAGE / "assets"
    return (installed if installed.is_dir() else PACKAGE.parent / "assets") / name
