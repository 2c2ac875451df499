"""What a refused file of word vectors or data set of the hub says, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geometry import VectorFileError
from geometry.hub.errors import ITS_FILES
from geometry.hub.model_errors import DataSetError, readable_bytes

from ..words import Translate

GIGABYTE = 10**9


def vector_error_text(error: VectorFileError, _: Translate) -> str:
    """The translated sentence for ``error.code``; its English message for an unknown code."""
    details = dict(error.details)
    if error.code == "too_many_bytes":
        details["gigabytes"] = f"{details['n'] * details['d'] * 4 / GIGABYTE:.2f}"
        details["limit"] = f"{details['limit'] / GIGABYTE:g}"
    try:
        return _of_vectors(_)[error.code].format_map(_shown(details))
    except KeyError:
        return _("These word vectors can’t be read. {reason}.").format(
            reason=str(error).rstrip(".")
        )


def data_error_text(error: DataSetError, _: Translate) -> str:
    """The translated sentence for ``error.code``, with what is there without a network."""
    details, code = dict(error.details), error.code
    if code == "half_downloaded" and details.get("file") == ITS_FILES:
        code = "broken_transfer"
    if code == "no_disk" and details.get("needed") is None:
        code = "disk_failed"
    for name in ("needed", "free"):
        if isinstance(details.get(name), int):
            details[name] = readable_bytes(details[name], decimals=1)
    try:
        told = _of_data_sets(_)[code].format_map(_shown(details))
    except KeyError:
        told = _("These pairs could not be fetched. {reason}.").format(
            reason=str(error).rstrip(".")
        )
    return f"{told} " + _(
        "Meanwhile the project’s own pairs, which need no network, and pairs that you upload are "
        "on offer."
    )


def _shown(details: Mapping[str, Any]) -> dict[str, str]:
    """Whole numbers with their commas, names so that they never act as Markdown."""
    return {
        name: f"{value:,}" if isinstance(value, int) else str(value).replace("`", "'")
        for name, value in details.items()
    }


def _of_vectors(_: Translate) -> dict[str, str]:
    return {
        "no_vectors": _(
            "There are no word vectors in this file. Take GloVe’s or word2vec’s text, word2vec’s "
            "binary form, fastText’s .vec, .npz or .safetensors."
        ),
        "no_words": _("This file has vectors and no words. Save the words with them."),
        "word_count": _(
            "This file has {n_words} words and {n_vectors} vectors, and every vector needs its "
            "word. Save them again, in the same order."
        ),
        "ragged_row": _(
            "Line {line} has {n} numbers and the others have {expected}: it is cut off, or the "
            "file holds vectors of different lengths. Take the line out, or fetch the file again."
        ),
        "bad_number": _(
            "`{field}` among the last {expected} fields of line {line} is no number: the line is "
            "too short, or the file is none of vectors. Take the line out, or fetch the file "
            "again."
        ),
        "truncated": _(
            "The header promises {n_stated} words, and the file is cut off or damaged at number "
            "{word}. Fetch it again."
        ),
        "too_many_bytes": _(
            "{n} vectors of {d} numbers take {gigabytes} GB of memory, and the limit of this page "
            "is {limit} GB. Cut the file (the most frequent words come first), or score it in the "
            "shell."
        ),
        "pickled": _("This file could run code when it is read. Export the vectors as text."),
    }


def _of_data_sets(_: Translate) -> dict[str, str]:
    return {
        "no_network": _(
            "The data set `{name}` could not be fetched: {endpoint} can’t be reached ({reason}). "
            "Check the network and try again."
        ),
        "unknown_name": _("There is no data set `{name}` on {endpoint}, or no longer."),
        "gated": _(
            "The data set `{name}` is not open to everyone: {endpoint} answered {status}. Accept "
            "its terms on its page, and start the app with `HF_TOKEN` set to a token of the "
            "account that did."
        ),
        "vanished_revision": _(
            "The data set `{name}` no longer has the revision `{revision}` that is pinned here."
        ),
        "no_such_file": _(
            "The data set `{name}` has none of the files that are asked for, at revision "
            "`{revision}`."
        ),
        "half_downloaded": _(
            "The data set `{name}` is only partly there, at `{file}`. What is complete is kept; "
            "try again."
        ),
        "broken_transfer": _(
            "The data set `{name}` is only partly there: the hub did not send all of it. What has "
            "arrived is kept; try again."
        ),
        "no_disk": _(
            "The data set `{name}` needs {needed} in `{folder}`, which has {free} free. Free some "
            "space, or start the app with `HF_HOME` set to a folder with more of it."
        ),
        "disk_failed": _(
            "The data set `{name}` could not be written to `{folder}`. Free some space, or start "
            "the app with `HF_HOME` set to a folder that can be written."
        ),
    }
