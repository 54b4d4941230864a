"""One climb after the other, and the best of all."""

from random import Random

from palio_clients.search.local_search import random_restarts
from pictures import cities
from pictures.drawing.charts import Chart
from pictures.drawing.svg import Sheet

SIZE, STEPS = 60, 600
WIDE, HIGH = 900, 440


def picture() -> Sheet:
    instance = cities.instance(SIZE)
    walk = cities.Walk(instance, STEPS)
    random = Random(cities.SEED)
    found = random_restarts(walk.somewhere(random), walk, random, stop=walk.stop)
    climbs = split(walk)
    ends = [climb[-1] for climb in climbs[:-1]]  # the last one was stopped on its way
    sheet = Sheet(
        WIDE,
        HIGH,
        f"Random restarts: {len(ends)} climbs, the best of which ends at {found.cost:,}",
        f"Tours of the same {SIZE} cities. Each climb begins somewhere else, and most end in a valley of their own.",
    )
    chart = Chart(sheet, (84, 96, 870, 236), (0, STEPS), (0, 40_000))
    chart.frame((), (0, 20_000, 40_000), y_name="length of the tour")
    for climb in climbs:
        chart.line(climb, ink="lapis")
    close = Chart(sheet, (84, 284, 870, 388), (0, STEPS), (6_000, 7_000))
    close.frame(
        range(0, STEPS + 1, 100),
        (6_000, 6_500, 7_000),
        x_name="steps",
        y_name="where the climbs end; gold: the best so far",
    )
    so_far = [(step, min(cost for _, cost in ends[: at + 1])) for at, (step, _) in enumerate(ends)]
    close.steps(so_far, ink="gold", width=2.4)
    sheet.dots([close.at(*end) for end in ends], 4, "lapis")
    return sheet


def split(walk: cities.Walk) -> list[list[tuple[float, float]]]:
    """Return the lengths of each climb; a new one begins where the tour is longer than before."""
    climbs: list[list[tuple[float, float]]] = []
    before = 0.0
    for step, cost in walk.costs():
        if not climbs or cost > before:
            climbs.append([])
        climbs[-1].append((step, cost))
        before = cost
    return climbs
