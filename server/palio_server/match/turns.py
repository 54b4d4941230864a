"""The turns of a match: which seat may move, until when, what a move costs, and when the match is over.

The only I/O is posting: incoming items are passed to `hear`, events are returned, and `wake` says when to call again if
nothing is received. A message counts by its arrival time, not by when the referee reads it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf
from typing import Any

from msgspec import UNSET, msgpack
from msgspec.structs import replace

from palio_rules.adjudication import Adjudicator, EarlyEnd
from palio_rules.contract.messages import Draw, DrawOffered, Move, Over, Played, Rejected, Result, Turn
from palio_rules.errors import Rejection, quoted
from palio_rules.game import Game, Outcome
from palio_rules.records.boards import PROVEN, advance, is_proven
from palio_rules.records.record import AGREEMENT, Ply, RejectedMove, score_of
from palio_server.match import events
from palio_server.match.channel import Incoming, Joined, Said, Stopped
from palio_server.match.clock import SeatClocks
from palio_server.match.events import History, Solutions
from palio_server.match.preparation import Preparation
from palio_server.match.seats import DrawOffers, Fault, ResultWriter, Seats
from palio_server.match.turn_time import MACHINE_BUSY, Again, Measure, ProcessorTime, WallTime

# One turn, from when it is posted until it is answered, and the legal moves that it lists.

MAX_LISTED = 1000  # with more moves than this, bots must generate them from the rules themselves


class LegalMoves:
    """The legal moves of one match as messages list them. The first turn shows if moves need
    translation for the wire.
    """

    def __init__(self, rules: Game[Any, Any]) -> None:
        self._rules = rules
        self._verbatim: bool | None = None  # True: a move is written without translation

    def listed(self, state: Any) -> list[Any] | None:
        """Return the legal moves as the wire shows them; None if there are too many."""
        moves = list(islice(state.legal_moves(), MAX_LISTED + 1))
        if len(moves) > MAX_LISTED:
            return None
        if self._verbatim is None:
            written = [self._rules.move_to_wire(move) for move in moves]
            self._verbatim = all(isinstance(move, tuple) for move in moves) and _same_bytes(moves, written)
        return moves if self._verbatim else [self._rules.move_to_wire(move) for move in moves]


def _same_bytes(moves: list[Any], written: list[Any]) -> bool:
    """Return True if moves become the same bytes as the output of the game's `move_to_wire`."""
    try:
        return msgpack.encode(moves) == msgpack.encode(written)
    except TypeError:  # a tuple with a value that msgspec cannot write
        return False


@dataclass(slots=True)
class OpenTurn:
    """A turn that waits for its answer. Times are the event loop's seconds.

    A turn may be sent again before its answer arrives. If that answer is rejected, the bot, which cannot know this, may
    answer a copy with the same move. Such an echo is not counted as another mistake; each copy allows one.
    """

    message: Turn
    seat: int
    time: WallTime | ProcessorTime  # that it uses
    deadline: float  # for an answer; an absent bot may lose earlier
    resend_at: float
    rejected: tuple[str, Rejected] | None = None  # the last rejected move, as quoted, and the answer to it
    _copies: int = 0  # times that it was sent again and no echo has followed

    def again(self, at: float, clocks_ms: list[int | None], moves: list[Any] | None) -> Turn:
        """Return the turn to send again at `at`, with the time that is left, perhaps to another program."""
        self._copies += 1
        limit = self.message.limit_ms
        if limit is not None:
            limit = max(0, limit - max(0, round(self.time.spent(at) * 1000)))
        return replace(self.message, limit_ms=limit, clocks_ms=clocks_ms, moves=moves)

    def echo(self, quote: str) -> Rejected | None:
        """Return the answer that this move has already had, if it may be the echo of a copy."""
        if self.rejected is None or self.rejected[0] != quote or not self._copies:
            return None
        self._copies -= 1
        return self.rejected[1]


# Turn numbers, and the answers to the last moves: a bot that repeats a move gets the same answer again.
#
# A turn's number contains the epoch in which it was asked and the plies played before it, so that a move repeated after
# a restart is recognised by the journal alone.

