"""Files rebuilt from public reports: page, shell and library recognise the same in each."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from geometry import Whitening, load_encoder
from geometry.commands.options import held
from geometry.data import CorpusError, read_corpus, read_pairs
from geometry.data.recognise import AS_FOUND
from geometry.errors import GeometryError
from geometry.evaluate import evaluate_words
from geometry.evaluate.bootstrap import checked_gold
from geometry.vectors import Recognised, read_vector_set, read_vectors, recognise
from pages.your_corpus import form

# What each file holds, "?" for what is asked, or the code of its refusal.
TABLE = {
    "01-cp950-eten": dict.fromkeys(
        ("acer.txt", "one.txt", "plain.txt", "short-plain.txt"), "texts"
    ),
    "03-utf16-no-bom": {
        "en-le.txt": "texts",
        "zh-le.txt": "uncertain",
        "zh-lines-be.txt": "texts",
    },
    "04-tsv-stray-quotes": {
        "pairs.tsv": "pairs",
        "utterances.csv": "texts",
        "utterances.tsv": "texts",
        "vectors.tsv": "vectors",
    },
    "06-decimal-comma": {
        **dict.fromkeys(("ABCD.csv", "eight.csv", "noheader.csv"), "vectors"),
        **dict.fromkeys(("vectors.csv", "vectors.tsv"), "vectors"),
        "vec-text.csv": "?",
        "pairs.csv": "pairs",
        **dict.fromkeys(("thousands.csv", "weights.csv"), "texts"),
    },
    "08-metadata-single-header": {"metadata.tsv": "texts", "vectors.tsv": "vectors"},
    "10-large-mean-pca": {f"two-points-1e+0{i}.npy": "vectors" for i in range(3, 7)},
    "12-unit-variance": {"x.npy": "vectors"},
    "14-xlsx-wrong-dimension": {
        **dict.fromkeys(("huge.xlsx", "right.xlsx", "short-b3.xlsx", "wps-a1.xlsx"), "texts"),
        **dict.fromkeys(("pairs-right.xlsx", "pairs-short-c4.xlsx"), "pairs"),
    },
    "15-xlsx-formula-no-cache": dict.fromkeys(("formula.xlsx", "half-formula.xlsx"), "texts"),
    "17-xlsx-merged-labels-errors": {"merged.xlsx": "texts"},
    "19-tab-as-word": {"crawl.vec": "vectors"},
    "20-header-count-one-too-many": dict.fromkeys(("fewer.vec", "sub.vec"), "vectors"),
    "21-sparse-ppmi": {"ppmi.word": "no_vectors"},
    "23-openai-batch": {
        **dict.fromkeys(("batch.jsonl", "dict.json", "lists.json"), "vectors"),
        **dict.fromkeys(("records-pretty.json", "records.json", "response.json"), "vectors"),
        "base64.jsonl": "no_vectors",
        "bool.jsonl": "texts",
        "keys-bool.jsonl": "?",
    },
    "24-json-array-corpus": {
        **dict.fromkeys(("columns.json", "pretty.json", "records.json"), "texts"),
        "columns2.json": "bad_json",
        "pairs.json": "pairs",
    },
    "26-glue-stsb": dict.fromkeys(
        ("dev-quotes.tsv", "dev.tsv", "test-00000-of-00001.parquet"), "pairs"
    ),
    "27-semeval-sts-input-gs": dict.fromkeys(
        ("STS.gs.MSRpar.txt", "STS.input.MSRpar.txt", "joined.txt"), "texts"
    ),
    "29-parquet-types": {
        **{f"{name}.parquet": "vectors" for name in ("fixed", "fixed16", "groups", "large_list")},
        **{f"{name}.parquet": "vectors" for name in ("list_decimal", "list_f64", "struct")},
        **{f"{name}.parquet": "vectors" for name in ("null_inside", "tensor_ext", "wide")},
        **{f"{name}.parquet": "vectors" for name in ("wide-int8", "empty")},
        **{f"{name}.parquet": "texts" for name in ("list_str", "nested", "xyz-confidence")},
        "binary.parquet": "no_vectors",
        "list_int8.parquet": "?",
    },
    "30-two-dimensional-vectors": dict.fromkeys(("cloud2d.npy", "one-d.npy", "toy.npy"), "vectors"),
    "31-wide-table-with-integer-column": dict.fromkeys(
        (
            *("all-empty-col.csv", "keys.jsonl", "one-int.csv", "one-int.parquet"),
            *("one-null.parquet", "sparse-col.csv"),
        ),
        "vectors",
    ),
    "33-umap-small-and-duplicates": dict.fromkeys(
        ("four.npy", "half-identical.npy", "identical-100.npy"), "vectors"
    ),
    "34-odd-texts": {"odd.txt": "texts"},
    "37-isoscore-partition-independent": {"x-300-12.npy": "vectors"},
    "38-sentence-without-known-word": {"glove.txt": "vectors", "pairs.csv": "pairs"},
    "39-beir-neighbours": {
        "corpus.jsonl": "texts",
        "queries.jsonl": "texts",
        "test.tsv": "queries",
    },
    "41-uppercase-extension": {"DATA.CSV": "texts"},
    "43-npy-variants-and-foreign-containers": {
        **dict.fromkeys(("be.npy", "f16.npy", "fortran.npy", "longdouble.npy"), "vectors"),
        **dict.fromkeys(("data-00000-of-00001.arrow", "data.feather"), "vectors"),
        **dict.fromkeys(("1d.npy", "3d.npy", "n11d.npy", "struct.npy"), "no_vectors"),
        **dict.fromkeys(("bool.npy", "complex.npy", "zero-rows.npy"), "no_vectors"),
        **dict.fromkeys(("dict.pt", "emb.pt", "emb.pkl", "emb-p0.pkl"), "no_vectors"),
        "faiss.index": "no_vectors",
    },
    "45-delimiter-tie-comma-before-tab": {
        **dict.fromkeys(("joined.csv", "joined.tsv", "joined.txt"), "pairs"),
        "places.csv": "texts",
    },
    "46-mixed-eol-nul-bom": {
        **dict.fromkeys(("bom-mid.txt", "double-bom.csv", "mixed.csv"), "texts"),
        "nul.csv": "binary",
    },
    "47-word-pairs-with-id-column": {"pku.txt": "?", "vec.txt": "vectors", "zh-pairs.csv": "pairs"},
    "48-segmented-chinese-sentences": {"pairs.csv": "pairs", "vec.txt": "vectors"},
}
APART = (".xlsx", ".parquet", ".arrow", ".feather")  # another process reads them
CASES = [
    (f"{folder}/{name}", what) for folder, files in TABLE.items() for name, what in files.items()
]


def outcome(call: Callable[[], Recognised]) -> Recognised | GeometryError:
    try:
        return call()
    except GeometryError as error:
        return error


def said(found: Recognised | GeometryError) -> str:
    """A word of TABLE."""
    if isinstance(found, GeometryError):
        return found.code
    return found.holds if found.is_certain else "?"


def by_the_shell(path: Path) -> str:
    try:
        return held(path, AS_FOUND)
    except GeometryError as error:
        return "?" if error.because == "uncertain_holds" else error.code


class Uploaded(io.BytesIO):
    """A file as a page has it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.read_bytes())
        self.name = path.name


