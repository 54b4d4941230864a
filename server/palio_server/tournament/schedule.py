"""A round robin as a list of matches, each with everything that is agreed before it begins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palio_rules.errors import BadOption
from palio_rules.record import Setup
from palio_rules.registry import game
from palio_rules.time_control import TimeControl
from palio_server.tournament.openings import openings
from palio_server.tournament.round_robin import encounters

UNTIMED = TimeControl()
LIMITS = {"rounds": (1, 10_000), "openings": (0, 100)}


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every pair of `bots` meets `rounds` times; each time it plays one opening twice, with the seats swapped."""

    game: str
    bots: Sequence[str]
    rounds: int = 1
    openings: int = 0  # random plies
    seed: int = 0
    time: TimeControl = UNTIMED
    options: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)  # more fields of Setup: strikes, max_plies, ...

    def __post_init__(self) -> None:
        rules = game(self.game)
        if len(rules.seats) != 2:
            raise BadOption(f"{self.game} has {len(rules.seats)} seats; a round robin is for games with two")
        if len(self.bots) < 2:
            raise BadOption("a tournament needs two bots at least; name one more, `random` is always there")
        if len(set(self.bots)) != len(self.bots):
            twice = next(bot for bot in self.bots if list(self.bots).count(bot) > 1)
            raise BadOption(f"two bots are called {twice!r}; give one of them another name, as in {twice}2=SPEC")
        for name, (least, most) in LIMITS.items():
            if not least <= getattr(self, name) <= most:
                raise BadOption(f"--{name} {getattr(self, name)} is out of range; give {least} to {most}")

    def setups(self) -> list[tuple[int, Setup]]:
        """(round, setup) of every match, in order of play. Raises BadOption."""
        rules = game(self.game)
        rules.parse_options(self.options)  # a wrong option is refused here, not in the first match
        plans = openings(rules, self._setup(tuple(self.bots[:2]), 0).start, self.openings, self.rounds, self.seed)
        return [
            (round_, self._setup(seats, number, plans[number]))
            for round_, number, (first, second) in encounters(self.bots, self.rounds)
            for seats in ((first, second), (second, first))
        ]

    def _setup(self, seats: tuple[str, ...], number: int, opening: tuple[Any, ...] = ()) -> Setup:
        return Setup(
            game=self.game,
            bots=seats,
            options=dict(self.options),
            seed=self.seed + number,
            opening=opening,
            time=self.time,
            **self.limits,
        )
