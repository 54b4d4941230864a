"""A race: every entrant plays the same instance, alone, all of them at once; in the end they are ranked by cost.

Each has a lane: a desk, a clock and an arbiter of its own, where it is the only seat there is. So nothing that one does
can touch another, and nobody hears of the others before the end. The race is over when every lane is.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from palio_rules.boards import Boards
from palio_rules.messages import Finish, Move, Over, Result, ServerMessage
from palio_rules.ranking import ranks
from palio_rules.record import Ply, Refusal, Setup
from palio_server.match import events
from palio_server.match.arbiter import Arbiter
from palio_server.match.desk import Desk, Fault, check_setup
from palio_server.match.preparation import Preparation
from palio_server.match.table import Incoming, Said, Seats, Stopped


class LaneSeat:
    """The one seat of an entrant's desk: seat 0 there is seat `entrant` at the table."""

    def __init__(self, table: Seats, entrant: int) -> None:
        self._table, self._entrant = table, entrant

    def post(self, seat: int, message: ServerMessage) -> None:
        self._table.post(self._entrant, message)


class Lane:
    """One entrant's race."""

    def __init__(self, desk: Desk, arbiter: Arbiter) -> None:
        self.desk, self.arbiter = desk, arbiter
        self.over = arbiter.result is not None
        self.fault: Fault | None = None  # why it was thrown out, or left

    def hear(self, heard: Incoming | None, now: float) -> list[events.Event]:
        """Take in the next thing heard on this lane; None for the bell."""
        if not self.over:
            return self._after(self.arbiter.hear(heard, now))
        if isinstance(heard, Said) and isinstance(heard.message, Move):
            self.desk.complain(0, "stale-id", "your race is over, it ends when all are done", heard.message.id)
        elif heard is not None and not isinstance(heard, Stopped):
            found = self.desk.hear(heard)
            return [] if found is None or isinstance(found, Fault) else [found]  # it has nothing left to lose
        return []

    def begin(self) -> list[events.Event]:
        """Post the first turn."""
        return self._after(self.arbiter.begin())

    def throw_out(self, fault: Fault) -> list[events.Event]:
        """It has not even begun."""
        return self._after([*self.arbiter.throw_out(fault), *self.arbiter.begin()])

    def _after(self, told: Iterable[events.Event]) -> list[events.Event]:
        """What happened, and how the lane ended if it did: every exit is written down as a ply without a move."""
        found, result = list(told), self.arbiter.result
        for event in found:
            if isinstance(event, events.Forfeited) and event.ply.out is not None:
                self.fault = Fault(0, event.ply.out, event.reason, event.detail)
        self.over = result is not None
        if result is not None and result.seat is not None:
            self.fault = Fault(0, result.termination, result.reason, result.detail)
            ply, clocks = Ply(0, None, 0, None, result.termination), self.arbiter.clocks.left_ms.copy()
            state = self.arbiter.state
            found.append(events.Forfeited(state, clocks, number=0, ply=ply, reason=result.reason, detail=result.detail))
        return found


