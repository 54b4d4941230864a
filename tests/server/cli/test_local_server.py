"""A server within a command: its bots are started before it, and all of it is gone at the end."""

import socket
import tempfile
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from palio_server import server
from palio_server.cli.local_server import local_settings, server_with_bots


@pytest.fixture
def order(monkeypatch, tmp_path):
    """Return the events in order; the server is a fake."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = []

    @asynccontextmanager
    async def running(settings, listeners, *, watched):
        found.append("server")
        yield SimpleNamespace(arena=SimpleNamespace(on_result=[]), lobby=None)

    monkeypatch.setattr(server, "running", running)
    return found


def settings(tmp_path):
    return local_settings(port=0, db=f"{tmp_path}/palio.db")


async def test_bots_are_started_before_the_server_and_find_it_listening(order, tmp_path):
    def start(bots, url):
        order.append("bots")
        with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=5):
            pass

    async with server_with_bots(settings(tmp_path), print, start):
        order.append("yielded")
    assert order == ["bots", "server", "yielded"]


async def test_a_server_that_cannot_start_takes_its_sockets_with_it(order, tmp_path, monkeypatch):
    @asynccontextmanager
    async def fails(settings, listeners, *, watched):
        (folder,) = tmp_path.iterdir()
        order.append(folder.name[:6])
        raise OSError("the disk is full")
        yield

    monkeypatch.setattr(server, "running", fails)
    with pytest.raises(ExceptionGroup) as caught:
        async with server_with_bots(settings(tmp_path), print, lambda bots, url: None, private=True):
            pytest.fail("it runs")
    assert caught.group_contains(OSError, match="the disk is full")
    assert order == ["palio-"]
    assert list(tmp_path.iterdir()) == []


def test_a_command_of_its_own_leaves_the_socket_of_the_standing_server_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("PALIO_SOCKET", str(tmp_path / "palio.sock"))
    assert local_settings().socket is None
