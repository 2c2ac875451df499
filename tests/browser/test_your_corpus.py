"""Uploaded and pasted texts become the corpus of every page."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.clouds import is_drawn, wait_for_clouds
from tests.browser.screen import (
    assert_no_exception,
    open_app,
    rerun,
)
from tests.browser.server import AppServer

SENTENCES = [f"The {noun} is {state}." for noun in ("kettle", "sky", "road", "tea", "cat", "river")
             for state in ("cold", "old", "near", "quiet", "dark")]  # fmt: skip
PNG = b"\x89PNG\r\n\x1a\n" + bytes(500)


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


@pytest.mark.slow
def test_a_table_its_picture_its_report_another_page_and_a_reload(
    page: Page, new_page: Callable[..., Page], server: AppServer, tmp_path: Path
):
    table = tmp_path / "kettles.csv"
    rows = [f"{i},{text},{'ab'[i % 2]}\n" for i, text in enumerate(SENTENCES)]
    table.write_text("id,sentence,kind\n" + "".join(rows), encoding="utf-8")
    open_app(page, server.page_url("your_corpus"))
    choose_upload(page)
    upload(page, table)
    use(page)
    assert_no_exception(page)
    wait_for_clouds(page, 1)
    assert is_drawn(page, 0)
    expect(page.get_by_text("The model read 30 texts")).to_be_visible()
    main = page.locator('[data-testid="stMain"]')
    picture = page.locator(".st-key-own_cloud").bounding_box()
    assert picture["width"] > 0.6 * main.evaluate("part => part.clientWidth")
    # the diagnosis is a file with pictures; that it loads nothing: tests/diagnosis/test_report.py
    button = page.locator(".st-key-take-report button")
    button.scroll_into_view_if_needed()
    with page.expect_download() as waiting:
        button.click()
    waiting.value.save_as(tmp_path / "diagnosis.html")
    report = new_page(offline=True)
    report.goto((tmp_path / "diagnosis.html").as_uri())
    assert report.locator("svg[role=img]").count() >= 2
    assert report.locator("svg").first.bounding_box()["width"] > 200
    expect(report.get_by_role("heading", name="Diagnosis of “kettles”")).to_be_visible()

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
    assert held() == own.stat().st_size
    use(page, "use_vectors")
    expect(chips).to_have_count(0)
    assert held() == 0
    assert_no_exception(page)


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
    expect(progress).to_have_count(0)
    assert_no_exception(page)
    page.get_by_role("button", name="Start again").click()
    expect(progress).to_contain_text("Encoding 1,500 sentences", timeout=60_000)
    with rerun(page):
        page.get_by_role("button", name="Cancel", exact=True).click()
