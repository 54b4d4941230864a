"""Dead stones in Go: two passes with equal claims end the game without these stones, unequal ones do not."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.boards.go import PASS, board_of
from palio_rules.errors import BadPosition, IllegalMove, MalformedMove
from palio_rules.games.go import Go, GoOptions
from palio_rules.games.go_position import MOST_CLAIMED, placed
from palio_rules.games.go_text import LONGEST

RULES = Go()
CLEANUP = "final_status_list"
ROWS = ".OX.. .OX.X .OXO. .OXX. .OX.."  # White's D3 is dead


def at(rows, turn="b", cleanup=CLEANUP):
    text = "/".join(rows.split())
    return RULES.read_state(f"{text} {turn}", GoOptions(size=len(rows.split()), cleanup=cleanup, komi=0.5))


def play(state, moves):
    for move in moves.split():
        state = state.play(RULES.read_move(state, move))
    return state


def some_game(size, plies, seed):
    """Return a position after some stones of a random game with claims."""
    choose, state = random.Random(seed), RULES.start(GoOptions(size=size, cleanup=CLEANUP))
    for _ in range(plies):
        if len(moves := list(state.legal_moves())) < 2:
            break
        state = state.play(choose.choice(moves[:-1]))
    return state


def some_claim(state, choose):
    stones = state.black | state.white
    names = [state.board.names[bit] for bit in state.board.points(stones)]
    return state.claiming([name for name in names if choose.random() < 0.2])


games = st.builds(some_game, size=st.integers(3, 6), plies=st.integers(1, 30), seed=st.integers(0, 2**32))
dice = st.randoms(use_true_random=False)


@given(games, dice)
def test_equal_claims_end_the_game_with_the_area_of_the_board_without_these_stones(state, choose):
    claim = some_claim(state, choose)
    dead = state._groups_of(claim.removeprefix(PASS).lstrip(":").split(","))
    ended = play(state, f"{claim} {claim}")
    bare = placed(state.board.size, state.black & ~dead, state.white & ~dead, komi=state.komi)
    assert (ended.to_move, ended.dead) == (None, dead)
    assert (ended.outcome().reason, ended.areas(), ended.margin()) == ("score", bare.areas(), bare.margin())


@given(games, dice)
def test_unequal_claims_go_on_and_the_next_two_passes_take_what_both_claim(state, choose):
    first, second = some_claim(state, choose), some_claim(state, choose)
    after = play(state, f"{first} {second}")
    if first == second:
        return
    assert (after.to_move, after.passes, after.disputed, after.outcome()) == (state.turn, 0, True, None)
    assert list(after.legal_moves()) == list(state.legal_moves())
    groups = [state._groups_of(claim.removeprefix(PASS).lstrip(":").split(",")) for claim in (first, second)]
    ended = play(after, f"{first} {second}")
    assert (ended.to_move, ended.dead) == (None, groups[0] & groups[1])


@given(games, dice)
def test_a_position_with_claims_is_written_and_read_back(state, choose):
    for _ in range(2):
        for claim in (some_claim(state, choose), some_claim(state, choose)):
            state = state if state.to_move is None else state.play(claim)
            again = RULES.parse_state(text := RULES.format_state(state))
            assert again == state
            assert RULES.format_state(again) == text
            assert again.outcome() == state.outcome()


def test_a_group_is_named_by_any_of_its_stones_and_written_by_its_first_one():
    state = at(ROWS)
    assert state.claiming(["D2", "D3", "C1", "B1"]) == "pass:B5,C5,D3"
    ended = play(state, "pass:B1,D3 pass:d3,b5")
    assert ended.to_move is None
    assert ended.outcome().detail == "Black wins by 24.5 points"


def test_a_stone_between_two_passes_makes_the_first_claim_void():
    state = play(at(ROWS), "pass:D3 A1 pass")
    assert (state.passes, state.claim) == (1, 0)
    assert play(state, "pass").outcome().reason == "score"


def test_a_dispute_is_told_once_it_is_there():
    count = RULES.gestures.count
    assert count(play(at(ROWS), "pass:D3")).endswith("the last move was a pass")
    assert count(play(at(ROWS), "pass:D3 pass")).endswith("the sides differ about dead stones and play on")
    assert RULES.gestures.effect(at(ROWS), "pass:D3,C5") == ", calls D3, C5 dead"


def test_dead_stones_are_marked_at_the_end_with_the_area_of_the_other_side():
    scene = RULES.scene(play(at(ROWS), "pass:D3 pass:D3"))
    shapes = [(mark.shape, mark.seat) for mark in scene.marks if (mark.row, mark.col) == (2, 3)]
    assert shapes == [("stone", 1), ("area", 0)]
    assert scene.last == ()
    assert scene.tallies == ("15 points", "10.5 points")


@pytest.mark.parametrize(
    ("move", "code", "words"),
    [
        ("pass:A1", "not-a-stone", "'pass:A1': at 'A1' is no stone that could be dead"),
        ("pass:D3,T19", "not-a-stone", "'pass:D3,T19': at 'T19' is no stone that could be dead"),
    ],
)
def test_a_claim_names_stones_that_stand_there(move, code, words):
    with pytest.raises(IllegalMove) as error:
        RULES.read_move(at(ROWS), move)
    assert (error.value.code, str(error.value)) == (code, words)


@pytest.mark.parametrize(
    "text", ["pass:", "pass:,", "pass:D3,", "pass: D3", "pass:I5", "pass;D3", "passD3", "pass:D3 E4"]
)
def test_what_is_no_claim_is_refused_and_quoted(text):
    with pytest.raises(MalformedMove, match="a move is written C3, or pass, got "):
        RULES.move_from_wire(text)
    with pytest.raises(BadPosition):
        RULES.parse_state(f"5/5/5/5/5 w 1 0 0 7.5 cleanup after {text}")


def test_without_the_option_no_claim_is_legal():
    with pytest.raises(IllegalMove, match="dead stones are claimed only with cleanup=final_status_list") as error:
        RULES.read_move(at(ROWS, cleanup="none"), "pass:D3")
    assert error.value.code == "no-claims"


def test_claims_that_would_not_fit_into_a_message_are_refused():
    state = at(" ".join([*["X." * 9 + "X", ".O" * 9 + "."] * 9, "X." * 9 + "X"]))
    claim = state.claiming(state.board.names.values())
    for _ in range(3):
        state = play(state, claim)
        state = state.play(next(state.legal_moves()))
    with pytest.raises(IllegalMove, match=r"at most 2,400 characters, with this one 2,\d{3}; say only pass") as error:
        state.check(claim)
    assert error.value.code == "long-claims"
    state.check(PASS)


def test_the_longest_game_with_all_its_claims_still_fits_into_a_message():
    rows = "/".join(["XO" * 9 + "X"] * 19)
    fields = f"{rows} w 2 9999 9999"
    moves = " ".join(["T19"] * board_of(19).longest)
    assert len(f"{fields} -399.5 suicide cleanup after {moves} from {fields}") + MOST_CLAIMED < LONGEST


def test_a_typed_position_has_the_cleanup_of_the_match_with_its_history():
    text = RULES.format_state(play(RULES.start(GoOptions(size=5)), "C3 D3"))
    state = RULES.read_state(text, GoOptions(size=5, cleanup=CLEANUP))
    assert RULES.format_state(state) == text.replace(" after", " cleanup after")
    assert RULES.parse_state(RULES.format_state(play(state, "pass:D3"))).claim == state.board.bits["D3"]
