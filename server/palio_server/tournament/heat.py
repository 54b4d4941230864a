"""A heat: all entrants of a race at once, on one instance. What is agreed of it before it begins."""

from typing import Any

import msgspec

from palio_rules.game import Game
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

DEFAULT_TIME = TimeControl(move_ms=5_000)  # of an anytime race that nobody has set a time for: it would never end
MAX_SOLUTIONS = 10_000  # that each entrant of an anytime race may submit


def heat(setup: Setup) -> Setup:
    """The setup of a race with the instance that its seed draws written out, once for everybody: it may take seconds.

    Raises BadOption if the game has no such instance, or if one was given that is none.
    """
    rules = setup.rules()
    instance = rules.instance(rules.parse_options(setup.options), setup.seed)
    drawn = msgspec.structs.replace(setup, options=instance)
    drawn.start()
    return drawn


def terms(rules: Game[Any, Any], time: TimeControl, max_plies: int | None = None) -> dict[str, Any]:
    """The fields of Setup that say how long a match may take; None: as long as is usual."""
    agreed: dict[str, Any] = {"time": DEFAULT_TIME if never_ends(rules, time) else time}
    if max_plies is not None or rules.anytime:
        agreed["max_plies"] = max_plies or MAX_SOLUTIONS
    return agreed


def time_text(rules: Game[Any, Any], time: TimeControl) -> str:
    """The time as people read it: `10+0.1`, `0.5/move`; `5 s` for all of an anytime race."""
    base_ms = time.for_all_moves().base_ms if rules.anytime else None
    return str(time) if base_ms is None else f"{base_ms / 1000:g} s"


def never_ends(rules: Game[Any, Any], time: TimeControl) -> bool:
    """Whether this is an anytime race that no clock would end."""
    return rules.anytime and time.base_ms is None and time.move_ms is None
