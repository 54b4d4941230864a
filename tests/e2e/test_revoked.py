"""A token is revoked beside the server while its bot plays: the bot is out within a second, and has forfeited."""

import asyncio
import json
import secrets
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial

import httpx
import psycopg
import pytest
from serving import server_in, until
from sharing import SmallBot
from sharing import playing as connected
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from palio_db.store import Store
from palio_db.voiding import Suspects
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

BOUND_S = 1.0  # as promised;
ROOM_S = 2.0  # more for a machine that does other things, too
SETUP = Setup("breakthrough", ("ada", "bob"), {"rows": 5, "cols": 3}, time=TimeControl.parse("60+1"))
BOARD = "breakthrough:rows=5,cols=3"  # its leaderboard


class Peer:
    """A bot without our SDK: becomes ready, and thinks without end."""

    def __init__(self, read, write):
        self._read, self._write = read, write
        self.heard, self.goodbye = [], None

    async def play(self, name, token, **more):
        """Say hello and listen to the end."""
        await self._write({"type": "hello", "name": name, "games": ["breakthrough"], "token": token, **more})
        while (message := await self._read()) is not None:
            self.heard.append(message)
            if message["type"] == "game":
                await self._write({"type": "ready", "match": message["match"]})

    @property
    def kinds(self):
        return [message["type"] for message in self.heard]


@asynccontextmanager
async def by_websocket(url, **more):
    address = url.replace("http", "ws") + "/ws/bot"
    async with connect(address, subprotocols=["palio.1.json"], proxy=None, **more) as socket:

        async def read():
            try:
                return json.loads(await socket.recv())
            except ConnectionClosed:
                peer.goodbye = (socket.close_code, socket.close_reason)
                return None

        peer = Peer(read, lambda message: socket.send(json.dumps(message)))
        yield peer


@asynccontextmanager
async def by_lines(url):
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))

    async def write(message):
        writer.write(json.dumps(message).encode() + b"\n")

    async def read():
        line = await reader.readline()
        return json.loads(line) if line else None

    yield Peer(read, write)
    writer.close()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def db(request, tmp_path):
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/palio.db"
        return
    server, name = request.getfixturevalue("postgres_url"), f"palio_test_{secrets.token_hex(6)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{server}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@asynccontextmanager
async def playing(db, tmp_path, way, *, expires_at=None, behind="", **more):
    """A match in progress in which it is ada's turn: the server, another process' store, ada, bob."""
    async with (
        server_in(tmp_path, db=db, auth="required", forwarded_from=behind) as server,
        await Store.open(db) as operator,
        way(server.url) as ada,
        by_websocket(server.url) as bob,
    ):
        tokens = []
        for name in ("ada", "bob"):
            await operator.add_bot(name, f"{name}@example.org")
            ends = expires_at() if expires_at and name == "ada" else None
            tokens.append(await operator.issue_token(["play"], bot=name, expires_at=ends))
        tasks = [
            asyncio.create_task(ada.play("ada", tokens[0], **more)),
            asyncio.create_task(bob.play("bob", tokens[1])),
        ]
        match = await _begun(server, ada)
        yield server, operator, match, ada, bob, tasks[0]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _begun(server, ada):
    await until(lambda: all(server.lobby.is_here(name) for name in SETUP.bots), "the arrival")
    match = await server.arena.schedule(SETUP)
    await until(lambda: "turn" in ada.kinds, "the first turn")
    return match


