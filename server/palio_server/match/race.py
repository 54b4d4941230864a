"""A race: every entrant plays the same instance, alone, all of them at once; in the end they are ranked by cost.

Each has a lane of its own, so that nothing that one does can touch another, and nobody hears of the others before the
end. The race is over when every lane is: when nobody can gain any more.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from math import inf
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from palio_rules.contract.messages import Over, Result
from palio_rules.records.boards import RaceBoards
from palio_rules.records.record import Setup
from palio_server.match import events
from palio_server.match.channel import Incoming, Post, Stopped, Without
from palio_server.match.history import History
from palio_server.match.lane import Lane
from palio_server.match.preparation import RacePreparation
from palio_server.match.seats import Fault, check_setup


class Race:
    """One race, which the referee drives as it does `Turns`. `result` is None while it goes on."""

    def __init__(
        self,
        match: str,
        setup: Setup,
        post: Post,
        without: Without,
        history: History,
        *,
        resend_s: float,
        now: Callable[[], float],
    ) -> None:
        """Takes the race up after its `history`. Raises ValueError if it cannot be played as it is set up."""
        self.result: Result | None = None
        self._match, self._setup, self._post, self._now = match, setup, post, now
        start = check_setup(setup)
        self._boards = RaceBoards(setup.rules(), start, len(setup.bots))
        for ply in history.plies:
            self._boards.play(ply)
        self._plies, self._stopped = len(history.plies), ""
        self._lanes = [
            Lane(match, setup, post, without, entrant, history, start=start, resend_s=resend_s, now=now)
            for entrant in range(len(setup.bots))
        ]
        self._settle()

    @property
    def state(self) -> Any:
        """The position of the entrant that is ahead."""
        return self._boards.of(self._boards.ahead())

    @property
    def wake(self) -> float:
        """When to call `hear` again if nothing is heard."""
        return min((lane.turns.wake for lane in self._lanes if not lane.over), default=inf)

    def prepare(self) -> RacePreparation:
        """Tell every entrant what is played, and wait for them."""
        racing = {entrant: lane.turns.prepare() for entrant, lane in enumerate(self._lanes) if not lane.over}
        return RacePreparation(racing, entrants=len(self._lanes))

    def begin(self) -> list[events.Event]:
        """Post the first turns, all at once."""
        happened: list[events.Event] = []
        for entrant, lane in enumerate(self._lanes):
            if not lane.over:
                happened += self._of_race(entrant, lane.begin())
        return happened

    def hear(self, heard: Incoming | None, now: float) -> list[events.Event]:
        """Take in the next thing heard, None for the time `wake`; `now` is the loop's time."""
        happened: list[events.Event] = []
        match heard:
            case None:
                for entrant, lane in enumerate(self._lanes):
                    if not lane.over and lane.turns.wake <= now:
                        happened += self._of_race(entrant, lane.hear(None, now))
            case Stopped(reason=reason):
                self.stop(reason)
            case _:
                happened = self._of_race(heard.seat, self._lanes[heard.seat].hear(replace(heard, seat=0), now))
        return happened

    def forfeit(self, fault: Fault) -> list[events.Event]:
        """An entrant leaves before the start."""
        return self._of_race(fault.seat, self._lanes[fault.seat].forfeit(fault._replace(seat=0)))

    def stop(self, reason: str) -> None:
        """The operator ends the race: nobody is ranked."""
        for lane in self._lanes:
            if not lane.over:
                lane.stop(reason)
        self._stopped = reason or "stopped"
        self._settle()

    def clocks_ms(self, at: float) -> list[int | None]:
        """What the clocks of all entrants show at `at`."""
        return [lane.turns.clocks_ms(at)[0] for lane in self._lanes]

    def announce(self) -> None:
        """Tell every entrant how it ended, and its rank."""
        assert self.result is not None
        for entrant, over in enumerate(overs(self._match, self.result, len(self._lanes), race=True)):
            self._post(entrant, over)

    def _of_race(self, entrant: int, happened: Iterable[events.Event]) -> list[events.Event]:
        found: list[events.Event] = []
        for event in happened:
            match event:
                case events.Played() | events.Forfeited():
                    ply = replace(event.ply, seat=entrant)
                    self._boards.put(ply, event.state)
                    self._plies += 1
                    clocks = self.clocks_ms(self._now())
                    found.append(replace(event, number=self._plies, ply=ply, clocks_ms=clocks))
                case events.Rejected(rejected=move):
                    move = replace(move, seat=entrant, ply=self._plies)
                    found.append(replace(event, rejected=move, clocks_ms=self.clocks_ms(self._now())))
                case events.Absent() | events.Back():
                    found.append(replace(event, seat=entrant))
        self._settle()
        return found

    def _settle(self) -> None:
        if self.result is not None or not all(lane.over for lane in self._lanes):
            return
        ranked = zip(self._lanes, self._boards.finishes(), strict=True)
        finishes = [lane.finish(finish, stopped=bool(self._stopped)) for lane, finish in ranked]
        if self._stopped:
            even = [0.5 if len(self._lanes) > 1 else 0.0] * len(self._lanes)
            self.result = Result("adjudicated", self._stopped[:64], even, detail=self._stopped, finishes=finishes)
        else:
            scores = self._boards.scores(by_time=self._setup.by_time)
            self.result = Result("rule", "ranked", scores, finishes=finishes)


def overs(match: str, result: Result, seats: int, *, race: bool) -> Iterator[Over]:
    """What each seat hears at the end, in their order: the result or, in a race, how it ended for this entrant."""
    if not race:
        yield from repeat(Over(match=match, outcome=result), seats)
    elif result.finishes is UNSET:  # there was no race
        for score in result.scores:
            yield Over(match=match, outcome=replace(result, scores=[score]))
    else:
        for score, finish in zip(result.scores, result.finishes, strict=True):
            rank = 1 + sum(other > score for other in result.scores)
            cost = "no solution" if finish.cost is None else f"a cost of {finish.cost:g}"
            detail = finish.detail or f"rank {rank} of {len(result.scores)}, {cost}"
            yield Over(match=match, outcome=Result(finish.termination, finish.reason, [score], detail=detail))
