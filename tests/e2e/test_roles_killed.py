"""Gateways and referees as processes of their own, and what survives the death of each."""

import asyncio
import json
import os
import signal
import socket

import httpx
import pytest
from command import Palio, Started
from serving import until
from sharing import SmallBot, playing
from websockets.asyncio.client import connect

from palio_db.store import Store
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

pytestmark = [pytest.mark.mosquitto, pytest.mark.postgres, pytest.mark.slow]
TIME = TimeControl.parse("60+1")
BOTS = 4


def free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()


class Fleet:
    """Two gateways and two referees."""

    def __init__(self, palio: Palio, db: str, mqtt: str) -> None:
        self._palio, self._words = palio, ("--db", db, "--mqtt", mqtt)
        self.ports = free_ports(2)
        self.urls = [f"http://127.0.0.1:{port}" for port in self.ports]
        self.processes: dict[str, Started] = {}

    def start(self, role: str, number: int) -> None:
        name = f"{role}{number}"
        port = ("--port", str(self.ports[number - 1]), "--no-auth") if role == "gateway" else ()
        self.processes[name] = self._palio.start("serve", "--role", role, "--worker", name, *port, *self._words)

    def signal(self, name: str, number: int) -> None:
        os.kill(self.processes[name].process.pid, number)

    async def serving(self, name: str) -> None:
        await until(lambda: any("serves on" in line for line in self.processes[name].lines), f"the start of {name}")


@pytest.fixture
async def fleet(palio, shared_database, mosquitto):
    palio.env["PALIO_LEASE_S"] = "2"
    found = Fleet(palio, shared_database, mosquitto.url)
    for role in ("gateway", "referee"):
        for number in (1, 2):
            found.start(role, number)
            await found.serving(f"{role}{number}")
    return found


@pytest.fixture
async def store(shared_database):
    async with await Store.open(shared_database) as opened:
        yield opened


def pairs(bots):
    return [
        Setup("breakthrough", (one.name, two.name), time=TIME) for one, two in zip(bots[::2], bots[1::2], strict=True)
    ]


async def over(store, matches, seconds=60):
    async with asyncio.timeout(seconds):
        while any([(await store.match(match)).status != "finished" for match in matches]):  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def moving(bots, more=3):
    """Until each has been asked for so many moves more."""
    now = [len(bot.of("turn")) for bot in bots]
    moved = lambda: all(len(bot.of("turn")) >= had + more for bot, had in zip(bots, now, strict=True))  # noqa: E731
    await until(moved, "the next moves")


def played_to_the_end(record):
    return record.result.termination == "rule" and record.result.reason == "reached-far-row"


async def test_bots_of_a_killed_gateway_go_on_by_the_other_one(fleet, store):
    bots = [SmallBot(f"b{number}", *fleet.urls, think_s=0.1) for number in range(BOTS)]
    async with playing(*bots):
        await until(lambda: all(bot.session for bot in bots), "the welcome")
        sessions = [bot.session for bot in bots]
        matches = [await store.schedule(setup) for setup in pairs(bots)]
        await moving(bots)
        fleet.signal("gateway1", signal.SIGKILL)
        await moving(bots)
        await over(store, matches)
        await until(lambda: all(bot.of("over") for bot in bots), "the bots' being told")
    assert [bot.session for bot in bots] == sessions
    for match in matches:
        assert played_to_the_end(await store.record(match))


async def test_matches_of_a_killed_referee_are_taken_up_by_the_other_one(fleet, store):
    bots = [SmallBot(f"b{number}", fleet.urls[number % 2], think_s=0.1) for number in range(BOTS)]
    async with playing(*bots):
        await until(lambda: all(bot.session for bot in bots), "the welcome")
        matches = [await store.schedule(setup) for setup in pairs(bots)]
        await moving(bots)
        victim = (await store.match(matches[0])).worker
        fleet.signal(victim, signal.SIGKILL)
        await over(store, matches)
        for match in matches:
            row, record = await store.match(match), await store.record(match)
            assert row.worker != victim
            assert played_to_the_end(record)
        await until(lambda: all(bot.of("over") for bot in bots), "the bots' being told")


async def watched(url, match, heard):
    """Everything that a viewer is told of a match, to its end."""
    async with connect(f"{url.replace('http', 'ws')}/ws/live/{match}") as socket:
        async for data in socket:
            heard.append(message := json.loads(data))
            if message["type"] == "finished" or (message["type"] == "match" and message["summary"]["result"]):
                return


def lines_without_a_gap(heard):
    """The move list that follows from what a viewer was told."""
    seq, lines = -1, []
    for message in heard:
        match message["type"]:
            case "match":
                assert message["seq"] >= seq
                seq, lines = message["seq"], [line["move"] for line in message["lines"]]
            case _ if "seq" in message:
                assert message["seq"] == seq + 1
                seq += 1
                lines += [message["line"]["move"]] if message["type"] == "played" else []
    return lines


