"""One round after the other, each with a larger bound, and only the current path in memory."""

from collections import Counter
from itertools import pairwise

from palio_clients.search.planning import ida_star
from pictures import maze
from pictures.drawing.charts import Chart
from pictures.drawing.svg import Sheet

WIDE, HIGH = 900, 470
BOARD, SIZE = 216, 15


def picture() -> Sheet:
    puzzle = maze.Maze()
    plan = ida_star(*puzzle.problem())
    begins = [at for at, state in enumerate(puzzle.expanded) if state.steps == 0]
    rounds = [puzzle.expanded[first:end] for first, end in pairwise([*begins, plan.expanded])]
    sheet = Sheet(
        WIDE,
        HIGH,
        f"IDA* expands {plan.expanded} states, {len({*puzzle.expanded})} different ones",
        f"It goes as deep as steps + estimate are within a bound, {len(rounds)} times. On a hex: how often it was "
        "expanded in this round.",
    )
    left = (WIDE - BOARD * (len(rounds) - 1)) / 2
    most = max(max(Counter(states).values()) for states in rounds)
    for at, states in enumerate(rounds):
        bound = max(state.steps + puzzle.remaining(state) for state in states)
        x, last = left + BOARD * at, at == len(rounds) - 1
        sheet.text(x, 84, f"bound {bound:.0f}: {len(states)} state{'s' * (len(states) > 1)}", bold=last)
        seen = {maze.place(state): times for state, times in Counter(states).items()}
        way = puzzle.way(plan.moves) if last else ()
        maze.draw(sheet, (x, 178), SIZE, puzzle.start, maze.shades(seen, 0, most), seen, way, letters=9.5)
    depths(sheet, puzzle, begins[1:])
    return sheet


def depths(sheet: Sheet, puzzle: maze.Maze, begins: list[int]) -> None:
    """Draw the length of the stored path, from one expansion to the next."""
    deepest = max(state.steps for state in puzzle.expanded)
    chart = Chart(sheet, (70, 318, 870, 424), (1, len(puzzle.expanded)), (0, deepest))
    ticks = range(10, len(puzzle.expanded) + 1, 10)
    chart.frame(ticks, range(0, deepest + 1, 2), x_name="states expanded", y_name="steps on the way that is remembered")
    for at in begins:
        x, _ = chart.at(at + 0.5, 0)
        sheet.line(x, 318, x, 424, stroke="brick", dash="3 4")
    chart.line([(at, state.steps) for at, state in enumerate(puzzle.expanded, 1)], ink="lapis")
