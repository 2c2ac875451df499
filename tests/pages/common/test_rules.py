"""The rules of a visit: folders only for local visitors, the list checked at each use."""

import pytest
import streamlit as st
from streamlit.runtime.context import ContextProxy

from pages.common.cache import memory_limits
from pages.common.models import model_rules
from tests.encode.tiny_encoder import DIMENSION, save_tiny_bert
from tests.hub.conftest import files, server, tiny  # noqa: F401
from tests.pages.common.test_models import NAME, _own_memory, errors, press, small_corpus, visit  # noqa: F401
from tests.sentences import sentence


@pytest.fixture
def headers(monkeypatch):
    def given(**fields):
        sent = {name.replace("_", "-"): value for name, value in fields.items()}
        monkeypatch.setattr(ContextProxy, "headers", property(lambda _: sent))

    return given


def test_the_server_listens_on_this_machine_only_by_default():
    assert st.get_option("server.address") == "127.0.0.1"
    assert model_rules().local_folders is True


@pytest.mark.parametrize(
    ("address", "fields", "allowed"),
    [
        ("127.0.0.1", {"Host": "localhost:8501"}, True),
        ("127.0.0.1", {"Host": "127.0.0.1:8501"}, True),
        ("::1", {"Host": "[::1]:8501"}, True),
        (None, {"Host": "localhost:8501"}, False),
        ("0.0.0.0", {"Host": "localhost:8501"}, False),
        ("127.0.0.1", {"Host": "cone.example.org"}, False),  # behind a proxy, or DNS rebinding
        ("127.0.0.1", {"Host": "localhost", "X_Forwarded_For": "192.0.2.1"}, False),
        ("127.0.0.1", {"Host": "127.0.0.1:8501", "X_Forwarded_Proto": "https"}, False),
        ("127.0.0.1", {"Host": "127.0.0.1:8501", "Via": "1.1 proxy"}, False),
        ("127.0.0.1", {"Host": "127.0.0.1:8501", "CF_Connecting_IP": "192.0.2.1"}, False),
        ("127.0.0.1", {"Host": "[::1"}, False),
    ],
)
def test_folders_may_be_read_where_the_server_answers_this_machine_only(
    monkeypatch, headers, address, fields, allowed
):
    option = st.get_option
    monkeypatch.setattr(
        st, "get_option", lambda name: address if name == "server.address" else option(name)
    )
    headers(**fields)
    assert model_rules().local_folders is allowed


@pytest.mark.parametrize("said", [True, False])
def test_the_operator_s_setting_applies(operator, headers, said):
    operator(f"[models]\nlocal_folders = {str(said).lower()}\n")
    headers(Host="cone.example.org" if said else "localhost")
    assert model_rules().local_folders is said


def test_another_machine_s_visitor_reads_no_folder(headers, tmp_path, monkeypatch):
    headers(Host="cone.example.org")
    folder = save_tiny_bert(tmp_path / "mine")
    places = [folder, tmp_path / "none", folder / "config.json", tmp_path, "/etc"]
    said = {errors(visit(model=str(place)))[0].replace(str(place), "…") for place in places}
    assert len(said) == 1
    assert sentence("model", "no_folders", name="…").fullmatch(said.pop())


@pytest.mark.usefixtures("small_corpus")
def test_rules_apply_to_a_model_that_is_in_memory(server, tiny, operator, tmp_path):  # noqa: F811
    server.publish(NAME, tiny)
    pull = server.publish(NAME, save_tiny_bert(tmp_path / "pull", seed=3), revision="refs/pr/7")
    for revision in ("", "refs/pr/7"):
        assert not errors(press(visit(model=NAME, revision=revision), "fetch-model"))
    assert not errors(visit(model=NAME, revision=pull))
    operator(f'[models]\nallow = ["{NAME}"]\n')
    assert not errors(visit(model=NAME))
    for revision in ("refs/pr/7", pull, pull[:12]):
        app = visit(model=NAME, revision=revision)
        assert not app.exception
        assert sentence("model", "other_revision", revision=revision).fullmatch(errors(app)[0])
        assert not any(button.key in ("fetch-model", "retry-model") for button in app.button)
    operator(f'[models]\nallow = ["{NAME}@{pull}"]\n')
    assert not errors(visit(model=NAME, revision=pull))
    assert errors(visit(model=NAME))
    operator('[models]\nallow = ["another/*"]\n')
    refused = sentence("model", "not_allowed", allowed="`another/*`")
    assert refused.fullmatch(errors(visit(model=NAME))[0])


@pytest.mark.usefixtures("small_corpus")
def test_a_limit_of_size_applies_to_a_model_that_is_in_memory(tmp_path, operator):
    folder = save_tiny_bert(tmp_path / "mine")
    assert not errors(visit(model=str(folder)))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text('"' + "x" * 1_000_000 + '"', encoding="utf-8")
    operator("[models]\nmax_model_megabytes = 1\n")
    assert "the operator's limit is 1 MB" in errors(visit(model=str(folder)))[0]
    operator(f"[models]\ndimensions = {DIMENSION - 1}\n")
    message = f"vectors of {DIMENSION} numbers, and the operator's limit is {DIMENSION - 1}"
    assert message in errors(visit(model=str(folder)))[0]


@pytest.mark.parametrize("page", ["narrow_cone", "sentence_similarity", "cosine_basis"])
@pytest.mark.usefixtures("small_corpus")
def test_a_broken_operator_s_file_is_reported_on_the_pages(operator, page):
    memory_limits()  # as at the server's start
    operator("[models\n")
    app = visit(page=page, model="owner/name")
    assert not app.exception
    assert all(map(sentence("operator", "no_toml").fullmatch, errors(app)))
    assert not any(button.key == "retry-model" for button in app.button)


def test_a_revision_that_is_too_long_is_refused(server):  # noqa: F811
    app = visit(model=NAME, revision="a/" * 1_500 + "b")
    assert not app.exception
    assert f"`{NAME}` has no revision" in errors(app)[0]
    assert not server.requests


@pytest.mark.parametrize("name", ["not a name!", "/a\0b", "a\0/b", "~nobody/x", "../" * 2_000])
def test_a_name_that_no_hub_and_no_disk_could_have_is_reported_without_a_request(
    server,  # noqa: F811
    name,
):
    app = visit(model=name)
    assert not app.exception
    assert errors(app) or app.info  # refused, or offered as a possible name on the Hub
    assert not server.requests
