"""The reader's own texts, vectors, pairs and sheets: pasted, uploaded, or on the server."""

import io
import re

import numpy as np
import openpyxl
import pyarrow as pa
import pytest
from pyarrow import parquet
from streamlit.testing.v1 import AppTest

from geometry import CorpusError, mean_cosine, read_bundled
from geometry.data.corpus import read_pasted
from geometry.data.limits import LIMITS
from geometry.data.translations import catalogue
from geometry.evaluate import published_tables
from pages.common import reading, words
from pages.common.messages import error_text
from pages.your_corpus.server_files import server_file, server_files, server_runs
from tests.for_each import for_each
from tests.pages.twins import twin_clouds
from tests.pages.visits import everything, healthy, new_visit
from tests.scale.shards import cloud, write_run
from tests.sentences import sentence
from tests.vector_files import workbook_of

N, D = 60, 8
X = np.random.default_rng(0).standard_normal((N, D)).astype(np.float32) + 1


def npy(array: np.ndarray) -> bytes:
    written = io.BytesIO()
    np.save(written, array)
    return written.getvalue()


PASTED = "The kettle is on.\n\nWhy is the night sky dark?\nRain fell.\nThe kettle is on.\n"


def visit(language: str = "en", **query: str) -> AppTest:
    return healthy(new_visit("your_corpus", lang=language, **query).run())


def give(at: AppTest, name: str | None, content: str | bytes | None) -> None:
    """Paste texts, or upload a file; None is one that is too large."""
    if name is None:
        at.text_area(key="pasted").set_value(content)
        at.button(key="use_pasted").click().run()
    else:
        at.get("file_uploader")[0].upload(name, content or bytes(LIMITS.file_bytes + 1)).run()


def given(name: str, content: bytes) -> AppTest:
    """The page after an upload, without drawing a picture."""
    at = visit(source="upload")
    give(at, name, content)
    return healthy(at)


def used(at: AppTest, button: str, store: str) -> object:
    """The data that the button stores in the session."""
    healthy(at.button(key=button).click().run())
    return list(at.session_state[store].values())[-1]


def errors(at: AppTest) -> list[str]:
    """Errors on screen, without the hidden ones for files that the browser refuses."""
    return [box.value for box in at.error if "50 MB" not in box.value and "500 MB" not in box.value]


def of_file(at: AppTest, name: str) -> str:
    """The key of a control of the file that is shown."""
    return name.format(at.session_state["file-shown"])


