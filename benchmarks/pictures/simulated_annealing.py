"""Hot, then cold: changes for the worse, and their decreasing number."""

from itertools import pairwise
from random import Random

from palio_clients.search.local_search import simulated_annealing
from pictures import cities
from pictures.drawing.charts import Chart, thinned
from pictures.drawing.svg import Sheet
from pictures.late_acceptance import each_step

SIZE, STEPS, HOT, COLD = 60, 30_000, 400, 4
WIDE, HIGH = 900, 470


def picture() -> Sheet:
    instance = cities.instance(SIZE)
    walk = cities.Walk(instance, STEPS)
    random = Random(cities.SEED)
    start = walk.somewhere(random)
    found = simulated_annealing(start, walk, random, steps=STEPS, hot=HOT, cold=COLD, stop=walk.stop)
    sheet = Sheet(
        WIDE,
        HIGH,
        f"Simulated annealing: from {walk.cost(start):,} to {found.cost:,}",
        f"{STEPS:,} random changes of a tour, at temperatures from {HOT} to {COLD}.",
    )
    chart = Chart(sheet, (84, 96, 600, 296), (0, STEPS), (5_000, 35_000))
    chart.frame((), (5_000, 15_000, 25_000, 35_000), y_name="length of the tour; gold: the best so far")
    chart.line(thinned([(step, cost) for step, cost in enumerate(walk.best)], 200), ink="gold", width=3)
    chart.line(thinned(each_step(walk), 400), ink="lapis")
    worse(sheet, walk)
    page = cities.Map(sheet, instance, 660, 96, 216)
    page.tour(found.state, ink="brick")
    page.cities()
    sheet.text(768, 344, f"the tour at the end: {found.cost:,}", ink="soft")
    return sheet


def worse(sheet: Sheet, walk: cities.Walk) -> None:
    """Draw how many of the steps of each stretch made the tour longer."""
    bins, costs = 60, walk.costs()
    longer = [0] * bins
    for (_, before), (step, after) in pairwise(costs):
        if after > before:
            longer[min(bins - 1, step * bins // STEPS)] += 1
    chart = Chart(sheet, (84, 346, 600, 414), (0, STEPS), (0, 0.5))
    chart.frame(
        range(0, STEPS + 1, 10_000),
        (0, 0.25, 0.5),
        x_name="steps",
        y_name="steps that make the tour longer",
        label=lambda share: f"{share:.0%}",
    )
    unit = STEPS / bins
    for at, count in enumerate(longer):
        (x1, y1), (x2, y2) = chart.at((at + 0.1) * unit, count / unit), chart.at((at + 0.9) * unit, 0)
        sheet.rect(x1, y1, x2 - x1, y2 - y1, fill="brick")
