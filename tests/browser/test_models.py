"""Models on narrow_cone in a browser: from folders and from a Hugging Face Hub."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
import torch
from playwright.sync_api import Page, expect
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import (
    Dense,
    Normalize,
    Pooling,
    Transformer,
    WordEmbeddings,
)
from sentence_transformers.sentence_transformer.modules.tokenizer import WhitespaceTokenizer

from geometry import read_bundled
from tests.browser.screen import LONG, assert_no_exception, open_app
from tests.browser.server import AppServer
from tests.encode.tiny_encoder import save_tiny_bert
from tests.encode.tiny_models import DIMENSION, save_tiny
from tests.hub.hub_server import HubServer

PAGE = "narrow_cone"
SIDES = ("raw", "white")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """folders(architecture): a tiny model of it with random weights."""

    def made(kind: str) -> Path:
        return save_tiny(tmp_path_factory.mktemp(kind), kind)

    return made


def address(server, **query: str) -> str:
    return server.page_url(PAGE, query=urlencode(query))


def both_clouds_are_measured(page: Page) -> None:
    """Wait until both tables show numbers; fail if an error shows."""
    tables = page.locator(".st-key-numbers table")
    expect(tables).to_have_count(len(SIDES), timeout=LONG * 1000)
    for table in tables.all():
        row = table.locator("tr", has_text="mean cosine of pairs")
        expect(row).to_contain_text(re.compile(r"[+−-]?\d\.\d{3}"))
    assert_no_exception(page)
    expect(page.locator('[data-testid="stAlertContentError"]')).to_have_count(0)


@pytest.mark.parametrize(("kind", "pooling"), [("bert", "mean"), ("llama", "weighted")])
def test_a_folder_is_drawn(server, page, folders, kind, pooling):
    """The other architectures are in tests/pages/test_models.py."""
    folder = folders(kind)
    open_app(page, address(server, model=str(folder), layer="2", pooling=pooling))
    both_clouds_are_measured(page)
    expect(
        page.get_by_text(f"· {folder} · layer 2 of 2 · pooling {pooling} ·").first
    ).to_be_visible()


def saved(folder: Path, *modules: Any) -> Path:
    """The modules as sentence-transformers itself writes them."""
    torch.manual_seed(0)
    SentenceTransformer(modules=list(modules), device="cpu").save(str(folder))
    return folder


def test_a_sentence_transformers_folder_s_own_output_is_drawn(server, page, tmp_path):
    steps = (Pooling(DIMENSION), Dense(DIMENSION, 6), Normalize())
    folder = saved(
        tmp_path / "own", Transformer(str(save_tiny(tmp_path / "plain", "bert"))), *steps
    )
    open_app(page, address(server, model=str(folder), layer="2", pooling="own"))
    both_clouds_are_measured(page)
    expect(page.get_by_text(f"· {folder} · layer 2 of 2 · pooling own ·").first).to_be_visible()
    expect(page.get_by_text("of 6 ·").first).to_be_visible()  # the rank: of the dense layer's 6


def test_static_word_vectors_are_drawn(server, page, tmp_path):
    words = sorted({word for text in read_bundled("topics").texts for word in text.lower().split()})
    table = np.random.default_rng(0).standard_normal((len(words), 12), dtype=np.float32)
    tokenizer = WhitespaceTokenizer(words, stop_words=[], do_lower_case=True)
    folder = saved(tmp_path / "words", WordEmbeddings(tokenizer, table), Pooling(12))
    open_app(page, address(server, model=str(folder)))
    both_clouds_are_measured(page)
    expect(page.get_by_text(f"· {folder} · layer 0 of 0 · pooling mean ·").first).to_be_visible()


@pytest.fixture(scope="module")
def hub() -> Iterator[HubServer]:
    with HubServer() as running:
        yield running


@pytest.fixture(scope="module")
def hub_app(
    hub: HubServer, cache_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AppServer]:
    """An app whose models come from ``hub``."""
    home = tmp_path_factory.mktemp("home")
    environment = {"HF_ENDPOINT": hub.url, "HF_HOME": str(home)}
    with AppServer(cache_dir=cache_dir, environment=environment) as running:
        yield running


def test_a_hub_model_is_offered_fetched_again_after_a_failure_and_drawn(
    hub, hub_app, page, tmp_path
):
    name = "owner/tiny"
    commit = hub.publish(name, save_tiny_bert(tmp_path / "tiny"))
    hub.faults.breaks["model.safetensors"] = [10] * 40
    open_app(page, address(hub_app, model=name, layer="1"))
    expect(page.get_by_text("would be fetched from the hub")).to_be_visible()
    assert not hub.fetched()
    page.get_by_role("button", name="Fetch it").click()
    expect(page.get_by_text("is only partly there")).to_be_visible(timeout=LONG * 1000)
    hub.faults.breaks.clear()
    page.get_by_role("button", name="Try again").click()
    both_clouds_are_measured(page)
    line = f"· {name}, commit {commit[:7]} · layer 1 of 2 ·"
    expect(page.get_by_text(line).first).to_be_visible()
    # a layer belongs to its model
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name="all-MiniLM-L6-v2 (bundled)").click()
    expect(page.get_by_text("· layer 4 of 6 ·").first).to_be_visible(timeout=LONG * 1000)
    assert "layer=" not in page.url


def test_a_download_shows_its_progress_and_can_be_cancelled(hub, hub_app, page, tmp_path):
    name = "owner/slow"
    hub.publish(name, save_tiny_bert(tmp_path / "tiny"))
    hub.faults.stalls["model.safetensors"] = 4096
    open_app(page, address(hub_app, model=name))
    page.get_by_role("button", name="Fetch it").click()
    expect(page.get_by_text(f"Fetching {name}")).to_be_visible(timeout=LONG * 1000)
    expect(page.get_by_text(re.compile(r"\d (kB|bytes) / \d+ kB"))).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled. What has arrived is kept")).to_be_visible(
        timeout=LONG * 1000
    )
    hub.released.set()
    page.get_by_role("button", name="Start again").click()
    both_clouds_are_measured(page)
