"""The errors of a text that can't be encoded, and of a number format that is not precise enough."""

from ..errors import GeometryError


class TextError(GeometryError):
    """A text that can't be encoded. The message counts texts from 1."""

    subject = "text"


class PrecisionError(GeometryError):
    """bfloat16 is not available ("no_bfloat16") or not precise enough ("too_narrow")."""

    subject = "precision"
