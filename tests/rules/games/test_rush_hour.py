"""Rush Hour: the boards of the course, malformed ones with their place, and boards with what they need proven."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.boards.rush_hour import read_board
from palio_rules.errors import BadInstance, BadOption, BadPosition, IllegalMove, MalformedMove
from palio_rules.game import Outcome
from palio_rules.games.rush_hour import Move, RushHour
from palio_rules.instances import rush_hour as generator
from palio_rules.instances.rush_hour import TooManyPositions, generate, reach, read_in, solve
from palio_rules.instances.source import Source

RULES = RushHour()
COURSE = "...b../...b../aa.b.d/..cccd/....../......"
HOPELESS = "...b../...bee/aa.b.d/.....d/...c../...c.."
FIFTY = "gbb.l./ghi.lm/ghiaam/ccck.m/..jkdd/eejff."


def start(board, **options):
    return RULES.start(RULES.parse_options({"board": board, **options}))


def optimum(state):
    way = solve(state.garage, state.at)
    return None if way is None else len(way)


def perft(state, depth):
    return sum(perft(state.play(move), depth - 1) for move in state.legal_moves()) if depth else 1


def naive_moves(rows):
    """What the handout says, on the text alone: try each vehicle and amount, and look at every cell on the way."""
    side, found = len(rows), []
    for letter in sorted(set("".join(rows)) - {"."}):
        cells = [(r, c) for r in range(side) for c in range(side) if rows[r][c] == letter]
        lies = len(cells) > 1 and cells[0][0] == cells[1][0]
        for sign in (-1, 1):
            for amount in range(1, side):
                end = cells[0] if sign < 0 else cells[-1]
                r, c = (end[0], end[1] + sign * amount) if lies else (end[0] + sign * amount, end[1])
                if not (0 <= r < side and 0 <= c < side) or rows[r][c] != ".":
                    break
                found.append((letter, sign * amount))
    return found


def test_the_moves_of_the_course_s_board_come_in_its_order():
    assert list(start(COURSE).legal_moves()) == [
        ("a", 1), ("c", -1), ("c", -2), ("d", -1), ("d", -2), ("d", 1), ("d", 2)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("board", "counts"), [(COURSE, [7, 55, 443, 3534]), (HOPELESS, [5, 23, 103, 457]), (FIFTY, [3, 11, 43, 186])]
)
def test_perft_of_known_boards(board, counts):
    assert [perft(start(board), depth) for depth in range(1, len(counts) + 1)] == counts


@settings(max_examples=2 * settings().max_examples // 3)
@given(seed=st.integers(0, 3), choices=st.lists(st.integers(0, 99), max_size=12), side=st.sampled_from([4, 5, 6, 9]))
def test_moves_agree_with_a_naive_reading_of_the_text(seed, choices, side):
    state = RULES.start(RULES.parse_options({"size": side, "moves": 3}), seed)
    for choice in choices:
        if state.to_move is None:
            break
        moves = list(state.legal_moves())
        assert moves == naive_moves(state.rows())
        state = state.play(moves[choice % len(moves)])


def test_the_transcript_of_the_course_is_played():
    state = start(COURSE)
    for text in ("c-2", "b+3", "d+1"):
        assert state.outcome() is None
        move = RULES.parse_notation(state, text)
        state.check(move)
        state = state.play(move)
    assert state.rows() == ["......", "......", "aa....", "cccb.d", "...b.d", "...b.."]
    assert (state.outcome(), state.to_move, list(state.legal_moves())) == (Outcome("solved", (1.0,)), None, [])
    assert RULES.cost(state) == 3


@pytest.mark.parametrize(("board", "moves"), [(COURSE, 3), (HOPELESS, None), (FIFTY, 50), ("..../aa../..b./..b.", 0)])
def test_the_known_optima_are_found(board, moves):
    state = start(board)
    assert optimum(state) == moves
    levels = reach(state.garage, state.at, 10_000).levels
    assert (next((n for n, level in enumerate(levels) if state.at in level), None)) == moves


def test_a_way_that_is_clear_from_the_beginning_costs_nothing():
    state = start("..../aa../..b./..b.")
    assert (state.to_move, RULES.cost(state)) == (None, 0)


@pytest.mark.parametrize("board", [COURSE, HOPELESS, "b.../b.../aa.c/.d.c"])
def test_what_can_be_reached_is_what_the_rules_reach(board):
    state = start(board)
    known, waiting = {state.at}, [state.at]
    for at in waiting:
        for index, amount in state.garage.slides(at):
            there = (*at[:index], at[index] + amount, *at[index + 1 :])
            if there not in known:
                known.add(there)
                waiting.append(there)
    assert reach(state.garage, state.at, 10_000).positions == len(known)
    with pytest.raises(TooManyPositions):
        reach(state.garage, state.at, len(known) - 1)


@pytest.mark.parametrize(
    ("move", "code", "reason"),
    [
        (("z", 1), "no-such-vehicle", "there is no vehicle 'z' on the board"),
        (("b", 0), "no-move", "b does not move at all"),
        (("b", -1), "off-board", "b cannot slide 1 up: that is off the 6x6 board"),
        (("d", 3), "off-board", "d cannot slide 3 down: that is off the 6x6 board"),
        (("a", 10**400), "off-board", "a cannot slide <an integer of 1329 bits> right"),
        (("b", 1), "blocked", "b cannot slide 1 down: c is in the way on row 3, column 3"),
        (("b", 3), "blocked", "b cannot slide 3 down: c is in the way on row 3, column 3"),
        (("a", 2), "blocked", "a cannot slide 2 right: b is in the way on row 2, column 3"),
        (("c", 1), "blocked", "c cannot slide 1 right: d is in the way on row 3, column 5"),
    ],
)
def test_a_move_is_rejected_with_its_reason(move, code, reason):
    with pytest.raises(IllegalMove) as caught:
        start(COURSE).check(Move(*move))
    assert caught.value.code == code
    assert reason in str(caught.value)


def test_a_vehicle_of_length_one_counts_as_upright():
    state = start("..../aa.b/..../....")
    assert list(state.legal_moves()) == [("a", 1), ("b", -1), ("b", 1), ("b", 2)]


@pytest.mark.parametrize("value", [["b"], ["b", 2, 3], ["bb", 1], ["", 1], ["1", 2], ["ä", 1], ["b", True], [1, "b"]])
def test_what_is_no_slide_is_rejected(value):
    with pytest.raises(MalformedMove, match=r"a move is .* got "):
        RULES.move_from_wire(value)


MALFORMED = [
    ("aa./.../...", "a board has 4 to 10 rows, got 3"),
    ("/".join(["." * 11] * 11), "a board has 4 to 10 rows, got 11"),
    ("aa../.../..../....", "row 1: it has 3 cells, but a board of 4 rows is 4 wide"),
    ("aa../...../..../....", "row 1: it has 5 cells"),
    ("aa../..1./..../....", "row 1, column 2: '1' is neither a letter nor '.'"),
    ("aa../..é./..../....", "row 1, column 2: 'é' is neither a letter nor '.'"),
    ("bb../..../..../....", "there is no vehicle 'a' that could escape"),
    ("a.../a.../..../....", "row 0, column 0: vehicle 'a' stands upright, it must lie to escape"),
    ("..../.a../..../....", "row 1, column 1: vehicle 'a' stands upright"),
    ("aa../bb../b.../....", "row 2, column 0: vehicle 'b' bends: it began on row 1, column 0"),
    ("aa../b.../bb../....", "row 2, column 1: vehicle 'b' bends: it began on row 1, column 0"),
    ("aa../b.../.b../....", "row 2, column 1: vehicle 'b' bends"),
    ("aa../b.b./..../....", "row 1, column 2: vehicle 'b' is split: it began on row 1, column 0"),
    ("aa../b.../..../b...", "row 3, column 0: vehicle 'b' is split: it began on row 1, column 0"),
]


@pytest.mark.parametrize(("board", "message"), MALFORMED)
def test_a_malformed_board_is_refused_with_row_and_column(board, message):
    with pytest.raises(BadPosition) as caught:
        read_board(board.split("/"))
    assert message in str(caught.value)
    with pytest.raises(BadOption) as caught:
        start(board)
    assert message in str(caught.value) or "length" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (COURSE, "a position is rows divided by / and moves/max_moves as in 0/500"),
        (f"{COURSE} 5/4", "5/4 moves are out of range"),
        (f"{COURSE} 0/10001", "at most 10000"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, reason):
    with pytest.raises(BadPosition) as caught:
        RULES.parse_state(text)
    assert reason in str(caught.value)


# --- instances -------------------------------------------------------------------------------------------------------


@pytest.mark.first(2)
@pytest.mark.parametrize(("size", "moves"), [(4, 1), (4, 5), (5, 8), (6, 1), (6, 12), (7, 6), (10, 8)])
def test_a_random_board_needs_what_was_asked_for_and_no_fewer(size, moves):
    for seed in (0, 1):
        state = RULES.start(RULES.parse_options({"size": size, "moves": moves}), seed)
        assert (state.garage.side, optimum(state)) == (size, moves)


@pytest.mark.parametrize("size", [4, 6, 9])
def test_a_random_board_is_unsolvable_only_if_that_was_asked_for(size):
    state = RULES.start(RULES.parse_options({"size": size, "solvable": False}), 5)
    assert optimum(state) is None
    assert next(state.legal_moves())


@pytest.mark.slow
def test_the_boards_of_a_seed_are_the_same_everywhere():
    assert generate(3, 6, 5) == generate.__wrapped__(3, 6, 5)
    assert generate(3, 6, 5) != generate(4, 6, 5)


def test_a_board_that_cannot_be_found_is_refused_with_the_hardest_one():
    with pytest.raises(BadOption, match=r"no 4x4 board was found that needs 30 moves, the hardest one needs [0-9]+"):
        RULES.start(RULES.parse_options({"size": 4, "moves": 30}))


def test_a_larger_board_that_is_too_hard_to_find_is_refused_by_its_own_size(monkeypatch):
    monkeypatch.setattr(generator, "CLIMBS", 1)
    monkeypatch.setattr(generator, "STEPS", 1)
    with pytest.raises(BadOption, match="no 9x9 board was found that needs 30 moves"):
        generate(1, 9, 30)


def test_a_course_s_file_may_have_white_space_at_the_ends():
    assert read_in(Source("inboard1.in", COURSE.replace("/", "  \n") + "\t\n\n")) == {"board": COURSE}


@pytest.mark.parametrize(("board", "message"), MALFORMED)
def test_a_file_that_is_no_board_is_refused_with_its_line(board, message):
    with pytest.raises(BadInstance) as caught:
        read_in(Source("boards/x.in", "\n" + board.replace("/", "\n")))
    row = int(message.split()[1].rstrip(":,")) if message.startswith("row") else 0
    assert str(caught.value).startswith(f"boards/x.in:{row + 2}: ")
    assert message in str(caught.value)


def test_an_empty_file_is_no_board():
    with pytest.raises(BadInstance, match=r"x\.in:1: a board has 4 to 10 rows, got 0"):
        read_in(Source("x.in", "\n\n"))


# --- for people ------------------------------------------------------------------------------------------------------


def test_the_board_for_terminals_counts_from_the_upper_left():
    lines = RULES.render(start(COURSE)).splitlines()
    assert lines[2] == "2 a a . b . d"
    assert lines[6:] == ["  0 1 2 3 4 5", "a escapes to the right, 0 of 500 moves"]


def test_the_scene_shows_vehicles_with_their_letters_and_the_last_slide():
    scene = RULES.scene(start(COURSE).play(Move("c", -2)))
    assert [(mark.text, mark.seat, mark.row, mark.col, mark.rows, mark.cols) for mark in scene.marks] == [
        ("a", 0, 2, 0, 1, 2),
        ("b", None, 0, 3, 3, 1),
        ("c", None, 3, 0, 1, 3),
        ("d", None, 2, 5, 2, 1),
    ]
    assert sorted(scene.last) == [(3, 0), (3, 1), (3, 2), (3, 3), (3, 4)]
