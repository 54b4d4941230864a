"""The move list of a match as viewers see it; its lines are written when somebody looks."""

from typing import Any

from palio_rules.contract.messages import Info
from palio_rules.game import Game
from palio_rules.records.record import Ply
from palio_server.live import PlyView

OUT = "out"  # in the place of a move, where a seat forfeits in a game that plays on
DONE = "done"  # an anytime race that was closed when its time was over, or because its entrant had no more to give
NO_BETTER = "no better"  # an anytime race's solution that does not replace the best one


class MoveList:
    """The plies so far, the opening's included. `len` counts them."""

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
        """Add `ply`, which led from one position to another by `move`; None where it has none."""
        self._unwritten.append((before, after, move, ply))
        self.plies.append(ply)

    def lines(self) -> list[PlyView]:
        """The list so far. Not a copy: do not change it."""
        for before, after, move, ply in self._unwritten:
            self._write(ply.seat, self._text(before, after, move, ply), ply.ms, ply.info)
        self._unwritten.clear()
        return self._lines

    def move_of(self, before: Any, ply: Ply) -> Any:
        """The move of a journaled `ply`; None where it has none. Raises Rejection where it is not legal."""
        return None if ply.out else self.rules.read_move(before, ply.move)

    def _text(self, before: Any, after: Any, move: Any, ply: Ply) -> str:
        return OUT if ply.out else self.rules.notation(before, move)

    def _write(self, seat: int, text: str, ms: int | None, info: Info | None) -> None:
        self._lines.append(PlyView(len(self._lines) + 1, seat, text, ms, info))


class SolutionList(MoveList):
    """Of an anytime race. A whole solution would fill pages: what it costs says all."""

    def move_of(self, before: Any, ply: Ply) -> Any:
        return None if ply.move is None else super().move_of(before, ply)

    def _text(self, before: Any, after: Any, move: Any, ply: Ply) -> str:
        if ply.out:
            return DONE if ply.out in ("time", "resigned") else OUT
        cost = self.rules.cost(after)
        return f"{cost:g}" if cost != self.rules.cost(before) else NO_BETTER
