"""Pairs and queries by the ids of vectors, and by texts: every figure here is worked by hand."""

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from geometry.data import (
    CorpusError,
    VectorSet,
    judge,
    judge_vectors,
    read_relevance,
    read_row_pairs,
    row_pairs,
)
from geometry.measure import Search, mrr_at_k, ndcg_at_k, recall_at_k
from tests.for_each import for_each

# The angles of the documents and queries, in degrees, are their order
ANGLES = {"D1": 0, "D2": 10, "D3": 25, "D4": 60, "D5": 90}
QUERIES = {"Q1": 2, "Q2": 58, "Q3": 85}


def at(angles):
    radians = np.radians(list(angles.values()))
    return np.column_stack([np.cos(radians), np.sin(radians)]).astype(np.float32)


DOCUMENTS = VectorSet("documents", at(ANGLES), ids=tuple(ANGLES))
ASKED = VectorSet("queries", at(QUERIES), ids=tuple(QUERIES))
PLAIN = VectorSet("plain", at(ANGLES))
FLOATS = VectorSet("floats", at(ANGLES), ids=("1.0", "2.0", "3.0", "4.0", ""))

BEIR = b"query-id\tcorpus-id\tscore\nQ1\tD3\t2\nQ1\tD5\t1\nQ1\tD1\t0\nQ2\tD4\t1\nQ3\tD2\t1\n"
TREC = b"Q1 0 D3 2\nQ1 0 D5 1\nQ1 0 D1 0\nQ2 0 D4 1\nQ2 0 D1 -2\nQ3 0 D2 1\n"


@for_each(("content", "name"), [(BEIR, "test.tsv"), (TREC, "qrels.txt")])
def test_scores_of_a_tiny_file_of_answers(content, name):
    """Nearest to Q1: D1, D2, D3. To Q2: D4, D5 (32 degrees), D3 (33). To Q3: D5, D4, D3."""
    judged = judge_vectors(read_relevance(content, name=name), DOCUMENTS, ASKED)
    assert judged.relevant == ({2: 2.0, 4: 1.0}, {3: 1.0}, {1: 1.0})
    assert judged.left_out == (frozenset(),) * 3
    assert (judged.n_queries, judged.n_missing) == (3, 0)
    assert (judged.queries_by, judged.rows_by) == ("ids", "ids")
    found = Search(DOCUMENTS.vectors).nearest_except(judged.vectors, 3, judged.left_out).rows
    assert found.tolist() == [[0, 1, 2], [3, 4, 2], [4, 3, 2]]
    assert recall_at_k(found, judged.relevant).tolist() == [1 / 2, 1, 0]
    assert mrr_at_k(found, judged.relevant).tolist() == [1 / 3, 1, 0]
    # Q1: grade 2 at rank 3, against 2 at rank 1 and 1 at rank 2
    first = (2 / np.log2(4)) / (2 / np.log2(2) + 1 / np.log2(3))
    ndcg = ndcg_at_k(found, judged.relevant)
    np.testing.assert_allclose(ndcg, [first, 1, 0])
    grades = [[each.get(row, 0.0) for row in range(5)] for each in judged.relevant]
    cosines = judged.vectors @ DOCUMENTS.vectors.T
    for each, grade, cosine in zip(ndcg, grades, cosines, strict=True):
        assert each == pytest.approx(ndcg_score([grade], [cosine], k=3))


def test_two_columns_of_row_numbers_without_vectors_of_their_own():
    """Rows 2 and 4 are the queries; row 5 is a copy of row 2, and no answer."""
    vectors = VectorSet("copies", np.vstack([at(ANGLES)[:4], at(ANGLES)[1]]))
    judged = judge_vectors(read_relevance(b"2,1\n2,3\n4,3\n4,4\n", name="a.csv"), vectors)
    assert judged.relevant == ({0: 1.0, 2: 1.0}, {2: 1.0})  # a query is no answer to itself
    assert judged.left_out == ({1, 4}, {3})
    np.testing.assert_array_equal(judged.vectors, vectors.vectors[[1, 3]])
    assert (judged.queries_by, judged.rows_by) == ("numbers", "numbers")


def test_row_numbers_are_those_of_the_file_and_ids_come_before_them():
    part = VectorSet("part", at(ANGLES)[[0, 2, 4]], numbers=np.array([1, 3, 5]))
    judged = judge_vectors(read_relevance(b"1,3\n1,4\n3,5\n", name="a.csv"), part)
    assert judged.relevant == ({1: 1.0}, {2: 1.0})
    assert judged.n_missing == 1
    numbered = VectorSet("numbered", at(ANGLES), ids=("5", "4", "3", "2", "77"))
    file = b"query,relevant\n5,2\n5,1\n9,3\n77,3\n"
    judged = judge_vectors(read_relevance(file, name="a.csv"), numbered)
    assert judged.relevant == ({3: 1.0}, {2: 1.0})  # id 5 is row 1, and no row has the id 1
    assert (len(judged), judged.n_queries, judged.n_missing) == (2, 3, 2)


def test_texts_name_rows():
    named = VectorSet("words", at(ANGLES), texts=("cat", "a  dog", "car", "rain", "sun"))
    judged = judge_vectors(read_relevance(b"query,relevant\ncat,a dog\n", name="a.csv"), named)
    assert judged.relevant == ({1: 1.0},)
    assert judged.rows_by == "texts"
    numbers = VectorSet("numbers", at(ANGLES), texts=("5", "4", "3", "2", "1"))
    judged = judge_vectors(read_relevance(b"query,relevant\n5,4\n", name="a.csv"), numbers)
    assert (judged.rows_by, judged.relevant) == ("texts", ({1: 1.0},))
    file = b"left,right,score\ncat,a dog,3\ncat,car,1\n"
    pairs = row_pairs(read_row_pairs(file, name="p.csv"), named)
    assert (pairs.left.tolist(), pairs.right.tolist()) == ([0, 0], [1, 2])
    assert pairs.named_by == "texts"


