"""Renaming of bots, and forgetting them, which is renaming to a pseudonym that says nothing of them.

The first step is one transaction: the bot's registration, profile and events get the new name, and the old one stays
in `former_names`, where hellos and requests find it. Its matches follow in groups of `BATCH`, each in a transaction
after which all sums are right: a match has the name under which it counts. A crash in between leaves the rest for the
next call, which any server makes once a minute, and which also finds matches that were still running.
"""

import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import Select, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db import names
from palio_db.archives import Added, added_by, addition, read_outline, renamed
from palio_db.audit import clear_names, log_acts
from palio_db.columns import now, pack, unpack
from palio_db.connections import ANY, Connection, Sql
from palio_db.counters import counters_of
from palio_db.errors import NameTaken, NotFound, StoreError, Unreadable
from palio_db.models import (
    BanRow,
    Bot,
    EntryRow,
    FormerName,
    Match,
    PlannedEncounter,
    ProfileRow,
    RatingRow,
    Seat,
    Token,
    Tournament,
)
from palio_db.notices import BANS, TOKENS, count_change
from palio_db.playable import others_of
from palio_db.profiles import LIKE, containing
from palio_db.store_part import ALPHABET, StorePart, shielded
from palio_db.tournaments import OVER
from palio_db.values import PALIO, Act, Actor
from palio_db.voiding import BATCH, COUNTED_FOR, Changed, recount
from palio_db.work import Exclusive
from palio_rules.contract.names import is_name, is_reserved, no_name
from palio_rules.errors import nearest
from palio_rules.records.record import Record, Setup

ERASED_S = 180.0  # seconds for which an erased name is refused yet: servers write who was here once a minute

