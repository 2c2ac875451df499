"""The page ``cosine_basis`` in a browser: dragging, links, controls, presets, both languages."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from geometry.projection.plane import POINTS, Plane, background_cloud, pair_cosines, whiten_points
from tests.browser.accessibility import grave_findings
from tests.browser.screen import NEXT_FRAMES, open_app, open_socket, rerun, state

PAGE = "cosine_basis"
LINK_WITH_SETTINGS = "len2=2"  # with settings in the link, the page shows both pictures at once
ANSWERS = {  # question: an excerpt of its answer
    "en": {
        "Why −0.5?": "equilateral triangle",
        "Why does the angle between the axes never set the sign?": "cancels",
        "Why does only a shift make a cone here?": "All are positive, so the points form a cone",
    },
    "zh-Hant": {
        "為什麼是 −0.5？": "正三角形",
        "為什麼兩軸的夾角從來不決定正負號？": "抵消",
        "為什麼這裡只有平移才能形成錐？": "這就是錐",
    },
}


def open_plane(page: Page, url: str) -> None:
    """Open the page and wait for its cosines, which the browser computes after the server's run."""
    open_app(page, url)
    page.locator(".plane td[data-value]").first.wait_for(state="attached")


def column(page: Page, place: int) -> list[str]:
    """A column of the table of cosines: 1 by coordinates, 2 true, 3 whitened."""
    name = ("coordinates", "true", "whitened")[place - 1]
    return page.locator(f"td[data-column={name}]:visible").all_inner_texts()


def values(page: Page) -> dict[str, list[float]]:
    """The cosines of each column in full."""
    return page.evaluate("""() => {
      const found = {};
      for (const cell of document.querySelectorAll('.plane td:not([hidden])'))
        (found[cell.dataset.column] ??= []).push(Number(cell.dataset.value));
      return found;
    }""")


def assert_numbers_are_the_librarys(page: Page, *, white: bool = False) -> None:
    """Compare the cosines on screen with the library's, at the settings in the address."""
    said = state(page)

    def at(key: str, default: float) -> float:
        return float(said.get(key, default))

    shift = (at("shift_x", 0), at("shift_y", 0))
    plane = Plane(at("len1", 1), at("len2", 2), at("angle", 90), shift, at("turn", 0))
    points = np.array(
        [
            [at(f"{name}_{axis}", home) for axis, home in zip("xy", row, strict=True)]
            for name, row in zip("abc", POINTS, strict=True)
        ]
    )
    found = values(page)
    np.testing.assert_allclose(found["coordinates"], pair_cosines(points), rtol=0, atol=1e-9)
    np.testing.assert_allclose(found["true"], plane.true_cosines(points), rtol=0, atol=1e-9)
    if white:
        placed = whiten_points(plane, background_cloud(80, seed=9), points)
        np.testing.assert_allclose(found["whitened"], pair_cosines(placed), rtol=0, atol=1e-9)


def handle(page: Page, name: str, panel: str = "yours") -> Locator:
    return page.locator(f"svg[data-panel={panel}] [data-handle={name}]")


def middle(of: Locator) -> np.ndarray:
    box = of.locator(".plane-grip").bounding_box()
    return np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])


def units(page: Page, right: float, up: float, panel: str = "yours") -> np.ndarray:
    """A shift in units of the plane, as pixels on screen."""
    scale = page.evaluate(
        """panel => {
          const svg = document.querySelector(`svg[data-panel=${panel}]`);
          const ticks = [...svg.querySelectorAll('text[text-anchor=middle]')];
          const at = name => ticks.find(t => t.textContent === name).getAttribute('x');
          const shown = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
          return (at('2') - at('0')) / 2 * shown;
        }""",
        panel,
    )
    return np.array([right, -up]) * scale


def carry(page: Page, grip: Locator, by: np.ndarray) -> None:
    """Drag a handle by this many pixels; the mouse button stays down."""
    grip.evaluate("one => one.ownerSVGElement.scrollIntoView({ block: 'center' })")
    start = middle(grip)
    page.mouse.move(*start)
    page.mouse.down()
    for share in (0.3, 0.7, 1.0):
        page.mouse.move(*(start + share * by))
    page.evaluate(NEXT_FRAMES)


