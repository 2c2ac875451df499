"""How much of the gap between [CLS] and static averages is pooling."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PoolingShare:
    """Scores of [CLS], of the mean over the same layer's tokens, and of a static average.

    gap : static minus [CLS].   pooling : mean minus [CLS].   share : pooling / gap, None where
    [CLS] is not below the static average: then there is no gap to explain. Above 1 the mean
    passes the static average.
    """

    cls: float
    mean: float
    static: float

    @property
    def gap(self) -> float:
        return self.static - self.cls

    @property
    def pooling(self) -> float:
        return self.mean - self.cls

    @property
    def share(self) -> float | None:
        return self.pooling / self.gap if self.gap > 0 else None
