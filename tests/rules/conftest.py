"""Random games under many settings, for the laws that every installed game keeps.

A test that asks for `spec` runs once for every game and setting; `race_spec`, `duel_spec` and so on are those of a
kind.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pytest

from palio_rules.game import Game
from palio_rules.laws.walk import any_move
from palio_rules.registry import game_from_spec, games

VARIANTS = {  # settings under which a game is played here, besides its own defaults
    "breakthrough": ["rows=4,cols=3,first=white", "rows=5,cols=4", "rows=8,cols=8"],
    "chexers": ["max_turns=1", "max_turns=20"],
    "chexers_solo": [
        "pieces=1,blocks=30",
        "colour=green,max_actions=9",
        "board=..../..b../.#..../......./....../...../....",
    ],
    "chess": ["variant=chess960", "variant=chess960,start=0"],
    "dominoes": ["rows=1,cols=1", "rows=2,cols=16", "rows=4,cols=3", "board=.#./.../..#"],
    "end_of_the_track": ["max_plies=1", "max_plies=12"],
    "go": ["size=1", "size=3,suicide=true,komi=-0.5", "size=7,handicap=3"],
    "rush_hour": ["size=4,moves=3", "solvable=false,max_moves=30", "board=b.../b.../aa.c/.d.."],
    "tsp": ["size=3", "size=200"],
}
SPECS = [spec for name in games() for spec in (name, *(f"{name}:{text}" for text in VARIANTS.get(name, [])))]
LONGEST = 800  # plies; random play in a game of ours ends sooner
INSTANCES = 3  # of games that have random ones: to prove a puzzle takes its time
SUBMISSIONS = 8  # in an anytime race, which would never end by itself


@dataclass(frozen=True)
class Playout:
    """A random game: all of its positions, and the moves between them."""

    rules: Game[Any, Any]
    states: list[Any]
    moves: list[Any]

    @property
    def ended(self) -> Any:
        """The last position; of an anytime race, closed."""
        last = self.states[-1]
        return self.rules.forfeit(last, 0) if self.rules.anytime and last.to_move is not None else last


def play_out(spec: str, seed: int, longest: int = LONGEST) -> Playout:
    rules, options = game_from_spec(spec)
    choose = random.Random(seed)
    states, moves = [rules.start(options, seed % INSTANCES)], []
    while states[-1].to_move is not None and len(moves) < (min(longest, SUBMISSIONS) if rules.anytime else longest):
        moves.append(any_move(rules, states[-1], list(states[-1].legal_moves()), choose))
        states.append(states[-1].play(moves[-1]))
    return Playout(rules, states, moves)


@lru_cache(maxsize=100)  # hostile input meets the same few positions again and again
def position_of(spec: str, seed: int) -> tuple[Game[Any, Any], Any]:
    """A position from anywhere in a random game; the last one is as likely as any other."""
    played = play_out(spec, seed)
    return played.rules, random.Random(seed + 1).choice(played.states)


def of_kind(kind: str) -> list[str]:
    """The specs of games of a kind; "anytime" is a kind of race."""
    found = {spec: game_from_spec(spec)[0] for spec in SPECS}
    return [spec for spec, rules in found.items() if (rules.anytime if kind == "anytime" else rules.kind == kind)]


def pytest_generate_tests(metafunc):
    if "spec" in metafunc.fixturenames:
        metafunc.parametrize("spec", SPECS)
    for kind in ("race", "anytime", "duel", "table"):
        if f"{kind}_spec" in metafunc.fixturenames:
            metafunc.parametrize(f"{kind}_spec", of_kind(kind))


@pytest.fixture(scope="session", name="play_out")
def _play_out() -> Callable[..., Playout]:
    """`play_out(spec, seed)` is a random game, the same for the same seed."""
    return play_out


@pytest.fixture(scope="session", name="position_of")
def _position_of() -> Callable[[str, int], tuple[Game[Any, Any], Any]]:
    """`position_of(spec, seed)` is the rules, and a position from anywhere in a random game."""
    return position_of
