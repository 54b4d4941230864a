"""Writes TRF16 files with XXR and XXC lines."""

from collections.abc import Mapping, Sequence

from palio_server.tournament.cards import Card, Cell, Colour
from palio_server.tournament.trf.cells import cell_text

NAME = 33  # characters


def write_trf(
    name: str,
    cards: Sequence[Card],
    rounds: int,
    initial: Colour,
    *,
    drawn: Mapping[tuple[int, int], Colour] | None = None,
    byes: Mapping[int, Sequence[int]] | None = None,
    line_end: str = "\n",
) -> str:
    """A file with these cards: one cell a round. `drawn`: colours of cells without one, by number and round.

    `byes`: who has been granted half a point, by round that is not paired yet.
    """
    ranks = {
        card.number: rank for rank, card in enumerate(sorted(cards, key=lambda each: (-each.points, each.number)), 1)
    }
    last = max((cell.round for card in cards for cell in card.cells), default=0)
    lines = [f"012 {name}", f"062 {len(cards)}", "092 Individual: Swiss-System"]
    if rounds:  # nobody knows before the first round of some formats
        lines.append(f"XXR {rounds}")
    if initial:
        lines.append(f"XXC {initial}1")
    lines += [_line(card, ranks[card.number], last, drawn or {}) for card in cards]
    for round_, numbers in sorted((byes or {}).items()):
        lines.append(f"240 H {round_:3} " + " ".join(f"{number:4}" for number in numbers))
    return line_end.join([*lines, ""])


def _line(card: Card, rank: int, last: int, drawn: Mapping[tuple[int, int], Colour]) -> str:
    rating = "" if card.rating is None else f"{round(card.rating)}"[:4]
    # Columns from 1: 5-8 number, 15-47 name, 49-52 rating, 81-84 points, 86-89 rank, from 92 a cell every ten.
    head = f"001 {card.number:4}      {card.bot[:NAME]:<{NAME}} {rating:>4}{'':28}{card.points:4.1f} {rank:4}"
    cells: dict[int, Cell] = {cell.round: cell for cell in card.cells}
    texts = [
        cell_text(cells.get(round_, Cell(round_, "absent", 0.0)), drawn.get((card.number, round_), ""))
        for round_ in range(1, last + 1)
    ]
    return "  ".join([head, *texts])
