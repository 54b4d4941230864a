"""What is known of one position with an opponent in it, and what a ply from one to the next deserves."""

from typing import Any, NamedTuple

from palio_rules.game import Outcome
from palio_rules.records.analysis import Mark, Verdict, expected

OTHERS: dict[Verdict, Verdict] = {"win": "loss", "draw": "draw", "loss": "win"}
RANK: dict[Verdict, int] = {"loss": 0, "draw": 1, "win": 2}
SHARE: dict[Verdict, float] = {"loss": 0.0, "draw": 0.5, "win": 1.0}
MUCH = 0.25  # of a point that one may expect: a lead of about two units is gone

Verdicts = tuple[Verdict | None, ...]


class Judgement(NamedTuple):
    """By seat; `best` is the move to play, where one is known to be better than others."""

    verdicts: Verdicts
    values: tuple[float | None, ...]
    distance: int | None = None
    best: Any | None = None

    @classmethod
    def proven(cls, verdicts: Verdicts, distance: int | None, best: Any | None = None) -> "Judgement":
        return cls(verdicts, (None,) * len(verdicts), distance, best)

    @classmethod
    def of(cls, outcome: Outcome) -> "Judgement":
        """A game that is over: a seat has won it alone, or lost it, or has a share of the point."""
        return cls.proven(tuple(_verdict(score) for score in outcome.scores), 0)

    def points(self, seat: int) -> float | None:
        """What `seat` may expect, from 0 to 1; None: nobody has looked."""
        verdict, value = self.verdicts[seat], self.values[seat]
        if verdict is not None:
            return SHARE[verdict]
        return None if value is None else expected(value)


def for_mover(verdict: Verdict, mover: int, seats: int) -> Verdicts:
    """What a verdict for the seat to move says of all: one seat's win is everybody else's loss."""
    verdicts: list[Verdict] = [OTHERS[verdict]] * seats
    verdicts[mover] = verdict
    return tuple(verdicts)


def mark_of(before: Judgement, after: Judgement, seat: int) -> Mark | None:
    """What the ply of `seat` between the two deserves."""
    had, has = before.verdicts[seat], after.verdicts[seat]
    if had is not None and has is not None:
        return "??" if RANK[has] < RANK[had] else None
    if had is not None:
        return "?" if had == "win" else None  # of a draw or a loss nothing is known to be lost
    hoped, got = before.points(seat), after.points(seat)
    return "?" if hoped is not None and got is not None and hoped - got >= MUCH else None


def _verdict(score: float) -> Verdict:
    return "win" if score == 1 else "loss" if score == 0 else "draw"
