"""How many sentences a fit needs: scores of the same pairs by the rows in the fit."""

from __future__ import annotations

import numpy as np
import streamlit as st

from geometry.encode.encoder import Layer
from geometry.evaluate.bootstrap import PairScore, difference
from geometry.evaluate.fit_size import RETAINED, WHITENINGS, SizedScore, scores_by_fit_size
from geometry.figures.curves import Axes, Curve, curves_figure
from pages.common import jobs
from pages.common.cache import kept
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.scores import hundred, with_interval
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_words
from pages.common.words import _, labelled, markdown, prose

from . import PAGE
from .choices import cell_words, measured_on, score_title
from .scene import EncodedPairs, Scene

HEIGHT = 380
FULL, CUT = WHITENINGS[:2]  # CUT retains RETAINED directions
GUESS = "sizes-guess"
MARGIN = 1.08  # factor between the outermost sizes and the ends of the axis


def show_fit_sizes(scene: Scene) -> None:
    """Three whitenings on the same axes, with raw as a horizontal line and n = d marked."""
    choice = scene.choice
    sizes = jobs.kept_or_made(
        _sized_scores,
        *(scene.encoded, choice.layer, choice.pooling),
        what=_("Fitting on more and more sentences"),
        lane="measure",
        passing=True,
    )
    near = score_near_dimension(sizes, choice.encoder.dimension)
    if near is not None and has_to_guess(*near):
        return
    n = np.array([size.n for size in sizes])
    curves = [_curve("none", 0, n, sizes, is_shaded=True)]
    curves += [
        _curve(treatment, place, n, sizes) for place, treatment in enumerate(WHITENINGS, start=1)
    ]
    heights = np.concatenate([curve.y for curve in curves])
    d = choice.encoder.dimension
    if n[0] < d < n[-1]:
        ends = np.array([np.nanmin(heights), np.nanmax(heights)])
        curves.append(Curve(np.array([d, d]), ends, _("n = d = {d}").format(d=d)))
    axes = Axes(
        _("sentences in the fit"),
        score_title(choice),
        log_x=True,
        x_range=(float(n[0]) / MARGIN, float(n[-1]) * MARGIN),
        x_ticks=tuple(map(float, _ticks(n))),
    )
    figure = curves_figure(curves, axes, current_theme(), height=HEIGHT)
    show_chart(
        chart_of(figure),
        key="sts-sizes",
        file_name="sentence-similarity-fit-size",
        alt=_alternative(sizes),
    )
    values = {
        "cell": cell_words(choice.layer, choice.pooling),
        "fit": markdown(choice.fit.name),
        "most": f"{sizes[-1].n:,}",
        "d": f"{d}",
        "k": f"{RETAINED}",
        **{name: hundred(value) for name, value in _ends(sizes).items()},
    }
    st.markdown(prose(PAGE, "sizes", values))
    cut = [size.n for size in sizes if size.n_directions.get(CUT, RETAINED) < RETAINED]
    if cut:
        values |= {"cut": f"{max(cut):,}"}
        st.markdown(prose(PAGE, "sizes-cut", values))
    if choice.fit.is_target:
        st.markdown(prose(PAGE, "sizes-target"))
    caption = " · ".join(
        [
            measured_on(choice),
            cell_words(choice.layer, choice.pooling),
            _("fitted on 10 to {n} sentences of {name}").format(
                n=f"{sizes[-1].n:,}", name=choice.fit.name
            ),
        ]
    )
    st.caption(markdown(caption))
    offer_csv(
        _("Download curve (CSV)"),
        "sentence-similarity-fit-size",
        lambda: sizes_csv(sizes, caption),
    )


def score_near_dimension(
    sizes: tuple[SizedScore, ...], d: int
) -> tuple[int, PairScore, PairScore] | None:
    """The size nearest to n = d, raw's score and that of whitening in full; None without one."""
    if not sizes[0].n < d < sizes[-1].n:
        return None
    size = min(sizes, key=lambda size: abs(size.n - d))
    return size.n, size.scores["none"], size.scores[FULL]


