"""Cities from files: TSPLIB's `.tsp`, those with points on a plane and rounded distances; and lists of distances.

Reinelt, "TSPLIB: a traveling salesman problem library", ORSA Journal on Computing 3 (1991). Headers come as `NAME : x`
and as `NAME: x`. Cities are numbered from 1 there, from 0 here.

A list is as CS2109S writes it: `[(1, 0, 10), (0, 3, 22), ...]`, or a line `1 0 10` each. Cities count from 0. Every two
cities have one distance, in either direction. `#` begins a comment.
"""

from typing import Any

from palio_rules.boards.cities import MAX_CITIES, MAX_LISTED, MIN_CITIES, Instance, Number, Point
from palio_rules.errors import BadPosition, nearest, quoted
from palio_rules.instances.source import Source, read_integer, read_number

SECTION = "NODE_COORD_SECTION"
ONLY = {  # headers that must say just this, if they are there
    "TYPE": ("TSP",),
    "EDGE_WEIGHT_TYPE": ("EUC_2D",),
    "NODE_COORD_TYPE": ("TWOD_COORDS",),
}
_PUNCTUATION = str.maketrans("()[],;", "      ")
KNOWN = ("NAME", "COMMENT", "DIMENSION", "DISPLAY_DATA_TYPE", *ONLY)


def read_tsp(source: Source) -> dict[str, Any]:
    """The options of an instance. Raises BadInstance with file, line and reason."""
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
    """The dimension, and the line after the one that begins the cities."""
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
    """A city's number, from 1, and its point."""
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
    """The options of an instance. Raises BadInstance with file, line and reason."""
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
    """The two cities, the lower one first, and their distance."""
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
