"""Languages: a folder each, ``assets/text/<language>``, with gettext's catalogues ``*.po``.

English needs no catalogue, because the labels in the code are English; ``diagnosis.toml`` and
``axis_labels.toml`` of ``en`` have longer texts. A folder's ``language.toml`` has the language's
own name and the locales that it serves.
"""

import gettext
import io
import re
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from ..shipped import shipped_file

ENGLISH = "en"
Translate = Callable[[str], str]  # from an English label to that of the chosen language


@cache
def _described() -> dict[str, tuple[str, tuple[str, ...], str]]:
    """Each language's own name, locales and corpus, by code; English first, then by code."""
    found = {}
    for path in shipped_file("text").glob("*/language.toml"):
        described = tomllib.loads(path.read_text(encoding="utf-8"))
        corpus = described.get("corpus", "topics")
        found[path.parent.name] = (described["name"], tuple(described["locales"]), corpus)
    return {code: found[code] for code in sorted(found, key=lambda code: (code != ENGLISH, code))}


def languages() -> tuple[str, ...]:
    """Codes of all languages, English first."""
    return tuple(_described())


def own_name(code: str) -> str:
    """The language's name in itself, such as 繁體中文."""
    return _described()[code][0]


def corpus_of(code: str) -> str:
    """The bundled corpus in the language, such as "topics-zh"; "topics" if there is none."""
    return _described()[code][2]


def language_for(locale: str | None) -> str | None:
    """The language that serves a locale; of its locales that begin this one the longest decides."""
    parts = (locale or "").lower().replace("_", "-").split("-")
    described = _described().items()
    served = {each.lower(): code for code, (_, locales, _) in described for each in locales}
    beginnings = ("-".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((served[each] for each in beginnings if each in served), None)


@cache
def catalogue(code: str) -> gettext.NullTranslations:
    """All catalogues of a language as one: there is a file for each page."""
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    files = sorted((shipped_file("text") / code).glob("*.po"))
    if not files:
        return gettext.NullTranslations()
    merged = Catalog(locale=code.replace("-", "_"))
    for path in files:
        with path.open("rb") as file:
            for message in read_po(file, locale=merged.locale):
                if message.id:
                    merged[message.id] = message
    compiled = io.BytesIO()
    write_mo(compiled, merged)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


@cache
def text_tables(name: str, code: str = ENGLISH) -> dict[str, Any]:
    """The tables of ``<name>.toml`` of a language; empty where it has no such file."""
    path = shipped_file("text") / code / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def paragraph(sentences: Iterable[str]) -> str:
    """The sentences one after the other; after a full-width stop there is no space.

    Such a stop is put behind the asterisks of a bold sentence, where Markdown would not end it.
    """
    found = ""
    for sentence in filter(None, sentences):
        found = _BOLD_STOP.sub(r"**\1", found)
        space = " " if found and found[-1] not in "。！？；」”）" else ""
        found += space + sentence
    return found


_BOLD_STOP = re.compile(r"([。！？])\*\*$")
