"""How one bot has fared: its standing, how its matches ended, against whom, and the newest of them.

Whatever is counted over all its matches is read from an index alone (`ix_seats_outcomes`) or from sums that every
result has kept up to date, so that it costs the same among a million matches of others.
"""

import logging
from collections.abc import Iterator

from palio_db.connections import ANY, Connection, Sql
from palio_db.errors import Unreadable
from palio_db.model_costs import MEANS, TOTAL
from palio_db.packing import unpack
from palio_db.profile_values import BotRating, BotStanding, OpponentScore
from palio_db.store_part import StorePart
from palio_rules.records.record import Record

log = logging.getLogger(__name__)

STANDINGS = Sql.of(
    "SELECT game, rating, error, provisional, games, wins, draws, losses, points, "
    "CASE WHEN plies > 0 THEN CAST(think_ms AS DOUBLE PRECISION) / plies ELSE 0.0 END, {means}, {total} "
    "FROM ratings WHERE bot = ? ORDER BY games DESC, game",
    means=MEANS,
    total=TOTAL,
)
# Two ratings differ for certain where they are further apart than the errors of both together.
PLACE = Sql.of(
    "SELECT sum(CASE WHEN rating > ? THEN 1 ELSE 0 END), "
    "sum(CASE WHEN rating > ? AND (rating - ?) * (rating - ?) > error * error + ? THEN 1 ELSE 0 END), "
    "sum(CASE WHEN rating < ? AND (rating - ?) * (rating - ?) > error * error + ? THEN 1 ELSE 0 END), "
    "count(*) FROM ratings WHERE game = ? AND NOT provisional"
)
_OUTCOMES = "SELECT game, outcome, count(*) FROM seats WHERE bot = ?{} AND outcome IS NOT NULL GROUP BY game, outcome"
OUTCOMES, OUTCOMES_OF = Sql.of(_OUTCOMES.format("")), Sql.of(_OUTCOMES.format(" AND game = ?"))
FORM = Sql.of(
    "SELECT outcome FROM seats WHERE bot = ? AND game = ? AND outcome IS NOT NULL ORDER BY match DESC LIMIT ?"
)
_OPPONENT = (
    "SELECT p.{other}, p.{won}, p.draws, p.{lost}, r.rating, r.provisional FROM pair_scores p "
    "LEFT JOIN ratings r ON r.game = p.game AND r.bot = p.{other} WHERE p.game = ? AND p.{own} = ?"
)
AS_FIRST = Sql.of(_OPPONENT.format(own="first", other="second", won="wins", lost="losses"))
AS_SECOND = Sql.of(_OPPONENT.format(own="second", other="first", won="losses", lost="wins"))
NEWEST = Sql.of(
    "SELECT m.id, m.record FROM (SELECT match FROM seats WHERE bot = ? AND game = ? AND outcome IS NOT NULL "
    "ORDER BY match DESC LIMIT ?) s JOIN matches m ON m.id = s.match"
)
RATINGS = Sql.of(
    "SELECT bot, game, rating, error, provisional, games FROM ratings WHERE bot {any} ORDER BY games DESC, game",
    any=ANY,
)
PLAYED = Sql.of("SELECT 1 FROM seats WHERE bot = ? LIMIT 1")


class BotResults(StorePart):
    """Reading what one bot has done."""

    async def standings(self, bot: str) -> list[BotStanding]:
        """Its line of each leaderboard that it stands on, the game it has played most first."""
        return await self._database.ask(lambda connection: _standings(connection, bot))

    async def ratings_of(self, bots: list[str]) -> dict[str, list[BotRating]]:
        """The ratings of each of `bots` that has one, the game it has played most first."""
        rows = await self._database.ask(lambda connection: connection.rows(RATINGS, (connection.list_(bots),)))
        found: dict[str, list[BotRating]] = {}
        for bot, game, rating, error, provisional, games in rows:
            found.setdefault(bot, []).append(BotRating(game, rating, error, bool(provisional), games))
        return found

    async def outcomes(self, bot: str, game: str | None = None) -> dict[str, dict[str, int]]:
        """By game, how many of its rated matches ended in each of `outcomes.OUTCOMES`."""
        return await self._database.ask(lambda connection: _outcomes(connection, bot, game))

    async def form(self, bot: str, game: str, newest: int) -> list[str]:
        """How its last rated matches of `game` ended, the newest last."""
        rows = await self._database.ask(lambda connection: connection.rows(FORM, (bot, game, newest)))
        return [outcome for (outcome,) in reversed(rows)]

    async def opponents(self, bot: str, game: str) -> list[OpponentScore]:
        """Everybody that it has met, the strongest first."""
        return await self._database.ask(lambda connection: _opponents(connection, bot, game))

    async def newest_records(self, bot: str, game: str, newest: int) -> list[Record]:
        """The records of its last rated matches of `game`, in no order; without damaged ones, of which it logs."""
        return await self._database.ask(lambda connection: [*_records(connection, bot, game, newest)])

    async def has_played(self, bot: str) -> bool:
        """Whether it has a seat in any match."""
        return bool(await self._database.ask(lambda connection: connection.rows(PLAYED, (bot,))))


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
    """Read in the thread of the connection: fifty records are a few milliseconds' work."""
    for match, data in connection.rows(NEWEST, (bot, game, newest)):
        try:
            yield unpack(f"the record of match {match}", data, Record)
        except Unreadable as error:
            log.warning("%s", error)


def _outcomes(connection: Connection, bot: str, game: str | None) -> dict[str, dict[str, int]]:
    rows = connection.rows(OUTCOMES, (bot,)) if game is None else connection.rows(OUTCOMES_OF, (bot, game))
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
