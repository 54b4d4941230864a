"""The reader of TRF16 files and the usual extensions: XXR, XXC, XXP, XXZ, XXA, BB*, and 142, 152, 162, 192, 240, 250,
260.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import ClassVar

from palio_rules.errors import nearest, quoted
from palio_server.tournament.cards import Cell, Colour
from palio_server.tournament.trf.cells import (
    BYES,
    CELL,
    COLOURS,
    FIRST_CELL,
    PointSystem,
    TrfError,
    TrfFile,
    TrfPlayer,
    is_whole,
    read_cell,
    took_part,
)

FIRST_COLOURS: dict[str, Colour] = {"white1": "white", "black1": "black"}
POINTS_OF = {  # fields of a PointSystem, by the letter of a 162 or BB line
    "W": ("win",),
    "D": ("draw",),
    "L": ("loss",),
    "A": ("forfeit", "absent"),  # an absence, announced or not
    "F": ("forfeit",),
    "Z": ("absent",),
    "P": ("bye",),
    "U": ("bye",),
    "X": (),  # results that are not known: a cell with one is refused
}
MOST_POINTS = 1_000_000  # of 250 lines, players times rounds: a short line may ask for ten million
SYSTEMS = ("FIDE_DUTCH", "FIDE_DUTCH_2025", "FIDE_DUTCH_2026")


def read_trf(data: bytes | str, name: str = "TRF") -> TrfFile:
    """Return the contents of a file; `name` is its name in messages. Raises TrfError."""
    text = data if isinstance(data, str) else decoded(data)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return _Reader(name).read(lines)


def decoded(data: bytes) -> str:
    """Return the text, which is UTF-8, or otherwise Latin-1."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class _Reader:
    """The reader of one file."""

    def __init__(self, name: str) -> None:
        self.name, self.line, self.text = name, 0, ""
        self.title = ""
        self.rounds: int | None = None
        self.initial: Colour = ""
        self.system = PointSystem()
        self.rows: list[tuple[int, str]] = []
        self.byes: list[tuple[int, int, str]] = []  # number, round (0: the next one), letter
        self.forbidden: list[tuple[frozenset[int], int, int]] = []
        self.virtual: dict[int, list[float]] = {}
        self.points_left = MOST_POINTS
        self.drawn: dict[tuple[int, int], Colour] = {}

    def wrong(self, column: int, why: str, line: int | None = None) -> TrfError:
        """Return the error; `column` counts from 0, the message from 1."""
        return TrfError(f"{self.name}, line {line or self.line}, column {column + 1}: {why}")

    def read(self, lines: Iterable[str]) -> TrfFile:
        for self.line, self.text in enumerate(lines, 1):
            if handler := self.HANDLERS.get(self.text[:3]):
                handler(self)
        players = [self._player(line, text) for line, text in self.rows]  # points need the whole file
        if not players:
            raise TrfError(f"{self.name}: there is no player; a TRF file has a line that begins with 001 for each")
        players.sort(key=lambda player: player.number)
        self._check_numbers(players)
        known = TrfFile(
            self.title,
            tuple(players),
            self.rounds,
            self.initial,
            self.system,
            tuple(self.forbidden),
            self.virtual,
            self.drawn,
        )
        self._check_meetings(known)
        known = self._with_byes(known)
        self._check_points(known)
        return known if known.initial else replace(known, initial=first_colour(known))

    # --- lines --------------------------------------------------------------------------------------------------------

    def _row(self) -> None:
        self.rows.append((self.line, self.text))

    def _title(self) -> None:
        self.title = self.text[3:].strip()

    def _rounds(self) -> None:
        self.rounds = self._whole(3, len(self.text), "the number of rounds")

    def _colour(self) -> None:
        for word in self.text[3:].split():
            if word.lower() in FIRST_COLOURS:
                self.initial = FIRST_COLOURS[word.lower()]
            elif word == "rank":
                column = self.text.index("rank")
                raise self.wrong(column, "pairing by rank is not supported; give the starting numbers by rank instead")
            else:
                column = self.text.index(word, 3)
                raise self.wrong(column, f"{quoted(word)} is no initial colour; {nearest(word, FIRST_COLOURS)}")

    def _letter(self) -> None:
        letter = self.text[3:].strip().upper()
        if letter not in {"W", "B"}:
            raise self.wrong(4, f"{quoted(letter)} is no initial colour; write W or B")
        self.initial = "white" if letter == "W" else "black"

    def _system(self) -> None:
        known = self.text[3:].strip()
        if known and known.upper() not in SYSTEMS:
            raise self.wrong(4, f"only the Dutch system is paired here, not {quoted(known)}; {nearest(known, SYSTEMS)}")

    def _teams(self) -> None:
        raise self.wrong(0, "teams are not supported; leave 013 and 310 lines out to pair single players")

    def _point_list(self) -> None:
        for start in range(5, len(self.text.rstrip()), 9):
            self._points_of(self.text[start], self._number(start + 1, start + 5, "points"))

    def _points_line(self) -> None:
        self._points_of(self.text[2], self._number(4, 12, "points"))

    def _points_of(self, letter: str, points: float) -> None:
        if letter not in POINTS_OF:
            raise self.wrong(4, f"{quoted(letter)} stands for no result; write W, D, L, A, P or X")
        self.system = replace(self.system, **dict.fromkeys(POINTS_OF[letter], points))

    def _bye_list(self) -> None:
        letter, round_ = self.text[4:5].upper(), self._whole(6, 9, "a round")
        if letter not in BYES:
            raise self.wrong(4, f"{quoted(letter)} is no bye; write H, F or Z")
        for start in range(10, len(self.text.rstrip()), 5):
            self.byes.append((self._whole(start, start + 4, "a starting number"), round_, letter))

    def _absent(self) -> None:
        """Read the players who are not to be paired in the next round."""
        words = self.text[3:].split()
        if not all(map(is_whole, words)):
            raise self.wrong(3, "XXZ is followed by starting numbers only")
        self.byes += [(int(word), 0, "Z") for word in words]

    def _apart(self) -> None:
        group = frozenset(
            self._whole(start, start + 4, "a starting number") for start in range(12, len(self.text.rstrip()), 5)
        )
        self.forbidden.append((group, self._whole(4, 7, "a round"), self._whole(8, 11, "a round")))

    def _always_apart(self) -> None:
        words = self.text[3:].split()
        if not all(map(is_whole, words)):
            raise self.wrong(3, "XXP is followed by starting numbers only")
        self.forbidden.append((frozenset(map(int, words)), 1, 9999))

    def _virtual(self) -> None:
        number = self._whole(4, 8, "a starting number")
        cells = [self.text[start : start + 4] for start in range(9, len(self.text.rstrip()), 5)]
        self.virtual[number] = [
            self._number(9 + 5 * index, 13 + 5 * index, "points") if cell.strip() else 0.0
            for index, cell in enumerate(cells)
        ]

    def _virtual_range(self) -> None:
        points = self._number(9, 13, "points")
        first, last = self._whole(14, 17, "a round"), self._whole(18, 21, "a round")
        numbers = range(self._whole(22, 26, "a starting number"), self._whole(27, 31, "a starting number") + 1)
        self.points_left -= len(numbers) * last
        if self.points_left < 0:
            raise self.wrong(22, f"250 lines give points for more than {MOST_POINTS:,} rounds of players; give fewer")
        for number in numbers:
            known = self.virtual.setdefault(number, [])
            known += [0.0] * (last - len(known))
            known[first - 1 : last] = [points] * (last - first + 1)

    HANDLERS: ClassVar[Mapping[str, Callable[["_Reader"], None]]] = {
        "001": _row, "012": _title, "013": _teams, "310": _teams, "XXR": _rounds, "142": _rounds, "XXC": _colour,
        "152": _letter, "192": _system, "162": _point_list, "240": _bye_list, "260": _apart, "XXP": _always_apart,
        "XXZ": _absent, "XXA": _virtual, "250": _virtual_range,
        **dict.fromkeys(("BBW", "BBD", "BBL", "BBZ", "BBF", "BBU"), _points_line),
    }  # fmt: skip

    # --- fields -------------------------------------------------------------------------------------------------------

    def _whole(self, start: int, end: int, what: str) -> int:
        word = self.text[start:end].strip()
        if not is_whole(word) or not int(word):
            raise self.wrong(start, f"{quoted(word)} is not {what}; write a whole number from 1")
        return int(word)

    def _number(self, start: int, end: int, what: str) -> float:
        word = self.text[start:end].strip().replace(",", ".")
        if not is_whole(word.replace(".", "", 1)):
            raise self.wrong(start, f"{quoted(word)} are no {what}; write a number such as 1.5")
        return float(word)

    # --- players ------------------------------------------------------------------------------------------------------

    def _player(self, line: int, text: str) -> TrfPlayer:
        self.line, self.text = line, text
        if len(text.rstrip()) < 84:
            raise self.wrong(len(text.rstrip()), "the line ends before the points in columns 81 to 84; give them")
        rating, rank = text[48:52].strip(), text[85:89].strip()
        if rating and not is_whole(rating):
            raise self.wrong(48, f"{rating!r} is no rating; write a whole number in columns 49 to 52")
        number = self._whole(4, 8, "a starting number")
        return TrfPlayer(
            number,
            text[14:47].strip(),
            int(rating) if rating.strip("0") else None,
            self._number(80, 84, "points"),
            int(rank) if is_whole(rank) else None,
            self._cells(number, text),
            line,
        )

    def _cells(self, number: int, text: str) -> tuple[Cell | None, ...]:
        cells: list[Cell | None] = []
        for round_, start in enumerate(range(FIRST_CELL, len(text.rstrip()), CELL), 1):
            read = read_cell(text[start : start + 8].ljust(8), round_, self.system)
            if read.problem:
                column, why = read.problem
                raise self.wrong(start + column, f"round {round_}: {why}")
            if read.cell and number in read.cell.opponents:
                raise self.wrong(start, f"round {round_}: number {number} meets itself; write its opponent, or 0000")
            if read.colour:
                self.drawn[number, round_] = read.colour
            cells.append(read.cell)
        while cells and cells[-1] is None:
            cells.pop()
        return tuple(cells)

    def _check_numbers(self, players: list[TrfPlayer]) -> None:
        for one, other in pairwise(players):
            if one.number == other.number:
                raise self.wrong(4, f"the starting number {one.number} is there twice; give each its own", other.line)

    def _check_meetings(self, file: TrfFile) -> None:
        """Check that opponents name each other, with opposite colours."""
        by_number = {player.number: player for player in file.players}
        for player in file.players:
            for round_, cell in enumerate(player.cells, 1):
                if not cell or not cell.opponents:
                    continue
                column, other = FIRST_CELL + CELL * (round_ - 1), by_number.get(cell.opponents[0])
                if other is None:
                    raise self.wrong(column, f"there is no player {cell.opponents[0]}; add its 001 line", player.line)
                if cell.how != "played":  # of a forfeit the other's line may say less
                    continue
                theirs = other.cell(round_)
                if theirs is None or theirs.opponents != (player.number,) or theirs.how != "played":
                    why = f"round {round_} of {player.number} contradicts that of {other.number} (line {other.line})"
                    raise self.wrong(column, f"{why}; correct one of them", player.line)
                if cell.ahead[0] + theirs.ahead[0] > 1:
                    why = f"{player.number} and {other.number} have more than one point of round {round_} together"
                    raise self.wrong(column + 7, f"{why}; correct one of them", player.line)
                if cell.colour == theirs.colour:
                    why = f"{player.number} and {other.number} both have {cell.colour} in round {round_}"
                    raise self.wrong(column + 5, f"{why}; correct one of them", player.line)

    def _check_points(self, file: TrfFile) -> None:
        """Check that points are those of the rounds that are over, with or without byes to come and an acceleration."""
        over = file.played
        for player in file.players:
            cells = [cell for cell in player.cells if cell]
            lasts = {over, *(cell.round for cell in cells if cell.round > over)}
            sums = [sum(cell.points for cell in cells if cell.round <= last) for last in sorted(lasts)]
            given = file.virtual.get(player.number, ())
            extra = {0.0, *given[over - 1 : over + 1]}
            if not any(abs(player.points - known - more) < 0.05 for known in sums for more in extra):
                why = f"{player.points:g} points, but the results of {player.number} add up to {sums[0]:g}"
                raise self.wrong(80, f"{why}; correct the points or the results", player.line)

    def _with_byes(self, file: TrfFile) -> TrfFile:
        """Return the file with the byes of 240 and XXZ lines, where the player's own line has none."""
        more: dict[int, dict[int, str]] = {}
        for number, round_, letter in self.byes:
            more.setdefault(number, {})[round_ or file.played + 1] = letter
        players = []
        for player in file.players:
            cells = list(player.cells)
            for round_, letter in more.get(player.number, {}).items():
                if round_ == file.played + 1 and player.cell(round_) is None:
                    cells += [None] * (round_ - len(cells))
                    cells[round_ - 1] = read_cell(f"0000 - {letter}", round_, self.system).cell
            players.append(replace(player, cells=tuple(cells)))
        halves = {
            number: frozenset(round_ for round_, letter in rounds.items() if letter == "H")
            for number, rounds in more.items()
        }
        return replace(file, players=tuple(players), byes=halves)


def first_colour(file: TrfFile) -> Colour:
    """Return the initial colour, from the first round in which colours were given; "" if there is none.

    Of those that had taken part by then the first one had it, and every second one after that.
    """
    round_ = min((at for _, at in file.drawn), default=0)
    present = [player for player in file.players if any(cell and took_part(cell) for cell in player.cells[:round_])]
    for index, player in enumerate(present):
        if colour := file.drawn.get((player.number, round_)):
            return colour if index % 2 == 0 else COLOURS["b" if colour == "white" else "w"]
    return ""
