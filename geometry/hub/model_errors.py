"""The error for a model that can't be had or read: what is wrong, the limit, the remedy."""

from __future__ import annotations

from typing import Any


class ModelFilesError(RuntimeError):
    """Model files are missing, may not be used, or are not the ones they should be.

    str(error) is the English message, without a full stop at its end; ``code`` names the case
    and ``details`` holds its numbers and names, so that a page can say the same in another
    language. Sizes in ``details`` are bytes.
    """

    def __init__(self, message: str, *, code: str = "unreadable", **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.details = details


class DataSetError(ModelFilesError):
    """A data set of the hub can't be had: the codes and details of a model's."""


def readable_bytes(n_bytes: float, *, decimals: int = 0) -> str:
    """Bytes as a reader writes them: "438 MB", "30 kB" below one, "512 bytes" below that.

    decimals : of the megabytes alone.
    """
    if n_bytes >= 10**6:
        return f"{n_bytes / 10**6:,.{decimals}f} MB"
    return f"{n_bytes / 10**3:,.0f} kB" if n_bytes >= 10**3 else f"{n_bytes:,.0f} bytes"