class Race:
    """The course of one race, for a referee who drives it as he does an arbiter. `result` is None while it goes on."""

    def __init__(
        self,
        match: str,
        setup: Setup,
        table: Seats,
        *,
        epoch: int,
        journal: Sequence[Ply],
        refusals: Sequence[Refusal],
        resend_s: float,
        now: Callable[[], float],
    ) -> None:
        """Takes the race up after its journal. Raises ValueError if it cannot be played as it is set up."""
        self.result: Result | None = None
        self._match, self._setup, self._table, self._now = match, setup, table, now
        start = check_setup(setup)
        self.boards = Boards(setup.rules(), start, len(setup.bots))
        for ply in journal:
            self.boards.play(ply)
        self._plies, self._stopped = len(journal), ""
        self.lanes: list[Lane] = []
        for entrant, bot in enumerate(setup.bots):
            alone = replace(setup, bots=(bot,), time=setup.clock())
            desk = Desk(match, alone, LaneSeat(table, entrant), start=start)
            own = [replace(ply, seat=0) for ply in journal if ply.seat == entrant]
            left = self.boards.out[entrant]
            played = own if left is None or desk.rules.anytime else own[:-1]  # the last one is the exit
            refused = [replace(refusal, seat=0) for refusal in refusals if refusal.seat == entrant]
            arbiter = Arbiter(desk, epoch=epoch, journal=played, refusals=refused, resend_s=resend_s, now=now)
            if left is not None and arbiter.result is None:
                arbiter.result = Result(left, left, [0.0], 0)
            self.lanes.append(Lane(desk, arbiter))
        self._settle()

    @property
    def state(self) -> Any:
        """The position of the entrant that is ahead."""
        placed = ranks(self.boards.costs())
        return self.boards.of(placed.index(min(placed)))

    @property
    def wake(self) -> float:
        """When to call `hear` again if nothing is heard."""
        return min((lane.arbiter.wake for lane in self.lanes if not lane.over), default=inf)

    def prepare(self) -> "Preparations":
        """Tell every entrant what is played, and wait for them."""
        racing = {entrant: lane.arbiter.prepare() for entrant, lane in enumerate(self.lanes) if not lane.over}
        return Preparations(racing, entrants=len(self.lanes))

    def begin(self) -> list[events.Event]:
        """Post the first turns, all at once."""
        told: list[events.Event] = []
        for entrant, lane in enumerate(self.lanes):
            if not lane.over:
                told += self._told(entrant, lane.begin())
        return told

    def hear(self, heard: Incoming | None, now: float) -> list[events.Event]:
        """Take in the next thing heard, None for the bell at `wake`; `now` is the loop's time."""
        told: list[events.Event] = []
        match heard:
            case None:
                for entrant, lane in enumerate(self.lanes):
                    if not lane.over and lane.arbiter.wake <= now:
                        told += self._told(entrant, lane.hear(None, now))
            case Stopped(reason=reason):
                self.stop(reason)
            case _:
                told = self._told(heard.seat, self.lanes[heard.seat].hear(on_lane(heard), now))
        return told

    def throw_out(self, fault: Fault) -> list[events.Event]:
        """An entrant leaves before the start."""
        return self._told(fault.seat, self.lanes[fault.seat].throw_out(fault._replace(seat=0)))

    def stop(self, reason: str) -> None:
        """The operator ends the race: nobody is ranked."""
        for lane in self.lanes:
            if not lane.over:
                lane.arbiter.stop(reason)
                lane.over = True
        self._stopped = reason or "stopped"
        self._settle()

    def clocks_ms(self, at: float) -> list[int | None]:
        """What the clocks of all entrants show at `at`."""
        return [lane.arbiter.clocks_ms(at)[0] for lane in self.lanes]

    def announce(self) -> None:
        """Tell every entrant how it ended, and where it has come in."""
        assert self.result is not None
        scores, finishes = self.result.scores, self.result.finishes
        if finishes is UNSET:  # there was no race
            for entrant, score in enumerate(scores):
                self._table.post(entrant, Over(match=self._match, outcome=replace(self.result, scores=[score])))
            return
        for entrant, (score, finish) in enumerate(zip(scores, finishes, strict=True)):
            rank = 1 + sum(other > score for other in scores)
            detail = finish.detail or f"rank {rank} of {len(scores)}, {told_cost(finish)}"
            outcome = Result(finish.termination, finish.reason, [score], detail=detail)
            self._table.post(entrant, Over(match=self._match, outcome=outcome))

    def _told(self, entrant: int, told: Iterable[events.Event]) -> list[events.Event]:
        """The events of a lane as events of the race."""
        found: list[events.Event] = []
        for event in told:
            match event:
                case events.Played() | events.Forfeited():
                    ply = replace(event.ply, seat=entrant)
                    self.boards.put(ply, event.state)
                    self._plies += 1
                    clocks = self.clocks_ms(self._now())
                    found.append(replace(event, number=self._plies, ply=ply, clocks_ms=clocks))
                case events.Refused(refusal=refusal):
                    refusal = replace(refusal, seat=entrant, ply=self._plies)
                    found.append(replace(event, refusal=refusal, clocks_ms=self.clocks_ms(self._now())))
                case events.Absent() | events.Returned():
                    found.append(replace(event, seat=entrant))
        self._settle()
        return found

    def _settle(self) -> None:
        """Set `result` if every lane is over."""
        if self.result is not None or not all(lane.over for lane in self.lanes):
            return
        finishes = [self._finish(*pair) for pair in zip(self.lanes, self.boards.finishes(), strict=True)]
        if self._stopped:
            even = [0.5 if len(self.lanes) > 1 else 0.0] * len(self.lanes)
            self.result = Result("adjudicated", self._stopped[:64], even, detail=self._stopped, finishes=finishes)
        else:
            scores = self.boards.scores(by_time=self._setup.by_time)
            self.result = Result("rule", "ranked", scores, finishes=finishes)

    def _finish(self, lane: Lane, found: Finish) -> Finish:
        """How an entrant ended, in the referee's own words where it was not by the rules."""
        result = lane.arbiter.result
        if found.termination == "rule" or result is None:
            return found
        if lane.fault is None:
            if found.termination != "adjudicated":
                return found
            return replace(found, reason=result.reason, detail="" if self._stopped else result.detail)
        reason = found.reason if lane.desk.rules.anytime else lane.fault.reason
        return replace(found, reason=reason, detail=lane.fault.detail)


class Preparations:
    """All entrants get ready; the race starts for everybody when each is either ready or known not to start."""

    def __init__(self, lanes: Mapping[int, Preparation], *, entrants: int) -> None:
        """`lanes` are those of the entrants that still have to race, out of so many `entrants`."""
        self._lanes, self._entrants = lanes, entrants
        self.stopped: str | None = None

    @property
    def wake(self) -> float:
        return min(lane.wake for lane in self._lanes.values())

    @property
    def over(self) -> bool:
        return self.stopped is not None or all(lane.over for lane in self._lanes.values())

    @property
    def nobody(self) -> bool:
        """True if no entrant has raced, and none will."""
        return len(self._lanes) == self._entrants and all(lane.nobody for lane in self._lanes.values())

    @property
    def faults(self) -> dict[int, Fault]:
        """Entrants that will not start."""
        return {
            entrant: fault._replace(seat=entrant)
            for entrant, lane in self._lanes.items()
            for fault in lane.faults.values()
        }

    def hear(self, heard: Incoming | None, now: float) -> list[events.Event]:
        """Take in the next thing heard, None for the bell at `wake`."""
        match heard:
            case None:
                for lane in self._lanes.values():
                    if lane.wake <= now:
                        lane.hear(None, now)
                return []
            case Stopped(reason=reason):
                self.stopped = reason
                return []
            case _ if heard.seat in self._lanes:
                told = self._lanes[heard.seat].hear(on_lane(heard), now)
                return [replace(event, seat=heard.seat) for event in told]
            case _:
                return []


def on_lane(heard: Any) -> Any:
    """What was heard, as the entrant's own arbiter hears it."""
    return replace(heard, seat=0)


def told_cost(finish: Finish) -> str:
    """`a cost of 14`, or that there is none."""
    return "no solution" if finish.cost is None else f"a cost of {finish.cost:g}"
