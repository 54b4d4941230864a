"""The bots that a server starts for people who want to play: what each is called, how strong it is, and its SPEC."""

from functools import cache
from typing import NamedTuple

from palio_rules.contract.reserved import HOUSE
from palio_rules.registry import game as rules_of
from palio_rules.registry import games

PUZZLES = ("chexers_solo", "rush_hour")  # races in which there is a way to be planned
TOURS = ("tsp",)


class HouseEntry(NamedTuple):
    """A line of the catalogue. `level`: 1 (beginner) to 5; `spec` is what `palio join` understands."""

    name: str
    title: str
    level: int
    games: tuple[str, ...]
    spec: str


@cache  # made when it is first asked for: it loads the rules of every game, and no match of programs needs it
def catalogue() -> tuple[HouseEntry, ...]:
    """Every line, the weakest bots first."""
    every = tuple(games())
    duels = tuple(name for name in every if rules_of(name).kind == "duel")
    tables = tuple(name for name in every if rules_of(name).kind == "table")
    # `seconds` where a search could take long: whoever plays without a clock waits for no answer longer than that.
    return (
        HouseEntry("random", "beginner: plays any legal move", 1, every, "random"),
        HouseEntry("greedy", "easy: looks one move ahead", 2, every, "greedy"),
        HouseEntry("alpha_beta", "fair: looks two moves ahead", 3, duels, "alpha_beta:depth=2,seconds=2,seed=-1"),
        HouseEntry("deep", "strong: looks four moves ahead", 4, duels, "alpha_beta:depth=4,seconds=3,seed=-1"),
        HouseEntry(
            "max_n", "fair: every seat for itself, two moves ahead", 3, tables, "max_n:depth=2,seconds=2,seed=-1"
        ),
        HouseEntry("paranoid", "strong: all others against it", 4, tables, "paranoid:seconds=1,seed=-1"),
        HouseEntry("hill_climbing", "fair: improves its tour until no step helps", 3, TOURS, "hill_climbing"),
        HouseEntry("or_opt", "very strong: improves its tour again and again", 5, TOURS, "or_opt"),
        HouseEntry("planner", "very strong: finds a shortest way", 5, PUZZLES, "planner"),
        HouseEntry(
            "champion", "very strong: searches for a second a move", 5, (*duels, *tables), "champion:seconds=1,seed=-1"
        ),
    )


def house_entry(name: str) -> HouseEntry | None:
    """The line of that name."""
    return next((entry for entry in catalogue() if entry.name == name), None)


def house_name(entry: HouseEntry, number: int = 1) -> str:
    """What it is called in a match; where several of one kind play at once, each after the first has a number.

    >>> house_name(catalogue()[1]), house_name(catalogue()[1], 2)
    ('house-greedy', 'house-greedy.2')
    """
    return f"{HOUSE}{entry.name}" if number == 1 else f"{HOUSE}{entry.name}.{number}"


def entry_of(name: str) -> HouseEntry | None:
    """The line behind a name in a match, as after a restart."""
    return house_entry(name.removeprefix(HOUSE).partition(".")[0])