TURNS_IN_EPOCH = 1_000_000  # numbers are never reused after a restart: the next epoch begins above them
REMEMBERED = 64  # plies: a network repeats messages that are seconds old, not half a match old


class Acknowledgements:
    """The last `played` message for each accepted move of one match, by ply."""

    def __init__(self, match: str, epoch: int) -> None:
        self._match, self._epoch = match, epoch
        self._played: dict[int, Played] = {}

    def turn_id(self, plies: int) -> int:
        """Return the number of the turn that is asked after `plies` plies."""
        return self._epoch * TURNS_IN_EPOCH + plies + 1

    def keep(self, played: Played) -> None:
        """Remember an answer that has just been sent."""
        self._played[played.ply] = played
        self._played.pop(played.ply - REMEMBERED, None)

    def remember(self, number: int, ply: Ply, clocks_ms: Sequence[int | None]) -> None:
        """Remember the journal's `number`-th ply, which may have been answered in an earlier epoch."""
        if ply.move is not None:
            self.keep(Played(self._match, number, ply.seat, ply.move, list(clocks_ms)))

    def find(self, seat: int, turn: int) -> Played | None:
        """Return the answer to the move of `seat` for `turn`, in any epoch; None if there is none."""
        epoch, number = divmod(turn, TURNS_IN_EPOCH)
        played = self._played.get(number)
        return played if played is not None and played.seat == seat and 1 <= epoch <= self._epoch else None


