"""A model of a Hub in a browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.screen import LONG, open_app
from tests.browser.server import AppServer
from tests.encode.tiny_encoder import save_tiny_bert
from tests.hub.hub_server import HubServer


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as running:
        yield running


@pytest.fixture
def hub_app(hub: HubServer, cache_dir: Path, tmp_path: Path) -> Iterator[AppServer]:
    """An app whose models come from ``hub``."""
    environment = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home")}
    with AppServer(cache_dir=cache_dir, environment=environment) as running:
        yield running


# tests/pages/common/test_models.py downloads one without a browser
@pytest.mark.long
def test_a_hub_model_is_offered_downloaded_and_drawn(hub, hub_app, page, tmp_path):
    """The download shows progress, is cancelled, fails, and begins again after each."""
    name = "owner/tiny"
    commit = hub.publish(name, save_tiny_bert(tmp_path / "tiny"))
    weights = "model.safetensors"
    hub.faults.stalls[weights] = 4096
    open_app(page, hub_app.page_url("narrow_cone", query=f"model={name}&layer=1"))
    expect(page.get_by_text("has to be downloaded once")).to_be_visible()
    assert not hub.fetched()
    page.get_by_role("button", name="Download model").click()
    expect(page.get_by_text(f"Downloading {name}")).to_be_visible(timeout=LONG * 1000)
    expect(page.get_by_text(re.compile(r"\d (kB|bytes) / \d+ kB"))).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled. Files that had")).to_be_visible(timeout=LONG * 1000)
    hub.faults.breaks[weights] = [10] * 40
    hub.released.set()
    page.get_by_role("button", name="Start again").click()
    expect(page.get_by_text("is incomplete")).to_be_visible(timeout=LONG * 1000)
    hub.faults.breaks.clear()
    page.get_by_role("button", name="Try again").click()
    numbers = page.locator(".st-key-headlines .big-numbers")
    expect(numbers).to_have_count(2, timeout=LONG * 1000)
    for each in numbers.all():
        cosine = each.locator("div", has_text="mean cosine")
        expect(cosine).to_contain_text(re.compile(r"[+−-]?\d\.\d{3}"))
    expect(page.locator('[data-testid="stAlertContentError"]')).to_have_count(0)
    line = f"· {name}, commit {commit[:7]} · layer 1 of 2 ·"
    expect(page.get_by_text(line).first).to_be_visible()
    # a layer belongs to its model
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name="all-MiniLM-L6-v2 (bundled)").click()
    expect(page.get_by_text("· layer 4 of 6 ·").first).to_be_visible(timeout=LONG * 1000)
    assert "layer=" not in page.url