def test_vectors_with_metadata_become_the_cloud_of_the_pages():
    at = given("own.npy", npy(X))
    rows = "word\ttag\n" + "".join(f"<b>w{i}</b>\t{'ab'[i % 2]}\n" for i in range(N))
    at.get("file_uploader")[1].upload("metadata.tsv", rows.encode())
    healthy(at.run())
    assert not errors(at)
    text, label = at.main.selectbox
    assert (text.value, label.value, label.options) == ("word", "tag", ["tag"])
    assert f"{N} vectors of {D} numbers ready." in everything(at)
    found = used(at, "use_vectors", "vector-uploads")
    np.testing.assert_array_equal(found.vectors, X)
    assert found.texts[1] == "<b>w1</b>"
    assert found.labels == ("a", "b") * (N // 2)
    assert not at.session_state["file-rows"]  # folded, so that the result is visible
    assert "“own” is chosen in the sidebar" in "".join(box.value for box in at.success)


def test_rows_with_nan_stop_until_their_reader_leaves_them_out():
    bad = X.copy()
    bad[[2, 8], 1] = np.nan
    bad[5] = 0
    at = given("own.npy", npy(bad))
    [error] = errors(at)
    assert sentence("vectors", "not_finite", n="2", rows="`3`, `9`").search(error)
    assert "vector-uploads" not in at.session_state
    at.main.toggle(of_file(at, "drop-{}")).set_value(True)
    healthy(at.run())
    assert not errors(at)
    assert "or infinity: 2 (number 3, 9)" in everything(at)
    assert "Rows of zeros" in everything(at)
    assert len(used(at, "use_vectors", "vector-uploads")) == N - 2


@pytest.fixture
def read_apart(monkeypatch) -> list[str]:
    """The functions that read a file in another process, in their order."""
    calls: list[str] = []

    def noted(limits, call, report):
        calls.append(call.func.__name__)
        return call()

    monkeypatch.setattr(reading, "AT_ONCE", 0)
    monkeypatch.setattr(reading, "run", noted)
    return calls


def test_a_file_beyond_memory_is_sampled_in_one_reading_and_says_what_fits(operator, read_apart):
    """Its rows are counted for its dimension, and the numbers of all rows are exact."""
    operator("[uploads]\ntable_megabytes = 1")
    many = np.random.default_rng(1).standard_normal((40_000, D)).astype(np.float32) + 1
    at = given("own.npy", npy(many))
    assert not errors(at)
    assert read_apart == ["read_vector_set"]
    text = everything(at)
    assert "each vector has 8 numbers. At most 31,250 of them are kept" in text
    assert "The file has 40,000 vectors, more than the limit of 31,250 with 8 numbers" in text
    assert "A random sample: 31,250 of 40,000, seed 0." in text
    at.main.number_input(of_file(at, "sample-{}-size")).set_value(900)
    at.main.number_input(of_file(at, "sample-{}-seed")).set_value(7)
    healthy(at.run())
    assert read_apart == ["read_vector_set"] * 2
    found = used(at, "use_vectors", "vector-uploads")
    report = found.report
    assert (len(found), report.n_sampled, report.n_rows, report.seed) == (900, 900, 40_000, 7)
    np.testing.assert_allclose(report.whole.mean, many.mean(axis=0, dtype=float), rtol=1e-6)
    np.testing.assert_allclose(report.whole.covariance, np.cov(many.T, bias=True), atol=1e-6)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("own.csv", "text,n\na b,1\nc d,2\n".encode("utf-16")),
        ("own.json", b'[{"text": "a b"}, {"text": "c d"}]'),
        ("own.jsonl", b'{"text": "' + b"a" * 250_000 + b'"}\n{"text": "c d"}\n'),
    ],
)
def test_a_file_that_is_recognised_as_a_whole_is_not_read_while_its_page_is_drawn(
    name, content, read_apart
):
    at = given(name, content)
    assert not errors(at)
    assert read_apart[0] == "recognise"
    assert "2 texts ready" in everything(at)


def held(at: AppTest) -> list[str]:
    """The names of the files in the first uploader."""
    file = at.get("file_uploader")[0].value
    return [] if file is None else [file.name]


@for_each(
    ("name", "content", "said"),
    [
        ("own.csv", b"\x89PNG\r\n\x1a\n" + bytes(99), str(CorpusError("binary", kind="PNG image"))),
        ("own.txt", b"One.", str(CorpusError("too_few_texts", limit=2))),
        ("own.npy", npy(X)[:-9], "NumPy array"),
        ("own.parquet", b"PAR1" + bytes(99) + b"PAR1", "Parquet"),
    ],
)
def test_a_refused_file_leaves_the_box_and_its_refusal_stays(name, content, said):
    at = given(name, content)
    [error] = errors(at)
    assert error.startswith(f"{name}: ")
    assert said in error
    assert held(at) == []
    assert at.sidebar.selectbox(key="corpus").value == "topics"
    assert errors(healthy(at.run())) == [error]
    at.get("file_uploader")[0].upload("next.npy", npy(X))
    healthy(at.run())
    assert (errors(at), held(at)) == ([], ["next.npy"])
    assert f"{N} vectors of {D} numbers ready." in everything(at)