async def _forfeited(server, operator, match, bob):
    await until(lambda: "over" in bob.kinds, "the end of the match", 5)
    record = await operator.record(match)
    assert (record.result.termination, record.result.seat, record.result.scores) == ("revoked", 0, [0.0, 1.0])
    assert await operator.outcomes("ada") == {BOARD: {"revoked": 1}}
    assert await operator.outcomes("bob") == {BOARD: {"won": 1}}
    assert not server.lobby.is_here("ada")
    assert server.lobby.is_here("bob")
    return record


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("way", "more"),
    [(by_websocket, {}), (by_lines, {}), (by_lines, {"program": True})],
    ids=["websocket", "lines", "program"],
)
@pytest.mark.parametrize("whole", [False, True], ids=["its token", "the bot"])
async def test_a_bot_whose_token_is_revoked_is_out_within_a_second(db, tmp_path, way, more, whole):
    async with playing(db, tmp_path, way, **more) as (server, operator, match, ada, bob, ended):
        began = asyncio.get_running_loop().time()
        await (operator.revoke_bot("ada") if whole else operator.revoke_token(1))
        async with asyncio.timeout(BOUND_S + ROOM_S):
            await ended
        assert asyncio.get_running_loop().time() - began < BOUND_S + ROOM_S
        record = await _forfeited(server, operator, match, bob)
        assert (record.result.reason, record.result.detail) == ("token-revoked", "the token of ada has been revoked")
        if not more:  # a program is only sent the end; its starter is refused when it comes again
            refused = next(message for message in ada.heard if message["type"] == "refused")
            assert (refused["code"], refused["reason"]) == ("token-revoked", "the token of ada has been revoked")
        if way is by_websocket:
            assert ada.goodbye == (1008, "token-revoked")


HERE = "2001:db8:1:2:3::4"
BANS = [
    ("bot", "ADA", "ada is"),
    ("owner", "ada@example.org", "ada is"),
    ("address", "2001:db8:1:2::9", "your address is"),
]


@pytest.mark.parametrize(("kind", "value", "who"), BANS, ids=["bot", "owner", "address"])
async def test_who_is_banned_is_out_within_a_second_and_is_told_why_and_for_how_long(db, tmp_path, kind, value, who):
    behind_proxy = partial(by_websocket, additional_headers={"X-Forwarded-For": HERE})
    async with playing(db, tmp_path, behind_proxy, behind="127.0.0.1") as (server, operator, match, ada, bob, ended):
        until_ = datetime(2099, 1, 2, 3, 4, tzinfo=UTC)
        made = await operator.ban(kind, value, "it had help", until=until_)
        async with asyncio.timeout(BOUND_S + ROOM_S):
            await ended
        record = await _forfeited(server, operator, match, bob)
        told = f"{who} banned until 2099-01-02 03:04 UTC: it had help"
        assert (record.result.reason, record.result.detail) == ("banned", told)
        assert ada.goodbye == (1008, "banned")
        token = await operator.issue_token(["play", "matches"], bot="ada")
        async with behind_proxy(server.url) as again, by_websocket(server.url) as elsewhere:
            await again.play("ada", token)
            assert (again.heard[-1]["code"], again.heard[-1]["reason"]) == ("banned", told)
            if kind == "address":
                await elsewhere.play("ada", "wrong-token-of-another-address")
                assert elsewhere.heard[-1]["code"] == "bad-token"  # the proxy's own address is not banned
        async with httpx.AsyncClient(base_url=server.url, headers={"X-Forwarded-For": HERE}) as http:
            sent = {"headers": {"Authorization": f"Bearer {token}"}, "json": {"game": "breakthrough", "bots": ["ada"]}}
            answer = await http.post("/api/matches", **sent)
            assert (answer.status_code, answer.json()["error"]) == (403, {"code": "banned", "reason": told})
            assert (await http.get("/api/bots")).status_code == 200  # all viewers may look on
        assert await operator.count_suspects(Suspects(address=HERE)) == 1  # found by where it was played from
        await operator.lift_ban(made.id)
        await until(lambda: server.access.bans.of("ada", "2001:db8:1:2::") is None, "the end of the ban", 5)


@pytest.mark.slow
async def test_a_token_that_expires_in_mid_match_ends_it_as_well(tmp_path):
    soon = lambda: datetime.now(UTC) + timedelta(seconds=4)  # noqa: E731
    db = f"sqlite:///{tmp_path}/palio.db"
    async with playing(db, tmp_path, by_websocket, expires_at=soon) as (server, operator, match, ada, bob, ended):
        async with asyncio.timeout(4 + BOUND_S + ROOM_S):
            await ended
        record = await _forfeited(server, operator, match, bob)
        assert (record.result.reason, ada.goodbye) == ("token-expired", (1008, "token-expired"))


