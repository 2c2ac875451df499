"""Uploaded and pasted texts become the corpus of every page."""

import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.clouds import wait_for_clouds
from tests.browser.screen import (
    assert_no_exception,
    canvas_not_blank,
    open_app,
    rerun,
    wait_for_app,
)
from tests.browser.server import AppServer
from tests.data.bombs import ATTEMPTS as BOMBS

SENTENCES = [f"The {noun} is {state}." for noun in ("kettle", "sky", "road", "tea", "cat", "river")
             for state in ("cold", "old", "near", "quiet", "dark")]  # fmt: skip
PNG = b"\x89PNG\r\n\x1a\n" + bytes(500)
PICTURE = ".st-key-own_cloud canvas.twin-points"


def choose_upload(page: Page) -> None:
    with rerun(page):
        page.locator(".st-key-source button").nth(1).click()


def upload(page: Page, path: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.locator(
            '[class*="st-key-corpus_file"] [data-testid="stFileUploaderDropzone"] button'
        ).last.click()
    with rerun(page):
        chooser.value.set_files(path)


def error_on_screen(page: Page) -> Locator:
    return page.locator('[data-testid="stAlert"]:visible').filter(
        has=page.locator('[data-testid="stAlertContentError"]')
    )


def use(page: Page, key: str = "use_file") -> None:
    with rerun(page):
        page.locator(f".st-key-{key} button").click()


def assert_drawn(page: Page) -> None:
    assert_no_exception(page)
    page.locator(PICTURE).first.scroll_into_view_if_needed()
    assert canvas_not_blank(page.locator(PICTURE).first)


def open_report(page: Page, offline: Page, folder: Path) -> None:
    """Download the diagnosis and open the file on a page that has no network."""
    button = page.locator(".st-key-take-report button")
    button.scroll_into_view_if_needed()
    with page.expect_download() as waiting:
        button.click()
    waiting.value.save_as(folder / "diagnosis.html")
    requests: list[str] = []
    offline.on("request", lambda request: requests.append(request.url))
    offline.context.set_offline(True)
    offline.goto((folder / "diagnosis.html").as_uri())
    offline.context.set_offline(False)
    assert len(requests) == 1  # the file itself
    assert offline.locator("svg[role=img]").count() >= 2
    assert offline.locator("svg").first.bounding_box()["width"] > 200


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "kettles.csv"
    rows = [f"{i},{text},{'ab'[i % 2]}\n" for i, text in enumerate(SENTENCES)]
    path.write_text("id,sentence,kind\n" + "".join(rows), encoding="utf-8")
    return path


@pytest.mark.slow
def test_refused_files_then_a_table_a_picture_another_page_and_a_reload(
    page: Page, new_page: Callable[..., Page], server: AppServer, table: Path, tmp_path: Path
):
    fake = tmp_path / "photo.csv"
    fake.write_bytes(PNG)
    open_app(page, server.page_url("your_corpus"))
    choose_upload(page)
    upload(page, fake)
    expect(error_on_screen(page)).to_contain_text(
        "This is not a text file. It looks like a PNG image"
    )
    expect(page.locator(".st-key-corpus input")).to_have_value("Topics, English (1,224)")
    upload(page, table)
    expect(error_on_screen(page)).to_have_count(0)
    expect(page.get_by_text("30 texts ready; lines without text, left out: 0.")).to_be_visible()
    use(page)
    assert_drawn(page)
    expect(page.get_by_text("“kettles” is chosen in the sidebar.")).to_be_visible()
    expect(page.get_by_text("The model read 30 texts")).to_be_visible()
    main = page.locator('[data-testid="stMain"]')
    picture = page.locator(".st-key-own_cloud").bounding_box()
    assert picture["width"] > 0.6 * main.evaluate("part => part.clientWidth")
    report = new_page()
    open_report(page, report, tmp_path)
    expect(report.get_by_role("heading", name="Diagnosis of “kettles”")).to_be_visible()
    expect(report.get_by_text("rows with labels that repeat; here there are")).to_be_visible()

    # the next page starts at its top
    main.evaluate("part => part.scrollTo(0, 400)")
    with rerun(page):
        page.get_by_role("link", name="Show its cone").click()
    page.wait_for_url("**/narrow_cone*")
    assert_no_exception(page)
    expect(page.locator(".st-key-corpus input")).to_have_value("Yours: kettles (30)")
    assert "upload-" not in page.url
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop === 0")

    # A reload ends the session.
    page.reload()
    expect(page.get_by_text("Your corpus “kettles” is gone")).to_be_visible(timeout=60_000)
    expect(page.locator(".st-key-corpus input")).to_have_value("Topics, English (1,224)")


@pytest.mark.long
def test_a_refused_file_and_used_vectors_leave_the_box_and_the_server(
    fresh_server: Callable[..., AppServer], page: Page, tmp_path: Path
):  # the page is closed before its server
    server = fresh_server()

    def held() -> int:
        with urlopen(f"{server.url}/_stcore/metrics") as answer:
            figures = answer.read().decode()
        return int(re.search(r'memory_bytes\{of="uploads"\} (\d+)', figures)[1])

    fake, own = tmp_path / "photo.csv", tmp_path / "own.npy"
    fake.write_bytes(PNG)
    np.save(own, np.random.default_rng(0).standard_normal((40, 8)))
    chips = page.locator('[data-testid="stFileChip"]')
    open_app(page, server.page_url("your_corpus"))
    choose_upload(page)
    upload(page, fake)
    expect(error_on_screen(page)).to_contain_text("photo.csv: This is not a text file")
    expect(chips).to_have_count(0)
    assert held() == 0
    upload(page, own)
    expect(chips).to_have_count(1)
    expect(error_on_screen(page)).to_have_count(0)
    assert held() == own.stat().st_size
    use(page, "use_vectors")
    expect(chips).to_have_count(0)
    assert held() == 0
    assert_no_exception(page)


@pytest.mark.long
def test_a_txt_goes_through_to_a_picture_in_chinese(
    new_page: Callable[..., Page], server: AppServer, tmp_path: Path
):
    large = tmp_path / "large.txt"
    large.write_bytes(b"a line of text\n" * 4_000_000)
    path = tmp_path / "kettles.txt"
    path.write_text("\n\n".join(SENTENCES), encoding="utf-8")
    page = new_page(locale="zh-TW")
    open_app(page, server.page_url("your_corpus", query="source=upload"))
    page.locator('[data-testid="stFileUploaderDropzoneInput"]').set_input_files(large)
    expect(error_on_screen(page)).to_contain_text("檔案超過 50 MB 的上限")
    upload(page, path)
    expect(page.get_by_text("30 筆文字可以使用；略過沒有文字的 29 行。")).to_be_visible()
    use(page)
    assert_drawn(page)
    expect(page.get_by_text("已在側邊欄選用「kettles」。")).to_be_visible()
    expect(page.get_by_text("模型讀了 30 筆文字")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "zh-Hant"
    page.locator(".st-key-own_cloud .twin-more summary").click()
    expect(page.locator(".st-key-own_cloud").get_by_text("下載圖片（PNG）")).to_be_visible()
    report = new_page()
    open_report(page, report, tmp_path)
    expect(report.get_by_role("heading", name="「kettles」的診斷")).to_be_visible()
    assert report.evaluate("document.documentElement.lang") == "zh-Hant"


@pytest.mark.slow
def test_vectors_are_judged_by_queries_with_vectors_of_their_own(
    page: Page, server: AppServer, tmp_path: Path
):
    """Row q answers query q, by BEIR's qrels."""
    X = np.random.default_rng(0).standard_normal((300, 16)).astype(np.float32)
    np.save(tmp_path / "vectors.npy", X + 3)
    np.save(tmp_path / "queries.npy", X[:80] + 0.2 + 3)
    lines = [f"{q}\t{q}\t1" for q in range(1, 81)]
    (tmp_path / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *lines]))
    open_app(page, server.page_url("your_corpus", query="source=upload"))
    upload(page, tmp_path / "vectors.npy")
    use(page, "use_vectors")
    assert_drawn(page)
    page.locator(".st-key-evidence-form summary").click()
    with rerun(page):
        page.get_by_role("radio", name="Queries with known answers").click()
    for key, name in (("queries", "qrels.tsv"), ("vectors-queries", "queries.npy")):
        box = page.locator(f".st-key-evidence-{key} [data-testid=stFileUploaderDropzoneInput]")
        with rerun(page):
            box.set_input_files(tmp_path / name)
    expect(page.get_by_text("80 of 80 queries are used.").last).to_be_visible()
    use(page, "use_evidence")
    expect(page.locator(".st-key-judge input")).to_have_value("queries: qrels.tsv")
    expect(page.locator(".st-key-cures")).to_contain_text("nDCG")
    # ... thresholds and lines for FAISS out
    expect(page.get_by_text("precision if 1 pair in 1,000 is related")).to_be_visible()
    expect(page.get_by_text("Centring is the cure for a threshold")).to_be_visible()
    button = page.locator(".st-key-take-NumPy button")
    button.scroll_into_view_if_needed()
    with page.expect_download() as waiting:
        button.click()
    waiting.value.save_as(tmp_path / "cure.zip")
    with zipfile.ZipFile(tmp_path / "cure.zip") as files:
        assert b"faiss.IndexFlatIP" in files.read("databases.md")
    assert_no_exception(page)


