"""Sentences of errors.toml as patterns, for tests that see a text and no error."""

import re
import string

from geometry.errors import SENTENCES


def sentence(subject: str, because: str, **known: str) -> re.Pattern[str]:
    """That sentence, with the known details and any others."""
    pattern = ""
    for text, field, *_ in string.Formatter().parse(SENTENCES[subject][because]):
        any_detail = ".*" if field else ""
        pattern += re.escape(text) + (re.escape(known[field]) if field in known else any_detail)
    return re.compile(pattern)
