"""A match played through once more for its tables: notation, positions, clocks and costs, ply by ply."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from palio_rules.game import Game
from palio_rules.records.boards import boards_of
from palio_rules.records.record import Ply, Record
from palio_server.match.clock import SeatClocks


@dataclass(frozen=True, slots=True)
class Step:
    """A ply and what it came to. `before` is the position on the board of its seat; see the table of plies."""

    seat: int
    ply: Ply
    move: str | None  # in notation
    before: Any
    clock_ms: int | None = None
    cost: float | None = None


class Replayed:
    """All of a match, played. Raises ValueError, among them Rejection, where the rules do not allow it."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.rules: Game[Any, Any] = record.setup.rules()
        self.first = record.setup.first()
        self.opening = tuple(self._opening())
        self._boards = boards_of(record.setup)
        self.plies = tuple(self._played())

    @property
    def is_race(self) -> bool:
        return self.rules.kind == "race"

    def last(self, seat: int) -> Any:
        """The last position on the board of `seat`."""
        return self._boards.of(seat)

    @cached_property
    def lower_bound(self) -> float | None:
        return self.rules.lower_bound(self.first) if self.is_race else None

    def _opening(self) -> Any:
        state = self.first
        for value in self.record.setup.opening:
            move = self.rules.read_move(state, value)
            seat = state.to_move
            yield Step(seat, Ply(seat, value, 0), self.rules.notation(state, move), state)
            state = state.play(move)

    def _played(self) -> Any:
        boards, rules = self._boards, self.rules
        clocks = SeatClocks(self.record.setup.clock(), boards.seats)
        for ply in self.record.plies:
            if not 0 <= ply.seat < boards.seats:
                raise ValueError(f"a ply was played by seat {ply.seat}, there are {boards.seats}")
            before = boards.of(ply.seat)
            after = boards.play(ply)
            move = None
            if ply.out is None:
                clocks.charge(ply.seat, ply.ms)
                if ply.move is not None:
                    move = rules.notation(before, rules.move_from_wire(ply.move))
            cost = rules.cost(after) if self.is_race else None
            yield Step(ply.seat, ply, move, before, clocks.left_ms[ply.seat], cost)
