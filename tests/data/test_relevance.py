"""Files of queries with known answers."""

import pytest

from geometry.data import judge, read_relevance
from geometry.data.limits import CorpusError
from tests.for_each import for_each

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


def test_rows_keep_their_numbers_in_a_part_of_the_corpus():
    judged = judge(read_relevance(b"rain\t2\nrain\t3\n", name="a.tsv"), TEXTS[2:], rows=(2, 3, 4))
    assert judged.rows == (2,)
    assert judged.relevant == ({0: 1.0},)  # row 3 is the first row of the part; row 2 is outside it
    assert judged.n_missing == 1


def test_json_lines():
    file = b'{"query": "pets?", "relevant": "a cat"}\n{"query": "pets?", "relevant": 2}\n'
    assert judge(read_relevance(file, name="a.jsonl"), TEXTS).relevant == ({0: 1.0, 1: 1.0},)


@for_each(
    ("content", "message"),
    [
        (b"query,relevant,grade\na,b,much\n", "The grade `much` at line 2"),
        (b"query,relevant,grade\na,b,-1\n", "The grade `-1` at line 2"),
        (b"query,thing\na,b\nc,d\n", "are not a query and what is relevant"),
        (b"", "no text here"),
    ],
)
def test_what_is_refused(content, message):
    with pytest.raises(CorpusError, match=message):
        read_relevance(content, name="answers.csv")
