"""Chexers: counts against a reading of the rules on plain sets, every end, every rejection, and seats that forfeit."""

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from palio_rules.boards.chexers import HEXES, INDEX, Action
from palio_rules.contract.messages import Result
from palio_rules.errors import BadPosition, IllegalMove, MalformedMove
from palio_rules.game import Outcome
from palio_rules.games.chexers import OUT, START, Chexers, ChexersOptions, Position, word_of
from palio_rules.records import Ply, Record, Setup, fault, record_from_text, record_to_text

RULES = Chexers()
FIRST = RULES.start(ChexersOptions())
EMPTY = "..../...../....../......./....../...../...."


def perft(state, depth):
    return sum(perft(state.play(move), depth - 1) for move in state.legal_moves()) if depth else 1


def read(board="", exits="0,0,0", turn="red", rest="0/256", **pieces):
    """A position: a board, and pieces put on it, as `red=[(0, 0)]`."""
    cells = dict.fromkeys(HEXES, ".")
    if board:
        cells = dict(zip(HEXES, board.replace("/", ""), strict=True))
    for colour, hexes in pieces.items():
        cells |= dict.fromkeys(hexes, colour[0])
    rows = "/".join("".join(cells[h] for h in HEXES if h[1] == r) for r in range(-3, 4))
    return RULES.parse_state(f"{rows} {exits} {turn} {rest}")


def play(state, *moves):
    for kind, where in moves:
        move = Action(kind, where)
        state.check(move)
        state = state.play(move)
    return state


SHUFFLE = [
    ("MOVE", ((-3, 0), (-2, 0))),
    ("MOVE", ((0, -3), (0, -2))),
    ("MOVE", ((3, 0), (2, 0))),
    ("MOVE", ((-2, 0), (-3, 0))),
    ("MOVE", ((0, -2), (0, -3))),
    ("MOVE", ((2, 0), (3, 0))),
]


@pytest.mark.parametrize(("depth", "count"), [(1, 8), (2, 64), (3, 512), (4, 6784)])
def test_perft_from_the_start(depth, count):
    assert perft(FIRST, depth) == count


def naive_actions(board, colour):
    """The rules read aloud, on a dict of hexes."""
    found = set()
    for (q, r), piece in board.items():
        if piece != colour:
            continue
        for dq in (-1, 0, 1):
            for dr in (-1, 0, 1):
                near, far = (q + dq, r + dr), (q + 2 * dq, r + 2 * dr)
                if dq == dr or max(abs(near[0]), abs(near[1]), abs(sum(near))) > 3:
                    continue
                if near not in board:
                    found.add(("MOVE", ((q, r), near)))
                elif far not in board and max(abs(far[0]), abs(far[1]), abs(sum(far))) <= 3:
                    found.add(("JUMP", ((q, r), far)))
        if {"r": q == 3, "g": r == 3, "b": q + r == -3}[colour]:
            found.add(("EXIT", (q, r)))
    return found or {("PASS", None)}


@settings(max_examples=2 * settings().max_examples)
@given(cells=st.lists(st.sampled_from("....rgb"), min_size=37, max_size=37), turn=st.integers(0, 2))
def test_actions_agree_with_a_naive_reading(cells, turn):
    state = Position.of("".join(cells), ply=turn)
    board = {hex_: cell for hex_, cell in zip(HEXES, cells, strict=True) if cell != "."}
    assert set(state.legal_moves()) == naive_actions(board, "rgb"[turn])


def test_a_jump_over_an_enemy_converts_it_and_over_a_friend_does_not():
    state = play(read(red=[(0, 0)], green=[(1, 0)]), ("JUMP", ((0, 0), (2, 0))))
    assert [state.cells[INDEX[hex_]] for hex_ in ((0, 0), (1, 0), (2, 0))] == [".", "r", "r"]
    state = play(read(red=[(0, 0), (1, 0)], green=[(0, -3)]), ("JUMP", ((0, 0), (2, 0))))
    assert [state.cells[INDEX[hex_]] for hex_ in ((0, 0), (1, 0), (2, 0))] == [".", "r", "r"]


def test_the_order_goes_round():
    turns, state = [], FIRST
    for _ in range(7):
        turns.append(state.to_move)
        state = state.play(next(state.legal_moves()))
    assert turns == [0, 1, 2, 0, 1, 2, 0]