def test_a_file_that_is_asked_about_or_refused_by_a_choice_stays():
    at = given("own.csv", b"ab,cd;ef\ngh,ij;kl\nmn,op;qr\n")
    assert "Choose the delimiter" in errors(at)[0]
    assert held(at) == ["own.csv"]
    at = given("own.csv", b"text,empty\n" + b"a b,\nc d,\ne f,\n")
    healthy(at.main.selectbox(of_file(at, "text-{}")).select("empty").run())
    assert errors(at)
    assert held(at) == ["own.csv"]


def test_a_file_leaves_the_box_when_its_vectors_are_used():
    at = given("own.npy", npy(X))
    assert held(at) == ["own.npy"]
    assert len(used(at, "use_vectors", "vector-uploads")) == N
    assert (held(at), errors(at)) == ([], [])


def test_a_workbook_with_two_sheets_offers_both(real_uploads):
    book = openpyxl.Workbook()
    for title in ("first", "second"):
        sheet = book.create_sheet(title)
        for row in (["text"], *([f"{title} text {i}"] for i in range(3))):
            sheet.append(row)
    del book["Sheet"]
    sink = io.BytesIO()
    book.save(sink)
    at = given("own.xlsx", sink.getvalue())
    healthy(at.main.toggle(of_file(at, "how-{}")).set_value(True).run())
    box = at.main.selectbox(of_file(at, "sheet-{}"))
    assert box.options == ["first", "second"]
    healthy(box.select("second").run())
    assert used(at, "use_file", "uploads").texts[0] == "second text 0"


def test_a_table_with_a_score_is_a_set_of_pairs():
    content = "sentence1,sentence2,score\n" + "".join(f"a {i},b {i},{i}\n" for i in range(30))
    at = given("own.csv", content.encode())
    assert at.session_state[of_file(at, "kind-{}")] == "pairs"
    assert not errors(at)
    pairs = used(at, "use_pairs", "pair-uploads")
    assert pairs.left[2] == "a 2"
    assert (
        at.session_state["left-pages"]["sentence_similarity"]["pairs"]
        in at.session_state["pair-uploads"]
    )
    assert any("chosen on Sentence similarity" in box.value for box in at.success)


def test_a_sheet_is_sampled_split_and_weighted(operator, monkeypatch):
    monkeypatch.setattr("pages.your_corpus.result.make_scene", lambda *given: None)
    operator("[uploads]\nrows = 40")
    rows = [("text", "weight"), *((f"Kettle {i}. It is on.", i + 1) for i in range(50))]
    at = given("own.xlsx", workbook_of(rows))
    assert str(CorpusError("too_many_texts", n=50, limit=40)) in errors(at)[0]
    at.main.toggle(of_file(at, "sample-texts-{}")).set_value(True)
    at.main.toggle(of_file(at, "sentences-{}")).set_value(True)
    at.main.selectbox[-1].set_value("weight")
    healthy(at.run())
    assert not errors(at)
    assert "A random sample: 40 of 100, seed 0." in everything(at)
    corpus = used(at, "use_file", "uploads")
    assert all(text.endswith(".") and ". " not in text for text in corpus.texts)
    assert corpus.weights[-1] <= 50


def test_a_file_of_the_server_is_read_only_under_a_folder_that_is_allowed(operator, tmp_path):
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    lists = pa.array(list(X), pa.list_(pa.float32()))
    parquet.write_table(pa.table({"e": lists, "tag": ["a"] * N}), allowed / "own.parquet")
    (tmp_path / "secret.npy").write_bytes(npy(X))
    (allowed / "link.npy").symlink_to(tmp_path / "secret.npy")
    operator("")
    assert not server_files()
    at = healthy(new_visit("your_corpus", source="server").run())
    assert at.session_state["source"] == "paste"
    operator(f"[uploads]\nfolders = ['{allowed}']")
    assert list(server_files()) == ["allowed/own.parquet"]
    at = healthy(new_visit("your_corpus", source="server").run())
    at.selectbox(key="server-file").set_value("allowed/own.parquet")
    healthy(at.run())
    assert not errors(at)
    at.number_input(of_file(at, "sample-{}-size")).set_value(20)
    healthy(at.run())
    assert "A random sample: 20 of 60, seed 0." in everything(at)
    assert len(used(at, "use_vectors", "vector-uploads")) == 20


