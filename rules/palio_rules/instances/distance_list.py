"""Lists of distances between cities, as CS2109S writes them: `[(1, 0, 10), (0, 3, 22), ...]`, or a line `1 0 10` each.

Cities count from 0. Every two cities have one distance, in either direction. `#` begins a comment.
"""

from typing import Any

from palio_rules.errors import BadPosition, quoted
from palio_rules.games.tsp_instance import MAX_LISTED, MIN_CITIES, Instance, Number
from palio_rules.instances.numbers import read_integer, read_number
from palio_rules.instances.source import Source

_PUNCTUATION = str.maketrans("()[],;", "      ")


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
