"""Serve the app to a class on the local network: ``make class``, with deploy/class.toml."""

import ipaddress
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path

import click
import psutil
import segno

from geometry.commands.app import end_with_children, is_free

ROOT = Path(__file__).resolve().parents[3]
CONFIG = ROOT / "deploy" / "class.toml"
EVERYWHERE = "0.0.0.0"
MOST_SERVERS, MEMORY_EACH = 4, 1_500_000_000  # bytes
SHORTEST = 10.0  # seconds; a server that ends before can't start


def addresses() -> list[str]:
    """This machine's IPv4 addresses on its networks; that of the default route first."""
    found = [
        ipaddress.ip_address(each.address)
        for each_interface in psutil.net_if_addrs().values()
        for each in each_interface
        if each.family is socket.AF_INET
    ]
    outside = [each for each in found if not (each.is_loopback or each.is_link_local)]
    first = _of_default_route()
    return sorted(map(str, sorted(outside)), key=lambda each: each != first)


def _of_default_route() -> str:
    """The address by which this machine reaches others; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation, which nobody has
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def n_servers() -> int:
    """One for each core, because one process runs one page at a time; fewer with little memory."""
    by_memory = psutil.virtual_memory().available // MEMORY_EACH
    return max(1, min(MOST_SERVERS, psutil.cpu_count() or 1, by_memory))


class Door(ThreadingHTTPServer):
    """What students open: it sends each browser to the next server, where the browser stays."""

    def __init__(self, port: int, hosts: Sequence[str], servers: Sequence[int]) -> None:
        super().__init__((EVERYWHERE, port), _Redirect)
        self.hosts, self.servers = frozenset(hosts), cycle(servers)


class _Redirect(BaseHTTPRequestHandler):
    server: Door
    timeout = 10  # seconds, so that a silent connection does not stay

    def do_GET(self) -> None:
        host = self.headers.get("Host", "").rpartition(":")[0]
        if host not in self.server.hosts or not self.path.startswith("/"):
            self.send_error(HTTPStatus.BAD_REQUEST)
            return
        self.send_response(HTTPStatus.TEMPORARY_REDIRECT)
        self.send_header("Location", f"http://{host}:{next(self.server.servers)}{self.path}")
        self.end_headers()

    do_HEAD = do_GET

    def log_message(self, *_args: object) -> None:
        """Nothing is printed for a request."""


def main(port: int) -> int:
    found = addresses()
    if not found:
        click.echo("This machine is on no network. Join a Wi-Fi or open a hotspot.", err=True)
        return 1
    ports = list(range(port + 1, port + 1 + n_servers()))
    for each in (port, *ports):
        if not is_free(each):
            click.echo(f"Port {each} is in use. Try port {ports[-1] + 1}.", err=True)
            return 1
    address = f"http://{found[0]}:{port}"
    segno.make(address).terminal(compact=True)
    click.echo(f"Students type {address} or read the code above.")
    for other in found[1:]:
        click.echo(f"This machine has another address too: http://{other}:{port}")
    click.echo("Open it yourself, press “Class” and “Open a class”. Ctrl+C ends the server.")
    click.echo(f"Port {port} leads each browser to a server; they use {ports[0]} to {ports[-1]}.")
    hosts = [*found, "localhost", "127.0.0.1"]
    with Door(port, hosts, ports) as door:
        threading.Thread(target=door.serve_forever, daemon=True).start()
        try:
            return keep_running([partial(_start, each, hosts, address) for each in ports])
        finally:
            door.shutdown()


def _start(port: int, hosts: Sequence[str], address: str) -> subprocess.Popen[bytes]:
    command = [
        *(sys.executable, "-m", "streamlit", "run", "app.py"),
        *("--server.address", EVERYWHERE, "--server.port", str(port)),
        *("--server.headless", "true", "--browser.serverAddress", hosts[0]),
        *(option for host in hosts for option in ("--server.allowedHosts", host)),
    ]
    opened = {
        "NARROW_CONE_CONFIG": str(CONFIG),
        "NARROW_CONE_ADDRESS": address,
        "HF_HUB_OFFLINE": "1",
    }
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | opened, stdout=subprocess.DEVNULL)


def keep_running(starts: Sequence[Callable[[], subprocess.Popen[bytes]]]) -> int:
    """Run the servers until Ctrl+C; one that ended is started again, unless it can't start."""
    end_with_children()
    running = [(start(), time.monotonic()) for start in starts]
    try:
        while True:
            time.sleep(1)
            for place, (server, since) in enumerate(running):
                code = server.poll()
                if code is None:
                    continue
                if time.monotonic() - since < SHORTEST:
                    return code
                click.echo("A server has ended and is started again.", err=True)
                running[place] = starts[place](), time.monotonic()
    except KeyboardInterrupt:
        return 0
    finally:
        for server, _since in running:
            server.terminate()
        for server, _since in running:
            server.wait()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
