"""Word vectors are unchanged by writing and reading in any form, for any words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from geometry import read_vectors
from tests.vector_files import WRITERS

# The only blank is the space, and not at the ends, where a text format would read a delimiter.
LETTERS = st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp"))
WORD = st.text(LETTERS, min_size=1, max_size=8)
FINITE = st.floats(-(2.0**99), 2.0**99, width=32)


@st.composite
def tables(draw, words):
    chosen = draw(st.lists(words, min_size=3, max_size=12, unique=True))
    shape = (len(chosen), draw(st.integers(2, 6)))
    return chosen, draw(npst.arrays(np.float32, shape, elements=FINITE))


@pytest.mark.parametrize("form", WRITERS)
@given(table=tables(WORD))
def test_what_is_written_is_read(form, table):
    words, vectors = table
    found = read_vectors(WRITERS[form](words, vectors))
    assert found.words == tuple(words)
    np.testing.assert_array_equal(found.vectors, vectors)


SHORT = st.sampled_from([0.0, 1.25, -0.5, 3.0, 12.5])  # few bytes: lines as long as records


@pytest.mark.parametrize("form", ["header", "fasttext"])
@given(data=st.data())
def test_short_numbers_make_no_binary_file(form, data):
    words = data.draw(st.lists(WORD, min_size=1, max_size=6, unique=True))
    shape = (len(words), data.draw(st.integers(1, 3)))
    vectors = data.draw(npst.arrays(np.float32, shape, elements=SHORT))
    found = read_vectors(WRITERS[form](words, vectors))
    assert (found.words, found.report.format) == (tuple(words), "text")
    np.testing.assert_array_equal(found.vectors, vectors)
