"""The pages from the shell: narrow-cone app, narrow-cone class."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import click

from ..errors import need
from ..hub.operator_limits import FILE_VARIABLE
from .shell import shell

PORT = click.option("--port", default=8501, type=click.IntRange(1, 65000))


def app_folder() -> Path:
    """The folder of app.py: beside the installed package, or the checkout."""
    beside = Path(__file__).resolve().parents[2]
    installed = beside / "narrow_cone_app"
    return installed if installed.is_dir() else beside


def is_free(port: int, address: str = "0.0.0.0") -> bool:
    with socket.socket() as probe:
        if os.name != "nt":  # on Windows it would take a port that another server has
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


@shell.command()
@click.argument(
    "file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@PORT
@click.option(
    "--browser/--no-browser", default=True, show_default=False, help="Whether to open a browser."
)
def app(file: Path | None, port: int, browser: bool) -> int:
    """Serve the pages on this machine, until Ctrl+C. With FILE, they begin with that file.

    \b
    narrow-cone app
    narrow-cone app vectors.parquet
    """
    need("app", "streamlit", "plotly")
    if not is_free(port, "127.0.0.1"):
        raise click.ClickException(f"port {port} is in use. Choose another: --port {port + 1}")
    given = {} if file is None else {FILE_VARIABLE: str(file.resolve())}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    if not browser:
        command += ["--server.headless", "true"]
    with suppress(OSError):  # where it can't be written, the pages send their scripts themselves
        (app_folder() / "static").mkdir(exist_ok=True)
    click.echo(f"Narrow Cone: http://localhost:{port} (Ctrl+C ends it)")
    return _run(command, given, stdout=subprocess.DEVNULL)  # it would name the address too


@shell.command("class")
@PORT
def serve_class(port: int) -> int:
    """Serve a class on the local network: prints an address and a QR code; until Ctrl+C."""
    need("app", "streamlit", "plotly", "segno", "psutil")
    return _run([sys.executable, "-m", "pages.common.classroom.serve", str(port)], {})


def end_with_children() -> None:
    """Make SIGTERM end this process by an exception, so that it ends what it has started."""
    signal.signal(signal.SIGTERM, lambda *_given: sys.exit(128 + signal.SIGTERM))


def _run(command: list[str], given: dict[str, str], stdout: int | None = None) -> int:
    env = os.environ | given
    end_with_children()
    try:
        return subprocess.run(command, cwd=app_folder(), env=env, stdout=stdout).returncode
    except KeyboardInterrupt:
        return 0
