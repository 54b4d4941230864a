"""CSCI 104's Rush Hour in Python: every figure of the handout, and solutions proven by the rules' own solver."""

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.boards.rush_hour import BadBoard
from palio_rules.instances.rush_hour import generate, reach, solve

COURSE = """
...b..
...b..
aa.b.d
..cccd
......
......
"""
HOPELESS = "...b..\n...bee\naa.b.d\n.....d\n...c..\n...c.."
FIFTY = "gbb.l.\nghi.lm\nghiaam\nccck.m\n..jkdd\neejff."
MISSED = "......\nbbc..d\ne.cffd\neggghh\nii.j.k\naa.j.k"  # 9 moves; 10 if a known board is never entered again
INBOARD4 = "bbcc.d\neee.fd\naaghfd\n.igh..\n.ijh..\n.ij..."  # of the course's boards/
EIGHT = "...b..\naa.b.c\n.....c\nghff.c\nghdiii\ng.d.ee"  # 9 for a strict closed list, by indirect blockers

DIRECT_FIGURES = """
Ex.             Ex.
   ee.c..        .ddee.
   ...c..        .ffc..
-> aabc..        ..bc..
   ..b...     -> aabc.g
   ..b...        ..b..g
   .ddd..        ......

   h = 2         h = 3
"""

INDIRECT_FIGURES = [
    """
Ex. 1         Ex. 2
   ...ee.        ..d...
   ......        ..d...
-> aabc..        ..b...
   ..bc..     -> aabc..
   ..d...        ...c..
   ..d...        ...ee.

   h = 2         h = 2
""",
    """
Ex. 3         Ex. 4
   ee.c..        .ddee.
   ...c..        .ffc..
-> aabc..        ..bc..
   ..b...     -> aabc..
   ..b...        ..b...
   .ddd..        ....gg

   h = 3         h = 5
""",
    """
Ex. 5          Ex. 6         Ex. 7
   .ee...        .ddee.        .ee.gg
   ...c..        ...c..        ..bc.d
-> aabc..     -> aabc..     -> aabc.d
   ..bc..        ..b...        ...c.h
   ..b...        ..ff..        ..fffh
   .dd...        ....gg        ......

   h = 3         h = 2         h = 4
""",
]

boards = st.builds(
    lambda seed, side, moves: "\n".join(generate(seed, side, moves)),
    st.integers(0, 11),
    st.sampled_from([5, 6]),
    st.sampled_from([3, 5]),
)


def figures(text):
    """The boards that stand side by side, each with its h."""
    _, *rows, scores = (line.replace("-> ", "").split() for line in text.strip().split("\n") if line.strip())
    return ["\n".join(column) for column in zip(*rows, strict=True)], [int(word) for word in scores if word.isdigit()]


@pytest.fixture(scope="module")
def course(handout):
    return handout("rush_hour", "board", "heur", "solver", "rh").rh


@pytest.fixture(scope="module")
def heuristics(course):
    return course.BFSHeuristic(), course.DirectHeuristic(), course.IndirectHeuristic()


def needed(board):
    """The fewest moves by the rules' own solver; None without a solution."""
    way = solve(board.garage, board.stands)
    return None if way is None else len(way)


def leads_out(board, moves):
    """Whether these are legal moves at whose end, and not before, the board is solved."""
    for move in moves:
        if board.solved() or not board.move(*move):
            return False
    return board.solved()


# --- Heuristics -------------------------------------------------------------------------------------------------------


def test_the_figures_of_direct_blockers(course, heuristics):
    drawn, moves = figures(DIRECT_FIGURES)
    assert moves == [2, 3]
    assert [heuristics[1].compute(course.Board(text)) for text in drawn] == moves


@pytest.mark.parametrize(("text", "blockers"), list(zip(INDIRECT_FIGURES, ([2, 2], [3, 5], [3, 2, 4]), strict=True)))
def test_the_figures_of_indirect_blockers(course, heuristics, text, blockers):
    drawn, scores = figures(text)
    assert scores == blockers
    assert [heuristics[2].compute(course.Board(board)) for board in drawn] == blockers


def test_brute_force_expects_nothing(course, heuristics):
    assert heuristics[0].compute(course.Board(FIFTY)) == 0


@pytest.mark.parametrize(
    ("text", "direct", "indirect"),
    [
        ("......\n..d...\naab...\n..ee..\n......\n......", 1, 1),  # b has length 1 and can go up or down
        ("aab...\n..d...\n......\n......\n......\n......", 1, 2),  # b in the upper row can go down only
        ("......\n......\naa.bb.\n......\n......\n......", 1, 1),  # b lies and never gets away
        ("......\n..c...\naab...\n..b...\n..b...\n..b...", 1, 1),  # b is too long for either side
        ("......\n..c...\n..b...\naab...\n..b...\n..d...", 1, 2),  # c alone is in its way
        ("......\n......\n......\n.aaa..\n......\n......", 0, 0),
    ],
)
def test_what_the_figures_do_not_show(course, heuristics, text, direct, indirect):
    assert [each.compute(course.Board(text)) for each in heuristics] == [0, direct, indirect]


