"""One entrant's race: seats, a clock and turns of its own, in which it is the only seat there is, seat 0."""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from palio_rules.contract.messages import Finish, Move, Result
from palio_rules.records.record import Ply, Setup
from palio_server.match import events
from palio_server.match.channel import Incoming, Post, Said, Stopped, Without
from palio_server.match.history import History
from palio_server.match.seats import Fault, Seats
from palio_server.match.turns import Turns


class Lane:
    """What one entrant does. Its events and faults are those of seat 0; the race knows which entrant it is."""

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
    ) -> None:
        """`setup` and `history` are the whole race's, `start` is the position in which all begin."""
        alone = replace(setup, bots=(setup.bots[entrant],), time=setup.clock())
        self._seats = Seats(
            match, alone, lambda _, message: post(entrant, message), lambda _: without(entrant), start=start
        )
        own = history.of(entrant)
        left = own.plies[-1].out if own.plies else None
        if left is not None and not self._seats.rules.anytime:
            own = own._replace(plies=own.plies[:-1])  # only an anytime game has a position after an exit
        self.turns = Turns(self._seats, own, resend_s=resend_s, now=now)
        if left is not None and self.turns.result is None:
            self.turns.result = Result(left, left, [0.0], 0)
        self.over = self.turns.result is not None
        self._fault: Fault | None = None  # why it is out, or left

    def hear(self, heard: Incoming | None, now: float) -> list[events.Event]:
        """Take in the next thing heard on this lane; None for the time `turns.wake`."""
        if not self.over:
            return self._after(self.turns.hear(heard, now))
        if isinstance(heard, Said) and isinstance(heard.message, Move):
            if (played := self.turns.repeated(0, heard.message)) is not None:
                self._seats.post_again(0, played)
                return []
            self._seats.post_error(0, "stale-id", "your race is over, it ends when all are done", heard.message.id)
        elif heard is not None and not isinstance(heard, Stopped):
            found = self._seats.hear(heard)
            return [] if found is None or isinstance(found, Fault) else [found]  # it has nothing left to lose
        return []

    def begin(self) -> list[events.Event]:
        """Post the first turn."""
        return self._after(self.turns.begin())

    def forfeit(self, fault: Fault) -> list[events.Event]:
        """It has not even begun."""
        return self._after([*self.turns.forfeit(fault), *self.turns.begin()])

    def stop(self, reason: str) -> None:
        """The operator ends the race."""
        self.turns.stop(reason)
        self.over = True

    def finish(self, ranked: Finish, *, stopped: bool) -> Finish:
        """How it ended: as `ranked` by its plies, but in the referee's own words where it was not by the rules."""
        result = self.turns.result
        if ranked.termination == "rule" or result is None:
            return ranked
        if self._fault is None:
            if ranked.termination != "adjudicated":
                return ranked
            return replace(ranked, reason=result.reason, detail="" if stopped else result.detail)
        reason = ranked.reason if self._seats.rules.anytime else self._fault.reason
        return replace(ranked, reason=reason, detail=self._fault.detail)

    def _after(self, happened: Iterable[events.Event]) -> list[events.Event]:
        """What happened, and how the lane ended if it did: every exit is written down as a ply without a move."""
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
