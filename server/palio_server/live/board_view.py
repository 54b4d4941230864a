"""The boards of a match as viewers see them: each position is drawn once, for the first who looks."""

import logging
from typing import Any, NamedTuple

from msgspec import UNSET, UnsetType

from palio_rules.contract.messages import Result
from palio_rules.records.boards import Boards, RaceBoards
from palio_rules.scene import Scene
from palio_server.live import RaceStanding, View

log = logging.getLogger(__name__)


def view_of(boards: Boards, clocks: list[int | None], match: str) -> "BoardView":
    """What viewers see of the `match` on `boards`, by the kind of its game; the `clocks` are those at the start."""
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
        self.result: Result | None = None
        self._match = match
        self._drawn: dict[int, Drawn] = {}  # by board
        self._newest: View | None = None
        self._standings: list[RaceStanding] | None = None  # of a race

    def settle(self, clocks: list[int | None]) -> None:
        """The position may be another one from now on, and the clocks show `clocks`."""
        self.clocks, self._newest, self._standings = clocks.copy(), None, None

    def end(self, result: Result) -> None:
        """The match is over."""
        self.result, self._newest, self._standings = result, None, None

    def view(self, ply: int, seat: int | None = None) -> View:
        """The newest position, after so many plies; of a race, the board of the entrant `seat`, or of the first."""
        if self._newest is None:
            drawn = self._draw(0, ply)
            self._newest = View(ply, self._to_move(0), self.clocks, drawn.text, drawn.scene)
        return self._newest

    def each(self, ply: int) -> list[View]:
        """The newest board of each entrant of a race; no other match has more than the one."""
        return []

    def _to_move(self, seat: int) -> int | None:
        return None if self.result is not None else self.boards.to_move(seat)

    def _draw(self, board: int, ply: int) -> Drawn:
        state, before = self.boards.of(board), self._drawn.get(board)
        if before is not None and before.state is state:
            return before
        try:
            # a solution that is no better than the best one so far leaves the picture as it is
            same = before if self.rules.anytime and before is not None and before.state == state else None
            drawn = Drawn(state, self.rules.render(state), same.scene if same else self.rules.scene(state))
        except Exception:  # a third-party game that cannot draw itself must not hide the other matches
            log.exception("%s cannot be drawn after ply %d of match %s", self.rules.name, ply, self._match)
            drawn = Drawn(state, f"{self.rules.title} cannot draw this position; the server's log says why", None)
        self._drawn[board] = drawn
        return drawn


class RaceView(BoardView):
    """A race: a board for each entrant, and how all of them stand."""

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
        """Told as soon as there is a solution: then the referee has asked for it, and to ask again costs nothing."""
        if not self.rules.anytime or all(each.cost is None for each in self._standings or ()):
            return UNSET
        bound = self.rules.lower_bound(self.boards.of(0))
        return UNSET if bound is None else bound

    def _stand(self) -> list[RaceStanding]:
        finishes = UNSET if self.result is None else self.result.finishes
        ends = self.boards.ends() if finishes is UNSET else [finish.reason for finish in finishes]
        return [RaceStanding(*each) for each in zip(self.boards.costs(), self.boards.played, ends, strict=True)]
