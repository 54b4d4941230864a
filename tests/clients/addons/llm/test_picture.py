"""What a model is shown of a position: all that it needs, within bounds, of every game."""

import pytest

from palio_clients.addons.llm import bot
from palio_clients.addons.llm.template import PLACEHOLDERS
from palio_clients.sdk.clock import Clock
from palio_rules.registry import game, games

BOARD = {"rush_hour": {"board": ".b..../.b..../.aa..c/d....c/d.eee./......"}}


def first(name: str, **settings):
    rules = game(name)
    return rules, rules.start(rules.parse_options(settings or BOARD.get(name, {})), 1)


@pytest.mark.parametrize("name", games())
def test_every_placeholder_has_a_text_for_every_game(name: str):
    rules, state = first(name)
    found = bot.placeholder_values(rules, state, 0, [], Clock())
    assert set(found) == set(PLACEHOLDERS)
    assert all(found.values())
    assert found["history"] == "none"
    assert found["clock"] == "no limit"
    assert found["position"] == rules.format_state(state)


def test_all_legal_moves_are_listed_in_notation():
    rules, state = first("dominoes")
    assert bot.moves(rules, state).split() == [rules.notation(state, move) for move in state.legal_moves()]


def test_of_very_many_moves_some_are_listed_and_that_is_said():
    text = bot.moves(_Rules(), _Many())
    assert text.endswith("(and more, which the rules allow)")
    assert len(text.split("(")[0].split()) == bot.MAX_MOVES


class _Many:
    def legal_moves(self):
        yield from range(10_000)


class _Rules:
    anytime = False

    def notation(self, state, move):
        return f"m{move}"


def test_the_largest_instance_is_asked_for_within_bounds():
    rules, state = first("tsp", size=2000)
    found = bot.placeholder_values(rules, state, 0, [], Clock())
    assert sum(map(len, found.values())) < 60_000
    assert rules.format_state(state) == found["position"]
    assert "too many to list" in found["moves"]
    assert "whole solution" in found["answer"]


def test_the_newest_moves_are_told_with_their_seats():
    rules, state = first("breakthrough")
    history = [(ply % 2, f"a{ply}-b{ply}") for ply in range(bot.MAX_HISTORY + 5)]
    text = bot.placeholder_values(rules, state, 0, history, Clock())["history"]
    assert text.startswith("(5 earlier ones) white:a5-b5 black:a6-b6")
    assert text.endswith(f"a{bot.MAX_HISTORY + 4}-b{bot.MAX_HISTORY + 4}")


def test_the_clock_is_told_in_seconds():
    rules, state = first("breakthrough")
    clock = Clock(remaining_ms=60_000, limit_ms=5_000)
    assert (
        bot.placeholder_values(rules, state, 0, [], clock)["clock"]
        == "5 s for this move, 60 s for the rest of the game"
    )
