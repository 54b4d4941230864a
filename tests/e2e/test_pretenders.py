"""Bots that speak for others, of other matches, of the time or of the result: refused, and nothing changes."""

import asyncio
import json
import logging
from contextlib import asynccontextmanager

import pytest
from serving import server_in, until
from websockets.asyncio.client import connect

from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

OPTIONS = {"rows": 5, "cols": 3}
TIME = TimeControl.parse("60+1")


class Bot:
    """A bot without any of our SDK; `heard` has all that the server has told it."""

    def __init__(self, socket):
        self._socket, self.heard = socket, []

    async def say(self, **message):
        await self._socket.send(json.dumps(message))

    async def listen(self):
        async for data in self._socket:
            message = json.loads(data)
            self.heard.append(message)
            if message["type"] == "game":
                await self.say(type="ready", match=message["match"])

    def last(self, kind):
        return next((message for message in reversed(self.heard) if message["type"] == kind), None)

    async def answer(self, kind="error"):
        """The next message of this kind."""
        known = sum(message["type"] == kind for message in self.heard)
        await until(lambda: sum(message["type"] == kind for message in self.heard) > known, f"an answer: {kind}", 10)
        return self.last(kind)


@pytest.fixture
async def playing(tmp_path, caplog):
    """Two matches in progress: ada and bob play one, cid and dot the other; ada and cid are to move."""
    caplog.set_level(logging.INFO, logger="palio_server")
    async with server_in(tmp_path) as server:
        bots, tasks = {}, []

        @asynccontextmanager
        async def bot(name):
            url = server.url.replace("http", "ws") + "/ws/bot"
            async with connect(url, subprotocols=["palio.1.json"], proxy=None) as socket:
                bots[name] = Bot(socket)
                await bots[name].say(type="hello", name=name, games=["breakthrough"])
                tasks.append(asyncio.create_task(bots[name].listen()))
                yield

        async with bot("ada"), bot("bob"), bot("cid"), bot("dot"):
            await until(lambda: len(server.lobby.connected()) == 4, "the arrival")
            pairs = (("ada", "bob"), ("cid", "dot"))
            matches = [await server.arena.schedule(Setup("breakthrough", pair, OPTIONS, time=TIME)) for pair in pairs]
            await until(lambda: bots["ada"].last("turn") and bots["cid"].last("turn"), "the first turns")
            yield server, bots, matches
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def plies(server, match):
    return len(server.feed.find(match).plies)


async def refused(bot, **message):
    answer = asyncio.create_task(bot.answer())
    await asyncio.sleep(0)
    await bot.say(**message)
    return (await answer)["code"]


async def test_a_move_for_the_other_seat_is_refused_and_logged(playing, caplog):
    server, bots, (match, _) = playing
    turn = bots["ada"].last("turn")
    assert await refused(bots["bob"], type="move", match=match, id=turn["id"], move=turn["moves"][0]) == "not-your-turn"
    assert plies(server, match) == 0
    assert f"match {match}: seat 1 is refused: not-your-turn" in caplog.text
    await bots["ada"].say(type="move", match=match, id=turn["id"], move=turn["moves"][0])  # who may, still may
    await until(lambda: plies(server, match) == 1, "ada's move")


async def test_a_move_in_a_match_of_others_is_refused_and_logged(playing, caplog):
    server, bots, (match, other) = playing
    turn = bots["cid"].last("turn")
    for said in ({"type": "move", "id": turn["id"], "move": turn["moves"][0]}, {"type": "resign"}):
        assert await refused(bots["ada"], match=other, **said) == "unknown-match"
    assert (plies(server, match), plies(server, other)) == (0, 0)
    assert server.arena.playing() == [match, other]
    assert "bot ada is refused: unknown-match" in caplog.text


@pytest.mark.parametrize(
    "forged", [{"at": 0}, {"time": 1.0}, {"ms": 0}, {"timestamp": "2020-01-01T00:00:00Z"}, {"clock_ms": 10**9}]
)
async def test_what_a_bot_says_of_the_time_counts_for_nothing(playing, forged):
    server, bots, (match, _) = playing
    turn = bots["ada"].last("turn")
    move = {"type": "move", "match": match, "id": turn["id"], "move": turn["moves"][0]}
    await asyncio.sleep(0.3)
    assert await refused(bots["ada"], **move, **forged) in ("unreadable", "bad-message", "unknown-key", "malformed")
    assert plies(server, match) == 0
    await bots["ada"].say(**move)
    await until(lambda: plies(server, match) == 1, "ada's move")
    assert server.feed.find(match).plies[0].ms >= 300  # by the referee's clock


@pytest.mark.parametrize(
    "claim",
    [
        {"type": "over", "result": {"termination": "rule", "reason": "goal", "scores": [1.0, 0.0], "seat": None}},
        {"type": "result", "scores": [1, 0]},
        {"type": "win"},
        {"type": "played", "seat": 1, "move": None, "ms": 0},
    ],
)
async def test_a_bot_that_declares_a_win_has_broken_the_protocol_and_won_nothing(playing, claim):
    server, bots, (match, _) = playing
    code = await refused(bots["ada"], match=match, **claim)
    assert code not in ("", None)
    assert server.arena.playing()[0] == match
    assert await server.store.record(match) is None
    await bots["ada"].say(type="resign", match=match)
    await until(lambda: bots["bob"].last("over"), "the end")
    assert (await server.store.record(match)).result.scores == [0.0, 1.0]


async def test_a_second_login_of_a_bot_takes_no_seat_of_the_first(playing):
    """Several programs may play under one name, each its own matches; what the first one plays stays with it."""
    server, bots, (match, _) = playing
    url = server.url.replace("http", "ws") + "/ws/bot"
    async with connect(url, subprotocols=["palio.1.json"], proxy=None) as socket:
        second = Bot(socket)
        await second.say(type="hello", name="ada", games=["breakthrough"])
        listening = asyncio.create_task(second.listen())
        await until(lambda: second.last("welcome"), "the welcome")
        turn = bots["ada"].last("turn")
        move = {"type": "move", "match": match, "id": turn["id"], "move": turn["moves"][0]}
        assert await refused(second, **move) == "unknown-match"
        assert plies(server, match) == 0
        assert second.last("game") is None
        assert server.lobby.matches("ada") == [match]
        await bots["ada"].say(**move)
        await until(lambda: plies(server, match) == 1, "the first one's move")
        listening.cancel()
