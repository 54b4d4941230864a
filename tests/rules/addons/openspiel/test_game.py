"""OpenSpiel's games behind our interface: Breakthrough, which both have, is the same game."""

import random

import pyspiel
import pytest

from palio_rules.contract.messages import Text
from palio_rules.errors import BadPosition
from palio_rules.game import Outcome
from palio_rules.registry import game, game_from_spec

pytestmark = pytest.mark.usefixtures("own_games")
SIZES = [(6, 3), (6, 4), (6, 6), (7, 5), (8, 8)]  # with less than six rows OpenSpiel has one row of pawns a side


def word(text):
    return text.replace("-", "").replace("x", "").replace("*", "")


def ours_and_theirs(rows, cols):
    rules, options = game_from_spec(f"breakthrough:rows={rows},cols={cols}")
    theirs = pyspiel.load_game("breakthrough", {"rows": rows, "columns": cols}).new_initial_state()
    return rules, rules.start(options), theirs


def both_moves(rules, ours, theirs):
    """The legal moves of both by name; the test fails where they differ."""
    seat = theirs.current_player()
    mine = {word(rules.notation(ours, move)): move for move in ours.legal_moves()}
    other = {word(theirs.action_to_string(seat, action)): action for action in theirs.legal_actions()}
    assert mine.keys() == other.keys()
    return mine, other


def perft(state, depth):
    if depth == 0 or state.to_move is None:
        return 1
    return sum(perft(state.play(move), depth - 1) for move in state.legal_moves())


def perft_of_theirs(state, depth):
    if depth == 0 or state.is_terminal():
        return 1
    return sum(perft_of_theirs(state.child(action), depth - 1) for action in state.legal_actions())


@pytest.mark.parametrize(("rows", "cols", "depth"), [(6, 3, 4), (6, 4, 4), (6, 6, 3), (7, 5, 3), (8, 8, 2)])
def test_breakthrough_has_as_many_lines_of_play_here_as_there(rows, cols, depth):
    _, ours, theirs = ours_and_theirs(rows, cols)
    assert perft(ours, depth) == perft_of_theirs(theirs, depth)


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "cols", "depth"), [(6, 3, 6), (6, 4, 6), (6, 6, 4), (7, 5, 4), (8, 8, 4)])
def test_breakthrough_has_as_many_lines_of_play_deeper_down(rows, cols, depth):
    _, ours, theirs = ours_and_theirs(rows, cols)
    assert perft(ours, depth) == perft_of_theirs(theirs, depth)


def compare_random_games(positions, seed):
    choose, seen = random.Random(seed), 0
    while seen < positions:
        rules, ours, theirs = ours_and_theirs(*choose.choice(SIZES))
        while True:
            seen += 1
            assert (ours.to_move is None) == theirs.is_terminal()
            if ours.to_move is None:
                first = theirs.returns()[0]
                assert ours.outcome().scores == ((1.0, 0.0) if first > 0 else (0.0, 1.0))
                break
            assert ours.to_move == theirs.current_player()
            mine, other = both_moves(rules, ours, theirs)
            name = choose.choice(sorted(mine))
            ours, theirs = ours.play(mine[name]), theirs.child(other[name])


def test_breakthrough_is_the_same_in_thousands_of_random_positions():
    compare_random_games(5_000, seed=1)


@pytest.mark.slow
def test_breakthrough_is_the_same_in_two_hundred_thousand_random_positions():
    compare_random_games(200_000, seed=2)


def test_a_position_is_its_settings_and_its_moves():
    rules, options = game_from_spec("openspiel:connect_four:rows=4,columns=5")
    state = rules.start(options)
    assert rules.format_state(state) == "columns=5,rows=4 -"
    state = state.play(3).play(0)
    assert rules.format_state(state) == "columns=5,rows=4 30"
    assert rules.parse_state("columns=5,rows=4 30") == state
    assert rules.render(state).splitlines()[-2:] == ["o..x.", "first to move"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- 37", "move 2 cannot be played, it is action 7"),
        ("- 3 0", "a position has its settings and its moves"),
        ("columns=9x -", "in the settings: openspiel_connect_four option columns='9x'"),
        ("rows=6 -", "this is written '- -', and in no other way"),
        ("- A", "a move has 1 digits of 0-9 and a-z; got 'A'"),
    ],
)
def test_what_is_no_position_is_refused_with_the_place(text, sentence):
    with pytest.raises(BadPosition) as caught:
        game("openspiel_connect_four").parse_state(text)
    assert sentence in str(caught.value)


def test_the_longest_game_can_still_be_sent():
    for name in ("openspiel_chess", "openspiel_go", "openspiel_shogi", "openspiel_connect_four"):
        rules = game(name)
        assert rules.options_type().max_plies * rules.width <= 7600 < Text.__metadata__[0].max_length


def test_at_a_table_the_others_share_what_is_forfeited():
    rules, options = game_from_spec("openspiel:quoridor:players=3,board_size=5")
    assert rules.kind == "table"
    assert rules.forfeit(rules.start(options), 1) == Outcome("forfeit", (0.5, 0.0, 0.5))


def test_a_page_says_whose_rules_they_are():
    rules = game("openspiel_hex")
    assert rules.title == "Hex"
    assert "OpenSpiel" in rules.line
    assert "OpenSpiel" in rules.about()
