"""Which process reads Parquet of vectors, and how its limits are told and turned off."""

import io

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from geometry import process
from geometry.data.limits import LIMITS
from geometry.process import ProcessEnded
from geometry.vectors import preview_vector_set, read_vector_set, set_parquet, vector_blocks
from geometry.vectors.errors import VectorFileError
from tests.sentences import sentence

pytestmark = pytest.mark.usefixtures("real_reading")
X = np.random.default_rng(0).standard_normal((9_000, 3)).astype(np.float32)
COLUMNS = {"e": X.tolist(), "text": [f"text {i}" for i in range(len(X))], "label": ["a"] * len(X)}
WRITTEN = io.BytesIO()
parquet.write_table(pa.table(COLUMNS), WRITTEN)
CONTENT = WRITTEN.getvalue()


@pytest.fixture
def started(monkeypatch):
    """The processes that were started."""
    found = []

    class Counted(process.Process):
        def __init__(self, limits):
            super().__init__(limits)
            found.append(self)

    monkeypatch.setattr(set_parquet, "Process", Counted)
    return found


def test_one_process_reads_a_file_and_ends(started, tmp_path):
    (tmp_path / "own.parquet").write_bytes(CONTENT)
    for source in (CONTENT, tmp_path / "own.parquet"):
        found = read_vector_set(source, label_column="label")
        assert (found.vectors == X).all()
        assert found.texts == tuple(COLUMNS["text"])
        assert set(found.labels) == {"a"}
    assert preview_vector_set(CONTENT).rows[1] == ("text 1", "a")
    blocks = vector_blocks(CONTENT)
    assert len(next(blocks)) < len(X)
    blocks.close()
    assert len(started) == 4
    assert all(each.has_ended for each in started)


def test_no_process_where_it_is_turned_off_or_this_one_is_limited(started, monkeypatch):
    assert (read_vector_set(CONTENT, limits=LIMITS.but(memory_bytes=0)).vectors == X).all()
    monkeypatch.setattr(set_parquet, "is_limited", lambda: True)
    assert (read_vector_set(CONTENT).vectors == X).all()
    assert not started


@pytest.mark.parametrize(
    ("end", "message"),
    [
        (ProcessEnded(too_slow=True), sentence("vectors", "too_slow", limit="10")),
        (ProcessEnded(), sentence("vectors", "damaged_file", kind="Parquet table")),
        (MemoryError(), sentence("vectors", "unpacked_set", limit="400 MB")),
    ],
)
def test_how_it_ends_is_a_sentence(started, monkeypatch, end, message):
    def answer(*_):
        raise end

    monkeypatch.setattr(process.Process, "answer", answer)
    with pytest.raises(VectorFileError, match=message):
        read_vector_set(CONTENT)
    assert started[0].has_ended


def test_texts_have_a_limit_of_bytes():
    with pytest.raises(VectorFileError, check=lambda error: error.because == "unpacked_set"):
        read_vector_set(CONTENT, limits=LIMITS.but(table_bytes=4 * X.size))
    limits = LIMITS.but(table_bytes=4 * X.size)
    assert len(read_vector_set(CONTENT, text_column="", limits=limits)) == len(X)