def address_says(page: Page, key: str, value: str | None) -> None:
    page.wait_for_function(
        "([key, value]) => new URL(location.href).searchParams.get(key) === value",
        arg=[key, value],
    )


def shown(values: np.ndarray) -> list[str]:
    return [f"{round(float(value), 3) + 0.0:.3f}".replace("-", "−") for value in values]


def press(page: Page, name: str | re.Pattern[str]) -> None:
    with rerun(page):
        page.get_by_role("button", name=name, exact=isinstance(name, str)).click()


def pictures(page: Page) -> Locator:
    return page.locator(".plane svg")


def address_has(page: Page, key: str) -> float:
    page.wait_for_function("key => new URL(location.href).searchParams.has(key)", arg=key)
    return float(state(page)[key])


@pytest.mark.slow
def test_a_deep_link_restores_its_state_and_questions_are_answered(server, page):
    plane = Plane(0.8, 1.7, 60.0, (1.0, -0.5))
    query = "len1=0.8&len2=1.7&angle=60&shift_x=1&shift_y=-0.5&whiten=points&reading=position"
    open_plane(page, server.page_url(PAGE, query=query))
    assert column(page, 1) == ["0.000", "0.000", "−1.000"]
    assert column(page, 2) == shown(plane.true_cosines())
    assert column(page, 3) == shown(pair_cosines(whiten_points(plane, POINTS)))
    page.get_by_text("The formula with your numbers").click()
    expect(page.get_by_text("By position, the numbers of an embedding")).to_be_visible()
    assert state(page)["whiten"] == "points"
    assert_questions_are_answered(page, "en")


@pytest.mark.slow
def test_a_first_visit_guesses_then_moves_a_slider_and_downloads(server, new_page):
    page = new_page(viewport={"width": 1400, "height": 900})
    open_plane(page, server.page_url(PAGE))
    expect(pictures(page).first).to_be_visible()
    expect(pictures(page).nth(1)).to_be_hidden()
    with rerun(page):
        page.get_by_role("button", name="larger").click()
    expect(page.get_by_text("You guessed “larger”. It is “larger”")).to_be_visible()
    sliders = page.locator(".st-key-basis-sliders [data-testid=stSlider]")
    for part in (*pictures(page).all(), *sliders.all(), page.locator(".plane table")):
        box = part.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 900  # on the first screen
    expect(pictures(page)).to_have_count(2)
    sizes = []
    for place in range(2):
        picture = pictures(page).nth(place)
        for text in ("a (2, 2)", "b (2, −2)", "c (−2, 2)", "e₁", "e₂"):
            expect(picture.get_by_text(text, exact=True)).to_be_visible()
        sizes.append(picture.bounding_box())
    assert sizes[0]["width"] == pytest.approx(sizes[1]["width"], abs=1)
    assert sizes[0]["width"] == pytest.approx(sizes[0]["height"], abs=1)
    ticks = [
        pictures(page).nth(i).locator("text[text-anchor=end]").all_inner_texts() for i in (0, 1)
    ]
    assert ticks[0] == ticks[1]
    assert [page.get_by_role("group", name=name).count() for name in (
        "Standard basis: the coordinates as they are: arrows from the origin to a (2, 2)",
        "cos(a, b) = −0.600, cos(a, c) = 0.600, cos(b, c) = −1.000.",
    )] == [1, 1]  # fmt: skip
    # Both pictures and the address follow a slider.
    assert column(page, 2) == shown(Plane(length_2=2.0).true_cosines())
    angle = page.get_by_role("slider", name="Angle from e₁ to e₂")
    angle.focus()
    for key, degrees in (("Home", 15.0), ("ArrowRight", 16.0), ("End", 165.0)):
        with rerun(page):
            angle.press(key)
        assert column(page, 2) == shown(Plane(1.0, 2.0, degrees).true_cosines())
        address_says(page, "angle", f"{degrees:g}")
    press(page, "e₁ = (1, 0), e₂ = (0, 2)")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download picture (SVG)").click()
    picture = ElementTree.parse(waiting.value.path()).getroot()
    words = "".join(picture.itertext())
    assert picture.tag.endswith("svg")
    assert "Cosine in your basis: cos(a, b) = −0.600, cos(a, c) = 0.600" in words
    assert "seed 9" in words
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download picture (PNG)").click()
    assert Image.open(waiting.value.path()).width == 2 * round(float(picture.get("width")))
    page.get_by_text("More controls and downloads").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile(r"Download cosines \(CSV\)")).click()
    text = waiting.value.path().read_text(encoding="utf8")
    assert waiting.value.suggested_filename == "cosine-basis-cosines.csv"
    pair, by_coordinates, true = text.splitlines()[1].split(",")[:3]
    assert (pair, float(by_coordinates)) == ("a-b", 0)
    assert float(true) == pytest.approx(-0.6)


