"""Work for a client that disconnects ends."""

import asyncio
import threading

import httpx

from palio_rules.instances.effort import SearchCancelled, spend
from palio_server.api import matches


async def test_the_search_ends_when_the_client_disconnects_and_leaves_no_match_behind(server, url, monkeypatch):
    for bot in ("ann", "bob"):
        server.join(bot, games=["chexers_solo"])
    begun, ended = threading.Event(), threading.Event()

    def never(_wanted):
        begun.set()
        try:
            while True:
                spend(1)
        except SearchCancelled:
            ended.set()
            raise

    monkeypatch.setattr(matches, "setups", never)
    async with httpx.AsyncClient(base_url=url, timeout=None) as client:
        asking = asyncio.create_task(client.post("/api/matches", json={"game": "chexers_solo", "bots": ["ann", "bob"]}))
        await asyncio.to_thread(begun.wait)
        asking.cancel()
        await asyncio.wait({asking})
    assert await asyncio.to_thread(ended.wait, 60)
    assert await server.store.matches() == []
