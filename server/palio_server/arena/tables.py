"""The tables of a server: people take seats, opponents are fetched, and the match begins when all are here.

A table is forgotten with the server, its match is not: it goes on when bots and guests are back.
"""

import asyncio
import hmac
import logging
import secrets
from collections import OrderedDict, deque
from collections.abc import Sequence

import msgspec

from palio_db.store import Store
from palio_rules.contract import topics
from palio_rules.contract.codec import encode
from palio_rules.contract.messages import Error
from palio_rules.contract.reserved import is_house
from palio_rules.instances.effort import Effort
from palio_rules.records.record import Record, Setup
from palio_server.arena.arena import Arena
from palio_server.arena.house import House
from palio_server.arena.house_catalogue import house_entry
from palio_server.arena.search_thread import search_in_thread
from palio_server.arena.table import Order, Place, Table, seated
from palio_server.bus import Bus
from palio_server.lobby.lobby import Lobby

log = logging.getLogger(__name__)

LOOK_S = 2.0  # how often tables are looked at, whatever happens
HELLO_S = 120.0  # in which whoever has opened a table must say hello
FRIEND_S = 30 * 60.0  # in which a friend must come
KEPT_S = 10 * 60.0  # from the end of its match: for another game
MOST = 64  # tables in use, with whatever opponents
HOUSE_A_TABLE = 3  # of the server's own bots at one table
BURST, PER_SECOND = 10, 2.0  # tables that may be opened at once, and from then on
MOST_WORK = 1_000_000  # positions looked at for an instance
REMEMBERED = 256  # closed tables, of which it can still be said why
EVENT = "by hand"  # what viewers see


class TableRefused(Exception):
    """A table that cannot be had; the message says why, and the remedy."""


class NoTable(TableRefused):
    """There is none, or not any more."""


class NotFree(TableRefused):
    """An opponent is not here, or busy; or the match does not allow it now."""


class TooMany(TableRefused):
    """A limit is reached."""


class NotYours(TableRefused):
    """Without the token of somebody who sits there."""


