"""Searches by a phrase, a regular expression and a row."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geometry.explore import SearchError, find_texts, nearest_rows

TEXTS = ("The colour red", "a Color", "Straße", "nothing", "#2 is a row")


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("", []),
        ("  ", []),
        ("COLO", [0, 1]),
        ("colour red", [0]),
        ("strasse", [2]),
        ("/colou?r/", [0, 1]),
        ("/^a/", [1]),
        ("/", []),
        ("#2", [1]),
        ("#9", []),
        ("#0", []),
        ("#2 is", [4]),
    ],
)
def test_what_a_query_means(query, rows):
    assert find_texts(TEXTS, query).tolist() == rows


@given(st.lists(st.text(max_size=8)), st.text(min_size=1, max_size=3).filter(str.strip))
def test_a_phrase_is_found_wherever_it_stands(texts, needle):
    needle = needle.strip()
    if needle[0] in "#/":
        return
    found = [row for row, text in enumerate(texts) if needle.casefold() in text.casefold()]
    np.testing.assert_array_equal(find_texts(texts, needle), found)


def test_a_pattern_that_is_none_and_one_that_never_ends_are_refused():
    with pytest.raises(SearchError, match="not a regular expression") as error:
        find_texts(TEXTS, "/(/")
    assert error.value.code == "pattern"
    with pytest.raises(SearchError, match="longer than", check=lambda error: error.code == "slow"):
        find_texts(("a" * 4000 + "!",), "/(a+a+)+b/", seconds=0.05)


def test_the_nearest_rows_are_those_of_the_largest_cosine():
    X = np.array([[1.0, 0.0], [3.0, 3.0], [0.0, 0.0], [-1.0, 0.1], [9.0, 0.9]])
    assert nearest_rows(X, np.array([2.0, 0.0]), 3).tolist() == [0, 4, 1]
    assert nearest_rows(X, np.array([2.0, 0.0]), 9).tolist()[-1] == 2  # zeros come last


@pytest.mark.parametrize(
    "pattern", ["((((a{9}){9}){9}){9})", "a{99999}", "(a{40}){40}", "(?:a{,2000})"]
)
def test_a_pattern_of_many_repeats_is_refused_before_it_is_compiled(pattern):
    with pytest.raises(SearchError, check=lambda error: error.code == "repeats"):
        find_texts(TEXTS, f"/{pattern}/")


@pytest.mark.parametrize(
    "pattern", ["(" * 495 + "a" + ")" * 495, "(?R)?a", "(a(?1)?)", "(?P<n>a)(?&n)", "a|" * 600]
)
def test_a_pattern_that_can_not_be_bounded_is_refused(pattern):
    with pytest.raises(SearchError, check=lambda error: error.code == "large"):
        find_texts(TEXTS, f"/{pattern}/")


@given(st.text(alphabet="a(?R)*+{1,9}[]|\\^$&P<>", max_size=40))
def test_any_pattern_ends_in_rows_or_in_the_library_s_error(pattern):
    with suppress(SearchError):
        find_texts(TEXTS, f"/{pattern}/", seconds=0.05)


def test_a_row_has_the_number_of_its_file():
    assert find_texts(TEXTS, "#12", numbers=np.array([3, 11, 12, 40, 41])).tolist() == [1]