def test_the_app_begins_with_the_file_that_it_was_started_with(tmp_path, monkeypatch):
    (tmp_path / "own.npy").write_bytes(npy(X))
    (tmp_path / "other.npy").write_bytes(npy(X))
    monkeypatch.setenv("NARROW_CONE_FILE", str(tmp_path / "own.npy"))
    at = healthy(new_visit("your_corpus").run())
    assert at.session_state["source"] == "server"
    assert at.selectbox(key="server-file").value == "own.npy"
    assert not errors(at)
    assert list(server_files()) == ["own.npy"]  # nothing beside it
    assert server_file("other.npy") is None


def test_folders_of_one_name_are_listed_apart_and_once_in_a_while(operator, tmp_path, monkeypatch):
    for side in ("left", "right"):
        folder = tmp_path / side / "data"
        folder.mkdir(parents=True)
        (folder / "own.csv").write_text("a,b\n1,2\n")
    elsewhere = tmp_path / "elsewhere"
    write_run(elsewhere, [cloud(4)])
    run = tmp_path / "left" / "data" / "run"
    run.mkdir()
    (run / "manifest.json").write_bytes((elsewhere / "manifest.json").read_bytes())
    (run / "shards").symlink_to(elsewhere / "shards")
    operator(f"[uploads]\nfolders = ['{tmp_path}/left/data', '{tmp_path}/right/data']")
    assert set(server_files()) == {f"{tmp_path}/{side}/data/own.csv" for side in ("left", "right")}
    assert not server_runs()  # its shards are outside the allowed folder
    monkeypatch.setattr("os.walk", lambda *given: pytest.fail("the folders were walked again"))
    assert len(server_files()) == 2
    gone = tmp_path / "left" / "data" / "own.csv"
    gone.unlink()
    assert server_file(f"{gone}") is None


def test_a_finished_run_is_opened_measured_and_its_whitening_taken_home(operator, tmp_path):
    parts = [cloud(40), cloud(50, seed=1)]
    write_run(tmp_path / "allowed" / "run", parts)
    operator(f"[uploads]\nfolders = ['{tmp_path / 'allowed'}']")
    at = healthy(new_visit("your_corpus", source="server").run())
    assert at.selectbox(key="server-file").options == ["allowed/run"]
    at.selectbox(key="server-file").set_value("allowed/run")
    healthy(at.run())
    assert "90 vectors of 12 numbers" in everything(at)
    [toggle] = [box for box in at.toggle if box.label == "Measure all rows"]
    healthy(toggle.set_value(True).run())
    rows = np.vstack(parts)
    assert f"| mean cosine of pairs | {mean_cosine(rows):.3f} | 90 |" in everything(at)
    [fit] = [box for box in at.selectbox if box.label == "Whitening of all rows"]
    healthy(fit.set_value("zca").run())
    assert "Fitted on 90 rows." in everything(at)
    at.number_input[0].set_value(60)
    healthy(at.button(key="use_run").click().run())
    [vectors] = at.session_state["vector-uploads"].values()
    assert len(vectors) == 60
    assert at.session_state["corpus"] in at.session_state["vector-uploads"]
    assert "n = 60 vectors" in everything(at)


def test_an_example_is_filled_in_and_can_be_used():
    app = healthy(new_visit("your_corpus").run())
    healthy(app.button(key="fill-example").click().run())
    texts = read_bundled("topics").texts
    lines = app.text_area(key="pasted").value.splitlines()
    assert len({*lines}) == 200
    assert {*lines} < {*texts}
    healthy(app.button(key="use_pasted").click().run())
    [own] = app.session_state["uploads"].values()
    assert list(own.texts) == lines