class Tables:
    """The one owner of all tables of this server."""

    def __init__(self, store: Store, bus: Bus, lobby: Lobby, arena: Arena, house: House, *, limit: int) -> None:
        """`limit`: tables with bots of `house` at once."""
        self._store, self._bus, self._lobby, self._arena = store, bus, lobby, arena
        self.house, self.limit = house, limit
        self._tables: dict[str, Table] = {}
        self._closed: OrderedDict[str, Table] = OrderedDict()
        self._opened: deque[float] = deque(maxlen=BURST)  # when the last ones were
        self._searching = asyncio.Lock()  # of a race's instance: it takes a core
        house.on_failure = self._without
        arena.on_start.append(self._note_start)
        arena.on_result.append(self._note_result)

    # --- asked for by people ------------------------------------------------------------------------------------------

    @property
    def house_tables(self) -> int:
        """Tables in use at which the server's own bots sit."""
        return sum(bool(table.house) for table in self._tables.values() if table.in_use)

    async def open(
        self, order: Order, person: Place, others: Sequence[Place], seat: int | None = None, state: str = ""
    ) -> Table:
        """A table for `person`, who has a name and a token, and `others`. Raises TableRefused, ValueError."""
        places = seated(order.rules, person, [self._fetched(order, place) for place in others], seat)
        self._check_limits(sum(place.kind == "house" for place in places))
        self._name_house(places)
        bots = [place.name or f"friend-{number}" for number, place in enumerate(places)]
        setup = await self._setup(order, bots, state)
        self._check_limits(sum(place.kind == "house" for place in places))  # others have come meanwhile
        self._name_house(places)
        setup = _with_names(setup, places)
        now = self._now()
        table = Table(secrets.token_urlsafe(8), order, places, setup, now)
        self._tables[table.id] = table
        self._opened.append(now)
        if order.rated:
            self._lobby.withhold(person.name)
        await self._go_on(table)
        return table

    async def join(self, code: str, name: str, token: str) -> tuple[Table, int]:
        """The friend with that link takes the seat, as a guest; which? Raises NoTable, NotFree."""
        for table in self._tables.values():
            for seat, place in enumerate(table.places):
                if place.code and hmac.compare_digest(place.code.encode(), code.encode()):
                    if place.kind != "friend":
                        raise NotFree("somebody has taken this seat already; ask for a link of your own")
                    place.kind, place.name, place.token = "person", name, token
                    table.setup = _with_names(table.setup, table.places)
                    table.opened_at = self._now()
                    await self._go_on(table)
                    return table, seat
        raise NoTable("this link leads to no table any more; ask for a new one")

    async def again(self, table: Table, *, state: str = "", swap: bool = False, same: bool = False) -> None:
        """Another game at the same table; one that is going on there is called off. Raises TableRefused, ValueError.

        From the position `state`; with the seats changed if `swap`; a race has the `same` instance or a new one.
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
        order = table.order
        if order.rules.kind == "race" and not same and not state:
            order = msgspec.structs.replace(order, seed=order.seed + 1)
        bots = [place.name or f"friend-{number}" for number, place in enumerate(places)]
        if order.rules.kind == "race" and same:
            setup = msgspec.structs.replace(table.setup, bots=tuple(bots))
        else:
            setup = await self._setup(order, bots, state)
        if table.closed or table.starting:
            raise NoTable("this table was closed meanwhile; open another one")
        before, table.match = table.match, None
        table.order, table.places, table.setup = order, list(places), setup
        table.began, table.over_at, table.opened_at = False, None, self._now()
        if before is not None:
            await self._call_off(before)
        for name in table.house:
            self.house.want(name)
        await self._go_on(table)

    async def leave(self, table: Table) -> None:
        """Whoever sits there has no use for it; a match goes on."""
        await self._close(table, "left")

    def table(self, identity: str) -> Table:
        """The table, perhaps a closed one. Raises NoTable."""
        found = self._tables.get(identity) or self._closed.get(identity)
        if found is None:
            raise NoTable(f"there is no table {identity[:40]!r}; open one")
        return found

    def person_at(self, table: Table, token: str | None) -> int:
        """The seat of the person at `table` whose `token` it is. Raises NotYours, NoTable."""
        for seat, place in enumerate(table.places):
            if token and place.token and hmac.compare_digest(place.token.encode(), token.encode(errors="replace")):
                if table.closed:
                    raise NoTable(f"this table is closed: {table.closed}; open another one")
                return seat
        raise NotYours("give the token that came with this table as `Authorization: Bearer TOKEN`")

    def waiting(self, table: Table) -> list[str]:
        """Who is waited for, in words."""
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

    # --- standing -----------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Begin matches, close what is left alone, and keep the server's own bots, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.house.run(), name="house")
            while True:
                version = self._lobby.version
                await self._look()
                try:
                    async with asyncio.timeout(LOOK_S):
                        await self._lobby.changed(since=version)
                except TimeoutError:
                    pass

    async def _look(self) -> None:
        now, playing = self._now(), set(self._arena.playing())
        for table in list(self._tables.values()):
            if table.began and table.over_at is None and table.match not in playing:
                table.over_at = now  # aborted
            if table.waits:
                await self._go_on(table)
            if why := self._in_vain(table, now):
                await self._close(table, why)
        self.house.sweep(self._wanted(playing))

    def _in_vain(self, table: Table, now: float) -> str:
        """Why the table is to be closed; "" if it is not."""
        if table.over_at is not None:
            return "nobody has asked for another game" if now - table.over_at >= KEPT_S else ""
        if table.began:
            return ""
        waited = now - table.opened_at
        if table.invites:
            return "no friend has come" if waited >= FRIEND_S else ""
        return "somebody who was waited for has not come" if waited >= HELLO_S else ""

    async def _go_on(self, table: Table) -> None:
        """Begin its match if everybody is here and free."""
        for name in table.house:
            self.house.want(name)
        if not table.waits or table.invites:
            return
        if all(self._lobby.is_free(name, table.order.game) for name in table.bots):
            table.starting = True
            try:
                table.match = await self._arena.appoint(table.setup, EVENT)
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
                self._lobby.restore(place.name)
        if table.match is not None and not table.began:  # it was never played, and would wait for ever
            await self._store.abort(table.match, why)

    async def _call_off(self, match: str) -> None:
        """End a match that nobody wants to finish, wherever it is on its way."""
        if not self._arena.call_off(match, "another game was asked for"):
            await self._store.abort(match, "another game was asked for")

    # --- what the arena tells -----------------------------------------------------------------------------------------

    def _note_start(self, match: str) -> None:
        for table in self._tables.values():
            if table.match == match:
                table.began = True
        setup = self._arena.setup_of(match)
        for bot in () if setup is None else setup.bots:
            if is_house(bot):
                self.house.want(bot)  # the server was started again in the middle of the match

    def _note_result(self, record: Record) -> None:
        for table in self._tables.values():
            if table.match == record.match:
                table.began, table.over_at = True, self._now()

    def _without(self, bot: str, reason: str) -> None:
        """A bot of our own cannot be had: it gives up what it plays."""
        for match in self._arena.playing():
            setup = self._arena.setup_of(match)
            if setup is not None and bot in setup.bots:
                message = Error(code="crashed", reason=reason[-4000:], match=match)
                self._bus.publish(topics.bot_out(bot, match), encode(message), message)

    # --- within -------------------------------------------------------------------------------------------------------

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _wanted(self, playing: set[str]) -> set[str]:
        """The names of our own bots that sit at a table, or play."""
        found = {name for table in self._tables.values() for name in table.house if table.in_use}
        for match in playing:
            setup = self._arena.setup_of(match)
            found.update(bot for bot in (() if setup is None else setup.bots) if is_house(bot))
        return found

    def _fetched(self, order: Order, place: Place) -> Place:
        """The opponent, if there is one of that name for this game. Raises NotFree."""
        if place.kind == "friend":
            return Place("friend", code=secrets.token_urlsafe(9))
        if place.kind == "house":
            entry = house_entry(place.name)
            if entry is None or order.game not in entry.games or not self.limit:
                raise NotFree(f"the house has no bot {place.name[:40]!r} for {order.game}; GET /api/play lists them")
        else:
            self._check_bot(place.name, order.game)
        return place

    def _check_bot(self, name: str, game: str) -> None:
        if self._lobby.by_appointment(name) or not self._lobby.is_here(name):
            raise NotFree(f"{name[:40]} is not connected; /api/bots lists who is")
        if name not in self._lobby.players(game):
            raise NotFree(f"{name} does not play {game}")
        if not self._lobby.is_free(name, game):
            raise NotFree(f"{name} has no free slot for {game}; wait until its match is over, or take another one")

    def _check_here(self, table: Table) -> None:
        """Raise NotFree if a bot of somebody's has left."""
        for place in table.places:
            if place.kind == "bot" and not self._lobby.is_here(place.name):
                raise NotFree(f"{place.name} is not connected any more; open a table against another one")

    def _name_house(self, places: Sequence[Place]) -> None:
        """Give each of our own bots at a table its name: one that sits nowhere else."""
        taken = self._wanted(set(self._arena.playing()))
        for place in places:
            if place.kind == "house":
                kind = place.name.removeprefix("house-").partition(".")[0]
                entry = house_entry(kind)
                assert entry is not None
                place.name = self.house.name_for(entry, taken)
                taken.add(place.name)

    def _check_limits(self, house: int) -> None:
        now = self._now()
        if len(self._opened) == BURST and now - self._opened[0] < BURST / PER_SECOND:
            raise TooMany("too many tables are being opened on this server; try again in a few seconds")
        if sum(table.in_use for table in self._tables.values()) >= MOST:
            raise TooMany(f"{MOST} tables are in use on this server, which is all; try again when one is free")
        if house > HOUSE_A_TABLE:
            raise TooMany(f"{house} of the house's bots are wanted; take {HOUSE_A_TABLE} at most")
        if house and self.house_tables >= self.limit:
            tables = f"{self.limit} table{'s are' if self.limit > 1 else ' is'}"
            raise TooMany(f"{tables} in use against the house's bots, which is all; try again when one is free")

    async def _setup(self, order: Order, bots: Sequence[str], state: str) -> Setup:
        if order.rules.kind != "race":
            return order.setup(bots, state)
        async with self._searching:
            return await search_in_thread(lambda: order.setup(bots, state), Effort(MOST_WORK))


def _with_names(setup: Setup, places: Sequence[Place]) -> Setup:
    """The same for those who sit at the table by now."""
    bots = tuple(place.name or f"friend-{number}" for number, place in enumerate(places))
    return msgspec.structs.replace(setup, bots=bots)
