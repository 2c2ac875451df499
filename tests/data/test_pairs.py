"""Sentence pairs: every form of file, and invalid scores."""

import numpy as np
import pytest

from geometry.data import table_files
from geometry.data.errors import CorpusError
from geometry.data.limits import LIMITS
from geometry.data.pairs import Pairs, read_pair_folder, read_pairs
from geometry.process import ProcessEnded
from tests.for_each import for_each
from tests.sentences import sentence

NAMED = "left,right,score\nA dog ran.,A dog runs.,4.5\nIt rained.,I sing.,0\n"


def read(text: str, name: str = "p.csv", **options) -> Pairs:
    return read_pairs(text.encode(), name=name, **options)


def refused(text: str, name: str = "p.csv", **options) -> CorpusError:
    with pytest.raises(CorpusError) as caught:
        read(text, name, **options)
    return caught.value


@for_each(
    "text",
    [
        "score,right,left\n4.5,A dog runs.,A dog ran.\n0,I sing.,It rained.\n",
        "id,sentence1,sentence2,Similarity\n7,A dog ran.,A dog runs.,4.5\n8,It rained.,I sing.,0\n",
        "A dog ran.;A dog runs.;4.5\nIt rained.;I sing.;0\n",
        "4.5\tA dog ran.\tA dog runs.\n0\tIt rained.\tI sing.\n",
        "a,b,c\nA dog ran.,A dog runs.,4.5\nIt rained.,I sing.,0\n",
        "g\tf\ty\t1\t4.5\tA dog ran.\tA dog runs.\ng\tf\ty\t2\t0\tIt rained.\tI sing.\n",
    ],
)
def test_forms(text):
    for name in ("p.csv", "p.txt"):
        pairs = read(text, name)
        assert pairs.left == ("A dog ran.", "It rained.")
        assert pairs.right == ("A dog runs.", "I sing.")
        assert pairs.gold_scores.tolist() == [4.5, 0]


@for_each(
    ("head", "is_read"),
    [
        ("text,topic,weight", False),
        ("sentence,note,id", False),
        ("review,label,stars", False),
        ("question,answer,score", True),
        ("first,second,agreement", True),
    ],
)
def test_column_names_show_whether_three_columns_are_pairs(head, is_read):
    text = f"{head}\nA dog ran.,A dog runs.,4.5\nIt rained.,I sing.,0\n"
    if is_read:
        assert read(text, "p.csv").right == ("A dog runs.", "I sing.")
    else:
        assert refused(text, "p.csv").code == "no_pair_columns"


def test_the_different_sentences_of_pairs_and_their_rows():
    pairs = Pairs("p", ("a", "c", "a"), ("b", "a", "a"), np.arange(3))
    assert pairs.sentences == ("a", "b", "c")
    assert [side.tolist() for side in pairs.rows] == [[0, 2, 0], [1, 0, 0]]


def test_columns_may_be_stated():
    text = "k,u,v,gold mean,n\n1,A dog ran.,A dog runs.,4.5,3\n2,It rained.,I sing.,0,5\n"
    assert refused(text).code == "no_pair_columns"
    for columns in (("u", "v", "gold mean"), (1, 2, 3)):
        assert read(text, columns=columns).gold_scores.tolist() == [4.5, 0]
    assert refused(text, columns=("u", "v", "gold")).code == "unknown_column"
    with pytest.raises(ValueError, match="columns must be three"):
        read(text, columns=("u", "v"))


@for_each("score", ["", "nan", "inf", "-inf", "high", "4,5", "1_0"])
def test_a_score_that_is_no_number_is_named(score):
    row = f'It rained.,I sing.,"{score}"\n'
    error = refused(NAMED + row + "I run.,I ran.,3\n")
    assert (error.code, error.details) == ("bad_score", {"line": 4, "score": score})
    assert "line 4" in str(error)
    # The same holds for the first row of a file without a header.
    assert refused(row + "A dog ran.,A dog runs.,4.5\n" * 3).details["line"] == 1


def test_a_pair_without_a_sentence_is_named():
    for row in ("I run.,,3\n", ",I ran.,3\n", "  ,I ran.,3\n"):
        error = refused(NAMED + row)
        assert (error.code, error.details) == ("blank_sentence", {"line": 4})