@pytest.mark.model
def test_pasted_lines_become_the_corpus_of_every_page():
    at = visit("zh-Hant")
    give(at, None, PASTED)
    assert not errors(healthy(at))
    code = at.session_state["corpus"]
    corpus = at.session_state["uploads"][code]
    assert corpus.texts == read_pasted(PASTED).texts
    assert at.selectbox(key="corpus").value == code
    assert [metric.value for metric in at.metric[1:]] == ["4", "1", "1", "0", "0.0%"]
    assert len(twin_clouds(at)) == 1
    assert at.text_area(key="pasted").value == PASTED


@pytest.mark.model
def test_a_table_offers_its_columns_and_the_labels_colour_the_picture():
    rows = "".join(f"{i},The kettle number {i} is on.,{'ab'[i % 2]}\n" for i in range(6))
    at = given("kettles.csv", f"id,sentence,kind\n{rows}".encode())
    assert not errors(at)
    text, label, weight = at.main.selectbox
    assert (text.value, label.value, weight.options) == ("sentence", "kind", ["id"])
    assert text.options == ["id", "sentence", "kind"]
    assert label.options == ["id", "kind"]
    assert at.session_state["file-rows"]
    at.button(key="use_file").click().run()
    healthy(at)
    assert not at.session_state["file-rows"]  # folded, so that the result is visible
    corpus = at.session_state["uploads"][at.session_state["corpus"]]
    assert corpus.name == "kettles"
    assert corpus.labels == ("a", "b") * 3
    assert any("not enough data to say whether a cure helps" in box.value for box in at.markdown)


def test_the_reader_may_choose_another_column_and_deny_the_header():
    at = given("a.csv", b"text,other\nOne kettle.,Ein Kessel.\nTwo kettles.,Zwei Kessel.\n")
    at.main.selectbox[0].set_value("other").run()
    assert not errors(at)
    assert any("2 texts ready" in caption.value for caption in at.main.caption)
    at.main.toggle[0].set_value(True).run()  # how the file is read
    box = next(box for box in at.main.selectbox if box.label == "First row")
    box.select("a row as any other").run()
    assert not errors(healthy(at))
    assert any("3 texts ready" in caption.value for caption in at.main.caption)


def test_a_column_of_numbers_is_not_taken_without_a_warning():
    at = given("a.csv", b"id,text\n1,One kettle.\n2,Two kettles.\n3,Three.\n")
    assert not any("no letters" in box.value for box in at.warning)
    at.main.selectbox[0].set_value("id").run()
    assert not errors(at)
    assert any("3 of 3 texts have no letters" in box.value for box in at.warning)


def test_what_a_file_holds_is_asked_where_it_is_not_clear():
    at = given("a.csv", b"text,d0,d1\na,0.5,0.25\nb,1.5,2.5\nc,2.5,3.5\n")
    assert at.main.segmented_control[-1].value is None
    assert any("It is not clear" in box.value for box in at.info)


def test_own_data_are_listed_and_can_be_deleted(monkeypatch):
    monkeypatch.setattr("pages.your_corpus.result.make_scene", lambda *given: None)
    at = visit()
    give(at, None, PASTED)
    code = at.session_state["corpus"]
    assert any("Yours: Pasted texts (4)" in block.value for block in at.main.markdown)
    at.button(key=f"delete-{code}").click().run()
    healthy(at)
    assert at.session_state["uploads"] == {}
    assert at.selectbox(key="corpus").value == "topics"
    assert not any("Yours" in block.value for block in at.main.markdown)


