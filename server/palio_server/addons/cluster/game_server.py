"""A server within a worker, for the games of one run: it keeps no results and shows no page, it only plays.

It is the same server as at home, with a store in memory that stays empty. A match ends by handing its record over.
"""

import asyncio
import os
import sys
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
from msgspec import UNSET, structs

from palio_db.values import Claim
from palio_rules import registry
from palio_rules.errors import BadOption
from palio_rules.records.record import Ply, Record, RejectedMove, Setup
from palio_server.addons.cluster import wire
from palio_server.addons.cluster.parcels import unpacked_bot, unpacked_game
from palio_server.addons.cluster.warm_bots import CannotPlay, WarmBots
from palio_server.app_state import ServerParts
from palio_server.arena.bus_channel import BusChannel
from palio_server.arena.running_match import RunningMatch, Services
from palio_server.lobby.lobby import NotAvailable
from palio_server.lobby.programs import forfeit
from palio_server.lobby.session import Expulsion
from palio_server.match import events
from palio_server.match.referee import Referee
from palio_server.network.listeners import listening
from palio_server.processes import Entrant, Sandbox
from palio_server.sandbox.bubblewrap import SandboxLimits, parse_size
from palio_server.sandbox.confinement import confinement
from palio_server.server import running
from palio_server.settings import load
from palio_server.tournament.fault_report import fault_reports

# The game of a run in a worker's process: known there while the run lasts, also to the bots that it starts.
#
# A worker outlives runs, and authors mend their games between two of them. So a file's game is forgotten with its last
# run, and so is what was imported beside it. All of this happens in the thread that plays.

_runs: Counter[tuple[str, str]] = Counter()  # by game and what to type for it: how many play it now


@contextmanager
def game_here(name: str, typed: str) -> Iterator[None]:
    """In the context this process knows the game `name`, which is `typed` as its file, or as it is called.

    What this process was started with counts for nothing: it may name files of another machine. Raises BadOption.
    """
    if not _runs:
        os.environ.pop(registry.GIVEN, None)
    if any(other == name and text != typed for other, text in _runs):
        raise BadOption(f"another version of the game {name} is being played here; wait until that run is over")
    _runs[name, typed] += 1
    try:
        registry.game(registry.adopt(typed).name)
        yield
    finally:
        _runs[name, typed] -= 1
        if _runs[name, typed] <= 0:
            del _runs[name, typed]
            registry.forget(name)
            if registry.is_file(typed):
                _forget_modules(Path(registry.parts(typed)[0]).parent.resolve())


def _forget_modules(folder: Path) -> None:
    """Forget what was imported from `folder`."""
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != folder]
    for name, module in [*sys.modules.items()]:
        if Path(getattr(module, "__file__", None) or os.sep).is_relative_to(folder):
            del sys.modules[name]


# What a worker tells the coordinator: which games have begun, and all that happens in those that are watched.

Tell = Callable[[wire.Report], None]


class _Game:
    """The plies of a game so far; they are sent when a viewer comes."""

    __slots__ = ("plies", "refusals")

    def __init__(self, plies: Iterable[Ply], refusals: Iterable[RejectedMove]) -> None:
        self.plies, self.refusals = list(plies), list(refusals)


