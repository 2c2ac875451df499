"""A separate hub for each test, with its own endpoint and cache, without the user's settings."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from huggingface_hub import constants, file_download
from huggingface_hub.utils import close_session

from geometry.hub import download
from tests.encode.tiny_encoder import save_tiny_bert
from tests.hub.hub_server import HubServer

USER_VARIABLES = (
    *("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"),
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
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", constants.DOWNLOAD_CHUNK_SIZE)
    monkeypatch.setattr(download, "CHUNK_BYTES", 100)  # the tiny model's files arrive in parts
    no_wait = SimpleNamespace(sleep=lambda _: None)  # seconds between two tries of one transfer
    monkeypatch.setattr(file_download, "time", no_wait)
    with HubServer() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
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
