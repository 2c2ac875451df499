"""Pairs of rows, and queries with vectors of their own, that judge uploaded vectors."""

import io

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from geometry.data import VectorSet, judge_vectors, read_relevance
from geometry.data.translations import catalogue
from geometry.diagnosis import diagnose, sentences
from pages.common.words import markdown
from tests.diagnosis.made_up import labelled
from tests.pages.visits import brought, everything, healthy, new_visit

X, LABELS = labelled("centre", n=200)
IDS = tuple(f"D{row}" for row in range(len(X)))
OWN = VectorSet("mine", X, labels=tuple(LABELS), label_column="kind", ids=IDS)
PAIRS = [(q, q + 40 + q % 3) for q in range(150)]
GOLD = [int(LABELS[a] == LABELS[b]) + a % 2 / 4 for a, b in PAIRS]
TABLE = "\n".join(f"D{a},D{b},{s}" for (a, b), s in zip(PAIRS, GOLD, strict=True)) + "\nD1,Z,1"
QRELS = "".join(
    f"Q{q} 0 D{row} 1\n" for q in range(40) for row in range(40, 100) if LABELS[row] == LABELS[q]
)


def queries() -> bytes:
    written = io.BytesIO()
    columns = {"_id": [f"Q{q}" for q in range(40)], "vector": list(X[:40] * 2)}
    parquet.write_table(pa.table(columns), written)
    return written.getvalue()


def uploader(at, key):
    [found] = [each for each in at.get("file_uploader") if each.key == key]
    return found


def visit(language="en"):
    return healthy(
        new_visit("your_corpus", brought("vector-uploads", "corpus", OWN), lang=language).run()
    )


def advice(found, _) -> str:
    return markdown(sentences.recommendation(found, _))


def test_pairs_of_rows_judge_in_place_of_labels():
    _ = catalogue("zh-Hant").gettext
    at = visit("zh-Hant")
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
    found = diagnose(X, labels=LABELS, pairs=(left, right, np.array(GOLD)))
    assert markdown(sentences.basis(found, _)) in everything(at)
    healthy(judge.set_value("labels").run())
    assert markdown(sentences.basis(diagnose(X, labels=LABELS), _)) in everything(at)
    [delete] = [each for each in at.button if each.key.startswith("delete-evidence-")]
    healthy(delete.click().run())
    assert "judge" not in [each.key for each in at.selectbox]


def test_queries_with_vectors_of_their_own_judge():
    at = visit()
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
    found = diagnose(X, labels=LABELS, queries=judged)
    assert markdown(sentences.basis(found, str)) in everything(at)
    assert advice(found, str) in everything(at)


def test_ids_that_name_nothing_are_an_error_and_the_file_stays():
    at = visit()
    uploader(at, "evidence-pairs").upload("pairs.csv", b"a,b,1\nc,d,2\n")
    healthy(at.run())
    assert "None of the 4 ids, such as `a`" in "".join(each.value for each in at.error)
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