class SentFeed:
    """Takes the place of the feed where no viewer comes: `tell` hears what the coordinator's feed must know."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._games: dict[str, _Game] = {}
        self._watched: set[str] = set()

    def watch(self, matches: Iterable[str]) -> None:
        """Note that these are watched from now on, and no others."""
        wanted = set(matches)
        new, self._watched = wanted - self._watched, wanted
        for match in new:
            if (game := self._games.get(match)) is not None:
                self._tell(wire.Snapshot(match, game.plies.copy(), game.refusals.copy()))

    def open(
        self,
        match: str,
        setup: Setup,
        event_name: str = "",
        journal: Sequence[Ply] = (),
        refusals: Sequence[RejectedMove] = (),
        *,
        tournament: int | None = None,
        epoch: int = 1,
    ) -> None:
        """A game is about to begin."""
        del setup, event_name, tournament, epoch  # the coordinator knows
        self._games[match] = _Game(journal, refusals)
        if match in self._watched:
            self._tell(wire.Snapshot(match, [*journal], [*refusals]))

    def note(self, match: str, event: Any) -> None:
        """Something has happened in it."""
        if (game := self._games.get(match)) is None:
            return
        match event:
            case events.Played() | events.Forfeited():
                game.plies.append(event.ply)
            case events.Rejected():
                game.refusals.append(event.rejected)
            case events.Finished():  # its record says all
                self.close(match)
                return
        if match in self._watched and (report := _report(match, event)) is not None:
            self._tell(report)

    def drop(self, match: str, reason: str, *, lost: bool = False) -> None:
        """It is not played to its end; how it ended says why."""
        del reason, lost
        self.close(match)

    def close(self, match: str) -> None:
        """Nothing more comes of it."""
        self._games.pop(match, None)
        self._watched.discard(match)


def _report(match: str, event: events.RefereeEvent) -> wire.Report | None:
    match event:
        case events.Forfeited(number=number, ply=ply, clocks_ms=clocks):
            return wire.Forfeited(match, number, ply, clocks, event.reason, event.detail)
        case events.Played(number=number, ply=ply, clocks_ms=clocks):
            return wire.Played(match, number, ply, clocks)
        case events.Started(clocks_ms=clocks):
            return wire.Started(match, clocks)
        case events.Rejected(rejected=rejected, strikes_left=left, clocks_ms=clocks):
            return wire.Rejected(match, rejected, left, clocks)
        case events.Absent(seat=seat, grace_ms=grace):
            return wire.Absent(match, seat, grace)
        case events.Back(seat=seat, grace_ms=grace):
            return wire.Back(match, seat, grace)
        case _:
            return None


REMEMBERED = 512  # games whose end is known: some megabytes
STDERR_SHOWN = 3  # faults of a bot with which its stderr is sent: no reader needs more


class Outcomes:
    """The ends of matches here, each kept until the task that has played it takes it away."""

    def __init__(self) -> None:
        self.ended: dict[str, Record | str] = {}  # by match: its record, or why it has none
        self.texts: dict[str, dict[str, str]] = {}  # by match, by submission: what programs said of their faults

    async def finish(self, claim: Claim, record: Record, addresses: Sequence[str] = ()) -> None:
        self.ended[claim.match] = record

    async def keep_fault_texts(self, match: str, texts: Mapping[str, str]) -> None:
        self.texts[match] = dict(texts)

    def forget(self, match: str) -> None:
        """Forget a match whose end was taken away."""
        self.ended.pop(match, None)
        self.texts.pop(match, None)

    async def abort(self, match: str, reason: str, *, epoch: int | None = None) -> bool:
        self.ended[match] = reason
        return True


class NoJournal:
    """A game whose worker dies is played again from its beginning."""

    def note(self, claim: Claim, number: int, entry: Ply | RejectedMove) -> None:
        pass

    def forget(self, match: str) -> None:
        pass


class GameServer:
    """Plays games of one run, as many at once as are asked for."""

    def __init__(self, parts: ServerParts, bots: WarmBots, tell: Tell, factor: float, clock_zero: datetime) -> None:
        self._parts, self._bots, self._tell = parts, bots, tell
        self._factor, self._clock_zero = factor, clock_zero
        self._outcomes, self.feed = Outcomes(), SentFeed(tell)
        self._services = Services(self._outcomes, self.feed, NoJournal(), Referee(), [], [bots.finished_match])
        self._running: dict[str, RunningMatch] = {}
        self._games: OrderedDict[str, asyncio.Future[wire.Ended]] = OrderedDict()  # oldest first
        self._off: dict[str, str] = {}  # called off, and why
        self._shown: dict[str, int] = {}  # how often a bot's stderr was sent

    async def play(self, claim: Claim) -> wire.Ended:
        """Play one game to its end. Asked for again, as by a task that runs twice, it gives the same end."""
        game = self._games.get(claim.match)
        if game is None or game.cancelled():
            game = self._games[claim.match] = asyncio.ensure_future(self._played(claim))
            while len(self._games) > REMEMBERED and next(iter(self._games.values())).done():
                self._games.popitem(last=False)
        elif not game.done():
            self._tell(wire.Begun(claim.match, self._factor))
        return await asyncio.shield(game)

    async def try_bot(self, name: str, game: str) -> str:
        """Start a bot, and keep it for its games: why it cannot play, "" if it can."""
        with self._bots.wanted([name]):
            try:
                await self._bots.free([name], game)
            except CannotPlay as error:
                return str(error)
        return ""

    async def _played(self, claim: Claim) -> wire.Ended:
        names = claim.setup.bots
        if claim.match in self._off:
            return wire.Aborted(claim.match, self._off[claim.match])
        with self._bots.wanted(names):
            try:
                return await self._play(claim)
            except CannotPlay as error:
                return wire.Unplayable(claim.match, error.bot, str(error))
            finally:
                self.feed.close(claim.match)
                self._outcomes.forget(claim.match)

    def call_off(self, match: str, reason: str) -> None:
        """End a game without a result, now or when it would begin."""
        self._off[match] = reason
        if (running := self._running.get(match)) is not None:
            running.call_off(reason)

    def call_all_off(self, reason: str) -> None:
        """Call off all games: the coordinator waits for none."""
        for match in [*self._running]:
            self.call_off(match, reason)

    def stop(self, match: str, reason: str) -> None:
        """End a game as a draw."""
        if (running := self._running.get(match)) is not None:
            running.channel.stop(reason)

    async def _play(self, claim: Claim) -> wire.Ended:
        lobby, setup, match = self._parts.lobby, claim.setup, claim.match
        begun = self._coordinator_time()
        scaled = scaled_setup(setup, self._factor)
        played = replace(claim, setup=scaled, started_at=claim.started_at if claim.journal else begun)
        while True:
            await self._bots.free(setup.bots, setup.game)
            try:
                with BusChannel(self._parts.bus, lobby, match, setup.game, setup.bots) as channel:
                    running = self._running[match] = RunningMatch(played, channel, self._services)
                    if match in self._off:
                        return wire.Aborted(match, self._off[match])
                    self._tell(wire.Begun(match, self._factor))
                    try:
                        await running.play()
                    finally:
                        self._running.pop(match, None)
            except NotAvailable:  # a bot has left in between
                continue
            break
        found = self._outcomes.ended.get(match, "it was given up here")
        if isinstance(found, str):
            return wire.Aborted(match, found)
        record = structs.replace(found, setup=setup, finished_at=self._coordinator_time())
        if self._factor != 1.0:
            record = structs.replace(record, time_factor=self._factor)
        body, texts = msgspec.Raw(msgspec.json.encode(record)), self._outcomes.texts.get(match, {})
        return wire.Finished(match, body, await self._stderr(record), texts)

    def _coordinator_time(self) -> datetime:
        """Return the time where results are kept: a worker's own wall clock may be wrong, or be corrected meanwhile."""
        return self._clock_zero + timedelta(seconds=monotonic())

    async def _stderr(self, record: Record) -> dict[str, list[str]]:
        """Return the stderr of bots that have lost by their own fault."""
        found = {}
        for fault in fault_reports(record):
            shown = self._shown[fault.bot] = self._shown.get(fault.bot, 0) + 1
            if shown <= STDERR_SHOWN:
                found[fault.bot] = await self._bots.stderr(fault.bot)
        return found


