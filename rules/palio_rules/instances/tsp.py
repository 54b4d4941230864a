"""Cities from files: TSPLIB's `.tsp`, those with points on a plane and rounded distances; and lists of distances.

Reinelt, "TSPLIB: a traveling salesman problem library", ORSA Journal on Computing 3 (1991). Headers come as `NAME : x`
and as `NAME: x`. TSPLIB numbers cities from 1, Palio from 0.

A list has the form of CS2109S: `[(1, 0, 10), (0, 3, 22), ...]`, or a line `1 0 10` for each distance. Cities count from
0. Every two cities have one distance, for both directions. `#` begins a comment.
"""

from collections.abc import Iterable
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

from palio_rules.boards.cities import MAX_CITIES, MAX_LISTED, MIN_CITIES, Instance, Number, Point
from palio_rules.errors import BadPosition, nearest, quoted
from palio_rules.instances.source import Source, read_integer, read_number

SECTION = "NODE_COORD_SECTION"
ONLY = {  # headers whose value must be this, if present
    "TYPE": ("TSP",),
    "EDGE_WEIGHT_TYPE": ("EUC_2D",),
    "NODE_COORD_TYPE": ("TWOD_COORDS",),
}
_PUNCTUATION = str.maketrans("()[],;", "      ")
KNOWN = ("NAME", "COMMENT", "DIMENSION", "DISPLAY_DATA_TYPE", *ONLY)


def read_tsp(source: Source) -> dict[str, Any]:
    """Read the options of an instance. Raises BadInstance with file, line and reason."""
    lines = source.lines
    size, first = _headers(source, lines)
    cities: dict[int, Point] = {}
    line = first
    for line in range(first, len(lines) + 1):
        words = lines[line - 1].split()
        if words == ["EOF"]:
            break
        if words:
            number, point = _city(source, line, words, size)
            if number in cities:
                raise source.fault(line, f"city {number} is given twice")
            cities[number] = point
    after = next((number for number in range(line + 1, len(lines) + 1) if lines[number - 1].strip()), None)
    if after is not None:
        raise source.fault(after, f"after EOF comes nothing more, got {quoted(lines[after - 1])}")
    missing = next((number for number in range(1, size + 1) if number not in cities), None)
    if missing is not None:
        raise source.fault(line, f"city {missing} is missing, DIMENSION says {size}")
    points = [cities[number] for number in range(1, size + 1)]
    try:
        Instance.of_points(points)
    except BadPosition as error:
        raise source.fault(first, str(error)) from None
    return {"cities": [[*point] for point in points]}


def _headers(source: Source, lines: list[str]) -> tuple[int, int]:
    """Return the dimension, and the line after the one that begins the cities."""
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if key == SECTION:
            return _dimension(source, number, found), number + 1
        if not line.strip():
            continue
        if not colon or key not in KNOWN:
            known = nearest(key, (*KNOWN, SECTION))
            raise source.fault(number, f"a header is KEY: value, {quoted(key)} is none that is read here; {known}")
        if key in found and key != "COMMENT":
            raise source.fault(number, f"{key} is given twice")
        if key in ONLY and value not in ONLY[key]:
            raise source.fault(number, f"{key} is {' or '.join(ONLY[key])} here, got {quoted(value)}")
        if key == "DIMENSION":
            size = read_integer(value)
            if size is None or not MIN_CITIES <= size <= MAX_CITIES:
                raise source.fault(number, f"DIMENSION is {MIN_CITIES} to {MAX_CITIES} here, got {quoted(value)}")
        found[key] = value
    raise source.fault(len(lines), f"the file ends before {SECTION}")


def _dimension(source: Source, line: int, found: dict[str, str]) -> int:
    for key in ("DIMENSION", "EDGE_WEIGHT_TYPE"):
        if key not in found:
            raise source.fault(line, f"{key} is missing before {SECTION}")
    return int(found["DIMENSION"])