FORMER = Sql.of("SELECT name, successor, erased_at FROM former_names")
OF_FORMER = Sql.of(
    "SELECT DISTINCT s.match FROM seats s JOIN matches m ON m.id = s.match WHERE s.bot = ? AND m.status <> 'running' "
    "ORDER BY s.match LIMIT ?"
)
EVENTS = Sql.of("SELECT DISTINCT event FROM matches WHERE event {like} ? ESCAPE '!'", like=LIKE)
OF_EVENT = Sql.of("SELECT id FROM matches WHERE event = ? AND status <> 'running' ORDER BY id LIMIT ?")
FOUND = Sql.of(
    "SELECT id, status, setup, record, event, voided_at, voided_by, void_reason, archived_at, {counted} FROM matches "
    "WHERE id {any} AND status <> 'running' ORDER BY id{lock}",
    counted=COUNTED_FOR,
    any=ANY,
    lock=("", " FOR UPDATE"),
)
RENAME = Sql.of(
    "UPDATE matches SET setup = ?, record = ?, event = ?, seat0 = ?, others = ?, voided_by = ?, void_reason = ? "
    "WHERE id = ?"
)
SEAT_OF = Sql.of("SELECT seat, score, ms, cost, game, outcome, address FROM seats WHERE match = ? AND bot = ?")
NO_SEAT = Sql.of("DELETE FROM seats WHERE match = ? AND bot = ?")  # triggers keep `meetings`, which UPDATE would not
SEAT = Sql.of(
    "INSERT INTO seats (match, bot, seat, score, ms, cost, game, outcome, address) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
GONE = Sql.of(
    "DELETE FROM former_names WHERE erased_at < ? AND NOT EXISTS (SELECT 1 FROM seats WHERE seats.bot = name)"
)


class Renaming(StorePart):
    """Renaming and forgetting of bots."""

    @shielded
    async def rename_bot(self, old: str, new: str, *, by: Actor = PALIO) -> None:
        """Give a bot another name; `move_names` lets its matches follow. Repeated, it changes nothing.

        Raises NotFound for a bot that is unknown, NameTaken, StoreError for one that plays now or in an event.
        """
        self._database.check_has_bans()
        if not is_name(new) or is_reserved(new):
            raise StoreError(no_name(new))
        async with self._database.write() as connection:
            if await connection.scalar(_former(old).where(FormerName.successor == new)) is not None:
                return
            old = await _idle_bot(connection, old)
            await _check_free(connection, old, new)
            moved = update(Bot).where(Bot.name == old)
            await connection.execute(moved.values(name=new, key=new.lower()))
            await connection.execute(update(ProfileRow).where(ProfileRow.bot == old).values(bot=new))
            await connection.execute(update(BanRow).where(BanRow.kind == "bot", BanRow.value == old).values(value=new))
            await _give_name(connection, old, new, erase=False)
            await log_acts(connection, by, Act("bot renamed", old, f"to {new}"))

    @shielded
    async def forget_bot(self, name: str, *, by: Actor = PALIO) -> str:
        """Replace a bot's name by a pseudonym, which is returned, and delete all else that is stored of it.

        `move_names` lets its matches follow, and then deletes the old name. Raises as `rename_bot` does.
        """
        self._database.check_has_bans()
        pseudonym = "forgotten-" + "".join(secrets.choice(ALPHABET) for _ in range(8))
        async with self._database.write() as connection:
            begun: str | None = await connection.scalar(_former(name).where(FormerName.erased_at.is_not(None)))
            if begun is not None:
                return begun
            name = await _idle_bot(connection, name)
            earlier = select(FormerName.name).where(FormerName.successor == name)
            every = [name, *(await connection.scalars(earlier)).all()]
            own = select(Bot.id).where(Bot.name == name)
            await connection.execute(delete(Token).where(Token.bot.in_(own)))
            await connection.execute(delete(Bot).where(Bot.name == name))
            await connection.execute(delete(ProfileRow).where(ProfileRow.bot.in_(every)))
            await connection.execute(delete(BanRow).where(BanRow.kind == "bot", BanRow.value == name))
            await connection.execute(insert(FormerName).values(_former_line(pseudonym, "")))
            await _give_name(connection, name, pseudonym, erase=True)
            for each in every:
                await clear_names(connection, each)
            await log_acts(connection, by, Act("bot forgotten", pseudonym))
        return pseudonym

    @shielded
    async def bots_of(self, owner: str) -> list[str]:
        """Return the registered bots of an owner, by name. Raises NotFound without any."""
        found = [name for (name,) in await self._all(select(Bot.name).where(Bot.owner == owner).order_by(Bot.key))]
        if not found:
            owners = [each for (each,) in await self._all(select(Bot.owner).where(Bot.owner != "").distinct())]
            raise NotFound(f"no bot has the owner {owner!r}; {nearest(owner, owners)}")
        return found

    async def move_names(self) -> Changed:
        """Let the next matches of renamed bots follow, in one transaction; without any, delete erased names."""
        if not self._database.has_bans:
            return Changed()
        found: Changed = await self._database.submit(Exclusive(self._move))
        return found

    def _move(self, connection: Connection) -> Changed:
        former = connection.rows(FORMER)
        for name, successor, erased_at in former:
            if not successor:
                continue
            matches = [match for (match,) in connection.rows(OF_FORMER, (name, BATCH))]
            if erased_at is not None and not matches:
                matches = _of_events_named_after(connection, name)
            if matches:
                rows = connection.rows(FOUND, (connection.list_(matches),))
                return _follow(connection, rows, name, successor, erase=erased_at is not None)
        connection.change(GONE, [(connection.from_moment(now() - timedelta(seconds=ERASED_S)),)])
        return Changed()


def _former(name: str) -> Select[str]:
    return select(FormerName.successor).where(FormerName.key == name.lower())


def _former_line(name: str, successor: str, erased_at: datetime | None = None) -> dict[str, Any]:
    return {"key": name.lower(), "name": name, "successor": successor, "erased_at": erased_at}


async def _idle_bot(connection: AsyncConnection, name: str) -> str:
    """Return the name as it is written of a bot that does not play now. Raises NotFound, StoreError."""
    found: str | None = await connection.scalar(select(Bot.name).where(Bot.key == name.lower()))
    successor = await connection.scalar(_former(name))
    if successor == "":
        raise StoreError(f"{name} is the pseudonym of a forgotten bot, and stays so")
    if found is None and await connection.scalar(select(Seat.match).where(Seat.bot == name).limit(1)) is None:
        if successor is not None:
            raise NotFound(f"there is no bot called {name!r} any more; it is called {successor!r} now")
        known = {*await connection.scalars(select(Bot.name)), *await connection.scalars(select(RatingRow.bot))}
        raise NotFound(f"there is no bot called {name!r}; {nearest(name, known)}")
    name = found or name
    seated = select(Seat.match).where(Seat.bot == name)
    playing = select(Match.id).where(Match.status == "running", Match.id.in_(seated)).limit(1)
    if (match := await connection.scalar(playing)) is not None:
        remedy = f"stop its program, or palio bot revoke {name}, and try again when its matches are over"
        raise StoreError(f"{name} plays match {match} now; {remedy}")
    entered = select(Tournament.id).join(EntryRow, EntryRow.tournament == Tournament.id)
    entered = entered.where(EntryRow.bot == name, Tournament.stage.not_in(OVER)).limit(1)
    if (event := await connection.scalar(entered)) is not None:
        raise StoreError(f"{name} plays in tournament {event}, which is not over; wait for its end, or stop it")
    return name


async def _check_free(connection: AsyncConnection, old: str, new: str) -> None:
    """Check that no other bot has, or had, a name; a bot may have its former name again. Raises NameTaken."""
    key = new.lower()
    if key == old.lower():
        raise NameTaken(f"{new!r} differs from {old!r} in case at most; choose another name")
    back = delete(FormerName).where(FormerName.key == key, FormerName.successor == old)
    if (await connection.execute(back)).rowcount:
        return
    taken = (
        select(Bot.name).where(Bot.key == key),
        select(FormerName.name).where(FormerName.key == key),
        select(ProfileRow.bot).where(ProfileRow.bot == new),
        select(Seat.bot).where(Seat.bot == new).limit(1),
    )
    for wanted in taken:
        if (found := await connection.scalar(wanted)) is not None:
            raise NameTaken(f"there is, or was, a bot called {found!r} already; choose another name")


async def _give_name(connection: AsyncConnection, old: str, new: str, *, erase: bool) -> None:
    """Note the former name, so that matches follow, and rename the bot in its events."""
    erased_at = now() if erase else None
    earlier = update(FormerName).where(FormerName.successor == old)
    await connection.execute(earlier.values(successor=new, erased_at=erased_at))
    await connection.execute(insert(FormerName).values(_former_line(old, new, erased_at)))
    await _rename_in_events(connection, old, new, erase=erase)
    await count_change(connection, TOKENS)
    await count_change(connection, BANS)


async def _rename_in_events(connection: AsyncConnection, old: str, new: str, *, erase: bool) -> None:
    found = select(Tournament.id, Tournament.name, Tournament.settings, Tournament.rules)
    found = found.join(EntryRow).where(EntryRow.bot == old)
    for number, title, *bodies in (await connection.execute(found)).all():
        settings, rules = (msgspec.json.encode(_replaced(body, old, new, erase=erase)) for body in bodies)
        values = {"settings": settings, "rules": rules, "name": names.in_text(title, old, new) if erase else title}
        await connection.execute(update(Tournament).where(Tournament.id == number).values(values))
        planned = select(PlannedEncounter.number, PlannedEncounter.bots, PlannedEncounter.forfeits)
        for encounter, *lists in (await connection.execute(planned.where(PlannedEncounter.tournament == number))).all():
            bots, forfeits = (_replaced(each.encode(), old, new, erase=erase) for each in lists)
            if old in (*msgspec.json.decode(lists[0]), *msgspec.json.decode(lists[1])):
                place = (PlannedEncounter.tournament == number, PlannedEncounter.number == encounter)
                values = {"bots": _text(bots), "forfeits": _text(sorted(forfeits))}
                await connection.execute(update(PlannedEncounter).where(*place).values(values))
    entries = update(EntryRow).where(EntryRow.bot == old)
    await connection.execute(entries.values(bot=new, **({"spec": ""} if erase else {})))


def _replaced(body: bytes, old: str, new: str, *, erase: bool) -> Any:
    return names.in_json(msgspec.json.decode(body), old, new, erase=erase)


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _follow(connection: Connection, rows: Sequence[Any], old: str, new: str, *, erase: bool) -> Changed:
    """Let these matches have the new name: setup, record, seat, and what they add to the sums."""
    erased = {new} if erase else set()
    removed: list[Added] = []
    added: list[Added] = []
    lines: list[tuple[Any, ...]] = []
    seats: list[tuple[Any, ...]] = []
    for match, status, setup, record, event, voided_at, voided_by, reason, archived_at, counted_for in rows:
        terms = names.in_setup(unpack(f"the setup of match {match}", setup, Setup), {old: new})
        body = record
        if status == "finished":
            called, archived = {old: new}, archived_at is not None
            before, after, body = _renamed_body(match, record, counted_for, called, erased, is_archived=archived)
            if voided_at is None:
                removed += before
                added += after
        texts = [text and names.in_text(text, old, new) for text in (voided_by, reason)]
        data = pack("the setup", terms, packed=True)
        title = names.in_text(event, old, new) if erase else event
        lines.append((data, body, title, terms.bots[0], others_of(terms.bots), *texts, match))
        for seat, *values, address in connection.rows(SEAT_OF, (match, old)):
            seats.append((match, new, seat, *values, None if erase else address))

    def change() -> None:
        connection.change(RENAME, lines)
        if seats:
            connection.change(NO_SEAT, [(match, old) for match, *_ in seats])
            connection.change(SEAT, seats)

    if not lines:
        return Changed()
    games = recount(connection, [match for *_, match in lines], change, removed, added)
    return Changed(len(lines), games)


def _of_events_named_after(connection: Connection, name: str) -> list[str]:
    """Return matches of an event whose title has the name, as `palio run` makes them; other bots play there, too."""
    for (event,) in connection.rows(EVENTS, (containing(name),)):
        if names.mentions(event, name) and (found := connection.rows(OF_EVENT, (event, BATCH))):
            return [match for (match,) in found]
    return []


def _renamed_body(
    match: str, data: bytes, counted_for: str, called: Mapping[str, str], erased: Collection[str], *, is_archived: bool
) -> tuple[list[Added], list[Added], bytes]:
    """Return what a finished match added and adds, and its new body; a damaged record stays, and counts nothing."""
    try:
        before = added_by(match, data, counted_for, is_archived=is_archived)
        if is_archived:
            outline = renamed(read_outline(match, data), called, erased)
            after = addition(outline.record, list(outline.counters), counted_for)
            body = pack("the outline", outline, packed=True)
        else:
            record = names.in_record(unpack(f"the record of match {match}", data, Record), called, erased)
            after = addition(record, counters_of(record), counted_for)
            body = pack("the record", record, packed=True)
    except Unreadable:
        return [], [], data
    return [before], [after], body
