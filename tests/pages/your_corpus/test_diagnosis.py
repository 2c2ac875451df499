"""The diagnosis on Your corpus: the library's and the shell's numbers, in both languages."""

import io
import zipfile
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from sentence_transformers import SentenceTransformer

from geometry import Corpus, Pairs, load_encoder, load_transform, read_bundled
from geometry.data import VectorSet, judge_vectors, read_bundled_pairs, read_relevance
from geometry.data.translations import catalogue
from geometry.diagnosis import (
    diagnose,
    recommended_treatment,
    sentences,
    storage_table,
    threshold_sentences,
)
from geometry.diagnosis.diagnosis import fit_cure
from geometry.diagnosis.sentences import SENTENCES, finding_sentence
from geometry.export import ExportError
from geometry.export.affine import transform_bytes
from geometry.export.sentence_model import MODES
from pages.common.messages import error_text
from pages.common.words import markdown
from pages.your_corpus import diagnosis as section
from tests.diagnosis.made_up import labelled
from tests.pages.visits import brought, everything, healthy, new_visit
from tests.sentences import sentence

TOPICS = read_bundled("topics")
TEXTS, LABELS = TOPICS.texts[::6], TOPICS.labels[::6]


def visit(own, language: str = "en", **query: str):
    store = "vector-uploads" if isinstance(own, VectorSet) else "uploads"
    state = brought(store, "corpus", own)
    return healthy(new_visit("your_corpus", state, lang=language, **query).run())


@pytest.fixture
def downloads(monkeypatch) -> dict[str, object]:
    """The content behind every download button of the section, by the file's name."""
    found: dict[str, object] = {}
    monkeypatch.setattr(
        section, "offer_file", lambda label, name, content: found.update({name: content})
    )
    monkeypatch.setattr(section, "offer_transform", lambda make, name: found.update({name: make}))
    return found


def test_own_vectors_get_the_cure_that_is_right_and_its_files(downloads, tmp_path):
    language = "zh-Hant"
    X, labels = labelled("centre")
    at = visit(VectorSet("mine", X, labels=tuple(labels), label_column="kind"), language)
    _ = catalogue(language).gettext
    shown = everything(at)
    assert markdown(_(SENTENCES["centre"])) in shown
    found = diagnose(X, labels=labels)
    captions = [each.value for each in at.caption]
    lines = (sentences.evidence, sentences.certainty, sentences.basis)
    places = [captions.index(markdown(line(found, _))) for line in lines]
    assert places == [places[0], places[0] + 1, places[0] + 2]  # in the card
    assert _("The vectors of a language model form a narrow cone.") in shown
    assert _("texts") != _("number of texts")  # 文字 in a sentence, 文字筆數 as a count
    for finding in found.findings:
        assert markdown(finding_sentence(finding, _)) in shown
    (tmp_path / "cure.safetensors").write_bytes(transform_bytes(downloads["cure"]()))
    affine = load_transform(tmp_path / "cure.safetensors")
    centred = recommended_treatment(found, X).fitted.apply(X)
    np.testing.assert_allclose(affine.apply(X), centred, atol=1e-5)
    assert (affine.about["corpus"], affine.about["labels"]) == ("mine", "kind")
    assert "sentence-transformers-model.zip" not in downloads  # there is no encoder
    np.testing.assert_allclose(np.load(io.BytesIO(downloads["vectors.npy"]())), centred, atol=1e-5)
    files = zipfile.ZipFile(io.BytesIO(downloads["projector.zip"]()))
    assert files.read("metadata.tsv").decode().split() == " ".join(labels).split()


def test_thresholds_are_shown_and_storage_once_it_is_opened():
    X, labels = labelled("centre")
    own = VectorSet("mine", X, labels=tuple(labels), label_column="kind")
    language, _ = "en", str
    found = diagnose(X, labels=labels)
    shown = everything(visit(own, language))
    assert markdown(threshold_sentences.summary(found, _)) in shown
    for head, rows in (
        threshold_sentences.cosine_table(found, _),
        threshold_sentences.cut_table(found, _),
    ):
        assert markdown(rows[0][0]) in shown
        assert head[1] in shown
    stored = storage_table(found, X, labels=labels)
    assert markdown(sentences.storage_summary(stored, _)) not in shown
    state = brought("vector-uploads", "corpus", own) | {"storage-part": True}
    at = healthy(new_visit("your_corpus", state, lang=language).run())
    assert markdown(sentences.storage_summary(stored, _)) in everything(at)


def cure_of(downloads: dict) -> tuple[str, np.ndarray]:
    """(treatment of the offered file, vectors of the offered file)."""
    treatment = downloads["cure"]().about["treatment"]
    return treatment, np.load(io.BytesIO(downloads["vectors.npy"]()))