def has_to_guess(n: int, raw: PairScore, full: PairScore) -> bool:
    """Ask what whitening in full does at n = d, once a session; later show the answer.

    True until the reader has guessed or has skipped the question.
    """
    answers = {"higher": _("higher"), "same": _("not clearly different"), "lower": _("lower")}
    if GUESS not in st.session_state:
        st.markdown(
            _(
                "**Guess first.** The whitening in full is fitted on about as many sentences as "
                "there are dimensions (n = {n}). Its score, compared with raw, is …"
            ).format(n=n)
        )
        with st.container(horizontal=True, gap="xsmall"):
            for name, label in answers.items():
                st.button(label, key=f"{GUESS}-{name}", on_click=_guess, args=(name,))
            st.button(_("Skip"), key=f"{GUESS}-skip", type="tertiary", on_click=_guess, args=("",))
        return True
    guess, moved = st.session_state.get(GUESS), difference(raw, full)
    if guess and moved.value is not None:
        truth = "same" if not moved.is_clear else "higher" if moved.value > 0 else "lower"
        st.info(
            _("You guessed “{guess}”. It is “{truth}”: {before} → {after} ({change}).").format(
                guess=answers[guess],
                truth=answers[truth],
                before=hundred(raw.spearman),
                after=hundred(full.spearman),
                change=with_interval(moved.value, moved.low, moved.high, sign=True),
            )
        )
    return False


def _guess(name: str) -> None:
    st.session_state[GUESS] = name


@kept(64)
def _sized_scores(
    encoded: EncodedPairs, layer: Layer, pooling: str, report: jobs.Progress = jobs.no_report
) -> tuple[SizedScore, ...]:
    """Scores by the rows in the fit."""
    return scores_by_fit_size(
        encoded.vectors(layer, pooling),
        encoded.fit_rows(layer, pooling),
        encoded.bootstrap,
        similarity=encoded.similarity,
        random_state=SEED,
        progress=report,
    )


def _ticks(n: np.ndarray) -> np.ndarray:
    """The sizes with a number on the axis, far enough apart to be legible."""
    ticks = [n[0]]
    for size in n[1:-1]:
        if size >= 1.4 * ticks[-1] and n[-1] >= 1.4 * size:
            ticks.append(size)
    return np.array([*ticks, n[-1]] if len(n) > 1 else ticks)


def _ends(sizes: tuple[SizedScore, ...]) -> dict[str, float | None]:
    last = sizes[-1].scores
    treatments = ("none", *WHITENINGS)
    names = ("raw", "full", "kept", "shrunk")
    return {
        name: last[treatment].spearman for name, treatment in zip(names, treatments, strict=True)
    }


def _curve(
    treatment: str,
    place: int,
    n: np.ndarray,
    sizes: tuple[SizedScore, ...],
    *,
    is_shaded: bool = False,
) -> Curve:
    """The curve of a treatment. Only one curve is shaded, because overlaid shades are illegible."""
    scores = [size.scores[treatment] for size in sizes]
    return Curve(
        n,
        _values(scores, "spearman"),
        treatment_words(treatment),
        place,
        low=_values(scores, "low") if is_shaded else None,
        high=_values(scores, "high") if is_shaded else None,
    )


def _values(scores: list[PairScore], name: str) -> np.ndarray:
    """(sizes,) × 100; NaN for an undefined score."""
    return 100 * np.array([getattr(score, name) for score in scores], dtype=np.float64)


def _alternative(sizes: tuple[SizedScore, ...]) -> str:
    lines = [
        labelled(
            f"n = {size.n:,}",
            _(", ").join(
                f"{treatment_words(treatment)} {hundred(score.spearman)}"
                for treatment, score in size.scores.items()
            ),
        )
        for size in sizes
    ]
    return _("; ").join(lines)


def sizes_csv(sizes: tuple[SizedScore, ...], caption: str) -> bytes:
    """A row for each size and treatment, with its interval."""
    rows: list[list[CsvCell]] = [
        [
            str(size.n),
            (treatment, treatment_words(treatment)),
            str(size.n_directions.get(treatment, "")),
            *(
                "" if v is None else short_number(v)
                for v in (score.spearman, score.low, score.high)
            ),
        ]
        for size in sizes
        for treatment, score in size.scores.items()
    ]
    return csv_bytes(["n_fit", "treatment", "k", "spearman", "low", "high"], rows, caption)
