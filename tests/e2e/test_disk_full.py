"""A disk that is full, with a real SQLite file on it: no false result, all are told, and play continues
automatically.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import httpx
import pytest
from raw_bot import Bot, of
from serving import connected, server_in, until
from websockets.asyncio.client import connect

from palio_db.connections import SqliteConnection
from palio_rules.records import Setup
from palio_server.app_state import ServerParts


@asynccontextmanager
async def playing(server: ServerParts, *names: str) -> AsyncIterator[list[Bot]]:
    """Bots that play first moves, as long as the context lasts."""
    bots = [Bot(name) for name in names]
    async with AsyncExitStack() as stack:
        ends = [await stack.enter_async_context(connect(f"{server.url.replace('http', 'ws')}/ws/bot")) for _ in bots]
        tasks = [asyncio.create_task(bot.play(end, 1000)) for bot, end in zip(bots, ends, strict=True)]
        await connected(server, *names)
        yield bots
        for task in tasks:
            task.cancel()


async def health(server: ServerParts) -> tuple[int, dict[str, str]]:
    """The status, and the reason of each part that is not well."""
    async with httpx.AsyncClient(base_url=server.url) as client:
        answer = await client.get("/api/health")
    return answer.status_code, {part["name"]: part["reason"] for part in answer.json()["parts"] if not part["ok"]}


async def trouble_and_its_end(server: ServerParts, bots: list[Bot], begin: Callable[[], None], end, said: str) -> None:
    """The database takes nothing from the first ply of a match on, until the match is long over."""
    ann, bob, cid, _ = bots
    assert (await health(server))[0] == 200
    server.arena.on_start.append(lambda match: begin() if not later else None)
    later: list[str] = []
    match = await server.arena.schedule(Setup("breakthrough", ("ann", "bob")))
    for bot in bots:
        await until(lambda bot=bot: of(bot.heard, "error"), "the word to all bots")
        [error] = of(bot.heard, "error")
        assert error["code"] == "store-unavailable"
        assert said in error["reason"]
    status, reasons = await health(server)
    assert status == 503
    assert any(said in reason for reason in reasons.values()), reasons
    await until(lambda: len(of(ann.heard, "turn")) > 3, "the play that goes on")
    assert not of(ann.heard, "over")
    assert (await server.store.match(match)).status == "running"

    end()
    await until(lambda: of(ann.heard, "over") and of(bob.heard, "over"), "the result")
    assert (await server.store.record(match)).result.scores == of(ann.heard, "over")[0]["outcome"]["scores"]
    await until(lambda: not server.arena.watch.trouble, "the end of the trouble")
    later.append(await server.arena.schedule(Setup("breakthrough", ("cid", "dan"))))
    await until(lambda: of(cid.heard, "over"), "the next match")
    assert (await health(server))[0] == 200
    assert await server.store.recount() == []


@pytest.mark.slow
async def test_on_a_disk_that_is_full_nothing_is_lost_and_all_goes_on_when_there_is_room(small_disk):
    async with server_in(small_disk.folder) as server, playing(server, "ann", "bob", "cid", "dan") as bots:
        said = "no space left on the database's disk"
        await trouble_and_its_end(server, bots, small_disk.fill, small_disk.make_room, said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "said"),
    [("attempt to write a readonly database", "it is read-only"), ("disk I/O error", "the disk reports an error")],
)
async def test_a_disk_that_refuses_writes_is_the_same(tmp_path, monkeypatch, error, said):
    refuses = False
    begin = SqliteConnection.begin

    def begin_or_fail(self: SqliteConnection) -> None:
        if refuses:
            raise sqlite3.OperationalError(error)
        begin(self)

    def fail(value: bool) -> None:
        nonlocal refuses
        refuses = value

    monkeypatch.setattr(SqliteConnection, "begin", begin_or_fail)
    async with server_in(tmp_path) as server, playing(server, "ann", "bob", "cid", "dan") as bots:
        await trouble_and_its_end(server, bots, partial(fail, True), partial(fail, False), said)
