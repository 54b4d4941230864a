"""One match as its viewers see it, brought up to date event by event; lines and boards are written when asked for.

Referees of fast matches call `note` some ten thousand times a second, and mostly nobody watches: so it only keeps the
event (1 us), and notation, text board and scene (16 us with their JSON, half as much as the referee itself needs for a
ply) are made once per ply for the first who wants them.
"""

import logging
from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from palio_rules import live
from palio_rules.boards import Boards
from palio_rules.messages import Info, Result
from palio_rules.ranking import ranks
from palio_rules.record import Ply, Refusal, Setup
from palio_rules.scene import Scene
from palio_server.match import events

log = logging.getLogger(__name__)

NO_BETTER = "no better"  # an anytime race's solution that does not replace the best one
DONE = "done"  # an anytime race that was closed at the bell, or because its entrant had no more to give
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
        self._seats = setup.seats()
        self._absent: set[int] = set()
        self._time = setup.clock()
        self.clocks: list[int | None] = [self._time.base_ms] * len(setup.bots)
        self.plies: list[Ply] = []  # since the opening
        self._lines: list[live.PlyView] = []
        self._unwritten: list[tuple[Any, Any, Any, Ply]] = []  # the positions before and after, the move, the ply
        self._played = [0] * len(setup.bots)  # plies of each seat
        self._refusals = [self._refusal(refusal, None) for refusal in refusals]
        self._drawn: dict[int, tuple[Any, str, Scene | None]] = {}  # by board: the position, and how it looks
        self._view: live.View | None = None
        self._standings: list[live.Standing] | None = None
        self._encoded: tuple[int, bytes] | None = None
        first = self.rules.start(self.rules.parse_options(setup.options), setup.seed)
        self.boards = Boards(self.rules, first, len(setup.bots))
        self._show(views)
        for value in setup.opening:
            self._open(value)
            self._show(views)
        for ply in journal:
            self._replay(ply)
            self._show(views)

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
                self._settle(event.clocks_ms)
            case events.Refused():
                self._refusals.append(self._refusal(event.refusal, event.strikes_left))
                self._settle(event.clocks_ms)
            case events.Absent():
                self._absent.add(event.seat)
            case events.Returned():
                self._absent.discard(event.seat)
            case events.Finished():
                self._settle(event.clocks_ms)
                self.end(event.result)

    def end(self, result: Result) -> None:
        """The match is over."""
        self.result, self._view, self._standings = result, None, None
        self._absent.clear()

    def delta(self, event: events.Event) -> live.Delta:
        """The newest event, for viewers; call it right after `note`."""
        seq, match = self.seq, self.match
        match event:
            case events.Played() | events.Forfeited():
                line = self.lines()[-1]
                return live.Played(seq, match, line, self.view(line.seat))
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
        for before, after, move, ply in self._unwritten:
            self._write(ply.seat, self._text(before, after, move, ply), ply.ms, ply.info)
        self._unwritten.clear()
        return self._lines

    def view(self, seat: int | None = None) -> live.View:
        """The newest position; of a race, the board of the entrant `seat`, or of the one that is ahead."""
        if not self.boards.race:
            if self._view is None:
                self._view = live.View(self.ply, self._to_move(0), self.clocks, *self._draw(0))
            return self._view
        if self._standings is None:
            self._standings = self._race()
        shown = self._ahead() if seat is None else seat
        text, scene = self._draw(shown)
        return live.View(self.ply, self._to_move(shown), self.clocks, text, scene, shown, self._standings)

    def _show(self, views: list[live.View] | None) -> None:
        """Draw the newest position, on the board where it was played."""
        if views is not None:
            views.append(self.view(self.plies[-1].seat if self.plies else None))

    def summary(self) -> live.Summary:
        return live.Summary(
            match=self.match,
            game=self.rules.name,
            title=self.rules.title,
            seats=self._seats,
            time=self.setup.time,
            event=self.event_name,
            view=self.view(),
            kind=self.rules.kind,
            absent=sorted(self._absent),
            result=self.result,
        )

    def snapshot(self) -> live.MatchSnapshot:
        """All that a viewer who comes now must know, as it is at `seq`."""
        boards = [self.view(seat) for seat in range(len(self._seats))] if self.boards.race else []
        return live.MatchSnapshot(self.seq, self.summary(), list(self.lines()), list(self._refusals), boards)

    def snapshot_json(self) -> bytes:
        """`snapshot` as JSON, encoded once for all who come at the same `seq`."""
        if self._encoded is None or self._encoded[0] != self.seq:
            self._encoded = (self.seq, live.to_json(self.snapshot()))
        return self._encoded[1]

    def _to_move(self, seat: int) -> int | None:
        over = self.result is not None or (self.boards.race and self.boards.out[seat] is not None)
        to_move: int | None = None if over else self.boards.of(seat).to_move
        return seat if self.boards.race and to_move is not None else to_move

    def _ahead(self) -> int:
        """The entrant that is ahead in a race, the first of equals."""
        placed = ranks(self.boards.costs())
        return placed.index(min(placed))

    def _race(self) -> list[live.Standing]:
        finishes = UNSET if self.result is None else self.result.finishes
        ends = self.boards.ends() if finishes is UNSET else [finish.reason for finish in finishes]
        return [live.Standing(*each) for each in zip(self.boards.costs(), self._played, ends, strict=True)]

    def _draw(self, seat: int) -> tuple[str, Scene | None]:
        """The board of `seat` as text and as a scene, drawn once for each of its positions."""
        state, board = self.boards.of(seat), seat if self.boards.race else 0
        if (drawn := self._drawn.get(board)) is not None and drawn[0] is state:
            return drawn[1:]
        same = drawn is not None and self.rules.anytime and drawn[0] == state  # it was handed in, but is no better
        try:
            text, scene = self.rules.render(state), drawn[2] if drawn and same else self.rules.scene(state)
        except Exception:  # a third-party game that cannot draw itself must not hide the other matches
            log.exception("%s cannot be drawn after ply %d of match %s", self.rules.name, self.ply, self.match)
            text, scene = f"{self.rules.title} cannot draw this position; the server's log says why", None
        self._drawn[board] = state, text, scene
        return text, scene

    def _play(self, move: Any, event: events.Played | events.Forfeited) -> None:
        self._take(self.boards.of(event.ply.seat), event.state, move, event.ply)
        self.boards.put(event.ply, event.state)
        self._settle(event.clocks_ms)

    def _take(self, before: Any, after: Any, move: Any, ply: Ply) -> None:
        self._unwritten.append((before, after, move, ply))
        self.plies.append(ply)
        self._played[ply.seat] += ply.out is None

    def _settle(self, clocks: list[int | None]) -> None:
        self.clocks, self._view, self._standings = clocks.copy(), None, None

    def _open(self, value: Any) -> None:
        """A ply of the opening."""
        before = self.boards.of(0)
        move = self.rules.read_move(before, value)
        self._write(before.to_move, self.rules.notation(before, move), None, None)
        self.boards.put(Ply(before.to_move, value, 0), before.play(move))
        self._settle(self.clocks)

    def _replay(self, ply: Ply) -> None:
        before, clocks = self.boards.of(ply.seat), self.clocks.copy()
        unknown = ply.out or (ply.move is None and self.rules.anytime)
        move = None if unknown else self.rules.read_move(before, ply.move)
        self._take(before, self.boards.play(ply), move, ply)
        if ply.out is None and (left := clocks[ply.seat]) is not None:
            clocks[ply.seat] = max(0, left - ply.ms) + self._time.increment_ms
        self._settle(clocks)

    def _text(self, before: Any, after: Any, move: Any, ply: Ply) -> str:
        """A line of the move list. A whole solution would fill pages: there, what it costs says all."""
        if ply.out:
            return DONE if self.rules.anytime and ply.out in ("time", "resigned") else OUT
        if not self.rules.anytime:
            return self.rules.notation(before, move)
        cost = self.rules.cost(after)
        return f"{cost:g}" if cost != self.rules.cost(before) else NO_BETTER

    def _write(self, seat: int, text: str, ms: int | None, info: Info | None) -> None:
        self._lines.append(live.PlyView(len(self._lines) + 1, seat, text, ms, info))

    def _refusal(self, refusal: Refusal, strikes_left: int | None) -> live.RefusalView:
        ply = len(self.setup.opening) + refusal.ply  # records do not count the opening's plies, viewers do
        return live.RefusalView(ply, refusal.seat, refusal.move, refusal.code, refusal.reason, strikes_left)
