"""A bot before any match: under which name it plays, and which of its games."""

import pytest

from palio_clients.sdk.entrant import name_from
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import load


def test_only_games_that_a_bot_plays_can_be_asked_of_it():
    entrant = load("random")
    assert entrant.only(["dominoes", "dominoes"]).games == ("dominoes",)
    assert entrant.only([]).games == entrant.games
    with pytest.raises(BadBot, match=r"random does not play 'domino'; did you mean 'dominoes'\?"):
        entrant.only(["domino"])


def test_a_name_that_the_protocol_does_not_allow_is_refused():
    with pytest.raises(BadBot, match="'a b' is no name for a bot; use up to 40 letters"):
        load("random").named("a b")


@pytest.mark.parametrize(
    ("text", "name"), [("a b", "a-b"), ("-x.", "x"), ("", "bot"), ("\u00fc", "bot"), ("x" * 50, "x" * 40)]
)
def test_any_text_makes_a_name_that_the_protocol_allows(text, name):
    assert name_from(text) == name
    assert load("random").named(name).name == name
