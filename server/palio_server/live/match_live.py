"""One match as its viewers see it, updated event by event; lines and boards are made on demand.

Referees of fast matches call `note` some ten thousand times a second, usually without viewers: so it only keeps the
event (1 us), and notation, text board and scene (16 us with their JSON, half as much as the referee itself needs for a
ply) are made once per ply for the first viewer.
"""

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from palio_rules.contract.messages import Info, Result
from palio_rules.game import Game
from palio_rules.records.boards import Boards, RaceBoards, boards_of
from palio_rules.records.record import Ply, RejectedMove, Setup, score_of
from palio_rules.scene import Scene
from palio_server import live
from palio_server.live import PlyView, RaceStanding, View
from palio_server.match import events
from palio_server.match.clock import SeatClocks

# The boards of a match as viewers see them: each position is drawn once, for the first viewer.

log = logging.getLogger(__name__)


def view_of(boards: Boards, clocks: list[int | None], match: str) -> "BoardView":
    """Return the viewers' boards of the `match`, by the kind of its game; the `clocks` are those at the start."""
    if isinstance(boards, RaceBoards):
        return RaceView(boards, clocks, match)
    return BoardView(boards, clocks, match)


class Drawn(NamedTuple):
    """A position, and how it looks."""

    state: Any
    text: str
    scene: Scene | None


class BoardView:
    """The one board of a duel or a table."""

    def __init__(self, boards: Boards, clocks: list[int | None], match: str) -> None:
        self.boards, self.rules, self.clocks = boards, boards.rules, clocks
        self.moves_to_go: list[int | None] | UnsetType = UNSET  # as in `View`
        self.result: Result | None = None
        self._match = match
        self._drawn: dict[int, Drawn] = {}  # by board
        self._newest: View | None = None
        self._standings: list[RaceStanding] | None = None  # of a race

    def settle(self, clocks: list[int | None]) -> None:
        """Take note of a possible new position, with the clocks at `clocks`."""
        self.clocks, self._newest, self._standings = clocks.copy(), None, None

    def end(self, result: Result) -> None:
        """Take note that the match is over."""
        self.result, self._newest, self._standings = result, None, None

    def view(self, ply: int, seat: int | None = None) -> View:
        """Return the newest position, after `ply` plies; of a race, the board of the entrant `seat`, or
        of the first.
        """
        if self._newest is None:
            drawn = self._draw(0, ply)
            self._newest = View(
                ply, self._to_move(0), self.clocks, drawn.text, drawn.scene, moves_to_go=self.moves_to_go
            )
        return self._newest

    def each(self, ply: int) -> list[View]:
        """Return the newest board of each entrant of a race; any other match has one."""
        return []

    def _to_move(self, seat: int) -> int | None:
        return None if self.result is not None else self.boards.to_move(seat)

    def _draw(self, board: int, ply: int) -> Drawn:
        state, before = self.boards.of(board), self._drawn.get(board)
        if before is not None and before.state is state:
            return before
        try:
            # a solution that is no better than the best one so far leaves the picture unchanged
            same = before if self.rules.anytime and before is not None and before.state == state else None
            drawn = Drawn(state, self.rules.render(state), same.scene if same else self.rules.scene(state))
        except Exception:  # a third-party game that cannot draw itself must not hide the other matches
            log.exception("%s cannot be drawn after ply %d of match %s", self.rules.name, ply, self._match)
            drawn = Drawn(state, f"{self.rules.title} cannot draw this position; the server's log says why", None)
        self._drawn[board] = drawn
        return drawn


