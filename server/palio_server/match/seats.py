"""The seats of one match: the messages to each, what a bot sends besides moves, and how the match ends for it."""

import logging
from dataclasses import dataclass, replace
from math import inf
from typing import Any, NamedTuple

from msgspec import UNSET, UnsetType, to_builtins

from palio_rules.adjudication import EarlyEnd
from palio_rules.contract import messages
from palio_rules.game import Game, Outcome
from palio_rules.plain_text import plain
from palio_rules.records.fault_kinds import kind_of_fault
from palio_rules.records.record import Setup
from palio_server.match import events
from palio_server.match.channel import UNREADABLE, Expelled, Garbled, Joined, Left, Post, Said, Without

# The bots that have lost their connection, and until when each may come back.


class Attendance:
    """The absences of one match. All absences of a seat share one grace; times are the event loop's seconds."""

    def __init__(self, seats: int, grace_ms: int) -> None:
        self._grace = grace_ms / 1000
        self._away = [0.0] * seats  # seconds that each seat was away in absences that are over
        self._since: dict[int, float] = {}  # absent seats, in the order in which they left

    def __contains__(self, seat: int) -> bool:
        """Return True while the bot in `seat` is connected."""
        return seat not in self._since

    def leave(self, seat: int, at: float) -> bool:
        """Note that the bot in `seat` lost its connection at `at`; return False if it was absent already."""
        if seat in self._since:
            return False
        self._since[seat] = at
        return True

    def come_back(self, seat: int, at: float) -> bool:
        """Note that the bot in `seat` is back at `at`; return False if it was not absent."""
        if (since := self._since.pop(seat, None)) is None:
            return False
        self._away[seat] = min(self._grace, self._away[seat] + max(0.0, at - since))
        return True

    def away(self, seat: int) -> float:
        """Return the seconds that `seat` was away in absences that are over."""
        return self._away[seat]

    def forget(self, seat: int) -> None:
        """Remove `seat` from the match; its absence does not matter from now on."""
        self._since.pop(seat, None)

    def grace_ms(self, seat: int, at: float) -> int:
        """Return the grace that `seat` has left at `at`, for this absence or the next."""
        absent = max(0.0, at - self._since.get(seat, at))
        return max(0, round((self._grace - self._away[seat] - absent) * 1000))

    def next_loss(self) -> tuple[float, int]:
        """Return when the next grace is over, and its seat, the lower of two; (infinity, -1) if no seat is absent."""
        if not self._since:  # the usual case, and asked at every turn
            return inf, -1
        ends = ((since + self._grace - self._away[seat], seat) for seat, since in self._since.items())
        return min(ends)


# When the others are told that a seat is absent or back: the first times at once, after that at intervals.
#
# A bot may lose its connection again and again, and its opponents must not be told a hundred times a minute. The last
# state always arrives. This affects only announcements: clocks and the grace follow `Attendance`.

AT_ONCE = 6  # announcements about one seat: three absences
PAUSE_S = 5.0  # seconds between two announcements after that


class Announcements:
    """The announcements already made about each seat; times are the event loop's seconds."""

    def __init__(self, seats: int) -> None:
        self.due = inf  # when the next waiting announcement is due
        self._told = [True] * seats  # True: the others believe it to be present
        self._full_at = [-inf] * seats  # by seat, when the full number may be announced at once again
        self._waiting: dict[int, float] = {}  # by seat, until when it waits

    def now(self, seat: int, at: float, *, present: bool) -> bool:
        """Return True if `seat`'s presence since `at`, or absence, is announced at once; otherwise it waits."""
        self._waiting.pop(seat, None)
        announced = False
        if present is not self._told[seat]:
            full_at = max(self._full_at[seat], at)
            earliest = full_at - (AT_ONCE - 1) * PAUSE_S
            if announced := earliest <= at:
                self._note(seat, full_at)
            else:
                self._waiting[seat] = earliest
        self._set_due()
        return announced

    def take_due(self, at: float) -> list[int]:
        """Return the seats whose waiting announcement is made now."""
        seats = [seat for seat, due in self._waiting.items() if due <= at]
        for seat in seats:
            del self._waiting[seat]
            self._note(seat, max(self._full_at[seat], at))
        self._set_due()
        return seats

    def forget(self, seat: int) -> None:
        """Remove `seat` from the announcements."""
        self._waiting.pop(seat, None)
        self._set_due()

    def _note(self, seat: int, full_at: float) -> None:
        self._full_at[seat] = full_at + PAUSE_S
        self._told[seat] = not self._told[seat]

    def _set_due(self) -> None:
        self.due = min(self._waiting.values(), default=inf)


