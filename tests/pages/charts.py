"""The charts of an AppTest run, as they were sent to the browser."""

import base64
import json
import re

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