@pytest.mark.slow
def test_pasted_texts_go_through_to_a_picture_with_one_click_and_can_be_deleted(
    page: Page, server: AppServer
):
    open_app(page, server.page_url("your_corpus"))
    box = page.locator(".st-key-pasted textarea")
    assert box.bounding_box()["y"] < 300  # the box is at the top of the page
    box.fill("\n".join(SENTENCES))
    page.locator(".st-key-use_pasted button").click()
    expect(page.get_by_text("“Pasted texts” is chosen in the sidebar.")).to_be_visible()
    assert_drawn(page)
    expect(box).to_have_value("\n".join(SENTENCES))

    # The texts are also the corpus of another page.
    with rerun(page):
        page.locator('[data-testid="stSidebar"] a[href*="whitening"]').click()
    page.wait_for_url("**/whitening*")
    wait_for_clouds(page, 4)
    wait_for_app(page)
    expect(page.get_by_text("corpus Pasted texts · n = 15 sentences").first).to_be_visible()
    assert "upload-" not in page.url
    with rerun(page):
        page.locator('[data-testid="stSidebar"] a[href*="your_corpus"]').click()
    page.wait_for_url("**/your_corpus*")
    with rerun(page):
        page.get_by_role("button", name="Delete").click()
    expect(page.locator(".st-key-corpus input")).to_have_value("Topics, English (1,224)")
    expect(page.get_by_text("You have not given a corpus yet.")).to_be_visible()


