"""The speed of pairing a Swiss round, on one core: `python benchmarks/bench_pairing.py [--rounds N]`.

Made-up tournaments, in which the better bot wins more often and a third of the games is drawn; seconds of CPU time a
round, all of its brackets, weights and matchings included.
"""

import argparse
import statistics
import time
from collections.abc import Iterator
from random import Random

from figures import Figure, report

from palio_server.tournament.cards import Card, Cell
from palio_server.tournament.dutch import RoundPairing, pair_round, players_of

ENTRANTS = (40, 180)
GOAL = 2.0  # seconds a round, of 180 entrants


def results(found: RoundPairing, round_: int, random: Random, cells: dict[int, list[Cell]]) -> None:
    if found.bye:
        cells[found.bye.number].append(Cell(round_, "pairing-bye", 1.0))
    for white, black, _ in found.boards:
        better = 1 / (1 + 10 ** ((white.number - black.number) / 100))
        made = 0.5 if random.random() < 1 / 3 else float(random.random() < better)
        cells[white.number].append(Cell(round_, "played", made, (black.number,), (made,), "white"))
        cells[black.number].append(Cell(round_, "played", 1 - made, (white.number,), (1 - made,), "black"))


def rounds_of(entrants: int, rounds: int) -> Iterator[float]:
    """Yield the time of each round."""
    random, cells = Random(entrants), {number: [] for number in range(1, entrants + 1)}
    for round_ in range(1, rounds + 1):
        cards = [Card(number, f"P{number}", None, tuple(each)) for number, each in cells.items()]
        began = time.process_time()
        found = pair_round(list(players_of(cards, round_, set(cells)).values()), round_, rounds)
        yield time.process_time() - began
        results(found, round_, random, cells)


def rows(rounds: int) -> Iterator[Figure]:
    for entrants in ENTRANTS:
        times = list(rounds_of(entrants, rounds))
        goal = GOAL if entrants == max(ENTRANTS) else None
        what = f"swiss: a round of {entrants}"
        yield Figure(f"{what}, the slowest of {rounds}", max(times), "s", goal, less_is_better=True)
        yield Figure(f"{what}, median", statistics.median(times), "s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    parser.add_argument("--rounds", type=int, default=9, help="of each tournament")
    asked = parser.parse_args()
    report(list(rows(asked.rounds)), asked.rounds, as_json=asked.json)


if __name__ == "__main__":
    main()
