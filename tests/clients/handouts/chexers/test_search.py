"""COMP30024's solver for one: the program to the letter, the handout's figures beaten, and both searches optimal."""

import json
import os
import re
import subprocess
import sys
from collections import deque
from math import ceil, comb, inf, log
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.search.planning import a_star as plain_a_star
from palio_rules.boards.chexers import BLOCK, EXITS, HEXES, INDEX, WAYS
from palio_rules.games.chexers_solo import ChexersSolo

FREE = {"colour": "red", "pieces": [[0, -3], [-3, 0], [-3, 3], [0, 3]], "blocks": []}  # the handout's first case
TEN = {"colour": "red", "pieces": [[0, 0], [0, -1], [-2, 1]], "blocks": [[-1, 0], [-1, 1], [1, 1], [3, -1]]}
POCKET = {  # of the kind of the handout's second case, whose picture is lost: the near exits are not the ones to go for
    "colour": "red",
    "pieces": [[0, -3], [1, -3], [1, -2], [-2, 0]],
    "blocks": [[3, -3], [2, -2], [3, -2], [1, -1], [2, -1], [1, 0], [2, 0], [1, 1]],
}
SHUT_IN = {"colour": "red", "pieces": [[0, 0]], "blocks": [[3, -3], [3, -2], [3, -1], [3, 0]]}
CASES = [(TEN, 10), (FREE, 18), (POCKET, 22)]
HEX = r"\(-?[0-3], -?[0-3]\)"
LINE = re.compile(rf"(MOVE|JUMP) from {HEX} to {HEX}\.|EXIT from {HEX}\.|#.*")
RULES = ChexersSolo()


@pytest.fixture
def run(course, write, capsys):
    """Runs the program on a board, or on a text; (exit code, stdout, stderr)."""

    def run(board, *options):
        write("board.json", board if isinstance(board, str) else json.dumps(board))
        code = course.search.main(["board.json", *options])
        return code, *capsys.readouterr()

    return run


def figure(name, out):
    return int(re.search(rf"^# {name}: ([0-9]+)$", out, re.MULTILINE)[1])


def played(course, board, lines):
    """The position after the printed actions, each of which the rules allow."""
    letter = board["colour"][0]
    cells = ["."] * len(HEXES)
    for hexes, cell in ((board["pieces"], letter), (board["blocks"], BLOCK)):
        for q, r in hexes:
            cells[INDEX[q, r]] = cell
    rows = re.fullmatch("(.{4})(.{5})(.{6})(.{7})(.{6})(.{5})(.{4})", "".join(cells)).groups()
    state = RULES.start(RULES.parse_options({"board": "/".join(rows)}))
    for line in lines:
        action = course.utils.read_action(line)
        state.check(action)
        state = state.play(action)
    return state


# --- the program ------------------------------------------------------------------------------------------------------


@pytest.mark.first(2)
@pytest.mark.parametrize("algorithm", ["astar", "rbfs"])
@pytest.mark.parametrize(("board", "fewest"), CASES)
def test_the_program_prints_a_shortest_way_and_comments(course, run, board, fewest, algorithm):
    code, out, err = run(board, "--algorithm", algorithm)
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert all(LINE.fullmatch(line) for line in lines), out
    actions = [line for line in lines if not line.startswith("#")]
    assert len(actions) == fewest
    assert played(course, board, actions).outcome().reason == "solved"
    assert lines[0] == f"# algorithm: {'A*' if algorithm == 'astar' else 'RBFS'}"
    assert f"# {fewest} actions, none shorter" in lines
    assert re.search(r"^# time: [0-9]+\.[0-9]{3} s$", out, re.MULTILINE)


def test_the_program_runs_as_the_handout_calls_it(handout_folder, tmp_path):
    (tmp_path / "board.json").write_text(json.dumps(TEN))
    command = [sys.executable, handout_folder("chexers/search.py"), "board.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("# algorithm: A*\n")
    assert done.stdout.count("EXIT") == 3


def test_a_courses_own_tests_can_import_the_modules(handout_folder):
    code = "import node, search, travel, utils; print(node.__file__, search.main, travel.a_star, utils.written)"
    environment = {**os.environ, "PYTHONPATH": str(handout_folder("chexers"))}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert str(handout_folder("chexers/node.py")) in done.stdout


@pytest.mark.parametrize("algorithm", ["astar", "rbfs"])
def test_without_a_solution_the_program_says_so(run, algorithm):
    code, out, err = run(SHUT_IN, "--algorithm", algorithm)
    assert (code, err) == (1, "")
    assert "# there is no solution: not every piece can leave the board\n" in out
    assert all(line.startswith("#") for line in out.splitlines())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"colour": "red",\n "pieces": [[0, 0]\n', "board.json:3: is no JSON: Expecting ',' delimiter at column 1\n"),
        ('{"colour": "red",\n "pieces": [[4, 0]], "blocks": []}', "board.json:2: pieces[0] is no hex of the board: "),
        ('{"colour": "red",\n "pieces": [],\n "blocks": []}', "board.json:2: pieces is a list of 1 to 4 hexes [q, r]"),
        ('{"colour": "gold", "pieces": [[0, 0]], "blocks": []}', "board.json:1: the colour is one of red, green, blue"),
    ],
)
def test_a_malformed_board_is_refused_with_file_line_and_reason(run, text, message):
    code, out, err = run(text)
    assert (code, out) == (2, "")
    assert err.startswith(message)


