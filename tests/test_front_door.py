"""`palio` and `palio.plugins`: the names that others build on, each of them there, and loaded only when it is used."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import palio
import palio.plugins
import palio_clients
import palio_rules

ROOT = Path(__file__).parents[1]
DOORS = [palio, palio.plugins]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_every_name_is_there_and_says_what_it_is(door):
    assert sorted(door.__all__) == door.__all__
    aliases = {"Kind"}  # of a Literal, which has no docstring
    assert {name for name in door.__all__ if not getattr(door, name).__doc__} <= aliases
    assert set(door.__all__) <= set(dir(door))


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_type_checkers_are_told_the_very_objects_that_are_given(door):
    (block,) = (node for node in ast.parse(Path(door.__file__).read_text()).body if isinstance(node, ast.If))
    told = {each.name: node.module for node in block.body for each in node.names}
    assert sorted(told) == door.__all__
    for name, module in told.items():
        assert getattr(door, name) is getattr(import_module(module), name)


def test_all_that_authors_of_bots_and_games_import_is_at_the_front_door():
    assert {*palio_clients.__all__, *palio_rules.__all__} == set(palio.__all__)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_an_unknown_name_is_an_import_error_as_of_any_module(door):
    with pytest.raises(AttributeError, match=r"has no attribute 'Bat'"):
        _ = door.Bat


def test_a_game_loads_no_client_and_a_plugin_of_bots_no_server(loaded_by):
    assert loaded_by("from palio import Game, Options, State") == {"palio", "palio_rules", "msgspec"}
    assert "palio_server" not in loaded_by("from palio.plugins import Entrant, GameScheme")
    assert "palio_db" not in loaded_by("from palio import Bot, run")
