"""What a refused file or text says, in the reader's language: what is wrong, limit, remedy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geometry import CorpusError

from ..words import Translate

MEGABYTE = 10**6


def error_text(error: CorpusError, _: Translate) -> str:
    """The translated sentence for ``error.code``; its English message for an unknown code."""
    code = error.code
    if code == "too_few_texts" and not error.details.get("n"):
        code = "no_texts"
    try:
        return _sentences(_)[code].format_map(_shown(error.details, _))
    except KeyError:
        return str(error)


def too_large_text(max_bytes: int, _: Translate) -> str:
    """The sentence for a file over the size limit."""
    return _sentences(_)["too_many_bytes"].format_map(_shown({"limit": max_bytes}, _))


def _sentences(_: Translate) -> dict[str, str]:
    return {
        "empty": _("There is no text here. Give at least {limit} texts, one a line or one a row."),
        "no_texts": _(
            "The chosen column holds no text at all, and at least {limit} texts are needed. "
            "Choose another column."
        ),
        "too_few_texts": _(
            "There is only one text, and at least {limit} are needed to compare directions. "
            "Add more, one a line or one a row."
        ),
        "too_many_texts": _(
            "There are {n} texts and the limit is {limit}. Keep a sample of the rows."
        ),
        "too_many_bytes": _(
            "The file is larger than the limit of {megabytes} MB. Cut it into parts or draw a "
            "sample of its rows."
        ),
        "binary": _(
            "This is no text file: it looks like a {kind}. Save its text as UTF-8 in a .txt or "
            ".csv file and take that."
        ),
        "wrong_encoding": _(
            "The file is not {encoding}: byte {offset} (line {line}) does not fit, and no other "
            "encoding is clear. Save the file as UTF-8 and take that."
        ),
        "unknown_encoding": _(
            "There is no text encoding named {encoding}. Use one such as utf-8, big5 or cp1252."
        ),
        "bad_quotes": _(
            "The quotes in the row at line {line} do not close where a column ends. Put quotes "
            "around the whole cell and double those inside it."
        ),
        "uneven_row": _(
            "The row at line {line} has {n} columns and the first row has {expected}. Put quotes "
            "around a cell that holds the delimiter, or take a .txt file with one text a line."
        ),
        "unknown_column": _(
            "There is no column {column}; the file has {columns}. Choose one of these."
        ),
        "no_text_column": _(
            "None of the columns {columns} holds text, only numbers or signs. Add a column of "
            "sentences, one a row."
        ),
        "no_pair_columns": _(
            "The columns {columns} are not two sentences and a score. Choose the three columns "
            "yourself, or name them left, right and score in the first row."
        ),
        "blank_sentence": _(
            "The pair at line {line} lacks a sentence. Fill it in or take the row out."
        ),
        "bad_score": _(
            "The score {score} at line {line} is no number. Write one such as 3.5, or take the "
            "row out."
        ),
        "bad_json": _("Line {line} is no JSON object. Write one a line, such as {example}."),
        "score_outside_scale": _(
            "The scores reach from {found_low} to {found_high}, and the scale of this set from "
            "{low} to {high}: this is another file than expected. Choose other pairs."
        ),
    }


def _kinds(_: Translate) -> dict[str, str]:
    return {
        "PNG image": _("PNG image"),
        "JPEG image": _("JPEG image"),
        "GIF image": _("GIF image"),
        "RIFF media file": _("RIFF media file"),
        "PDF document": _("PDF document"),
        "ZIP archive or Office document": _("ZIP archive or Office document"),
        "old Office document": _("old Office document"),
        "gzip archive": _("gzip archive"),
        "Parquet table": _("Parquet table"),
        "NumPy array": _("NumPy array"),
        "SQLite database": _("SQLite database"),
        "binary file": _("binary file"),
    }


def _shown(details: Mapping[str, Any], _: Translate) -> dict[str, str]:
    """Details as a reader writes them: 20,000 and `a`, `b`; names never act as Markdown."""
    shown = {name: _value(value) for name, value in details.items()}
    kind = str(details.get("kind", ""))
    shown["kind"] = _kinds(_).get(kind, kind)
    shown["example"] = '`{"sentence1": "…", "sentence2": "…", "score": 3.5}`'
    for name, ends in (("found", ("found_low", "found_high")), ("scale", ("low", "high"))):
        if isinstance(details.get(name), tuple):
            shown |= {end: f"{value:g}" for end, value in zip(ends, details[name], strict=True)}
    if isinstance(details.get("limit"), int):
        shown["megabytes"] = f"{details['limit'] / MEGABYTE:g}"
    return shown


def _value(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, (tuple, list)):
        return ", ".join(_value(each) for each in value)
    text = str(value).replace("`", "'")
    return f"`{text}`"