def test_who_cannot_do_anything_passes_and_nobody_else_may():
    state = read(green=[(0, 0)])
    assert list(state.legal_moves()) == [("PASS", None)]
    after = play(state, ("PASS", None))
    assert after.to_move == 1
    with pytest.raises(IllegalMove, match="green can pass only when it cannot move, and it can: ") as caught:
        after.check(Action("PASS", None))
    assert caught.value.code == "must-move"


@pytest.mark.parametrize(
    ("move", "code", "reason"),
    [
        (("MOVE", ((4, 0), (3, 0))), "off-board", "(4, 0) is off the board, where |q|, |r| and |q + r| are at most 3"),
        (("MOVE", ((3, 0), (3, 1))), "off-board", "(3, 1) is off the board"),
        (("MOVE", ((0, 0), (1, 0))), "no-piece", "(0, 0) is empty"),
        (("MOVE", ((0, -3), (0, -2))), "not-your-piece", "on (0, -3) stands no piece of red"),
        (("MOVE", ((-3, 0), (-1, 0))), "not-a-step", "(-1, 0) is not next to (-3, 0)"),
        (("MOVE", ((-3, 0), (-3, 0))), "not-a-step", "(-3, 0) is not next to (-3, 0)"),
        (("MOVE", ((-3, 0), (-3, 1))), "occupied", "(-3, 1) is taken"),
        (("JUMP", ((-3, 0), (-2, 0))), "not-a-jump", "(-3, 0) to (-2, 0) is not two hexes in a straight line"),
        (("JUMP", ((-3, 0), (-2, -1))), "not-a-jump", "is not two hexes in a straight line"),
        (("JUMP", ((-3, 0), (-1, 0))), "nothing-to-jump", "(-2, 0), between (-3, 0) and (-1, 0), is empty"),
        (("JUMP", ((-3, 0), (-3, 2))), "occupied", "(-3, 2) is taken"),
        (("EXIT", (-3, 0)), "not-an-exit", "red exits where q = 3, not from (-3, 0)"),
    ],
)
def test_a_move_is_rejected_with_its_reason(move, code, reason):
    with pytest.raises(IllegalMove) as caught:
        FIRST.check(Action(*move))
    assert caught.value.code == code
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("turn", "hex_"), [("red", (3, -3)), ("red", (3, 0)), ("green", (-3, 3)), ("green", (0, 3)), ("blue", (-3, 0))]
)
def test_each_side_exits_from_the_edge_opposite(turn, hex_):
    state = read(turn=turn, **{turn: [hex_, (0, 0)]})
    after = play(state, ("EXIT", hex_))
    assert after.exits == tuple(int(name == turn) for name in RULES.seats)
    assert after.cells[INDEX[hex_]] == "."


# --- how it ends -----------------------------------------------------------------------------------------------------


def test_the_fourth_exit_wins():
    state = play(read(exits="1,3,2", turn="green", green=[(0, 3)]), ("EXIT", (0, 3)))
    assert state.outcome() == Outcome("four-exits", (0.0, 1.0, 0.0))
    assert (state.to_move, list(state.legal_moves())) == (None, [])


def test_an_aimless_shuffle_draws_after_eighteen_actions():
    state = FIRST
    for number, move in enumerate(SHUFFLE * 3):
        assert state.outcome() is None, number
        state = play(state, move)
    assert state.outcome() == Outcome("repetition", (1 / 3, 1 / 3, 1 / 3))


def test_a_repetition_is_found_across_a_text():
    halfway = RULES.parse_state(RULES.format_state(play(FIRST, *SHUFFLE, *SHUFFLE)))
    assert play(halfway, *SHUFFLE).outcome().reason == "repetition"


def test_the_same_board_with_another_side_to_move_is_another_position():
    words = {word_of(START, turn) for turn in range(3)}
    assert len(words) == 3


def test_256_turns_each_draw():
    state = read(START and "gggg/...../....../r.....b/r....b/r...b/r..b", turn="blue", rest="255/256")
    assert state.ply == 767
    assert play(state, ("MOVE", ((3, 0), (2, 0)))).outcome() == Outcome("max-turns", (1 / 3, 1 / 3, 1 / 3))


def test_a_fourth_exit_on_the_last_action_wins():
    state = read(exits="0,0,3", turn="blue", rest="255/256", blue=[(-3, 0)])
    assert play(state, ("EXIT", (-3, 0))).outcome() == Outcome("four-exits", (0.0, 0.0, 1.0))