class RaceView(BoardView):
    """The boards of a race, one for each entrant, and the standings."""

    boards: RaceBoards

    def view(self, ply: int, seat: int | None = None) -> View:
        if self._standings is None:
            self._standings = self._stand()
        shown = self.boards.ahead() if seat is None else seat
        drawn = self._draw(shown, ply)
        race = self._standings
        return View(ply, self._to_move(shown), self.clocks, drawn.text, drawn.scene, shown, race, self._bound())

    def each(self, ply: int) -> list[View]:
        return [self.view(ply, seat) for seat in range(self.boards.seats)]

    def _to_move(self, seat: int) -> int | None:
        return None if self.boards.end(seat) is not None else super()._to_move(seat)

    def _bound(self) -> float | UnsetType:
        """Return the bound as soon as there is a solution: then the referee has computed it, and another call costs
        nothing.
        """
        if not self.rules.anytime or all(each.cost is None for each in self._standings or ()):
            return UNSET
        bound = self.rules.lower_bound(self.boards.of(0))
        return UNSET if bound is None else bound

    def _stand(self) -> list[RaceStanding]:
        finishes = UNSET if self.result is None else self.result.finishes
        ends = self.boards.ends() if finishes is UNSET else [finish.reason for finish in finishes]
        return [RaceStanding(*each) for each in zip(self.boards.costs(), self.boards.played, ends, strict=True)]


# The move list of a match as viewers see it; its lines are written on demand.

OUT = "out"  # in place of a move, where a seat forfeits in a game that continues
DONE = "done"  # an anytime race that was closed when its time was over, or because its entrant had nothing more to send
NO_BETTER = "no better"  # an anytime race's solution that does not replace the best one


class MoveList:
    """The plies so far, including the opening's. `len` counts them."""

    def __init__(self, rules: Game[Any, Any]) -> None:
        self.rules = rules
        self.plies: list[Ply] = []  # since the opening
        self._lines: list[PlyView] = []
        self._unwritten: list[tuple[Any, Any, Any, Ply]] = []  # the positions before and after, the move, the ply

    def __len__(self) -> int:
        return len(self._lines) + len(self._unwritten)

    def open(self, before: Any, move: Any) -> None:
        """Add a ply of the opening."""
        self._write(before.to_move, self.rules.notation(before, move), None, None)

    def add(self, before: Any, after: Any, move: Any, ply: Ply) -> None:
        """Add `ply`, which led from one position to another by `move`; None if it has none."""
        self._unwritten.append((before, after, move, ply))
        self.plies.append(ply)

    def lines(self) -> list[PlyView]:
        """Return the list so far. Not a copy: do not change it."""
        for before, after, move, ply in self._unwritten:
            self._write(ply.seat, self._text(before, after, move, ply), ply.ms, ply.info)
        self._unwritten.clear()
        return self._lines

    def move_of(self, before: Any, ply: Ply) -> Any:
        """Return the move of a journaled `ply`; None if it has none. Raises Rejection if it is not legal."""
        return None if ply.out else self.rules.read_move(before, ply.move)

    def _text(self, before: Any, after: Any, move: Any, ply: Ply) -> str:
        return OUT if ply.out else self.rules.notation(before, move)

    def _write(self, seat: int, text: str, ms: int | None, info: Info | None) -> None:
        self._lines.append(PlyView(len(self._lines) + 1, seat, text, ms, info))


class SolutionList(MoveList):
    """The list of an anytime race. A whole solution would fill pages, so each line has only its cost."""

    def move_of(self, before: Any, ply: Ply) -> Any:
        return None if ply.move is None else super().move_of(before, ply)

    def _text(self, before: Any, after: Any, move: Any, ply: Ply) -> str:
        if ply.out:
            return DONE if ply.out in ("time", "resigned") else OUT
        cost = self.rules.cost(after)
        return f"{cost:g}" if cost != self.rules.cost(before) else NO_BETTER


