"""Races for the page's tests: the server's own view of a match, moved on by the test, one event at a time."""

import random
from collections.abc import Sequence
from typing import Any

from palio_rules import live
from palio_rules.messages import Result
from palio_rules.record import Ply, Refusal, Setup
from palio_rules.time_control import TimeControl
from palio_server.live.match_live import MatchLive
from palio_server.live.replay import Replay, replay
from palio_server.match import events

PARK = {"board": "b.../b.../aa.c/.d.."}  # moving c up or down by one solves it
MINUTE = TimeControl(base_ms=60_000)


class PlayedRace:
    """A race whose entrants do what the test says, or hand in random moves; every step gives the delta for viewers."""

    def __init__(
        self,
        match: str,
        game: str,
        bots: Sequence[str],
        options: dict[str, Any] | None = None,
        *,
        event: str = "",
        time: TimeControl = MINUTE,
    ) -> None:
        self.match, self.game, self.bots = match, game, tuple(bots)
        self.setup = Setup(game, self.bots, options=options or {}, seed=1, time=time)
        self.live = MatchLive(match, self.setup, event)
        self.rules, self.boards = self.live.rules, self.live.boards
        self.random = random.Random(1)

    @property
    def result(self) -> Result | None:
        return self.live.result

    @property
    def lines(self) -> list[live.PlyView]:
        return self.live.lines()

    def summary(self) -> live.Summary:
        return self.live.summary()

    def snapshot(self) -> live.MatchSnapshot:
        return self.live.snapshot()

    def replay(self) -> Replay:
        return replay(self.snapshot(), self.setup, tuple(self.live.plies))

    def start(self) -> live.Delta:
        return self._tell(events.Started(self.boards.of(0), self.live.clocks))

    def play(self, seat: int, move: Any = None, ms: int = 250) -> live.Delta:
        """One ply of an entrant: `move` as on the wire, else a random one."""
        state = self.boards.of(seat)
        chosen = self._random(state) if move is None else self.rules.read_move(state, move)
        clocks = self.live.clocks.copy()
        clocks[seat] = None if clocks[seat] is None else max(0, clocks[seat] - ms)
        ply = Ply(seat, self.rules.move_to_wire(chosen), ms)
        return self._tell(events.Played(self.live.ply + 1, ply, chosen, state.play(chosen), clocks))

    def out(self, seat: int, why: Any = "time") -> live.Delta:
        """An entrant leaves; an anytime race is closed by that."""
        state = self.boards.of(seat)
        after = self.rules.forfeit(state, 0) if self.rules.anytime else state
        ply = Ply(seat, None, 0, None, why)
        return self._tell(events.Forfeited(after, self.live.clocks, number=self.live.ply + 1, ply=ply, reason=why))

    def refuse(self, seat: int, move: str, code: str, reason: str) -> live.Delta:
        return self._tell(events.Refused(Refusal(self.live.ply, seat, move, code, reason), 2, self.live.clocks))

    def leave(self, seat: int) -> live.Delta:
        return self._tell(events.Absent(seat, 30_000))

    def finish(self) -> live.Delta:
        result = Result("rule", "ranked", self.boards.scores(), finishes=self.boards.finishes())
        return self._tell(events.Finished(result, self.boards.of(0), self.live.clocks))

    def _random(self, state: Any) -> Any:
        if self.rules.anytime:
            return tuple(self.random.sample(range(state.instance.size), state.instance.size))
        return self.random.choice(list(state.legal_moves()))

    def _tell(self, event: events.Event) -> live.Delta:
        self.live.note(event)
        return self.live.delta(event)
