"""The pages, in the order of the sidebar; the first is the landing page."""

from __future__ import annotations

from .words import _

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
    return {
        "narrow_cone": _("Narrow cone"),
        "layers": _("Layers"),
        "word_frequency": _("Word frequency"),
        "degeneration": _("Degeneration"),
        "whitening": _("Whitening"),
        "neighbours": _("Neighbours"),
        "sentence_similarity": _("Sentence similarity"),
        "contrast": _("Contrastive training"),
        "evidence": _("Evidence"),
        "claims": _("Claims"),
        "cosine_basis": _("Cosine and basis"),
        "your_corpus": _("Your corpus"),
    }
