"""Components' scripts that are several modules: put together, and served once from a file.

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

STATIC = Path(__file__).parents[2] / "static"  # what Streamlit serves under app/static
IMPORT = re.compile(r'^import\s+\{[^}]*\}\s+from\s+"\./([\w.]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)
# A server says once, when it starts, which bundle it will serve. Another version may run beside it
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
    digest = hashlib.sha256(script.encode()).hexdigest()[:16]
    target = STATIC / f"{entry.stem}-{digest}.js"
    try:
        if target.is_file():
            with suppress(OSError):  # no longer ours to touch, still there to be served
                os.utime(target)
        else:
            STATIC.mkdir(exist_ok=True)
            part = STATIC / f"{target.name}.{os.getpid()}"
            part.write_text(script, encoding="utf8")
            part.replace(target)
    except OSError:  # a folder that can't be written
        return script
    _clear_away(entry.stem, keep=target)
    return LOADER.format(address=f"app/static/{target.name}")


def _clear_away(stem: str, *, keep: Path) -> None:
    """Remove other bundles of that name, whole or half written, that are older than KEPT."""
    bundles = re.compile(rf"{re.escape(stem)}-[0-9a-f]{{16}}\.js(\.\d+)?")
    for path in STATIC.glob(f"{stem}-*"):
        if path == keep or not bundles.fullmatch(path.name):
            continue
        with suppress(OSError):  # another server's start has removed it, or it may not be
            if path.stat().st_mtime < time.time() - KEPT:
                path.unlink()
