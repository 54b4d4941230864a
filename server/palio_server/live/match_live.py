"""One match as its viewers see it, brought up to date event by event; lines and boards are written when asked for.

Referees of fast matches call `note` some ten thousand times a second, and mostly nobody watches: so it only keeps the
event (1 us), and notation, text board and scene (16 us with their JSON, half as much as the referee itself needs for a
ply) are made once per ply for the first who wants them.
"""

import logging
from collections.abc import Sequence
from typing import Any

from palio_rules import live
from palio_rules.messages import Info, Result, SeatOf
from palio_rules.record import Ply, Refusal, Setup, advance
from palio_rules.scene import Scene
from palio_server.match import events

log = logging.getLogger(__name__)

OUT = "out"  # in the place of a move, where a seat was thrown out of a game that plays on


def aborted(setup: Setup, why: str) -> Result:
    """What viewers are shown as the end of a match that has no result; it is in no record, and counts for nobody."""
    return Result("adjudicated", "aborted", [0.0] * len(setup.bots), detail=why)


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
        views: list[live.View] | None = None,
    ) -> None:
        """Replay the opening and the `journal`; every position on the way is drawn into `views`, if that is given.

        Raises ValueError if the match cannot be played.
        """
        self.match, self.setup, self.event_name, self.seq = match, setup, event_name, seq
        self.rules = setup.rules()
        self.result: Result | None = None
        self._seats = [SeatOf(name=name, bot=bot) for name, bot in zip(self.rules.seats, setup.bots, strict=True)]
        self._absent: set[int] = set()
        self.clocks: list[int | None] = [setup.time.base_ms] * len(setup.bots)
        self.plies: list[Ply] = []  # since the opening
        self._lines: list[live.PlyView] = []
        self._unwritten: list[tuple[Any, Any, Ply]] = []  # the position before, the move, the ply
        self._refusals = [self._refusal(refusal, None) for refusal in refusals]
        self._board: tuple[int, str, Scene | None] | None = None  # of this ply
        self._view: live.View | None = None
        self._encoded: tuple[int, bytes] | None = None
        self.state = self.rules.start(self.rules.parse_options(setup.options), setup.seed)
        opening = [(Ply(-1, value, 0), True) for value in setup.opening]
        for ply, in_opening in [*opening, *((ply, False) for ply in journal)]:
            if views is not None:
                views.append(self.view())
            self._replay(ply, in_opening=in_opening)
        if views is not None:
            views.append(self.view())

    @property
    def ply(self) -> int:
        """Plies played so far, the opening's included."""
        return len(self._lines) + len(self._unwritten)

    def note(self, event: events.Event) -> None:
        """Take in the next event."""
        self.seq += 1
        match event:
            case events.Played():
                self._play(event.move, event)
            case events.Forfeited():  # a kind of Started, but viewers see it in the move list
                self._play(None, event)
            case events.Started():
                self._settle(event.state, event.clocks_ms)
            case events.Refused():
                self._refusals.append(self._refusal(event.refusal, event.strikes_left))
                self._settle(self.state, event.clocks_ms)
            case events.Absent():
                self._absent.add(event.seat)
            case events.Returned():
                self._absent.discard(event.seat)
            case events.Finished():
                self._settle(event.state, event.clocks_ms)
                self.end(event.result)

    def end(self, result: Result) -> None:
        """The match is over."""
        self.result, self._view = result, None
        self._absent.clear()

    def delta(self, event: events.Event) -> live.Delta:
        """The newest event, for viewers; call it right after `note`."""
        seq, match = self.seq, self.match
        match event:
            case events.Played() | events.Forfeited():
                return live.Played(seq, match, self.lines()[-1], self.view())
            case events.Started():
                return live.Started(seq, match, self.summary())
            case events.Refused():
                return live.Refused(seq, match, self._refusals[-1], self.clocks)
            case events.Absent():
                return live.Absent(seq, match, event.seat, event.grace_ms)
            case events.Returned():
                return live.Back(seq, match, event.seat, event.grace_ms)
            case events.Finished():
                return live.Finished(seq, match, event.result, self.view())

    def lines(self) -> list[live.PlyView]:
        """The move list so far. Not a copy: do not change it."""
        for before, move, ply in self._unwritten:
            self._write(ply.seat, OUT if ply.out else self.rules.notation(before, move), ply.ms, ply.info)
        self._unwritten.clear()
        return self._lines

    def view(self) -> live.View:
        """The newest position."""
        if self._view is None:
            if self._board is None or self._board[0] != self.ply:
                self._board = (self.ply, *self._draw())
            to_move = self.state.to_move if self.result is None else None
            self._view = live.View(self.ply, to_move, self.clocks, self._board[1], self._board[2])
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

    def _draw(self) -> tuple[str, Scene | None]:
        try:
            return self.rules.render(self.state), self.rules.scene(self.state)
        except Exception:  # a third-party game that cannot draw itself must not hide the other matches
            log.exception("%s cannot be drawn after ply %d of match %s", self.rules.name, self.ply, self.match)
            return f"{self.rules.title} cannot draw this position; the server's log says why", None

    def _play(self, move: Any, event: events.Played | events.Forfeited) -> None:
        self._unwritten.append((self.state, move, event.ply))
        self.plies.append(event.ply)
        self._settle(event.state, event.clocks_ms)

    def _settle(self, state: Any, clocks: list[int | None]) -> None:
        self.state, self.clocks, self._view = state, clocks.copy(), None

    def _replay(self, ply: Ply, *, in_opening: bool = False) -> None:
        before, clocks, rules = self.state, self.clocks.copy(), self.rules
        text = OUT if ply.out else rules.notation(before, rules.read_move(before, ply.move))
        if in_opening:
            self._write(before.to_move, text, None, None)
        else:
            self._write(ply.seat, text, ply.ms, ply.info)
            self.plies.append(ply)
            if (left := clocks[ply.seat]) is not None:
                clocks[ply.seat] = max(0, left - ply.ms) + self.setup.time.increment_ms
        self._settle(advance(rules, before, ply), clocks)

    def _write(self, seat: int, text: str, ms: int | None, info: Info | None) -> None:
        self._lines.append(live.PlyView(len(self._lines) + 1, seat, text, ms, info))

    def _refusal(self, refusal: Refusal, strikes_left: int | None) -> live.RefusalView:
        ply = len(self.setup.opening) + refusal.ply  # records do not count the opening's plies, viewers do
        return live.RefusalView(ply, refusal.seat, refusal.move, refusal.code, refusal.reason, strikes_left)
