"""How many bots an event needs, and how many it takes; what is kept of those that did not start."""

from collections.abc import Sequence

from palio_rules.contract.messages import MAX_ENTRANTS
from palio_rules.errors import BadOption

BROKEN = "broken"  # among an event's settings: bots that did not start and lose their games by forfeit, and why
NUMBERS = {1: "one bot", 2: "two bots", 3: "three bots", 4: "four bots"}


def check_entrants(bots: Sequence[str], least: int, *, race: bool) -> None:
    """Raise BadOption unless there are `least` different ones, and no more than one heat takes if all race at once."""
    if len(bots) < least:
        more = "one" if least - len(bots) == 1 else least - len(bots)
        number = NUMBERS.get(least, f"{least} bots")
        raise BadOption(f"a tournament needs {number} at least; name {more} more, `random` is always there")
    if race and len(bots) > MAX_ENTRANTS:
        raise BadOption(f"a race has at most {MAX_ENTRANTS} entrants, {len(bots)} are named; leave some out")
    if twice := next((bot for place, bot in enumerate(bots) if bot in bots[:place]), None):
        raise BadOption(f"two bots are called {twice!r}; give one of them another name, as in {twice}2=SPEC")
