"""A fitted transform for numpy alone: arrays, code that applies them, lines for databases."""

import io
import zipfile
from collections.abc import Mapping

import numpy as np

from ..shipped import shipped_file
from .affine import AffineMap, arrays

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
    """The files by name as one zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()
