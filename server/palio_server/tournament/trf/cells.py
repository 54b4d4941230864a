"""One round of one player in a TRF file: `  12 w 1`, `0000 - U`."""

from typing import NamedTuple

from palio_server.tournament.cards import Cell, Colour, How
from palio_server.tournament.trf.values import PointSystem

BYES: dict[str, How] = {"U": "pairing-bye", "H": "half-bye", "F": "full-bye", "Z": "absent"}
LETTERS = {how: letter for letter, how in BYES.items()}
COLOURS: dict[str, Colour] = {"w": "white", "b": "black", "-": "", " ": ""}
AHEAD = {"1": 1.0, "W": 1.0, "+": 1.0, "=": 0.5, "D": 0.5, "0": 0.0, "L": 0.0, "-": 0.0}


class Read(NamedTuple):
    """A cell and its colour, which a forfeit has in a file, too. `problem`: where it cannot be read, and why."""

    cell: Cell | None = None
    colour: Colour = ""
    problem: tuple[int, str] | None = None


def is_whole(word: str) -> bool:
    """Whether it is a whole number in plain digits: `int` would read those of other scripts, but for the small ones."""
    return word.isascii() and word.isdigit() and len(word) <= 9


def read_cell(text: str, round_: int, system: PointSystem) -> Read:
    """Read eight characters: four for the opponent, then the colour and the result."""
    who, colour, result = text[:4].strip(), (text[5:6] or " ").lower(), (text[7:8] or " ").upper()
    if who and not is_whole(who):
        return _wrong(0, f"{who!r} is no starting number; write 0000 for a bye")
    if colour not in COLOURS:
        return _wrong(5, f"{colour!r} is no colour; write w, b or -")
    opponent = int(who or "0")
    if not opponent:
        return _bye(who, colour, result, round_, system)
    if result not in AHEAD:
        return _wrong(7, f"{result!r} is no result of a game; write 1, 0, =, + or -")
    if result in "+-":
        points = system.win if result == "+" else system.forfeit
        return Read(Cell(round_, "forfeit", points, (opponent,), (AHEAD[result],)), COLOURS[colour])
    if not COLOURS[colour]:
        return _wrong(5, "a game that was played has a colour; write w or b, or + and - for a forfeit")
    points = {1.0: system.win, 0.5: system.draw, 0.0: system.loss}[AHEAD[result]]
    cell = Cell(round_, "played", points, (opponent,), (AHEAD[result],), COLOURS[colour])
    return Read(cell, COLOURS[colour])


def _bye(who: str, colour: str, result: str, round_: int, system: PointSystem) -> Read:
    if not who and colour == " " and result == " ":
        return Read()
    if COLOURS[colour]:
        return _wrong(5, "a colour without an opponent; write the opponent's starting number, or - for no colour")
    if result in BYES:
        bye = system.win if system.bye is None else system.bye
        points = {"U": bye, "H": system.draw, "F": system.win, "Z": system.absent}[result]
        return Read(Cell(round_, BYES[result], points))
    if result == "+":  # a forfeit of somebody who is not named
        return Read(Cell(round_, "pairing-bye", system.win))
    if result in "=D":
        return Read(Cell(round_, "half-bye", system.draw))
    if result in "-0L ":
        return Read(Cell(round_, "absent", system.absent))
    if result in "1W":
        return Read(Cell(round_, "full-bye", system.win))
    return _wrong(7, f"{result!r} is no result of a bye; write U, H, F or Z")


def _wrong(column: int, why: str) -> Read:
    return Read(problem=(column, why))


def cell_text(cell: Cell | None, colour: Colour = "") -> str:
    """Eight characters, as `read_cell` reads them. `colour`: who was White where the cell does not say."""
    if cell is None:
        return " " * 8
    if not cell.opponents:
        return f"0000 - {LETTERS.get(cell.how, 'Z')}"
    ahead = cell.ahead[0] if cell.ahead else 0.5
    result = {1.0: "1", 0.5: "=", 0.0: "0"}[ahead] if cell.how == "played" else "+" if ahead == 1.0 else "-"
    letter = {"white": "w", "black": "b", "": "-"}[cell.colour or colour]
    return f"{cell.opponents[0]:4} {letter} {result}"
