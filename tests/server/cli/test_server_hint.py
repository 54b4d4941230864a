"""Commands that read ./palio.db by default tell of a server on this machine, if there is one."""

import socket
import threading
import time
from contextlib import ExitStack

import pytest

from palio_server.cli import server_hint as hints
from palio_server.cli.palio import call
from palio_server.cli.server_hint import by_default, server_hint

HEALTH = b'{"status":"ok","version":"1","database":"reachable","matches":0,"bots":2,"parts":[]}'
OK = b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty folder, and no database or server that the environment names."""
    monkeypatch.chdir(tmp_path)
    for name in ("PALIO_DB", "PALIO_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def running(monkeypatch):
    """Start a server at the default address that gives this answer, or none; return its requests."""
    with ExitStack() as stack:

        def start(answer):
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            monkeypatch.setattr(hints, "LOCAL", f"http://127.0.0.1:{listener.getsockname()[1]}")
            asked = []

            def serve():
                connection, _ = listener.accept()
                with connection:
                    asked.append(connection.recv(65536).split(b"\r\n")[0])
                    if answer is None:
                        connection.recv(1)  # until the other side gives up
                    else:
                        connection.sendall(answer)

            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            return asked

        yield start


async def test_a_palio_server_is_named_and_asked_for_its_health_only(running):
    asked = running(OK + HEALTH)
    assert await server_hint() == f"a server is running on this machine, --url {hints.LOCAL} shows its results"
    assert asked == [b"GET /api/health HTTP/1.0"]


@pytest.mark.parametrize("answer", [b"", OK, OK + b"<html>", OK + b"{}", b"HTTP/1.0 404 Not Found\r\n\r\n" + HEALTH])
async def test_another_server_is_not(running, answer):
    running(answer)
    assert await server_hint() == ""


async def test_a_server_that_does_not_answer_is_waited_for_a_third_of_a_second_at_most(running):
    running(None)
    began = time.monotonic()
    assert await server_hint() == ""
    assert 0.2 < time.monotonic() - began < 1


async def test_where_no_server_is_there_is_no_hint(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setattr(hints, "LOCAL", f"http://127.0.0.1:{listener.getsockname()[1]}")
    assert await server_hint() == ""


def test_a_database_that_was_named_is_no_default(monkeypatch):
    assert by_default(None)
    assert not by_default("sqlite:///palio.db")
    monkeypatch.setenv("PALIO_DB", "palio.db")
    assert not by_default(None)


def test_the_missing_database_is_told_with_the_server(running, capsys):
    running(OK + HEALTH)
    assert call(["leaderboard"]) == 2
    shown = capsys.readouterr().err
    assert "there is no database at sqlite:///palio.db" in shown
    assert f"a server is running on this machine, --url {hints.LOCAL} shows" in shown


def test_a_database_that_was_named_is_told_without(running, capsys):
    asked = running(OK + HEALTH)
    assert call(["leaderboard", "--db", "other.db"]) == 2
    assert "a server" not in capsys.readouterr().err
    assert asked == []
