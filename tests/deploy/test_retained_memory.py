"""What sessions that were opened and closed leave in the memory of a server."""

import time

import pytest

from bench.load import RETAINED, memory, move_through, read
from tests.browser.server import AppServer
from tests.event_loop import run_alone

CLEARED_AFTER = 240.0  # s

pytestmark = [pytest.mark.slow, pytest.mark.model]


def test_closed_sessions_leave_no_memory_behind(cache_dir):
    with AppServer(cache_dir=cache_dir, environment={"NARROW_CONE_UMAP_WARM_UP": "0"}) as server:

        def visit(times: int) -> None:
            for _ in range(times):
                record = run_alone(read(server, "narrow_cone", 10, 1, (0, 0.5)))
                assert not record.errors

        run_alone(move_through(server, "narrow_cone"))  # fills the caches
        visit(3)
        before = memory(server)
        visit(6)
        # Streamlit stores a closed session for two minutes; then a sweep clears it away.
        deadline = time.monotonic() + CLEARED_AFTER
        while memory(server) - before > RETAINED and time.monotonic() < deadline:
            time.sleep(1)
        assert memory(server) - before <= RETAINED
