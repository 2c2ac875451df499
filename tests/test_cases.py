"""Files rebuilt from public reports: page, shell and library recognise the same in each."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from geometry import Whitening, load_encoder
from geometry.commands.options import held
from geometry.data import read_corpus, read_pairs
from geometry.data.recognise import AS_FOUND
from geometry.errors import GeometryError
from geometry.evaluate import evaluate_words
from geometry.vectors import Recognised, read_vectors, recognise
from pages.your_corpus import form

# What each file holds, "?" for what is asked, or the code of its refusal
TABLE = """
01-cp950-eten texts: acer.txt one.txt plain.txt short-plain.txt
03-utf16-no-bom texts: en-le.txt zh-lines-be.txt
03-utf16-no-bom uncertain: zh-le.txt
04-tsv-stray-quotes pairs: pairs.tsv
04-tsv-stray-quotes texts: utterances.csv utterances.tsv
04-tsv-stray-quotes vectors: vectors.tsv
06-decimal-comma vectors: ABCD.csv eight.csv noheader.csv vectors.csv vectors.tsv
06-decimal-comma ?: vec-text.csv
06-decimal-comma pairs: pairs.csv
06-decimal-comma texts: thousands.csv weights.csv
08-metadata-single-header texts: metadata.tsv
08-metadata-single-header vectors: vectors.tsv
10-large-mean-pca vectors: two-points-1e+03.npy two-points-1e+06.npy
12-unit-variance vectors: x.npy
14-xlsx-wrong-dimension texts: huge.xlsx right.xlsx short-b3.xlsx wps-a1.xlsx
14-xlsx-wrong-dimension pairs: pairs-right.xlsx pairs-short-c4.xlsx
15-xlsx-formula-no-cache texts: formula.xlsx half-formula.xlsx
17-xlsx-merged-labels-errors texts: merged.xlsx
19-tab-as-word vectors: crawl.vec
20-header-count-one-too-many vectors: fewer.vec sub.vec
21-sparse-ppmi no_vectors: ppmi.word
23-openai-batch vectors: batch.jsonl dict.json lists.json
23-openai-batch vectors: records-pretty.json records.json response.json
23-openai-batch no_vectors: base64.jsonl
23-openai-batch texts: bool.jsonl
23-openai-batch ?: keys-bool.jsonl
24-json-array-corpus texts: columns.json pretty.json records.json
24-json-array-corpus bad_json: columns2.json
24-json-array-corpus pairs: pairs.json
26-glue-stsb pairs: dev-quotes.tsv dev.tsv test-00000-of-00001.parquet
27-semeval-sts-input-gs texts: STS.gs.MSRpar.txt STS.input.MSRpar.txt joined.txt
29-parquet-types vectors: fixed.parquet fixed16.parquet groups.parquet large_list.parquet
29-parquet-types vectors: list_decimal.parquet list_f64.parquet struct.parquet null_inside.parquet
29-parquet-types vectors: tensor_ext.parquet wide.parquet wide-int8.parquet empty.parquet
29-parquet-types texts: list_str.parquet nested.parquet xyz-confidence.parquet
29-parquet-types no_vectors: binary.parquet
29-parquet-types ?: list_int8.parquet
30-two-dimensional-vectors vectors: cloud2d.npy one-d.npy toy.npy
31-wide-table-with-integer-column vectors: all-empty-col.csv keys.jsonl one-int.csv sparse-col.csv
31-wide-table-with-integer-column vectors: one-int.parquet one-null.parquet
33-umap-small-and-duplicates vectors: four.npy half-identical.npy identical-100.npy
34-odd-texts texts: odd.txt
37-isoscore-partition-independent vectors: x-300-12.npy
38-sentence-without-known-word vectors: glove.txt
38-sentence-without-known-word pairs: pairs.csv
39-beir-neighbours texts: corpus.jsonl queries.jsonl
39-beir-neighbours queries: test.tsv
41-uppercase-extension texts: DATA.CSV
43-npy-variants-and-foreign-containers vectors: be.npy f16.npy fortran.npy longdouble.npy
43-npy-variants-and-foreign-containers vectors: data-00000-of-00001.arrow data.feather
43-npy-variants-and-foreign-containers no_vectors: 1d.npy 3d.npy n11d.npy struct.npy bool.npy
43-npy-variants-and-foreign-containers no_vectors: complex.npy zero-rows.npy dict.pt emb.pt
43-npy-variants-and-foreign-containers no_vectors: emb.pkl emb-p0.pkl faiss.index
45-delimiter-tie-comma-before-tab pairs: joined.csv joined.tsv joined.txt
45-delimiter-tie-comma-before-tab texts: places.csv
46-mixed-eol-nul-bom texts: bom-mid.txt double-bom.csv mixed.csv
46-mixed-eol-nul-bom binary: nul.csv
47-word-pairs-with-id-column ?: pku.txt
47-word-pairs-with-id-column vectors: vec.txt
47-word-pairs-with-id-column pairs: zh-pairs.csv
48-segmented-chinese-sentences pairs: pairs.csv
48-segmented-chinese-sentences vectors: vec.txt
"""
APART = (".xlsx", ".parquet", ".arrow", ".feather")  # another process reads them
CASES = [
    (f"{folder}/{name}", what)
    for folder, what, names in (
        line.replace(":", "", 1).split(" ", 2) for line in TABLE.split("\n") if line
    )
    for name in names.split()
]


def outcome(call: Callable[[], Recognised]) -> Recognised | GeometryError:
    try:
        return call()
    except GeometryError as error:
        return error


def said(found: Recognised | GeometryError) -> str:
    if isinstance(found, GeometryError):
        return found.code
    return found.holds if found.is_certain else "?"


def by_the_shell(path: Path) -> str:
    try:
        return held(path, AS_FOUND)
    except GeometryError as error:
        return "?" if error.because == "uncertain_holds" else error.code


class Uploaded(io.BytesIO):
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


def test_case_10():
    for offset in (0, 1e3, 1e4, 1e5, 1e6):
        X = np.array([[offset + 1, offset], [offset, offset + 1]], np.float32)
        np.testing.assert_allclose(np.abs(Whitening("pca").fit_transform(X)), 1, rtol=1e-4)
        direction = Whitening("pca").fit(X).components_[0]
        np.testing.assert_allclose(np.abs(direction), 0.5**0.5, rtol=1e-4)
        assert direction[0] * direction[1] < 0


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
