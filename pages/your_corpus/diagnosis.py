"""The diagnosis of a reader's own corpus or vectors: recommendation, evidence, downloads."""

import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from geometry import Corpus, Pairs, UndefinedMeasure, export, read_cloud
from geometry.data import VectorSet
from geometry.data.number_text import signed
from geometry.diagnosis import (
    Cure,
    Diagnosis,
    Storage,
    diagnose,
    report_html,
    sentences,
    storage_table,
    threshold_sentences,
)
from geometry.diagnosis.diagnosis import fit_cure, need_directions
from geometry.diagnosis.findings import Finding
from geometry.diagnosis.report import cure_table
from geometry.diagnosis.thresholds import EDGES, PairCosines
from geometry.diagnosis.yardsticks import Place, Vectors
from geometry.encode import ArrayStore
from geometry.encode.cloud import is_stored
from geometry.encode.pool import OWN
from geometry.export.affine import zipped
from geometry.export.sentence_model import MODES
from geometry.figures.curves import histogram_figure
from pages.common import jobs
from pages.common.cache import kept
from pages.common.controls import act_button, choose, pooling_names
from pages.common.corpus_cloud import ALL_POINTS, CloudSpec, CorpusCloud, encode_corpus, store
from pages.common.downloads import offer_file, offer_made, offer_transform
from pages.common.draw.charts import show_chart
from pages.common.draw.clouds import current_theme
from pages.common.folded import folded
from pages.common.messages import error_text
from pages.common.origin import coverage_of, layer_words, origin
from pages.common.reading import Keyed
from pages.common.seed import SEED
from pages.common.uploads import OWN_PAIRS, Evidence, evidence_label, evidence_of
from pages.common.words import (
    _,
    aligned_table,
    labelled,
    language,
    markdown,
    noted,
    paragraph,
    prose,
)

from . import PAGE
from .result import CorpusScene

LABELS = "labels"
MODEL = "model-to-write"  # in the session: the key of the model that the reader chose


@dataclass(frozen=True)
class DiagnosedData:
    own: Corpus | VectorSet
    points: CorpusCloud  # of all texts; the picture may draw a sample of them
    # what the cures are compared on; None compares them on labels
    pairs: Pairs | Evidence | None = None
    is_of_pairs: bool = False  # True if the texts are the sentences of the pairs

    @property
    def vectors(self) -> np.ndarray:
        """(n, d), also the rows of zeros, which ``points`` leaves out."""
        return self.own.vectors if isinstance(self.own, VectorSet) else self.points.vectors

    @property
    def content_key(self) -> str:
        pairs = None if self.pairs is None else self.pairs.content_key
        return ArrayStore.key(self.points.key, _about(self.points), pairs, self.is_of_pairs)

    @property
    def private(self) -> bool:
        return self.points.private


def show_diagnosis(scene: CorpusScene) -> None:
    st.subheader(_("Diagnosis"), anchor="diagnosis")
    try:
        need_directions(scene.points.cloud.n_available)
    except UndefinedMeasure as error:
        st.info(error_text(error))
        return
    data = _all_rows(scene)
    diagnosis = _diagnosis(data, _choose_poolings(data))
    with st.container(border=True, key="recommendation", gap="xsmall"):
        advice = markdown(sentences.recommendation(diagnosis, _))
        st.markdown(f":material/prescriptions: **{advice}**")
        lines = (
            sentences.evidence(diagnosis, _),
            sentences.certainty(diagnosis, _),
            sentences.stay_here(diagnosis, _),
            sentences.basis(diagnosis, _),
            " · ".join([*origin(data.points), sentences.measured(diagnosis, _)]),
        )
        for line in filter(None, lines):
            st.caption(markdown(line))
        _offer_next(data, diagnosis)
    if data.own.labels is None and data.pairs is None:
        st.markdown(prose(PAGE, "helps-pairs"))
    st.markdown(_listed(diagnosis.findings))
    st.markdown(f"**{_(sentences.REPORT['cures'])}**")
    with st.container(key="cures"):
        _show_table(*cure_table(diagnosis, _))
    _show_thresholds(diagnosis)
    stored = _show_storage(data, diagnosis)

    def report() -> str:
        notes = sentences.file_notes(scene.own, _)
        return report_html(diagnosis, notes=notes, storage=stored, translate=_, language=language())

    offer_made(
        _("Download the report (HTML)"),
        "diagnosis.html",
        report,
        mime="text/html",
        icon=":material/description:",
        key="take-report",
    )
    _offer_downloads(data, diagnosis)


def _listed(findings: tuple[Finding, ...]) -> str:
    lines = []
    for each in findings:
        title = markdown(sentences.title(each, _))
        text = markdown(sentences.finding_sentence(each, _))
        lines.append(f"- {paragraph([f'**{title}**', text])}")
    return "\n".join(lines)


