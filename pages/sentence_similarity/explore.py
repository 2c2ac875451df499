"""The measured part of the page: controls, the ladder, the verdicts, and the folded rest."""

import streamlit as st

from pages.common.address import is_presenting
from pages.common.corpus_cloud import warn_of_cache
from pages.common.downloads import offer_csv
from pages.common.folded import show_folded
from pages.common.lesson import note_facts
from pages.common.limit_notes import megabytes, upload_limits
from pages.common.measures import show_verdict
from pages.common.messages import ENCODER_ERRORS, show_error
from pages.common.origin import coverage_of, of_known_text, warn_of_coverage
from pages.common.scores import score_words
from pages.common.shell import picture_place, show_question
from pages.common.treatment_names import treatment_words
from pages.common.words import _, markdown, prose

from . import PAGE
from .choices import make_choice, show_own_form
from .grid import show_grid, show_similarities, warn_of_shared_sentences
from .ladder import (
    coverage_values,
    file_notes,
    ladder_csv,
    pooling_verdict,
    show_about,
    show_best,
    show_ladder,
    show_moves,
    show_published,
    show_sbert_table,
    show_subsets,
    whitening_verdict,
)
from .lesson import CONTROLS, show_lesson
from .scene import (
    SimilarityScene,
    StaticScores,
    build_scene,
    facts_of,
    show_vector_form,
    show_word_pair_form,
    show_word_pairs,
)

QUESTIONS = ("spearman", "interval", "target", "difference")


@st.fragment
def explore() -> None:
    control_box, form_box = st.container(), st.container()
    notes_box, look_box = st.container(), picture_place()
    choice = None
    show_folded(_("What does Spearman’s ρ measure?"), "rho", show_lesson, parameters=CONTROLS)
    answer_box = st.container()
    vectors_box = st.expander(
        _("Upload GloVe or other word vectors"), key="own-vectors", icon=":material/upload:"
    )
    parts_box = st.container()
    more_box = st.expander(_("More controls and downloads"), key="more-controls")
    try:
        with control_box:
            choice = make_choice(more=more_box, notes=notes_box)
        with form_box:
            show_own_form()
        with notes_box:
            scene = build_scene(choice)
        with vectors_box:
            _show_own_vectors(scene)
        with look_box:
            with st.container(key="ladder"):
                show_ladder(scene)
            show_about(scene)
        note_facts(lambda: facts_of(scene))
        pairs = choice.pairs
        with notes_box:
            warn_of_coverage(coverage_of(pairs.corpus, private=pairs.private))
            warn_of_cache()
            warn_of_shared_sentences(scene)
        if is_presenting():
            return
        with answer_box:
            for name, judge in (("whitening", whitening_verdict), ("pooling", pooling_verdict)):
                verdict = of_known_text(judge(scene), pairs.corpus, private=pairs.private)
                show_verdict(verdict, key=name)
        with more_box:
            name = "sentence-similarity-ladder"
            offer_csv(_("Download ladder (CSV)"), name, lambda: ladder_csv(scene))
        with parts_box:
            _show_parts(scene)
    except ENCODER_ERRORS as error:
        with notes_box:
            show_error(error)
        if choice is None:  # the pairs can't be fetched: others can be uploaded
            with form_box:
                show_own_form()


def _show_own_vectors(scene: SimilarityScene) -> None:
    most = upload_limits().vector_file_bytes
    st.markdown(prose(PAGE, "own-vectors", {"megabytes": megabytes(most)}))
    show_vector_form()
    result_box = st.container()
    show_word_pair_form()
    show_word_pairs(scene)
    with result_box:
        found = scene.uploaded_static
        if isinstance(found, str):
            st.error(found)
        if not isinstance(found, StaticScores):
            return
        raw, treated = found.raw.score, found.treated.score
        said = _(
            "**{name}: {score}**, {treatment} {after}, over {n} pairs. The ladder above shows both."
        ).format(
            name=markdown(found.name),
            score=score_words(raw),
            treatment=treatment_words(found.treated.treatment),
            after=score_words(treated),
            n=f"{raw.n:,}",
        )
        st.success(said, icon=":material/check_circle:")
        st.markdown(prose(PAGE, "claim-coverage", coverage_values(found)))
        if notes := file_notes(found):
            st.markdown(prose(PAGE, "claim-file", {"notes": notes}))


def _show_grid(scene: SimilarityScene) -> None:
    show_grid(scene)
    show_best(scene)


def _show_parts(scene: SimilarityScene) -> None:
    st.subheader(_("More results"))
    another = _("What does another similarity change?")
    for key, label, parameters, show in (
        ("grid", _("Every layer and pooling"), ("sts-grid", "sts-dev"), _show_grid),
        ("similarity", another, ("similarity",), show_similarities),
        ("subsets", _("Several subsets as one score"), (), show_subsets),
        ("pairs", _("Which pairs moved?"), ("pair",), show_moves),
        ("published", _("Where do the published scores come from?"), (), show_published),
        ("sbert", _("SBERT’s Table 1: seven data sets"), (), show_sbert_table),
    ):
        if key != "subsets" or scene.choice.pairs.subsets:
            show_folded(label, f"part-{key}", show, scene, parameters=parameters)
    for question in QUESTIONS:
        show_question(PAGE, question)
