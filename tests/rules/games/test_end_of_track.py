"""End of the Track: published counts, the handout's known wins, the three draws, and what a position remembers."""

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.boards.end_of_track import BALL, KNIGHT
from palio_rules.errors import BadPosition, IllegalMove
from palio_rules.game import Outcome
from palio_rules.games.end_of_track import EndOfTheTrack, EndOfTheTrackOptions, Move, Position, passes

RULES = EndOfTheTrack()
START = RULES.start(EndOfTheTrackOptions())
DRAW = (0.5, 0.5)


def perft(state, depth):
    return sum(perft(state.play(move), depth - 1) for move in state.legal_moves()) if depth else 1


def read(pieces, rest="white 0/300"):
    return RULES.parse_state(f"{pieces} {rest}")


def shuffle(state, times):
    """Both sides move a block out and home again, `times` times."""
    for _ in range(times):
        for move in (Move(0, 14), Move(0, 35), Move(0, 1), Move(0, 50)):
            state.check(move)
            state = state.play(move)
    return state


def wins_within(state, plies):
    """Whether the side to move can win within so many plies."""
    for move in state.legal_moves():
        after = state.play(move)
        if after.outcome() is not None:
            if after.outcome().scores[state.turn] == 1:
                return True
        elif plies > 2 and all(
            reply.outcome() is None and wins_within(reply, plies - 2)
            for reply in (after.play(answer) for answer in after.legal_moves())
        ):
            return True
    return False


@pytest.mark.parametrize(("depth", "count"), list(enumerate([1, 18, 324, 6264, 121004])))
def test_perft_from_the_start(depth, count):
    assert perft(START, depth) == count


def test_moves_are_listed_by_piece_and_then_by_square():
    listed = [tuple(move) for move in START.legal_moves()]
    assert listed == sorted(listed)
    assert listed[:3] == [(0, 10), (0, 14), (0, 16)]
    assert listed[-4:] == [(5, 1), (5, 2), (5, 4), (5, 5)]


@pytest.mark.parametrize(
    ("pieces", "plies"), [("49,37,46,41,55,41,50,51,52,53,54,52", 1), ("44,37,46,34,40,34,1,2,52,4,5,52", 3)]
)
def test_the_forced_wins_of_the_course(pieces, plies):
    state = read(pieces)
    assert wins_within(state, plies)
    assert plies == 1 or not wins_within(state, plies - 2)


def naive_passes(pieces, turn):
    """Every line walked square by square, every holder tried again until nothing is new."""
    own, enemy = pieces[6 * turn : 6 * turn + 5], pieces[6 - 6 * turn : 11 - 6 * turn]
    reached = {pieces[6 * turn + BALL]}
    while True:
        found = set(reached)
        for at in reached:
            for up, right in [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]:
                row, col = at // 7 + up, at % 7 + right
                while 0 <= row < 8 and 0 <= col < 7 and row * 7 + col not in enemy:
                    if row * 7 + col in own:
                        found.add(row * 7 + col)
                    row, col = row + up, col + right
        if found == reached:
            return reached - {pieces[6 * turn + BALL]}
        reached = found


@settings(max_examples=3 * settings().max_examples)
@given(
    squares=st.permutations(range(56)), holders=st.tuples(st.integers(0, 4), st.integers(0, 4)), turn=st.integers(0, 1)
)
def test_passes_agree_with_lines_walked_square_by_square(squares, holders, turn):
    white, black = squares[:5], squares[5:10]
    pieces = (*white, white[holders[0]], *black, black[holders[1]])
    assert passes(pieces, turn) == naive_passes(pieces, turn)


def test_the_ball_turns_corners_passes_over_friends_and_is_stopped_by_enemies():
    # White: a1 (ball), a3, c3, c1, g8; an enemy on b2 closes the diagonal from a1 to c3, the way round stays open.
    state = read("0,14,16,2,55,0,8,51,52,53,54,52")
    assert sorted(move.to for move in state.legal_moves() if move.piece == BALL) == [2, 14, 16]
    blocked = read("0,3,16,55,48,0,2,8,14,53,54,53")
    with pytest.raises(IllegalMove, match="no chain of passes leads from a1 to d1"):
        blocked.check(Move(BALL, 3))


