"""Leaderboards and head-to-head scores, read from sums that every result updates.

A `game` here, and in the tables of sums, is a leaderboard: a game with the settings that make another game of it, as
`Setup.leaderboard` writes them: `go`, `go:size=19`.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import combinations, groupby
from operator import itemgetter

from palio_db.columns import unpack
from palio_db.connections import ANY, Connection, Sql
from palio_db.counters import MEANS, TOTAL
from palio_db.errors import Unreadable
from palio_db.store_part import StorePart
from palio_db.values import BotRating, BotStanding, Leader, Leaderboard, OpponentScore, PairScore, Rating
from palio_db.work import Exclusive
from palio_rules.records.record import Record

BOARD = Sql.of(
    "SELECT bot, rating, error, provisional, games, wins, draws, losses, points, illegal_moves, time_losses, "
    "CASE WHEN plies > 0 THEN CAST(think_ms AS DOUBLE PRECISION) / plies ELSE 0.0 END, form, {means} "
    "FROM ratings WHERE game = ? ORDER BY rating DESC, bot",
    means=MEANS,
)
_GAMES = "SELECT DISTINCT game FROM ratings{} ORDER BY game"
GAMES = Sql.of(_GAMES.format(""))
GAMES_OF = Sql.of(_GAMES.format(" WHERE game = ? OR (game > ? AND game < ?)"))
_SCORES = "SELECT first, second, wins, draws, losses FROM pair_scores WHERE game = ?"
SCORES = Sql.of(_SCORES + " ORDER BY first, second")
SCORES_OF = Sql.of(_SCORES + " AND (first = ? OR second = ?) ORDER BY first, second")
# By the index on (game, id); in the order of seats, so that the first of a pair had the earlier seat.
_SEATS = "SELECT m.id, m.finished_at, s.seat, s.bot, s.score FROM {} JOIN seats s ON s.match = m.id "
PLAYED = Sql.of(
    _SEATS.format("matches m") + "WHERE m.game = ? AND m.status = 'finished' AND m.rated "
    "AND m.voided_at IS NULL AND s.game = ? ORDER BY m.id, s.seat"
)
_NEWEST = (
    "(SELECT id, finished_at FROM matches WHERE game = ? AND status = 'finished' AND rated AND voided_at IS NULL "
    "AND (SELECT game FROM seats WHERE match = id AND seat = 0) = ? ORDER BY id DESC LIMIT ?) m"
)
NEWEST = Sql.of(_SEATS.format(_NEWEST) + "ORDER BY m.id, s.seat")
SAVE = Sql.of(  # only existing lines: the last match of a bot may have been voided meanwhile
    "UPDATE ratings SET rating = ?, error = ?, provisional = ? WHERE game = ? AND bot = ?"
)


class Leaderboards(StorePart):
    """Reading of scores, and writing of the ratings that were computed from them."""

    async def leaderboard(self, game: str) -> Leaderboard:
        """Return every bot that finished a match of `game`: the strongest first, provisional ones last."""
        return await self._database.query(lambda connection: _board(connection, game))

    async def rated_games(self, game: str | None = None) -> list[str]:
        """Return the leaderboards that have games; only those of `game`, if given."""
        sql, asked = (GAMES, ()) if game is None else (GAMES_OF, (game, f"{game}:", f"{game};"))  # ";" follows ":"
        return [board for (board,) in await self._database.query(lambda connection: connection.rows(sql, asked))]

    async def head_to_head(self, game: str, bot: str | None = None) -> list[PairScore]:
        """Return the score of every two bots of `game` against each other, each pair once.

        With `bot`, only that bot's scores against each opponent, seen from its side.
        """
        return await self._database.query(lambda connection: _scores(connection, game, bot))

    async def history(self, game: str, newest: int | None = None) -> list[tuple[datetime, PairScore]]:
        """Return finished, rated matches of `game` as pairs, with their end times, oldest first; all, or the `newest`.

        The first of a pair had the earlier seat, so that the first-move advantage can be computed.
        """
        return await self._database.query(lambda connection: _history(connection, game, newest))

    async def save_ratings(self, game: str, ratings: Mapping[str, Rating]) -> None:
        """Write ratings computed from `head_to_head`, for bots that have a line; the counters stay unchanged."""
        lines = [
            (float(new.rating), float(new.error), bool(new.provisional), game, bot)
            for bot, new in sorted(ratings.items())  # in the order in which results lock these rows
        ]
        if lines:
            await self._database.submit(Exclusive(lambda connection: connection.change(SAVE, lines)))


def _board(connection: Connection, game: str) -> Leaderboard:
    rows = sorted(connection.rows(BOARD, (game,)), key=lambda row: bool(row[3]))  # provisional ones come last
    return Leaderboard(
        game,
        [
            Leader(0 if provisional else rank, bot, rating, error, bool(provisional), *counters)
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
    name = game.partition(":")[0]  # `matches` is searched by the game, `seats` says for which leaderboard
    rows = connection.rows(PLAYED, (name, game)) if newest is None else connection.rows(NEWEST, (name, game, newest))
    for (_, at), seats in groupby(rows, key=itemgetter(0, 1)):
        moment = connection.to_moment(at)
        for (first, ours), (second, theirs) in combinations([(bot, score) for *_, bot, score in seats], 2):
            found.append(
                (moment, PairScore(first, second, int(ours > theirs), int(ours == theirs), int(ours < theirs)))
            )
    return sorted(found, key=itemgetter(0))


# The results of one bot: its standing, the ends of its matches, its opponents, and its newest matches.
#
# Counts over all its matches are sums that every result updates, so that the cost does not grow with the number of
# matches.

log = logging.getLogger(__name__)

STANDINGS = Sql.of(
    "SELECT game, rating, error, provisional, games, wins, draws, losses, points, "
    "CASE WHEN plies > 0 THEN CAST(think_ms AS DOUBLE PRECISION) / plies ELSE 0.0 END, {means}, {total} "
    "FROM ratings WHERE bot = ? ORDER BY games DESC, game",
    means=MEANS,
    total=TOTAL,
)
# Two ratings differ for certain if their distance is greater than both errors together.
PLACE = Sql.of(
    "SELECT sum(CASE WHEN rating > ? THEN 1 ELSE 0 END), "
    "sum(CASE WHEN rating > ? AND (rating - ?) * (rating - ?) > error * error + ? THEN 1 ELSE 0 END), "
    "sum(CASE WHEN rating < ? AND (rating - ?) * (rating - ?) > error * error + ? THEN 1 ELSE 0 END), "
    "count(*) FROM ratings WHERE game = ? AND NOT provisional"
)
_OUTCOMES = "SELECT game, outcome, count FROM outcomes WHERE bot = ?{}"
OUTCOMES, OUTCOMES_OF = Sql.of(_OUTCOMES.format("")), Sql.of(_OUTCOMES.format(" AND game = ?"))
# Before tables 0013, beside an older Palio, which counts none.
_COUNTED = "SELECT game, outcome, count(*) FROM seats WHERE bot = ?{} AND outcome IS NOT NULL GROUP BY game, outcome"
COUNTED, COUNTED_OF = Sql.of(_COUNTED.format("")), Sql.of(_COUNTED.format(" AND game = ?"))
FORM = Sql.of(
    "SELECT outcome FROM seats WHERE bot = ? AND game = ? AND outcome IS NOT NULL ORDER BY match DESC LIMIT ?"
)
_OPPONENT = (
    "SELECT p.{other}, p.{won}, p.draws, p.{lost}, r.rating, r.provisional FROM pair_scores p "
    "LEFT JOIN ratings r ON r.game = p.game AND r.bot = p.{other} WHERE p.game = ? AND p.{own} = ?"
)
AS_FIRST = Sql.of(_OPPONENT.format(own="first", other="second", won="wins", lost="losses"))
AS_SECOND = Sql.of(_OPPONENT.format(own="second", other="first", won="losses", lost="wins"))
NEWEST_OF_BOT = Sql.of(
    "SELECT m.id, m.record FROM (SELECT match FROM seats WHERE bot = ? AND game = ? AND outcome IS NOT NULL "
    "ORDER BY match DESC LIMIT ?) s JOIN matches m ON m.id = s.match WHERE m.archived_at IS NULL"
)
RATINGS = Sql.of(
    "SELECT bot, game, rating, error, provisional, games FROM ratings WHERE bot {any} ORDER BY games DESC, game",
    any=ANY,
)
PLAYED_BY = Sql.of("SELECT 1 FROM seats WHERE bot = ? LIMIT 1")


class BotResults(StorePart):
    """Reading of one bot's results."""

    async def standings(self, bot: str) -> list[BotStanding]:
        """Return its line of each leaderboard that it is on, its most played game first."""
        return await self._database.query(lambda connection: _standings(connection, bot))

    async def ratings_of(self, bots: list[str]) -> dict[str, list[BotRating]]:
        """Return the ratings of each of `bots` that has one, its most played game first."""
        rows = await self._database.query(lambda connection: connection.rows(RATINGS, (connection.list_(bots),)))
        found: dict[str, list[BotRating]] = {}
        for bot, game, rating, error, provisional, games in rows:
            found.setdefault(bot, []).append(BotRating(game, rating, error, bool(provisional), games))
        return found

    async def outcomes(self, bot: str, game: str | None = None) -> dict[str, dict[str, int]]:
        """Return by game how many of its rated matches ended in each of `outcomes.OUTCOMES`."""
        sql, of_game = (OUTCOMES, OUTCOMES_OF) if self._database.packs else (COUNTED, COUNTED_OF)
        asked = (bot,) if game is None else (bot, game)
        sql = sql if game is None else of_game
        return _by_game(await self._database.query(lambda connection: connection.rows(sql, asked)))

    async def form(self, bot: str, game: str, newest: int) -> list[str]:
        """Return the outcomes of its last rated matches of `game`, the newest last."""
        rows = await self._database.query(lambda connection: connection.rows(FORM, (bot, game, newest)))
        return [outcome for (outcome,) in reversed(rows)]

    async def opponents(self, bot: str, game: str) -> list[OpponentScore]:
        """Return all its opponents, the strongest first."""
        return await self._database.query(lambda connection: _opponents(connection, bot, game))

    async def newest_records(self, bot: str, game: str, newest: int) -> list[Record]:
        """Return the records of its last rated matches of `game`, unordered, without archived ones.

        Damaged ones are logged and left out.
        """
        return await self._database.query(lambda connection: [*_records(connection, bot, game, newest)])

    async def has_played(self, bot: str) -> bool:
        """Return whether it has a seat in any match."""
        return bool(await self._database.query(lambda connection: connection.rows(PLAYED_BY, (bot,))))