def test_other_keys_of_a_board_are_ignored_as_by_the_courses_own_program(run):
    code, out, err = run('{"note": ["corner"], "colour": "red", "pieces": [[3, 0]], "size": 3, "blocks": []}')
    assert (code, err) == (0, "")
    assert "EXIT from (3, 0).\n" in out


def test_a_board_that_is_not_there_is_refused(course, capsys):
    assert course.search.main(["nowhere.json"]) == 2
    told = f"nowhere.json: cannot be read: No such file or directory; check the path (here is {Path.cwd()})\n"
    assert capsys.readouterr().err == told


@pytest.mark.parametrize("arguments", [[], ["board.json", "more.json"], ["board.json", "--algorithm", "bfs"]])
def test_a_wrong_command_line_is_told_how_to_call_the_program(course, capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        course.search.main(arguments)
    assert caught.value.code == 2
    assert "usage: search.py" in capsys.readouterr().err


# --- the handout's figures --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("board", "steps", "explored", "frontier"), [(FREE, 18, 1962, 6335), (POCKET, 22, 2090, 6142)])
def test_no_more_nodes_are_explored_or_wait_than_the_handout_reports(run, board, steps, explored, frontier):
    _, out, _ = run(board)
    assert figure("explored nodes", out) <= explored
    assert figure("nodes in frontier", out) <= frontier
    assert log(figure("explored nodes", out), 5) <= 4.75  # "we reduce it to 5^4.7"
    assert log(figure("explored nodes", out), 5) / steps <= 0.26  # its "relative error"


def test_there_are_66045_ways_to_place_four_pieces_and_not_half_of_them_is_kept(course, node):
    assert comb(37, 4) == 66045
    for board, _ in CASES:
        travel = course.travel.a_star(node(board))
        assert travel.explored + travel.frontier < 66045 / 2


def test_the_table_makes_the_difference_where_the_nearest_exit_is_not_the_one_to_go_for(course, node):
    """The handout's "simple min-distance heuristic": half the distance to the nearest open exit, blocks or not."""
    start = node(POCKET)
    exits = [HEXES[at] for at in EXITS[0] if start.cells[at] != BLOCK]
    away = {at: 1 + ceil(min(map(apart, exits, [hex_] * len(exits))) / 2) for at, hex_ in enumerate(HEXES)}
    simple = plain_a_star(
        start, course.node.Node.expand, lambda here: sum(away[at] for at in here.pieces), max_expanded=100_000
    )
    assert (simple.complete, len(simple.moves)) == (True, 22)
    assert course.travel.a_star(start).explored * 10 < simple.expanded


def apart(one, other):
    dq, dr = one[0] - other[0], one[1] - other[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


@pytest.mark.slow
def test_rbfs_keeps_far_fewer_nodes_and_explores_more(course, node):
    a_star, rbfs = course.travel.a_star(node(FREE)), course.travel.rbfs(node(FREE))
    assert rbfs.frontier * 10 < a_star.frontier
    assert rbfs.explored > a_star.explored


@pytest.mark.parametrize("at", [(-3, 0), (-3, 3), (0, 0), (3, -3)])
def test_a_single_piece_is_very_easy(course, node, at):
    """The handout's "worst case": every action is a MOVE. Then the table is exact, and no other node is looked at."""
    travel = course.travel.a_star(node({"colour": "red", "pieces": [at], "blocks": []}))
    assert len(travel.actions) == travel.explored == 4 - at[0]


def test_the_handouts_own_formula_can_exceed_the_truth(course, node):
    """It adds the jumps over blocks on the nearest way as they are; jumping over each other can be shorter."""
    start = node({"colour": "red", "pieces": [[-1, -1], [0, -1]], "blocks": [[0, 0], [2, 0]]})
    assert sum(formula(start)[at] for at in start.pieces) == 7
    assert len(course.travel.a_star(start).actions) == 6


def formula(start):
    """Per hex: the least ceil(moves / 2) + jumps + 1 of all nearest ways to an exit."""
    cost = {at: 0 for at in EXITS[start.colour] if start.cells[at] != BLOCK}
    nearest, waiting = {at: {(0, 0)} for at in cost}, deque(cost)  # (moves, jumps) of each
    while waiting:
        for way in WAYS[at := waiting.popleft()]:
            over = start.cells[way.near] == BLOCK
            there = way.far if over else way.near
            if there >= 0 and start.cells[there] != BLOCK:
                if there not in cost:
                    cost[there], nearest[there] = cost[at] + 1, set()
                    waiting.append(there)
                if cost[there] == cost[at] + 1:
                    nearest[there] |= {(moves + (not over), jumps + over) for moves, jumps in nearest[at]}
    return {at: min(ceil(moves / 2) + jumps + 1 for moves, jumps in ways) for at, ways in nearest.items()}


# --- the searches and their estimate ----------------------------------------------------------------------------------

COLOURS = st.sampled_from(["red", "green", "blue"])


@st.composite
def boards(draw, pieces=2, blocks=20):
    count = draw(st.integers(1, pieces))
    hexes = draw(st.lists(st.sampled_from(HEXES), min_size=count, max_size=count + blocks, unique=True))
    return {"colour": draw(COLOURS), "pieces": hexes[:count], "blocks": hexes[count:]}


def costs(start):
    """For every node that can be reached, the fewest actions to the end: breadth first, there and back."""
    before, waiting = {start: set()}, deque([start])
    while waiting:
        for _, after in (here := waiting.popleft()).expand():
            if after not in before:
                before[after] = set()
                waiting.append(after)
            before[after].add(here)
    needs = dict.fromkeys((here for here in before if here.is_final()), 0)
    waiting = deque(needs)
    while waiting:
        for here in before[after := waiting.popleft()] - needs.keys():
            needs[here] = needs[after] + 1
            waiting.append(here)
    return {here: needs.get(here, inf) for here in before}


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(boards())
def test_the_estimate_never_exceeds_the_truth_and_no_action_lowers_it_by_more_than_one(course, node, board):
    estimate = course.heuristic.Heuristic(node(board))
    for here, cost in costs(node(board)).items():
        least = estimate(here)
        assert least <= cost
        assert (least == 0) == here.is_final()
        assert (least == inf) == (cost == inf)  # a way is wanting just where a piece is shut in
        assert all(least <= 1 + estimate(after) for _, after in here.expand())


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(boards())
def test_both_searches_find_a_shortest_way_or_that_there_is_none(course, node, board):
    start = node(board)
    fewest = costs(start)[start]
    for travel in (course.travel.a_star(start), course.travel.rbfs(start), course.travel.rbfs(start, remembered=0)):
        if fewest == inf:
            assert travel.actions is None
        else:
            assert len(travel.actions) == fewest
            lines = map(course.utils.written, travel.actions)
            assert played(course, board, lines).outcome().reason == "solved"


@settings(max_examples=10, deadline=None)
@given(boards(pieces=4, blocks=12))
def test_both_searches_agree_on_full_boards(course, node, board):
    a_star, rbfs = course.travel.a_star(node(board)).actions, course.travel.rbfs(node(board), remembered=500).actions
    assert (a_star is None and rbfs is None) or len(a_star) == len(rbfs)


@pytest.mark.parametrize(("board", "fewest"), CASES)
def test_all_colours_need_the_same_on_a_turned_board(course, node, board, fewest):
    for colour in ("green", "blue"):
        board = {"colour": colour} | {key: [[-q - r, q] for q, r in board[key]] for key in ("pieces", "blocks")}
        assert len(course.travel.a_star(node(board)).actions) == fewest


@settings(max_examples=settings().max_examples // 3, deadline=None)
@given(boards())
def test_the_table_is_the_handouts_one_search_from_each_destination_and_the_lowest_cost_of_all(course, node, board):
    start = node(board)
    merged = dict.fromkeys((at for at, cell in enumerate(start.cells) if cell != BLOCK), inf)
    for goal in EXITS[start.colour] & merged.keys():
        cost, waiting = {goal: 1}, deque([goal])
        while waiting:
            for way in WAYS[at := waiting.popleft()]:
                there = way.far if start.cells[way.near] == BLOCK else way.near
                if there in merged and there not in cost:
                    cost[there] = cost[at] + 1
                    waiting.append(there)
        for at, actions in cost.items():
            merged[at] = min(merged[at], actions)
    assert course.heuristic.alone(start.cells, start.colour) == merged


# --- mirrors ----------------------------------------------------------------------------------------------------------


@given(boards(pieces=4))
def test_in_the_mirror_the_same_actions_lead_to_the_same_nodes(course, node, board):
    start = node(board)
    utils, colour = course.utils, start.colour

    def image(here):
        return course.node.Node(utils.mirrored(here.cells, colour), colour)

    assert image(image(start)) == start
    mirrored = {utils.mirrored_action(action, colour): image(after) for action, after in start.expand()}
    assert mirrored == dict(image(start).expand())


def test_a_board_that_names_a_block_twice_is_solved(run):
    code, out, _ = run({**TEN, "blocks": [*TEN["blocks"], TEN["blocks"][0]]})
    assert code == 0
    assert "# 10 actions, none shorter" in out.splitlines()
