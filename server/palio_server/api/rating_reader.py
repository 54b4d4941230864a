"""Ratings that take longer than a leaderboard: the advantage of the first move, histories, and ratings with decay.

All are computed from the newest results of a game, so that they cost the same after a million; the first two are kept
for a while.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec
from msgspec import UNSET, UnsetType, structs

from palio_db.store import Store
from palio_db.values import Leaderboard, PairScore
from palio_rules.registry import game as rules_of
from palio_rules.registry import title_of
from palio_server.ratings.bradley_terry import UNRATED, anchors_on, first_move
from palio_server.ratings.history import Dated, RatingPoint, rate_dated, recent_history

NEWEST = 20_000  # matches that are read
POINTS = 60  # moments of a history,
RATINGS = 12_000  # but no more than so many ratings are computed for it,
FEWEST = 6  # except for these
FRESH_S = 60.0  # seconds for which a computed value is shown


class FirstMoveItem(msgspec.Struct, frozen=True):
    """The advantage of the first move, in Elo; `error` is half the width of the 95 % interval."""

    elo: float
    error: float
    games: int


class BoardOf(msgspec.Struct, frozen=True):
    """A leaderboard: `game` is a game, with the settings that make another one of it."""

    game: str
    title: str


class RankedGame(Leaderboard, frozen=True):
    """The leaderboard of a game, and the advantage of the first move there; null: not a game for two, or no result yet.

    `boards`: all leaderboards of the game that have games. `disputed`: names under which two programs play now, so that
    the rating belongs to neither. Where only some leaders were asked for, `total` counts all, and `level` those after
    the last one whose ratings equal its own.
    """

    first_move: FirstMoveItem | None
    boards: list[BoardOf] = []  # noqa: RUF012  # msgspec copies it
    disputed: list[str] = []  # noqa: RUF012  # msgspec copies it
    total: int | UnsetType = UNSET
    level: int | UnsetType = UNSET


class RatingItem(msgspec.Struct, frozen=True):
    at: datetime
    rating: float
    error: float
    provisional: bool


class RatingHistory(msgspec.Struct, frozen=True):
    """The history of a bot's rating; the last point is today's."""

    game: str
    bot: str
    points: list[RatingItem]


@dataclass(frozen=True, slots=True)
class _Found:
    at: float
    first_move: FirstMoveItem | None
    series: Mapping[str, list[RatingPoint]]


class RatingReader:
    """The reader for one store's games."""

    def __init__(self, store: Store, anchors: Mapping[str, float] | None = None) -> None:
        self._store, self._anchors = store, anchors
        self._found: dict[tuple[str, bool], _Found] = {}  # by game, and True for the history
        self._turns: dict[tuple[str, bool], asyncio.Lock] = {}
        self._fading = asyncio.Lock()  # one at a time: each has a half-life of its own, and none is kept

    async def leaderboard(self, game: str, half_life: float | None = None) -> RankedGame:
        """Return the present leaderboard; with a `half_life` in days, by results of which older ones count less.

        Raises StoreError, and BadOption for a `half_life` that is not more than 0.
        """
        board = await self._store.leaderboard(game)
        if half_life is not None:
            async with self._fading:
                recent = await self._store.history(game, NEWEST)
                board = await asyncio.to_thread(_faded, board, recent, half_life, anchors_on(game, self._anchors))
        found = None if not board.leaders else await self._look(game, history=False)
        boards = [BoardOf(each, title_of(each)) for each in await self._store.rated_games(game.partition(":")[0])]
        return RankedGame(board.game, board.leaders, None if found is None else found.first_move, boards)

    async def history(self, game: str, bot: str) -> RatingHistory:
        """Return the history of the rating of `bot`; without points if it has not played. Raises StoreError."""
        series = (await self._look(game, history=True)).series.get(bot, [])
        points = [RatingItem(each.at, each.rating, each.error, each.provisional) for each in series]
        return RatingHistory(game, bot, points)

    async def _look(self, game: str, *, history: bool) -> _Found:
        async with self._turns.setdefault((game, history), asyncio.Lock()):  # later callers wait meanwhile
            clock, known = asyncio.get_running_loop().time(), self._found.get((game, history))
            if known is None or clock - known.at > FRESH_S:
                totals = await self._store.head_to_head(game) if history else []
                recent = await self._store.history(game, NEWEST)
                known = await asyncio.to_thread(_computed, clock, game, totals, recent, anchors_on(game, self._anchors))
                self._found[game, history] = known
            return known


def _computed(
    clock: float, game: str, totals: list[PairScore], recent: list[Dated], anchors: Mapping[str, float] | None
) -> _Found:
    if totals:
        bots = len({bot for pair in totals for bot in (pair.first, pair.second)})
        points = min(POINTS, max(FEWEST, RATINGS // bots))
        return _Found(clock, None, recent_history(totals, recent, points, anchors))
    return _Found(clock, _first_move(game, recent), {})


def _faded(
    board: Leaderboard, recent: list[Dated], half_life: float, anchors: Mapping[str, float] | None
) -> Leaderboard:
    """Return the same bots by `recent` results only; those without one are unrated."""
    before = {leader.bot: leader.rating for leader in board.leaders}
    ratings = rate_dated(recent, now=datetime.now(UTC), half_life=half_life, before=before, anchors=anchors)
    rated = [(leader, ratings.get(leader.bot, UNRATED)) for leader in board.leaders]
    rated.sort(key=lambda line: (line[1].provisional, -line[1].rating, line[0].bot))
    leaders = [
        structs.replace(
            leader, rank=0 if new.provisional else rank, rating=new.rating, error=new.error, provisional=new.provisional
        )
        for rank, (leader, new) in enumerate(rated, 1)
    ]
    return Leaderboard(board.game, leaders)


def _first_move(game: str, recent: list[Dated]) -> FirstMoveItem | None:
    rules = rules_of(game.partition(":")[0])
    if rules.kind == "race" or len(rules.seats) != 2:
        return None
    sums: dict[tuple[str, str], PairScore] = {}
    for _, pair in recent:
        key = pair.first, pair.second
        sums[key] = sums[key] + pair if key in sums else pair
    found = first_move([*sums.values()])
    return None if found is None else FirstMoveItem(found.elo, found.error, found.games)
