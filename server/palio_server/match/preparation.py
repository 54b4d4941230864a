"""Before the clocks run: every bot is told the game, and has `ready_ms` to say that it is ready.

Time during which a bot is not connected does not count as its preparation, its grace does. A bot that fails here does
not lose at once: only when it is known who else is there is it clear whether anybody has earned a win.
"""

from palio_rules.messages import Move, Ready
from palio_server.match import events
from palio_server.match.desk import Desk, Fault
from palio_server.match.table import Garbled, Incoming, Joined, Left, Said, Stopped


class Preparation:
    """Waits for `ready` from every seat that plays. `wake` is when it wants to be called even if nothing is heard."""

    def __init__(self, desk: Desk, now: float) -> None:
        self.faults: dict[int, Fault] = {}  # seats that will not play, first come, first
        self.stopped: str | None = None  # the operator's reason
        self._desk = desk
        self._until = dict.fromkeys(desk.playing, now + desk.setup.ready_ms / 1000)  # of those who are waited for
        for seat in desk.playing:
            desk.greet(seat)
        self.wake = self._next_loss()[0]

    @property
    def over(self) -> bool:
        """True when every seat is either ready or known not to play."""
        return self.stopped is not None or not self._until

    @property
    def nobody(self) -> bool:
        """True if there is no seat left that could play."""
        return all(seat in self.faults for seat in self._desk.playing)

    def hear(self, heard: Incoming | None, now: float) -> list[events.Event]:
        """Take in the next thing heard, None for the bell at `wake`; `now` is the loop's time."""
        told: list[events.Event] = []
        at = now if heard is None or isinstance(heard, Stopped) else heard.at
        while (loss := self._next_loss())[0] < at or (heard is None and loss[0] == at):
            self._fail(loss[1])
        match heard:
            case Stopped(reason=reason):
                self.stopped = reason
            case Said() | Garbled() | Left() | Joined() if heard.seat not in self.faults:
                self._hear(heard, told)
        self.wake = self._next_loss()[0]
        return told

    def _hear(self, heard: Said | Garbled | Left | Joined, told: list[events.Event]) -> None:
        seat, desk = heard.seat, self._desk
        found: Fault | events.Absent | events.Returned | None
        match heard:
            case Said(message=Ready(match=match)) if match == desk.match and seat in self._until:
                if seat in desk.attendance:
                    del self._until[seat]
                return
            case Said(message=Move(id=turn)):
                found = desk.complain(seat, "stale-id", "no turn is open: the match has not started", turn)
            case _:
                found = desk.hear(heard)
        if isinstance(found, Fault):
            self._out(found)
        elif found is not None:
            told.append(found)

    def _next_loss(self) -> tuple[float, int]:
        """When the next seat fails, and which."""
        there = self._desk.attendance
        late = [(until + there.away(seat), seat) for seat, until in self._until.items() if seat in there]
        return min([*late, there.next_loss()])

    def _fail(self, seat: int) -> None:
        if seat in self._desk.attendance:
            self._out(Fault(seat, "stalled", "never-ready"))
        else:
            self._out(Fault(seat, "disconnected", "grace-over"))

    def _out(self, fault: Fault) -> None:
        self.faults[fault.seat] = fault
        self._until.pop(fault.seat, None)
        self._desk.attendance.forget(fault.seat)
