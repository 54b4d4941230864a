"""The tables of a server: people take seats, opponents are started or reserved, and the match begins when all are here.

A restart of the server forgets the table, but not its match, which continues when bots and guests are back.
"""

import asyncio
import hmac
import logging
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial

import msgspec

from palio_db.errors import StoreError
from palio_db.store import Store
from palio_rules.contract import topics
from palio_rules.contract.codec import encode
from palio_rules.contract.messages import Error
from palio_rules.contract.names import is_guest, is_house
from palio_rules.instances.effort import Effort
from palio_rules.records.record import Record, Setup
from palio_server.arena.analysis_queue import search_in_thread
from palio_server.arena.arena import Arena
from palio_server.arena.house import House, house_entry
from palio_server.arena.journal import until_database_answers
from palio_server.arena.table import (
    NoTable,
    NotFree,
    NotYours,
    Table,
    TableLimits,
    TableOrder,
    TablePlace,
    Use,
    seated,
    why_close,
)
from palio_server.bus import Bus
from palio_server.lobby.lobby import Lobby

log = logging.getLogger(__name__)

LOOK_S = 2.0  # seconds between two looks at the tables, even without a change
MOST_WORK = 1_000_000  # positions examined to find an instance
REMEMBERED = 256  # closed tables whose reason is still known
EVENT = "by hand"  # shown to viewers


