"""Who is best: leaderboards and head-to-head scores, read from sums that every result has kept up to date."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import or_, select

from palio_db.columns import upsert
from palio_db.models import PairRow, RatingRow
from palio_db.part import Part, whole
from palio_db.values import PairScore, Rating
from palio_rules.live import Leader, Leaderboard

_LINE = (
    RatingRow.bot,
    RatingRow.rating,
    RatingRow.error,
    RatingRow.provisional,
    RatingRow.games,
    RatingRow.wins,
    RatingRow.draws,
    RatingRow.losses,
    RatingRow.points,
    RatingRow.illegal_moves,
    RatingRow.time_losses,
    RatingRow.think_ms,
    RatingRow.plies,
    RatingRow.form,
)


class Leaderboards(Part):
    """Reading the scores, and writing the ratings that somebody has computed from them."""

    @whole
    async def leaderboard(self, game: str) -> Leaderboard:
        """Every bot that has finished a match of `game`, the strongest first."""
        lines = select(*_LINE).where(RatingRow.game == game).order_by(RatingRow.rating.desc(), RatingRow.bot)
        async with self._database.read() as connection:
            found = (await connection.execute(lines)).all()
        return Leaderboard(game, [_leader(rank, line) for rank, line in enumerate(found, start=1)])

    @whole
    async def rated_games(self) -> list[str]:
        """The games that have a leaderboard."""
        async with self._database.read() as connection:
            return list(await connection.scalars(select(RatingRow.game).distinct().order_by(RatingRow.game)))

    @whole
    async def pair_scores(self, game: str) -> list[PairScore]:
        """What every two bots of `game` have scored against each other, each pair once."""
        return await self.head_to_head(game)

    @whole
    async def head_to_head(self, game: str, bot: str | None = None) -> list[PairScore]:
        """The scores of all pairs; with `bot`, those of that one against each opponent, seen from its side."""
        scores = (
            select(PairRow.first, PairRow.second, PairRow.wins, PairRow.draws, PairRow.losses)
            .where(PairRow.game == game)
            .order_by(PairRow.first, PairRow.second)
        )
        if bot is not None:
            scores = scores.where(or_(PairRow.first == bot, PairRow.second == bot))
        async with self._database.read() as connection:
            found = [PairScore(*row) for row in await connection.execute(scores)]
        return [pair if bot in (None, pair.first) else pair.flipped() for pair in found]

    @whole
    async def save_ratings(self, game: str, ratings: Mapping[str, Rating]) -> None:
        """Write what was computed from `pair_scores`; the counters stay as they are."""
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


def _leader(rank: int, line: Any) -> Leader:
    return Leader(
        rank=rank,
        bot=line.bot,
        rating=line.rating,
        error=line.error,
        provisional=line.provisional,
        games=line.games,
        wins=line.wins,
        draws=line.draws,
        losses=line.losses,
        points=line.points,
        illegal_moves=line.illegal_moves,
        time_losses=line.time_losses,
        mean_ms=line.think_ms / line.plies if line.plies else 0.0,
        form=line.form,
    )
