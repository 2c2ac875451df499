"""A fitted transform as one affine map of rows, and its safetensors file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..data.limits import LIMITS, Limits
from ..data.write import write
from ..errors import GeometryError
from ..linalg.products import centred_product
from ..linalg.rows import need_width, unchecked_rows

FORMAT = "narrow-cone affine map 1"
NAMES = ("offset", "matrix")


class ExportError(GeometryError):
    """A transform, an encoder or a file that can't be exported or loaded."""

    subject = "export"


@dataclass(frozen=True)
class AffineMap:
    """z = (x - offset) matrix.

    Attributes
    ----------
    offset : (d,) array of float64
    matrix : (d, k) array of float64
    about : mapping of str to str
        How it was fitted: settings, rows of the fit, and what the caller adds, such as model,
        layer and pooling.
    """

    offset: np.ndarray
    matrix: np.ndarray
    about: Mapping[str, str] = field(default_factory=dict)

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n, d) to (n, k); float32 stays float32.

        Raises ValueError for another width, and naming the first row that has NaN or infinity.
        """
        X = unchecked_rows(X, at_least=0)
        need_width(X, len(self.offset))
        return centred_product(X, self.offset.astype(X.dtype), self.matrix.astype(X.dtype))


def affine_map(fitted: Any, **about: object) -> AffineMap:
    """The affine map of a fitted transform.

    Parameters
    ----------
    fitted : object
        An estimator (``Whitening``, ``CommonComponentRemoval``, ``WeightedRemoval``), a
        ``Treatment``, or one of their maps.
    **about
        What else the file should state: model, layer, pooling, fit set.

    Raises
    ------
    ExportError
        "not_affine" for a transform that is no affine map, such as a flow or a removal by cluster.
    """
    name = getattr(fitted, "name", type(fitted).__name__)
    for holder in ("map_", "fitted"):
        fitted = getattr(fitted, holder, fitted)
    if isinstance(fitted, AffineMap):
        return AffineMap(fitted.offset, fitted.matrix, {**fitted.about, **_texts(about)})
    if not hasattr(fitted, "affine"):
        raise ExportError("not_affine", name=name)
    offset, matrix, settings = fitted.affine
    settings["rows of the fit"] = fitted.n_rows
    offset, matrix = (np.asarray(part, dtype=np.float64) for part in (offset, matrix))
    return AffineMap(offset, matrix, _texts(settings | about))


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def save_transform(path: str | os.PathLike[str], fitted: Any, **about: object) -> None:
    """Write a fitted transform as safetensors: offset (d,), matrix (d, k), and how it was fitted.

    Parameters
    ----------
    path : str or path
    fitted : object
        As in ``affine_map``.
    **about
        As in ``affine_map``.
    """
    write(Path(path), transform_bytes(affine_map(fitted, **about)))


def transform_bytes(affine: AffineMap) -> bytes:
    """The content of the file of ``save_transform``."""
    from safetensors.numpy import save

    tensors = {name: np.ascontiguousarray(getattr(affine, name)) for name in NAMES}
    metadata = {"format": FORMAT, "about": json.dumps(dict(affine.about), ensure_ascii=False)}
    return save(tensors, metadata=metadata)


def load_transform(path: str | os.PathLike[str], *, limits: Limits = LIMITS) -> AffineMap:
    """The map of a file that ``save_transform`` wrote. No code in a file is run.

    Parameters
    ----------
    path : str or path
    limits : Limits
        Limits of the file's size and of the dimensions.

    Raises
    ------
    ExportError
        If the file is damaged, another kind of file, or larger than the limits.
    OSError
        If it can't be read.
    """
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    size = path.stat().st_size
    if size > limits.table_bytes:
        raise ExportError("large_file", name=path.name, size=size, limit=limits.table_bytes)
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT or sorted(file.keys()) != sorted(NAMES):
                raise ExportError("other_file", name=path.name)
            offset, matrix = (file.get_tensor(name) for name in NAMES)
        about = json.loads(metadata.get("about", "{}"))
    except (SafetensorError, TypeError, ValueError, RecursionError) as error:
        # a TypeError for numbers that numpy lacks, such as bfloat16
        if isinstance(error, ExportError):
            raise
        raise ExportError("damaged_transform", name=path.name) from error
    d = len(offset) if offset.ndim == 1 else 0
    is_sound = (
        matrix.ndim == 2
        and len(matrix) == d
        and min(d, matrix.shape[1]) >= 1
        and all(part.dtype.kind == "f" and np.isfinite(part).all() for part in (offset, matrix))
        and isinstance(about, dict)
    )
    if not is_sound:
        raise ExportError("damaged_transform", name=path.name)
    if max(matrix.shape) > limits.dimensions:
        raise ExportError(
            "wide_transform", name=path.name, found=max(matrix.shape), limit=limits.dimensions
        )
    return AffineMap(offset.astype(np.float64), matrix.astype(np.float64), _texts(about))
