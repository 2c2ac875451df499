"""What ends a run over shards, or leaves a row or a shard out of it."""

from dataclasses import dataclass

from ..errors import GeometryError


class ScaleError(GeometryError):
    """A shard, a folder or a cluster that a run can't work with."""

    subject = "scale"


@dataclass(frozen=True)
class Failed:
    """A shard that could not be done, and why."""

    shard: str
    error: GeometryError