def _city(source: Source, line: int, words: list[str], size: int) -> tuple[int, Point]:
    """Return a city's number, from 1, and its point."""
    number = read_integer(words[0])
    if number is None or len(words) != 3:
        raise source.fault(line, f"a city is three numbers as in '1 565.0 575.0', got {quoted(' '.join(words))}")
    if not 1 <= number <= size:
        raise source.fault(line, f"city {number} does not exist, DIMENSION says {size}")
    x, y = (_coordinate(source, line, word) for word in words[1:])
    return number, (x, y)


def _coordinate(source: Source, line: int, word: str) -> Number:
    value = read_number(word)
    if value is None:
        raise source.fault(line, f"{quoted(word)} is no number")
    return value


def read_distances(source: Source) -> dict[str, Any]:
    """Read the options of an instance. Raises BadInstance with file, line and reason."""
    found: dict[tuple[int, int], tuple[Number, int]] = {}  # with the line
    for line, text in enumerate(source.lines, 1):
        words = text.partition("#")[0].translate(_PUNCTUATION).split()
        if len(words) % 3:
            raise source.fault(line, f"a distance is three numbers, city, city, distance, got {quoted(text.strip())}")
        for at in range(0, len(words), 3):
            a, b, distance = _distance(source, line, *words[at : at + 3])
            if (a, b) in found:
                raise source.fault(line, f"the distance from {a} to {b} is given twice, first on line {found[a, b][1]}")
            found[a, b] = (distance, line)
    size = max((b for _, b in found), default=-1) + 1
    last = len(source.text.rstrip().split("\n"))
    if size < MIN_CITIES:
        raise source.fault(last, f"an instance has at least {MIN_CITIES} cities, got {size}")
    pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
    missing = next((pair for pair in pairs if pair not in found), None)
    if missing is not None:
        raise source.fault(last, f"the distance from {missing[0]} to {missing[1]} is missing, there are {size} cities")
    distances = [found[pair][0] for pair in pairs]
    try:
        Instance.of_distances(distances)
    except BadPosition as error:
        raise source.fault(last, str(error)) from None
    return {"distances": distances}


def _distance(source: Source, line: int, first: str, second: str, text: str) -> tuple[int, int, Number]:
    """Return the two cities, the lower one first, and their distance."""
    a, b, distance = read_integer(first), read_integer(second), read_number(text)
    for word, city in ((first, a), (second, b)):
        if city is None or not 0 <= city < MAX_LISTED:
            raise source.fault(line, f"{quoted(word)} is no city: they are integers from 0 to {MAX_LISTED - 1}")
    assert a is not None
    assert b is not None
    if a == b:
        raise source.fault(line, f"city {a} has no distance to itself")
    if distance is None or distance < 0:
        raise source.fault(line, f"{quoted(text)} is no distance")
    return min(a, b), max(a, b), distance


# A proven lower bound of all tours: branch and bound over 1-trees, in exact integers.
#
# A 1-tree is a spanning tree of all cities but the first, and two edges to that one. Every tour is a 1-tree, so the
# shortest 1-tree is no longer than the shortest tour. That stays true when each city has a price that all of its edges
# pay, for a tour pays each price twice; prices that make cities with many edges dear raise the bound (Held and Karp,
# "The traveling-salesman problem and minimum spanning trees", Operations Research 18, 1970; part II, Mathematical
# Programming 1, 1971). If no prices make it a tour, the search branches on a city with more than two edges (Volgenant
# and Jonker, "A branch and bound algorithm for the symmetric traveling salesman problem based on the 1-tree
# relaxation", European Journal of Operational Research 9, 1982).
#
# Work is counted and not timed, so that an instance has the same bound on every machine and at any time.

