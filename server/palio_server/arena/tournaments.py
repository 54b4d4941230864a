"""The tournaments that this server directs: create, start at their time, pause, and take up again after a restart.

One task directs one running tournament. A request of an organiser is checked against the stage of the tournament first;
a refusal says which stage is required.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import msgspec

from palio_db.errors import NotFound, StoreError
from palio_db.event_values import Entry, Stage, TournamentDraft, TournamentRow
from palio_db.store import Store
from palio_db.values import PALIO, Actor
from palio_rules.errors import BadOption
from palio_server.arena.directing import Direct, Directed, NotPossible, keep_note
from palio_server.arena.journal import until_database_answers
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.other_servers import ALONE, OtherServers
from palio_server.tournament.event import Event
from palio_server.tournament.format import format_of

# The times at which tournaments start. A start that was not possible in time is tried again.

LOOK_S = 30.0  # seconds between two looks at the clock, which an operator may set
AGAIN = timedelta(seconds=15)  # when a start that was not possible in time is tried again


class StartTimes:
    """The tournaments that wait for their time."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._due: dict[int, datetime] = {}
        self._late: set[int] = set()  # have been tried
        self._changed = asyncio.Event()

    def put(self, number: int, when: datetime) -> None:
        """Start a tournament at that time."""
        self._due[number] = when
        self._late.discard(number)
        self._changed.set()

    def forget(self, number: int) -> None:
        """Remove a tournament that needs no start."""
        self._due.pop(number, None)
        self._late.discard(number)

    def hurry(self, number: int) -> None:
        """Try to start it now, if its time has come."""
        if number in self._late:
            self._due[number] = self._now()
            self._changed.set()

    def take_due(self) -> list[int]:
        """Return those whose time has come; they are due again after a while, unless they are forgotten by then."""
        self._changed.clear()
        now = self._now()
        due = [number for number, when in self._due.items() if when <= now]
        self._due.update(dict.fromkeys(due, now + AGAIN))
        self._late.update(due)
        return due

    async def wait(self) -> None:
        """Wait until one may be due."""
        seconds = min([LOOK_S, *((when - self._now()).total_seconds() for when in self._due.values())])
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self._changed.wait()


log = logging.getLogger(__name__)

MANY = 1000  # tournaments of one stage that are read when the server starts


P = ParamSpec("P")
T = TypeVar("T")
Act = Callable[Concatenate["Tournaments", int, P], Coroutine[Any, Any, T]]
ACTS: dict[str, Callable[..., Coroutine[Any, Any, Any]]] = {}  # by name: what an organiser can do to a tournament


def done_where_it_runs(act: Act[P, T]) -> Act[P, T]:
    """Have `act` done by the server that runs the tournament, if that is another one."""
    ACTS[act.__name__] = act
    parameters = signature(act)

    @wraps(act)
    async def asked(self: "Tournaments", number: int, *args: P.args, **kwargs: P.kwargs) -> T:
        given = parameters.bind(self, number, *args, **kwargs)
        given.apply_defaults()
        done: list[T] = await self._others.change_tournament(number, act.__name__, given.args[2:])
        return done[0] if done else await act(self, number, *args, **kwargs)

    return cast("Act[P, T]", asked)


