"""A participant as FIDE's Dutch system sees it: score, history, colours, floats. Articles are of C.04.3 (2026)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from palio_server.tournament.cards import Card, Cell

Colour = Literal["white", "black", ""]
Float = Literal["down", "up", ""]
Strength = Literal[0, 1, 2, 3]  # none, mild, strong, absolute

NONE: Literal[0] = 0
MILD: Literal[1] = 1
STRONG: Literal[2] = 2
ABSOLUTE: Literal[3] = 3
OTHER: dict[Colour, Colour] = {"white": "black", "black": "white", "": ""}


@dataclass(frozen=True)
class DutchPlayer:
    """A player to be paired. Scores are tenths of points, so that they compare exactly."""

    number: int  # for pairing (TPN): 1 is the highest ranked among equal scores
    name: str
    score: int  # with the virtual points of an acceleration
    met: frozenset[int] = frozenset()  # opponents of games that were played, and those that it must not meet
    colours: tuple[Colour, ...] = ()  # of the games that were played, in order
    floats: tuple[Float, Float] = ("", "")  # in the last round, and two rounds before (article 1.4)
    bye_barred: bool = False  # it has had a bye or a forfeit worth a win: no pairing-allocated bye (C2)
    games: int = 0  # that were played
    points: int = 0  # without virtual ones
    history: tuple[int, ...] = ()  # opponents of games that were played, round by round
    place: int = 0  # its number, counted without late entrants: 5.2.5 asks if it is odd

    @cached_property
    def difference(self) -> int:
        """The games with White minus games with Black (article 1.6)."""
        return self.colours.count("white") - self.colours.count("black")

    @cached_property
    def imbalance(self) -> int:
        return abs(self.difference)

    @cached_property
    def repeated(self) -> Colour:
        """The colour of its last two games, if they had the same."""
        return self.colours[-1] if len(self.colours) > 1 and self.colours[-1] == self.colours[-2] else ""

    @cached_property
    def preference(self) -> Colour:
        """The colour that it prefers (article 1.7)."""
        if self.imbalance > 1 or (self.difference and not self.repeated):
            return "black" if self.difference > 0 else "white"
        return OTHER[self.colours[-1]] if self.colours else ""

    @cached_property
    def strength(self) -> Strength:
        """The strength of its preference (article 1.7): of several definitions that fit, the first one."""
        if not self.preference:
            return NONE
        if self.imbalance > 1 or self.repeated:
            return ABSOLUTE
        return STRONG if self.difference else MILD

    @property
    def rank(self) -> tuple[int, int]:
        """The sort key, the highest ranked first (article 1.2)."""
        return -self.score, self.number


@dataclass(frozen=True, slots=True)
class _Round:
    """One round of one card: several games of an encounter are one."""

    played: bool
    points: float
    opponent: int
    colour: Colour
    barring: bool


def players_of(
    cards: Sequence[Card],
    round_: int,
    active: Collection[int],
    virtual: Mapping[int, Sequence[float]] | None = None,
    forbidden: Collection[frozenset[int]] = (),
) -> dict[int, DutchPlayer]:
    """Return the `active` players present in `round_`, as their cards stood before it; by number.

    `virtual`: points of an acceleration by round, the round to be paired included. `forbidden`: pairs of numbers that
    must not meet.
    """
    histories = {card.number: _history(card, round_) for card in cards}
    places = _places(cards, round_, active)
    extra = virtual or {}

    def score(number: int, rounds: int) -> int:
        points = sum(_tenths(each.points) for each in histories[number][:rounds])
        given = extra.get(number, ())
        return points + (_tenths(given[rounds]) if rounds < len(given) else 0)

    def floated(number: int, back: int) -> Float:
        at = round_ - 1 - back
        if at < 0:
            return ""
        past = histories[number][at]
        if not past.played:
            return "down" if past.points > 0 else ""
        own, theirs = score(number, at), score(past.opponent, at)
        return "down" if own > theirs else "up" if own < theirs else ""

    found = {}
    for card in cards:
        if card.number not in active:
            continue
        history = histories[card.number]
        played = [each for each in history if each.played]
        never = {other for pair in forbidden if card.number in pair for other in pair if other != card.number}
        found[card.number] = DutchPlayer(
            card.number,
            card.bot,
            score(card.number, round_ - 1),
            frozenset(each.opponent for each in played) | never,
            tuple(each.colour for each in played if each.colour),
            (floated(card.number, 1), floated(card.number, 2)),
            any(each.barring for each in history),
            len(played),
            sum(_tenths(each.points) for each in history),
            tuple(each.opponent for each in played),
            places[card.number],
        )
    return found


def _places(cards: Sequence[Card], round_: int, active: Collection[int]) -> dict[int, int]:
    """Return the places from 1 among those present or paired before: late entrants count when they have come."""

    def came(card: Card) -> bool:
        return any(cell.round < round_ and (cell.opponents or cell.how == "pairing-bye") for cell in card.cells)

    numbers = sorted(card.number for card in cards if card.number in active or came(card))
    return {number: place for place, number in enumerate(numbers, 1)}


def _tenths(points: float) -> int:
    return round(points * 10)


def _history(card: Card, round_: int) -> list[_Round]:
    """Return a value for each round before `round_`; absent where the card has none."""
    cells: list[list[Cell]] = [[] for _ in range(round_ - 1)]
    for cell in card.cells:
        if cell.round < round_:
            cells[cell.round - 1].append(cell)
    return [_round(each) for each in cells]


def _round(cells: list[Cell]) -> _Round:
    played = [cell for cell in cells if cell.how == "played"]
    colours: set[Colour] = {cell.colour for cell in played}
    return _Round(
        played=bool(played),
        points=sum((cell.points for cell in cells), 0.0),
        opponent=played[0].opponents[0] if played else 0,
        colour=colours.pop() if len(colours) == 1 else "",
        barring=not played and any(_worth_a_win(cell) for cell in cells),
    )


def _worth_a_win(cell: Cell) -> bool:
    """Return True if the cell bars from a pairing-allocated bye (C2): a bye or a forfeit that gave as much as a win."""
    return cell.how in {"pairing-bye", "full-bye"} or (cell.how == "forfeit" and 1.0 in cell.ahead)
