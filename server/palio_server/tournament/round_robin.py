"""Round robin schedules: Berger tables for pairs, and every combination of three or more.

The tables are those that FIDE prints (C.05, annex 1), found by Richard Schurig (1886) and spread by Johann Berger: the
last number sits still, all others move on by half of the table a round. With an odd number, the bot that would meet it
has a bye. In every round each bot meets at most one other, so that matches can run at the same time.

For tables of three or more, combinations are taken in their order into the first round in which all of them are free:
rounds of disjoint tables again, if not always the fewest.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

import msgspec

from palio_rules.game import Game
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

Lineup = tuple[str, ...]
EntrantIndices = tuple[int, ...]  # in the list of entrants, from 0


def berger(size: int, number: int) -> list[tuple[int, int]]:
    """Return round `number` (from 0) of `size` entrants, by board, white first. An odd one out meets place `size`.

    >>> berger(4, 1)
    [(3, 2), (0, 1)]
    """
    last = size - 1 + size % 2
    moved = number * ((last + 1) // 2)
    first = moved % last
    pairs = [(first, last) if number % 2 == 0 else (last, first)]
    return pairs + [((board + moved) % last, (last - board + moved) % last) for board in range(1, (last + 1) // 2)]


def side_by_side(groups: Iterable[EntrantIndices]) -> list[list[EntrantIndices]]:
    """Return the groups in rounds of disjoint ones, each in the first round in which all of it are free."""
    rounds: list[list[EntrantIndices]] = []
    sitting: list[int] = []  # in each round, as bits
    for places in groups:
        bits = sum(1 << place for place in places)
        number = next((number for number, busy in enumerate(sitting) if not busy & bits), len(rounds))
        if number == len(rounds):
            rounds.append([])
            sitting.append(0)
        rounds[number].append(places)
        sitting[number] |= bits
    return rounds


@lru_cache(maxsize=8)
def table_rounds(size: int, seats: int) -> list[list[EntrantIndices]]:
    """Return every combination of `seats` places once, in rounds of disjoint ones."""
    return side_by_side(combinations(range(size), seats))


def orders(bots: Lineup) -> list[Lineup]:
    """Return every order of the seats; after each `len(bots)` of them all have sat equally often in each seat.

    >>> ["".join(order) for order in orders(("a", "b", "c"))]
    ['abc', 'bca', 'cab', 'acb', 'cba', 'bac']
    """
    first, *others = bots
    return [rotated((first, *rest), turn) for rest in permutations(others) for turn in range(len(bots))]


def rotated(group: Lineup, turn: int) -> Lineup:
    """Return the group with another one in the lead; after `len(group)` turns it is the first one's again."""
    turn %= len(group)
    return (*group[turn:], *group[:turn])


# A heat: all entrants of a race at once, on one instance, and its terms.

DEFAULT_TIME = TimeControl(move_ms=5_000)  # of an anytime race without a time, which would never end
MAX_SOLUTIONS = 10_000  # that each entrant of an anytime race may submit


def heat(setup: Setup) -> Setup:
    """Return the setup of a race with the instance that its seed draws, once for all entrants: this may take seconds.

    Raises BadOption if the game has no such instance, or if an invalid one was given.
    """
    rules = setup.rules()
    instance = rules.instance(rules.parse_options(setup.options), setup.seed)
    drawn = msgspec.structs.replace(setup, options=instance)
    drawn.start()
    return drawn


def terms(rules: Game[Any, Any], time: TimeControl, max_plies: int | None = None) -> dict[str, Any]:
    """Return the fields of Setup that limit the length of a match; None: the default."""
    agreed: dict[str, Any] = {"time": DEFAULT_TIME if never_ends(rules, time) else time}
    if max_plies is not None or rules.anytime:
        agreed["max_plies"] = max_plies or MAX_SOLUTIONS
    return agreed


def time_text(rules: Game[Any, Any], time: TimeControl) -> str:
    """Return the time as people read it: `10+0.1`, `0.5/move`; `5 s` for all of an anytime race."""
    base_ms = time.for_all_moves().base_ms if rules.anytime else None
    return str(time) if base_ms is None else f"{base_ms / 1000:g} s"


def never_ends(rules: Game[Any, Any], time: TimeControl) -> bool:
    """Return True if this is an anytime race without a clock to end it."""
    return rules.anytime and time.base_ms is None and time.move_ms is None
