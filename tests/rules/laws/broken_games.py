"""A good game, and one for each law that breaks that law and no other."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from palio_rules.errors import BadPosition, IllegalMove, MalformedMove, quoted
from palio_rules.game import Game, Options, Outcome
from palio_rules.scene import Gestures, Mark, Scene


class Take(NamedTuple):
    stones: int


@dataclass(frozen=True, slots=True)
class Heap:
    """Take one stone or two; whoever takes the last one wins. `first`: how many there were."""

    stones: int
    turn: int
    first: int

    @property
    def to_move(self) -> Any:
        return self.turn if self.stones else None

    def legal_moves(self) -> Iterator[Any]:
        yield from (Take(number) for number in (1, 2) if number <= self.stones)

    def check(self, move: Any) -> None:
        if not self.stones:
            raise IllegalMove("game-over", "the game is over")
        if not 1 <= move.stones <= min(2, self.stones):
            raise IllegalMove("wrong-count", f"take 1 or 2 of {self.stones}, got {quoted(move.stones)}")

    def play(self, move: Any) -> Any:
        return replace(self, stones=self.stones - move.stones, turn=1 - self.turn)

    def outcome(self) -> Outcome | None:
        return None if self.stones else Outcome("last-stone", (float(self.turn == 1), float(self.turn == 0)))


class HeapOptions(Options, frozen=True):
    stones: Annotated[int, Meta(ge=1, le=99, description="how many there are")] = 9


class Touching(Gestures):
    how = "Click the stone."

    def touches(self, state, move):
        return (frozenset({(0, move.stones - 1)}),)

    def meant(self, state, cells):
        if len(cells) > 1:
            raise IllegalMove("one-touch", "one touch takes stones")
        return Take(cells[0][1] + 1)


class Good(Game[Heap, Take]):
    name, title, seats, options_type, gestures = "heap", "Heap", ("first", "second"), HeapOptions, Touching()
    position: type = Heap

    def start(self, options, seed=0):
        return self.position(options.stones, 0, options.stones)

    def move_from_wire(self, value):
        match value:
            case [int(stones)] if not isinstance(stones, bool):
                return Take(stones)
        raise MalformedMove("not-a-take", f"a move is [stones], got {quoted(value)}")

    def move_to_wire(self, move):
        return list(move)

    def notation(self, state, move):
        return f"-{move.stones}"

    def parse_notation(self, state, text):
        if not re.fullmatch("-[12]", text, re.ASCII):
            raise MalformedMove("not-notation", f"a move is -1 or -2, got {quoted(text)}")
        return Take(int(text[1]))

    def format_state(self, state):
        return f"{state.stones}/{state.first} {state.turn}"

    def parse_state(self, text):
        found = re.fullmatch("(0|[1-9][0-9]?)/([1-9][0-9]?) ([01])", text, re.ASCII)
        if not found or int(found[1]) > int(found[2]):
            raise BadPosition(f"a position is 3/9 0, got {quoted(text)}")
        return self.position(int(found[1]), int(found[3]), int(found[2]))

    def render(self, state):
        return f"{'o' * state.stones or '-'}\n{self.seats[state.turn]}"

    def scene(self, state):
        return Scene(1, 2, tuple(Mark("disc", None, 0, col) for col in range(min(2, state.stones))), "plain")


# --- each of these breaks one law ------------------------------------------------------------------------------------


def game_of(position: type) -> type[Good]:
    return type("Broken", (Good,), {"position": position, "__module__": __name__})


class NoDefault(Good):
    class options_type(Options, frozen=True):  # noqa: N801
        stones: Annotated[int, Meta(ge=1, le=99)] = 9


class ManyStarts(Good):
    def start(self, options, seed=0):
        return Heap(random.randrange(3, 99), 0, 99)


class Raises(Heap):
    __slots__ = ()

    def play(self, move):
        if self.stones == 3:
            raise ZeroDivisionError("by nothing")
        return super().play(move)


class Endless(Heap):
    __slots__ = ()

    def play(self, move):
        return replace(super().play(move), stones=self.stones - move.stones or self.first)


class OverBefore(Heap):
    __slots__ = ()

    def outcome(self):
        return super().outcome() if self.stones != 3 else Outcome("three", (1.0, 0.0))


class BothWin(Heap):
    __slots__ = ()

    def outcome(self):
        return None if self.stones else Outcome("last-stone", (1.0, 1.0))


class ForfeitWins(Good):
    def forfeit(self, state, seat):
        return Outcome("forfeit", tuple(float(other == seat) for other in range(2)))


class Costly(Good):
    def cost(self, state):
        return 3.0


class Open(Heap):  # a subclass without slots has a __dict__
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class Unhashed(Heap):
    __slots__ = ()

    def __hash__(self):
        return id(self)


@dataclass(frozen=True, slots=True)
class Uncopied(Heap):
    secret: Any = field(default=0, compare=False)

    def __deepcopy__(self, _):
        return replace(self, turn=1 - self.turn)


@dataclass(frozen=True, slots=True)
class Counting(Heap):
    counted: list[int] = field(default_factory=list, compare=False)

    def play(self, move):
        self.counted.append(1)
        return replace(Heap.play(self, move), counted=[])


class CountingGame(Good):
    position = Counting

    def render(self, state):
        return f"{len(state.counted)}\n{super().render(state)}"


class Twice(Heap):
    __slots__ = ()

    def legal_moves(self):
        yield from super().legal_moves()
        yield from (Take(1) for _ in range(self.stones > 0))


class Lax(Heap):
    __slots__ = ()

    def check(self, move):
        if not self.stones:
            super().check(move)


class LaxAtTheEnd(Heap):
    __slots__ = ()

    def check(self, move):
        if self.stones:
            super().check(move)


class AnotherTake(NamedTuple):
    stones: int
    why: Any = None


class WireLoses(Good):
    def move_to_wire(self, move):
        return [move.stones if move.stones == 1 else 1]


class Trusting(Good):
    def move_from_wire(self, value):
        if isinstance(value, bytes):
            raise TypeError("no bytes")
        return super().move_from_wire(value)


class Mute(Good):
    def move_from_wire(self, value):
        try:
            return super().move_from_wire(value)
        except MalformedMove as error:
            raise MalformedMove(error.code, "that is no move") from None


class Alike(Good):
    def notation(self, state, move):
        return "-1" if state.stones > 5 else super().notation(state, move)


class TrustingNotation(Good):
    def parse_notation(self, state, text):
        return Take(int(text[1]))


class Forgets(Good):
    def format_state(self, state):
        return f"{state.stones}/{state.first} {min(state.turn, 0)}"


class TrustingPosition(Good):
    def parse_state(self, text):
        if "no position" in text:
            raise LookupError(text)
        return super().parse_state(text)


class OneLine(Good):
    def render(self, state):
        return "o" * (state.stones + 1)


class OffBoard(Good):
    def scene(self, state):
        return replace_marks(super().scene(state))


def replace_marks(scene: Scene) -> Scene:
    return Scene(scene.rows, scene.cols, (*scene.marks, Mark("disc", None, 5, 5)), "plain")


class WrongHand(Good):
    class gestures(Touching):  # noqa: N801
        def touches(self, state, move):
            return (frozenset({(0, 0)}),)

    gestures = gestures()


BROKEN: dict[str, type[Good]] = {
    "its settings are read": NoDefault,
    "the same seed gives the same first position": ManyStarts,
    "random games go through": game_of(Raises),
    "random games come to an end": game_of(Endless),
    "it is over when nobody is to move and nothing is listed": game_of(OverBefore),
    "scores fit the kind of the game": game_of(BothWin),
    "whoever forfeits does not win": ForfeitWins,
    "only a solved race has a cost": Costly,
    "positions are frozen": game_of(Open),
    "positions are equal and hashed by their value": game_of(Unhashed),
    "positions can be copied and pickled": game_of(Uncopied),
    "play changes nothing but makes a new position": CountingGame,
    "moves are listed once, in one order": game_of(Twice),
    "a move passes check exactly when it is listed": game_of(Lax),
    "no move is legal after the end": game_of(LaxAtTheEnd),
    "moves come back from the wire as they left": WireLoses,
    "a hostile wire value is refused, and nothing else": Trusting,
    "what is refused is quoted": Mute,
    "notation is one word, for one move": Alike,
    "a hostile notation is refused, and nothing else": TrustingNotation,
    "a position is read back from its text": Forgets,
    "a hostile position is refused, and nothing else": TrustingPosition,
    "the text board has several lines": OneLine,
    "the scene stays on its board": OffBoard,
    "gestures make the moves they show": WrongHand,
}
