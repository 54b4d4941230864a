"""The best path first, in the memory of one path: dropped states are searched again."""

from collections import Counter
from itertools import pairwise

from palio_clients.search.planning import rbfs
from pictures import maze
from pictures.drawing.charts import Chart
from pictures.drawing.svg import Sheet

WIDE, HIGH = 900, 420


def picture() -> Sheet:
    puzzle = maze.Maze()
    plan = rbfs(*puzzle.problem())
    times = Counter(puzzle.expanded)
    sheet = Sheet(
        WIDE,
        HIGH,
        f"Recursive best-first search expands {plan.expanded} states, {len(times)} different ones",
        "It goes on where steps and estimate are least, forgets the rest but for how good it was, and comes back if "
        "need be.",
    )
    seen = {maze.place(state): count for state, count in times.items()}
    sheet.text(235, 92, "how often a state was expanded", ink="soft")
    maze.draw(sheet, (235, 250), 26, puzzle.start, maze.shades(seen, 0), seen, puzzle.way(plan.moves))
    depths(sheet, puzzle)
    return sheet


def depths(sheet: Sheet, puzzle: maze.Maze) -> None:
    """Draw the length of the stored path; where it falls, states are dropped."""
    walk = list(enumerate((state.steps for state in puzzle.expanded), 1))
    deepest = max(steps for _, steps in walk)
    chart = Chart(sheet, (500, 150, 870, 340), (1, len(walk)), (0, deepest))
    chart.frame(
        range(5, len(walk) + 1, 5),
        range(deepest + 1),
        x_name="states expanded",
        y_name="steps on the way that is remembered",
    )
    chart.line(walk, ink="lapis")
    back = [(before, after) for before, after in pairwise(walk) if after[1] <= before[1]]
    sheet.lines([(chart.at(*before), chart.at(*after)) for before, after in back], stroke="brick", width=2.4)
    sheet.text(500, 392, "Red: what was below is forgotten.", ink="brick", anchor="start")
