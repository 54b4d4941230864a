"""A socket of its own: one bot comes in by it, and nothing else of the server is there."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

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
from palio_server.lobby.session import Expulsion
from palio_server.network.bot_listener import ExpectedAnswers
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
