"""TSPLIB's `.tsp` files, those with points on a plane and rounded distances.

Reinelt, "TSPLIB: a traveling salesman problem library", ORSA Journal on Computing 3 (1991). Headers come as `NAME : x`
and as `NAME: x`. Cities are numbered from 1 there, from 0 here.
"""

from typing import Any

from palio_rules.errors import BadPosition, nearest, quoted
from palio_rules.games.tsp_instance import MAX_CITIES, MIN_CITIES, Instance, Number, Point
from palio_rules.instances.numbers import read_integer, read_number
from palio_rules.instances.source import Source

SECTION = "NODE_COORD_SECTION"
ONLY = {  # headers that must say just this, if they are there
    "TYPE": ("TSP",),
    "EDGE_WEIGHT_TYPE": ("EUC_2D",),
    "NODE_COORD_TYPE": ("TWOD_COORDS",),
}
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