def _show_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    st.markdown(aligned_table(head, [[markdown(cell) for cell in row] for row in rows]))


def _all_rows(scene: CorpusScene) -> DiagnosedData:
    own = scene.own
    points = scene.points
    if isinstance(own, VectorSet):
        return DiagnosedData(own, points, _choose_judge(scene, evidence_of(own)))
    if len(points.cloud) < points.cloud.n_available:
        points = encode_corpus(own, replace(points.spec, max_points=ALL_POINTS))
    if scene.pairs is not None:
        return DiagnosedData(own, points, scene.pairs, is_of_pairs=True)
    return DiagnosedData(own, points, _choose_judge(scene, st.session_state.get(OWN_PAIRS, {})))


def _choose_judge(
    scene: CorpusScene, offered: Mapping[str, Pairs] | Mapping[str, Evidence]
) -> Pairs | Evidence | None:
    if not offered:
        return None
    labels = {}
    if scene.own.labels is not None:
        is_of_vectors = isinstance(scene.own, VectorSet)
        labels[LABELS] = _("labels of the vectors") if is_of_vectors else _("labels of the texts")
    labels |= {code: evidence_label(each) for code, each in offered.items()}
    about = _("What says whether a cure helps")
    return offered.get(choose(st.selectbox, about, labels, key="judge"))


def _choose_poolings(data: DiagnosedData) -> tuple[str, ...]:
    """The poolings whose layers are compared with this one: the chosen pooling, or every one."""
    points = data.points
    if points.model is None or (data.own.labels is None and data.pairs is None):
        return ()
    is_every = st.toggle(_("Compare other poolings too"), key="poolings", bind="query-params")
    compared = [points.spec.pooling, *(points.model.poolings if is_every else ())]
    return tuple(dict.fromkeys(pooling for pooling in compared if pooling != OWN))


@kept(16)
def _diagnosis(data: DiagnosedData, poolings: tuple[str, ...]) -> Diagnosis:
    given = _given(data)
    points = data.points
    judging = points.corpus
    rows = np.arange(len(judging))
    if isinstance(data.pairs, Pairs) and not data.is_of_pairs:
        judging = Corpus(data.pairs.name, data.pairs.sentences)
        rows = np.append(*data.pairs.rows)
    read = {points.corpus, judging} if points.model is not None else ()
    known = [coverage_of(each, private=points.private) for each in read]
    early: list[tuple[Finding, ...]] = []  # the findings, while cures are still compared
    given |= {
        "others": _other_layers(points, judging, rows, poolings) if poolings else None,
        "about": _about(points),
        "numbers": data.own.numbers if isinstance(data.own, VectorSet) else None,
        # of two corpora the less known one decides
        "unknown_share": max((each.unknown_share for each in known), default=None),
    }

    def work(report: jobs.Progress) -> Diagnosis:
        return diagnose(data.vectors, **given, seed=SEED, progress=report, first=early.append)

    place = st.empty()

    def show_early() -> None:
        if early:
            place.markdown(_listed(early[0]))

    made: Diagnosis = jobs.wait_for(
        _diagnosis.name_of(data, poolings),
        work,
        _("Diagnosing {n} vectors, steps").format(n=f"{len(data.vectors):,}"),
        watch=show_early,
        is_long=len(data.vectors) > 2000,
    )
    place.empty()
    return made


def _given(data: DiagnosedData) -> dict[str, Any]:
    """What judges the vectors, as ``diagnose`` and ``storage_table`` take it."""
    own, pairs, queries = data.pairs, None, None
    if isinstance(own, Evidence):
        pairs, queries = own.pairs, own.queries
    elif own is not None:
        left, right = own.rows
        pairs = (left, right, own.gold_scores)
        if not data.is_of_pairs:
            judging = Corpus(own.name, own.sentences)
            X = encode_corpus(judging, replace(data.points.spec, max_points=ALL_POINTS)).vectors
            pairs = (X[left], X[right], own.gold_scores)
    return {
        "texts": data.own.texts,
        "labels": data.own.labels,
        "pairs": pairs,
        "queries": queries,
        "units": None if isinstance(data.own, VectorSet) else data.own.sources,
    }


def _other_layers(
    points: CorpusCloud, corpus: Corpus, rows: np.ndarray, poolings: tuple[str, ...]
) -> dict[Place, Vectors]:
    """Readers of rows of the texts at every other layer; what is not stored is encoded first."""
    encoder = points.encoder
    found = dict[Place, Vectors]()

    def reader(spec: CloudSpec) -> Callable[[], np.ndarray]:
        return lambda: read_cloud(encoder, corpus, **asdict(spec), store=store()).vectors[rows]

    for pooling in poolings:
        specs = [
            replace(points.spec, layer=layer, pooling=pooling, max_points=ALL_POINTS)
            for layer in range(encoder.n_layers + 1)
        ]
        for spec in specs:
            if not is_stored(encoder, corpus, **asdict(spec), store=store()):
                encode_corpus(corpus, spec)  # stores every layer
                break
        found |= {(int(spec.layer), pooling): reader(spec) for spec in specs}
    here = points.spec.layer, points.spec.pooling
    return {place: each for place, each in found.items() if place != here}


