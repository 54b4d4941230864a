"""Turn after turn: who may move, until when, what a move costs, and when the match is over.

No I/O but posting: what is heard comes in through `hear`, what happened goes out as events, and `wake` says when to
call again if nothing is heard. A message counts by its arrival time, not by when the referee gets round to reading it.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from math import inf
from typing import Any

from msgspec import UNSET, msgpack
from msgspec import json as msgjson
from msgspec.structs import replace

from palio_rules.boards import advance
from palio_rules.errors import Rejection, quoted
from palio_rules.game import Game, Outcome
from palio_rules.messages import Move, Over, Played, Rejected, Result, Turn
from palio_rules.record import Ply, Refusal
from palio_server.match import events
from palio_server.match.clock import SeatClocks
from palio_server.match.desk import MAX_DETAIL, Desk, Fault
from palio_server.match.preparation import Preparation
from palio_server.match.table import Incoming, Joined, Said, Stopped

MAX_LISTED = 1000  # legal moves in a `turn`; where there are more, bots know the rules themselves
MAX_KEPT = 8 * 2**20  # bytes of an entrant's solutions in the record of an anytime race; then its race is over
EPOCH = 1_000_000  # turns in one epoch: ids never repeat after a restart


class Arbiter:
    """The course of one match. `result` is None while it goes on."""

    def __init__(
        self,
        desk: Desk,
        *,
        epoch: int,
        journal: Sequence[Ply],
        refusals: Sequence[Refusal],
        resend_s: float,
        now: Callable[[], float],
    ) -> None:
        """Takes the match up after its journal. Raises Rejection if the journal does not follow the rules."""
        self.result: Result | None = None
        self.wake = inf
        self._desk, self._rules, self._setup = desk, desk.rules, desk.setup
        self._post = desk.table.post
        self._now, self._resend_s = now, resend_s
        self.clocks = SeatClocks(desk.setup.time, len(desk.rules.seats))
        self.clocks.rebuild(journal)
        self.state = desk.start
        for ply in journal:
            self.state = advance(self._rules, self.state, ply)
            if ply.out is not None:
                desk.dismiss(ply.seat)
        self._plies, self._weight = len(journal), 0
        for ply in journal:
            self._weigh(ply)
        self._strikes = [sum(refusal.seat == seat for refusal in refusals) for seat in range(len(desk.rules.seats))]
        self._last_words: dict[int, str] = {}  # of seats that were thrown out of a game that played on
        self._turn: Turn | None = None
        self._turns = epoch * EPOCH
        self._seat = -1  # whose turn it is
        self._posted_at = self._bell = self._end = self._resend_at = inf
        self._refused: tuple[str, Rejected] | None = None  # the last refused move of this turn, and the answer
        self._echoes = 0  # 1: the turn was sent again after a refusal; 2: and that has been an excuse once
        self._as_is: bool | None = None  # whether a move is written as it is: then nothing needs to be translated
        self._settle()

    def prepare(self) -> Preparation:
        """Tell every seat what is played, and wait for them."""
        return Preparation(self._desk, self._now())

    def begin(self) -> list[events.Event]:
        """Post the first turn; whoever had used up its strikes before a restart is thrown out now."""
        told: list[events.Event] = []
        for seat in tuple(self._desk.playing):
            if self.result is None and self._strikes[seat] >= self._setup.strikes:
                told += self.throw_out(_struck_out(seat))
        self._go_on()
        return told

    def clocks_ms(self, at: float) -> list[int | None]:
        """What the clocks show at `at`."""
        if self._turn is None:
            return self.clocks.left_ms.copy()
        return self.clocks.shown(self._seat, at - self._posted_at)

    def hear(self, heard: Incoming | None, now: float) -> Sequence[events.Event]:
        """Take in the next thing heard, None for the bell at `wake`; `now` is the loop's time."""
        if type(heard) is Said and type(heard.message) is Move and heard.at <= self._end:  # nearly always
            return self._move(heard, heard.message)
        told: list[events.Event] = []
        at = now if heard is None or isinstance(heard, Stopped) else heard.at
        while self.result is None and (self._end < at or (heard is None and self._end == at)):
            told += self.throw_out(self._overdue())
            self._go_on()
        if self.result is None:
            told += self._hear(heard, at)
        return told

    def _hear(self, heard: Incoming | None, at: float) -> Sequence[events.Event]:
        match heard:
            case None:
                if at >= self._resend_at:
                    self._resend(at)
                return ()
            case Stopped(reason=reason):
                self.stop(reason)
                return ()
            case Said(message=Move() as message):
                return self._move(heard, message)
            case _:
                found = self._desk.hear(heard)
        if isinstance(heard, Joined) and heard.seat == self._seat:
            self._resend(at)
        if isinstance(found, Fault):
            return self._after(self.throw_out(found))
        self._set_alarms()
        return () if found is None else (found,)

    def _move(self, said: Said, message: Move) -> Sequence[events.Event]:
        seat, desk = said.seat, self._desk
        if message.id != self._turns or seat != self._seat or message.match != desk.match:
            return self._misplaced(seat, message)
        try:
            move = self._rules.read_move(self.state, message.move)
        except Rejection as rejection:
            return self._refuse(said, message, rejection)
        info = None if message.info is UNSET else message.info
        before, self.state = self.state, self.state.play(move)
        ms = self.clocks.spend(seat, said.at - self._posted_at)
        self._plies += 1
        desk.calm()
        wire = self._rules.move_to_wire(move)
        left = self.clocks.left_ms.copy()
        desk.tell(Played(desk.match, self._plies, seat, wire, left))
        if self._rules.anytime and not _better(self._rules, before, self.state):
            self.state, move, ply = self._rules.no_better(before), None, Ply(seat, None, ms)
        else:
            ply = Ply(seat, wire, ms, info)
            self._weigh(ply)
        event = events.Played(self._plies, ply, move, self.state, left)
        self._turn = None
        self._go_on()
        return (event,)

    def _misplaced(self, seat: int, message: Move) -> Sequence[events.Event]:
        if message.match != self._desk.match:
            code, reason = "unknown-match", f"this is match {self._desk.match}, not {message.match}"
        elif seat not in self._desk.playing:
            code, reason = "forfeited", "your seat is out"
        elif message.id < self._turns:
            code, reason = "stale-id", f"turn {message.id} is over"
        elif message.id > self._turns:
            code, reason = "unknown-id", f"there is no turn {message.id} yet"
        else:
            code, reason = "not-your-turn", f"turn {message.id} is your opponent's"
        fault = self._desk.complain(seat, code, reason, message.id)
        return () if fault is None else self._after(self.throw_out(fault))

    def _refuse(self, said: Said, message: Move, rejection: Rejection) -> Sequence[events.Event]:
        """Count a strike, unless this is the echo of a move that was refused before the turn was sent again."""
        seat, desk, quote = said.seat, self._desk, quoted(message.move, 200)
        clocks = self.clocks.shown(seat, said.at - self._posted_at)
        if self._refused is not None and self._refused[0] == quote and self._echoes == 1:
            self._echoes = 2
            self._post(seat, replace(self._refused[1], clocks_ms=clocks))
            return ()
        self._strikes[seat] += 1
        left = max(0, self._setup.strikes - self._strikes[seat])
        reason = str(rejection)[:1000]
        answer = Rejected(desk.match, message.id, rejection.code, reason, left, clocks)
        self._refused = (quote, answer)
        self._post(seat, answer)
        told: list[events.Event] = [
            events.Refused(Refusal(self._plies, seat, quote, rejection.code, reason), left, clocks)
        ]
        if left == 0:
            told += self._after(self.throw_out(_struck_out(seat)))
        elif self.clocks.limit_ms(seat) is None:  # it has answered, if badly: where no clock runs, it has time anew
            self._bell = said.at + self._setup.stall_ms / 1000
            self._set_alarms()
        return told

    def throw_out(self, fault: Fault) -> list[events.Event]:
        """The end of a duel, or of one seat in a game that plays on. No turn is posted for what follows."""
        seat = fault.seat
        if fault.reason == "flag-fell":
            self.clocks.left_ms[seat] = 0
        after = self._rules.forfeit(self.state, seat)
        if isinstance(after, Outcome):
            detail = self._details(fault.detail)
            self.result = Result(fault.termination, fault.reason, list(after.scores), seat, detail)
            return []
        self.state, self._turn = after, None
        if fault.detail:
            self._last_words[seat] = fault.detail
        self._plies += 1
        if not self._rules.anytime:  # there, what was handed in counts, and to be closed is no disgrace
            self._desk.complain(seat, "forfeited", f"your seat is out: {fault.reason}")
        self._desk.dismiss(seat)
        ply = Ply(seat, None, 0, None, fault.termination)
        left = self.clocks.left_ms.copy()
        return [events.Forfeited(after, left, number=self._plies, ply=ply, reason=fault.reason, detail=fault.detail)]

    def stop(self, reason: str) -> None:
        """A draw by the operator's word."""
        self._adjudicate(reason[:64] or "stopped", reason)

    def announce(self) -> None:
        """Tell every seat the result, those that were thrown out as well."""
        assert self.result is not None
        for seat in range(len(self._rules.seats)):
            self._post(seat, Over(match=self._desk.match, outcome=self.result))

    def _adjudicate(self, reason: str, detail: str = "") -> None:
        detail = self._details("" if detail == reason else detail)
        self.result = Result("adjudicated", reason, self._desk.draw(), detail=detail)

    def _details(self, detail: str = "") -> str:
        """What is to be said of the end: `detail`, and under its name what each seat said that had left before."""
        share = MAX_DETAIL // (1 + len(self._last_words))
        said = [f"{self._rules.seats[seat]}: {words[-share:]}" for seat, words in self._last_words.items()]
        return "\n".join([detail, *said] if detail else said)

    def _after(self, told: list[events.Event]) -> list[events.Event]:
        """Go on after a seat was thrown out, if the match does."""
        self._go_on()
        return told

    def _overdue(self) -> Fault:
        """Whose time is up at `_end`, and why; of a flag and a grace that end together the flag counts."""
        grace_ends, absent = self._desk.attendance.next_loss()
        if grace_ends < self._bell:
            return Fault(absent, "disconnected", "grace-over")
        if self.clocks.limit_ms(self._seat) is None:
            return Fault(self._seat, "stalled", "no-answer")
        return Fault(self._seat, "time", self.clocks.overstepped(self._seat))

    def _settle(self) -> int | None:
        """Whose turn it is; None, and `result` set, if the match is over."""
        seat: int | None = self.state.to_move
        if seat is None:
            outcome = self.state.outcome()
            self.result = Result("rule", outcome.reason, list(outcome.scores), detail=self._details())
        elif self._plies >= self._setup.max_plies:
            self._adjudicate("ply-cap")
        elif self._weight > MAX_KEPT:
            self._adjudicate("record-full", f"better and better solutions have {self._weight:,} bytes in the record")
        return seat

    def _go_on(self) -> None:
        """Post the next turn, unless the match is over."""
        if self.result is not None or (seat := self._settle()) is None or self.result is not None:
            return
        clocks, state = self.clocks, self.state
        self._seat = seat
        self._turns += 1
        moves = self._listed(state)
        self._turn = turn = Turn(
            match=self._desk.match,
            id=self._turns,
            ply=self._plies,
            state=self._rules.format_state(state),
            moves=moves,
            clocks_ms=clocks.left_ms.copy(),
            limit_ms=clocks.limit_ms(seat),
        )
        self._refused, self._echoes = None, 0
        self._posted_at = posted = self._now()
        deadline = clocks.deadline(seat, posted)
        self._bell = posted + self._setup.stall_ms / 1000 if deadline is None else deadline
        self._resend_at = posted + self._resend_s
        self._set_alarms()
        self._post(seat, turn)

    def _weigh(self, ply: Ply) -> None:
        """Note how much of the record a solution takes; moves of other games take next to nothing."""
        if self._rules.anytime and ply.move is not None:
            self._weight += len(msgjson.encode(ply))

    def _listed(self, state: Any) -> list[Any] | None:
        """The legal moves as the wire shows them; None if there are too many."""
        moves = list(islice(state.legal_moves(), MAX_LISTED + 1))
        if len(moves) > MAX_LISTED:
            return None
        if self._as_is is None:
            written = [self._rules.move_to_wire(move) for move in moves]
            self._as_is = all(isinstance(move, tuple) for move in moves) and _alike(moves, written)
        return moves if self._as_is else [self._rules.move_to_wire(move) for move in moves]

    def _set_alarms(self) -> None:
        grace_ends = self._desk.attendance.next_loss()[0]
        self._end = end = min(self._bell, grace_ends)
        self.wake = min(end, self._resend_at)

    def _resend(self, at: float) -> None:
        """Send the turn again, with the time that is left of it."""
        if self._turn is None:
            return
        limit = self._turn.limit_ms
        if limit is not None:
            limit = max(0, limit - max(0, round((at - self._posted_at) * 1000)))
        self._post(self._seat, replace(self._turn, limit_ms=limit, clocks_ms=self.clocks_ms(at)))
        if self._refused is not None and self._echoes == 0:
            self._echoes = 1
        self._resend_at = at + self._resend_s
        self._set_alarms()


def _alike(moves: list[Any], written: list[Any]) -> bool:
    """Whether moves become the same bytes as what the game's `move_to_wire` makes of them."""
    try:
        return msgpack.encode(moves) == msgpack.encode(written)
    except TypeError:  # a tuple that holds what msgspec cannot write
        return False


def _better(rules: Game[Any, Any], before: Any, after: Any) -> bool:
    """Whether a solution costs less than the best one before."""
    least, cost = rules.cost(before), rules.cost(after)
    return least is None or (cost is not None and cost < least)


def _struck_out(seat: int) -> Fault:
    return Fault(seat, "illegal", "too-many-illegal-moves")
