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
        self._kept: OrderedDict[Hashable, tuple[Encoder, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Encoder | None:
        """The encoder of that key, which is then the last used; None where it is not here."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: Hashable, encoder: Encoder) -> Encoder:
        """Keep it and drop others beyond the budget; the one to use: another's, if it was first."""
        size = encoder.memory_bytes  # asked once: its folder may be gone later
        with self._lock:
            kept, _ = self._kept.setdefault(key, (encoder, size))
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and self.used_bytes > self.budget_bytes:
                self._kept.popitem(last=False)
            return kept

    @property
    def used_bytes(self) -> int:
        """What the weights of all of them take, or will take once they are read."""
        return sum(size for _, size in self._kept.values())

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)