class Tournaments:
    """The owner of the tournaments whose `worker` is this server.

    Every method raises StoreError, NotFound among others, and NotPossible where the tournament is at another stage, or
    run by another server that does not answer.
    """

    def __init__(
        self,
        store: Store,
        lobby: Lobby,
        direct: Direct,
        *,
        worker: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        others: OtherServers = ALONE,
    ) -> None:
        """`direct` opens a tournament of the store."""
        self._others = others
        self._store, self._lobby = store, lobby
        self.worker = worker
        self._directed = Directed(store, direct)
        self._times = StartTimes(now)
        self._turns: dict[int, asyncio.Lock] = {}  # one request at a time changes a tournament

    async def run(self) -> None:
        """Direct until cancelled. Running tournaments continue when a server of this name starts again."""
        await self._others.settled()
        try:
            await until_database_answers("tournaments wait to be taken up", self._take_up)
            while True:
                for number in self._times.take_due():
                    await self._start_in_time(number)
                await self._times.wait()
        finally:
            await self._directed.close()

    def directed(self) -> list[int]:
        """Return the tournaments that are directed here now."""
        return self._directed.numbers()

    # --- requests of organisers --------------------------------------------------------------------------------------

    async def create(self, draft: TournamentDraft, *, by: Actor = PALIO) -> int:
        """Create a tournament that this server directs; return its number. It starts at its time, if it has one."""
        if (made := await self._others.create_tournament(draft, by)) is not None:
            return made
        number = await self._store.create_event(replace(draft, worker=self.worker), by=by)
        if draft.stage == "open" and draft.starts_at is not None:
            self._times.put(number, draft.starts_at)
        return number

    @done_where_it_runs
    async def start(self, number: int) -> None:
        """Begin to play. Raises BadOption if these entrants cannot play this game in this format."""
        async with self._turn(number):
            row = await self._at(number, "start", "open")
            newcomers = self._newcomers(row)
            format_of(row.format, row.rules).check(Event(row.game, [*row.entries, *newcomers]))
            for entry in newcomers:
                await self._store.enter(number, entry)
            await self._move(number, "running", "open")
            await self._all_is_well(number)
            self._directed.begin(number)

    @done_where_it_runs
    async def pause(self, number: int) -> None:
        """Begin no further match; those in progress are played to their end."""
        async with self._turn(number):
            await self._at(number, "pause", "running")
            async with self._directed.director(number) as director:
                await director.pause()
            await self._directed.stop(number)

    @done_where_it_runs
    async def resume(self, number: int) -> None:
        """Continue a paused tournament."""
        async with self._turn(number):
            await self._at(number, "resume", "paused")
            await self._move(number, "running", "paused")
            await self._all_is_well(number)
            self._directed.begin(number)

    @done_where_it_runs
    async def cancel(self, number: int) -> None:
        """End it here: open matches are called off; results so far count."""
        async with self._turn(number):
            row = await self._at(number, "cancel", "open", "running", "paused")
            if row.stage == "open":
                await self._move(number, "cancelled", "open")
            else:
                async with self._directed.director(number) as director:
                    await director.cancel()
                await self._directed.stop(number)
            await self._all_is_well(number)

    @done_where_it_runs
    async def extend(self, number: int, rounds: int) -> None:
        """Let it have `rounds` rounds in all; a finished one continues. Raises BadOption if it cannot have them."""
        async with self._turn(number):
            row = await self._at(number, "extend", "open", "running", "paused", "finished")
            if row.stage == "open":
                longer = format_of(row.format, row.rules).extended(Event(row.game, row.entries), rounds)
                await self._store.set_rules(number, msgspec.to_builtins(longer.rules))
                return
            async with self._directed.director(number) as director:
                await director.extend(rounds)
            if row.stage == "finished":
                await self._move(number, "running", "finished")
                self._directed.begin(number)

    @done_where_it_runs
    async def add(self, number: int, bot: str, rating: float | None = None, byes: Iterable[int] = ()) -> Entry:
        """Enter a bot, or change the byes of an entered one; return its entry. A bot that had withdrawn comes back."""
        async with self._turn(number):
            row = await self._at(number, "enter a bot in", "open", "running", "paused")
            former = next((entry for entry in row.entries if entry.bot == bot), None)
            wanted = former or Entry(bot, len(row.entries) + 1)
            granted = wanted.byes | frozenset(byes)
            rating = wanted.rating if rating is None else rating
            if row.stage == "open":
                entry = replace(wanted, rating=rating, byes=granted)
                await self._store.enter(number, entry)
                self._times.hurry(number)
                return entry
            entry = replace(wanted, rating=rating, byes=granted)
            return await self._add_late(number, entry, new=former is None or former.left is not None)

    @done_where_it_runs
    async def withdraw(self, number: int, bot: str) -> None:
        """Withdraw the bot; its matches that have not begun are forfeited. Raises NotFound, and NotPossible if it was
        last.
        """
        async with self._turn(number):
            row = await self._at(number, "withdraw a bot from", "open", "running", "paused")
            entry = next((entry for entry in row.entries if entry.bot == bot), None)
            if entry is None or entry.left is not None:
                here = ", ".join(entry.bot for entry in row.entries if entry.left is None) or "no bot"
                raise NotFound(f"{bot!r} does not take part in tournament {number}; {here} does")
            if row.stage == "open":
                await self._store.remove_entry(number, bot)
                return
            async with self._directed.director(number) as director:
                if not await director.withdraw(bot):
                    raise NotPossible(f"without {bot} too few are left in tournament {number}; cancel it instead")

    async def change_here(self, number: int, act: str, arguments: Sequence[Any]) -> Any:
        """Do `act`, which another server has asked for; without asking a third one."""
        return await ACTS[act](self, number, *arguments)

    async def _add_late(self, number: int, entry: Entry, *, new: bool) -> Entry:
        async with self._directed.director(number) as director:
            if new:
                if why := director.format.admits_late(director.event):
                    raise NotPossible(f"{entry.bot} can no longer be entered in tournament {number}: {why}")
                joined = entry.joined if entry.left is not None else director.event.last_round + 1
                entry = replace(entry, joined=joined, left=None)
            await director.enter(entry)
        return entry

    # --- stages -------------------------------------------------------------------------------------------------------

    def _turn(self, number: int) -> asyncio.Lock:
        return self._turns.setdefault(number, asyncio.Lock())

    async def _all_is_well(self, number: int) -> None:
        self._times.forget(number)
        await keep_note(self._store, number, "")

    async def _at(self, number: int, act: str, *stages: Stage) -> TournamentRow:
        """Return the tournament if it is directed here and at one of `stages`; otherwise raise NotPossible, or
        NotFound.
        """
        row = await self._store.tournament(number)
        if row is None:
            self._turns.pop(number, None)
            raise NotFound(f"there is no tournament {number}; `palio tournament list` shows them")
        if row.stage not in stages:
            *others, last = stages
            wanted = f"{', '.join(others)} or {last}" if others else last
            raise NotPossible(f"tournament {number} is {row.stage}; to {act} it, it must be {wanted}")
        if row.announced is not None:  # each of its results is announced
            remedy = f"stop it there, or go on with it by `palio run --resume {number}`"
            raise NotPossible(f"tournament {number} is directed by a `palio run`; {remedy}")
        if row.worker != self.worker:
            where = f"by the server {row.worker!r}" if row.worker else "by no server"
            raise NotPossible(f"tournament {number} is directed {where}, this is {self.worker!r}; ask there")
        return row

    async def _move(self, number: int, stage: Stage, former: Stage) -> None:
        if not await self._store.set_stage(number, stage, only_from=(former,)):
            row = await self._store.tournament(number)
            now = "gone" if row is None else row.stage
            raise NotPossible(f"tournament {number} is {now} meanwhile; look at it again")

    def _newcomers(self, row: TournamentRow) -> list[Entry]:
        """Return entries for the connected bots that are not entered yet, if every bot may take part."""
        if row.admits != "open":
            return []
        names = sorted(set(self._lobby.players(row.game)) - set(row.bots))
        return [Entry(bot, number) for number, bot in enumerate(names, len(row.entries) + 1)]

    # --- start times -------------------------------------------------------------------------------------------------

    async def _take_up(self) -> None:
        """Continue the tournaments of this worker's name: those that are running, and those that are to start."""
        await self.direct_ours()
        for row in await self._store.tournaments(MANY, stage="open", worker=self.worker):
            if row.starts_at is not None and row.announced is None:
                self._times.put(row.id, row.starts_at)
        # the process may have ended before their matches were called off
        halted: tuple[Stage, ...] = ("paused", "cancelled")
        for stage in halted:
            for row in await self._store.tournaments(MANY, stage=stage, worker=self.worker):
                if row.scheduled and row.announced is None:
                    await self._store.unschedule(row.id)

    async def direct_ours(self) -> None:
        """Direct the running tournaments of this server."""
        for row in await self._store.tournaments(MANY, stage="running", worker=self.worker):
            if row.announced is None:
                self._directed.begin(row.id)

    async def take_up(self, number: int) -> None:
        """Continue a tournament that this server has taken over."""
        row = await self._store.tournament(number)
        if row is None or row.worker != self.worker:
            return
        if row.stage == "running":
            self._directed.begin(number)
        elif row.stage == "open" and row.starts_at is not None:
            self._times.put(number, row.starts_at)
        elif row.stage == "paused" and row.scheduled:
            await self._store.unschedule(number)

    async def _start_in_time(self, number: int) -> None:
        """Start it, or note why it has to wait."""
        try:
            try:
                await self.start(number)
            except BadOption as error:
                await keep_note(self._store, number, f"its time has come; it starts as soon as it can: {error}")
        except (NotPossible, NotFound):  # an organiser has started or cancelled it
            self._times.forget(number)
        except StoreError as error:
            log.warning("tournament %d waits to be started: %s", number, error)