def test_an_exit_forgets_what_can_never_come_again():
    state = read(red=[(3, 0), (0, 0)], green=[(0, -3)])
    moved = play(state, ("MOVE", ((0, 0), (1, 0))), ("MOVE", ((0, -3), (0, -2))), ("PASS", None))
    assert len(moved.history.split()) == 3
    assert play(moved, ("EXIT", (3, 0))).history == ""


# --- forfeits --------------------------------------------------------------------------------------------------------


def test_a_seat_thrown_out_is_skipped_and_its_pieces_stay():
    state = RULES.forfeit(FIRST, 1)
    assert (state.cells, state.exits, state.to_move) == (START, (0, OUT, 0), 0)
    turns = []
    for _ in range(4):
        turns.append(state.to_move)
        state = state.play(next(state.legal_moves()))
    assert turns == [0, 2, 0, 2]


def test_it_is_the_next_seat_s_turn_when_who_is_to_move_is_thrown_out():
    assert RULES.forfeit(FIRST, 0).to_move == 1
    assert RULES.forfeit(RULES.forfeit(FIRST, 1), 0).to_move is None


def test_the_pieces_of_a_seat_that_is_out_can_be_jumped_and_converted():
    state = RULES.forfeit(read(red=[(0, 0)], green=[(1, 0)], blue=[(-3, 3)]), 1)
    after = play(state, ("JUMP", ((0, 0), (2, 0))))
    assert after.cells[INDEX[1, 0]] == "r"
    scene = RULES.scene(state)
    assert [mark.shape for mark in scene.marks if mark.shape != "hex"] == ["disc", "disc", "disc"]
    assert (scene.out, scene.tallies[1]) == ((1,), "out")
    assert [edge.seat for edge in scene.edges] == [0, 2]


def test_the_last_seat_has_won():
    state = RULES.forfeit(RULES.forfeit(FIRST, 2), 0)
    assert state.outcome() == Outcome("last-seat", (0.0, 1.0, 0.0))
    assert RULES.forfeit(state, 1) == state


def test_a_draw_is_shared_by_those_who_are_left():
    state = RULES.forfeit(FIRST, 2)
    for move in [move for move in SHUFFLE if move[1][0] not in ((3, 0), (2, 0))] * 3:
        state = play(state, move)
    assert state.outcome() == Outcome("repetition", (0.5, 0.5, 0.0))


def test_those_who_are_left_have_256_turns_each_too():
    state = RULES.forfeit(read(turn="blue", rest="254/256", red=[(0, 0)], blue=[(3, 0)], green=[(0, -3)]), 0)
    after = play(state, ("MOVE", ((3, 0), (2, 0))), ("MOVE", ((0, -3), (0, -2))))
    assert (after.outcome(), after.to_move) == (None, 2)
    assert play(after, ("MOVE", ((2, 0), (3, 0)))).outcome() == Outcome("max-turns", (0.0, 0.5, 0.5))


def record(seed, thrown_out):
    """A random match in which a seat forfeits after so many plies, by seat."""
    choose, state = random.Random(seed), Setup("chexers", ("ann", "bob", "cyd"), options={"max_turns": 12}).start()
    plies = []
    while state.to_move is not None:
        seat = next((seat for seat, number in thrown_out.items() if number == len(plies)), None)
        if seat is not None:
            plies.append(Ply(seat, None, 7, None, "time"))
            state = RULES.forfeit(state, seat)
            continue
        move = choose.choice(list(state.legal_moves()))
        plies.append(Ply(state.to_move, RULES.move_to_wire(move), choose.randrange(5000)))
        state = state.play(move)
    ended, when = state.outcome(), datetime(2026, 11, 20, tzinfo=UTC)
    setup = Setup("chexers", ("ann", "bob", "cyd"), options={"max_turns": 12})
    return Record("m1", setup, tuple(plies), Result("rule", ended.reason, list(ended.scores)), when, when)


@pytest.mark.parametrize("thrown_out", [{}, {1: 0}, {2: 4}, {0: 3, 1: 9}])
def test_a_record_tells_who_was_thrown_out_and_is_read_back_from_text(thrown_out):
    found = record(3, thrown_out)
    assert fault(found) is None
    assert record_from_text(record_to_text(found)) == found
    scores = found.result.scores[::-1] if found.result.scores[0] != found.result.scores[2] else [1.0, 0.0, 0.0]
    assert "the rules say" in fault(replace(found, result=replace(found.result, scores=scores)))


# --- texts -----------------------------------------------------------------------------------------------------------


def test_equal_positions_may_have_come_a_different_way():
    home = play(FIRST, *SHUFFLE)
    assert home == FIRST
    assert hash(home) == hash(FIRST)
    assert RULES.format_state(home) != RULES.format_state(FIRST)


