"""The pages, in the order of the sidebar; the first is the landing page."""

from .words import names

PAGES = (
    "narrow_cone",
    "layers",
    "word_frequency",
    "degeneration",
    "whitening",
    "neighbours",
    "sentence_similarity",
    "contrast",
    "evidence",
    "claims",
    "cosine_basis",
    "your_corpus",
)
LANDING = PAGES[0]


def page_path(name: str) -> str:
    return f"pages/{name}/page.py"


def page_labels() -> dict[str, str]:
    return names("pages")
