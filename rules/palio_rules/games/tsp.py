"""The travelling salesman: visit every city once and return to the first, on the shortest tour you can find in time.

Menger's "messenger problem" (1930), NP-hard since Karp, "Reducibility among combinatorial problems" (1972); a problem
set of CS2109S (National University of Singapore) attacks it by hill climbing.

It is an anytime race: every entrant gets the same cities, and a move is a whole tour, a list of all cities in the order
of the journey, without the way back. A tour that is shorter than the best one so far replaces it, a longer one changes
nothing; an invalid tour is rejected. The turn stays with the seat, and the race goes on until it is closed: when time
is up, when the seat has finished and resigns, or when it forfeits; or when the best tour is proven to be the shortest.
Then the best tour counts.

There are (n - 1)! / 2 different tours, so `legal_moves` lists two as an example: the cities in their order, and the
best tour so far.
"""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import cos, isqrt, pi, sin
from typing import Annotated, Any, ClassVar, Self

from msgspec import Meta

from palio_rules.boards import cities as board
from palio_rules.boards.cities import MAX_CITIES, MAX_LISTED, MAX_NUMBER, MIN_CITIES, Instance, Number, Tour
from palio_rules.errors import BadOption, BadPosition, IllegalMove, MalformedMove, quoted
from palio_rules.game import Game, Options, Outcome, only_moves
from palio_rules.instances.tsp import lower_bound
from palio_rules.position import Moves, Readable
from palio_rules.scene import Cell, Gestures, Mark, Scene, Touches

GRID = 1000  # random cities have integer coordinates from 0 up to this, and are all different


@dataclass(frozen=True, slots=True)
class Position(Readable[int, "tuple[Number, Number] | None"]):
    """The best tour so far. `submissions` counts all tours, and is not compared.

    `state[city]` is the point (x, y) of a city, from 0 to `state.instance.size` - 1; None where only distances are
    given. `state.instance.distance(a, b)` is a distance, `state.best` the best tour so far, `state.length` its length.
    """

    instance: Instance
    best: Tour | None = None
    length: Number | None = field(default=None, compare=False)
    submissions: int = field(default=0, compare=False)
    closed: bool = False

    @property
    def to_move(self) -> int | None:
        """Return 0, the solver; None when the race is closed."""
        return None if self.closed else 0

    def __str__(self) -> str:
        return TravellingSalesman().render(self)

    def places(self) -> range:
        """Return the cities."""
        return range(self.instance.size)

    def __getitem__(self, place: int) -> tuple[Number, Number] | None:
        """Return the point of a city. Raises IndexError if there is no such city."""
        if not 0 <= place < self.instance.size:
            raise IndexError(f"city {place!r} does not exist, they are 0 to {self.instance.size - 1}")
        return None if self.instance.points is None else self.instance.points[place]

    def legal_moves(self) -> Moves[Tour]:
        """Return two examples of many: all cities in their order, and the best tour so far, if it is different."""
        return Moves(self._moves)

    def _moves(self) -> Iterator[Tour]:
        if not self.closed:
            order = tuple(range(self.instance.size))
            yield order
            if self.best is not None and self.best != order:
                yield self.best

    @only_moves
    def check(self, move: Tour) -> None:
        """Raise IllegalMove, with the reason, unless `move` visits every city once."""
        size = self.instance.size
        if self.closed:
            raise IllegalMove("game-over", "the race is over")
        seen = bytearray(size)
        for city in move:
            if not 0 <= city < size:
                raise IllegalMove("no-such-city", f"city {quoted(city)} does not exist, they are 0 to {size - 1}")
            if seen[city]:
                raise IllegalMove("visited-twice", f"city {city} is visited twice")
            seen[city] = 1
        if len(move) != size:
            raise IllegalMove("city-missing", f"city {seen.index(0)} is not visited, a tour has all {size}")

    def play(self, move: Tour) -> Self:
        """Return the position after `move`, which is not checked: a shorter tour replaces the best one."""
        length = self.instance.length(move)
        if self.length is None or length < self.length:
            return replace(self, best=tuple(move), length=length, submissions=self.submissions + 1)
        return replace(self, submissions=self.submissions + 1)

    def outcome(self) -> Outcome | None:
        """Return the outcome once the race is closed: "best-tour" scores 1, "no-tour" 0."""
        if not self.closed:
            return None
        return Outcome("no-tour", (0.0,)) if self.best is None else Outcome("best-tour", (1.0,))


