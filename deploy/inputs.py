"""The table of formats in docs/inputs.md, from the registry: ``python -m deploy.inputs``."""

import re
from pathlib import Path

from geometry.vectors.formats import FORMATS

PAGE = Path(__file__).parent.parent / "docs" / "inputs.md"
_TABLE = re.compile(r"(?<=<!-- formats -->\n).*?(?=<!-- end -->)", re.DOTALL)


def table() -> str:
    """A row for each format: read as vectors, read as words with vectors, or how to convert it."""
    rows = ["| format | vectors | words with vectors |", "| --- | --- | --- |"]
    for each in FORMATS:
        if each.foreign is not None:
            # a cell of Markdown ends at a bar
            command = each.foreign.command.replace("|", "\\|")
            rows.append(f"| {each.foreign.what} | refused; `{command}` | refused |")
            continue
        vectors, words = (
            "read" if is_read else "refused" for is_read in (each.rows, each.has_words)
        )
        rows.append(f"| {each.name} | {vectors} | {words} |")
    return "\n".join(dict.fromkeys(rows)) + "\n"


def written(text: str) -> str:
    """The page with the table of today."""
    return _TABLE.sub(lambda _: table(), text)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
