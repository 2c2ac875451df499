"""Messages of refused files and data sets in the reader's language: all codes and numbers."""

import gzip
import re

import numpy as np
import pytest

from geometry import CorpusError, read_pairs, read_vectors
from geometry.hub import DataSetError
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


ABOUT = {
    "name": "own/set",
    "endpoint": "https://hub",
    "page": "https://hub/datasets/own/set",
    "status": 401,
    "reason": "it broke",
    "revision": "abc",
    "file": "its files",
    "files": (),
    "folder": "/data",
    "needed": 9 * 10**6,
    "free": 10**6,
}
OF_DATA_SETS = {
    **dict.fromkeys(("no_network", "unknown_name", "gated", "vanished_revision", "no_disk")),
    "broken_transfer": "half_downloaded",
    "disk_failed": "no_disk",
    "no_such_file": None,
}


@for_each("case", OF_DATA_SETS)
def test_a_data_set_that_cannot_be_downloaded(case):
    code = OF_DATA_SETS[case]
    error = DataSetError(code or case, because=case if code else None, **ABOUT)
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