@pytest.mark.long
def test_encoding_shows_its_progress_and_can_be_cancelled_and_started_again(
    server: AppServer, page: Page, tmp_path: Path
):
    path = tmp_path / "long.txt"
    line = "the kettle on the old stove begins to sing when the rain comes down " * 8
    path.write_text("\n".join(f"{i} {line}" for i in range(1500)), encoding="utf-8")
    open_app(page, server.page_url("your_corpus", query="source=upload"))
    upload(page, path)
    page.locator(".st-key-use_file button").click()
    progress = page.locator('[data-testid="stProgress"]')
    expect(progress).to_contain_text("Encoding 1,500 sentences", timeout=60_000)
    expect(progress).to_contain_text("a second,", timeout=60_000)
    expect(page.get_by_role("heading", name="Limits")).to_be_visible()
    with rerun(page):
        page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("Cancelled. Your texts are still here")).to_be_visible()
    expect(progress).to_have_count(0)
    assert_no_exception(page)
    page.get_by_role("button", name="Start again").click()
    expect(progress).to_contain_text("Encoding 1,500 sentences", timeout=60_000)
    with rerun(page):
        page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_role("button", name="Start again")).to_be_visible()


@pytest.mark.long
def test_bombs_are_refused_and_leave_no_line_in_the_log(
    server: AppServer, page: Page, tmp_path: Path
) -> None:
    for bomb in ("set, Parquet, long vectors", "sheet, shared strings"):
        open_app(page, server.page_url("your_corpus", query="source=upload"))
        ending, before = ".xlsx" if bomb.startswith("sheet") else ".parquet", server.log
        (path := tmp_path / f"bomb{ending}").write_bytes(BOMBS[bomb]().content)
        upload(page, path)
        expect(error_on_screen(page)).to_have_count(1, timeout=200_000)
        assert server.log == before
