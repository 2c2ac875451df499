"""Scripts that the browser fetches once from the static folder: Plotly and large components.

Streamlit sends a component's script again with every message. So the component gets a short
script that imports the rest from the static folder. If that folder can't be written, the
component gets the whole script.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from contextlib import suppress
from pathlib import Path

from geometry.data.shipped import shipped_file
from geometry.data.write import PART, write

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


def built(name: str) -> str:
    """The bundle of that name, as `make scripts` has written it."""
    return shipped_file(f"components/built/{name}.js").read_text(encoding="utf8")


def served(name: str) -> str:
    """The script to give to a component: a loader of the bundle, or the bundle itself.

    If the loader finds no file, it triggers "missing".
    """
    script = built(name)
    content = script.encode()
    digest = hashlib.sha256(content).hexdigest()[:16]
    address = put_in_static(f"{name}-{{}}.js", digest, "[0-9a-f]{16}", content)
    return script if address is None else LOADER.format(address=address)


def put_in_static(name: str, version: str, versions: str, content: bytes) -> str | None:
    """The address under which Streamlit serves the content; None if the folder can't be written.

    {} in the name is its version. Older files are found by the pattern ``versions``, and removed.
    """
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
    _clear_away(name, versions, keep=target)
    return f"app/static/{target.name}"


def _clear_away(name: str, versions: str, *, keep: Path) -> None:
    """Remove other versions of that name, whole or half written, that are older than EXPIRY."""
    before, after = map(re.escape, name.split("{}"))
    own = f"{before}{versions}{after}"
    others = re.compile(rf"{own}|\.{own}\.\w+{re.escape(PART)}")
    for path in STATIC.iterdir():
        if path == keep or not others.fullmatch(path.name):
            continue
        with suppress(OSError):  # another server has removed the file, or it may not be removed
            if path.stat().st_mtime < time.time() - EXPIRY:
                path.unlink()
