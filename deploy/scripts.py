"""Bundle the components' scripts with esbuild into ``assets/components/built``, which git tracks.

    make scripts

It installs esbuild by ``package-lock.json`` and runs this. ``sources.json`` records what the built
files were made from, so that a test without Node finds a source that changed since.
"""

import json
import subprocess
import tempfile
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPONENTS = ROOT / "assets" / "components"
BUILT = COMPONENTS / "built"
RECORD = "sources.json"
ENTRIES = ("twin_cloud/twin_cloud.js", "plane.js", "hull.js", "notebook.js", "saved.js")
# The banner also gives each bundle a second line: Streamlit takes a script of one line for a path.
BANNER = "// Built by make scripts from assets/components."
OPTIONS = (
    *("--bundle", "--minify", "--format=esm", "--charset=utf8", "--loader:.html=text"),
    f"--banner:js={BANNER}",
)
ESBUILD = ROOT / "node_modules" / ".bin" / "esbuild"


def build(folder: Path) -> None:
    """Write the bundles and their record into a folder."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        record = Path(place) / "meta.json"
        where = (f"--outdir={folder}", "--entry-names=[name]", f"--metafile={record}")
        command = (ESBUILD, *ENTRIES, *OPTIONS, *where, "--log-level=warning")
        subprocess.run(command, cwd=COMPONENTS, check=True)
        inputs = json.loads(record.read_text(encoding="utf-8"))["inputs"]
    found = {
        "esbuild": esbuild_version(),
        "sources": {name: digest_of(COMPONENTS / name) for name in sorted(inputs)},
        "built": {path.name: digest_of(path) for path in sorted(folder.glob("*.js"))},
    }
    (folder / RECORD).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def esbuild_version() -> str:
    """The version that ``package.json`` names."""
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    return str(package["devDependencies"]["esbuild"])


def digest_of(path: Path) -> str:
    """Of a file's bytes."""
    return sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    build(BUILT)
