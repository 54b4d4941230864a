"""The input of tie-breaks: every card's rounds, with unplayed ones judged by FIDE's C.07, article 16.

Where every game counts, the games of a round against the same opponents make one meeting. Where a round was not
played, C.07 (in force since March 2026) has a participant meet a dummy, and treats its own requested byes less
strictly when its opponents are judged:

- voluntarily unplayed (16.1.2) is a requested bye of half a point or none, an absence, and a forfeited loss;
- an opponent's requested byes with only voluntarily unplayed rounds behind them count as draws (16.2.5, 16.3.2);
- the dummy has the points of the player who meets it, but no more than the opponent who did not come (16.4.1), or, if
  there was none, than a draw in every round gives (16.4.2).

Where pairings are determined beforehand (round robins), a forfeit is a game like others and byes count for nothing
(15.2). An opponent at a table of three is one of several: the article knows none, so we take their mean.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from palio_server.tournament.cards import Card, Cell, How

REQUESTED = ("half-bye", "absent")  # byes at the player's own request


@dataclass(frozen=True, slots=True)
class Meeting:
    """The games of one card in one round against the same opponents; or a bye, which has none."""

    round: int
    how: How
    points: float
    games: int  # games that it was made of; of a bye, the number of games that others had in the round
    opponents: tuple[int, ...] = ()
    against: tuple[float, ...] = ()  # points made against each of them

    @property
    def voluntary(self) -> bool:
        """True if it was left unplayed at the player's own request (16.1.2)."""
        return self.how in REQUESTED or (self.how == "forfeit" and self.points == 0)


@dataclass(frozen=True, slots=True)
class Contribution:
    """The contribution of one meeting: to Buchholz its `score`, to Sonneborn-Berger its `value`, the score times the
    result.
    """

    score: float
    value: float
    voluntary: bool


class Field:
    """All cards of an event after `rounds` rounds; a round up to that without a cell counts as absent.

    `predetermined`: all pairings were known from the start.
    """

    def __init__(self, cards: Sequence[Card], rounds: int, *, predetermined: bool = False) -> None:
        self.predetermined = predetermined
        last = max((cell.round for card in cards for cell in card.cells), default=0)
        self.rounds = max(rounds, last)
        self.games = _games_of_rounds(cards, self.rounds)
        self.cards = [_filled(card, rounds, self.games) for card in cards]
        self.meetings = {card.number: _meetings(card) for card in self.cards}
        self.points = {card.number: card.points for card in self.cards}

    @cached_property
    def adjusted(self) -> dict[int, float]:
        """The points of every card as its opponents' tie-breaks take them."""
        return {number: self._adjusted(number) for number in self.points}

    @cached_property
    def contributions(self) -> dict[int, list[Contribution]]:
        return {number: self._contributions(number) for number in self.points}

    @cached_property
    def best_possible(self) -> int:
        """The points of a player that has won everything: games that could be played."""
        if not self.predetermined:
            return sum(self.games.values())
        return max(
            (sum(each.games for each in meetings if each.opponents) for meetings in self.meetings.values()), default=0
        )

    def met(self, how: How, opponents: Sequence[int]) -> bool:
        """Return True if this counts as a game against them."""
        return how == "played" or (self.predetermined and bool(opponents))

    def _adjusted(self, number: int) -> float:
        score = self.points[number]
        if self.predetermined:
            return score
        for meeting in reversed(self.meetings[number]):
            if not meeting.voluntary:
                break
            if meeting.how in REQUESTED:
                score += meeting.games / 2 - meeting.points
        return score

    def _contributions(self, number: int) -> list[Contribution]:
        meetings = self.meetings[number]
        if self.predetermined:
            meetings = [meeting for meeting in meetings if meeting.opponents]
        return [self._contribution(number, meeting) for meeting in meetings]

    def _contribution(self, number: int, meeting: Meeting) -> Contribution:
        scores = [self.adjusted[opponent] for opponent in meeting.opponents]
        mean = sum(scores) / len(scores) if scores else sum(self.games.values()) / 2
        if self.met(meeting.how, meeting.opponents):
            value = sum(score * part for score, part in zip(scores, meeting.against, strict=True))
            return Contribution(mean, value, voluntary=False)
        dummy = min(self.points[number], mean)
        return Contribution(dummy, dummy * meeting.points, meeting.voluntary)