class Tables:
    """The owner of all tables of this server."""

    def __init__(self, store: Store, bus: Bus, lobby: Lobby, arena: Arena, house: House, *, limit: int) -> None:
        """`limit`: tables with bots of `house` at once."""
        self._store, self._bus, self._lobby, self._arena = store, bus, lobby, arena
        self.house, self.limit = house, limit
        self._limits = TableLimits(limit)
        self._tables: dict[str, Table] = {}
        self._closed: OrderedDict[str, Table] = OrderedDict()
        self._searching = asyncio.Lock()  # only one search for a race's instance at a time: it takes a core
        house.on_failure = self._without
        arena.on_start.append(self._note_start)
        arena.on_result.append(self._note_result)

    # --- requests of people ------------------------------------------------------------------------------------------

    @property
    def house_tables(self) -> int:
        """The number of tables in use with the server's own bots, and of their matches without a table."""
        tables = [table for table in self._tables.values() if table.in_use and table.house]
        seen = {table.match for table in tables}
        others = [setup for match, setup in self._arena.playing_of_people().items() if match not in seen]
        return len(tables) + sum(any(map(is_house, setup.bots)) for setup in others)

    async def open(
        self,
        order: TableOrder,
        person: TablePlace,
        others: Sequence[TablePlace],
        seat: int | None = None,
        state: str = "",
        *,
        address: str = "",
    ) -> Table:
        """Open a table for `person`, who has a name and a token, and `others`. Raises TableRefused, ValueError.

        `address` is where the request comes from; "": many share it, so that it has no limits of its own.
        """
        places = seated(order.rules, person, [self._fetched(order, place) for place in others], seat)
        self._check_limits(sum(place.kind == "house" for place in places), address)
        self._name_house(places)
        setup = await self._setup(order, places, state)
        self._check_limits(sum(place.kind == "house" for place in places), address)  # others may have come meanwhile
        self._name_house(places)
        setup = _with_names(setup, places)
        now = self._now()
        table = Table(secrets.token_urlsafe(8), order, places, setup, now, address)
        self._tables[table.id] = table
        self._limits.opened(now, address)
        if order.rated:
            self._lobby.unlist(person.name)
        await self._go_on(table)
        return table

    async def join(self, code: str, name: str, token: str) -> tuple[Table, int]:
        """Seat the friend with that link, as a guest; return the table and the seat. Raises NoTable, NotFree."""
        for table in self._tables.values():
            for seat, place in enumerate(table.places):
                if place.code and hmac.compare_digest(place.code.encode(), code.encode()):
                    if place.kind != "friend":
                        raise NotFree("this seat is taken already; ask for a link of your own")
                    place.kind, place.name, place.token = "person", name, token
                    table.setup = _with_names(table.setup, table.places)
                    table.opened_at = self._now()
                    await self._go_on(table)
                    return table, seat
        raise NoTable("this link no longer leads to a table; ask for a new one")

    async def again(self, table: Table, *, state: str = "", swap: bool = False, same: bool = False) -> None:
        """Start another game at the same table; one in progress there is called off. Raises TableRefused, ValueError.

        It begins at the position `state`; with the seats changed if `swap`; a race has the `same` instance or a new
        one.
        """
        goes_on = table.match is not None and table.over_at is None
        if goes_on and len(table.people) > 1:
            raise NotFree("a friend plays, too: finish this game, or resign it, before the next one")
        if table.order.rated and (goes_on or state):
            raise NotFree("this match is rated: play it to its end; the next one begins at the first position")
        if table.starting:
            raise NotFree("the match is being started; ask again in a moment")
        places = [*table.places[1:], table.places[0]] if swap else table.places
        self._check_here(table)
        if table.over_at is not None:  # other tables may have its bots by now
            self._check_limits(len(table.house), table.address)
            self._name_house(table.places)
        order = table.order
        if order.rules.kind == "race" and not same and not state:
            order = msgspec.structs.replace(order, seed=order.seed + 1)
        if order.rules.kind == "race" and same and not state:
            setup = _with_names(table.setup, places)
        else:
            setup = await self._setup(order, places, state)
        if table.closed or table.starting:
            raise NoTable("this table was closed meanwhile; open another one")
        before, table.match = table.match, None
        table.order, table.places, table.setup = order, list(places), setup
        table.began, table.over_at, table.opened_at = False, None, self._now()
        if before is not None and goes_on:
            await self._call_off(before, "another game was asked for")
        await self._go_on(table)

    async def leave(self, table: Table) -> None:
        """Close a table that its people have left. Against bots its match is called off, unless it is rated."""
        ends = len(table.people) == 1 and not table.order.rated and table.began and table.over_at is None
        await self._close(table, "left")
        if ends and table.match is not None:
            await self._call_off(table.match, "the person has left")

    def table(self, identity: str) -> Table:
        """Return the table, perhaps a closed one. Raises NoTable."""
        found = self._tables.get(identity) or self._closed.get(identity)
        if found is None:
            raise NoTable(f"there is no table {identity[:40]!r}; open one")
        return found

    def person_at(self, table: Table, token: str | None) -> int:
        """Return the seat of the person at `table` who has that `token`. Raises NotYours, NoTable."""
        for seat, place in enumerate(table.places):
            if token and place.token and hmac.compare_digest(place.token.encode(), token.encode(errors="replace")):
                if table.closed:
                    raise NoTable(f"this table is closed: {table.closed}; open another one")
                return seat
        raise NotYours("give the token that came with this table as `Authorization: Bearer TOKEN`")

    def between_people(self, token: str | None = None) -> list[str]:
        """Return the matches in progress here in which several people play, also after their table is gone.

        None for the `token` of a person who plays against bots alone: an equal position is their own.
        """
        here = [table for table in self._tables.values() if table.in_use and not table.invites]
        for table in here:
            own = [place.token for place in table.people if place.token]
            if token and len(own) == 1 and hmac.compare_digest(own[0].encode(), token.encode(errors="replace")):
                return []
        shared = {table.match for table in here if len(table.people) > 1}
        of_guests = {
            match for match, setup in self._arena.playing_of_people().items() if sum(map(is_guest, setup.bots)) > 1
        }
        found = shared | of_guests
        return sorted(match for match in found if match is not None and self._arena.setup_of(match) is not None)

    def waiting(self, table: Table) -> list[str]:
        """Return who is expected, in words."""
        if table.closed or table.match is not None:
            return []
        found = []
        for place in table.places:
            if place.kind == "friend":
                found.append("a friend")
            elif not self._lobby.is_here(place.name):
                starts = f"{place.name} starts" if place.kind == "house" else f"{place.name} is not here"
                found.append(starts)
            elif not self._lobby.is_free(place.name, table.order.game):
                found.append(f"{place.name} is busy")
        return found

    # --- regular work ------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Begin matches, close abandoned tables, and keep the server's own bots running, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.house.run(), name="house")
            while True:
                version = self._lobby.version
                try:
                    await self._look()
                except StoreError as error:  # one of the next looks tries again
                    log.warning("tables wait for the database: %s", error)
                try:
                    async with asyncio.timeout(LOOK_S):
                        await self._lobby.changed(since=version)
                except TimeoutError:
                    pass

    async def _look(self) -> None:
        now = self._now()
        for table in list(self._tables.values()):
            if table.began and table.over_at is None and not self._is_played(table):
                table.over_at = now  # aborted
            if table.waits:
                await self._go_on(table)
            stays = any(self._lobby.is_here(person.name) for person in table.people)
            if why := why_close(table, now, stays=stays, failed=self.house.failed):
                await self._close(table, why)
        self.house.sweep(self._wanted())

    async def _go_on(self, table: Table) -> None:
        """Begin its match if all players are here and free."""
        for name in table.house:
            self.house.want(name)
        if not table.waits or table.invites:
            return
        if all(self._lobby.is_free(name, table.order.game) for name in table.bots):
            table.starting = True
            try:
                table.match = await self._arena.enqueue_first(table.setup, EVENT)
            finally:
                table.starting = False

    async def _close(self, table: Table, why: str) -> None:
        if table.closed:
            return
        table.closed = why
        del self._tables[table.id]
        self._closed[table.id] = table
        while len(self._closed) > REMEMBERED:
            self._closed.popitem(last=False)
        if table.order.rated:
            for place in table.people:
                self._lobby.relist(place.name)
        if table.match is not None and not table.began:  # it was never played, and would wait without end
            await self._call_off(table.match, why)

    async def _call_off(self, match: str, why: str) -> None:
        """End a match that its players have left, at any stage."""
        if not self._arena.call_off(match, why):
            abort = partial(self._store.abort, match, why)
            await until_database_answers(f"match {match} waits to be called off", abort)  # else it would stay scheduled

    # --- callbacks of the arena --------------------------------------------------------------------------------------

    def _note_start(self, match: str) -> None:
        for table in self._tables.values():
            if table.match == match:
                table.began = True
        setup = self._arena.setup_of(match)
        for bot in () if setup is None else setup.bots:
            if is_house(bot):
                self.house.want(bot)  # the server was restarted in the middle of the match

    def _note_result(self, record: Record) -> None:
        for table in self._tables.values():
            if table.match == record.match:
                table.began, table.over_at = True, self._now()

    def _without(self, bot: str, reason: str) -> None:
        """Let a house bot that is not available give up its matches."""
        for match, setup in list(self._arena.playing_of_people().items()):
            if bot in setup.bots:
                message = Error(code="crashed", reason=reason[-4000:], match=match)
                self._bus.publish(topics.bot_out(bot, match), encode(message), message)

    # --- within -------------------------------------------------------------------------------------------------------

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _is_played(self, table: Table) -> bool:
        return table.match is not None and self._arena.setup_of(table.match) is not None

    def _wanted(self) -> set[str]:
        """Return the names of the house bots that sit at a table, or play."""
        found = {name for table in self._tables.values() for name in table.house if table.in_use}
        for setup in self._arena.playing_of_people().values():
            found.update(filter(is_house, setup.bots))
        return found

    def _fetched(self, order: TableOrder, place: TablePlace) -> TablePlace:
        """Return the opponent's place, if there is a bot of that name for this game. Raises NotFree."""
        if place.kind == "friend":
            return TablePlace("friend", code=secrets.token_urlsafe(9))
        if place.kind == "house":
            entry = house_entry(place.name)
            if entry is None or order.game not in entry.games or not self.limit:
                raise NotFree(f"the house has no bot {place.name[:40]!r} for {order.game}; GET /api/play lists them")
        else:
            self._check_bot(place.name, order.game)
        return place

    def _check_bot(self, name: str, game: str) -> None:
        if self._lobby.is_unlisted(name) or not self._lobby.is_here(name):
            raise NotFree(f"{name[:40]} is not connected; /api/bots lists who is")
        if name not in self._lobby.players(game):
            raise NotFree(f"{name} does not play {game}")
        if not self._lobby.is_free(name, game):
            raise NotFree(f"{name} has no free slot for {game}; wait until its match is over, or take another one")

    def _check_here(self, table: Table) -> None:
        """Raise NotFree if a bot that is not the server's own has left."""
        for place in table.places:
            if place.kind == "bot" and not self._lobby.is_here(place.name):
                raise NotFree(f"{place.name} is no longer connected; open a table against another one")

    def _name_house(self, places: Sequence[TablePlace]) -> None:
        """Give each house bot at a table its name: one that sits at no other table."""
        taken = self._wanted()
        for place in places:
            if place.kind == "house":
                kind = place.name.removeprefix("house-").partition(".")[0]
                entry = house_entry(kind)
                assert entry is not None
                place.name = self.house.name_for(entry, taken)
                taken.add(place.name)
                self.house.failed.pop(place.name, None)  # it may be available now

    def _check_limits(self, house: int, address: str) -> None:
        """Raise TooMany unless there is room for another table with `house` house bots."""
        in_use = [table for table in self._tables.values() if table.in_use]
        own = [table for table in in_use if table.address == address]
        uses = Use(len(in_use), self.house_tables), Use(len(own), sum(bool(table.house) for table in own))
        self._limits.check(self._now(), house, uses[0], address, uses[1])

    async def _setup(self, order: TableOrder, places: Sequence[TablePlace], state: str) -> Setup:
        bots = _names(places)
        if order.rules.kind != "race":
            return order.setup(bots, state, people=all(place.kind in {"person", "friend"} for place in places))
        async with self._searching:
            return await search_in_thread(lambda: order.setup(bots, state), Effort(MOST_WORK))


def _with_names(setup: Setup, places: Sequence[TablePlace]) -> Setup:
    """Return the same setup with the names of those who sit at the table now."""
    return msgspec.structs.replace(setup, bots=_names(places))


def _names(places: Sequence[TablePlace]) -> tuple[str, ...]:
    return tuple(place.name or f"friend-{number}" for number, place in enumerate(places))