class InOrder(Gestures[Position, Tour]):
    """Touch all cities, one after the other: the marks of the scene are the cities, in the order of their numbers."""

    kind = "order"
    how = (
        "Join the cities one after the other, until each is on the tour;\n"
        "the way back home goes by itself. The shortest tour counts, so\n"
        "submit as often as you find a better one."
    )

    def touches(self, state: Position, move: Tour) -> Touches:
        cells = city_cells(state.instance)
        return tuple(frozenset({cells[city]}) for city in move)

    def meant(self, state: Position, cells: tuple[Cell, ...]) -> Tour:
        """Return the tour; of several cities in one cell, the one with the lowest number is touched first."""
        cities: dict[Cell, list[int]] = {}
        for city, cell in enumerate(city_cells(state.instance)):
            cities.setdefault(cell, []).append(city)
        tour = []
        for row, col in cells:
            here = cities.get((row, col))
            if here is None:
                raise IllegalMove("no-such-city", f"there is no city on row {row}, column {col}")
            tour.append(here.pop(0) if len(here) > 1 else here[0])
        return tuple(tour)

    def ordered(self, state: Position, marks: tuple[int, ...]) -> Tour:
        return marks

    def marks(self, state: Position, move: Tour) -> tuple[int, ...]:
        return move

    def count(self, state: Position) -> str:
        best = "no tour yet" if state.length is None else f"best tour {state.length}"
        return f"{best}, {state.submissions} submitted"


Coordinate = Annotated[int, Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)] | Annotated[float, Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)]


class TspOptions(Options, frozen=True):
    size: Annotated[
        int, Meta(ge=MIN_CITIES, le=MAX_CITIES, description="cities of a random instance", examples=[10, 30, 100])
    ] = 30
    cities: Annotated[
        tuple[tuple[Coordinate, Coordinate], ...],
        Meta(max_length=MAX_CITIES, description="the cities as [x, y], replaces size; distances are rounded Euclid's"),
    ] = ()
    distances: Annotated[
        tuple[Coordinate, ...],
        Meta(
            max_length=MAX_LISTED * (MAX_LISTED - 1) // 2,
            description="all distances, instead of cities: from 0 to 1, 0 to 2, ..., 1 to 2, and so on",
        ),
    ] = ()


_TEXT = re.compile(
    r"(?P<instance>(?:euc|list) [^ ]+) (?P<best>-|[0-9,]+) (?P<submissions>0|[1-9][0-9]{0,8}) (?P<status>open|closed)"
)
_TOUR = re.compile(r"(?:0|[1-9][0-9]{0,3})(?:-(?:0|[1-9][0-9]{0,3}))*")


class TravellingSalesman(Game[Position, Tour]):
    name = "tsp"
    title = "Travelling Salesman"
    line = "Visit every city once and come back; the shortest tour when time is up wins."
    seats = ("solver",)
    options_type = TspOptions
    gestures = InOrder()
    hard: ClassVar[Mapping[str, Any]] = {"size": 1000}  # our best search still improves after 3 s
    anytime = True

    def start(self, options: TspOptions, seed: int = 0) -> Position:
        try:
            if options.cities and options.distances:
                raise BadOption("tsp has options cities and distances; give one of them")
            if options.distances:
                return Position(Instance.of_distances(options.distances))
            return Position(Instance.of_points(options.cities or random_cities(options.size, seed)))
        except BadPosition as error:
            raise BadOption(f"tsp: {error}") from None

    def instance(self, options: TspOptions, seed: int = 0) -> dict[str, Any]:
        if options.distances:
            return {"distances": list(options.distances)}
        return {"cities": [list(city) for city in options.cities or random_cities(options.size, seed)]}

    def move_from_wire(self, value: object) -> Tour:
        """Read `[0, 2, 1, 3]`: all cities in the order of the journey."""
        if isinstance(value, list | tuple) and value and all(type(city) is int for city in value):
            return tuple(value)
        raise MalformedMove("not-a-tour", f"a move is a list of all cities in integers, got {quoted(value)}")

    def move_to_wire(self, move: Tour) -> list[int]:
        return [*move]

    def notation(self, state: Position, move: Tour) -> str:
        """Return `0-2-1-3`."""
        return "-".join(map(str, move))

    def parse_notation(self, state: Position, text: str) -> Tour:
        if _TOUR.fullmatch(text):
            return tuple(map(int, text.split("-")))
        raise MalformedMove("not-notation", f"a tour is written 0-2-1-3, got {quoted(text)}")

    def cost(self, state: Position) -> float | None:
        """Return the length of the best tour so far."""
        return None if state.length is None else float(state.length)

    def lower_bound(self, state: Position) -> float | None:
        """Return a bound: up to some 35 cities nearly always the length of the shortest tour; None for many cities."""
        bound = lower_bound(state.instance)
        return None if bound is None else float(bound)

    def no_better(self, state: Position) -> Position:
        """Return the position with one more submission."""
        return replace(state, submissions=state.submissions + 1)

    def forfeit(self, state: Position, seat: int) -> Position:
        """Return the position with the race closed: the submitted tour counts."""
        return replace(state, closed=True)

    def format_state(self, state: Position) -> str:
        """Return the instance, the best tour, the count of tours, open or closed: `euc 0,0;0,3;4,0 0,1,2 5 open`."""
        best = "-" if state.best is None else ",".join(map(str, state.best))
        return f"{state.instance.text} {best} {state.submissions} {'closed' if state.closed else 'open'}"

    def parse_state(self, text: str) -> Position:
        found = _TEXT.fullmatch(text)
        if found is None:
            raise BadPosition(
                "a position is an instance, the best tour or -, how many were submitted, and open or closed, "
                f"as in 'euc 0,0;0,3;4,0 0,1,2 5 open', got {quoted(text)}"
            )
        position = Position(board.read_instance(found["instance"]))
        submissions = int(found["submissions"])
        if (found["best"] == "-") != (submissions == 0):
            raise BadPosition(f"{submissions} tours were submitted, the best one is {quoted(found['best'])}")
        if submissions:
            best = self._best(position, found["best"])
            position = replace(position, best=best, length=position.instance.length(best), submissions=submissions)
        return replace(position, closed=found["status"] == "closed")

    def _best(self, position: Position, text: str) -> Tour:
        try:
            best = self.parse_notation(position, text.replace(",", "-"))
            position.check(best)
        except (MalformedMove, IllegalMove) as error:
            raise BadPosition(f"the best tour is none: {error}") from None
        return best

    def render(self, state: Position) -> str:
        """Return a map of the cities, if they are points, and how far one has come."""
        best = "no tour yet" if state.length is None else f"best tour {state.length}"
        below = f"{best}, {state.submissions} submitted, {'closed' if state.closed else 'open'}"
        return "\n".join([*text_map(state.instance), f"{state.instance.size} cities", below])

    def scene(self, state: Position) -> Scene:
        return plot(state.instance, state.best)