def _games_of_rounds(cards: Sequence[Card], rounds: int) -> dict[int, int]:
    """Return how many games each round had: as many as the card with the most of them."""
    games = dict.fromkeys(range(1, rounds + 1), 1)
    for card in cards:
        counted: dict[int, int] = defaultdict(int)
        for cell in card.cells:
            counted[cell.round] += 1
        for round_, count in counted.items():
            games[round_] = max(games[round_], count)
    return games


def _filled(card: Card, rounds: int, games: dict[int, int]) -> Card:
    """Return the card with a cell for every round."""
    there = {cell.round for cell in card.cells}
    absent = [Cell(round_, "absent", 0.0) for round_ in range(1, rounds + 1) if round_ not in there]
    cells = [*card.cells, *(cell for cell in absent for _ in range(games[cell.round]))]
    return replace(card, cells=tuple(sorted(cells, key=lambda cell: cell.round)))


def _meetings(card: Card) -> list[Meeting]:
    """Return the meetings in the order of rounds."""
    found: dict[tuple[int, tuple[int, ...]], list[Cell]] = {}
    for cell in card.cells:
        opponents = cell.opponents if len(cell.opponents) < 2 else tuple(sorted(cell.opponents))
        found.setdefault((cell.round, opponents), []).append(cell)
    return [_meeting(round_, opponents, cells) for (round_, opponents), cells in found.items()]


def _meeting(round_: int, opponents: tuple[int, ...], cells: Sequence[Cell]) -> Meeting:
    """Return the meeting of these games. A partly played one counts as played."""
    how: How = "played" if any(cell.how == "played" for cell in cells) else cells[0].how
    points = sum((cell.points for cell in cells), 0.0)
    if len(opponents) < 2:
        return Meeting(round_, how, points, len(cells), opponents, (points,) * len(opponents))
    made = dict.fromkeys(opponents, 0.0)
    for cell in cells:
        for opponent, part in zip(cell.opponents, against(cell), strict=True):
            made[opponent] += part
    return Meeting(round_, how, points, len(cells), opponents, tuple(made.values()))


def against(cell: Cell) -> tuple[float, ...]:
    """Return the points of a cell by opponent. At a table a level result counts half only if there were points to
    share.
    """
    if len(cell.opponents) == 1:
        return (cell.points,)
    return cell.ahead if cell.points > 0 else (0.0,) * len(cell.opponents)


# Direct encounter: the best in the games among those who are still level. FIDE C.07, article 6.
#
# If all of them have met, their points against each other decide; of several games of two, the average (6.1). In a
# Swiss event where some have not met, those come first whom no player behind could reach if all missing games were won
# (6.2). Those that are level then are compared again among themselves. Where pairings are determined beforehand
# forfeits count as games, and there are no missing ones.

TiedGroup = Sequence[Card]
Averages = dict[int, float]  # points a game, by opponent


@dataclass(frozen=True, slots=True)
class DirectScore:
    """The points of a card in its games in a group, and the points with all missing games won."""

    card: Card
    made: float
    most: float


def direct_encounter(field: Field, groups: Sequence[TiedGroup]) -> dict[int, float]:
    """Return DE, 6: for every card, how many of those that were level with it are behind it now."""
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


def _ordered(field: Field, group: TiedGroup, averages: dict[int, Averages]) -> list[TiedGroup]:
    """Return the group in parts that are level, the best first."""
    if len(group) < 2:
        return [group]
    claims = [_claim(card, group, averages[card.number]) for card in group]
    all_met = field.predetermined or all(claim.made == claim.most for claim in claims)
    parts = _by_points(claims) if all_met else _out_of_reach(claims)
    if len(parts) == 1:
        return parts
    return [each for part in parts for each in _ordered(field, part, averages)]


def _claim(card: Card, group: TiedGroup, averages: Averages) -> DirectScore:
    others = [other.number for other in group if other.number != card.number]
    made = round(sum(averages.get(other, 0.0) for other in others), 9)
    return DirectScore(card, made, made + sum(other not in averages for other in others))


