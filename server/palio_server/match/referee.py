"""The referee of a match: listens to its table, applies the rules and the clocks, and tells what happens.

It knows no database, no socket and no tournament. Whoever iterates `Referee.play` decides what becomes of the events;
while an event is being looked at, the match stands still, but its clocks do not.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from palio_rules.messages import Result
from palio_rules.record import Ply, Refusal, Setup
from palio_server.match import events
from palio_server.match.arbiter import Arbiter
from palio_server.match.desk import Desk
from palio_server.match.preparation import Preparation
from palio_server.match.race import Preparations, Race
from palio_server.match.table import Table

RESEND_S = 5.0  # an unanswered turn is sent again so often


class Referee:
    """Plays matches; one referee may play any number of them at once."""

    def __init__(self, resend_s: float = RESEND_S) -> None:
        self.resend_s = resend_s

    async def play(
        self,
        match: str,
        setup: Setup,
        table: Table,
        *,
        epoch: int = 1,
        journal: Sequence[Ply] = (),
        refusals: Sequence[Refusal] = (),
    ) -> AsyncGenerator[events.Event, None]:
        """Play `match` at `table`, after the plies of `journal`, and tell what happens until it has Finished.

        The seats hear the result when the iterator is resumed after `Finished`. Raises ValueError if the match cannot
        be played as it is set up; no message of a bot ever makes it raise.
        """
        now = asyncio.get_running_loop().time
        taken_up: dict[str, Any] = {"epoch": epoch, "journal": journal, "refusals": refusals}
        arbiter: Arbiter | Race
        if setup.rules().kind == "race":
            arbiter = Race(match, setup, table, **taken_up, resend_s=self.resend_s, now=now)
        else:
            arbiter = Arbiter(Desk(match, setup, table), **taken_up, resend_s=self.resend_s, now=now)
        if arbiter.result is None:
            preparation = arbiter.prepare()
            while not preparation.over:
                heard = await table.next(preparation.wake)
                # a timer may ring a little early: what it was set for has come all the same
                for event in preparation.hear(heard, now() if heard is not None else max(now(), preparation.wake)):
                    yield event
            for event in _open(preparation, arbiter):
                yield event
        if arbiter.result is None:
            yield events.Started(arbiter.state, arbiter.clocks_ms(now()))
            for event in arbiter.begin():
                yield event
        while arbiter.result is None:
            heard = await table.next(arbiter.wake)
            for event in arbiter.hear(heard, now() if heard is not None else max(now(), arbiter.wake)):
                yield event
        yield events.Finished(arbiter.result, arbiter.state, arbiter.clocks_ms(now()))
        arbiter.announce()


def _open(preparation: Preparation | Preparations, arbiter: Arbiter | Race) -> list[events.Event]:
    """Throw out who did not get ready, or end a match that nobody is ready for."""
    if preparation.stopped is not None:
        arbiter.stop(preparation.stopped)
        return []
    faults = list(preparation.faults.values())
    if preparation.nobody:
        told = ", ".join(f"seat {fault.seat} {fault.reason}" for fault in faults)
        arbiter.result = Result("adjudicated", "nobody-ready", [0.5] * len(faults), detail=told)
        return []
    found: list[events.Event] = []
    for fault in faults:
        if arbiter.result is None:
            found += arbiter.throw_out(fault)
    return found
