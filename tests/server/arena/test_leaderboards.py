"""Leaderboards: committed results only, soon but not too often, published to all."""

import asyncio
from itertools import pairwise

import msgspec
import pytest

from palio_db.errors import Unavailable
from palio_db.values import Leader, Leaderboard, PairScore, Rating
from palio_server.arena import leaderboards
from palio_server.arena.leaderboards import Leaderboards, changed_ratings
from palio_server.ratings.bradley_terry import rate


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
        self.pairs, self.leaders, self.saved = [], [], []

    async def rated_games(self):
        return list(self.rated)

    async def head_to_head(self, game):
        if self.down:
            self.down -= 1
            self.fails += 1
            raise Unavailable("gone for a while")
        self.asked.append((game, asyncio.get_running_loop().time()))
        self.during(game)
        return self.pairs

    async def save_ratings(self, game, ratings):
        self.saved.append(dict(ratings))

    async def leaderboard(self, game):
        return Leaderboard(game, list(self.leaders))


class FakeBus:
    def __init__(self):
        self.published = []

    def publish(self, topic, payload, *, retain=False):
        assert retain
        self.published.append((topic, msgspec.json.decode(payload, type=Leaderboard)))


class FakeRecord:
    def __init__(self, game):
        self.setup = self
        self.leaderboard = game
        self.rated = True


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


def leader(rank, bot, rating):
    return Leader(rank, bot, rating.rating, rating.error, rating.provisional, 9, 5, 0, 4, 5.0, 0, 0, 10.0, "WL")


async def test_only_ratings_that_have_changed_are_written(parts):
    store, _, _, boards = parts
    store.pairs = [PairScore("ann", "bob", 8, 0, 2), PairScore("cid", "dan", 40, 0, 40)]
    before = rate(store.pairs)
    store.leaders = [leader(rank, bot, rating) for rank, (bot, rating) in enumerate(before.items(), 1)]
    await boards.update("nim")
    assert store.saved == []
    store.pairs = [PairScore("ann", "bob", 9, 0, 2), store.pairs[1], PairScore("eve", "fay", 1, 0, 0)]
    await boards.update("nim")
    assert [sorted(saved) for saved in store.saved] == [["ann", "bob", "eve", "fay"]]


async def test_many_ratings_are_written_a_part_at_a_time(parts, monkeypatch):
    store, _, _, boards = parts
    monkeypatch.setattr(leaderboards, "WRITTEN", 2)
    store.pairs = [PairScore("ann", "bob", 8, 0, 2), PairScore("bob", "cid", 4, 0, 4)]
    await boards.update("nim")
    assert [sorted(saved) for saved in store.saved] == [["ann", "bob"], ["cid"]]


async def test_the_ladder_is_told_the_ratings_of_the_last_update(parts):
    store, _, _, boards = parts
    store.leaders = [leader(1, "ann", Rating(1600.0, 90.0, provisional=False))]
    assert (await boards.leaders("nim"))["ann"].rating == 1600
    store.leaders = [leader(1, "ann", Rating(1650.0, 90.0, provisional=False))]
    assert (await boards.leaders("nim"))["ann"].rating == 1600
    await boards.update("nim")
    assert (await boards.leaders("nim"))["ann"].rating == 1650


@pytest.mark.virtual_clock
async def test_the_longer_an_update_takes_the_rarer_they_are(monkeypatch):
    store, bus, feed = FakeStore(), FakeBus(), Changes()
    monkeypatch.setattr(leaderboards.asyncio, "to_thread", _at_once)  # a thread has no place on virtual time
    boards = Leaderboards(store, bus, feed)
    head_to_head, takes = store.head_to_head, 0.0

    async def slow(game):
        found = await head_to_head(game)
        await asyncio.sleep(takes)
        boards.note(FakeRecord(game))
        return found

    store.head_to_head = slow
    task = asyncio.create_task(boards.run())
    boards.note(FakeRecord("nim"))
    pauses = []
    for takes in (0.0, 0.2, 100.0):  # noqa: B007  # `slow` reads it
        await asyncio.sleep(300)
        times = [at for _, at in store.asked]
        pauses.append(times[-1] - times[-2])
    task.cancel()
    await asyncio.wait([task])
    assert pauses == pytest.approx([1.0, 4.0, 160.0])


async def _at_once(work, *args):
    return work(*args)


def test_anchors_hold_their_ratings():
    pairs = [PairScore("ann", "bob", 8, 0, 2)]
    changed = dict(changed_ratings(pairs, {}, {"bob": 2000.0}))
    assert changed["bob"].rating == 2000.0
    assert changed["ann"].rating > 2100


async def test_a_result_that_is_not_rated_is_not_counted(parts):
    _, _, feed, boards = parts
    unrated = FakeRecord("dominoes")
    unrated.rated = False
    boards.note(unrated)
    boards.note(FakeRecord("rush_hour"))
    await feed.until("rush_hour")  # games are counted by name: the other one would have come first