def test_a_query_of_zeros_is_left_out():
    asked = VectorSet("queries", at(QUERIES) * [[0], [1], [1]], ids=tuple(QUERIES))
    judged = judge_vectors(read_relevance(BEIR, name="test.tsv"), DOCUMENTS, asked)
    assert (len(judged), judged.n_queries) == (2, 3)


@for_each(
    ("content", "name", "vectors"),
    [
        (b"D1,D2,0.5\nD9,D1,1\nD3,D4,2\n", "p.csv", DOCUMENTS),
        (b"id1\tid2\tscore\nD1\tD2\t.5\nD9\tD1\t1\nD3\tD4\t2\n", "p.tsv", DOCUMENTS),
        (b"1,2,0.5\n9,1,1\n3,4,2\n", "p.csv", PLAIN),
        (b"1,2,0.5\n9,1,1\n3,4,2\n", "p.csv", FLOATS),
        (b"similarity,a,b\n.5,1,2\n1,9,1\n2,3,4\n", "p.csv", PLAIN),
    ],
)
def test_pairs_by_ids(content, name, vectors):
    found = row_pairs(read_row_pairs(content, name=name), vectors)
    assert found.left.tolist() == [0, 2]
    assert found.right.tolist() == [1, 3]
    assert found.gold_scores.tolist() == [0.5, 2]
    assert (len(found), found.n_pairs) == (2, 3)
    assert found.named_by == ("numbers" if vectors is PLAIN else "ids")


@for_each(
    ("content", "vectors", "message"),
    [
        (b"query,relevant,grade\na,b,much\n", PLAIN, "The grade `much` at line 2"),
        (b"query,relevant,grade\na,b,-1\n", PLAIN, "The grade `-1` at line 2"),
        (b"query,thing\na,b\nc,d\n", PLAIN, "are not a query and what is relevant"),
        (b"", PLAIN, "no text here"),
        (b"query,relevant\nQ1,X\nQ1,Y\n", DOCUMENTS, "None of the 2 ids, such as `[XY]`"),
        (b"query,relevant\nZ,D1\nY,D2\n", DOCUMENTS, "None of the 2 ids, such as `[ZY]`"),
        (b"query,relevant\nQ1,1\nQ1,2\n", DOCUMENTS, "is an id of the vectors, such as `D1`"),
        (b"query,relevant\n1,0\n1,2\n", PLAIN, "numbers of rows from 0"),
        (b"Q1 0 D1 1\nQ1 0 D2\n" + 19 * b"Q1 0 D3 1\n", PLAIN, "line 2"),
        (19 * b"Q1 0 D3 1\n" + b"Q1 0 D4 1\nQ1 0 D2\n", PLAIN, "line 21"),
    ],
)
def test_what_is_refused(content, vectors, message):
    with pytest.raises(CorpusError, match=message):
        judge_vectors(read_relevance(content, name="a.csv"), vectors, ASKED)


def test_queries_of_another_model_and_a_row_0_are_refused():
    wide = VectorSet("wide", np.ones((3, 5), dtype=np.float32), ids=tuple(QUERIES))
    with pytest.raises(CorpusError, match="have 5 numbers, and those searched 2"):
        judge_vectors(read_relevance(BEIR, name="test.tsv"), DOCUMENTS, wide)
    with pytest.raises(CorpusError, match="rows are counted from 1"):
        row_pairs(read_row_pairs(b"0,1,0.5\n1,2,1\n", name="p.csv"), PLAIN)


# Texts of a corpus

TEXTS = ("a cat", "a dog", "a car", "a  dog", "rain")


def test_queries_and_answers_by_text_and_by_row():
    file = (
        b"query,relevant,grade\npets?,a cat,3\npets?,a dog,2\npets?,a car,0\n3,1; 5,1\nlost,77,1\n"
    )
    relevance = read_relevance(file, name="answers.csv")
    assert relevance.answers == {
        "pets?": {"a cat": 3.0, "a dog": 2.0},
        "3": {"1; 5": 1.0},
        "lost": {"77": 1.0},
    }
    judged = judge(relevance, TEXTS)
    assert judged.queries == ("pets?", "a car")
    assert judged.rows == (None, 2)
    assert judged.relevant == ({0: 3.0, 1: 2.0, 3: 2.0}, {0: 1.0, 4: 1.0})
    assert (judged.n_queries, judged.n_missing) == (3, 1)


def test_rows_keep_their_numbers_in_a_part_of_the_corpus_and_json_is_read():
    judged = judge(read_relevance(b"rain\t2\nrain\t3\n", name="a.tsv"), TEXTS[2:], rows=(2, 3, 4))
    assert judged.rows == (2,)
    assert judged.relevant == ({0: 1.0},)  # row 3 is the first row of the part; row 2 is outside it
    assert judged.n_missing == 1
    file = b'{"query": "pets?", "relevant": "a cat"}\n{"query": "pets?", "relevant": 2}\n'
    assert judge(read_relevance(file, name="a.jsonl"), TEXTS).relevant == ({0: 1.0, 1: 1.0},)
