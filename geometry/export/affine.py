"""A fitted transform as one affine map of rows, and its files: safetensors, ONNX, NumPy."""

import io
import json
import os
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from ..data.limits import LIMITS, Limits
from ..data.write import write
from ..errors import GeometryError, need
from ..linalg.moments import Fingerprint
from ..linalg.products import centred_product
from ..linalg.rows import need_width, refuse_not_finite, unchecked_rows
from ..shipped import shipped_file

FORMAT = "narrow-cone affine map 2"
FORMAT_1 = "narrow-cone affine map 1"  # always with a matrix, never with a fingerprint
FINGERPRINT = ("fit_mean", "fit_deviations", "fit_rows")
OPSET = 17
IR_VERSION = 8  # version of the file format; older runtimes read it too
INPUT, OUTPUT = "embeddings", "transformed"
ARRAYS = "transform.npz"
SCRIPT = "apply_transform.py"
DATABASES = "databases.md"
_CODE = '''"""{about}"""

from pathlib import Path

import numpy as np

fitted = np.load(Path(__file__).with_name("{arrays}"))


def transform(X):
    """Rows X (n, {d}) to rows (n, {k})."""
    return {product}


def unit(X):
    """The transformed rows at unit length, float32: their inner product is the cosine."""
    Z = transform(X)
    return (Z / np.linalg.norm(Z, axis=1, keepdims=True)).astype(np.float32)
'''


class ExportError(GeometryError):
    """A transform, an encoder or a file that can't be exported or loaded."""

    subject = "export"


class OtherCloudWarning(UserWarning):
    """Vectors that are far from those that a transform was fitted on."""