# the paths of both pictures, by name
DRAWN = """() => Object.fromEntries(["standard", "yours"].map(panel => {
  const paths = document.querySelectorAll(`svg[data-panel=${panel}] g[clip-path] path`);
  const names = ["lattice", "axes", "cloud", "circle", "ellipse", "arc b", "arc c"];
  return [panel, Object.fromEntries(names.map((name, i) => [name, paths[i].getAttribute("d")]))];
}))"""
# move the pointer by this many pixels; whether the next frame shows other cosines
NEXT_FRAME_SHOWS = """async ([x, y]) => {
  const svg = document.querySelector("svg[data-panel=yours]");
  const shown = () => document.querySelector(".plane table").innerText;
  const before = shown();
  svg.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true }));
  await new Promise(requestAnimationFrame);
  return shown() !== before;
}"""


def ring(page: Page) -> np.ndarray:
    """(n, 2): the metric ellipse in the standard basis' picture, in its units."""
    path = page.evaluate(DRAWN)["standard"]["ellipse"]
    pixels = np.array(re.findall(r"[-\d.]+", path), dtype=float).reshape(-1, 2)
    box = pictures(page).first.bounding_box()
    a_unit = units(page, 1, 0, "standard")[0] * 320 / box["width"]
    return (pixels - [174, 146]) * [1, -1] / a_unit


def assert_all_that_is_drawn_follows_each_handle_within_a_frame(page: Page) -> None:
    for degrees in ("127°", "53°"):  # the arccosines of −0.6 and 0.6
        expect(pictures(page).nth(1).get_by_text(degrees, exact=True)).to_be_visible()
    assert np.linalg.norm(ring(page) @ Plane(1, 2).basis.T, axis=1) == pytest.approx(1, abs=0.02)
    home = page.evaluate(DRAWN)
    before = values(page)
    basis = {"lattice", "cloud", "circle", "arc b", "arc c"}
    for name, moved in {
        "e1": basis, "e2": basis, "shift": basis,
        "a": {"arc b", "arc c"}, "b": {"arc b"}, "c": {"arc c"},
    }.items():  # fmt: skip
        carry(page, handle(page, name), units(page, 0.4, 0.7))
        place = middle(handle(page, name)) + units(page, 0.11, -0.13)
        assert page.evaluate(NEXT_FRAME_SHOWS, place.tolist())
        drawn = page.evaluate(DRAWN)
        assert {
            what for what, path in drawn["yours"].items() if path != home["yours"][what]
        } >= moved
        assert drawn["standard"]["lattice"] == home["standard"]["lattice"]
        assert (drawn["standard"]["ellipse"] != home["standard"]["ellipse"]) == (name[0] == "e")
        page.keyboard.press("Escape")
        page.mouse.up()
        page.evaluate(NEXT_FRAMES)
        assert (page.evaluate(DRAWN), values(page)) == (home, before)


