"""Messages to and from the browser: positions, colour codes and selected rows in few bytes.

A message is a length (uint32), a JSON head and the arrays, each padded to a multiple of four bytes;
all numbers are little-endian.
"""

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

STEPS = 65535  # steps of a 16-bit axis
FINEST = 4096  # a step of half-width / FINEST is invisible, also when zoomed in
MOST_CODES = 256


def pack_cloud(keyframes: Sequence[np.ndarray], reach: float) -> bytes:
    """The places of the same n points in one or more pictures, each (n, k), k = 2 or 3.

    An axis is stored in 16-bit steps where a step is less than reach / FINEST, the half-width; a
    picture with far points stays float32.
    """
    frames = [_checked(frame, place) for place, frame in enumerate(keyframes)]
    shapes = {frame.shape for frame in frames}
    if len(shapes) != 1:
        raise ValueError(f"one shape (n, k) for all pictures is needed; got {sorted(shapes)}")
    packed = [_quantised(frame, reach) for frame in frames]
    n, k = frames[0].shape
    head = {"n": n, "k": k, "frames": [about for about, _ in packed]}
    return _message(head, [values for _, values in packed])


def unpack_cloud(message: bytes) -> list[np.ndarray]:
    start = 4 + int.from_bytes(message[:4], "little")
    head = json.loads(message[4:start])
    frames = []
    for about in head["frames"]:
        stored = np.frombuffer(message, f"<{about['type']}", head["n"] * head["k"], start)
        steps = stored.reshape(head["n"], head["k"])
        frames.append(np.asarray(about["low"]) + np.asarray(about["step"]) * steps)
        start += -(-stored.nbytes // 4) * 4
    return frames


def pack_codes(codes: np.ndarray, missing: np.ndarray | None = None) -> bytes:
    """Colour codes of n points: integers below MOST_CODES as bytes, others in 16-bit steps.

    Where values are ``missing``, (n,) of bool, step 0 is theirs alone.
    """
    codes = np.asarray(codes)
    if codes.dtype.kind in "iu":
        if codes.size and not 0 <= codes.min() <= codes.max() < MOST_CODES:
            raise ValueError(
                f"codes must lie in [0, {MOST_CODES}); got {codes.min()}–{codes.max()}"
            )
        return _message({"n": len(codes), "kind": "codes"}, [codes.astype("u1")])
    about, steps = _quantised(_checked(codes[:, None], 0), np.inf)
    low = about["low"][0]
    head = {"n": len(codes), "kind": "values", "low": low, "high": low + about["step"][0] * STEPS}
    if missing is not None and missing.any():
        head["hasMissing"] = True
        steps = np.where(missing[:, None], 0, np.maximum(steps, 1)).astype("<u2")
    return _message(head, [steps])


def unpack_rows(text: str, n: int) -> np.ndarray:
    """The rows that were selected in the browser among n: ascending integers.

    text : "bits:" and a bitmap, lowest bit first, or "rows:" and uint32, both in base64. ValueError
    for anything else, and for a row of n or above.
    """
    kind, _, body = text.partition(":")
    try:
        raw = base64.b64decode(body, validate=True)
    except ValueError as error:
        raise ValueError("a selection must be base64 behind its kind") from error
    if kind == "bits" and len(raw) == -(-n // 8):
        flags = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")
        if flags[n:].any():
            raise ValueError(f"a selection names rows beyond {n}")
        return np.flatnonzero(flags[:n])
    if kind == "rows" and len(raw) % 4 == 0:
        rows = np.unique(np.frombuffer(raw, "<u4")).astype(np.int64)
        if rows.size and rows[-1] >= n:
            raise ValueError(f"a selection names row {rows[-1]} of {n}")
        return rows
    raise ValueError(f"a selection of {n} rows must be a bitmap or a list of rows; got {kind!r}")


def _checked(frame: np.ndarray, place: int) -> np.ndarray:
    frame = np.asarray(frame, dtype=np.float64)
    if frame.ndim != 2:
        raise ValueError(f"a picture must be (n, k); got {frame.shape}")
    broken = ~np.isfinite(frame).all(axis=1)
    if broken.any():
        row = int(broken.argmax())
        raise ValueError(f"picture {place}: point {row} has NaN or infinity; clean it first")
    return frame


def _quantised(frame: np.ndarray, reach: float) -> tuple[dict[str, Any], np.ndarray]:
    """(the array's entry in the head, the array to send), where value = low + step * stored."""
    n, k = frame.shape
    low = frame.min(axis=0) if n else np.zeros(k)
    step = (frame.max(axis=0) - low) / STEPS if n else np.zeros(k)
    if n and step.max() * FINEST > reach:
        return {"type": "f4", "low": [0.0] * k, "step": [1.0] * k}, frame.astype("<f4")
    stored = np.rint((frame - low) / np.where(step > 0, step, 1.0)).astype("<u2")
    return {"type": "u2", "low": low.tolist(), "step": step.tolist()}, stored


def _message(head: dict[str, Any], arrays: Sequence[np.ndarray]) -> bytes:
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 4)
    parts = [len(text).to_bytes(4, "little"), text]
    for array in arrays:
        body = array.tobytes()
        parts += [body, b"\0" * (-len(body) % 4)]
    return b"".join(parts)
