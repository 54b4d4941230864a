"""Who is best: leaderboards and head-to-head scores, read from sums that every result has kept up to date."""

from collections.abc import Mapping

from palio_db.connections import Connection, Sql
from palio_db.store_part import StorePart
from palio_db.values import Leader, Leaderboard, PairScore, Rating
from palio_db.work import Alone

BOARD = Sql.of(
    "SELECT bot, rating, error, provisional, games, wins, draws, losses, points, illegal_moves, time_losses, "
    "CASE WHEN plies > 0 THEN CAST(think_ms AS DOUBLE PRECISION) / plies ELSE 0.0 END, form "
    "FROM ratings WHERE game = ? ORDER BY rating DESC, bot"
)
GAMES = Sql.of("SELECT DISTINCT game FROM ratings ORDER BY game")
_SCORES = "SELECT first, second, wins, draws, losses FROM pair_scores WHERE game = ?"
SCORES = Sql.of(_SCORES + " ORDER BY first, second")
SCORES_OF = Sql.of(_SCORES + " AND (first = ? OR second = ?) ORDER BY first, second")
SAVE = Sql.of(
    "INSERT INTO ratings (game, bot, rating, error, provisional, games, wins, draws, losses, points, illegal_moves, "
    "time_losses, think_ms, plies, form) VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, '') "
    "ON CONFLICT (game, bot) DO UPDATE SET "
    "rating = excluded.rating, error = excluded.error, provisional = excluded.provisional"
)


class Leaderboards(StorePart):
    """Reading the scores, and writing the ratings that somebody has computed from them."""

    async def leaderboard(self, game: str) -> Leaderboard:
        """Every bot that has finished a match of `game`, the strongest first."""
        return await self._database.ask(lambda connection: _board(connection, game))

    async def rated_games(self) -> list[str]:
        """The games that have a leaderboard."""
        return [game for (game,) in await self._database.ask(lambda connection: connection.rows(GAMES))]

    async def head_to_head(self, game: str, bot: str | None = None) -> list[PairScore]:
        """What every two bots of `game` have scored against each other, each pair once.

        With `bot`, only that one's scores against each opponent, seen from its side.
        """
        return await self._database.ask(lambda connection: _scores(connection, game, bot))

    async def save_ratings(self, game: str, ratings: Mapping[str, Rating]) -> None:
        """Write what was computed from `head_to_head`; the counters stay as they are."""
        lines = [
            (game, bot, float(new.rating), float(new.error), bool(new.provisional))
            for bot, new in sorted(ratings.items())  # in the order in which results lock these rows
        ]
        if lines:
            await self._database.do(Alone(lambda connection: connection.change(SAVE, lines)))


def _board(connection: Connection, game: str) -> Leaderboard:
    rows = connection.rows(BOARD, (game,))
    return Leaderboard(
        game,
        [
            Leader(rank, bot, rating, error, bool(provisional), *counters)
            for rank, (bot, rating, error, provisional, *counters) in enumerate(rows, start=1)
        ],
    )


def _scores(connection: Connection, game: str, bot: str | None) -> list[PairScore]:
    if bot is None:
        return [PairScore(*row) for row in connection.rows(SCORES, (game,))]
    found = [PairScore(*row) for row in connection.rows(SCORES_OF, (game, bot, bot))]
    return [pair if pair.first == bot else pair.flipped() for pair in found]
