"""The claims of the page beside what the training shows, worded from its numbers."""

from __future__ import annotations

import numpy as np

from geometry.data.number_text import signed, with_sign
from geometry.measure.cone import NARROW
from geometry.training.runs import GROUPS, Theory
from pages.common.verdict import State, Verdict
from pages.common.words import _

from .scene import Scene, group_names

FEWEST_STEPS = 100  # steps before which the vectors have hardly moved
WORSE_LOSS = 0.03  # share by which the loss with the penalty may be higher
GAO = "Gao et al. (2019)"


def verdicts(scene: Scene) -> dict[str, Verdict]:
    """The verdicts that the trained models allow, by name."""
    language = scene.find("language", penalty=False)
    penalised = scene.find("language", penalty=True)
    found = {}
    if language is not None:
        found["cone"] = cone_verdict(scene, language)
    if language is not None and penalised is not None:
        found["cure"] = cure_verdict(scene, language, penalised)
    classifier, word2vec = scene.find("classifier"), scene.find("word2vec")
    if classifier is not None and word2vec is not None:
        found["others"] = others_verdict(scene, classifier, word2vec)
    either = language if language is not None else penalised
    if either is not None and scene.history.theory[either][scene.at] is not None:
        found["push"] = push_verdict(scene, either)
    return found


def _too_early(scene: Scene) -> bool:
    return scene.step < FEWEST_STEPS


def _cosines(scene: Scene, run: int) -> str:
    return ", ".join(
        f"{label} **{signed(scene.cosine(run, name), 2)}**" for name, label in group_names().items()
    )


def _early() -> str:
    return _("The model has done fewer than {n} steps.").format(n=FEWEST_STEPS)


def _narrow() -> str:
    return _("narrow: a mean cosine of {limit} or more").format(limit=NARROW)


def _basis(scene: Scene, *more: str) -> str:
    return " · ".join(
        [
            _("one training: there is no interval over seeds"),
            _("seed {seed}").format(seed=scene.history.runs[0].seed),
            _("step {step} of {n}").format(step=scene.step, n=scene.history.n_steps),
            *more,
        ]
    )


def cone_verdict(scene: Scene, run: int) -> Verdict:
    """Whether the rare and the never-seen tokens of the language model form a cone."""
    unseen, rare = (scene.cosine(run, name) >= NARROW for name in ("unseen", "rare"))
    state: State = "holds" if unseen and rare else "partly" if unseen or rare else "fails"
    words = {
        "holds": _("Never-seen and rare tokens lie in a narrow cone."),
        "partly": _("Only one of the two groups lies in a narrow cone."),
        "fails": _("Neither group lies in a narrow cone."),
    }
    measured = f"{words[state]} " + _("Mean cosine: {cosines}.").format(
        cosines=_cosines(scene, run)
    )
    if scene.cosine(run, "frequent") < NARROW:
        measured += " " + _("The frequent words do not.")
    return Verdict(
        _(
            "A model that is trained to predict the next word pushes its rare tokens into a narrow "
            "cone."
        ),
        GAO,
        "unknown" if _too_early(scene) else state,
        _early() if _too_early(scene) else measured,
        _basis(scene, _narrow()),
    )


def cure_verdict(scene: Scene, plain: int, penalised: int) -> Verdict:
    """Whether the penalty removes the cone, and the loss is not worse.

    Parameters
    ----------
    scene : Scene
    plain : int
        The place of the model without the penalty.
    penalised : int
        The place of the model with the penalty.
    """
    before, after = (scene.cosine(run, "unseen") for run in (plain, penalised))
    losses = [float(scene.history.loss[scene.at, run]) for run in (plain, penalised)]
    worse = losses[1] / losses[0] - 1
    removed, as_good = after < NARROW <= before, worse <= WORSE_LOSS
    state: State = "holds" if removed and as_good else "partly" if removed or as_good else "fails"
    measured = _(
        "Mean cosine of never-seen tokens: **{before}** without the penalty, **{after}** with it. "
        "Loss: {loss} and {loss_after} ({change}%), on the training text."
    ).format(
        before=signed(before, 2),
        after=signed(after, 2),
        loss=f"{losses[0]:.2f}",
        loss_after=f"{losses[1]:.2f}",
        change=with_sign(100 * worse, 1),
    )
    if before < NARROW:
        state, measured = "unknown", _("There is no cone to remove.") + " " + measured
    return Verdict(
        _("A penalty on the cosines (CosReg) removes the cone, and the loss is not worse."),
        GAO,
        "unknown" if _too_early(scene) else state,
        _early() if _too_early(scene) else measured,
        _basis(
            scene,
            _narrow(),
            _("not worse: a loss at most {n}% higher").format(n=f"{100 * WORSE_LOSS:g}"),
        ),
    )


