"""Word vectors that come with the project, read once for all readers; lists of stop words."""

from geometry import VectorTable
from geometry.data.words import stop_list
from geometry.vectors import read_bundled_vectors

from .cache import kept
from .words import _


@kept(1)
def glove_table() -> VectorTable:
    return read_bundled_vectors("glove")


def glove_name() -> str:
    return _("GloVe 6B, {n} words (bundled)").format(n="40,000")


def stop_list_names() -> dict[str, str]:
    """Lists of words that averages leave out, by code, each with the number of its words."""
    return {
        "none": _("no words"),
        "sklearn": _("scikit-learn’s {n} English stop words").format(
            n=f"{len(stop_list('sklearn')):,}"
        ),
    }