log = logging.getLogger(__name__)

LOGGED = 500  # characters of a reason
# A bot that sends so many unreadable messages in one match is not going to play. One or two may happen.
GARBLED_LIMIT = 20
# Messages without effect (doubled moves, surplus readies) between two plies. A restless network doubles each of a few
# messages; a bot that sends so many floods its match.
SURPLUS_LIMIT = 200
MAX_DETAIL = 4000  # characters of a traceback; its end is the most useful part


class Fault(NamedTuple):
    """The reason why a seat forfeits."""

    seat: int
    termination: messages.Termination
    reason: str
    detail: str = ""


def check_setup(setup: Setup) -> Any:
    """Return the position in which the clocks will start. Raises ValueError, with the reason, if `setup` cannot be
    played.
    """
    rules = setup.rules()
    if rules.kind == "race":
        most = messages.MAX_ENTRANTS
        if not 1 <= len(setup.bots) <= most:
            raise ValueError(f"{rules.name} is a race for 1 to {most} entrants, {len(setup.bots)} are named")
        if setup.opening:
            raise ValueError(f"{rules.name} is a race, it has no opening; give the instance in its options")
    elif len(setup.bots) != len(rules.seats):
        raise ValueError(f"{rules.name} has {len(rules.seats)} seats, {len(setup.bots)} bots are named for them")
    if setup.adjudication and rules.kind != "duel":
        raise ValueError(
            f"{rules.name} is no duel: it cannot be adjudicated by scores; leave the draw and resign rules out"
        )
    if len(set(setup.bots)) != len(setup.bots):
        raise ValueError(f"a bot cannot play itself: {', '.join(setup.bots)}; name different bots")
    return setup.start()


