"""What takes longer than a leaderboard to read: what it is worth to move first, and how ratings went.

Both are of the newest results of a game, so that they cost the same after a million; and are kept for a while.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from palio_db.store import Store
from palio_db.values import Leaderboard, PairScore
from palio_rules.registry import game as rules_of

if TYPE_CHECKING:  # numpy, which no match waits for
    from palio_server.ratings.history import Dated, RatingPoint

NEWEST = 20_000  # matches that are looked at
POINTS = 60  # moments of a history,
RATINGS = 12_000  # but no more than so many ratings are computed for it,
FEWEST = 6  # except for these
FRESH_S = 60.0  # how long what was computed is shown


class FirstMoveItem(msgspec.Struct, frozen=True):
    """What it is worth to move first, in Elo; `error` is half the width of the 95 % interval."""

    elo: float
    error: float
    games: int


class RankedGame(Leaderboard, frozen=True):
    """The leaderboard of a game, and what it is worth to move first there; None: no game for two, or no result yet."""

    first_move: FirstMoveItem | None


class RatingItem(msgspec.Struct, frozen=True):
    at: datetime
    rating: float
    error: float
    provisional: bool


class RatingHistory(msgspec.Struct, frozen=True):
    """How the rating of a bot went; the last one is today's."""

    game: str
    bot: str
    points: list[RatingItem]


@dataclass(frozen=True, slots=True)
class _Found:
    at: float
    first_move: FirstMoveItem | None
    series: Mapping[str, "list[RatingPoint]"]


class RatingReader:
    """Of one store's games."""

    def __init__(self, store: Store, anchors: Mapping[str, float] | None = None) -> None:
        self._store, self._anchors = store, anchors
        self._found: dict[tuple[str, bool], _Found] = {}  # by game, and whether the history was asked for
        self._turns: dict[tuple[str, bool], asyncio.Lock] = {}

    async def leaderboard(self, game: str) -> RankedGame:
        """The leaderboard as it stands. Raises StoreError."""
        board = await self._store.leaderboard(game)
        found = None if not board.leaders else await self._look(game, history=False)
        return RankedGame(board.game, board.leaders, None if found is None else found.first_move)

    async def history(self, game: str, bot: str) -> RatingHistory:
        """How the rating of `bot` went; without points if it has not played. Raises StoreError."""
        series = (await self._look(game, history=True)).series.get(bot, [])
        points = [RatingItem(each.at, each.rating, each.error, each.provisional) for each in series]
        return RatingHistory(game, bot, points)

    async def _look(self, game: str, *, history: bool) -> _Found:
        async with self._turns.setdefault((game, history), asyncio.Lock()):  # whoever comes meanwhile waits for it
            clock, known = asyncio.get_running_loop().time(), self._found.get((game, history))
            if known is None or clock - known.at > FRESH_S:
                totals = await self._store.head_to_head(game) if history else []
                recent = await self._store.history(game, NEWEST)
                known = await asyncio.to_thread(_computed, clock, game, totals, recent, self._anchors)
                self._found[game, history] = known
            return known


def _computed(
    clock: float, game: str, totals: list[PairScore], recent: "list[Dated]", anchors: Mapping[str, float] | None
) -> _Found:
    from palio_server.ratings.history import recent_history  # noqa: PLC0415  # as above

    if totals:
        bots = len({bot for pair in totals for bot in (pair.first, pair.second)})
        points = min(POINTS, max(FEWEST, RATINGS // bots))
        return _Found(clock, None, recent_history(totals, recent, points, anchors))
    return _Found(clock, _first_move(game, recent), {})


def _first_move(game: str, recent: "list[Dated]") -> FirstMoveItem | None:
    from palio_server.ratings.first_move import first_move  # noqa: PLC0415  # as above

    rules = rules_of(game)
    if rules.kind == "race" or len(rules.seats) != 2:
        return None
    sums: dict[tuple[str, str], PairScore] = {}
    for _, pair in recent:
        key = pair.first, pair.second
        sums[key] = sums[key] + pair if key in sums else pair
    found = first_move([*sums.values()])
    return None if found is None else FirstMoveItem(found.elo, found.error, found.games)
