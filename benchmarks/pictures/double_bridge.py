"""A good tour changed and repaired, and the effect of many repetitions."""

from importlib import import_module
from random import Random
from typing import NamedTuple

from palio_clients.search.tours import Cycle, Tours, descend, nearest_neighbour, never, settle
from pictures import cities
from pictures.drawing.charts import Chart
from pictures.drawing.svg import Sheet

search = import_module("palio_clients.search.tours")  # the module: the package's name is the function

SIZE, SEED, BRIDGES = 100, 2, 100
WIDE, HIGH = 900, 560
SIDE = 250
TRIED = 60  # bridges, of which one is shown
LEFTS = (36, 325, 614)


def picture() -> Sheet:
    instance = cities.instance(SIZE, SEED)
    tours = cities.tours(instance)
    start = nearest_neighbour(tours.distance)
    settled = descend(start, tours, search.CHANGES, never)
    best: list[float] = []

    def stop(length: float) -> bool:
        best.append(length)
        return len(best) > settled.steps + BRIDGES

    found = search.iterated_local_search(start, tours, Random(cities.SEED), stop=stop)
    sheet = Sheet(
        WIDE,
        HIGH,
        f"Double bridge: from {settled.cost:,}, where 2-opt and Or-opt end, to {found.cost:,}",
        "Three stretches of a tour change places (four legs are new), 2-opt and Or-opt mend what they can, and the "
        "tour is kept if it is no longer.",
    )
    one_bridge(sheet, instance, settled.state, settled.cost)
    length = [float(each) for each in best[settled.steps :]]
    low, high = 100 * (min(length) // 100), 100 * -(-max(length) // 100)
    chart = Chart(sheet, (84, 420, 870, 500), (0, BRIDGES), (low, high))
    chart.frame(range(0, BRIDGES + 1, 20), (low, (low + high) / 2, high), x_name="bridges", y_name="length of the tour")
    chart.steps(list(enumerate(length)), ink="lapis")
    return sheet


class Bridge(NamedTuple):
    """A double bridge, and its result."""

    mended: float
    number: int
    spoilt: float
    ends: tuple[int, ...]
    bridged: tuple[int, ...]
    tour: tuple[int, ...]


def built(tours: Tours, tour: tuple[int, ...], length: float, number: int) -> Bridge:
    cycle = Cycle(tour)
    spoilt, ends = search.double_bridge(cycle, tours, Random(number))
    bridged = tuple(cycle.order)
    mended = settle(cycle, tours, search.CHANGES, ends, length + spoilt, never).length
    return Bridge(mended, number, length + spoilt, ends, bridged, tuple(cycle.order))


def one_bridge(sheet: Sheet, instance: cities.Instance, tour: tuple[int, ...], length: float) -> None:
    """Draw the most successful of some bridges."""
    tours = cities.tours(instance)
    bridge = min(built(tours, tour, length, number) for number in range(TRIED))
    left, middle, right = (cities.Map(sheet, instance, x, 84, SIDE) for x in LEFTS)
    old, new = cities.legs(tour) - cities.legs(bridge.bridged), cities.legs(bridge.bridged) - cities.legs(tour)
    _, a, b, c, d, e, f, _ = bridge.ends
    for page, shown in ((left, tour), (middle, bridge.bridged)):
        page.tour(shown)
        for (first, last), ink in zip(((a, b), (c, d), (e, f)), ("lapis", "olive", "plum"), strict=True):
            page.stretch(between(tour, first, last), ink)
    left.legs(sorted(old), "bad", 3)
    middle.legs(sorted(new), "good", 3)
    right.tour(bridge.tour, "soft")
    right.legs(sorted(cities.legs(bridge.tour) - cities.legs(tour)), "good", 3)
    for page in (left, middle, right):
        page.cities()
    lengths = {"before": length, "spoilt": bridge.spoilt, "mended": bridge.mended}
    for x, (label, long) in zip(LEFTS, lengths.items(), strict=True):
        sheet.text(x + SIDE / 2, 84 + SIDE + 26, f"{label}: {long:,}", ink="soft")


def between(tour: tuple[int, ...], first: int, last: int) -> list[int]:
    """Return the cities from one to the other, the shorter way round."""
    size, i, j = len(tour), tour.index(first), tour.index(last)
    if (j - i) % size > size // 2:
        i, j = j, i
    return [tour[(i + step) % size] for step in range((j - i) % size + 1)]
