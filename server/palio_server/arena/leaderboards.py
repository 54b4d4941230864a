"""The writer that keeps ratings and leaderboards up to date: after each result, but at most once a second.

Only committed results are counted: a result comes here after its commit, the ratings are computed from the sums in the
store, saved, read back, and then published (retained on `palio/leaderboard/<game>`).

With thousands of bots an update takes longer than a result: then updates become rarer, so that they take only a small
share of the time.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

import msgspec

from palio_db.store import Store
from palio_db.values import Leader, Leaderboard, PairScore, Rating
from palio_rules.contract.topics import leaderboard
from palio_rules.records.record import Record
from palio_server.arena.journal import until_database_answers
from palio_server.bus import Bus
from palio_server.live.feed import Feed
from palio_server.lobby.other_servers import ALONE, OtherServers
from palio_server.ratings.bradley_terry import anchors_on, rate

PAUSE_S = 1.0  # seconds between two updates, at least
SHARE = 0.05  # of the time, for updates
LONGEST_S = 60.0  # seconds, the longest pause, even after a very long update
WRITTEN = 500  # ratings in one transaction, so that results do not wait for long
VISIBLE = 0.05  # Elo; a stored rating or error is kept if it would change by less


class Leaderboards:
    """The one writer of ratings in this process."""

    def __init__(
        self,
        store: Store,
        bus: Bus,
        feed: Feed,
        anchors: Mapping[str, float] | None = None,
        others: OtherServers = ALONE,
    ) -> None:
        """`anchors`: bots whose ratings are fixed (`anchors_on`); those of the others follow from their scores."""
        self._others = others
        self._store, self._bus, self._feed, self._anchors = store, bus, feed, anchors
        self._stale: set[str] = set()  # games with results that are not counted yet
        self._all = True  # True: check for every game that all its results are counted
        self._news = asyncio.Event()
        self._leaders: dict[str, Mapping[str, Leader]] = {}  # by game and bot, as they were read last
        self._spent = 0.0  # seconds that the last updates took

    def note(self, record: Record) -> None:
        """Take in a committed result; one that is not rated changes nothing here."""
        if record.rated:
            self.recount(record.setup.leaderboard)

    def recount(self, game: str, *, told: bool = False) -> None:
        """Recompute the ratings of `game`, because the results that count have changed; `told`: another server says so.

        One of several servers rates: two at once might save outdated ratings.
        """
        if self._others.leads():
            self._stale.add(game)
            self._news.set()
        elif not told:
            self._others.tell_stale(game)

    def count_all_if_leading(self) -> None:
        """Count all results if this server leads now: the one that rated before may have stopped in between."""
        if self._others.leads():
            self._all = True
            self._leaders.clear()
            self._news.set()

    def heard(self, game: str) -> None:
        """Discard the cached leaderboard of `game`, because another server has rated."""
        self._leaders.pop(game, None)
        self._feed.leaderboard_changed(game)

    async def leaders(self, game: str) -> Mapping[str, Leader]:
        """Return the lines of the leaderboard by bot, as they were at the last update."""
        if game not in self._leaders:
            board = await self._store.leaderboard(game)
            self._leaders.setdefault(game, _by_bot(board))
        return self._leaders[game]

    async def run(self) -> None:
        """Update until cancelled; at first all games, for results that were committed just before a crash."""
        while True:
            self._spent = 0.0
            if self._all:
                self._all = False
                games = await until_database_answers("the leaderboards wait", self._store.rated_games)
                self._stale.update(games if self._others.leads() else ())
            for game in sorted(self._stale):
                await until_database_answers("the leaderboards wait", partial(self.update, game))
            await asyncio.sleep(min(LONGEST_S, max(PAUSE_S, self._spent / SHARE - self._spent)))
            await self._news.wait()
            self._news.clear()

    async def update(self, game: str) -> None:
        """Count all results of `game` that are committed by now, and publish the leaderboard."""
        began = asyncio.get_running_loop().time()
        self._stale.discard(game)
        try:
            before = await self.leaders(game)
            await rerate(self._store, game, before, self._anchors)
            board = await self._store.leaderboard(game)
            self._leaders[game] = _by_bot(board)
        except BaseException:
            self._stale.add(game)  # still to be done
            raise
        self._bus.publish(leaderboard(game), msgspec.json.encode(board), retain=True)
        self._feed.leaderboard_changed(game)
        self._others.tell_rated(game)
        self._spent += asyncio.get_running_loop().time() - began


async def rerate(
    store: Store, game: str, before: Mapping[str, Leader], anchors: Mapping[str, float] | None = None
) -> None:
    """Compute the ratings that follow from all scores of `game`, and save those that differ from `before`."""
    pairs = await store.head_to_head(game)
    changed = await asyncio.to_thread(changed_ratings, pairs, before, anchors_on(game, anchors))
    while some := dict(islice(changed, WRITTEN)):
        await store.save_ratings(game, some)


def _by_bot(board: Leaderboard) -> Mapping[str, Leader]:
    return {leader.bot: leader for leader in board.leaders}


def changed_ratings(
    pairs: Sequence[PairScore], before: Mapping[str, Leader], anchors: Mapping[str, float] | None = None
) -> Iterator[tuple[str, Rating]]:
    """Return the ratings that follow from `pairs`, by name, except those that differ too little from `before` to be
    seen.
    """
    ratings = rate(pairs, {bot: leader.rating for bot, leader in before.items()}, anchors)
    return iter([(bot, new) for bot, new in sorted(ratings.items()) if _differs(new, before.get(bot))])


def _differs(new: Rating, old: Leader | None) -> bool:
    return (
        old is None
        or new.provisional != old.provisional
        or abs(new.rating - old.rating) >= VISIBLE
        or abs(new.error - old.error) >= VISIBLE
    )