class Turns:
    """The turns of a duel, a table, or one entrant's race. `result` is None while it goes on."""

    def __init__(
        self,
        seats: Seats,
        history: History,
        *,
        resend_s: float,
        now: Callable[[], float],
        measure: Measure | None = None,
    ) -> None:
        """Take the match up after its `history`. Raises Rejection if that does not follow the rules.

        With `measure` turns cost the processor time of the bots' programs.
        """
        self.result: Result | None = None
        self.wake = inf
        self._seats, self._rules, self._setup = seats, seats.rules, seats.setup
        self._post, self._without = seats.post, seats.without
        self._now, self._resend_s, self._measure = now, resend_s, measure
        self.clocks = SeatClocks(seats.setup.clocks())
        self.state = seats.start
        agreed, opening = self._setup.adjudication, len(self._setup.opening)
        self._judge = Adjudicator(agreed, opening=opening) if agreed else None
        self._verdict: EarlyEnd | None = None
        self._acknowledgements = Acknowledgements(seats.match, history.epoch)
        for number, ply in enumerate(history.plies, 1):
            self.clocks.rebuild([ply])
            self._acknowledgements.remember(number, ply, self.clocks.left_ms)
            self.state = advance(self._rules, self.state, ply)
            self._consider(ply)
            if ply.out is not None:
                seats.remove(ply.seat)
        self._plies = len(history.plies)
        self._solutions = Solutions(self._rules, history.plies) if self._rules.anytime else None
        strikes = Counter(move.seat for move in history.rejected)
        self._strikes_left = [max(0, self._setup.strikes - strikes[seat]) for seat in range(len(self._rules.seats))]
        self._legal_moves = LegalMoves(self._rules)
        self._results = ResultWriter(seats)
        self._offers = DrawOffers()
        self._turn: OpenTurn | None = None
        self._turn_id = self._acknowledgements.turn_id(self._plies) - 1  # no turn is open yet
        self._end = inf  # when the open turn's time or an absent seat's grace is over
        self._settle()

    @property
    def texts(self) -> dict[int, str]:
        """The words of programs about their faults, by seat, in a course."""
        return self._seats.texts

    def prepare(self) -> Preparation:
        """Tell every seat the game, and return the preparation that waits for them."""
        return Preparation(self._seats, self._now())

    def begin(self) -> list[events.RefereeEvent]:
        """Post the first turn; a seat that had used up its strikes before a restart forfeits now."""
        happened: list[events.RefereeEvent] = []
        for seat in tuple(self._seats.playing):
            if self.result is None and self._strikes_left[seat] == 0:
                happened += self.forfeit(_struck_out(seat))
        self._go_on()
        return happened

    def clocks_ms(self, at: float) -> list[int | None]:
        """Return the clocks at `at`."""
        if self._turn is None:
            return self.clocks.left_ms.copy()
        return self.clocks.shown(self._turn.seat, self._turn.time.spent(at))

    def hear(self, heard: Incoming | None, now: float) -> Sequence[events.RefereeEvent]:
        """Take in the next incoming item, or None at the time `wake`; `now` is the loop's time."""
        if type(heard) is Said and type(heard.message) is Move and heard.at <= self._end:  # the usual case
            return self._move(heard, heard.message)
        happened: list[events.RefereeEvent] = []
        at = now if heard is None or isinstance(heard, Stopped) else heard.at
        while self.result is None and (self._end < at or (heard is None and self._end == at)):
            if (fault := self._overdue(at)) is None:
                break
            happened += self._forfeit_now(fault)
        if self.result is None:
            happened += self._hear(heard, at)
        return happened

    def forfeit(self, fault: Fault) -> list[events.RefereeEvent]:
        """End a duel, or remove one seat from a game that continues. No further turn is posted."""
        seat = fault.seat
        if fault.reason == "flag-fell":
            self.clocks.left_ms[seat] = 0
        after = self._rules.forfeit(self.state, seat)
        if isinstance(after, Outcome):
            self.result = self._results.forfeited(fault, after)
            return []
        self.state, self._turn = after, None
        self._results.seat_out(fault)
        self._plies += 1
        if not self._rules.anytime:  # in an anytime game the solutions count, and running out of time is normal
            self._seats.post_error(seat, "forfeited", f"your seat is out: {fault.reason}")
        self._seats.remove(seat)
        ply = Ply(seat, None, 0, None, fault.termination)
        left = self.clocks.left_ms.copy()
        return [events.Forfeited(after, left, number=self._plies, ply=ply, reason=fault.reason, detail=fault.detail)]

    def stop(self, reason: str) -> None:
        """End the match as a draw for the operator."""
        self.result = self._results.adjudicated(reason[:64] or "stopped", reason)

    def announce(self) -> None:
        """Tell every seat the result, including those that are out."""
        assert self.result is not None
        over = Over(match=self._seats.match, outcome=self.result)
        for seat in range(len(self._rules.seats)):
            self._post(seat, over)

    # --- receive ---------------------------------------------------------------------------------------------------

    def _hear(self, heard: Incoming | None, at: float) -> Sequence[events.RefereeEvent]:
        found: Fault | events.Absent | events.Back | None
        match heard:
            case None:
                if self._turn is not None and at >= self._turn.resend_at:
                    self._resend(at)
                told = self._seats.announce_due(at)
                self._set_wake()
                return told
            case Stopped(reason=reason):
                self.stop(reason)
                return ()
            case Said(message=Move() as message):
                return self._move(heard, message)
            case Said(seat=seat, message=Draw(match=self._seats.match)) if self._setup.draw_offers is True:
                found = self._draw(seat)
            case _:
                found = self._seats.hear(heard)
        if isinstance(heard, Joined):
            if self._turn is not None and heard.seat == self._turn.seat:
                self._resend(at)
            if self._offers.standing is not None:
                self._post(heard.seat, DrawOffered(self._seats.match, self._offers.standing))
        if isinstance(found, Fault):
            return self._forfeit_now(found)
        self._set_wake()
        return () if found is None else (found,)

    def _draw(self, seat: int) -> Fault | None:
        """Let `seat` offer a draw, or accept the offer that stands, which ends the match."""
        seats = self._seats
        if self._offers.accepts(seat):
            self.result = self._results.adjudicated(AGREEMENT)
        elif reason := self._offers.refusal(seat):
            return seats.post_error(seat, "draw-offered", reason)
        else:
            self._offers = self._offers.offered(seat)
            seats.tell(DrawOffered(seats.match, seat))
        return None

    def _move(self, said: Said, message: Move) -> Sequence[events.RefereeEvent]:
        turn, seat, seats = self._turn, said.seat, self._seats
        if turn is None or message.id != self._turn_id or seat != turn.seat or message.match != seats.match:
            return self._misplaced(seat, message)
        spent = turn.time.spent(said.at)
        if self._measure is not None and self._is_late(turn, spent):
            return self._forfeit_now(Fault(seat, "time", self.clocks.overstepped(seat)))
        try:
            move = self._rules.read_move(self.state, message.move)
        except Rejection as rejection:
            return self._reject(turn, said.at, message, rejection)
        info = None if message.info is UNSET else message.info
        before, self.state = self.state, self.state.play(move)
        ms = self.clocks.spend(seat, spent)
        self._plies += 1
        seats.reset_surplus()
        self._offers = self._offers.moved(seat)
        wire = self._rules.move_to_wire(move)
        left = self.clocks.left_ms.copy()
        played = Played(seats.match, self._plies, seat, wire, left)
        self._acknowledgements.keep(played)
        for other in seats.playing:
            if "played" not in self._without(other):
                self._post(other, played)
        if self._solutions is not None and not self._solutions.better(before, self.state):
            self.state, move, ply = self._rules.no_better(before), None, Ply(seat, None, ms)
        else:
            ply = Ply(seat, wire, ms, info)
            if self._solutions is not None:
                self._solutions.keep(ply)
        self._consider(ply)
        event = events.Played(self._plies, ply, move, self.state, left)
        self._turn = None
        self._go_on()
        return (event,)

    def repeated(self, seat: int, message: Move) -> Played | None:
        """Return the earlier answer if this move has been accepted before and is a repetition."""
        return None if message.match != self._seats.match else self._acknowledgements.find(seat, message.id)

    def _misplaced(self, seat: int, message: Move) -> Sequence[events.RefereeEvent]:
        """Answer a move that answers no open turn of this seat."""
        if seat in self._seats.playing and (played := self.repeated(seat, message)) is not None:
            fault = self._seats.post_again(seat, played)
            return () if fault is None else self._forfeit_now(fault)
        if message.match != self._seats.match:
            code, reason = "unknown-match", f"this is match {self._seats.match}, not {message.match}"
        elif seat not in self._seats.playing:
            code, reason = "forfeited", "your seat is out"
        elif message.id < self._turn_id:
            code, reason = "stale-id", f"turn {message.id} is over"
        elif message.id > self._turn_id:
            code, reason = "unknown-id", f"there is no turn {message.id} yet"
        else:
            code, reason = "not-your-turn", f"turn {message.id} is your opponent's"
        fault = self._seats.post_error(seat, code, reason, message.id)
        return () if fault is None else self._forfeit_now(fault)

    def _reject(self, turn: OpenTurn, at: float, message: Move, rejection: Rejection) -> Sequence[events.RefereeEvent]:
        """Count a strike, unless this is the echo of a move that was rejected before the turn was sent again."""
        seat, quote = turn.seat, quoted(message.move, 200)
        clocks = self.clocks.shown(seat, turn.time.spent(at))
        if (answer := turn.echo(quote)) is not None:
            self._post(seat, replace(answer, clocks_ms=clocks))
            return ()
        left = self._strikes_left[seat] = max(0, self._strikes_left[seat] - 1)
        reason = str(rejection)[:1000]
        answer = Rejected(self._seats.match, message.id, rejection.code, reason, left, clocks)
        turn.rejected = (quote, answer)
        self._post(seat, answer)
        rejected = RejectedMove(self._plies, seat, quote, rejection.code, reason)
        happened: list[events.RefereeEvent] = [events.Rejected(rejected, left, clocks)]
        if left == 0:
            happened += self._forfeit_now(_struck_out(seat))
        elif self.clocks.limit_ms(seat) is None:  # it has answered: where no clock runs, its time starts again
            turn.deadline = at + self._setup.stall_ms / 1000
            self._set_wake()
        return happened

    # --- continue --------------------------------------------------------------------------------------------------

    def _overdue(self, at: float) -> Fault | None:
        """Return the seat whose time is up at `_end`, with the reason; if flag and grace end together
        the flag counts. None if it has time left after all, or the match is stopped.
        """
        assert self._turn is not None  # otherwise nothing could be overdue
        seat = self._turn.seat
        grace_ends, absent = self._seats.attendance.next_loss()
        if grace_ends < self._turn.deadline:
            return self._seats.unanswered(absent, "disconnected", "grace-over")
        if self.clocks.limit_ms(seat) is None:
            return self._seats.unanswered(seat, "stalled", "no-answer")
        found = self._turn.time.verdict(self.clocks.allowed_s(seat) or 0.0, at)
        if isinstance(found, Again):
            self._turn.deadline = at + found.after_s
            self._set_wake()
            return None
        if found == "starved":
            self.stop(MACHINE_BUSY)
            return None
        return self._seats.unanswered(seat, "time", self.clocks.overstepped(seat))

    def _is_late(self, turn: OpenTurn, spent: float) -> bool:
        """Return True if a move that has just come has used more time than it may."""
        allowed_s = self.clocks.allowed_s(turn.seat)
        return allowed_s is not None and spent > allowed_s

    def _forfeit_now(self, fault: Fault) -> list[events.RefereeEvent]:
        """Let a seat forfeit; the match continues if it can."""
        happened = self.forfeit(fault)
        self._go_on()
        return happened

    def _consider(self, ply: Ply) -> None:
        """End the game if the bots' own scores for it say so."""
        if self._judge is not None:
            self._verdict = self._judge.record_move(ply.seat, score_of(ply), self._rules.progress(self.state))

    def _settle(self) -> int | None:
        """Return the seat to move; None, with `result` set, if the match is over."""
        seat: int | None = self.state.to_move
        if seat is None:
            self.result = self._results.by_rule(self.state.outcome())
        elif self._verdict is not None:
            self.result = self._results.by_scores(self._verdict)
        elif is_proven(self._rules, self.state):
            self.result = self._results.adjudicated(PROVEN)
        elif self._plies >= self._setup.max_plies:
            self.result = self._results.adjudicated("ply-cap")
        elif self._solutions is not None and self._solutions.full:
            self.result = self._results.adjudicated(
                "record-full", f"better and better solutions have {self._solutions.size:,} bytes in the record"
            )
        else:
            return seat
        return None

    def _go_on(self) -> None:
        """Post the next turn, unless the match is over."""
        if self.result is not None or (seat := self._settle()) is None:
            return
        clocks = self.clocks
        self._turn_id = self._acknowledgements.turn_id(self._plies)
        position, moves = self._rules.format_state(self.state), self._moves_for(seat)
        limit = clocks.limit_ms(seat)
        message = Turn(self._seats.match, self._turn_id, self._plies, position, moves, clocks.left_ms.copy(), limit)
        if (moves_to_go := clocks.moves_to_go(seat)) is not None:
            message = replace(message, moves_to_go=moves_to_go)
        self._post(seat, message)
        posted = self._now()  # the bot's time counts from here on
        measure = self._measure
        time = WallTime(posted) if measure is None else ProcessorTime(measure, seat, posted)
        deadline = clocks.deadline(seat, posted)
        if deadline is None:
            deadline = posted + self._setup.stall_ms / 1000
        self._turn = OpenTurn(message, seat, time, deadline, posted + self._resend_s)
        self._set_wake()

    def _moves_for(self, seat: int) -> list[Any] | None:
        """Return the legal moves for the program now in `seat`; None if there are too many, or it does
        not need them.
        """
        return None if "moves" in self._without(seat) else self._legal_moves.listed(self.state)

    def _resend(self, at: float) -> None:
        """Send the turn again, with the time that is left."""
        if (turn := self._turn) is not None:
            self._post(turn.seat, turn.again(at, self.clocks_ms(at), self._moves_for(turn.seat)))
            turn.resend_at = at + self._resend_s
            self._set_wake()

    def _set_wake(self) -> None:
        if (turn := self._turn) is not None:
            end, lost, again = turn.deadline, self._seats.attendance.next_loss()[0], turn.resend_at
            self._end = end = min(end, lost)
            self.wake = min(end, again, self._seats.announcements.due)


def _struck_out(seat: int) -> Fault:
    return Fault(seat, "illegal", "too-many-illegal-moves")