def scaled_setup(setup: Setup, factor: float) -> Setup:
    """All times multiplied, so that a slow machine's bots think as far as those of the machine it was meant for."""
    times = setup.times if setup.times is UNSET else tuple(time.scaled(factor) for time in setup.times)
    return structs.replace(setup, time=setup.time.scaled(factor), times=times)


@asynccontextmanager
async def game_server(
    roster: wire.Roster, folder: Path, cores: int, factor: float, tell: Tell
) -> AsyncIterator[GameServer]:
    """A server for the games of `roster`, whose files are unpacked in `folder`. Raises BadOption, OSError."""
    plain = load({}, house_bots=0, db="sqlite://", port=0, concurrency=1, worker=f"{roster.run}-games")
    settings = structs.replace(plain, host="127.0.0.1", auth="open", ladder=False, socket=None)
    limits = SandboxLimits(memory=parse_size(roster.memory), processes=roster.processes)
    confined = confinement(roster.sandbox, limits)
    with (
        game_here(roster.game.name, unpacked_game(roster.game, folder)),
        listening(settings, private=True) as listeners,
    ):
        async with running(settings, listeners) as parts:

            def used_up(address: str, limit: str) -> None:
                forfeit(parts.lobby, address, Expulsion("crashed", "limit-used-up", limit))

            def say(text: str) -> None:
                tell(wire.Remark(text))

            sandbox = Sandbox(confined, listeners.open_for, used_up, listeners.tell_awaited, listeners.account_of)
            entrants = {bot.name: unpacked_bot(bot, folder) for bot in roster.bots}
            counts = roster.counts_crashes
            async with _warm(entrants, parts, listeners.local_url, sandbox, cores, say, counts_crashes=counts) as bots:
                yield GameServer(parts, bots, tell, factor, roster.clock_zero)


@asynccontextmanager
async def _warm(
    entrants: dict[str, Entrant],
    parts: ServerParts,
    url: str,
    sandbox: Sandbox,
    cores: int,
    say: Callable[[str], None],
    *,
    counts_crashes: bool,
) -> AsyncIterator[WarmBots]:
    async with asyncio.TaskGroup() as tasks:
        bots = WarmBots(entrants, parts.lobby, url, sandbox, cores, say, tasks, counts_crashes=counts_crashes)
        try:
            yield bots
        finally:
            bots.end()