def test_after_leave_each_cure_is_offered_and_centring_first(downloads):
    X, labels = labelled("leave")
    own = VectorSet("mine", X, labels=tuple(labels), label_column="kind")
    at = visit(own)
    assert "No cure is recommended at this layer." in everything(at)
    arms = at.selectbox(key="arm")
    trial = diagnose(X, labels=labels).trial
    assert trial.here.kind == "leave"
    names = [sentences.cure_name(cure, str) for cure in trial.cures if cure.kind != "leave"]
    assert arms.options == names
    treatment, Z = cure_of(downloads)
    assert treatment == "centred"
    np.testing.assert_allclose(Z, X - X.mean(axis=0), atol=1e-5)
    arms.set_value("remove").run()
    assert healthy(at).query_params["arm"] == "remove"
    removed = next(cure.treatment for cure in trial.cures if cure.kind == "remove")
    treatment, Z = cure_of(downloads)
    assert treatment == removed
    np.testing.assert_allclose(Z, fit_cure(removed, X).fitted.apply(X), atol=1e-4)


def test_the_recommended_cure_is_the_first_choice(downloads):
    X, labels = labelled("remove")
    at = visit(VectorSet("mine", X, labels=tuple(labels), label_column="kind"))
    here = diagnose(X, labels=labels).trial.here
    assert at.selectbox(key="arm").value == here.kind == "remove"
    assert cure_of(downloads)[0] == here.treatment


@pytest.mark.model
def test_the_text_that_the_model_does_not_know_has_no_cure_to_download():
    at = visit(Corpus("own", tuple(f"貓在睡覺的第{i}天下雨了。" for i in range(30))))
    assert not [each for each in at.selectbox if each.key == "arm"]


def test_few_vectors_and_missing_labels_are_reported():
    at = visit(VectorSet("two", np.eye(3, dtype=np.float32)))
    assert sentence("measure", "few_directions", limit="4", n="3").search(everything(at))
    at = visit(VectorSet("plain", labelled("centre")[0]))
    assert "Nothing here can judge a cure" in everything(at)


@pytest.mark.long
@pytest.mark.model
def test_pairs_alone_are_diagnosed_by_their_sentences(monkeypatch):
    # simulates a disk that can't be written
    monkeypatch.setattr(section, "is_stored", lambda *_given, **_named: False)
    pairs = read_bundled_pairs()
    some = Pairs("mine", pairs.left[:120], pairs.right[:120], pairs.gold_scores[:120])
    state = {"pair-uploads": {"upload-pairs": some}, "pairs-used-here": "upload-pairs"}
    at = healthy(new_visit("your_corpus", state, layer="5").run())
    n = len(some.sentences)
    assert f"shows the {n} different sentences of the pairs “mine”" in at.success[-1].value
    X = load_encoder().encode(some.sentences, layer=5)
    found = diagnose(X, texts=some.sentences, pairs=(*some.rows, some.gold_scores))
    shown = everything(at)
    assert found.trial.amount > 40
    assert f"judged on the pairs of the fold, {found.trial.n_items} in all" in shown
    assert "compared: 0, 1, 2, 3, 4, 6 (mean)" in shown
    for finding in found.findings:
        # the effect's interval is at 95% together with the other layers, which the page compares
        assert markdown(finding_sentence(replace(finding, effect=None), str)) in shown
    at.button(key="delete-upload-pairs").click().run()
    assert "not given a corpus yet" in everything(healthy(at))


@pytest.mark.slow
@pytest.mark.model
def test_the_page_writes_the_model_of_a_chosen_cure_with_unit_length(downloads, tmp_path):
    at = visit(Corpus("own", TEXTS[:60]), layer="3", arm="remove")
    [unit] = [each for each in at.toggle if each.label == "The model gives unit length"]
    unit.set_value(True).run()
    healthy(at).button(key="write-model-3-mean").click().run()
    healthy(at)
    with zipfile.ZipFile(io.BytesIO(downloads["sentence-transformers-model.zip"]())) as archive:
        archive.extractall(tmp_path)
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| treatment | abtt:" in readme
    assert "| corpus | own |" in readme
    theirs = SentenceTransformer(str(tmp_path), device="cpu").encode(list(TEXTS[:60]))
    ours = downloads["cure"]().apply(load_encoder().encode(TEXTS[:60], layer=3))
    ours /= np.linalg.norm(ours, axis=1, keepdims=True)
    np.testing.assert_allclose(theirs, ours, atol=1e-5)
    refused = visit(Corpus("own", TEXTS[:60]), layer="3", pooling="min")
    error = ExportError("other_pooling", pooling="min", poolings=tuple(MODES))
    assert error_text(error) in [caption.value for caption in refused.caption]


