"""Who is best: leaderboards and head-to-head scores, read from sums that every result has kept up to date."""

from collections.abc import Mapping
from datetime import datetime
from itertools import combinations, groupby
from operator import itemgetter

from palio_db.connections import Connection, Sql
from palio_db.model_costs import MEANS
from palio_db.store_part import StorePart
from palio_db.values import Leader, Leaderboard, PairScore, Rating
from palio_db.work import Alone

BOARD = Sql.of(
    "SELECT bot, rating, error, provisional, games, wins, draws, losses, points, illegal_moves, time_losses, "
    "CASE WHEN plies > 0 THEN CAST(think_ms AS DOUBLE PRECISION) / plies ELSE 0.0 END, form, {means} "
    "FROM ratings WHERE game = ? ORDER BY rating DESC, bot",
    means=MEANS,
)
GAMES = Sql.of("SELECT DISTINCT game FROM ratings ORDER BY game")
_SCORES = "SELECT first, second, wins, draws, losses FROM pair_scores WHERE game = ?"
SCORES = Sql.of(_SCORES + " ORDER BY first, second")
SCORES_OF = Sql.of(_SCORES + " AND (first = ? OR second = ?) ORDER BY first, second")
# By the index on (game, id); in the order of seats, so that the first of a pair sat before the second.
_SEATS = "SELECT m.id, m.finished_at, s.seat, s.bot, s.score FROM {} JOIN seats s ON s.match = m.id "
PLAYED = Sql.of(
    _SEATS.format("matches m") + "WHERE m.game = ? AND m.status = 'finished' AND m.rated "
    "AND m.voided_at IS NULL ORDER BY m.id, s.seat"
)
_NEWEST = (
    "(SELECT id, finished_at FROM matches WHERE game = ? AND status = 'finished' AND rated AND voided_at IS NULL "
    "ORDER BY id DESC LIMIT ?) m"
)
NEWEST = Sql.of(_SEATS.format(_NEWEST) + "ORDER BY m.id, s.seat")
SAVE = Sql.of(  # only of lines that are there: the last match of a bot may have been voided meanwhile
    "UPDATE ratings SET rating = ?, error = ?, provisional = ? WHERE game = ? AND bot = ?"
)


class Leaderboards(StorePart):
    """Reading the scores, and writing the ratings that somebody has computed from them."""

    async def leaderboard(self, game: str) -> Leaderboard:
        """Every bot that has finished a match of `game`: the strongest first, provisional ones after all others."""
        return await self._database.ask(lambda connection: _board(connection, game))

    async def rated_games(self) -> list[str]:
        """The games that have a leaderboard."""
        return [game for (game,) in await self._database.ask(lambda connection: connection.rows(GAMES))]

    async def head_to_head(self, game: str, bot: str | None = None) -> list[PairScore]:
        """What every two bots of `game` have scored against each other, each pair once.

        With `bot`, only that one's scores against each opponent, seen from its side.
        """
        return await self._database.ask(lambda connection: _scores(connection, game, bot))

    async def history(self, game: str, newest: int | None = None) -> list[tuple[datetime, PairScore]]:
        """Finished, rated matches of `game` as pairs, and when each was over, oldest first; all, or so many `newest`.

        The first of a pair had the earlier seat, so that what it is worth to move first can be read off.
        """
        return await self._database.ask(lambda connection: _history(connection, game, newest))

    async def save_ratings(self, game: str, ratings: Mapping[str, Rating]) -> None:
        """Write what was computed from `head_to_head`, for bots that have a line; the counters stay as they are."""
        lines = [
            (float(new.rating), float(new.error), bool(new.provisional), game, bot)
            for bot, new in sorted(ratings.items())  # in the order in which results lock these rows
        ]
        if lines:
            await self._database.do(Alone(lambda connection: connection.change(SAVE, lines)))


def _board(connection: Connection, game: str) -> Leaderboard:
    rows = sorted(connection.rows(BOARD, (game,)), key=lambda row: bool(row[3]))  # provisional ones outrank nobody
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


def _history(connection: Connection, game: str, newest: int | None) -> list[tuple[datetime, PairScore]]:
    found = []
    rows = connection.rows(PLAYED, (game,)) if newest is None else connection.rows(NEWEST, (game, newest))
    for (_, at), seats in groupby(rows, key=itemgetter(0, 1)):
        moment = connection.to_moment(at)
        for (first, ours), (second, theirs) in combinations([(bot, score) for *_, bot, score in seats], 2):
            found.append(
                (moment, PairScore(first, second, int(ours > theirs), int(ours == theirs), int(ours < theirs)))
            )
    return sorted(found, key=itemgetter(0))
