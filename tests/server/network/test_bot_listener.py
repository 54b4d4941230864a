"""A socket of its own: one bot comes in by it, and nothing else of the server is there."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from palio_rules.contract.messages import Hello
from palio_server.lobby.expulsion import Expulsion
from palio_server.network.listeners import listening
from palio_server.server import running
from palio_server.settings import Settings

HELLO = {"type": "hello", "games": ["dominoes"]}


@pytest.fixture
async def server(tmp_path: Path):
    settings = Settings(port=0, db=f"sqlite:///{tmp_path}/palio.db", house_bots=0)
    with listening(settings, private=True) as listeners:
        addresses = [listeners.open_for(name, f"{name} is confined") for name in ("mine", "other")]
        async with running(settings, listeners) as parts:
            yield parts, [address.removeprefix("ws+unix://") for address in addresses]


async def said(path: str, text: str) -> tuple[bytes, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(text.encode())
    return await asyncio.wait_for(reader.read(400), 10), writer


async def test_its_bot_is_welcome_and_the_lobby_knows_how_it_is_confined(server: Any):
    parts, (address, _) = server
    answer, writer = await said(address, json.dumps({**HELLO, "name": "mine"}) + "\n")
    assert b"welcome" in answer
    (session,) = parts.lobby.sessions()
    assert (session.name, session.confined, session.own_address) == ("mine", "mine is confined", f"ws+unix://{address}")
    writer.close()


async def test_nobody_comes_in_under_another_name(server: Any):
    parts, (address, _) = server
    answer, writer = await said(address, json.dumps({**HELLO, "name": "other"}) + "\n")
    assert b"name-not-yours" in answer
    assert b"for the bot 'mine', not for 'other'" in answer
    assert parts.lobby.sessions() == []
    writer.close()


@pytest.mark.parametrize("path", ["/api/matches", "/", "/api/health", "/ws/live"])
async def test_the_api_and_the_pages_are_not_there(server: Any, path: str):
    _, (address, _) = server
    key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    upgrade = f"Upgrade: websocket\r\nConnection: Upgrade\r\n{key}"
    answer, writer = await said(address, f"GET {path} HTTP/1.1\r\nHost: x\r\n{upgrade if 'ws' in path else ''}\r\n")
    assert answer.startswith(b"HTTP/1.1 403")
    writer.close()


async def test_who_hits_a_limit_is_expelled_by_its_address_and_its_other_programs_stay(server: Any):
    from palio_server.lobby.programs import forfeit

    parts, (address, other) = server
    _, first = await said(address, json.dumps({**HELLO, "name": "mine"}) + "\n")
    _, second = await said(other, json.dumps({**HELLO, "name": "other"}) + "\n")
    forfeit(parts.lobby, f"ws+unix://{address}", Expulsion("crashed", "limit-used-up", "memory 1G used up"))
    assert [session.name for session in parts.lobby.sessions()] == ["other"]
    for writer in (first, second):
        writer.close()


def test_a_hello_by_no_socket_of_its_own_is_for_access_to_judge():
    from palio_server.network.gateway import _admit

    _admit(replace(Hello("anybody", ["dominoes"])), None)