MOST = 60  # cities; for more, the bound is hardly ever as good as the best tour
WORK = 1_000_000  # pairs of cities that are searched: some 0.1 s; then the search stops with the bound it has
UNIT = 256  # prices are integers, in this many parts of the unit of distances
BAR = UNIT * 10**13  # longer than any tour of that many cities: added to banned edges, subtracted from forced edges
FIRST_ROUNDS, ROUNDS = 150, 30  # of setting prices: for the whole instance, and for a branch
PATIENCE = 5  # rounds without a better bound; then steps are halved
KEPT_BOUNDS = (
    1024  # instances whose bounds are kept: as many as concurrent races, or each solution would repeat that work
)
STARTS = 8  # cities from which a first tour is tried

Table = list[list[int]]  # distances, in parts of the unit
Edge = tuple[int, int]  # the lower city first


class OneTree(NamedTuple):
    """A shortest 1-tree. `bound`: the lower bound that it proves for all tours, in parts of the unit."""

    bound: int
    edges: list[Edge]
    degrees: list[int]


class Branch(NamedTuple):
    """A subset of all tours: without banned edges and with the forced ones, which `table` makes dear and cheap."""

    table: Table
    forced: frozenset[Edge]
    prices: list[int]
    tree: OneTree


@lru_cache(maxsize=KEPT_BOUNDS)
def lower_bound(instance: Instance) -> int | None:
    """Return a length that no tour of `instance` is below; up to some 35 cities nearly always that of the shortest one.

    None if nothing is proven: for more than `MOST` cities, and if distances are not integers.
    """
    cities = range(instance.size)
    if instance.size > MOST:
        return None
    distances = [[instance.distance(a, b) for b in cities] for a in cities]
    if any(type(distance) is not int for row in distances for distance in row):
        return None
    return BoundSearch([[UNIT * int(distance) for distance in row] for row in distances]).bound()


