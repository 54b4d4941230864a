"""A race as lines: how its entrants stand; whoever is ahead comes first."""

from collections.abc import Sequence

from msgspec import UNSET

from palio_rules.contract.messages import Result
from palio_rules.plain_text import plain
from palio_rules.records.boards import ranks
from palio_server import live
from palio_server.cli.tables import columns, seconds
from palio_server.tournament.score_lines import paid

NAMED = 3  # entrants in a list of matches
SHOWN = 16  # entrants; of more, those that are behind are only counted


def ahead(race: Sequence[live.Standing], result: Result | None = None) -> list[int]:
    """The entrants in order of rank; of equals, and of those without a solution, whoever still races comes first."""
    placed = _ranks(race, result)
    return sorted(range(len(race)), key=lambda entrant: (placed[entrant], race[entrant].end is not None, entrant))


def standings(summary: live.Summary, view: live.View, result: Result | None = None) -> str:
    """Rank, bot, cost, plies, clock and how it ended, a line an entrant; at the end `result` ranks them."""
    race = view.race or []
    placed = _ranks(race, result)
    lines = [["#", "bot", "cost", "plies", "clock", ""]]
    for entrant in (order := ahead(race, result))[:SHOWN]:
        standing = race[entrant]
        rank = "-" if standing.cost is None else str(placed[entrant])
        how = standing.end or ("away" if entrant in summary.absent else "")
        clock = seconds(view.clocks_ms[entrant])
        lines.append([rank, summary.seats[entrant].bot, paid(standing.cost), str(standing.plies), clock, plain(how)])
    more = [f"and {len(order) - SHOWN} more"] if len(order) > SHOWN else []
    return "\n".join([columns(lines, left={1, 5}), *more])


def first_entrants(bots: Sequence[str]) -> str:
    """`ann, bob, cid and 61 more`: the first of many names."""
    return ", ".join(bots[:NAMED]) + (f" and {len(bots) - NAMED} more" if len(bots) > NAMED else "")


def first_places(bots: Sequence[str], scores: Sequence[float]) -> str:
    """`1. bob 2. ann 2. cid`: the first by the scores of a finished race, where no more is known of it."""
    placed = ranks([-score for score in scores])
    order = sorted(range(len(bots)), key=placed.__getitem__)
    return " ".join(f"{placed[entrant]}. {bots[entrant]}" for entrant in order[:NAMED])


def _ranks(race: Sequence[live.Standing], result: Result | None) -> list[int]:
    """At the end by the scores, which know who was faster at equal costs."""
    if result is not None and result.termination == "rule" and result.finishes is not UNSET:
        return ranks([-score for score in result.scores])
    return ranks([standing.cost for standing in race])
