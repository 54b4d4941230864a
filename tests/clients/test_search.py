"""The algorithms keep their contracts, and agree with a search that is too simple to be wrong."""

from hypothesis import given
from hypothesis import strategies as st

from palio_clients.search.a_star import a_star

# --- A* on a maze whose distances a flood fill knows ------------------------------------------------------------------

mazes = st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=6, max_size=6)


def neighbours(maze, cell):
    for move, (dr, dc) in {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}.items():
        row, col = cell[0] + dr, cell[1] + dc
        if 0 <= row < 6 and 0 <= col < 6 and not maze[row][col]:
            yield move, (row, col)


def flood(maze):
    distance, wave = {(0, 0): 0}, [(0, 0)]
    for cell in wave:
        for _, after in neighbours(maze, cell):
            if after not in distance:
                distance[after] = distance[cell] + 1
                wave.append(after)
    return distance


def to_corner(cell):
    return 10 - sum(cell)


@given(mazes)
def test_a_star_is_optimal_with_an_admissible_estimate(maze):
    plan, shortest = a_star((0, 0), lambda cell: neighbours(maze, cell), to_corner), flood(maze).get((5, 5))
    assert plan.complete is (shortest is not None)
    if plan.complete:
        assert len(plan.moves) == shortest


@given(mazes, st.floats(1, 5))
def test_a_weight_costs_at_most_its_factor(maze, weight):
    plan, shortest = a_star((0, 0), lambda cell: neighbours(maze, cell), to_corner, weight=weight), flood(maze)
    if plan.complete:
        assert len(plan.moves) <= weight * shortest[(5, 5)]


@given(mazes)
def test_without_a_way_the_plan_leads_to_the_most_promising_cell(maze):
    maze[5][5] = True
    plan = a_star((0, 0), lambda cell: neighbours(maze, cell), to_corner)
    cell = (0, 0)
    for move in plan.moves:
        cell = dict(neighbours(maze, cell))[move]
    assert not plan.complete
    assert to_corner(cell) == min(to_corner(reached) for reached in flood(maze))


def test_a_stopped_a_star_still_answers():
    plan = a_star((0, 0), lambda cell: neighbours([[False] * 6] * 6, cell), to_corner, stop=lambda: True)
    assert plan == ((), False, 0, to_corner((0, 0)))
