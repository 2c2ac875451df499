"""The twin clouds of an AppTest run, as they were sent to the browser."""

import json
from dataclasses import dataclass

import numpy as np
from streamlit.testing.v1 import AppTest

from geometry.projection.packing import unpack_cloud


@dataclass(frozen=True)
class Sent:
    """A twin cloud: its message, and its packed arrays by name."""

    message: dict
    bodies: dict[str, bytes]

    @property
    def frames(self) -> dict[str, list[np.ndarray]]:
        """The pictures (n, k) of each packed cloud, by name."""
        clouds = {view["points"] for view in self.message["views"]}
        clouds |= {view["aside"]["points"] for view in self.message["views"] if "aside" in view}
        return {name: unpack_cloud(self.bodies[name]) for name in clouds}

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
    return {key: Sent(message, arrays) for key, message in messages.items()}


def codes_of(cloud: Sent, slot: str) -> list[int]:
    """The array "codes", "dots" or "selected" of a cloud, a whole number for each point."""
    body = cloud.bodies[cloud.message[slot]]
    start = 4 + int.from_bytes(body[:4], "little")
    n = json.loads(body[4:start])["n"]
    return list(body[start : start + n])
