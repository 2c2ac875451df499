"""An empty environment gets the wheel with all extras, and JupyterLab shows its cloud."""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.clouds import is_drawn, lasso, of_stage, wait_for_clouds, wait_for_stage
from tests.browser.server import free_port
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[2]
JUPYTER = ("jupyterlab==4.6.6", "ipykernel==7.4.0")  # for these tests alone: 50 packages
MS = 120_000
IDLE = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
N, D = 5_200, 24  # more than MOST_TEXTS: the kernel is asked for the text of a point
FIVE_LINES = """import geometry, pandas
table = pandas.read_parquet("vectors.parquet")
X, labels, texts = (table[name] for name in ("vector", "label", "text"))
display(widget := geometry.show(X, labels=labels, texts=texts, treatment="zca:lw"))
geometry.diagnose(X, labels=labels)"""
CELLS = (
    FIVE_LINES,
    "print(widget.selection.tolist())",
    "widget.selection = [3, 5, 8]",
    'widget.save("cloud.html")',
)

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of a new environment with this checkout's wheel, its extras and JupyterLab."""
    place = tmp_path_factory.mktemp("empty")
    built = ("--no-deps", "--no-build-isolation", "--wheel-dir", place, ROOT)
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", *built], check=True)
    (wheel,) = place.glob("*.whl")
    venv.create(place / "venv", with_pip=True)
    python = place / "venv" / "bin" / "python"
    install = ("install", "--quiet", "-c", ROOT / "constraints.txt", f"{wheel}[all]", *JUPYTER)
    subprocess.run([python, "-m", "pip", *install], check=True)
    return python


@pytest.fixture(scope="module")
def lab(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """JupyterLab's address, and its folder with a Parquet and a notebook."""
    folder = tmp_path_factory.mktemp("folder")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, N)
    X = rng.standard_normal((N, D)) + 2 + np.eye(3, D)[labels] * 4
    table = {
        "vector": list(X.astype(np.float32)),
        "label": [f"kind {label}" for label in labels],
        "text": [f"text {row}" for row in range(N)],
    }
    pq.write_table(pa.table(table), folder / "vectors.parquet")
    cells = [
        {"cell_type": "code", "id": f"cell-{place}", "source": source}
        | {"metadata": {}, "outputs": [], "execution_count": None}
        for place, source in enumerate(CELLS)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (folder / "cloud.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    port = free_port()
    settings = ("--IdentityProvider.token=", "--ServerApp.root_dir", folder, "--allow-root")
    command = (python, "-m", "jupyterlab", "--no-browser", f"--port={port}", *settings)
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(folder / ".config"),
        "JUPYTER_DATA_DIR": str(folder / ".data"),
        "JUPYTER_RUNTIME_DIR": str(folder / ".runtime"),
    }
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(command, cwd=folder, env=environment) as served:
        try:
            until(lambda: answers(f"{url}/api"))
            yield url, folder
        finally:
            served.terminate()


def answers(url: str) -> bool:
    try:
        urlopen(url, timeout=5).close()
    except URLError:
        return False
    return True


def run_cell(page: Page, place: int) -> str:
    """Run a cell of the notebook, for the first time; the text of its output."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(place)
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    cell.locator(".jp-InputPrompt", has_text=f"[{place + 1}]:").first.wait_for(timeout=MS)
    page.locator(IDLE).wait_for(timeout=MS)
    return cell.locator(".jp-OutputArea").inner_text()


def test_five_lines_show_the_twin_cloud_and_the_diagnosis(lab, browser: Browser):
    url, folder = lab
    page = browser.new_page(viewport={"width": 1400, "height": 1100})
    page.goto(f"{url}/lab/tree/cloud.ipynb")
    page.locator(IDLE).wait_for(timeout=MS)
    run_cell(page, 0)
    report = page.frame_locator(".jp-OutputArea iframe")
    report.get_by_role("heading", name="Diagnosis").wait_for(timeout=MS)
    wait_for_clouds(page)
    assert is_drawn(page, 0)
    assert is_drawn(page, 1)
    stage = page.locator(".twin-stage").bounding_box()
    x, y = of_stage(page, "stage.pixelsOf(7, 1)")
    page.mouse.move(stage["x"] + x, stage["y"] + y)
    wait_for_stage(page, "stage.hovered >= 0")
    text = f"text {of_stage(page, 'stage.hovered')}"
    page.locator(".twin-tip", has_text=text).wait_for(timeout=MS)
    rows = lasso(page, 1, 0.2, 0.2, 0.7, 0.9)
    assert 0 < len(rows) < N
    assert json.loads(run_cell(page, 1)) == rows
    run_cell(page, 2)
    wait_for_stage(page, "String(stage.rows) === '3,5,8'")
    run_cell(page, 3)
    assert (folder / "cloud.html").stat().st_size > 50_000
    page.emulate_media(color_scheme="dark")
    assert of_stage(page, "stage.message.theme.paper") == "#ffffff"  # JupyterLab's page is light
    page.close()
