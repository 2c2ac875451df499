"""The measured part of the page: controls, the ladder, the verdicts, and the folded rest."""

import streamlit as st

from pages.common.address import is_presenting
from pages.common.corpus_cloud import warn_of_cache
from pages.common.downloads import offer_csv
from pages.common.folded import show_folded
from pages.common.lesson import note_facts
from pages.common.measures import show_verdict
from pages.common.messages import errors_shown
from pages.common.origin import coverage_of, of_known_text, warn_of_coverage
from pages.common.shell import picture_place, show_question
from pages.common.words import _

from . import PAGE, ladder
from .choices import make_choice, show_own_form, show_used_pairs
from .grid import show_grid, show_similarities, warn_of_shared_sentences
from .lesson import CONTROLS, show_lesson
from .scene import SimilarityScene, build_scene, facts_of


@st.fragment
def explore() -> None:
    control_box, notes_box = st.container(), st.container()
    look_box = picture_place()
    show_folded(_("What does Spearman’s ρ measure?"), "rho", show_lesson, parameters=CONTROLS)
    answer_box = st.container()
    show_own_form()
    parts_box = st.container()
    more_box = st.expander(_("More controls and downloads"), key="more-controls")
    with errors_shown(notes_box):
        with control_box:
            choice = make_choice(notes=notes_box)
        with notes_box:
            show_used_pairs()
            scene = build_scene(choice)
        with look_box:
            with st.container(key="ladder"):
                ladder.show_ladder(scene)
            ladder.show_about(scene)
        note_facts(lambda: facts_of(scene))
        pairs = choice.pairs
        with notes_box:
            warn_of_coverage(coverage_of(pairs.corpus, private=pairs.private))
            warn_of_cache()
            warn_of_shared_sentences(scene)
        if is_presenting():
            return
        with answer_box:
            for name, judge in (
                ("whitening", ladder.whitening_verdict),
                ("pooling", ladder.pooling_verdict),
            ):
                verdict = of_known_text(judge(scene), pairs.corpus, private=pairs.private)
                show_verdict(verdict, key=name)
        with more_box:
            name = "sentence-similarity-ladder"
            offer_csv(_("Download ladder (CSV)"), name, lambda: ladder.ladder_csv(scene))
        with parts_box:
            _show_parts(scene)


def _show_parts(scene: SimilarityScene) -> None:
    st.subheader(_("More results"))
    another = _("What does another similarity change?")
    for key, label, parameters, show in (
        ("grid", _("Every layer and pooling"), ("sts-grid",), show_grid),
        ("similarity", another, (), show_similarities),
        ("pairs", _("Which pairs moved?"), ("pair",), ladder.show_moves),
        ("published", _("Where do the published scores come from?"), (), ladder.show_published),
        ("sbert", _("SBERT’s Table 1: seven data sets"), (), ladder.show_sbert_table),
    ):
        show_folded(label, f"part-{key}", show, scene, parameters=parameters)
    for question in ("spearman", "interval", "target", "difference"):
        show_question(PAGE, question)