@pytest.mark.slow
def test_a_drag_moves_the_plane_and_its_end_sends_one_message(server, page):
    """Mouse, keys, snapping, whitening: the numbers equal the library's to 1e-9."""
    open_plane(page, server.page_url(PAGE, query=LINK_WITH_SETTINGS))
    assert_numbers_are_the_librarys(page)
    sent_frames: list[object] = []
    open_socket(page).on("framesent", lambda frame: sent_frames.append(frame))
    assert_all_that_is_drawn_follows_each_handle_within_a_frame(page)
    assert not sent_frames

    # Drag e2. While the button is down, no message goes to the server.
    before = values(page)
    carry(page, handle(page, "e2"), units(page, 0.83, -0.61))
    during_drag = values(page)
    assert during_drag["true"] != before["true"]
    assert during_drag["coordinates"] == before["coordinates"]
    assert not sent_frames
    with rerun(page):
        page.mouse.up()
    assert address_has(page, "len2") == pytest.approx(np.hypot(0.83, 1.39), abs=0.03)
    assert values(page) == during_drag
    assert_numbers_are_the_librarys(page)
    slider = page.get_by_role("slider", name="Length of e₂")
    expect(slider).to_have_attribute("aria-valuetext", f"{float(state(page)['len2']):.3f}")

    # Drag a point in each picture. The server's answer does not move it.
    for name, panel, by in (("a", "yours", (-0.5, 1.1)), ("b", "standard", (-1.7, 0.35))):
        carry(page, handle(page, name, panel), units(page, *by, panel))
        with rerun(page):
            page.mouse.up()
        page.wait_for_timeout(400)  # the frame may still be resized
        page.evaluate(NEXT_FRAMES)
        assert_numbers_are_the_librarys(page)
    assert address_has(page, "b_x") == pytest.approx(0.3, abs=0.03)
    assert address_has(page, "b_y") == pytest.approx(-1.65, abs=0.03)

    # A number typed into a field moves the point in the picture.
    page.get_by_text("More controls and downloads").click()
    field = page.get_by_role("spinbutton", name="c, along e₁")
    with rerun(page):
        field.fill("-1")
        field.press("Enter")
    assert handle(page, "c").get_attribute("aria-valuetext") == "coordinates (−1, 2)"
    assert_numbers_are_the_librarys(page)

    # Three key presses send one message.
    handle(page, "e1").focus()
    with rerun(page):
        for key in ("ArrowUp", "ArrowUp", "Shift+ArrowRight"):
            page.keyboard.press(key)
    assert handle(page, "e1").get_attribute("aria-valuetext") == "length 1.03, direction 11.2°"
    assert handle(page, "e1").evaluate("one => one === document.activeElement")
    address_says(page, "turn", "11.201")
    assert_numbers_are_the_librarys(page)
    expect(page.locator(".plane [role=status]")).to_contain_text(
        "Cosine in your basis: cos(a, b) = "
    )

    # Near a preset's position the handle snaps and is marked. Escape undoes a drag.
    press(page, "Standard basis")
    carry(page, handle(page, "e2"), units(page, 0.53, -0.04))
    expect(handle(page, "e2")).to_have_class(re.compile("plane-snapped"))
    with rerun(page):
        page.mouse.up()
    assert column(page, 2) == ["−0.124", "0.124", "−1.000"]
    preset = page.get_by_role("button", name="e₁ = (1, 0), e₂ = (½, 1)")
    expect(preset).to_have_attribute("kind", "primary")
    carry(page, handle(page, "shift"), units(page, 1, 1))
    assert column(page, 2) != ["−0.124", "0.124", "−1.000"]
    page.keyboard.press("Escape")
    page.mouse.up()
    page.evaluate(NEXT_FRAMES)
    assert column(page, 2) == ["−0.124", "0.124", "−1.000"]
    assert grave_findings(page, ".plane") == []


# Each frame takes 50 ms of the page's clock, however long the machine takes to draw it.
LATTICES = """async () => {
  const line = document.querySelectorAll('svg[data-panel=yours] g[clip-path] path')[0];
  const drawn = new Set();
  let now = performance.now();
  performance.now = () => now;
  document.querySelector('[data-does=whiten]').click();
  for (let frame = 0; frame < 30; frame++) {
    await new Promise(requestAnimationFrame);
    drawn.add(line.getAttribute('d'));
    now += 50;
  }
  delete performance.now; // the browser's own again
  return drawn.size;
}"""


