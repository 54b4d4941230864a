"""Two legs for two others: the first change, and the tour that no such change makes shorter."""

from palio_clients.search.tours import (
    Change,
    Cycle,
    Gain,
    Tours,
    descend,
    length_of,
    nearest_neighbour,
    never,
    two_opt_at,
)
from palio_rules.boards.cities import Instance
from pictures import cities
from pictures.drawing.svg import Sheet

SIZE, SEED = 40, 4
WIDE, HIGH = 900, 388
SIDE = 250
LEFTS = (36, 325, 614)


class Watched:
    """A change of tours that records the tour before and after each of its gains."""

    def __init__(self, change: Change, gains: list[tuple[tuple[int, ...], tuple[int, ...], Gain]]) -> None:
        self._change, self._gains = change, gains

    def __call__(self, cycle: Cycle, tours: Tours, city: int) -> Gain | None:
        before = tuple(cycle.order)
        gain = self._change(cycle, tours, city)
        if gain is not None:
            self._gains.append((before, tuple(cycle.order), gain))
        return gain


def three_maps(instance: Instance, start: tuple[int, ...], changes: list[Change], title: str, subtitle: str) -> Sheet:
    """Draw a tour before its largest gain, after it, and when nothing gains any more."""
    tours = cities.tours(instance)
    gains: list[tuple[tuple[int, ...], tuple[int, ...], Gain]] = []
    found = descend(start, tours, [Watched(change, gains) for change in changes], never)
    before, after, _ = max(gains, key=lambda each: each[2].length)
    sheet = Sheet(WIDE, HIGH, title.format(gains=len(gains)), subtitle)
    left, middle, right = (cities.Map(sheet, instance, x, 84, SIDE) for x in LEFTS)
    old, new = cities.legs(before) - cities.legs(after), cities.legs(after) - cities.legs(before)
    left.tour(before)
    left.legs(sorted(old), "bad", 3)
    middle.tour(after)
    middle.legs(sorted(old), "bad", 1.6, "2 5")
    middle.legs(sorted(new), "good", 3)
    right.tour(found.state, "brick", 1.8)
    for page in (left, middle, right):
        page.cities()
    for x, label in zip(
        LEFTS,
        (
            f"before: {length_of(before, tours.distance):,}",
            f"{len(new)} new legs: {length_of(after, tours.distance):,}",
            f"in the end: {found.cost:,}",
        ),
        strict=True,
    ):
        sheet.text(x + SIDE / 2, 84 + SIDE + 30, label, ink="soft")
    return sheet


def picture() -> Sheet:
    instance = cities.instance(SIZE, SEED)
    return three_maps(
        instance,
        nearest_neighbour(cities.tours(instance).distance),
        [two_opt_at],
        "2-opt: {gains} changes, the largest of which is shown",
        f"A tour of {SIZE} cities, from the nearest city to the nearest. Two legs (red) are given up for two others "
        "(green).",
    )