@pytest.mark.parametrize(
    ("name", "expected"),
    [pytest.param(*each, marks=[pytest.mark.slow] * each[0].endswith(APART)) for each in CASES],
)
def test_page_shell_and_library_recognise_the_same(case, monkeypatch, name, expected):
    path = case(name)
    found = outcome(lambda: recognise(path))
    assert said(found) == expected

    def again(file: Path, **_: object) -> Recognised:  # the shell's and the page's way to it
        assert file == path or file.getvalue() == path.read_bytes()
        if isinstance(found, GeometryError):
            raise found
        return found

    monkeypatch.setattr("geometry.vectors.recognise", again)
    monkeypatch.setattr(form, "read_upload", lambda read, file: again(file))
    assert by_the_shell(path) == expected
    assert said(outcome(lambda: form.recognised_upload(Uploaded(path)))) == expected


# ---- the right values of cases that no other file has ----


def test_case_08(case):
    folder = "08-metadata-single-header"
    found = read_vector_set(
        case(f"{folder}/vectors.tsv"), metadata=case(f"{folder}/metadata.tsv"), text_column="unit"
    )
    assert found.texts == ("alpha", "beta", "gamma", "delta")


def test_case_10():
    for offset in (0, 1e3, 1e4, 1e5, 1e6):
        X = np.array([[offset + 1, offset], [offset, offset + 1]], np.float32)
        np.testing.assert_allclose(np.abs(Whitening("pca").fit_transform(X)), 1, rtol=1e-4)
        direction = Whitening("pca").fit(X).components_[0]
        np.testing.assert_allclose(np.abs(direction), 0.5**0.5, rtol=1e-4)
        assert direction[0] * direction[1] < 0


def test_case_12(case):
    X = np.load(case("12-unit-variance/x.npy"))
    np.testing.assert_allclose(Whitening("pca").fit_transform(X).var(axis=0), 1, atol=1e-6)


def test_cases_19_and_20(case):
    assert len(read_vectors(case("19-tab-as-word/crawl.vec")).words) == 5
    report = read_vectors(case("20-header-count-one-too-many/sub.vec")).report
    assert report is not None
    assert (report.n_stated, report.n_rows) == (6, 5)


def test_cases_26_and_27(case):
    folder = "26-glue-stsb"
    for name in ("dev.tsv", "dev-quotes.tsv"):
        assert len(read_pairs(case(f"{folder}/{name}"))) == 10
    columns = ("sentence1", "sentence2", "label")
    same = read_pairs(case(f"{folder}/test-00000-of-00001.parquet"), columns=columns)
    with pytest.raises(CorpusError):
        checked_gold(same.gold_scores)
    with pytest.raises(CorpusError):
        read_pairs(case("27-semeval-sts-input-gs/STS.input.MSRpar.txt"))


def test_case_34(case):
    texts = read_corpus(case("34-odd-texts/odd.txt")).texts
    for pooling in ("mean", "cls", "max"):
        assert np.isfinite(load_encoder().encode(texts, pooling=pooling)).all()


def test_case_38(case):
    folder = "38-sentence-without-known-word"
    table = read_vectors(case(f"{folder}/glove.txt"))
    scored = evaluate_words(table, read_pairs(case(f"{folder}/pairs.csv")), treatments=("none",))
    assert scored.n_left_out == 1
    (cell,) = scored.grid.cells
    assert cell.score.spearman == pytest.approx(0.9, abs=5e-5)
