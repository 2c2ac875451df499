"""Sessions of a running server: what a closed tab frees, and what is not sent again."""

import os
import signal

import pytest

from bench.reader import Reader
from tests.browser.server import AppServer
from tests.event_loop import run_alone
from tests.waiting import until

# Every Python process imports this module at its start. At a signal it prints the live objects.
WATCHER = """
import gc, signal

def tell(*_):
    gc.collect()  # as the app does after a session has ended
    found = set()
    for each in gc.get_objects():
        if type(each).__name__ in ("Corpus", "Cloud"):
            found |= {(type(each).__name__, text) for text in each.texts if "visitor" in text}
    print("ALIVE", sorted(found), flush=True)

signal.signal(signal.SIGUSR1, tell)
"""


async def bring(reader: Reader, name: str) -> None:
    """Paste texts, which encodes them, and then visit the other page."""
    await reader.open()
    texts = "\n".join(f"{name} saw {n} cats" for n in range(12))
    await reader.move("pasted", texts)
    await reader.move("use_pasted", True)
    reader.page, reader.query = "narrow_cone", ""
    await reader.open()


def alive(server: AppServer) -> str:
    os.kill(server.process_id, signal.SIGUSR1)
    until(lambda: "ALIVE" in server.log)
    return server.log.rpartition("ALIVE")[2]


@pytest.mark.model
@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no such signal on Windows")
def test_what_closed_sessions_brought_is_freed(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WATCHER, encoding="utf-8")
    environment = {
        "PYTHONPATH": str(tmp_path),
        # By default Streamlit ends a session only two minutes after the reader has left.
        "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "0",
    }

    async def visit(server: AppServer) -> str:
        for n in range(3):
            async with Reader(server.port, "your_corpus") as leaver:
                await bring(leaver, f"visitor {n}")
        async with Reader(server.port, "your_corpus") as stayer:
            await bring(stayer, "visitor 3")
            # a session that ends frees the ones that ended before it
            async with Reader(server.port, "cosine_basis") as passer_by:
                await passer_by.open()
            return alive(server)

    with AppServer(cache_dir=tmp_path / "cache", environment=environment) as server:
        found = run_alone(visit(server))
    assert "('Corpus', 'visitor 3 saw 0 cats')" in found
    assert "('Cloud', 'visitor 3 saw 0 cats')" in found
    for n in range(3):
        assert f"visitor {n}" not in found
