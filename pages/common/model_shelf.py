"""Encoders in memory: one copy of each for all sessions, the least used dropped beyond a budget."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

from geometry import Encoder


class ModelShelf:
    """Encoders by key, as many as fit into ``budget_bytes`` of weights; thread-safe.

    The one that was put or asked for last always stays, however large it is, and work that
    holds an encoder keeps it: a dropped one is gone when its last user is done.
    """

    def __init__(self, budget_bytes: int) -> None:
        self.budget_bytes = budget_bytes
        self._kept: OrderedDict[Hashable, Encoder] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Encoder | None:
        """The encoder of that key, which is then the last used; None where it is not here."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, encoder: Encoder) -> Encoder:
        """Keep it and drop others beyond the budget; the one to use: another's, if it was first."""
        with self._lock:
            kept = self._kept.setdefault(key, encoder)
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and self.used_bytes > self.budget_bytes:
                self._kept.popitem(last=False)
            return kept

    @property
    def used_bytes(self) -> int:
        """What the weights of all of them take, or will take once they are read."""
        return sum(encoder.memory_bytes for encoder in self._kept.values())

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept
