"""What tie-breaks look at: every card's rounds, with unplayed ones judged as FIDE's C.07, article 16, says.

Where every game counts, the games of a round against the same opponents make one meeting. Where a round was not
played, C.07 (in force since March 2026) has a participant meet a dummy, and looks at its own requested byes in a
kinder light when its opponents are judged:

- voluntarily unplayed (16.1.2) is a bye of half a point or none that was asked for, an absence, and a forfeited loss;
- an opponent's requested byes with nothing but voluntarily unplayed rounds behind them count as draws (16.2.5, 16.3.2);
- the dummy has made the points of who meets it, but no more than the opponent who did not come (16.4.1), or, where
  there was none, than a draw in every round gives (16.4.2).

Where pairings are determined beforehand (round robins), a forfeit is a game like others and byes count for nothing
(15.2). An opponent at a table of three is one of several: the article knows none, so we take their mean.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from palio_server.tournament.cards import Card, Cell, How

REQUESTED = ("half-bye", "absent")  # byes that one has asked for


@dataclass(frozen=True, slots=True)
class Meeting:
    """The games of one card in one round against the same opponents; or a bye, which has none."""

    round: int
    how: How
    points: float
    games: int  # that it was made of; of a bye, that others had in the round
    opponents: tuple[int, ...] = ()
    against: tuple[float, ...] = ()  # points made against each of them

    @property
    def voluntary(self) -> bool:
        """Whether it was left unplayed by one's own will (16.1.2)."""
        return self.how in REQUESTED or (self.how == "forfeit" and self.points == 0)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one meeting adds: to Buchholz its `score`, to Sonneborn-Berger its `value`, the score times the result."""

    score: float
    value: float
    voluntary: bool


class Field:
    """All cards of an event after `rounds` rounds; a round up to that without a cell counts as absent.

    `predetermined`: whether who meets whom was known from the start.
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
        """Of every card: its points as its opponents' tie-breaks take them."""
        return {number: self._adjusted(number) for number in self.points}

    @cached_property
    def contributions(self) -> dict[int, list[Contribution]]:
        return {number: self._contributions(number) for number in self.points}

    @cached_property
    def best_possible(self) -> int:
        """Points of who has won everything: games that could be played."""
        if not self.predetermined:
            return sum(self.games.values())
        return max(
            (sum(each.games for each in meetings if each.opponents) for meetings in self.meetings.values()), default=0
        )

    def met(self, how: How, opponents: Sequence[int]) -> bool:
        """Whether this counts as a game against them."""
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
    """How many games each round had: as many as the card with the most of them."""
    games = dict.fromkeys(range(1, rounds + 1), 1)
    for card in cards:
        counted: dict[int, int] = defaultdict(int)
        for cell in card.cells:
            counted[cell.round] += 1
        for round_, count in counted.items():
            games[round_] = max(games[round_], count)
    return games


def _filled(card: Card, rounds: int, games: dict[int, int]) -> Card:
    """With a cell for every round."""
    there = {cell.round for cell in card.cells}
    absent = [Cell(round_, "absent", 0.0) for round_ in range(1, rounds + 1) if round_ not in there]
    cells = [*card.cells, *(cell for cell in absent for _ in range(games[cell.round]))]
    return replace(card, cells=tuple(sorted(cells, key=lambda cell: cell.round)))


def _meetings(card: Card) -> list[Meeting]:
    """In the order of rounds."""
    found: dict[tuple[int, tuple[int, ...]], list[Cell]] = {}
    for cell in card.cells:
        opponents = cell.opponents if len(cell.opponents) < 2 else tuple(sorted(cell.opponents))
        found.setdefault((cell.round, opponents), []).append(cell)
    return [_meeting(round_, opponents, cells) for (round_, opponents), cells in found.items()]


def _meeting(round_: int, opponents: tuple[int, ...], cells: Sequence[Cell]) -> Meeting:
    """Of these games. What was played in part was played."""
    how: How = "played" if any(cell.how == "played" for cell in cells) else cells[0].how
    points = sum(cell.points for cell in cells)
    if len(opponents) < 2:
        return Meeting(round_, how, points, len(cells), opponents, (points,) * len(opponents))
    made = dict.fromkeys(opponents, 0.0)
    for cell in cells:
        for opponent, part in zip(cell.opponents, against(cell), strict=True):
            made[opponent] += part
    return Meeting(round_, how, points, len(cells), opponents, tuple(made.values()))


def against(cell: Cell) -> tuple[float, ...]:
    """The points of a cell by opponent. At a table to be level counts half only where there was something to share."""
    if len(cell.opponents) == 1:
        return (cell.points,)
    return cell.ahead if cell.points > 0 else (0.0,) * len(cell.opponents)
