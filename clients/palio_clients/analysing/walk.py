"""A record as a walk from position to position, counted as viewers count."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from palio_rules.game import Game
from palio_rules.records.boards import boards_of
from palio_rules.records.record import Record

OUT = "out"  # in place of a move, where a seat left
NO_BETTER = "no better"  # in place of a solution that an anytime race's record does not keep


class Step(NamedTuple):
    """A ply with the positions before and after it; in a race, on the board of its entrant."""

    ply: int
    seat: int
    move: Any | None  # None where the seat left, or the record has no solution
    text: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Walk:
    """All steps of a match, the opening's first."""

    rules: Game[Any, Any]
    start: Any
    steps: tuple[Step, ...]
    seats: int

    @classmethod
    def of(cls, record: Record) -> Self:
        """Raises ValueError where the record cannot be played."""
        setup, rules = record.setup, record.setup.rules()
        start = state = setup.first()
        steps: list[Step] = []
        for value in setup.opening:
            move = rules.read_move(state, value)
            after = state.play(move)
            steps.append(Step(len(steps) + 1, state.to_move, move, rules.notation(state, move), state, after))
            state = after
        boards = boards_of(setup)
        for ply in record.plies:
            before = boards.of(ply.seat)
            unknown = ply.out is not None or (ply.move is None and rules.anytime)
            move = None if unknown else rules.read_move(before, ply.move)
            text = OUT if ply.out is not None else NO_BETTER if move is None else rules.notation(before, move)
            steps.append(Step(len(steps) + 1, ply.seat, move, text, before, boards.play(ply)))
        return cls(rules, start, tuple(steps), len(setup.bots))
