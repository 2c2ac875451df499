"""Scripts that are served once from a file: Plotly's, and components' that are several modules.

A component of Streamlit's takes one script and sends it again with every message. A short one
that imports the rest from the static folder costs nothing to send again; where that folder can't
be written, the whole script travels.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from contextlib import suppress
from pathlib import Path

STATIC = Path(__file__).parents[3] / "static"  # served under app/static; made here, not in git
IMPORT = re.compile(r'^import\s+\{[^}]*\}\s+from\s+"\./([\w.]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)
# A server says once, when it starts, which script it will serve. Another version may run beside it
# out of the same folder, so that only what no server has started with for so long is removed;
# a server that has run for longer on code since replaced then draws with Plotly.
KEPT = 7 * 24 * 3600  # s
LOADER = """
const loading = import(new URL("{address}", document.baseURI));
export default async function (told) {{
  try {{
    return (await loading).default(told);
  }} catch (error) {{
    console.warn(error);
    told.setTriggerValue("missing", true);
  }}
}}
"""


def bundle(entry: Path) -> str:
    """The module and all that it imports from its folder, as one module.

    Modules share one scope then, so that a name may stand on the top level of one of them only.
    """
    return "\n".join(EXPORT.sub("", IMPORT.sub("", text)) for text in _in_order(entry, {}).values())


def _in_order(entry: Path, known: dict[Path, str]) -> dict[Path, str]:
    """Each module once, behind those that it imports."""
    text = entry.read_text(encoding="utf8")
    for name in IMPORT.findall(text):
        if entry.parent / name not in known:
            _in_order(entry.parent / name, known)
    known[entry] = text
    return known


def served(entry: Path) -> str:
    """The script to give to a component: a loader of the bundle, or the bundle itself.

    A loader that finds nothing triggers "missing".
    """
    script = bundle(entry)
    content = script.encode()
    digest = hashlib.sha256(content).hexdigest()[:16]
    address = put_in_static(f"{entry.stem}-{{}}.js", digest, "[0-9a-f]{16}", content)
    return script if address is None else LOADER.format(address=address)


def put_in_static(name: str, version: str, versions: str, content: bytes) -> str | None:
    """The address under which Streamlit serves the content; None where the folder can't be written.

    name : of the file, with {} for its version.   versions : the expression that versions match, by
    which older ones are found and removed.
    """
    target = STATIC / name.format(version)
    try:
        if target.is_file() and target.stat().st_size == len(content):
            with suppress(OSError):  # no longer ours to touch, still there to be served
                os.utime(target)
        else:
            STATIC.mkdir(exist_ok=True)
            part = STATIC / f"{target.name}.{os.getpid()}"
            part.write_bytes(content)
            part.replace(target)
    except OSError:  # a folder that can't be written
        return None
    _clear_away(name, versions, keep=target)
    return f"app/static/{target.name}"


def _clear_away(name: str, versions: str, *, keep: Path) -> None:
    """Remove other versions of that name, whole or half written, that are older than KEPT."""
    before, after = map(re.escape, name.split("{}"))
    others = re.compile(rf"{before}{versions}{after}(\.\d+)?")
    for path in STATIC.glob(name.format("*") + "*"):
        if path == keep or not others.fullmatch(path.name):
            continue
        with suppress(OSError):  # another server's start has removed it, or it may not be
            if path.stat().st_mtime < time.time() - KEPT:
                path.unlink()