async def test_viewers_see_no_gap_when_the_referee_of_their_match_is_killed(fleet, store):
    bots = [SmallBot(f"b{number}", fleet.urls[number % 2], think_s=0.15) for number in range(2)]
    async with playing(*bots):
        await until(lambda: all(bot.session for bot in bots), "the welcome")
        [match] = [await store.schedule(setup) for setup in pairs(bots)]
        await moving(bots, 2)
        seen = [[], []]
        viewers = [asyncio.create_task(watched(url, match, heard)) for url, heard in zip(fleet.urls, seen, strict=True)]
        await until(lambda: all(len(heard) > 2 for heard in seen), "the first moves")
        fleet.signal((await store.match(match)).worker, signal.SIGKILL)
        async with asyncio.timeout(60):
            await asyncio.gather(*viewers)
        record = await store.record(match)
        rules, state = record.setup.rules(), record.setup.start()
        moves = []
        for ply in record.plies:
            move = rules.read_move(state, ply.move)
            moves.append(rules.notation(state, move))
            state = state.play(move)
        for heard in seen:
            assert lines_without_a_gap(heard) == moves


async def test_a_tournament_whose_director_is_killed_is_directed_by_another_referee(fleet, store):
    bots = [SmallBot(f"b{number}", fleet.urls[number % 2], think_s=0.02) for number in range(BOTS)]
    async with playing(*bots), httpx.AsyncClient(timeout=20) as client:
        await until(lambda: all(bot.session for bot in bots), "the welcome")
        cup = {
            "game": "breakthrough",
            "format": "swiss",
            "rounds": 3,
            "bots": [bot.name for bot in bots],
            "tc": "20+0.2",
        }
        made = await client.post(f"{fleet.urls[0]}/api/tournaments", json={"name": "cup", **cup})
        assert made.status_code == 201, made.text
        number = made.json()["id"]
        started = await client.post(f"{fleet.urls[1]}/api/tournaments/{number}/start")
        assert started.status_code == 200, started.text
        async with asyncio.timeout(60):
            while (row := await store.tournament(number)).finished < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        fleet.signal(row.worker, signal.SIGKILL)
        async with asyncio.timeout(60):
            while (after := await store.tournament(number)).stage != "finished":  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        assert after.worker != row.worker
        assert after.finished == 3 * 2 * 2


async def test_a_gateway_that_stops_tells_its_bots_and_nobody_elses(fleet, store):
    bots = [SmallBot(f"b{number}", fleet.urls[number % 2], *fleet.urls, think_s=0.1) for number in range(2)]
    async with playing(*bots):
        await until(lambda: all(bot.session for bot in bots), "the welcome")
        matches = [await store.schedule(setup) for setup in pairs(bots)]
        await moving(bots)
        fleet.signal("gateway1", signal.SIGTERM)
        await until(lambda: bots[0].of("server_stopping"), "the goodbye")
        await over(store, matches)
        assert not bots[1].of("server_stopping")
        for match in matches:
            assert played_to_the_end(await store.record(match))


async def test_a_referee_that_is_stopped_for_longer_than_its_lease_writes_nothing_more(fleet, store):
    bots = [SmallBot(f"b{number}", fleet.urls[number % 2], think_s=0.15) for number in range(BOTS)]
    async with playing(*bots):
        await until(lambda: all(bot.session for bot in bots), "the welcome")
        matches = [await store.schedule(setup) for setup in pairs(bots)]
        await moving(bots)
        heard = []
        viewer = asyncio.create_task(watched(fleet.urls[0], matches[0], heard))
        victim = (await store.match(matches[0])).worker
        fleet.signal(victim, signal.SIGSTOP)
        async with asyncio.timeout(60):
            while (await store.match(matches[0])).worker == victim:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        fleet.signal(victim, signal.SIGCONT)
        await over(store, matches)
        async with asyncio.timeout(20):
            await viewer
        assert len(lines_without_a_gap(heard)) == len((await store.record(matches[0])).plies)
        for match in matches:
            assert played_to_the_end(await store.record(match))


async def test_bots_on_the_broker_meet_all_others_and_go_on_when_the_gateway_that_let_them_in_is_killed(
    fleet, store, palio, mosquitto
):
    for name in ("m1", "m2"):
        palio.start("join", mosquitto.url, "random", "--name", name)
    bots = [SmallBot("b0", fleet.urls[0], fleet.urls[1]), SmallBot("b1", fleet.urls[1])]
    meetings = [("m1", "b0"), ("b1", "m2"), ("m1", "m2")]
    async with playing(*bots):
        before = [await store.schedule(Setup("breakthrough", pair, time=TIME)) for pair in meetings]
        await over(store, before)
        fleet.signal("gateway1", signal.SIGKILL)
        after = [await store.schedule(Setup("breakthrough", pair, time=TIME)) for pair in meetings]
        await over(store, after)
        for match in (*before, *after):
            assert played_to_the_end(await store.record(match))


async def test_a_referee_that_stops_hands_its_matches_over(fleet, store):
    bots = [SmallBot(f"b{number}", fleet.urls[number % 2], think_s=0.1) for number in range(2)]
    async with playing(*bots):
        await until(lambda: all(bot.session for bot in bots), "the welcome")
        [match] = [await store.schedule(setup) for setup in pairs(bots)]
        await moving(bots)
        first = (await store.match(match)).worker
        fleet.signal(first, signal.SIGTERM)
        await over(store, [match])
        assert (await store.match(match)).worker != first
        assert played_to_the_end(await store.record(match))
