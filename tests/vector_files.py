"""Writers of word vectors in every form that is read, for tests."""

import gzip
import io
import json

import numpy as np
from safetensors.numpy import save


def as_text(words, vectors, *, header=False, end="\n", delimiter=" ", trailing=""):
    """GloVe's text format, or word2vec's and fastText's with a header; 9 digits restore float32."""
    lines = [f"{len(words)} {vectors.shape[1]}"] if header else []
    for word, row in zip(words, vectors.tolist(), strict=True):
        lines.append(delimiter.join([word, *(f"{value:.9g}" for value in row)]) + trailing)
    return (end.join(lines) + end).encode()


def as_binary(words, vectors, *, newlines=True):
    end = b"\n" if newlines else b""
    rows = (
        word.encode() + b" " + row.astype("<f4").tobytes() + end
        for word, row in zip(words, vectors, strict=True)
    )
    return f"{len(words)} {vectors.shape[1]}\n".encode() + b"".join(rows)


def as_npz(words, vectors, names=("words", "vec")):
    buffer = io.BytesIO()
    np.savez(buffer, **{names[0]: np.array(words, dtype=str), names[1]: vectors})
    return buffer.getvalue()


def as_safetensors(words, vectors, where="tensor"):
    text = "\n".join(words)
    tensors = {"vectors": vectors}
    if where == "tensor":
        tensors["words"] = np.frombuffer(text.encode(), dtype=np.uint8)
    metadata = {"json": {"words": json.dumps(words)}, "lines": {"words": text}}.get(where)
    return save(tensors, metadata=metadata)


WRITERS = {
    "glove": as_text,
    "header": lambda words, vectors: as_text(words, vectors, header=True),
    "fasttext": lambda words, vectors: as_text(words, vectors, header=True, trailing=" "),
    "tabs": lambda words, vectors: as_text(words, vectors, delimiter="\t"),
    "windows": lambda words, vectors: as_text(words, vectors, header=True, end="\r\n"),
    "binary": as_binary,
    "binary, no newlines": lambda words, vectors: as_binary(words, vectors, newlines=False),
    "npz": as_npz,
    "npz, other names": lambda words, vectors: as_npz(words, vectors, ("a", "b")),
    "safetensors": as_safetensors,
    "safetensors, json": lambda words, vectors: as_safetensors(words, vectors, "json"),
    "safetensors, lines": lambda words, vectors: as_safetensors(words, vectors, "lines"),
    "gzip": lambda words, vectors: gzip.compress(as_text(words, vectors)),
}
