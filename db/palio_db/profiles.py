"""Profiles: what is known of a bot beyond its results, registered or not."""

from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Select, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.columns import checked
from palio_db.connections import ANY, Connection, Sql
from palio_db.errors import NotFound
from palio_db.models import Match, Seat
from palio_db.store_part import StorePart, shielded
from palio_db.values import Build, Profile, Seen
from palio_db.work import Exclusive
from palio_rules.errors import nearest

BUILDS = 20  # of one bot that are stored, the newest ones
LIKE = ("LIKE", "ILIKE")  # SQLite's LIKE ignores case

SEEN = Sql.of(
    "INSERT INTO profiles (bot, first_seen, last_seen) VALUES (?, ?, ?) ON CONFLICT (bot) DO UPDATE SET "
    "first_seen = coalesce(profiles.first_seen, excluded.first_seen), last_seen = excluded.last_seen"
)
ABOUT = Sql.of(  # the line of a registered bot belongs to its owner: only a token changes it
    "UPDATE profiles SET about = ? WHERE bot = ? AND (? OR NOT EXISTS "
    "(SELECT 1 FROM bots WHERE bots.name = profiles.bot AND revoked_at IS NULL))"
)
BUILDS_OF = Sql.of("SELECT builds FROM profiles WHERE bot = ?")
SET_BUILDS = Sql.of("UPDATE profiles SET builds = ? WHERE bot = ?")
TELL = Sql.of("INSERT INTO profiles (bot, about) VALUES (?, ?) ON CONFLICT (bot) DO UPDATE SET about = excluded.about")
CALL = Sql.of(  # the line of a registered bot is its author's
    "INSERT INTO profiles (bot, about) SELECT {bot}, {about} WHERE NOT EXISTS "
    "(SELECT 1 FROM bots WHERE bots.name = ? AND revoked_at IS NULL) "
    "ON CONFLICT (bot) DO UPDATE SET about = excluded.about WHERE profiles.about = ''",
    bot=("?", "?::text"),
    about=("?", "?::text"),
)
PROFILES = Sql.of("SELECT bot, about, builds, first_seen, last_seen FROM profiles WHERE bot {any}", any=ANY)
FORMER = Sql.of("SELECT name FROM former_names")
REGISTERED = Sql.of("SELECT name FROM bots WHERE key = ? AND revoked_at IS NULL")
# Bots that connected, have played, or are registered; the last connected ones first.
_NAMES = (
    "SELECT known.name, p.last_seen FROM (SELECT bot AS name FROM profiles UNION SELECT bot FROM ratings "
    "UNION SELECT name FROM bots WHERE revoked_at IS NULL) known LEFT JOIN profiles p ON p.bot = known.name "
)
NAMES = Sql.of(_NAMES + "ORDER BY known.name")
LATEST = Sql.of(
    _NAMES + "WHERE known.name {like} ? ESCAPE '!' ORDER BY p.last_seen IS NULL, p.last_seen DESC, known.name",
    like=LIKE,
)


class Profiles(StorePart):
    """Writing and reading of profiles."""

    async def note_seen(self, bots: list[Seen]) -> None:
        """Store the last connection of these bots, their own texts, and their programs, in one transaction."""
        lines = sorted(bots, key=lambda seen: seen.bot)  # in one order, so that no two transactions deadlock
        if lines:
            renames = self._database.has_bans
            await self._database.submit(Exclusive(lambda connection: _note(connection, lines, renames=renames)))

    async def set_about(self, bot: str, about: str) -> None:
        """Set the author's line of a registered bot. Raises NotFound with the nearest name."""
        await self._database.submit(Exclusive(lambda connection: _tell(connection, bot, checked("the line", about))))

    async def call(self, names: dict[str, str]) -> None:
        """Store as lines of bots how the players whose games came in are called, in any script; no line is replaced."""
        lines = [(bot, checked("the name", name), bot) for bot, name in sorted(names.items())]
        if lines:
            await self._database.submit(Exclusive(lambda connection: connection.change(CALL, lines)))

    async def profiles(self, bots: list[str]) -> dict[str, Profile]:
        """Return the profiles of those of `bots` that have one."""
        return await self._database.query(lambda connection: _profiles(connection, bots))

    async def is_registered(self, bot: str) -> bool:
        """Return whether the name is registered."""
        return bool(await self._database.query(lambda connection: connection.rows(REGISTERED, (bot.lower(),))))

    async def bot_names(self, q: str = "") -> list[str]:
        """Return every known bot's name that contains `q`; the last connected ones first."""
        rows = await self._database.query(lambda connection: connection.rows(LATEST, (containing(q),)))
        return [name for name, _ in rows]


