"""A class in browsers: a teacher, a student on a telephone in Chinese, one by keyboard alone."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import grave_findings
from tests.browser.conftest import OFFLINE
from tests.browser.screen import assert_no_exception, open_app, wait_for_app
from tests.browser.server import AppServer

BAR = ".st-key-class-bar"


@pytest.fixture
def visit(new_page: Callable[..., Page], page_errors: list[str]) -> Iterator[Callable[..., Page]]:
    """visit(width=1400, **options): a page with cookies of its own."""

    def start(width: int = 1400, height: int = 900, **options: str) -> Page:
        size = {"width": width, "height": height}
        return new_page(viewport=size, reduced_motion="reduce", **options)

    yield start
    page_errors.clear()  # a request for news that ends with the class is logged


@pytest.fixture
def class_server(
    fresh_server: Callable[..., AppServer], tmp_path: Path
) -> Callable[..., AppServer]:
    """class_server(**options): a server that allows rooms."""
    (tmp_path / "own.toml").write_text("[classes]\nrooms = 99\n", encoding="utf-8")
    environment = OFFLINE | {"NARROW_CONE_CONFIG": str(tmp_path / "own.toml")}
    return partial(fresh_server, environment=environment)


def open_class(teacher: Page, server: AppServer) -> str:
    """Open a class on Cosine and basis; returns its code."""
    open_app(teacher, server.page_url("cosine_basis"))
    teacher.locator(".st-key-class-menu button").first.click()
    wait_for_app(teacher)  # a click during a run may be lost
    teacher.locator(".st-key-class-open button").click()
    expect(teacher.locator(BAR)).to_be_visible()
    teacher.wait_for_url(re.compile(r"class=\w{6}"))
    teacher.keyboard.press("Escape")
    return re.search(r"class=(\w{6})", teacher.url)[1]


@pytest.mark.slow
def test_a_teacher_leads_students_guess_and_all_see_the_bars(
    class_server: Callable[..., AppServer], visit: Callable[..., Page]
):
    server = class_server()
    teacher, phone, keys = visit(), visit(360, 740, locale="zh-TW"), visit(1024, 768)
    code = open_class(teacher, server)

    # by the address and by typing the code; both come to the teacher's page
    open_app(phone, server.page_url(query=f"class={code}"))
    open_app(keys, server.page_url("cosine_basis"))
    keys.locator(".st-key-class-menu button").first.focus()
    keys.keyboard.press("Enter")
    keys.locator(".st-key-class-join input, [data-testid=stForm] input").first.focus()
    keys.keyboard.type(code.lower())
    keys.keyboard.press("Enter")
    expect(keys.locator(BAR)).to_contain_text(code)
    phone.wait_for_url(re.compile("/cosine_basis"))
    wait_for_app(phone)
    expect(teacher.locator(BAR)).to_contain_text("students: 2", timeout=60_000)

    # guesses, one by keyboard; nobody sees the result
    phone.locator(".st-key-guess-same button").click()
    keys.locator(".st-key-guess-larger button").focus()
    keys.keyboard.press("Space")
    expect(teacher.locator(BAR)).to_contain_text("2 of 2 have answered.")
    phone.locator(".st-key-guess-larger button").click()
    expect(phone.locator(BAR)).to_contain_text("變大")
    for page in (teacher, phone, keys):
        assert page.locator(".class-bars").count() == 0
    phone.reload()
    wait_for_app(phone)
    expect(phone.locator(BAR)).to_contain_text("變大")  # the answer is still there, counted once

    # the reveal reaches all
    teacher.locator(".st-key-class-reveal button").click()
    for page in (teacher, phone, keys):
        expect(page.locator(".class-bars")).to_contain_text("2 · 100%")
        wait_for_app(page)
        assert_no_exception(page)
        assert grave_findings(page, BAR) == []
    main = "document.querySelector('[data-testid=stMain]')"
    assert phone.evaluate(f"{main}.scrollWidth <= {main}.clientWidth")

    # a student who goes elsewhere is not pulled back, and returns by one press
    teacher.get_by_role("button", name="Longer e₁: (2, 0), (0, 1)").click()
    for page in (phone, keys):
        page.wait_for_url(re.compile("/cosine_basis.*len1=2"))
        wait_for_app(page)
        expect(page.locator(".st-key-class-follow")).to_be_visible()  # a guess is no departure
    keys.locator('[data-testid="stSidebar"] a', has_text="Claims").click()
    expect(keys.locator(BAR)).to_contain_text("You no longer follow your teacher.")
    teacher.locator('[data-testid="stSidebar"] a', has_text="Degeneration").click()
    teacher.wait_for_url(re.compile(f"/degeneration.*class={code}"))
    phone.wait_for_url(re.compile("/degeneration.*lang=zh-Hant|lang=zh-Hant.*degeneration"))
    wait_for_app(phone)
    assert "/claims" in keys.url
    keys.locator(".st-key-class-return button").focus()
    keys.keyboard.press("Enter")
    keys.wait_for_url(re.compile("/degeneration"))
    wait_for_app(keys)
    keys.go_back()
    keys.wait_for_url(re.compile("/claims"))
    wait_for_app(keys)
    expect(keys.locator(BAR)).to_contain_text("You no longer follow your teacher.")
    assert_no_exception(keys)

    # the teacher's browser comes back as the teacher's, and ends the class
    teacher.reload()
    wait_for_app(teacher)
    expect(teacher.locator(BAR)).to_contain_text("students: 2")
    teacher.locator(".st-key-class-results button").click()
    expect(teacher.locator("[data-testid=stDialog]")).to_contain_text("Right at first: 1 of 2.")
    teacher.keyboard.press("Escape")
    teacher.locator(".st-key-class-menu button").first.click()
    teacher.locator(".st-key-class-end button").click()
    dialog = teacher.locator("[data-testid=stDialog]")
    expect(dialog).to_contain_text("Download counts (CSV)")
    dialog.locator(".st-key-class-leave button").click()
    expect(dialog).to_have_count(0)
    expect(phone.locator(".st-key-class-place")).to_contain_text("課堂已經結束")


@pytest.mark.long
def test_a_student_changes_class_where_the_pages_have_a_path_before_them(
    class_server: Callable[..., AppServer], visit: Callable[..., Page]
):
    server = class_server(base="lab")
    teacher, student = visit(), visit()
    code, other = open_class(teacher, server), open_class(visit(), server)
    open_app(student, server.page_url("evidence", query=f"class={code}"))
    student.wait_for_url(re.compile("/lab/cosine_basis"))
    teacher.get_by_role("button", name="Longer e₁: (2, 0), (0, 1)").click()
    student.wait_for_url(re.compile("/lab/cosine_basis.*len1=2"))
    wait_for_app(student)
    # the request for news of the first class, of 25 s, ends when another class is joined
    student.locator(".st-key-class-menu button").first.click()
    student.locator(".st-key-class-leave button").click()
    student.locator(".st-key-class-open button").wait_for()
    student.locator("[data-testid=stForm] input").first.fill(other)
    with student.expect_request(re.compile(f"/classroom/{other}"), timeout=12_000):
        student.keyboard.press("Enter")
    expect(student.locator(BAR)).to_contain_text(other)