X, GROUPS = labelled("centre", n=200)
IDS = tuple(f"D{row}" for row in range(len(X)))
OWN = VectorSet("mine", X, labels=tuple(GROUPS), label_column="kind", ids=IDS)
PAIRS = [(q, q + 40 + q % 3) for q in range(150)]
GOLD = [int(GROUPS[a] == GROUPS[b]) + a % 2 / 4 for a, b in PAIRS]
TABLE = "\n".join(f"D{a},D{b},{s}" for (a, b), s in zip(PAIRS, GOLD, strict=True)) + "\nD1,Z,1"
QRELS = "".join(
    f"Q{q} 0 D{row} 1\n" for q in range(40) for row in range(40, 100) if GROUPS[row] == GROUPS[q]
)


def queries() -> bytes:
    written = io.BytesIO()
    columns = {"_id": [f"Q{q}" for q in range(40)], "vector": list(X[:40] * 2)}
    parquet.write_table(pa.table(columns), written)
    return written.getvalue()


def uploader(at, key):
    [found] = [each for each in at.get("file_uploader") if each.key == key]
    return found


def test_pairs_of_rows_judge_in_place_of_labels():
    _ = catalogue("zh-Hant").gettext
    at = visit(OWN, "zh-Hant")
    assert "judge" not in [each.key for each in at.selectbox]  # labels alone judge
    uploader(at, "evidence-pairs").upload("pairs.csv", TABLE.encode())
    healthy(at.run())
    note = _("{n} of {all} pairs are used. Their ids are taken as: {by}.")
    assert note.format(n=150, all=151, by=_("ids")) in everything(at)
    healthy(at.button(key="use_evidence").click().run())
    judge = at.selectbox(key="judge")
    names = [_("labels of the vectors"), _("pairs of rows: {name}").format(name="pairs.csv")]
    assert judge.options == names
    left, right = np.array(PAIRS).T
    found = diagnose(X, labels=GROUPS, pairs=(left, right, np.array(GOLD)))
    assert markdown(sentences.basis(found, _)) in everything(at)
    healthy(judge.set_value("labels").run())
    assert markdown(sentences.basis(diagnose(X, labels=GROUPS), _)) in everything(at)
    at.session_state["vector-uploads"] = {"upload-test": replace(OWN, ids=IDS[::-1])}
    assert "judge" not in [each.key for each in healthy(at.run()).selectbox]  # of other rows
    at.session_state["vector-uploads"] = {"upload-test": OWN}
    [delete] = [each for each in healthy(at.run()).button if "delete-evidence-" in str(each.key)]
    healthy(delete.click().run())
    assert "judge" not in [each.key for each in at.selectbox]


def test_queries_with_vectors_of_their_own_judge():
    at = visit(OWN)
    at.segmented_control(key="evidence-kind").set_value("queries")
    healthy(at.run())
    uploader(at, "evidence-queries").upload("qrels.txt", QRELS.encode())
    uploader(at, "evidence-vectors-queries").upload("queries.parquet", queries())
    healthy(at.run())
    assert "40 of 40 queries are used. The ids of queries are taken as: ids." in everything(at)
    healthy(at.button(key="use_evidence").click().run())
    assert at.selectbox(key="judge").options[1] == "queries: qrels.txt"
    asked = VectorSet("q", X[:40] * 2, ids=tuple(f"Q{q}" for q in range(40)))
    judged = judge_vectors(read_relevance(QRELS.encode(), name="qrels.txt"), OWN, asked)
    found = diagnose(X, labels=GROUPS, queries=judged)
    assert markdown(sentences.basis(found, str)) in everything(at)
    assert markdown(sentences.recommendation(found, str)) in everything(at)


def test_ids_that_name_nothing_are_an_error_and_the_file_stays():
    at = visit(OWN)
    uploader(at, "evidence-pairs").upload("pairs.csv", b"a,b,1\nc,d,2\n")
    healthy(at.run())
    unknown = sentence("corpus", "other_ids", n="4", id="a")
    assert any(unknown.search(each.value) for each in at.error)
    assert uploader(at, "evidence-pairs").value is not None
    at.segmented_control(key="evidence-kind").set_value("queries")
    healthy(at.run())
    uploader(at, "evidence-queries").upload("answers.csv", b"query,relevant\nD1,D2\nD1,Z\n")
    healthy(at.run())
    assert "1 of 1 queries are used." in everything(at)
    uploader(at, "evidence-queries").upload("answers.csv", b"query,relevant\nD1,Z\nZ,D2\n")
    healthy(at.run())
    assert "0 of 2 queries are used." in everything(at)
    assert "use_evidence" not in [each.key for each in at.button]
