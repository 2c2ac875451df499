"""``make class``: which address is printed, what is open, and what is said where it can't start."""

import socket
import threading
from http.client import HTTPConnection
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
    assert f"Port {port} is in use. Try port " in capsys.readouterr().err


def test_students_get_the_address_and_the_code(monkeypatch, capsys):
    started, door = [], serve.Door
    monkeypatch.setattr(serve.psutil, "net_if_addrs", networks("192.168.1.5", "192.168.9.1"))
    monkeypatch.setattr(serve, "_of_default_route", lambda: "")
    monkeypatch.setattr(serve, "is_free", lambda _port: True)
    monkeypatch.setattr(serve, "n_servers", lambda: 2)
    monkeypatch.setattr(serve, "Door", lambda _port, hosts, _ports: door(0, hosts, [1]))
    monkeypatch.setattr(
        serve.subprocess, "Popen", lambda command, **options: started.append((command, options))
    )
    monkeypatch.setattr(serve, "keep_running", lambda starts: [start() for start in starts] and 0)
    assert serve.main(8600) == 0
    out = capsys.readouterr().out
    assert "http://192.168.1.5:8600" in out
    assert "█" in out
    assert [command[command.index("--server.port") + 1] for command, _ in started] == [
        "8601",
        "8602",
    ]
    for command, options in started:
        assert command.count("--server.allowedHosts") == 4
        assert command[command.index("--browser.serverAddress") + 1] == "192.168.1.5"
        assert options["env"]["NARROW_CONE_ADDRESS"] == "http://192.168.1.5:8600"


def test_the_door_leads_each_browser_to_the_next_server():
    with serve.Door(0, ["127.0.0.1"], [8601, 8602]) as door:
        threading.Thread(target=door.serve_forever, daemon=True).start()

        def ask(host: str, path: str) -> tuple[int, str | None]:
            connection = HTTPConnection("127.0.0.1", door.server_port)
            connection.request("GET", path, headers={"Host": host})
            answer = connection.getresponse()
            return answer.status, answer.getheader("Location")

        found = [ask("127.0.0.1:8600", "/layers?class=ABCDEF") for _ in range(3)]
        refused = ask("evil.example:8600", "/"), ask("127.0.0.1:8600", "//evil.example/")
        door.shutdown()
    assert found == [
        (307, f"http://127.0.0.1:{port}/layers?class=ABCDEF") for port in (8601, 8602, 8601)
    ]
    assert refused[0] == (400, None)
    assert refused[1][1] in (None, "http://127.0.0.1:8602/evil.example/")


def test_a_server_that_ended_is_started_again(monkeypatch):
    """Unless it ends in its first seconds: then it can't start."""
    monkeypatch.setattr(serve, "SHORTEST", 0.0)
    monkeypatch.setattr(serve.time, "sleep", lambda _seconds: None)
    codes = iter([7, 8])

    def start():
        code = next(codes)
        if code == 8:
            monkeypatch.setattr(serve, "SHORTEST", 60.0)
        return SimpleNamespace(poll=lambda: code, terminate=lambda: None, wait=lambda: None)

    assert serve.keep_running([start]) == 8


def test_rooms_are_open_and_the_hub_and_folders_are_closed():
    assert read_class_limits(serve.CONFIG).rooms > 0
    assert read_memory_limits(serve.CONFIG).sessions > 100
    assert read_upload_folders(serve.CONFIG) == ()
    models = read_model_limits(serve.CONFIG)
    assert models.local_folders is False
    for name in ("google-bert/bert-base-uncased", "bundled-only/none-such"):
        with pytest.raises(ModelFilesError):
            models.refuse_name(name)
