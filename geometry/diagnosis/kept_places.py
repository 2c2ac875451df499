"""The scores of a finished place of the evidence as one array, for an ``ArrayStore``."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping

import numpy as np
from scipy.sparse import csr_array

from .. import __version__
from ..encode.disk_cache import ArrayStore
from .trial import ArmScore, Averaged
from .yardsticks import Score

At = tuple[str, str]  # cure or control, and similarity


def place_key(arrays: Iterable[np.ndarray], *settings: object) -> str:
    """The key of what the scores of a place depend on."""
    parts = (
        hashlib.sha256(f"{each.dtype}{each.shape}".encode() + each.tobytes()).hexdigest()
        for each in arrays
    )
    return ArrayStore.key("evidence", __version__, *settings, *parts)


def packed(found: Mapping[At, Averaged | None]) -> np.ndarray:
    """(b,) the bytes of an .npz file: nothing in it is rounded."""
    arrays = {"at": np.array(list(found))}
    for number, each in enumerate(found.values()):
        if each is None:
            continue
        score, items = each.arm.score, each.arm.by_item
        parts = {
            "values": score.values,
            "replicates": score.replicates,
            "fixed": each.arm.fixed,
            "splits": each.values,
            "items": np.array(list(items), dtype=np.int64),
            "by_item": np.array(list(items.values()), dtype=np.float64),
        }
        if score.edges is not None:
            edges = csr_array(score.edges)
            names = ("data", "indices", "indptr")
            parts |= {name: getattr(edges, name) for name in names}
            parts["shape"] = np.array(edges.shape)
        arrays |= {f"{number} {name}": part for name, part in parts.items()}
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return np.frombuffer(buffer.getvalue(), dtype=np.uint8)


def unpacked(content: np.ndarray) -> dict[At, Averaged | None]:
    """What was ``packed``."""
    found: dict[At, Averaged | None] = {}
    with np.load(io.BytesIO(content.tobytes()), allow_pickle=False) as arrays:
        for number, (kind, similarity) in enumerate(arrays["at"].tolist()):
            parts = {
                name.partition(" ")[2]: arrays[name]
                for name in arrays.files
                if name.startswith(f"{number} ")
            }
            if not parts:
                found[kind, similarity] = None
                continue
            edges = None
            if "data" in parts:
                csr = parts["data"], parts["indices"], parts["indptr"]
                edges = csr_array(csr, shape=tuple(parts["shape"]))
            items = zip(parts["items"].tolist(), parts["by_item"].tolist(), strict=True)
            score = Score(parts["values"], parts["replicates"], edges)
            arm = ArmScore(score, parts["fixed"], dict(items))
            found[kind, similarity] = Averaged(arm, parts["splits"])
    return found