def containing(text: str) -> str:
    """Return a pattern for LIKE with `!` as its escape."""
    for sign in "!%_":
        text = text.replace(sign, f"!{sign}")
    return f"%{text}%"


def _note(connection: Connection, lines: list[Seen], *, renames: bool) -> None:
    if renames:  # a bot that was renamed, or forgotten, after it was seen
        former = {name for (name,) in connection.rows(FORMER)}
        lines = [one for one in lines if one.bot not in former]
    connection.change(
        SEEN, [(one.bot, connection.from_moment(one.first), connection.from_moment(one.last)) for one in lines]
    )
    for one in lines:
        if one.about is not None:
            connection.change(ABOUT, [(one.about, one.bot, one.proven)])
        if one.builds:
            [(known,)] = connection.rows(BUILDS_OF, (one.bot,))
            before = msgspec.json.decode(known, type=list[Build])
            if [each.build for each in before[-len(one.builds) :]] != [*one.builds]:
                new = [Build(build, one.last) for build in one.builds]
                after = [*(each for each in before if each.build not in one.builds), *new][-BUILDS:]
                connection.change(SET_BUILDS, [(msgspec.json.encode(after).decode(), one.bot)])


def _tell(connection: Connection, bot: str, about: str) -> None:
    found = connection.rows(REGISTERED, (bot.lower(),))
    if not found:
        names = [name for name, _ in connection.rows(NAMES)]
        raise NotFound(f"no bot called {bot!r} is registered; {nearest(bot, names)}, or register it: palio bot add")
    connection.change(TELL, [(found[0][0], about)])


def _profiles(connection: Connection, bots: list[str]) -> dict[str, Profile]:
    found = {}
    for bot, about, builds, *moments in connection.rows(PROFILES, (connection.list_(bots),)):
        first, last = (None if moment is None else connection.to_moment(moment) for moment in moments)
        found[bot] = Profile(about, tuple(msgspec.json.decode(builds, type=list[Build])), first, last)
    return found


# The matches before and after another: of its event, or else of the same bots.


@dataclass(frozen=True, slots=True)
class MatchPlace:
    """A match's place: its encounter in its event, which of its games it is from 0, and its neighbours."""

    encounter: int | None = None
    number: int | None = None
    previous: str | None = None
    next: str | None = None


class MatchNeighbours(StorePart):
    """Finding the neighbours of a match."""

    @shielded
    async def place(self, match: str) -> MatchPlace:
        """Return a match's place: an event's games are in planned order, others of the same bots by age."""
        async with self._database.read() as connection:
            wanted = select(Match.game, Match.tournament, Match.encounter, Match.number).where(Match.id == match)
            row = (await connection.execute(wanted)).one_or_none()
            if row is None:
                return MatchPlace()
            if row.tournament is None or row.encounter is None:
                bots = (await connection.execute(select(Seat.bot).where(Seat.match == match))).scalars()
                beside = select(Match.id).where(Match.game == row.game, *(_played_by(bot) for bot in bots))
                here: tuple[Any, Any] = (Match.id, match)
                order: tuple[Any, ...] = (Match.id,)
            else:
                beside = select(Match.id).where(Match.tournament == row.tournament, Match.encounter.is_not(None))
                here = (tuple_(Match.encounter, Match.number), tuple_(row.encounter, row.number))
                order = (Match.encounter, Match.number)
            before = beside.where(here[0] < here[1]).order_by(*(column.desc() for column in order))
            after = beside.where(here[0] > here[1]).order_by(*order)
            return MatchPlace(
                row.encounter, row.number, await _first(connection, before), await _first(connection, after)
            )


def _played_by(bot: str) -> ColumnElement[bool]:
    return Match.id.in_(select(Seat.match).where(Seat.bot == bot))


async def _first(connection: AsyncConnection, wanted: Select[Any]) -> str | None:
    found: str | None = (await connection.execute(wanted.limit(1))).scalar_one_or_none()
    return found