def _about(points: CorpusCloud) -> dict[str, str]:
    """What the numbers were measured on, as names and values of the report and the files."""
    found = {"corpus": points.corpus.name}
    model = points.model
    spec = points.spec
    if points.corpus.label_column is not None:
        found["labels"] = points.corpus.label_column
    if model is not None:
        found |= {"model": model.name, "layer": str(spec.layer), "pooling": spec.pooling}
        if model.revision:
            found["revision"] = model.revision
    return found


def _offer_next(data: DiagnosedData, diagnosis: Diagnosis) -> None:
    place = diagnosis.chosen.place
    if place is None:
        return
    layer, pooling = place
    with st.container(horizontal=True):
        label = _("Diagnose this layer")
        update = st.session_state.update
        chosen = {"layer": str(layer), "pooling": pooling}
        act_button(label, "diagnose-layer", "arrow_forward", update, chosen)
        _offer_model(data, layer, pooling, "none")


def _show_thresholds(diagnosis: Diagnosis) -> None:
    found = diagnosis.thresholds
    if found is None:
        return
    names = threshold_sentences.labels(_)
    st.markdown(f"**{names['title']}**")
    st.markdown(markdown(threshold_sentences.summary(diagnosis, _)))
    arms = [found.arm("leave"), found.arm("centre")]
    drawn = [each for each in arms if each is not None and each.related is not None]
    for box, arm in zip(st.columns(2) if drawn else (), drawn, strict=False):
        if (best := arm.threshold("f1")) is not None:
            with box:
                _draw_thresholds(arm, best.cosine, names)
    with st.container(key="thresholds"):
        for table in (threshold_sentences.cosine_table, threshold_sentences.cut_table):
            head, rows = table(diagnosis, _)
            if rows:
                _show_table(head, rows)
    st.caption(markdown(threshold_sentences.basis(diagnosis, _)))


def _draw_thresholds(arm: PairCosines, best: float, names: dict[str, str]) -> None:
    caption = names["picture-raw" if arm.kind == "leave" else "picture-centre"]
    labels = names["unrelated"], names["related"], names["line"]
    titles = names["axis-cosine"], names["share-of-pairs"]
    shares = np.array(arm.unrelated_shares), np.array(arm.related_shares)
    show_chart(
        histogram_figure(shares, best, EDGES, labels, titles, current_theme(), height=260),
        key=f"chart-thresholds-{arm.kind}",
        file_name="narrow-cone-thresholds",
        alt=caption,
    )
    st.caption(caption)


def _show_storage(data: DiagnosedData, diagnosis: Diagnosis) -> Storage | None:
    """The table, when it is opened, and the same for the report; None if nothing can judge."""
    trial = diagnosis.trial
    if trial.cures[0].score is None:
        return None
    kinds = ("leave", "centre", trial.here.kind)
    cures = tuple(Cure(each.kind, each.treatment) for each in trial.cures if each.kind in kinds)
    of = Keyed((diagnosis, data.vectors, _given(data)), data.content_key), cures
    with folded(_("What storage costs"), key="storage-part", icon=":material/save:") as is_open:
        if not is_open:
            return _storage.find(*of)
        what = _("Storing vectors, steps")
        found = jobs.kept_or_made(_storage, *of, what=what)
        if found is not None:
            st.markdown(markdown(sentences.storage_summary(found, _)))
            with st.container(key="cures-storage"):
                _show_table(*sentences.storage_rows(found, _))
            st.caption(markdown(sentences.storage_basis(found, _)))
        return found


@kept(4)
def _storage(
    given: Keyed, cures: tuple[Cure, ...], report: jobs.Progress = jobs.no_report
) -> Storage | None:
    diagnosis, X, judging = given.value
    return storage_table(diagnosis, X, cures=cures, seed=SEED, progress=report, **judging)


