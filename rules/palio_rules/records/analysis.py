"""A match looked at again: how good each position was, what is proven of it, which moves threw a result away.

Clients find it out, servers keep it, pages draw it; see `docs/analysis.md`. Plies are counted as viewers see
them: from 1, those of the opening first, all entrants of a race in one row; ply 0 stands for the first position.

| | duel, table | race |
|---|---|---|
| `values` | by seat; evaluations, about one pawn's worth to the unit | one: the least that `seat` can still pay |
| `verdicts` | by seat; what each is sure of if nobody errs from here on | one: `win` can be solved, `loss` cannot |
| `distance` | plies in which that can be had | moves that remain at least |
| `??` | gave a proven win or draw away | it could be solved before, and no more |
| `?` | lost much by evaluation, or let go of a proven win | wasted a move, or more |

In a race that is anytime (a move is a whole solution) `values` has the cost of the best one, and nothing else is given.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

FORMAT = "palio-analysis-1"

Verdict = Literal["win", "draw", "loss"]
Mark = Literal["?", "??"]

LEVEL = 2.0  # units of evaluation that make three wins out of four likely


class JudgedPly(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ply, and what is known of the position after it."""

    ply: Annotated[int, Meta(ge=0)]  # 0: the first position, before any
    seat: Annotated[int, Meta(ge=0)]  # who played it; of ply 0, whose turn it is then
    move: str  # in notation, "out" where a seat left; of ply 0 it is empty
    values: tuple[float | None, ...] = ()  # None: not looked at, or proven, where a verdict says more
    verdicts: tuple[Verdict | None, ...] = ()  # None: not proven
    distance: Annotated[int, Meta(ge=0)] | None = None
    best: str = ""  # what is better, where `mark` complains and something better is known
    mark: Mark | None = None


class Analysis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was found out about a match. Plies that were not reached, because somebody lost patience, are missing."""

    match: str
    seconds: Annotated[float, Meta(gt=0)]  # for each position
    plies: tuple[JudgedPly, ...]  # by number
    complete: bool
    format: str = FORMAT


def expected(value: float) -> float:
    """The share of points, from 0 to 1, to be expected from a position of this value: what moves are compared by.

    It rises with the value, ever more slowly: from a won game nobody loses much by playing on less well.
    """
    return (1 + value / (LEVEL + abs(value))) / 2