def random_cities(size: int, seed: int) -> list[tuple[int, int]]:
    """Return `size` different points, each as likely as any other: the same for the same seed."""
    choose = random.Random(f"tsp {seed} {size}")  # noqa: S311  # an instance, not a secret
    cities = dict[tuple[int, int], None]()
    while len(cities) < size:
        cities[choose.randrange(GRID + 1), choose.randrange(GRID + 1)] = None
    return list(cities)


MAP_ROWS, MAP_COLS = 16, 48
MIN_SIDE, MAX_SIDE = 12, 100  # of the grid that a page draws
NUMBERED = 40  # cities; with more, their numbers could not be read


def _cells(instance: Instance, rows: int, cols: int) -> list[tuple[int, int]]:
    """Return the cell (row, col) of each city, y growing upwards; both axes have one scale."""
    points: list[tuple[Number, Number]] = list(instance.points or ())
    if not points:
        turns = [2 * pi * city / instance.size for city in range(instance.size)]
        points = [(sin(turn), cos(turn)) for turn in turns]
    left, low = min(x for x, _ in points), min(y for _, y in points)
    wide, high = max(x for x, _ in points) - left, max(y for _, y in points) - low
    scale = min((cols - 1) / wide if wide else cols, (rows - 1) / high if high else rows)
    return [(rows - 1 - round((y - low) * scale), round((x - left) * scale)) for x, y in points]


def text_map(instance: Instance) -> list[str]:
    """Return lines with an `o` for each city, two where two are close."""
    if instance.points is None:
        return []
    lines = [[" "] * MAP_COLS for _ in range(MAP_ROWS)]
    for row, col in _cells(instance, MAP_ROWS, MAP_COLS // 2):
        lines[row][2 * col] = "o"  # a character is about twice as high as it is wide
    return ["".join(line).rstrip() for line in lines]


def city_cells(instance: Instance) -> list[Cell]:
    """Return the cell of each city in the scene."""
    side = _side(instance)
    return _cells(instance, side, side)


def _side(instance: Instance) -> int:
    """Return the number of rows and columns of the scene."""
    return max(MIN_SIDE, min(MAX_SIDE, 4 * isqrt(instance.size)))


def plot(instance: Instance, tour: Tour | None) -> Scene:
    """Draw discs on a plain board, and the tour as its `path`."""
    side, cells = _side(instance), city_cells(instance)
    named = instance.size <= NUMBERED
    marks = tuple(Mark("disc", None, *cell, text=str(city) if named else "") for city, cell in enumerate(cells))
    return Scene(side, side, marks, "plain", path=tuple(cells[city] for city in tour or ()))
