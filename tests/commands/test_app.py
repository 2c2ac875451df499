"""narrow-cone app: what is started, and what is said where it can't start."""

import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from geometry.commands import run_shell


@pytest.fixture
def started(monkeypatch) -> list:
    calls = []

    def run(given, **options):
        calls.append((given, options))
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr("subprocess.run", run)
    return calls


def test_the_address_is_printed_and_a_file_is_given_to_the_pages(started, tmp_path, capsys):
    file = tmp_path / "own.csv"
    file.write_text("text\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    assert run_shell(["app", str(file), "--port", port, "--no-browser"]) == 0
    assert f"http://localhost:{port}" in capsys.readouterr().out
    [(given, options)] = started
    assert given[-4:] == ["--server.port", port, "--server.headless", "true"]
    assert options["env"]["NARROW_CONE_FILE"] == str(file.resolve())
    assert (Path(options["cwd"]) / "app.py").is_file()


def test_a_taken_port_and_a_missing_file_are_said(started, tmp_path, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run_shell(["app", "--port", str(port)]) == 2
    assert f"--port {port + 1}" in capsys.readouterr().err
    assert run_shell(["app", str(tmp_path / "none.csv")]) == 2
    assert not started


def test_without_the_extra_its_name_is_said(started, monkeypatch, capsys):
    monkeypatch.setattr("geometry.errors.find_spec", lambda _name: None)
    for name in ("app", "class"):
        assert run_shell([name]) == 2
        assert "extra `app`" in capsys.readouterr().err
    assert not started
