"""The memory of a server after sessions were opened and closed."""

import pytest

from bench.load import RETAINED, growth_once_cleared, memory, move_through, read
from tests.browser.server import AppServer
from tests.event_loop import run_alone

pytestmark = [pytest.mark.long, pytest.mark.model]


def test_closed_sessions_leave_no_memory_behind(cache_dir):
    with AppServer(cache_dir=cache_dir) as server:

        def visit(times: int) -> None:
            for _ in range(times):
                record = run_alone(read(server, "narrow_cone", 10, 1, (0, 0.5)))
                assert not record.errors

        run_alone(move_through(server, "narrow_cone"))  # fills the caches
        visit(3)
        before = memory(server)
        visit(6)
        assert growth_once_cleared(server, before) <= RETAINED
