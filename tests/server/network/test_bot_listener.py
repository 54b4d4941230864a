"""A socket of its own: one bot comes in by it, and nothing else of the server is there."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from websockets.asyncio.client import unix_connect
from websockets.typing import Subprotocol

from palio_rules.contract.codec import Encoding, encode
from palio_rules.contract.messages import (
    Error,
    GameMessage,
    Hello,
    Move,
    Over,
    Played,
    Ready,
    Rejected,
    Resign,
    Result,
    Turn,
)
from palio_rules.time_control import TimeControl
from palio_server.edge import accounts
from palio_server.lobby.session import Expulsion
from palio_server.network.bot_listener import ExpectedAnswers
from palio_server.network.listeners import listening
from palio_server.network.own_socket import CONNECTION_S
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


async def test_where_tokens_are_required_its_own_socket_proves_a_bots_name(tmp_path: Path):
    settings = Settings(port=0, db=f"sqlite:///{tmp_path}/palio.db", house_bots=0, auth="required")
    with listening(settings, private=True) as listeners:
        address = listeners.open_for("mine", "confined").removeprefix("ws+unix://")
        async with running(settings, listeners) as parts:
            for name, expected in (("mine", b"welcome"), ("other", b"name-not-yours")):
                answer, writer = await said(address, json.dumps({**HELLO, "name": name}) + "\n")
                assert expected in answer
                writer.close()
            shared = str(Path(address).parent / "bots")  # the socket of all bots of this user
            answer, writer = await said(shared, json.dumps({**HELLO, "name": "mine"}) + "\n")
            assert b"token-missing" in answer
            writer.close()
            assert parts.lobby.stopping is None


HEADERS = (
    "Host: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
WRONG = [
    *("GET /api/matches ", "GET / ", "POST", "x", "\n", "GET /ws/live ", f"GET /ws/bot HTTP/1.1\r\n{'a' * 9000}"),
    "GET /ws/bot HTTP/1.1\r\nHost: x\r\n\r\n",
    f"GET /ws/bot HTTP/1.1\r\n{HEADERS}Sec-WebSocket-Protocol: x\r\n\r\n",
]


@pytest.mark.parametrize("wrong", WRONG)
async def test_what_is_not_the_bots_protocol_is_closed_at_its_first_wrong_byte_without_a_word(server: Any, wrong: str):
    _, (address, _) = server
    reader, writer = await asyncio.open_unix_connection(address)
    writer.write(wrong.encode())
    with suppress(ConnectionError):  # closed with unread input
        assert await asyncio.wait_for(reader.read(400), 10) == b""
    writer.close()
    answer, writer = await said(address, json.dumps({**HELLO, "name": "mine"}) + "\n")  # its bot is welcome as ever
    assert b"welcome" in answer
    writer.close()


@pytest.mark.parametrize("offered", [None, "palio.1.json", "palio.1.msgpack"])
async def test_a_bot_comes_in_by_websocket(server: Any, offered: str | None):
    parts, (address, _) = server
    protocols = None if offered is None else [Subprotocol(offered)]
    async with unix_connect(address, "ws://localhost/ws/bot", subprotocols=protocols) as link:
        assert link.subprotocol == offered
        hello = Hello("mine", ["dominoes"])
        await link.send(encode(hello) if offered == "palio.1.msgpack" else encode(hello, Encoding.JSON).decode())
        assert "welcome" in str(await asyncio.wait_for(link.recv(), 10))
        (session,) = parts.lobby.sessions()
        assert (session.name, session.confined) == ("mine", "mine is confined")


async def test_there_is_one_connection_and_the_next_one_waits_until_it_is_gone(server: Any):
    _, (address, _) = server
    _, first = await said(address, json.dumps({**HELLO, "name": "mine"}) + "\n")
    reader, second = await asyncio.open_unix_connection(address)
    second.write(json.dumps({**HELLO, "name": "mine"}).encode() + b"\n")
    answer = asyncio.ensure_future(reader.read(400))
    await asyncio.wait({answer}, timeout=0.1)
    assert not answer.done()
    first.close()
    assert b"welcome" in await asyncio.wait_for(answer, 10)
    second.close()


async def test_a_program_of_several_matches_has_a_connection_for_each(tmp_path: Path):
    settings = Settings(port=0, db=f"sqlite:///{tmp_path}/palio.db", house_bots=0)
    with listening(settings, private=True) as listeners:
        address = listeners.open_for("mine", "confined", slots=2).removeprefix("ws+unix://")
        async with running(settings, listeners):
            hello = json.dumps({**HELLO, "name": "mine", "program": True}) + "\n"
            answers = [await said(address, hello) for _ in range(2)]
            assert all(b"welcome" in answer for answer, _ in answers)
            for _, writer in answers:
                writer.close()


async def test_who_comes_again_and_again_waits_until_that_costs_the_server_little(tmp_path: Path, monkeypatch: Any):
    monkeypatch.setattr(accounts, "RATE", 1e-9)  # nothing is forgotten in this test
    settings = Settings(port=0, db=f"sqlite:///{tmp_path}/palio.db", house_bots=0)
    with listening(settings, private=True) as listeners:
        path = listeners.open_for("mine", "confined").removeprefix("ws+unix://")
        async with running(settings, listeners):
            ends = []
            for _ in range(10):
                reader, writer = await asyncio.open_unix_connection(path)
                writer.write(b"x")
                ending = asyncio.ensure_future(reader.read(1))
                await asyncio.wait({ending}, timeout=0.2)
                ends.append(ending.done())
                ending.cancel()
                await asyncio.wait({ending})
                writer.close()
            assert 1 <= sum(ends) <= accounts.BURST_S / CONNECTION_S + 1


async def test_pings_that_come_while_another_thinks_are_read_in_the_bots_own_turn(tmp_path: Path, monkeypatch: Any):
    monkeypatch.setattr(accounts, "RATE", 1e-9)
    settings = Settings(port=0, db=f"sqlite:///{tmp_path}/palio.db", house_bots=0)
    with listening(settings, private=True) as listeners:
        url = listeners.open_for("mine", "confined")
        path = url.removeprefix("ws+unix://")
        async with running(settings, listeners), unix_connect(path, "ws://localhost/ws/bot") as link:
            await link.send(encode(Hello("mine", ["dominoes"])))
            await link.recv()
            listeners.account_of(url).pay(accounts.MOST_S)
            pong = asyncio.ensure_future(await link.ping())
            await asyncio.wait({pong}, timeout=0.1)
            assert not pong.done()
            listeners.own[0].awaited.asked("a connection", TURN)
            await asyncio.wait_for(pong, 10)


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


# --- what is awaited of its program -----------------------------------------------------------------------------------

GAME = GameMessage("m", "dominoes", {}, "position", 0, [], TimeControl(), 3)
TURN = Turn("m", 7, 0, "position", None, [None, None], None)
REJECTED = Rejected("m", 7, "illegal", "no", 2, [None, None])
PLAYED = Played("m", 1, 1, [0, 1], [None, None])
OVER = Over("m", Result("rule", "won", [1, 0]))
READY, MOVE = Ready("m"), Move("m", 7, [0, 1])


class Told:
    """The events of a program, whose connections are strings."""

    def __init__(self) -> None:
        self.awaited, self.told = ExpectedAnswers(), list[bool]()
        self.awaited.tell(self.told.append)

    def after(self, *messages: Any, connection: str = "first") -> bool:
        for message in messages:
            if isinstance(message, Ready | Move | Resign | Error):
                self.awaited.answered(connection, message)
            else:
                self.awaited.asked(connection, message)
        return self.told[-1]


def test_a_program_is_awaited_from_its_start_until_it_has_joined():
    told = Told()
    assert told.told == [True]
    told.awaited.joined()
    assert told.told == [True, False]


def test_a_program_is_awaited_until_it_is_ready_and_in_each_turn_until_it_has_moved():
    told = Told()
    told.awaited.joined()
    assert told.after(GAME)
    assert not told.after(READY)
    assert told.after(TURN)
    assert not told.after(MOVE)
    assert not told.after(PLAYED)
    assert told.after(REJECTED)
    assert not told.after(MOVE)
    assert told.told == [True, False, True, False, True, False, True, False]


@pytest.mark.parametrize("answer", [Move("m", 6, [0, 1]), Move("other", 7, [0, 1]), Ready("m"), Error("what", "x")])
def test_another_answer_than_that_which_is_awaited_ends_no_turn(answer: Any):
    told = Told()
    told.awaited.joined()
    assert told.after(GAME, READY, TURN, answer)


@pytest.mark.parametrize("end", [OVER, Resign("m"), Error("crashed", "x", match="m")])
def test_the_end_of_a_match_ends_its_turn_and_that_of_no_other(end: Any):
    told = Told()
    told.awaited.joined()
    other = replace(TURN, match="other")
    assert not told.after(GAME, READY, TURN, end)
    assert told.after(TURN, other, end)
    assert not told.after(Move("other", 7, [0, 1]))


def test_a_match_that_is_taken_up_again_needs_no_preparation_but_the_next_one_does():
    told = Told()
    told.awaited.joined()
    assert not told.after(GAME, READY, GAME)
    assert told.after(OVER, GAME)


def test_what_was_asked_on_a_connection_that_is_lost_is_asked_again_on_the_next():
    told = Told()
    told.awaited.joined()
    assert told.after(GAME, READY, TURN)
    told.awaited.lost("second")
    assert told.told[-1]
    told.awaited.lost("first")
    assert not told.told[-1]
    assert told.after(TURN, connection="second")
    assert not told.after(MOVE, connection="second")


def test_a_program_that_is_started_again_is_awaited_until_it_joins():
    told = Told()
    told.awaited.joined()
    told.after(GAME, READY)
    again: list[bool] = []
    told.awaited.tell(again.append)
    assert again == [True]
    told.awaited.joined()
    assert again == [True, False]


async def test_the_server_tells_at_an_address_what_it_awaits_there(tmp_path: Path):
    told: list[bool] = []
    other: list[bool] = []
    settings = Settings(port=0, db=f"sqlite:///{tmp_path}/palio.db", house_bots=0)
    with listening(settings, private=True) as listeners:
        addresses = [listeners.open_for(name, "confined") for name in ("mine", "other")]
        listeners.tell_awaited(addresses[0], told.append)
        listeners.tell_awaited(addresses[1], other.append)
        async with running(settings, listeners):
            _, writer = await said(
                addresses[0].removeprefix("ws+unix://"), json.dumps({**HELLO, "name": "mine"}) + "\n"
            )
            assert told == [True, False]
            assert other == [True]
            writer.close()


def test_the_address_of_a_socket_is_known_after_it_was_closed(tmp_path: Path):
    with listening(Settings(port=0, db=f"sqlite:///{tmp_path}/palio.db"), private=True) as listeners:
        address = listeners.open_for("mine", "mine is confined")
    told: list[bool] = []
    listeners.tell_awaited(address, told.append)  # a bot that starts again while the server ends
    assert listeners.own[0].url == address
