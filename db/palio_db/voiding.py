"""Voiding: a finished match no longer counts, and its record says so. All sums are as if it had never been played.

Everything that it added is subtracted: pair scores, counters, its place in the recent form of its bots, their outcomes.
A line without other matches is deleted. Ratings follow from the sums, and are computed by their readers.
"""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

from palio_db.archives import Added, added_by
from palio_db.audit import log_act
from palio_db.columns import checked, now
from palio_db.connections import ANY, Connection, Sql
from palio_db.counters import ADDED, FORM, WON_OR_LOST, result_letter
from palio_db.errors import NotFound, StoreError
from palio_db.notices import RESULTS, count_change_plain
from palio_db.store_part import StorePart
from palio_db.values import PALIO, START_RATING, UNRATED_ERROR, Act, Actor
from palio_db.work import Exclusive

LastResult = tuple[Any, str, str]  # when a match ended, in the database's form, its identity, a letter of `FORM`

WINDOW = 500  # newest matches, by identity, among which the last ended ones are searched

FOUND = Sql.of(
    "SELECT status, record, voided_at, archived_at FROM matches WHERE id = ?{lock}", lock=("", " FOR UPDATE")
)
VOID = Sql.of("UPDATE matches SET voided_at = ?, voided_by = ?, void_reason = ? WHERE id = ?")
SEATS = Sql.of("UPDATE seats SET game = '', outcome = NULL WHERE match = ?")
PAIR = Sql.of(
    "UPDATE pair_scores SET {less} WHERE game = ? AND first = ? AND second = ?",
    less=", ".join(f"{name} = {name} - ?" for name in WON_OR_LOST),
)
NO_PAIR = Sql.of("DELETE FROM pair_scores WHERE game = ? AND first = ? AND second = ? AND wins + draws + losses = 0")
COUNTERS = Sql.of(
    "UPDATE ratings SET {less} WHERE game = ? AND bot = ?", less=", ".join(f"{name} = {name} - ?" for name in ADDED)
)
NO_COUNTERS = Sql.of("DELETE FROM ratings WHERE game = ? AND bot = ? AND games = 0")
UNRATED = Sql.of(  # bots without an opponent in the remaining matches
    "UPDATE ratings SET rating = {rating}, error = {error}, provisional = true WHERE game = ? AND bot = ? "
    "AND NOT EXISTS (SELECT 1 FROM pair_scores p WHERE p.game = ratings.game AND p.first = ratings.bot) "
    "AND NOT EXISTS (SELECT 1 FROM pair_scores p WHERE p.game = ratings.game AND p.second = ratings.bot)",
    rating=str(START_RATING),
    error=str(UNRATED_ERROR),
)
SET_FORM = Sql.of("UPDATE ratings SET form = ? WHERE game = ? AND bot = ?")
NEWEST = Sql.of(
    "SELECT m.finished_at, m.id FROM (SELECT match FROM seats WHERE bot = ? AND game = ? AND outcome IS NOT NULL "
    "ORDER BY match DESC LIMIT ?) s JOIN matches m ON m.id = s.match ORDER BY m.finished_at, m.id"
)
OUTCOMES_OF_MATCH = Sql.of("SELECT bot, game, outcome FROM seats WHERE match = ? AND outcome IS NOT NULL ORDER BY bot")
FEWER = Sql.of("UPDATE outcomes SET count = count - 1 WHERE bot = ? AND game = ? AND outcome = ?")
NO_OUTCOME = Sql.of("DELETE FROM outcomes WHERE bot = ? AND game = ? AND outcome = ? AND count <= 0")
SCORES = Sql.of("SELECT match, bot, score FROM seats WHERE match {any} ORDER BY match", any=ANY)


class Voiding(StorePart):
    """Removal of a result from all that is counted."""

    async def void(self, match: str, reason: str, *, by: Actor = PALIO) -> bool:
        """Void a finished match, in one transaction. Returns False, and changes nothing, if it was void before.

        Raises NotFound for an unknown match, StoreError for one that is not finished.
        """
        if not checked("the reason", reason.strip()):
            raise StoreError("a match is voided for a reason, which its record tells; give one")
        done: bool = await self._database.submit(
            Exclusive(lambda connection: _void(connection, match, reason.strip(), by))
        )
        return done


def _void(connection: Connection, match: str, reason: str, by: Actor) -> bool:
    rows = connection.rows(FOUND, (match,))
    if not rows:
        raise NotFound(f"there is no match {match[:40]!r}; palio match list shows them")
    [(status, data, voided_at, archived_at)] = rows
    if status != "finished":
        raise StoreError(f"match {match} is {status}; only a finished match can be voided, others can be stopped")
    if voided_at is not None:
        return False
    added = added_by(match, data, is_archived=archived_at is not None)
    outcomes = connection.rows(OUTCOMES_OF_MATCH, (match,))
    connection.change(VOID, [(connection.from_moment(now()), by.who, reason, match)])
    connection.change(SEATS, [(match,)])
    _subtract(connection, added)
    if outcomes:
        connection.change(FEWER, [(bot, game, outcome) for bot, game, outcome in outcomes])
        connection.change(NO_OUTCOME, [(bot, game, outcome) for bot, game, outcome in outcomes])
    count_change_plain(connection, RESULTS + added.game)
    log_act(connection, by, Act("match voided", f"match {match}", reason))
    return True


def _subtract(connection: Connection, added: Added) -> None:
    """Subtract what the match added; rows are locked in the order in which results lock them."""
    game, pairs, counters = added
    for pair in pairs:
        connection.change(PAIR, [(*_values(pair, WON_OR_LOST), game, pair.first, pair.second)])
        connection.change(NO_PAIR, [(game, pair.first, pair.second)])
    for one in counters:
        connection.change(COUNTERS, [(*_values(one, ADDED), game, one.bot)])
        connection.change(NO_COUNTERS, [(game, one.bot)])
        connection.change(UNRATED, [(game, one.bot)])
        connection.change(SET_FORM, [(form_of(connection, game, one.bot), game, one.bot)])


def _values(value: object, names: Iterable[str]) -> list[Any]:
    return [getattr(value, name) for name in names]


def form_of(connection: Connection, game: str, bot: str) -> str:
    """Return its last results by end time, in the form of `ratings`."""
    return "".join(letter for _, _, letter in last_results(connection, game, bot))


def last_results(connection: Connection, game: str, bot: str) -> list[LastResult]:
    """Return the last results that count, by end time: at most as many as `ratings` shows."""
    newest = connection.rows(NEWEST, (bot, game, WINDOW))
    scores = connection.rows(SCORES, (connection.list_([match for _, match in newest]),))
    letters = {}
    for match, seats in groupby(scores, key=itemgetter(0)):
        by_bot = {name: score for _, name, score in seats}
        own = by_bot.pop(bot)
        letters[match] = result_letter(own, list(by_bot.values()))
    results = [(ended, match, letters[match]) for ended, match in newest]
    return [result for result in results if result[2]][-FORM:]
