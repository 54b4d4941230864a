"""Who is best: leaderboards and head-to-head scores, read from sums that every result has kept up to date."""

import asyncio
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, or_, select, tuple_

from palio_db.columns import upsert
from palio_db.models import PairRow, RatingRow
from palio_db.store_part import StorePart, shielded
from palio_db.values import Leader, Leaderboard, PairScore, Rating

_PAIRS = 5000  # read at once: some milliseconds' work
_SLICE = 500  # lines made without a pause

_SHOWN = [name for name in Leader.__struct_fields__ if name not in ("rank", "mean_ms")]  # as they are stored
_LINE = [getattr(RatingRow, name) for name in [*_SHOWN, "think_ms", "plies"]]


class Leaderboards(StorePart):
    """Reading the scores, and writing the ratings that somebody has computed from them."""

    @shielded
    async def leaderboard(self, game: str) -> Leaderboard:
        """Every bot that has finished a match of `game`, the strongest first."""
        wanted = select(*_LINE).where(RatingRow.game == game).order_by(RatingRow.rating.desc(), RatingRow.bot)
        lines, leaders = await self._all(wanted), list[Leader]()
        for start in range(0, len(lines), _SLICE):
            leaders += [_leader(rank, line) for rank, line in enumerate(lines[start : start + _SLICE], start + 1)]
            await asyncio.sleep(0)  # matches in progress must not wait for thousands of lines
        return Leaderboard(game, leaders)

    @shielded
    async def rated_games(self) -> list[str]:
        """The games that have a leaderboard."""
        return [row.game for row in await self._all(select(RatingRow.game).distinct().order_by(RatingRow.game))]

    @shielded
    async def head_to_head(self, game: str, bot: str | None = None) -> list[PairScore]:
        """What every two bots of `game` have scored against each other, each pair once.

        With `bot`, only that one's scores against each opponent, seen from its side. There may be a hundred thousand
        pairs: they are read page by page, each as it is then, and no transaction stays open between two pages.
        """
        scores = (
            select(PairRow.first, PairRow.second, PairRow.wins, PairRow.draws, PairRow.losses)
            .where(PairRow.game == game)
            .order_by(PairRow.first, PairRow.second)
            .limit(_PAIRS)
        )
        if bot is not None:
            scores = scores.where(or_(PairRow.first == bot, PairRow.second == bot))
        found: list[PairScore] = []
        page = await self._all(scores)
        while page:
            found += [PairScore(*row) for row in page]
            if len(page) < _PAIRS:
                break
            last = found[-1]
            page = await self._all(scores.where(tuple_(PairRow.first, PairRow.second) > (last.first, last.second)))
        return [pair if bot in (None, pair.first) else pair.flipped() for pair in found]

    @shielded
    async def save_ratings(self, game: str, ratings: Mapping[str, Rating]) -> None:
        """Write what was computed from `head_to_head`; the counters stay as they are."""
        lines = [
            {"game": game, "bot": bot, "rating": new.rating, "error": new.error, "provisional": new.provisional}
            for bot, new in sorted(ratings.items())  # in the order in which results lock these rows
        ]
        if not lines:
            return
        new = upsert(self._database.address.kind, RatingRow)
        saving = new.on_conflict_do_update(
            index_elements=["game", "bot"],
            set_={name: new.excluded[name] for name in ("rating", "error", "provisional")},
        )
        async with self._database.write() as connection:
            await connection.execute(saving, lines)


def _leader(rank: int, line: Row[Any]) -> Leader:
    mean_ms = line.think_ms / line.plies if line.plies else 0.0
    return Leader(rank=rank, mean_ms=mean_ms, **dict(zip(_SHOWN, line, strict=False)))
