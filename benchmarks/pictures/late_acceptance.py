"""No worse than some steps ago: a climber with a longer memory takes more time."""

from bisect import bisect_right
from random import Random

from palio_clients.search.local_search import late_acceptance
from pictures import cities
from pictures.drawing.charts import Chart, key, thinned
from pictures.drawing.svg import Sheet

SIZE, STEPS = 60, 20_000
MEMORIES = {1: "soft", 10: "lapis", 30: "gold"}  # and the colour of each
WIDE, HIGH = 900, 400


def picture() -> Sheet:
    instance = cities.instance(SIZE)
    sheet = Sheet(
        WIDE,
        HIGH,
        "Late acceptance: the longer the memory, the slower the way down, and the further",
        f"{STEPS:,} random changes of a tour of {SIZE} cities, with memories of so many steps.",
    )
    chart = Chart(sheet, (84, 96, 700, 344), (0, STEPS), (5_000, 35_000))
    ticks = (5_000, 15_000, 25_000, 35_000)
    chart.frame(range(0, STEPS + 1, 5_000), ticks, x_name="steps", y_name="length of the tour")
    names = []
    for memory, ink in MEMORIES.items():
        walk, random = cities.Walk(instance, STEPS), Random(cities.SEED)
        found = late_acceptance(walk.somewhere(random), walk, random, stop=walk.stop, memory=memory)
        chart.line(thinned(each_step(walk), 300), ink=ink)
        names.append((ink, f"memory {memory}: {found.cost:,}"))
    sheet.text(712, 276, "in the end", ink="soft", anchor="start")
    for row, (ink, label) in enumerate(names):
        key(sheet, 712, 298 + 20 * row, ink, label)
    return sheet


def each_step(walk: cities.Walk) -> list[tuple[float, float]]:
    """Return the length of the climber's tour at every step."""
    costs = walk.costs()
    steps = [step for step, _ in costs]
    return [(step, costs[bisect_right(steps, step) - 1][1]) for step in range(walk.most + 1)]