class Seats:
    """The seats that still play, their attendance, and their surplus messages. Knows nothing of turns and clocks."""

    def __init__(self, match: str, setup: Setup, post: Post, without: Without, *, start: Any = None) -> None:
        """`start` is the first position, if it is known. Raises ValueError if the match cannot be played with this
        setup.
        """
        self.match, self.setup, self.post, self.without = match, setup, post, without
        self.start = check_setup(setup) if start is None else start
        self.rules: Game[Any, Any] = setup.rules()
        seats = len(self.rules.seats)
        self.playing = list(range(seats))  # seats that are not out
        self.attendance, self.announcements = Attendance(seats, setup.grace_ms), Announcements(seats)
        named = zip(self.rules.seats, setup.bots, strict=True)
        self._names = [messages.SeatOf(name=name, bot=bot) for name, bot in named]
        self._first = self.rules.format_state(self.start)
        # includes the settings that were left at their defaults; for a race, the instance that was drawn
        drawn = self.rules.kind == "race"
        self._options = setup.options if drawn else to_builtins(self.rules.parse_options(setup.options))
        self._garbled = [0] * seats
        self._surplus: dict[int, int] = {}
        self.unreadable: dict[int, str] = {}  # the last message since the last ply that could not be read, by seat
        # In a course, what programs said of their faults: for authors and staff. All others are told the kind.
        self.texts: dict[int, str] = {}

    def greet(self, seat: int) -> None:
        """Tell `seat` the game: at the start, and again whenever its program may be a new one."""
        setup = self.setup
        message = messages.GameMessage(
            match=self.match,
            game=setup.game,
            options=self._options,
            setup=self._first,
            seat=seat,
            seats=self._names,
            time=setup.clocks()[seat],
            strikes=setup.strikes,
            draw_offers=setup.draw_offers,
        )
        self.post(seat, message)

    def tell(self, message: messages.ServerMessage, *, but: int | None = None) -> None:
        """Send `message` to every seat that plays, except `but`."""
        for seat in self.playing:
            if seat != but:
                self.post(seat, message)

    def hear(self, heard: Said | Garbled | Left | Joined | Expelled) -> Fault | events.Absent | events.Back | None:
        """Take in anything that is not about a turn, and answer it."""
        seat = heard.seat
        if seat not in self.playing:
            return (
                None
                if isinstance(heard, Left | Joined | Expelled)
                else self.post_error(seat, "forfeited", "your seat is out")
            )
        match heard:
            case Said():
                return self._said(seat, heard)
            case Garbled(error=error):
                self._garbled[seat] += 1
                if self._garbled[seat] >= GARBLED_LIMIT:
                    return self._fault(seat, "illegal", "too-many-bad-messages", str(error)[:MAX_DETAIL])
                return self.post_error(seat, error.code, str(error))
            case Expelled(termination=termination, reason=reason, detail=detail):
                return self._fault(seat, termination, reason, detail[:MAX_DETAIL])
            case Left(at=at):
                return self._leave(seat, at)
            case Joined(at=at):
                return self._join(seat, at)

    def post_error(self, seat: int, code: str, reason: str, turn: int | UnsetType = UNSET) -> Fault | None:
        """Answer a message that has no effect here. It costs nothing unless there are too many."""
        said = {"match": self.match, "bot": self.setup.bots[seat], "code": code}
        log.info("match %s: seat %d is refused: %s: %s", self.match, seat, code, plain(reason[:LOGGED]), extra=said)
        self.post(seat, messages.Error(code=code, reason=reason[:MAX_DETAIL], id=turn, match=self.match))
        return self._count_surplus(seat)

    def post_again(self, seat: int, message: messages.ServerMessage) -> Fault | None:
        """Answer a repeated message with the same answer as before. It costs nothing unless there are too many."""
        self.post(seat, message)
        return self._count_surplus(seat)

    def announce_due(self, at: float) -> list[events.Absent | events.Back]:
        """Make the delayed announcements that are due."""
        return [self._announce(seat, at) for seat in self.announcements.take_due(at)]

    def reset_surplus(self) -> None:
        """Restart the count of surplus messages, and forget unreadable ones, because a ply has been played."""
        if self._surplus:
            self._surplus.clear()
        if self.unreadable:
            self.unreadable.clear()

    def remove(self, seat: int) -> None:
        """Remove `seat`; the match goes on."""
        self.playing.remove(seat)
        self.forget(seat)

    def forget(self, seat: int) -> None:
        """Forget the attendance of `seat`."""
        self.attendance.forget(seat)
        self.announcements.forget(seat)

    def _count_surplus(self, seat: int) -> Fault | None:
        count = self._surplus[seat] = self._surplus.get(seat, 0) + 1
        if count < SURPLUS_LIMIT or seat not in self.playing:
            return None
        return Fault(seat, "illegal", "flood", f"{count} messages between two plies, none of which asked for anything")

    def _said(self, seat: int, said: Said) -> Fault | None:
        message = said.message
        about = getattr(message, "match", UNSET)
        if about not in (UNSET, self.match):
            return self.post_error(seat, "unknown-match", f"this is match {self.match}, not {about}")
        match message:
            case messages.Resign(reason=reason):
                return self._fault(seat, "resigned", "resigned", "" if reason is UNSET else reason[:MAX_DETAIL])
            case messages.Error(code="crashed", reason=reason):
                return self._fault(seat, "crashed", "bot-crashed", reason[-MAX_DETAIL:])
            case messages.Error(code=messages.ILLEGAL_MOVE, reason=reason) if self.setup.lenient is not True:
                return self._fault(seat, "illegal", messages.ILLEGAL_MOVE, reason[:MAX_DETAIL])
            case messages.Error(code=code, reason=reason) if code == UNREADABLE:
                self.unreadable[seat] = reason[:MAX_DETAIL]
                return self._count_surplus(seat)
            case messages.Draw():
                return self.post_error(seat, "no-draw-offers", "no draw can be offered in this match, or not yet")
            case messages.Error() | messages.Ready():
                return self._count_surplus(seat)  # never answered with an error: two such programs would not stop
            case _:
                kind = type(message).__name__.lower()
                return self.post_error(seat, "unexpected", f"{kind!r} has no place in a match")

    def unanswered(self, seat: int, termination: messages.Termination, reason: str) -> Fault:
        """Return the fault of a seat without a valid answer; an unreadable message was perhaps its answer."""
        return self._fault(seat, termination, reason, self.unreadable.get(seat, ""))

    def _fault(self, seat: int, termination: messages.Termination, reason: str, text: str) -> Fault:
        """Return the fault of a seat that a program has told in its own words."""
        if self.setup.submissions is UNSET:
            return Fault(seat, termination, reason, text)
        if text:
            self.texts[seat] = text
        return Fault(seat, termination, reason, kind_of_fault(termination, reason, text))

    def _leave(self, seat: int, at: float) -> events.Absent | events.Back | None:
        if not self.attendance.leave(seat, at) or not self.announcements.now(seat, at, present=False):
            return None
        return self._announce(seat, at)

    def _join(self, seat: int, at: float) -> events.Absent | events.Back | None:
        self.greet(seat)
        if not self.attendance.come_back(seat, at) or not self.announcements.now(seat, at, present=True):
            return None
        return self._announce(seat, at)

    def _announce(self, seat: int, at: float) -> events.Absent | events.Back:
        """Tell the others that `seat` is present or absent."""
        grace_ms = self.attendance.grace_ms(seat, at)
        if seat in self.attendance:
            self.tell(messages.Back(match=self.match, seat=seat, grace_ms=grace_ms), but=seat)
            return events.Back(seat, grace_ms)
        self.tell(messages.Absent(match=self.match, seat=seat, grace_ms=grace_ms), but=seat)
        return events.Absent(seat, grace_ms)


