"""Direct encounter: who has done best in the games among those who are still level. FIDE C.07, article 6.

If all of them have met, their points against each other decide; of several games of two, the average (6.1). In a
Swiss event where some have not met, those come first whom nobody behind could reach if all missing games were won
(6.2). What is level then is looked at again by itself. Where pairings are determined beforehand forfeits count as
games, and there are no missing ones.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from palio_server.tournament.cards import Card
from palio_server.tournament.tie_breaks.field import Field, against

Group = Sequence[Card]
Averages = dict[int, float]  # points a game, by opponent


@dataclass(frozen=True, slots=True)
class Claim:
    """What a card has made of its games in a group, and what it would have if it had won those that are missing."""

    card: Card
    made: float
    most: float


def direct_encounter(field: Field, groups: Sequence[Group]) -> dict[int, float]:
    """DE, 6: for every card, how many of those that were level with it are behind it now."""
    figures = dict.fromkeys((card.number for group in groups for card in group), 0.0)
    for group in groups:
        averages = {card.number: _averages(field, card) for card in group} if len(group) > 1 else {}
        behind = len(group)
        for part in _ordered(field, group, averages):
            behind -= len(part)
            figures |= dict.fromkeys((card.number for card in part), float(behind))
    return figures


def _averages(field: Field, card: Card) -> Averages:
    made: dict[int, list[float]] = defaultdict(list)
    for cell in card.cells:
        if field.met(cell.how, cell.opponents):
            for opponent, part in zip(cell.opponents, against(cell), strict=True):
                made[opponent].append(part)
    return {opponent: sum(parts) / len(parts) for opponent, parts in made.items()}


def _ordered(field: Field, group: Group, averages: dict[int, Averages]) -> list[Group]:
    """The group in parts that are level, the best first."""
    if len(group) < 2:
        return [group]
    claims = [_claim(card, group, averages[card.number]) for card in group]
    all_met = field.predetermined or all(claim.made == claim.most for claim in claims)
    parts = _by_points(claims) if all_met else _out_of_reach(claims)
    if len(parts) == 1:
        return parts
    return [each for part in parts for each in _ordered(field, part, averages)]


def _claim(card: Card, group: Group, averages: Averages) -> Claim:
    others = [other.number for other in group if other.number != card.number]
    made = round(sum(averages.get(other, 0.0) for other in others), 9)
    return Claim(card, made, made + sum(other not in averages for other in others))


def _by_points(claims: Sequence[Claim]) -> list[Group]:
    made = sorted({claim.made for claim in claims}, reverse=True)
    return [[claim.card for claim in claims if claim.made == points] for points in made]


def _out_of_reach(claims: Sequence[Claim]) -> list[Group]:
    """One by one those who have more than anybody behind them could get; then all others."""
    order = sorted(claims, key=lambda claim: -claim.made)
    parts: list[Group] = []
    while len(order) > 1 and order[0].made > max(claim.most for claim in order[1:]):
        parts.append([order.pop(0).card])
    rest = {claim.card.number for claim in order}
    return [*parts, [claim.card for claim in claims if claim.card.number in rest]]
