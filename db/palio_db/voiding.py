"""Voiding: finished matches no longer count, and their records say so. All sums are as if they had never been played.

All that changes what finished matches add to the sums goes through `recount`: it subtracts what they added before and
adds what they add now. To void is to add nothing from then on, to undo that is to add it again, and to rename a bot
(`renaming.py`) is to add it under another name. A line without matches is deleted. Ratings follow from the sums, and
are computed by their readers.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func, select

from palio_db.archives import Added, added_by
from palio_db.audit import log_act
from palio_db.bans import within
from palio_db.columns import checked, now
from palio_db.connections import ANY, Connection, Sql
from palio_db.counters import ADDED, FORM, WON_OR_LOST, result_letter
from palio_db.errors import NotFound, StoreError
from palio_db.group import COUNTERS, OUTCOMES, PAIRS
from palio_db.models import Match, Seat
from palio_db.notices import RESULTS, count_change_plain
from palio_db.store_part import StorePart, shielded
from palio_db.values import PALIO, START_RATING, UNRATED_ERROR, Act, Actor
from palio_db.work import Exclusive
from palio_rules.errors import nearest

LastResult = tuple[Any, str, str]  # when a match ended, in the database's form, its identity, a letter of `FORM`

WINDOW = 500  # newest matches, by identity, among which the last ended ones are searched
BATCH = 200  # matches in one transaction, so that results do not wait for long

# The leaderboard that a match counts for, "" if for none. It may be another one than its setup means now: an older
# Palio may have counted it, or one whose rules name other settings.
COUNTED_FOR = "(SELECT game FROM seats WHERE match = matches.id AND seat = 0)"
FOUND = Sql.of(
    "SELECT id, status, record, voided_at, archived_at, {counted} FROM matches WHERE id {any} ORDER BY id{lock}",
    counted=COUNTED_FOR,
    any=ANY,
    lock=("", " FOR UPDATE"),
)
VOID = Sql.of("UPDATE matches SET voided_at = ?, voided_by = ?, void_reason = ? WHERE id = ?")
SEATS = Sql.of("UPDATE seats SET game = ?, outcome = ? WHERE match = ? AND bot = ?")
NO_PAIR = Sql.of("DELETE FROM pair_scores WHERE game = ? AND first = ? AND second = ? AND wins + draws + losses = 0")
NO_COUNTERS = Sql.of("DELETE FROM ratings WHERE game = ? AND bot = ? AND games = 0")
NO_OUTCOME = Sql.of("DELETE FROM outcomes WHERE bot = ? AND game = ? AND outcome = ? AND count <= 0")
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
OUTCOMES_OF_MATCHES = Sql.of("SELECT bot, game, outcome FROM seats WHERE match {any} AND outcome IS NOT NULL", any=ANY)
SCORES = Sql.of("SELECT match, bot, score FROM seats WHERE match {any} ORDER BY match", any=ANY)


@dataclass(frozen=True, slots=True)
class Suspects:
    """Finished matches of a bot, from an address or network, or both; only those that ended since a moment, if any."""

    bot: str | None = None
    address: str | None = None
    since: datetime | None = None

    def __str__(self) -> str:
        parts = (
            None if self.bot is None else f"of {self.bot}",
            None if self.address is None else f"from {self.address}",
            None if self.since is None else f"since {self.since:%Y-%m-%d %H:%M} UTC",
        )
        return " ".join(filter(None, parts))


class Changed(NamedTuple):
    """The number of matches that a step has changed, and the leaderboards whose ratings follow."""

    matches: int = 0
    games: frozenset[str] = frozenset()


class Voiding(StorePart):
    """Removal of results from all that is counted, and putting them back."""

    async def void(self, match: str, reason: str, *, by: Actor = PALIO) -> bool:
        """Void a finished match, in one transaction. Returns False, and changes nothing, if it was void before.

        Raises NotFound for an unknown match, StoreError for one that is not finished.
        """
        return await self._change_one(match, _given(reason), by)

    async def unvoid(self, match: str, *, by: Actor = PALIO) -> bool:
        """Let a void match count again. Returns False if it was not void. Raises NotFound, StoreError."""
        return await self._change_one(match, None, by)

    async def void_some(self, suspects: Suspects, reason: str, *, by: Actor = PALIO) -> Changed:
        """Void the oldest of these matches, in one transaction; nothing is left when none was changed."""
        return await self._change_some(suspects, _given(reason), None, by)

    async def unvoid_some(self, suspects: Suspects, reason: str | None = None, *, by: Actor = PALIO) -> Changed:
        """Let the oldest of these void matches count again; with `reason`, only those that were voided for it."""
        return await self._change_some(suspects, None, reason, by)

    @shielded
    async def count_suspects(self, suspects: Suspects, *, void: bool = False, reason: str | None = None) -> int:
        """Return how many of these matches count, or are `void`. Raises NotFound for an unknown bot."""
        wanted = select(func.count()).where(*await self._where(suspects, void=void, reason=reason))
        found = int((await self._all(wanted))[0][0])
        if not found and suspects.bot is not None:
            names = [bot for (bot,) in await self._all(select(Seat.bot).distinct())]
            if suspects.bot not in names:
                raise NotFound(f"no bot called {suspects.bot!r} has played; {nearest(suspects.bot, names)}")
        return found

    async def _change_one(self, match: str, reason: str | None, by: Actor) -> bool:
        def work(connection: Connection) -> bool:
            rows = connection.rows(FOUND, (connection.list_([match]),))
            if not rows:
                raise NotFound(f"there is no match {match[:40]!r}; palio match list shows them")
            if (status := rows[0][1]) != "finished":
                remedy = "only a finished match can be voided, others can be stopped"
                raise StoreError(f"match {match} is {status}; {remedy}")
            changed = _turn(connection, rows, reason, by)
            if changed.matches:
                name = "match voided" if reason is not None else "match counts again"
                log_act(connection, by, Act(name, f"match {match}", reason or ""))
            return bool(changed.matches)

        done: bool = await self._database.submit(Exclusive(work))
        return done

    @shielded
    async def _change_some(self, suspects: Suspects, reason: str | None, voided_for: str | None, by: Actor) -> Changed:
        where = await self._where(suspects, void=reason is None, reason=voided_for)
        found = [match for (match,) in await self._all(select(Match.id).where(*where).order_by(Match.id).limit(BATCH))]
        if not found:
            return Changed()

        def work(connection: Connection) -> Changed:
            changed = _turn(connection, connection.rows(FOUND, (connection.list_(found),)), reason, by)
            name = "matches voided" if reason is not None else "matches count again"
            log_act(connection, by, Act(name, f"{changed.matches} matches {suspects}", reason or voided_for or ""))
            return changed

        done: Changed = await self._database.submit(Exclusive(work))
        return done

    async def _where(self, suspects: Suspects, *, void: bool, reason: str | None) -> list[ColumnElement[bool]]:
        played = select(Seat.match)
        if suspects.bot is None and suspects.address is None:
            raise StoreError("say whose matches: those of a bot, from an address, or both")
        if suspects.bot is not None:
            played = played.where(Seat.bot == suspects.bot)
        if suspects.address is not None:
            self._database.check_has_bans()
            known = await self._all(select(Seat.address).where(Seat.address.is_not(None)).distinct())
            played = played.where(Seat.address.in_(within(suspects.address, [str(each) for (each,) in known])))
        state = Match.voided_at.is_not(None) if void else Match.voided_at.is_(None)
        where = [Match.status == "finished", state, Match.id.in_(played)]
        if suspects.since is not None:
            where.append(Match.finished_at >= suspects.since)
        return where if reason is None else [*where, Match.void_reason == reason]


def _given(reason: str) -> str:
    reason = checked("the reason", reason.strip())
    if not reason:
        raise StoreError("a match is voided for a reason, which its record tells; give one")
    return reason


def _turn(connection: Connection, rows: Iterable[Any], reason: str | None, by: Actor) -> Changed:
    """Void those of these finished matches that count or, without `reason`, let the void ones count again."""
    found = [
        (match, added_by(match, data, counted_for or "", is_archived=archived_at is not None))
        for match, status, data, voided_at, archived_at, counted_for in rows
        if status == "finished" and (voided_at is None) == (reason is not None)
    ]
    if not found:
        return Changed()
    mark = (None, None, None) if reason is None else (connection.from_moment(now()), by.who, reason)

    def change() -> None:
        connection.change(VOID, [(*mark, match) for match, _ in found])
        connection.change(
            SEATS,
            [
                (added.game if outcome and reason is None else "", None if reason is not None else outcome, match, bot)
                for match, added in found
                for bot, outcome in added.outcomes
            ],
        )

    every = [added for _, added in found]
    matches = [match for match, _ in found]
    games = recount(connection, matches, change, [] if reason is None else every, every if reason is None else [])
    return Changed(len(found), games)


Sums = defaultdict[tuple[str, ...], list[Any]]  # by game and bots


def recount(
    connection: Connection,
    matches: Collection[str],
    change: Callable[[], None],
    removed: Sequence[Added],
    added: Sequence[Added],
) -> frozenset[str]:
    """Subtract what `matches` added, make the `change` to their rows, and add what they add now.

    Outcomes are those of the seats, before and after the change. Rows are locked in the order in which results lock
    them. Returns the leaderboards whose sums have changed.
    """
    outcomes = Sums(lambda: [0])
    _count_outcomes(connection, matches, outcomes, -1)
    change()
    _count_outcomes(connection, matches, outcomes, 1)
    pairs, counters = _differences(removed, added)
    if lines := _lines(pairs):
        connection.change(PAIRS, lines)
        connection.change(NO_PAIR, sorted(pairs))
    if lines := _lines(counters):
        bots = [(game, bot) for game, bot, *_ in lines]
        connection.change(COUNTERS, [(*line, "") for line in lines])
        connection.change(NO_COUNTERS, bots)
        connection.change(UNRATED, bots)
        connection.change(SET_FORM, [(form_of(connection, *bot), *bot) for bot in bots])
    if lines := _lines(outcomes):
        connection.change(OUTCOMES, lines)
        connection.change(NO_OUTCOME, sorted(outcomes))
    games = frozenset(each.game for each in (*removed, *added))
    for game in sorted(games):
        count_change_plain(connection, RESULTS + game)
    return games


def _count_outcomes(connection: Connection, matches: Collection[str], outcomes: Sums, sign: int) -> None:
    for bot, game, outcome in connection.rows(OUTCOMES_OF_MATCHES, (connection.list_(matches),)):
        outcomes[bot, game, outcome][0] += sign


def _differences(removed: Sequence[Added], added: Sequence[Added]) -> tuple[Sums, Sums]:
    """Return by how much the scores of pairs, and the counters of bots, change."""
    pairs, counters = Sums(lambda: [0] * len(WON_OR_LOST)), Sums(lambda: [0] * len(ADDED))
    for sign, every in ((-1, removed), (1, added)):
        for game, of_pairs, of_bots, _ in every:
            for pair in of_pairs:
                _add(pairs[game, pair.first, pair.second], sign, pair, WON_OR_LOST)
            for one in of_bots:
                _add(counters[game, one.bot], sign, one, ADDED)
    return pairs, counters


def _add(sums: list[Any], sign: int, value: object, names: Sequence[str]) -> None:
    for place, name in enumerate(names):
        sums[place] += sign * getattr(value, name)


def _lines(sums: Sums) -> list[tuple[Any, ...]]:
    return [(*key, *sums[key]) for key in sorted(sums) if any(sums[key])]


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
