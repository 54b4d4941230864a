"""Keeps ratings and leaderboards up to date: after each result, but never more often than the eye can follow.

Only what has been committed is counted: a result comes here after its commit, the ratings are computed from what the
store has summed up, saved, read back, and then published (retained on `palio/leaderboard/<game>`).
"""

import asyncio
from collections.abc import Sequence
from functools import partial

import msgspec

from palio_db.store import Store
from palio_db.values import PairScore, Rating
from palio_rules.contract.topics import leaderboard
from palio_rules.records.record import Record
from palio_server.arena.retry import until_database_answers
from palio_server.bus import Bus
from palio_server.live.feed import Feed

PAUSE_S = 1.0  # between two updates


class Leaderboards:
    """The one writer of ratings in this process."""

    def __init__(self, store: Store, bus: Bus, feed: Feed) -> None:
        self._store, self._bus, self._feed = store, bus, feed
        self._stale: set[str] = set()  # games with results that are not counted yet
        self._news = asyncio.Event()

    def note(self, record: Record) -> None:
        """A result has been committed."""
        self._stale.add(record.setup.game)
        self._news.set()

    async def run(self) -> None:
        """Update until cancelled; at first all there are, for results that were committed just before a crash."""
        self._stale.update(await until_database_answers("the leaderboards wait", self._store.rated_games))
        while True:
            for game in sorted(self._stale):
                await until_database_answers("the leaderboards wait", partial(self.update, game))
            await asyncio.sleep(PAUSE_S)
            await self._news.wait()
            self._news.clear()

    async def update(self, game: str) -> None:
        """Count all results of `game` that are committed by now, and tell everybody."""
        self._stale.discard(game)
        try:
            pairs = await self._store.head_to_head(game)
            await self._store.save_ratings(game, await asyncio.to_thread(_rated, pairs))
            board = await self._store.leaderboard(game)
        except BaseException:
            self._stale.add(game)  # still to be done
            raise
        self._bus.publish(leaderboard(game), msgspec.json.encode(board), retain=True)
        self._feed.leaderboard_changed(game)


def _rated(pairs: Sequence[PairScore]) -> dict[str, Rating]:
    from palio_server.ratings.bradley_terry import rate  # noqa: PLC0415  # numpy, which no match waits for

    return rate(pairs)