@for_each(
    ("name", "content", "error"),
    [  # tests/data has every refusal, test_errors every sentence
        (None, " \n\n  ", CorpusError("empty", limit=2)),
        (
            None,
            "a\n" * (LIMITS.rows + 1),
            CorpusError("too_many_texts", n=LIMITS.rows + 1, limit=LIMITS.rows),
        ),
        (
            "a.csv",
            b"text,n\n" + b"a,1\n" * 9 + b"b\n",
            CorpusError("uneven_row", line=11, n=1, expected=2),
        ),
        ("a.txt", None, CorpusError("too_many_bytes", limit=LIMITS.file_bytes)),
    ],
)
def test_a_refusal_is_shown_and_the_page_goes_on(monkeypatch, name, content, error):
    monkeypatch.setattr("pages.your_corpus.result.make_scene", lambda *given: None)
    at = visit("zh-Hant", source="paste" if name is None else "upload")
    give(at, name, content)
    healthy(at)
    said = words.in_language(error_text, "zh-Hant")(error)
    assert sum(said in box.value for box in at.error) == 1
    assert at.session_state["corpus"] == "topics"
    if name is None:
        assert at.text_area(key="pasted").value == content
    assert at.subheader[-1].value == catalogue("zh-Hant").gettext("Limits")


@pytest.mark.model
@pytest.mark.parametrize("n", [20, 60])
def test_the_page_ends_in_a_sentence_about_the_corpus(n):
    texts = [f"The {noun} number {i} is on." for i in range(n // 2) for noun in ("kettle", "moon")]
    at = visit()
    give(at, None, "\n".join(texts))
    [said] = [each.value for each in at.main.markdown if "of two different texts" in each.value]
    value = at.metric[0].value
    assert value in said
    [helps] = [line.value for line in at.main.markdown if "whether a cure helps,**" in line.value]
    assert "a table with a label for each text" in helps  # there are no labels
    if n < 40:
        assert "Not enough data" in said
    else:
        assert re.search(rf"A narrow cone: .*{value} \[0\.\d+, 0\.\d+\]", said)
        assert "The corpus Topics, of twelve subjects, has 0.5" in said


def test_a_failed_encoding_is_shown_and_the_page_goes_on(monkeypatch):
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("pages.your_corpus.result.encode_corpus", fail)
    at = visit()
    give(at, None, PASTED)
    healthy(at)
    assert "A library failed" in errors(at)[0]
    assert at.session_state["corpus"].startswith("upload-")


def test_the_operator_s_limits_apply_on_the_page_and_are_stated(operator):
    operator("[uploads]\nrows = 3\ncolumns = 2\nfile_megabytes = 1\n")
    at = visit()
    give(at, None, "a\nb\nc\nd\n")
    assert any("limit is 3" in said for said in errors(at))
    at = visit(source="upload")
    assert any("At most 3 rows, 2 columns" in caption.value for caption in at.caption)
    assert "at most 1 MB" in at.get("file_uploader")[0].label
    at.get("file_uploader")[0].upload("a.csv", b"text,b,c\na b,1,2\nc d,3,4\n").run()
    healthy(at)
    assert any("more columns than the limit of 2" in box.value for box in at.error)


def test_a_text_that_was_shortened_is_counted(monkeypatch):
    monkeypatch.setattr("pages.your_corpus.result.make_scene", lambda *given: None)
    at = visit()
    give(at, None, "a b " * 30_000 + "\nshort\n")
    assert any("100,000 characters: 1 texts" in warning.value for warning in at.warning)


@for_each("lang", ["en", "zh-Hant"])
def test_the_claim_quotes_the_published_input_layers(lang):
    """Ethayarajh (2019) claims it for all layers; his input layers differ by model."""
    text = (
        (words.TEXT / lang / "your_corpus.md")
        .read_text(encoding="utf-8")
        .split("<!-- limits -->")[0]
    )
    tables = {table.key: table for table in published_tables()}
    for model in ("elmo", "bert", "gpt2"):
        [values] = tables[f"ethayarajh_{model}"].rows.values()
        assert re.search(rf"(?<!\d)0?{f'{values[0]:.3f}'.lstrip('0')}(?!\d)", text), (model, values)
    assert not re.search("but the input|輸入層以外", text)
