"""After a control moves, the server does not send unchanged parts again."""

import pytest

from bench.reader import Reader
from tests.browser.server import AppServer
from tests.event_loop import run_alone

pytestmark = [pytest.mark.slow, pytest.mark.model]

QUESTION = "Ledoit"  # in answers below the pictures
MOST = 45_000  # bytes for one move of the film; with the answers to the questions it is 48,500


@pytest.mark.long
def test_questions_are_not_sent_again(cache_dir):
    async def read(server: AppServer) -> tuple[list[str], list[str], int]:
        async with Reader(server.port, "narrow_cone") as reader:
            await reader.open()
            first = reader.texts
            film = reader.controls["film"].choices
            for place in (3, 8):
                moved = await reader.move("film", film[place])
            return first, reader.texts, moved.size

    with AppServer(cache_dir=cache_dir) as server:
        first, then, size = run_alone(read(server))
    long = {text for text in first if len(text) > 500}
    assert any(QUESTION in text for text in long)
    assert not long & {*then}
    assert size < MOST
