"""Waves from the start: the states that breadth-first search reaches, in their order."""

from palio_clients.search.planning import breadth_first
from pictures import maze
from pictures.drawing.svg import Sheet

WIDE, HIGH = 900, 420


def picture() -> Sheet:
    puzzle = maze.Maze()
    route = breadth_first(puzzle.start, puzzle.successors, lambda state: puzzle.remaining(state) == 0)
    assert route is not None
    sheet = Sheet(
        WIDE,
        HIGH,
        f"Breadth-first search expands {route.expanded} states for a way of {len(route.moves)} steps",
        "Chexers Solo with one piece: it steps, or jumps over a block (dark), and leaves on the right.",
    )
    steps = {maze.place(state): state.steps for state in puzzle.expanded}
    turn = {maze.place(state): at for at, state in enumerate(puzzle.expanded, 1)}
    way = puzzle.way(route.moves)
    for x, label, shown in ((235, "steps from the start", steps), (665, "the order of expansion", turn)):
        sheet.text(x, 92, label, ink="soft")
        maze.draw(sheet, (x, 250), 26, puzzle.start, maze.shades(steps), shown, way)
    return sheet