def aborted(setup: Setup, why: str) -> Result:
    """Return the result shown to viewers of a match that ended without one; it is in no record, and does not count."""
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
        self._leaderboard = setup.leaderboard
        self._absent: set[int] = set()
        self._told: list[float | None] = []  # as in `Summary`
        self._confined: list[str] = []  # the same
        self._refused: int | UnsetType = UNSET
        self._rejected = [self._seen(rejected, None) for rejected in refusals]
        self._encoded: tuple[int, bytes] | None = None
        first = setup.first()
        self._moves = (SolutionList if self.rules.anytime else MoveList)(self.rules)
        self.plies = self._moves.plies  # since the opening
        self.boards = boards_of(setup, first)
        self._counts = SeatClocks(setup.clocks())  # for moves to go; what the clocks show is in the events
        self._counting = any(self._counts.moves_to_go(seat) or time.byoyomi for seat, time in enumerate(setup.clocks()))
        self._board = view_of(self.boards, self._counts.left_ms.copy(), match)
        self._count([])
        self._show(views)
        for value in setup.opening:
            self._open(value)
            self._show(views)
        for ply in journal:
            self._replay(ply)
            self._show(views)

    @property
    def ply(self) -> int:
        """The number of plies played so far, including the opening's."""
        return len(self._moves)

    @property
    def clocks(self) -> list[int | None]:
        """By seat, in milliseconds, as of the last event."""
        return self._board.clocks

    @property
    def result(self) -> Result | None:
        return self._board.result

    def note(self, event: events.RefereeEvent) -> None:
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
        """Take note that the match is over. `confined`: how its bots' programs were confined, as in its record."""
        self._confined = list(confined)
        self._board.end(result)
        self._absent.clear()
        self._refused = UNSET

    def delta(self, event: events.RefereeEvent) -> live.Delta:
        """Return the newest event, for viewers; call it right after `note`."""
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

    def positions(self) -> list[Any]:
        """Return the present positions: in a race, the one of each entrant."""
        boards = self._board.boards
        return [boards.of(seat) for seat in range(len(self.setup.bots) if self.rules.kind == "race" else 1)]

    def lines(self) -> list[live.PlyView]:
        """Return the move list so far. Not a copy: do not change it."""
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
            times=self.setup.times,
            leaderboard=UNSET if self._leaderboard == self.rules.name else self._leaderboard,
        )

    def snapshot(self) -> live.MatchSnapshot:
        """Return the snapshot at `seq` for a viewer who comes now."""
        boards = self._board.each(self.ply)
        return live.MatchSnapshot(self.seq, self.summary(), list(self.lines()), list(self._rejected), boards)

    def snapshot_json(self) -> bytes:
        """Return `snapshot` as JSON, encoded once for all who come at the same `seq`."""
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
        self._count([event.ply])
        self._board.settle(event.clocks_ms)

    def _hear(self, ply: Ply) -> None:
        """Keep the score that the bot has sent; without a new one the last one still stands."""
        if (score := score_of(ply)) is not None:
            self._told = self._told or [None] * len(self.setup.bots)
            self._told[ply.seat] = score

    def _open(self, value: Any) -> None:
        before = self.boards.of(0)
        move = self.rules.read_move(before, value)
        self._moves.open(before, move)
        self.boards.put(Ply(before.to_move, value, 0), before.play(move))
        self._board.settle(self.clocks)

    def _count(self, plies: Sequence[Ply]) -> None:
        """Take note of new plies for the moves to go."""
        self._counts.rebuild(plies)
        if self._counting:
            self._board.moves_to_go = [self._counts.moves_to_go(seat) for seat in range(len(self._counts.left_ms))]

    def _replay(self, ply: Ply) -> None:
        self._hear(ply)
        before = self.boards.of(ply.seat)
        move = self._moves.move_of(before, ply)
        self._moves.add(before, self.boards.play(ply), move, ply)
        self._count([ply])
        self._board.settle(self._counts.left_ms.copy())

    def _seen(self, rejected: RejectedMove, strikes_left: int | None) -> live.RejectedMoveView:
        ply = len(self.setup.opening) + rejected.ply  # records do not count the opening's plies, viewers do
        return live.RejectedMoveView(ply, rejected.seat, rejected.move, rejected.code, rejected.reason, strikes_left)
