"""The referee of a match: listens to its seats, applies the rules and the clocks, and reports what happens.

It knows no database, no socket and no tournament. Whoever drives a `RefereedMatch`, by telling it what is heard and
when its time to `wake` has come, decides what becomes of the events; `Referee.play` drives one from a channel.
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

RESEND_S = 5.0  # an unanswered turn is sent again so often


class RefereedMatch:
    """One match: preparation, turns, result. It never waits: it answers what it hears by posting, and by events."""

    def __init__(self, match: str, setup: Setup, channel: Channel, history: History, *, resend_s: float) -> None:
        """Raises ValueError if the match cannot be played as it is set up."""
        self.over = False  # it has Finished
        self._now = now = channel.time
        post, without = channel.post, channel.without
        self._contest: Turns | Race
        if setup.rules().kind == "race":
            self._contest = Race(match, setup, post, without, history, resend_s=resend_s, now=now)
        else:
            self._contest = Turns(Seats(match, setup, post, without), history, resend_s=resend_s, now=now)
        self._preparation: Preparation | RacePreparation | None = None

    @property
    def wake(self) -> float:
        """When to call `hear` with None, unless something is heard before."""
        return self._contest.wake if self._preparation is None else self._preparation.wake

    def begin(self) -> list[events.Event]:
        """Tell every seat what is played."""
        if self._contest.result is None:
            self._preparation = self._contest.prepare()
            if not self._preparation.over:
                return []
        return self._start()

    def hear(self, heard: Incoming | None) -> Sequence[events.Event]:
        """Take in the next thing heard, None for the time `wake`. What happened, in order; `Finished` is the last.

        No message of a bot ever makes it raise; a fault in the rules may.
        """
        if type(heard) is Said:  # nearly always
            now = heard.at
        elif heard is not None:
            now = self._now()
        else:
            now = max(self._now(), self.wake)  # a timer may ring a little early
        if self._preparation is not None:
            happened = self._preparation.hear(heard, now)
            return [*happened, *self._start()] if self._preparation.over else happened
        found = self._contest.hear(heard, now)
        return found if self._contest.result is None else [*found, self._finish()]

    def announce(self) -> None:
        """Tell the seats the result; whoever drives the match has made it certain before."""
        self._contest.announce()

    def _start(self) -> list[events.Event]:
        """The preparation is over, or was not necessary: the clocks run."""
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
        return events.Finished(contest.result, contest.state, contest.clocks_ms(self._now()))


class Referee:
    """Plays matches; one referee may play any number of them at once."""

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
        """`match` with the seats of `channel`, after the plies of `journal`; nobody has been told anything yet.

        Raises ValueError if the match cannot be played as it is set up.
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
    ) -> AsyncGenerator[events.Event, None]:
        """Play `match` to its end from what `channel` hears, and report what happens.

        The seats hear the result when the iterator is resumed after `Finished`.
        """
        refereed = self.take_up(match, setup, channel, epoch=epoch, journal=journal, rejected=rejected)
        for event in refereed.begin():
            yield event
        while not refereed.over:
            for event in refereed.hear(await channel.next(refereed.wake)):
                yield event
        refereed.announce()


def _open(preparation: Preparation | RacePreparation, contest: Turns | Race) -> list[events.Event]:
    """Let those who did not get ready forfeit, or end a match that nobody is ready for."""
    if preparation.stopped is not None:
        contest.stop(preparation.stopped)
        return []
    faults = list(preparation.faults.values())
    if preparation.nobody:
        reasons = ", ".join(f"seat {fault.seat} {fault.reason}" for fault in faults)
        contest.result = Result("adjudicated", "nobody-ready", [0.5] * len(faults), detail=reasons)
        return []
    found: list[events.Event] = []
    for fault in faults:
        if contest.result is None:
            found += contest.forfeit(fault)
    return found
