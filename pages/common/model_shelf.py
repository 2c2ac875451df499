"""Encoders in memory, one copy of each for all sessions, within a budget of bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

from geometry import Encoder


class ModelShelf:
    """Encoders by key, up to ``budget_bytes`` of weights. Safe to use from several threads.

    Beyond the budget the least recently used encoder is dropped. The most recently used one
    is never dropped. A dropped encoder is freed when the last job that uses it ends.
    """

    def __init__(self, budget_bytes: int) -> None:
        self.budget_bytes = budget_bytes
        self._encoders: OrderedDict[Hashable, tuple[Encoder, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Encoder | None:
        """The encoder of that key, now the most recently used; None if there is none."""
        with self._lock:
            if key not in self._encoders:
                return None
            self._encoders.move_to_end(key)
            return self._encoders[key][0]

    def put(self, key: Hashable, encoder: Encoder) -> Encoder:
        """Store the encoder and drop others beyond the budget.

        Returns the encoder to use: the stored one if the key already has one.
        """
        size = encoder.memory_bytes  # read once, because its folder may be deleted later
        with self._lock:
            stored, _ = self._encoders.setdefault(key, (encoder, size))
            self._encoders.move_to_end(key)
            while len(self._encoders) > 1 and self.used_bytes > self.budget_bytes:
                self._encoders.popitem(last=False)
            return stored

    @property
    def used_bytes(self) -> int:
        """Bytes of all weights, including those not read yet."""
        return sum(size for _, size in self._encoders.values())

    def __contains__(self, key: Hashable) -> bool:
        return key in self._encoders

    def __len__(self) -> int:
        return len(self._encoders)
