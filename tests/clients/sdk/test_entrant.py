"""A bot before any match: under which name it plays, and which of its games."""

import sys

import pytest
from msgspec import UNSET

from palio_clients import Bot
from palio_clients.sdk.failures import BadBot
from palio_clients.sdk.loader import entrant_of, load, usual_name
from palio_clients.sdk.stdio import engine


def test_only_games_that_a_bot_plays_can_be_asked_of_it():
    entrant = load("random")
    assert entrant.only(["dominoes", "dominoes"]).games == ("dominoes",)
    assert entrant.only([]).games == entrant.games
    with pytest.raises(BadBot, match=r"random does not play 'domino'; did you mean 'dominoes'\?"):
        entrant.only(["domino"])


def test_a_name_that_the_protocol_does_not_allow_is_refused():
    with pytest.raises(BadBot, match="'a b' is no name for a bot; use up to 64 letters"):
        load("random").named("a b")


@pytest.mark.parametrize(
    ("text", "name"),
    [("a b", "a-b"), ("-x.", "x"), ("", "bot"), ("\u00fc", "u"), ("\u738b", "bot"), ("x" * 50, f"{'x' * 33}-77cf12")],
)
def test_any_text_makes_a_name_that_the_protocol_allows(text, name):
    assert usual_name(text) == name
    assert load("random").named(name).name == name


class Deaf(Bot):
    def choose(self, state, clock):
        return next(state.legal_moves())


class Told(Deaf):
    def opponent_moved(self, seat, move):
        """Keep a tree."""


@pytest.mark.parametrize(
    ("entrant", "without"),
    [
        (entrant_of(Deaf), ("moves", "played")),
        (entrant_of(Told), ("moves",)),
        (engine(sys.executable), ()),
        (load("random"), ("moves", "played")),
    ],
)
def test_what_a_bot_makes_no_use_of_is_known_before_it_plays(entrant, without):
    assert entrant.without == without
    assert entrant.named("other").without == without


async def test_the_hello_says_what_need_not_be_sent(script, joined):
    for bot, without in ((Told, ["moves"]), (Deaf, ["moves", "played"])):
        joined(bot, games=["nim"])
        peer = await script.peer()
        assert (await peer.welcome()).without == without
    joined(engine(sys.executable), games=["nim"])
    assert (await (await script.peer()).welcome()).without is UNSET


async def test_players_that_share_nothing_need_no_end():
    entrant = entrant_of(Deaf)
    async with entrant.stay() as make:
        assert make is entrant.make