@pytest.mark.slow
@settings(max_examples=15)
@given(boards)
def test_no_heuristic_expects_more_than_is_needed_and_no_move_lowers_one_by_more_than_itself(course, heuristics, text):
    board = course.Board(text)
    for moves, level in enumerate(reach(board.garage, board.stands, 10_000).levels):
        for stands in level[:: 1 + len(level) // 20]:
            board.history = [stands]
            expected = [each.compute(board) for each in heuristics]
            assert max(expected) <= moves
            assert (expected[1] == 0) == (moves == 0)
            for _, after in board.successors():
                assert all(each.compute(after) >= h - 1 for each, h in zip(heuristics, expected, strict=True))


# --- Solver -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("heur", "expansions"), [(0, 72), (1, 30), (2, 19)])
def test_the_courses_board_has_its_known_expansions(course, heuristics, heur, expansions):
    solver = course.Solver(course.Board(COURSE), heuristics[heur])
    for _ in range(2):  # a second run counts afresh
        assert solver.run()
        assert solver.num_expansions() == expansions
        assert leads_out(course.Board(COURSE), solver.solution())
        assert len(solver.solution()) == 3


@pytest.mark.parametrize(
    ("text", "heur", "expansions", "moves"),
    [
        *[(COURSE, 0, 72, 3), (COURSE, 1, 30, 3), (COURSE, 2, 19, 3)],
        *[(INBOARD4, 1, 266, 6), (INBOARD4, 2, 266, 6), (EIGHT, 2, 1964, 9), (MISSED, 2, None, 10)],
    ],
)
def test_a_strict_closed_list_has_the_courses_expansions(course, heuristics, text, heur, expansions, moves):
    solver = course.Solver(course.Board(text), heuristics[heur], strict=True)
    assert solver.run()
    assert expansions in (None, solver.num_expansions())
    assert leads_out(course.Board(text), solver.solution())
    assert len(solver.solution()) == moves


@pytest.mark.parametrize("heur", [0, 1, 2])
@pytest.mark.parametrize(("text", "moves"), [(FIFTY, 50), (MISSED, 9), (INBOARD4, 6), (EIGHT, 8)])
def test_hard_boards_are_solved_in_the_fewest_moves(course, heuristics, text, moves, heur):
    solver = course.Solver(course.Board(text), heuristics[heur])
    assert solver.run()
    assert len(solver.solution()) == moves
    assert leads_out(course.Board(text), solver.solution())


@settings(max_examples=settings().max_examples // 5)
@given(boards, st.sampled_from([0, 1, 2]), st.lists(st.integers(0, 99), max_size=6))
def test_every_solution_is_a_shortest_one(course, heuristics, text, heur, choices):
    board = course.Board(text)
    for choice in choices:
        moves = board.potential_moves()
        board.move(*moves[choice % len(moves)])
    solver = course.Solver(board, heuristics[heur])
    assert solver.run()
    assert len(solver.solution()) == needed(board)
    assert leads_out(board.copy(), solver.solution())


@pytest.mark.parametrize("heur", [0, 1, 2])
def test_a_board_without_a_solution_has_an_empty_one(course, heuristics, heur):
    solver = course.Solver(course.Board(HOPELESS), heuristics[heur])
    assert not solver.run()
    assert solver.solution() == []
    board = course.Board(HOPELESS)
    assert solver.num_expansions() == reach(board.garage, board.stands, 10_000).positions


def test_a_clear_way_needs_no_move(course, heuristics):
    solver = course.Solver(course.Board("b...\nb...\n.aa.\n...."), heuristics[2])
    assert solver.run()
    assert (solver.solution(), solver.num_expansions()) == ([], 1)


def test_a_solver_keeps_the_board_that_it_was_given(course, heuristics):
    board = course.Board(COURSE)
    solver = course.Solver(board, heuristics[2])
    board.move("c", -2)
    assert solver.run()
    assert len(solver.solution()) == 3
    assert board.history == [*course.Board(COURSE).history, board.stands]


def test_a_heuristic_of_ones_own_is_asked(course):
    class Zero(course.Heuristic):
        def compute(self, b):
            return 0 * b.size()

    solver = course.Solver(course.Board(COURSE), Zero())
    assert solver.run()
    assert solver.num_expansions() == 72


# --- Board ------------------------------------------------------------------------------------------------------------


def test_potential_moves_are_the_handouts(course):
    line = "(a,1) (c,-1) (c,-2) (d,-1) (d,-2) (d,1) (d,2)"
    assert " ".join(f"({vid},{amount})" for vid, amount in course.Board(COURSE).potential_moves()) == line


@given(boards)
def test_a_move_is_legal_exactly_if_it_is_a_potential_one(course, text):
    board = course.Board(text)
    letters = [vehicle.letter for vehicle in board.garage.vehicles]
    tried = [(vid, amount) for vid in [*letters, "?"] for amount in range(-board.size(), board.size() + 1)]
    assert [move for move in tried if board.is_legal_move(*move)] == sorted(board.potential_moves())
    for move, after in board.successors():
        moved = board.copy()
        assert moved.move(*move)
        assert moved == after
        assert moved != board


@pytest.mark.parametrize("move", [("c", 0), ("c", "1"), ("c", 1.0), ("c", True), ("cc", 1), (None, 1), ("z", 1)])
def test_what_is_no_move_changes_nothing(course, move):
    board = course.Board(COURSE)
    assert not board.is_legal_move(*move)
    assert not board.move(*move)
    assert str(board) == COURSE.strip()
    with pytest.raises(IndexError, match="no move to undo"):
        board.undo_last_move()


@pytest.mark.slow
@given(boards, st.lists(st.integers(0, 99), max_size=12))
def test_moves_are_undone_one_by_one(course, text, choices):
    board, seen = course.Board(text), []
    for choice in choices:
        moves = board.potential_moves()
        seen.append(str(board))
        assert board.move(*moves[choice % len(moves)])
    for before in reversed(seen):
        board.undo_last_move()
        assert str(board) == before
    with pytest.raises(IndexError):
        board.undo_last_move()


def test_a_copy_goes_its_own_way_and_can_undo_the_same_moves(course):
    board = course.Board(COURSE)
    board.move("c", -2)
    twin = board.copy()
    assert twin == board
    twin.undo_last_move()
    assert str(twin) == COURSE.strip()
    assert board.is_legal_move("b", 3)


def test_boards_are_ordered_row_by_row(course):
    board, other = course.Board(COURSE), course.Board(COURSE)
    assert not board < other
    assert not other < board
    other.move("d", -1)  # a letter in the second row, where the other board is empty
    assert board < other
    assert not other < board
    assert board != COURSE
    assert eval(repr(board), {"Board": course.Board}) == board


def test_a_board_is_read_from_whatever_holds_one(course, tmp_path):
    rows = COURSE.split()
    file = tmp_path / "inboard1.in"
    file.write_text(COURSE)
    with file.open() as stream:
        sources = [COURSE, rows, [f"{row}\r\n" for row in rows], io.StringIO(COURSE), stream, file, str(file)]
        assert {str(course.Board(source)) for source in sources} == {"\n".join(rows)}


def test_white_space_at_the_ends_does_not_count(course):
    assert str(course.Board("\n" + COURSE.strip().replace("\n", " \t\r\n") + "  \n\n")) == COURSE.strip()


@pytest.mark.parametrize("side", [3, 4, 10, 14])
def test_a_board_is_a_square_of_any_size(course, heuristics, side):
    rows = ["." * side for _ in range(side)]
    rows[1] = "aa" + "b".rjust(side - 2, ".")
    board = course.Board(rows)
    assert board.size() == side
    solver = course.Solver(board, heuristics[2])
    assert solver.run()
    assert len(solver.solution()) == 1


def test_a_vehicle_of_length_1_stands_upright(course):
    board = course.Board("....\naab.\n....\n....")
    assert board.potential_moves() == [("b", -1), ("b", 1), ("b", 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("...\naa.\n", r"board:1: row 0: it has 3 cells, but a board of 2 rows is 2 wide"),
        ("\n" * 3, "no vehicle 'a'"),
        ("....\naa.\n....\n....", r"board:2: row 1: it has 3 cells"),
        ("....\nbb..\n....\n....", "no vehicle 'a'"),
        ("a...\na...\n....\n....", r"board:1: row 0, column 0: vehicle 'a' stands upright"),
        ("....\naa.b\n..bb\n....", r"board:3: row 2, column 2: vehicle 'b' bends"),
        ("....\naabb\n....\n.b..", r"board:4: row 3, column 1: vehicle 'b' bends"),
        ("....\naa.b\n....\n...b", r"board:4: row 3, column 3: vehicle 'b' is split"),
        ("....\naa 1\n....\n....", r"board:2: row 1, column 2: ' ' is neither a letter nor '\.'"),
    ],
)
def test_a_malformed_board_is_refused_with_its_place(course, text, message):
    with pytest.raises(ValueError, match=message) as caught:
        course.Board(text)
    assert not isinstance(caught.value, BadBoard)  # the line of the file is named, too


def test_a_file_that_is_not_there_is_reported(course):
    with pytest.raises(ValueError, match=r"nowhere\.in: cannot be read: No such file"):
        course.Board(Path("nowhere.in"))
