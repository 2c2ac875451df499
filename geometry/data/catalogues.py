"""Labels in other languages: gettext's catalogues, ``assets/text/<language>/*.po``.

English needs no catalogue, because the labels in the code are English.
"""

from __future__ import annotations

import gettext
import io
from collections.abc import Callable
from functools import cache

from .shipped import shipped_file

ENGLISH = "en"
Translate = Callable[[str], str]  # from an English label to that of the chosen language


@cache
def languages() -> tuple[str, ...]:
    """English, and the codes of the languages that have a catalogue."""
    found = {path.parent.name for path in shipped_file("text").glob("*/*.po")}
    return (ENGLISH, *sorted(found - {ENGLISH}))


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
