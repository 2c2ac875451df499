"""``make class``: which address is printed, what is open, and what is said where it can't start."""

import socket
from types import SimpleNamespace

import pytest

from geometry import ModelFilesError
from geometry.hub.operator_limits import (
    read_class_limits,
    read_memory_limits,
    read_model_limits,
    read_upload_folders,
)
from pages.common.classroom import serve


def networks(*found: str):
    each = [SimpleNamespace(family=socket.AF_INET, address=address) for address in found]
    return lambda: {"any": [*each, SimpleNamespace(family=socket.AF_INET6, address="fe80::1")]}


def test_the_address_of_the_default_route_comes_first(monkeypatch):
    found = networks("127.0.0.1", "172.17.0.1", "169.254.3.4", "192.168.1.5")
    monkeypatch.setattr(serve.psutil, "net_if_addrs", found)
    monkeypatch.setattr(serve, "_of_default_route", lambda: "192.168.1.5")
    assert serve.addresses()[0] == "192.168.1.5"
    assert not {"127.0.0.1", "169.254.3.4"} & set(serve.addresses())


def test_no_network_and_a_taken_port_are_said(monkeypatch, capsys):
    monkeypatch.setattr(serve.psutil, "net_if_addrs", networks("127.0.0.1"))
    assert serve.main(8501) == 1
    assert "no network" in capsys.readouterr().err
    monkeypatch.setattr(serve.psutil, "net_if_addrs", networks("192.168.1.5"))
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert serve.main(port) == 1
    assert f"make class PORT={port + 1}" in capsys.readouterr().err


def test_students_get_the_address_and_the_code(monkeypatch, capsys):
    calls = []
    monkeypatch.setattr(serve.psutil, "net_if_addrs", networks("192.168.1.5", "192.168.9.1"))
    monkeypatch.setattr(serve, "_of_default_route", lambda: "")
    monkeypatch.setattr(serve, "is_free", lambda _port: True)
    monkeypatch.setattr(
        serve.subprocess,
        "run",
        lambda *given, **options: calls.append((given, options)) or SimpleNamespace(returncode=0),
    )
    assert serve.main(8600) == 0
    out = capsys.readouterr().out
    assert "http://192.168.1.5:8600" in out
    assert "█" in out
    [([command], options)] = calls
    assert command.count("--server.allowedHosts") == 4
    assert options["env"]["NARROW_CONE_ADDRESS"] == "http://192.168.1.5:8600"


def test_rooms_are_open_and_the_hub_and_folders_are_closed():
    assert read_class_limits(serve.CONFIG).rooms > 0
    assert read_memory_limits(serve.CONFIG).sessions > 100
    assert read_upload_folders(serve.CONFIG) == ()
    models = read_model_limits(serve.CONFIG)
    assert models.local_folders is False
    for name in ("google-bert/bert-base-uncased", "bundled-only/none-such"):
        with pytest.raises(ModelFilesError):
            models.refuse_name(name)