@pytest.mark.parametrize(
    ("move", "code", "reason"),
    [
        ((6, 10), "no-such-piece", "piece 6 does not exist: blocks are 0 to 4, the ball is 5"),
        ((-1, 10), "no-such-piece", "piece -1 does not exist: blocks are 0 to 4, the ball is 5"),
        ((0, 56), "off-board", "square 56 is off the 8x7 board, whose last is 55"),
        ((0, -1), "off-board", "square -1 is off the 8x7 board, whose last is 55"),
        ((2, 16), "holds-ball", "the block on d1 holds the ball and must stand still"),
        ((0, 8), "not-a-knight-move", "b1 to b2 is not a knight's move"),
        ((0, 1), "not-a-knight-move", "b1 to b1 is not a knight's move"),
        ((5, 3), "same-square", "the ball is on d1 already"),
        ((5, 24), "no-block", "none of your blocks stands on d4"),
        ((5, 50), "no-block", "none of your blocks stands on b8"),
    ],
)
def test_a_move_is_rejected_with_its_reason(move, code, reason):
    with pytest.raises(IllegalMove) as caught:
        START.check(Move(*move))
    assert (caught.value.code, str(caught.value)) == (code, reason)


def test_a_block_cannot_go_where_another_stands():
    state = read("1,16,3,4,5,3,50,51,52,53,54,52")
    with pytest.raises(IllegalMove, match="c3 is taken") as caught:
        state.check(Move(0, 16))
    assert caught.value.code == "occupied"


@pytest.mark.parametrize(
    ("pieces", "turn", "scores"),
    [("1,2,3,4,55,55,43,51,52,53,54,52", "black", (1.0, 0.0)), ("7,8,9,10,11,10,6,51,52,53,54,6", "white", (0.0, 1.0))],
)
def test_the_ball_on_the_far_row_wins(pieces, turn, scores):
    state = read(pieces, f"{turn} 7/300")
    assert state.outcome() == Outcome("reached-far-row", scores)
    assert (state.to_move, list(state.legal_moves())) == (None, [])


# --- draws -----------------------------------------------------------------------------------------------------------


def test_the_third_occurrence_draws_and_the_start_counts_as_the_first():
    assert shuffle(START, 1).outcome() is None
    drawn = shuffle(START, 2)
    assert (drawn.ply, drawn.outcome()) == (8, Outcome("repetition", DRAW))
    assert drawn.to_move is None


def test_blocks_that_have_changed_places_make_no_new_position():
    state = shuffle(START, 1)
    exchanged = Position.of((2, 1, *START.pieces[2:]), ply=4, history=state.history)
    assert exchanged != state
    assert exchanged.play(Move(1, 14)).play(Move(0, 35)).play(Move(1, 1)).play(Move(0, 50)).outcome() == Outcome(
        "repetition", DRAW
    )


def test_the_same_pieces_with_the_other_side_to_move_are_another_position():
    word = RULES.format_state(START.play(Move(0, 14))).split()[-1]
    other = "b" + word[1:]
    assert read("1,2,3,4,5,3,50,51,52,53,54,52", f"white 2/300 {other} {other}").outcome() is None
    assert read("1,2,3,4,5,3,50,51,52,53,54,52", f"white 2/300 {word} {word}").outcome().reason == "repetition"


def test_the_last_ply_draws():
    state = RULES.start(EndOfTheTrackOptions(max_plies=3))
    for number, move in enumerate([Move(0, 14), Move(0, 35), Move(0, 1)]):
        assert (state.ply, state.outcome()) == (number, None)
        state = state.play(move)
    assert state.outcome() == Outcome("max-plies", DRAW)


def test_a_win_on_the_last_ply_is_a_win():
    state = read("49,37,46,41,55,41,50,51,52,53,54,52", "white 299/300").play(Move(BALL, 55))
    assert state.outcome() == Outcome("reached-far-row", (1.0, 0.0))


def test_a_side_always_has_a_move():
    # Four blocks may move; with the holder of the ball and the enemy there are six more blocks to stand in their way.
    ways = [sum(1 << to for to in targets) for targets in KNIGHT]
    fewest = min(
        ((ways[a] | ways[b] | ways[c] | ways[d]) & ~(1 << a | 1 << b | 1 << c | 1 << d)).bit_count()
        for a, b, c, d in combinations(range(56), 4)
    )
    assert fewest == 7


