"""The same path with an estimate: A* leaves out states that cannot be on a shorter one."""

from palio_clients.search.planning import a_star
from pictures import maze
from pictures.drawing.svg import Sheet

WIDE, HIGH = 900, 420


def picture() -> Sheet:
    puzzle = maze.Maze()
    plan = a_star(*puzzle.problem())
    sheet = Sheet(
        WIDE,
        HIGH,
        f"A* expands {plan.expanded} states for the same {len(plan.moves)} steps",
        "The estimate is what a piece would need that may jump wherever it likes. The lowest sum is expanded first; "
        "of equal sums, the nearer one.",
    )
    sums = {maze.place(state): state.steps + round(puzzle.remaining(state)) for state in puzzle.expanded}
    parts = {maze.place(state): f"{state.steps}+{puzzle.remaining(state):.0f}" for state in puzzle.expanded}
    turn = {maze.place(state): at for at, state in enumerate(puzzle.expanded, 1)}
    way = puzzle.way(plan.moves)
    for x, label, shown in ((235, "steps + estimate", parts), (665, "the order of expansion", turn)):
        sheet.text(x, 92, label, ink="soft")
        maze.draw(sheet, (x, 250), 26, puzzle.start, maze.shades(sums), shown, way)
    return sheet
