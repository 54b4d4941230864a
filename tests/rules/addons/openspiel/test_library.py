"""Which games of OpenSpiel can be played here."""

import pyspiel
import pytest

from palio_rules.addons.openspiel.library import kind_of, load, playable, why_not
from palio_rules.errors import BadOption


def test_those_are_playable_that_have_turns_and_no_secrets_and_no_dice():
    types = pyspiel.GameType
    for kind in pyspiel.registered_games():
        if kind.short_name in playable():
            assert kind.dynamics == types.Dynamics.SEQUENTIAL
            assert kind.chance_mode == types.ChanceMode.DETERMINISTIC
            assert kind.information == types.Information.PERFECT_INFORMATION
        else:
            assert why_not(kind)
    assert {"chess", "go", "hex", "tic_tac_toe", "chinese_checkers", "breakthrough", "y", "havannah"} <= set(playable())


def test_a_game_of_a_general_sum_is_refused_for_that():
    class Kind:
        dynamics = pyspiel.GameType.Dynamics.SEQUENTIAL
        chance_mode = pyspiel.GameType.ChanceMode.DETERMINISTIC
        information = pyspiel.GameType.Information.PERFECT_INFORMATION
        utility = pyspiel.GameType.Utility.GENERAL_SUM
        max_num_players = 2
        default_loadable = True

    assert why_not(Kind) == "it has a sum that is not constant, so that nobody wins against the others"


def test_colours_of_terminals_are_left_out():
    assert "\x1b" not in str(load("twixt", {}).new_initial_state())
    assert kind_of("twixt").parameter_specification["ansi_color_output"] is True


def test_settings_that_fail_in_the_midst_of_a_game_are_refused_before_it():
    with pytest.raises(BadOption, match="connect_four of OpenSpiel cannot be played with columns=0"):
        load("connect_four", {"columns": 0})