def _standings(connection: Connection, bot: str) -> list[BotStanding]:
    found = []
    for row in connection.rows(STANDINGS, (bot,)):
        game, rating, error, provisional, games, wins, draws, losses, points, mean_ms, *model = row
        far = (rating, rating, rating, error * error)
        [(above, better, worse, of)] = connection.rows(PLACE, (rating, *far, *far, game))
        place, best, worst = (None, None, None) if provisional else (above + 1, better + 1, of - worse)
        rated = (game, rating, error, bool(provisional))
        found.append(BotStanding(*rated, games, wins, draws, losses, points, mean_ms, place, best, worst, of, *model))
    return found


def _records(connection: Connection, bot: str, game: str, newest: int) -> Iterator[Record]:
    """Read in the connection's thread, because decoding fifty records takes a few milliseconds."""
    for match, data in connection.rows(NEWEST_OF_BOT, (bot, game, newest)):
        try:
            yield unpack(f"the record of match {match}", data, Record)
        except Unreadable as error:
            log.warning("%s", error)


def _by_game(rows: Iterable[tuple[str, str, int]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for played, outcome, count in rows:
        found.setdefault(played, {})[outcome] = count
    return found


def _opponents(connection: Connection, bot: str, game: str) -> list[OpponentScore]:
    rows = [*connection.rows(AS_FIRST, (game, bot)), *connection.rows(AS_SECOND, (game, bot))]
    found = [
        OpponentScore(bot, wins, draws, losses, rating, bool(provisional))
        for bot, wins, draws, losses, rating, provisional in rows
    ]
    return sorted(found, key=lambda each: (each.provisional, -(each.rating or 0.0), each.bot))