def test_the_longest_game_still_fits_into_a_message():
    state = Position.of(ply=767, history=" ".join([word_of(START, 0)[:-1] + "w"] * 767))
    assert len(RULES.format_state(state)) < 12_000


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a position is rows, exits, turn, turns/max_turns and a history"),
        (f"{EMPTY} 0,0,0 red 0/257", "turn 0/257 is out of range: at most 256"),
        (f"{EMPTY} 0,0,0 green 256/256", "turn 256/256 is out of range"),
        (f"{EMPTY}/. 0,0,0 red 0/256", "a board has 7 rows divided by /, got 8"),
        (f"{EMPTY}. 0,0,0 red 0/256", "row 6 has 5 hexes, it should have 4"),
        (f"{EMPTY[:-1]}x 0,0,0 red 0/256", "hex (0, 3): 'x' is none of . r g b"),
        (f"{EMPTY} 4,4,0 red 0/256", "exits 4,4,0: somebody plays, and at most one side has won"),
        (f"{EMPTY} out,out,out red 0/256", "somebody plays"),
        (f"{EMPTY} out,0,0 red 0/256", "red is out, it has no turn"),
        ("rrrr/rrrrr/rrr.../......./....../...../.... 1,0,0 red 0/256", "12 pieces and exits 1,0,0 are more than 12"),
        (f"{EMPTY} 0,0,0 red 0/256 rAAAAAAAAAAAAA", "the history has 1 positions, but only 0 turns have come round"),
        (f"{EMPTY} 0,0,0 red 1/256 rAAAAAAAAAAAAB", "a position is rows"),
    ],
)
def test_a_text_that_is_no_position_is_refused_with_the_place(text, reason):
    with pytest.raises(BadPosition) as caught:
        RULES.parse_state(text)
    assert reason in str(caught.value)


def test_actions_travel_in_the_shape_of_the_course():
    for value in (["MOVE", [[-3, 0], [-2, 0]]], ["JUMP", [[0, 0], [0, 2]]], ["EXIT", [3, 0]], ["PASS", None]):
        assert RULES.move_to_wire(RULES.move_from_wire(value)) == value
    assert RULES.move_from_wire(("MOVE", ((-3, 0), (-2, 0)))) == ("MOVE", ((-3, 0), (-2, 0)))
    for value in (["MOVE", [-3, 0]], ["EXIT", [[3, 0], [3, 0]]], ["PASS"], ["PASS", 0], ["move", [[0, 0], [1, 0]]]):
        with pytest.raises(MalformedMove, match="got "):
            RULES.move_from_wire(value)


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (("MOVE", ((-3, 0), (-2, 0))), "(-3,0)-(-2,0)"),
        (("JUMP", ((0, 0), (2, 0))), "(0,0)^(2,0)"),
        (("EXIT", (3, -1)), "(3,-1)-exit"),
        (("PASS", None), "pass"),
    ],
)
def test_notation_shows_the_hexes(move, text):
    assert RULES.notation(FIRST, Action(*move)) == text
    assert RULES.parse_notation(FIRST, text) == move


@pytest.mark.parametrize("text", ["", "(-0,0)-exit", "(0,0)+(1,0)", "PASS", "(0,0)-(1,0) ", "(٣,0)-exit"])
def test_what_is_no_notation_is_refused(text):
    with pytest.raises(MalformedMove, match="got "):
        RULES.parse_notation(FIRST, text)


def test_the_board_for_terminals_has_its_coordinates():
    lines = RULES.render(FIRST).splitlines()
    assert lines[0] == "-3     g g g g      q 0..3"
    assert lines[3] == " 0  r . . . . . b   q -3..3"
    assert lines[7] == "red to move, turn 0 of 256, exits: red 0, green 0, blue 0"
    assert "green is out" in RULES.render(RULES.forfeit(FIRST, 1))


def test_the_scene_says_which_cells_exist_and_what_the_last_move_touched():
    scene = RULES.scene(play(FIRST, SHUFFLE[0]))
    assert (scene.board, scene.rows, scene.cols) == ("hex", 7, 7)
    assert sum(mark.shape == "hex" and mark.seat is None and not mark.text for mark in scene.marks) == 37
    assert [sum(mark.shape == "disc" and mark.seat == seat for mark in scene.marks) for seat in range(3)] == [4, 4, 4]
    assert scene.last == ((3, 0), (3, 1))
