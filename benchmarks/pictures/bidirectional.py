"""Two waves that meet in the middle."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple
from unittest.mock import patch

from palio_clients.search import planning
from palio_clients.search.planning import Route, breadth_first
from palio_rules.boards.chexers import EMPTY, LETTERS, RED
from pictures import maze
from pictures.drawing.charts import Chart
from pictures.drawing.svg import Sheet

search = import_module("palio_clients.search.planning")  # the module: the package's name is the function

TWO = "chexers_solo:board=..../..#.#/..##.#/...#..#/#..##./..##./rr.."
WIDE, HIGH = 900, 420
WAVES = ("lapiswash", "olivewash", "ochrewash")  # from the start, from the goal, both


class TwoWays(maze.Maze):
    """A puzzle searched in both directions; the predecessors of a state come from one complete search."""

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.goal = maze.Walked.after(self.start.replace(LETTERS[RED], EMPTY), 0)
        self.back: list[maze.Walked] = []  # states whose predecessors were requested
        self._before: defaultdict[str, list[tuple[Any, str]]] = defaultdict(list)
        states = {str(self.start): None}
        waiting = list(states)
        for state in waiting:  # grows during the loop
            for move, after in self.plain.successors(state):
                self._before[after].append((move, state))
                if after not in states:
                    states[after] = None
                    waiting.append(after)

    def predecessors(self, state: maze.Walked) -> Iterator[tuple[Any, maze.Walked]]:
        self.back.append(state)
        for move, before in self._before[str(state)]:
            yield move, maze.Walked.after(before, state.steps + 1)

    def perhaps(self, state: maze.Walked, _steps: int) -> bool:
        """Exclude nothing; a call for the start itself begins a new length, and clears the visited states."""
        if state == self.start and state.steps == 0:
            self.expanded.clear()
            self.back.clear()
        return True


class Met(NamedTuple):
    """The distances of both ends from the states that the waves of the last length have reached."""

    route: Route
    ahead: dict[str, int]
    behind: dict[str, int]
    expanded: int


def met(puzzle: TwoWays) -> Met:
    with patch.object(planning, "MOST", 0):  # a dive would find so short a path at once
        route = search.bidirectional(
            puzzle.start, [puzzle.goal], puzzle.successors, puzzle.predecessors, may_end=puzzle.perhaps
        )
    assert route is not None
    ahead, behind = puzzle.expanded[1:], puzzle.back[:]  # the first one was the dive's
    return Met(route, reached(ahead, puzzle.successors), reached(behind, puzzle.predecessors), len(ahead) + len(behind))


def reached(expanded: list[maze.Walked], neighbours: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for state in expanded:
        found.setdefault(state, state.steps)
        for _, beyond in neighbours(state):
            found.setdefault(beyond, beyond.steps)
    return found


def picture() -> Sheet:
    puzzle = TwoWays(maze.SPEC)
    one = met(puzzle)
    sheet = Sheet(
        WIDE,
        HIGH,
        f"From both ends: waves of {max(one.ahead.values())} and {max(one.behind.values())} steps meet",
        "Blue: reached from the start. Green: reached backwards from the goal. Yellow: where they meet.",
    )
    ahead, behind = ({maze.place(state): steps for state, steps in wave.items()} for wave in (one.ahead, one.behind))
    shade = {cell: WAVES[(cell in behind) + (cell in behind and cell in ahead)] for cell in ahead | behind}
    labels = {cell: "+".join(str(wave[cell]) for wave in (ahead, behind) if cell in wave) for cell in ahead | behind}
    sheet.text(235, 92, "one piece: steps from either end", ink="soft")
    maze.draw(sheet, (235, 250), 26, puzzle.start, shade, labels, puzzle.way(one.route.moves))
    widths(sheet, TwoWays(TWO))
    return sheet


def widths(sheet: Sheet, puzzle: TwoWays) -> None:
    two = met(puzzle)
    puzzle.expanded.clear()
    route = breadth_first(puzzle.start, puzzle.successors, lambda state: state == puzzle.goal)
    assert route is not None
    alone = Counter(reached(list(puzzle.expanded), puzzle.successors).values())
    length = len(route.moves)
    most = -(-max(alone.values()) // 10) * 10
    sheet.text(500, 92, f"two pieces, {length} steps: states in each wave", ink="soft", anchor="start")
    chart = Chart(sheet, (530, 120, 860, 320), (-0.6, length + 0.6), (0, most))
    chart.frame(range(0, length + 1, 4), range(0, most + 1, 10), x_name="steps from the start")
    bars(chart, dict(alone), "line", -0.45, 0.45)
    bars(chart, dict(Counter(two.ahead.values())), "lapis", -0.3, 0)
    bars(chart, {length - steps: wide for steps, wide in Counter(two.behind.values()).items()}, "olive", 0, 0.3)
    for row, (inks, words) in enumerate((
        (("line",), f"breadth-first: {route.expanded} states expanded"),
        (("lapis", "olive"), f"both waves of the last length: {two.expanded} expanded"),
    )):  # fmt: skip
        for place, ink in enumerate(inks):
            sheet.rect(530 + 7 * place, 366 + 20 * row, 14 / len(inks) - 1, 12, fill=ink)
        sheet.text(550, 376 + 20 * row, words, anchor="start")


def bars(chart: Chart, heights: dict[int, int], ink: str, left: float, right: float) -> None:
    for at in sorted(heights):
        (x1, y1), (x2, y2) = chart.at(at + left, heights[at]), chart.at(at + right, 0)
        chart.sheet.rect(x1, y1, x2 - x1, y2 - y1, fill=ink)
