"""The cost of a game for the director of an event: `python benchmarks/bench_events.py [--games N]`.

Knockouts and groups of made-up bots, of which a random one wins each game. After each game the calls of a running event
are made: the number of games, whether it is over, the next plan. Milliseconds of CPU time a game, without the database,
at the beginning of the event: the first N games.
"""

import argparse
import time
from collections.abc import Iterator
from random import Random

from figures import Figure, report

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_server.tournament.event import Event
from palio_server.tournament.format import Format, format_of
from palio_server.tournament.round_robin import orders

EVENTS = {"knockout": (64, 256, 1024), "groups": (64, 256)}
ROOM = 64  # games that are planned ahead


def plan(event: Event, plans: list[Plan]) -> Iterator[EventMatch]:
    """Add planned encounters; yield their games."""
    for each in plans:
        number = len(event.encounters) + 1
        event.add(EncounterRow(number, each))
        if each.kind == "played":
            for game, bots in enumerate(orders(each.bots)[: each.games]):
                yield EventMatch(f"m{number}.{game}", number, game, bots, "scheduled")


def cost_of_a_game(format_: Format, entrants: int, games: int) -> float:
    """Return seconds, over the first `games`."""
    event = Event("breakthrough", [Entry(f"b{number}", number, 3000.0 - number) for number in range(1, entrants + 1)])
    random, waiting, played = Random(0), [], 0
    began = time.process_time()
    while played < games and not format_.over(event):
        for match in plan(event, format_.next(event, ROOM)):
            event.note(match)
            waiting.append(match)
        if not waiting:
            break
        match = waiting.pop(0)
        format_.total(event)  # for the line "Started game 3 of 12"
        scores = random.choice([(1.0, 0.0), (0.0, 1.0)])
        event.note(EventMatch(match.match, match.encounter, match.game, match.bots, "finished", scores, (1, 1)))
        played += 1
    return (time.process_time() - began) / played


def rows(games: int) -> Iterator[Figure]:
    for name, sizes in EVENTS.items():
        for entrants in sizes:
            cost = cost_of_a_game(format_of(name), entrants, games)
            yield Figure(f"{name} of {entrants}: a game", 1000 * cost, "ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    parser.add_argument("--games", type=int, default=100, help="of each event")
    asked = parser.parse_args()
    report(list(rows(asked.games)), asked.games, as_json=asked.json)


if __name__ == "__main__":
    main()
