"""What the numbers of the word-frequency page were measured on."""

from __future__ import annotations

from geometry.data.number_text import signed
from pages.common.controls import layer_words
from pages.common.models import model_line
from pages.common.seed import SEED
from pages.common.words import _

from .scene import Scene


def provenance(scene: Scene) -> str:
    """Vectors, n, frequencies, seed."""
    words, choice, encoder, corpus = scene.words, scene.choice, scene.encoder, scene.corpus
    if choice.words == "upload":
        parts = [choice.vectors_file.name]
    else:
        parts = [model_line(encoder)]
        parts.append(
            _("input embeddings")
            if choice.words == "types"
            else _("contextual tokens averaged by type, {layer}").format(
                layer=layer_words(choice.layer, encoder.n_layers)
            )
        )
    count = _("n = {n} words").format(n=f"{len(words):,}")
    if words.n_available > len(words):
        count += " " + _("(the most frequent of {n})").format(n=f"{words.n_available:,}")
    if len(words.measured) < len(words):
        measured = _("measured: the {n} most frequent")
        count += " · " + measured.format(n=f"{len(words.measured):,}")
    if words.tokens is not None and words.tokens[0] < words.tokens[1]:
        taken, available = words.tokens
        sample = _("averaged from a sample of {n} of the {all} tokens, seed {seed}")
        count += " · " + sample.format(n=f"{taken:,}", all=f"{available:,}", seed=SEED)
    frequencies = {
        "corpus": _("frequencies: corpus {name}").format(name=corpus.name),
        "list": _("frequencies: {name}").format(name=getattr(choice.counts_file, "name", "")),
        "order": _("frequencies: 1/rank by the table’s own order"),
    }[choice.counts]
    if words.agreement is not None:
        frequencies = _(
            "frequencies: 1/rank by the vocabulary’s own order, of the types in corpus {name} "
            "(Spearman of that order and their counts there: {rho})"
        ).format(name=corpus.name, rho=signed(words.agreement, 2))
    return " · ".join([*parts, count, frequencies, _("raw vectors, nothing fitted")])
