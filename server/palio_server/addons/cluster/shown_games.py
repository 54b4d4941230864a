"""Games that workers play, as the viewers of this server see them.

Of most games nothing is known here but that they have begun. When a viewer looks at one, its worker is asked for it,
sends all that has been played, and from then on every event.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from itertools import islice

from palio_db.values import Claim
from palio_rules.contract.topics import match_event
from palio_rules.records.boards import Boards, boards_of
from palio_rules.records.record import Ply, Record
from palio_server.addons.cluster import wire, worker
from palio_server.addons.cluster.fleet import Fleet
from palio_server.addons.cluster.tasks_out import TasksOut, Tries
from palio_server.bus import Bus
from palio_server.live.feed import Feed
from palio_server.live.followed import clocks_at_end
from palio_server.match import events

log = logging.getLogger(__name__)

LOBBY = 16  # games whose boards move in the lobby; of others it has the first position


class ShownGames:
    """The games that have begun, in the feed of this server."""

    def __init__(self, feed: Feed, bus: Bus) -> None:
        self._feed, self._bus = feed, bus
        self._begun: dict[str, Claim] = {}  # oldest first
        self._boards: dict[str, tuple[Boards, int]] = {}  # of watched games: as far as known here, and how many plies

    def begin(self, claim: Claim) -> None:
        """Show a game that a worker has begun, perhaps again, because another worker has died."""
        self._begun[claim.match] = claim
        self._boards.pop(claim.match, None)
        self._feed.open(claim.match, claim.setup, claim.event, tournament=claim.tournament)

    def wanted(self) -> set[str]:
        """The games that are watched now."""
        wanted = self._bus.wanted
        found = {match for match in self._begun if wanted(match_event(match))}
        if self._feed.lobby_watched:
            found.update(islice(self._begun, LOBBY))
        return found

    def hear(self, report: wire.Report) -> None:
        """Take in what has happened in a watched game."""
        match report:
            case wire.Snapshot(match=match) if match in self._begun:
                self._take(self._begun[match], report)
            case wire.Begun() | wire.Remark() | wire.Snapshot():
                pass
            case _ if report.match in self._boards:
                self._note(report.match, report)

    def end(self, claim: Claim, record: Record) -> None:
        """Show all of a game that is over, and how it ended."""
        match, result = claim.match, record.result
        followed = self._boards.pop(match, None)
        if self._begun.pop(match, None) is None or followed is None or followed[1] != len(record.plies):
            self._feed.open(match, claim.setup, claim.event, record.plies, record.refusals, tournament=claim.tournament)
        self._feed.note(match, events.Finished(result, None, clocks_at_end(record)))

    def drop(self, match: str, reason: str) -> None:
        """It has no result."""
        self._begun.pop(match, None)
        self._boards.pop(match, None)
        self._feed.drop(match, reason)

    def _take(self, claim: Claim, found: wire.Snapshot) -> None:
        boards = boards_of(claim.setup)
        for ply in found.plies:
            boards.play(ply)
        self._boards[claim.match] = boards, len(found.plies)
        self._feed.open(claim.match, claim.setup, claim.event, found.plies, found.refusals, tournament=claim.tournament)

    def _note(self, match: str, report: wire.Report) -> None:
        try:
            if (event := self._event(match, report)) is not None:
                self._feed.note(match, event)
        except Exception:  # a third-party game: its worker plays on, and the record will say all
            log.exception("match %s cannot be shown", match)
            self._boards.pop(match, None)

    def _event(self, match: str, report: wire.Report) -> events.RefereeEvent | None:
        match report:
            case wire.Played(number=number, ply=ply, clocks_ms=clocks):
                boards, plies = self._boards[match]
                if number != plies + 1:
                    return None  # the snapshot had it already
                self._boards[match] = boards, number
                move = _move(self._begun[match], boards, ply)
                state = boards.play(ply)
                if isinstance(report, wire.Forfeited):
                    return events.Forfeited(
                        state, clocks, number=number, ply=ply, reason=report.reason, detail=report.detail
                    )
                return events.Played(number, ply, move, state, clocks)
            case wire.Started(clocks_ms=clocks):
                return events.Started(self._boards[match][0].of(0), clocks)
            case wire.Rejected(rejected=rejected, strikes_left=left, clocks_ms=clocks):
                return events.Rejected(rejected, left, clocks)
            case wire.Absent(seat=seat, grace_ms=grace):
                return events.Absent(seat, grace)
            case wire.Back(seat=seat, grace_ms=grace):
                return events.Back(seat, grace)
            case _:
                return None


def _move(claim: Claim, boards: Boards, ply: Ply) -> object:
    return None if ply.move is None else claim.setup.rules().read_move(boards.of(ply.seat), ply.move)


# Tells workers which games are watched, and that we are there; finds out which workers hang.

WATCH_S = 0.25  # between two looks at who looks at what
SIGN_S = 15.0  # workers hear at least so often that we are there
TELL_S = 5.0  # for a worker to be told

TakeBack = Callable[[Iterable[str], str], Awaitable[None]]  # with the keys of tasks, and why


class WorkerMonitor:
    """The watch for lost workers. `run` looks until it is cancelled; `take_back` gives their games to other workers."""

    def __init__(self, fleet: Fleet, shown: ShownGames, tasks: TasksOut, tries: Tries, take_back: TakeBack) -> None:
        self._fleet, self._shown, self._tasks, self._tries = fleet, shown, tasks, tries
        self._take_back = take_back

    async def run(self) -> None:
        watched: dict[str, set[str]] = {}
        signed = 0.0
        while True:
            await asyncio.sleep(WATCH_S)
            now = asyncio.get_running_loop().time()
            wanted: dict[str, set[str]] = defaultdict(set)
            for match in self._shown.wanted():
                if (task := self._tasks.of(match)) is not None and task.worker:
                    wanted[task.worker].add(match)
            if now > signed + SIGN_S:
                signed = now
                await self._tell(wanted, self._fleet.cores)
            else:
                changed = [each for each in {*wanted, *watched} if wanted.get(each) != watched.get(each)]
                await self._tell(wanted, changed)
            watched = {**wanted}
            await self._give_up_hanging(now)

    async def _tell(self, wanted: dict[str, set[str]], workers: Iterable[str]) -> None:
        work = [self._fleet.tell(worker.watch, sorted(wanted.get(each, ())), of=[each]) for each in [*workers]]
        for outcome in await asyncio.gather(*(asyncio.wait_for(each, TELL_S) for each in work), return_exceptions=True):
            if isinstance(outcome, Exception):
                log.info("a worker could not be told who looks: %s", outcome)

    async def _give_up_hanging(self, now: float) -> None:
        hanging = dict.fromkeys(self._fleet.silent(), "it says nothing any more")
        for address, late in self._tasks.late(now):
            hanging[address] = f"match {late[0]} takes longer than its clocks allow"
            self._tries.hung(late)
        for address, why in hanging.items():
            await self._take_back(self._tasks.of_worker(address), why)
            await self._fleet.give_up(address, why)
