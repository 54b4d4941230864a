"""One match as its viewers see it, brought up to date event by event; lines and boards are written when asked for.

Referees of fast matches call `note` some ten thousand times a second, and mostly nobody watches: so it only keeps the
event (1 us), and notation, text board and scene (16 us with their JSON, half as much as the referee itself needs for a
ply) are made once per ply for the first who wants them.
"""

from collections.abc import Sequence
from typing import Any

from palio_rules import live
from palio_rules.messages import Result, SeatOf
from palio_rules.record import Ply, Refusal, Setup
from palio_rules.scene import Scene
from palio_server import events


class MatchLive:
    """The state behind `MatchSnapshot` and the deltas. `seq` counts events; it goes on from where it is told to."""

    def __init__(
        self,
        match: str,
        setup: Setup,
        event_name: str = "",
        journal: Sequence[Ply] = (),
        refusals: Sequence[Refusal] = (),
        *,
        seq: int = 0,
    ) -> None:
        self.match, self.setup, self.event_name, self.seq = match, setup, event_name, seq
        self.rules = setup.rules()
        self.result: Result | None = None
        self._seats = [SeatOf(name=name, bot=bot) for name, bot in zip(self.rules.seats, setup.bots, strict=True)]
        self._absent: set[int] = set()
        self._clocks: list[int | None] = [setup.time.base_ms] * len(setup.bots)
        self._lines: list[live.PlyView] = []
        self._unwritten: list[tuple[Any, events.Played]] = []  # with the position before each
        self.state = self.rules.start(self.rules.parse_options(setup.options), setup.seed)
        for value in setup.opening:
            self._replay(value, None)
        for ply in journal:
            self._replay(ply.move, ply)
        self._refusals = [self._refusal(refusal, None) for refusal in refusals]
        self._board: tuple[int, str, Scene | None] | None = None  # of this ply
        self._view: live.View | None = None
        self._encoded: tuple[int, bytes] | None = None

    @property
    def ply(self) -> int:
        """Plies played so far, the opening's included."""
        return len(self._lines) + len(self._unwritten)

    def note(self, event: events.Event) -> None:
        """Take in the next event."""
        self.seq += 1
        match event:
            case events.Started():
                self._settle(event.state, event.clocks_ms)
            case events.Played():
                self._unwritten.append((self.state, event))
                self._settle(event.state, event.clocks_ms)
            case events.Refused():
                self._refusals.append(self._refusal(event.refusal, event.strikes_left))
                self._settle(self.state, event.clocks_ms)
            case events.Absent():
                self._absent.add(event.seat)
            case events.Returned():
                self._absent.discard(event.seat)
            case events.Finished():
                self.result = event.result
                self._absent.clear()
                self._settle(event.state, event.clocks_ms)

    def delta(self, event: events.Event) -> live.Delta:
        """The newest event, for viewers; call it right after `note`."""
        seq, match = self.seq, self.match
        match event:
            case events.Started():
                return live.Started(seq, match, self.summary())
            case events.Played():
                return live.Played(seq, match, self.lines()[-1], self.view())
            case events.Refused():
                return live.Refused(seq, match, self._refusals[-1], self._clocks)
            case events.Absent():
                return live.Absent(seq, match, event.seat, event.grace_ms)
            case events.Returned():
                return live.Back(seq, match, event.seat, event.grace_ms)
            case events.Finished():
                return live.Finished(seq, match, event.result, self.view())

    def lines(self) -> list[live.PlyView]:
        """The move list so far. Not a copy: do not change it."""
        for before, played in self._unwritten:
            ply = played.ply
            text = self.rules.notation(before, played.move)
            self._lines.append(live.PlyView(len(self._lines) + 1, ply.seat, text, ply.ms, ply.info))
        self._unwritten.clear()
        return self._lines

    def view(self) -> live.View:
        """The newest position."""
        if self._view is None:
            if self._board is None or self._board[0] != self.ply:
                self._board = (self.ply, self.rules.render(self.state), self.rules.scene(self.state))
            to_move = self.state.to_move if self.result is None else None
            self._view = live.View(self.ply, to_move, self._clocks, self._board[1], self._board[2])
        return self._view

    def summary(self) -> live.Summary:
        return live.Summary(
            match=self.match,
            game=self.rules.name,
            title=self.rules.title,
            seats=self._seats,
            time=self.setup.time,
            event=self.event_name,
            view=self.view(),
            absent=sorted(self._absent),
            result=self.result,
        )

    def snapshot(self) -> live.MatchSnapshot:
        """All that a viewer who comes now must know, as it is at `seq`."""
        return live.MatchSnapshot(self.seq, self.summary(), list(self.lines()), list(self._refusals))

    def snapshot_json(self) -> bytes:
        """`snapshot` as JSON, encoded once for all who come at the same `seq`."""
        if self._encoded is None or self._encoded[0] != self.seq:
            self._encoded = (self.seq, live.to_json(self.snapshot()))
        return self._encoded[1]

    def _settle(self, state: Any, clocks: list[int | None]) -> None:
        self.state, self._clocks, self._view = state, clocks.copy(), None

    def _replay(self, value: Any, ply: Ply | None) -> None:
        before, seat = self.state, self.state.to_move
        move = self.rules.read_move(before, value)
        number, text = len(self._lines) + 1, self.rules.notation(before, move)
        if ply is None:
            self._lines.append(live.PlyView(number, seat, text, None))
        else:
            self._lines.append(live.PlyView(number, ply.seat, text, ply.ms, ply.info))
        self.state = before.play(move)

    def _refusal(self, refusal: Refusal, strikes_left: int | None) -> live.RefusalView:
        ply = len(self.setup.opening) + refusal.ply  # records do not count the opening's plies, viewers do
        return live.RefusalView(ply, refusal.seat, refusal.move, refusal.code, refusal.reason, strikes_left)
