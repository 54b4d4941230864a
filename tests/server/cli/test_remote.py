"""A server that is asked over HTTP, and what is said when it does not answer."""

import socket

import pytest

from palio_server.cli import remote
from palio_server.cli.errors import CommandFailed
from palio_server.cli.remote import Remote


async def test_a_server_that_takes_too_long_is_not_said_to_be_away(monkeypatch):
    monkeypatch.setattr(remote, "TIMEOUT_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(CommandFailed, match=r"has not answered within 0\.05 s; try again, or ask for less$"):
            await Remote(f"http://127.0.0.1:{port}").send("POST", "matches", {})
    with pytest.raises(CommandFailed, match=f"^no server answers at http://127.0.0.1:{port}; start one with"):
        await Remote(f"http://127.0.0.1:{port}").get("matches")