# --- what a position remembers ---------------------------------------------------------------------------------------


def test_equal_positions_may_have_come_a_different_way():
    home = shuffle(START, 1)
    assert home == START
    assert hash(home) == hash(START)
    assert RULES.format_state(home) != RULES.format_state(START)


@given(seed=st.integers(0, 10**6), plies=st.integers(0, 60))
def test_the_text_brings_back_ply_limit_history_and_result(seed, plies):
    state, choose = RULES.start(EndOfTheTrackOptions(max_plies=50)), random.Random(seed)
    while state.to_move is not None and state.ply < plies:
        state = state.play(choose.choice(list(state.legal_moves())))
    again = RULES.parse_state(RULES.format_state(state))
    for name in ("pieces", "turn", "ply", "max_plies", "history", "result"):
        assert getattr(again, name) == getattr(state, name)


def test_a_repetition_is_found_across_a_text():
    halfway = RULES.parse_state(RULES.format_state(shuffle(START, 1)))
    assert shuffle(halfway, 1).outcome() == Outcome("repetition", DRAW)


def test_the_longest_game_still_fits_into_a_message():
    state = Position.of(max_plies=2000, ply=1999, history=" ".join(["w" + "A" * 12] * 1999))
    assert len(RULES.format_state(state)) < 30_000


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a position begins with twelve squares"),
        ("1,2,3 white 0/300", "a position begins with twelve squares as in 1,2,3,4,5,3,50,51,52,53,54,52, got '1,2,3'"),
        ("1,2,3,4,5,3,50,51,52,53,54,52", "after the pieces stands whose turn it is, white or black, got ''"),
        ("1,2,3,4,5,3,50,51,52,53,54,52 red 0/300", "got 'red'"),
        ("1,2,3,4,5,3,50,51,52,53,54,52 white 0", "after the turn stands ply/max_plies as in 0/300, got '0'"),
        ("1,2,3,4,5,3,50,51,52,53,54,52 white 301/300", "ply 301/300 is out of range"),
        ("1,2,3,4,5,3,50,51,52,53,54,52 white 0/2001", "at most 2000"),
        ("1,2,3,4,5,3,50,51,52,53,54,52 white 1/300 wXX", "word 0 of the history is no position, got 'wXX'"),
        ("1,2,3,4,5,3,50,51,52,53,54,52 white 0/300 wBCDEFDyz0121", "the history has 1 positions, but only 0 plies"),
        ("1,2,3,4,56,3,50,51,52,53,54,52 white 0/300", "piece 4 is on square 56, but the last square"),
        ("1,2,3,4,4,3,50,51,52,53,54,52 white 0/300", "two blocks are on square 4, e1"),
        ("1,2,3,4,5,6,50,51,52,53,54,52 white 0/300", "the ball of white is on square 6, where white has no block"),
        ("1,2,3,4,55,55,0,51,52,53,54,0 white 0/300", "both sides have won"),
    ],
)
def test_a_text_that_is_no_position_is_refused_with_the_place(text, reason):
    with pytest.raises(BadPosition) as caught:
        RULES.parse_state(text)
    assert reason in str(caught.value)


# --- for people ------------------------------------------------------------------------------------------------------


def test_notation_tells_a_block_from_the_ball():
    assert RULES.notation(START, Move(0, 16)) == "b1-c3"
    assert RULES.notation(START, Move(BALL, 1)) == "@d1-b1"
    assert RULES.parse_notation(START, "@d1-b1") == Move(BALL, 1)
    assert RULES.parse_notation(START, "f1-e3") == Move(4, 18)


def test_the_board_for_terminals_shows_who_holds_a_ball():
    lines = RULES.render(START).splitlines()
    assert lines[0] == "8 . b b B b b ."
    assert lines[7] == "1 . w w W w w ."
    assert lines[8:] == ["  a b c d e f g", "white to move, ply 0 of 300"]


def test_the_scene_has_blocks_balls_and_the_last_move():
    scene = RULES.scene(START.play(Move(0, 16)))
    assert sum(mark.shape == "block" for mark in scene.marks) == 10
    assert [(mark.seat, mark.row, mark.col) for mark in scene.marks if mark.shape == "ball"] == [(0, 7, 3), (1, 0, 3)]
    assert scene.last == ((7, 1), (5, 2))
