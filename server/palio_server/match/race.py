"""A race: all entrants play the same instance at the same time, each alone; at the end they are ranked by cost.

Each has a lane of its own, so that no entrant can affect another, and none is told about the others before the end. The
race is over when every lane is, or when no entrant can improve.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from math import inf
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from palio_rules.contract.messages import Finish, Move, Over, Result
from palio_rules.records.boards import RaceBoards
from palio_rules.records.record import Ply, Setup
from palio_server.match import events
from palio_server.match.channel import Incoming, Post, Said, Stopped, Without
from palio_server.match.events import History
from palio_server.match.preparation import RacePreparation
from palio_server.match.seats import Fault, Seats, check_setup
from palio_server.match.turn_time import Measure
from palio_server.match.turns import Turns

# One entrant's race: seats, a clock and turns of its own, in which it is the only seat, seat 0.


class Lane:
    """The play of one entrant. Its events and faults are those of seat 0; the race knows which entrant it is."""

    def __init__(
        self,
        match: str,
        setup: Setup,
        post: Post,
        without: Without,
        entrant: int,
        history: History,
        *,
        start: Any,
        resend_s: float,
        now: Callable[[], float],
        measure: Measure | None = None,
    ) -> None:
        """`setup` and `history` are those of the whole race, `start` is the position in which all begin."""
        made = setup.submissions if setup.submissions is UNSET else (setup.submissions[entrant],)
        alone = replace(setup, bots=(setup.bots[entrant],), time=setup.clocks()[entrant], times=UNSET, submissions=made)
        self._seats = Seats(
            match, alone, lambda _, message: post(entrant, message), lambda _: without(entrant), start=start
        )
        own = history.of(entrant)
        left = own.plies[-1].out if own.plies else None
        if left is not None and not self._seats.rules.anytime:
            own = own._replace(plies=own.plies[:-1])  # only an anytime game has a position after an exit
        alone_measure = None if measure is None else lambda _: measure(entrant)
        self.turns = Turns(self._seats, own, resend_s=resend_s, now=now, measure=alone_measure)
        if left is not None and self.turns.result is None:
            self.turns.result = Result(left, left, [0.0], 0)
        self.over = self.turns.result is not None
        self._fault: Fault | None = None  # why it is out, or has left

    @property
    def text(self) -> str:
        """The words of the entrant's program about its fault, in a course."""
        return self._seats.texts.get(0, "")

    def hear(self, heard: Incoming | None, now: float) -> list[events.RefereeEvent]:
        """Take in the next incoming item on this lane, or None at the time `turns.wake`."""
        if not self.over:
            return self._after(self.turns.hear(heard, now))
        if isinstance(heard, Said) and isinstance(heard.message, Move):
            if (played := self.turns.repeated(0, heard.message)) is not None:
                self._seats.post_again(0, played)
                return []
            self._seats.post_error(0, "stale-id", "your race is over, it ends when all are done", heard.message.id)
        elif heard is not None and not isinstance(heard, Stopped):
            found = self._seats.hear(heard)
            return [] if found is None or isinstance(found, Fault) else [found]  # a lane that is over cannot lose
        return []

    def begin(self) -> list[events.RefereeEvent]:
        """Post the first turn."""
        return self._after(self.turns.begin())

    def forfeit(self, fault: Fault) -> list[events.RefereeEvent]:
        """Record the fault of an entrant that has not begun."""
        return self._after([*self.turns.forfeit(fault), *self.turns.begin()])

    def stop(self, reason: str) -> None:
        """End the race for the operator."""
        self.turns.stop(reason)
        self.over = True

    def finish(self, ranked: Finish, *, stopped: bool) -> Finish:
        """Return the finish of this entrant: `ranked` by its plies, or the referee's own words where the rules did not
        end it.
        """
        result = self.turns.result
        if ranked.termination == "rule" or result is None:
            return ranked
        if self._fault is None:
            if ranked.termination != "adjudicated":
                return ranked
            return replace(ranked, reason=result.reason, detail="" if stopped else result.detail)
        reason = ranked.reason if self._seats.rules.anytime else self._fault.reason
        return replace(ranked, reason=reason, detail=self._fault.detail)

    def _after(self, happened: Iterable[events.RefereeEvent]) -> list[events.RefereeEvent]:
        """Return the events, and record the end of the lane if it came: every exit is written down as a ply without a
        move.
        """
        found, result = list(happened), self.turns.result
        for event in found:
            if isinstance(event, events.Forfeited) and event.ply.out is not None:
                self._fault = Fault(0, event.ply.out, event.reason, event.detail)
        self.over = result is not None
        if result is not None and result.seat is not None:
            self._fault = Fault(0, result.termination, result.reason, result.detail)
            ply, clocks = Ply(0, None, 0, None, result.termination), self.turns.clocks.left_ms.copy()
            state = self.turns.state
            found.append(events.Forfeited(state, clocks, number=0, ply=ply, reason=result.reason, detail=result.detail))
        return found


