"""The server of deploy/Dockerfile without Docker: its files, user, environment and command.

python -m tests.deploy.image FOLDER, as root in a network and a mount namespace of its own. FOLDER
has the subfolders app and cache. Prints the results as JSON.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from bench.reader import PageError, Reader

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
SYSTEM = ("bin", "etc", "lib", "lib64", "usr", "dev", "proc", "sys")
PATIENCE = 120  # seconds until the server is healthy


def lines_of(instruction: str) -> list[str]:
    return re.findall(rf"^{instruction} +(.+)$", DOCKERFILE, re.MULTILINE)


def command_of(instruction: str) -> list[str]:
    """The program and its arguments after CMD, or after the CMD of HEALTHCHECK."""
    [text] = lines_of(instruction)
    command: list[str] = json.loads(text[text.index("[") :])
    return command


def environment() -> dict[str, str]:
    pairs = (pair.split("=", 1) for text in lines_of("ENV") for pair in text.split())
    return dict(pairs)


def user_id() -> str:
    [found] = re.findall(r"useradd .*--uid (\d+)", DOCKERFILE)
    return str(found)


def main(folder: Path) -> dict[str, object]:
    root = folder / "root"
    _build(root, folder)
    inside = [
        *("chroot", str(root), "setpriv", f"--reuid={user_id()}", f"--regid={user_id()}"),
        *("--clear-groups", "--no-new-privs", "--bounding-set=-all"),
        *("env", "-i", "--chdir=/app", f"PATH={Path(sys.prefix).resolve()}/bin:/usr/bin:/bin"),
        *(f"{name}={value}" for name, value in environment().items()),
        "HF_HUB_OFFLINE=1",  # of compose.yaml
    ]
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with (folder / "log").open("w") as log:
        server = subprocess.Popen([*inside, *command_of("CMD")], stdout=log, stderr=log)
        try:
            found: dict[str, object] = {"healthy": _is_healthy(inside, server)}
            found["user"] = _user_of(server.pid)
            found["written"] = [
                place
                for place in ("/app/file", "/etc/file", "/cache/file", "/tmp/file")
                if subprocess.run([*inside, "touch", place], check=False).returncode == 0
            ]
            found["texts"] = asyncio.run(_visit())
        finally:
            server.kill()
            server.wait()
    return found


def _build(root: Path, folder: Path) -> None:
    """Build a root file system in which only /cache and /tmp are writable."""

    def mount(source: Path, target: str, *, read_only: bool = True) -> None:
        place = root / target.lstrip("/")
        place.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "--rbind", str(source), str(place)], check=True)
        if read_only:
            subprocess.run(["mount", "-o", "remount,bind,ro", str(place)], check=True)

    root.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "none", str(root)], check=True)
    for name in SYSTEM:
        if (source := Path("/") / name).exists():
            mount(source, name, read_only=name not in ("dev", "proc", "sys"))
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    subprocess.run(["mount", "-t", "tmpfs", "none", str(root / "tmp")], check=True)
    for prefix in dict.fromkeys((Path(sys.base_prefix), Path(sys.prefix).resolve())):
        if prefix != Path("/usr"):
            mount(prefix, str(prefix))
    mount(folder / "app", "app")
    os.chown(folder / "cache", int(user_id()), int(user_id()))
    mount(folder / "cache", "cache", read_only=False)
    subprocess.run(["mount", "-o", "remount,ro", str(root)], check=True)


def _is_healthy(inside: list[str], server: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        if subprocess.run([*inside, *command_of("HEALTHCHECK")], check=False).returncode == 0:
            return True
        time.sleep(0.5)
    return False


def _user_of(pid: int) -> str:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return re.findall(r"^Uid:\s+(\d+)", status, re.MULTILINE)[0]


async def _visit() -> list[str]:
    """The files that two visits write: one encodes a layer, one fits UMAP."""
    texts = []
    for query in ("layer=2", "view=umap"):
        async with Reader(8501, "narrow_cone", query=query) as reader:
            try:
                await reader.open()
            except PageError as error:
                texts.append(f"error: {error}")
            texts += reader.texts
    return texts


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]))) + "\n")