def _offer_downloads(data: DiagnosedData, diagnosis: Diagnosis) -> None:
    cure = _choose_arm(diagnosis)
    if cure is None:
        return
    vectors = data.vectors
    spec = data.points.spec
    named: dict[str, Any] = {"texts": data.own.texts, "labels": data.own.labels}

    def transform() -> export.AffineMap:
        about = {"treatment": cure.treatment, **diagnosis.about}
        return export.affine_map(fit_cure(cure.treatment, vectors), **about)

    def treated() -> np.ndarray:
        return transform().apply(vectors)

    n = diagnosis.n - diagnosis.n_zero
    said = _("**Download exactly this cure**: {cure}, fitted on all {n} vectors (n/d = {ratio})")
    name = markdown(sentences.cure_name(cure, _))
    st.markdown(said.format(cure=name, n=f"{n:,}", ratio=signed(n / diagnosis.d, 2)))
    with st.container(horizontal=True, vertical_alignment="center", key="take-cure"):
        offer_transform(transform, "cure")
        if data.points.model is not None:
            _offer_model(data, spec.layer, spec.pooling, cure.treatment)
    st.markdown(_("**Download the vectors after it:**"))
    with st.container(horizontal=True, key="take-vectors"):
        offer_file("npy", "vectors.npy", lambda: export.npy_bytes(treated()))
        offer_file("parquet", "vectors.parquet", lambda: export.parquet_bytes(treated(), **named))
        offer_file(
            "Embedding Projector (TSV)",
            "projector.zip",
            lambda: zipped(export.projector_files(treated(), **named)),
        )


def _choose_arm(diagnosis: Diagnosis) -> Cure | None:
    """The cure of this layer to download; None if there is none, or the text is not known."""
    trial = diagnosis.trial
    arms = {cure.kind: cure for cure in trial.cures if cure.kind != "leave" and cure.place is None}
    if not arms or trial.because == "unknown_text":
        return None
    names = {kind: sentences.cure_name(cure, _) for kind, cure in arms.items()}
    default = trial.here.kind
    if default in arms:
        names[default] = noted(names[default], _("recommended"))
    else:
        default = "centre" if "centre" in arms else next(iter(arms))
        said = _("No cure is recommended at this layer.")
        helps = _("Centring alone brings the mean cosine near 0, which can help a threshold.")
        [cone] = (each.state for each in diagnosis.findings if each.code == "cone")
        st.caption(paragraph([said, helps] if cone in ("found", "slight") else [said]))
    return arms[choose(st.selectbox, _("Cure to download"), names, key="arm", default=default)]


def _offer_model(data: DiagnosedData, layer: int | str, pooling: str, treatment: str) -> None:
    """Downloads of the encoder with a treatment, in two steps, because writing takes seconds."""
    encoder = data.points.encoder
    if not isinstance(layer, int) or layer == 0:
        refusal = export.ExportError("other_layer", layer=layer, last=encoder.n_layers)
        st.caption(error_text(refusal))
        return
    if pooling not in MODES:
        refusal = export.ExportError("other_pooling", pooling=pooling, poolings=tuple(MODES))
        st.caption(error_text(refusal))
        return
    normalize = st.toggle(
        _("The model gives unit length"), key=f"unit-{layer}-{pooling}-{treatment}"
    )
    wanted = (data, layer, pooling, treatment, normalize)
    key = _written_model.name_of(*wanted)
    of_layer = _("{name}, {settings}").format(
        name=layer_words(layer, encoder.n_layers), settings=pooling_names(encoder)[pooling]
    )
    if st.session_state.get(MODEL) != key:
        label = labelled(_("Write the sentence-transformers model"), of_layer)
        name = f"write-model-{layer}-{pooling}"
        want = st.session_state.__setitem__
        act_button(label, name, "deployed_code", want, MODEL, key)
        return
    what = _("Writing the sentence-transformers model")
    label = "sentence-transformers"
    try:
        content = jobs.kept_or_made(_written_model, *wanted, what=what, lane="model")
    except export.ExportError as error:
        # such as vectors that differ too much, in a very narrow cone
        st.error(error_text(error))
        return
    offer_file(labelled(label, of_layer), f"{label}-model.zip", lambda: content)


@kept(1, by_session=True)
def _written_model(
    data: DiagnosedData, layer: int, pooling: str, treatment: str, normalize: bool
) -> bytes:
    """The encoder that ends at a layer, with a treatment of its vectors, as a zip archive.

    The vectors of the data are at that layer, but for the treatment "none".
    """
    encoder = data.points.encoder
    affine = export.AffineMap(np.zeros(encoder.dimension), None)
    if treatment != "none":
        about = {"treatment": treatment, **_about(data.points)}
        affine = export.affine_map(fit_cure(treatment, data.vectors), **about)
    place: dict[str, Any] = {"layer": layer, "pooling": pooling, "normalize": normalize}
    with tempfile.TemporaryDirectory() as folder:
        path = export.write_sentence_model(Path(folder) / "model", encoder, affine, **place)
        files = {
            str(file.relative_to(path)): file.read_bytes()
            for file in sorted(path.rglob("*"))
            if file.is_file()
        }
    return zipped(files, compression=zipfile.ZIP_STORED)  # weights hardly shrink
