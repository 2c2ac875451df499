"""The components in the browser.

Streamlit sends a component's script with every message, so a large one is in the static folder.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from geometry.data.write import write
from geometry.shipped import shipped_file

COMPONENTS = shipped_file("components")
STATIC = Path(__file__).parents[3] / "static"  # served under app/static; git ignores it
# A server chooses its script when it starts. A server of another version may use the same folder,
# so a script is removed only when no server has started with it for this long. A server that has
# run for longer on replaced code then draws with Plotly.
EXPIRY = 7 * 24 * 3600  # seconds
LOADER = """
const loading = import(new URL("{address}", document.baseURI));
export default async function (component) {{
  try {{
    return (await loading).default(component);
  }} catch (error) {{
    console.warn(error);
    component.setTriggerValue("missing", true);
  }}
}}
"""


def send(
    name: str,
    key: str,
    message: Any = None,
    *,
    html: str = "",
    css: str = "",
    script: Callable[[], str] | None = None,
    **accept: Callable[[Any], None] | None,  # by event: gets its value before the rerun
) -> None:
    """Send a message to the component of assets/components/<name>.js, or of another script."""
    if message is not None and not isinstance(message, bytes):
        # bytes: for a dictionary Streamlit would import pandas to look for data frames in it
        message = json.dumps(message).encode()

    def heard(event: str) -> None:
        # a picture that said twice that it can't be drawn is gone at the second time
        state = st.session_state.get(key, {"missing": True})
        function, value = accept[event], state.get(event)
        if function is not None and value is not None:
            function(value)

    callbacks = {f"on_{event}_change": partial(heard, event) for event in accept}
    component(name, html, css, script)(key=key, data=message, **callbacks)


@st.cache_resource(show_spinner=False)
def component(
    name: str, _html: str, _css: str, _script: Callable[[], str] | None
) -> Callable[..., Any]:
    """The component of that name; one with HTML follows the page's styles and tab order."""
    return st.components.v2.component(
        f"narrow_cone_{name}",
        html=_html or None,
        css=_css or None,
        js=_script() if _script else (COMPONENTS / f"{name}.js").read_text(encoding="utf8"),
        isolate_styles=not _html,
    )


def built(name: str) -> str:
    """The bundle of that name, as `make scripts` has written it."""
    return (COMPONENTS / "built" / f"{name}.js").read_text(encoding="utf8")


def served(name: str) -> str:
    """A loader of the bundle, which triggers "missing" if it finds no file; or the bundle."""
    script = built(name)
    digest = hashlib.sha256(script.encode()).hexdigest()[:16]
    address = put_in_static(f"{name}-{{}}.js", digest, script.encode())
    return script if address is None else LOADER.format(address=address)


def put_in_static(name: str, version: str, content: bytes) -> str | None:
    """The address of content that Streamlit then serves; None if the folder can't be written."""
    target = STATIC / name.format(version)
    try:
        if target.is_file() and target.stat().st_size == len(content):
            with suppress(OSError):  # the file of another user can still be served
                os.utime(target)
        else:
            STATIC.mkdir(exist_ok=True)
            write(target, content)
    except OSError:  # the folder can't be written
        return None
    for path in STATIC.glob(name.format("*")):
        with suppress(OSError):  # another server has removed the file, or it may not be removed
            if path != target and path.stat().st_mtime < time.time() - EXPIRY:
                path.unlink()
    return f"app/static/{target.name}"
