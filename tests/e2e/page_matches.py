"""Matches and races for the page's tests: real rules and live structs, moved on by the test, one event at a time."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET, UnsetType

from palio_rules.contract.messages import Info, Result, SeatOf
from palio_rules.records.record import Ply, RejectedMove, Setup
from palio_rules.registry import game
from palio_rules.time_control import TimeControl
from palio_server import live
from palio_server.live.match_live import MatchLive
from palio_server.live.replay import Replay, replay
from palio_server.match import events

PARK = {"board": "b.../b.../aa.c/.d.."}  # moving c up or down by one solves it
MINUTE = TimeControl(base_ms=60_000)


@dataclass
class PlayedMatch:
    """A match whose seats play at random from `seed`; every step gives the delta that viewers are sent."""

    match: str
    game: str
    bots: Sequence[str]
    seed: int = 1
    event: str = ""
    tournament: int | None = None
    time: TimeControl = field(default_factory=lambda: TimeControl(base_ms=60_000, increment_ms=100))
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rules = game(self.game)
        self.random = random.Random(self.seed)
        self.state = self.rules.start(self.rules.parse_options(self.options))
        self.seq = 0
        self.lines: list[live.PlyView] = []
        self.refusals: list[live.RejectedMoveView] = []
        self.absent: list[int] = []
        self.refused: int | UnsetType = UNSET
        self.result: Result | None = None
        self.clocks: list[int | None] = [self.time.base_ms] * len(self.bots)
        self.views = [self.view()]

    def view(self) -> live.View:
        to_move = None if self.result else self.state.to_move
        board = self.rules.render(self.state)
        return live.View(len(self.lines), to_move, list(self.clocks), board, self.rules.scene(self.state))

    def summary(self) -> live.Summary:
        seats = [SeatOf(name, bot) for name, bot in zip(self.rules.seats, self.bots, strict=True)]
        title, absent = self.rules.title, list(self.absent)
        return live.Summary(
            self.match,
            self.game,
            title,
            seats,
            self.time,
            self.event,
            self.view(),
            self.rules.kind,
            absent,
            self.result,
            self.tournament,
            refused=self.refused,
        )

    def snapshot(self) -> live.MatchSnapshot:
        return live.MatchSnapshot(self.seq, self.summary(), list(self.lines), list(self.refusals))

    def start(self) -> live.Started:
        return live.Started(self._next(), self.match, self.summary())

    def play(self) -> live.Played | live.Finished:
        """One random ply, or the end if there is none."""
        if (outcome := self.state.outcome()) is not None:
            return self.finish(Result("rule", outcome.reason, list(outcome.scores)))
        seat, move = self.state.to_move, self.random.choice(list(self.state.legal_moves()))
        used, self.refused = self.random.randint(3, 900), UNSET
        clock = self.clocks[seat]
        self.clocks[seat] = None if clock is None else max(0, clock - used) + self.time.increment_ms
        line = live.PlyView(len(self.lines) + 1, seat, self.rules.notation(self.state, move), used, self._info(move))
        self.lines.append(line)
        self.state = self.state.play(move)
        self.views.append(self.view())
        return live.Played(self._next(), self.match, line, self.views[-1])

    def throw_out(self) -> live.Played:
        """Let the seat to move leave a game that continues without it."""
        seat = self.state.to_move
        line = live.PlyView(len(self.lines) + 1, seat, "out", 0)
        self.lines.append(line)
        self.state = self.rules.forfeit(self.state, seat)
        self.views.append(self.view())
        return live.Played(self._next(), self.match, line, self.views[-1])

    def reject(self, move: str, code: str, reason: str, left: int = 2) -> live.Rejected:
        self.refused = self.state.to_move
        refusal = live.RejectedMoveView(len(self.lines), self.state.to_move, move, code, reason, left)
        self.refusals.append(refusal)
        return live.Rejected(self._next(), self.match, refusal, list(self.clocks))

    def leave(self, seat: int) -> live.Absent:
        self.absent.append(seat)
        return live.Absent(self._next(), self.match, seat, 30_000)

    def come_back(self, seat: int) -> live.Back:
        self.absent.remove(seat)
        return live.Back(self._next(), self.match, seat, 20_000)

    def finish(self, result: Result) -> live.Finished:
        self.result = result
        self.views[-1] = self.view()
        return live.Finished(self._next(), self.match, result, self.views[-1])

    def to_the_end(self) -> "PlayedMatch":
        self.start()
        while self.result is None:
            self.play()
        return self

    def _next(self) -> int:
        self.seq += 1
        return self.seq

    def _info(self, move: Any) -> Info | None:
        if self.seed % 2 and self.state.to_move == 1:
            return None  # a bot that tells nothing
        depth = self.random.randint(3, 9)
        pv = [self.rules.notation(self.state, move)]
        return Info(depth=depth, nodes=self.random.randint(900, 4_000_000), score=self.random.uniform(-9, 9), pv=pv)


class PlayedRace:
    """A race, by the server's own view of it. Its entrants do what the test says, or submit random moves.

    Every step gives the delta for viewers.
    """

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

    def reject(self, seat: int, move: str, code: str, reason: str) -> live.Delta:
        return self._tell(events.Rejected(RejectedMove(self.live.ply, seat, move, code, reason), 2, self.live.clocks))

    def leave(self, seat: int) -> live.Delta:
        return self._tell(events.Absent(seat, 30_000))

    def finish(self) -> live.Delta:
        result = Result("rule", "ranked", self.boards.scores(), finishes=self.boards.finishes())
        return self._tell(events.Finished(result, self.boards.of(0), self.live.clocks))

    def _random(self, state: Any) -> Any:
        if self.rules.anytime:
            return tuple(self.random.sample(range(state.instance.size), state.instance.size))
        return self.random.choice(list(state.legal_moves()))

    def _tell(self, event: events.RefereeEvent) -> live.Delta:
        self.live.note(event)
        return self.live.delta(event)
