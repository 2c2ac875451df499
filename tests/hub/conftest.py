"""A separate hub for each test, with its own endpoint and cache, without the user's settings."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from huggingface_hub import constants, file_download
from huggingface_hub.utils import _http, close_session

from geometry.hub import fetch
from tests.encode.tiny_encoder import save_tiny_bert
from tests.hub.hub_server import HubServer

USER_VARIABLES = (
    *("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "NARROW_CONE_CONFIG"),
    *("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"),
)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model's folder, as save_pretrained writes it. Tests must not change it."""
    return save_tiny_bert(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HubServer]:
    for name in USER_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(fetch, "CHUNK_BYTES", 100)  # the tiny model's files arrive in parts
    for changed in ("DOWNLOAD_CHUNK_SIZE", "HF_HUB_DISABLE_XET"):
        monkeypatch.setattr(constants, changed, getattr(constants, changed))
    no_wait = SimpleNamespace(sleep=lambda _: None, time=time.time)  # between two tries
    for module in (file_download, _http):
        monkeypatch.setattr(module, "time", no_wait)
    with HubServer() as hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        template = hub.url + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "home/hub"))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        close_session()  # the proxies are read when the session is made
        yield hub
    close_session()


@pytest.fixture
def files(tiny: Path) -> Callable[..., dict[str, bytes]]:
    """files(name=content or None): the tiny model's files, some replaced or left out."""

    def made(changes: dict[str, bytes | None] | None = None) -> dict[str, bytes]:
        found: dict[str, bytes | None] = {each.name: each.read_bytes() for each in tiny.iterdir()}
        found |= changes or {}
        return {name: content for name, content in found.items() if content is not None}

    return made


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """offline(): huggingface_hub as it is with HF_HUB_OFFLINE=1."""
    return lambda: monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
