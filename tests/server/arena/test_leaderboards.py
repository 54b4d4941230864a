"""Leaderboards: committed results only, soon but not too often, published to everybody."""

import asyncio
from itertools import pairwise

import msgspec
import pytest

from palio_db.errors import Unavailable
from palio_db.values import Leaderboard
from palio_server.arena import leaderboards
from palio_server.arena.leaderboards import Leaderboards


class Changes:
    """The feed's part: notes which leaderboards have changed, in order."""

    def __init__(self):
        self.games = []
        self._news = asyncio.Event()

    def leaderboard_changed(self, game):
        self.games.append(game)
        self._news.set()

    async def until(self, *games):
        """Return when these, in this order, are all that have changed."""
        async with asyncio.timeout(20):
            while self.games != [*games]:
                self._news.clear()
                await self._news.wait()


class FakeStore:
    """Counts what is asked of it."""

    def __init__(self, rated=()):
        self.rated, self.asked, self.down, self.fails = rated, [], 0, 0
        self.during = lambda game: None  # called while a leaderboard is counted

    async def rated_games(self):
        return list(self.rated)

    async def head_to_head(self, game):
        if self.down:
            self.down -= 1
            self.fails += 1
            raise Unavailable("gone for a while")
        self.asked.append((game, asyncio.get_running_loop().time()))
        self.during(game)
        return []

    async def save_ratings(self, game, ratings): ...

    async def leaderboard(self, game):
        return Leaderboard(game, [])


class FakeBus:
    def __init__(self):
        self.published = []

    def publish(self, topic, payload, *, retain=False):
        assert retain
        self.published.append((topic, msgspec.json.decode(payload, type=Leaderboard)))


class FakeRecord:
    def __init__(self, game):
        self.setup = self
        self.game = game


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(leaderboards, "PAUSE_S", 0.02)


@pytest.fixture
async def parts(quick):
    store, bus, feed = FakeStore(), FakeBus(), Changes()
    boards = Leaderboards(store, bus, feed)
    task = asyncio.create_task(boards.run())
    yield store, bus, feed, boards
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_result_leads_to_a_published_leaderboard(parts):
    _, bus, feed, boards = parts
    boards.note(FakeRecord("dominoes"))
    await feed.until("dominoes")
    assert bus.published == [("palio/leaderboard/dominoes", Leaderboard("dominoes", []))]


async def test_many_results_are_counted_together(parts):
    _, _, feed, boards = parts
    for _ in range(100):
        boards.note(FakeRecord("dominoes"))
        boards.note(FakeRecord("breakthrough"))
    await feed.until("breakthrough", "dominoes")
    boards.note(FakeRecord("rush_hour"))
    await feed.until("breakthrough", "dominoes", "rush_hour")  # games are counted by name: nothing else was left


async def test_results_that_come_while_others_are_counted_wait_for_the_next_time(parts):
    store, _, feed, boards = parts
    store.during = lambda game: len(store.asked) < 4 and boards.note(FakeRecord(game))
    boards.note(FakeRecord("dominoes"))
    await feed.until(*["dominoes"] * 4)
    times = [at for _, at in store.asked]
    assert all(later - earlier >= leaderboards.PAUSE_S * 0.9 for earlier, later in pairwise(times))


async def test_while_the_database_is_away_the_results_wait(parts):
    store, _, feed, boards = parts
    store.down = 3
    boards.note(FakeRecord("dominoes"))
    await feed.until("dominoes")
    assert store.fails == 3


async def test_at_the_start_every_leaderboard_is_counted_again(quick):
    store, bus, feed = FakeStore(rated=["breakthrough", "dominoes"]), FakeBus(), Changes()
    task = asyncio.create_task(Leaderboards(store, bus, feed).run())
    await feed.until("breakthrough", "dominoes")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
