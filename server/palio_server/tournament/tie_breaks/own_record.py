"""Tie-breaks from one's own record: wins, games with black, running scores. FIDE C.07, article 7."""

from itertools import accumulate

from palio_server.tournament.cards import Card, Cell
from palio_server.tournament.tie_breaks.field import Field

ENOUGH = 1 - 1e-9  # points of a cell that is won; sums of thirds are not exact


def points(field: Field, card: Card) -> float:
    return field.points[card.number]


def wins(card: Card) -> float:
    """WIN, 7.1: how often it got the points of a win, with or without playing: full byes and forfeits count."""
    return float(sum(_won(cell) for cell in card.cells))


def games_won(card: Card) -> float:
    """WON, 7.2: games that were won over the board."""
    return float(sum(_won(cell) and cell.how == "played" for cell in card.cells))


def games_with_black(card: Card) -> float:
    """BPG, 7.3: games played from the second seat."""
    return float(sum(_black(cell) for cell in card.cells))


def wins_with_black(card: Card) -> float:
    """BWG, 7.4: games won over the board from the second seat."""
    return float(sum(_won(cell) and _black(cell) for cell in card.cells))


def progressive(field: Field, card: Card) -> float:
    """PS, 7.5: the scores after each round, added up."""
    made = dict.fromkeys(range(1, field.rounds + 1), 0.0)
    for cell in card.cells:
        made[cell.round] += cell.points
    return sum(accumulate(made.values()))


def rating(card: Card) -> float:
    """RTG, 10: the rating that it came with; 0 where nobody knows."""
    return card.rating or 0.0


def _won(cell: Cell) -> bool:
    return cell.points >= ENOUGH


def _black(cell: Cell) -> bool:
    return cell.how == "played" and cell.colour == "black"
