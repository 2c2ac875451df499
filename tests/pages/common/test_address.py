"""The address: one table has every parameter; odd values and old labels are no errors."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from geometry import Pairs
from pages.common.address import PARAMETERS, put_in_url
from pages.common.compare_two import SIDES
from pages.contrast.explore import NUMBERS
from pages.cosine_basis.explore import LIMITS
from pages.whitening.explore import SLOTS
from tests.encode.tiny_encoder import save_tiny_bert
from tests.pages.visits import healthy, new_visit
from tests.sentences import sentence

PAGES = Path(__file__).resolve().parents[3] / "pages"
BY_VARIABLE = {
    *(*LIMITS, *SLOTS, *NUMBERS),
    *(f"{side}-{what}" for side in ("left", "right") for what in ("table", "layer")),
    *(f"{side}-{what}" for side in SIDES for what in ("model", "place", "pooling", "treatment")),
    *("noise-unrelated", "noise-related", "lang", "pair", "point", "centring", "strength"),
    *("present", "camera", "step", "hull", "lesson", "lesson-step", "class", "where", "selected"),
    *("window", "file", "clusters-on", "pooling"),
    *("fit-rows", "kept", "removed"),  # sliders of Whitening
}
CHOICES = ("choose", "choose_in")

pytestmark = pytest.mark.usefixtures("one_memory")


def keyword(call: ast.Call, name: str) -> str | None:
    for each in call.keywords:
        if each.arg == name and isinstance(each.value, ast.Constant):
            return str(each.value.value)
    return None


def literal_names() -> Iterator[tuple[str, str]]:
    """(file, name) of every control that writes its state to the address by a literal name."""
    for path in PAGES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            is_choice = isinstance(node.func, ast.Name) and node.func.id in CHOICES
            if is_choice or keyword(node, "bind") == "query-params":
                name = keyword(node, "key")
                if name is not None:
                    yield path.name, name


def test_the_table_lists_every_parameter_and_others_are_refused():
    names = {name for _file, name in literal_names()}
    assert names | BY_VARIABLE == PARAMETERS
    with pytest.raises(KeyError):
        put_in_url("no-such-parameter", "1")


ODD = ("²", "9" * 5_000, "1e999")
WORDS = {"lang", "model", "revision"}  # these are chosen by the test itself


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return str(save_tiny_bert(tmp_path_factory.mktemp("tiny")))


def pairs(n):
    texts = tuple(f"the {word} {i}" for i in range(n) for word in ("cat", "dog"))
    return Pairs("mine", texts, texts[::-1], [float(i % 5) for i in range(len(texts))])


STATE = {"pair-uploads": {"upload-a": pairs(8)}, "pairs": "upload-a"}


def odd_query(first: int) -> dict[str, str]:
    """An odd value for each parameter, in turn, starting with the given one."""
    keys = [key for key in PARAMETERS if key not in WORDS]
    return {key: ODD[(first + place) % len(ODD)] for place, key in enumerate(keys)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "first"), [("narrow_cone", 0), ("layers", 1), ("sentence_similarity", 2)]
)
def test_a_value_that_is_no_number_counts_as_none(page, first, model):
    query = odd_query(first)
    state = STATE if page == "sentence_similarity" else {}
    app = healthy(new_visit(page, state, model=model, **query).run())
    # The error of a too large file is always on the page, but hidden until it applies.
    hidden = sentence("corpus", "too_many_bytes")
    assert not [box.value for box in app.error if not hidden.fullmatch(box.value)]


def test_a_label_that_has_changed_is_still_its_code(model):
    """A browser may send an old label after other pairs or another language changed it."""
    old = "recommended for this n/d: something else"
    sent = {"after": old, "model": "of old", "shown-labels": {"after": {old: "recommended"}}}
    sent["shown-labels"]["model"] = {"of old": model}
    app = healthy(new_visit("sentence_similarity", {**STATE, **sent}).run())
    assert app.session_state["after"] == "recommended"
    assert app.session_state["model"] == model
    assert "after" not in app.query_params
    assert old not in app.selectbox(key="after").options
    label = app.selectbox(key="after").options[0]
    assert label.startswith("usual: ")
    assert app.session_state["shown-labels"]["after"][label] == "recommended"
