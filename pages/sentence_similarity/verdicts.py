"""The claims of the page beside what is measured on the chosen pairs."""

from __future__ import annotations

from geometry.evaluate.bootstrap import DRAWS, Difference
from geometry.evaluate.grid import Cell
from pages.common.escape import markdown
from pages.common.models import model_line
from pages.common.scores import hundred, with_interval
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_words
from pages.common.verdict import State, Verdict
from pages.common.words import _

from .choices import ScoringChoice, fitted_on
from .ladder import Gap, pooling_words_here
from .scene import Scene
from .words import cell_words


def whitening_verdict(scene: Scene) -> Verdict:
    """Does the treatment help? The last layer is first, because it is used in practice."""
    choice = scene.choice
    raw, treated = scene.output
    lines = [_output_words(raw, treated, choice)]
    cell = scene.cell(choice.layer, choice.pooling, choice.after)
    if cell is not treated and cell.difference is not None and cell.difference.value is not None:
        lines.append(_cell_words(scene, cell))
    return Verdict(
        claim=_("Whitening makes the similarities of sentences better."),
        source=_("Su et al. (2021), Huang et al. (2021)"),
        state=_state(_sign(treated), _sign(cell)),
        measured=" ".join(lines),
        basis=_basis(choice, fitted_on(choice)),
    )


def _sign(cell: Cell) -> int | None:
    """1 for a clear gain, -1 for a clear loss, 0 for neither; None without an interval."""
    moved = cell.difference
    if moved is None or moved.value is None or moved.low is None:
        return None
    return (1 if moved.value > 0 else -1) if moved.is_clear else 0


def _state(output: int | None, cell: int | None) -> State:
    """The state of the claim, from the signs at the last layer and at the chosen cell."""
    signs = {output, cell}
    if None in signs or signs == {0}:
        return "unknown"
    if -1 not in signs and output == 1:
        return "holds"
    return "partly" if 1 in signs else "fails"


def _output_words(raw: Cell, treated: Cell, choice: ScoringChoice) -> str:
    """A sentence on the last layer, with advice."""
    moved = treated.difference
    if moved is None or moved.value is None:
        return _("The mean of the last layer has no score here.")
    advice = {
        1: _("use it"),
        -1: _("leave the vectors raw"),
        0: _("no clear difference"),
        None: _("too few pairs to tell"),
    }
    return _(
        "Last layer, mean: raw **{before}** → {treatment} **{after}** ({change}): **{advice}**."
    ).format(
        before=hundred(raw.score.spearman),
        treatment=treatment_words(choice.after),
        after=hundred(treated.score.spearman),
        change=_change(moved),
        advice=advice[_sign(treated)],
    )


def _cell_words(scene: Scene, cell: Cell) -> str:
    """A sentence on the chosen layer and pooling."""
    choice, moved = scene.choice, cell.difference
    before = scene.cell(choice.layer, choice.pooling)
    words = {
        1: _("At {cell} it helps: {before} → {after} ({change})."),
        -1: _("At {cell} it hurts: {before} → {after} ({change})."),
        0: _("At {cell} the difference is not clear: {before} → {after} ({change})."),
        None: _("At {cell}, without an interval: {before} → {after} ({change})."),
    }
    return words[_sign(cell)].format(
        cell=cell_words(choice.layer, choice.pooling),
        before=hundred(before.score.spearman),
        after=hundred(cell.score.spearman),
        change=_change(moved),
    )


def _change(moved: Difference | None) -> str:
    if moved is None:
        return hundred(None)
    return with_interval(moved.value, moved.low, moved.high, sign=True)


def pooling_verdict(scene: Scene) -> Verdict:
    """Are the model's sentence vectors worse than averaged word vectors?"""
    words, gap = pooling_words_here(scene)
    return Verdict(
        claim=_("BERT’s sentence vectors are worse than averaged word vectors."),
        source=_("Reimers & Gurevych (2019), Li et al. (2020)"),
        state=_below(gap),
        measured=words or _("One of the scores is undefined here."),
        basis=_basis(scene.choice, _("raw vectors, nothing fitted")),
    )


def _below(gap: Gap) -> State:
    """Which of [CLS] and the mean are clearly below the static average, and which above."""
    both = [each.value or 0.0 for each in (gap.cls, gap.mean) if each is not None and each.is_clear]
    below, above = (sum(value * sign > 0 for value in both) for sign in (1, -1))
    if below:
        return "holds" if below == 2 else "partly"
    return "fails" if above else "unknown"


def _basis(choice: ScoringChoice, fit: str) -> str:
    parts = [
        _("n = {n} pairs, {name}").format(n=f"{len(choice.pairs):,}", name=choice.pairs.name()),
        model_line(choice.encoder),
        fit,
        _("paired 95% intervals from {n} resamples of the pairs").format(n=f"{DRAWS:,}"),
        _("seed {seed}").format(seed=SEED),
    ]
    return markdown(" · ".join(parts))
