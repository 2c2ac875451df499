"""The twin clouds of an AppTest run, as they were sent to the browser."""

import json
from dataclasses import dataclass

import numpy as np
from streamlit.testing.v1 import AppTest


@dataclass(frozen=True)
class Sent:
    """A twin cloud: its message, and the frames (n, k) of each packed cloud by name."""

    message: dict
    frames: dict[str, list[np.ndarray]]

    def place(self, name: str) -> np.ndarray:
        """The picture that a stop of this name shows."""
        for view in self.message["views"]:
            if name in view["names"]:
                return self.frames[view["points"]][view["path"][view["names"].index(name)]]
        raise KeyError(name)


def twin_clouds(app: AppTest) -> dict[str, Sent]:
    """Key to ``Sent`` of every twin cloud."""
    messages, arrays = {}, {}
    for part in app.get("bidi_component"):
        if part.proto.component_name == "narrow_cone_twin":
            messages[part.proto.id.rpartition("twin-")[2]] = json.loads(part.proto.bytes)
        elif part.proto.component_name == "narrow_cone_arrays":
            length = int.from_bytes(part.proto.bytes[:4], "little")
            name = part.proto.bytes[4 : 4 + length].decode()
            arrays[name] = part.proto.bytes[4 + length :]
    frames = {name: _frames(body) for name, body in arrays.items()}
    return {key: Sent(message, frames) for key, message in messages.items()}


def _frames(body: bytes) -> list[np.ndarray]:
    length = int.from_bytes(body[:4], "little")
    head = json.loads(body[4 : 4 + length])
    at, found = 4 + length, []
    for about in head.get("frames", []):
        stored = np.frombuffer(body, f"<{about['type']}", head["n"] * head["k"], at)
        at += -(-stored.nbytes // 4) * 4
        found.append(stored.reshape(-1, head["k"]) * about["step"] + about["low"])
    return found
