"""Tournaments of matches that are brought in: found again where they are here, else made anew, and over.

One that comes without its card knows who has played in which round, and of no encounters.
"""

from typing import Any

import msgspec
from msgspec import UNSET

from palio_db.connections import Connection, Sql
from palio_db.errors import StoreError
from palio_db.packing import checked, pack
from palio_db.tournaments import OVER
from palio_db.transfer_values import Card, KeptEncounter, KeptEntry, KeptMatch, Place

KNOWN = Sql.of("SELECT id, name, game FROM tournaments WHERE id = ? AND created_at = ?")
TWIN = Sql.of("SELECT id FROM tournaments WHERE name = ? AND game = ? AND created_at = ? ORDER BY id LIMIT 1")
TAKEN = Sql.of("SELECT id FROM tournaments WHERE id = ?")
LAST = Sql.of("SELECT max(id) FROM tournaments")
MAKE = Sql.of(
    "INSERT INTO tournaments (id, name, game, settings, created_at, format, rules, stage, admits, worker, starts_at, "
    "finished_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?)"
)
# On SQLite the next number is one more than the greatest; PostgreSQL counts by itself, and must be told.
COUNT_ON = Sql.of(
    "SELECT {count}",
    count=("1", "setval(pg_get_serial_sequence('tournaments', 'id'), (SELECT max(id) FROM tournaments))"),
)
ENTRY = Sql.of(
    "INSERT INTO entries (tournament, number, bot) "
    "SELECT {number}, coalesce(max(number) + 1, 0), {bot} FROM entries WHERE tournament = ? "
    "ON CONFLICT DO NOTHING",
    number=("?", "?::int"),
    bot=("?", "?::text"),
)
ENTRIES = Sql.of(
    "INSERT INTO entries (tournament, number, bot, rating, joined, gone, byes) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
ENCOUNTERS = Sql.of(
    "INSERT INTO encounters (tournament, number, round, board, bots, games, opening, kind, part, forfeits) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
PLANNED = Sql.of("SELECT bots FROM encounters WHERE tournament = ? AND number = ?")
GAME = Sql.of("SELECT id FROM matches WHERE tournament = ? AND encounter = ? AND number = ?")


class Events:
    """Of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._seen: set[tuple[int, str]] = set()

    def place(self, kept: KeptMatch) -> tuple[int | None, int, int | None, int | None]:
        """Tournament, round, encounter and game of a match as they are to be kept. Raises StoreError."""
        if kept.tournament is UNSET:
            return None, 0, None, None
        place = kept.tournament
        number = self._number(kept, place)
        for bot in kept.setup.bots:
            if (number, bot) not in self._seen:
                self._seen.add((number, bot))
                self._connection.change(ENTRY, [(number, bot, number)])
        if place.encounter is None or place.game is None:
            return number, place.round, None, None
        if not self._connection.rows(PLANNED, (number, place.encounter)):
            return number, place.round, None, None
        if other := self._connection.rows(GAME, (number, place.encounter, place.game)):
            what = f"game {place.game + 1} of encounter {place.encounter} of tournament {number}"
            raise StoreError(f"match {kept.match} is {what}, which is match {other[0][0]} here")
        return number, place.round, place.encounter, place.game

    def _number(self, kept: KeptMatch, place: Place) -> int:
        created, game = self._connection.from_moment(place.created_at), kept.setup.game
        key = (place.name, game, created)
        if key not in self._numbers:
            rows = self._connection.rows
            known = [number for number, *names in rows(KNOWN, (place.number, created)) if names == [place.name, game]]
            known = known or [number for (number,) in rows(TWIN, key)]
            self._numbers[key] = known[0] if known else self._make(kept, place)
        return self._numbers[key]

    def _make(self, kept: KeptMatch, place: Place) -> int:
        connection, number = self._connection, place.number
        if connection.rows(TAKEN, (number,)):
            number = connection.rows(LAST)[0][0] + 1
        card = place.card
        if card is UNSET:
            card = Card("finished", "listed", {}, {}, None, kept.finished_at, (), ())
        stage = card.stage if card.stage in OVER else "cancelled"  # nobody here is to go on with it
        moments = (card.starts_at, card.finished_at or kept.finished_at)
        line = (
            number,
            checked("the tournament", place.name, empty=False),
            kept.setup.game,
            pack("the settings", card.settings),
            connection.from_moment(place.created_at),
            checked("the format", place.format, empty=False),
            pack("the rules of the format", card.rules),
            stage,
            card.admits,
            *(None if moment is None else connection.from_moment(moment) for moment in moments),
        )
        connection.change(MAKE, [line])
        connection.rows(COUNT_ON)
        if card.entries:
            connection.change(ENTRIES, [(number, at, *_entry(entry)) for at, entry in enumerate(card.entries)])
        if card.encounters:
            planned = [(number, at, *_encounter(one)) for at, one in enumerate(card.encounters, 1)]
            connection.change(ENCOUNTERS, planned)
        return int(number)


def _entry(entry: KeptEntry) -> tuple[Any, ...]:
    return checked("the bot", entry.bot, empty=False), entry.rating, entry.joined, entry.left, _json(entry.byes)


def _encounter(one: KeptEncounter) -> tuple[Any, ...]:
    plan = (one.round, one.board, _json(one.bots), one.games, one.opening, one.kind)
    return *plan, checked("the part of the event", one.part), _json(one.forfeits)


def _json(values: object) -> str:
    return msgspec.json.encode(values).decode()
