"""One match as its viewers see it, brought up to date event by event; lines and boards are written when asked for.

Referees of fast matches call `note` some ten thousand times a second, and mostly nobody watches: so it only keeps the
event (1 us), and notation, text board and scene (16 us with their JSON, half as much as the referee itself needs for a
ply) are made once per ply for the first who wants them.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from palio_rules.contract.messages import Result
from palio_rules.records.boards import boards_of
from palio_rules.records.record import Ply, RejectedMove, Setup, score_of
from palio_server import live
from palio_server.live.board_view import view_of
from palio_server.live.move_list import MoveList, SolutionList
from palio_server.match import events


def aborted(setup: Setup, why: str) -> Result:
    """What viewers are shown as the end of a match that has no result; it is in no record, and counts for nobody."""
    return Result("adjudicated", "aborted", [0.0] * len(setup.bots), detail=why)


class MatchLive:
    """The state behind `MatchSnapshot` and the deltas. `seq` counts events; it goes on from a given number."""

    def __init__(
        self,
        match: str,
        setup: Setup,
        event_name: str = "",
        journal: Sequence[Ply] = (),
        refusals: Sequence[RejectedMove] = (),
        *,
        seq: int = 0,
        tournament: int | None = None,
        views: list[live.View] | None = None,
    ) -> None:
        """Replay the opening and the `journal`; every position on the way is drawn into `views`, if that is given.

        Raises ValueError if the match cannot be played.
        """
        self.match, self.setup, self.event_name, self.seq = match, setup, event_name, seq
        self.tournament = tournament
        self.rules = setup.rules()
        self._seats = setup.seats()
        self._absent: set[int] = set()
        self._told: list[float | None] = []  # as `Summary` has it
        self._confined: list[str] = []  # the same
        self._refused: int | UnsetType = UNSET
        self._time = setup.clock()
        self._rejected = [self._seen(rejected, None) for rejected in refusals]
        self._encoded: tuple[int, bytes] | None = None
        first = setup.first()
        self._moves = (SolutionList if self.rules.anytime else MoveList)(self.rules)
        self.plies = self._moves.plies  # since the opening
        self.boards = boards_of(setup, first)
        self._board = view_of(self.boards, [self._time.base_ms] * len(setup.bots), match)
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
        return len(self._moves)

    @property
    def clocks(self) -> list[int | None]:
        """By seat, in milliseconds, as of the last event."""
        return self._board.clocks

    @property
    def result(self) -> Result | None:
        return self._board.result

    def note(self, event: events.Event) -> None:
        """Take in the next event."""
        self.seq += 1
        match event:
            case events.Played():
                self._play(event.move, event)
            case events.Forfeited():  # a kind of Started, but viewers see it in the move list
                self._play(None, event)
            case events.Started():
                self._board.settle(event.clocks_ms)
            case events.Rejected():
                self._rejected.append(self._seen(event.rejected, event.strikes_left))
                self._refused = event.rejected.seat
                self._board.settle(event.clocks_ms)
            case events.Absent():
                self._absent.add(event.seat)
            case events.Back():
                self._absent.discard(event.seat)
            case events.Finished():
                self._board.settle(event.clocks_ms)
                self.end(event.result)

    def end(self, result: Result, confined: Sequence[str] = ()) -> None:
        """The match is over. `confined`: how its bots' programs were, as its record says it."""
        self._confined = list(confined)
        self._board.end(result)
        self._absent.clear()
        self._refused = UNSET

    def delta(self, event: events.Event) -> live.Delta:
        """The newest event, for viewers; call it right after `note`."""
        seq, match = self.seq, self.match
        match event:
            case events.Played() | events.Forfeited():
                line = self.lines()[-1]
                return live.Played(seq, match, line, self._board.view(self.ply, line.seat))
            case events.Started():
                return live.Started(seq, match, self.summary())
            case events.Rejected():
                return live.Rejected(seq, match, self._rejected[-1], self.clocks)
            case events.Absent():
                return live.Absent(seq, match, event.seat, event.grace_ms)
            case events.Back():
                return live.Back(seq, match, event.seat, event.grace_ms)
            case events.Finished():
                return live.Finished(seq, match, event.result, self._board.view(self.ply))

    def lines(self) -> list[live.PlyView]:
        """The move list so far. Not a copy: do not change it."""
        return self._moves.lines()

    def summary(self) -> live.Summary:
        return live.Summary(
            match=self.match,
            game=self.rules.name,
            title=self.rules.title,
            seats=self._seats,
            time=self.setup.time,
            event=self.event_name,
            view=self._board.view(self.ply),
            kind=self.rules.kind,
            absent=sorted(self._absent),
            result=self.result,
            tournament=self.tournament,
            confined=self._confined,
            told=self._told.copy(),
            refused=self._refused,
        )

    def snapshot(self) -> live.MatchSnapshot:
        """All that a viewer who comes now must know, as it is at `seq`."""
        boards = self._board.each(self.ply)
        return live.MatchSnapshot(self.seq, self.summary(), list(self.lines()), list(self._rejected), boards)

    def snapshot_json(self) -> bytes:
        """`snapshot` as JSON, encoded once for all who come at the same `seq`."""
        if self._encoded is None or self._encoded[0] != self.seq:
            self._encoded = (self.seq, msgspec.json.encode(self.snapshot()))
        return self._encoded[1]

    def _show(self, views: list[live.View] | None) -> None:
        if views is not None:
            views.append(self._board.view(self.ply, self.plies[-1].seat if self.plies else None))

    def _play(self, move: Any, event: events.Played | events.Forfeited) -> None:
        self._hear(event.ply)
        if event.ply.seat == self._refused:
            self._refused = UNSET
        self._moves.add(self.boards.of(event.ply.seat), event.state, move, event.ply)
        self.boards.put(event.ply, event.state)
        self._board.settle(event.clocks_ms)

    def _hear(self, ply: Ply) -> None:
        """Keep what the bot has told of the game; one that says nothing still thinks what it said before."""
        if (score := score_of(ply)) is not None:
            self._told = self._told or [None] * len(self.setup.bots)
            self._told[ply.seat] = score

    def _open(self, value: Any) -> None:
        before = self.boards.of(0)
        move = self.rules.read_move(before, value)
        self._moves.open(before, move)
        self.boards.put(Ply(before.to_move, value, 0), before.play(move))
        self._board.settle(self.clocks)

    def _replay(self, ply: Ply) -> None:
        self._hear(ply)
        before, clocks = self.boards.of(ply.seat), self.clocks.copy()
        move = self._moves.move_of(before, ply)
        self._moves.add(before, self.boards.play(ply), move, ply)
        if ply.out is None and (left := clocks[ply.seat]) is not None:
            clocks[ply.seat] = max(0, left - ply.ms) + self._time.increment_ms
        self._board.settle(clocks)

    def _seen(self, rejected: RejectedMove, strikes_left: int | None) -> live.RejectedMoveView:
        ply = len(self.setup.opening) + rejected.ply  # records do not count the opening's plies, viewers do
        return live.RejectedMoveView(ply, rejected.seat, rejected.move, rejected.code, rejected.reason, strikes_left)
