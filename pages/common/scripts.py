"""Components' scripts that are several modules: put together, and served once from a file.

A component of Streamlit's takes one script and sends it again with every message. A short one
that imports the rest from the static folder costs nothing to send again; where that folder can't
be written, the whole script travels.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

STATIC = Path(__file__).parents[2] / "static"  # what Streamlit serves under app/static
IMPORT = re.compile(r'^import\s+\{[^}]*\}\s+from\s+"\./([\w.]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)
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
        if not target.is_file():
            STATIC.mkdir(exist_ok=True)
            part = STATIC / f"{target.name}.{os.getpid()}"
            part.write_text(script, encoding="utf8")
            part.replace(target)
    except OSError:  # a folder that can't be written
        return script
    return LOADER.format(address=f"app/static/{target.name}")
