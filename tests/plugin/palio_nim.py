"""A third party's games: Nim for two, and for three, who play on when one of them forfeits.

Bouton, "Nim, a game with a complete mathematical theory" (1901): whoever takes the last stone wins.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple, Self

from msgspec import Meta

from palio_rules.errors import BadPosition, IllegalMove, MalformedMove, quoted
from palio_rules.game import Game, Options, Outcome
from palio_rules.scene import Cell, Gestures, Mark, Scene, Touches

MOST = 9  # heaps, and stones of a heap


class Take(NamedTuple):
    heap: int
    stones: int


@dataclass(frozen=True, slots=True)
class Heaps:
    """The heaps, whose turn it is, who still plays, and who moved last."""

    heaps: tuple[int, ...]
    turn: int
    playing: tuple[bool, ...]
    last: int = -1

    @property
    def to_move(self) -> int | None:
        return self.turn if any(self.heaps) and sum(self.playing) > 1 else None

    def legal_moves(self) -> Iterator[Take]:
        """Heap by heap, fewest stones first."""
        if self.to_move is not None:
            for heap, size in enumerate(self.heaps):
                for stones in range(1, size + 1):
                    yield Take(heap, stones)

    def check(self, move: Take) -> None:
        if self.to_move is None:
            raise IllegalMove("game-over", "the game is over")
        if not 0 <= move.heap < len(self.heaps):
            raise IllegalMove("no-such-heap", f"heap {quoted(move.heap)} does not exist")
        if not 1 <= move.stones <= self.heaps[move.heap]:
            raise IllegalMove("wrong-count", f"cannot take {quoted(move.stones)} from heap {move.heap}")

    def play(self, move: Take) -> Self:
        heaps = list(self.heaps)
        heaps[move.heap] -= move.stones
        return replace(self, heaps=tuple(heaps), turn=self.after(self.turn), last=self.turn)

    def after(self, seat: int) -> int:
        """The next seat that still plays."""
        seats = len(self.playing)
        return next(other % seats for other in range(seat + 1, seat + 1 + seats) if self.playing[other % seats])

    def outcome(self) -> Outcome | None:
        if self.to_move is not None:
            return None
        winner = self.last if not any(self.heaps) else self.playing.index(True)
        reason = "last-stone" if not any(self.heaps) else "last-player"
        return Outcome(reason, tuple(float(seat == winner) for seat in range(len(self.playing))))


class NimOptions(Options, frozen=True):
    heaps: Annotated[int, Meta(ge=1, le=MOST, description="how many heaps, of 1, 2, 3, ... stones")] = 3


class Taking(Gestures[Heaps, Take]):
    """A touch takes a stone, and all those to its right."""

    how = "Click a stone: it is taken, and so are all to its right.\nWho takes the last one wins."

    def touches(self, state: Heaps, move: Take) -> Touches:
        return (frozenset({(move.heap, state.heaps[move.heap] - move.stones)}),)

    def meant(self, state: Heaps, cells: tuple[Cell, ...]) -> Take:
        heap, at = cells[0]
        if at >= state.heaps[heap]:
            raise IllegalMove("no-stone", f"heap {heap} has no stone there")
        return Take(heap, state.heaps[heap] - at)

    def count(self, state: Heaps) -> str:
        return f"{sum(state.heaps)} left"


class Nim(Game[Heaps, Take]):
    name = "nim"
    title = "Nim"
    seats = ("first", "second")
    options_type = NimOptions
    gestures = Taking()

    def start(self, options: NimOptions, seed: int = 0) -> Heaps:
        return Heaps(tuple(range(1, options.heaps + 1)), 0, (True,) * len(self.seats))

    def move_from_wire(self, value: object) -> Take:
        match value:
            case [heap, stones] if type(heap) is type(stones) is int:
                return Take(heap, stones)
        raise MalformedMove("not-a-take", f"a move is [heap, stones] in integers, got {quoted(value)}")

    def move_to_wire(self, move: Take) -> list[int]:
        return [*move]

    def notation(self, state: Heaps, move: Take) -> str:
        return f"{move.heap}x{move.stones}"

    def parse_notation(self, state: Heaps, text: str) -> Take:
        if found := re.fullmatch(r"([0-9])x([0-9])", text):
            return Take(int(found[1]), int(found[2]))
        raise MalformedMove("not-notation", f"a move is written 0x1, got {quoted(text)}")

    def format_state(self, state: Heaps) -> str:
        playing = "".join("out"[2 * (not plays)] for plays in state.playing)  # o: in, t: forfeited
        return f"{''.join(map(str, state.heaps))} {state.turn} {playing} {state.last}"

    def parse_state(self, text: str) -> Heaps:
        found = re.fullmatch(r"([0-9]{1,9}) ([0-9]) ([ot]+) (-1|[0-9])", text)
        if not found or len(found[3]) != len(self.seats) or "o" not in found[3]:
            raise BadPosition(f"a position is as in '123 0 oo -1', got {quoted(text)}")
        turn, last = int(found[2]), int(found[4])
        if turn >= len(self.seats) or found[3][turn] == "t" or last >= len(self.seats):
            raise BadPosition(f"seat {turn} or {last} does not play, got {quoted(text)}")
        heaps = tuple(map(int, found[1]))
        if not any(heaps) and last < 0:
            raise BadPosition("somebody has taken the last stone, but nobody has moved")
        return Heaps(heaps, turn, tuple(plays == "o" for plays in found[3]), last)

    def render(self, state: Heaps) -> str:
        return "\n".join(f"{number}: {'o' * size}".rstrip() for number, size in enumerate((*state.heaps, 0)))

    def scene(self, state: Heaps) -> Scene:
        """A row for each heap, its stones from the left."""
        stones = (Mark("disc", None, heap, at) for heap, size in enumerate(state.heaps) for at in range(size))
        return Scene(len(state.heaps), MOST, tuple(stones), "plain", tuple(map(str, range(len(state.heaps)))))


class Nim3(Nim):
    name = "nim3"
    title = "Nim for three"
    seats = ("first", "second", "third")

    def forfeit(self, state: Heaps, seat: int) -> Heaps:
        left = replace(state, playing=tuple(plays and other != seat for other, plays in enumerate(state.playing)))
        return replace(left, turn=left.after(seat)) if state.turn == seat else left
