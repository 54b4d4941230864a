"""Steepest descent: a tangled tour, and its steps to a better one."""

from random import Random

from palio_clients.search.local_search import hill_climbing
from pictures import cities
from pictures.drawing.charts import Chart
from pictures.drawing.svg import Sheet

SIZE = 60
WIDE, HIGH = 900, 420
MAPS, SIDE = 4, 170


def picture() -> Sheet:
    instance = cities.instance(SIZE)
    walk = cities.Walk(instance, 10_000)
    start = walk.somewhere(Random(cities.SEED))
    found = hill_climbing(start, walk, stop=walk.stop)
    costs = walk.costs()
    sheet = Sheet(
        WIDE,
        HIGH,
        f"Hill climbing: {len(costs) - 1} changes, each the best there is, then none gains any more",
        f"A tour of {SIZE} cities. From {costs[0][1]:,} to {found.cost:,}: a local optimum, not the best tour.",
    )
    for at in range(MAPS):
        step = (len(costs) - 1) * at // (MAPS - 1)
        left = 36 + at * (SIDE + 48)
        page = cities.Map(sheet, instance, left, 84, SIDE)
        page.tour(walk.visited[step][1], ink="brick" if at == MAPS - 1 else "soft")
        page.cities()
        sheet.text(left + SIDE / 2, 84 + SIDE + 24, f"{step} changes: {costs[step][1]:,}", ink="soft")
    chart = Chart(sheet, (84, 310, 870, 374), (0, len(costs) - 1), (0, 40_000))
    chart.frame(range(0, len(costs), 10), (0, 20_000, 40_000), x_name="changes")
    chart.line([(step, cost) for step, (_, cost) in enumerate(costs)], ink="lapis")
    return sheet
