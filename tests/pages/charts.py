"""The charts of an AppTest run, as they were sent to the browser."""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest


def charts(app: AppTest) -> dict[str, dict]:
    """Key to {"figure": …, "alt": …} of every chart."""
    found = {}
    for part in app.get("bidi_component"):
        if part.proto.component_name == "narrow_cone_chart":
            message = json.loads(part.proto.bytes)
            key = re.sub(r"^.*plot-", "", part.proto.id)
            found[key] = {"figure": json.loads(message["figure"]), "alt": message["alt"]}
    return found


def array(packed: dict[str, str]) -> np.ndarray:
    """An array as Plotly's JSON packs it."""
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])


def strings_in(value: Any) -> Iterator[str]:
    """The texts of a figure, such as hover texts; not its arrays of numbers."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from strings_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings_in(each)
