"""Serve the app to a class on the local network: ``make class``.

Students come by the address and the QR code that are printed, or by those that "Show the code"
shows on the page. deploy/class.toml says what is open.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import subprocess
import sys
from pathlib import Path

import click
import psutil
import segno

ROOT = Path(__file__).resolve().parents[3]
CONFIG = ROOT / "deploy" / "class.toml"
EVERYWHERE = "0.0.0.0"


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


def is_free(port: int) -> bool:
    """Whether a server can be started on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True


def main(port: int) -> int:
    """Print the address and its QR code, and serve until Ctrl+C."""
    found = addresses()
    if not found:
        click.echo("This machine is on no network. Join a Wi-Fi or open a hotspot.", err=True)
        return 1
    if not is_free(port):
        click.echo(f"Port {port} is in use. Try: make class PORT={port + 1}", err=True)
        return 1
    address = f"http://{found[0]}:{port}"
    segno.make(address).terminal(compact=True)
    click.echo(f"Students type {address} or read the code above.")
    for other in found[1:]:
        click.echo(f"This machine has another address too: http://{other}:{port}")
    click.echo("Open it yourself, press “Class” and “Open a class”. Ctrl+C ends the server.")
    hosts = [option for host in found for option in ("--server.allowedHosts", host)]
    command = [
        *(sys.executable, "-m", "streamlit", "run", "app.py"),
        *("--server.address", "0.0.0.0", "--server.port", str(port)),
        *("--server.headless", "true", "--browser.serverAddress", found[0]),
        *("--server.allowedHosts", "localhost", "--server.allowedHosts", "127.0.0.1", *hosts),
    ]
    opened = {
        "NARROW_CONE_CONFIG": str(CONFIG),
        "NARROW_CONE_ADDRESS": address,
        "HF_HUB_OFFLINE": "1",
    }
    try:
        return subprocess.run(command, cwd=ROOT, env=os.environ | opened, check=False).returncode
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
