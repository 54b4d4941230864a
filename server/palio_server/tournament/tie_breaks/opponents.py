"""Tie-breaks from the opponents' scores: Buchholz, Sonneborn-Berger, Koya. FIDE C.07, articles 8, 9, 14 and 16."""

from collections.abc import Callable
from dataclasses import replace

from palio_server.tournament.cards import Card
from palio_server.tournament.tie_breaks.field import Contribution, Field

Figure = Callable[[Field, Card], float]
LEVEL = 1e-9  # scores that differ by less are equal: thirds add up in any order


def buchholz(low: int = 0, high: int = 0) -> Figure:
    """BH, 8.1: the scores of all opponents, added up, without so many of the lowest and the highest (14.1, 14.3)."""

    def figure(field: Field, card: Card) -> float:
        unweighted = [replace(each, value=each.score) for each in field.contributions[card.number]]
        scores = sorted(each.score for each in _without_lowest(unweighted, low))
        return sum(scores[: max(0, len(scores) - high)])

    return figure


def sonneborn_berger(low: int = 0) -> Figure:
    """SB, 9.1: each opponent's score times the points made against it; without so many of the least significant."""

    def figure(field: Field, card: Card) -> float:
        return sum(each.value for each in _without_lowest(field.contributions[card.number], low))

    return figure


def koya(field: Field, card: Card) -> float:
    """KS, 9.2: points made against those who have made half of all points that one can make, or more."""
    limit = field.best_possible / 2 - LEVEL
    return sum(
        part
        for meeting in field.meetings[card.number]
        for opponent, part in zip(meeting.opponents, meeting.against, strict=True)
        if field.points[opponent] >= limit
    )


def _without_lowest(contributions: list[Contribution], count: int) -> list[Contribution]:
    """Without the least significant, one by one: of the opponent with the lowest score (14.1.1). Before it goes the
    lowest one of a voluntarily unplayed round, unless that is worth less (16.5.1).
    """
    kept = list(contributions)
    for _ in range(min(count, len(kept))):
        least = min(kept, key=lambda each: (_coarse(each.score), _coarse(each.value)))
        unplayed = [each for each in kept if each.voluntary]
        if unplayed:
            lowest = min(unplayed, key=lambda each: (_coarse(each.value), _coarse(each.score)))
            least = lowest if lowest.value >= least.value - LEVEL else least
        kept.remove(least)
    return kept


def _coarse(score: float) -> float:
    return round(score, 9)
