"""A fitted transform for numpy alone: arrays, code that applies them, lines for databases."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import numpy as np

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
_DATABASES = """# This transform before a vector database

Documents and queries pass through the same transform, and are normalised after it. Run these lines
beside `{script}`. `documents` (n, {d}) and `queries` (m, {d}) are vectors of the model, as they
were in the fit.

## FAISS

The index transforms by itself what is added and what is searched.

```python
import faiss
import numpy as np

from apply_transform import fitted

offset, matrix = fitted["offset"], {matrix}
linear = faiss.LinearTransform({d}, {k}, True)
faiss.copy_array_to_vector(matrix.T.astype(np.float32).ravel(), linear.A)
faiss.copy_array_to_vector((-offset @ matrix).astype(np.float32), linear.b)
linear.is_trained = True
index = faiss.IndexPreTransform(faiss.IndexFlatIP({k}))
index.prepend_transform(faiss.NormalizationTransform({k}, 2.0))
index.prepend_transform(linear)  # the last one is applied first
index.add(documents.astype(np.float32))
cosines, rows = index.search(queries.astype(np.float32), 10)
```

## pgvector

```python
import psycopg
from pgvector.psycopg import register_vector

from apply_transform import unit

with psycopg.connect("dbname=mine") as connection:
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    register_vector(connection)
    connection.execute("CREATE TABLE items (id bigint PRIMARY KEY, embedding vector({k}))")
    connection.cursor().executemany(
        "INSERT INTO items VALUES (%s, %s)", list(enumerate(unit(documents)))
    )
    nearest = "SELECT id FROM items ORDER BY embedding <=> %s LIMIT 10"
    rows = [connection.execute(nearest, (query,)).fetchall() for query in unit(queries)]
```

## Qdrant

```python
from qdrant_client import QdrantClient, models

from apply_transform import unit

client = QdrantClient(":memory:")
cosine = models.VectorParams(size={k}, distance=models.Distance.COSINE)
client.create_collection("items", vectors_config=cosine)
client.upload_collection("items", unit(documents), ids=range(len(documents)))
found = [client.query_points("items", query=query, limit=10).points for query in unit(queries)]
```
"""


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
    numbers = {"d": len(affine.offset), "k": affine.width}
    return {
        ARRAYS: out.getvalue(),
        SCRIPT: _CODE.format(about=f"{about}.", arrays=ARRAYS, product=centred, **numbers).encode(),
        DATABASES: _DATABASES.format(script=SCRIPT, matrix=matrix, **numbers).encode(),
    }


def zipped(files: Mapping[str, bytes], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The files by name as one zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()
