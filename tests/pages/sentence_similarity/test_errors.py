"""Messages of refused files and data sets in the reader's language: all codes and numbers."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from geometry import CorpusError, read_pairs, read_vectors
from geometry.hub import DataSetError
from geometry.hub import errors as hub
from geometry.vectors import VectorFileError
from geometry.vectors.errors import too_large
from pages.common.messages import error_text
from pages.common.words import in_language
from tests.for_each import for_each
from tests.vector_files import as_binary, as_text

in_chinese = in_language(error_text, "zh-Hant")
HAN = re.compile(r"[\u4e00-\u9fff]")
VECTORS = np.ones((3, 4), dtype=np.float32)
CUT = as_binary(["a", "b", "c"], VECTORS)[:-20]
FILES = {  # code: a file with this refusal, and the details that both languages quote
    "no_vectors": (b"hello\nworld\n", []),
    "ragged_row": (as_text(["a", "b"], VECTORS[:2]) + b"c 1 2 3\n", ["3", "4"]),
    "bad_number": (as_text(["a", "b"], VECTORS[:2]) + b"c 1 2 x 4 5\n", ["`x`"]),
    "truncated": (CUT, ["3"]),
    "damaged_file": (gzip.compress(as_text(["a", "b"], VECTORS[:2]))[:-10], ["gzip"]),
}


@for_each("code", FILES)
def test_a_refused_file_of_vectors(code):
    with pytest.raises(VectorFileError) as caught:
        read_vectors(FILES[code][0])
    assert caught.value.code == code
    english, chinese = error_text(caught.value), in_chinese(caught.value)
    assert HAN.search(chinese)
    assert "{" not in english + chinese
    for part in FILES[code][1]:
        assert part in english
        assert part in chinese


def test_a_table_that_is_too_large():
    error = too_large(2_000_000, 300, 500_000_000)
    for text in (error_text(error), in_chinese(error)):
        assert all(part in text for part in ("2,000,000", "300", "2,400 MB", "500 MB"))


SOME = Path("/data")
OF_DATA_SETS = {
    "no_network": hub.no_network("own/set", "https://hub", "no route", hub.DATA_SET),
    "unknown_name": hub.unknown_name("own/set", "https://hub", hub.DATA_SET),
    "gated": hub.gated("own/set", "https://hub", 401, hub.DATA_SET),
    "vanished_revision": hub.vanished_revision("own/set", "abc", hub.DATA_SET),
    "broken_transfer": hub.partly_there("own/set", "it broke", hub.DATA_SET),
    "no_disk": hub.no_disk("own/set", SOME, needed=9 * 10**6, free=10**6, kind=hub.DATA_SET),
    "disk_failed": hub.no_disk("own/set", SOME, needed=None, free=1, kind=hub.DATA_SET),
    "no_such_file": DataSetError("no_such_file", name="own/set", revision="abc", files=()),
}


@for_each("case", OF_DATA_SETS)
def test_a_data_set_that_cannot_be_downloaded(case):
    error = OF_DATA_SETS[case]
    assert isinstance(error, DataSetError)
    english, chinese = error_text(error), in_chinese(error)
    for text in (english, chinese):
        assert "`own/set`" in text
        assert "{" not in text
    assert english.endswith(
        "you can still use the project’s pairs and uploads."
    )  # an error as on an offline machine
    assert chinese.endswith("自行上傳的句對。")
    if case == "no_disk":
        assert "9 MB" in chinese
        assert "`/data`" in chinese


def test_pairs_that_are_no_json_or_of_another_scale():
    with pytest.raises(CorpusError) as caught:
        read_pairs(b'{"sentence1": "a"}\n{"x"\n', name="x.jsonl")
    assert caught.value.code == "bad_json"
    text = in_chinese(caught.value)
    assert text.startswith("第 2 行不是 JSON 物件。")
    assert '`{"sentence1": "…", "sentence2": "…", "score": 3.5}`' in text
    other = CorpusError("score_outside_scale", found=(0.0, 100.0), scale=(0, 5))
    assert "從 0 到 100" in in_chinese(other)
    assert "from 0 to 5" in error_text(other)