class Race:
    """One race, which the referee drives in the same way as `Turns`. `result` is None while the race goes on."""

    def __init__(
        self,
        match: str,
        setup: Setup,
        post: Post,
        without: Without,
        history: History,
        *,
        resend_s: float,
        now: Callable[[], float],
        measure: Measure | None = None,
    ) -> None:
        """Take the race up after its `history`. Raises ValueError if it cannot be played with this setup."""
        self.result: Result | None = None
        self._match, self._setup, self._post, self._now = match, setup, post, now
        start = check_setup(setup)
        self._boards = RaceBoards(setup.rules(), start, len(setup.bots))
        for ply in history.plies:
            self._boards.play(ply)
        self._plies, self._stopped = len(history.plies), ""
        self._lanes = [
            Lane(match, setup, post, without, each, history, start=start, resend_s=resend_s, now=now, measure=measure)
            for each in range(len(setup.bots))
        ]
        self._settle()

    @property
    def state(self) -> Any:
        """The position of the entrant that is ahead."""
        return self._boards.of(self._boards.ahead())

    @property
    def wake(self) -> float:
        """The time at which to call `hear` again if nothing is received."""
        return min((lane.turns.wake for lane in self._lanes if not lane.over), default=inf)

    @property
    def texts(self) -> dict[int, str]:
        """The words of programs about their faults, by entrant, in a course."""
        return {entrant: lane.text for entrant, lane in enumerate(self._lanes) if lane.text}

    def prepare(self) -> RacePreparation:
        """Tell every entrant the game, and return the preparation that waits for them."""
        racing = {entrant: lane.turns.prepare() for entrant, lane in enumerate(self._lanes) if not lane.over}
        return RacePreparation(racing, entrants=len(self._lanes))

    def begin(self) -> list[events.RefereeEvent]:
        """Post the first turns, all at once."""
        happened: list[events.RefereeEvent] = []
        for entrant, lane in enumerate(self._lanes):
            if not lane.over:
                happened += self._of_race(entrant, lane.begin())
        return happened

    def hear(self, heard: Incoming | None, now: float) -> list[events.RefereeEvent]:
        """Take in the next incoming item, or None at the time `wake`; `now` is the loop's time."""
        happened: list[events.RefereeEvent] = []
        match heard:
            case None:
                for entrant, lane in enumerate(self._lanes):
                    if not lane.over and lane.turns.wake <= now:
                        happened += self._of_race(entrant, lane.hear(None, now))
            case Stopped(reason=reason):
                self.stop(reason)
            case _:
                happened = self._of_race(heard.seat, self._lanes[heard.seat].hear(replace(heard, seat=0), now))
        return happened

    def forfeit(self, fault: Fault) -> list[events.RefereeEvent]:
        """Remove an entrant that leaves before the start."""
        return self._of_race(fault.seat, self._lanes[fault.seat].forfeit(fault._replace(seat=0)))

    def stop(self, reason: str) -> None:
        """End the race for the operator: no entrant is ranked."""
        for lane in self._lanes:
            if not lane.over:
                lane.stop(reason)
        self._stopped = reason or "stopped"
        self._settle()

    def clocks_ms(self, at: float) -> list[int | None]:
        """Return the clocks of all entrants at `at`."""
        return [lane.turns.clocks_ms(at)[0] for lane in self._lanes]

    def announce(self) -> None:
        """Tell every entrant its result and its rank."""
        assert self.result is not None
        for entrant, over in enumerate(overs(self._match, self.result, len(self._lanes), race=True)):
            self._post(entrant, over)

    def _of_race(self, entrant: int, happened: Iterable[events.RefereeEvent]) -> list[events.RefereeEvent]:
        found: list[events.RefereeEvent] = []
        for event in happened:
            match event:
                case events.Played() | events.Forfeited():
                    ply = replace(event.ply, seat=entrant)
                    self._boards.put(ply, event.state)
                    self._plies += 1
                    clocks = self.clocks_ms(self._now())
                    found.append(replace(event, number=self._plies, ply=ply, clocks_ms=clocks))
                case events.Rejected(rejected=move):
                    move = replace(move, seat=entrant, ply=self._plies)
                    found.append(replace(event, rejected=move, clocks_ms=self.clocks_ms(self._now())))
                case events.Absent() | events.Back():
                    found.append(replace(event, seat=entrant))
        self._settle()
        return found

    def _settle(self) -> None:
        if self.result is not None or not all(lane.over for lane in self._lanes):
            return
        ranked = zip(self._lanes, self._boards.finishes(), strict=True)
        finishes = [lane.finish(finish, stopped=bool(self._stopped)) for lane, finish in ranked]
        if self._stopped:
            even = [0.5 if len(self._lanes) > 1 else 0.0] * len(self._lanes)
            self.result = Result("adjudicated", self._stopped[:64], even, detail=self._stopped, finishes=finishes)
        else:
            scores = self._boards.scores(by_time=self._setup.by_time)
            self.result = Result("rule", "ranked", scores, finishes=finishes)


def overs(match: str, result: Result, seats: int, *, race: bool) -> Iterator[Over]:
    """Yield the final message of each seat, in order: the result or, in a race, how it ended for this entrant."""
    if not race:
        yield from repeat(Over(match=match, outcome=result), seats)
    elif result.finishes is UNSET:  # it was not a race
        for score in result.scores:
            yield Over(match=match, outcome=replace(result, scores=[score]))
    else:
        for score, finish in zip(result.scores, result.finishes, strict=True):
            rank = 1 + sum(other > score for other in result.scores)
            cost = "no solution" if finish.cost is None else f"a cost of {finish.cost:g}"
            detail = finish.detail or f"rank {rank} of {len(result.scores)}, {cost}"
            yield Over(match=match, outcome=Result(finish.termination, finish.reason, [score], detail=detail))
