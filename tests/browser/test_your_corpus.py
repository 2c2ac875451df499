"""Uploaded and pasted texts become the corpus of every page."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.screen import assert_no_exception, canvas_not_blank, open_app, rerun
from tests.browser.server import AppServer

SENTENCES = [f"The {noun} is {state}." for noun in ("kettle", "sky", "road", "tea", "cat", "river")
             for state in ("cold", "old", "near", "quiet", "dark")]  # fmt: skip
PNG = b"\x89PNG\r\n\x1a\n" + bytes(500)
PICTURE = ".st-key-own_cloud canvas.gl-canvas, .st-key-own_cloud canvas"


def choose_upload(page: Page) -> None:
    with rerun(page):
        page.locator(".st-key-source button").nth(1).click()


def upload(page: Page, path: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.locator(
            '.st-key-corpus_file [data-testid="stFileUploaderDropzone"] button'
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


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "kettles.csv"
    rows = [f"{i},{text},{'ab'[i % 2]}\n" for i, text in enumerate(SENTENCES)]
    path.write_text("id,sentence,kind\n" + "".join(rows), encoding="utf-8")
    return path


def test_a_csv_goes_through_to_a_picture_and_is_offered_on_every_page(
    page: Page, server: AppServer, table: Path
):
    open_app(page, server.page_url("your_corpus"))
    choose_upload(page)
    upload(page, table)
    expect(page.get_by_text("30 texts ready; 0 without text left out.")).to_be_visible()
    use(page)
    assert_drawn(page)
    expect(page.get_by_text("“kettles” is the corpus of every page now.")).to_be_visible()
    expect(page.get_by_text("The model read 30 texts")).to_be_visible()
    with rerun(page):
        page.get_by_role("link", name="See its cone").click()
    page.wait_for_url("**/narrow_cone*")
    assert_no_exception(page)
    expect(page.locator(".st-key-corpus input")).to_have_value("Yours: kettles (30)")
    assert "upload-" not in page.url


def test_a_txt_goes_through_to_a_picture_in_chinese(
    new_page: Callable[..., Page], server: AppServer, tmp_path: Path
):
    path = tmp_path / "kettles.txt"
    path.write_text("\n\n".join(SENTENCES), encoding="utf-8")
    page = new_page(locale="zh-TW")
    open_app(page, server.page_url("your_corpus", query="lang=zh-Hant"))
    choose_upload(page)
    upload(page, path)
    expect(page.get_by_text("30 筆文字可以使用；略過 29 筆沒有文字的。")).to_be_visible()
    use(page)
    assert_drawn(page)
    expect(page.get_by_text("「kettles」現在是每一頁的語料。")).to_be_visible()
    expect(page.get_by_text("模型讀了 30 筆文字")).to_be_visible()


def test_a_picture_that_calls_itself_csv_is_refused_and_the_app_goes_on(
    page: Page, server: AppServer, table: Path, tmp_path: Path
):
    fake = tmp_path / "photo.csv"
    fake.write_bytes(PNG)
    open_app(page, server.page_url("your_corpus", query="source=upload"))
    upload(page, fake)
    expect(error_on_screen(page)).to_have_count(1)
    expect(error_on_screen(page)).to_contain_text("This is no text file: it looks like a PNG image")
    expect(page.locator(".st-key-corpus input")).to_have_value("Topics (1,224 English sentences)")
    upload(page, table)
    expect(error_on_screen(page)).to_have_count(0)
    use(page)
    assert_drawn(page)


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "larger than the limit of 50 MB"), ("zh-Hant", "檔案超過 50 MB 的上限")],
)
def test_a_file_that_the_browser_refuses_is_told_in_the_reader_s_language(
    page: Page, server: AppServer, tmp_path: Path, language: str, words: str
):
    large = tmp_path / "large.txt"
    large.write_bytes(b"a line of text\n" * 4_000_000)
    open_app(page, server.page_url("your_corpus", query=f"source=upload&lang={language}"))
    expect(error_on_screen(page)).to_have_count(0)
    page.locator('[data-testid="stFileUploaderDropzoneInput"]').set_input_files(large)
    expect(error_on_screen(page)).to_contain_text(words)


def test_pasted_texts_go_through_to_a_picture_with_one_click(page: Page, server: AppServer):
    open_app(page, server.page_url("your_corpus"))
    page.locator(".st-key-pasted textarea").fill("\n".join(SENTENCES))
    page.locator(".st-key-use_pasted button").click()
    expect(page.get_by_text("“Pasted texts” is the corpus of every page now.")).to_be_visible()
    assert_drawn(page)
    expect(page.locator(".st-key-pasted textarea")).to_have_value("\n".join(SENTENCES))


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
    expect(page.get_by_text("Cancelled. Your texts are kept")).to_be_visible()
    expect(progress).to_have_count(0)
    assert_no_exception(page)
    page.get_by_role("button", name="Start again").click()
    expect(progress).to_contain_text("Encoding 1,500 sentences", timeout=60_000)
    with rerun(page):
        page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_role("button", name="Start again")).to_be_visible()
