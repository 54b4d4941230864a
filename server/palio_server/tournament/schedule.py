"""A tournament as a list of matches, each with everything that is agreed before it begins.

Duels and tables are a round robin: every pair, or every combination of as many as have seats, meets `rounds` times;
each time it plays one opening in all orders of the seats. Races are heats: in each round all bots run on one instance.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palio_rules.contract.messages import MAX_ENTRANTS
from palio_rules.errors import BadOption
from palio_rules.records.record import Setup
from palio_rules.registry import game
from palio_rules.time_control import TimeControl
from palio_server.tournament.heat import heat, terms
from palio_server.tournament.openings import openings
from palio_server.tournament.round_robin import encounters, orders

UNTIMED = TimeControl()
LIMITS = {"rounds": (1, 10_000), "openings": (0, 100)}
NUMBERS = {1: "one bot", 2: "two bots", 3: "three bots", 4: "four bots"}


@dataclass(frozen=True, slots=True)
class Schedule:
    """All matches of `bots` in one game, a pure function of these fields. Raises BadOption if there can be none."""

    game: str
    bots: Sequence[str]
    rounds: int = 1
    openings: int = 0  # random plies
    seed: int = 0  # of openings and instances
    time: TimeControl = UNTIMED
    options: Mapping[str, Any] = field(default_factory=dict)
    by_time: bool = False  # in races, equal costs are ranked by thinking time
    limits: Mapping[str, int] = field(default_factory=dict)  # more fields of Setup: strikes, max_plies, ...

    def __post_init__(self) -> None:
        rules = game(self.game)
        race = rules.kind == "race"
        _check_bots(self.bots, len(rules.seats), MAX_ENTRANTS if race else None)
        for name, (least, most) in LIMITS.items():
            if not least <= getattr(self, name) <= most:
                raise BadOption(f"--{name} {getattr(self, name)} is out of range; give {least} to {most}")
        if race and self.openings:
            remedy = "leave --openings out, --seed draws the instances"
            raise BadOption(f"{self.game} is a race and has no openings; {remedy}")
        if self.by_time and not race:
            raise BadOption(f"{self.game} is no race: --by-time ranks equal costs; leave it out")

    def matches(self) -> Iterator[tuple[int, Setup]]:
        """(round, setup) of one match after the other, in order of play. Raises BadOption.

        In a race each step draws an instance, which may take seconds; otherwise the first step finds all openings.
        """
        rules = game(self.game)
        rules.parse_options(self.options)  # a wrong option is refused here, not in the first match
        return self._heats() if rules.kind == "race" else self._round_robin()

    def setups(self) -> list[tuple[int, Setup]]:
        """All of them. Raises BadOption."""
        return list(self.matches())

    def _heats(self) -> Iterator[tuple[int, Setup]]:
        for number in range(self.rounds):
            yield number + 1, heat(self._setup(tuple(self.bots), number))

    def _round_robin(self) -> Iterator[tuple[int, Setup]]:
        rules = game(self.game)
        seats = len(rules.seats)
        first = self._setup(tuple(self.bots[:seats]), 0)
        plans = openings(rules, first.start, self.openings, self.rounds, self.seed)
        for round_, number, group in encounters(self.bots, self.rounds, seats):
            for lineup in orders(group):
                yield round_, self._setup(lineup, number, plans[number])

    def _setup(self, bots: tuple[str, ...], number: int, opening: tuple[Any, ...] = ()) -> Setup:
        fields = {"by_time": self.by_time, **terms(game(self.game), self.time), **self.limits}
        return Setup(self.game, bots, dict(self.options), seed=self.seed + number, opening=opening, **fields)


def _check_bots(bots: Sequence[str], least: int, most: int | None) -> None:
    """Raise BadOption unless there are so many different ones."""
    if len(bots) < least:
        more = "one" if least - len(bots) == 1 else least - len(bots)
        number = NUMBERS.get(least, f"{least} bots")
        raise BadOption(f"a tournament needs {number} at least; name {more} more, `random` is always there")
    if most is not None and len(bots) > most:
        raise BadOption(f"a race has at most {most} entrants, {len(bots)} are named; leave some out")
    if twice := next((bot for place, bot in enumerate(bots) if bot in bots[:place]), None):
        raise BadOption(f"two bots are called {twice!r}; give one of them another name, as in {twice}2=SPEC")
