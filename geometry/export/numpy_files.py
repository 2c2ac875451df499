"""A fitted transform for numpy alone: the arrays, and ten lines of Python that apply them."""

from __future__ import annotations

import io

import numpy as np

from .affine import AffineMap

ARRAYS = "transform.npz"
SCRIPT = "apply_transform.py"
_CODE = '''"""{about}"""

import numpy as np

fitted = np.load("{arrays}")


def transform(X):
    """Rows X (n, {d}) to rows (n, {k})."""
    return (np.asarray(X) - fitted["offset"]) @ fitted["matrix"]
'''


def numpy_files(affine: AffineMap) -> dict[str, bytes]:
    """The files by name: the arrays, float64, and the script that reads them beside it."""
    out = io.BytesIO()
    np.savez(out, offset=affine.offset, matrix=affine.matrix)
    settings = ", ".join(f"{name}: {value}" for name, value in affine.about.items())
    # a name may contain quotes, which must not end the docstring
    about = settings.replace("\\", "/").replace('"', "'").replace("\n", " ") or "An affine map"
    d, k = affine.matrix.shape
    return {
        ARRAYS: out.getvalue(),
        SCRIPT: _CODE.format(about=f"{about}.", arrays=ARRAYS, d=d, k=k).encode(),
    }