@dataclass(frozen=True)
class AffineMap:
    """z = (x - offset) matrix, or x - offset."""

    offset: np.ndarray  #: (d,) float64
    matrix: np.ndarray | None  #: (d, k) float64; None for the identity: a centring
    #: settings, rows of the fit, and what the caller adds, such as model, layer and pooling
    about: Mapping[str, str] = field(default_factory=dict)
    fingerprint: Fingerprint | None = None  #: where the rows of the fit lie

    @property
    def width(self) -> int:
        """k, the numbers of a row after the map."""
        return len(self.offset) if self.matrix is None else self.matrix.shape[1]

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n, d) to (n, k); float32 stays float32.

        Warns with OtherCloudWarning if X is far from the rows of the fit. Raises ValueError for
        another width, and naming the first row that has NaN or infinity.
        """
        Z = self.apply_to_part(X)
        if (doubt := self.doubt_of(X)) is not None:
            warnings.warn(doubt, OtherCloudWarning, stacklevel=2)
        return Z

    def apply_to_part(self, X: np.ndarray) -> np.ndarray:
        """``apply`` without the warning, for a part of a cloud."""
        X = unchecked_rows(X, at_least=0)
        need_width(X, len(self.offset))
        offset = self.offset.astype(X.dtype)
        if self.matrix is None:
            refuse_not_finite(X)
            return np.asarray(X - offset)
        return centred_product(X, offset, self.matrix.astype(X.dtype))

    def doubt_of(self, X: np.ndarray) -> str | None:
        """A sentence if X (n, d) is far from the rows of the fit (``Fingerprint``), else None."""
        X = np.asarray(X)
        is_far = self.fingerprint is not None and len(X) and self.fingerprint.is_far(X)
        return str(ExportError("other_cloud")) if is_far else None


def affine_map(fitted: Any, **about: object) -> AffineMap:
    """The affine map of a fitted transform: an estimator, a ``Treatment``, or one of their maps.

    ``about`` is what else the file should state: model, layer, pooling, fit set. ExportError
    "not_affine" for a transform that is no affine map, such as a flow or a removal by cluster.
    """
    name = getattr(fitted, "name", type(fitted).__name__)
    for holder in ("map_", "fitted"):
        fitted = getattr(fitted, holder, fitted)
    if isinstance(fitted, AffineMap):
        return replace(fitted, about={**fitted.about, **_texts(about)})
    if not hasattr(fitted, "affine"):
        raise ExportError("not_affine", name=name)
    offset, matrix, settings = fitted.affine
    settings["rows of the fit"] = fitted.n_rows
    return AffineMap(
        np.asarray(offset, dtype=np.float64),
        None if matrix is None else np.asarray(matrix, dtype=np.float64),
        _texts(settings | about),
        getattr(fitted, "fingerprint", None),
    )


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def save_transform(path: str | os.PathLike[str], fitted: Any, **about: object) -> None:
    """Write a fitted transform as safetensors; parameters as in ``affine_map``.

    Parameters
    ----------
    path : str or path
    fitted : object
    **about
    """
    write(Path(path), transform_bytes(affine_map(fitted, **about)))


def transform_bytes(affine: AffineMap) -> bytes:
    """The content of the file of ``save_transform``."""
    tensors = {name: np.array(part, order="C") for name, part in arrays(affine).items()}
    metadata = {"format": FORMAT, "about": json.dumps(dict(affine.about), ensure_ascii=False)}
    return save(tensors, metadata=metadata)


def arrays(affine: AffineMap) -> dict[str, np.ndarray]:
    """Its arrays by their names in files: offset, matrix unless it is None, and FINGERPRINT."""
    found = {"offset": affine.offset}
    if affine.matrix is not None:
        found["matrix"] = affine.matrix
    if affine.fingerprint is not None:
        each = affine.fingerprint
        parts = (each.mean, each.deviations, np.array(float(each.n_rows)))
        found |= dict(zip(FINGERPRINT, parts, strict=True))
    return found


def load_transform(path: str | os.PathLike[str], *, limits: Limits = LIMITS) -> AffineMap:
    """The map of a file that ``save_transform`` wrote. No code in a file is run.

    ExportError if the file is damaged, of another kind, or larger than the limits.
    """
    path = Path(path)
    size = path.stat().st_size
    if size > limits.table_bytes:
        raise ExportError("large_file", name=path.name, size=size, limit=limits.table_bytes)
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            names = set(file.keys())
            is_known = metadata.get("format") in (FORMAT, FORMAT_1) and "offset" in names
            if not is_known or names - {"offset", "matrix", *FINGERPRINT}:
                raise ExportError("other_file", name=path.name)
            parts = {name: file.get_tensor(name) for name in names}
        about = json.loads(metadata.get("about", "{}"))
        if not (isinstance(about, dict) and _is_sound(parts)):
            raise ExportError("damaged_transform", name=path.name)
    except ExportError:
        raise
    except (SafetensorError, TypeError, ValueError, RecursionError) as error:
        # a TypeError for numbers that numpy lacks, such as bfloat16
        raise ExportError("damaged_transform", name=path.name) from error
    parts = {name: part.astype(np.float64) for name, part in parts.items()}
    fingerprint = None
    if FINGERPRINT[0] in parts:
        mean, deviations, n_rows = (parts[name] for name in FINGERPRINT)
        fingerprint = Fingerprint(mean, deviations, int(n_rows))
    found = AffineMap(parts["offset"], parts.get("matrix"), _texts(about), fingerprint)
    widest = max(len(found.offset), found.width)
    if widest > limits.dimensions:
        raise ExportError("wide_transform", name=path.name, found=widest, limit=limits.dimensions)
    return found


def _is_sound(parts: Mapping[str, np.ndarray]) -> bool:
    """Whether these arrays of a file are finite, of shapes that fit, and no part is missing."""
    d = parts["offset"].size
    k = parts["matrix"].shape[-1:] if "matrix" in parts else (1,)
    of_fit = [parts[name] for name in FINGERPRINT if name in parts]
    shapes = {"offset": (d,), "matrix": (d, *k)}
    shapes |= dict(zip(FINGERPRINT, ((d,), (d,), ()), strict=True))
    return bool(
        d
        and all(k)
        and all(part.dtype.kind == "f" and np.isfinite(part).all() for part in parts.values())
        and all(part.shape == shapes[name] for name, part in parts.items())
        and len(of_fit) in (0, 3)
        and (not of_fit or ((of_fit[1] > 0).all() and of_fit[2] >= 1))
    )


def onnx_bytes(affine: AffineMap) -> bytes:
    """The ONNX model: "embeddings" (n, d) float32 to "transformed" (n, k) float32.

    Its metadata have how it was fitted, and mean, deviations and number of the rows of the fit.
    """
    need("onnx", "onnx")
    from onnx import TensorProto, checker, helper, numpy_helper

    parts = arrays(affine)
    of_fit = {name: json.dumps(parts.pop(name).tolist()) for name in FINGERPRINT if name in parts}
    centred = "centred" if "matrix" in parts else OUTPUT
    nodes = [helper.make_node("Sub", [INPUT, "offset"], [centred])]
    if "matrix" in parts:
        nodes.append(helper.make_node("MatMul", ["centred", "matrix"], [OUTPUT]))
    graph = helper.make_graph(
        nodes,
        "transform",
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["n", len(affine.offset)])],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["n", affine.width])],
        [numpy_helper.from_array(part.astype(np.float32), name) for name, part in parts.items()],
    )
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    helper.set_model_props(model, {**affine.about, **of_fit})
    checker.check_model(model)
    return bytes(model.SerializeToString())


def numpy_files(affine: AffineMap) -> dict[str, bytes]:
    """The files by name: the arrays, the script that reads them beside it, lines for databases."""
    out = io.BytesIO()
    np.savez(out, **arrays(affine))  # type: ignore[arg-type]
    settings = ", ".join(f"{name}: {value}" for name, value in affine.about.items())
    # a name may contain quotes, which must not end the docstring
    about = settings.replace("\\", "/").replace('"', "'").replace("\n", " ") or "An affine map"
    centred, matrix = 'np.asarray(X) - fitted["offset"]', f"np.eye({affine.width})"
    if affine.matrix is not None:
        centred, matrix = f'({centred}) @ fitted["matrix"]', 'fitted["matrix"]'
    databases = shipped_file("databases.md").read_text(encoding="utf-8")
    numbers = {"d": len(affine.offset), "k": affine.width}
    return {
        ARRAYS: out.getvalue(),
        SCRIPT: _CODE.format(about=f"{about}.", arrays=ARRAYS, product=centred, **numbers).encode(),
        DATABASES: databases.format(script=SCRIPT, matrix=matrix, **numbers).encode(),
    }


def zipped(files: Mapping[str, bytes], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()
