"""The referee of a match: listens to its seats, applies the rules and the clocks, and reports what happens.

It knows no database, no socket and no tournament. Whoever iterates `Referee.play` decides what becomes of the events;
while an event is being looked at, the match stands still, but its clocks do not.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, RejectedMove, Setup
from palio_server.match import events
from palio_server.match.channel import Channel
from palio_server.match.history import History
from palio_server.match.preparation import Preparation, RacePreparation
from palio_server.match.race import Race
from palio_server.match.seats import Seats
from palio_server.match.turns import Turns

RESEND_S = 5.0  # an unanswered turn is sent again so often


class Referee:
    """Plays matches; one referee may play any number of them at once."""

    def __init__(self, resend_s: float = RESEND_S) -> None:
        self.resend_s = resend_s

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
        """Play `match` over `channel`, after the plies of `journal`, and report what happens until it has Finished.

        The seats hear the result when the iterator is resumed after `Finished`. Raises ValueError if the match cannot
        be played as it is set up; no message of a bot ever makes it raise.
        """
        now = asyncio.get_running_loop().time
        history = History(epoch, journal, rejected)
        contest: Turns | Race
        if setup.rules().kind == "race":
            contest = Race(match, setup, channel.post, history, resend_s=self.resend_s, now=now)
        else:
            contest = Turns(Seats(match, setup, channel.post), history, resend_s=self.resend_s, now=now)
        if contest.result is None:
            preparation = contest.prepare()
            while not preparation.over:
                heard = await channel.next(preparation.wake)
                # a timer may fire a little early: what it was set for has come all the same
                for event in preparation.hear(heard, now() if heard is not None else max(now(), preparation.wake)):
                    yield event
            for event in _open(preparation, contest):
                yield event
        if contest.result is None:
            yield events.Started(contest.state, contest.clocks_ms(now()))
            for event in contest.begin():
                yield event
        while contest.result is None:
            heard = await channel.next(contest.wake)
            for event in contest.hear(heard, now() if heard is not None else max(now(), contest.wake)):
                yield event
        yield events.Finished(contest.result, contest.state, contest.clocks_ms(now()))
        contest.announce()


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