def others_verdict(scene: Scene, classifier: int, word2vec: int) -> Verdict:
    """Whether the vectors of the classifier and of word2vec are spread.

    Parameters
    ----------
    scene : Scene
    classifier : int
        The place of the classifier in the history.
    word2vec : int
        The place of word2vec.
    """
    narrow = [
        max(scene.cosine(run, name) for name in GROUPS) >= NARROW for run in (classifier, word2vec)
    ]
    state: State = "partly" if len(set(narrow)) == 2 else "fails" if all(narrow) else "holds"
    measured = _("Mean cosine: classifier: {classifier}; word2vec: {word2vec}.").format(
        classifier=_cosines(scene, classifier), word2vec=_cosines(scene, word2vec)
    )
    frequent = scene.history.cosine[: scene.at + 1, word2vec, GROUPS.index("frequent")]
    top = int(np.argmax(frequent))
    if frequent[top] >= NARROW:
        measured += " " + _(
            "word2vec has a cone of its own, of the words that occur: the frequent ones reached "
            "{top} at step {step} and have {now} at step {last}. Mimno & Thompson (2017) trace it "
            "to negative sampling."
        ).format(
            top=signed(float(frequent[top]), 2),
            step=int(scene.history.steps[top]),
            now=signed(float(frequent[-1]), 2),
            last=scene.step,
        )
    return Verdict(
        _("The vectors of a classifier and of word2vec are spread around the origin."),
        GAO,
        "unknown" if _too_early(scene) else state,
        _early() if _too_early(scene) else measured,
        _basis(
            scene, _narrow(), _("word vectors of the classifier; the paper has its class vectors")
        ),
    )


def push_verdict(scene: Scene, run: int) -> Verdict:
    """Whether never-seen tokens move ever further away if the origin is outside of the hull."""
    theory = scene.history.theory[run][scene.at]
    assert theory is not None
    lengths = scene.history.norm[: scene.at + 1, run, GROUPS.index("unseen")]
    later = lengths[len(lengths) // 2 :]
    grows = bool((np.diff(later) > 0).all())
    is_longer = lengths[-1] > lengths[0]
    state: State = "holds" if grows else "partly" if is_longer else "fails"
    parts = [_hull_sentence(theory)]
    if not theory.is_outside:
        state = "unknown"
        parts.append(_("So the claim does not apply to this model."))
    parts += [
        _(
            "The loss pushes never-seen tokens at **{median}°** from −mean(h) (median of all; "
            "from {low}° to {high}°)."
        ).format(
            median=f"{theory.push_degrees[1]:.0f}",
            low=f"{theory.push_degrees[0]:.0f}",
            high=f"{theory.push_degrees[2]:.0f}",
        ),
        (
            _("Their mean length went from {first} to {last}, and is still growing.")
            if grows
            else _("Their mean length went from {first} to {last}, and does not grow steadily.")
        ).format(first=f"{lengths[0]:.2f}", last=f"{lengths[-1]:.2f}"),
    ]
    return Verdict(
        _(
            "If the origin is outside of the convex hull of the hidden states, a token that never "
            "occurs is pushed away without end."
        ),
        GAO,
        "unknown" if _too_early(scene) else state,
        _early() if _too_early(scene) else " ".join(parts),
        _basis(scene),
    )


def _hull_sentence(theory: Theory) -> str:
    if theory.is_outside:
        return _(
            "The origin is **outside** of the hull of {n} hidden states: along a direction v, "
            "{degrees}° from mean(h), all of them are at least {margin} from it."
        ).format(
            n=f"{theory.n:,}",
            degrees=f"{theory.direction_degrees:.0f}",
            margin=f"{theory.margin:.2f}",
        )
    return _("The origin is **inside** the hull of {n} hidden states.").format(n=f"{theory.n:,}")