@pytest.mark.long
def test_whitening_restores_the_zeros_and_presets_set_the_sliders(server, page):
    open_plane(page, server.page_url(PAGE, query="len1=2&len2=0.6&angle=50&shift_x=2&turn=15"))
    plane = Plane(2.0, 0.6, 50.0, (2.0, 0.0), 15.0)
    assert column(page, 2) == shown(plane.true_cosines())
    with rerun(page):
        drawn = page.evaluate(LATTICES)
    assert drawn > 3  # the lattice is animated back in several steps
    assert column(page, 3) == ["0.000", "0.000", "−1.000"]
    assert_numbers_are_the_librarys(page, white=True)
    expect(page.get_by_text("Your basis, whitened")).to_be_visible()
    expect(page.get_by_role("radio", name="Fitted on the background cloud")).to_be_checked()
    address_says(page, "whiten", "cloud")
    expect(handle(page, "e1")).to_be_hidden()
    assert grave_findings(page, ".plane") == []
    page.emulate_media(reduced_motion="reduce")
    with rerun(page):
        drawn = page.evaluate(LATTICES)
    assert drawn <= 2  # one drawing before the first frame, one after it
    assert column(page, 3) == []
    address_says(page, "whiten", None)

    for name, expected in (
        ("e₁ = (1, 0), e₂ = (1, 1)", ["−0.447", "0.447", "−1.000"]),
        ("e₁ = (1, 0), e₂ = (½, 1)", ["−0.124", "0.124", "−1.000"]),
        ("Longer e₁: (2, 0), (0, 1)", ["0.600", "−0.600", "−1.000"]),
        ("Shift by (3, 3): a cone", ["0.832", "0.832", "0.385"]),
        ("e₁ = (1, 0), e₂ = (0, 2)", ["−0.600", "0.600", "−1.000"]),
        ("Standard basis", ["0.000", "0.000", "−1.000"]),
        ("e₁ = (1, 0), e₂ = (½, 1)", ["−0.124", "0.124", "−1.000"]),
    ):
        press(page, name)
        assert column(page, 2) == expected
    page.wait_for_function("new URL(location.href).searchParams.get('angle')?.startsWith('63.43')")
    address = page.evaluate("location.href")
    page.goto("about:blank")
    open_plane(page, address)
    assert column(page, 2) == ["−0.124", "0.124", "−1.000"]


def assert_questions_are_answered(page: Page, language: str) -> None:
    for question, answer in ANSWERS[language].items():
        expect(page.get_by_text(answer).first).to_be_hidden()
        page.get_by_text(question, exact=True).click()
        expect(page.get_by_text(answer).first).to_be_visible()


@pytest.mark.long
def test_a_narrow_screen_stacks_the_pictures_and_a_finger_drags(server, new_page):
    """The browser's language and a dark colour scheme apply."""
    page = new_page(
        viewport={"width": 420, "height": 900}, color_scheme="dark", has_touch=True, locale="zh-TW"
    )
    open_plane(page, server.page_url(PAGE))
    assert pictures(page).first.bounding_box()["y"] < 500  # below the question too
    with rerun(page):
        page.get_by_role("button", name="略過").click()
    expect(page.get_by_text("你的基底：點真正的位置")).to_be_visible()
    expect(page.get_by_text("Your basis")).to_have_count(0)
    assert page.evaluate("document.documentElement.lang") == "zh-Hant"
    expect(pictures(page)).to_have_count(2)
    first, second = (pictures(page).nth(place).bounding_box() for place in range(2))
    assert second["y"] > first["y"] + first["height"]
    for box in (first, second):
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 420
    wide = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
    assert wide <= 420
    assert grave_findings(page, ".plane") == []

    # A telephone's screen shows the table of cosines together with either whole picture.
    table = page.locator(".plane table").bounding_box()
    for place in range(2):
        picture = pictures(page).nth(place).bounding_box()
        tops, ends = zip(
            *((box["y"], box["y"] + box["height"]) for box in (table, picture)), strict=True
        )
        assert max(ends) - min(tops) < 560
    grip = handle(page, "e2")
    grip.evaluate("one => one.ownerSVGElement.scrollIntoView({ block: 'center' })")
    start, finger = middle(grip), page.context.new_cdp_session(page)
    scrolled = page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop")
    for kind, spots in (
        ("touchStart", [start + 5]),
        ("touchMove", [start + 5 + units(page, 0.3, -0.4)]),
        ("touchMove", [start + 5 + units(page, 1.0, -1.4)]),
    ):
        points = [{"x": float(x), "y": float(y)} for x, y in spots]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    with rerun(page):
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert address_has(page, "angle") == pytest.approx(30.96, abs=1)
    assert_numbers_are_the_librarys(page)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == scrolled
    assert_questions_are_answered(page, "zh-Hant")