class ResultWriter:
    """Writes the result of one match, with the details of seats that were out before its end."""

    def __init__(self, seats: Seats) -> None:
        self._seats = seats
        self._details: dict[int, str] = {}  # by seat that is out of a game that continues

    def seat_out(self, fault: Fault) -> None:
        """Keep the detail of a seat that is out while the match goes on."""
        if fault.detail:
            self._details[fault.seat] = fault.detail

    def by_rule(self, outcome: Outcome) -> messages.Result:
        """Return the result of a game that ended by its own rules."""
        return messages.Result("rule", outcome.reason, list(outcome.scores), detail=self._detail(outcome.detail))

    def forfeited(self, fault: Fault, outcome: Outcome) -> messages.Result:
        """Return the result of a game that a seat's fault has ended."""
        scores = list(outcome.scores)
        return messages.Result(fault.termination, fault.reason, scores, fault.seat, self._detail(fault.detail))

    def adjudicated(self, reason: str, detail: str = "") -> messages.Result:
        """Return a draw of the seats that still play; one that is alone with a puzzle has not solved it."""
        playing, seats = self._seats.playing, len(self._seats.rules.seats)
        share = 1 / len(playing) if seats > 1 else 0.0
        scores = [share if seat in playing else 0.0 for seat in range(seats)]
        return messages.Result("adjudicated", reason, scores, detail=self._detail("" if detail == reason else detail))

    def by_scores(self, verdict: EarlyEnd) -> messages.Result:
        """Return the result of a duel that the bots' own scores have ended."""
        return messages.Result("adjudicated", verdict.reason, list(verdict.scores), detail=self._detail(verdict.detail))

    def _detail(self, detail: str = "") -> str:
        """Return `detail`, then by name that of each seat that was out before, each with an equal share of the room."""
        share = MAX_DETAIL // (1 + len(self._details))
        earlier = [f"{self._seats.rules.seats[seat]}: {words[-share:]}" for seat, words in self._details.items()]
        return "\n".join([detail, *earlier] if detail else earlier)


# Draw offers of a duel: whose offer stands, and who may make another one.
#
# An offer stands until the opponent's next move, or its agreement; the offerer's own moves keep it. A seat offers again
# only after a move of its own. Offers are in memory only: a match that is taken up after a restart has none.


@dataclass(frozen=True, slots=True)
class DrawOffers:
    """The offers at one moment of a duel."""

    standing: int | None = None  # the seat whose offer stands
    spent: frozenset[int] = frozenset()  # seats that have offered a draw since their last move

    def accepts(self, seat: int) -> bool:
        """Return True if `draw` from `seat` accepts its opponent's offer."""
        return self.standing is not None and self.standing != seat

    def refusal(self, seat: int) -> str:
        """Return why `seat` may not offer a draw now; "" if it may."""
        if self.standing == seat:
            return "your offer of a draw stands until your opponent moves"
        return "you have offered a draw; play a move before you offer another one" if seat in self.spent else ""

    def offered(self, seat: int) -> "DrawOffers":
        """Return the offers after `seat` has offered a draw."""
        return DrawOffers(seat, self.spent | {seat})

    def moved(self, seat: int) -> "DrawOffers":
        """Return the offers after a move of `seat`, which declines its opponent's offer."""
        if self.standing is None and not self.spent:  # the usual case
            return self
        return replace(self, standing=None if self.accepts(seat) else self.standing, spent=self.spent - {seat})
