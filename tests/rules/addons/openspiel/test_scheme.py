"""How games of OpenSpiel are named, and what is said of those that cannot be played here."""

import sys

import pytest

from palio_rules import registry
from palio_rules.addons.openspiel import library
from palio_rules.errors import BadOption
from palio_rules.registry import adopt, game, game_from_spec, games
from palio_server.cli.palio import call

pytestmark = pytest.mark.usefixtures("own_games")


@pytest.mark.parametrize(
    ("typed", "name", "settings"),
    [
        ("openspiel:connect_four", "openspiel_connect_four", {}),
        ("openspiel:hex:board_size=5", "openspiel_hex", {"board_size": "5"}),
        ("openspiel:quoridor:board_size=5,players=4", "openspiel_quoridor_4", {"board_size": "5"}),
        ("openspiel:quoridor:players=2", "openspiel_quoridor", {}),
        ("openspiel_hex:board_size=5", "openspiel_hex", {"board_size": "5"}),
    ],
)
def test_a_game_is_called_by_a_plain_name(typed, name, settings):
    spec = adopt(typed)
    assert (spec.name, dict(spec.settings)) == (name, settings)
    assert name in games()
    assert game(name).name == name
    assert registry.games_variable() == name


def test_a_game_is_found_by_its_plain_name_without_being_named_before():
    assert game("openspiel_chinese_checkers_3").seats == ("first", "second", "third")
    assert "openspiel_chinese_checkers_3" not in games(), "a server offers what it was told to offer"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("kuhn_poker", "cannot be played here: it has chance (dice, cards) and imperfect information"),
        ("matrix_pd", "cannot be played here: it has simultaneous moves and imperfect information"),
        ("oshi_zumo", "cannot be played here: it has simultaneous moves"),
        ("pig", "cannot be played here: it has chance (dice, cards)"),
        ("dark_hex", "cannot be played here: it has imperfect information"),
        ("mfg_crowd_modelling", "it has a crowd instead of players (mean field) and chance"),
        ("cliff_walking", "it has a single player, whose reward is no cost of which less is better"),
        ("efg_game", "no rules of its own, but those of a game or a file that it is given"),
        ("connect4", "there is no 'connect4' among the games of OpenSpiel; did you mean 'connect_four'?"),
        ("quoridor:players=9", "quoridor of OpenSpiel has 2 to 4 players, got players=9"),
        ("hex:board_size=0", "openspiel_hex option board_size='0': expected `int` >= 1"),
        ("hex:size=5", "openspiel_hex has no option 'size'; known: board_size"),
        ("clobber:rows=1", "clobber of OpenSpiel cannot be played with rows=1: "),
        ("amazons:board_size=7", "amazons of OpenSpiel cannot be played with board_size=7: "),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_property_or_the_setting(name, sentence):
    with pytest.raises(BadOption) as caught:
        started(f"openspiel:{name}")
    assert sentence in str(caught.value)


def started(spec):
    rules, options = game_from_spec(spec)
    return rules.start(options)


def test_without_the_library_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    library.pyspiel.cache_clear()
    library._kinds.cache_clear()
    try:
        with pytest.raises(BadOption, match=r"needs OpenSpiel, .*; pip install 'palio\[openspiel\]'"):
            adopt("openspiel:hex")
        assert call(["run", "openspiel:hex", "random", "random"]) == 2  # a scheme of bots, too
        assert "pip install 'palio[openspiel]'" in capsys.readouterr().err
    finally:
        library.pyspiel.cache_clear()


def test_the_library_is_loaded_only_when_it_is_named(loaded_by):
    assert "pyspiel" not in loaded_by("from palio_rules.registry import game, games; games(); game('breakthrough')")
    assert "pyspiel" in loaded_by("from palio_rules.registry import game; game('openspiel_hex')")
