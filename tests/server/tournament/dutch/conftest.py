"""Random tournaments, paired by our engine: byes, absences, forfeits, withdrawals, late entries."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest

from palio_server.tournament.cards import Card, Cell, Colour
from palio_server.tournament.dutch import NoPairing, RoundPairing, pair_round, players_of

HABITS = (  # absent, half-point byes, forfeits, draws: as shares
    (0.0, 0.0, 0.0, 0.3),
    (0.02, 0.05, 0.02, 0.3),
    (0.08, 0.08, 0.08, 0.2),
    (0.0, 0.0, 0.15, 0.3),
    (0.05, 0.15, 0.03, 0.5),
)


@dataclass
class Tournament:
    """Cards of all rounds that could be paired, the pairings, and the colours that were drawn, forfeits included."""

    cards: list[Card]
    rounds: int
    initial: Colour
    pairings: list[RoundPairing]
    drawn: dict[tuple[int, int], Colour]


class _Simulation:
    def __init__(self, seed: int, size: int | None, rounds: int | None) -> None:
        self.random = random = Random(seed)
        self.size = size or random.choice((random.randint(5, 12), random.randint(10, 40)))
        self.rounds = min(rounds or random.randint(5, 11), self.size - 1)
        self.absent, self.half, self.forfeits, self.draws = random.choice(HABITS)
        numbers = range(1, self.size + 1)
        self.ratings = dict(
            zip(numbers, sorted((random.randint(1200, 2600) for _ in numbers), reverse=True), strict=True)
        )
        self.joined = {each: random.randint(2, 4) if random.random() < self.absent else 1 for each in numbers}
        self.left = {each: random.randint(2, 11) if random.random() < self.absent else 99 for each in numbers}
        self.cells: dict[int, list[Cell]] = {each: [] for each in numbers}
        self.drawn: dict[tuple[int, int], Colour] = {}

    def cards(self, cells: dict[int, list[Cell]]) -> list[Card]:
        return [Card(number, f"P{number}", self.ratings[number], tuple(cells[number])) for number in cells]

    def play(self) -> Tournament:
        pairings: list[RoundPairing] = []
        initial: Colour = self.random.choice(("white", "black"))
        for round_ in range(1, self.rounds + 1):
            byes = {number: cell for number in self.cells if (cell := self._bye(number, round_))}
            active = self.cells.keys() - byes.keys()
            players = players_of(self.cards(self.cells), round_, active)
            try:
                found = pair_round(list(players.values()), round_, self.rounds, initial)
            except NoPairing:
                break
            pairings.append(found)
            self._finish(found, round_, byes)
        return Tournament(self.cards(self.cells), self.rounds, initial, pairings, self.drawn)

    def _bye(self, number: int, round_: int) -> Cell | None:
        gone = round_ < self.joined[number] or round_ >= self.left[number] or self.random.random() < self.absent / 2
        if gone:
            return Cell(round_, "absent", 0.0)
        if self.random.random() < self.half:
            return Cell(round_, "half-bye", 0.5)
        return Cell(round_, "full-bye", 1.0) if self.random.random() < self.half / 10 else None

    def _finish(self, found: RoundPairing, round_: int, byes: dict[int, Cell]) -> None:
        for number, cell in byes.items():
            self.cells[number].append(cell)
        if found.bye:
            self.cells[found.bye.number].append(Cell(round_, "pairing-bye", 1.0))
        for white, black, _ in found.boards:
            self._board(white.number, black.number, round_)

    def _board(self, white: int, black: int, round_: int) -> None:
        self.drawn[white, round_], self.drawn[black, round_] = "white", "black"
        forfeit = self.random.random() < self.forfeits
        points = self.random.choice(((1.0, 0.0), (0.0, 1.0), (0.0, 0.0))) if forfeit else self._result(white, black)
        for number, other, made, colour in ((white, black, points[0], "white"), (black, white, points[1], "black")):
            cell = Cell(round_, "forfeit" if forfeit else "played", made, (other,), (made,), "" if forfeit else colour)
            self.cells[number].append(cell)

    def _result(self, white: int, black: int) -> tuple[float, float]:
        if self.random.random() < self.draws:
            return 0.5, 0.5
        expected = 1 / (1 + 10 ** ((self.ratings[black] - self.ratings[white]) / 400))
        return (1.0, 0.0) if self.random.random() < expected else (0.0, 1.0)


@pytest.fixture(scope="session")
def simulate() -> Callable[..., Tournament]:
    """`simulate(seed, size=None, rounds=None)`."""

    def play(seed: int, size: int | None = None, rounds: int | None = None) -> Tournament:
        return _Simulation(seed, size, rounds).play()

    return play