@pytest.mark.slow
async def test_a_bot_of_the_sdk_ends_with_the_reason_and_the_command_line_revokes(palio, tmp_path):
    async with server_in(tmp_path, auth="required") as server:
        tokens = [await asyncio.to_thread(palio, "bot", "add", name) for name in ("ada", "bob")]
        direct = palio.start("join", server.url, "random", "--name", "ada", "--token", tokens[0].stdout.strip())
        program = palio.start(
            "join", server.url, "exec:sleep 600", "--name", "bob", "--token", tokens[1].stdout.strip()
        )
        await until(lambda: all(server.lobby.is_here(name) for name in SETUP.bots), "the arrival")
        for name in SETUP.bots:
            await asyncio.to_thread(palio, "bot", "revoke", name)
        for started, name in ((direct, "ada"), (program, "bob")):
            assert await asyncio.to_thread(started.wait) == 1, name
            assert "revoked" in started.errors[-1], started.errors
        assert server.lobby.connected() == []


@pytest.mark.parametrize("late", [False, True], ids=["while it plays", "while its grace runs"])
@pytest.mark.slow
async def test_a_bot_that_is_revoked_in_mid_round_costs_a_tournament_no_grace(db, tmp_path, late):
    """A knockout with a grace of a day still ends: its bots play by the API's and the protocol's doors."""
    names = ("ada", "bob", "eve", "fay")
    event = {
        "game": "breakthrough", "options": {"rows": 5, "cols": 3}, "format": "knockout", "bots": names, "tc": "60+1",
        "grace_s": 86_400, "start": True,
    }  # fmt: skip
    async with server_in(tmp_path, db=db, auth="required") as server, await Store.open(db) as operator:
        small = []
        for name in names:
            await operator.add_bot(name)
            token = await operator.issue_token(["play"], bot=name)
            small.append(SmallBot(name, server.url, token=token, think_s=0.05))
        admin = {"Authorization": f"Bearer {await operator.issue_token(['admin'])}"}
        here = small[late:]
        async with connected(*here), httpx.AsyncClient(base_url=server.url, headers=admin) as client:
            await until(lambda: all(server.lobby.is_here(bot.name) for bot in here), "the arrival")
            made = await client.post("/api/tournaments", json=event)
            assert made.status_code == 201, made.text
            if late:
                director = await server.tournaments._directed._running[1].ready
                await until(lambda: "ada" in director._absences.waited_for, "the beginning of its grace")
            else:
                await until(lambda: small[0].of("turn"), "its first turn")
            await operator.revoke_bot("ada")
            await until(lambda: not server.tournaments.directed(), "the end of the tournament")
            assert (await client.get("/api/tournaments/1")).json()["stage"] == "finished"


@pytest.mark.slow
async def test_a_voided_result_leaves_a_running_servers_leaderboard_within_seconds(palio, tmp_path):
    async with playing(f"sqlite:///{tmp_path}/palio.db", tmp_path, by_websocket) as (server, _, match, *_):
        server.arena.stop(match, "rain")

        leaders = server.leaderboards._leaders
        await until(lambda: leaders.get(BOARD, {}).keys() == set(SETUP.bots), "the result on the leaderboard")
        printed = await asyncio.to_thread(palio, "match", "void", match, "--reason", "it rained")
        assert printed.stdout.startswith(f"match {match} no longer counts: void since ")
        await until(lambda: not leaders[BOARD], "the end of its leaderboard", BOUND_S + ROOM_S)
        assert (await asyncio.to_thread(palio, "verify")).stdout.endswith("0 do not reproduce, 0 sums are wrong\n")
        assert "void: it rained" in (await asyncio.to_thread(palio, "match", "list")).stdout
        assert "it rained" in (await asyncio.to_thread(palio, "match", "show", match)).stdout
        assert '[Void "it rained"]' in (await asyncio.to_thread(palio, "match", "export", match)).stdout
        again = await asyncio.to_thread(palio, "match", "void", "nonsense", "--reason", "x", code=1)
        assert "there is no match 'nonsense'" in again.stderr
