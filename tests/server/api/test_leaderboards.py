"""Leaderboards: committed results only, soon but not too often, told to everybody."""

import asyncio

import msgspec
import pytest

from palio_db.errors import Unavailable
from palio_rules.live import Leaderboard
from palio_server import leaderboards
from palio_server.leaderboards import Leaderboards


class Changes:
    def __init__(self):
        self.games = []

    def leaderboard_changed(self, game):
        self.games.append(game)


class FakeStore:
    """Counts what is asked of it."""

    def __init__(self, rated=()):
        self.rated, self.asked, self.down, self.fails = rated, [], 0, 0

    async def rated_games(self):
        return list(self.rated)

    async def pair_scores(self, game):
        if self.down:
            self.down -= 1
            self.fails += 1
            raise Unavailable("gone for a while")
        self.asked.append((game, asyncio.get_running_loop().time()))
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


async def until(condition):
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110  # fakes have no events
            await asyncio.sleep(0.005)


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
    await until(lambda: feed.games == ["dominoes"])
    assert bus.published == [("palio/leaderboard/dominoes", Leaderboard("dominoes", []))]


async def test_many_results_are_counted_together(parts):
    _, _, feed, boards = parts
    for _ in range(100):
        boards.note(FakeRecord("dominoes"))
        boards.note(FakeRecord("breakthrough"))
    await until(lambda: len(feed.games) == 2)
    await asyncio.sleep(0.1)
    assert sorted(feed.games) == ["breakthrough", "dominoes"]


async def test_while_the_database_is_away_the_results_wait(parts):
    store, _, feed, boards = parts
    store.down = 3
    boards.note(FakeRecord("dominoes"))
    await until(lambda: feed.games == ["dominoes"])
    assert store.fails == 3


async def test_at_the_start_every_leaderboard_is_counted_again(quick):
    store, bus, feed = FakeStore(rated=["breakthrough", "dominoes"]), FakeBus(), Changes()
    task = asyncio.create_task(Leaderboards(store, bus, feed).run())
    await until(lambda: feed.games == ["breakthrough", "dominoes"])
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_ratings_in_the_store_follow_what_was_played(house):
    kept = []
    house.bus.subscribe("palio/leaderboard/+", lambda topic, payload: kept.append(payload))
    house.join("ann")
    house.join("bob")
    from palio_rules.record import Setup

    matches = [await house.arena.schedule(Setup("breakthrough", bots)) for bots in [("ann", "bob"), ("bob", "ann")] * 6]
    for match in matches:
        await house.finished(match)

    async def counted():
        return kept and sum(leader.games for leader in msgspec.json.decode(kept[-1], type=Leaderboard).leaders) == 24

    await house.until(counted)
    board = await house.store.leaderboard("breakthrough")
    assert msgspec.json.decode(kept[-1], type=Leaderboard) == board
    assert sum(leader.rating for leader in board.leaders) == pytest.approx(3000)
    assert all(leader.error < 500 for leader in board.leaders)
