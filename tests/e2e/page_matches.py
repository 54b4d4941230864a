"""Random matches for the page's tests: real rules, real live structs, moved on by the test, one event at a time."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from palio_rules import live
from palio_rules.messages import Info, Result, SeatOf
from palio_rules.registry import game
from palio_rules.time_control import TimeControl


@dataclass
class PlayedMatch:
    """A match whose seats play at random from `seed`; every step gives the delta that viewers are sent."""

    match: str
    game: str
    bots: Sequence[str]
    seed: int = 1
    event: str = ""
    time: TimeControl = field(default_factory=lambda: TimeControl(base_ms=60_000, increment_ms=100))

    def __post_init__(self) -> None:
        self.rules = game(self.game)
        self.random = random.Random(self.seed)
        self.state = self.rules.start(self.rules.parse_options({}))
        self.seq = 0
        self.lines: list[live.PlyView] = []
        self.refusals: list[live.RefusalView] = []
        self.absent: list[int] = []
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
        used = self.random.randint(3, 900)
        clock = self.clocks[seat]
        self.clocks[seat] = None if clock is None else max(0, clock - used) + self.time.increment_ms
        line = live.PlyView(len(self.lines) + 1, seat, self.rules.notation(self.state, move), used, self._info(move))
        self.lines.append(line)
        self.state = self.state.play(move)
        self.views.append(self.view())
        return live.Played(self._next(), self.match, line, self.views[-1])

    def throw_out(self) -> live.Played:
        """Whose turn it is leaves a game that plays on without it."""
        seat = self.state.to_move
        line = live.PlyView(len(self.lines) + 1, seat, "out", 0)
        self.lines.append(line)
        self.state = self.rules.forfeit(self.state, seat)
        self.views.append(self.view())
        return live.Played(self._next(), self.match, line, self.views[-1])

    def refuse(self, move: str, code: str, reason: str, left: int = 2) -> live.Refused:
        refusal = live.RefusalView(len(self.lines), self.state.to_move, move, code, reason, left)
        self.refusals.append(refusal)
        return live.Refused(self._next(), self.match, refusal, list(self.clocks))

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
