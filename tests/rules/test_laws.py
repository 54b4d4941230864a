"""The laws as properties of every installed game, third-party games included, and of many of OpenSpiel's."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.addons.openspiel.library import playable
from palio_rules.laws import findings, walk_through
from palio_rules.registry import adopt, game, game_from_spec, games

A_DOZEN = (
    *(
        "tic_tac_toe",
        "connect_four:rows=4,columns=4",
        "hex:board_size=4",
        "y:board_size=4",
        "othello",
        "nim",
        "mancala",
    ),
    *("clobber:rows=3,columns=4", "oware", "checkers", "breakthrough:rows=4,columns=4", "dots_and_boxes", "pentago"),
    *(
        "ultimate_tic_tac_toe",
        "chinese_checkers:players=3,max_plies=90",
        "amazons:board_size=6",
        "gomoku:size=4,connect=3",
    ),
)
quick = settings(max_examples=1)


def broken(rules, options, positions, seed):
    return [str(each) for each in findings(walk_through(rules, options, positions, seed)) if each.verdict != "ok"]


@pytest.mark.slow
@quick
@given(seed=st.integers(0, 2**32))
@pytest.mark.parametrize("name", games())
def test_every_installed_game_keeps_all_laws(name, seed):
    assert not broken(*game_from_spec(name), 40, seed)


@pytest.mark.slow
@pytest.mark.parametrize("theirs", A_DOZEN)
def test_games_of_openspiel_of_all_kinds_keep_all_laws(own_games, theirs):
    rules, options = game_from_spec(f"openspiel:{theirs}")
    assert not broken(rules, options, 30, seed=5)


@pytest.mark.slow
@pytest.mark.parametrize("name", playable())
def test_all_games_of_openspiel_that_can_be_played_keep_all_laws(own_games, name):
    rules = game(adopt(f"openspiel:{name}").name)
    assert not broken(rules, rules.options_type(), 60, seed=11)
