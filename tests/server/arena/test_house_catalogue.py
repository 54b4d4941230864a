"""The catalogue of house bots: every line can be started, for every game that it names."""

import pytest

from palio_clients.sdk.loader import load
from palio_rules.registry import games
from palio_server.arena.house import catalogue, entry_of, house_entry, house_name


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry.name)
def test_an_entry_is_a_bot_that_plays_its_games(entry):
    made = load(entry.spec)
    assert set(entry.games) <= set(made.games)
    assert 1 <= entry.level <= 5


@pytest.mark.parametrize("game", games())
def test_every_game_has_bots_of_several_levels(game):
    assert len({entry.level for entry in catalogue() if game in entry.games}) >= 3


def test_a_name_in_a_match_leads_back_to_its_entry():
    for entry in catalogue():
        assert house_entry(entry.name) is entry
        assert {entry_of(house_name(entry)), entry_of(house_name(entry, 7))} == {entry}
    assert entry_of("house-nobody") is None