class BoundSearch:
    """A search that takes the most promising branch first, until none can beat the best tour known."""

    def __init__(self, table: Table) -> None:
        """Begin with the distances in `table`, in parts of the unit."""
        self._open: list[tuple[int, int, Branch]] = []  # a heap, by the bound
        self._work, self._numbers = 0, count()
        self._best = quick_tour(table)  # the length of the best tour known
        self._look(table, frozenset(), [0] * len(table), FIRST_ROUNDS, least=0)

    def bound(self) -> int:
        """Return the bound in whole units. The work is limited."""
        while self._open and self._open[0][0] <= self._best - UNIT and self._work < WORK:
            self._split(*heappop(self._open))
        least = min(self._best, self._open[0][0]) if self._open else self._best
        return -(-least // UNIT)  # all lengths are integers

    def _look(self, table: Table, forced: frozenset[Edge], prices: list[int], rounds: int, *, least: int) -> None:
        """Compute a branch's bound, and keep it if it may have a better tour. `least`: the bound of its parent."""
        branch = self._raise(table, forced, prices, rounds)
        bound = max(least, branch.tree.bound)
        if all(degree == 2 for degree in branch.tree.degrees):
            self._best = min(self._best, branch.tree.bound)
        if bound <= self._best - UNIT:
            heappush(self._open, (bound, next(self._numbers), branch))

    def _raise(self, table: Table, forced: frozenset[Edge], prices: list[int], rounds: int) -> Branch:
        """Improve the prices by subgradients while that raises the bound."""
        best, step, still = None, 2.0, 0
        for _ in range(rounds):
            self._work += len(table) ** 2
            tree = one_tree(table, prices, BAR * len(forced))
            if best is None or tree.bound > best.tree.bound:
                best, still = Branch(table, forced, prices, tree), 0
            else:
                still += 1
                step, still = (step / 2, 0) if still >= PATIENCE else (step, still)
            steepness = sum((degree - 2) ** 2 for degree in tree.degrees)
            if steepness == 0 or tree.bound > self._best - UNIT:
                break
            length = step * max(self._best - tree.bound, UNIT) / steepness
            prices = [price + int(length * (degree - 2)) for price, degree in zip(prices, tree.degrees, strict=True)]
        assert best is not None
        return best

    def _split(self, bound: int, _: int, branch: Branch) -> None:
        """Split into three branches, or two if an edge of the city is forced: a tour has two edges at a city."""
        degrees = branch.tree.degrees
        city = degrees.index(max(degrees))
        free = [edge for edge in branch.tree.edges if city in edge and edge not in branch.forced]
        free.sort(key=lambda edge: _priced(branch, edge))
        room = 2 - sum(city in edge for edge in branch.forced)  # edges that a tour can still have there
        taken = free[:room]
        for number, edge in enumerate(taken):
            self._part(branch, taken[:number], [edge], bound)
        rest = [_edge(city, other) for other in range(len(degrees)) if other != city]
        self._part(branch, taken, {*rest} - {*taken} - branch.forced, bound)

    def _part(self, branch: Branch, forced: Iterable[Edge], banned: Iterable[Edge], bound: int) -> None:
        """Add the branch of the tours of `branch` with all edges `forced` and without any of those `banned`."""
        table = [row.copy() for row in branch.table]
        for edges, change in ((forced, -BAR), (banned, BAR)):
            for a, b in edges:
                if -BAR < 2 * table[a][b] < BAR:  # not yet changed
                    table[a][b] = table[b][a] = table[a][b] + change
        self._look(table, branch.forced.union(forced), branch.prices, ROUNDS, least=bound)


def one_tree(table: Table, prices: list[int], missing: int = 0) -> OneTree:
    """Return a shortest 1-tree, by Prim's algorithm.

    `missing`, the reduction of forced edges, is added to the bound.
    """
    size = len(table)
    outside, joint, edges = list(range(2, size)), [1] * size, []
    dear = [distance + prices[1] + price for distance, price in zip(table[1], prices, strict=True)]
    total = missing - 2 * sum(prices)
    while outside:
        city = min(outside, key=dear.__getitem__)
        outside.remove(city)
        total += dear[city]
        edges.append(_edge(joint[city], city))
        row, price = table[city], prices[city]
        for other in outside:
            if (length := row[other] + price + prices[other]) < dear[other]:
                dear[other], joint[other] = length, city
    for length, city in sorted((table[0][city] + prices[0] + prices[city], city) for city in range(1, size))[:2]:
        total += length
        edges.append((0, city))
    degrees = [0] * size
    for a, b in edges:
        degrees[a] += 1
        degrees[b] += 1
    return OneTree(total, edges, degrees)


def quick_tour(table: Table) -> int:
    """Return the length of a good tour: nearest neighbour, then 2-opt, from a few cities."""
    tours = [_uncrossed(table, _nearest_next(table, start)) for start in range(min(len(table), STARTS))]
    return min(sum(table[a][b] for a, b in zip(tour, [*tour[1:], tour[0]], strict=True)) for tour in tours)


def _nearest_next(table: Table, start: int) -> list[int]:
    tour, left = [start], {*range(len(table))} - {start}
    while left:
        row = table[tour[-1]]
        tour.append(min(left, key=lambda city: (row[city], city)))
        left.remove(tour[-1])
    return tour


def _uncrossed(table: Table, tour: list[int]) -> list[int]:
    """Reverse parts of the tour while that makes it shorter."""
    size, better = len(tour), True
    while better:
        better = False
        for first in range(size - 2):
            for last in range(first + 2, size - (first == 0)):
                a, b, c, d = tour[first], tour[first + 1], tour[last], tour[(last + 1) % size]
                if table[a][c] + table[b][d] < table[a][b] + table[c][d]:
                    tour[first + 1 : last + 1] = reversed(tour[first + 1 : last + 1])
                    better = True
    return tour


def _priced(branch: Branch, edge: Edge) -> int:
    a, b = edge
    return branch.table[a][b] + branch.prices[a] + branch.prices[b]


def _edge(a: int, b: int) -> Edge:
    return (a, b) if a < b else (b, a)
