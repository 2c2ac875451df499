"""Write ``assets/text/zh-Hans`` and README.zh-Hans.md from those of zh-Hant.

    python -m deploy.simplified

These are 简体中文 with the Mainland's terms. OpenCC converts characters and the general terms of a
region. ``zh-Hans/terms.toml`` has what it does not know: this field's terms. Correct a text there
or in zh-Hant, never in a file written here.
"""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from opencc import OpenCC

ROOT = Path(__file__).resolve().parents[1]
TEXT = ROOT / "assets" / "text"
SOURCE = TEXT / "zh-Hant"
TARGET = TEXT / "zh-Hans"
README = ROOT / "README.zh-Hans.md"
MADE_BY = "# Written by python -m deploy.simplified.\n"


@cache
def _terms() -> dict[str, list[tuple[str, str]]]:
    """Patterns of Traditional Chinese and their replacements, in the three tables of terms.toml."""
    tables = tomllib.loads((TARGET / "terms.toml").read_text(encoding="utf-8"))
    return {
        name: [(pattern, term) for term, patterns in table.items() for pattern in patterns]
        for name, table in tables.items()
    }


def simplified(text: str) -> str:
    """The text in 简体中文; English, codes and fields stay as they are."""
    region, script = OpenCC("tw2sp"), OpenCC("t2s")
    # Longest first, because a term can begin with another.
    replacements = sorted(_terms()["terms"], key=lambda pair: -len(pair[0])) + _terms()["contexts"]
    pattern = re.compile("|".join(f"(?P<r{i}>{each})" for i, (each, _) in enumerate(replacements)))
    parts, done = [], 0
    for hit in pattern.finditer(text):
        parts += [region.convert(text[done : hit.start()])]
        parts += [replacements[int(str(hit.lastgroup)[1:])][1]]
        done = hit.end()
    written = "".join([*parts, region.convert(text[done:])])
    return script.convert(written).translate(str.maketrans("「」『』", "“”‘’"))


def _glossary() -> str:
    """The glossary: each term with its Taiwanese names as those that are not used."""
    script = OpenCC("t2s")
    strays: dict[str, list[str]] = {}
    for pattern, term in _terms()["terms"]:
        strays.setdefault(term, []).append(script.convert(pattern))
    gloss: dict[str, Any] = tomllib.loads((SOURCE / "glossary.toml").read_text(encoding="utf-8"))
    lines = [f'"{term}" = {names}' for term, names in strays.items()]
    lines += ["", "[gloss]"]
    lines += [
        f'"{simplified(term)}" = "{simplified(said)}"' for term, said in gloss["gloss"].items()
    ]
    return MADE_BY + "\n".join(lines) + "\n"


def written() -> dict[str, str]:
    """Every file that is made from one of zh-Hant, by name."""
    found = {"glossary.toml": _glossary()}
    for path in [
        *sorted(SOURCE.glob("*.[pm][od]")),
        SOURCE / "claims.toml",
        SOURCE / "lesson.toml",
        SOURCE / "names.toml",
    ]:
        text = simplified(path.read_text(encoding="utf-8")).replace("zh_Hant", "zh_Hans")
        found[path.name] = ("" if path.suffix == ".md" else MADE_BY) + text
    return found


def readme() -> str:
    """README.zh-Hans.md: its pictures are its own, and it links the other script."""
    text = simplified((ROOT / "README.zh-Hant.md").read_text(encoding="utf-8"))
    text = text.replace("zh-Hant", "zh-Hans")
    return text.replace("[简体中文](README.zh-Hans.md)", "[繁體中文](README.zh-Hant.md)")


if __name__ == "__main__":
    for name, text in written().items():
        (TARGET / name).write_text(text, encoding="utf-8")
    README.write_text(readme(), encoding="utf-8")
