"""The preparation before the clocks run: every bot is told the game, and has `ready_ms` to say that it is ready.

While a bot is not connected its grace counts down instead of its preparation time. A bot that fails here does not lose
at once: whether another bot has earned a win is only clear when it is known which others are ready.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from palio_rules.contract.messages import Move, Ready
from palio_server.match import events
from palio_server.match.channel import Expelled, Garbled, Incoming, Joined, Left, Said, Stopped
from palio_server.match.seats import Fault, Seats


class Preparation:
    """The wait for `ready` from every seat that plays. `wake` is when `hear` must be called even if nothing is
    received.
    """

    def __init__(self, seats: Seats, now: float) -> None:
        self.faults: dict[int, Fault] = {}  # seats that will not play, in order of failure
        self.stopped: str | None = None  # the reason the operator gave
        self._seats = seats
        self._until = dict.fromkeys(seats.playing, now + seats.setup.ready_ms / 1000)  # of seats that are not ready
        for seat in seats.playing:
            seats.greet(seat)
        self.wake = self._next_loss()[0]

    @property
    def over(self) -> bool:
        """True when every seat is either ready or known not to play."""
        return self.stopped is not None or not self._until

    @property
    def none_can_play(self) -> bool:
        """True if no seat is left that could play."""
        return all(seat in self.faults for seat in self._seats.playing)

    def hear(self, heard: Incoming | None, now: float) -> list[events.RefereeEvent]:
        """Take in the next incoming item, or None at the time `wake`; `now` is the loop's time."""
        happened: list[events.RefereeEvent] = []
        at = now if heard is None or isinstance(heard, Stopped) else heard.at
        while (loss := self._next_loss())[0] < at or (heard is None and loss[0] == at):
            self._fail(loss[1])
        match heard:
            case None:
                happened += self._seats.announce_due(at)
            case Stopped(reason=reason):
                self.stopped = reason
            case Said() | Garbled() | Left() | Joined() | Expelled() if heard.seat not in self.faults:
                self._hear(heard, happened)
        self.wake = min(self._next_loss()[0], self._seats.announcements.due)
        return happened

    def _hear(self, heard: Said | Garbled | Left | Joined | Expelled, happened: list[events.RefereeEvent]) -> None:
        seat, seats = heard.seat, self._seats
        found: Fault | events.Absent | events.Back | None
        match heard:
            case Said(message=Ready(match=match)) if match == seats.match and seat in self._until:
                if seat in seats.attendance:
                    del self._until[seat]
                return
            case Said(message=Move(id=turn)):
                found = seats.post_error(seat, "stale-id", "no turn is open: the match has not started", turn)
            case _:
                found = seats.hear(heard)
        if isinstance(found, Fault):
            self._out(found)
        elif found is not None:
            happened.append(found)

    def _next_loss(self) -> tuple[float, int]:
        """Return when the next seat fails, and its number."""
        there = self._seats.attendance
        late = [(until + there.away(seat), seat) for seat, until in self._until.items() if seat in there]
        return min([*late, there.next_loss()])

    def _fail(self, seat: int) -> None:
        if seat in self._seats.attendance:
            self._out(Fault(seat, "stalled", "never-ready"))
        else:
            self._out(Fault(seat, "disconnected", "grace-over"))

    def _out(self, fault: Fault) -> None:
        self.faults[fault.seat] = fault
        self._until.pop(fault.seat, None)
        self._seats.forget(fault.seat)


class RacePreparation:
    """The preparation of a race, which starts for all entrants when each is either ready or known not to start."""

    def __init__(self, lanes: Mapping[int, Preparation], *, entrants: int) -> None:
        """`lanes` are those of the entrants that still have to race, out of `entrants` in all."""
        self._lanes, self._entrants = lanes, entrants
        self.stopped: str | None = None

    @property
    def wake(self) -> float:
        return min(lane.wake for lane in self._lanes.values())

    @property
    def over(self) -> bool:
        return self.stopped is not None or all(lane.over for lane in self._lanes.values())

    @property
    def none_can_play(self) -> bool:
        """True if no entrant has raced, and none will."""
        return len(self._lanes) == self._entrants and all(lane.none_can_play for lane in self._lanes.values())

    @property
    def faults(self) -> dict[int, Fault]:
        """The entrants that will not start."""
        return {
            entrant: fault._replace(seat=entrant)
            for entrant, lane in self._lanes.items()
            for fault in lane.faults.values()
        }

    def hear(self, heard: Incoming | None, now: float) -> list[events.RefereeEvent]:
        """Take in the next incoming item, or None at the time `wake`."""
        match heard:
            case None:
                late = [(entrant, lane) for entrant, lane in self._lanes.items() if lane.wake <= now]
                told = [(entrant, event) for entrant, lane in late for event in lane.hear(None, now)]
                return [replace(event, seat=entrant) for entrant, event in told]
            case Stopped(reason=reason):
                self.stopped = reason
                return []
            case _ if heard.seat in self._lanes:
                happened = self._lanes[heard.seat].hear(replace(heard, seat=0), now)
                return [replace(event, seat=heard.seat) for event in happened]
            case _:
                return []
