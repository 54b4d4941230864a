"""The referee of a match: listens to its seats, applies the rules and the clocks, and reports events.

It knows no database, no socket and no tournament. The caller drives a `RefereedMatch`: it passes on what is received,
calls again at `wake`, and decides what to do with the events. `Referee.play` drives one from a channel.
"""

from collections.abc import AsyncGenerator, Sequence

from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, RejectedMove, Setup
from palio_server.match import events
from palio_server.match.channel import Channel, Incoming, Said
from palio_server.match.events import History
from palio_server.match.preparation import Preparation, RacePreparation
from palio_server.match.race import Race
from palio_server.match.seats import Seats
from palio_server.match.turns import Turns

RESEND_S = 5.0  # seconds after which an unanswered turn is sent again


class RefereedMatch:
    """One match: preparation, turns, result. It never waits: it answers what it receives with messages and events."""

    def __init__(self, match: str, setup: Setup, channel: Channel, history: History, *, resend_s: float) -> None:
        """Raises ValueError if the match cannot be played with this setup."""
        self.over = False  # True once it has Finished
        self._now = now = channel.time
        post, without = channel.post, channel.without
        measure = channel.measured if setup.clock == "processor" else None
        self._contest: Turns | Race
        if setup.rules().kind == "race":
            self._contest = Race(match, setup, post, without, history, resend_s=resend_s, now=now, measure=measure)
        else:
            seats = Seats(match, setup, post, without)
            self._contest = Turns(seats, history, resend_s=resend_s, now=now, measure=measure)
        self._preparation: Preparation | RacePreparation | None = None

    @property
    def wake(self) -> float:
        """The time at which to call `hear` with None, unless something is received before."""
        return self._contest.wake if self._preparation is None else self._preparation.wake

    def begin(self) -> list[events.RefereeEvent]:
        """Tell every seat the game."""
        if self._contest.result is None:
            self._preparation = self._contest.prepare()
            if not self._preparation.over:
                return []
        return self._start()

    def hear(self, heard: Incoming | None) -> Sequence[events.RefereeEvent]:
        """Take in the next incoming item, or None at the time `wake`; return what happened, in order, `Finished` last.

        No message of a bot ever raises an error here; a fault in the rules may.
        """
        if type(heard) is Said:  # the usual case
            now = heard.at
        elif heard is not None:
            now = self._now()
        else:
            now = max(self._now(), self.wake)  # a timer may fire a little early
        if self._preparation is not None:
            happened = self._preparation.hear(heard, now)
            return [*happened, *self._start()] if self._preparation.over else happened
        found = self._contest.hear(heard, now)
        return found if self._contest.result is None else [*found, self._finish()]

    def announce(self) -> None:
        """Tell the seats the result; the caller has saved it before."""
        self._contest.announce()

    def _start(self) -> list[events.RefereeEvent]:
        """Start the clocks: the preparation is over, or was not necessary."""
        contest, happened = self._contest, []
        if self._preparation is not None:
            happened += _open(self._preparation, contest)
            self._preparation = None
        if contest.result is None:
            happened.append(events.Started(contest.state, contest.clocks_ms(self._now())))
            happened += contest.begin()
        return happened if contest.result is None else [*happened, self._finish()]

    def _finish(self) -> events.Finished:
        self.over, contest = True, self._contest
        assert contest.result is not None
        return events.Finished(contest.result, contest.state, contest.clocks_ms(self._now()), contest.texts)


class Referee:
    """The maker of refereed matches; one referee may play any number of them at once."""

    def __init__(self, resend_s: float = RESEND_S) -> None:
        self.resend_s = resend_s

    def take_up(
        self,
        match: str,
        setup: Setup,
        channel: Channel,
        *,
        epoch: int = 1,
        journal: Sequence[Ply] = (),
        rejected: Sequence[RejectedMove] = (),
    ) -> RefereedMatch:
        """Return `match` with the seats of `channel`, after the plies of `journal`; no seat has been told anything yet.

        Raises ValueError if the match cannot be played with this setup.
        """
        return RefereedMatch(match, setup, channel, History(epoch, journal, rejected), resend_s=self.resend_s)

    async def play(
        self,
        match: str,
        setup: Setup,
        channel: Channel,
        *,
        epoch: int = 1,
        journal: Sequence[Ply] = (),
        rejected: Sequence[RejectedMove] = (),
    ) -> AsyncGenerator[events.RefereeEvent, None]:
        """Play `match` to its end with what `channel` receives, and yield what happens.

        The seats are told the result when the iterator is resumed after `Finished`.
        """
        refereed = self.take_up(match, setup, channel, epoch=epoch, journal=journal, rejected=rejected)
        for event in refereed.begin():
            yield event
        while not refereed.over:
            for event in refereed.hear(await channel.next(refereed.wake)):
                yield event
        refereed.announce()


LONGEST_LINE = 200  # characters of what a bot said, in the reason why a match was aborted


def _last_line(detail: str) -> str:
    """Return the last line of a traceback in brackets, with a space before it; "" if there is none."""
    lines = [line.strip() for line in detail.splitlines() if line.strip()]
    return f" ({lines[-1][:LONGEST_LINE]})" if lines else ""


def _open(preparation: Preparation | RacePreparation, contest: Turns | Race) -> list[events.RefereeEvent]:
    """Let seats that did not become ready forfeit, or end a match in which no seat is ready."""
    if preparation.stopped is not None:
        contest.stop(preparation.stopped)
        return []
    faults = list(preparation.faults.values())
    if preparation.none_can_play:
        reasons = ", ".join(f"seat {fault.seat} {fault.reason}{_last_line(fault.detail)}" for fault in faults)
        contest.result = Result("adjudicated", "nobody-ready", [0.5] * len(faults), detail=reasons)
        return []
    found: list[events.RefereeEvent] = []
    for fault in faults:
        if contest.result is None:
            found += contest.forfeit(fault)
    return found