def _by_points(claims: Sequence[DirectScore]) -> list[TiedGroup]:
    made = sorted({claim.made for claim in claims}, reverse=True)
    return [[claim.card for claim in claims if claim.made == points] for points in made]


def _out_of_reach(claims: Sequence[DirectScore]) -> list[TiedGroup]:
    """Return one by one those who have more than any player behind them could get; then all others."""
    order = sorted(claims, key=lambda claim: -claim.made)
    parts: list[TiedGroup] = []
    while len(order) > 1 and order[0].made > max(claim.most for claim in order[1:]):
        parts.append([order.pop(0).card])
    rest = {claim.card.number for claim in order}
    return [*parts, [claim.card for claim in claims if claim.card.number in rest]]


# Tie-breaks from the opponents' scores: Buchholz, Sonneborn-Berger, Koya. FIDE C.07, articles 8, 9, 14 and 16.

Figure = Callable[[Field, Card], float]
LEVEL = 1e-9  # scores that differ by less are equal: thirds add up in any order


def buchholz(low: int = 0, high: int = 0) -> Figure:
    """Return BH, 8.1: the sum of the scores of all opponents, without so many of the lowest and the highest (14.1,
    14.3).
    """

    def figure(field: Field, card: Card) -> float:
        unweighted = [replace(each, value=each.score) for each in field.contributions[card.number]]
        scores = sorted(each.score for each in _without_lowest(unweighted, low))
        return sum(scores[: max(0, len(scores) - high)])

    return figure


def sonneborn_berger(low: int = 0) -> Figure:
    """Return SB, 9.1: each opponent's score times the points made against it; without so many of the
    least significant.
    """

    def figure(field: Field, card: Card) -> float:
        return sum(each.value for each in _without_lowest(field.contributions[card.number], low))

    return figure


def koya(field: Field, card: Card) -> float:
    """Return KS, 9.2: points made against those who have made half of all possible points, or more."""
    limit = field.best_possible / 2 - LEVEL
    return sum(
        part
        for meeting in field.meetings[card.number]
        for opponent, part in zip(meeting.opponents, meeting.against, strict=True)
        if field.points[opponent] >= limit
    )


def _without_lowest(contributions: list[Contribution], count: int) -> list[Contribution]:
    """Return them without the least significant, one by one: of the opponent with the lowest score (14.1.1). Before it
    goes the lowest one of a voluntarily unplayed round, unless that is worth less (16.5.1).
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


# Tie-breaks from one's own record: wins, games with black, running scores. FIDE C.07, article 7.

ENOUGH = 1 - 1e-9  # points of a cell that is won; sums of thirds are not exact


def points(field: Field, card: Card) -> float:
    return field.points[card.number]


def wins(card: Card) -> float:
    """Return WIN, 7.1: how often it got the points of a win, with or without playing: full byes and forfeits count."""
    return float(sum(_won(cell) for cell in card.cells))


def games_won(card: Card) -> float:
    """Return WON, 7.2: games that were won over the board."""
    return float(sum(_won(cell) and cell.how == "played" for cell in card.cells))


def games_with_black(card: Card) -> float:
    """Return BPG, 7.3: games played from the second seat."""
    return float(sum(_black(cell) for cell in card.cells))


def wins_with_black(card: Card) -> float:
    """Return BWG, 7.4: games won over the board from the second seat."""
    return float(sum(_won(cell) and _black(cell) for cell in card.cells))


def progressive(field: Field, card: Card) -> float:
    """Return PS, 7.5: the sum of the scores after each round."""
    made = dict.fromkeys(range(1, field.rounds + 1), 0.0)
    for cell in card.cells:
        made[cell.round] += cell.points
    return sum(accumulate(made.values()))


def rating(card: Card) -> float:
    """Return RTG, 10: its rating at entry; 0 if unknown."""
    return card.rating or 0.0


def _won(cell: Cell) -> bool:
    return cell.points >= ENOUGH


def _black(cell: Cell) -> bool:
    return cell.how == "played" and cell.colour == "black"