@for_each(
    ("text", "options", "code"),
    [
        ("", {}, "empty"),
        ("left,right,score\n", {}, "empty"),
        ("left,right,score\na,b,1\n", {}, "too_few_texts"),
        (NAMED, {"limits": LIMITS.but(rows=1)}, "too_many_texts"),
        (NAMED, {"limits": LIMITS.but(file_bytes=10)}, "too_many_bytes"),
        ("A dog.,A cat.\nI run.,I ran.\n", {}, "no_pair_columns"),
        ("A dog.,A cat.,x\nI run.,I ran.,y\n", {}, "no_pair_columns"),
        ("1,A dog.,3\n2,I run.,4\n", {}, "no_pair_columns"),
    ],
)
def test_refusals(text, options, code):
    error = refused(text, **options)
    assert error.code == code
    assert str(error).endswith(".")


def test_each_pair_has_two_sentences_and_a_score():
    with pytest.raises(ValueError, match="every pair needs one of each"):
        Pairs("p", ("a",), ("b", "c"), [1, 2])


def test_subsets():
    text = "left,right,score,genre,era\na b,c,1,news,old\nd,e,2,forum,new\n"
    assert read(text).subsets == ("news", "forum")
    assert read(text, subset_column="era").subsets == ("old", "new")
    assert read(NAMED).subsets is None
    assert refused(text, subset_column="x").code == "unknown_column"
    with pytest.raises(ValueError, match="1 names of subsets for 2 pairs"):
        Pairs("p", ("a", "b"), ("c", "d"), [1, 2], subsets=("x",))


STSB = (
    'main\tMSRvid\t2012\t1\t5.0\tA "girl sings.\tA girl is singing.\n'
    "main\tMSRpar\t2012\t2\t0.5\tIt rained.\tI sing.\tMSR Paraphrase\thttp://a.b/c\n"
)


def test_stsb_as_it_is_published_has_more_columns_in_some_rows():
    pairs = read(STSB)
    assert pairs.left == ('A "girl sings.', "It rained.")
    assert pairs.right == ("A girl is singing.", "I sing.")
    assert pairs.subsets == ("main", "main")
    assert read(STSB.replace("\n", "\n\n", 1)).account.n_left_out == 1  # a blank line
    assert read(STSB, subset_column="file").subsets == ("MSRvid", "MSRpar")
    error = refused(STSB + "main\tMSRvid\t2012\t1\t5.0\tcut off\n")
    assert (error.code, error.details["line"]) == ("uneven_row", 3)


def test_a_folder(tmp_path):
    for name, text in {
        "sts-train.csv": STSB * 2,
        "sts-dev.tsv": NAMED.replace(",", "\t"),
        "test-00000-of-00001.jsonl": '{"left": "a", "right": "b", "score": 1}\n' * 2,
        "LICENSE.txt": "x",
        "latest.csv": "x",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "test").mkdir()
    found = read_pair_folder(tmp_path)
    assert {split: len(pairs) for split, pairs in found.items()} == {
        "train": 4,
        "dev": 2,
        "test": 2,
    }
    assert list(found) == ["train", "dev", "test"]
    (tmp_path / "validation.csv").write_text(NAMED, encoding="utf-8")
    with pytest.raises(CorpusError, check=lambda error: error.code == "two_splits"):
        read_pair_folder(tmp_path)
    for folder in (tmp_path / "absent", tmp_path / "test"):
        with pytest.raises(CorpusError, check=lambda error: error.code == "no_splits"):
            read_pair_folder(folder)


@pytest.mark.parametrize(
    ("end", "message"),
    [
        (ProcessEnded(too_slow=True), sentence("corpus", "too_slow", limit="10")),
        (ProcessEnded(), sentence("corpus", "damaged_file", kind="Parquet table")),
        (MemoryError(), sentence("corpus", "unpacked", limit="50 MB")),
    ],
)
def test_a_parquet_table_that_takes_too_much_is_refused(monkeypatch, real_reading, end, message):
    def run(*_):
        raise end

    monkeypatch.setattr(table_files, "run", run)
    with pytest.raises(CorpusError, match=message):
        read_pairs(b"PAR1", name="a.parquet")


def test_how_many_pairs_share_a_sentence():
    """a-b, a-c, d-d: the first two share a, the third is alone."""
    pairs = Pairs("x", ("a", "a", "d"), ("b", "c", "d"), np.array([1.0, 2.0, 3.0]))
    assert pairs.sentence_counts == {"a": 2, "b": 1, "c": 1, "d": 1}
    assert pairs.units.tolist() == [0, 0, 1]
    assert pairs.among([1, 2]).sentences == ("a", "c", "d")
